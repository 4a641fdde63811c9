//! The functions and globals that a result speaks of, by number.
//!
//! Ids of functions and globals are numbers of one program, and another program, or the same a day later, has others.
//! What is kept speaks of the n-th symbol instead, counted in the order in which they are met on the way from the body
//! of a function through everything its result may depend on. Two programs that agree in the key of a function agree in
//! that whole way, so the n-th symbol of one plays the part of the n-th symbol of the other.

use rustc_hash::FxHashMap;
use watertight_ir::{FuncId, GlobalId};

/// Something with a name.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Sym {
    Func(FuncId),
    Global(GlobalId),
}

/// Symbols in the order in which they were met.
#[derive(Debug, Default)]
pub(crate) struct Symbols {
    list: Vec<Sym>,
    numbers: FxHashMap<Sym, u32>,
}

impl Symbols {
    /// The number of a symbol, which is met for the first time or was met before.
    pub(crate) fn meet(&mut self, symbol: Sym) -> u32 {
        let next = self.list.len() as u32;
        let list = &mut self.list;
        *self.numbers.entry(symbol).or_insert_with(|| {
            list.push(symbol);
            next
        })
    }

    /// The number of a symbol that was met.
    pub(crate) fn number(&self, symbol: Sym) -> Option<u32> {
        self.numbers.get(&symbol).copied()
    }

    pub(crate) fn get(&self, number: usize) -> Option<Sym> {
        self.list.get(number).copied()
    }

    pub(crate) fn list(&self) -> &[Sym] {
        &self.list
    }

    pub(crate) fn function(&self, number: u32) -> Option<FuncId> {
        match self.get(number as usize)? {
            Sym::Func(function) => Some(function),
            Sym::Global(_) => None,
        }
    }

    pub(crate) fn global(&self, number: u32) -> Option<GlobalId> {
        match self.get(number as usize)? {
            Sym::Global(global) => Some(global),
            Sym::Func(_) => None,
        }
    }

    /// The numbers in the order of ids, functions and globals each by themselves. Where the engine has to choose it
    /// takes what comes first, so the order is part of what a result depends on.
    pub(crate) fn ranks(&self) -> Vec<u32> {
        let mut ranks: Vec<u32> = (0..self.list.len() as u32).collect();
        ranks.sort_unstable_by_key(|&number| match self.list[number as usize] {
            Sym::Func(function) => (0, Some(function), None),
            Sym::Global(global) => (1, None, Some(global)),
        });
        ranks
    }
}
