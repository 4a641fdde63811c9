//! Tests of SSA construction: random programs against an evaluator, and single cases in text form.

mod machine;
mod random;
mod text;
