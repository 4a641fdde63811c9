//! Descriptor 0 by the program's own choice.
//!
//! `fd = is_dash(name) ? 0 : open(name)` and `if (fd != 0) close(fd)` take 0 for standard input, which is not to be closed; `move_to(fd, 0)` and
//! `dup2(fd, 0)` have nothing to do where the descriptor has the number that it is to have. In a process without standard input `open` gives 0, and the descriptor stays open as just
//! that. Who takes 0 for a failure (`fd <= 0`) has no such meaning for it.
//!
//! In: an evaluated function and a descriptor that is lost only as number 0. Out: whether 0 means something else there: a value that is the
//! descriptor on some paths is 0 on others, or a function compares the descriptor with the 0 that it is given beside it, or gives that 0 back for it.

use crate::machine::memory::ObjectId;
use crate::machine::state::State;
use crate::machine::value::{Leaf, Sym};
use watertight_ir::callgraph::direct_callee;
use watertight_ir::{Body, Call, Op};
use watertight_summary::{Path, Summary, Value};

/// Whether the program has another meaning for 0 where it holds a descriptor.
pub(super) fn is_meant(state: &State<'_>, descriptor: ObjectId) -> bool {
    let is_it = |leaf: &Leaf| matches!(*leaf, Leaf::Address(object, _) if object == descriptor);
    let is_zero = |leaf: &Leaf| matches!(*leaf, Leaf::Number(term) if state.formulas.terms.const_value(term) == Some(0));
    let holds = |sym: &Sym, wanted: &dyn Fn(&Leaf) -> bool| match sym {
        Sym::Leaves(leaves) => leaves.iter().any(|(_, leaf)| wanted(leaf)),
        _ => false,
    };
    let is_either = |sym: &Sym| holds(sym, &is_it) && holds(sym, &is_zero);
    if state.values.values().flatten().any(|(_, sym)| is_either(sym)) {
        return true;
    }
    let is_passed = |call: &Call, position: usize| {
        let values = &state.values[call.args[position]];
        values.iter().any(|(_, sym)| holds(sym, &is_it))
    };
    let body: &Body = state.body;
    body.insts.values().any(|inst| {
        let Op::Call(call) = &inst.op else { return false };
        let Some(summary) = direct_callee(body, call).and_then(|callee| state.context.summary(callee)) else {
            return false;
        };
        let zeros = (0..call.args.len()).filter(|&position| body.bits(call.args[position]) == Some(0));
        zeros.into_iter().any(|zero| {
            (0..call.args.len()).any(|other| {
                is_passed(call, other)
                    && (compares(summary, other as u32, zero as u32) || gives(summary, zero as u32))
            })
        })
    })
}

/// Whether a function decides by whether two of its arguments are equal.
fn compares(summary: &Summary, one: u32, other: u32) -> bool {
    let (one, other) = (Path::param(one), Path::param(other));
    let tests = summary.outcomes.iter().flat_map(|outcome| &outcome.when.any).flatten();
    tests.into_iter().any(|test| {
        let pair = (Some(&test.value), test.other.as_ref());
        pair == (Some(&one), Some(&other)) || pair == (Some(&other), Some(&one))
    })
}

/// Whether a function gives back one of its arguments, as it was passed: the place that something is put in.
fn gives(summary: &Summary, argument: u32) -> bool {
    let passed = Value::Entry { path: Path::param(argument), plus: 0 };
    summary.outcomes.iter().any(|outcome| outcome.result == passed)
}
