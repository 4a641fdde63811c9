//! Names for objects and places in them, as people know them from the source.

use crate::PointsTo;
use crate::layout::TypeRef;
use crate::object::{ObjectId, Origin};
use watertight_ir::callgraph::callee_name;
use watertight_ir::{DebugType, DebugTypeId, FuncId, InstId, Op, Program, ctype};

/// Members inside each other that are named.
const DEEPEST: usize = 8;

impl PointsTo<'_> {
    /// What an object is, in words.
    pub fn name(&self, program: &Program, object: ObjectId) -> String {
        let data = self.object(object);
        let ty = |ty: TypeRef| ctype::name(&program.units[ty.unit].debug, Some(ty.ty));
        let function = |id: FuncId| &program.functions[id].name;
        let name = match data.origin {
            Origin::Constants => "text".to_owned(),
            Origin::Function(id) => format!("function `{}`", function(id)),
            Origin::Global(id) => format!("`{}`", program.globals[id].name),
            Origin::Stack(id, inst) => match variable(program, id, inst) {
                Some(name) => format!("`{name}` of `{}`", function(id)),
                None => format!("a variable of `{}`", function(id)),
            },
            Origin::Heap(id, inst, _) => {
                let by = callee_name(program, id, inst).map_or(String::new(), |name| format!(" by `{name}`"));
                format!("block acquired{by} in `{}`{}", function(id), at(program, id, inst))
            }
            Origin::Parameter(id, index) => format!("argument {} of `{}`", index + 1, function(id)),
            Origin::Rest(id) => format!("variable arguments of `{}`", function(id)),
            Origin::Outside(record) => format!("{} from outside", ty(record)),
            Origin::Merged(seen) => return format!("blocks that are seen as {}", ty(seen)),
            Origin::Hub => return "anything that pointers without a type lead to".to_owned(),
            Origin::World => "memory of the outside world".to_owned(),
            Origin::Copy(_) => "bytes that are copied".to_owned(),
        };
        match (data.view, data.ty) {
            (Some(_), Some(seen)) => format!("{name}, seen as {}", ty(seen)),
            _ => name,
        }
    }

    /// The member at an offset of an object: `.next`, `+ 12` where none begins, nothing at its beginning.
    pub fn member(&self, program: &Program, object: ObjectId, offset: i64) -> String {
        let plain = || if offset == 0 { String::new() } else { format!(" + {offset}") };
        let Some(ty) = self.object(object).ty else { return plain() };
        let mut text = String::new();
        let (mut at, mut rest) = (Some(ty.ty), offset);
        let debug = &program.units[ty.unit].debug;
        for _ in 0..DEEPEST {
            let Some(stripped) = ctype::strip(debug, at) else { break };
            match &debug.types[stripped] {
                DebugType::Record(record) => {
                    let inside =
                        |start: i64, bits: u64| rest >= start && rest < start + bits.div_ceil(8) as i64;
                    let found = record
                        .members
                        .iter()
                        .find(|member| inside((member.offset_bits / 8) as i64, member.bits));
                    let Some(member) = found else { break };
                    if let Some(name) = member.name {
                        text.push('.');
                        text.push_str(debug.names.get(name));
                    }
                    rest -= (member.offset_bits / 8) as i64;
                    at = member.ty;
                }
                DebugType::Array { of, .. } => {
                    let bits = program.target.pointer_bits;
                    let Some(size) = ctype::size(debug, *of, bits).filter(|&size| size > 0) else { break };
                    text.push_str("[]");
                    rest %= size as i64;
                    at = *of;
                }
                _ => break,
            }
        }
        if rest != 0 {
            return plain();
        }
        // The first member begins where the whole does.
        if offset == 0 { String::new() } else { text }
    }
}

/// The offset and type of a member of a record, through anonymous members.
pub(crate) fn member_named(program: &Program, ty: TypeRef, name: &str) -> Option<(i64, Option<DebugTypeId>)> {
    let debug = &program.units[ty.unit].debug;
    let DebugType::Record(record) = ctype::described(debug, Some(ty.ty))? else { return None };
    record.members.iter().find_map(|member| {
        let start = (member.offset_bits / 8) as i64;
        match member.name {
            Some(own) => (debug.names.get(own) == name).then_some((start, member.ty)),
            None => {
                let inner = TypeRef { unit: ty.unit, ty: member.ty? };
                member_named(program, inner, name).map(|(offset, found)| (start + offset, found))
            }
        }
    })
}

/// The names of the members of a record.
pub(crate) fn members(program: &Program, ty: TypeRef) -> Vec<String> {
    let debug = &program.units[ty.unit].debug;
    match ctype::described(debug, Some(ty.ty)) {
        Some(DebugType::Record(record)) => {
            let names = record.members.iter().filter_map(|member| member.name);
            names.map(|name| debug.names.get(name).to_owned()).collect()
        }
        _ => Vec::new(),
    }
}

fn variable(program: &Program, function: FuncId, inst: InstId) -> Option<&str> {
    let body = program.functions[function].body.as_ref()?;
    let home = body.insts[inst].result.filter(|_| matches!(body.insts[inst].op, Op::Stack { .. }))?;
    let found = body.variables.values().find(|variable| variable.home == Some(home))?;
    Some(program.units[program.functions[function].unit].debug.names.get(found.name))
}

/// Where an instruction is, in brackets.
pub(crate) fn at(program: &Program, function: FuncId, inst: InstId) -> String {
    match place(program, function, inst) {
        Some((file, line)) => format!(" ({}:{line})", file.rsplit('/').next().unwrap_or(file)),
        None => String::new(),
    }
}

pub(crate) fn place(program: &Program, function: FuncId, inst: InstId) -> Option<(&str, u32)> {
    let function = &program.functions[function];
    let body = function.body.as_ref()?;
    let place = body.places[body.insts[inst].place?];
    let file = program.units[function.unit].debug.files.get(place.file)?;
    (place.line != 0).then_some((file, place.line))
}
