//! What an earlier run may remember: the schedule asks before a component of the call graph is evaluated, and tells what came out.

use crate::context::{Context, View};
use crate::schedule::analyse::FunctionResult;
use watertight_ir::FuncId;

/// Functions that are evaluated together, with what all functions share.
#[derive(Copy, Clone)]
pub struct Turn<'t, 'c> {
    pub context: &'t Context<'c>,
    /// In ascending order.
    pub members: &'t [FuncId],
    /// Whether they call each other, or one itself.
    pub recursive: bool,
    pub(crate) view: &'t View,
}

/// The results of the members of a component.
pub type Results<R> = Vec<(FuncId, FunctionResult<R>)>;

/// Remembers results from run to run.
pub trait Memory<R>: Sync {
    /// The results of these functions, if they are known; otherwise, evaluates them.
    fn recall(&self, turn: Turn<'_, '_>, evaluate: &mut dyn FnMut() -> Results<R>) -> (Results<R>, Origin);
}

/// Where results come from.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    Evaluated,
    Remembered,
}

/// A memory that knows nothing and learns nothing.
#[derive(Copy, Clone, Debug)]
pub struct Nothing;

impl<R> Memory<R> for Nothing {
    fn recall(&self, _: Turn<'_, '_>, evaluate: &mut dyn FnMut() -> Results<R>) -> (Results<R>, Origin) {
        (evaluate(), Origin::Evaluated)
    }
}
