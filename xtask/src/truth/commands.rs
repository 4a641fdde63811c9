//! The commands of the bench, `./x truth ...`.

use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

use super::bench::{Bench, at};
use super::check::{Checked, build_and_check, check, for_each, prepare, read as read_report};
use super::judge::{Going, judge};
use super::program::Program;
use super::recall::{self, Tried};
use super::source::Sources;
use super::tally::{Tally, doubts, tally};
use super::verdict::{self, Verdict};
use super::{add, choose, compare, first, page, peers, recall_tables, stubs, tables, urgency};

const USAGE: &str =
    "usage: ./x truth [NAME...]          check programs of the corpus and hold them against their verdicts
       ./x truth kept [NAME...]     the same from the reports of the last check, with the verdicts there are now
       ./x truth urgency [NAME...]  of the same reports, where the urgency told is not what readers decided
       ./x truth list [NAME...]     of the same reports, each finding that was read, with its verdict
       ./x truth add NAME...        fetch, build and check; write entries for what is to be read
       ./x truth sample-low         write entries for a sample of the low findings
       ./x truth judge [NAME...]    read what is unread, in the terminal
       ./x truth first NAME...      record the first sight of a program that is read
       ./x truth compare A B [NAME...]   two binaries or commits: what changed, and whether it got worse
       ./x truth recall [NAME...]   take releases out and count what is shown
       ./x truth recall choose      choose the releases (once)
       ./x truth peers [NAME...]    the same for the clang analyzer, gcc and cppcheck; writes the table of docs/peers.md
       ./x truth report             write the tables of docs/evaluation.md
       ./x truth stubs --json FILE --source DIR [--program FILE] [--low]   entries for any report";

/// The fewest releases and programs of the recall list.
const RELEASES: usize = 330;
const RECALL_PROGRAMS: usize = 18;
/// Larger programs are left out of it: each mutant loads a whole program.
const RECALL_KLOC: f64 = 120.0;

/// Runs a command of the bench. The answer is whether all is well.
pub(crate) fn truth(root: &Path, arguments: &[String]) -> Result<bool, String> {
    let bench = Bench::new(root);
    let stdin = std::io::stdin();
    let mut out = std::io::stdout();
    run(&bench, arguments, &mut stdin.lock(), &mut out)
}

/// The same, with everything from outside given.
pub(super) fn run(
    bench: &Bench,
    arguments: &[String],
    input: &mut dyn BufRead,
    out: &mut dyn Write,
) -> Result<bool, String> {
    let rest = arguments.get(1..).unwrap_or_default();
    let (text, well) = match arguments.first().map(String::as_str) {
        Some("kept") => figures(bench, kept(bench, rest)?)?,
        Some("urgency") => (urgencies(bench, kept(bench, rest)?)?, true),
        Some("list") => (list(bench, kept(bench, rest)?)?, true),
        Some("add") if !rest.is_empty() => add_programs(bench, rest)?,
        Some("sample-low") => sample_low(bench)?,
        Some("judge") => return judge_programs(bench, rest, input, out).map(|()| true),
        Some("first") if !rest.is_empty() => record_first(bench, rest)?,
        Some("compare") if rest.len() >= 2 => compare_builds(bench, &rest[0], &rest[1], &rest[2..])?,
        Some("recall") if rest.first().is_some_and(|word| word == "choose") => (choose_recall(bench)?, true),
        Some("recall") => {
            let tried = try_releases(bench, rest)?;
            (recall_text(&tried), true)
        }
        Some("peers") => (compare_peers(bench, rest)?, true),
        Some("report") => write_page(bench)?,
        Some("stubs") => (print_stubs(rest)?, true),
        Some(word @ ("add" | "first" | "compare")) => {
            return Err(format!("{word} needs more words\n{USAGE}"));
        }
        Some(word) if word.starts_with('-') => return Err(USAGE.to_owned()),
        _ => figures(bench, check_all(bench, arguments)?)?,
    };
    out.write_all(text.as_bytes()).map_err(|error| error.to_string())?;
    Ok(well)
}

/// Programs with what a check said of them, or why it could not.
type All = Vec<(Program, Result<Checked, String>)>;

fn check_all(bench: &Bench, names: &[String]) -> Result<All, String> {
    let programs = Program::all(&bench.corpus, names)?;
    prepare(bench, &programs)?;
    let checked = for_each(bench, &programs, |program| build_and_check(bench, program));
    Ok(programs.into_iter().zip(checked).collect())
}

/// The same with what the last check said.
fn kept(bench: &Bench, names: &[String]) -> Result<All, String> {
    let programs = Program::all(&bench.corpus, names)?;
    let read = |program: &Program| {
        let room = bench.room(program);
        read_report(program, &room.report(), &Sources::new(&room.tree()))
    };
    let checked: Vec<_> = programs.iter().map(read).collect();
    Ok(programs.into_iter().zip(checked).collect())
}

/// Those that worked, and the messages of those that did not.
fn worked(all: All) -> (Vec<(Program, Checked)>, String) {
    let (mut good, mut complaints) = (Vec::new(), String::new());
    for (program, checked) in all {
        match checked {
            Ok(checked) => good.push((program, checked)),
            Err(message) => complaints += &format!("{}: {message}\n", program.name),
        }
    }
    (good, complaints)
}

/// The figures of each program.
type Tallies = Vec<(String, f64, Result<Tally, String>)>;

fn tallies(bench: &Bench, all: &All) -> Result<Tallies, String> {
    let mut tallies = Vec::new();
    for (program, checked) in all {
        let entries = verdict::read(&verdict::path(bench, &program.name))?;
        let tally = checked.as_ref().map(|checked| tally(checked, &entries)).map_err(Clone::clone);
        tallies.push((program.name.clone(), program.kloc, tally));
    }
    Ok(tallies)
}

/// Each finding that was read, with its verdict: what to look at when the figures are not what they should be.
fn list(bench: &Bench, all: All) -> Result<String, String> {
    let (good, mut text) = worked(all);
    for (program, checked) in &good {
        let entries = verdict::read(&verdict::path(bench, &program.name))?;
        for told in &checked.findings {
            let Some(entry) = verdict::matching(&entries, &told.print) else { continue };
            let finding = &told.finding;
            let fields = [
                program.name.as_str(),
                entry.verdict.name(),
                finding.confidence.as_str(),
                finding.support.as_str(),
                &doubts(told).join(","),
                entry.cause.as_deref().unwrap_or("-"),
                &told.print.text(),
                &format!("{}:{}", told.print.file, finding.place.line.unwrap_or(0)),
                entry.why.as_str(),
            ];
            text += &format!("{}\n", fields.join(" | "));
        }
    }
    Ok(text)
}

/// Where the urgency told is not what readers decided.
fn urgencies(bench: &Bench, all: All) -> Result<String, String> {
    let (good, mut text) = worked(all);
    let mut programs = Vec::new();
    for (program, checked) in &good {
        let entries = verdict::read(&verdict::path(bench, &program.name))?;
        let (agreement, lines) = urgency::agreement(&program.name, checked, &entries);
        text += &lines;
        programs.push((program.name.clone(), agreement));
    }
    Ok(format!("{text}\n{}", urgency::table(&programs).markdown()))
}

fn sum(tallies: &Tallies) -> Tally {
    let mut all = Tally::default();
    tallies
        .iter()
        .filter_map(|(_, _, tally)| tally.as_ref().ok())
        .for_each(|tally| tables::merge(&mut all, tally));
    all
}

fn figures(bench: &Bench, all: All) -> Result<(String, bool), String> {
    let tallies = tallies(bench, &all)?;
    let sum = sum(&tallies);
    let mut text = tables::programs(&tallies).markdown();
    let of_all = [
        tables::confidences(&sum),
        tables::supports(&sum),
        tables::urgencies(&sum),
        tables::causes(&sum),
        tables::doubts(&sum),
    ];
    for table in of_all {
        text += &format!("\n{}", table.markdown());
    }
    let (_, complaints) = worked(all);
    if !complaints.is_empty() {
        text += &format!("\nfailed:\n{complaints}");
    }
    Ok((text, complaints.is_empty()))
}

fn add_programs(bench: &Bench, names: &[String]) -> Result<(String, bool), String> {
    let (good, complaints) = worked(check_all(bench, names)?);
    let mut text = String::new();
    for (program, checked) in &good {
        let fresh = add::add(bench, program, checked)?;
        let shown = checked.findings.iter().filter(|told| told.is_shown()).count();
        let path = verdict::path(bench, &program.name);
        text +=
            &format!("{}: {shown} findings, {fresh} to be read added to {}\n", program.name, path.display());
    }
    Ok((text + &complaints, complaints.is_empty()))
}

fn sample_low(bench: &Bench) -> Result<(String, bool), String> {
    let (good, complaints) = worked(check_all(bench, &[])?);
    let counts = add::sample_low(bench, &good)?;
    let lines: String =
        counts.iter().map(|(name, count)| format!("{name}: {count} low findings to be read\n")).collect();
    Ok((lines + &complaints, complaints.is_empty()))
}

fn judge_programs(
    bench: &Bench,
    names: &[String],
    input: &mut dyn BufRead,
    out: &mut dyn Write,
) -> Result<(), String> {
    let mut programs = Program::all(&bench.corpus, names)?;
    let waits = |program: &Program| -> Result<bool, String> {
        let entries = verdict::read(&verdict::path(bench, &program.name))?;
        Ok(entries.iter().any(|entry| entry.verdict == Verdict::Unread))
    };
    let mut waiting = Vec::new();
    for program in programs.drain(..) {
        if waits(&program)? {
            waiting.push(program);
        }
    }
    prepare(bench, &waiting)?;
    for program in &waiting {
        let checked = build_and_check(bench, program)?;
        if judge(bench, program, &checked, input, out)? == Going::Stop {
            break;
        }
        if !waits(program)? {
            let (text, _) = record_first(bench, std::slice::from_ref(&program.name))?;
            out.write_all(text.as_bytes()).map_err(|error| error.to_string())?;
        }
    }
    Ok(())
}

fn record_first(bench: &Bench, names: &[String]) -> Result<(String, bool), String> {
    let (good, complaints) = worked(check_all(bench, names)?);
    let mut text = String::new();
    for (program, checked) in &good {
        let entries = verdict::read(&verdict::path(bench, &program.name))?;
        let unread =
            entries.iter().filter(|entry| entry.verdict == Verdict::Unread && entry.confidence != "low");
        let (fresh, _) = add::to_read(program, checked, &entries);
        let waiting = unread.count() + fresh.len();
        text += &(first::record(bench, program, &tally(checked, &entries), waiting)? + "\n");
    }
    Ok((text + &complaints, complaints.is_empty()))
}

fn compare_builds(bench: &Bench, old: &str, new: &str, names: &[String]) -> Result<(String, bool), String> {
    let binaries = [compare::binary(bench, old)?, compare::binary(bench, new)?];
    let programs = Program::all(&bench.corpus, names)?;
    prepare(bench, &programs)?;
    let results = for_each(bench, &programs, |program| {
        super::build::build(bench, program)?;
        let [old, new] = &binaries;
        Ok((check(bench, program, old)?, check(bench, program, new)?))
    });
    let (mut changes, mut complaints) = (Vec::new(), String::new());
    for (program, result) in programs.iter().zip(results) {
        match result {
            Ok((old, new)) => {
                let entries = verdict::read(&verdict::path(bench, &program.name))?;
                changes.extend(compare::changes(&program.name, &old, &new, &entries));
            }
            Err(message) => complaints += &format!("{}: {message}\n", program.name),
        }
    }
    let (text, well) = compare::told(&changes);
    Ok((text + &complaints, well && complaints.is_empty()))
}

fn try_releases(bench: &Bench, names: &[String]) -> Result<Vec<Tried>, String> {
    let programs = Program::all(&bench.corpus, names)?;
    let listed = |program: &Program| recall::path(bench, &program.name).exists();
    let programs: Vec<Program> = programs.into_iter().filter(listed).collect();
    prepare(bench, &programs)?;
    let mut tried = Vec::new();
    for (program, result) in
        programs.iter().zip(for_each(bench, &programs, |program| recall::recall(bench, program)))
    {
        tried.extend(result.map_err(|message| format!("{}: {message}", program.name))?);
    }
    Ok(tried)
}

fn compare_peers(bench: &Bench, names: &[String]) -> Result<String, String> {
    let tried = try_releases(bench, names)?;
    let programs = Program::all(&bench.corpus, names)?;
    let compared = peers::compare(bench, &programs, &tried)?;
    let date = first::today()?;
    let tables = BTreeMap::from([(
        "peers",
        format!("{}\n\n{}", compared.caption(&date), compared.table().markdown()),
    )]);
    let path = bench.root.join("docs/peers.md");
    let page = std::fs::read_to_string(&path).map_err(at(&path))?;
    std::fs::write(&path, page::fill(&page, &tables)?).map_err(at(&path))?;
    Ok(format!("{}\n{} is written\n", tables["peers"], path.display()))
}

fn recall_text(tried: &[Tried]) -> String {
    let mut text = recall_tables::outcomes("program", tried, |one| one.program.clone()).markdown();
    text +=
        &format!("\n{}", recall_tables::outcomes("class", tried, |one| one.release.class.clone()).markdown());
    text += &format!("\n{}\n", recall_tables::reasons(tried).markdown());
    for one in tried.iter().filter(|one| one.outcome != recall::Outcome::Shown) {
        let release = &one.release;
        let place = format!("{} {} {}#{}", release.file, release.function, release.callee, release.ordinal);
        text += &format!(
            "{}: {} ({}): {} {}\n",
            one.program,
            place,
            release.class,
            one.outcome.name(),
            one.reason
        );
    }
    text
}

fn choose_recall(bench: &Bench) -> Result<String, String> {
    let mut programs = Program::all(&bench.corpus, &[])?;
    programs.retain(|program| program.kloc <= RECALL_KLOC && super::build::is_built(bench, program));
    if programs.iter().any(|program| recall::path(bench, &program.name).exists()) {
        return Err("the list is chosen already; remove corpus/recall to choose another".to_owned());
    }
    programs.sort_by_key(|program| super::sample::number("recall", &program.name));
    let (mut text, mut count, mut chosen) = (String::new(), 0, 0);
    for batch in programs.chunks(bench.workers.max(1)) {
        if count >= RELEASES && chosen >= RECALL_PROGRAMS {
            break;
        }
        for (program, releases) in
            batch.iter().zip(for_each(bench, batch, |program| choose::choose(bench, program)))
        {
            let releases = releases.map_err(|message| format!("{}: {message}", program.name))?;
            if releases.len() < 8 {
                continue;
            }
            let path = recall::path(bench, &program.name);
            if let Some(directory) = path.parent() {
                std::fs::create_dir_all(directory).map_err(at(directory))?;
            }
            let entries: Vec<String> = releases.iter().map(recall::entry).collect();
            let head = format!("# Releases of {} that are taken out, chosen by seed.\n\n", program.name);
            std::fs::write(&path, head + &entries.join("\n")).map_err(at(&path))?;
            text += &format!("{}: {} releases\n", program.name, releases.len());
            (count, chosen) = (count + releases.len(), chosen + 1);
        }
    }
    Ok(format!("{text}{count} releases of {chosen} programs\n"))
}

fn write_page(bench: &Bench) -> Result<(String, bool), String> {
    let all = check_all(bench, &[])?;
    let tallies = tallies(bench, &all)?;
    let sum = sum(&tallies);
    let tried = try_releases(bench, &[])?;
    let (_, complaints) = worked(all);
    let commit = bench.git(&["log", "-1", "--format=%h of %cs", "--", "crates", "models", "properties"]);
    let read = sum.shown.read();
    let head = format!(
        "Version {}, commit {}: {} programs, {} thousand lines, {} functions, {} verdicts at default confidence.",
        env!("CARGO_PKG_VERSION"),
        commit.unwrap_or_else(|| "unknown".to_owned()),
        tallies.iter().filter(|(_, _, tally)| tally.is_ok()).count(),
        tallies.iter().map(|(_, kloc, _)| kloc).sum::<f64>().round(),
        sum.functions,
        read,
    );
    let tables = BTreeMap::from([
        ("build", head),
        ("confidences", tables::confidences(&sum).markdown()),
        ("programs", tables::programs(&tallies).markdown()),
        ("causes", tables::causes(&sum).markdown()),
        ("doubts", tables::doubts(&sum).markdown()),
        ("supports", tables::supports(&sum).markdown()),
        ("urgencies", tables::urgencies(&sum).markdown()),
        ("first sight", tables::sights(&first::read(bench)?).markdown()),
        (
            "recall by class",
            recall_tables::outcomes("class", &tried, |one| one.release.class.clone()).markdown(),
        ),
        (
            "recall by program",
            recall_tables::outcomes("program", &tried, |one| one.program.clone()).markdown(),
        ),
        ("recall by reason", recall_tables::reasons(&tried).markdown()),
    ]);
    let path = bench.root.join("docs/evaluation.md");
    let page = std::fs::read_to_string(&path).map_err(at(&path))?;
    std::fs::write(&path, page::fill(&page, &tables)?).map_err(at(&path))?;
    Ok((format!("{} is written\n{complaints}", path.display()), complaints.is_empty()))
}

fn print_stubs(arguments: &[String]) -> Result<String, String> {
    let value = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1).map(PathBuf::from)
    };
    let json = value("--json").ok_or("--json FILE is missing")?;
    let tree = value("--source").ok_or("--source DIR is missing")?;
    let low = arguments.iter().any(|argument| argument == "--low");
    let program = value("--program").map(|path| Program::read(&path)).transpose()?.unwrap_or_default();
    let sources = Sources::new(&tree);
    let mut checked = read_report(&program, &json, &sources)?;
    checked.findings.retain(|told| low != told.is_shown());
    let (chosen, sampled) = match low {
        true => (checked.findings.iter().collect(), false),
        false => add::to_read(&program, &checked, &[]),
    };
    let missing = |file: &str| sources.text(file).is_none();
    if let Some(told) = chosen.iter().find(|told| missing(&told.print.file)) {
        eprintln!("truth: {} is not below {}; fingerprints are incomplete", told.print.file, tree.display());
    }
    let stub = |told: &&super::check::Told| {
        stubs::stub(&told.finding, &told.print, told.ambiguous, sampled, &sources)
    };
    Ok(chosen.iter().map(stub).collect())
}
