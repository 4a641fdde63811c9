//! Code out of sight that a program calls: functions that are only declared, and pointers in variables and members of
//! which it is not known what they hold.

use crate::facts::targets::Targets;
use watertight_ir::callgraph::direct_callee;
use watertight_ir::spell::Speller;
use watertight_ir::{
    Body, Call, Callee, Const, DebugType, Def, FuncId, GlobalId, InstId, Op, Program, ValueId, ctype,
};
use watertight_summary::model::Models;

/// Who is called, without a body and without a model.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) enum Source {
    Function(FuncId),
    /// A pointer in a variable.
    Variable(GlobalId, i64),
    /// A pointer in a member of some object of a structure type: the type, the offset and the name of the member.
    Member(Box<str>, i64, Box<str>),
}

impl Source {
    /// Who is called by an instruction, if it is out of sight.
    pub(super) fn of(
        program: &Program,
        library: &Models,
        targets: &Targets,
        caller: FuncId,
        body: &Body,
        inst: InstId,
        call: &Call,
    ) -> Option<Source> {
        if let Some(function) = direct_callee(body, call) {
            let callee = &program.functions[function];
            let unknown = callee.body.is_none()
                && !library.functions.contains_key(&callee.name)
                && !library.properties.mentions(&callee.name)
                && !callee.attrs.no_return
                && !callee.attrs.no_memory;
            return unknown.then_some(Source::Function(function));
        }
        let Callee::Pointer(pointer) = call.callee else { return None };
        if targets.of_call(caller, inst).is_some_and(|held| !held.functions.is_empty()) {
            return None;
        }
        let Some(Op::Load { addr, .. }) = body.def_op(pointer) else { return None };
        let (base, offset) = base(body, *addr);
        if let Some(Const::Global { global, offset: inside }) = body.constant(base) {
            return Some(Source::Variable(*global, inside + offset));
        }
        let spelled = Speller::new(program, caller)?.value(base)?;
        let ty = spelled.ty?;
        let debug = &program.units[ty.unit].debug;
        let pointee = ctype::pointee(debug, Some(ty.ty))?;
        let DebugType::Record(record) = ctype::described(debug, pointee)? else { return None };
        let bits = u64::try_from(offset).ok()?.checked_mul(8)?;
        let member = record.members.iter().find(|member| member.offset_bits == bits)?;
        let name = debug.names.get(member.name?);
        let plain = ctype::strip(debug, pointee);
        Some(Source::Member(ctype::name(debug, plain).into(), offset, name.into()))
    }

    /// Whether both are members of one structure: a table of operations.
    pub(super) fn is_beside(&self, other: &Source) -> bool {
        match (self, other) {
            (Source::Member(one, ..), Source::Member(two, ..)) => one == two,
            _ => false,
        }
    }

    /// What the source of the program calls it.
    pub(super) fn name<'s>(&'s self, program: &'s Program) -> &'s str {
        match self {
            Source::Function(function) => &program.functions[*function].name,
            Source::Variable(global, _) => &program.globals[*global].name,
            Source::Member(_, _, name) => name,
        }
    }
}

/// The value that an address is formed from, and how far it lies behind it.
fn base(body: &Body, addr: ValueId) -> (ValueId, i64) {
    let (mut base, mut offset) = (addr, 0i64);
    while let Def::Inst(inst) = body.values[base].def
        && let Op::Offset { base: inner, bytes } = body.insts[inst].op
    {
        (base, offset) = (inner, offset.wrapping_add(bytes));
    }
    (base, offset)
}
