//! The comparison: a program must do natively, with its variables in memory, and in SSA form the same.
//!
//! In: a C file, a clang, and limits. Out: a [`Verdict`]. This holds the whole front end, since a mistake in
//! decoding, lowering or SSA construction changes what a program does, and it holds the interpreter too.
//!
//! The two forms run with different bytes in fresh memory. A program that reads what it never wrote shows up as
//! a difference, and not as an agreement by luck.

use crate::held::not_foreseen;
use crate::native::{Behaviour, Clang, Native};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};
use watertight_frontend::bitcode::Module;
use watertight_frontend::{join, lower};
use watertight_interpret::{End, Interpreter, Options, Outcome, Recorder, Site, Uninitialised};
use watertight_ir::{FuncId, InstId, Program};
use watertight_pointer::PointsTo;

/// What to compare, and how much effort it may take.
pub(crate) struct Case<'a> {
    pub(crate) source: &'a Path,
    /// Flags of both compilations.
    pub(crate) flags: &'a [String],
    /// Flags of the compilation to bitcode only, after all others.
    pub(crate) bitcode_flags: &'a [String],
    pub(crate) args: &'a [&'a str],
    /// Processor time of the native run.
    pub(crate) seconds: u32,
    /// Steps of each interpreted run.
    pub(crate) steps: u64,
    /// Also print the IR, parse it back and compare.
    pub(crate) round_trip: bool,
}

/// What a comparison gave.
pub(crate) enum Verdict {
    Same(Figures),
    /// The program cannot be compared, for this reason.
    Skipped(Skip),
    /// What differs, in full.
    Different(String),
}

/// Why a program is not compared.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Skip {
    /// The native program ran into its limit of time.
    NativeTime,
    /// The interpreter ran into its limit of steps.
    Steps,
    /// Runs differ, but clang contradicts itself about the program as well.
    Undefined,
}

/// What a comparison cost, and what the program left behind.
#[derive(Clone, Default, Debug)]
pub(crate) struct Figures {
    pub(crate) memory_steps: u64,
    pub(crate) ssa_steps: u64,
    pub(crate) live_blocks: usize,
    /// What all three runs did.
    pub(crate) behaviour: Behaviour,
    pub(crate) native_time: Duration,
    pub(crate) load_time: Duration,
    pub(crate) memory_time: Duration,
    pub(crate) ssa_time: Duration,
}

/// Runs a program in all three ways. An error is about the machine or the program, not about agreement.
pub(crate) fn compare(clang: &Clang, case: &Case<'_>) -> Result<Verdict, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let folder = folder.path();
    let mut figures = Figures::default();
    let start = Instant::now();
    let native = match clang.run(case.source, folder, case.flags, case.args, case.seconds)? {
        Native::Ended(behaviour) => behaviour,
        Native::TooLong => return Ok(Verdict::Skipped(Skip::NativeTime)),
    };
    let mut flags = case.flags.to_vec();
    flags.extend_from_slice(case.bitcode_flags);
    let bitcode = clang.bitcode(case.source, folder, &flags)?;
    figures.native_time = start.elapsed();

    let mut differences = String::new();
    let mut outcomes = Vec::new();
    for (form, name, fill) in [(lower::Form::Memory, "memory form", 0xa5), (lower::Form::Ssa, "SSA form", 0)]
    {
        let start = Instant::now();
        let program = match load(&bitcode, form, case.round_trip) {
            Ok(program) => program,
            Err(why) => {
                let _ = writeln!(differences, "{name}: {why}");
                continue;
            }
        };
        figures.load_time += start.elapsed();
        let start = Instant::now();
        let options =
            Options { max_steps: case.steps, uninitialised: Uninitialised::Fill(fill), ..Options::default() };
        let mut words = vec!["native"];
        words.extend_from_slice(case.args);
        let mut calls = Calls::default();
        let outcome = Interpreter::with_recorder(&program, options, &mut calls).run_main(&words);
        match form {
            lower::Form::Memory => figures.memory_time = start.elapsed(),
            lower::Form::Ssa => figures.ssa_time = start.elapsed(),
        }
        if outcome.end == End::StepLimit {
            return Ok(Verdict::Skipped(Skip::Steps));
        }
        let _ = write!(differences, "{}", difference(name, &program, &native, &outcome));
        let names: BTreeSet<&str> = program.functions.values().map(|function| &*function.name).collect();
        let models = watertight_summary::model::shipped_for(&|name| names.contains(name));
        let points_to = PointsTo::new(&program, &models);
        let _ = write!(differences, "{}", calls.not_foreseen(name, &program, &points_to));
        if form == lower::Form::Ssa {
            let options = Options {
                max_steps: case.steps,
                uninitialised: Uninitialised::Fill(fill),
                ..Options::default()
            };
            let _ = write!(differences, "{}", not_foreseen(&program, &points_to, options, &words));
        }
        outcomes.push(outcome);
    }
    let [memory, ssa] = &outcomes[..] else { return Ok(Verdict::Different(differences)) };
    if memory.live_blocks.len() != ssa.live_blocks.len() {
        let (before, after) = (memory.live_blocks.len(), ssa.live_blocks.len());
        let _ = writeln!(differences, "{before} live blocks in memory form, {after} in SSA form");
    }
    if !differences.is_empty() {
        // A compiler that gives a program two meanings shows that C gives it none.
        let optimised = [case.flags, &["-O2".to_owned()]].concat();
        let again = clang.run(case.source, folder, &optimised, case.args, case.seconds)?;
        let undefined = matches!(again, Native::Ended(behaviour) if behaviour != native);
        return Ok(if undefined {
            Verdict::Skipped(Skip::Undefined)
        } else {
            Verdict::Different(differences)
        });
    }
    figures.memory_steps = memory.steps;
    figures.ssa_steps = ssa.steps;
    figures.live_blocks = ssa.live_blocks.len();
    figures.behaviour = native;
    Ok(Verdict::Same(figures))
}

/// The calls that a run makes: the points-to analysis has to foresee every one.
#[derive(Default)]
struct Calls(BTreeSet<(FuncId, InstId, FuncId)>);

impl Recorder for Calls {
    fn call(&mut self, site: Option<Site>, callee: FuncId) {
        if let Some(site) = site
            && let Some(inst) = site.inst
        {
            self.0.insert((site.function, inst, callee));
        }
    }
}

impl Calls {
    fn not_foreseen(&self, form: &str, program: &Program, points_to: &PointsTo<'_>) -> String {
        let mut text = String::new();
        for &(caller, inst, callee) in &self.0 {
            let by_model = || {
                points_to
                    .calls_by_models()
                    .any(|call| (call.caller, call.inst) == (caller, inst) && call.targets.contains(&callee))
            };
            if !points_to.callees(caller, inst).contains(&callee) && !by_model() {
                let name = |function: FuncId| &program.functions[function].name;
                let _ = writeln!(
                    text,
                    "{form}: the call {inst} of {} reaches {}, which points-to does not say",
                    name(caller),
                    name(callee)
                );
            }
        }
        text
    }
}

/// From bitcode to a checked program.
fn load(bitcode: &[u8], form: lower::Form, round_trip: bool) -> Result<Program, String> {
    let module = Module::parse(bitcode).map_err(|error| error.to_string())?;
    let program = join::join(vec![lower::lower(&module, "random.c", form)]);
    if let Some(problem) = program.problems.first() {
        return Err(format!("{}: {}", problem.subject, problem.message));
    }
    if let Some(violation) = watertight_ir::verify(&program).first() {
        return Err(format!("violates the rules of the IR: {violation:?}"));
    }
    if !round_trip {
        return Ok(program);
    }
    let text = watertight_ir::print(&program);
    let parsed = watertight_ir::parse("program.ir", &text).map_err(|error| error.to_string())?;
    let again = watertight_ir::print(&parsed);
    if text != again {
        let line = text.lines().zip(again.lines()).find(|(one, other)| one != other);
        return Err(format!("prints differently after parsing: {line:?}"));
    }
    // What was parsed is what runs, so the text form must have carried all of the meaning.
    Ok(parsed)
}

fn difference(form: &str, program: &Program, native: &Behaviour, outcome: &Outcome) -> String {
    let mut text = String::new();
    let code = match &outcome.end {
        End::Exit(code) => Some(i32::from(*code)),
        End::Trap(trap) => {
            let _ = writeln!(text, "{form}: trap: {}", trap.describe(program));
            None
        }
        other => {
            let _ = writeln!(text, "{form}: {other:?}");
            None
        }
    };
    if let Some(code) = code
        && code != native.code
    {
        let _ = writeln!(text, "{form}: exit code {code}, natively {}", native.code);
    }
    if outcome.stdout != native.stdout {
        let ours = String::from_utf8_lossy(&outcome.stdout);
        let theirs = String::from_utf8_lossy(&native.stdout);
        let mut lines = theirs.lines();
        let first = ours.lines().enumerate().find_map(|(number, line)| {
            let other = lines.next();
            (other != Some(line)).then(|| format!("line {}: `{line}`, natively {other:?}", number + 1))
        });
        let first = first.unwrap_or_else(|| {
            format!("{} lines, natively {}", ours.lines().count(), theirs.lines().count())
        });
        let _ = writeln!(text, "{form}: {first}");
    }
    text
}
