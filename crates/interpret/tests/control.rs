//! Control flow: phis, switches, label addresses, calls of every kind, long jumps, budgets, records.

mod common;

use common::{function, printed, program, run, trap, value};
use watertight_interpret::{End, HeapId, Interpreter, Options, Recorder, Site, TrapKind, Value};
use watertight_ir::{BlockId, FuncId};

#[test]
fn phis_read_before_they_write() {
    // Fibonacci swaps two phis on the back edge.
    let text = "func @test(%n: i32) -> i64 {
bb0:
  jump bb1
bb1:
  %i: i32 = phi [bb0: i32 0, bb2: %j]
  %a: i64 = phi [bb0: i64 0, bb2: %b]
  %b: i64 = phi [bb0: i64 1, bb2: %c]
  %more = compare ult %i, %n
  branch %more, bb2, bb3
bb2:
  %c: i64 = add %a, %b
  %j: i32 = add %i, i32 1
  jump bb1
bb3:
  return %a
}
";
    assert_eq!(value(text, &[50]), 12_586_269_025);
}

#[test]
fn switches_dense_sparse_and_wide() {
    let text = "func @test(%x: i32) -> i32 {
bb0:
  switch %x [-1: bb1, 0: bb2, 5: bb3, 1000000: bb4] else bb5
bb1:
  return i32 10
bb2:
  %w: i128 = zext %x
  %k: i128 = add %w, i128 18446744073709551616
  switch %k [18446744073709551616: bb3, 0: bb4] else bb5
bb3:
  return i32 30
bb4:
  return i32 40
bb5:
  switch %x [10: bb1, 11: bb3, 12: bb4, 14: bb1] else bb6
bb6:
  return i32 60
}
";
    let cases = [
        (u32::MAX, 10),
        (0, 30),
        (5, 30),
        (1_000_000, 40),
        (10, 10),
        (11, 30),
        (12, 40),
        (13, 60),
        (14, 10),
        (15, 60),
    ];
    for (x, expected) in cases {
        assert_eq!(value(text, &[x.into()]), expected, "{x}");
    }
}

#[test]
fn label_addresses() {
    let text = "global @labels: 16 align 8 constant = { 0: addr8 label @test bb1 8: addr8 label @test bb2 }
func @test(%n: i64) -> i32 {
bb0:
  %a = index ptr @labels, %n, 8
  %l: ptr = load %a
  indirect %l [bb1, bb2]
bb1:
  return i32 1
bb2:
  indirect ptr @test [bb1, bb2]
}
";
    assert_eq!(value(text, &[0]), 1);
    assert!(matches!(trap(text, &[1]), TrapKind::InvalidJump { .. }));
}

#[test]
fn calls_through_pointers_are_checked() {
    let text = "declare @missing(i32) -> i32
declare @abs(i32) -> i32
func @twice(%x: i32) -> i32 {
bb0:
  %r: i32 = mul %x, i32 2
  return %r
}
global @table: 40 align 8 = { 0: addr8 @twice 8: addr8 @abs 16: addr8 @missing 24: addr8 @twice+1 }
func @test(%n: i64, %x: i32) -> i32 {
bb0:
  %a = index ptr @table, %n, 8
  %f: ptr = load %a
  %r: i32 = call %f(%x)
  return %r
}
";
    assert_eq!(value(text, &[0, 21]), 42);
    assert_eq!(value(text, &[1, 0xffff_ffff]), 1);
    assert_eq!(trap(text, &[2, 0]), TrapKind::UnresolvedFunction("missing".into()));
    assert!(matches!(trap(text, &[3, 0]), TrapKind::InvalidCall { .. }));
    assert_eq!(trap(text, &[4, 0]), TrapKind::NullCall);
}

#[test]
fn prototypes_that_do_not_match_are_tolerated() {
    let text = "func @three(%a: i32, %b: i64, %c: i8) -> i64 {
bb0:
  %x: i64 = zext %a
  %y: i64 = zext %c
  %s: i64 = add %x, %y
  %t: i64 = add %s, %b
  return %t
}
func @test() -> i64 {
bb0:
  %few: i64 = call @three(i32 1)
  %many: i64 = call @three(i64 0x100000002, i64 3, i32 0x104, i32 9)
  %none: i32 = call @nothing()
  %n: i64 = zext %none
  %s: i64 = add %few, %many
  %r: i64 = add %s, %n
  return %r
}
func @nothing() {
bb0:
  return
}
";
    assert_eq!(value(text, &[]), 1 + 2 + 3 + 4);
}

#[test]
fn structs_by_value_are_copies() {
    let text = "agg agg0 = 16 { 0: i64, 8: ptr }
func @change(%s: ptr byval 16) -> i64 {
bb0:
  store i64 99 to %s
  %b = offset %s, 8
  %v: i64 = load %b
  return %v
}
func @pair(%p: agg0) -> agg0 {
bb0:
  %a: i64 = extract %p, 0
  %b: ptr = extract %p, 1
  %c: i64 = add %a, i64 1
  %r: agg0 = pack %c, %b
  return %r
}
func @test() -> i64 {
bb0:
  %s = stack 16 align 8
  store i64 5 to %s
  %b = offset %s, 8
  store i64 6 to %b
  %r: i64 = call @change(%s byval 16)
  %v: i64 = load %s
  %p: agg0 = pack %v, %s
  %q: agg0 = call @pair(%p)
  %other: agg0 = select i1 1, %q, agg0 zero
  store %other to %s
  %first: i64 = load %s
  %whole: agg0 = load %s
  %ptr: ptr = extract %whole, 1
  %same = compare eq %ptr, %s
  %w: i64 = zext %same
  %t: i64 = mul %first, i64 10
  %u: i64 = add %t, %r
  %x: i64 = mul %u, i64 10
  %y: i64 = add %x, %w
  return %y
}
";
    assert_eq!(value(text, &[]), 661);
}

const JUMPS: &str = "declare @_setjmp(ptr) -> i32 returns_twice
declare @longjmp(ptr, i32) noreturn
declare @printf(ptr, ...) -> i32
declare @qsort(ptr, i64, i64, ptr)
global @buffer: 200 align 16 = { }
global @line: 4 align 1 constant = { 0: \"%d\\n\" }
";

#[test]
fn long_jumps_unwind_and_return_again() {
    let text = format!(
        "{JUMPS}func @deep(%n: i32) {{
bb0:
  %a = stack 64 align 8
  %end = compare eq %n, i32 0
  branch %end, bb1, bb2
bb1:
  call @longjmp(ptr @buffer, i32 7) noreturn
  unreachable
bb2:
  %m: i32 = sub %n, i32 1
  call @deep(%m)
  return
}}
func @test() {{
bb0:
  %a = stack 4 align 4
  store i32 1 to %a
  %r: i32 = call @_setjmp(ptr @buffer) returns_twice
  %p: i32 = call @printf(ptr @line, ..., %r)
  %again = compare ne %r, i32 0
  branch %again, bb1, bb2
bb1:
  %v: i32 = load %a
  %q: i32 = call @printf(ptr @line, ..., %v)
  return
bb2:
  store i32 2 to %a
  call @deep(i32 10)
  unreachable
}}
"
    );
    assert_eq!(printed(&text), "0\n7\n2\n");
}

#[test]
fn a_long_jump_may_leave_a_library_function() {
    let text = format!(
        "{JUMPS}func @compare(%a: ptr, %b: ptr) -> i32 {{
bb0:
  call @longjmp(ptr @buffer, i32 0) noreturn
  unreachable
}}
func @test() {{
bb0:
  %a = stack 8 align 4
  %r: i32 = call @_setjmp(ptr @buffer) returns_twice
  %p: i32 = call @printf(ptr @line, ..., %r)
  %again = compare ne %r, i32 0
  branch %again, bb1, bb2
bb1:
  return
bb2:
  call @qsort(%a, i64 2, i64 4, ptr @compare)
  unreachable
}}
"
    );
    assert_eq!(printed(&text), "0\n1\n", "a value of zero becomes one");
}

#[test]
fn a_long_jump_needs_an_active_call() {
    let text = format!(
        "{JUMPS}func @sets() {{
bb0:
  %r: i32 = call @_setjmp(ptr @buffer) returns_twice
  return
}}
func @test(%set: i1) {{
bb0:
  branch %set, bb1, bb2
bb1:
  call @sets()
  jump bb2
bb2:
  call @longjmp(ptr @buffer, i32 1) noreturn
  unreachable
}}
"
    );
    assert_eq!(trap(&text, &[0]), TrapKind::InvalidLongJump);
    assert_eq!(trap(&text, &[1]), TrapKind::InvalidLongJump);
}

#[test]
fn arrays_of_variable_length_end_with_their_block() {
    // A thousand arrays of a kilobyte do not fit the stack at once.
    let text = "declare @llvm.stacksave.p0() -> ptr
declare @llvm.stackrestore.p0(ptr)
func @test() -> i32 {
bb0:
  %keep = stack 4 align 4
  store i32 3 to %keep
  jump bb1
bb1:
  %i: i32 = phi [bb0: i32 0, bb1: %j]
  %token: ptr = call @llvm.stacksave.p0()
  %a = stack 1 x i32 1024 align 16
  store i32 5 to %a
  call @llvm.stackrestore.p0(%token)
  %j: i32 = add %i, i32 1
  %more = compare ult %j, i32 1000
  branch %more, bb1, bb2
bb2:
  %r: i32 = load %keep
  %w: i32 = load %a
  return %r
}
";
    let end = |text: &str| {
        let program = program(text);
        let options = Options { max_memory: 1 << 20, ..Options::default() };
        Interpreter::new(&program, options).call(function(&program, "test"), &[]).end
    };
    assert_eq!(end(&text.replace("  %w: i32 = load %a\n", "")), End::Returned(Some(Value::Bits(3))));
    let late = TrapKind::UseAfterReturn { access: watertight_interpret::Access::Read };
    assert!(matches!(end(text), End::Trap(trap) if trap.kind == late));
    let kept = text.replace("  call @llvm.stackrestore.p0(%token)\n", "");
    assert!(matches!(end(&kept), End::Trap(trap) if trap.kind == TrapKind::StackOverflow));
}

#[test]
fn missing_arguments_of_a_call_from_outside_are_zero() {
    let text = "agg agg0 = 16 { 0: i64, 8: i64 }
func @dirty() -> i64 {\nbb0:\n  %a: i64 = add i64 77, i64 1\n  return %a\n}
func @test(%a: i64, %b: i64) -> agg0 {\nbb0:\n  %p: agg0 = pack %a, %b\n  return %p\n}
";
    let program = program(text);
    let mut interpreter = Interpreter::new(&program, Options::default());
    interpreter.call(function(&program, "dirty"), &[]);
    let end = interpreter.call(function(&program, "test"), &[Value::Bits(5)]).end;
    assert_eq!(end, End::Returned(Some(Value::Words([5, 0].into()))));
}

#[test]
fn sorting_calls_back() {
    let text = format!(
        "{JUMPS}global @numbers: 20 align 4 = {{ 0: x\"0500000003000000090000000100000007000000\" }}
func @compare(%a: ptr, %b: ptr) -> i32 {{
bb0:
  %x: i32 = load %a
  %y: i32 = load %b
  %d: i32 = sub %x, %y
  return %d
}}
func @test() {{
bb0:
  call @qsort(ptr @numbers, i64 5, i64 4, ptr @compare)
  jump bb1
bb1:
  %i: i64 = phi [bb0: i64 0, bb1: %j]
  %a = index ptr @numbers, %i, 4
  %v: i32 = load %a
  %p: i32 = call @printf(ptr @line, ..., %v)
  %j: i64 = add %i, i64 1
  %more = compare ult %j, i64 5
  branch %more, bb1, bb2
bb2:
  return
}}
"
    );
    assert_eq!(printed(&text), "1\n3\n5\n7\n9\n");
}

#[test]
fn budgets_stop_endless_runs() {
    let endless = program("func @test() {\nbb0:\n  jump bb1\nbb1:\n  jump bb1\n}\n");
    let options = Options { max_steps: 1000, ..Options::default() };
    let mut interpreter = Interpreter::new(&endless, options);
    let outcome = interpreter.call(function(&endless, "test"), &[]);
    assert_eq!((outcome.end, outcome.steps), (End::StepLimit, 1000));
    // The budget is that of one call, not of a life.
    assert_eq!(interpreter.call(function(&endless, "test"), &[]).steps, 1000);
    let deep = "func @test() {\nbb0:\n  %a = stack 8 align 8\n  call @test()\n  return\n}\n";
    assert_eq!(trap(deep, &[]), TrapKind::StackOverflow);
}

#[test]
fn traps_carry_the_call_stack() {
    let text = "unit unit0 \"a.c\" {
  file file0 \"/src/a.c\"
}
func @inner(%p: ptr) -> i32 !3:1 {
bb0:
  %v: i32 = load %p !4:10
  return %v !4:3
}
func @test() -> i32 !7:1 {
bb0:
  %v: i32 = call @inner(ptr null) !8:12
  return %v !8:5
}
";
    let program = program(text);
    let outcome = Interpreter::new(&program, Options::default()).call(function(&program, "test"), &[]);
    let End::Trap(trap) = outcome.end else { panic!("expected a trap, got {:?}", outcome.end) };
    assert_eq!(
        trap.describe(&program),
        "read through a null pointer\n  at inner (/src/a.c:4:10)\n  at test (/src/a.c:8:12)"
    );
}

#[test]
fn what_is_not_modelled_is_a_trap() {
    let asm = "func @test() {\nbb0:\n  unknown \"asm \\\"\\\"\"()\n  unknown \"asm \\\"cpuid\\\"\"()\n  return\n}\n";
    assert_eq!(trap(asm, &[]), TrapKind::Unsupported("asm \"cpuid\"".into()));
    let choose = "func @test() {\nbb0:\n  choose [bb1]\nbb1:\n  return\n}\n";
    assert!(matches!(trap(choose, &[]), TrapKind::Unsupported(_)));
    let unreachable = "func @test() {\nbb0:\n  unreachable\n}\n";
    assert_eq!(trap(unreachable, &[]), TrapKind::Unreachable);
    let invoke = "func @f() {\nbb0:\n  return\n}\nfunc @test() -> i32 {\nbb0:\n  call @f()\n  \
                  invoke bb1 unwind bb2\nbb1:\n  return i32 4\nbb2:\n  resume\n}\n";
    assert_eq!(value(invoke, &[]), 4);
}

#[test]
fn a_broken_body_is_a_trap_and_no_panic() {
    // The verifier would refuse these, so they are run without it.
    for text in [
        "func @test() -> i32 {\nbb0:\n  %x: i32 = add i32 1, i64 2\n  %y: i32 = add i32 1, i128 2\n  return %y\n}\n",
        "func @test() -> i32 {\nbb0:\n  jump bb1\nbb1:\n  %x: i32 = phi []\n  return %x\n}\n",
    ] {
        let program = watertight_ir::parse("broken.ir", text).expect("broken, but text");
        let end = Interpreter::new(&program, Options::default()).call(function(&program, "test"), &[]).end;
        assert!(matches!(&end, End::Trap(trap) if matches!(trap.kind, TrapKind::Malformed(_))), "{end:?}");
    }
}

#[test]
fn main_gets_its_arguments_and_gives_its_status() {
    let text = "declare @printf(ptr, ...) -> i32
declare @atexit(ptr) -> i32
declare @exit(i32) noreturn
global @line: 10 align 1 constant = { 0: \"%s %d\\n\" }
global @bye: 10 align 1 constant = { 0: \"bye\\n\" }
global @first: 10 align 1 constant = { 0: \"first\\n\" }
global @llvm.global_ctors: 24 align 8 = { 0: x\"ffff0000\" 8: addr8 @start }
func @start() {
bb0:
  %p: i32 = call @printf(ptr @first, ...)
  return
}
func @last() {
bb0:
  %p: i32 = call @printf(ptr @bye, ...)
  return
}
func @main(%c: i32, %v: ptr) -> i32 {
bb0:
  %r: i32 = call @atexit(ptr @last)
  %a = offset %v, 8
  %s: ptr = load %a
  %p: i32 = call @printf(ptr @line, ..., %s, %c)
  %many = compare ugt %c, i32 2
  branch %many, bb1, bb2
bb1:
  call @exit(i32 258) noreturn
  unreachable
bb2:
  return %c
}
";
    let program = program(text);
    let outcome = Interpreter::new(&program, Options::default()).run_main(&["prog", "word"]);
    assert_eq!(outcome.end, End::Exit(2));
    assert_eq!(String::from_utf8_lossy(&outcome.stdout), "first\nword 2\nbye\n");
    let outcome = Interpreter::new(&program, Options::default()).run_main(&["prog", "a", "b"]);
    assert_eq!(outcome.end, End::Exit(2), "a status has eight bits");
    assert_eq!(String::from_utf8_lossy(&outcome.stdout), "first\na 3\nbye\n");
    let empty = Interpreter::new(&watertight_ir::Program::default(), Options::default()).run_main(&[]);
    assert!(matches!(empty.end, End::Trap(trap) if trap.kind == TrapKind::UnresolvedFunction("main".into())));
}

#[test]
fn definitions_of_other_units_are_found() {
    let text = "declare @shared#d(i32) -> i32
declare @other_name(i32) -> i32
global @value#d: 4 align 4
global @value#x: 4 align 4 = { 0: x\"05\" }
func @shared#x(%a: i32) -> i32 {
bb0:
  %v: i32 = load ptr @value#d
  %r: i32 = add %a, %v
  return %r
}
func @test() -> i32 {
bb0:
  %a: i32 = call @shared#d(i32 1)
  %b: i32 = call @other_name(%a)
  %same = compare eq ptr @shared#d, ptr @shared#x
  %s: i32 = zext %same
  %r: i32 = add %b, %s
  return %r
}
alias @other_name = @shared#x
";
    assert_eq!(value(text, &[]), 12);
}

#[derive(Default)]
struct Log(Vec<String>);

impl Recorder for Log {
    fn enter_block(&mut self, function: FuncId, block: BlockId) {
        self.0.push(format!("{function} {block}"));
    }
    fn call(&mut self, site: Option<Site>, callee: FuncId) {
        self.0.push(format!("call {callee} from {:?}", site.map(|site| site.function)));
    }
    fn leave(&mut self, function: FuncId) {
        self.0.push(format!("leave {function}"));
    }
    fn acquire(&mut self, block: HeapId, bytes: u64, site: Option<Site>) {
        self.0.push(format!("acquire {} of {bytes} in {:?}", block.0, site.map(|site| site.function)));
    }
    fn release(&mut self, block: HeapId, _: Option<Site>) {
        self.0.push(format!("release {}", block.0));
    }
}

#[test]
fn a_recorder_sees_blocks_calls_and_heap_events() {
    let text = "declare @malloc(i64) -> ptr
declare @free(ptr)
func @make() -> ptr {
bb0:
  %a: ptr = call @malloc(i64 12)
  return %a
}
func @test(%x: i1) {
bb0:
  %a: ptr = call @make()
  branch %x, bb1, bb2
bb1:
  call @free(%a)
  jump bb2
bb2:
  return
}
";
    let program = program(text);
    let mut log = Log::default();
    let mut interpreter = Interpreter::with_recorder(&program, Options::default(), &mut log);
    let outcome = interpreter.call(function(&program, "test"), &[Value::Bits(1)]);
    assert_eq!(outcome.end, End::Returned(None));
    drop(interpreter);
    let expected = [
        "call fn3 from None",
        "fn3 bb0",
        "call fn2 from Some(fn3)",
        "fn2 bb0",
        "acquire 0 of 12 in Some(fn2)",
        "leave fn2",
        "fn3 bb1",
        "release 0",
        "fn3 bb2",
        "leave fn3",
    ];
    assert_eq!(log.0, expected);
}

#[test]
fn runs_are_deterministic() {
    let text = "declare @malloc(i64) -> ptr
func @test() -> i64 {
bb0:
  %a: ptr = call @malloc(i64 3)
  %b = stack 8 align 8
  %i: i64 = ptrtoint %a
  %j: i64 = ptrtoint %b
  %k: i64 = xor %i, %j
  return %k
}
";
    assert_eq!(run(text, &[]), run(text, &[]));
}
