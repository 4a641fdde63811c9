//! What the README shows is what happens.
//!
//! Blocks marked `console` are run: lines that begin with `$ ` are commands, the lines below are what they print, and a
//! last line `...` stands for anything that follows. They go through `./x` as the README says, but with the binary
//! under test, so that nothing is built. `WATERTIGHT_BLESS=1 cargo test -p watertight-cli readme` writes what is printed
//! into the README, for a person to read the difference.

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

/// What stands for anything that follows.
const REST: &str = "...\n";

/// What the README should show: all that is printed, or as many lines as it shows now.
fn blessed(printed: &str, expected: &str) -> String {
    match expected.strip_suffix(REST) {
        Some(start) => {
            let shown: String = printed.split_inclusive('\n').take(start.lines().count()).collect();
            shown + REST
        }
        None => printed.to_owned(),
    }
}

/// The text without the marks under lines of source: clangs differ in where in an expression its place is.
fn unmarked(text: &str) -> String {
    let is_mark = |c: char| matches!(c, ' ' | '-' | '^');
    text.split_inclusive('\n')
        .map(|line| match line.trim_start().strip_prefix('|') {
            Some(label) => label.replace(is_mark, ""),
            None => line.to_owned(),
        })
        .collect()
}

fn agrees(printed: &str, expected: &str) -> bool {
    let (printed, expected) = (&unmarked(printed), &unmarked(expected));
    match expected.strip_suffix(REST) {
        Some(start) => printed.starts_with(start),
        None => printed == expected,
    }
}

#[test]
fn examples_of_the_readme_print_what_they_say() {
    let path = repository().join("README.md");
    let mut text = std::fs::read_to_string(&path).unwrap();
    let examples = examples(&text);
    let bless = std::env::var_os("WATERTIGHT_BLESS").is_some();
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
        if bless {
            let before = format!("$ {command}\n{expected}");
            text = text.replace(&before, &format!("$ {command}\n{}", blessed(&printed, &expected)));
        } else {
            assert!(agrees(&printed, &expected), "`{command}` prints\n{printed}\nand not\n{expected}");
        }
    }
    if bless {
        std::fs::write(path, text).unwrap();
    }
}

#[test]
fn an_example_that_lies_is_noticed() {
    let examples = examples("text\n```console\n$ one\na\nb\n$ two\nc\n...\n```\n$ three\n");
    let commands: Vec<&str> = examples.iter().map(|example| example.command.as_str()).collect();
    assert_eq!(commands, ["one", "two"]);
    assert!(agrees("a\nb\n", &examples[0].expected) && !agrees("a\n", &examples[0].expected));
    assert!(agrees("c\nd\n", &examples[1].expected) && !agrees("d\n", &examples[1].expected));
    assert_eq!(blessed("x\ny\nz\n", &examples[0].expected), "x\ny\nz\n");
    assert_eq!(blessed("x\ny\nz\n", &examples[1].expected), "x\n...\n");
}
