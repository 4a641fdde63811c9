//! Interface paths: how caller and callee name the same value.
//!
//! A path starts at something both know (a parameter, the result, a global, a fresh object) and follows
//! memory: each step reads the cell at a byte offset from the address reached so far. `p->list.head` is
//! `Param(0)` then `At(offset of list.head)`. Read as a value, a path is what the last cell holds at entry;
//! read as a place, it is the last cell itself.

use crate::property::PropertyId;
use std::fmt;
use watertight_ir::{FuncId, GlobalId};

/// Where a path starts. The value of a root is an address or a number.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Root {
    /// The value passed for a parameter, counted from 0 in the IR's signature.
    Param(u32),
    /// Every argument from this one on: the variable arguments of a variadic function.
    Rest(u32),
    /// The returned value.
    Result,
    /// The address of a global.
    Global(GlobalId),
    /// The address of a fresh object of the outcome.
    Fresh(u32),
    /// The address of a function.
    Function(FuncId),
    /// The process: what has states that belong to no object in particular. It has no memory.
    Process,
}

/// One step through memory.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Step {
    /// The cell of an address at this byte offset from the address reached.
    At(i64),
    /// The cell of a number of so many bytes at this offset; always the last step.
    Number { offset: i64, bytes: u32 },
    /// Any cell of the object reached: an element at an unknown index.
    Somewhere,
    /// The element of an array, `offset` bytes into the object reached, whose number the argument `index` is. Elements are
    /// `scale` bytes apart. It reads no memory: the address of the element is reached.
    Element { offset: i64, index: u32, scale: i64 },
    /// Every node behind the one reached: each that is found by reading the cell of an address at the byte offset `link` once or
    /// more often, as in a chain, or one of two cells, as in a tree.
    Each { link: i64, also: Option<i64> },
    /// The hidden cell for the state of a property, of what lies at this byte offset from the address reached; always
    /// the last step. No store of the program changes it.
    State { offset: i64, property: PropertyId },
}

impl Step {
    pub fn is_state(&self) -> bool {
        matches!(self, Step::State { .. })
    }
}

/// A root and the cells read from there on.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Path {
    pub root: Root,
    pub steps: Vec<Step>,
}

impl Path {
    pub fn root(root: Root) -> Path {
        Path { root, steps: Vec::new() }
    }
    pub fn param(index: u32) -> Path {
        Path::root(Root::Param(index))
    }
    /// The path one step further.
    pub fn then(&self, step: Step) -> Path {
        let mut steps = self.steps.clone();
        steps.push(step);
        Path { root: self.root, steps }
    }
    /// How many cells are read on the way.
    pub fn cells(&self) -> usize {
        self.steps.iter().filter(|step| !matches!(step, Step::Element { .. })).count()
    }
    /// The property whose state this is, if it is one.
    pub fn property(&self) -> Option<PropertyId> {
        match self.steps.last() {
            Some(Step::State { property, .. }) => Some(*property),
            _ => None,
        }
    }
    /// The cell at `offset` from the address that this path's value is.
    pub fn at(&self, offset: i64) -> Path {
        self.then(Step::At(offset))
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.root {
            Root::Param(index) => write!(f, "arg{index}")?,
            Root::Rest(index) => write!(f, "arg{index}...")?,
            Root::Result => f.write_str("result")?,
            Root::Global(id) => write!(f, "{id}")?,
            Root::Fresh(index) => write!(f, "new{index}")?,
            Root::Function(id) => write!(f, "{id}")?,
            Root::Process => f.write_str("process")?,
        }
        for step in &self.steps {
            match step {
                Step::At(offset) => write!(f, "[{offset}]")?,
                Step::Number { offset, bytes } => write!(f, "[{offset}:{bytes}]")?,
                Step::Somewhere => f.write_str("[?]")?,
                Step::Element { offset, index, scale } => write!(f, "[{offset}+arg{index}*{scale}]")?,
                Step::Each { link, also: None } => write!(f, "[{link}...]")?,
                Step::Each { link, also: Some(also) } => write!(f, "[{link}|{also}...]")?,
                Step::State { offset, property } => write!(f, "[{offset}#{}]", property.index())?,
            }
        }
        Ok(())
    }
}
