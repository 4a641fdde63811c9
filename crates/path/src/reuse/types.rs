//! What a C type is, as a hash: equal for types that look the same however far they are followed.
//!
//! Types are a graph with circles (`struct node` has a pointer to `struct node`). Components of that graph are taken
//! bottom-up. In a component each type is first hashed with what it is made of, then again with the hashes of those it
//! leads to, until that tells no more of them apart; and then with all hashes of the component, so that a change
//! anywhere in it changes every one of its types.
//!
//! In: the debug information of a unit. Out: a hash for each of its types.

use crate::reuse::words::Words;
use watertight_ir::{DebugInfo, DebugType, DebugTypeId, Id, NameId, Table, scc};

pub(crate) type TypeDigest = [u8; 16];

/// The hashes of all types of a unit.
pub(crate) fn digests(debug: &DebugInfo) -> Table<DebugTypeId, TypeDigest> {
    let led_to: Vec<Vec<DebugTypeId>> = debug.types.values().map(|ty| leads_to(debug, ty)).collect();
    let components = scc::components(debug.types.len(), |ty: DebugTypeId| &led_to[ty.index()][..]);
    let mut digests: Table<DebugTypeId, TypeDigest> = Table::filled(debug.types.len(), [0; 16]);
    let mut words = Words::default();
    for members in components.iter() {
        let circle = members.len() > 1 || led_to[members[0].index()].contains(&members[0]);
        if !circle {
            digests[members[0]] = one(debug, members[0], &digests, &mut words);
            continue;
        }
        let mut classes = 0;
        loop {
            let next: Vec<TypeDigest> =
                members.iter().map(|&ty| one(debug, ty, &digests, &mut words)).collect();
            for (&ty, digest) in members.iter().zip(&next) {
                digests[ty] = *digest;
            }
            let found = distinct(next);
            if found.len() <= classes {
                words.0.clear();
                found.iter().for_each(|digest| words.0.extend_from_slice(digest));
                let all = words.digest();
                for &ty in members {
                    words.0.clear();
                    words.0.extend_from_slice(&digests[ty]);
                    words.0.extend_from_slice(&all);
                    digests[ty] = short(&words);
                }
                break;
            }
            classes = found.len();
        }
    }
    digests
}

fn distinct(mut digests: Vec<TypeDigest>) -> Vec<TypeDigest> {
    digests.sort_unstable();
    digests.dedup();
    digests
}

fn short(words: &Words) -> TypeDigest {
    let mut short = [0; 16];
    short.copy_from_slice(&words.digest()[..16]);
    short
}

fn leads_to(debug: &DebugInfo, ty: &DebugType) -> Vec<DebugTypeId> {
    let known = |ty: &Option<DebugTypeId>| ty.filter(|ty| ty.index() < debug.types.len());
    match ty {
        DebugType::Opaque | DebugType::Base { .. } | DebugType::Enum { .. } => Vec::new(),
        DebugType::Pointer { to: of }
        | DebugType::Qualified { of, .. }
        | DebugType::Typedef { of, .. }
        | DebugType::Array { of, .. } => known(of).into_iter().collect(),
        DebugType::Record(record) => record.members.iter().filter_map(|member| known(&member.ty)).collect(),
        DebugType::Function { result, params, .. } => {
            known(result).into_iter().chain(params.iter().filter_map(known)).collect()
        }
    }
}

/// A type with the present hashes of what it leads to.
fn one(
    debug: &DebugInfo,
    ty: DebugTypeId,
    digests: &Table<DebugTypeId, TypeDigest>,
    words: &mut Words,
) -> TypeDigest {
    words.0.clear();
    let other = |words: &mut Words, ty: Option<DebugTypeId>| match ty.and_then(|ty| digests.get(ty)) {
        Some(digest) => words.0.extend_from_slice(digest),
        None => words.byte(0),
    };
    let name = |words: &mut Words, name: NameId| {
        words.text(if name.index() < debug.names.len() { debug.names.get(name) } else { "" });
    };
    match &debug.types[ty] {
        DebugType::Opaque => words.byte(0),
        DebugType::Base { name: id, bits, encoding } => {
            words.byte(1);
            name(words, *id);
            words.number(*bits);
            words.byte(*encoding as u8);
        }
        DebugType::Pointer { to } => {
            words.byte(2);
            other(words, *to);
        }
        DebugType::Qualified { qualifier, of } => {
            words.byte(3);
            words.byte(*qualifier as u8);
            other(words, *of);
        }
        DebugType::Typedef { name: id, of } => {
            words.byte(4);
            name(words, *id);
            other(words, *of);
        }
        DebugType::Record(record) => {
            words.byte(5);
            words.byte(record.kind as u8);
            words.flag(record.name.is_some());
            record.name.iter().for_each(|&id| name(words, id));
            words.number(record.bytes);
            words.count(record.members.len());
            for member in &record.members {
                words.flag(member.name.is_some());
                member.name.iter().for_each(|&id| name(words, id));
                words.number(member.offset_bits);
                words.number(member.bits);
                words.flag(member.bit_field);
                other(words, member.ty);
            }
        }
        DebugType::Array { of, counts } => {
            words.byte(6);
            other(words, *of);
            words.count(counts.len());
            counts.iter().for_each(|&count| words.maybe(count));
        }
        DebugType::Enum { name: id, bits, values } => {
            words.byte(7);
            words.flag(id.is_some());
            id.iter().for_each(|&id| name(words, id));
            words.number(*bits);
            words.count(values.len());
            for &(id, value) in values {
                name(words, id);
                words.signed(value);
            }
        }
        DebugType::Function { result, params, variadic } => {
            words.byte(8);
            other(words, *result);
            words.count(params.len());
            params.iter().for_each(|&param| other(words, param));
            words.flag(*variadic);
        }
    }
    short(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use watertight_ir::{Encoding, Member, Record, RecordKind};

    /// Two structs that lead to each other and to themselves, in a given order, with given names of members.
    fn circle(names: [&str; 2], swapped: bool) -> (DebugInfo, DebugTypeId) {
        let mut debug = DebugInfo::default();
        if swapped {
            let name = debug.names.intern("unrelated");
            debug.types.push(DebugType::Base { name, bits: 8, encoding: Encoding::Unsigned });
        }
        let base = debug.types.len();
        let id = |offset: usize| DebugTypeId::new(base + offset);
        for (record, targets) in [("a", [2, 3]), ("b", [3, 2])] {
            let member = |debug: &mut DebugInfo, name: &str, target: usize| Member {
                name: Some(debug.names.intern(name)),
                offset_bits: 0,
                bits: 64,
                ty: Some(id(target)),
                bit_field: false,
            };
            let members =
                [member(&mut debug, names[0], targets[0]), member(&mut debug, names[1], targets[1])];
            let name = Some(debug.names.intern(record));
            debug.types.push(DebugType::Record(Record {
                kind: RecordKind::Struct,
                name,
                bytes: 16,
                members: Box::new(members),
            }));
        }
        debug.types.push(DebugType::Pointer { to: Some(id(0)) });
        debug.types.push(DebugType::Pointer { to: Some(id(1)) });
        (debug, id(0))
    }

    #[test]
    fn circles_are_told_apart_by_what_they_lead_to_and_not_by_numbers() {
        let of = |(debug, ty): (DebugInfo, DebugTypeId)| digests(&debug)[ty];
        let first = of(circle(["next", "other"], false));
        assert_eq!(first, of(circle(["next", "other"], true)));
        assert_ne!(first, of(circle(["next", "renamed"], false)));
        // The members change places: every piece looks as before, only what leads where is different.
        let (mut debug, ty) = circle(["next", "other"], false);
        if let DebugType::Record(record) = &mut debug.types[ty] {
            let (left, right) = (record.members[0].ty, record.members[1].ty);
            record.members[0].ty = right;
            record.members[1].ty = left;
        }
        assert_ne!(first, of((debug, ty)));
    }
}
