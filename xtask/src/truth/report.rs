//! What a run of watertight said, read from its JSON report.
//!
//! Only the fields that matter here are named, and unknown ones are passed over: reports of older and newer builds
//! are read alike.

use serde::Deserialize;

/// The whole report.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Report {
    #[serde(default)]
    pub(super) summary: Summary,
    pub(super) findings: Vec<Finding>,
    #[serde(default)]
    pub(super) problems: Vec<Problem>,
}

/// The figures of a run.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Summary {
    pub(super) files: u64,
    pub(super) functions: u64,
    pub(super) given_up: u64,
    pub(super) failed: u64,
}

/// One finding.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Finding {
    pub(super) rule: String,
    pub(super) confidence: String,
    pub(super) message: String,
    pub(super) place: Place,
    #[serde(default)]
    pub(super) exits: Vec<Exit>,
    #[serde(default)]
    pub(super) assumptions: Vec<Assumption>,
    /// Absent in reports of builds that had no doubts.
    pub(super) doubts: Option<Vec<Doubt>>,
    /// How well it was checked: replayed, checked by the solver, or not.
    #[serde(default)]
    pub(super) support: String,
    /// How urgent it is said to be.
    #[serde(default)]
    pub(super) urgency: String,
}

/// Why a finding may not be true.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Doubt {
    pub(super) name: String,
}

/// One way on which the resource is lost.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Exit {
    pub(super) steps: Vec<Step>,
}

/// One step of a way.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Step {
    pub(super) kind: String,
    pub(super) text: String,
    #[serde(default)]
    pub(super) depth: u32,
    pub(super) place: Place,
}

/// A place of the program.
#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct Place {
    pub(super) file: String,
    pub(super) line: Option<u32>,
    pub(super) column: Option<u32>,
    pub(super) function: Option<String>,
}

/// What the analysis assumed.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Assumption {
    pub(super) text: String,
}

/// What kept the analysis from looking.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Problem {
    pub(super) kind: String,
    pub(super) subject: String,
}

impl Report {
    /// Reads a report from a file.
    pub(super) fn read(path: &std::path::Path) -> Result<Report, String> {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// The functions that were given up.
    pub(super) fn given_up(&self) -> impl Iterator<Item = &str> {
        self.problems.iter().filter(|problem| problem.kind == "given-up").map(|problem| &*problem.subject)
    }
}

impl Exit {
    /// The step that ends the way: where the last reference goes, or else the last one.
    pub(super) fn end(&self) -> Option<&Step> {
        self.steps.iter().rfind(|step| step.kind == "lost").or(self.steps.last())
    }
}
