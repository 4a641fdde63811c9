//! What the tests of the interpreter share: reading text IR, running it, and spelling results.
#![allow(dead_code, reason = "each test file uses its own part")]

use watertight_interpret::{End, Interpreter, Options, Outcome, TrapKind, Value};
use watertight_ir::{FuncId, Program};

/// Reads a program and insists that it obeys the rules of the IR.
pub(crate) fn program(text: &str) -> Program {
    let program = watertight_ir::parse("test.ir", text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let violations = watertight_ir::verify(&program);
    assert!(violations.is_empty(), "{violations:?}\n{text}");
    program
}

pub(crate) fn function(program: &Program, name: &str) -> FuncId {
    program.function_named(name).unwrap_or_else(|| panic!("there is no function {name}"))
}

/// Runs `@test` of a program with these arguments.
pub(crate) fn run(text: &str, args: &[u128]) -> Outcome {
    let program = program(text);
    let args: Vec<Value> = args.iter().map(|&bits| Value::Bits(bits)).collect();
    Interpreter::new(&program, Options::default()).call(function(&program, "test"), &args)
}

/// The bits that `@test` returns.
#[track_caller]
pub(crate) fn value(text: &str, args: &[u128]) -> u128 {
    let outcome = run(text, args);
    match outcome.end {
        End::Returned(Some(Value::Bits(bits))) => bits,
        other => panic!("expected a value, got {other:?}"),
    }
}

/// The trap that `@test` ends in.
#[track_caller]
pub(crate) fn trap(text: &str, args: &[u128]) -> TrapKind {
    match run(text, args).end {
        End::Trap(trap) => trap.kind,
        other => panic!("expected a trap, got {other:?}"),
    }
}

/// What `@test` prints; it must return or exit.
#[track_caller]
pub(crate) fn printed(text: &str) -> String {
    let outcome = run(text, &[]);
    assert!(matches!(outcome.end, End::Returned(_) | End::Exit(_)), "{:?}", outcome.end);
    String::from_utf8(outcome.stdout).expect("the test prints text")
}
