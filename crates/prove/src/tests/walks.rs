//! Calls and probes: Map and Unmap, return, the worklist, and the kinds of probes.

use super::{models, program, with};
use crate::expr::Expr;
use crate::fact::{Cell, include};
use crate::lower::{Action, CallAction};
use crate::verdict::ProbeKind;
use crate::{Options, Prover};
use watertight_ir::Program;

/// The first call of a function in another.
fn call(world: &mut crate::world::World<'_>, caller: &str, callee: &str) -> CallAction {
    let named = |name: &str| world.program.function_named(name).expect("it is there");
    let (caller, callee) = (named(caller), named(callee));
    let statements = world.statements(caller);
    let mut actions = statements.blocks.iter().flat_map(|block| &block.actions);
    let found = actions.find_map(|(_, action)| match action {
        Action::Call(call) if call.callee == Some(callee) => Some((**call).clone()),
        _ => None,
    });
    found.expect("it is called")
}

#[test]
fn map_turns_the_result_into_what_is_returned() {
    with(|scene| {
        let call = call(&mut scene.world, "kinds", "copy_of");
        let (caller, callee) = (
            scene.world.program.function_named("kinds").expect("it is there"),
            call.callee.expect("it is called by name"),
        );
        let mut cell = Cell::default();
        include(&mut cell.hits, call.result.expect("it has a result"));
        let (mapped, _) = scene.world.enter(&cell, &call, caller, callee);
        let mapped = mapped.expect("it is possible");
        assert_eq!(scene.world.exprs.get(mapped.hits[0]), Expr::Returned(callee));
        // Before the return, what is returned is the parameter; its variable goes out of scope.
        let statements = scene.world.statements(callee);
        let crate::lower::End::Return(value) = statements.blocks[0].end else { panic!("it returns") };
        let before = scene.world.return_before(&mapped, callee, &statements, value).expect("it is possible");
        let from = value.expect("it returns something");
        assert_eq!(before.hits, [from]);
        assert_eq!(before.regions.list.iter().filter_map(|entry| entry.1).collect::<Vec<_>>(), [from]);
    });
}

#[test]
fn unmap_turns_parameters_into_arguments() {
    with(|scene| {
        let call = call(&mut scene.world, "kinds", "copy_of");
        let callee = call.callee.expect("it is called by name");
        let caller = scene.world.program.function_named("kinds").expect("it is there");
        let entry = scene.world.exprs.intern(Expr::Entry(callee, 0), crate::expr::Points::Anything);
        let mut cell = Cell::default();
        let (_, frame) = scene.world.enter(&cell, &call, caller, callee);
        include(&mut cell.hits, entry);
        let Expr::Deref(addr, ty) = scene.world.exprs.get(call.args[0]) else { panic!("it is a variable") };
        for (region, _) in scene.world.reach(addr, ty).regions {
            cell.regions.add(region, None);
        }
        let before = scene.world.leave(&cell, callee, &call, &frame).expect("it is possible");
        assert_eq!(before.hits, [call.args[0]]);
    });
}

#[test]
fn values_of_a_caller_get_names_of_their_own_in_recursion() {
    with(|scene| {
        let last = scene.world.program.function_named("last").expect("it is there");
        let call = call(&mut scene.world, "last", "last");
        // `list` of the caller is not `list` of the callee.
        let Expr::Deref(addr, _) = scene.world.exprs.get(call.args[0]) else { panic!("it is `list->next`") };
        let Expr::Offset(list, _) = scene.world.exprs.get(addr) else { panic!("it is `&list->next`") };
        let Expr::Deref(variable, ty) = scene.world.exprs.get(list) else { panic!("it is `list`") };
        let mut cell = Cell::default();
        include(&mut cell.hits, list);
        for (region, _) in scene.world.reach(variable, ty).regions {
            cell.regions.add(region, Some(list));
        }
        let (mapped, frame) = scene.world.enter(&cell, &call, last, last);
        let mapped = mapped.expect("it is possible");
        assert!(matches!(scene.world.exprs.get(mapped.hits[0]), Expr::Above(of, 0, _) if of == last));
        assert!(mapped.regions.list.is_empty());
        // And back: the same variable, which the callee could not change.
        let back = scene.world.leave(&mapped, last, &call, &frame).expect("it is possible");
        assert_eq!(back, cell);
    });
}

#[test]
fn activations_that_are_under_way_have_different_parameters() {
    with(|scene| {
        let last = scene.world.program.function_named("last").expect("it is there");
        let down = scene.world.descent(last).expect("it goes down by `next`");
        let own = scene.world.descending(last, &down);
        let points = scene.world.exprs.points(own);
        let above = scene.world.exprs.intern(Expr::Above(last, 0, points), points);
        assert!(scene.world.are_apart_by_descent(own, above));
        assert!(!scene.world.are_apart_by_descent(above, above));
    });
}

/// Kinds, references and verdicts of a function.
fn asked(program: &Program, function: &str) -> Vec<(ProbeKind, String, bool)> {
    let models = models();
    let prover = Prover::new(program, &models, Options::default());
    let function = program.function_named(function).expect("it is there");
    let probes = prover.probes(function);
    probes.iter().map(|probe| (probe.kind, probe.lost.clone(), prover.probe(probe).is_proved())).collect()
}

#[test]
fn assignments_allocations_releases_scopes_and_results_are_probed() {
    let program = program();
    let asked = asked(&program, "kinds");
    let expected = [
        (ProbeKind::Assignment, "a", true),
        (ProbeKind::Allocation, "a", true),
        (ProbeKind::AssignedResult, "b", true),
        (ProbeKind::DroppedResult, "copy_of(...)", true),
        (ProbeKind::Release, "a->next", true),
        (ProbeKind::Scope, "x", true),
        (ProbeKind::Scope, "a", true),
        (ProbeKind::Scope, "b", true),
    ];
    let expected: Vec<(ProbeKind, String, bool)> =
        expected.into_iter().map(|(kind, lost, proved)| (kind, lost.to_owned(), proved)).collect();
    assert_eq!(asked, expected);
}

#[test]
fn what_comes_from_an_allocation_or_from_anybody_is_found() {
    // Without the release the block is lost; without the assignment of `t`, what `x->next` referred to.
    let text = super::SCENE.replace("  call @free(%v12) !27:5\n", "");
    let program = watertight_ir::parse("scene.ir", &text).expect("it is well formed");
    let lost: Vec<String> =
        asked(&program, "kinds").into_iter().filter(|asked| !asked.2).map(|asked| asked.1).collect();
    assert_eq!(lost, ["a"]);
    let lost: Vec<String> =
        asked(&program, "scene").into_iter().filter(|asked| !asked.2).map(|asked| asked.1).collect();
    assert_eq!(lost, ["x->next"]);
}

/// Two globals, each with a block of its own.
const WHOLE: &str = "global @a: 8 align 8 internal = { }
global @b: 8 align 8 internal = { }
declare @malloc(i64) -> ptr alloc_size(0)
func @main() {
bb0:
  %v0: ptr = call @malloc(i64 16)
  store %v0 to ptr @a
  %v1: ptr = call @malloc(i64 16)
  store %v1 to ptr @b
  return
}
";

#[test]
fn objects_of_a_whole_program_are_told_apart() {
    let apart = |text: &str| {
        let program = watertight_ir::parse("whole.ir", text).expect("it is well formed");
        let models = models();
        let mut world = crate::world::World::new(&program, &models, false);
        let mut held = |name: &str| {
            let global = program.globals.iter().find(|(_, global)| &*global.name == name);
            let symbol = crate::expr::Symbol::Global(global.expect("it is there").0);
            let addr = world.exprs.intern(Expr::Address(symbol), crate::expr::Points::Anything);
            world.deref(addr, watertight_ir::Type::Ptr)
        };
        let (a, b) = (held("a"), held("b"));
        let (a, b) = (world.exprs.offset(a, 8), world.exprs.offset(b, 8));
        world.are_apart_by_objects(a, b)
    };
    assert!(apart(WHOLE));
    // What an unknown function does with addresses is not known, and neither is what calls a library.
    assert!(!apart(
        &WHOLE.replace("  return\n", "  call @other()\n  return\n").replace("func", "declare @other()\nfunc")
    ));
    assert!(!apart(&WHOLE.replace("@main", "@library")));
    assert!(!apart(&WHOLE.replace("store %v1 to", "store %v0 to")));
}
