//! The facade: the order of the stages, and the only place that brings the crates together.
//!
//! In: a [`Job`] (what to read, how far to go, with which options). Out: a [`Run`]: the program, the findings, every
//! problem met on the way, and what each stage cost. The shells (command line, editor, browser) talk to this crate;
//! it draws nothing and decides nothing about output.
//!
//! What must hold:
//!
//! * the result depends neither on the number of threads nor on the order of the inputs: units are joined by name;
//! * one bad unit never costs another, and a panic in one unit is a problem of that unit ([`protect`]);
//! * nothing is left out without being listed: what failed is in `problems`, what was tolerated in
//!   `program.problems`.
//!
//! Its one folder:
//!
//! - [`annotations`]: what the source says beside its code, read from its text.
//!
//! ```no_run
//! use watertight_analysis::{Goal, Job, Request, Silent, run};
//!
//! let mut request = Request::new(std::env::current_dir()?);
//! request.inputs = vec!["main.c".into()];
//! let run = run(Job::new(request, Goal::Check), &Silent)?;
//! println!("{} findings\n{}", run.findings.len(), run.stages);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![deny(missing_docs)]

mod annotations;
mod certify;
mod changes;
mod check;
mod copies;
mod crew;
mod decided;
mod describe;
mod disagree;
mod ending;
mod facts;
mod flow;
mod keep;
mod leak_free;
pub mod limits;
mod linked;
mod load;
mod lockers;
mod makers;
mod modelled;
mod moves;
mod pointing;
pub mod protect;
mod prove;
mod replay;
mod retell;
mod run;
mod silence;
mod simplest;
mod spelling;
mod stages;
pub mod worker;

pub use certify::{accept, certify};
pub use changes::Changes;
pub use check::{Checked, check, dump_path, rules, rules_with};
pub use describe::{Described, Unknown, describe_function, describe_library, to_json};
pub use disagree::Disagreement;
pub use flow::{FlowCosts, FlowStage, dump_flow};
pub use keep::{Newest, newest};
pub use load::{Input, Loaded, Source, Verify, counts, load};
pub use pointing::{Ask, Pointing, ask, pointing_to_json};
pub use prove::{FunctionProof, Question, assumptions_of, patience, proofs_to_json, prove};
pub use replay::{Replay, Replays};
pub use run::{Describe, Engine, Goal, Job, Options, Progress, Run, Silent, run, run_with};
pub use spelling::spell_described;
pub use stages::{Stage, Stages, peak_memory};
pub use watertight_capture::{Error, Keep, Request};
pub use watertight_certificate::Verdict as Acceptance;
pub use watertight_flow::dump::Form as DumpForm;
pub use watertight_frontend::lower::Form;
pub use watertight_path::assumptions;
pub use watertight_path::dump::Stage as PathStage;
pub use watertight_path::elsewhere::{Event, Grain, Task, Workers};
pub use watertight_prove::{Answer, Assumed, Options as ProveLimits, Probe, ProbeKind, Verdict};
pub use watertight_store::Mark;
