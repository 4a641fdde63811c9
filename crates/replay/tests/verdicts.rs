//! Verdicts on small functions: what is lost is replayed, what is kept is refuted, and what cannot be said is not said.

use watertight_ir::{BlockId, FuncId, Id, InstId, Op, Program};
use watertight_replay::{Known, Session, Verdict, Why};
use watertight_summary::{Claim, KindId, Path, Witness, model};

const HEADER: &str = "unit unit0 \"test.c\" {
  type pointer = pointer void
}
declare @malloc(i64) -> ptr
declare @free(ptr)
declare @strcmp(ptr, ptr) -> i32
declare @exit(i32) noreturn
declare @elsewhere(ptr) -> i32
global @root: 16 align 8 = { }
global @one: 4 align 1 constant = { 0: \"one\" }
global @two: 4 align 1 constant = { 0: \"two\" }
";

/// The first call of `malloc` in a function.
fn acquisition(program: &Program, function: FuncId) -> InstId {
    let body = program.functions[function].body.as_ref().expect("it has a body");
    let is_malloc = |op: &Op| match op {
        Op::Call(call) => match call.callee {
            watertight_ir::Callee::Direct(id) => &*program.functions[id].name == "malloc",
            watertight_ir::Callee::Pointer(_) => false,
        },
        _ => false,
    };
    let found = body.insts.iter().find(|(_, inst)| is_malloc(&inst.op));
    found.map(|(id, _)| id).expect("it calls malloc")
}

/// The verdict on a claim that `@test` loses what it acquires when it passes these blocks.
fn verdict(text: &str, blocks: &[usize], inputs: &[(Path, u64)]) -> Verdict {
    let text = format!("{HEADER}{text}");
    let program = watertight_ir::parse("test.ir", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(watertight_ir::verify(&program), []);
    let models = model::shipped();
    let function = program.function_named("test").expect("it is there");
    let witness = Witness {
        claim: Claim::Lost,
        acquired: Some(acquisition(&program, function)),
        trail: Vec::new(),
        kind: KindId::HEAP,
        blocks: blocks.iter().map(|&block| BlockId::new(block)).collect(),
        inputs: inputs.to_vec(),
        results: Vec::new(),
    };
    let calls = watertight_pointer::Calls::new(&program, &models);
    let known = Known::new(&program, &models, &calls);
    let verdict = Session::new(&known).replay(function, &witness);
    assert_eq!(Session::new(&known).replay(function, &witness), verdict, "runs are the same every time");
    verdict
}

#[test]
fn a_block_that_is_forgotten_on_a_branch_is_replayed() {
    let text = "func @test(%n: i32) {
bb0:
  %p: ptr = call @malloc(i64 8)
  %c = compare eq %n, i32 7531
  branch %c, bb1, bb2
bb1:
  return
bb2:
  call @free(%p)
  return
}
";
    let Verdict::Replayed(run) = verdict(text, &[0, 1], &[(Path::param(0), 7531)]) else {
        panic!("it is lost");
    };
    assert!(run.followed && run.sound && run.number == 0, "the witness leads there at once: {run:?}");
    // A witness that leads elsewhere is wrong, and yet the search around it finds the number that the code asks for.
    let found = verdict(text, &[0, 2], &[(Path::param(0), 1)]);
    assert!(matches!(&found, Verdict::Replayed(run) if !run.followed), "{found:?}");
}

#[test]
fn a_block_that_the_caller_holds_is_not_lost() {
    let text = "func @test(%list: ptr) {
bb0:
  %p: ptr = call @malloc(i64 16)
  %c = compare eq %p, ptr null
  branch %c, bb1, bb2
bb1:
  return
bb2:
  %first: ptr = load %list
  store %first to %p
  store %p to %list
  return
}
";
    assert_eq!(verdict(text, &[0, 2], &[]), Verdict::Refuted);
    // A path that no run takes refutes nothing.
    assert_eq!(
        verdict(text, &[0, 2, 1], &[]),
        Verdict::Diverged(Why::OtherWay { after: Some(BlockId::new(2)) })
    );
}

#[test]
fn what_unknown_code_was_shown_is_in_doubt() {
    let text = "func @test() {
bb0:
  %p: ptr = call @malloc(i64 8)
  %r: i32 = call @elsewhere(%p)
  return
}
";
    assert_eq!(verdict(text, &[0], &[]), Verdict::Diverged(Why::UnknownCallee));
}

#[test]
fn what_a_variable_holds_when_the_process_ends_is_not_lost() {
    let text = |more: &str| {
        format!(
            "func @test() {{
  var var0 = p: pointer
bb0:
  %p: ptr = call @malloc(i64 8)
  name var0, %p
{more}  call @exit(i32 1)
  unreachable
}}
"
        )
    };
    assert_eq!(verdict(&text(""), &[0], &[]), Verdict::Refuted);
    let replaced = verdict(&text("  name var0, ptr null\n"), &[0], &[]);
    assert!(matches!(replaced, Verdict::Replayed(_)), "{replaced:?}");
}

#[test]
fn a_variable_keeps_its_block_until_it_is_overwritten() {
    let kept = "  %p: ptr = call @malloc(i64 8)\n  store %p to ptr @root\n";
    let text = |more: &str| format!("func @test() {{\nbb0:\n{kept}{more}  return\n}}\n");
    assert_eq!(verdict(&text(""), &[0], &[]), Verdict::Refuted);
    assert!(matches!(verdict(&text("  store ptr null to ptr @root\n"), &[0], &[]), Verdict::Replayed(_)));
}

#[test]
fn a_text_is_not_two_texts() {
    // The block is lost if the text equals both constants.
    let text = "func @test(%t: ptr) {
bb0:
  %p: ptr = call @malloc(i64 8)
  %a: i32 = call @strcmp(%t, ptr @one)
  %c = compare eq %a, i32 0
  branch %c, bb1, bb3
bb1:
  %b: i32 = call @strcmp(%t, ptr @two)
  %d = compare eq %b, i32 0
  branch %d, bb2, bb3
bb2:
  return
bb3:
  call @free(%p)
  return
}
";
    let verdict = verdict(text, &[0, 1, 2], &[]);
    assert!(matches!(verdict, Verdict::Diverged(Why::OtherWay { .. })), "{verdict:?}");
}

#[test]
fn what_a_callee_does_decides_and_is_tried() {
    // The callee keeps the block, unless the node for it cannot be had: the ordinary run loses nothing.
    let text = "func @enter(%list: ptr, %p: ptr) {
bb0:
  %n: ptr = call @malloc(i64 16)
  %c = compare eq %n, ptr null
  branch %c, bb1, bb2
bb1:
  return
bb2:
  store %p to %n
  store %n to %list
  return
}
func @test(%list: ptr) {
bb0:
  %p: ptr = call @malloc(i64 8)
  call @enter(%list, %p)
  return
}
";
    let Verdict::Replayed(run) = verdict(text, &[0], &[]) else { panic!("it is lost if there is no node") };
    assert!(run.starved && run.followed && run.times == 1, "{run:?}");
}

#[test]
fn the_step_that_takes_the_last_reference_is_told() {
    // Lost in the callee, by the store, long before the function returns.
    let text = "func @empty(%place: ptr) {
bb0:
  store ptr null to %place
  return
}
func @test() {
bb0:
  %p: ptr = call @malloc(i64 8)
  store %p to ptr @root
  call @empty(ptr @root)
  call @free(ptr null)
  return
}
";
    let Verdict::Replayed(run) = verdict(text, &[0], &[]) else { panic!("it is lost") };
    assert_eq!(run.lost_at.len(), 2, "{run:?}");
    assert_eq!(run.lost_at[1].inst, Some(InstId::new(0)), "{run:?}");
}
