//! What runs of `watertight` print for programs, as far as the server needs it. The schema is that of `docs/output.md`.

use serde::Deserialize;

/// What `check --format json` prints.
#[derive(Debug, Deserialize)]
pub(crate) struct Report {
    pub(crate) findings: Vec<Finding>,
    #[serde(default)]
    pub(crate) problems: Vec<Problem>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Finding {
    pub(crate) rule: String,
    pub(crate) level: String,
    pub(crate) message: String,
    pub(crate) place: Place,
    #[serde(default)]
    pub(crate) exits: Vec<Exit>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Exit {
    pub(crate) steps: Vec<Step>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Step {
    pub(crate) text: String,
    pub(crate) place: Place,
}

/// Lines and columns count from one, columns in bytes; 0 is not known.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Place {
    pub(crate) file: String,
    pub(crate) line: u32,
    #[serde(default)]
    pub(crate) column: u32,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Problem {
    pub(crate) kind: String,
    pub(crate) subject: String,
    pub(crate) cause: String,
    pub(crate) place: Option<Place>,
}

/// What `summary --json` prints for each function of a name.
#[derive(Debug, Deserialize)]
pub(crate) struct Contract {
    pub(crate) name: String,
    pub(crate) place: Option<String>,
    pub(crate) model_file: Option<String>,
    pub(crate) does: Vec<String>,
    #[serde(default)]
    pub(crate) behaviours: Vec<String>,
}
