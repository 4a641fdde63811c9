//! Contexts: the calls that led into a function.
//!
//! A context is a function, and the call in another context that entered it; the first one has no call. A slice, its
//! conditions and their terms all name the same contexts, so that what a function does at one call is kept apart from
//! what it does at another (the matched parentheses of Saber, section 2.5).

use crate::limits::CONTEXT_CALLS;
use rustc_hash::FxHashMap;
use watertight_ir::{FuncId, Id, InstId, define_ids};

define_ids! {
    /// The calls that led into a function.
    ContextId "context";
}

#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
struct Entered {
    function: FuncId,
    by: Option<(ContextId, InstId)>,
}

/// Why a call is not entered.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Refused {
    /// The same call is being followed already.
    Recursion,
    /// Too many calls are inside each other.
    Depth,
}

/// All contexts of one question.
pub struct Contexts {
    list: Vec<Entered>,
    known: FxHashMap<Entered, ContextId>,
}

impl Contexts {
    /// The context that everything begins in; not a limit, but an index.
    pub const ROOT: usize = 0;

    pub fn new(root: FuncId) -> Contexts {
        Contexts { list: vec![Entered { function: root, by: None }], known: FxHashMap::default() }
    }

    pub fn root(&self) -> ContextId {
        ContextId::new(Contexts::ROOT)
    }

    pub fn function(&self, context: ContextId) -> FuncId {
        self.list[context.index()].function
    }

    /// The call that entered a context.
    pub fn by(&self, context: ContextId) -> Option<(ContextId, InstId)> {
        self.list[context.index()].by
    }

    /// How many calls are between a context and the first one.
    pub fn depth(&self, context: ContextId) -> usize {
        std::iter::successors(Some(context), |&at| self.by(at).map(|by| by.0)).count() - 1
    }

    /// Into a callee, unless the same call is being followed already.
    pub fn enter(&mut self, from: ContextId, inst: InstId, callee: FuncId) -> Result<ContextId, Refused> {
        let entered = Entered { function: callee, by: Some((from, inst)) };
        if let Some(&known) = self.known.get(&entered) {
            return Ok(known);
        }
        let caller = self.function(from);
        let mut at = Some(from);
        let mut depth = 0;
        while let Some(context) = at {
            let by = self.by(context);
            if let Some((outer, call)) = by
                && (self.function(outer), call) == (caller, inst)
            {
                return Err(Refused::Recursion);
            }
            depth += 1;
            at = by.map(|by| by.0);
        }
        if depth > CONTEXT_CALLS {
            return Err(Refused::Depth);
        }
        self.list.push(entered);
        let id = ContextId::new(self.list.len() - 1);
        self.known.insert(entered, id);
        Ok(id)
    }
}
