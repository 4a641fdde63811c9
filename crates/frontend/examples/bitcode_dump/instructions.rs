//! Prints the blocks and instructions of a function.

use std::fmt::Write as _;

use watertight_frontend::bitcode::{
    Access, Alignment, AtomicOp, AtomicOrdering, BinaryFlags, BlockId, CallSite, CallingConvention,
    CastFlags, Constant, DebugRecord, DebugRecordKind, DebugValue, FastMathFlags, FunctionBody, GepFlags,
    Instruction, InstructionId, InstructionKind, LandingClause, Operand, Predicate, SyncScope, TailKind,
    Type, ValueId,
};

use crate::constants::{typed, value};
use crate::nodes;
use crate::slots::Slots;
use crate::{BodyDump, Dump};

pub(crate) fn body(dump: &Dump<'_>, body: &FunctionBody<'_>, out: &mut String) {
    let scope = BodyDump { dump, body, slots: Slots::of(body) };
    for (id, block) in body.blocks() {
        let _ = writeln!(out, "{}:", &scope.slots.block(id)[1..]);
        for (instruction_id, instruction) in body.instructions_of(block) {
            for record in body.debug_records_before(instruction_id) {
                let _ = writeln!(out, "  {}", scope.debug_record(record));
            }
            let _ = writeln!(out, "  {}", scope.instruction(instruction_id, instruction));
        }
    }
}

pub(crate) fn gep_flags(flags: GepFlags) -> String {
    let first = match (flags.in_bounds, flags.no_unsigned_signed_wrap) {
        (true, _) => " inbounds",
        (_, true) => " nusw",
        _ => "",
    };
    format!("{first}{}", if flags.no_unsigned_wrap { " nuw" } else { "" })
}

pub(crate) fn predicate(predicate: Predicate) -> &'static str {
    match predicate {
        Predicate::FFalse => "false",
        Predicate::FOeq => "oeq",
        Predicate::FOgt => "ogt",
        Predicate::FOge => "oge",
        Predicate::FOlt => "olt",
        Predicate::FOle => "ole",
        Predicate::FOne => "one",
        Predicate::FOrd => "ord",
        Predicate::FUno => "uno",
        Predicate::FUeq => "ueq",
        Predicate::FUgt => "ugt",
        Predicate::FUge => "uge",
        Predicate::FUlt => "ult",
        Predicate::FUle => "ule",
        Predicate::FUne => "une",
        Predicate::FTrue => "true",
        Predicate::Eq => "eq",
        Predicate::Ne => "ne",
        Predicate::Ugt => "ugt",
        Predicate::Uge => "uge",
        Predicate::Ult => "ult",
        Predicate::Ule => "ule",
        Predicate::Sgt => "sgt",
        Predicate::Sge => "sge",
        Predicate::Slt => "slt",
        Predicate::Sle => "sle",
    }
}

pub(crate) fn convention(convention: CallingConvention) -> String {
    match convention.0 {
        0 => String::new(),
        8 => "fastcc ".into(),
        9 => "coldcc ".into(),
        number => format!("cc{number} "),
    }
}

fn ordering(ordering: AtomicOrdering) -> &'static str {
    match ordering {
        AtomicOrdering::NotAtomic => "",
        AtomicOrdering::Unordered => "unordered",
        AtomicOrdering::Monotonic => "monotonic",
        AtomicOrdering::Acquire => "acquire",
        AtomicOrdering::Release => "release",
        AtomicOrdering::AcquireRelease => "acq_rel",
        AtomicOrdering::SequentiallyConsistent => "seq_cst",
    }
}

fn atomic_op(op: AtomicOp) -> &'static str {
    match op {
        AtomicOp::Exchange => "xchg",
        AtomicOp::Add => "add",
        AtomicOp::Sub => "sub",
        AtomicOp::And => "and",
        AtomicOp::Nand => "nand",
        AtomicOp::Or => "or",
        AtomicOp::Xor => "xor",
        AtomicOp::Max => "max",
        AtomicOp::Min => "min",
        AtomicOp::UMax => "umax",
        AtomicOp::UMin => "umin",
        AtomicOp::FAdd => "fadd",
        AtomicOp::FSub => "fsub",
        AtomicOp::FMax => "fmax",
        AtomicOp::FMin => "fmin",
        AtomicOp::UIncWrap => "uinc_wrap",
        AtomicOp::UDecWrap => "udec_wrap",
        AtomicOp::USubCond => "usub_cond",
        AtomicOp::USubSat => "usub_sat",
        AtomicOp::FMaximum => "fmaximum",
        AtomicOp::FMinimum => "fminimum",
        AtomicOp::FMaximumNumber => "fmaximumnum",
        AtomicOp::FMinimumNumber => "fminimumnum",
    }
}

fn fast_math(flags: FastMathFlags) -> String {
    // Reassociation, no NaNs, no infinities, no signed zeros, reciprocals, contraction, approximation.
    const NAMES: [(u8, &str); 7] = [
        (1 << 7, " reassoc"),
        (1 << 1, " nnan"),
        (1 << 2, " ninf"),
        (1 << 3, " nsz"),
        (1 << 4, " arcp"),
        (1 << 5, " contract"),
        (1 << 6, " afn"),
    ];
    if flags.0 & 0xfe == 0xfe {
        return " fast".into();
    }
    NAMES.iter().filter(|(bit, _)| flags.0 & bit != 0).map(|(_, name)| *name).collect()
}

fn binary_flags(flags: BinaryFlags) -> String {
    let words = [
        (flags.no_unsigned_wrap, " nuw"),
        (flags.no_signed_wrap, " nsw"),
        (flags.exact, " exact"),
        (flags.disjoint, " disjoint"),
    ];
    let words: String = words.iter().filter(|(set, _)| *set).map(|(_, name)| *name).collect();
    words + &fast_math(flags.fast)
}

fn cast_flags(flags: CastFlags) -> String {
    let words =
        [(flags.non_negative, " nneg"), (flags.no_unsigned_wrap, " nuw"), (flags.no_signed_wrap, " nsw")];
    let words: String = words.iter().filter(|(set, _)| *set).map(|(_, name)| *name).collect();
    words + &fast_math(flags.fast)
}

fn align(align: Alignment) -> String {
    align.bytes().map_or_else(String::new, |bytes| format!(", align {bytes}"))
}

impl BodyDump<'_> {
    fn instruction(&self, id: InstructionId, instruction: &Instruction) -> String {
        let mut text = match instruction.result {
            Some(result) => format!("{} = ", self.slots.value(result)),
            None => String::new(),
        };
        text += &self.kind(&instruction.kind, instruction);
        if let Some(location) = instruction.location {
            text += &format!(" !dbg {}", nodes::location(self.body, self.body.location(location)));
        }
        for attachment in self.body.attachments_of(id) {
            let name = self.dump.module.metadata_kind_name(attachment.kind).unwrap_or("?");
            text += &format!(" !{name}");
        }
        text
    }

    fn label(&self, block: BlockId) -> String {
        format!("label {}", self.slots.block(block))
    }

    fn labels(&self, blocks: &[BlockId]) -> String {
        blocks.iter().map(|&block| self.label(block)).collect::<Vec<_>>().join(", ")
    }

    fn scope(&self, scope: SyncScope) -> String {
        match self.dump.module.sync_scope_name(scope) {
            Some("") | None => String::new(),
            Some(name) => format!(" syncscope(\"{name}\")"),
        }
    }

    fn access(&self, access: Access) -> String {
        match access.ordering {
            AtomicOrdering::NotAtomic => String::new(),
            other => format!("{} {}", self.scope(access.scope), ordering(other)),
        }
    }

    fn kind(&self, kind: &InstructionKind, instruction: &Instruction) -> String {
        let name = kind.opcode();
        let value = |id: ValueId| value(self, id);
        let typed = |id: ValueId| typed(self, id);
        let ty = |id| self.dump.ty(id);
        match *kind {
            InstructionKind::FloatNegate { value, fast } => {
                format!("{name}{} {}", fast_math(fast), typed(value))
            }
            InstructionKind::Binary { flags, left, right, .. } => {
                format!("{name}{} {}, {}", binary_flags(flags), typed(left), value(right))
            }
            InstructionKind::Cast { flags, value, source_type, .. } => {
                assert_eq!(source_type, self.body.value_type(value), "source types agree");
                format!("{name}{} {} to {}", cast_flags(flags), typed(value), ty(instruction.result_type))
            }
            InstructionKind::GetElementPointer { source_type, flags, base, indices } => {
                let mut text = format!("{name}{} {}, {}", gep_flags(flags), ty(source_type), typed(base));
                for &index in self.body.values(indices) {
                    text += &format!(", {}", typed(index));
                }
                // The type of the result does not show in the text; it must fit its uses, which the
                // printed types of other operands check.
                text
            }
            InstructionKind::ExtractValue { aggregate, indices } => {
                let indices: String =
                    self.body.indices(indices).iter().map(|index| format!(", {index}")).collect();
                format!("{name} {}{indices}", typed(aggregate))
            }
            InstructionKind::InsertValue { aggregate, element, indices } => {
                let indices: String =
                    self.body.indices(indices).iter().map(|index| format!(", {index}")).collect();
                format!("{name} {}, {}{indices}", typed(aggregate), typed(element))
            }
            InstructionKind::ExtractElement { vector, index } => {
                format!("{name} {}, {}", typed(vector), typed(index))
            }
            InstructionKind::InsertElement { vector, element, index } => {
                format!("{name} {}, {}, {}", typed(vector), typed(element), typed(index))
            }
            InstructionKind::ShuffleVector { left, right, mask } => {
                format!("{name} {}, {}, {}", typed(left), typed(right), typed(mask))
            }
            InstructionKind::Select { condition, if_true, if_false, fast } => {
                let fast = fast_math(fast);
                format!("{name}{fast} {}, {}, {}", typed(condition), typed(if_true), typed(if_false))
            }
            InstructionKind::Compare { predicate: op, flags, left, right, operand_type } => {
                assert_eq!(operand_type, self.body.value_type(left), "operand types agree");
                let same_sign = if flags.same_sign { " samesign" } else { "" };
                let fast = fast_math(flags.fast);
                format!("{name}{same_sign}{fast} {} {}, {}", predicate(op), typed(left), value(right))
            }
            InstructionKind::Freeze { value } => format!("{name} {}", typed(value)),
            InstructionKind::Phi { incoming, fast } => {
                let edges: Vec<_> = self
                    .body
                    .incoming(incoming)
                    .iter()
                    .map(|edge| format!("[ {}, {} ]", value(edge.value), self.slots.block(edge.block)))
                    .collect();
                format!("{name}{} {} {}", fast_math(fast), ty(instruction.result_type), edges.join(", "))
            }
            InstructionKind::Alloca { allocated_type, count, align: alignment, flags } => {
                let in_alloca = if flags.in_alloca { "inalloca " } else { "" };
                let one = self.body.constant(count) == Some(&Constant::Integer(1));
                let int = *self.dump.module.ty(self.body.value_type(count)) == (Type::Integer { bits: 32 });
                let count = if one && int { String::new() } else { format!(", {}", typed(count)) };
                let space = match self.dump.module.ty(instruction.result_type) {
                    Type::Pointer { address_space: space @ 1.., .. } => format!(", addrspace({space})"),
                    _ => String::new(),
                };
                format!("{name} {in_alloca}{}{count}{}{space}", ty(allocated_type), align(alignment))
            }
            InstructionKind::Load { pointer, align: alignment, access } => {
                let atomic = if access.ordering == AtomicOrdering::NotAtomic { "" } else { " atomic" };
                let volatile = if access.volatile { " volatile" } else { "" };
                let result = ty(instruction.result_type);
                let (access, align) = (self.access(access), align(alignment));
                format!("{name}{atomic}{volatile} {result}, {}{access}{align}", typed(pointer))
            }
            InstructionKind::Store { pointer, value, value_type, align: alignment, access } => {
                assert_eq!(value_type, self.body.value_type(value), "value types agree");
                let atomic = if access.ordering == AtomicOrdering::NotAtomic { "" } else { " atomic" };
                let volatile = if access.volatile { " volatile" } else { "" };
                let (access, align) = (self.access(access), align(alignment));
                format!("{name}{atomic}{volatile} {}, {}{access}{align}", typed(value), typed(pointer))
            }
            InstructionKind::CompareExchange {
                pointer,
                expected,
                replacement,
                align: alignment,
                success,
                failure,
                weak,
                ..
            } => {
                let weak = if weak { " weak" } else { "" };
                let volatile = if success.volatile { " volatile" } else { "" };
                format!(
                    "{name}{weak}{volatile} {}, {}, {}{} {}{}",
                    typed(pointer),
                    typed(expected),
                    typed(replacement),
                    self.access(success),
                    ordering(failure),
                    align(alignment)
                )
            }
            InstructionKind::AtomicUpdate { op, pointer, value, align: alignment, access, .. } => {
                let volatile = if access.volatile { " volatile" } else { "" };
                let (access, align) = (self.access(access), align(alignment));
                format!(
                    "{name}{volatile} {} {}, {}{access}{align}",
                    atomic_op(op),
                    typed(pointer),
                    typed(value)
                )
            }
            InstructionKind::Fence { ordering: order, scope } => {
                format!("{name}{} {}", self.scope(scope), ordering(order))
            }
            InstructionKind::VaArg { list } => {
                format!("{name} {}, {}", typed(list), ty(instruction.result_type))
            }
            InstructionKind::Call { call, tail, fast } => {
                let tail = match tail {
                    TailKind::None => "",
                    TailKind::Tail => "tail ",
                    TailKind::MustTail => "musttail ",
                    TailKind::NoTail => "notail ",
                };
                format!("{tail}{name}{} {}", fast_math(fast), self.call(call))
            }
            InstructionKind::Invoke { call, normal, unwind } => {
                format!("{name} {} to {} unwind {}", self.call(call), self.label(normal), self.label(unwind))
            }
            InstructionKind::CallBranch { call, fallthrough, indirect } => {
                let indirect = self.labels(self.body.targets(indirect));
                format!("{name} {} to {} [{indirect}]", self.call(call), self.label(fallthrough))
            }
            InstructionKind::Return { value: None } => format!("{name} void"),
            InstructionKind::Return { value: Some(value) } => format!("{name} {}", typed(value)),
            InstructionKind::Branch { target } => format!("{name} {}", self.label(target)),
            InstructionKind::ConditionalBranch { condition, if_true, if_false } => {
                format!("{name} {}, {}, {}", typed(condition), self.label(if_true), self.label(if_false))
            }
            InstructionKind::Switch { condition, default, cases, .. } => {
                let mut text = format!("{name} {}, {} [", typed(condition), self.label(default));
                for case in self.body.cases(cases) {
                    text += &format!(" {}, {}", typed(case.value), self.label(case.target));
                }
                text + " ]"
            }
            InstructionKind::IndirectBranch { address, targets } => {
                format!("{name} {}, [{}]", typed(address), self.labels(self.body.targets(targets)))
            }
            InstructionKind::Unreachable => name.into(),
            InstructionKind::LandingPad { cleanup, clauses } => {
                let mut text = format!("{name} {}", ty(instruction.result_type));
                text += if cleanup { " cleanup" } else { "" };
                for clause in self.body.clauses(clauses) {
                    text += &match clause {
                        LandingClause::Catch(value) => format!(" catch {}", typed(*value)),
                        LandingClause::Filter(value) => format!(" filter {}", typed(*value)),
                    };
                }
                text
            }
            InstructionKind::Resume { value } => format!("{name} {}", typed(value)),
            InstructionKind::CatchSwitch { parent, handlers, unwind } => {
                let handlers = self.labels(self.body.targets(handlers));
                format!("{name} within {} [{handlers}] unwind {}", value(parent), self.unwind(unwind))
            }
            InstructionKind::CatchPad { parent, arguments }
            | InstructionKind::CleanupPad { parent, arguments } => {
                let inner: Vec<_> = self
                    .body
                    .operands(arguments)
                    .iter()
                    .map(|operand| self.operand(*operand, None))
                    .collect();
                format!("{name} within {} [{}]", value(parent), inner.join(", "))
            }
            InstructionKind::CatchReturn { pad, target } => {
                format!("{name} from {} to {}", value(pad), self.label(target))
            }
            InstructionKind::CleanupReturn { pad, unwind } => {
                format!("{name} from {} unwind {}", value(pad), self.unwind(unwind))
            }
        }
    }

    fn unwind(&self, block: Option<BlockId>) -> String {
        block.map_or_else(|| "to caller".into(), |block| self.label(block))
    }

    fn call(&self, call: CallSite) -> String {
        let Type::Function { result, parameters, varargs } = self.dump.module.ty(call.function_type) else {
            unreachable!("calls have function types");
        };
        let ty = self.dump.ty(if *varargs { call.function_type } else { *result });
        let arguments = self.body.operands(call.arguments);
        let inner: Vec<_> = arguments
            .iter()
            .enumerate()
            .map(|(position, operand)| self.operand(*operand, parameters.get(position).copied()))
            .collect();
        let mut text = format!(
            "{}{ty} {}({})",
            convention(call.calling_convention),
            value(self, call.callee),
            inner.join(", ")
        );
        let bundles: Vec<_> = self
            .body
            .bundles(call.bundles)
            .iter()
            .map(|bundle| {
                let inner: Vec<_> = self
                    .body
                    .operands(bundle.operands)
                    .iter()
                    .map(|operand| self.operand(*operand, None))
                    .collect();
                let tag = self.dump.module.bundle_tag_name(bundle.tag).unwrap_or("?");
                format!("\"{tag}\"({})", inner.join(", "))
            })
            .collect();
        if !bundles.is_empty() {
            text += &format!(" [ {} ]", bundles.join(", "));
        }
        text
    }

    fn operand(&self, operand: Operand, parameter: Option<watertight_frontend::bitcode::TypeId>) -> String {
        match operand {
            Operand::Value(id) => {
                let own = self.body.value_type(id);
                assert_eq!(parameter.unwrap_or(own), own, "arguments have the types of parameters");
                typed(self, id)
            }
            Operand::Metadata(id) => format!("metadata {}", nodes::operand(self, id)),
            Operand::Block(block) => self.label(block),
        }
    }

    fn debug_record(&self, record: &DebugRecord) -> String {
        let node = |id| nodes::operand(self, id);
        let debug_value = |value: DebugValue| match value {
            DebugValue::Value(id) => typed(self, id),
            DebugValue::Metadata(id) => nodes::operand(self, id),
        };
        let (name, inner) = match record.kind {
            DebugRecordKind::Declare { variable, expression, address } => {
                ("declare", vec![debug_value(address), node(variable), node(expression)])
            }
            DebugRecordKind::Value { variable, expression, value } => {
                ("value", vec![debug_value(value), node(variable), node(expression)])
            }
            DebugRecordKind::DeclareValue { variable, expression, value } => {
                ("declare_value", vec![debug_value(value), node(variable), node(expression)])
            }
            DebugRecordKind::Assign { variable, expression, value, id, address_expression, address } => (
                "assign",
                vec![
                    debug_value(value),
                    node(variable),
                    node(expression),
                    node(id),
                    debug_value(address),
                    node(address_expression),
                ],
            ),
            DebugRecordKind::Label { label } => ("label", vec![node(label)]),
        };
        format!("#dbg_{name}({}, {})", inner.join(", "), node(record.location))
    }
}
