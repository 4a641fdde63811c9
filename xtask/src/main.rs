//! Chores of the workspace, run as `cargo xtask <chore>`.
fn main() {}
