//! The small library, function by function; `printf` has its own file.

mod common;

use common::{function, printed, program, value};
use watertight_interpret::{End, Interpreter, Options, TrapKind};

/// Text of a global with these bytes and a final zero.
fn text_global(name: &str, text: &str) -> String {
    format!("global @{name}: {} align 1 = {{ 0: \"{text}\" }}\n", text.len() + 1)
}

/// Calls a function that takes strings and numbers and gives a number.
fn number(declaration: &str, call: &str, texts: &[(&str, &str)]) -> i64 {
    let globals: String = texts.iter().map(|(name, text)| text_global(name, text)).collect();
    let result = declaration.rsplit("-> ").next().expect("a result is declared").trim();
    let convert = match result {
        "i64" => "  %w: i64 = bitcast %r\n",
        "ptr" => "  %w: i64 = ptrtoint %r\n",
        _ => "  %w: i64 = sext %r\n",
    };
    let program = format!(
        "{globals}declare {declaration}\nfunc @test() -> i64 {{\nbb0:\n  %r: {result} = call {call}\n{convert}  return %w\n}}\n"
    );
    value(&program, &[]) as u64 as i64
}

#[test]
fn strings_are_measured_and_compared() {
    let texts = [("a", "hello"), ("b", "help"), ("c", "HELLO"), ("set", "leh")];
    let length = |call: &str| number("@strlen(ptr) -> i64", call, &texts);
    assert_eq!(length("@strlen(ptr @a)"), 5);
    assert_eq!(length("@strlen(ptr @a+2)"), 3);
    let two = |name: &str, a: &str, b: &str| {
        number(&format!("@{name}(ptr, ptr) -> i32"), &format!("@{name}(ptr @{a}, ptr @{b})"), &texts)
    };
    assert!(two("strcmp", "a", "b") < 0);
    assert!(two("strcmp", "b", "a") > 0);
    assert_eq!(two("strcmp", "a", "a"), 0);
    assert_eq!(two("strcasecmp", "a", "c"), 0);
    let limited = |name: &str, n: u32| {
        number(
            &format!("@{name}(ptr, ptr, i64) -> i32"),
            &format!("@{name}(ptr @a, ptr @b, i64 {n})"),
            &texts,
        )
    };
    assert_eq!(limited("strncmp", 3), 0);
    assert!(limited("strncmp", 4) < 0);
    assert!(limited("memcmp", 4) < 0);
    assert_eq!(number("@strspn(ptr, ptr) -> i64", "@strspn(ptr @a, ptr @set)", &texts), 4);
    assert_eq!(number("@strcspn(ptr, ptr) -> i64", "@strcspn(ptr @b, ptr @a+3)", &texts), 2);
}

#[test]
fn strings_are_copied_searched_and_cut() {
    let text = format!(
        "{}{}{}declare @puts(ptr) -> i32
declare @strcpy(ptr, ptr) -> ptr
declare @strcat(ptr, ptr) -> ptr
declare @strncat(ptr, ptr, i64) -> ptr
declare @strchr(ptr, i32) -> ptr
declare @strrchr(ptr, i32) -> ptr
declare @strstr(ptr, ptr) -> ptr
declare @memmove(ptr, ptr, i64) -> ptr
declare @strtok(ptr, ptr) -> ptr
func @test() {{
bb0:
  %buffer = stack 64 align 1
  %r1: ptr = call @strcpy(%buffer, ptr @one)
  %r2: ptr = call @strcat(%buffer, ptr @two)
  %r3: ptr = call @strncat(%buffer, ptr @two, i64 2)
  %p1: i32 = call @puts(%buffer)
  %f1: ptr = call @strchr(%buffer, i32 44)
  %p2: i32 = call @puts(%f1)
  %f2: ptr = call @strrchr(%buffer, i32 44)
  %p3: i32 = call @puts(%f2)
  %f3: ptr = call @strstr(%buffer, ptr @two)
  %p4: i32 = call @puts(%f3)
  %m = offset %buffer, 1
  %r4: ptr = call @memmove(%m, %buffer, i64 4)
  %p5: i32 = call @puts(%buffer)
  %t1: ptr = call @strtok(%buffer, ptr @comma)
  %p6: i32 = call @puts(%t1)
  %t2: ptr = call @strtok(ptr null, ptr @comma)
  %p7: i32 = call @puts(%t2)
  %t3: ptr = call @strtok(ptr null, ptr @comma)
  %p8: i32 = call @puts(%t3)
  %t4: ptr = call @strtok(ptr null, ptr @comma)
  %none = compare eq %t4, ptr null
  branch %none, bb1, bb2
bb1:
  return
bb2:
  unreachable
}}
",
        text_global("one", "ab,"),
        text_global("two", "cd,ef"),
        text_global("comma", ",")
    );
    assert_eq!(printed(&text), "ab,cd,efcd\n,cd,efcd\n,efcd\ncd,efcd\naab,c,efcd\naab\nc\nefcd\n");
}

#[test]
fn numbers_are_read() {
    let texts = [("a", "  -123xyz"), ("b", "0x1f"), ("c", "99999999999999999999"), ("d", "077")];
    let call = |name: &str, base: u32| {
        number(
            "@strtol(ptr, ptr, i32) -> i64",
            &format!("@strtol(ptr @{name}, ptr null, i32 {base})"),
            &texts,
        )
    };
    assert_eq!(call("a", 10), -123);
    assert_eq!(call("b", 16), 31);
    assert_eq!(call("b", 0), 31);
    assert_eq!(call("b", 10), 0);
    assert_eq!(call("c", 10), i64::MAX);
    assert_eq!(call("d", 0), 63);
    assert_eq!(number("@atoi(ptr) -> i32", "@atoi(ptr @a)", &texts), -123);
    let unsigned = number("@strtoul(ptr, ptr, i32) -> i64", "@strtoul(ptr @c, ptr null, i32 10)", &texts);
    assert_eq!(unsigned, -1);
    let text = format!(
        "{}declare @strtod(ptr, ptr) -> f64
func @test() -> i64 {{
bb0:
  %end = stack 8 align 8
  %d: f64 = call @strtod(ptr @number, %end)
  %e: ptr = load %end
  %a: i64 = ptrtoint %e
  %b: i64 = ptrtoint ptr @number
  %used: i64 = sub %a, %b
  %f: f64 = fmul %d, f64 1000.0
  %n: i64 = fptosi %f
  %s: i64 = mul %used, i64 1000000
  %r: i64 = add %s, %n
  return %r
}}
",
        text_global("number", "1.25e1z")
    );
    assert_eq!(value(&text, &[]), 6_012_500);
}

#[test]
fn character_classes_and_their_tables() {
    for (name, byte, expected) in [
        ("isalpha", 'x', true),
        ("isalpha", '1', false),
        ("isdigit", '1', true),
        ("isspace", '\t', true),
        ("ispunct", '!', true),
    ] {
        let call = format!("@{name}(i32 {})", u32::from(byte));
        assert_eq!(number(&format!("@{name}(i32) -> i32"), &call, &[]) != 0, expected, "{name} {byte}");
    }
    assert_eq!(number("@toupper(i32) -> i32", "@toupper(i32 97)", &[]), 65);
    assert_eq!(number("@tolower(i32) -> i32", "@tolower(i32 -1)", &[]), -1);
    // What `isalpha('q')` and `isdigit('q')` expand to with glibc's header.
    for (mask, byte, expected) in
        [(1024, b'q', true), (2048, b'q', false), (2048, b'7', true), (8192, b' ', true)]
    {
        let text = format!(
            "declare @__ctype_b_loc() -> ptr
func @test() -> i1 {{
bb0:
  %p: ptr = call @__ctype_b_loc()
  %t: ptr = load %p
  %a = index %t, i32 {byte}, 2
  %v: i16 = load %a
  %m: i16 = and %v, i16 {mask}
  %r = compare ne %m, i16 0
  return %r
}}
"
        );
        assert_eq!(value(&text, &[]) == 1, expected, "{mask} {byte}");
    }
}

#[test]
fn random_numbers_are_those_of_glibc() {
    let text = "declare @srand(i32)
declare @rand() -> i32
func @test(%seed: i32) -> i32 {
bb0:
  call @srand(%seed)
  %a: i32 = call @rand()
  %b: i32 = call @rand()
  return %b
}
";
    assert_eq!(value(text, &[1]), 846_930_886);
    assert_eq!(value(text, &[5]), 99_788_765);
}

#[test]
fn output_goes_to_its_stream() {
    let text = format!(
        "{}{}declare @fputs(ptr, ptr) -> i32
declare @fprintf(ptr, ptr, ...) -> i32
declare @fwrite(ptr, i64, i64, ptr) -> i64
declare @putchar(i32) -> i32
declare @perror(ptr)
global @stdout: 8 align 8
global @stderr: 8 align 8
func @test() -> i64 {{
bb0:
  %out: ptr = load ptr @stdout
  %err: ptr = load ptr @stderr
  %r1: i32 = call @fputs(ptr @text, %out)
  %r2: i32 = call @fprintf(%err, ptr @format, ..., i32 7)
  %n: i64 = call @fwrite(ptr @text, i64 1, i64 3, %err)
  %r3: i32 = call @putchar(i32 33)
  call @perror(ptr @text)
  return %n
}}
",
        text_global("text", "words"),
        text_global("format", "<%d>")
    );
    let program = program(&text);
    let outcome = Interpreter::new(&program, Options::default()).call(function(&program, "test"), &[]);
    assert_eq!(String::from_utf8_lossy(&outcome.stdout), "words!");
    assert_eq!(String::from_utf8_lossy(&outcome.stderr), "<7>worwords: Success\n");
}

#[test]
fn input_comes_from_the_options() {
    let text = format!(
        "{}declare @fgets(ptr, i32, ptr) -> ptr
declare @getchar() -> i32
declare @scanf(ptr, ...) -> i32
declare @printf(ptr, ...) -> i32
declare @puts(ptr) -> i32
global @stdin: 8 align 8
global @show: 13 align 1 = {{ 0: \"%d %d %d %s|\" }}
func @test() {{
bb0:
  %in: ptr = load ptr @stdin
  %line = stack 32 align 1
  %a = stack 4 align 4
  %b = stack 4 align 4
  %word = stack 16 align 1
  %r: ptr = call @fgets(%line, i32 32, %in)
  %p: i32 = call @puts(%line)
  %n: i32 = call @scanf(ptr @format, ..., %a, %b, %word)
  %x: i32 = load %a
  %y: i32 = load %b
  %q: i32 = call @printf(ptr @show, ..., %n, %x, %y, %word)
  %c: i32 = call @getchar()
  %d: i32 = call @getchar()
  %q2: i32 = call @printf(ptr @show, ..., %c, %d, i32 0, %word)
  return
}}
",
        text_global("format", "%d,%x %15[a-z]")
    );
    let program = program(&text);
    let options = Options { stdin: b"first line\n12,ff  abc7".to_vec(), ..Options::default() };
    let outcome = Interpreter::new(&program, options).call(function(&program, "test"), &[]);
    assert_eq!(String::from_utf8_lossy(&outcome.stdout), "first line\n\n3 12 255 abc|55 -1 0 abc|");
}

#[test]
fn files_live_in_memory() {
    let text = format!(
        "{}{}{}{}declare @fopen(ptr, ptr) -> ptr
declare @fputs(ptr, ptr) -> i32
declare @rewind(ptr)
declare @fgets(ptr, i32, ptr) -> ptr
declare @fclose(ptr) -> i32
declare @printf(ptr, ...) -> i32
func @test() -> i1 {{
bb0:
  %line = stack 32 align 1
  %none: ptr = call @fopen(ptr @name, ptr @read)
  %f: ptr = call @fopen(ptr @name, ptr @write)
  %r1: i32 = call @fputs(ptr @text, %f)
  call @rewind(%f)
  %r2: ptr = call @fgets(%line, i32 32, %f)
  %r3: i32 = call @fclose(%f)
  %p: i32 = call @printf(%line, ...)
  %missing = compare eq %none, ptr null
  return %missing
}}
",
        text_global("name", "/no/such/file"),
        text_global("read", "r"),
        text_global("write", "w+"),
        text_global("text", "kept")
    );
    let program = program(&text);
    let outcome = Interpreter::new(&program, Options::default()).call(function(&program, "test"), &[]);
    assert_eq!(outcome.end, End::Returned(Some(watertight_interpret::Value::Bits(1))));
    assert_eq!(outcome.stdout, b"kept");
}

#[test]
fn mathematics_is_exact_where_it_can_be() {
    let run = |name: &str, bits: &str| {
        let text = format!(
            "declare @{name}(f64) -> f64\nfunc @test() -> f64 {{\nbb0:\n  %r: f64 = call @{name}(f64 {bits})\n  return %r\n}}\n"
        );
        let outcome = common::run(&text, &[]);
        let End::Returned(Some(watertight_interpret::Value::Bits(bits))) = outcome.end else {
            panic!("{name}: {:?}", outcome.end)
        };
        (f64::from_bits(bits as u64), outcome.inexact)
    };
    assert_eq!(run("sqrt", "2.0"), (2f64.sqrt(), false));
    assert_eq!(run("floor", "-1.5"), (-2.0, false));
    assert_eq!(run("round", "2.5"), (3.0, false));
    assert_eq!(run("rint", "2.5"), (2.0, false));
    assert_eq!(run("llvm.fabs.f64", "-3.0"), (3.0, false));
    assert_eq!(run("sin", "1.0"), (1f64.sin(), true), "other libraries may differ in the last bit");
}

#[test]
fn failing_ends_the_run() {
    let assertion = format!(
        "{}declare @__assert_fail(ptr, ptr, i32, ptr) noreturn
func @test() {{
bb0:
  call @__assert_fail(ptr @text, ptr @text, i32 12, ptr @text) noreturn
  unreachable
}}
",
        text_global("text", "x")
    );
    let outcome = common::run(&assertion, &[]);
    assert!(matches!(outcome.end, End::Trap(trap) if trap.kind == TrapKind::AssertionFailed("x".into())));
    assert_eq!(String::from_utf8_lossy(&outcome.stderr), "x:12: x: Assertion `x' failed.\n");
    let abort =
        "declare @abort() noreturn\nfunc @test() {\nbb0:\n  call @abort() noreturn\n  unreachable\n}\n";
    assert_eq!(common::trap(abort, &[]), TrapKind::Abort);
    let exit = "declare @exit(i32) noreturn\nfunc @test() {\nbb0:\n  call @exit(i32 -1) noreturn\n  unreachable\n}\n";
    assert_eq!(common::run(exit, &[]).end, End::Exit(255));
}

#[test]
fn output_is_limited() {
    let text = "declare @putchar(i32) -> i32
func @test() {\nbb0:\n  jump bb1\nbb1:\n  %r: i32 = call @putchar(i32 65)\n  jump bb1\n}\n";
    let program = program(text);
    let options = Options { max_output: 100, ..Options::default() };
    let outcome = Interpreter::new(&program, options).call(function(&program, "test"), &[]);
    assert!(matches!(outcome.end, End::Trap(trap) if trap.kind == TrapKind::OutputLimit));
    assert_eq!(outcome.stdout.len(), 100);
}

#[test]
fn the_program_may_define_library_functions_itself() {
    let text = "func @abs(%x: i32) -> i32 {\nbb0:\n  return i32 1234\n}
func @test() -> i32 {\nbb0:\n  %r: i32 = call @abs(i32 -5)\n  return %r\n}\n";
    assert_eq!(value(text, &[]), 1234);
}
