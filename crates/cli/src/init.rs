//! `watertight init`: a `watertight.toml` with comments, after a look at the project.
//!
//! In: the working directory. Out: the file, with the database that was found and folders of third parties left out; every
//! other key stands there as a comment with its meaning. Then the next command to type.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use crate::args;
use crate::config::NAME;
use crate::exit::{Exit, Stop};
use crate::keys::{KEYS, Key};
use crate::messages;
use crate::output::say;
use crate::project::{self, Build};
use crate::settings::{Settings, Talk};

/// Folders that hold code of others.
const FOREIGN: [&str; 12] = [
    "3rdparty",
    "3rd_party",
    "third_party",
    "third-party",
    "thirdparty",
    "vendor",
    "vendored",
    "external",
    "extern",
    "deps",
    "contrib",
    "subprojects",
];

/// Folders that hold tests.
const TESTS: [&str; 5] = ["tests", "test", "testsuite", "unittests", "t"];

/// What a look at the project gave.
struct Seen {
    /// The database, relative to the folder.
    database: Option<String>,
    build: Option<&'static Build>,
    foreign: Vec<&'static str>,
    tests: Vec<&'static str>,
}

/// Writes the file.
pub(crate) fn init(settings: &Settings, arguments: &args::Init) -> Result<Exit, Stop> {
    let folder = &settings.directory;
    let seen = look(folder);
    let path = folder.join(NAME);
    let mut options = OpenOptions::new();
    match arguments.force {
        // A link under this name could lead anywhere.
        true if path.is_symlink() => {
            return Err(messages::is_link(NAME));
        }
        true => options.write(true).create(true).truncate(true),
        false => options.write(true).create_new(true),
    };
    let written = options.open(&path).and_then(|mut file| file.write_all(text(&seen).as_bytes()));
    match written {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            return Err(messages::settings_exist(NAME));
        }
        Err(error) => return Err(messages::cannot_write(NAME, error)),
        Ok(()) => {}
    }
    if settings.talk != Talk::Quiet {
        say(&format!("{NAME} written\n{}", next(&seen)));
    }
    Ok(Exit::Clean)
}

fn look(folder: &Path) -> Seen {
    let is_there = |name: &&str| folder.join(name).is_dir();
    let database = project::database(folder);
    // What lies above is found without being named, and must not be: paths stay in the folder of the file.
    let below = database.as_deref().and_then(|path| path.strip_prefix(folder).ok());
    Seen {
        database: below.map(|path| path.display().to_string()),
        build: Build::in_folder(folder),
        foreign: FOREIGN.into_iter().filter(is_there).collect(),
        tests: TESTS.into_iter().filter(is_there).collect(),
    }
}

/// The file.
fn text(seen: &Seen) -> String {
    let mut text = String::from(
        "# Settings of watertight for this folder and everything below it. What is commented out is an example or the\n\
         # default; the command line has the last word.\n",
    );
    for key in KEYS {
        text.push('\n');
        for line in key.help {
            let _ = writeln!(text, "# {line}");
        }
        text += &setting(seen, key);
    }
    text
}

/// The line of a key: set if the project says so, a comment otherwise.
fn setting(seen: &Seen, key: &Key) -> String {
    let list = |names: &[&str]| {
        let quoted: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
        format!("[{}]", quoted.join(", "))
    };
    match (key.name, &seen.database) {
        ("database", Some(path)) => format!("database = {path:?}\n"),
        ("database", None) => {
            let how = seen.build.map(|build| format!("# This makes them: {}\n", build.command));
            how.unwrap_or_default() + &format!("#database = {}\n", key.example)
        }
        ("exclude", _) if !seen.foreign.is_empty() => {
            let also = match seen.tests.is_empty() {
                true => String::new(),
                false => format!("# Perhaps also: {}\n", list(&seen.tests)),
            };
            also + &format!("exclude = {}\n", list(&seen.foreign))
        }
        ("exclude", _) if !seen.tests.is_empty() => format!("#exclude = {}\n", list(&seen.tests)),
        _ => format!("#{} = {}\n", key.name, key.example),
    }
}

/// What to do next.
fn next(seen: &Seen) -> String {
    match (&seen.database, seen.build) {
        (Some(_), _) => "next: watertight check".to_owned(),
        (None, Some(build)) if build.checks() => format!("next: {}", build.command),
        (None, Some(build)) => format!("next: {} && watertight check", build.command),
        (None, None) => "next: watertight check, or watertight run -- BUILD".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn seen(database: Option<&str>, foreign: &[&'static str], tests: &[&'static str]) -> Seen {
        Seen {
            database: database.map(str::to_owned),
            build: Build::in_folder(Path::new("/nonexistent")),
            foreign: foreign.to_vec(),
            tests: tests.to_vec(),
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let folder = Path::new("/project");
        let parsed = Config::parse(&text(&seen(None, &[], &["tests"])), folder).unwrap();
        assert_eq!(parsed, Config { folder: folder.into(), ..Config::default() });
        let parsed =
            Config::parse(&text(&seen(Some("out/db.json"), &["vendor", "deps"], &["t"])), folder).unwrap();
        assert_eq!(parsed.database, Some("/project/out/db.json".into()));
        assert_eq!(parsed.patterns.exclude, ["vendor", "deps"]);
    }

    #[test]
    fn every_key_is_there_and_its_example_is_read() {
        let mut text = text(&seen(None, &[], &[]));
        for key in KEYS {
            text = text.replace(&format!("\n#{} =", key.name), &format!("\n{} =", key.name));
        }
        Config::parse(&text, Path::new("/project")).unwrap();
        // The reader names its keys when it meets another.
        let (_, message) = Config::parse("no-such-key = 1", Path::new("/project")).unwrap_err();
        let known = message.split("expected one of ").nth(1).unwrap().split(", ").count();
        assert_eq!(known, KEYS.len());
        assert!(KEYS.iter().all(|key| message.contains(&format!("`{}`", key.name))));
    }
}
