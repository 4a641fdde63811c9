//! What surrounds one run: the caller's memory, the library, and the witness that says how things are to go.
//!
//! [`Around`] is the [`World`] of a run. Who decides what is asked, in this order: the witness, as far as it speaks and the
//! run obeys it; what the program itself says (the type of a cell, the model of a function, the first contents of a
//! variable); chance. What is chosen is written into memory, so that it stays chosen.

use crate::chance::Chance;
use crate::events::Telling;
use crate::hints::Compared;
use crate::judge::is_on_trail;
use crate::known::Known;
use crate::limits::{BLOCKS_PASSED, COMPARED};
use crate::search::Needs;
use crate::types;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use watertight_interpret::{Address, Hands, HeapId, Outside, Reply, World};
use watertight_ir::spell::SourceType;
use watertight_ir::{BlockId, FuncId, InstId, Type};
use watertight_summary::{CallAt, Got, KindId, Path, Witness};

/// A witness, ready to be asked.
#[derive(Debug, Default)]
pub(crate) struct Wishes {
    inputs: FxHashMap<Path, u64>,
    /// With whether the claim depends on it.
    results: FxHashMap<(InstId, u32), (Got, bool)>,
    /// The call that acquires, and the calls inside it.
    acquired: Option<InstId>,
    trail: Vec<CallAt>,
}

impl Wishes {
    /// What it says of the result of a call by an instruction, in one of its turns.
    fn result(&self, inst: InstId, turn: u32) -> Option<(Got, bool)> {
        self.results.get(&(inst, turn)).copied()
    }

    /// Whether the claim depends on what this call gives, or the call acquires what it is about.
    pub(crate) fn needs(&self, inst: InstId, turn: u32) -> bool {
        self.acquired == Some(inst) || self.result(inst, turn).is_some_and(|(_, decides)| decides)
    }

    /// Whether these calls acquired what the claim is about.
    fn is_subject(&self, origin: &[(FuncId, InstId)]) -> bool {
        let Some((first, inner)) = origin.split_first() else { return false };
        Some(first.1) == self.acquired && is_on_trail(&self.trail, inner)
    }

    pub(crate) fn new(witness: &Witness) -> Wishes {
        Wishes {
            inputs: witness.inputs.iter().cloned().collect(),
            results: witness
                .results
                .iter()
                .map(|given| ((given.call, given.turn), (given.value, given.decides)))
                .collect(),
            acquired: witness.acquired,
            trail: witness.trail.clone(),
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
    /// The numbers that the witness has for addresses of objects, and where these are.
    pub(crate) wished_places: Vec<(u64, u64)>,
    pub(crate) handles: Vec<Handle>,
    /// Blocks that somebody outside answers for.
    pub(crate) kept: FxHashSet<HeapId>,
    /// Blocks that were shown to functions of which nothing is known.
    pub(crate) doubted: FxHashSet<HeapId>,
    /// A function of the library has failed since, and `errno` says why.
    pub(crate) said_why: bool,
    /// What other threads were handed.
    pub(crate) threaded: Vec<u64>,
    pub(crate) kinds: FxHashMap<HeapId, KindId>,
    /// How often each call of the function itself has been made.
    pub(crate) turns: FxHashMap<InstId, u32>,
    /// Calls of the function itself that are not made if the resource is out of their reach.
    pub(crate) skip: Vec<(InstId, u32)>,
    /// There was such a call.
    pub(crate) skipped: bool,
    /// How many choices had been made when the function itself made its last call.
    pub(crate) choices_at_call: usize,
    /// The blocks of the function itself that control has passed.
    pub(crate) passed: Vec<BlockId>,
    /// How many choices had been made when each of them was entered.
    pub(crate) choices: Vec<usize>,
    /// What was compared, if somebody wants to know: how many choices had been made, and both sides.
    pub(crate) compared: Vec<Compared>,
    /// The blocks of callees that were entered since the last block of the function itself, and how many were entered
    /// in each of its blocks before.
    pub(crate) inside: FxHashSet<(FuncId, BlockId)>,
    pub(crate) covered: Vec<usize>,
    /// The call of the function itself that is under way, if it stays in the program.
    pub(crate) calling: Option<InstId>,
    /// How many of the calls that lead to the acquisition were made, and how many blocks entered on the way.
    pub(crate) trail_reached: usize,
    pub(crate) near: usize,
    /// Something is otherwise than the witness says.
    pub(crate) disobeyed: bool,
    /// What undecided texts at these addresses do not begin with; their ends count as bytes.
    pub(crate) excluded: FxHashMap<u64, Vec<Vec<u8>>>,
    /// Where texts were decided because the witness wishes it.
    pub(crate) wished_texts: FxHashSet<u64>,
    /// The witness wishes two things that exclude each other.
    pub(crate) contradicted: bool,
    /// Two links were made to lead to one object, or a function was called that can come to the resource, and nothing says
    /// that they do or that it is that one.
    pub(crate) guessed: bool,
    /// Functions that pointers lead to by chance.
    pub(crate) guessed_functions: FxHashSet<FuncId>,
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
    /// What the call of the claim gave, each time it was made.
    pub(crate) gave: Vec<u64>,
    /// By parameter: the object of the caller's whose address was passed.
    pub(crate) passed_objects: Vec<Option<u32>>,
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
        script: Vec<u64>,
    ) -> Around<'p> {
        Around {
            known,
            wishes,
            obey,
            chance: Chance::new(seed, wild, script),
            plain: seed & 1,
            names: Vec::new(),
            wished_places: Vec::new(),
            handles: Vec::new(),
            kept: FxHashSet::default(),
            doubted: FxHashSet::default(),
            said_why: false,
            threaded: Vec::new(),
            kinds: FxHashMap::default(),
            turns: FxHashMap::default(),
            skip: Vec::new(),
            skipped: false,
            choices_at_call: 0,
            passed: Vec::new(),
            choices: Vec::new(),
            compared: Vec::new(),
            inside: FxHashSet::default(),
            covered: Vec::new(),
            calling: None,
            trail_reached: 0,
            near: 0,
            disobeyed: false,
            excluded: FxHashMap::default(),
            wished_texts: FxHashSet::default(),
            contradicted: false,
            guessed: false,
            guessed_functions: FxHashSet::default(),
            unknown: false,
            unset: false,
            written: Vec::new(),
            null_argument: false,
            own: Vec::new(),
            gave: Vec::new(),
            passed_objects: Vec::new(),
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

    /// A number that the witness says, unless a run that is led takes leave of it.
    pub(crate) fn wished_number(&mut self, bytes: u64, wish: u64) -> u64 {
        let number = self.chance.wished(bytes, wish);
        self.disobeyed |= number != wish;
        number
    }

    /// What the witness says of the result of a call, and goes on to the next turn.
    pub(crate) fn wished_result(&mut self, call: &Outside<'_>) -> Option<Got> {
        let inst = call.inst.filter(|_| call.depth == 0)?;
        let turn = self.turns.entry(inst).or_default();
        let wish = self.wishes.result(inst, *turn);
        *turn += 1;
        wish.filter(|_| self.chance.often(self.obey)).map(|(wish, _)| wish)
    }

    /// Whether code that is given these words could come to the resource of the claim.
    fn is_in_reach(&self, hands: &Hands<'_, '_>, args: &[u64]) -> bool {
        let numbers: Vec<u32> = self.handles.iter().map(|handle| handle.number).collect();
        let (mut blocks, held) = hands.held_outside(&numbers);
        blocks.extend(hands.led_to(args));
        let is_block = |block: &HeapId| {
            hands.origins().get(block.0 as usize).is_some_and(|origin| self.wishes.is_subject(origin))
        };
        let given = |number: u32| args.iter().any(|&arg| arg as u32 == number);
        blocks.iter().any(is_block)
            || self.handles.iter().zip(held).any(|(handle, held)| {
                (held || given(handle.number)) && self.wishes.is_subject(&handle.origin)
            })
    }

    /// What happened so far, if that is told.
    pub(crate) fn take_events(&mut self) -> Vec<crate::events::Event> {
        self.telling.take().map_or_else(Vec::new, |telling| telling.events)
    }

    /// A new object of the caller's.
    pub(crate) fn give(&mut self, hands: &mut Hands<'_, '_>, named: Named) -> u64 {
        let bytes = named.ty.and_then(|ty| types::bytes(self.known.program, ty)).unwrap_or(0);
        match hands.give(bytes) {
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
        self.calling = None;
        self.tell_returned(word);
        if Some(inst) == self.wishes.acquired {
            self.gave.push(word);
        }
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

    fn called(
        &mut self,
        hands: &mut Hands<'_, '_>,
        depth: usize,
        function: FuncId,
        inst: Option<InstId>,
        args: &[u64],
    ) -> Option<u64> {
        if self.guessed_functions.contains(&function) && self.is_in_reach(hands, args) {
            self.guessed = true;
        }
        // Only a function whose address is taken is called through a pointer.
        if self.known.taken.binary_search(&function).is_ok()
            && let Some(&(caller, call)) = hands.stack().last().filter(|at| Some(at.1) == inst)
        {
            self.failed = self.failed.max(self.known.least.standing_in(caller, call, function));
        }
        let inst = inst.filter(|_| depth == 0)?;
        self.choices_at_call = self.chance.made().len();
        if self.telling.is_some() {
            self.tell_called(hands, inst, args);
        }
        let turn = self.turns.get(&inst).copied().unwrap_or(0);
        if !self.skip.contains(&(inst, turn)) || self.is_in_reach(hands, args) {
            self.calling = Some(inst);
            return None;
        }
        self.skipped = true;
        self.turns.insert(inst, turn + 1);
        let wish = self.wishes.result(inst, turn).map(|(wish, _)| wish);
        let body = self.known.program.functions[self.root?].body.as_ref()?;
        let ty = body.insts[inst].result.map_or(Type::Void, |result| body.ty(result));
        Some(self.any_result(hands, ty, wish, None))
    }

    fn enter(&mut self, depth: usize, function: FuncId, block: BlockId, compared: &[(u64, u64)]) {
        let choices = self.chance.made().len();
        if self.compared.len() < COMPARED {
            let last = self.compared.last().copied();
            let new = compared.iter().map(|&(left, right)| (choices, left, right));
            self.compared.extend(new.filter(|&new| Some(new) != last));
        }
        if depth == 1 {
            self.tell_entered(function, block);
        }
        if depth > 0 {
            self.inside.insert((function, block));
            if self.calling.is_some() && self.calling == self.wishes.acquired {
                let on_trail = self.wishes.trail.iter().rposition(|call| call.function == function);
                self.trail_reached = self.trail_reached.max(on_trail.map_or(0, |at| at + 1));
                self.near = self.near.max(self.inside.len());
            }
        } else if self.passed.len() < BLOCKS_PASSED {
            if !self.passed.is_empty() {
                self.covered.push(self.inside.len());
            }
            self.inside.clear();
            self.passed.push(block);
            self.choices.push(choices);
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
