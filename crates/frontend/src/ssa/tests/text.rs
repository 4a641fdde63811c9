//! Single cases in text form: what goes in, what comes out.

use crate::ssa::construct_program;
use watertight_ir::{Id, Printer};

/// What every case may refer to.
const PRELUDE: &str = "\
unit unit0 \"test.c\" {
  file file0 \"test.c\"
  type ty0 = base int 32 signed
  type ty1 = pointer ty0
  type ty2 = struct pair 16 {
    first: ty0 at 0 bits 32
    second: ty1 at 64 bits 64
  }
  type ty3 = array ty2 [2]
  type ty4 = base long 64 signed
  type ty5 = struct triple 24 {
    head: ty4 at 0 bits 64
    rest: ty2 at 64 bits 128
  }
}
agg agg0 = 16 { 0: i64, 8: ptr }
";
const POSTLUDE: &str =
    "declare @use(...)\ndeclare @setjmp(ptr) -> i32 returns_twice\ndeclare @call() -> agg0\n";

/// Constructs SSA form for the one function in `input` and compares its text.
#[track_caller]
fn check(input: &str, expected: &str) {
    let text = format!("{PRELUDE}{input}\n{POSTLUDE}");
    let mut program = watertight_ir::parse("test.ir", &text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(watertight_ir::verify(&program), [], "the input is valid");
    construct_program(&mut program);
    assert_eq!(watertight_ir::verify(&program), [], "the output is valid");
    let mut output = String::new();
    Printer::new(&program).function(&mut output, Id::new(0)).unwrap();
    assert!(output.trim() == expected.trim(), "expected:\n{}\n\nfound:\n{}", expected.trim(), output.trim());
}

#[test]
fn parameters_and_locals_become_values_and_keep_their_names() {
    check(
        "func @f(%v0: i32) -> i32 {
  var var0 = a: ty0 param 0 home %a !1:1
  var var1 = x: ty0 home %x !2:1
bb0:
  %a = stack 4 align 4
  %x = stack 4 align 4
  store %v0 to %a
  %1: i32 = load %a !2:10
  %2: i32 = add %1, i32 1 !2:12
  store %2 to %x !2:5
  %3: i32 = load %x !3:10
  return %3 !3:3
}",
        "func @f(%v0: i32) -> i32 {
  var var0 = a: ty0 param 0 !1:1
  var var1 = x: ty0 !2:1
bb0:
  name var0, %v0
  %v1: i32 = add %v0, i32 1 !2:12
  name var1, %v1 !2:5
  return %v1 !3:3
}",
    );
}

#[test]
fn a_loop_variable_gets_a_phi_with_its_name() {
    check(
        "func @f(%v0: i32) -> i32 {
  var var0 = i: ty0 home %i
  var var1 = unread: ty0 home %u
bb0:
  %i = stack 4 align 4
  %u = stack 4 align 4
  store i32 0 to %i !1:1
  store i32 0 to %u !1:2
  jump bb1
bb1:
  %1: i32 = load %i !2:1
  %2 = compare slt %1, %v0
  branch %2, bb2, bb3
bb2:
  %3: i32 = load %i
  %4: i32 = add %3, i32 1
  store %4 to %i !3:1
  store i32 7 to %u !3:2
  jump bb1
bb3:
  %5: i32 = load %i
  return %5
}",
        "func @f(%v0: i32) -> i32 {
  var var0 = i: ty0
  var var1 = unread: ty0
bb0:
  name var0, i32 0 !1:1
  name var1, i32 0 !1:2
  jump bb1
bb1:
  %v1: i32 = phi [bb0: i32 0, bb2: %v3]
  name var0, %v1
  %v2 = compare slt %v1, %v0
  branch %v2, bb2, bb3
bb2:
  %v3: i32 = add %v1, i32 1
  name var0, %v3 !3:1
  name var1, i32 7 !3:2
  jump bb1
bb3:
  return %v1
}",
    );
}

#[test]
fn a_variable_that_is_read_before_it_is_written_is_undefined() {
    check(
        "func @f(%v0: i1) -> i32 {
bb0:
  %x = stack 4 align 4
  branch %v0, bb1, bb2
bb1:
  store i32 1 to %x
  jump bb2
bb2:
  %1: i32 = load %x
  return %1
}",
        "func @f(%v0: i1) -> i32 {
bb0:
  branch %v0, bb1, bb2
bb1:
  jump bb2
bb2:
  %v1: i32 = phi [bb0: i32 undef, bb1: i32 1]
  return %v1
}",
    );
}

#[test]
fn a_variable_that_is_never_written_is_equal_to_itself_only() {
    let text = format!(
        "{PRELUDE}func @f() {{
bb0:
  %x = stack 4 align 4
  %y = stack 4 align 4
  %1: i32 = load %x
  %2: i32 = load %y
  %3: i32 = load %x
  call @use(..., %1, %2, %3)
  return
}}
{POSTLUDE}"
    );
    let mut program = watertight_ir::parse("test.ir", &text).unwrap_or_else(|error| panic!("{error}"));
    construct_program(&mut program);
    let body = program.functions[Id::new(0)].body.as_ref().unwrap();
    let args = body.insts.values().find_map(|inst| match &inst.op {
        watertight_ir::Op::Call(call) => Some(&call.args),
        _ => None,
    });
    let args = args.unwrap();
    assert_eq!(args[0], args[2]);
    assert_ne!(args[0], args[1]);
}

#[test]
fn a_phi_of_one_value_is_that_value() {
    check(
        "func @f(%v0: i1, %v1: i32) -> i32 {
  var var0 = x: ty0 home %x
bb0:
  %x = stack 4 align 4
  branch %v0, bb1, bb2
bb1:
  store %v1 to %x !1:1
  jump bb3
bb2:
  store %v1 to %x !2:1
  jump bb3
bb3:
  %1: i32 = load %x
  return %1
}",
        "func @f(%v0: i1, %v1: i32) -> i32 {
  var var0 = x: ty0
bb0:
  branch %v0, bb1, bb2
bb1:
  name var0, %v1 !1:1
  jump bb3
bb2:
  name var0, %v1 !2:1
  jump bb3
bb3:
  return %v1
}",
    );
}

#[test]
fn a_variable_assigned_to_itself_in_a_loop_needs_no_phi() {
    check(
        "func @f(%v0: i1, %v1: i32) -> i32 {
  var var0 = x: ty0 home %x
bb0:
  %x = stack 4 align 4
  store %v1 to %x !1:1
  jump bb1
bb1:
  %1: i32 = load %x
  store %1 to %x !2:1
  branch %v0, bb1, bb2
bb2:
  %2: i32 = load %x
  return %2
}",
        "func @f(%v0: i1, %v1: i32) -> i32 {
  var var0 = x: ty0
bb0:
  name var0, %v1 !1:1
  jump bb1
bb1:
  name var0, %v1 !2:1
  branch %v0, bb1, bb2
bb2:
  return %v1
}",
    );
}

#[test]
fn an_object_whose_address_is_returned_stays_in_memory() {
    check(
        "func @f(%v0: i32) -> ptr {
bb0:
  %x = stack 4 align 4
  %s = stack 8 align 4
  store %v0 to %x
  %1 = offset %s, 4
  store %v0 to %1
  branch i1 1, bb1, bb2
bb1:
  return %x
bb2:
  return %1
}",
        "func @f(%v0: i32) -> ptr {
bb0:
  %v1 = stack 4 align 4
  %v2 = stack 8 align 4
  store %v0 to %v1
  %v3 = offset %v2, 4
  store %v0 to %v3
  branch i1 1, bb1, bb2
bb1:
  return %v1
bb2:
  return %v3
}",
    );
}

#[test]
fn an_address_copied_from_pointer_to_pointer_is_followed() {
    check(
        "func @f(%v0: i32) -> i32 {
bb0:
  %x = stack 4 align 4
  %p = stack 8 align 8
  %q = stack 8 align 8
  store %x to %p
  %1: ptr = load %p
  store %1 to %q
  %2: ptr = load %q
  store %v0 to %2
  %3: i32 = load %x
  return %3
}",
        "func @f(%v0: i32) -> i32 {
bb0:
  return %v0
}",
    );
}

#[test]
fn unreachable_blocks_go_with_their_phi_entries() {
    check(
        "func @f(%v0: i32) -> i32 {
bb0:
  jump bb3
bb1:
  %1: i32 = add %v0, i32 1
  jump bb3
bb2:
  jump bb1
bb3:
  %2: i32 = phi [bb0: %v0, bb1: %1]
  jump bb4
bb4:
  return %2
}",
        "func @f(%v0: i32) -> i32 {
bb0:
  jump bb1
bb1:
  jump bb2
bb2:
  return %v0
}",
    );
}

#[test]
fn blocks_keep_their_numbers_where_label_addresses_are_jumped_to() {
    check(
        "func @f(%v0: ptr) {
bb0:
  indirect %v0 [bb2, bb3]
bb1:
  call @use()
  jump bb2
bb2:
  return
bb3:
  return
}",
        "func @f(%v0: ptr) {
bb0:
  indirect %v0 [bb2, bb3]
bb1:
  unreachable
bb2:
  return
bb3:
  return
}",
    );
}

#[test]
fn a_struct_is_split_and_its_members_are_named() {
    check(
        "func @f(%v0: i32, %v1: ptr) -> ptr {
  var var0 = p: ty2 home %s
bb0:
  %s = stack 16 align 8
  memset %s, i8 0, i64 16 !1:1
  %1 = offset %s, 0
  store %v0 to %1 !2:1
  %2 = offset %s, 8
  store %v1 to %2 !3:1
  %3 = offset %s, 8
  %4: ptr = load %3
  return %4
}",
        "func @f(%v0: i32, %v1: ptr) -> ptr {
  var var0 = p: ty2
  var var1 = p.first: ty0
  var var2 = p.second: ty1
bb0:
  name var1, i32 0 !1:1
  name var2, ptr null !1:1
  name var1, %v0 !2:1
  name var2, %v1 !3:1
  return %v1
}",
    );
}

#[test]
fn members_of_arrays_and_nested_structs_are_spelled_as_in_c() {
    check(
        "func @f(%v0: i32, %v1: ptr) -> ptr {
  var var0 = a: ty3 home %a
  var var1 = t: ty5 home %t
bb0:
  %a = stack 32 align 8
  %t = stack 24 align 8
  %1 = offset %a, 16
  store %v0 to %1 !1:1
  %2 = offset %1, 8
  store %v1 to %2 !2:1
  %3 = offset %t, 16
  store %v1 to %3 !3:1
  return %v1
}",
        "func @f(%v0: i32, %v1: ptr) -> ptr {
  var var0 = a: ty3
  var var1 = t: ty5
  var var2 = \"a[1].first\": ty0
  var var3 = \"a[1].second\": ty1
  var var4 = t.rest.second: ty1
bb0:
  name var2, %v0 !1:1
  name var3, %v1 !2:1
  name var4, %v1 !3:1
  return %v1
}",
    );
}

#[test]
fn a_copy_from_memory_reads_what_is_needed() {
    check(
        "func @f(%v0: ptr) -> ptr {
bb0:
  %s = stack 24 align 8
  memcpy %s, %v0, i64 24 !1:1
  %1 = offset %s, 16
  %2: ptr = load %1 !2:1
  return %2
}",
        "func @f(%v0: ptr) -> ptr {
bb0:
  %v1 = offset %v0, 16 !1:1
  %v2: ptr = load %v1 !1:1
  return %v2
}",
    );
}

#[test]
fn a_copy_of_what_nobody_reads_still_touches_the_memory() {
    check(
        "func @f(%v0: ptr) {
bb0:
  %s = stack 24 align 8
  memcpy %s, %v0, i64 24 !1:1
  return
}",
        "func @f(%v0: ptr) {
bb0:
  %v1: i8 = load %v0 !1:1
  return
}",
    );
}

#[test]
fn what_a_copy_passes_on_is_passed_on_piece_by_piece() {
    check(
        "func @f(%v0: ptr, %v1: ptr) {
  var var0 = t: ty5 home %s
bb0:
  %s = stack 24 align 8
  memcpy %s, %v0, i64 24 !1:1
  %1 = offset %s, 8
  store i32 1 to %1 !2:1
  memcpy %v1, %s, i64 24 !3:1
  return
}",
        "func @f(%v0: ptr, %v1: ptr) {
  var var0 = t: ty5
  var var1 = t.head: ty4
  var var2 = t.rest.first: ty0
  var var3 = t.rest.second: ty1
bb0:
  %v2: i64 = load %v0 !1:1
  name var1, %v2 !1:1
  %v3 = offset %v0, 8 !1:1
  %v4: i32 = load %v3 !1:1
  name var2, %v4 !1:1
  %v5 = offset %v0, 12 !1:1
  %v6: i32 = load %v5 !1:1
  %v7 = offset %v0, 16 !1:1
  %v8: ptr = load %v7 !1:1
  name var3, %v8 !1:1
  name var2, i32 1 !2:1
  store %v2 to %v1 !3:1
  %v9 = offset %v1, 8 !3:1
  store i32 1 to %v9 !3:1
  %v10 = offset %v1, 12 !3:1
  store %v6 to %v10 !3:1
  %v11 = offset %v1, 16 !3:1
  store %v8 to %v11 !3:1
  return
}",
    );
}

#[test]
fn a_copy_between_split_objects_keeps_types() {
    check(
        "func @f(%v0: ptr) -> f64 {
bb0:
  %s = stack 16 align 8
  %t = stack 16 align 8
  memcpy %s, %v0, i64 16 !1:1
  memcpy %t, %s, i64 16 !2:1
  %1 = offset %t, 8
  %2: f64 = load %1
  return %2
}",
        "func @f(%v0: ptr) -> f64 {
bb0:
  %v1 = offset %v0, 8 !1:1
  %v2: f64 = load %v1 !1:1
  return %v2
}",
    );
}

#[test]
fn a_struct_in_two_registers_is_taken_apart_and_put_together() {
    check(
        "func @f() -> agg0 {
bb0:
  %s = stack 16 align 8
  %t = stack 16 align 8
  %1: agg0 = call @call() !1:1
  store %1 to %s !1:2
  memcpy %t, %s, i64 16 !2:1
  %2 = offset %t, 8
  %3: ptr = load %2
  call @use(%3)
  %4: agg0 = load %t !3:1
  return %4
}",
        "func @f() -> agg0 {
bb0:
  %v0: agg0 = call @call() !1:1
  %v1: i64 = extract %v0, 0 !1:2
  %v2: ptr = extract %v0, 1 !1:2
  call @use(%v2)
  %v3: agg0 = pack %v1, %v2 !3:1
  return %v3
}",
    );
}

#[test]
fn an_object_accessed_in_parts_that_overlap_stays_in_memory() {
    check(
        "func @f(%v0: i64) -> i32 {
  var var0 = u: ty4 home %u
bb0:
  %u = stack 8 align 8
  store %v0 to %u
  %1 = offset %u, 4
  %2: i32 = load %1
  return %2
}",
        "func @f(%v0: i64) -> i32 {
  var var0 = u: ty4 home %v1
bb0:
  %v1 = stack 8 align 8
  store %v0 to %v1
  %v2 = offset %v1, 4
  %v3: i32 = load %v2
  return %v3
}",
    );
}

#[test]
fn an_address_and_a_number_of_one_width_share_an_address() {
    check(
        "func @f(%v0: i64, %v1: ptr, %v2: i1) -> i64 {
bb0:
  %u = stack 8 align 8
  branch %v2, bb1, bb2
bb1:
  store %v0 to %u !1:1
  jump bb3
bb2:
  store %v1 to %u !2:1
  jump bb3
bb3:
  %1: f64 = load %u !3:1
  call @use(%1)
  %2: i64 = load %u !4:1
  return %2
}",
        "func @f(%v0: i64, %v1: ptr, %v2: i1) -> i64 {
bb0:
  branch %v2, bb1, bb2
bb1:
  %v3: ptr = inttoptr %v0 !1:1
  jump bb3
bb2:
  jump bb3
bb3:
  %v4: ptr = phi [bb1: %v3, bb2: %v1]
  %v5: i64 = ptrtoint %v4 !3:1
  %v6: f64 = bitcast %v5 !3:1
  call @use(%v6)
  %v7: i64 = ptrtoint %v4 !4:1
  return %v7
}",
    );
}

#[test]
fn volatile_atomic_escaping_and_variable_objects_stay_in_memory() {
    check(
        "func @f(%v0: i32, %v1: i64) -> i32 {
bb0:
  %v = stack 4 align 4
  %a = stack 4 align 4
  %e = stack 4 align 4
  %i = stack 8 align 4
  %n = stack 4 x %v1 align 4
  %o = stack 4 align 4
  %c = stack 4 align 4
  store volatile %v0 to %v
  store atomic %v0 to %a
  store %v0 to %e
  call @use(%e)
  %1 = index %i, %v1, 4
  store %v0 to %1
  store %v0 to %n
  %2 = offset %o, 4
  store %v0 to %2
  %3 = compare eq %c, ptr null
  %4: i32 = load volatile %v
  jump bb1
bb1:
  %x = stack 4 align 4
  store %v0 to %x
  branch %3, bb1, bb2
bb2:
  return %4
}",
        "func @f(%v0: i32, %v1: i64) -> i32 {
bb0:
  %v2 = stack 4 align 4
  %v3 = stack 4 align 4
  %v4 = stack 4 align 4
  %v5 = stack 8 align 4
  %v6 = stack 4 x %v1 align 4
  %v7 = stack 4 align 4
  %v8 = stack 4 align 4
  store volatile %v0 to %v2
  store atomic %v0 to %v3
  store %v0 to %v4
  call @use(%v4)
  %v9 = index %v5, %v1, 4
  store %v0 to %v9
  store %v0 to %v6
  %v10 = offset %v7, 4
  store %v0 to %v10
  %v11 = compare eq %v8, ptr null
  %v12: i32 = load volatile %v2
  jump bb1
bb1:
  %v13 = stack 4 align 4
  store %v0 to %v13
  branch %v11, bb1, bb2
bb2:
  return %v12
}",
    );
}

#[test]
fn only_what_is_written_once_at_the_start_moves_where_setjmp_returns_twice() {
    check(
        "func @f(%v0: i32, %v1: ptr) -> i32 {
  var var0 = a: ty0 param 0 home %a
  var var1 = x: ty0 home %x
bb0:
  %a = stack 4 align 4
  %x = stack 4 align 4
  %l = stack 4 align 4
  store %v0 to %a
  store i32 1 to %x !1:1
  %1: i32 = call @setjmp(%v1) returns_twice
  %2 = compare eq %1, i32 0
  branch %2, bb1, bb2
bb1:
  store i32 2 to %x !2:1
  store i32 3 to %l
  call @use()
  unreachable
bb2:
  %3: i32 = load %a
  %4: i32 = load %x
  %5: i32 = load %l
  call @use(%4, %5)
  return %3
}",
        "func @f(%v0: i32, %v1: ptr) -> i32 {
  var var0 = a: ty0 param 0
  var var1 = x: ty0 home %v2
bb0:
  %v2 = stack 4 align 4
  %v3 = stack 4 align 4
  name var0, %v0
  store i32 1 to %v2 !1:1
  %v4: i32 = call @setjmp(%v1) returns_twice
  %v5 = compare eq %v4, i32 0
  branch %v5, bb1, bb2
bb1:
  store i32 2 to %v2 !2:1
  store i32 3 to %v3
  call @use()
  unreachable
bb2:
  %v6: i32 = load %v2
  %v7: i32 = load %v3
  call @use(%v6, %v7)
  return %v0
}",
    );
}

#[test]
fn an_object_used_through_a_local_pointer_is_found_in_the_next_round() {
    check(
        "func @f(%v0: i32) -> i32 {
  var var0 = s: ty2 home %s
  var var1 = q: ty1 home %q
bb0:
  %s = stack 16 align 8
  %q = stack 8 align 8
  store %s to %q !1:1
  %1: ptr = load %q
  %2 = offset %1, 0
  store %v0 to %2 !2:1
  %3: ptr = load %q
  %4: i32 = load %3
  return %4
}",
        "func @f(%v0: i32) -> i32 {
  var var0 = s: ty2
  var var1 = q: ty1
  var var2 = s.first: ty0
bb0:
  name var2, %v0 !2:1
  return %v0
}",
    );
}

#[test]
fn an_object_with_many_parts_stays_in_memory() {
    let mut input = String::from("func @f(%v0: i8) {\nbb0:\n  %s = stack 65 align 1\n");
    let mut expected = String::from("func @f(%v0: i8) {\nbb0:\n  %v1 = stack 65 align 1\n");
    for byte in 1..65 {
        input += &format!("  %x{byte} = offset %s, {byte}\n  store %v0 to %x{byte}\n");
        expected += &format!("  %v{} = offset %v1, {byte}\n  store %v0 to %v{0}\n", byte + 1);
    }
    // The first byte makes 65.
    input += "  store %v0 to %s\n  return\n}";
    expected += "  store %v0 to %v1\n  return\n}";
    check(&input, &expected);
}
