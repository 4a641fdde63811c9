//! Reports in SARIF: valid against the published schema, with paths, and with fingerprints that stay.
//!
//! The schema is not ours to keep. The package `serde-sarif` ships it as published; it is named as a dependency under a
//! condition that never holds, so cargo fetches and pins it and nothing is built or linked.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::schema::violations;
use crate::support::{Project, Ran, repository};

/// The schema as the package ships it.
fn published_schema() -> Value {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(repository())
        .output()
        .expect("cargo runs, since it runs this test");
    let metadata: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("cargo metadata says: {}", String::from_utf8_lossy(&output.stderr)));
    let packages = metadata["packages"].as_array().expect("cargo lists packages");
    let package =
        packages.iter().find(|package| package["name"] == "serde-sarif").expect("it is in the manifest");
    let manifest = PathBuf::from(package["manifest_path"].as_str().unwrap());
    let path = manifest.parent().unwrap().join("src/schema.json");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let schema: Value = serde_json::from_str(&text).unwrap();
    assert!(schema["title"].as_str().unwrap().contains("(SARIF) Version 2.1.0"));
    schema
}

fn valid(schema: &Value, report: &Value, of: &str) {
    let violations = violations(schema, report);
    assert!(violations.is_empty(), "{of} is not valid SARIF:\n{}", violations.join("\n"));
}

#[test]
fn reports_are_valid_against_the_published_schema() {
    let schema = published_schema();
    let project = Project::new(&[]);
    let flags = ["--", "-I", "tests/c"];
    let mut results = 0;
    for path in [
        "tests/c/memory-leak/ways_to_lose.c",
        "tests/c/memory-leak/one_report_many_exits.c",
        "tests/c/memory-leak/dropped_result.c",
        "tests/c/resource-leak/files_on_all_paths.c",
        "tests/c/double-release/memory_released_twice.c",
        "tests/c/use-after-release/memory_used_after_free.c",
        "tests/c/realloc-lost/owner_outside_the_function.c",
        "tests/c/leak-at-exit/lost_and_held.c",
    ] {
        let mut arguments =
            vec!["check", "--no-cache", "--format", "sarif", "--rules", "all", "--confidence", "low", path];
        arguments.extend(flags);
        let mut command = project.command(&arguments);
        let report = Ran::of(command.current_dir(repository())).exits(1).json();
        valid(&schema, &report, path);
        for result in report["runs"][0]["results"].as_array().unwrap() {
            results += 1;
            let steps = &result["codeFlows"][0]["threadFlows"][0]["locations"];
            assert!(steps.as_array().is_some_and(|steps| !steps.is_empty()), "no path: {result}");
            assert!(result["partialFingerprints"].as_object().is_some_and(|prints| !prints.is_empty()));
        }
    }
    assert!(results > 40, "{results} results are few");

    // What is suppressed, what is not found, what cannot be read, and strange names.
    let loses = "#include <stdlib.h>\nint lose(void) { char *b = malloc(4); return b != NULL; }\n";
    let ignored = loses.replace("int lose", "// watertight: ignore[memory-leak] known\nint lose");
    let project = Project::new(&[
        ("a b/<ä>.c", loses),
        ("ignored.c", &ignored),
        ("nothing.c", "int x;\n"),
        ("bad.c", "int f( {\n"),
    ]);
    for files in [vec!["a b/<ä>.c", "ignored.c"], vec!["nothing.c"], vec!["a b/<ä>.c", "bad.c"]] {
        let mut arguments = vec!["check", "--format", "sarif"];
        arguments.extend(&files);
        let report = project.run(&arguments).json();
        valid(&schema, &report, &files.join(" and "));
    }
}

/// The fingerprints of a report, in the order of their text.
fn fingerprints(source: &str) -> Vec<String> {
    let project = Project::new(&[("a.c", source)]);
    let report = project.run(&["check", "--no-cache", "--format", "sarif", "a.c"]).exits(1).json();
    let results = report["runs"][0]["results"].as_array().unwrap().clone();
    let mut prints: Vec<String> =
        results.iter().map(|result| result["partialFingerprints"].to_string()).collect();
    prints.sort();
    prints
}

#[test]
fn fingerprints_survive_new_lines_and_another_layout() {
    let source = "\
#include <stdlib.h>
#include <string.h>
int first(const char *name, int n) {
    char *copy = strdup(name);
    char *other = strdup(name + 1);
    if (n == 3)
        return -1;
    free(copy);
    return other != NULL;
}
int second(size_t size) {
    char *block = malloc(size);
    return block != NULL;
}
";
    let before = fingerprints(source);
    assert_eq!(before.len(), 3);
    let moved = format!("/* A comment. */\n\n\nstatic int unrelated;\n{source}");
    assert_eq!(fingerprints(&moved), before, "lines above");
    let inside = source.replace("    if (n == 3)\n", "    /* now it is decided */\n\n    if (n == 3)\n");
    assert_eq!(fingerprints(&inside), before, "lines inside");
    let reformatted = source
        .replace("strdup(name)", "strdup ( name )")
        .replace(") {\n", ")\n{\n")
        .replace("    ", "\t")
        .replace("malloc(size)", "malloc(\n\t\tsize)");
    assert_eq!(fingerprints(&reformatted), before, "another layout");
    // What is new gets a fingerprint of its own, and the others keep theirs.
    let more = format!("{source}int third(void) {{ return malloc(9) != NULL; }}\n");
    let after = fingerprints(&more);
    assert_eq!(after.len(), 4);
    assert!(before.iter().all(|print| after.contains(print)));
}
