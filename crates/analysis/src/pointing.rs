//! Questions about what pointers of a program may point to, and about who calls whom.
//!
//! In: a program and a question as people type it. Out: the answer in lines, or a sentence that says what is wrong with
//! the question.

use watertight_finding::Problem;
use watertight_ir::Program;
use watertight_pointer::PointsTo;
pub use watertight_pointer::query::Answer as Pointing;

use crate::check::models;
use crate::run::Options;

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ask {
    /// What an expression may point to: `EXPR@FILE:LINE`.
    PointsTo(String),
    /// Who calls a function.
    Callers(String),
    /// Whom a function calls.
    Callees(String),
    /// What memory a function may write and read.
    ModRef(String),
}

/// Answers a question.
///
/// # Errors
///
/// A sentence, when there is nothing of that name or place, or the program is too large.
pub fn ask(
    program: &Program,
    options: &Options,
    question: &Ask,
    problems: &mut Vec<Problem>,
) -> Result<Pointing, String> {
    let models = models(program, &options.models, problems);
    let points_to = PointsTo::new(program, &models);
    if !points_to.complete {
        return Err("the points-to analysis met its limits, so it says nothing".to_owned());
    }
    match question {
        Ask::PointsTo(text) => points_to.expression(program, text),
        Ask::Callers(name) => points_to.callers(program, name),
        Ask::Callees(name) => points_to.called_by(program, name),
        Ask::ModRef(name) => points_to.mod_ref(program, name),
    }
}

/// An answer as one line of JSON: `question` and `answers`.
#[must_use]
pub fn pointing_to_json(answer: &Pointing) -> String {
    let json = serde_json::json!({ "question": answer.question, "answers": answer.lines });
    format!("{json}\n")
}
