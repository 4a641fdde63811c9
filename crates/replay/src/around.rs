//! What surrounds one run: the caller's memory, the library, and the witness that says how things are to go.
//!
//! [`Around`] is the [`World`] of a run. Who decides what is asked, in this order: the witness, as far as it speaks and the
//! run obeys it; what the program itself says (the type of a cell, the model of a function, the first contents of a
//! variable); chance. What is chosen is written into memory, so that it stays chosen.

use crate::chance::Chance;
use crate::events::Telling;
use crate::known::Known;
use crate::limits::BLOCKS_PASSED;
use crate::search::Needs;
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
    /// With whether the claim depends on it.
    results: FxHashMap<(InstId, u32), (Got, bool)>,
}

impl Wishes {
    /// What it says of the result of a call by an instruction, in one of its turns.
    fn result(&self, inst: InstId, turn: u32) -> Option<(Got, bool)> {
        self.results.get(&(inst, turn)).copied()
    }

    pub(crate) fn new(witness: &Witness) -> Wishes {
        Wishes {
            inputs: witness.inputs.iter().cloned().collect(),
            results: witness
                .results
                .iter()
                .map(|given| ((given.call, given.turn), (given.value, given.decides)))
                .collect(),
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
    /// How many choices had been made when each of them was entered.
    pub(crate) choices: Vec<usize>,
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
    /// The first call inside the program that gave something of another kind than the witness says.
    pub(crate) differs: Option<InstId>,
    /// What must not fail.
    pub(crate) spared: Needs,
    /// What failed.
    pub(crate) failed: Needs,
    /// Writes down what happens, if somebody wants to tell it.
    pub(crate) telling: Option<Telling>,
}

impl<'p> Around<'p> {
    pub(crate) fn new(
        known: &'p Known<'p>,
        wishes: Rc<Wishes>,
        seed: u64,
        wild: u64,
        obey: u64,
        script: Vec<u32>,
    ) -> Around<'p> {
        Around {
            known,
            wishes,
            obey,
            chance: Chance::new(seed, wild, script),
            plain: seed & 1,
            names: Vec::new(),
            handles: Vec::new(),
            kept: FxHashSet::default(),
            doubted: FxHashSet::default(),
            kinds: FxHashMap::default(),
            turns: FxHashMap::default(),
            passed: Vec::new(),
            choices: Vec::new(),
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
            differs: None,
            spared: Needs::Memory,
            failed: Needs::Nothing,
            telling: None,
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
        let wish = self.wishes.result(inst, *turn);
        *turn += 1;
        wish.filter(|_| self.chance.often(self.obey)).map(|(wish, _)| wish)
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

    fn returned(&mut self, depth: usize, inst: Option<InstId>, word: u64) {
        let (Some(inst), Some(root)) = (inst.filter(|_| depth == 0), self.root) else { return };
        self.tell_returned(word);
        let turn = self.turns.entry(inst).or_default();
        let wish = self.wishes.result(inst, *turn);
        *turn += 1;
        let body = self.known.program.functions[root].body.as_ref();
        let ty = body.and_then(|body| Some(body.ty(body.insts[inst].result?)));
        if let (Some((wish, true)), Some(ty)) = (wish, ty)
            && !alike(wish, word, ty)
        {
            self.differs = self.differs.or(Some(inst));
        }
    }

    fn called(&mut self, hands: &mut Hands<'_, '_>, depth: usize, inst: Option<InstId>, args: &[u64]) {
        if let Some(inst) = inst.filter(|_| depth == 0 && self.telling.is_some()) {
            self.tell_called(hands, inst, args);
        }
    }

    fn enter(&mut self, depth: usize, function: FuncId, block: BlockId) {
        if depth == 1 {
            self.tell_entered(function, block);
        }
        if depth == 0 && self.passed.len() < BLOCKS_PASSED {
            self.passed.push(block);
            self.choices.push(self.chance.made().len());
        }
    }
}

/// Whether a word is of the kind that a witness says: an address or NULL, a number of the same sign. Which number it is
/// matters only to branches, and those are compared.
fn alike(wish: Got, word: u64, ty: Type) -> bool {
    let sign = |word: u64| match ty {
        Type::Int(bits @ 1..=63) => (((word << (64 - bits)) as i64) >> (64 - bits)).signum(),
        Type::Ptr => i64::from(word != 0),
        _ => (word as i64).signum(),
    };
    match wish {
        Got::Number(number) => sign(number) == sign(word),
        Got::Address => word != 0,
    }
}
