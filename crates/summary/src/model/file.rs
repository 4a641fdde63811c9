//! A parsed model file: kinds and summaries that still have to meet those of other files.

use super::error::ModelError;
use super::lists::Lists;
use crate::effect::Summary;
use crate::kind::{Kind, KindId, Kinds};
use std::sync::Arc;

/// What a model file says. The kinds in its summaries are those of its own table; [`super::Models::add`]
/// translates them.
#[derive(Clone, Debug)]
pub struct ModelFile {
    pub name: Box<str>,
    /// When not empty, the file is about programs that have one of these functions.
    pub only_with: Vec<Box<str>>,
    /// What the file says of a function counts even where the program has its body.
    pub before_bodies: bool,
    /// What all paths of a function lose was probably kept in a way that was not seen.
    pub doubts_losses: bool,
    pub lists: Lists,
    /// In the order of the file.
    pub models: Vec<Model>,
    pub(crate) kinds: Kinds,
    pub(crate) declared: Vec<KindId>,
    /// The first use of each kind that the file does not declare before.
    pub(crate) uses: Vec<KindUse>,
}

impl ModelFile {
    /// The kinds that the file uses or declares; the ids in its summaries belong to this table.
    pub fn kinds(&self) -> &Kinds {
        &self.kinds
    }
    /// Whether the file is about a program, which is known by the functions it defines or calls.
    pub fn applies(&self, has: &dyn Fn(&str) -> bool) -> bool {
        self.only_with.is_empty() || self.only_with.iter().any(|name| has(name))
    }
    /// The kinds that the file declares.
    pub fn declared(&self) -> impl Iterator<Item = &Kind> {
        self.declared.iter().map(|&id| self.kinds.get(id))
    }
}

/// What a model file says about one function.
#[derive(Clone, PartialEq, Debug)]
pub struct Model {
    pub name: Box<str>,
    pub parameters: Arc<[Box<str>]>,
    /// More arguments may follow.
    pub variadic: bool,
    /// The model says of the result what only an address can be; a summary does not always show it.
    pub returns_address: bool,
    /// A call that does not come back ends the process.
    pub exits: bool,
    pub summary: Summary,
    pub line: u32,
}

/// The use of a kind that must be declared elsewhere.
#[derive(Clone, Debug)]
pub(crate) struct KindUse {
    pub(crate) kind: KindId,
    /// What to say if it is not.
    pub(crate) place: ModelError,
}
