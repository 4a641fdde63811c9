//! Random programs from csmith, where it is installed: they must do the same natively and interpreted.
//!
//! `WATERTIGHT_CSMITH=1000` asks for more programs than the usual few, and `WATERTIGHT_CSMITH_SEED` for others.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::programs::{ENDLESS, compare, each};
use crate::support::{Project, skip};

/// Programs without a request for more.
const USUAL: u64 = 6;

#[test]
fn random_programs_do_the_same_natively_and_interpreted() {
    let headers = "/usr/include/csmith";
    // csmith leaves a file behind wherever it runs.
    let scratch = Project::new(&[]);
    let installed = Command::new("csmith").arg("--version").current_dir(scratch.path()).output().is_ok();
    if !installed || !Path::new(headers).is_dir() {
        return skip("csmith is not installed");
    }
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let first = number("WATERTIGHT_CSMITH_SEED").unwrap_or(1);
    let count = number("WATERTIGHT_CSMITH").unwrap_or(USUAL);
    let endless = AtomicU64::new(0);
    let failures = each((first..first + count).collect(), |seed| {
        let project = Project::new(&[]);
        let source = project.path().join("random.c");
        // Smaller programs than csmith likes to write: they end within the interpreter's budget.
        let made = Command::new("csmith")
            .args([
                "--seed",
                &seed.to_string(),
                "--max-funcs",
                "6",
                "--max-block-depth",
                "3",
                "--no-packed-struct",
            ])
            .arg("--output")
            .arg(&source)
            .current_dir(project.path())
            .output()
            .map_err(|error| format!("seed {seed}: csmith does not run: {error}"))?;
        if !made.status.success() {
            return Err(format!("seed {seed}: csmith failed"));
        }
        let flags = [format!("-I{headers}")];
        match compare(&source, &flags) {
            Err(why) if why == ENDLESS => {
                endless.fetch_add(1, Ordering::Relaxed);
                Ok(())
            }
            Err(differences) => Err(format!("seed {seed}: {differences}")),
            Ok(_) => Ok(()),
        }
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let endless = endless.into_inner();
    eprintln!("{count} random programs compared, {endless} of them left out because they take too long");
    assert!(endless <= count / 2, "most random programs take too long to be compared");
}
