//! The prove engine: proofs by contradiction that a statement cannot lose the last reference to a heap cell.
//!
//! In: a program whose variables still live in memory (`Form::Memory`), so that an assignment of the source is one
//! store, and the models. Out: for each [`Probe`] a [`Verdict`]. The method is that of Orlovich and Rugina: assume that
//! the statement loses a cell, describe that cell by what surely refers to it, what surely does not, and where
//! references to it may be, walk backwards, and look for a contradiction on every way.
//!
//! ```
//! use watertight_prove::{Options, Prover};
//! let text = "func @f() {\nbb0:\n  return\n}\n";
//! let program = watertight_ir::parse("f.ir", text).expect("the example is well formed");
//! let models = Default::default();
//! let prover = Prover::new(&program, &models, Options::default());
//! let f = program.function_named("f").expect("f");
//! assert!(prover.probes(f).iter().all(|probe| prover.probe(probe).is_proved()));
//! ```

pub mod verdict;

pub use verdict::{Answer, Assumed, Probe, ProbeKind, Verdict};
use watertight_ir::{FuncId, Program};
use watertight_summary::model::Models;

/// How far to go for one probe.
#[derive(Clone, Debug)]
pub struct Options {
    /// Applications of transfer functions.
    pub transfers: u32,
    /// Regions that may refer to the cell.
    pub regions: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options { transfers: 500, regions: 50 }
    }
}

/// Answers probes about one program.
pub struct Prover<'p> {
    #[expect(dead_code, reason = "the analysis is not there yet")]
    program: &'p Program,
    #[expect(dead_code, reason = "the analysis is not there yet")]
    models: &'p Models,
    #[expect(dead_code, reason = "the analysis is not there yet")]
    options: Options,
}

impl<'p> Prover<'p> {
    /// Gets ready for questions about a program.
    #[must_use]
    pub fn new(program: &'p Program, models: &'p Models, options: Options) -> Prover<'p> {
        Prover { program, models, options }
    }

    /// All probes of a function, in the order of its statements.
    #[must_use]
    pub fn probes(&self, _function: FuncId) -> Vec<Probe> {
        Vec::new()
    }

    /// Whether a statement can lose a cell.
    #[must_use]
    pub fn probe(&self, probe: &Probe) -> Verdict {
        self.ask(probe).verdict
    }

    /// The same, with what it cost.
    #[must_use]
    pub fn ask(&self, _probe: &Probe) -> Answer {
        let why = "not analysed yet".to_owned();
        Answer { verdict: Verdict::Unknown { why }, transfers: 0, points: 0, abstractions: 0 }
    }
}
