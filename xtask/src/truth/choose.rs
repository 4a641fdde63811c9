//! Choosing the releases of the recall list, by seed, from the text of programs.
//!
//! In go built programs, out come lists with some releases of each class. A release is a statement that calls a known
//! releaser: those of the C library, and the program's own destructors, which are the functions that the store says
//! release something of an argument. What is chosen must be compiled: a mark that no compiler accepts is put in its place to see.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::bench::{Bench, Room, at};
use super::check::{Checked, check_mutant, check_with};
use super::mutant::{self, statement};
use super::program::Program;
use super::recall::Release;
use super::sample::number;
use super::source::{Sources, Text};

/// Releasers of the C library by class.
const LIBRARY: &[(&str, &[&str])] = &[
    ("memory", &["free", "munmap", "freeaddrinfo", "globfree", "regfree"]),
    ("stream", &["fclose", "pclose", "closedir", "endmntent", "gzclose"]),
    ("descriptor", &["close", "dlclose"]),
    ("lock", &["pthread_mutex_unlock", "pthread_rwlock_unlock", "pthread_spin_unlock", "funlockfile"]),
];

/// How many of each class are chosen of one program.
const QUOTAS: &[(&str, usize)] = &[("memory", 6), ("own", 7), ("stream", 4), ("descriptor", 4), ("lock", 4)];

/// Candidates of a program, by class, each class in the order of the seed.
pub(super) fn candidates(bench: &Bench, program: &Program) -> Result<BTreeMap<String, Vec<Release>>, String> {
    let room = bench.room(program);
    let sources = Sources::new(&room.tree());
    let known = known(&room, &sources)?;
    let mut found: BTreeMap<String, Vec<Release>> = BTreeMap::new();
    for file in compiled(&room, &sources)? {
        if !program.counts(&file) {
            continue;
        }
        if let Some(text) = sources.text(&file) {
            for release in in_file(&file, &text, &known) {
                found.entry(release.class.clone()).or_default().push(release);
            }
        }
    }
    for releases in found.values_mut() {
        releases.sort_by_key(|release| {
            let name =
                format!("{} {} {} {}", release.file, release.function, release.callee, release.ordinal);
            (number(&program.name, &name), name)
        });
    }
    Ok(found)
}

/// The releases of a program that go into its list.
pub(super) fn choose(bench: &Bench, program: &Program) -> Result<Vec<Release>, String> {
    let candidates = candidates(bench, program)?;
    let sources = Sources::new(&bench.room(program).tree());
    let base = check_with(bench, program, &bench.binary, &sources)?;
    let mut chosen = Vec::new();
    for (class, quota) in QUOTAS {
        let mut taken = 0;
        for release in candidates.get(*class).into_iter().flatten().take(quota * 2) {
            if taken < *quota && is_compiled(bench, program, release, &base, &sources)? {
                chosen.push(release.clone());
                taken += 1;
            }
        }
    }
    chosen.sort_by_key(|release| {
        (release.file.clone(), release.function.clone(), release.callee.clone(), release.ordinal)
    });
    Ok(chosen)
}

fn is_compiled(
    bench: &Bench,
    program: &Program,
    release: &Release,
    base: &Checked,
    sources: &Sources,
) -> Result<bool, String> {
    let room = bench.room(program);
    let text = sources.text(&release.file);
    let found =
        text.and_then(|text| mutant::find(&text, &release.function, &release.callee, release.ordinal));
    let Some(found) = found else { return Ok(false) };
    mutant::take_out(&room, &release.file, found, "@")?;
    let checked = check_mutant(bench, program, sources);
    mutant::restore(&room)?;
    Ok(checked?.summary.failed > base.summary.failed)
}

/// The C files that the database compiles, from the root of the tree.
fn compiled(room: &Room, sources: &Sources) -> Result<BTreeSet<String>, String> {
    let path = room.database();
    let text = std::fs::read_to_string(&path).map_err(at(&path))?;
    let entries: Vec<serde_json::Value> = serde_json::from_str(&text).map_err(at(&path))?;
    let files = entries.iter().filter_map(|entry| {
        let file = Path::new(entry["directory"].as_str()?).join(entry["file"].as_str()?);
        let file = sources.relative(&file.to_string_lossy());
        (file.ends_with(".c") && !file.starts_with('/')).then_some(file)
    });
    Ok(files.collect())
}

/// What the store knows of the functions of a program.
struct Known {
    /// Every function that has a body.
    functions: BTreeSet<String>,
    /// Those that release an argument, or something an argument leads to, and neither acquire nor keep anything: a function
    /// that makes room for more releases the old room, and is no destructor.
    destructors: BTreeSet<String>,
}

fn known(room: &Room, sources: &Sources) -> Result<Known, String> {
    let path = room.tree().join(".watertight/store.db");
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
    let store = rusqlite::Connection::open_with_flags(&path, flags).map_err(at(&path))?;
    let rows = |query: &str| -> Result<Vec<[String; 3]>, rusqlite::Error> {
        let text =
            |row: &rusqlite::Row<'_>, i| row.get::<_, Option<String>>(i).map(Option::unwrap_or_default);
        let mut statement = store.prepare(query)?;
        let rows = statement.query_map([], |row| Ok([text(row, 0)?, text(row, 1)?, text(row, 2)?]))?;
        rows.collect()
    };
    let functions = rows("SELECT DISTINCT name, file, '' FROM function").map_err(at(&path))?;
    let makers = rows(
        "SELECT DISTINCT name, '', '' FROM function JOIN effect ON effect.function = function.id WHERE effect <> 'releases'",
    );
    let makers: BTreeSet<String> = makers.map_err(at(&path))?.into_iter().map(|[name, ..]| name).collect();
    let mut destructors = BTreeSet::new();
    for [name, file, place] in rows("SELECT DISTINCT name, file, place FROM releases").map_err(at(&path))? {
        let begin = place.trim_start_matches(['*', '(', '&']);
        let parameter: String = begin.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let text = sources.text(&sources.relative(&file));
        if !makers.contains(&name) && text.is_some_and(|text| text.parameters(&name).contains(&parameter)) {
            destructors.insert(name);
        }
    }
    Ok(Known { functions: functions.into_iter().map(|[name, ..]| name).collect(), destructors })
}

/// The releases in one file.
fn in_file(file: &str, text: &Text, known: &Known) -> Vec<Release> {
    let class = |callee: &str| {
        let library = LIBRARY.iter().find(|(_, names)| names.contains(&callee)).map(|(class, _)| *class);
        library.or_else(|| known.destructors.contains(callee).then_some("own"))
    };
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.tokens.len() {
        let token = &text.tokens[at];
        // A macro in front of a function looks like one; the store knows the names.
        let defines = known.functions.contains(&token.text) && text.is_call(at) && text.is_definition(at);
        let Some(body) = defines.then(|| text.body(at)).flatten() else {
            at += 1;
            continue;
        };
        for i in body.clone() {
            let callee = &text.tokens[i].text;
            let Some(class) = class(callee).filter(|_| statement(text, i).is_some()) else { continue };
            let name = text.numbered(at, i);
            let ordinal = name.rsplit('#').next().and_then(|number| number.parse().ok()).unwrap_or(1);
            let (function, callee) = (token.text.clone(), callee.clone());
            let class = class.to_owned();
            found.push(Release {
                file: file.to_owned(),
                function,
                callee,
                ordinal,
                class,
                no_leak: None,
                cause: None,
            });
        }
        at = body.end;
    }
    found
}
