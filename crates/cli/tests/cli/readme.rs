//! What the README shows is what happens.
//!
//! Blocks marked `console` are run: lines that begin with `$ ` are commands, the lines below are what they print, and a
//! line `...` stands for anything that follows. They go through `./x` as the README says, but with the binary under
//! test, so that nothing is built.

use std::process::{Command, Stdio};

use crate::support::{binary, repository};

/// A command and what it should print.
struct Example {
    command: String,
    expected: String,
}

fn examples(text: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        match (inside, line) {
            (false, "```console") => inside = true,
            (true, "```") => inside = false,
            (true, line) => match line.strip_prefix("$ ") {
                Some(command) => {
                    examples.push(Example { command: command.to_owned(), expected: String::new() });
                }
                None => {
                    let example = examples.last_mut().expect("a command stands above its output");
                    example.expected += &format!("{line}\n");
                }
            },
            (false, _) => {}
        }
    }
    examples
}

fn agrees(printed: &str, expected: &str) -> bool {
    match expected.strip_suffix("...\n") {
        Some(start) => printed.starts_with(start),
        None => printed == expected,
    }
}

#[test]
fn examples_of_the_readme_print_what_they_say() {
    let text = std::fs::read_to_string(repository().join("README.md")).unwrap();
    let examples = examples(&text);
    assert!(examples.len() >= 3, "the README has too few examples");
    for Example { command, expected } in examples {
        let output = Command::new("sh")
            .args(["-c", &format!("exec 2>&1; {command}")])
            .current_dir(repository())
            .env("WATERTIGHT_BINARY", binary())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let printed = String::from_utf8_lossy(&output.stdout);
        assert!(agrees(&printed, &expected), "`{command}` prints\n{printed}\nand not\n{expected}");
    }
}

#[test]
fn files_that_documents_point_to_exist() {
    let root = repository();
    let mut documents = vec![root.join("README.md"), root.join("CHANGELOG.md")];
    for folder in ["docs", "docs/decisions"] {
        let entries = std::fs::read_dir(root.join(folder)).unwrap();
        documents.extend(entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()));
    }
    for document in documents {
        let text = std::fs::read_to_string(&document).unwrap();
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = target.split('#').next().unwrap_or_default();
            if file.is_empty() || file.contains("://") || file.contains(' ') {
                continue;
            }
            let path = document.parent().unwrap().join(file);
            assert!(path.exists(), "{} points to {target}, which does not exist", document.display());
        }
    }
}

#[test]
fn an_example_that_lies_is_noticed() {
    let examples = examples("text\n```console\n$ one\na\nb\n$ two\nc\n...\n```\n$ three\n");
    let commands: Vec<&str> = examples.iter().map(|example| example.command.as_str()).collect();
    assert_eq!(commands, ["one", "two"]);
    assert!(agrees("a\nb\n", &examples[0].expected) && !agrees("a\n", &examples[0].expected));
    assert!(agrees("c\nd\n", &examples[1].expected) && !agrees("d\n", &examples[1].expected));
}
