//! Annotations about locks, read from the source text.
//!
//! In: a program, whose debug information names the files that its functions are written in and those they include. Out:
//! for each function with a body what its definition or a declaration in a header promises. The macros of sparse expand to
//! nothing and Clang drops the attributes, so bitcode knows nothing of them; a scan of the text finds both without
//! a preprocessor, because they are called the same everywhere. Files that cannot be read any more are passed over.

mod scan;
mod words;

use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use watertight_ir::{FuncId, Linkage, Program};
use watertight_summary::annotation::Claims;

/// Files longer than this are made by programs.
const LONGEST_FILE: u64 = 4 << 20;

/// What annotations promise of the functions of a program.
pub(crate) fn read(program: &Program) -> BTreeMap<FuncId, Claims> {
    let mut files: Vec<&str> =
        program.units.values().flat_map(|unit| unit.debug.files.values()).map(|file| &**file).collect();
    files.sort_unstable();
    files.dedup();
    let scanned: Vec<(&str, Vec<scan::Annotated>)> = files
        .into_par_iter()
        .filter_map(|file| {
            let text = text_of(file)?;
            let mut found = if words::may_be_in(&text) { scan::scan(&text) } else { Vec::new() };
            found.iter_mut().flat_map(|one| &mut one.claims.all).for_each(|claim| claim.file = file.into());
            (!found.is_empty()).then_some((file, found))
        })
        .collect();
    let mut defined: BTreeMap<(&str, &str), &Claims> = BTreeMap::new();
    let mut declared: BTreeMap<&str, (&str, &Claims)> = BTreeMap::new();
    let mut disputed: BTreeSet<&str> = BTreeSet::new();
    for (file, found) in &scanned {
        for one in found {
            let other = match one.defined {
                // A name that is defined twice in a file is so under conditions, of which nothing is known here.
                true => defined.insert((*file, &*one.name), &one.claims).is_some(),
                false => declared
                    .insert(&*one.name, (*file, &one.claims))
                    .is_some_and(|known| known.1.all != one.claims.all),
            };
            if other {
                disputed.insert(&*one.name);
            }
        }
    }
    let mut claims = BTreeMap::new();
    let mut elsewhere: BTreeMap<&str, Vec<(FuncId, &str)>> = BTreeMap::new();
    for (id, function) in program.functions.iter() {
        let Some(place) = function.place.and_then(|place| program.source_place(id, place)) else { continue };
        let name = &*function.name;
        if disputed.contains(name) {
            continue;
        }
        if let Some(&found) = defined.get(&(place.file, name)) {
            claims.insert(id, found.clone());
        } else if let Some(&(file, found)) = declared.get(name)
            && (function.linkage != Linkage::Internal || file == place.file)
        {
            claims.insert(id, found.clone());
            elsewhere.entry(place.file).or_default().push((id, name));
        }
    }
    // What is promised in one place is done in another, where the names of locks are.
    for (file, functions) in elsewhere {
        let Some(text) = text_of(file) else { continue };
        let bodies = scan::bodies(&text);
        for (id, name) in functions {
            if let (Some(claims), Some(body)) = (claims.get_mut(&id), bodies.get(name)) {
                claims.arguments.clone_from(body);
            }
        }
    }
    claims
}

fn text_of(file: &str) -> Option<String> {
    let metadata = std::fs::metadata(file).ok()?;
    if !metadata.is_file() || metadata.len() > LONGEST_FILE {
        return None;
    }
    String::from_utf8(std::fs::read(file).ok()?).ok()
}
