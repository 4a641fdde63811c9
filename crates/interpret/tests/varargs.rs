//! Variable arguments as clang reads them, for each shape of `va_list`.

mod common;

use common::{printed, value};

/// What clang writes for `va_arg(list, int)` where the registers are used up.
#[test]
fn system_v_lists_use_the_overflow_area() {
    let text = "target \"x86_64-unknown-linux-gnu\" pointer 64 little
func @next_word(%list: ptr, %bytes: i64) -> ptr {
bb0:
  %gp: i32 = load %list
  %fits = compare ule %gp, i32 40
  branch %fits, bb1, bb2
bb1:
  unreachable
bb2:
  %field = offset %list, 8
  %area: ptr = load %field
  %after = index %area, %bytes, 1
  store %after to %field
  return %area
}
func @sum(%n: i32, ...) -> i64 {
bb0:
  %list = stack 24 align 16
  va_start %list
  %fpfield = offset %list, 4
  %fp: i32 = load %fpfield
  %none = compare ule %fp, i32 160
  branch %none, bb1, bb2
bb1:
  unreachable
bb2:
  %copy = stack 24 align 16
  va_copy %copy, %list
  %a1: ptr = call @next_word(%list, i64 8)
  %v1: i32 = load %a1
  %a2: ptr = call @next_word(%list, i64 8)
  %v2: f64 = load %a2
  %a3: ptr = call @next_word(%list, i64 24)
  %p3 = offset %a3, 16
  %v3: i64 = load %p3
  %v4: i64 = va_arg %list
  %v5: i128 = va_arg %list
  %first: i32 = va_arg %copy
  va_end %list
  %x1: i64 = zext %v1
  %x2: i64 = fptosi %v2
  %x5: i64 = trunc %v5
  %x6: i64 = zext %first
  %s1: i64 = add %x1, %x2
  %s2: i64 = add %s1, %v3
  %s3: i64 = add %s2, %v4
  %s4: i64 = add %s3, %x5
  %s5: i64 = add %s4, %x6
  return %s5
}
func @test() -> i64 {
bb0:
  %s = stack 24 align 8
  %c = offset %s, 16
  store i64 300 to %c
  %r: i64 = call @sum(i32 5, ..., i32 1, f64 20.0, %s byval 24, i64 4000, i128 50000)
  return %r
}
";
    assert_eq!(value(text, &[]), 1 + 20 + 300 + 4000 + 50000 + 1);
}

/// Targets whose list is a pointer, or that do not expand `va_arg`.
#[test]
fn other_lists_walk_over_slots() {
    let targets = [
        ("i386-unknown-linux-gnu", 32, "little"),
        ("armv7-unknown-linux-gnueabihf", 32, "little"),
        ("mips-unknown-linux-gnu", 32, "big"),
        ("powerpc-unknown-linux-gnu", 32, "big"),
        ("aarch64-unknown-linux-gnu", 64, "little"),
        ("riscv64-unknown-linux-gnu", 64, "little"),
        ("s390x-unknown-linux-gnu", 64, "big"),
        ("x86_64-unknown-linux-gnux32", 32, "little"),
    ];
    for (triple, bits, order) in targets {
        let text = format!(
            "target \"{triple}\" pointer {bits} {order}
declare @vprintf(ptr, ptr) -> i32
declare @printf(ptr, ...) -> i32
global @format: 24 align 1 constant = {{ 0: \"%d %g %lld %s %c|\" }}
global @word: 4 align 1 constant = {{ 0: \"abc\" }}
func @show(%n: i32, ...) {{
bb0:
  %list = stack 32 align 16
  va_start %list
  %a: i32 = va_arg %list
  %b: f64 = va_arg %list
  %c: i64 = va_arg %list
  %d: ptr = va_arg %list
  %e: i32 = va_arg %list
  va_end %list
  %r: i32 = call @printf(ptr @format, ..., %a, %b, %c, %d, %e)
  return
}}
func @test() {{
bb0:
  call @show(i32 0, ..., i32 -7, f64 2.5, i64 123456789012, ptr @word, i32 120)
  return
}}
"
        );
        assert_eq!(printed(&text), "-7 2.5 123456789012 abc x|", "{triple}");
    }
}

#[test]
fn a_list_can_be_handed_to_the_library() {
    // Where the list is a record its address is passed, where it is a pointer the pointer itself.
    for (triple, bits, by_address) in [
        ("x86_64-unknown-linux-gnu", 64, true),
        ("aarch64-unknown-linux-gnu", 64, true),
        ("i386-unknown-linux-gnu", 32, false),
    ] {
        let pass = if by_address { "  %p = offset %list, 0\n" } else { "  %p: ptr = load %list\n" };
        let text = format!(
            "target \"{triple}\" pointer {bits} little
declare @vprintf(ptr, ptr) -> i32
global @format: 24 align 1 constant = {{ 0: \"%d %g %lld %Lg|\" }}
func @show(%format: ptr, ...) {{
bb0:
  %list = stack 32 align 16
  va_start %list
{pass}  %r: i32 = call @vprintf(%format, %p)
  va_end %list
  return
}}
func @test() {{
bb0:
  call @show(ptr @format, ..., i32 3, f64 1.5, i64 -1, {long} )
  return
}}
",
            long = if triple.starts_with("aarch64") {
                "f128 0x3fff8000000000000000000000000000"
            } else {
                "f80 0x3fffc000000000000000"
            }
        );
        assert_eq!(printed(&text), "3 1.5 -1 1.5|", "{triple}");
    }
}

#[test]
fn aggregates_take_the_slots_of_their_bytes() {
    let text = "target \"aarch64-unknown-linux-gnu\" pointer 64 little
agg agg0 = 16 { 0: i64, 8: i64 }
func @get(%n: i32, ...) -> i64 {
bb0:
  %list = stack 32 align 8
  va_start %list
  %a: i32 = va_arg %list
  %b: agg0 = va_arg %list
  %c: i32 = va_arg %list
  %x: i64 = extract %b, 0
  %y: i64 = extract %b, 1
  %w: i64 = zext %a
  %z: i64 = zext %c
  %s: i64 = mul %y, i64 10
  %t: i64 = add %s, %x
  %u: i64 = mul %t, i64 10
  %v: i64 = add %u, %w
  %q: i64 = mul %v, i64 10
  %r: i64 = add %q, %z
  return %r
}
func @test() -> i64 {
bb0:
  %p: agg0 = pack i64 2, i64 3
  %r: i64 = call @get(i32 0, ..., i32 1, %p, i32 4)
  return %r
}
";
    assert_eq!(value(text, &[]), 3214);
}
