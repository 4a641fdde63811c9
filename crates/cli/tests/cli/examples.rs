//! What the README and the documents show is what happens.
//!
//! Blocks marked `console` are run: lines that begin with `$ ` are commands, the lines below are what they print, and a
//! last line `...` stands for anything that follows. In the README they go through `./x` as it says, in the repository, but with the
//! binary under test, so that nothing is built. In `docs/` they run in a folder of their own, with the files that the page
//! shows: a block marked `c src/config.c` is that file. `WATERTIGHT_BLESS=1 cargo test -p watertight-cli examples` writes what is printed
//! into the pages, for a person to read the difference.
//!
//! Blocks marked `sh`, and those without a mark, show how commands are called: their commands and options must exist.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::{Project, binary, repository};

/// A block of code: what stands behind the fence, and its lines.
pub(crate) struct Block {
    pub(crate) mark: String,
    pub(crate) lines: Vec<String>,
}

pub(crate) fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        match line.trim_start().strip_prefix("```") {
            Some(_) if inside => inside = false,
            Some(mark) => {
                blocks.push(Block { mark: mark.to_owned(), lines: Vec::new() });
                inside = true;
            }
            None if inside => blocks.last_mut().expect("a block is open").lines.push(line.to_owned()),
            None => {}
        }
    }
    blocks
}

/// A command and what it should print.
struct Example {
    command: String,
    expected: String,
}

fn examples(text: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    for line in blocks(text).into_iter().filter(|block| block.mark == "console").flat_map(|block| block.lines)
    {
        match line.strip_prefix("$ ") {
            Some(command) => examples.push(Example { command: command.to_owned(), expected: String::new() }),
            None => {
                let example = examples.last_mut().expect("a command stands above its output");
                example.expected += &format!("{line}\n");
            }
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

/// The pages that may have examples.
fn pages() -> Vec<PathBuf> {
    let folder = repository().join("docs");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|end| end == "md")).collect();
    pages.push(repository().join("README.md"));
    pages.sort();
    pages
}

/// Runs the examples of a page in a folder, and compares or writes what they print. Gives their number.
fn run(page: &Path, folder: &Path) -> usize {
    let mut text = std::fs::read_to_string(page).unwrap();
    let examples = examples(&text);
    let number = examples.len();
    let bless = std::env::var_os("WATERTIGHT_BLESS").is_some();
    let rest = std::env::var_os("PATH").unwrap_or_default();
    let own = Path::new(binary()).parent().unwrap().to_path_buf();
    let path = std::env::join_paths([own].into_iter().chain(std::env::split_paths(&rest))).unwrap();
    for Example { command, expected } in examples {
        let output = Command::new("sh")
            .args(["-c", &format!("exec 2>&1; {command}")])
            .current_dir(folder)
            .env("WATERTIGHT_BINARY", binary())
            .env("PATH", &path)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let printed = String::from_utf8_lossy(&output.stdout);
        if bless {
            let before = format!("$ {command}\n{expected}");
            text = text.replace(&before, &format!("$ {command}\n{}", blessed(&printed, &expected)));
        } else {
            let name = page.display();
            assert!(
                agrees(&printed, &expected),
                "{name}: `{command}` prints\n{printed}\nand not\n{expected}"
            );
        }
    }
    if bless && number > 0 {
        std::fs::write(page, text).unwrap();
    }
    number
}

#[test]
fn examples_of_the_readme_print_what_they_say() {
    assert!(run(&repository().join("README.md"), &repository()) >= 3, "the README has too few examples");
}

#[test]
fn examples_of_the_documents_print_what_they_say() {
    let mut number = 0;
    for page in pages().iter().filter(|page| !page.ends_with("README.md")) {
        let project = Project::new(&[]);
        for block in blocks(&std::fs::read_to_string(page).unwrap()) {
            if let Some(name) = block.mark.strip_prefix("c ") {
                project.write(name, block.lines.join("\n") + "\n");
            }
        }
        number += run(page, project.path());
    }
    assert!(number >= 8, "the documents have too few examples: {number}");
}

/// The commands in blocks that show how to call them, without comments.
fn usages(text: &str) -> Vec<String> {
    let shows = |block: &Block| block.mark.is_empty() || block.mark == "sh" || block.mark == "console";
    let lines = blocks(text).into_iter().filter(shows).flat_map(|block| block.lines);
    let commands = lines.filter_map(|line| {
        let line = line.trim_start_matches("$ ").to_owned();
        line.strip_prefix("watertight ").map(|rest| rest.split(" #").next().unwrap_or(rest).to_owned())
    });
    commands.collect()
}

#[test]
fn commands_and_options_that_pages_show_exist() {
    let project = Project::new(&[]);
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    let mut number = 0;
    for page in pages() {
        for usage in usages(&std::fs::read_to_string(&page).unwrap()) {
            let mut words = usage.split_whitespace();
            let name = words.next().unwrap_or_default().to_owned();
            let help = known.entry(name.clone()).or_insert_with(|| {
                let mut help = project.run(&[&name, "--help"]).exits(0).stdout;
                // Commands with commands of their own have options there.
                for inner in ["set", "list", "remove", "export", "import"].iter().filter(|_| name == "mark") {
                    help += &project.run(&[&name, inner, "--help"]).exits(0).stdout;
                }
                help
            });
            for word in words.take_while(|word| *word != "--").filter(|word| word.starts_with("--")) {
                let option = word.split(['=', '|', ',', '`']).next().unwrap_or(word);
                number += 1;
                assert!(
                    help.contains(option),
                    "{}: `watertight {usage}` has no option {option}",
                    page.display()
                );
            }
        }
    }
    assert!(number > 10, "only {number} options are shown");
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
