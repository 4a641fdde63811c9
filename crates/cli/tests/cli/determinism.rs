//! The same findings, byte for byte, whatever the machine does: with one thread and with several, run again, with the
//! files in another order, and with functions visited in another order.

use crate::support::{Project, Ran, repository};
use std::path::{Path, PathBuf};

/// The fixtures, which together make one program with hundreds of functions.
fn sources() -> Vec<String> {
    let mut found = Vec::new();
    collect(&repository().join("tests/c"), &mut found);
    found.sort();
    assert!(found.len() > 20, "the fixtures are there");
    found.iter().map(|path| path.to_str().unwrap().to_owned()).collect()
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "c") {
            found.push(path);
        }
    }
}

#[test]
fn findings_do_not_depend_on_threads_order_or_luck() {
    let project = Project::new(&[]);
    let sources = sources();
    let headers = repository().join("tests/c").to_str().unwrap().to_owned();
    let check = |threads: &str, sources: &[String], more: &[&str]| {
        // The store would give the first answer again.
        if !more.contains(&"--quiet") {
            let _ = std::fs::remove_file(project.path().join("cache/store.db"));
        }
        let mut arguments = vec!["check", "--format", "json", "--rules", "all", "--confidence", "low"];
        arguments.extend(["--cache-dir", "cache", "--threads", threads]);
        arguments.extend(more);
        arguments.extend(sources.iter().map(String::as_str));
        arguments.extend(["--", "-I", &headers]);
        Ran::of(&mut project.command(&arguments)).exits(1).stdout
    };
    let once = check("1", &sources, &[]);
    assert!(once.matches("\"rule\"").count() > 100, "the fixtures have findings");
    assert!(once == check("2", &sources, &[]), "two threads give something else than one");
    assert!(once == check("2", &sources, &[]), "a second run gives something else");
    for seed in ["1", "2"] {
        assert!(
            once == check("2", &sources, &["--visit", seed]),
            "another order of functions gives something else"
        );
    }
    // Files that define the same names are another program when their order changes; these do not.
    let papers: Vec<String> = sources.iter().filter(|path| path.contains("/paper_")).cloned().collect();
    let backwards: Vec<String> = papers.iter().rev().cloned().collect();
    assert!(
        check("2", &papers, &[]) == check("2", &backwards, &[]),
        "another order of files gives something else"
    );
    // What the store remembers of functions of another program is as good as evaluating them. Quiet runs keep it.
    let cold = check("2", &papers, &[]);
    assert!(once == check("2", &sources, &[]), "the store knows all functions now");
    assert!(cold == check("2", &papers, &["--quiet"]), "what is remembered gives something else");
}
