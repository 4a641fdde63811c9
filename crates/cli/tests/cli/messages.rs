//! `docs/messages.md`: every sentence that users read, with an example.
//!
//! What findings say comes from runs on the bad examples of the rules' pages and on the programs below; doubts and problems from their tables;
//! what commands say from their source. `WATERTIGHT_BLESS=1 cargo test -p watertight-cli messages` writes the page.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use watertight_finding::{Doubt, Problem, ProblemKind};

use crate::rules::pages;
use crate::support::{Project, repository};

/// Ways to leak that the pages of the rules do not show.
const MORE: &[(&str, &str)] = &[
    ("overwritten", "#include <stdlib.h>\nvoid f(int n) { char *p = malloc(4); p = malloc(n); free(p); }\n"),
    (
        "with its owner",
        "#include <stdlib.h>\nstruct s { char *name; };\nint f(struct s **out) { struct s *s = malloc(sizeof *s); if (!s) return 1; s->name = malloc(8);\n\
         if (!s->name) { free(s); return 1; } if (s->name[0]) { free(s); return 1; } *out = s; return 0; }\n",
    ),
    ("result dropped", "#include <string.h>\nvoid f(const char *s) { strdup(s); }\n"),
    (
        "never closed",
        "#include <stdio.h>\nint f(const char *s) { FILE *log = fopen(s, \"r\"); return log ? fgetc(log) : 0; }\n",
    ),
    (
        "descriptor",
        "#include <fcntl.h>\n#include <unistd.h>\nint f(const char *s) { int fd = open(s, O_RDONLY); if (fd < 0) return 1; if (s[0] == 'x') return 2; return close(fd); }\n",
    ),
    (
        "in a loop",
        "#include <stdlib.h>\n#include <stdio.h>\nvoid f(int n) { for (int i = 0; i < n; i++) { char *line = malloc(64); if (!line) return; if (!fgets(line, 64, stdin)) continue; free(line); } }\n",
    ),
];

const HEAD: &str = "# Messages

What Watertight says, with an example of each. The words are those of the [glossary](glossary.md).

## Findings

A title has its subject first and the cause second. The steps below it are the path; `...` in the list stands for names and numbers of the program.
";

#[test]
fn the_page_of_messages_is_up_to_date() {
    let mut page = HEAD.to_owned();
    let project = Project::new(&[]);
    let mut steps = BTreeSet::new();
    let named = pages().into_iter().map(|(rule, [bad, _])| (true, rule, bad));
    let more = MORE.iter().map(|(name, text)| (false, (*name).to_owned(), (*text).to_owned()));
    page.push_str("\n| Example | Title |\n| --- | --- |\n");
    for (is_rule, name, text) in named.chain(more) {
        project.write("example.c", text);
        let rules = if is_rule { format!("default,{name}") } else { "default".to_owned() };
        let ran = project.run(&[
            "check",
            "-q",
            "--all",
            "--format",
            "json",
            "--no-cache",
            "--rules",
            &rules,
            "example.c",
        ]);
        let report = ran.exits(1).json();
        for finding in report["findings"].as_array().unwrap() {
            let title = finding["message"].as_str().unwrap();
            let _ = writeln!(page, "| {name} | {title} |");
            let exits = finding["exits"].as_array().unwrap().iter();
            let of_exits = exits.flat_map(|exit| exit["steps"].as_array().unwrap());
            for step in of_exits.chain(Some(&finding["sibling"]).filter(|step| step.is_object())) {
                steps.insert(general(step["text"].as_str().unwrap()));
            }
        }
    }
    page.push_str("\n| Step |\n| --- |\n");
    steps.iter().for_each(|step| writeln!(page, "| {step} |").unwrap());
    page.push_str("\n## Doubts\n\nThey follow *low because* or *medium because*; [confidence.md](confidence.md) explains them.\n\n");
    page.push_str("| Doubt | Says |\n| --- | --- |\n");
    Doubt::all().for_each(|doubt| writeln!(page, "| `{}` | {} |", doubt.name(), doubt.words()).unwrap());
    page.push_str("\n## Problems\n\nWhat could not be done, after the findings.\n\n| Kind | Means | Example |\n| --- | --- | --- |\n");
    for kind in ProblemKind::ALL {
        let (subject, cause) = example_of(kind);
        let example = Problem::new(kind, subject, cause).sentence();
        let _ = writeln!(page, "| `{}` | {} | {example} |", kind.name(), kind.summary());
    }
    page.push_str("\n## Commands\n\nNames in braces are filled in. Exit code 2 is a mistake in what was typed, 3 one of the environment.\n\n| Exit | Message |\n| --- | --- |\n");
    for (exit, message) in of_commands() {
        let _ = writeln!(page, "| {exit} | {} |", message.replace('|', "\\|"));
    }
    page.push_str(
        "\n<!-- Generated; `WATERTIGHT_BLESS=1 cargo test -p watertight-cli messages` writes it. -->\n",
    );
    let path = repository().join("docs/messages.md");
    if std::env::var_os("WATERTIGHT_BLESS").is_some() {
        std::fs::write(path, page).unwrap();
    } else {
        let known = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            known == page,
            "docs/messages.md is out of date; WATERTIGHT_BLESS=1 cargo test -p watertight-cli messages writes it"
        );
    }
}

#[test]
fn messages_have_none_of_the_words_of_the_house() {
    let page = std::fs::read_to_string(repository().join("docs/messages.md")).unwrap();
    for word in
        ["way out", "gives memory", " turn of", " told ", "in sight", "` is no ", "it is lost", "held in"]
    {
        let line = page.lines().find(|line| line.contains(word));
        assert_eq!(line, None, "`{word}` is no word for users");
    }
}

/// A step with the names of the program taken out, so that equal sentences are listed once.
fn general(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let named = parts.map(|(index, part)| match index % 2 {
        0 => part
            .split(' ')
            .map(|word| if word.parse::<i64>().is_ok() { "..." } else { word })
            .collect::<Vec<_>>()
            .join(" "),
        _ => "...".to_owned(),
    });
    named.collect::<Vec<_>>().join("`")
}

fn example_of(kind: ProblemKind) -> (&'static str, &'static str) {
    match kind {
        ProblemKind::UnitFailed => ("src/a.c", "'missing.h' file not found"),
        ProblemKind::InternalError => ("parse", "index out of bounds"),
        ProblemKind::GivenUp => ("parse", "the step budget is spent"),
        ProblemKind::Unsupported => ("parse", "a scalable vector"),
        ProblemKind::Configuration => ("own.model", "unknown word `realeases`, did you mean `releases`?"),
        ProblemKind::MalformedSuppression => {
            ("", "it gives no reason; say after the brackets why this is not a defect")
        }
        ProblemKind::UnusedSuppression => {
            ("memory-leak", "there is no such finding in the code that it covers")
        }
    }
}

/// What commands say when they stop, by exit code: the texts of `messages.rs`, where all of them are.
fn of_commands() -> Vec<(u8, String)> {
    let code = std::fs::read_to_string(repository().join("crates/cli/src/messages.rs")).unwrap();
    let mut found = BTreeSet::new();
    for (exit, start) in [(2, "Stop::usage("), (3, "Stop::environment(")] {
        for after in code.split(start).skip(1) {
            let message = literal(after).expect("every message of a command is written where it is made");
            found.insert((exit, message));
        }
    }
    found.into_iter().collect()
}

#[test]
fn commands_have_their_messages_in_one_file() {
    for entry in std::fs::read_dir(repository().join("crates/cli/src")).unwrap() {
        let path = entry.unwrap().path();
        let code = std::fs::read_to_string(&path).unwrap();
        let made = ["Stop::usage(", "Stop::environment("].iter().flat_map(|start| code.split(start).skip(1));
        let here = made.filter(|after| literal(after).is_some()).count();
        assert!(here == 0 || path.ends_with("messages.rs"), "{} makes a message of its own", path.display());
    }
}

/// The first text of an argument, if it begins with one or with `format!`.
fn literal(argument: &str) -> Option<String> {
    let text = argument.trim_start();
    let text = text.strip_prefix("format!(").unwrap_or(text).trim_start().strip_prefix('"')?;
    let mut message = String::new();
    let mut rest = text.chars();
    loop {
        match rest.next()? {
            '"' => return Some(message),
            '\\' => match rest.next()? {
                // A text that goes on in the next line.
                '\n' => rest = rest.as_str().trim_start().chars(),
                'n' => message.push(' '),
                other => message.push(other),
            },
            other => message.push(other),
        }
    }
}

#[test]
fn texts_are_read_from_source() {
    assert_eq!(literal("format!(\"a {b} \\\n     c\", d)").as_deref(), Some("a {b} c"));
    assert_eq!(literal("\n  \"plain\")").as_deref(), Some("plain"));
    assert_eq!(literal("error.to_string())"), None);
    assert_eq!(general("`free` frees `p`, and 3 more"), "`...` frees `...`, and ... more");
}
