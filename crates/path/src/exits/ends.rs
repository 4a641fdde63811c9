//! The end of the process: what is still held then.
//!
//! A process ends where `main` returns and where a function is called that does not come back because it exits. What
//! variables in scope, globals, and what they lead to hold at that moment was not lost before. It is *held at exit* if a
//! global holds it, or if `main` comes to its end: it returns, or exits and has no return after that. Functions that exit
//! in the midst of work break off; what their variables hold then is alive like they are, and nobody's leak (decision 12). A
//! block that a function leaves in a global is held until the end if nothing in the program releases what the global holds.
//!
//! In: an evaluated function. Out: for each object acquired in it, when it is held at an end. The state of memory at an
//! end needs no copy: control does not go on there, so no later store has a guard that overlaps with it.
//!
//! Debug information keeps no scopes. A variable that is declared between the first and the last line of a loop belongs
//! to one iteration; other variables are taken to live until the function ends (ASSUME-22).

use crate::exits::lost::{Roots, escape, raise, spread};
use crate::limits::{END_PAIRS, STEPS_BACK};
use crate::machine::journal::End;
use crate::machine::journal::Manner;
use crate::machine::memory::{ObjectId, Origin};
use crate::machine::state::State;
use crate::machine::value::{Leaf, Leaves, Sym};
use crate::plan::unroll::NodeId;
use watertight_ir::callgraph::CallGraph;
use watertight_ir::{
    Body, Callee, Const, Def, FuncId, GlobalId, InstId, LoopId, Op, PlaceId, Program, Symbol, Table,
    Terminator, VarId,
};
use watertight_logic::guard::Guard;
use watertight_summary::model::Models;
use watertight_summary::{Effect, Path, Root, Summary, Value};

/// An object that is held at an end of the process.
#[derive(Clone, Debug)]
pub struct Held {
    pub object: ObjectId,
    pub guard: Guard,
    /// Globals that lead to it, unless only a variable of the function does.
    pub globals: Vec<GlobalId>,
}

/// What `main` and every function that exits hold at the end.
#[derive(Clone, Debug, Default)]
pub struct AtEnd {
    pub ends: Vec<End>,
    /// When each object is reached by a variable or a global at an end.
    pub reached: Table<ObjectId, Guard>,
    pub held: Vec<Held>,
}

/// Whether a function is where a program starts.
pub fn is_main(state: &State<'_>) -> bool {
    *state.function.name == *"main"
}

impl State<'_> {
    /// Notes the paths on which a call that was entered does not come back, if that is the end of the process.
    pub fn note_end(&mut self, inst: InstId, callee: FuncId, entered: Guard) {
        if !self.context.exits(callee) {
            return;
        }
        let guard = self.formulas.guards.and_not(entered, self.here);
        if guard.is_false() {
            return;
        }
        let (well, manner) = match &self.body.insts[inst].op {
            Op::Call(call)
                if matches!(call.callee, Callee::Direct(_))
                    && self.context.program.functions[callee].body.is_none()
                    && let [status] = call.args[..] =>
            {
                match self.body.bits(status) {
                    // A status of 0 says that all went well.
                    Some(0) => (true, Manner::Exiting),
                    Some(_) => (false, Manner::Breaking),
                    None => (false, Manner::Exiting),
                }
            }
            _ => (false, Manner::Breaking),
        };
        let place = self.body.insts[inst].place;
        self.journal.ends.push(End { node: self.node, guard, place, well, manner });
    }
}

/// Everything about the ends of the process in this function.
pub fn at_end(state: &mut State<'_>) -> AtEnd {
    let ends = ends(state);
    let fresh = state.objects.values().any(|object| object.is_fresh());
    if ends.is_empty() || !fresh {
        return AtEnd { ends, reached: Table::filled(state.objects.len(), Guard::FALSE), held: Vec::new() };
    }
    let all = ends.iter().fold(Guard::FALSE, |all, end| state.formulas.guards.or(all, end.guard));
    let closing = ends.iter().filter(|end| end.manner == Manner::Closing);
    let closing = closing.fold(Guard::FALSE, |all, end| state.formulas.guards.or(all, end.guard));
    let locals = reached_from_locals(state, &ends);
    let mut reached = locals.clone();
    let mut open = Vec::new();
    for object in state.objects.ids() {
        if matches!(state.objects[object].origin, Origin::Global(_)) {
            raise(state, &mut reached, &mut open, object, all);
        }
    }
    spread(state, &mut reached, open);
    let others = escape(state, Roots::OTHERS);
    let by_globals = escape(state, Roots::GLOBALS);
    let mut held = Vec::new();
    for object in state.objects.ids() {
        if !state.objects[object].is_fresh() {
            continue;
        }
        let live = state.live(object, all);
        let guards = &mut state.formulas.guards;
        let live = guards.and_not(live, others[object]);
        let guard = guards.and(live, reached[object]);
        if guard.is_false() {
            continue;
        }
        let by_local = guards.and(guard, locals[object]);
        let by_local = guards.and_not(by_local, by_globals[object]);
        let rest = guards.and_not(guard, by_local);
        let by_local = guards.and(by_local, closing);
        let guard = if by_local.is_false() { rest } else { by_local };
        if guard.is_false() {
            continue;
        }
        let globals = if by_local.is_false() { holders(state, object) } else { Vec::new() };
        // What a callee has left in a global was told there.
        if state.objects[object].left_in_global && !globals.is_empty() {
            continue;
        }
        held.push(Held { object, guard, globals });
    }
    AtEnd { ends, reached, held }
}

/// What a function that returns leaves in globals, and nowhere else.
pub fn left_in_globals(state: &mut State<'_>, returned: Guard) -> Vec<Held> {
    let mut held = Vec::new();
    if returned.is_false() || !state.objects.values().any(|object| object.is_fresh()) {
        return held;
    }
    let reached = escape(state, Roots::GLOBALS);
    let others = escape(state, Roots::OTHERS);
    let returned_too = escape(state, Roots::OTHERS_AND_RESULT);
    for object in state.objects.ids() {
        // What a callee has left in a global was told there.
        let told = state.objects[object].left_in_global;
        if !state.objects[object].is_fresh() || reached[object].is_false() || told {
            continue;
        }
        let live = state.live(object, returned);
        let globals = holders(state, object);
        // The caller may answer for a block that is returned as well, but not if the function only makes
        // sure that there is one: then it returns on other paths what the global held before.
        let others = if returns_contents(state, &globals) { others[object] } else { returned_too[object] };
        let guards = &mut state.formulas.guards;
        let live = guards.and_not(live, others);
        let guard = guards.and(live, reached[object]);
        if !guard.is_false() {
            held.push(Held { object, guard, globals });
        }
    }
    held
}

/// Whether a path returns what one of these globals held at entry.
fn returns_contents(state: &State<'_>, globals: &[GlobalId]) -> bool {
    let from_global = |leaf: Leaf| match leaf {
        Leaf::Address(object, _) => match &state.objects[object].origin {
            Origin::Entry(Path { root: Root::Global(global), .. }) => globals.contains(global),
            _ => false,
        },
        _ => false,
    };
    state.returns.iter().any(|(_, _, sym)| match sym {
        Some(Sym::Leaves(leaves)) => leaves.iter().any(|entry| from_global(entry.1)),
        _ => false,
    })
}

/// Where the process ends: calls that exit, and the returns of `main`.
fn ends(state: &mut State<'_>) -> Vec<End> {
    let mut ends = state.journal.ends.clone();
    if !is_main(state) {
        return ends;
    }
    for (node, guard, _) in state.returns.clone() {
        let block = state.unrolled.nodes[node].block;
        let place = state.body.blocks[block].term_place;
        // A `return` in the source jumps to the one block that returns; the jump has the line and the scope.
        if only_returns(state.body, block) && !state.edges[node].is_empty() {
            for (from, edge) in state.edges[node].clone() {
                let guard = state.and(guard, edge);
                let block = state.unrolled.nodes[from].block;
                let jumps = matches!(state.body.blocks[block].term, Terminator::Jump(_));
                let place = if jumps { state.body.blocks[block].term_place.or(place) } else { place };
                if !guard.is_false() {
                    ends.push(End { node: from, guard, place, well: true, manner: Manner::Closing });
                }
            }
        } else if !guard.is_false() {
            ends.push(End { node, guard, place, well: true, manner: Manner::Closing });
        }
    }
    // What stands behind all others is how `main` ends.
    let line =
        |place: Option<PlaceId>| place.and_then(|place| state.body.places.get(place)).map(|place| place.line);
    let exits = ends.iter().filter(|end| end.manner == Manner::Exiting).map(|end| end.place);
    let last = exits.chain(return_places(state.body)).filter_map(line).max();
    for end in ends.iter_mut().filter(|end| end.manner == Manner::Exiting) {
        if line(end.place) == last {
            end.manner = Manner::Closing;
        }
    }
    ends
}

/// Where the source says `return`, whether or not control gets there, and where the function just ends.
fn return_places(body: &Body) -> Vec<Option<PlaceId>> {
    let mut places = Vec::new();
    for (id, block) in body.blocks.iter().filter(|(_, block)| matches!(block.term, Terminator::Return(_))) {
        let known = places.len();
        if only_returns(body, id) {
            for from in body.blocks.values() {
                match from.term {
                    Terminator::Jump(target) if target == id => places.push(from.term_place),
                    _ => from.term.successors(|target| {
                        if target == id {
                            places.push(block.term_place);
                        }
                    }),
                }
            }
        }
        if places.len() == known {
            places.push(block.term_place);
        }
    }
    places
}

/// When each object is reached from a variable that is in scope at an end.
fn reached_from_locals(state: &mut State<'_>, ends: &[End]) -> Table<ObjectId, Guard> {
    let extents = extents(state);
    // Like a cell of memory, a variable holds what it got last, under a guard.
    let mut current: Table<VarId, Vec<(Guard, ObjectId, NodeId)>> =
        Table::filled(state.body.variables.len(), Vec::new());
    for binding in state.journal.bindings.clone() {
        let Op::Name { variable, value } = state.body.insts[binding.inst].op else { continue };
        let mut now = Vec::new();
        for (when, object) in fresh_leaves(state, binding.node, value) {
            let when = state.and(binding.guard, when);
            if !when.is_false() {
                now.push((when, object, binding.node));
            }
        }
        for (when, object, node) in std::mem::take(&mut current[variable]) {
            let when = state.formulas.guards.and_not(when, binding.guard);
            if !when.is_false() {
                now.push((when, object, node));
            }
        }
        current[variable] = now;
    }
    let bound: usize = current.values().map(Vec::len).sum();
    let many = bound.saturating_mul(ends.len()) > END_PAIRS;
    let all = ends.iter().fold(Guard::FALSE, |all, end| state.formulas.guards.or(all, end.guard));
    let together = ends.first().map(|end| End { guard: all, ..*end });
    let ends = if many { together.as_slice() } else { ends };
    let homes = homes(state);
    let scopes: Table<VarId, Scope> = match many {
        true => Table::filled(state.body.variables.len(), Scope::default()),
        false => current.ids().map(|variable| scope_of(state, &extents, variable)).collect(),
    };
    let mut reached = Table::filled(state.objects.len(), Guard::FALSE);
    let mut open = Vec::new();
    for end in ends {
        for variable in current.ids() {
            for index in 0..current[variable].len() {
                let (when, object, node) = current[variable][index];
                if visible(state, &scopes[variable], node, end) {
                    let guard = state.and(end.guard, when);
                    raise(state, &mut reached, &mut open, object, guard);
                }
            }
        }
        for &(object, variable) in &homes {
            if scopes[variable].contains(state, end) {
                raise(state, &mut reached, &mut open, object, end.guard);
            }
        }
    }
    spread(state, &mut reached, open);
    reached
}

/// The fresh objects that a value leads to.
fn fresh_leaves(
    state: &mut State<'_>,
    node: NodeId,
    value: watertight_ir::ValueId,
) -> Vec<(Guard, ObjectId)> {
    let sym = state.value_at(node, state.entered[node], value);
    let width = state.pointer_width();
    let leaves: Leaves = state.leaves(&sym, width);
    let fresh = leaves.into_iter().filter_map(|(guard, leaf)| match leaf {
        Leaf::Address(object, _) if state.objects[object].is_fresh() => Some((guard, object)),
        _ => None,
    });
    fresh.collect()
}

/// Objects of variables that live in memory.
fn homes(state: &State<'_>) -> Vec<(ObjectId, VarId)> {
    let mut homes = Vec::new();
    for (variable, data) in state.body.variables.iter() {
        let Some(Def::Inst(inst)) = data.home.map(|home| &state.body.values[home].def) else { continue };
        for (object, entry) in state.objects.iter() {
            if matches!(entry.origin, Origin::Stack(home) if home == *inst) {
                homes.push((object, variable));
            }
        }
    }
    homes
}

/// The first and the last line of each loop.
fn extents(state: &State<'_>) -> Table<LoopId, Option<(u32, u32)>> {
    let body = state.body;
    let line = |place: Option<PlaceId>| {
        let place = body.places.get(place?)?;
        (place.inlined_at.is_none() && place.line > 0).then_some(place.line)
    };
    let extent = |id| {
        let mut extent: Option<(u32, u32)> = None;
        for &block in state.loops.blocks(id) {
            let block = &body.blocks[block];
            let insts = block.insts.iter().map(|&inst| body.insts[inst].place);
            for line in insts.chain([block.term_place]).filter_map(line) {
                let (first, last) = extent.unwrap_or((line, line));
                extent = Some((first.min(line), last.max(line)));
            }
        }
        extent
    };
    state.loops.iter().map(|(id, _)| extent(id)).collect()
}

/// The innermost loop that a variable is declared in, and its lines.
#[derive(Copy, Clone, Debug, Default)]
struct Scope {
    around: Option<LoopId>,
    lines: (u32, u32),
}

impl Scope {
    /// Whether an end stands in the scope.
    fn contains(&self, state: &State<'_>, end: &End) -> bool {
        let Some(id) = self.around else { return true };
        let line = end.place.and_then(|place| state.body.places.get(place)).map(|place| place.line);
        state.loops.contains(id, state.unrolled.nodes[end.node].block)
            || line.is_some_and(|line| self.lines.0 <= line && line <= self.lines.1)
    }
}

fn scope_of(state: &State<'_>, extents: &Table<LoopId, Option<(u32, u32)>>, variable: VarId) -> Scope {
    let around = loop_of(state, extents, variable);
    Scope { around, lines: around.and_then(|id| extents[id]).unwrap_or_default() }
}

fn loop_of(
    state: &State<'_>,
    extents: &Table<LoopId, Option<(u32, u32)>>,
    variable: VarId,
) -> Option<LoopId> {
    let data = &state.body.variables[variable];
    let place = state.body.places.get(data.place?)?;
    let inside = |id: LoopId| match extents[id] {
        Some((first, last)) if first < place.line => place.line <= last,
        // The declaration and the head of the loop share a line: the loop has it if it has all its values.
        Some((first, _)) if first == place.line => data.home.is_none() && only_named_in(state, variable, id),
        _ => false,
    };
    let around = state.loops.iter().filter(|(id, _)| inside(*id));
    around.max_by_key(|(_, data)| data.depth).map(|(id, _)| id)
}

fn only_named_in(state: &State<'_>, variable: VarId, id: LoopId) -> bool {
    state.body.blocks.iter().all(|(block, data)| {
        let names = data.insts.iter().any(|&inst| {
            matches!(state.body.insts[inst].op, Op::Name { variable: other, .. } if other == variable)
        });
        !names || state.loops.contains(id, block)
    })
}

/// Whether what a variable got at one node can still be in it at an end: not if an iteration that it belongs
/// to is over.
fn visible(state: &State<'_>, scope: &Scope, bound: NodeId, end: &End) -> bool {
    let Some(id) = scope.around else { return true };
    let depth = state.loops[id].depth as usize;
    let numbers = |node: NodeId| state.unrolled.contexts[state.unrolled.nodes[node].context].get(..depth);
    scope.contains(state, end)
        && last_inside(state, id, end.node).into_iter().any(|node| numbers(node) == numbers(bound))
}

/// The nodes of a loop by which control comes to a node; a `return` inside a loop is not on its cycle.
fn last_inside(state: &State<'_>, id: LoopId, node: NodeId) -> Vec<NodeId> {
    let mut found = vec![node];
    let mut inside = Vec::new();
    let mut next = 0;
    while let Some(&node) = found.get(next) {
        next += 1;
        if state.loops.contains(id, state.unrolled.nodes[node].block) {
            inside.push(node);
            continue;
        }
        for &(from, _) in &state.edges[node] {
            if !found.contains(&from) && found.len() < STEPS_BACK {
                found.push(from);
            }
        }
    }
    inside
}

/// Globals that lead to an object, whatever the path.
fn holders(state: &State<'_>, object: ObjectId) -> Vec<GlobalId> {
    let mut found = vec![object];
    let mut globals = Vec::new();
    let mut next = 0;
    while next < found.len() {
        for (id, entry) in state.objects.iter() {
            if found.contains(&id) || !entry.held().any(|(_, held)| held == found[next]) {
                continue;
            }
            found.push(id);
            if let Origin::Global(global) = entry.origin {
                globals.push(global);
            }
        }
        next += 1;
    }
    globals
}

/// Globals whose contents a function releases or gives to somebody, on any path: also on one that does not get out
/// of a loop in as many iterations as were looked at.
pub fn taken(state: &State<'_>) -> Vec<GlobalId> {
    let mut globals: Vec<GlobalId> = Vec::new();
    for object in state.objects.values() {
        if let Origin::Entry(Path { root: Root::Global(global), .. }) = object.origin
            && !(object.released.is_false() && object.kept.is_false() && object.assumed_kept.is_false())
            && !globals.contains(&global)
        {
            globals.push(global);
        }
    }
    globals
}

/// What the functions of a program do to what globals hold.
pub struct Globals {
    /// Some function releases, keeps or moves what the global holds.
    taken: Table<GlobalId, bool>,
    /// The same, by a function that may run when the process ends because its address is taken.
    taken_at_exit: Table<GlobalId, bool>,
    /// Functions whose address is taken.
    called_later: Table<FuncId, bool>,
    /// Some function ends a state that the global, or what it leads to, can be in; or may do so under another name.
    ended: Table<GlobalId, bool>,
}

impl Globals {
    pub fn new(program: &Program, library: &Models, summaries: &Table<FuncId, Option<Summary>>) -> Globals {
        let mut called_later = Table::filled(program.functions.len(), false);
        for &function in CallGraph::new(program).address_taken() {
            called_later[function] = true;
        }
        let taken = exposed(program, library);
        let ended = taken.clone();
        let taken_at_exit = Table::filled(program.globals.len(), false);
        let mut all = Globals { taken, taken_at_exit, called_later, ended };
        for (function, summary) in summaries.iter() {
            let Some(summary) = summary else { continue };
            for effect in summary.effects() {
                if let Some(global) = takes(effect) {
                    all.take(function, &[global]);
                }
            }
        }
        all
    }

    /// Adds what was seen of one function.
    pub fn take(&mut self, function: FuncId, globals: &[GlobalId]) {
        for &global in globals {
            self.taken[global] = true;
            self.taken_at_exit[global] |= self.called_later[function];
        }
    }

    /// Adds states that one function was seen to end.
    pub fn end(&mut self, globals: &[GlobalId]) {
        globals.iter().for_each(|&global| self.ended[global] = true);
    }

    /// Whether no function ends the states that these globals lead to.
    pub fn never_end(&self, globals: &[GlobalId]) -> bool {
        !globals.is_empty() && !globals.iter().any(|&global| self.ended[global])
    }

    /// Whether what a function leaves in these globals when it returns stays there until the process ends. So it
    /// does in a library too, whose process ends at some time, if nothing in sight takes it from there.
    pub fn keep_until_the_end(&self, globals: &[GlobalId]) -> bool {
        !globals.is_empty() && !globals.iter().any(|&global| self.taken[global])
    }

    /// Whether a function that runs while the process ends may release what these globals hold.
    pub fn released_at_exit(&self, globals: &[GlobalId]) -> bool {
        globals.iter().any(|&global| self.taken_at_exit[global])
    }
}

/// The global whose contents an effect takes away or hands on.
fn takes(effect: &Effect) -> Option<GlobalId> {
    let global = |path: &Path| match path.root {
        Root::Global(global) => Some(global),
        _ => None,
    };
    match effect {
        Effect::Release { value, .. } | Effect::Keep { value, .. } => global(value),
        Effect::Store { place, value: Value::Entry { path, .. } | Value::Inside(path) }
            if !path.steps.is_empty() =>
        {
            let from = global(path)?;
            // A node that is put before a list holds the old head; the list stays where it was.
            let inside = matches!(place.root, Root::Fresh(_)) || place.root == Root::Global(from);
            (!inside).then_some(from)
        }
        _ => None,
    }
}

/// Globals whose own address goes where nobody follows it: into data, or to functions that are not known.
fn exposed(program: &Program, library: &Models) -> Table<GlobalId, bool> {
    let mut exposed = Table::filled(program.globals.len(), false);
    for global in program.globals.values() {
        for relocation in global.image.iter().flat_map(|image| &image.relocations) {
            if let Symbol::Global(target) = relocation.target {
                exposed[target] = true;
            }
        }
    }
    for body in program.functions.values().filter_map(|function| function.body.as_ref()) {
        let global = |value| match &body.values[value].def {
            Def::Const(Const::Global { global, .. }) => Some(*global),
            _ => None,
        };
        for inst in body.insts.values() {
            match &inst.op {
                Op::Store { value, .. } => {
                    if let Some(global) = global(*value) {
                        exposed[global] = true;
                    }
                }
                Op::Call(call) => {
                    let known = match call.callee {
                        Callee::Direct(callee) => {
                            let callee = &program.functions[callee];
                            callee.body.is_some() || library.functions.contains_key(&callee.name)
                        }
                        Callee::Pointer(_) => false,
                    };
                    for global in call.args.iter().filter_map(|&arg| global(arg)).filter(|_| !known) {
                        exposed[global] = true;
                    }
                }
                _ => {}
            }
        }
    }
    exposed
}

/// Whether a block does nothing but merge results and return.
pub fn only_returns(body: &watertight_ir::Body, block: watertight_ir::BlockId) -> bool {
    body.block_insts(block).all(|(_, inst)| matches!(inst.op, Op::Phi { .. } | Op::Name { .. }))
}
