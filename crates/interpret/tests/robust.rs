//! No program makes the interpreter panic, however broken: random changes to a text that uses every
//! instruction, run without asking the verifier.

mod common;

use proptest::prelude::*;
use watertight_interpret::{Interpreter, Options, Uninitialised, Value};

const ZOO: &str = "target \"x86_64-unknown-linux-gnu\" pointer 64 little
agg agg0 = 16 { 0: i64, 8: ptr }
agg agg1 = 8 { 0: i32, 4: i1 }
agg agg2 = 0 { }
global @g: 32 align 8 = { 0: x\"0102030405060708\" 8: addr8 @leaf 16: addr8 label @zoo bb2 24: addr4 label @zoo bb2 - label @zoo bb1 }
global @c: 8 align 8 constant = { 0: \"%d %s\\n\" }
global @stdout: 8 align 8
global @buffer: 200 align 16 = { }
declare @printf(ptr, ...) -> i32
declare @malloc(i64) -> ptr
declare @realloc(ptr, i64) -> ptr
declare @free(ptr)
declare @memcpy(ptr, ptr, i64) -> ptr
declare @strlen(ptr) -> i64
declare @_setjmp(ptr) -> i32 returns_twice
declare @longjmp(ptr, i32) noreturn
declare @qsort(ptr, i64, i64, ptr)
declare @vprintf(ptr, ptr) -> i32
func @leaf(%a: ptr, %b: ptr) -> i32 {
bb0:
  %v: i32 = load %a
  %w: i32 = load %b
  %r: i32 = sub %v, %w
  return %r
}
func @many(%n: i32, %s: ptr byval 16, ...) -> agg0 {
bb0:
  %list = stack 24 align 16
  va_start %list
  %x: i64 = va_arg %list
  %y: agg0 = va_arg %list
  va_copy %list, %list
  %r: i32 = call @vprintf(ptr @c, %list)
  va_end %list
  return %y
}
func @zoo(%p: i32, %q: i64, %f: f64, %w: i128) -> i32 {
bb0:
  %s = stack 16 align 8
  %d = stack 4 x %p align 4
  store %q to %s
  %l: i64 = load %s
  %o = offset %s, 8
  %i = index %s, %p, 4
  store i32 5 to %i
  %a: i32 = add %p, i32 3
  %b: i32 = sdiv %a, %p
  %m: i128 = mul %w, i128 170141183460469231731687303715884105727
  %big: i300 = zext %m
  %sh: i300 = shl %big, i300 100
  %dv: i300 = sdiv %sh, i300 7
  %t: i64 = trunc %dv
  %fl: f64 = fmul %f, f64 2.5
  %x8: f80 = fpext %fl
  %x9: f80 = fdiv %x8, f80 0x4000c000000000000000
  %n: f80 = fneg %x9
  %fc = fcompare ult %n, f80 0x00000000000000000000
  %in: i32 = fptosi %fl
  %pa: agg0 = pack %t, %s
  %ex: ptr = extract %pa, 1
  %ov: agg1 = sadd.overflow %a, %in
  %os: i32 = extract %ov, 0
  %bs: i32 = bswap %os
  %fs: i32 = fshl %bs, %a, i32 5
  %cx: agg1 = cmpxchg %ex, i32 0, i32 1
  %at: i64 = atomic umax %s, i64 9
  %se: agg0 = select %fc, %pa, agg0 zero
  memcpy %s, ptr @g, i64 16
  memset %o, i8 7, i64 8
  %k: i32 = call @printf(ptr @c, ..., %fs, ptr @c)
  %h: ptr = call @malloc(i64 24)
  %h2: ptr = call @realloc(%h, i64 48)
  %mc: ptr = call @memcpy(%h2, ptr @g, i64 32)
  call @qsort(%h2, i64 6, i64 4, ptr @leaf)
  %rr: agg0 = call @many(i32 2, %s byval 16, ..., i64 8, %se, i32 1, ptr @c)
  call @free(%h2)
  branch %fc, bb1, bb2
bb1:
  %ph: i32 = phi [bb0: i32 1, bb3: %p3, bb4: i32 2]
  switch %ph [0: bb2, -5: bb3, 77: bb4] else bb3
bb2:
  %fp = offset ptr @g, 8
  %fn: ptr = load %fp
  %cr: i32 = call %fn(ptr @g, ptr @c)
  jump bb3
bb3:
  %p2: i32 = phi [bb1: %ph, bb2: %cr]
  %p3: i32 = add %p2, i32 1
  %sj: i32 = call @_setjmp(ptr @buffer) returns_twice
  %z = compare sgt %p3, i32 100
  branch %z, bb4, bb1
bb4:
  %la = offset ptr @g, 16
  %lab: ptr = load %la
  %e: i32 = call @zoo(%p, %q, %f, %w)
  indirect %lab [bb1, bb2]
}
";

/// Replaces one word of the text by another word of the text.
fn mutate(words: &mut [&'static str], changes: &[(usize, usize)]) {
    let length = words.len();
    for &(at, from) in changes {
        words[at % length] = words[from % length];
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]
    #[test]
    fn changed_programs_never_panic(
        changes in proptest::collection::vec((any::<usize>(), any::<usize>()), 1..4),
        arguments in (any::<i8>(), any::<u64>(), any::<u64>(), any::<u128>()),
        track: bool,
    ) {
        // Splitting before every separator keeps line ends, so that joining gives the text back.
        let mut words: Vec<&str> = ZOO.split_inclusive([' ', '\n']).collect();
        mutate(&mut words, &changes);
        let text: String = words.concat();
        let Ok(program) = watertight_ir::parse("zoo.ir", &text) else { return Ok(()) };
        let uninitialised = if track { Uninitialised::Trap } else { Uninitialised::Fill(0xff) };
        let options = Options { max_steps: 20_000, max_memory: 1 << 24, uninitialised, ..Options::default() };
        let mut interpreter = Interpreter::new(&program, options);
        let args = [
            Value::Bits(arguments.0 as i32 as u32 as u128),
            Value::Bits(arguments.1.into()),
            Value::Bits(arguments.2.into()),
            Value::Bits(arguments.3),
        ];
        for function in program.functions.ids() {
            let outcome = interpreter.call(function, &args);
            if let watertight_interpret::End::Trap(trap) = &outcome.end {
                let _ = trap.describe(&program);
            }
        }
    }
}

#[test]
fn the_unchanged_text_is_valid_and_runs() {
    let program = common::program(ZOO);
    let mut interpreter = Interpreter::new(&program, Options { max_depth: 50, ..Options::default() });
    let args = [Value::Bits(2), Value::Bits(9), Value::Bits(1.5f64.to_bits().into()), Value::Bits(1 << 100)];
    let outcome = interpreter.call(common::function(&program, "zoo"), &args);
    // It recurses without end once it is through.
    let watertight_interpret::End::Trap(trap) = outcome.end else { panic!("{:?}", outcome.end) };
    assert_eq!(trap.kind, watertight_interpret::TrapKind::StackOverflow, "{}", trap.describe(&program));
}
