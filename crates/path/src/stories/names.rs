//! What people call the place that holds an object: `copy`, `s->name`, `record.name.text`.
//!
//! In: an object that a call acquires. Out: the variable or member that gets it first, in the words of the source. A
//! call may hand it out as its result, through an address that it is given, or inside a struct; a variable that gets
//! something else from the same call does not hold it.

use crate::machine::memory::{ObjectId, Origin, Site};
use crate::machine::state::State;
use crate::machine::value::Sym;
use watertight_finding::named_global;
use watertight_ir::spell::Speller;
use watertight_ir::{Callee, Def, GlobalId, InstId, Op, Type, ValueId};

/// What the source calls the place that an object is put in when it is acquired.
pub(crate) fn holder(state: &State<'_>, site: &Site, object: ObjectId) -> Option<String> {
    written_to(state, site, object).or_else(|| result_in(state, site, object))
}

/// The variable that a call was given the address of, to put the object there.
fn written_to(state: &State<'_>, site: &Site, object: ObjectId) -> Option<String> {
    let Op::Call(call) = &state.body.insts[site.inst].op else { return None };
    let speller = Speller::new(state.context.program, state.id)?;
    let pointer = u64::from(state.context.program.target.pointer_bits / 8);
    call.args.iter().find_map(|&arg| {
        let Def::Inst(inst) = state.body.values[arg].def else { return None };
        let home = match state.body.insts[inst].op {
            Op::Offset { base, .. } => base,
            _ => arg,
        };
        let Def::Inst(home_inst) = state.body.values[home].def else { return None };
        let mut variables = state.objects.values().filter(|data| data.origin == Origin::Stack(home_inst));
        let cell = variables.find_map(|data| {
            data.cells.iter().find(|cell| cell.leaves.iter().any(|entry| entry.1.leads_to(object)))
        })?;
        let ty = if cell.bytes == pointer { Type::Ptr } else { Type::Int(cell.bytes as u32 * 8) };
        speller.object_at(home, cell.offset, ty).map(|spelling| spelling.text)
    })
}

/// The place that gets the result of a call, if the result is the object or leads to it.
fn result_in(state: &State<'_>, site: &Site, object: ObjectId) -> Option<String> {
    let result = state.body.insts[site.inst].result?;
    if !state.values[result].iter().any(|entry| entry.1.leads_to(object)) {
        return None;
    }
    let speller = Speller::new(state.context.program, state.id)?;
    // The parts of a struct are taken out one by one, and one of them is the object.
    let parts = state.body.insts.values().filter_map(|inst| match inst.op {
        Op::Extract { aggregate, .. } if aggregate == result => inst.result,
        _ => None,
    });
    let part = |&value: &ValueId| state.values[value].iter().any(|entry| entry.1.leads_to(object));
    let values: Vec<ValueId> = [result].into_iter().chain(parts.filter(part)).collect();
    for block in state.body.blocks.values() {
        for &inst in &block.insts {
            match &state.body.insts[inst].op {
                Op::Name { variable, value } if values.contains(value) => {
                    return speller.held(*variable, state.body.ty(*value)).map(|spelling| spelling.text);
                }
                Op::Store { addr, value, .. } if values.contains(value) => {
                    let (bytes, ty) = part_of(state, *value, object);
                    return speller.object_at(*addr, bytes, ty).map(|spelling| spelling.text);
                }
                _ => {}
            }
        }
    }
    None
}

/// Where in a value the object is, and of which type.
fn part_of(state: &State<'_>, value: ValueId, object: ObjectId) -> (i64, Type) {
    let ty = state.body.ty(value);
    let Type::Agg(id) = ty else { return (0, ty) };
    let parts = &state.context.program.aggregates[id].parts;
    let found = state.values[value].iter().find_map(|entry| match &entry.1 {
        Sym::Parts(syms) => syms.iter().position(|part| part.leads_to(object)),
        _ => None,
    });
    match found.and_then(|index| parts.get(index)) {
        Some(&(bytes, ty)) => (bytes as i64, ty),
        None => (0, ty),
    }
}

/// What people call a global.
pub(crate) fn global_name(state: &State<'_>, global: GlobalId) -> String {
    named_global(&state.context.program.globals[global].name)
}

/// The function that an instruction calls.
pub(crate) fn called_by(state: &State<'_>, inst: InstId) -> Option<String> {
    let Op::Call(call) = &state.body.insts[inst].op else { return None };
    match call.callee {
        Callee::Direct(id) => Some(state.context.program.functions[id].name.to_string()),
        Callee::Pointer(_) => None,
    }
}

/// The argument of a call that an object is given to, in the words of the source.
pub(crate) fn argument(state: &State<'_>, inst: InstId, object: ObjectId) -> Option<String> {
    let Op::Call(call) = &state.body.insts[inst].op else { return None };
    let speller = Speller::new(state.context.program, state.id)?;
    let gives = |value: ValueId| match state.body.values[value].def {
        Def::Inst(_) => state.values[value].iter().any(|entry| entry.1.leads_to(object)),
        _ => state.fixed[value].as_ref().is_some_and(|sym| sym.leads_to(object)),
    };
    call.args.iter().find_map(|&arg| speller.value(arg).filter(|_| gives(arg)).map(|spelling| spelling.text))
}
