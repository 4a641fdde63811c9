//! Summaries and what else is kept of a function, as bytes.
//!
//! Functions and globals are told by number, kinds of resources and properties by name. A summary names calls inside other functions (the
//! trail to where something was acquired). Such a call is told as "the second call of `malloc` in `load`", so that it is
//! found again when the body around it has changed.
//!
//! In: a value, and how to number what it names. Out: words, and the value back. Each type is listed once, and writing and reading
//! follow from that. What must hold: the list has all parts of a type, which the compiler checks.

use crate::context::uses::{Facts, Uses};
use crate::reuse::words::{Reader, Words};
use crate::stories::witness::Unless;
use watertight_ir::{BlockId, FuncId, GlobalId, Id, InstId};
use watertight_summary::property::PropertyId;
use watertight_summary::{
    Breach, CallAt, Claim, Completeness, Effect, Fresh, Given, Got, KeepReason, KindId, Latent, Outcome,
    Path, Piece, PieceOf, Relation, Root, Span, Step, Summary, Test, Value, Way, When, Witness,
};

/// How the writer numbers what a value names. Nothing means that it cannot be told.
pub(crate) trait Number {
    fn function(&mut self, function: FuncId) -> Option<u32>;
    fn global(&mut self, global: GlobalId) -> Option<u32>;
    fn kind(&mut self, words: &mut Words, kind: KindId);
    fn property(&mut self, words: &mut Words, property: PropertyId);
    fn call(&mut self, words: &mut Words, call: CallAt) -> Option<()>;
}

/// How the reader finds it again.
pub(crate) trait Find {
    fn function(&self, number: u32) -> Option<FuncId>;
    fn global(&self, number: u32) -> Option<GlobalId>;
    fn kind(&self, reader: &mut Reader<'_>) -> Option<KindId>;
    fn property(&self, reader: &mut Reader<'_>) -> Option<PropertyId>;
    fn call(&self, reader: &mut Reader<'_>) -> Option<CallAt>;
}

/// What can be kept.
pub(crate) trait Kept: Sized {
    /// Writes it. Nothing if it names something that has no number.
    fn write(&self, words: &mut Words, number: &mut dyn Number) -> Option<()>;
    /// Reads what was written.
    fn read(reader: &mut Reader<'_>, find: &dyn Find) -> Option<Self>;
}

/// What has a way of its own into words and back.
macro_rules! plain {
    ($($type:ty: |$words:ident, $number:ident, $value:ident| $write:expr, |$reader:ident, $find:ident| $read:expr;)*) => {$(
        impl Kept for $type {
            fn write(&self, $words: &mut Words, $number: &mut dyn Number) -> Option<()> {
                let $value = self;
                $write;
                Some(())
            }
            fn read($reader: &mut Reader<'_>, $find: &dyn Find) -> Option<Self> {
                $read
            }
        }
    )*};
}

plain! {
    bool: |words, _number, value| words.flag(*value), |reader, _find| reader.flag();
    u32: |words, _number, value| words.number(u64::from(*value)), |reader, _find| reader.small();
    u64: |words, _number, value| words.number(*value), |reader, _find| reader.number();
    i64: |words, _number, value| words.signed(*value), |reader, _find| reader.signed();
    Box<str>: |words, _number, value| words.text(value), |reader, _find| reader.text().map(Into::into);
    Uses: |words, _number, value| words.number(value.bits()), |reader, _find| reader.number().map(Uses::from_bits);
    BlockId: |words, _number, value| words.count(value.index()), |reader, _find| reader.id();
    InstId: |words, _number, value| words.count(value.index()), |reader, _find| reader.id();
    FuncId: |words, number, value| words.number(u64::from(number.function(*value)?)), |reader, find| find.function(reader.small()?);
    GlobalId: |words, number, value| words.number(u64::from(number.global(*value)?)), |reader, find| find.global(reader.small()?);
    KindId: |words, number, value| number.kind(words, *value), |reader, find| find.kind(reader);
    PropertyId: |words, number, value| number.property(words, *value), |reader, find| find.property(reader);
    CallAt: |words, number, value| number.call(words, *value)?, |reader, find| find.call(reader);
}

impl<T: Kept> Kept for Option<T> {
    fn write(&self, words: &mut Words, number: &mut dyn Number) -> Option<()> {
        words.flag(self.is_some());
        self.iter().try_for_each(|value| value.write(words, number))
    }
    fn read(reader: &mut Reader<'_>, find: &dyn Find) -> Option<Self> {
        Some(if reader.flag()? { Some(T::read(reader, find)?) } else { None })
    }
}

impl<T: Kept> Kept for Vec<T> {
    fn write(&self, words: &mut Words, number: &mut dyn Number) -> Option<()> {
        words.count(self.len());
        self.iter().try_for_each(|value| value.write(words, number))
    }
    fn read(reader: &mut Reader<'_>, find: &dyn Find) -> Option<Self> {
        reader.list(|reader| T::read(reader, find))
    }
}

impl<A: Kept, B: Kept> Kept for (A, B) {
    fn write(&self, words: &mut Words, number: &mut dyn Number) -> Option<()> {
        self.0.write(words, number)?;
        self.1.write(words, number)
    }
    fn read(reader: &mut Reader<'_>, find: &dyn Find) -> Option<Self> {
        Some((A::read(reader, find)?, B::read(reader, find)?))
    }
}

/// The parts of structures, in the order in which they are written.
macro_rules! structures {
    ($($type:ident { $($field:ident),* })*) => {$(
        impl Kept for $type {
            fn write(&self, words: &mut Words, number: &mut dyn Number) -> Option<()> {
                let $type { $($field),* } = self;
                $($field.write(words, number)?;)*
                Some(())
            }
            fn read(reader: &mut Reader<'_>, find: &dyn Find) -> Option<Self> {
                $(let $field = Kept::read(reader, find)?;)*
                Some($type { $($field),* })
            }
        }
    )*};
}

/// The variants of enumerations with the byte that stands for each, and their parts.
macro_rules! enumerations {
    ($($type:ident { $($tag:literal $variant:ident $(($($item:ident),*))? $({ $($field:ident),* })?;)* })*) => {$(
        impl Kept for $type {
            fn write(&self, words: &mut Words, number: &mut dyn Number) -> Option<()> {
                // A variant without parts uses no number.
                let _ = &number;
                match self {
                    $($type::$variant $(($($item),*))? $({ $($field),* })? => {
                        words.byte($tag);
                        $($($item.write(words, number)?;)*)?
                        $($($field.write(words, number)?;)*)?
                    })*
                }
                Some(())
            }
            fn read(reader: &mut Reader<'_>, find: &dyn Find) -> Option<Self> {
                let _ = &find;
                Some(match reader.byte()? {
                    $($tag => {
                        $($(let $item = Kept::read(reader, find)?;)*)?
                        $($(let $field = Kept::read(reader, find)?;)*)?
                        $type::$variant $(($($item),*))? $({ $($field),* })?
                    })*
                    _ => return None,
                })
            }
        }
    )*};
}

structures! {
    Summary { outcomes, completeness, breaches, latent }
    Outcome { when, result, fresh, effects, way, invented }
    Fresh { kind, zeroed, by, trail, blank }
    When { any, weak, unsaid }
    Test { value, mask, relation, number, other }
    Breach { place, mistake, when, tests, trail }
    Latent { acquired, through, when }
    Path { root, steps }
    Piece { bits, of }
    Span { offset, bytes }
    Facts { uses, sizes, opaque, vague_states, strays, reads_variable, lists }
    Witness { claim, acquired, trail, kind, blocks, inputs, results }
    Given { call, turn, value, decides }
}

enumerations! {
    Completeness { 0 Whole; 1 Partial; }
    Way { 0 Returns; 1 Seldom; 2 Jumps; }
    Relation {
        0 Equal; 1 NotEqual; 2 Less; 3 LessEqual; 4 Greater; 5 GreaterEqual;
        6 UnsignedLess; 7 UnsignedLessEqual; 8 UnsignedGreater; 9 UnsignedGreaterEqual;
    }
    Root { 0 Param(index); 1 Rest(index); 2 Result; 3 Global(global); 4 Fresh(index); 5 Function(function); 6 Process; }
    Step {
        0 At(offset); 1 Number { offset, bytes }; 2 Somewhere; 3 State { offset, property };
        4 Element { offset, index, scale }; 5 Each { link, also };
    }
    Value {
        0 Number(value); 1 Entry { path, plus }; 2 Bits { path, low, mask }; 3 Inside(path); 4 Fresh { index, plus };
        5 Parts(parts); 6 Such { relation, number }; 7 Any; 8 Word { of, pieces };
    }
    PieceOf { 0 Number(value); 1 Entry(low); 2 Any; 3 Untold; }
    Effect {
        0 Store { place, value }; 1 Release { value, kind, certain }; 2 Keep { value, reason }; 3 Clobber { place };
        4 Copy { to, span, from, start }; 5 Zero { place, span }; 6 Calls { function, arguments, states };
    }
    KeepReason { 0 Stored; 1 Assumed { function }; 2 Shared; }
    Claim { 0 Lost; 1 ReleasedAgain(inst); 2 Used(inst); }
    Got { 0 Number(value); 1 Address; }
    Unless { 0 Nothing; 1 Released(globals); 2 ReleasedAtExit(globals); 3 Ended(globals); 4 NobodyMakes; }
}
