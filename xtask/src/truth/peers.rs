//! Other tools on the same work: the releases of the recall list, taken out one by one, for every tool that is installed.
//!
//! In go programs, out comes a table: how many of the losses each tool reports. A tool looks at the unit with the loss, with the
//! paths, macros and language of the build, before and after. A loss is **reported** if there is a warning about a leak in that
//! unit that the program as it is does not have. Watertight is held to its own count ([`recall`]): a new finding at default
//! confidence.
//!
//! What must hold: every tool is run as its manual says, with its defaults; what is not installed is left out and named.
//! Outcomes are kept under the version of the tool, as those of recall are under the binary.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

use super::bench::{Bench, Room, at};
use super::mutant;
use super::program::Program;
use super::recall::{Outcome, Release, Tried};
use super::source::Sources;
use super::table::Table;
use super::tally::share;

/// A tool that reports leaks in lines that say so.
pub(super) struct Peer {
    /// The name in the table.
    name: &'static str,
    /// Programs to try, the best first.
    programs: &'static [&'static str],
    arguments: &'static [&'static str],
}

const PEERS: &[Peer] = &[
    Peer {
        name: "clang analyzer",
        programs: &["clang-19", "clang"],
        arguments: &["--analyze", "--analyzer-output", "text", "-w"],
    },
    Peer {
        name: "gcc -fanalyzer",
        programs: &["gcc"],
        arguments: &["-fanalyzer", "-fdiagnostics-path-format=none", "-c", "-o", "/dev/null"],
    },
    Peer {
        name: "cppcheck",
        programs: &["cppcheck"],
        arguments: &["--quiet", "--enable=warning", "--template={file}:{line}:{column}: {message} [{id}]"],
    },
];

/// A tool as it is installed.
struct Installed {
    peer: &'static Peer,
    program: &'static str,
    version: String,
}

/// What each tool said of a release, in the order of [`Comparison::tools`].
struct Compared {
    class: String,
    /// Watertight first.
    reported: Vec<bool>,
}

/// All releases of all programs.
pub(super) struct Comparison {
    tools: Vec<(String, String)>,
    rows: Vec<Compared>,
    programs: Vec<String>,
    missing: Vec<&'static str>,
}

fn installed() -> (Vec<Installed>, Vec<&'static str>) {
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for peer in PEERS {
        let version = |program: &&'static str| {
            let output = Command::new(program).arg("--version").stdin(Stdio::null()).output().ok()?;
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            // The first word that begins with a digit and has a dot: `Debian clang version 19.1.7`, `Cppcheck 2.10`.
            let number = text
                .split_whitespace()
                .find(|word| word.starts_with(char::is_numeric) && word.contains('.'))?;
            Some((*program, number.split(['-', '~', '+', '(']).next()?.to_owned()))
        };
        match peer.programs.iter().find_map(version) {
            Some((program, version)) => found.push(Installed { peer, program, version }),
            None => missing.push(peer.name),
        }
    }
    (found, missing)
}

/// Compares all tools on the releases that recall has tried.
pub(super) fn compare(bench: &Bench, programs: &[Program], tried: &[Tried]) -> Result<Comparison, String> {
    let (tools, missing) = installed();
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let mut names = vec![("watertight".to_owned(), version)];
    names.extend(tools.iter().map(|tool| (tool.peer.name.to_owned(), tool.version.clone())));
    let mut rows = Vec::new();
    let mut used = Vec::new();
    for program in programs {
        let mut of_program = tried
            .iter()
            .filter(|one| one.program == program.name && one.outcome != Outcome::Broken)
            .peekable();
        if of_program.peek().is_none() {
            continue;
        }
        used.push(program.name.clone());
        let mut work = Work::new(bench, program)?;
        for one in of_program {
            let mut reported = vec![one.outcome == Outcome::Shown];
            for tool in &tools {
                reported.push(work.reports(tool, &one.release)?);
            }
            rows.push(Compared { class: one.release.class.clone(), reported });
        }
        eprintln!("truth: {} is compared", program.name);
    }
    Ok(Comparison { tools: names, rows, programs: used, missing })
}

/// A program under comparison, with what is known already.
struct Work {
    room: Room,
    sources: Sources,
    units: BTreeMap<PathBuf, Unit>,
    ledger: PathBuf,
    known: BTreeMap<String, bool>,
    /// Warnings of a tool in a unit as it is.
    before: BTreeMap<(&'static str, String), BTreeSet<String>>,
}

/// A unit of the database.
#[derive(Deserialize)]
struct Unit {
    directory: PathBuf,
    file: PathBuf,
    arguments: Vec<String>,
}

impl Work {
    fn new(bench: &Bench, program: &Program) -> Result<Work, String> {
        let room = bench.room(program);
        mutant::restore(&room)?;
        let text = fs::read_to_string(room.database()).map_err(at(&room.database()))?;
        let units: Vec<Unit> = serde_json::from_str(&text).map_err(at(&room.database()))?;
        let place = |unit: &Unit| unit.directory.join(&unit.file).canonicalize().unwrap_or_default();
        let ledger = room.path.join("peers");
        let text = fs::read_to_string(&ledger).unwrap_or_default();
        let lines = text.lines().filter_map(|line| line.rsplit_once('\t'));
        Ok(Work {
            sources: Sources::new(&room.tree()),
            units: units.into_iter().map(|unit| (place(&unit), unit)).collect(),
            known: lines.map(|(name, said)| (name.to_owned(), said == "reported")).collect(),
            ledger,
            before: BTreeMap::new(),
            room,
        })
    }

    /// Whether a tool reports the loss that taking a release out makes.
    fn reports(&mut self, tool: &Installed, release: &Release) -> Result<bool, String> {
        let Release { file, function, callee, ordinal, .. } = release;
        let name = format!("{} {}\t{file} {function} {callee}#{ordinal}", tool.peer.name, tool.version);
        if let Some(&known) = self.known.get(&name) {
            return Ok(known);
        }
        let path = self.room.tree().join(file);
        let path = path.canonicalize().map_err(at(&path))?;
        // What is in a header is seen through some unit; the first in the database will do.
        let unit = self.units.get(&path).or_else(|| self.units.values().next());
        let unit = unit.ok_or_else(|| at(&self.room.database())("has no unit"))?;
        let key = (tool.peer.name, file.clone());
        if !self.before.contains_key(&key) {
            self.before.insert(key.clone(), leaks(tool, unit)?);
        }
        let text = self.sources.text(file);
        let statement = text.and_then(|text| mutant::find(&text, function, callee, *ordinal));
        let statement = statement.ok_or_else(|| at(&path)(format!("no `{callee}` in `{function}`")))?;
        mutant::take_out(&self.room, file, statement, "")?;
        let after = leaks(tool, unit);
        mutant::restore(&self.room)?;
        let reported = after?.iter().any(|line| !self.before[&key].contains(line));
        self.keep(name, reported)?;
        Ok(reported)
    }

    fn keep(&mut self, name: String, reported: bool) -> Result<(), String> {
        use std::io::Write as _;
        let line = format!("{name}\t{}\n", if reported { "reported" } else { "silent" });
        let file = fs::OpenOptions::new().create(true).append(true).open(&self.ledger);
        file.and_then(|mut file| file.write_all(line.as_bytes())).map_err(at(&self.ledger))?;
        self.known.insert(name, reported);
        Ok(())
    }
}

/// The lines in which a tool warns of a leak.
fn leaks(tool: &Installed, unit: &Unit) -> Result<BTreeSet<String>, String> {
    let mut command = Command::new(tool.program);
    command
        .args(tool.peer.arguments)
        .args(reading(&unit.arguments))
        .arg(&unit.file)
        .current_dir(&unit.directory);
    let output = command.stdin(Stdio::null()).output().map_err(at(Path::new(tool.program)))?;
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    let is_warning = |line: &&str| line.to_lowercase().contains("leak") && !line.contains(": note:");
    Ok(text.lines().filter(is_warning).map(str::to_owned).collect())
}

/// The flags that say how a unit is read: paths, macros, language.
fn reading(arguments: &[String]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut rest = arguments.iter().skip(1);
    while let Some(argument) = rest.next() {
        let apart = ["-I", "-D", "-U", "-include", "-isystem", "-iquote"].contains(&argument.as_str());
        if apart {
            kept.extend([Some(argument), rest.next()].into_iter().flatten().cloned());
        } else if ["-I", "-D", "-U", "-std="].iter().any(|start| argument.starts_with(start)) {
            kept.push(argument.clone());
        }
    }
    kept
}

impl Comparison {
    /// A row for each class of release, a column for each tool.
    pub(super) fn table(&self) -> Table {
        let mut head = vec!["taken out is a release of".to_owned(), "releases".to_owned()];
        head.extend(self.tools.iter().map(|(name, version)| format!("{name} {version}")));
        let mut table = Table { rows: vec![head] };
        let mut groups: BTreeMap<&str, Vec<&Compared>> = BTreeMap::new();
        for row in &self.rows {
            groups.entry(&row.class).or_default().push(row);
        }
        let mut put = |name: &str, group: &[&Compared]| {
            let mut cells = vec![name.to_owned(), group.len().to_string()];
            for tool in 0..self.tools.len() {
                let count = group.iter().filter(|row| row.reported[tool]).count();
                cells.push(format!("{count} ({})", share(count, group.len())));
            }
            table.row(cells);
        };
        for (class, group) in &groups {
            put(class, group);
        }
        put("all", &self.rows.iter().collect::<Vec<_>>());
        table
    }

    /// What the table is of.
    pub(super) fn caption(&self, date: &str) -> String {
        let mut text = format!(
            "Measured on {date}: {} releases of {} programs ({}).",
            self.rows.len(),
            self.programs.len(),
            self.programs.join(", ")
        );
        if !self.missing.is_empty() {
            text += &format!(" Not installed and so not run: {}.", self.missing.join(", "));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_that_say_how_to_read_are_kept() {
        let arguments =
            ["cc", "-O2", "-Ia", "-I", "b", "-DX=1", "-w", "-std=gnu99", "-o", "a.o", "-c", "a.c"];
        let kept = reading(&arguments.map(str::to_owned));
        assert_eq!(kept, ["-Ia", "-I", "b", "-DX=1", "-std=gnu99"]);
    }

    #[test]
    fn the_table_counts_by_class_and_tool() {
        let row =
            |class: &str, reported: [bool; 2]| Compared { class: class.into(), reported: reported.to_vec() };
        let tools = vec![("watertight".into(), "0.1.0".into()), ("cppcheck".into(), "2.10".into())];
        let rows =
            vec![row("memory", [true, false]), row("memory", [true, true]), row("lock", [false, false])];
        let all = Comparison { tools, rows, programs: vec!["ed".into()], missing: vec!["gcc -fanalyzer"] };
        let cells = all.table().rows;
        assert_eq!(cells[0][2..], ["watertight 0.1.0", "cppcheck 2.10"]);
        assert_eq!(cells[2], ["memory", "2", "2 (100 %)", "1 (50 %)"]);
        assert_eq!(cells[3], ["all", "3", "2 (67 %)", "1 (33 %)"]);
        assert!(all.caption("2026-01-02").ends_with("not run: gcc -fanalyzer."));
    }
}
