//! The checker of proofs: whether a statement really cannot lose the last reference to a block, given the facts that say so.
//!
//! In: a program whose variables live in memory, the models, and a certificate: text that `watertight prove
//! --certificate` writes. Out: what is accepted, or the first line that does not follow. There is no code of the prove
//! engine here, and no search: the facts are given, and what is checked is that they are inductive. What instructions do to memory is written down
//! anew in `machine`, which memory an address means in `types`, and both are put to the solver. What the checker trusts is
//! in `docs/certificate.md`.

mod check;
mod machine;
mod text;
mod types;

use std::collections::BTreeSet;
use watertight_ir::Program;
use watertight_summary::model::Models;

/// What came of checking a certificate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Every statement is proved by its facts.
    Accepted {
        /// How many statements.
        statements: usize,
        /// What they rest on, by the names that `docs/prove.md` explains.
        assumptions: BTreeSet<String>,
    },
    /// Something does not follow, or is not well formed.
    Rejected {
        /// The first such line, counted from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// Whether something follows was not found out within the limits of the solver.
    Undecided {
        /// The first such line, counted from 1.
        line: usize,
        /// What it is.
        why: String,
    },
}

/// Checks a certificate against a program.
#[must_use]
pub fn check(program: &Program, models: &Models, certificate: &str) -> Verdict {
    let (mark, statements) = match text::read(certificate) {
        Ok(read) => read,
        Err((line, why)) => return Verdict::Rejected { line, why },
    };
    if mark != self::mark(program) {
        return Verdict::Rejected { line: 1, why: "the certificate is for another program".to_owned() };
    }
    let mut checker = check::Checker::new(program, models);
    let mut assumptions = BTreeSet::new();
    for statement in &statements {
        if let Err(refusal) = checker.statement(statement) {
            let check::Refusal { line, why, undecided } = refusal;
            return if undecided {
                Verdict::Undecided { line, why }
            } else {
                Verdict::Rejected { line, why }
            };
        }
        assumptions.extend(statement.assumed.iter().cloned());
    }
    Verdict::Accepted { statements: statements.len(), assumptions }
}

/// What tells a program from others: a number made of all of its text form.
#[must_use]
pub fn mark(program: &Program) -> String {
    let mut number: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in watertight_ir::print(program).bytes() {
        number = (number ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    format!("{number:016x}")
}
