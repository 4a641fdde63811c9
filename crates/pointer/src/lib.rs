//! Points-to: what every pointer of a program may point to, and whom every call may reach.
//!
//! In: a joined program and the models. Out: [`PointsTo`]. The method is Andersen's: inclusion constraints, solved to
//! their least solution, blind to the order of statements and to calling contexts; fields are told apart by byte
//! offset ([`object`]), calls through pointers are resolved while solving, allocation wrappers are cloned per call
//! ([`wrapper`]). See `docs/pointer.md`.
//!
//! ```
//! # use watertight_pointer::PointsTo;
//! let text = "func @f() -> ptr {\nbb0:\n  %v0: ptr = stack 8\n  return %v0\n}\n";
//! let program = watertight_ir::parse("f.ir", text).expect("the example is well formed");
//! let points_to = PointsTo::new(&program, &Default::default());
//! let f = program.function_named("f").expect("f");
//! assert_eq!(points_to.of(f, watertight_ir::Id::new(0)).count(), 1);
//! ```

pub mod build;
pub mod cell;
pub mod declared;
pub mod graph;
pub mod library;
pub mod object;
pub mod set;
pub mod solve;
pub mod transfer;
pub mod types;
pub mod walk;
pub mod wrapper;

use build::{Builder, CallData};
use graph::{CallId, NodeId, Solution};
use object::{LocId, Location, Memory, Object, ObjectId};
use rustc_hash::FxHashMap;
use set::Set;
use solve::Waves;
use watertight_ir::{FuncId, Id, InstId, Program, Table, ValueId};
use watertight_summary::model::Models;

/// What solving cost.
#[derive(Copy, Clone, Debug, Default)]
pub struct Figures {
    pub nodes: usize,
    pub edges: usize,
    pub objects: usize,
    pub locations: usize,
    pub waves: u32,
    pub steps: u64,
    pub collapsed: u32,
    pub wrappers: usize,
}

/// The least solution.
pub struct PointsTo<'a> {
    solved: Solution<'a>,
    values: Table<FuncId, Vec<Option<NodeId>>>,
    calls: Table<CallId, CallData>,
    by_inst: FxHashMap<(FuncId, InstId), CallId>,
    pub wrappers: Table<FuncId, bool>,
    pub figures: Figures,
}

const NOTHING: &Set = &Set::new();

impl<'a> PointsTo<'a> {
    /// Solves a program.
    pub fn new(program: &'a Program, models: &'a Models) -> PointsTo<'a> {
        let mut builder = Builder::new(program, models);
        let mut waves = Waves::default();
        if std::env::var_os("WT_DEBUG").is_some() { builder.graph.memory.types.dump(); }
        loop {
            builder.graph.connect();
            let arrived = waves.propagate(&mut builder.graph);
            if arrived.is_empty() && builder.graph.changed.is_empty() {
                break;
            }
            if std::env::var_os("WT_DEBUG").is_some() {
                let sizes: Vec<usize> = builder.graph.sets.values().map(|s| s.count()).collect();
                let big = builder.graph.sets.ids().max_by_key(|&n| builder.graph.sets[n].count()).expect("some");
                let mut kinds: std::collections::BTreeMap<String, (usize, std::collections::BTreeSet<usize>)> = Default::default();
                for l in builder.graph.sets[big].iter() {
                    let loc = builder.graph.memory.locations[LocId::new(l as usize)];
                    let o = &builder.graph.memory.objects[loc.object];
                    let k = match o.origin { object::Origin::Global(g) => format!("global {}", program.globals[g].name), object::Origin::Function(_) => "function".into(), object::Origin::Stack(f, _) => format!("stack {}", program.functions[f].name), object::Origin::Heap(f,_,_) => format!("heap {}", program.functions[f].name), ref o => format!("{o:?}").split('(').next().unwrap_or("").into() };
                    let e = kinds.entry(k).or_default(); e.0 += 1; e.1.insert(loc.stride as usize);
                }
                let mut kinds: Vec<_> = kinds.into_iter().collect(); kinds.sort_by_key(|k| std::cmp::Reverse(k.1.0)); kinds.truncate(12);
                let who: Vec<String> = builder.values.iter().flat_map(|(f, v)| v.iter().enumerate().filter(|(_, n)| n.is_some_and(|n| builder.graph.find(n) == big)).map(move |(i, _)| format!("{}:{i}", program.functions[f].name))).take(8).collect();
                let mut ob: std::collections::BTreeMap<String, usize> = Default::default();
                for (_, o) in builder.graph.memory.objects.iter() { if let object::Origin::As(b, _) = o.origin { let n = builder.graph.cells.of.get(b).map_or(0, |c| c.len()); let _ = n; *ob.entry(format!("{:?}", builder.graph.memory.objects[b].origin)).or_default() += 1; } }
                let mut ob: Vec<_> = ob.into_iter().collect(); ob.sort_by_key(|k| std::cmp::Reverse(k.1)); ob.truncate(8);
                eprintln!("  views {ob:?}");
                let mut cl: Vec<(usize, String)> = builder.graph.cells.of.iter().map(|(o, c)| (c.len(), match builder.graph.memory.objects[o].origin { object::Origin::As(b, t) => format!("{:?} as {}", builder.graph.memory.objects[b].origin, builder.graph.memory.types.name(t)), o => format!("{o:?}") })).collect(); cl.sort(); cl.reverse(); cl.truncate(8);
                eprintln!("  cells {cl:?}");
                let mut any: std::collections::BTreeMap<String, (usize, usize)> = Default::default();
                for (n, s) in builder.graph.sets.iter() { let c = builder.graph.classes[n]; let e = any.entry(builder.graph.memory.types.name(c)).or_default(); e.0 += 1; e.1 += s.count(); }
                let mut any: Vec<_> = any.into_iter().collect(); any.sort_by_key(|k| std::cmp::Reverse(k.1.1)); any.truncate(8);
                eprintln!("  classes {any:?}");
                let mut ops: std::collections::BTreeMap<String, (usize, usize, String)> = Default::default();
                for (f, v) in builder.values.iter() { let Some(body) = &program.functions[f].body else { continue }; for (i, n) in v.iter().enumerate() { if let Some(n) = n { let n = builder.graph.find(*n); if builder.graph.classes[n] != types::Types::unknown() { continue; } let id: watertight_ir::ValueId = Id::new(i); let d = builder.declared[f].types[i] != types::Types::unknown(); let what = match &body.values[id].def { watertight_ir::Def::Param(_) => "param".to_string(), watertight_ir::Def::Inst(x) => body.insts[*x].op.name().to_string(), _ => "const".to_string() }; let e = ops.entry(format!("{what} {d} {}", body.ty(id))).or_default(); e.0 += 1; e.1 += builder.graph.sets[n].count(); if builder.graph.sets[n].count() > 200 { e.2 = format!("{}:{i}", program.functions[f].name); } } } }
                let mut ops: Vec<_> = ops.into_iter().collect(); ops.sort_by_key(|k| std::cmp::Reverse(k.1.1)); ops.truncate(12);
                eprintln!("  ops {ops:?}");
                let cells: usize = builder.graph.cells.of.values().flatten().map(|c| builder.graph.sets[builder.graph.find(c.1)].count()).sum();
                eprintln!("  cells total {cells} of {}", builder.graph.cells.of.values().flatten().count());
                if waves.count == 8 { let mut why: std::collections::BTreeMap<String, (usize, String)> = Default::default(); for (f, v) in builder.values.iter() { let Some(body) = &program.functions[f].body else { continue }; for (i, n) in v.iter().enumerate() { if n.is_none() { continue; } let id: watertight_ir::ValueId = Id::new(i); if builder.declared[f].types[i] != types::Types::unknown() { continue; } if let Some(watertight_ir::Op::Load { addr, .. }) = body.def_op(id) { let at = builder.declared[f].types[addr.index()]; let op = match &body.values[*addr].def { watertight_ir::Def::Param(_) => "param", watertight_ir::Def::Inst(x) => body.insts[*x].op.name(), _ => "const" }; let base = match body.def_op(*addr) { Some(watertight_ir::Op::Offset { base, .. }) => { let b = builder.declared[f].types[base.index()]; let c = builder.declared[f].casts.get(base).map_or(0, |c| c.len()); format!("of {} casts {c}", builder.graph.memory.types.name(b)) } _ => String::new() }; let e = why.entry(format!("{op} {} {base}", builder.graph.memory.types.name(at))).or_default(); e.0 += 1; e.1 = format!("{}:{i}", program.functions[f].name); } } }
                let mut why: Vec<_> = why.into_iter().collect(); why.sort_by_key(|k| std::cmp::Reverse(k.1.0)); why.truncate(40); for w in why { eprintln!("WHY {w:?}"); } }
                let mut by: std::collections::BTreeMap<String, (usize, usize)> = Default::default();
                for (o, cs) in builder.graph.cells.of.iter() { for (l, n) in cs { let n = builder.graph.find(*n); let k = match builder.graph.memory.objects[o].origin { object::Origin::As(b, t) => { let b = format!("{:?}", builder.graph.memory.objects[b].origin); format!("{} as {}", b.split('(').next().unwrap_or(""), if b.starts_with("Carried") { String::new() } else { format!("{} {}", builder.graph.memory.types.name(t), l.offset) }) } o => format!("{o:?}").split('(').next().unwrap_or("").to_string() }; let e = by.entry(format!("{k} class {}", builder.graph.memory.types.name(builder.graph.classes[n]))).or_default(); e.0 += 1; e.1 += builder.graph.sets[n].count(); } }
                let mut by: Vec<_> = by.into_iter().collect(); by.sort_by_key(|k| std::cmp::Reverse(k.1.1)); by.truncate(25);
                eprintln!("  cellkinds {by:?}");
                builder.graph.dump_transfers();
                eprintln!("  bigclass {} {who:?} {kinds:?}", builder.graph.memory.types.name(builder.graph.classes[big]));
                eprintln!("wave {} arrived {} locs {} objs {} nodes {} edges {} total {} max {} steps {} coll {}", waves.count, arrived.len(), builder.graph.memory.locations.len(), builder.graph.memory.objects.len(), builder.graph.nodes(), builder.graph.edges(), sizes.iter().sum::<usize>(), sizes.iter().max().unwrap_or(&0), waves.steps, waves.collapsed);
            }
            for (node, new) in arrived {
                let node = builder.graph.find(node);
                // A rule may unite the node with another and so change its rules; those then see all of the set again.
                for rule in builder.graph.rules[node].clone() {
                    builder.apply(rule, &new);
                }
            }
        }
        let Builder { graph, mut values, mut calls, wrappers, .. } = builder;
        for node in values.values_mut().flatten().flatten() {
            *node = graph.find(*node);
        }
        let mut by_inst = FxHashMap::default();
        for (id, call) in calls.iter_mut() {
            call.targets.sort_unstable();
            if !call.by_model {
                by_inst.insert((call.caller, call.inst), id);
            }
        }
        let figures = Figures {
            nodes: graph.nodes(),
            edges: graph.edges(),
            objects: graph.memory.objects.len(),
            locations: graph.memory.locations.len(),
            waves: waves.count,
            steps: waves.steps,
            collapsed: waves.collapsed,
            wrappers: wrappers.values().filter(|&&wrapper| wrapper).count(),
        };
        let solved = graph.into_solution();
        PointsTo { solved, values, calls, by_inst, wrappers, figures }
    }

    /// The locations that a value may point to.
    pub fn of(&self, function: FuncId, value: ValueId) -> &Set {
        match self.values[function].get(value.index()) {
            Some(Some(node)) => &self.solved.sets[*node],
            _ => NOTHING,
        }
    }

    /// The functions that a call may reach, in order; none when nothing is known.
    pub fn callees(&self, caller: FuncId, inst: InstId) -> &[FuncId] {
        self.by_inst.get(&(caller, inst)).map_or(&[], |&call| &self.calls[call].targets)
    }

    /// Calls that models make: `qsort` calls its comparison.
    pub fn calls_by_models(&self) -> impl Iterator<Item = &CallData> {
        self.calls.values().filter(|call| call.by_model)
    }

    pub fn memory(&self) -> &Memory<'a> {
        &self.solved.memory
    }

    pub fn object(&self, object: ObjectId) -> &Object {
        &self.solved.memory.objects[object]
    }

    /// The locations in a set.
    pub fn locations<'s>(&'s self, set: &'s Set) -> impl Iterator<Item = &'s Location> {
        set.iter().map(|location| &self.solved.memory.locations[LocId::new(location as usize)])
    }

    /// What the cells of an object may hold, each with its location.
    pub fn contents(&self, object: ObjectId) -> impl Iterator<Item = (&Location, &Set)> {
        self.solved.cells(object).iter().map(|(location, node)| (location, &self.solved.sets[*node]))
    }
}
