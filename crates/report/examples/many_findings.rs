//! How long each format needs for very many findings.
//!
//! `cargo run --release -p watertight-report --example many_findings -- 10000` prints one line per format.
//! `... -- 10 sarif` writes that format to the standard output instead, for other tools to read.

use std::borrow::Cow;
use std::io::{self, Write};
use std::time::Instant;

use watertight_finding::{
    Assumption, Coverage, Cwe, Doubt, Doubts, Finding, Growth, Identity, Level, Page, Place, Problem,
    ProblemKind, Rule, RuleId, Step, StepKind, Support, Switch, Trace, Variant, merge,
};
use watertight_report::select::RuleSet;
use watertight_report::suppress::suppress;
use watertight_report::{
    Report, SourceMap, Sources, checkstyle, gcc, github, gitlab, html, json, junit, sarif, text,
};

const RULE: Rule = Rule {
    id: RuleId::new("memory-leak"),
    summary: Cow::Borrowed("memory leaks"),
    level: Level::Warning,
    cwe: Cow::Borrowed(&[Cwe(401)]),
    default: Switch::On,
    since: Cow::Borrowed("0.1.0"),
    help: Cow::Borrowed("Release the memory on every path, or hand it to {somebody} who [does](1)."),
    page: Page::NONE,
};

const FILES: u32 = 50;
const LINES: u32 = 4000;

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let number = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(10_000);
    let format = arguments.next();

    let sources = SourceMap::from_iter((0..FILES).map(|file| (file_name(file), source())));
    let rules = [RULE];
    let start = Instant::now();
    let findings = merge((0..number).map(finding).collect());
    let merged = start.elapsed();
    let start = Instant::now();
    let files: Vec<String> = (0..FILES).map(file_name).collect();
    let mut read = Sources::new(&sources);
    let outcome = suppress(findings, &files, &rules, &RuleSet::all(&rules), &mut read);
    let suppressed = start.elapsed();
    let mut problems = outcome.problems;
    problems
        .push(Problem::new(ProblemKind::GivenUp, "f_\u{1b}", "the step budget is spent").at(place(1, 9, 1)));
    problems.push(Problem::new(ProblemKind::UnitFailed, "x.c", "clang failed"));
    let report = Report {
        findings: &outcome.kept,
        suppressed: &outcome.suppressed,
        problems: &problems,
        coverage: Coverage {
            files: u64::from(FILES),
            functions: u64::from(FILES * LINES / 10),
            ..Coverage::default()
        },
        root: Some("/home/me/a project"),
        ..Report::new("0.1.0", &rules)
    };

    let options = text::Options::default();
    if let Some(format) = format {
        let mut out = io::stdout().lock();
        return match format.as_str() {
            "text" => text::write(&mut out, &report, &mut read, &options),
            "gcc" => gcc::write(&mut out, &report),
            "json" => json::write(&mut out, &report),
            "github" => github::write(&mut out, &report, &mut read),
            "gitlab" => gitlab::write(&mut out, &report),
            "junit" => junit::write(&mut out, &report),
            "checkstyle" => checkstyle::write(&mut out, &report),
            "html" => html::write(&mut out, &report, &mut read),
            _ => sarif::write(&mut out, &report, &mut read),
        };
    }
    println!("{} findings, {} suppressed", report.findings.len(), report.suppressed.len());
    println!("merge    {:>8.1} ms", merged.as_secs_f64() * 1e3);
    println!("suppress {:>8.1} ms", suppressed.as_secs_f64() * 1e3);
    measure("text", |out| text::write(out, &report, &mut Sources::new(&sources), &options))?;
    measure("gcc", |out| gcc::write(out, &report))?;
    measure("json", |out| json::write(out, &report))?;
    measure("sarif", |out| sarif::write(out, &report, &mut Sources::new(&sources)))?;
    measure("github", |out| github::write(out, &report, &mut Sources::new(&sources)))?;
    measure("gitlab", |out| gitlab::write(out, &report))?;
    measure("junit", |out| junit::write(out, &report))?;
    measure("checkstyle", |out| checkstyle::write(out, &report))?;
    measure("html", |out| html::write(out, &report, &mut Sources::new(&sources)))
}

/// Counts bytes and keeps none.
struct Counting(usize);

impl Write for Counting {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn measure(name: &str, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = Counting(0);
    let start = Instant::now();
    write(&mut out)?;
    let time = start.elapsed().as_secs_f64() * 1e3;
    println!("{name:<8} {time:>8.1} ms {:>8.1} MB", out.0 as f64 / 1e6);
    Ok(())
}

fn file_name(file: u32) -> String {
    format!("src/module {file}/größe{file}.c")
}

fn source() -> String {
    let line = |number: u32| match number {
        8 => "    p = f(n); // watertight: ignore[memory-leak] lives as long as the program".to_owned(),
        _ => format!("\tif (x{number} == 0) p = acquire(x{number}, \"é {number}\"); else return;"),
    };
    (1..=LINES).map(line).collect::<Vec<_>>().join("\n")
}

fn place(file: u32, line: u32, column: u32) -> Place {
    Place::new(file_name(file % FILES), line % LINES + 1, column).in_function(format!("f{}", line / 10))
}

fn finding(number: u32) -> Finding {
    let file = number % FILES;
    let line = number / FILES * 7 % LINES;
    let mut finding =
        Finding::new(&RULE, format!("memory held in `p[{number}](x)` is lost"), place(file, line, 18));
    finding.doubts =
        [Doubts::NONE, Doubt::Borrowed.into(), Doubt::LoopCut.into()][(number % 3) as usize].clone();
    finding.growth = [Growth::EachIteration, Growth::ErrorPath][(number % 2) as usize];
    finding.support = Support::SolverChecked;
    finding.variant = Some(Variant::SomePaths);
    finding.identity = Identity::new(&finding.place.function, "p = acquire(x)").nth(number);
    let exit = |end: u32| {
        let mut steps =
            vec![Step::new(StepKind::Acquire, place(file, line, 18), "`acquire` acquires {memory}")];
        steps.extend((1..12).map(|i| {
            let text = format!("takes branch {i}");
            Step::new(StepKind::Branch, place(file + i / 6, line + i * 2, 6), text)
                .with_value("x", i.to_string())
        }));
        steps.push(Step::new(StepKind::Lost, place(file, line + end, 2), "the last reference is lost"));
        Trace::new(Support::SolverChecked, steps)
    };
    finding.exits = vec![exit(30), exit(40)];
    finding.sibling = Some(Step::new(StepKind::Release, place(file, line + 50, 3), "`free` releases it"));
    finding.assumptions = vec![Assumption::new(place(file, line + 3, 2), "`g` does not keep it")];
    finding
}
