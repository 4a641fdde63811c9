//! `watertight mark`: decide about findings, for everybody who works on the project.
//!
//! A finding is named by its place, as reports print it (`FILE:LINE` or `FILE:LINE:COLUMN`), or by its fingerprint or the
//! beginning of it. Places are those of the newest run, which the store remembers.

use std::fmt::Write as _;
use std::path::Path;

use watertight_analysis::newest;
use watertight_capture::{plain, tidy};
use watertight_finding::{Finding, Place, Trace};
use watertight_report::{fingerprint, one_line};
use watertight_store::{Mark, Store, Verdict};
use watertight_web::clock;

use crate::args::{MarkAction, VerdictName};
use crate::exit::{Exit, Stop};
use crate::marks::{Entry, MarkFile, NAME, is_fingerprint, parse, to_text};
use crate::messages;
use crate::output;
use crate::settings::{Settings, Talk};

/// The fewest digits that name a finding.
const FEWEST_DIGITS: usize = 6;

/// `watertight mark`.
pub(crate) fn mark(settings: &Settings, action: &MarkAction) -> Result<Exit, Stop> {
    let mut file = MarkFile::read(&settings.root)?;
    match action {
        MarkAction::Set { finding, verdict, reason } => {
            set(settings, &mut file, finding, *verdict, reason.as_deref().unwrap_or_default())?;
        }
        MarkAction::Remove { finding } => remove(settings, &mut file, finding)?,
        MarkAction::List { json } => {
            let marks = all(settings, &file);
            let text = match json {
                true => serde_json::to_string_pretty(&marks)
                    .map_or_else(|error| error.to_string(), |text| text + "\n"),
                false => marks.iter().map(line).collect(),
            };
            output::write(None, Box::new(move |out| out.write_all(text.as_bytes())))?;
        }
        MarkAction::Export { output } => {
            let text = to_text(all(settings, &file).iter());
            output::write(output.as_deref(), Box::new(move |out| out.write_all(text.as_bytes())))?;
        }
        MarkAction::Import { file: from } => import(settings, &mut file, from)?,
    }
    Ok(Exit::Clean)
}

fn set(
    settings: &Settings,
    file: &mut MarkFile,
    named: &str,
    verdict: VerdictName,
    reason: &str,
) -> Result<(), Stop> {
    let verdict = match verdict {
        VerdictName::True => Verdict::True,
        VerdictName::False => Verdict::False,
        VerdictName::WontFix => Verdict::WontFix,
    };
    if verdict.hides() && reason.trim().is_empty() {
        return Err(messages::no_reason());
    }
    let (fingerprint, finding) = find(settings, file, named)?;
    let mark = Mark { fingerprint, verdict, note: reason.to_owned(), at: clock::now() };
    let entry = match (&finding, file.entries.get(&mark.fingerprint)) {
        (Some(finding), _) => {
            Entry { file: in_project(settings, &finding.place.file), ..Entry::of(finding, &mark) }
        }
        // What the file knows of the place stays.
        (None, Some(known)) => Entry {
            rule: known.rule.clone(),
            file: known.file.clone(),
            function: known.function.clone(),
            ..Entry::from(&mark)
        },
        (None, None) => Entry::from(&mark),
    };
    say(settings, &format!("marked {}: {}", entry.verdict, about(&entry)));
    file.entries.insert(entry.finding.clone(), entry);
    file.write().map_err(Stop::environment)
}

fn remove(settings: &Settings, file: &mut MarkFile, named: &str) -> Result<(), Stop> {
    let (fingerprint, _) = find(settings, file, named)?;
    let stored = store(settings)
        .is_some_and(|store| store.mark(&fingerprint).is_some() && store.remove_mark(&fingerprint).is_ok());
    match file.entries.remove(&fingerprint) {
        Some(entry) => {
            file.write().map_err(Stop::environment)?;
            say(settings, &format!("no longer marked: {}", about(&entry)));
        }
        None if stored => say(settings, &format!("no longer marked: {fingerprint}")),
        None => return Err(messages::not_marked(named)),
    }
    Ok(())
}

/// Takes marks from a file that `export` wrote. Of two decisions about a finding the newer one holds.
fn import(settings: &Settings, file: &mut MarkFile, from: &Path) -> Result<(), Stop> {
    let text = plain::read_to_string(from).map_err(|error| messages::cannot_read(from.display(), error))?;
    let entries = parse(&text).map_err(|message| messages::mistake_in(from.display(), &message))?;
    let all = entries.len();
    let mut taken = 0;
    for entry in entries {
        if file.entries.get(&entry.finding).is_none_or(|known| known.at < entry.at) {
            taken += 1;
            file.entries.insert(entry.finding.clone(), entry);
        }
    }
    file.write().map_err(Stop::environment)?;
    say(
        settings,
        &format!("{taken} of {all} marks taken into {NAME}; the others are there already, or older"),
    );
    Ok(())
}

fn say(settings: &Settings, text: &str) {
    if settings.talk != Talk::Quiet {
        output::say(&one_line(text));
    }
}

/// Every mark: those of the file, and those that only the store has.
fn all(settings: &Settings, file: &MarkFile) -> Vec<Entry> {
    let stored = store(settings).map(|store| store.marks()).unwrap_or_default();
    let only_stored = stored.iter().filter(|mark| !file.entries.contains_key(&mark.fingerprint));
    let mut entries: Vec<Entry> =
        file.entries.values().cloned().chain(only_stored.map(Entry::from)).collect();
    entries.sort_by(|one, other| {
        (&one.file, &one.function, &one.finding).cmp(&(&other.file, &other.function, &other.finding))
    });
    entries
}

fn store(settings: &Settings) -> Option<Store> {
    Store::open_existing(settings.store.as_deref()?).ok()
}

/// A mark in a line.
fn line(entry: &Entry) -> String {
    let mut line = format!("{}  {:8}  {}", &entry.finding[..12], entry.verdict, about(entry));
    if !entry.reason.is_empty() {
        let _ = write!(line, ": {}", entry.reason);
    }
    one_line(&line).into_owned() + "\n"
}

/// Which finding a mark is about.
fn about(entry: &Entry) -> String {
    match entry.file.is_empty() {
        true => entry.finding.clone(),
        false => format!("{}: `{}` [{}]", entry.file, entry.function, entry.rule),
    }
}

/// The finding that a text names: its fingerprint, and what the newest run says of it.
fn find(settings: &Settings, file: &MarkFile, named: &str) -> Result<(String, Option<Finding>), Stop> {
    let findings = store(settings).and_then(|store| newest(&store)).map(|run| run.findings);
    let known = findings.is_some();
    let mut found: Vec<(String, Option<Finding>)> = Vec::new();
    for finding in findings.unwrap_or_default() {
        let id = fingerprint(&finding).to_string();
        if is_named(settings, &finding, &id, named) && !found.iter().any(|(other, _)| *other == id) {
            found.push((id, Some(finding)));
        }
    }
    if is_digits(named) {
        let marked = file.entries.keys().filter(|id| id.starts_with(named));
        for id in marked {
            if !found.iter().any(|(other, _)| other == id) {
                found.push((id.clone(), None));
            }
        }
    }
    match (found.len(), is_fingerprint(named)) {
        (1, _) => Ok(found.remove(0)),
        (0, true) => Ok((named.to_owned(), None)),
        (0, false) if !known => Err(messages::nothing_checked()),
        (0, false) => Err(messages::no_finding(named)),
        _ => {
            let mut list = String::new();
            for (id, finding) in &found {
                let text = finding.as_ref().map(|finding| format!("{}: {}", finding.place, finding.message));
                let _ = write!(list, "\n  {id}  {}", one_line(&text.unwrap_or_default()));
            }
            Err(messages::several_findings(named, found.len(), &list))
        }
    }
}

/// Whether a text is the beginning of a fingerprint.
fn is_digits(named: &str) -> bool {
    named.len() >= FEWEST_DIGITS && named.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_named(settings: &Settings, finding: &Finding, id: &str, named: &str) -> bool {
    if is_digits(named) && id.starts_with(named) {
        return true;
    }
    let mut parts = named.rsplitn(3, ':');
    let last: Option<u32> = parts.next().and_then(|part| part.parse().ok());
    let middle = parts.next();
    let (file, line, column) = match (last, middle.map(str::parse::<u32>), parts.next()) {
        (Some(column), Some(Ok(line)), Some(file)) => (file.to_owned(), line, Some(column)),
        (Some(line), Some(_), _) => match named.rsplit_once(':') {
            Some((file, _)) => (file.to_owned(), line, None),
            None => return false,
        },
        _ => return false,
    };
    let is_there = |place: &Place| {
        place.line == line
            && column.is_none_or(|column| place.column == column)
            && is_same_file(settings, &file, &place.file)
    };
    // Where the resource is acquired, as the title says; or where it is lost, which is what people look at.
    is_there(&finding.place) || finding.exits.iter().filter_map(Trace::end).any(|end| is_there(&end.place))
}

/// The name of a file from the root of the project on, since the file of marks belongs to everybody.
fn in_project(settings: &Settings, told: &str) -> String {
    let places = [&settings.directory, &settings.root].map(|base| tidy(&base.join(told)));
    let there = places.iter().find(|path| path.is_file());
    let below = there.and_then(|path| path.strip_prefix(&settings.root).ok());
    below.map_or_else(|| told.to_owned(), |path| path.display().to_string())
}

/// Whether two names are of one file: runs name files from where they were started.
fn is_same_file(settings: &Settings, typed: &str, told: &str) -> bool {
    let typed = tidy(&settings.directory.join(typed));
    [&settings.directory, &settings.root].iter().any(|base| tidy(&base.join(told)) == typed)
}
