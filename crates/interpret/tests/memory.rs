//! Wrong memory accesses are traps that say what went wrong; right ones work in every byte order.

mod common;

use common::{function, program, run, trap, value};
use watertight_interpret::{Access, End, HeapId, Interpreter, ObjectKind, Options, TrapKind, Uninitialised};
use watertight_ir::{GlobalId, Id};

const HEADER: &str = "declare @malloc(i64) -> ptr
declare @calloc(i64, i64) -> ptr
declare @realloc(ptr, i64) -> ptr
declare @free(ptr)
declare @strlen(ptr) -> i64
declare @strcpy(ptr, ptr) -> ptr
global @table: 8 align 4 = { 0: x\"0102030405060708\" }
global @fixed: 4 align 4 constant = { 0: x\"2a\" }
global @elsewhere: 4 align 4
";

/// A program whose `@test` has this body, from its first block on.
fn body(result: &str, lines: &str) -> String {
    format!("{HEADER}func @test(%p: ptr, %n: i64) -> {result} {{\nbb0:\n{lines}\n}}\n")
}

#[test]
fn reading_and_writing_outside_an_object() {
    let text = body("i32", "  %a = index ptr @table, %n, 4\n  %v: i32 = load %a\n  return %v");
    assert_eq!(value(&text, &[0, 1]), 0x0807_0605);
    for (index, offset) in [(2i64, 8), (-1, -4), (1000, 4000)] {
        let expected = TrapKind::OutOfBounds {
            object: ObjectKind::Global(GlobalId::new(0)),
            size: 8,
            offset,
            bytes: 4,
            access: Access::Read,
        };
        assert_eq!(trap(&text, &[0, index as u64 as u128]), expected);
    }
    let last = body("void", "  %a = offset ptr @table, 5\n  store i32 1 to %a\n  return");
    assert!(matches!(trap(&last, &[]), TrapKind::OutOfBounds { offset: 5, access: Access::Write, .. }));
}

#[test]
fn a_stack_object_is_bounded() {
    let text = body(
        "i8",
        "  %a = stack 16 align 8\n  %b = stack 16 align 8\n  %c = index %a, %n, 1\n  store i8 7 to %c\n  \
         %v: i8 = load %c\n  return %v",
    );
    assert_eq!(value(&text, &[0, 15]), 7);
    assert!(matches!(trap(&text, &[0, 16]), TrapKind::OutOfBounds { offset: 16, size: 16, .. }));
    // However far it is, an index does not lead into the neighbour.
    assert!(matches!(trap(&text, &[0, 64]), TrapKind::OutOfBounds { offset: 64, .. }));
}

#[test]
fn null_and_wild_pointers() {
    let text = body("i32", "  %a = index %p, %n, 4\n  %v: i32 = load %a\n  return %v");
    assert_eq!(trap(&text, &[0, 0]), TrapKind::NullAccess { access: Access::Read });
    assert_eq!(trap(&text, &[0, 8]), TrapKind::NullAccess { access: Access::Read });
    assert!(matches!(trap(&text, &[0xdead_beef_0000, 0]), TrapKind::WildAccess { .. }));
    assert!(matches!(trap(&text, &[u128::from(u64::MAX), 0]), TrapKind::WildAccess { .. }));
}

#[test]
fn heap_blocks_end_when_freed() {
    let after =
        body("i32", "  %a: ptr = call @malloc(i64 8)\n  call @free(%a)\n  %v: i32 = load %a\n  return %v");
    assert_eq!(trap(&after, &[]), TrapKind::UseAfterFree { block: HeapId(0), access: Access::Read });
    let twice = body("void", "  %a: ptr = call @malloc(i64 8)\n  call @free(%a)\n  call @free(%a)\n  return");
    assert_eq!(trap(&twice, &[]), TrapKind::DoubleFree { block: HeapId(0) });
    let inside =
        body("void", "  %a: ptr = call @malloc(i64 8)\n  %b = offset %a, 4\n  call @free(%b)\n  return");
    assert!(matches!(trap(&inside, &[]), TrapKind::InvalidFree { .. }));
    let stack = body("void", "  %a = stack 8 align 8\n  call @free(%a)\n  return");
    assert!(matches!(trap(&stack, &[]), TrapKind::InvalidFree { .. }));
    let global = body("void", "  call @free(ptr @table)\n  return");
    assert!(matches!(trap(&global, &[]), TrapKind::InvalidFree { .. }));
    let moved = body(
        "i32",
        "  %a: ptr = call @malloc(i64 4)\n  store i32 9 to %a\n  %b: ptr = call @realloc(%a, i64 400)\n  \
         %v: i32 = load %b\n  %w: i32 = load %a\n  return %w",
    );
    assert_eq!(trap(&moved, &[]), TrapKind::UseAfterFree { block: HeapId(0), access: Access::Read });
    let null = body("void", "  call @free(ptr null)\n  return");
    assert_eq!(run(&null, &[]).end, End::Returned(None));
}

#[test]
fn a_new_block_does_not_revive_an_old_address() {
    let text = body(
        "i32",
        "  %a: ptr = call @malloc(i64 8)\n  call @free(%a)\n  %b: ptr = call @malloc(i64 8)\n  \
         store i32 5 to %b\n  %v: i32 = load %a\n  return %v",
    );
    assert_eq!(trap(&text, &[]), TrapKind::UseAfterFree { block: HeapId(0), access: Access::Read });
}

#[test]
fn locals_end_when_their_function_returns() {
    let text = "func @inner() -> ptr {\nbb0:\n  %a = stack 4 align 4\n  return %a\n}
func @other() {\nbb0:\n  %a = stack 4 align 4\n  return\n}
func @test(%again: i1) -> i32 {
bb0:
  %a: ptr = call @inner()
  branch %again, bb1, bb2
bb1:
  call @other()
  jump bb2
bb2:
  %b = stack 4 align 4
  %v: i32 = load %a
  return %v
}
";
    assert_eq!(trap(text, &[0]), TrapKind::UseAfterReturn { access: Access::Read });
    assert_eq!(trap(text, &[1]), TrapKind::UseAfterReturn { access: Access::Read });
}

#[test]
fn constants_code_and_missing_globals() {
    let constant = body("void", "  store i32 1 to ptr @fixed\n  return");
    assert_eq!(trap(&constant, &[]), TrapKind::WriteToConstant { global: GlobalId::new(1) });
    let readable = body("i32", "  %v: i32 = load ptr @fixed\n  return %v");
    assert_eq!(value(&readable, &[]), 42);
    let code = body("i8", "  %v: i8 = load ptr @test\n  return %v");
    assert!(matches!(trap(&code, &[]), TrapKind::CodeAccess { .. }));
    let missing = body("i32", "  %v: i32 = load ptr @elsewhere\n  return %v");
    assert_eq!(trap(&missing, &[]), TrapKind::UnresolvedGlobal { global: GlobalId::new(2) });
    // Its address can be taken all the same.
    let address = body("i1", "  %v = compare eq ptr @elsewhere, ptr null\n  return %v");
    assert_eq!(value(&address, &[]), 0);
}

#[test]
fn the_library_is_checked_as_the_program_is() {
    let endless = body(
        "i64",
        "  %a: ptr = call @malloc(i64 4)\n  memset %a, i8 65, i64 4\n  %v: i64 = call @strlen(%a)\n  return %v",
    );
    let outcome = run(&endless, &[]);
    let End::Trap(trap_value) = outcome.end else { panic!("expected a trap, got {:?}", outcome.end) };
    assert!(matches!(trap_value.kind, TrapKind::OutOfBounds { bytes: 5, size: 4, .. }));
    assert_eq!(trap_value.inside.as_deref(), Some("strlen"));
    let overflow = body(
        "void",
        "  %a: ptr = call @malloc(i64 4)\n  %b = stack 8 align 1\n  store i64 0x4141414141414141 to %b\n  \
         %c = offset %b, 7\n  store i8 0 to %c\n  %r: ptr = call @strcpy(%a, %b)\n  return",
    );
    assert!(matches!(trap(&overflow, &[]), TrapKind::OutOfBounds { access: Access::Write, size: 4, .. }));
    let nothing = body("void", "  memcpy ptr null, ptr null, i64 0\n  return");
    assert_eq!(run(&nothing, &[]).end, End::Returned(None));
}

#[test]
fn fresh_memory_is_zero_filled_or_watched() {
    let text = body("i32", "  %a = stack 8 align 4\n  %v: i32 = load %a\n  return %v");
    assert_eq!(value(&text, &[]), 0);
    let program = program(&text);
    let with = |uninitialised| {
        let options = Options { uninitialised, ..Options::default() };
        Interpreter::new(&program, options).call(function(&program, "test"), &[]).end
    };
    assert_eq!(
        with(Uninitialised::Fill(0xaa)),
        End::Returned(Some(watertight_interpret::Value::Bits(0xaaaa_aaaa)))
    );
    assert!(matches!(
        with(Uninitialised::Trap),
        End::Trap(trap) if matches!(trap.kind, TrapKind::UninitialisedRead { offset: 0, .. })
    ));
}

#[test]
fn a_scalar_with_some_written_bytes_is_initialised() {
    // Structs are passed as integers, padding included.
    let text = body(
        "i64",
        "  %a = stack 16 align 8\n  store i8 3 to %a\n  %b = offset %a, 8\n  memcpy %b, %a, i64 8\n  \
         %v: i64 = load %b\n  return %v",
    );
    let program = program(&text);
    let options = Options { uninitialised: Uninitialised::Trap, ..Options::default() };
    let end = Interpreter::new(&program, options).call(function(&program, "test"), &[]).end;
    assert_eq!(end, End::Returned(Some(watertight_interpret::Value::Bits(3))));
}

#[test]
fn memory_is_limited() {
    let text =
        body("i1", "  %a: ptr = call @calloc(i64 1024, %n)\n  %v = compare eq %a, ptr null\n  return %v");
    assert_eq!(value(&text, &[0, 16]), 0);
    assert_eq!(value(&text, &[0, 1 << 30]), 1);
    assert_eq!(value(&text, &[0, 1 << 60]), 1);
    let stack = body("ptr", "  %a = stack 1024 x %n align 1\n  return %a");
    assert_eq!(trap(&stack, &[0, 1 << 30]), TrapKind::StackOverflow);
}

#[test]
fn pointers_survive_integers_and_bytes() {
    let text = body(
        "i32",
        "  %a = stack 4 align 4\n  store i32 77 to %a\n  %box = stack 8 align 8\n  store %a to %box\n  \
         %copy = stack 8 align 8\n  memcpy %copy, %box, i64 8\n  %b: ptr = load %copy\n  \
         %i: i64 = ptrtoint %b\n  %tagged: i64 = or %i, i64 1\n  %clean: i64 = and %tagged, i64 -2\n  \
         %c: ptr = inttoptr %clean\n  %v: i32 = load %c\n  return %v",
    );
    assert_eq!(value(&text, &[]), 77);
}

#[test]
fn byte_order_follows_the_target() {
    let code = "global @n: 8 align 8 = { 0: x\"0102030405060708\" }
func @test() -> i64 {
bb0:
  %h: i16 = load ptr @n
  %a = offset ptr @n, 2
  %w: i24 = load %a
  %x: i64 = zext %h
  %y: i64 = zext %w
  %z: i64 = shl %x, i64 32
  %r: i64 = or %z, %y
  %b = stack 16 align 16
  store i100 5 to %b
  %c = offset %b, 12
  %last: i8 = load %c
  %first: i8 = load %b
  %l: i64 = zext %last
  %f: i64 = zext %first
  %l8: i64 = shl %l, i64 56
  %f8: i64 = shl %f, i64 48
  %s: i64 = or %r, %l8
  %t: i64 = or %s, %f8
  return %t
}
";
    let little = format!("target \"x86_64-linux\" pointer 64 little\n{code}");
    let big = format!("target \"s390x-linux\" pointer 64 big\n{code}");
    assert_eq!(value(&little, &[]), 0x0005_0201_0005_0403);
    assert_eq!(value(&big, &[]), 0x0500_0102_0003_0405);
}

#[test]
fn narrow_addresses_work_and_are_checked() {
    let code = "declare @malloc(i32) -> ptr
declare @free(ptr)
global @g: 4 align 4 = { 0: addr4 @test }
func @test(%n: i32) -> i32 {
bb0:
  %a: ptr = call @malloc(i32 16)
  %b: ptr = call @malloc(i32 16)
  %c = index %a, %n, 4
  store i32 11 to %c
  %f: ptr = load ptr @g
  %same = compare eq %f, ptr @test
  %w: i32 = zext %same
  %v: i32 = load %c
  %r: i32 = add %v, %w
  call @free(%a)
  call @free(%b)
  return %r
}
";
    for (triple, bits, order) in
        [("i686-linux", 32, "little"), ("mips-linux", 32, "big"), ("avr", 16, "little")]
    {
        let size = bits / 8;
        let code = code
            .replace("i32 16", &format!("i{bits} 16"))
            .replace("@malloc(i32)", &format!("@malloc(i{bits})"));
        let code = code
            .replace("@g: 4 align 4 = { 0: addr4", &format!("@g: {size} align {size} = {{ 0: addr{size}"));
        let text = format!("target \"{triple}\" pointer {bits} {order}\n{code}");
        assert_eq!(value(&text, &[3]), 12, "{triple}");
        let beyond = trap(&text, &[4]);
        assert!(matches!(beyond, TrapKind::OutOfBounds { offset: 16, .. }), "{triple} {beyond:?}");
    }
}

#[test]
fn tables_of_relative_addresses_work() {
    let text = "declare @llvm.load.relative.i64(ptr, i64) -> ptr
global @a: 4 align 4 = { 0: x\"07\" }
global @b: 4 align 4 = { 0: x\"09\" }
global @table: 8 align 4 = { 0: addr4 @a - @table 4: addr4 @b - @table }
func @test(%n: i64) -> i32 {
bb0:
  %o: i64 = mul %n, i64 4
  %p: ptr = call @llvm.load.relative.i64(ptr @table, %o)
  %v: i32 = load %p
  return %v
}
";
    assert_eq!(value(text, &[0]), 7);
    assert_eq!(value(text, &[1]), 9);
    assert!(matches!(trap(text, &[2]), TrapKind::OutOfBounds { size: 8, offset: 8, .. }));
}

#[test]
fn atomics_and_exchanges() {
    let text = "agg agg0 = 8 { 0: i32, 4: i1 }
func @test() -> i32 {
bb0:
  %a = stack 4 align 4
  store i32 10 to %a
  %old: i32 = atomic add %a, i32 5
  %least: i32 = atomic min %a, i32 -3
  %x: agg0 = cmpxchg %a, i32 -3, i32 100
  %won: i1 = extract %x, 1
  %y: agg0 = cmpxchg %a, i32 -3, i32 200
  %seen: i32 = extract %y, 0
  %lost: i1 = extract %y, 1
  %w: i32 = zext %won
  %l: i32 = zext %lost
  %p: i32 = mul %w, i32 1000
  %q: i32 = mul %l, i32 10000
  %s: i32 = add %p, %q
  %t: i32 = add %s, %seen
  %u: i32 = add %t, %old
  %v: i32 = add %u, %least
  fence
  return %v
}
";
    assert_eq!(value(text, &[]), 1000 + 100 + 10 + 15);
}
