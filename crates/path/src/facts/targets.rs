//! Which functions a call through a pointer may reach: the whole program, without regard to order.
//!
//! Libraries call their allocator through a pointer in a global (`Curl_cmalloc`), or through a member of a global
//! structure (`sqlite3GlobalConfig.m.xMalloc`). Such a place holds what its initialiser says, what is stored there
//! anywhere in the program, and what is copied there from other places. Stores through a parameter count for the
//! globals that callers pass, and parameters that are stored for the functions that callers pass.
//!
//! In: a program and its direct calls. Out: for each function pointer in a global the functions that it may hold, and
//! for each call through a pointer those that it may reach by that. Where something is stored that is not known (what
//! the user of a library passes to its set-up function), the place is *open*; the functions of constant tables of the
//! same structure type count as stored there, and what is unknown is taken to behave like what is known. What a place
//! holds is decided by no flow of control, so the facts hold everywhere and cost one pass over the program.

use crate::facts::fields::Fields;
use crate::facts::shapes::Shapes;
use crate::limits::{MOST_TARGETS, TABLE_BYTES, TARGET_FACTS, TARGET_SOURCES, TARGET_STEPS};
use rustc_hash::{FxHashMap, FxHashSet};
use watertight_ir::callgraph::{CallGraph, CallSite};
use watertight_ir::{
    Body, Call, Callee, Const, DebugType, Def, FuncId, GlobalId, InstId, Op, Program, Symbol, Table, Type,
    ValueId, ctype,
};

/// What a place holds.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Held {
    /// In ascending order.
    pub functions: Vec<FuncId>,
    /// It is null at first.
    pub null: bool,
    /// Something that is not known may be stored there.
    pub open: bool,
}

impl Held {
    fn add(&mut self, function: FuncId) -> bool {
        match self.functions.binary_search(&function) {
            Ok(_) => false,
            Err(at) => {
                self.functions.insert(at, function);
                true
            }
        }
    }
}

/// What calls through pointers may reach.
#[derive(Debug, Default)]
pub struct Targets {
    places: FxHashMap<(GlobalId, i64), Held>,
    sites: FxHashMap<(FuncId, InstId), Held>,
    /// The same for calls through members of whichever object, and through tables of any length. All that such a call may
    /// reach is known.
    closed: FxHashMap<(FuncId, InstId), Held>,
    /// Functions that call what they are given as an argument.
    call_back: FxHashSet<FuncId>,
}

impl Targets {
    pub fn new(program: &Program, graph: &CallGraph) -> Targets {
        let mut collector = Collector::new(program, graph);
        collector.images();
        collector.bodies();
        collector.follow();
        collector.finish()
    }

    /// What a cell of a global may hold, if it is a place for functions.
    pub fn at(&self, global: GlobalId, offset: i64) -> Option<&Held> {
        self.places.get(&(global, offset))
    }

    /// What a call through a pointer may reach, if that is known.
    pub fn of_call(&self, caller: FuncId, inst: InstId) -> Option<&Held> {
        self.sites.get(&(caller, inst))
    }

    /// What a call may reach that goes through a member of some object or through a table at whatever index, if all of that is
    /// known.
    pub fn of_closed_call(&self, caller: FuncId, inst: InstId) -> Option<&Held> {
        self.closed.get(&(caller, inst))
    }

    /// Takes over what members of structures may hold, whichever object it is.
    pub fn take_members(&mut self, fields: &Fields) {
        for (&site, held) in fields.calls() {
            self.closed.insert(site, held.clone());
        }
    }

    /// What such calls reach, as edges that say who is to be known first, in ascending order.
    pub fn closed_edges(&self) -> Vec<(FuncId, FuncId)> {
        let edges = self
            .closed
            .iter()
            .flat_map(|(&(caller, _), held)| held.functions.iter().map(move |&callee| (caller, callee)));
        let mut edges: Vec<_> = edges.collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// Whether a function calls a function that it is given.
    pub fn calls_back(&self, function: FuncId) -> bool {
        self.call_back.contains(&function)
    }

    /// All places for functions, in no order.
    pub fn all(&self) -> impl Iterator<Item = (GlobalId, i64, &Held)> {
        self.places.iter().map(|(&(global, offset), held)| (global, offset, held))
    }

    /// Calls through pointers as edges of the call graph, in ascending order.
    pub fn edges(&self) -> Vec<(FuncId, FuncId)> {
        self.edges_but(|_, _| false)
    }

    /// The same without some of the calls.
    pub fn edges_but(&self, without: impl Fn(FuncId, InstId) -> bool) -> Vec<(FuncId, FuncId)> {
        let calls = self.sites.iter().filter(|((caller, inst), _)| !without(*caller, *inst));
        let mut edges: Vec<_> = calls
            .flat_map(|(&(caller, _), held)| held.functions.iter().map(move |&callee| (caller, callee)))
            .collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }
}

/// Where an address leads, as far as it is known without running anything.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
enum Base {
    Global(GlobalId),
    Param(FuncId, u32),
}

/// An address: a base and bytes from there on; at an unknown place of it when absent.
type Place = (Base, Option<i64>);

/// What is stored somewhere.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
enum What {
    Function(FuncId),
    Null,
    /// What the caller passes.
    Param(FuncId, u32),
    /// The bytes from a place on.
    Contents(Place, u64),
    /// So many bytes that nothing is known about.
    Unknown(u64),
}

#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
struct Fact {
    to: Place,
    what: What,
}

struct Collector<'a> {
    program: &'a Program,
    graph: &'a CallGraph,
    places: FxHashMap<(GlobalId, i64), Held>,
    /// Offsets of the places of each global, in ascending order.
    offsets: FxHashMap<GlobalId, Vec<i64>>,
    taken: Table<FuncId, bool>,
    known: FxHashSet<Fact>,
    open: Vec<Fact>,
    shapes: Shapes,
    pointer_bytes: u64,
}

impl<'a> Collector<'a> {
    fn new(program: &'a Program, graph: &'a CallGraph) -> Collector<'a> {
        let mut taken = Table::filled(program.functions.len(), false);
        for &function in graph.address_taken() {
            taken[function] = true;
        }
        Collector {
            program,
            graph,
            places: FxHashMap::default(),
            offsets: FxHashMap::default(),
            taken,
            known: FxHashSet::default(),
            open: Vec::new(),
            shapes: Shapes::default(),
            pointer_bytes: u64::from(program.target.pointer_bits / 8),
        }
    }

    /// Initialisers.
    fn images(&mut self) {
        for (id, global) in self.program.globals.iter() {
            for relocation in global.image.iter().flat_map(|image| &image.relocations) {
                if let Symbol::Func(function) = relocation.target
                    && relocation.minus.is_none()
                    && u64::from(relocation.bytes) == self.pointer_bytes
                    && let Ok(offset) = i64::try_from(relocation.offset)
                {
                    self.hold(id, offset, function);
                }
            }
        }
    }

    fn hold(&mut self, global: GlobalId, offset: i64, function: FuncId) -> bool {
        let offsets = self.offsets.entry(global).or_default();
        if let Err(at) = offsets.binary_search(&offset) {
            offsets.insert(at, offset);
        }
        self.places.entry((global, offset)).or_default().add(function)
    }

    /// Notes a fact that may be about functions. Most of what is stored through parameters is not.
    fn fact(&mut self, to: Place, what: What) {
        let worth_it = match (to.0, what) {
            (_, What::Function(_)) => true,
            (_, What::Param(function, index)) => self.takes_function(function, index),
            (Base::Global(_), _) => true,
            (Base::Param(..), What::Contents((Base::Global(from), _), _)) => self.offsets.contains_key(&from),
            (Base::Param(..), _) => false,
        };
        if worth_it && self.known.len() < TARGET_FACTS && self.known.insert(Fact { to, what }) {
            self.open.push(Fact { to, what });
        }
    }

    /// Whether a parameter is a pointer to a function, as far as debug information tells.
    fn takes_function(&self, function: FuncId, index: u32) -> bool {
        let debug = self.program.debug(function);
        let function = &self.program.functions[function];
        let Some(DebugType::Function { params, .. }) = ctype::described(debug, function.debug_type) else {
            return true;
        };
        // Structures that are passed or returned by value change the count.
        if params.len() != function.params.len() {
            return true;
        }
        let pointee = params.get(index as usize).and_then(|&ty| ctype::pointee(debug, ty));
        matches!(pointee.map(|ty| ctype::described(debug, ty)), Some(Some(DebugType::Function { .. })))
    }

    /// Stores and copies in the text of the program.
    fn bodies(&mut self) {
        for (id, function) in self.program.functions.iter() {
            let Some(body) = &function.body else { continue };
            let scope = Scope { id, body };
            for inst in body.blocks.values().flat_map(|block| &block.insts) {
                match &body.insts[*inst].op {
                    Op::Store { addr, value, .. } if body.ty(*value) == Type::Ptr => {
                        if let Some(to) = scope.place(*addr) {
                            let mut sources = Vec::new();
                            scope.sources(*value, self.pointer_bytes, TARGET_SOURCES, &mut sources);
                            sources.into_iter().for_each(|what| self.fact(to, what));
                        }
                    }
                    Op::MemCopy { dst, src, len, .. } => {
                        if let (Some(to), Some(bytes)) = (scope.place(*dst), body.bits(*len)) {
                            let what = match scope.place(*src) {
                                Some(from) => What::Contents(from, bytes),
                                None => What::Unknown(bytes),
                            };
                            self.fact(to, what);
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    /// Carries facts about parameters to callers, and contents from place to place, until nothing changes.
    fn follow(&mut self) {
        // What is copied from place to place, and what is filled by the unknown, in the order in which it was found.
        let mut copies: Vec<(GlobalId, i64, GlobalId, i64, u64)> = Vec::new();
        let mut unknown: Vec<(GlobalId, i64, u64)> = Vec::new();
        let mut nulls: Vec<(GlobalId, i64)> = Vec::new();
        let mut next = 0;
        while let Some(&fact) = self.open.get(next) {
            next += 1;
            match owner(fact) {
                Some(function) => self.hand_to_callers(function, fact),
                None => {
                    let (Base::Global(global), Some(offset)) = fact.to else { continue };
                    match fact.what {
                        What::Function(function) => {
                            self.hold(global, offset, function);
                        }
                        What::Null => nulls.push((global, offset)),
                        What::Contents((Base::Global(from), Some(start)), bytes) => {
                            copies.push((global, offset, from, start, bytes));
                        }
                        What::Contents(_, bytes) | What::Unknown(bytes) => {
                            unknown.push((global, offset, bytes))
                        }
                        What::Param(..) => {}
                    }
                }
            }
        }
        self.open_places(&unknown);
        loop {
            let mut changed = false;
            for &(to, at, from, start, bytes) in &copies {
                changed |= self.copy(to, at, from, start, bytes);
            }
            if !changed {
                break;
            }
        }
        for place in nulls {
            if let Some(held) = self.places.get_mut(&place) {
                held.null = true;
            }
        }
    }

    /// A fact about the parameters of a function, said of what its callers pass.
    fn hand_to_callers(&mut self, function: FuncId, fact: Fact) {
        let sites: Vec<CallSite> = self.graph.call_sites(function).to_vec();
        let mut passed = Vec::new();
        for site in sites {
            let Some(body) = &self.program.functions[site.caller].body else { continue };
            let Op::Call(call) = &body.insts[site.inst].op else { continue };
            let scope = Scope { id: site.caller, body };
            let Some(to) = scope.substituted(fact.to, function, call) else { continue };
            match fact.what {
                What::Param(owner, index) if owner == function => match call.args.get(index as usize) {
                    Some(&value) => {
                        let mut sources = Vec::new();
                        scope.sources(value, self.pointer_bytes, TARGET_SOURCES, &mut sources);
                        passed.extend(sources.into_iter().map(|what| (to, what)));
                    }
                    None => passed.push((to, What::Unknown(self.pointer_bytes))),
                },
                What::Contents(from, bytes) => {
                    let from = scope.substituted(from, function, call);
                    let what = from.map_or(What::Unknown(bytes), |from| What::Contents(from, bytes));
                    passed.push((to, what));
                }
                what => passed.push((to, what)),
            }
        }
        // Whoever calls it from outside passes what they like.
        if matches!(fact.to.0, Base::Global(_))
            && (self.taken[function] || self.graph.call_sites(function).is_empty())
        {
            let bytes = match fact.what {
                What::Contents(_, bytes) | What::Unknown(bytes) => bytes,
                _ => self.pointer_bytes,
            };
            passed.push((fact.to, What::Unknown(bytes)));
        }
        passed.into_iter().for_each(|(to, what)| self.fact(to, what));
    }

    /// Places into which something is stored that is not known get what tables of the same type hold.
    fn open_places(&mut self, unknown: &[(GlobalId, i64, u64)]) {
        let mut tables: FxHashMap<(u64, i64), Vec<FuncId>> = FxHashMap::default();
        for (&(global, offset), held) in &self.places {
            if self.program.globals[global].constant {
                for key in self.shapes.around(self.program, global, offset) {
                    tables.entry(key).or_default().extend(&held.functions);
                }
            }
        }
        let pointer = self.pointer_bytes as i64;
        for &(global, start, bytes) in unknown {
            let end = start.saturating_add_unsigned(bytes);
            let mut offsets: Vec<i64> = self.offsets.get(&global).cloned().unwrap_or_default();
            // Only what is as large as a structure with tables, or lies in one, can hold functions.
            let mut at = start;
            while !tables.is_empty() && at.saturating_add(pointer) <= end && at - start < TABLE_BYTES {
                offsets.push(at);
                at += pointer;
            }
            offsets.sort_unstable();
            offsets.dedup();
            for offset in offsets.into_iter().filter(|&offset| start <= offset && offset < end) {
                for key in self.shapes.around(self.program, global, offset) {
                    for function in tables.get(&key).cloned().unwrap_or_default() {
                        self.hold(global, offset, function);
                    }
                }
                if let Some(held) = self.places.get_mut(&(global, offset)) {
                    held.open = true;
                }
            }
        }
    }

    fn copy(&mut self, to: GlobalId, at: i64, from: GlobalId, start: i64, bytes: u64) -> bool {
        let end = start.saturating_add_unsigned(bytes);
        let inside = self.offsets.get(&from).cloned().unwrap_or_default();
        let mut changed = false;
        for offset in inside.into_iter().filter(|&offset| start <= offset && offset < end) {
            let held = self.places[&(from, offset)].clone();
            let place = (to, at + (offset - start));
            for &function in &held.functions {
                changed |= self.hold(place.0, place.1, function);
            }
            if let Some(target) = self.places.get_mut(&place)
                && held.open
                && !target.open
            {
                target.open = true;
                changed = true;
            }
        }
        changed
    }

    /// Calls through pointers, now that it is known what places hold.
    fn finish(mut self) -> Targets {
        for (&(global, offset), held) in &mut self.places {
            held.null |= starts_null(self.program, global, offset, self.pointer_bytes);
        }
        let mut sites = FxHashMap::default();
        let mut closed = FxHashMap::default();
        let mut call_back = FxHashSet::default();
        for &site in self.graph.indirect_calls() {
            let Some(body) = &self.program.functions[site.caller].body else { continue };
            let Op::Call(call) = &body.insts[site.inst].op else { continue };
            let Callee::Pointer(pointer) = call.callee else { continue };
            let scope = Scope { id: site.caller, body };
            let mut sources = Vec::new();
            scope.sources(pointer, self.pointer_bytes, TARGET_SOURCES, &mut sources);
            if sources.iter().any(|what| matches!(what, What::Param(..)))
                && call.args.iter().any(|&arg| body.ty(arg) == Type::Ptr)
            {
                call_back.insert(site.caller);
            }
            let held = self.reached(&sources);
            if held.functions.len() > MOST_TARGETS {
                if !held.open {
                    closed.insert((site.caller, site.inst), held);
                }
            } else if !held.functions.is_empty() {
                sites.insert((site.caller, site.inst), held);
            }
        }
        self.places.retain(|_, held| held.functions.len() <= MOST_TARGETS);
        Targets { places: self.places, sites, closed, call_back }
    }

    fn reached(&self, sources: &[What]) -> Held {
        let mut all = Held::default();
        for &what in sources {
            let held: Vec<&Held> = match what {
                What::Function(function) => {
                    all.add(function);
                    continue;
                }
                What::Null => {
                    all.null = true;
                    continue;
                }
                What::Contents((Base::Global(global), Some(offset)), _) => {
                    self.places.get(&(global, offset)).into_iter().collect()
                }
                What::Contents((Base::Global(global), None), _) => {
                    let offsets = self.offsets.get(&global).into_iter().flatten();
                    offsets.filter_map(|&offset| self.places.get(&(global, offset))).collect()
                }
                _ => Vec::new(),
            };
            all.open |= held.is_empty();
            for one in held {
                one.functions.iter().for_each(|&function| {
                    all.add(function);
                });
                all.null |= one.null;
                all.open |= one.open;
            }
        }
        all
    }
}

/// The function whose parameters a fact is about.
fn owner(fact: Fact) -> Option<FuncId> {
    let of = |place: Place| match place.0 {
        Base::Param(function, _) => Some(function),
        Base::Global(_) => None,
    };
    of(fact.to).or(match fact.what {
        What::Param(function, _) => Some(function),
        What::Contents(from, _) => of(from),
        _ => None,
    })
}

/// Whether a place is null before anything is stored there.
fn starts_null(program: &Program, global: GlobalId, offset: i64, bytes: u64) -> bool {
    let Some(image) = &program.globals[global].image else { return true };
    let Ok(offset) = u64::try_from(offset) else { return false };
    let filled = image.relocations.iter().any(|relocation| {
        relocation.offset < offset + bytes && offset < relocation.offset + u64::from(relocation.bytes)
    });
    !filled
}

/// A body in which values are looked up.
struct Scope<'a> {
    id: FuncId,
    body: &'a Body,
}

impl Scope<'_> {
    /// Where an address leads.
    fn place(&self, address: ValueId) -> Option<Place> {
        let mut address = address;
        let mut offset = Some(0i64);
        for _ in 0..TARGET_STEPS {
            match &self.body.values[address].def {
                Def::Const(Const::Global { global, offset: at }) => {
                    return Some((Base::Global(*global), offset.and_then(|offset| offset.checked_add(*at))));
                }
                Def::Param(index) if self.body.ty(address) == Type::Ptr => {
                    return Some((Base::Param(self.id, *index), offset));
                }
                Def::Inst(inst) => match &self.body.insts[*inst].op {
                    Op::Offset { base, bytes } => {
                        offset = offset.and_then(|offset| offset.checked_add(*bytes));
                        address = *base;
                    }
                    Op::Index { base, index, scale } => {
                        let index = self.body.bits(*index).map(|bits| (bits as i64).wrapping_mul(*scale));
                        offset = offset.zip(index).and_then(|(offset, bytes)| offset.checked_add(bytes));
                        address = *base;
                    }
                    _ => return None,
                },
                _ => return None,
            }
        }
        None
    }

    /// Where a value may come from.
    fn sources(&self, value: ValueId, bytes: u64, depth: u32, sources: &mut Vec<What>) {
        let mut push = |what| {
            if !sources.contains(&what) {
                sources.push(what);
            }
        };
        match &self.body.values[value].def {
            Def::Const(Const::Func(function)) => push(What::Function(*function)),
            Def::Const(Const::Bits(0)) => push(What::Null),
            Def::Param(index) => push(What::Param(self.id, *index)),
            Def::Inst(inst) if depth > 0 => match &self.body.insts[*inst].op {
                Op::Load { addr, .. } => match self.place(*addr) {
                    Some(from) => push(What::Contents(from, bytes)),
                    None => push(What::Unknown(bytes)),
                },
                Op::Select { then, other, .. } => {
                    self.sources(*then, bytes, depth - 1, sources);
                    self.sources(*other, bytes, depth - 1, sources);
                }
                Op::Phi { incoming } => {
                    for &(_, value) in incoming {
                        self.sources(value, bytes, depth - 1, sources);
                    }
                }
                _ => push(What::Unknown(bytes)),
            },
            _ => push(What::Unknown(bytes)),
        }
    }

    /// A place of a callee's parameter, as this body passes it; other places stay what they are.
    fn substituted(&self, place: Place, callee: FuncId, call: &Call) -> Option<Place> {
        match place {
            (Base::Param(function, index), offset) if function == callee => {
                let (base, start) = self.place(*call.args.get(index as usize)?)?;
                Some((base, offset.zip(start).and_then(|(offset, start)| offset.checked_add(start))))
            }
            other => Some(other),
        }
    }
}
