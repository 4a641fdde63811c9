//! What surrounds one run: the caller's memory, the library, and the witness that says how things are to go.
//!
//! [`Around`] is the [`World`] of a run. Who decides what is asked, in this order: the witness, as far as it speaks and the
//! run obeys it; what the program itself says (the type of a cell, the model of a function, the first contents of a
//! variable); chance. What is chosen is written into memory, so that it stays chosen.

use crate::chance::Chance;
use crate::known::Known;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use watertight_interpret::{Address, Hands, HeapId, Outside, Reply, World};
use watertight_ir::spell::SourceType;
use watertight_ir::{BlockId, FuncId, InstId, Type};
use watertight_summary::{Got, KindId, Path, Witness};

/// A witness, ready to be asked.
#[derive(Debug, Default)]
pub(crate) struct Wishes {
    inputs: FxHashMap<Path, u64>,
    results: FxHashMap<(InstId, u32), Got>,
}

impl Wishes {
    pub(crate) fn new(witness: &Witness) -> Wishes {
        Wishes {
            inputs: witness.inputs.iter().cloned().collect(),
            results: witness.results.iter().map(|given| ((given.call, given.turn), given.value)).collect(),
        }
    }
}

/// An object of the caller's.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    /// How the function can name it: the entry value that leads to it.
    pub(crate) path: Option<Path>,
    /// What it holds, or the first of what it holds.
    pub(crate) ty: Option<SourceType>,
    /// How many pointers lead to it.
    pub(crate) depth: usize,
}

/// A resource that is a number.
#[derive(Clone, Debug)]
pub(crate) struct Handle {
    pub(crate) number: u32,
    pub(crate) kind: KindId,
    pub(crate) released: bool,
    pub(crate) kept: bool,
    pub(crate) doubted: bool,
    pub(crate) origin: Vec<(FuncId, InstId)>,
}

/// The world of one run.
pub(crate) struct Around<'p> {
    pub(crate) known: &'p Known<'p>,
    wishes: Rc<Wishes>,
    /// Of 256 wishes, so many are granted.
    obey: u64,
    pub(crate) chance: Chance,
    /// What an ordinary number is in this run.
    pub(crate) plain: u64,
    pub(crate) names: Vec<Named>,
    pub(crate) handles: Vec<Handle>,
    /// Blocks that somebody outside answers for.
    pub(crate) kept: FxHashSet<HeapId>,
    /// Blocks that were shown to functions of which nothing is known.
    pub(crate) doubted: FxHashSet<HeapId>,
    pub(crate) kinds: FxHashMap<HeapId, KindId>,
    /// How often each call of the function itself has been made.
    turns: FxHashMap<InstId, u32>,
    /// The blocks of the function itself that control has passed.
    pub(crate) passed: Vec<BlockId>,
    /// Texts that undecided texts at these addresses are not.
    pub(crate) excluded: FxHashMap<u64, Vec<Vec<u8>>>,
    /// Where texts were decided because the witness wishes it.
    pub(crate) wished_texts: FxHashSet<u64>,
    /// The witness wishes two things that exclude each other.
    pub(crate) contradicted: bool,
    /// Two links were made to lead to one object, or a pointer to lead to a function, and nothing says that they do.
    pub(crate) guessed: bool,
    /// Something was called of which nothing is known.
    pub(crate) unknown: bool,
    /// An address was read that nothing has set.
    pub(crate) unset: bool,
    /// Where something outside has written what nobody knows: address and end.
    pub(crate) written: Vec<(u64, u64)>,
    /// The caller passed NULL.
    pub(crate) null_argument: bool,
    /// Objects that were passed by value.
    pub(crate) own: Vec<u32>,
    /// What is released must not be shown to the library.
    pub(crate) strict: bool,
    /// Whether resources that are numbers may have small ones.
    pub(crate) small: bool,
    /// The function that is run.
    pub(crate) root: Option<FuncId>,
    /// Whether links may do that.
    pub(crate) may_join: bool,
    /// Something that acquires did not.
    pub(crate) starved: bool,
}

/// The most blocks of a run that are remembered.
const MOST_PASSED: usize = 4_096;

impl<'p> Around<'p> {
    pub(crate) fn new(
        known: &'p Known<'p>,
        wishes: Rc<Wishes>,
        seed: u64,
        wild: u64,
        obey: u64,
    ) -> Around<'p> {
        Around {
            known,
            wishes,
            obey,
            chance: Chance::new(seed, wild),
            plain: seed & 1,
            names: Vec::new(),
            handles: Vec::new(),
            kept: FxHashSet::default(),
            doubted: FxHashSet::default(),
            kinds: FxHashMap::default(),
            turns: FxHashMap::default(),
            passed: Vec::new(),
            excluded: FxHashMap::default(),
            wished_texts: FxHashSet::default(),
            contradicted: false,
            guessed: false,
            unknown: false,
            unset: false,
            written: Vec::new(),
            null_argument: false,
            own: Vec::new(),
            strict: false,
            small: false,
            root: None,
            may_join: false,
            starved: false,
        }
    }

    /// What the witness says of an entry value.
    pub(crate) fn wished_input(&mut self, path: Option<&Path>) -> Option<u64> {
        let wish = self.wishes.inputs.get(path?).copied();
        wish.filter(|_| self.chance.often(self.obey))
    }

    /// What the witness says of the result of a call, and goes on to the next turn.
    pub(crate) fn wished_result(&mut self, call: &Outside<'_>) -> Option<Got> {
        let inst = call.inst.filter(|_| call.depth == 0)?;
        let turn = self.turns.entry(inst).or_default();
        let wish = self.wishes.results.get(&(inst, *turn)).copied();
        *turn += 1;
        wish.filter(|_| self.chance.often(self.obey))
    }

    /// A new object of the caller's.
    pub(crate) fn give(&mut self, hands: &mut Hands<'_, '_>, named: Named) -> u64 {
        match hands.give() {
            Some((number, address)) => {
                debug_assert_eq!(number as usize, self.names.len(), "objects are counted in order");
                self.names.push(named);
                address.0
            }
            None => 0,
        }
    }
}

impl World for Around<'_> {
    fn call(&mut self, hands: &mut Hands<'_, '_>, call: &Outside<'_>) -> Reply {
        self.answer(hands, call)
    }

    fn decide(&mut self, hands: &mut Hands<'_, '_>, address: Address, bytes: u64, ty: Option<Type>) -> bool {
        self.fill(hands, address, bytes, ty)
    }

    fn enter(&mut self, depth: usize, _function: FuncId, block: BlockId) {
        if depth == 0 && self.passed.len() < MOST_PASSED {
            self.passed.push(block);
        }
    }
}
