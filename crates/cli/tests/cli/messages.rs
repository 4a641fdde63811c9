//! `docs/messages.md`: every sentence that users read, with an example.
//!
//! Titles come from runs on the bad examples of the rules' pages and on the programs below; steps and assumptions from the sentences of engines, with
//! blanks filled in; doubts and problems from their tables; what the capture and commands say from their source. `WATERTIGHT_BLESS=1 cargo test -p watertight-cli messages` writes the page.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use watertight_finding::{Assumed, Doubt, Problem, ProblemKind, Said};
use watertight_prove::words::{Loses, Why};

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

A title has its subject first and the cause second.
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
            // The example of a rule shows its title; what else it has is the example of another rule.
            if is_rule && finding["rule"].as_str() != Some(&*name) {
                continue;
            }
            let _ = writeln!(page, "| {name} | {title} |");
            let exits = finding["exits"].as_array().unwrap().iter();
            let of_exits = exits.flat_map(|exit| exit["steps"].as_array().unwrap());
            for step in of_exits.chain(Some(&finding["sibling"]).filter(|step| step.is_object())) {
                steps.insert(general(step["text"].as_str().unwrap()));
            }
        }
    }
    page.push_str("\nThe steps below the title are the path, one sentence each. Memory is *allocated* and *freed*; of files the same sentences say *opened* and *closed*, of other resources *acquired* and *released*.\n\n| Step |\n| --- |\n");
    Said::ALL.iter().for_each(|sentence| writeln!(page, "| {} |", example(sentence)).unwrap());
    page.push_str("\nAt the end of a path, what a property says of an object that is used wrongly; `...` stands for a name.\n\n| Step |\n| --- |\n");
    let of_properties = steps.iter().filter(|step| !Said::ALL.iter().any(|sentence| fits(sentence, step)));
    of_properties.for_each(|step| writeln!(page, "| {step} |").unwrap());
    page.push_str("\n## Assumptions\n\nThey follow *assumes* below a finding, which is true only if they are.\n\n| Assumption |\n| --- |\n");
    Assumed::ALL.iter().for_each(|sentence| writeln!(page, "| {} |", example(sentence)).unwrap());
    page.push_str("\n## Doubts\n\nThey follow *low because* or *medium because*; [confidence.md](confidence.md) explains them.\n\n");
    page.push_str("| Doubt | Says |\n| --- | --- |\n");
    Doubt::all().for_each(|doubt| writeln!(page, "| `{}` | {} |", doubt.name(), doubt.words()).unwrap());
    page.push_str("\n## Problems\n\nWhat could not be done, after the findings.\n\n| Kind | Means | Example |\n| --- | --- | --- |\n");
    for kind in ProblemKind::ALL {
        let (subject, cause) = example_of(kind);
        let example = Problem::new(kind, subject, cause).sentence();
        let _ = writeln!(page, "| `{}` | {} | {example} |", kind.name(), kind.summary());
    }
    page.push_str("\n## Proofs\n\n`watertight prove` asks of each statement whether it can lose memory. What would be lost, where it has no name:\n\n| Lost |\n| --- |\n");
    Loses::ALL.iter().for_each(|sentence| writeln!(page, "| {} |", example(sentence)).unwrap());
    page.push_str("\nWhy there is no answer, after *unknown*:\n\n| Cause |\n| --- |\n");
    Why::ALL.iter().for_each(|sentence| writeln!(page, "| {} |", example(sentence)).unwrap());
    page.push_str("\n## Reading a project\n\nWhat is said of files and builds that cannot be read. Causes of failures follow the name of the file; names in braces are filled in.\n\n| Message |\n| --- |\n");
    of_capture().iter().for_each(|message| writeln!(page, "| {} |", message.replace('|', "\\|")).unwrap());
    page.push_str("\n## Commands\n\nNames in braces are filled in. Exit code 2 is a mistake in what was typed, 3 one of the environment, 4 a bug of watertight.\n\n| Exit | Message |\n| --- | --- |\n");
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

/// A sentence with its blanks filled in, in the words for memory.
fn example(sentence: &str) -> String {
    let mut text = String::new();
    let mut rest = sentence;
    while let Some((before, after)) = rest.split_once('{') {
        let (blank, after) = after.split_once('}').expect("blanks are closed");
        text.push_str(before);
        let quoted = before.ends_with('`');
        let name = |name: &str| if quoted { name.to_owned() } else { format!("`{name}`") };
        text.push_str(&match blank {
            "noun" if before.ends_with("the ") => "mutex".to_owned(),
            "noun" => "memory".to_owned(),
            "is" => "is".to_owned(),
            "state" => "locked".to_owned(),
            "value" => "-1".to_owned(),
            "values" => "0 or 1".to_owned(),
            "bits" => "0x6".to_owned(),
            "more" | "calls" | "number" => "3".to_owned(),
            "event" => example("`{by}` acquires it here"),
            "globals" => "the global `cache`".to_owned(),
            "needs" => "`mode` is 2".to_owned(),
            "transfers" => "20000".to_owned(),
            "regions" => "50".to_owned(),
            "place" => "load.c:12:9".to_owned(),
            "what" => "an atomic operation".to_owned(),
            "why" => "it calls `setjmp`".to_owned(),
            "by" => name("load"),
            "releaser" => name("conf_free"),
            "function" => name("parse"),
            "callee" => name("load"),
            "caller" => name("main"),
            "known" => name("malloc"),
            "name" if sentence.contains("known about") => name("load"),
            "subject" | "name" => name("mode"),
            "condition" => name("n > 4"),
            "annotation" => name(match after {
                after if after.contains("releases the lock") => "__releases(lock)",
                after if after.contains("caller holds") => "__must_hold(lock)",
                after if after.contains("succeeds") => "__cond_acquires(lock)",
                _ => "__acquires(lock)",
            }),
            "pointer" => name("hooks->load"),
            "owner" => name("conf"),
            "member" if quoted => "name".to_owned(),
            "member" => name("conf->name"),
            "members" => "`conf->name` or `conf->path`".to_owned(),
            "held" | "it" | "holder" | "address" | "array" => name("copy"),
            other => panic!("{other} has no example"),
        });
        rest = after;
    }
    text.push_str(rest);
    if text.contains("mutex") || text.contains(" lock") {
        return text;
    }
    let words = text.split(' ').map(|word| match word.trim_end_matches([':', ',']) {
        "acquires" => word.replace("acquires", "allocates"),
        "releases" => word.replace("releases", "frees"),
        "releasing" => word.replace("releasing", "freeing"),
        "released" => word.replace("released", "freed"),
        "release" => word.replace("release", "free"),
        _ => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Whether a step of a finding is a sentence of an engine.
fn fits(sentence: &str, step: &str) -> bool {
    let words = step.split(' ').map(|word| match word.trim_end_matches([':', ',']) {
        verb @ ("allocates" | "opens") => word.replace(verb, "acquires"),
        verb @ ("frees" | "closes") => word.replace(verb, "releases"),
        verb @ ("freeing" | "closing") => word.replace(verb, "releasing"),
        verb @ ("freed" | "closed") => word.replace(verb, "released"),
        _ => word.to_owned(),
    });
    let step = words.collect::<Vec<_>>().join(" ");
    let mut parts = sentence.split('{').map(|part| part.split_once('}').map_or(part, |(_, after)| after));
    let sentence_ends = !sentence.ends_with('}');
    let Some(mut rest) = parts.next().and_then(|first| step.strip_prefix(first)) else { return false };
    for part in parts {
        match rest.find(part) {
            Some(at) if part.is_empty() => rest = &rest[at..],
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    !sentence_ends || rest.is_empty()
}

/// What is said of a project that cannot be read: the texts of the capture's `messages.rs`.
fn of_capture() -> Vec<String> {
    let code = std::fs::read_to_string(repository().join("crates/capture/src/messages.rs")).unwrap();
    let code = code.split("/// The end of").next().unwrap();
    let mut found = BTreeSet::new();
    for start in ["format!(", "&str = ", "&str =\n"] {
        found.extend(code.split(start).skip(1).filter_map(literal).filter(|text| text.contains(' ')));
    }
    // What cannot be done is a part of a sentence.
    found.retain(|text| !text.starts_with("create a") && !text.starts_with("use the"));
    let plain = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ").replace("{}", "{name}");
    found.into_iter().map(plain).collect()
}

fn example_of(kind: ProblemKind) -> (&'static str, &'static str) {
    match kind {
        ProblemKind::UnitFailed => ("src/a.c", "'missing.h' file not found"),
        ProblemKind::InternalError => ("parse", "index out of bounds"),
        ProblemKind::GivenUp => ("parse", "it has too many paths"),
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
    for (exit, start) in [(2, "Stop::usage("), (3, "Stop::environment("), (4, "Stop::bug(")] {
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
        let starts = ["Stop::usage(", "Stop::environment(", "Stop::bug("];
        let made = starts.iter().flat_map(|start| code.split(start).skip(1));
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
