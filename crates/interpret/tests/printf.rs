//! `printf` against glibc: `data/printf.txt` holds formats, arguments and what glibc printed for them.

mod common;

use common::printed;
use std::fmt::Write as _;

/// A case of the table as text IR: the globals it needs and the arguments of the call.
fn arguments(index: usize, spec: &str, globals: &mut String) -> String {
    let mut call = String::new();
    for (number, arg) in spec.split(' ').filter(|arg| !arg.is_empty()).enumerate() {
        let (kind, value) = arg.split_once(':').expect("an argument has a type");
        match kind {
            "null" => call += ", ptr null",
            "str" => {
                let bytes = value.len() + 1;
                let name = format!("arg{index}_{number}");
                let _ = writeln!(globals, "global @{name}: {bytes} align 1 = {{ 0: \"{value}\" }}");
                let _ = write!(call, ", ptr @{name}");
            }
            "f80" => {
                // Two instructions make a long double of a double; the caller writes them first.
                let _ = write!(call, ", %w{index}_{number}");
            }
            _ => {
                let _ = write!(call, ", {kind} {value}");
            }
        }
    }
    call
}

#[test]
fn formats_print_as_in_glibc() {
    let table = include_str!("data/printf.txt");
    let cases: Vec<Vec<&str>> = table
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.splitn(4, '\t').collect())
        .collect();
    assert!(cases.len() > 400, "the table is there");
    let mut globals = String::from("declare @printf(ptr, ...) -> i32\n");
    let mut body = String::from("func @test() {\nbb0:\n");
    let mut expected = String::new();
    for (index, case) in cases.iter().enumerate() {
        let [format, args, count, text] = case[..] else { panic!("four fields in {case:?}") };
        let quoted = format.replace('\\', "\\\\").replace('"', "\\\"");
        let bytes = format.len() + 1;
        let _ = writeln!(globals, "global @f{index}: {bytes} align 1 constant = {{ 0: \"{quoted}\" }}");
        for (number, arg) in args.split(' ').enumerate() {
            if let Some(bits) = arg.strip_prefix("f80:") {
                let _ = writeln!(body, "  %w{index}_{number}: f80 = fpext f64 {bits}");
            }
        }
        let call = arguments(index, args, &mut globals);
        let _ = writeln!(body, "  %r{index}: i32 = call @printf(ptr @f{index}, ...{call})");
        let _ = writeln!(body, "  %q{index}: i32 = call @printf(ptr @result, ..., %r{index})");
        let _ = writeln!(expected, "{text}\t{count}");
    }
    globals += "global @result: 5 align 1 constant = { 0: \"\\t%d\\n\" }\n";
    body += "  return\n}\n";
    let actual = printed(&format!("{globals}{body}"));
    let mut wrong = Vec::new();
    for ((actual, expected), case) in actual.lines().zip(expected.lines()).zip(&cases) {
        if actual != expected {
            wrong.push(format!("{} {}: {actual:?} instead of {expected:?}", case[0], case[1]));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(actual.lines().count(), cases.len());
}

#[test]
fn the_number_of_bytes_so_far_can_be_stored() {
    let text = "declare @sprintf(ptr, ptr, ...) -> i32
global @format: 8 align 1 constant = { 0: \"ab%ncd\" }
global @long: 8 align 1 constant = { 0: \"%lnx\" }
func @test() -> i32 {
bb0:
  %buffer = stack 16 align 1
  %n = stack 4 align 4
  %r: i32 = call @sprintf(%buffer, ptr @format, ..., %n)
  %v: i32 = load %n
  %w: i32 = mul %v, i32 10
  %s: i32 = add %w, %r
  return %s
}
";
    assert_eq!(common::value(text, &[]), 24);
}

#[test]
fn an_unknown_conversion_is_a_trap() {
    let text = "declare @printf(ptr, ...) -> i32
global @format: 4 align 1 constant = { 0: \"%y\" }
func @test() {
bb0:
  %r: i32 = call @printf(ptr @format, ...)
  return
}
";
    let kind = common::trap(text, &[]);
    assert_eq!(kind, watertight_interpret::TrapKind::Unsupported("conversion %y in a format".into()));
}
