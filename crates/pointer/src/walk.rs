//! Pointers that walk: `for (p = a; ...; p++)`.
//!
//! Moving by some bytes inside a cycle of inclusions gives a location at every multiple of them (a cycle of positive
//! weight). Such a move is a stride from the start, before solving, instead of one location per turn. Cycles that only
//! appear while solving, through memory or calls, end at the limit of offsets per object.

use crate::graph::{Graph, NodeId, Rule};
use watertight_ir::Lists;
use watertight_ir::scc;

/// Replaces moves inside cycles by strides.
pub(crate) fn walks_are_strides(graph: &mut Graph<'_>) {
    let mut edges: Vec<(NodeId, NodeId)> = Vec::new();
    let mut moves = false;
    for node in graph.copies.ids() {
        for &to in &graph.copies[node] {
            edges.push((graph.find(node), graph.find(to)));
        }
        for rule in &graph.rules[node] {
            if let Rule::Shift(to, bytes) = *rule {
                moves |= bytes != 0;
                edges.push((graph.find(node), graph.find(to)));
            }
        }
    }
    if !moves {
        return;
    }
    let successors: Lists<NodeId, NodeId> = Lists::from_pairs(graph.nodes(), &edges);
    let components = scc::components(graph.nodes(), |node| successors.of(node));
    for node in graph.rules.ids() {
        for index in 0..graph.rules[node].len() {
            if let Rule::Shift(to, bytes) = graph.rules[node][index]
                && bytes != 0
                && components.of(graph.find(node)) == components.of(graph.find(to))
            {
                let stride = u32::try_from(bytes.unsigned_abs()).unwrap_or(1);
                graph.rules[node][index] = Rule::Stride(to, stride);
            }
        }
    }
}
#[cfg(test)]
mod tests {
    use watertight_ir::Id;

    #[test]
    fn a_pointer_that_walks_points_to_every_element() {
        let text = "func @f() {\nbb0:\n  %v0 = stack 800 align 8\n  jump bb1\nbb1:\n  %v1: ptr = phi [bb0: %v0, bb1: %v2]\n  %v2 = offset %v1, 8\n  %v3 = compare eq %v1, %v2\n  branch %v3, bb1, bb2\nbb2:\n  return\n}\n";
        let program = watertight_ir::parse("f.ir", text).expect("the example is well formed");
        let points_to = crate::PointsTo::new(&program, &Default::default());
        let f = program.function_named("f").expect("f");
        let strides: Vec<u32> =
            points_to.locations(points_to.of(f, Id::new(2))).map(|location| location.stride).collect();
        assert_eq!(strides, [8]);
    }
}
