//! What the page shows, as plain values.
//!
//! Filled once by the shell from a run; nothing changes while the server runs, apart from marks, which are kept
//! elsewhere.

use std::collections::BTreeMap;

use watertight_finding::{Coverage, Finding, Place, Problem, Rule};
use watertight_report::{Contract, Report};
use watertight_store::{EffectRow, StoredRun};

/// Everything that is known of a project.
#[derive(Debug, Default)]
pub struct Knowledge {
    /// The version of Watertight.
    pub version: String,
    /// The absolute path of the project.
    pub root: String,
    /// Every rule.
    pub rules: Vec<Rule>,
    /// After suppressions in the source, in the order of reading.
    pub findings: Vec<Finding>,
    /// What could not be done.
    pub problems: Vec<Problem>,
    /// How much was looked at.
    pub coverage: Coverage,
    /// Findings of lower confidence that are left out.
    pub hidden: usize,
    /// Functions in any order; calls name them by their index.
    pub functions: Vec<Function>,
    /// Who calls whom.
    pub calls: Vec<Call>,
    /// Runs, newest first.
    pub runs: Vec<StoredRun>,
}

/// A function of the program, or one that it calls.
#[derive(Debug, Clone, Default)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Where it is defined.
    pub place: Option<Place>,
    /// Whether only its file sees it.
    pub is_static: bool,
    /// Where what is known of it comes from.
    pub origin: Origin,
    /// What it does, one sentence each.
    pub does: Vec<String>,
    /// The kinds of things it does to the heap.
    pub behaviours: Vec<String>,
    /// What it does to resources on some path, in the order in which it should be read.
    pub effects: Vec<EffectRow>,
    /// The same in the language of models.
    pub model: String,
    /// Why it was given up, if it was.
    pub given_up: Option<String>,
}

/// Where what is known of a function comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Origin {
    /// Its code was read.
    Code,
    /// A model of this file describes it.
    Model(String),
    /// It is called, but neither defined nor described.
    #[default]
    Unknown,
}

/// A call, by name or through a pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Call {
    /// An index of a function.
    pub caller: usize,
    /// An index of a function.
    pub callee: usize,
}

impl Function {
    /// Where what is known comes from, in words.
    #[must_use]
    pub fn from(&self) -> String {
        match (&self.place, &self.origin) {
            (Some(place), _) => place.to_string(),
            (None, Origin::Model(file)) => format!("described by the models of {file}"),
            (None, Origin::Code) => String::new(),
            (None, Origin::Unknown) => "neither defined here nor described by a model".to_owned(),
        }
    }

    /// What is said when a reader points at its name.
    #[must_use]
    pub fn contract(&self) -> Contract {
        Contract { name: self.name.clone(), from: self.from(), does: self.sentences() }
    }

    /// What it does; there is always something to say.
    #[must_use]
    pub fn sentences(&self) -> Vec<String> {
        match (&self.given_up, &self.origin) {
            _ if !self.does.is_empty() => self.does.clone(),
            (Some(cause), _) => vec![format!("was given up: {cause}")],
            (None, Origin::Unknown) => {
                vec!["is not known: its code was not read and no model describes it".to_owned()]
            }
            (None, _) => vec!["does nothing that matters to resources".to_owned()],
        }
    }
}

impl Knowledge {
    /// The findings as a report sees them.
    #[must_use]
    pub fn report(&self) -> Report<'_> {
        Report {
            findings: &self.findings,
            problems: &self.problems,
            coverage: self.coverage.clone(),
            hidden: self.hidden,
            root: Some(&self.root),
            ..Report::new(&self.version, &self.rules)
        }
    }

    /// Functions by their name; several statics may share one.
    #[must_use]
    pub fn by_name(&self) -> BTreeMap<&str, Vec<usize>> {
        let mut names: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (index, function) in self.functions.iter().enumerate() {
            names.entry(&function.name).or_default().push(index);
        }
        names
    }
}
