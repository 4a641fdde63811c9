//! Where the types of a program have room for the address of one kind of node.
//!
//! In: the name and size of a structure type. Out: every member of a structure and every variable of the program that may hold the address of
//! one, also in arrays and by way of other addresses. It says who may have a node beside the container that it is taken out of.

use crate::facts::types::{Field, identity};
use crate::limits::HOLDER_DEPTH;
use watertight_ir::{DebugInfo, DebugType, DebugTypeId, Program, RecordKind, SourceType, UnitId, ctype};

/// The places for one kind of node.
#[derive(Default)]
pub(super) struct Holders {
    /// Links from one node to another.
    links: Vec<Field>,
    /// Places in structures of another type, and variables.
    outside: Vec<Field>,
    /// There are places without a name.
    unnamed: bool,
}

impl Holders {
    /// All places for nodes of a type.
    pub(super) fn of(program: &Program, wanted: &(Box<str>, u64)) -> Holders {
        let mut holders = Holders::default();
        for (unit, data) in program.units.iter() {
            for (ty, described) in data.debug.types.iter() {
                let DebugType::Record(record) = described else { continue };
                let own = identity(program, SourceType { unit, ty });
                for member in &record.members {
                    if !leads_to(program, unit, member.ty, wanted) {
                        continue;
                    }
                    let offset = (member.offset_bits / 8) as i64;
                    let name = member.name.map_or("", |name| data.debug.names.get(name));
                    if record.kind == RecordKind::Union {
                        holders.unnamed = true;
                        continue;
                    }
                    // A structure without a name is part of those that have a member of its type, as macros for lists declare it.
                    let around = match &own {
                        Some(own) => vec![(own.clone(), 0)],
                        None => around(program, unit, ty),
                    };
                    holders.unnamed |= around.is_empty();
                    for (own, start) in around {
                        let list = if own == *wanted { &mut holders.links } else { &mut holders.outside };
                        let field = Field::new(own, start + offset, name);
                        if !list.contains(&field) {
                            list.push(field);
                        }
                    }
                }
            }
        }
        for (global, data) in program.globals.iter() {
            if leads_to(program, data.unit, data.debug_type, wanted) {
                match Field::variable(program, global).or_else(|| Field::each_in_variable(program, global)) {
                    Some(field) => holders.outside.push(field),
                    None => holders.unnamed = true,
                }
            }
        }
        holders
    }

    /// Whether there is but one way to a node: from the one place for the first, along the one link.
    pub(super) fn is_one_way(&self) -> bool {
        self.links.len() == 1 && self.outside.len() == 1
    }

    /// Whether a place lies outside of the nodes.
    pub(super) fn is_outside(&self, field: &Field) -> bool {
        self.outside.contains(field)
    }

    /// All of them.
    pub(super) fn all(&self) -> impl Iterator<Item = &Field> {
        self.links.iter().chain(&self.outside)
    }

    /// Whether nodes are held by one kind of container and by each other alone.
    pub(super) fn is_one_container(&self) -> bool {
        !self.unnamed && self.outside.windows(2).all(|pair| pair[0].is_beside(&pair[1]))
    }
}

/// The structures with a name that have a member of a type, and where.
fn around(program: &Program, unit: UnitId, inner: DebugTypeId) -> Vec<((Box<str>, u64), i64)> {
    let debug = &program.units[unit].debug;
    let mut found = Vec::new();
    for (ty, described) in debug.types.iter() {
        let DebugType::Record(record) = described else { continue };
        let Some(own) = identity(program, SourceType { unit, ty }) else { continue };
        let members = record.members.iter().filter(|member| ctype::strip(debug, member.ty) == Some(inner));
        found.extend(members.map(|member| (own.clone(), (member.offset_bits / 8) as i64)));
    }
    found
}

/// Whether something of a type is the address of a node, or leads to some.
fn leads_to(program: &Program, unit: UnitId, ty: Option<DebugTypeId>, wanted: &(Box<str>, u64)) -> bool {
    let debug: &DebugInfo = &program.units[unit].debug;
    let mut ty = ty;
    let mut pointer = false;
    for _ in 0..HOLDER_DEPTH {
        match ctype::described(debug, ty) {
            Some(DebugType::Pointer { to }) => (ty, pointer) = (*to, true),
            Some(DebugType::Array { of, .. }) => ty = *of,
            Some(DebugType::Record(_)) if pointer => {
                return ty
                    .is_some_and(|ty| identity(program, SourceType { unit, ty }).as_ref() == Some(wanted));
            }
            _ => return false,
        }
    }
    false
}
