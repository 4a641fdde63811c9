//! Finds the installed clang versions and compiles small programs with them.

use std::io::Write as _;
use std::process::{Command, Stdio};

use watertight_frontend::bitcode::{
    Constant, Function, FunctionBody, FunctionId, GlobalVariable, Instruction, InstructionKind, Module,
    ValueId,
};

/// A clang on this machine.
pub(crate) struct Clang {
    command: String,
    pub(crate) major: u32,
}

/// The clang named by `WATERTIGHT_CLANG`, or else one of each major version on the path. The tests need
/// at least one: without it they would check nothing.
pub(crate) fn all() -> Vec<Clang> {
    let named = std::env::var("WATERTIGHT_CLANG").ok();
    let candidates = match named {
        Some(command) => vec![command],
        None => (14..=22).map(|major| format!("clang-{major}")).chain(["clang".to_owned()]).collect(),
    };
    let mut found: Vec<Clang> = Vec::new();
    for command in candidates {
        if let Some(major) = major_version(&command)
            && !found.iter().any(|clang| clang.major == major)
        {
            found.push(Clang { command, major });
        }
    }
    assert!(!found.is_empty(), "no clang found: install one or name it in WATERTIGHT_CLANG");
    found
}

fn major_version(command: &str) -> Option<u32> {
    let output = Command::new(command).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let (_, rest) = text.split_once("clang version ")?;
    rest.split('.').next()?.parse().ok()
}

impl Clang {
    /// Bitcode of a C program.
    pub(crate) fn c(&self, source: &str, flags: &[&str]) -> Vec<u8> {
        self.compile("c", source, flags)
    }

    /// Bitcode of a C++ program.
    pub(crate) fn cpp(&self, source: &str, flags: &[&str]) -> Vec<u8> {
        self.compile("c++", source, flags)
    }

    fn compile(&self, language: &str, source: &str, flags: &[&str]) -> Vec<u8> {
        let mut child = Command::new(&self.command)
            .args(["-x", language, "-w", "-c", "-emit-llvm", "-o", "-"])
            .args(flags)
            .arg("-")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("clang can be started");
        let mut input = child.stdin.take().expect("the input is a pipe");
        input.write_all(source.as_bytes()).expect("clang reads its input");
        drop(input);
        let output = child.wait_with_output().expect("clang ends");
        let messages = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{} failed: {messages}", self.command);
        output.stdout
    }
}

/// Compiles with every clang, without optimisation and with debug information, and checks the result.
pub(crate) fn check(source: &str, test: impl Fn(&Module<'_>, u32)) {
    check_with(source, &["-O0", "-g", "-Xclang", "-disable-O0-optnone"], test);
}

/// Compiles with every clang and these flags, and checks the result.
pub(crate) fn check_with(source: &str, flags: &[&str], test: impl Fn(&Module<'_>, u32)) {
    for clang in all() {
        let bytes = clang.c(source, flags);
        let module = Module::parse(&bytes).unwrap_or_else(|error| panic!("clang {}: {error}", clang.major));
        assert!(module.producer.contains(&clang.major.to_string()), "{}", module.producer);
        test(&module, clang.major);
    }
}

pub(crate) fn function<'m, 'a>(module: &'m Module<'a>, name: &str) -> (FunctionId, &'m Function<'a>) {
    let found = module.functions().find(|(_, function)| function.name_lossy() == name);
    found.unwrap_or_else(|| panic!("no function {name}"))
}

pub(crate) fn global<'m, 'a>(module: &'m Module<'a>, name: &str) -> &'m GlobalVariable<'a> {
    let found = module.global_variables().find(|(_, global)| global.name_lossy() == name);
    found.unwrap_or_else(|| panic!("no variable {name}")).1
}

pub(crate) fn body<'m>(module: &'m Module<'_>, name: &str) -> FunctionBody<'m> {
    module.function_body(function(module, name).0).expect("the body can be read")
}

/// The instructions of a body with this opcode.
pub(crate) fn with_opcode<'b>(body: &'b FunctionBody<'_>, opcode: &str) -> Vec<&'b Instruction> {
    body.instructions.iter().filter(|instruction| instruction.kind.opcode() == opcode).collect()
}

/// The integer a value stands for.
pub(crate) fn integer(body: &FunctionBody<'_>, id: ValueId) -> i64 {
    match body.constant(id) {
        Some(Constant::Integer(number)) => *number,
        other => panic!("{id:?} is not an integer: {other:?}"),
    }
}

/// The names of the functions a body calls, in order; calls through pointers are `?`.
pub(crate) fn callees(body: &FunctionBody<'_>) -> Vec<String> {
    let name = |instruction: &Instruction| match instruction.kind {
        InstructionKind::Call { call, .. } => Some(match body.value(call.callee) {
            watertight_frontend::bitcode::Value::Function(id) => {
                body.module.function(id).name_lossy().into_owned()
            }
            _ => "?".to_owned(),
        }),
        _ => None,
    };
    body.instructions.iter().filter_map(name).filter(|name| !name.starts_with("llvm.dbg")).collect()
}
