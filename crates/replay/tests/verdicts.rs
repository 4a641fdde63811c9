//! Verdicts on small functions: what is lost is replayed, what is kept is refuted, and what cannot be said is not said.

use watertight_ir::{BlockId, FuncId, Id, InstId, Op, Program};
use watertight_replay::{Effort, Functions, Known, Passed, Session, Unknown, Verdict, Whole, Why};
use watertight_summary::{CallAt, Claim, KindId, Path, Witness, model};

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

/// The first call of a function of this name in another one.
fn call_of(program: &Program, function: FuncId, name: &str) -> Option<InstId> {
    let body = program.functions[function].body.as_ref().expect("it has a body");
    let is_call = |op: &Op| match op {
        Op::Call(call) => match call.callee {
            watertight_ir::Callee::Direct(id) => &*program.functions[id].name == name,
            watertight_ir::Callee::Pointer(_) => false,
        },
        _ => false,
    };
    body.insts.iter().find(|(_, inst)| is_call(&inst.op)).map(|(id, _)| id)
}

/// The verdict on a claim that `@test` loses what it acquires when it passes these blocks.
fn verdict(text: &str, blocks: &[usize], inputs: &[(Path, u64)]) -> Verdict {
    verdict_of(text, blocks, inputs, &|_| Box::new(Unknown))
}

/// The same for a program of which something is known. What is acquired is what `@make` gives, if there is one, by its first call of
/// `malloc`.
fn verdict_of(
    text: &str,
    blocks: &[usize],
    inputs: &[(Path, u64)],
    whole: &dyn Fn(&Program) -> Box<dyn Whole>,
) -> Verdict {
    let text = format!("{HEADER}{text}");
    let program = watertight_ir::parse("test.ir", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(watertight_ir::verify(&program), []);
    let models = model::shipped();
    let function = program.function_named("test").expect("it is there");
    let make = program.function_named("make");
    let made = make.and_then(|make| call_of(&program, make, "malloc").map(|inst| (make, inst)));
    let acquires = if made.is_some() { "make" } else { "malloc" };
    let witness = Witness {
        claim: Claim::Lost,
        acquired: Some(call_of(&program, function, acquires).expect("it acquires")),
        trail: made.iter().map(|&(function, inst)| CallAt { function, inst }).collect(),
        kind: KindId::HEAP,
        blocks: blocks.iter().map(|&block| BlockId::new(block)).collect(),
        inputs: inputs.to_vec(),
        results: Vec::new(),
    };
    let whole = whole(&program);
    let calls = watertight_pointer::Calls::new(&program, &models);
    let known = Known::new(&program, &models, &*whole, &calls);
    let verdict = Session::new(&known).replay(function, &witness, Effort::Search);
    assert_eq!(
        Session::new(&known).replay(function, &witness, Effort::Search),
        verdict,
        "runs are the same every time"
    );
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

#[test]
fn another_block_of_the_same_callee_is_another_claim() {
    // `@make` gives one block and loses another one, which is its own mistake.
    let text = |last: &str| {
        format!(
            "func @make() -> ptr {{
bb0:
  %p: ptr = call @malloc(i64 8)
  %scratch: ptr = call @malloc(i64 100)
  return %p
}}
func @test() {{
bb0:
  %p: ptr = call @make()
{last}  return
}}
"
        )
    };
    let released = verdict(&text("  call @free(%p)\n"), &[0], &[]);
    assert_eq!(released, Verdict::Refuted);
    let Verdict::Replayed(run) = verdict(&text(""), &[0], &[]) else { panic!("it is lost") };
    assert_eq!(run.times, 1, "{run:?}");
}

#[test]
fn what_a_callee_gives_by_another_call_is_meant() {
    // The claim tells the first call of `malloc`; with NULL around, a run takes the second.
    let text = "func @make(%q: ptr) -> ptr {
bb0:
  %c = compare eq %q, ptr null
  branch %c, bb2, bb1
bb1:
  %p: ptr = call @malloc(i64 8)
  return %p
bb2:
  %other: ptr = call @malloc(i64 100)
  return %other
}
func @test() {
bb0:
  %p: ptr = call @make(ptr null)
  return
}
";
    assert!(matches!(verdict(text, &[0], &[]), Verdict::Replayed(_)));
}

/// What is known of a program in these tests.
struct Facts {
    hook: Option<(watertight_ir::GlobalId, FuncId)>,
}

impl Whole for Facts {
    fn passed(&self, _: FuncId, _: u32) -> Option<Passed> {
        Some(Passed { numbers: vec![1, 2], address: false })
    }
    fn functions(&self, global: watertight_ir::GlobalId, offset: i64) -> Option<Functions> {
        let (hook, function) = self.hook?;
        (hook == global && offset == 0).then(|| Functions { list: vec![function], null: false })
    }
}

#[test]
fn what_no_call_passes_is_no_run() {
    let text = "func @test(%n: i32) {
bb0:
  %p: ptr = call @malloc(i64 8)
  %c = compare eq %n, i32 7
  branch %c, bb1, bb2
bb1:
  return
bb2:
  call @free(%p)
  return
}
";
    let inputs = [(Path::param(0), 7)];
    assert!(matches!(verdict(text, &[0, 1], &inputs), Verdict::Replayed(_)));
    let known = verdict_of(text, &[0, 1], &inputs, &|_| Box::new(Facts { hook: None }));
    assert!(!matches!(known, Verdict::Replayed(_)), "{known:?}");
}

#[test]
fn a_pointer_leads_to_what_the_program_stores_there() {
    let text = "func @release(%p: ptr) {
bb0:
  call @free(%p)
  return
}
func @forget(%p: ptr) {
bb0:
  return
}
func @use() {
bb0:
  store ptr @release to ptr @root
  %f: ptr = load ptr @root
  store ptr @forget to %f
  return
}
func @test() {
bb0:
  %p: ptr = call @malloc(i64 8)
  %f: ptr = load ptr @root
  call %f(%p)
  return
}
";
    let known = verdict_of(text, &[0], &[], &|program| {
        let root = program.globals.iter().find(|(_, global)| &*global.name == "root").map(|(id, _)| id);
        Box::new(Facts { hook: root.zip(program.function_named("release")) })
    });
    assert_eq!(known, Verdict::Refuted);
    assert_ne!(verdict(text, &[0], &[]), Verdict::Refuted, "nobody knows where it leads");
}
