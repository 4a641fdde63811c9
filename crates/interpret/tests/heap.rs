//! Heap blocks: where they come from, which of them are never freed, and what still refers to them.

mod common;

use common::{function, program, run};
use watertight_interpret::{Interpreter, Options, Outcome, Reachable, Value};

/// Sizes and reachability of the blocks that are left.
fn left(outcome: &Outcome) -> Vec<(u64, Reachable)> {
    outcome.live_blocks.iter().map(|block| (block.bytes, block.reachable)).collect()
}

const HEADER: &str = "declare @malloc(i64) -> ptr
declare @strdup(ptr) -> ptr
declare @free(ptr)
declare @exit(i32) noreturn
global @root: 16 align 8 = { }
global @text: 6 align 1 constant = { 0: \"hello\" }
";

#[test]
fn blocks_left_are_listed_in_order() {
    let text = format!(
        "{HEADER}func @test() {{
bb0:
  %a: ptr = call @malloc(i64 1)
  %b: ptr = call @malloc(i64 2)
  %c: ptr = call @strdup(ptr @text)
  call @free(%b)
  return
}}
"
    );
    assert_eq!(left(&run(&text, &[])), [(1, Reachable::Lost), (6, Reachable::Lost)]);
}

#[test]
fn references_are_followed_from_globals() {
    // The global points into the middle of the second block, which points to the third.
    let text = format!(
        "{HEADER}func @test() {{
bb0:
  %lost: ptr = call @malloc(i64 10)
  %kept: ptr = call @malloc(i64 20)
  %next: ptr = call @malloc(i64 30)
  %inside = offset %kept, 12
  %slot = offset ptr @root, 8
  store %inside to %slot
  %field = offset %kept, 8
  store %next to %field
  store %lost to %lost
  return
}}
"
    );
    let expected = [(10, Reachable::Lost), (20, Reachable::FromGlobals), (30, Reachable::FromGlobals)];
    assert_eq!(left(&run(&text, &[])), expected);
}

#[test]
fn active_frames_hold_blocks_at_exit() {
    let text = format!(
        "{HEADER}func @test() {{
bb0:
  %variable = stack 8 align 8
  %a: ptr = call @malloc(i64 10)
  store %a to %variable
  call @exit(i32 0) noreturn
  unreachable
}}
"
    );
    assert_eq!(left(&run(&text, &[])), [(10, Reachable::FromStack)]);
}

#[test]
fn a_site_names_the_call_that_acquired() {
    let text = "unit unit0 \"a.c\" {
  file file0 \"/src/a.c\"
}
declare @malloc(i64) -> ptr
func @make() -> ptr !1:1 {
bb0:
  %a: ptr = call @malloc(i64 4) !2:14
  return %a !2:3
}
func @test() !5:1 {
bb0:
  %a: ptr = call @make() !6:9
  return !7:1
}
";
    let program = program(text);
    let outcome = Interpreter::new(&program, Options::default()).call(function(&program, "test"), &[]);
    let site = outcome.live_blocks[0].site.expect("the program acquired it");
    assert_eq!(site.describe(&program), "make (/src/a.c:2:14)");
}

#[test]
fn memory_stays_between_calls_and_can_be_prepared() {
    let text = "func @test(%p: ptr) -> i32 {
bb0:
  %v: i32 = load %p
  %w: i32 = add %v, i32 1
  store %w to %p
  return %w
}
";
    let program = program(text);
    let mut interpreter = Interpreter::new(&program, Options::default());
    let block = interpreter.allocate(4).expect("there is room");
    interpreter.write(block, &41u32.to_le_bytes()).expect("the block is there");
    let argument = [Value::Bits(block.0.into())];
    for expected in [42, 43] {
        let end = interpreter.call(function(&program, "test"), &argument).end;
        assert_eq!(end, watertight_interpret::End::Returned(Some(Value::Bits(expected))));
    }
    assert_eq!(interpreter.read(block, 4), Ok(43u32.to_le_bytes().to_vec()));
    assert!(interpreter.read(block, 5).is_err());
}

#[test]
fn bytes_of_freed_blocks_are_used_again() {
    // A million blocks of a kilobyte would not fit if their bytes were kept.
    let text = format!(
        "{HEADER}func @test() {{
bb0:
  jump bb1
bb1:
  %i: i32 = phi [bb0: i32 0, bb1: %j]
  %a: ptr = call @malloc(i64 1000)
  call @free(%a)
  %j: i32 = add %i, i32 1
  %more = compare ult %j, i32 20000
  branch %more, bb1, bb2
bb2:
  return
}}
"
    );
    let program = program(&text);
    let options = Options { max_memory: 1 << 20, ..Options::default() };
    let outcome = Interpreter::new(&program, options).call(function(&program, "test"), &[]);
    assert_eq!(outcome.end, watertight_interpret::End::Returned(None));
    assert!(outcome.live_blocks.is_empty());
}
