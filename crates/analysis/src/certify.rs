//! Certificates: proofs as text, and whether the independent checker accepts them.
//!
//! A certificate is made by walking once more, with plain steps alone, from every statement that is proved. Statements
//! whose proofs need other steps are listed in it with the reason, so that nobody takes it for more than it is.

use std::fmt::Write as _;

use watertight_certificate::{Verdict, check, mark};
use watertight_finding::Problem;
use watertight_ir::Program;
use watertight_prove::{Options as ProveOptions, Prover};

use crate::check::models;
use crate::prove::FunctionProof;
use crate::run::Options;

/// Why a proof is not in a certificate although its steps are plain.
const TOO_HARD: &str = "it is too hard for the solver of the checker";
const REFUSED: &str = "the checker does not accept it";

/// The certificate of what was proved.
#[must_use]
pub fn certify(
    program: &Program,
    proofs: &[FunctionProof],
    limits: &ProveOptions,
    options: &Options,
    problems: &mut Vec<Problem>,
) -> String {
    let models = models(program, &options.models, problems);
    let prover = Prover::new(program, &models, ProveOptions { plain: true, ..limits.clone() });
    let head = format!("watertight-certificate 1\nprogram {}\n", mark(program));
    let mut text = head.clone();
    for (probe, answer, _) in proofs.iter().flat_map(|proof| &proof.answers) {
        if !answer.verdict.is_proved() {
            continue;
        }
        match prover.certificate(probe) {
            Ok(shown) => {
                // What the checker does not accept is no use to anybody.
                let why = match check(program, &models, &format!("{head}{shown}")) {
                    Verdict::Accepted { .. } => {
                        text.push_str(&shown);
                        continue;
                    }
                    Verdict::Undecided { .. } => TOO_HARD.to_owned(),
                    Verdict::Rejected { why, .. } => format!("{REFUSED}: {why}"),
                };
                let _ = writeln!(text, "not-shown ; {} `{}`: {why}", probe.place, probe.lost);
            }
            Err(why) => {
                let _ = writeln!(text, "not-shown ; {} `{}`: {why}", probe.place, probe.lost);
            }
        }
    }
    text
}

/// Whether a certificate proves what it says of a program.
#[must_use]
pub fn accept(
    program: &Program,
    certificate: &str,
    options: &Options,
    problems: &mut Vec<Problem>,
) -> Verdict {
    check(program, &models(program, &options.models, problems), certificate)
}
