//! Losses: the step that takes the last reference to a block away is told, and no other.

mod common;

use common::{function, program};
use watertight_interpret::{HeapId, Interpreter, Loss, Options, Recorder, Site, Value};

/// Lists what is lost, by number of block and by what the instruction is.
#[derive(Default)]
struct Log(Vec<(HeapId, Loss, Option<Site>)>);

impl Recorder for Log {
    fn wants_losses(&self) -> bool {
        true
    }

    fn lose(&mut self, block: HeapId, loss: Loss, site: Option<Site>) {
        self.0.push((block, loss, site));
    }
}

const HEADER: &str = "declare @malloc(i64) -> ptr
declare @free(ptr)
global @root: 16 align 8 = { }
";

/// What is lost when `@test` of these functions runs: the block, `?` after it if it can merely not be reached any
/// more, `+` if something still refers into it, and the function and number of the instruction that is to blame, `end` for a terminator.
fn lost(text: &str) -> String {
    let program = program(&format!("{HEADER}{text}"));
    let mut log = Log::default();
    let mut interpreter = Interpreter::with_recorder(&program, Options::default(), &mut log);
    interpreter.call(function(&program, "test"), &[Value::Bits(1)]);
    drop(interpreter);
    let told = log.0.iter().map(|(block, loss, site)| {
        let site = site.expect("nothing was lost before the call");
        let sign = match loss {
            Loss::Unreachable => "?",
            Loss::Beginning => "+",
            Loss::LastReference => "",
        };
        let data = &program.functions[site.function];
        let body = data.body.as_ref().expect("a function with a body is to blame");
        let mut all = body.blocks.values().flat_map(|block| block.insts.iter());
        let number = site.inst.map(|inst| all.position(|&other| other == inst).expect("it is in a block"));
        format!("{}{sign} {}:{}", block.0, data.name, number.map_or("end".to_owned(), |n| n.to_string()))
    });
    told.collect::<Vec<_>>().join(", ")
}

#[track_caller]
fn check(body: &str, expected: &str) {
    assert_eq!(lost(&format!("func @test(%n: i32) {{\nbb0:\n{body}  return\n}}\n")), expected, "{body}");
}

#[test]
fn stores_lose_what_was_there() {
    check("  %p: ptr = call @malloc(i64 8)\n  store %p to ptr @root\n", "");
    check(
        "  %p: ptr = call @malloc(i64 8)\n  store %p to ptr @root\n  store ptr null to ptr @root\n",
        "0 test:2",
    );
    // The second word still refers to it, into its middle.
    let twice = "  %p: ptr = call @malloc(i64 8)\n  store %p to ptr @root\n  %in = offset %p, 4\n  \
        %slot = offset ptr @root, 8\n  store %in to %slot\n  store ptr null to ptr @root\n";
    check(twice, "0+ test:5");
    check(&format!("{twice}  store ptr null to %slot\n"), "0+ test:5, 0 test:6");
    check(
        "  %p: ptr = call @malloc(i64 8)\n  store %p to ptr @root\n  memset ptr @root, i8 0, i64 16\n",
        "0 test:2",
    );
}

#[test]
fn values_count_while_they_are_used() {
    check("  %p: ptr = call @malloc(i64 8)\n", "0 test:0");
    check("  %p: ptr = call @malloc(i64 8)\n  %x: i32 = load %p\n", "0 test:1");
    check("  %p: ptr = call @malloc(i64 8)\n  %x: i32 = load %p\n  call @free(%p)\n", "");
    // A name is no use.
    let second = "  %p: ptr = call @malloc(i64 8)\n  %q: ptr = call @malloc(i64 8)\n  call @free(%p)\n";
    check(second, "1 test:1");
}

#[test]
fn frames_and_released_blocks_hold_nothing() {
    check("  %s = stack 8 align 8\n  %p: ptr = call @malloc(i64 8)\n  store %p to %s\n", "0 test:end");
    let chain = "  %p: ptr = call @malloc(i64 8)\n  %q: ptr = call @malloc(i64 8)\n  store %q to %p\n";
    check(&format!("{chain}  call @free(%p)\n"), "1 test:3");
    check(&format!("{chain}  store %p to ptr @root\n  store ptr null to ptr @root\n"), "0 test:4, 1? test:4");
    let circle = "  store %p to %q\n  store %p to ptr @root\n  store ptr null to ptr @root\n";
    check(&format!("{chain}{circle}"), "0? test:5, 1? test:5");
}

#[test]
fn results_belong_to_the_caller() {
    let make = "func @make() -> ptr {\nbb0:\n  %p: ptr = call @malloc(i64 8)\n  return %p\n}\n";
    let with = |body: &str| lost(&format!("{make}func @test(%n: i32) {{\nbb0:\n{body}  return\n}}\n"));
    assert_eq!(with("  %p: ptr = call @make()\n  store %p to ptr @root\n"), "");
    assert_eq!(with("  %p: ptr = call @make()\n"), "0 test:0");
    assert_eq!(with("  %p: ptr = call @make()\n  call @free(%p)\n"), "");
    let keep = "func @drop(%p: ptr) {\nbb0:\n  %s = stack 8 align 8\n  store %p to %s\n  return\n}\n";
    let body = "  %p: ptr = call @make()\n  call @drop(%p)\n";
    let text =
        |more: &str| lost(&format!("{make}{keep}func @test(%n: i32) {{\nbb0:\n{body}{more}  return\n}}\n"));
    assert_eq!(text(""), "0 drop:end");
    assert_eq!(text("  call @free(%p)\n"), "");
}

#[test]
fn both_ways_into_a_block_count() {
    let text = "func @test(%n: i32) {
bb0:
  %p: ptr = call @malloc(i64 8)
  %yes = compare eq %n, i32 1
  branch %yes, bb1, bb2
bb1:
  jump bb3
bb2:
  jump bb3
bb3:
  %q: ptr = phi [bb1: END, bb2: %p]
  %x: i32 = load ptr @root
  store %q to ptr @root
  return
}
";
    assert_eq!(lost(&text.replace("END", "%p")), "");
    let told = lost(&text.replace("END", "ptr null"));
    assert!(told.starts_with("0 test:"), "{told}");
}

#[test]
fn what_was_lost_before_has_no_site() {
    let program =
        program(&format!("{HEADER}func @test(%p: ptr) {{\nbb0:\n  store %p to ptr @root\n  return\n}}\n"));
    let mut log = Log::default();
    let mut interpreter = Interpreter::with_recorder(&program, Options::default(), &mut log);
    let lost = interpreter.allocate(8).expect("there is room");
    let kept = interpreter.allocate(8).expect("there is room");
    assert_ne!(lost, kept);
    interpreter.call(function(&program, "test"), &[Value::Bits(kept.0.into())]);
    drop(interpreter);
    assert_eq!(log.0, [(HeapId(0), Loss::LastReference, None)]);
}
