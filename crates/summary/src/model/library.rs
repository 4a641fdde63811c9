//! All models of a run: the shipped ones, and users' files on top of them.
//!
//! ```
//! let mut models = watertight_summary::model::shipped();
//! let mine = watertight_summary::model::parse("my.model", "pool_new() -> fresh heap | null").unwrap();
//! models.add(mine).unwrap();
//! assert!(models.functions.contains_key("pool_new"));
//! ```

use super::error::{ModelError, nearest};
use super::file::ModelFile;
use super::lists::Lists;
use super::parse::parse_for;
use crate::annotation::Claims;
use crate::effect::{Effect, Summary, Value};
use crate::kind::{KindId, Kinds};
use crate::property::{self, Properties};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use watertight_ir::FuncId;

/// The files that come with the program, with the name of the pack.
pub const PACKS: &[(&str, &str)] = &[
    ("c", include_str!("../../../../models/c.model")),
    ("posix", include_str!("../../../../models/posix.model")),
    ("gnu", include_str!("../../../../models/gnu.model")),
    ("pthread", include_str!("../../../../models/pthread.model")),
    ("sqlite", include_str!("../../../../models/sqlite.model")),
    ("zlib", include_str!("../../../../models/zlib.model")),
    ("curl", include_str!("../../../../models/curl.model")),
    ("libxml2", include_str!("../../../../models/libxml2.model")),
    ("glib", include_str!("../../../../models/glib.model")),
    ("openssl", include_str!("../../../../models/openssl.model")),
    ("kernel", include_str!("../../../../models/kernel.model")),
];

/// Models by the name of the function they describe.
#[derive(Clone, Debug, Default)]
pub struct Models {
    pub kinds: Kinds,
    pub functions: FxHashMap<Box<str>, Summary>,
    /// Where each model comes from, and how it calls the parameters.
    pub origins: FxHashMap<Box<str>, Origin>,
    /// Functions of which the model counts even where the program has their body: the program is what the model is
    /// about, and its insides would hide what the rest of it relies on.
    pub before_bodies: BTreeSet<Box<str>>,
    /// A model file says that what all paths of a function lose was probably kept in a way that was not seen.
    pub doubts_losses: bool,
    pub lists: Lists,
    /// Finite-state rules about what functions are called with.
    pub properties: Properties,
    /// What annotations in the source promise of functions.
    pub claims: BTreeMap<FuncId, Claims>,
    /// The files added, in order.
    pub files: Vec<Box<str>>,
}

/// Where a model comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Origin {
    /// Index in [`Models::files`].
    pub file: usize,
    pub line: u32,
    pub parameters: Arc<[Box<str>]>,
    pub variadic: bool,
    /// The result is an address; a summary does not always show it.
    pub returns_address: bool,
    /// A call that does not come back ends the process, rather than jump or end a thread.
    pub exits: bool,
}

/// All shipped models.
pub fn shipped() -> Models {
    shipped_for(&|_| true)
}

/// The shipped models for a program. `has` tells whether the program defines or calls a function of that name.
/// Other functions are left out, which is faster, and so are packs whose names mean something else in most
/// programs.
pub fn shipped_for(has: &dyn Fn(&str) -> bool) -> Models {
    shipped_among(has, has)
}

/// The same, for a program that is known by some of its functions only: those of which `shows` is true say whether a pack is
/// about it.
pub fn shipped_among(has: &dyn Fn(&str) -> bool, shows: &dyn Fn(&str) -> bool) -> Models {
    let mut models = Models { properties: property::shipped_for(has), ..Models::default() };
    for (name, text) in PACKS {
        let file = parse_for(name, text, has).expect("a test parses every shipped model file");
        if file.applies(shows) {
            models.add(file).expect("a test adds every shipped model file");
        }
    }
    models
}

impl Models {
    /// Whether a call of this function that does not come back ends the process.
    pub fn exits(&self, name: &str) -> bool {
        self.origins.get(name).is_some_and(|origin| origin.exits)
    }

    /// Adds a file. Its models and kinds replace those of the same name. Says which functions were known
    /// already; fails, and adds nothing, if a kind is declared nowhere.
    pub fn add(&mut self, file: ModelFile) -> Result<Vec<Box<str>>, Vec<ModelError>> {
        let mut errors = Vec::new();
        for used in &file.uses {
            let name = &*file.kinds.get(used.kind).name;
            if self.kinds.named(name).is_none() && !file.declared.contains(&used.kind) {
                let mut error = used.place.clone();
                if let Some(near) = nearest(name, self.kinds.iter().map(|entry| &*entry.1.name)) {
                    error.message = format!("{}, did you mean `{near}`?", error.message).into();
                }
                errors.push(error);
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let ids: Vec<KindId> = file
            .kinds
            .iter()
            .map(|(id, kind)| match self.kinds.named(&kind.name) {
                Some(known) if !file.declared.contains(&id) => known,
                _ => self.kinds.declare(kind.clone()),
            })
            .collect();
        let index = self.files.len();
        self.files.push(file.name);
        let mut replaced = Vec::new();
        self.functions.reserve(file.models.len());
        self.origins.reserve(file.models.len());
        self.doubts_losses |= file.doubts_losses;
        self.lists.extend(file.lists);
        for model in file.models {
            let mut summary = model.summary;
            translate(&mut summary, &ids);
            let returns_address = model.returns_address && !returns_number(&summary, &self.kinds);
            let origin = Origin {
                file: index,
                line: model.line,
                parameters: model.parameters,
                variadic: model.variadic,
                returns_address,
                exits: model.exits,
            };
            self.origins.insert(model.name.clone(), origin);
            if file.before_bodies {
                self.before_bodies.insert(model.name.clone());
            }
            if self.functions.insert(model.name.clone(), summary).is_some() {
                replaced.push(model.name);
            }
        }
        Ok(replaced)
    }
}

/// Whether a resource that is a number is returned. A file that uses a kind of another file cannot know.
fn returns_number(summary: &Summary, kinds: &Kinds) -> bool {
    summary.outcomes.iter().any(|outcome| match outcome.result {
        Value::Fresh { index, .. } => {
            outcome.fresh.get(index as usize).is_some_and(|fresh| kinds.get(fresh.kind).number.is_some())
        }
        _ => false,
    })
}

/// Replaces kinds by their new ids.
fn translate(summary: &mut Summary, ids: &[KindId]) {
    for outcome in &mut summary.outcomes {
        for fresh in &mut outcome.fresh {
            fresh.kind = ids[fresh.kind.index()];
        }
        for effect in &mut outcome.effects {
            if let Effect::Release { kind, .. } = effect {
                *kind = ids[kind.index()];
            }
        }
    }
}
