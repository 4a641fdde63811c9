//! The examples in `docs/output.md` are what the code writes.
//!
//! Each example in the page stands in a fenced block below a comment `<!-- example: name -->`. The test
//! renders the same report and compares. With `WATERTIGHT_BLESS=1` in the environment it rewrites the page
//! instead; the diff is reviewed.

use std::borrow::Cow;

use watertight_finding::{
    Assumption, Confidence, Coverage, Cwe, Doubt, Doubts, Finding, Growth, Identity, Level, Page, Place,
    Problem, ProblemKind, ResourceKind, Rule, RuleId, Step, StepKind, Support, Switch, Trace, Variant, merge,
};
use watertight_report::select::{RuleSet, by_confidence};
use watertight_report::suppress::suppress;
use watertight_report::{
    Report, SourceMap, Sources, checkstyle, gcc, github, gitlab, json, junit, sarif, text,
};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/output.md");

const CONFIG_C: &str = r#"#include "config.h"

int config_load(struct config *config, FILE *file)
{
    char line[256];

    while (fgets(line, sizeof line, file)) {
        char *key = strdup(line);
        if (!value_parse(config, key))
            continue;
        config_add(config, key);
    }
    return 0;
}

int config_open(struct config *config, const char *path)
{
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return -1;
    if (config->frozen)
        return -2;
    audit(file, path);
    if (config_load(config, file) != 0)
        return -3;
    fclose(file);
    return 0;
}

void config_init(struct config *config)
{
    // watertight: ignore[memory-leak] the table lives as long as the process
    config->table = calloc(TABLE_SIZE, sizeof *config->table);
}
"#;

const VALUE_C: &str = r#"#include "config.h"

int value_parse(struct config *config, const char *key)
{
    const char *equals = strchr(key, '=');
    if (equals == NULL)
        return 0;
    config->last = equals + 1;
    return 1;
}
"#;

fn rules() -> Vec<Rule> {
    vec![
        Rule {
            id: RuleId::new("memory-leak"),
            summary: Cow::Borrowed("memory leaks"),
            level: Level::Warning,
            cwe: Cow::Borrowed(&[Cwe(401)]),
            default: Switch::On,
            since: Cow::Borrowed("0.1.0"),
            help: Cow::Borrowed("Release the memory on every path, or hand it to somebody who does."),
            page: Page::NONE,
        },
        Rule {
            id: RuleId::new("resource-leak"),
            summary: Cow::Borrowed("a file, descriptor or other resource is lost before it is closed"),
            level: Level::Warning,
            cwe: Cow::Borrowed(&[Cwe(772), Cwe(775)]),
            default: Switch::On,
            since: Cow::Borrowed("0.1.0"),
            help: Cow::Borrowed("Close the resource on every path, or hand it to somebody who does."),
            page: Page::NONE,
        },
    ]
}

/// The place of the `nth` occurrence of some text in a file, counted from one.
fn at(file: &str, text: &str, nth: usize, function: &str) -> Place {
    let source = if file == "src/value.c" { VALUE_C } else { CONFIG_C };
    let (offset, _) = source.match_indices(text).nth(nth - 1).expect("the text is in the file");
    let before = &source[..offset];
    let line = before.matches('\n').count() + 1;
    let column = offset - before.rfind('\n').map_or(0, |newline| newline + 1) + 1;
    Place::new(file, line as u32, column as u32).in_function(function)
}

fn lost_key() -> Finding {
    let load = |text, nth| at("src/config.c", text, nth, "config_load");
    let parse = |text, nth| at("src/value.c", text, nth, "value_parse");
    let mut finding = Finding::new(&rules()[0], "`key` leaks on some paths", load("strdup", 1));
    finding.doubts = Doubts::NONE;
    finding.support = Support::SolverChecked;
    finding.growth = Growth::EachIteration;
    finding.variant = Some(Variant::SomePaths);
    finding.identity = Identity::new("config_load", "key = strdup(line)");
    finding.exits = vec![Trace::new(
        Support::SolverChecked,
        vec![
            Step::new(StepKind::Acquire, load("strdup", 1), "`strdup` allocates memory"),
            Step::new(StepKind::Call, load("value_parse", 1), "calls `value_parse`, which does not keep it"),
            Step::new(StepKind::Branch, parse("== NULL", 1), "goes into the branch")
                .at_depth(1)
                .with_value("equals", "NULL"),
            Step::new(StepKind::Return, parse("return 0", 1), "returns 0").at_depth(1),
            Step::new(StepKind::Lost, load("continue", 1), "the next iteration forgets `key`"),
        ],
    )];
    finding
}

fn lost_file() -> Finding {
    let open = |text, nth| at("src/config.c", text, nth, "config_open");
    let mut finding = Finding::new(&rules()[1], "stream `file` leaks on some paths", open("fopen", 1));
    finding.doubts = Doubt::Borrowed.into();
    finding.support = Support::SolverChecked;
    finding.growth = Growth::ErrorPath;
    finding.resource = ResourceKind::FILE;
    finding.variant = Some(Variant::SomePaths);
    finding.identity = Identity::new("config_open", "file = fopen(path, \"r\")");
    let acquire = Step::new(StepKind::Acquire, open("fopen", 1), "`fopen` opens a stream");
    let opened = Step::new(StepKind::Branch, open("== NULL", 1), "`file` is not null");
    finding.exits = vec![
        Trace::new(
            Support::SolverChecked,
            vec![
                acquire.clone(),
                opened.clone(),
                Step::new(StepKind::Branch, open("config->frozen", 1), "is true")
                    .with_value("config->frozen", "1"),
                Step::new(StepKind::Lost, open("return -2", 1), "returns without closing `file`"),
            ],
        ),
        Trace::new(
            Support::SolverChecked,
            vec![
                acquire,
                opened,
                Step::new(StepKind::Branch, open("!= 0", 1), "is true")
                    .with_value("config_load(config, file)", "1"),
                Step::new(StepKind::Lost, open("return -3", 1), "returns without closing `file`"),
            ],
        ),
    ];
    finding.sibling = Some(Step::new(StepKind::Release, open("fclose", 1), "`fclose` closes it"));
    finding.assumptions = vec![Assumption::new(open("audit", 1), "`audit` does not keep its first argument")];
    finding
}

fn lost_table() -> Finding {
    let place = at("src/config.c", "calloc", 1, "config_init");
    let mut finding = Finding::new(&rules()[0], "memory from `calloc` leaks", place);
    finding.growth = Growth::OncePerProcess;
    finding
}

/// The whole way of a report, as the shell goes it.
fn render(format: &str) -> String {
    let map = SourceMap::from_iter([("src/config.c", CONFIG_C), ("src/value.c", VALUE_C)]);
    let mut sources = Sources::new(&map);
    let rules = rules();
    let findings = merge(vec![lost_file(), lost_table(), lost_key()]);
    let outcome = suppress(findings, &[], &rules, &RuleSet::defaults(&rules), &mut sources);
    let (findings, hidden) = by_confidence(outcome.kept, Confidence::Medium);
    let mut problems = outcome.problems;
    problems.push(Problem::new(ProblemKind::GivenUp, "yyparse", "the step budget is spent").at(Place::new(
        "src/grammar.c",
        812,
        1,
    )));
    let report = Report {
        findings: &findings,
        suppressed: &outcome.suppressed,
        hidden,
        problems: &problems,
        coverage: Coverage { files: 3, functions: 1234, proved: None, proved_assuming: Vec::new() },
        root: Some("/home/me/project"),
        ..Report::new("0.1.0", &rules)
    };
    let mut out = Vec::new();
    match format {
        "text" => text::write(&mut out, &report, &mut sources, &text::Options::default()),
        "gcc" => gcc::write(&mut out, &report),
        "json" => json::write(&mut out, &report),
        "sarif" => sarif::write(&mut out, &report, &mut sources),
        "github" => github::write(&mut out, &report, &mut sources),
        "gitlab" => gitlab::write(&mut out, &report),
        "junit" => junit::write(&mut out, &report),
        "checkstyle" => checkstyle::write(&mut out, &report),
        other => panic!("no format is called {other}"),
    }
    .expect("writing to memory cannot fail");
    String::from_utf8(out).expect("reports are UTF-8")
}

/// The parts of the formats that the page shows.
fn example(name: &str) -> String {
    match name {
        "config.c" => CONFIG_C.to_owned(),
        "text" | "gcc" | "github" | "gitlab" | "junit" | "checkstyle" => render(name),
        "json-finding" => {
            let value: serde_json::Value = serde_json::from_str(&render("json")).expect("valid JSON");
            let text = render("json");
            // The first finding as it stands in the document, with its order of fields and one indentation
            // less.
            let start =
                text.find("  \"findings\": [\n").expect("a list of findings") + "  \"findings\": [\n".len();
            let end = start
                + text[start..].find("\n    }").expect("the end of the first finding")
                + "\n    }".len();
            assert_eq!(value["findings"].as_array().map(Vec::len), Some(2));
            let lines = text[start..end].lines().map(|line| line.strip_prefix("    ").unwrap_or(line));
            lines.collect::<Vec<_>>().join("\n") + "\n"
        }
        "sarif-fingerprint" => {
            let log: serde_json::Value = serde_json::from_str(&render("sarif")).expect("valid JSON");
            let result = &log["runs"][0]["results"][0];
            format!(
                "\"partialFingerprints\": {}\n\"artifactLocation\": {}\n",
                result["partialFingerprints"], result["locations"][0]["physicalLocation"]["artifactLocation"]
            )
        }
        other => panic!("the page asks for an example {other} that nobody knows"),
    }
}

#[test]
fn the_page_shows_what_the_code_writes() {
    let page = std::fs::read_to_string(PAGE).expect("docs/output.md can be read");
    let mut fresh = String::new();
    let mut rest = page.as_str();
    let mut examples = 0;
    while let Some((before, after)) = rest.split_once("<!-- example: ") {
        let (name, after) = after.split_once(" -->\n").expect("the comment is closed");
        let (fence, after) = after.split_once('\n').expect("a fence follows");
        assert!(fence.starts_with("```"), "a fenced block follows the comment for {name}");
        let (_, after) = after.split_once("```\n").expect("the block is closed");
        let shown: Vec<String> = example(name).lines().map(|line| line.trim_end().to_owned()).collect();
        fresh.push_str(&format!("{before}<!-- example: {name} -->\n{fence}\n{}\n```\n", shown.join("\n")));
        rest = after;
        examples += 1;
    }
    fresh.push_str(rest);
    assert!(examples >= 5, "the page has lost its examples");
    if std::env::var_os("WATERTIGHT_BLESS").is_some() {
        std::fs::write(PAGE, fresh).expect("docs/output.md can be written");
    } else {
        assert_eq!(page, fresh, "run the test with WATERTIGHT_BLESS=1 and review the diff");
    }
}

#[test]
fn a_report_is_the_same_every_time() {
    for format in ["text", "gcc", "json", "sarif", "github", "gitlab", "junit", "checkstyle"] {
        assert_eq!(render(format), render(format), "{format}");
    }
}
