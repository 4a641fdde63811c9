//! From bitcode files to one program.
//!
//! In: [`Input`]s in order. Out: the joined [`Program`] and a problem for each input that could not be had. Each unit
//! is read, decoded, lowered and put into SSA form on its own, in parallel; then the units are joined in the order of
//! their names, which makes the result independent of threads and of the order in which somebody names files.
//!
//! What must hold: whatever the bytes of one input are, the other inputs are in the program. A file that cannot be
//! read or decoded is the input's problem; a panic while decoding is a problem of ours, and is told apart.
//!
//! Programs in text form (`.ir`) are inputs like others. They come from people, so they are always verified; what
//! lowering makes is verified in debug builds, or when asked for.

use std::path::PathBuf;

use rayon::prelude::*;
use watertight_capture::OLDEST_CLANG;
use watertight_finding::{Problem, ProblemKind};
use watertight_frontend::bitcode::{Counts, Error as BitcodeError, Module, NEWEST_LLVM};
use watertight_frontend::join::join;
use watertight_frontend::lower::{Form, LeftOut, Lowered, Reason, lower_parts};
use watertight_ir::{Program, verify};

use crate::protect::protect;
use crate::stages::Stages;

/// One file to load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// The source as the user would write it; names the unit in every message.
    pub name: String,
    /// What is to be read.
    pub source: Source,
}

/// Where a unit comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A bitcode file.
    Bitcode(PathBuf),
    /// A program in the text form of the IR.
    Text(PathBuf),
}

/// When programs made by lowering are verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Verify {
    /// In debug builds.
    #[default]
    Debug,
    /// In every build.
    Always,
}

impl Verify {
    fn applies(self) -> bool {
        self == Verify::Always || cfg!(debug_assertions)
    }
}

/// What came of the inputs.
#[derive(Debug, Default)]
pub struct Loaded {
    /// Everything that could be had, joined.
    pub program: Program,
    /// Inputs that could not be had, in input order.
    pub problems: Vec<Problem>,
    /// The stages `lower` and `join`.
    pub stages: Stages,
}

/// Loads and joins units, on the threads of the pool it is called in.
#[must_use]
pub fn load(inputs: &[Input], form: Form, verify: Verify) -> Loaded {
    load_with(inputs, verify, &|input, bytes| decode(input, bytes, form))
}

/// Makes a program of one unit from the bytes of an input, with the problems of what is missing in it.
type Decode<'d> = dyn Fn(&Input, &[u8]) -> Result<(Program, Vec<Problem>), Problem> + Sync + 'd;

fn load_with(inputs: &[Input], verify: Verify, decode: &Decode<'_>) -> Loaded {
    let mut loaded = Loaded::default();
    let problems = &mut loaded.problems;
    let parts = loaded.stages.measure("lower", |counts| {
        let units: Vec<Result<Part, Problem>> =
            inputs.par_iter().map(|input| load_unit(input, verify, decode)).collect();
        let (mut parts, mut bytes) = (Vec::new(), 0);
        for (input, unit) in inputs.iter().zip(units) {
            match unit {
                Ok(part) => {
                    bytes += part.bytes;
                    problems.extend(part.problems);
                    parts.push((input, part.program));
                }
                Err(problem) => problems.push(problem),
            }
        }
        parts.sort_by(|one, other| one.0.name.cmp(&other.0.name));
        counts.extend([("units", parts.len() as u64), ("bytes", bytes)]);
        counts.extend(sizes(parts.iter().map(|(_, program)| program)));
        parts
    });
    loaded.program = loaded.stages.measure("join", |counts| {
        let parts = of_one_machine(parts, problems);
        let joined = protect(|| join(parts)).unwrap_or_else(|panic| {
            problems.push(internal("all units", "joining them", &panic.to_string()));
            Program::default()
        });
        counts.extend([
            ("functions", joined.functions.len() as u64),
            ("globals", joined.globals.len() as u64),
            ("remarks", joined.problems.len() as u64),
        ]);
        joined
    });
    if verify.applies() {
        problems.extend(violations(&loaded.program, "the joined program"));
    }
    loaded
}

/// What LLVM's own tools would count in a bitcode file.
pub fn counts(input: &Input) -> Result<Counts, Problem> {
    let Source::Bitcode(path) = &input.source else {
        return Err(failed(input, "it is not bitcode"));
    };
    let bytes = watertight_capture::plain::read(path)
        .map_err(|error| failed(input, &format!("cannot be read: {error}")))?;
    match protect(|| Module::parse_parts(&bytes).and_then(|modules| Counts::of(&modules))) {
        Ok(counts) => counts.map_err(|error| failed(input, &advice(&error))),
        Err(panic) => Err(internal(&input.name, "decoding it", &panic.to_string())),
    }
}

/// A unit on its own.
struct Part {
    program: Program,
    problems: Vec<Problem>,
    bytes: u64,
}

fn load_unit(input: &Input, verify: Verify, decode: &Decode<'_>) -> Result<Part, Problem> {
    let (Source::Bitcode(path) | Source::Text(path)) = &input.source;
    let bytes = watertight_capture::plain::read(path)
        .map_err(|error| failed(input, &format!("cannot be read: {error}")))?;
    let made = protect(|| decode(input, &bytes));
    let (program, problems) = match made {
        Ok(made) => made?,
        Err(panic) => return Err(internal(&input.name, "reading it", &panic.to_string())),
    };
    if matches!(input.source, Source::Bitcode(_))
        && verify.applies()
        && let Some(problem) = violations(&program, &input.name)
    {
        return Err(problem);
    }
    Ok(Part { program, problems, bytes: bytes.len() as u64 })
}

fn decode(input: &Input, bytes: &[u8], form: Form) -> Result<(Program, Vec<Problem>), Problem> {
    match &input.source {
        Source::Bitcode(_) => match Module::parse_parts(bytes) {
            Ok(modules) => {
                let Lowered { program, left_out } = lower_parts(&modules, &input.name, form);
                Ok((program, missing(input, &left_out)))
            }
            Err(error) => Err(failed(input, &advice(&error))),
        },
        Source::Text(_) => Ok((parse(input, bytes)?, Vec::new())),
    }
}

/// What is to be said of functions without their bodies. Those that cannot be decoded have one cause, most likely that
/// the file comes from another LLVM, so they are one problem of the file; any other is a problem of its function.
fn missing(input: &Input, left_out: &[LeftOut]) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut undecoded = Vec::new();
    for LeftOut { function, reason } in left_out {
        match reason {
            Reason::Bitcode(error) => undecoded.push((function, error)),
            Reason::Inexpressible(cause) => {
                let cause = format!("{cause} (in {})", input.name);
                problems.push(Problem::new(ProblemKind::GivenUp, &**function, cause));
            }
        }
    }
    if let Some((function, error)) = undecoded.first() {
        let others = match undecoded.len() - 1 {
            0 => String::new(),
            1 => " and 1 other".to_owned(),
            many => format!(" and {many} others"),
        };
        let cause = format!("function `{function}`{others} cannot be decoded: {}", advice(error));
        problems.insert(0, failed(input, &cause));
    }
    problems
}

fn parse(input: &Input, bytes: &[u8]) -> Result<Program, Problem> {
    let text = std::str::from_utf8(bytes).map_err(|_| failed(input, "it is not UTF-8"))?;
    let program =
        watertight_ir::parse(&input.name, text).map_err(|error| failed(input, &error.to_string()))?;
    match verify(&program).first() {
        Some(violation) => Err(failed(input, &format!("the program breaks a rule of the IR: {violation}"))),
        None => Ok(program),
    }
}

/// Leaves out units for another machine than that of the first one: they cannot be part of one program.
fn of_one_machine(parts: Vec<(&Input, Program)>, problems: &mut Vec<Problem>) -> Vec<Program> {
    let Some(target) = parts.first().map(|(_, program)| program.target.clone()) else { return Vec::new() };
    let mut fitting = Vec::new();
    for (input, part) in parts {
        if (part.target.pointer_bits, part.target.endian) == (target.pointer_bits, target.endian) {
            fitting.push(part);
        } else {
            let cause = format!(
                "compiled for `{}`, while the units before it are for `{}`; check them in a run of their own",
                part.target.triple, target.triple
            );
            problems.push(failed(input, &cause));
        }
    }
    fitting
}

/// Functions, blocks and instructions of some programs.
fn sizes<'p>(programs: impl Iterator<Item = &'p Program>) -> [(&'static str, u64); 3] {
    let (mut functions, mut blocks, mut insts) = (0, 0, 0);
    for body in programs.flat_map(|program| program.functions.values()).filter_map(|f| f.body.as_ref()) {
        functions += 1;
        blocks += body.blocks.len() as u64;
        insts += body.inst_count() as u64;
    }
    [("bodies", functions), ("blocks", blocks), ("instructions", insts)]
}

fn violations(program: &Program, subject: &str) -> Option<Problem> {
    let violations = verify(program);
    let first = violations.first()?;
    let text = format!("{} rules of the IR are broken, first: {first}", violations.len());
    Some(internal(subject, "verifying it", &text))
}

fn failed(input: &Input, cause: &str) -> Problem {
    Problem::new(ProblemKind::UnitFailed, &input.name, cause)
}

fn internal(subject: &str, doing: &str, cause: &str) -> Problem {
    Problem::new(ProblemKind::InternalError, subject, format!("{doing} failed: {cause}"))
}

/// What is wrong with a bitcode file, and what can be done about it.
fn advice(error: &BitcodeError) -> String {
    match error {
        BitcodeError::NotBitcode | BitcodeError::ModuleCount { .. } | BitcodeError::Malformed { .. } => {
            format!("{error}; compile it again with `clang -c -g -emit-llvm`")
        }
        BitcodeError::UnknownRecord { .. }
        | BitcodeError::Unsupported { .. }
        | BitcodeError::Newer { .. } => {
            format!("{error}; compile it with a clang of version {OLDEST_CLANG} to {NEWEST_LLVM}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(folder: &tempfile::TempDir, name: &str, content: &str) -> Input {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        Input { name: name.to_owned(), source: Source::Text(path) }
    }

    fn shown(problems: &[Problem]) -> Vec<String> {
        problems.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn bad_inputs_do_not_cost_good_ones() {
        let folder = tempfile::tempdir().unwrap();
        let absent =
            Input { name: "absent.bc".to_owned(), source: Source::Bitcode(folder.path().join("absent.bc")) };
        std::fs::write(folder.path().join("noise.bc"), "noise").unwrap();
        let noise =
            Input { name: "noise.bc".to_owned(), source: Source::Bitcode(folder.path().join("noise.bc")) };
        let inputs = [
            text(&folder, "a.ir", "func @a() {\nbb0:\n  return\n}\n"),
            absent,
            noise,
            text(&folder, "broken.ir", "func @b() {\nbb0:\n  %x = compare eq i32 1, ptr null\n  return\n}\n"),
            text(&folder, "big.ir", "target \"s390x\" pointer 64 big\nfunc @c() {\nbb0:\n  return\n}\n"),
            text(&folder, "d.ir", "func @d() {\nbb0:\n  return\n}\n"),
        ];
        let loaded = load(&inputs, Form::Ssa, Verify::Always);
        let names: Vec<&str> = loaded.program.functions.values().map(|function| &*function.name).collect();
        assert_eq!(names, ["a", "d"]);
        let problems = shown(&loaded.problems);
        let starts = [
            "could not analyse `absent.bc`: cannot be read: No such file",
            "could not analyse `noise.bc`: not an LLVM bitcode file; compile it again",
            "could not analyse `broken.ir`: the program breaks a rule of the IR: ",
            "could not analyse `big.ir`: compiled for `s390x`, while the units before it are for `x86_64",
        ];
        assert_eq!(problems.len(), starts.len(), "{problems:#?}");
        for (problem, start) in problems.iter().zip(starts) {
            assert!(problem.starts_with(start), "{problem}");
        }
        assert_eq!(loaded.stages.0.iter().map(|stage| stage.name).collect::<Vec<_>>(), ["lower", "join"]);
    }

    #[test]
    fn a_panic_is_a_problem_of_its_unit() {
        let folder = tempfile::tempdir().unwrap();
        let inputs = ["a", "b", "c"].map(|name| {
            text(&folder, &format!("{name}.ir"), &format!("func @{name}() {{\nbb0:\n  return\n}}\n"))
        });
        let loaded = load_with(&inputs, Verify::Always, &|input, bytes| {
            assert!(input.name != "b.ir", "a mistake of ours");
            decode(input, bytes, Form::Ssa)
        });
        let names: Vec<&str> = loaded.program.functions.values().map(|function| &*function.name).collect();
        assert_eq!(names, ["a", "c"]);
        assert_eq!(
            shown(&loaded.problems),
            [
                "internal error in the analysis of `b.ir`, please report it: reading it failed: a mistake of ours"
            ]
        );
    }

    #[test]
    fn nothing_to_load_is_an_empty_program() {
        let loaded = load(&[], Form::Ssa, Verify::Always);
        assert_eq!(loaded.program, Program::default());
        assert_eq!(loaded.problems, []);
    }
}
