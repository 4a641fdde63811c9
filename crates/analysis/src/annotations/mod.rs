//! What the source says beside its code, read from its text.
//!
//! In: a program, whose debug information names the files that its functions are written in. Out: for each function with a
//! body what annotations promise of locks, and for those without body and model what attributes say of ownership, as a
//! model file. The macros of sparse expand to nothing and Clang drops the attributes, so bitcode knows nothing of them; a
//! scan of the text finds both without a preprocessor. Files that cannot be read any more are passed over. Each file has a
//! stamp, because a kept result depends on it.

mod declarations;
mod lex;
mod locks;
mod macros;
mod owners;
mod ownership;
mod sources;
mod words;

use macros::Macros;
use rayon::prelude::*;
pub(crate) use sources::Stamp;
use sources::text_of;
use std::collections::{BTreeMap, BTreeSet};
use std::time::SystemTime;
use watertight_ir::{FuncId, Linkage, Program};
use watertight_summary::annotation::Claims;
use watertight_summary::model::Models;

/// What the source says.
#[derive(Default, Debug)]
pub(crate) struct Annotations {
    /// Of locks, by function.
    pub(crate) claims: BTreeMap<FuncId, Claims>,
    /// Of ownership, in the language of model files.
    pub(crate) owners: Option<String>,
    /// The files that it rests on.
    pub(crate) stamps: Vec<Stamp>,
}

/// Reads the annotations of a program.
pub(crate) fn read(program: &Program, models: &Models) -> Annotations {
    let about_locks = models.properties.iter().any(|(_, property)| property.is_annotated());
    let unknown = |function: &&watertight_ir::Function| {
        function.body.is_none()
            && !function.name.starts_with("llvm.")
            && !models.functions.contains_key(&function.name)
    };
    let unknown: BTreeSet<&str> =
        program.functions.values().filter(unknown).map(|function| &*function.name).collect();
    if !about_locks && unknown.is_empty() {
        return Annotations::default();
    }
    let named = sources::named(program);
    let look = |file: &str, text: &str| {
        let written_in = about_locks && named.binary_search(&file).is_ok();
        look(file, text, written_in, !unknown.is_empty())
    };
    let looked = sources::look_through(&named, look);
    let claims = if about_locks { claims(program, &looked) } else { BTreeMap::new() };
    let owners = match unknown.is_empty() {
        true => None,
        false => owners::models(&said(&looked, &unknown), program, models),
    };
    let now = SystemTime::now();
    // System headers change with the system, and what is in them is seldom about the program.
    let files: Vec<&str> =
        looked.keys().map(|file| &**file).filter(|file| !sources::is_system(file)).collect();
    Annotations { claims, owners, stamps: files.par_iter().map(|file| Stamp::of(file, now)).collect() }
}

/// What is seen in a file at first sight.
#[derive(Default)]
struct Look {
    locks: Vec<locks::Annotated>,
    /// It may have attributes about ownership.
    owns: bool,
    macros: Vec<(Box<str>, macros::Definition)>,
}

/// Looks at a file, and says which others to look at as well.
fn look(file: &str, text: &str, about_locks: bool, about_owners: bool) -> (Look, Vec<Box<str>>) {
    let mut look = Look::default();
    if about_locks && words::may_be_in(text) {
        look.locks = locks::scan(text);
        let claims = look.locks.iter_mut().flat_map(|one| &mut one.claims.all);
        claims.for_each(|claim| claim.file = file.into());
    }
    if !about_owners {
        return (look, Vec::new());
    }
    look.owns = ownership::may_be_in(text);
    if look.owns {
        look.macros = macros::definitions(text, ownership::may_be_in);
    }
    (look, sources::includes(text))
}

/// What files say about the ownership of functions that nothing else is known of.
fn said(looked: &BTreeMap<Box<str>, Option<Look>>, unknown: &BTreeSet<&str>) -> Vec<ownership::Said> {
    let files: Vec<&str> = looked.keys().map(|file| &**file).collect();
    let mut relevant: Vec<bool> =
        looked.values().map(|look| look.as_ref().is_some_and(|look| look.owns)).collect();
    let mut macros = Macros::default();
    for (file, look) in looked.values().enumerate() {
        for (name, meaning) in look.iter().flat_map(|look| &look.macros) {
            macros.add(file, name.clone(), meaning.clone());
        }
    }
    // Macros may stand for macros; there is an end to it, since each round has to find new names.
    let mut before = 0;
    while macros.len() > before {
        before = macros.len();
        let has_name = |text: &str| macros.names().any(|name| text.contains(name));
        let found: Vec<(bool, Vec<_>)> = files
            .par_iter()
            .map(|file| match text_of(file).filter(|text| has_name(text)) {
                Some(text) => (true, macros::definitions(&text, has_name)),
                None => (false, Vec::new()),
            })
            .collect();
        for (file, (uses, definitions)) in found.into_iter().enumerate() {
            relevant[file] |= uses;
            definitions.into_iter().for_each(|(name, meaning)| macros.add(file, name, meaning));
        }
    }
    let numbered: Vec<(usize, &str)> = files.iter().copied().enumerate().collect();
    let said = |&(number, file): &(usize, &str)| {
        let text = relevant[number].then(|| text_of(file)).flatten();
        text.map_or(Vec::new(), |text| ownership::said(&text, number, &macros, |name| unknown.contains(name)))
    };
    numbered.par_iter().flat_map_iter(said).collect()
}

/// What annotations promise of locks.
fn claims(program: &Program, looked: &BTreeMap<Box<str>, Option<Look>>) -> BTreeMap<FuncId, Claims> {
    let mut defined: BTreeMap<(&str, &str), &Claims> = BTreeMap::new();
    let mut declared: BTreeMap<&str, (&str, &Claims)> = BTreeMap::new();
    let mut disputed: BTreeSet<&str> = BTreeSet::new();
    for (file, look) in looked {
        for one in look.iter().flat_map(|look| &look.locks) {
            let other = match one.defined {
                // A name that is defined twice in a file is so under conditions, of which nothing is known here.
                true => defined.insert((&**file, &*one.name), &one.claims).is_some(),
                false => declared
                    .insert(&*one.name, (&**file, &one.claims))
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
        let bodies = locks::bodies(&text);
        for (id, name) in functions {
            if let (Some(claims), Some(body)) = (claims.get_mut(&id), bodies.get(name)) {
                claims.arguments.clone_from(body);
            }
        }
    }
    claims
}
