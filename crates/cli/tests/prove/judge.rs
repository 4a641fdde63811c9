//! What the prove engine says about a program, by line and by statement.

use crate::program::defined;
use crate::witness::Statement;
use std::collections::{BTreeMap, BTreeSet};
use watertight_ir::Program;
use watertight_prove::{Answer, Assumed, Options, Probe, Prover, Verdict};

/// All questions about a program, with their answers.
pub(crate) fn answers(program: &Program, options: &Options) -> Vec<(Probe, Answer)> {
    let names: BTreeSet<&str> = program.functions.values().map(|function| &*function.name).collect();
    let models = watertight_summary::model::shipped_for(&|name| names.contains(name));
    let prover = Prover::new(program, &models, options.clone());
    let probes = defined(program).into_iter().flat_map(|function| prover.probes(function));
    probes.map(|probe| (probe.clone(), prover.ask(&probe))).collect()
}

/// The word for a verdict, as in marks.
pub(crate) fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Proved { .. } => "proved",
        Verdict::Violated { .. } => "violated",
        Verdict::Unknown { .. } => "unknown",
    }
}

/// Which statements and which lines are proved: all questions about them are, and there is one.
#[derive(Debug, Default)]
pub(crate) struct Proofs {
    statements: BTreeMap<Statement, bool>,
    /// By function and line.
    lines: BTreeMap<(u32, u32), bool>,
    /// Lines with a proof that says that it does not look for circles.
    circles: BTreeSet<(u32, u32)>,
}

impl Proofs {
    pub(crate) fn new(answers: &[(Probe, Answer)]) -> Proofs {
        let mut proofs = Proofs::default();
        for (probe, answer) in answers {
            let proved = answer.verdict.is_proved();
            *proofs.statements.entry((probe.function, probe.inst)).or_insert(true) &= proved;
            let line = (number(probe.function), probe.place.line);
            *proofs.lines.entry(line).or_insert(true) &= proved;
            if let Verdict::Proved { assumptions } = &answer.verdict
                && assumptions.contains(&Assumed::NoCircles)
            {
                proofs.circles.insert(line);
            }
        }
        proofs
    }

    /// Whether the engine vouches for a statement that lost a cell: it is proved, or its line is, or nothing at all was
    /// asked about the line, so that a function would pass for proved without it.
    pub(crate) fn vouches(&self, statement: Statement, line: u32) -> bool {
        let by_statement = self.statements.get(&statement).copied();
        let by_line = self.lines.get(&(number(statement.0), line)).copied();
        by_statement.unwrap_or(false) || by_line.unwrap_or(true)
    }

    /// Whether the engine vouches for a statement without saying that circles are another matter.
    pub(crate) fn vouches_for_circles(&self, statement: Statement, line: u32) -> bool {
        self.vouches(statement, line) && !self.circles.contains(&(number(statement.0), line))
    }

    /// The statements that are asked about, and whether they are proved.
    pub(crate) fn statements(&self) -> impl Iterator<Item = (Statement, bool)> {
        self.statements.iter().map(|(&statement, &proved)| (statement, proved))
    }
}

fn number(function: watertight_ir::FuncId) -> u32 {
    u32::try_from(watertight_ir::Id::index(function)).expect("functions are counted in 32 bits")
}
