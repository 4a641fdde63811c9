//! What the engine makes, as text and as Graphviz: the memory SSA of a function, and the value flow of what it
//! acquires.

use crate::context::Contexts;
use crate::facts::{CellId, Facts, Point};
use crate::memory::{Chains, MemorySsa, MemoryUse, Version};
use crate::slice::{Fate, Holder, Node, Out, Slice, Until};
use std::fmt::Write as _;
use std::rc::Rc;
use watertight_ir::{FuncId, Id, Op, Printer, Terminator};
use watertight_pointer::object::Origin;

/// How something is written down.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Form {
    #[default]
    Text,
    /// For `dot`.
    Graph,
}

/// Cells that the same instructions touch in the same way.
struct Region {
    cells: Vec<CellId>,
    chains: Rc<Chains>,
    versions: Vec<Version>,
}

impl Region {
    fn number(&self, version: Version) -> usize {
        self.versions.iter().position(|known| *known == version).unwrap_or(0)
    }
}

/// The memory SSA of a function: its regions, then its blocks with mu, chi and phi.
pub fn memory_ssa(facts: &Facts<'_>, function: FuncId, form: Form) -> Option<String> {
    let (body, own) = facts.function(function)?;
    let regions = regions(facts, function)?;
    let mut text = String::new();
    let name = &facts.program.functions[function].name;
    if form == Form::Graph {
        return Some(memory_graph(facts, &regions, name));
    }
    let _ = writeln!(text, "memory ssa of @{name}");
    for (index, region) in regions.iter().enumerate() {
        let cells: Vec<String> = region.cells.iter().map(|&cell| cell_name(facts, cell)).collect();
        let _ = writeln!(text, "  R{index} = {{{}}}", cells.join(", "));
    }
    let printer = Printer::new(facts.program);
    for &block in own.cfg.reverse_post_order() {
        let _ = writeln!(text, "{block}:");
        for (index, region) in regions.iter().enumerate().filter(|entry| entry.1.chains.is_phi(block)) {
            let from: Vec<String> = own
                .cfg
                .predecessors(block)
                .iter()
                .map(|&from| {
                    let version = region.chains.reaching(own, Point::end(from));
                    format!("{from}: R{index}.{}", region.number(version))
                })
                .collect();
            let version = region.number(Version::Phi(block));
            let _ = writeln!(text, "  R{index}.{version} = phi [{}]", from.join(", "));
        }
        for &inst in &body.blocks[block].insts {
            if let Op::Name { .. } = body.insts[inst].op {
                continue;
            }
            let _ = write!(text, "  {}", printer.inst(body, inst).trim());
            for (index, region) in regions.iter().enumerate() {
                let Some(touch) = region.chains.touch(inst) else { continue };
                let before = region.number(region.chains.reaching(own, touch.point));
                if touch.reads {
                    let _ = write!(text, "  mu(R{index}.{before})");
                }
                if touch.writes {
                    let after = region.number(Version::Inst(inst));
                    let kept = if touch.strong { String::new() } else { format!("R{index}.{before}") };
                    let _ = write!(text, "  R{index}.{after} = chi({kept})");
                }
            }
            text.push('\n');
        }
        if let Terminator::Return(_) = body.blocks[block].term {
            let at_return = regions.iter().enumerate().filter(|entry| !entry.1.versions.is_empty());
            let at_return = at_return.map(|(index, region)| {
                format!("R{index}.{}", region.number(region.chains.reaching(own, Point::end(block))))
            });
            let at_return: Vec<String> = at_return.collect();
            let _ = writeln!(text, "  return  mu({})", at_return.join(", "));
        }
    }
    Some(text)
}

fn memory_graph(facts: &Facts<'_>, regions: &[Region], name: &str) -> String {
    let mut text = format!("digraph \"memory ssa of {name}\" {{\n  node [shape=box];\n");
    for (index, region) in regions.iter().enumerate() {
        let cells: Vec<String> = region.cells.iter().map(|&cell| cell_name(facts, cell)).collect();
        for &version in &region.versions {
            let number = region.number(version);
            let what = match version {
                Version::Entry => format!("entry\\n{}", cells.join(", ")),
                Version::Inst(inst) => format!("chi at {inst}"),
                Version::Phi(block) => format!("phi in {block}"),
            };
            let _ = writeln!(text, "  r{index}_{number} [label=\"R{index}.{number}: {what}\"];");
            for used in region.chains.uses(version) {
                let _ = match used {
                    MemoryUse::Read(inst) => {
                        writeln!(text, "  r{index}_{number} -> \"mu at {inst}\";")
                    }
                    MemoryUse::Weak(inst) => {
                        let to = region.number(Version::Inst(*inst));
                        writeln!(text, "  r{index}_{number} -> r{index}_{to} [style=dashed];")
                    }
                    MemoryUse::Join(from, to) => {
                        let to = region.number(Version::Phi(*to));
                        writeln!(text, "  r{index}_{number} -> r{index}_{to} [label=\"{from}\"];")
                    }
                    MemoryUse::Exit(block) => {
                        writeln!(text, "  r{index}_{number} -> \"return in {block}\";")
                    }
                };
            }
        }
    }
    text.push_str("}\n");
    text
}

/// The regions that loads, stores and copies of a function reach.
fn regions(facts: &Facts<'_>, function: FuncId) -> Option<Vec<Region>> {
    let (body, _) = facts.function(function)?;
    let mut cells: Vec<CellId> = Vec::new();
    for &inst in body.blocks.values().flat_map(|block| &block.insts) {
        match &body.insts[inst].op {
            Op::Load { addr, .. } | Op::Store { addr, .. } | Op::Atomic { addr, .. } => {
                cells.extend(facts.reached(function, *addr).iter());
            }
            // What is handed to callees by its address is read and written there.
            Op::Call(call) => {
                for &arg in &call.args {
                    cells.extend(facts.reached(function, arg).iter());
                }
            }
            _ => {}
        }
    }
    cells.sort_unstable();
    cells.dedup();
    let mut memory = MemorySsa::default();
    let mut regions: Vec<Region> = Vec::new();
    for cell in cells {
        let chains = memory.chains(facts, function, &Rc::from([cell]))?;
        if chains.touches().is_empty() {
            continue;
        }
        let same = |region: &&mut Region| region.chains.touches() == chains.touches();
        match regions.iter_mut().find(same) {
            Some(region) => region.cells.push(cell),
            None => {
                let versions = chains.versions().collect();
                regions.push(Region { cells: vec![cell], chains, versions });
            }
        }
    }
    Some(regions)
}

/// A cell for people: the object that it is in, and its offset there.
pub fn cell_name(facts: &Facts<'_>, cell: CellId) -> String {
    let (object, offset) = facts.place(cell);
    let program = facts.program;
    let name = |function: FuncId| &*program.functions[function].name;
    let object = match facts.points_to.object(object).origin {
        Origin::Global(global) => format!("@{}", program.globals[global].name),
        Origin::Stack(function, inst) => format!("{}:stack {inst}", name(function)),
        Origin::Heap(function, inst, 0) => format!("{}:block {inst}", name(function)),
        Origin::Heap(function, inst, number) => format!("{}:block {inst}.{number}", name(function)),
        Origin::Parameter(function, index) => format!("{}:parameter {index}", name(function)),
        Origin::Rest(function) => format!("{}:rest", name(function)),
        Origin::Outside(_) => format!("outside {object}"),
        Origin::Hub => "hub".to_owned(),
        Origin::World => "world".to_owned(),
        other => format!("{other:?}"),
    };
    if offset == 0 { object } else { format!("{object}+{offset}") }
}

/// A node of a slice for people.
fn node_name(facts: &Facts<'_>, contexts: &Contexts, node: Node) -> String {
    let function = &facts.program.functions[contexts.function(node.context)].name;
    match node.holder {
        Holder::Value(value) => format!("{function} {value}"),
        Holder::Memory(cell, version) => {
            let version = match version {
                Version::Entry => "at entry".to_owned(),
                Version::Inst(inst) => format!("after {inst}"),
                Version::Phi(block) => format!("joined in {block}"),
            };
            format!("{function} [{}] {version}", cell_name(facts, cell))
        }
    }
}

fn until_name(until: Until) -> String {
    match until {
        Until::Point(point) if point.index == u32::MAX => format!("end of {}", point.block),
        Until::Point(point) => format!("{}.{}", point.block, point.index),
        Until::Edge(from, to) => format!("{from} to {to}"),
    }
}

/// The value flow of one source. `guard` gives the words for how a node is reached.
pub(crate) fn slice(
    facts: &Facts<'_>,
    contexts: &Contexts,
    slice: &Slice,
    title: &str,
    form: Form,
    guards: &[String],
) -> String {
    let mut text = String::new();
    let fate = |fate: Fate| match fate {
        Fate::Released => "released".to_owned(),
        Fate::Kept => "kept".to_owned(),
        Fate::Out(Out::Result) => "returned".to_owned(),
        Fate::Out(Out::Cell(cell) | Out::Outside(_, cell)) => format!("left in [{}]", cell_name(facts, cell)),
    };
    if form == Form::Graph {
        let _ = writeln!(text, "digraph \"{title}\" {{\n  node [shape=box];");
        for (index, &node) in slice.nodes.iter().enumerate() {
            let _ = writeln!(text, "  flow{index} [label=\"{}\"];", node_name(facts, contexts, node));
        }
        for &(from, to, until) in &slice.edges {
            let (one, other) = (slice.nodes[from.index()].context, slice.nodes[to.index()].context);
            // Call and return edges carry the call, as parentheses do.
            let label = if contexts.by(other).is_some_and(|by| by.0 == one) {
                format!("({other}")
            } else if contexts.by(one).is_some_and(|by| by.0 == other) {
                format!("){one}")
            } else {
                until_name(until)
            };
            let _ = writeln!(text, "  {from} -> {to} [label=\"{label}\"];");
        }
        for (index, sink) in slice.sinks.iter().enumerate() {
            let _ = writeln!(text, "  sink{index} [shape=ellipse, label=\"{}\"];", fate(sink.fate));
            let _ = writeln!(text, "  {} -> sink{index} [label=\"{}\"];", sink.node, until_name(sink.until));
        }
        text.push_str("}\n");
        return text;
    }
    let _ = writeln!(text, "{title}");
    for (index, &node) in slice.nodes.iter().enumerate() {
        let guard = guards.get(index).map_or(String::new(), |guard| format!("  when {guard}"));
        let _ =
            writeln!(text, "  flow{index} {} in {}{guard}", node_name(facts, contexts, node), node.context);
    }
    for &(from, to, until) in &slice.edges {
        let _ = writeln!(text, "  {to} <- {from} at {}", until_name(until));
    }
    for sink in &slice.sinks {
        let _ = writeln!(text, "  {} <- {} at {}", fate(sink.fate), sink.node, until_name(sink.until));
    }
    text
}
