//! The snippets of `docs/editor.md` work in the editors that are installed; those that are not are named.

use std::process::{Command, Stdio};

use crate::support::{Ran, binary, repository, skip};

#[test]
fn snippets_show_findings_in_the_editors_that_are_installed() {
    let script = repository().join("tests/editors/run.sh");
    let ran = Ran::of(Command::new(script).arg(binary()).stdin(Stdio::null())).exits(0);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines.len(), 4, "one line for each editor: {ran:#?}");
    for line in lines.iter().filter_map(|line| line.strip_prefix("skip ")) {
        skip(line);
    }
}
