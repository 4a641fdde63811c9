//! Points-to: what every pointer of a program may point to, and whom every call may reach.
//!
//! In: a joined program and the models. Out: [`PointsTo`]. The method is Andersen's: inclusion constraints, solved to
//! their least solution, blind to the order of statements and to calling contexts; fields are told apart by byte
//! offset ([`object`]), calls through pointers are resolved while solving, allocation wrappers are cloned per call
//! ([`wrapper`]). See `docs/pointer.md`.
//!
//! ```
//! # use watertight_pointer::PointsTo;
//! let text = "func @f() -> ptr {\nbb0:\n  %v0 = stack 8 align 8\n  return %v0\n}\n";
//! let program = watertight_ir::parse("f.ir", text).expect("the example is well formed");
//! let points_to = PointsTo::new(&program, &Default::default());
//! let f = program.function_named("f").expect("f");
//! assert_eq!(points_to.of(f, watertight_ir::Id::new(0)).count(), 1);
//! ```

mod block;
mod build;
mod call;
pub mod calls;
pub mod cell;
mod graph;
mod hub;
pub mod layout;
mod library;
mod mask;
mod name;
mod needed;
pub mod object;
mod outside;
pub mod query;
pub mod refine;
pub mod set;
mod solve;
mod typing;
mod view;
mod walk;
mod word;
mod wrapper;

use build::Builder;
pub use build::CallData;
pub use calls::{Calls, Targets};
use cell::Cells;
use graph::{CallId, Graph, NodeId};
use object::{LocId, Location, Memory, Object, ObjectId, Origin};
use rustc_hash::FxHashMap;
use set::Set;
use solve::Waves;
use watertight_ir::{FuncId, Id, InstId, Program, Table, ValueId};
use watertight_summary::model::Models;

/// What solving cost.
#[derive(Copy, Clone, Debug, Default)]
pub struct Figures {
    /// Values that may hold addresses.
    pub pointers: usize,
    /// Instructions that read an address from memory.
    pub loads: usize,
    /// Instructions that write an address to memory.
    pub stores: usize,
    /// Rules and inclusions before solving.
    pub constraints: usize,
    pub nodes: usize,
    pub edges: usize,
    pub objects: usize,
    pub locations: usize,
    pub waves: u32,
    pub steps: u64,
    pub collapsed: u32,
    pub wrappers: usize,
    /// Memory of the sets when all is done.
    pub set_bytes: usize,
}

/// The least solution.
pub struct PointsTo<'a> {
    memory: Memory<'a>,
    cells: Cells,
    sets: Table<NodeId, Set>,
    /// What is in the hub by object, and the sets in which the hub stands for it as they were before.
    in_hub: Vec<bool>,
    told: FxHashMap<NodeId, Set>,
    /// What values without a node point to.
    nothing: Set,
    values: Table<FuncId, Vec<Option<NodeId>>>,
    calls: Table<CallId, CallData>,
    by_inst: FxHashMap<(FuncId, InstId), CallId>,
    /// Functions each call of which makes an object of its own.
    pub wrappers: Table<FuncId, bool>,
    /// Functions that get arguments from outside.
    pub entries: Table<FuncId, bool>,
    /// Everything was worked out. Otherwise a limit was met, and nothing here can be relied on: addresses are missing.
    pub complete: bool,
    pub figures: Figures,
}

/// Locations handed to rules, before the work is given up: all pointers of such a program point to much the same, at
/// a cost that grows with the square of its size.
const MOST_STEPS: u64 = 100_000_000;
/// Inclusions between nodes, likewise.
const MOST_EDGES: usize = 5_000_000;

impl<'a> PointsTo<'a> {
    /// Solves a program.
    pub fn new(program: &'a Program, models: &Models) -> PointsTo<'a> {
        let mut builder = Builder::new(program, models);
        builder.graph.solving = true;
        let constraints = builder.graph.edges() + builder.graph.rules.values().map(Vec::len).sum::<usize>();
        let mut waves = Waves::default();
        let mut complete = true;
        loop {
            if waves.steps > MOST_STEPS || builder.graph.edges() > MOST_EDGES {
                complete = false;
                break;
            }
            builder.graph.connect();
            let arrived = waves.propagate(&mut builder.graph);
            if arrived.is_empty() && builder.graph.is_settled() && !builder.more_entries() {
                break;
            }
            for (node, new) in arrived {
                if builder.graph.edges() > MOST_EDGES {
                    break;
                }
                let node = builder.graph.find(node);
                // A rule may unite the node with another and so change its rules; those then see all of the set again.
                let many = builder.graph.is_large(node);
                for rule in builder.graph.rules[node].clone() {
                    builder.apply(rule, &new, many);
                }
            }
        }
        builder.finish();
        let Builder { mut graph, mut values, mut calls, wrappers, is_entry, loads, stores, .. } = builder;
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
            pointers: values.values().flatten().flatten().count(),
            loads,
            stores,
            constraints,
            set_bytes: graph.sets.values().map(Set::bytes).sum(),
            nodes: graph.nodes(),
            edges: graph.edges(),
            objects: graph.memory.objects.len(),
            locations: graph.memory.locations.len(),
            waves: waves.count,
            steps: waves.steps,
            collapsed: waves.collapsed,
            wrappers: wrappers.values().filter(|&&wrapper| wrapper).count(),
        };
        let mut cells = std::mem::take(&mut graph.cells);
        for node in cells.nodes_mut() {
            *node = graph.find(*node);
        }
        let told = graph.stand_for_hub();
        let Graph { memory, sets, hub, .. } = graph;
        let in_hub = memory.objects.ids().map(|object| hub.is_in(object)).collect();
        PointsTo {
            memory,
            cells,
            sets,
            in_hub,
            told,
            nothing: Set::new(),
            values,
            calls,
            by_inst,
            wrappers,
            entries: is_entry,
            complete,
            figures,
        }
    }

    /// The locations that a value may point to.
    pub fn of(&self, function: FuncId, value: ValueId) -> &Set {
        match self.values[function].get(value.index()) {
            Some(Some(node)) => &self.sets[*node],
            _ => &self.nothing,
        }
    }

    /// The same, with what is in the hub told apart as far as it is.
    pub fn told(&self, function: FuncId, value: ValueId) -> &Set {
        match self.values[function].get(value.index()) {
            Some(Some(node)) => self.told.get(node).unwrap_or(&self.sets[*node]),
            _ => &self.nothing,
        }
    }

    /// Whether an object is in the hub, which stands for it in all sets.
    pub fn is_in_hub(&self, object: ObjectId) -> bool {
        self.in_hub.get(object.index()).copied().unwrap_or(false)
    }

    /// Whether two values may be the same address.
    pub fn may_alias(&self, function: FuncId, a: ValueId, b: ValueId) -> bool {
        let (a, b) = (self.of(function, a), self.of(function, b));
        a.meets(b) || self.locations(a).any(|one| self.locations(b).any(|other| one.meets(other)))
    }

    /// Whether there is an object of an origin.
    pub fn is_object(&self, origin: Origin) -> bool {
        self.memory.known(origin).is_some()
    }

    /// Whether a value may hold the address of an offset in the object of an origin.
    pub fn includes(&self, function: FuncId, value: ValueId, origin: Origin, offset: i64) -> bool {
        self.is_in(self.of(function, value), origin, offset)
    }

    /// Whether an offset in the object of an origin is in a set.
    pub fn is_in(&self, set: &Set, origin: Origin, offset: i64) -> bool {
        // Constants that hold no addresses are one object.
        let constants = || match origin {
            Origin::Global(_) => self.memory.known(Origin::Constants),
            _ => None,
        };
        let Some(object) = self.memory.known(origin).or_else(constants) else { return false };
        self.locations(set).any(|location| {
            let data = &self.memory.objects[location.object];
            if data.origin == Origin::Hub {
                return self.is_in_hub(object);
            }
            // A block of unknown type may be seen from where something of a type begins in it.
            let viewed = data.view == Some(object) || data.view == Some(location.object);
            let there = || {
                viewed
                    || location.stride != 0
                    || !data.has_cells()
                    || location.offset == self.memory.layouts.normal(data, offset)
            };
            (location.object == object || viewed) && there()
        })
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
        &self.memory
    }

    pub fn object(&self, object: ObjectId) -> &Object {
        &self.memory.objects[object]
    }

    /// The locations in a set.
    pub fn locations<'s>(&'s self, set: &'s Set) -> impl Iterator<Item = &'s Location> {
        set.iter().map(|location| &self.memory.locations[LocId::new(location as usize)])
    }

    /// The offset of the cell that an access at a location reads or writes.
    pub fn cell_offset(&self, location: &Location) -> i64 {
        self.cells.offset(location)
    }

    /// What the cells of an object may hold, with what is in the hub told apart as far as it is.
    pub(crate) fn told_contents(&self, object: ObjectId) -> impl Iterator<Item = (i64, &Set)> {
        let set = |node: NodeId| self.told.get(&node).unwrap_or(&self.sets[node]);
        self.cells.of(object).iter().map(move |&(offset, node)| (offset, set(node)))
    }

    /// What the cells of an object may hold, each with its offset.
    pub fn contents(&self, object: ObjectId) -> impl Iterator<Item = (i64, &Set)> {
        self.cells.of(object).iter().map(|&(offset, node)| (offset, &self.sets[node]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What each load of `@f` gives: the names of globals and functions.
    fn loaded(text: &str) -> Vec<Vec<String>> {
        let program = watertight_ir::parse("test.ir", text).expect("the test is well formed");
        let points_to = PointsTo::new(&program, &Models::default());
        let f = program.function_named("f").expect("f is there");
        let body = program.functions[f].body.as_ref().expect("f has a body");
        let loads = body.insts.values().filter(|inst| matches!(inst.op, watertight_ir::Op::Load { .. }));
        let name = |at: &Location| match points_to.object(at.object).origin {
            Origin::Global(global) => format!("{}+{}", program.globals[global].name, at.offset),
            Origin::Function(function) => program.functions[function].name.to_string(),
            other => format!("{other:?}"),
        };
        loads
            .filter_map(|load| load.result)
            .map(|value| points_to.locations(points_to.of(f, value)).map(name).collect())
            .collect()
    }

    const GLOBALS: &str = "global @a: 4 align 4 = { }\nglobal @b: 4 align 4 = { }\n";

    #[test]
    fn fields_are_told_apart() {
        let body = "func @f() {\nbb0:\n  %v0 = stack 16 align 8\n  %v1 = offset %v0, 8\n  store ptr @a to %v0\n  \
                    store ptr @b to %v1\n  %v2: ptr = load %v0\n  %v3: ptr = load %v1\n  return\n}\n";
        assert_eq!(loaded(&format!("{GLOBALS}{body}")), [["a+0"], ["b+0"]]);
    }

    #[test]
    fn a_call_through_a_pointer_reaches_what_it_points_to() {
        let text = "func @set(%v0: ptr, %v1: ptr) internal {\nbb0:\n  store %v1 to %v0\n  return\n}\n\
                    func @one(%v0: ptr) internal {\nbb0:\n  return\n}\n\
                    func @f(%v0: i1) {\nbb0:\n  %v1 = stack 8 align 8\n  \
                    %v2: ptr = select %v0, ptr @set, ptr @one\n  call %v2(%v1, ptr @a)\n  \
                    %v3: ptr = load %v1\n  return\n}\n";
        // A function that takes another number of arguments is not called.
        assert_eq!(loaded(&format!("{GLOBALS}{text}")), [["a+0"]]);
    }

    #[test]
    fn bytes_that_are_copied_bring_their_addresses() {
        let body = "func @f() {\nbb0:\n  %v0 = stack 16 align 8\n  %v1 = stack 16 align 8\n  \
                    %v2 = offset %v0, 8\n  store ptr @a to %v2\n  memcpy %v1, %v0, i64 16\n  \
                    %v3 = offset %v1, 8\n  %v4: ptr = load %v3\n  %v5: ptr = load %v1\n  return\n}\n";
        assert_eq!(loaded(&format!("{GLOBALS}{body}")), [vec!["a+0"], vec![]]);
    }

    #[test]
    fn functions_that_nothing_is_known_about_call_each_other_and_come_to_an_end() {
        let text = "declare @take(ptr, ptr, ptr)\ndeclare @g()\ndeclare @h()\n\
                    func @back(%v0: ptr) internal {\nbb0:\n  store %v0 to ptr @cell\n  return\n}\n\
                    global @cell: 8 align 8 = { }\n\
                    func @f() {\nbb0:\n  call @take(ptr @g, ptr @h, ptr @back)\n  %v0: ptr = load ptr @cell\n  return\n}\n";
        // `take` may hand `h` to `back`, and `g` may hand `back` to itself.
        assert_eq!(loaded(text), [["g", "h", "back", "World"]]);
    }
}
