//! The words of the text form for what has no name of its own in the data types: instructions,
//! terminators, linkage, debug types. Printer, parser and documentation share this one list.

use crate::debug::{Encoding, Qualifier, RecordKind};
use crate::function::Linkage;
use crate::inst::{AtomicOp, BinaryOp, BitOp, CompareOp, ConvertOp, FloatCompareOp, FloatOp, Op, Terminator};
use crate::types::Type;

macro_rules! words {
    ($name:ident { $($variant:ident = $text:literal,)* }) => {
        impl $name {
            pub const ALL: &[$name] = &[$($name::$variant,)*];
            /// The name in the text form.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }
            pub fn from_name(name: &str) -> Option<$name> {
                match name { $($text => Some($name::$variant),)* _ => None }
            }
        }
    };
}

words! { Linkage {
    External = "external", Internal = "internal", Weak = "weak", LinkOnce = "linkonce", Common = "common",
    AvailableExternally = "available_externally", ExternWeak = "extern_weak",
} }
words! { Encoding {
    Signed = "signed", Unsigned = "unsigned", SignedChar = "signed_char", UnsignedChar = "unsigned_char",
    Boolean = "bool", Float = "float", Other = "other",
} }
words! { Qualifier { Const = "const", Volatile = "volatile", Restrict = "restrict", Atomic = "atomic", } }
words! { RecordKind { Struct = "struct", Union = "union", Class = "class", } }

impl Op {
    /// The word an instruction begins with. Where one word covers several operations (`compare`,
    /// `fcompare`, `atomic`) the operation follows it.
    pub fn name(&self) -> &'static str {
        match self {
            Op::Stack { .. } => "stack",
            Op::Load { .. } => "load",
            Op::Store { .. } => "store",
            Op::Offset { .. } => "offset",
            Op::Index { .. } => "index",
            Op::Binary { op, .. } => op.name(),
            Op::Compare { .. } => "compare",
            Op::Float { op, .. } => op.name(),
            Op::FloatNegate { .. } => "fneg",
            Op::FloatCompare { .. } => "fcompare",
            Op::Convert { op, .. } => op.name(),
            Op::Select { .. } => "select",
            Op::Phi { .. } => "phi",
            Op::Call(_) => "call",
            Op::MemCopy { may_overlap: false, .. } => "memcpy",
            Op::MemCopy { may_overlap: true, .. } => "memmove",
            Op::MemFill { .. } => "memset",
            Op::Atomic { .. } => "atomic",
            Op::CompareExchange { .. } => "cmpxchg",
            Op::Fence => "fence",
            Op::Bits { op, .. } => op.name(),
            Op::Pack { .. } => "pack",
            Op::Extract { .. } => "extract",
            Op::VaStart { .. } => "va_start",
            Op::VaCopy { .. } => "va_copy",
            Op::VaEnd { .. } => "va_end",
            Op::VaArg { .. } => "va_arg",
            Op::Name { .. } => "name",
            Op::Unknown(_) => "unknown",
        }
    }

    /// The type of the result where the operation alone decides it; the text form leaves it out.
    pub fn fixed_result(&self) -> Option<Type> {
        match self {
            Op::Stack { .. } | Op::Offset { .. } | Op::Index { .. } => Some(Type::Ptr),
            Op::Compare { .. } | Op::FloatCompare { .. } => Some(Type::BOOL),
            _ => None,
        }
    }
}

impl BitOp {
    /// Whether the result is the aggregate of the wrapped result and an `i1` that tells of overflow.
    pub fn reports_overflow(self) -> bool {
        use BitOp::*;
        matches!(
            self,
            SAddOverflow | UAddOverflow | SSubOverflow | USubOverflow | SMulOverflow | UMulOverflow
        )
    }

    /// How many arguments it takes.
    pub fn arity(self) -> usize {
        use BitOp::*;
        match self {
            ByteSwap | BitReverse | CountOnes | LeadingZeros | TrailingZeros | Abs => 1,
            FunnelLeft | FunnelRight => 3,
            _ => 2,
        }
    }
}

impl Terminator {
    /// The word a terminator begins with.
    pub fn name(&self) -> &'static str {
        match self {
            Terminator::Jump(_) => "jump",
            Terminator::Branch { .. } => "branch",
            Terminator::Switch { .. } => "switch",
            Terminator::Indirect { .. } => "indirect",
            Terminator::Choose { .. } => "choose",
            Terminator::Invoke { .. } => "invoke",
            Terminator::Return(_) => "return",
            Terminator::Resume => "resume",
            Terminator::Unreachable => "unreachable",
        }
    }
}

/// Words of instructions that are not the name of an operation.
pub(crate) const SINGLE: [&str; 25] = [
    "stack", "load", "store", "offset", "index", "compare", "fneg", "fcompare", "select", "phi", "call",
    "memcpy", "memmove", "memset", "atomic", "cmpxchg", "fence", "pack", "extract", "va_start", "va_copy",
    "va_end", "va_arg", "name", "unknown",
];

/// Words of terminators.
pub const TERMINATORS: [&str; 9] =
    ["jump", "branch", "switch", "indirect", "choose", "invoke", "return", "resume", "unreachable"];

/// Every word that an instruction can begin with.
pub fn instructions() -> Vec<&'static str> {
    let mut words = SINGLE.to_vec();
    words.extend(BinaryOp::ALL.iter().map(|op| op.name()));
    words.extend(FloatOp::ALL.iter().map(|op| op.name()));
    words.extend(ConvertOp::ALL.iter().map(|op| op.name()));
    words.extend(BitOp::ALL.iter().map(|op| op.name()));
    words
}

/// Every word that can follow `compare`, `fcompare` or `atomic`.
pub fn operations() -> Vec<&'static str> {
    let mut words: Vec<&str> = CompareOp::ALL.iter().map(|op| op.name()).collect();
    words.extend(FloatCompareOp::ALL.iter().map(|op| op.name()));
    words.extend(AtomicOp::ALL.iter().map(|op| op.name()));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_instructions_begin_with_the_same_word() {
        let mut words = instructions();
        words.extend(TERMINATORS);
        let count = words.len();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), count);
    }
}
