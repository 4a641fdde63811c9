//! What is checked: the project of a compilation database, or one file with the flags of the settings.
//!
//! The database is the one that the settings name, else the `compile_commands.json` in the folder that is open or in its
//! `build`, `builddir` or `out` folder. With one, the whole project is checked, because most owners of a resource are not where it is
//! acquired; the first time, when that takes longest, the file at hand is checked alone before.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// Where a database is looked for, below the folder that is open.
const PLACES: [&str; 4] = ["", "build", "builddir", "out"];
/// The name of a database.
const NAME: &str = "compile_commands.json";

/// What may be among `check_arguments`: what is looked for and shown, not what is run or written. Editors pass on settings
/// that a project brings along.
const CHOICES: [&str; 9] = [
    "--rules",
    "--confidence",
    "--engine",
    "--threads",
    "--since",
    "--baseline",
    "--include",
    "--exclude",
    "--stats",
];
/// The same without a value.
const SWITCHES: [&str; 2] = ["--prove", "--no-cache"];

/// The settings that an editor passes when it starts the server.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Settings {
    /// A compilation database, or the folder that holds one.
    pub(crate) compile_database: Option<PathBuf>,
    /// Compiler flags, for files that are in no database.
    pub(crate) flags: Vec<String>,
    /// Further arguments of `watertight check`, such as `--rules all`.
    pub(crate) check_arguments: Vec<String>,
}

/// The project that is open.
#[derive(Debug)]
pub(crate) struct Project {
    /// The folder that is open.
    pub(crate) root: PathBuf,
    settings: Settings,
}

/// What one check covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Scope {
    /// One translation unit.
    File(PathBuf),
    /// Every unit of the database.
    Project,
}

impl Project {
    pub(crate) fn new(root: PathBuf, mut settings: Settings) -> Project {
        settings.check_arguments = allowed(settings.check_arguments);
        Project { root, settings }
    }

    /// The database, if there is one now: it may appear while the editor is open.
    pub(crate) fn database(&self) -> Option<PathBuf> {
        if let Some(named) = &self.settings.compile_database {
            return Some(self.root.join(named));
        }
        let places = PLACES.iter().map(|place| self.root.join(place).join(NAME));
        places.into_iter().find(|path| path.is_file())
    }

    /// What to check when a file was saved: the last covers everything.
    pub(crate) fn scopes(&self, file: &Path, first: bool) -> Vec<Scope> {
        let unit = is_unit(file).then(|| Scope::File(file.to_path_buf()));
        match self.database() {
            Some(_) if first => unit.into_iter().chain([Scope::Project]).collect(),
            Some(_) => vec![Scope::Project],
            None => unit.into_iter().collect(),
        }
    }

    /// The arguments that select what a scope covers, to stand after a command and its options.
    pub(crate) fn inputs(&self, scope: &Scope) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = Vec::new();
        let database = self.database();
        if let Some(database) = &database {
            arguments.extend(["-p".into(), database.into()]);
        }
        if let Scope::File(file) = scope {
            let file = self.short(file);
            // A file whose name begins with a hyphen is no option.
            let is_option = file.as_os_str().as_encoded_bytes().starts_with(b"-");
            arguments.push(if is_option { Path::new(".").join(file) } else { file }.into());
        }
        if database.is_none() && !self.settings.flags.is_empty() {
            arguments.push("--".into());
            arguments.extend(self.settings.flags.iter().map(OsString::from));
        }
        arguments
    }

    /// The arguments of a check.
    pub(crate) fn check(&self, scope: &Scope) -> Vec<OsString> {
        let mut arguments: Vec<OsString> =
            ["check", "--quiet", "--color", "never", "--format", "json"].map(OsString::from).into();
        arguments.extend(self.settings.check_arguments.iter().map(OsString::from));
        arguments.extend(self.inputs(scope));
        arguments
    }

    /// The arguments of a proof of the statement in a line, counted from one. The file is taken alone: a proof holds
    /// whatever calls it.
    pub(crate) fn prove(&self, file: &Path, line: u32) -> Vec<OsString> {
        let mut place = OsString::from(self.short(file));
        place.push(format!(":{line}"));
        let mut arguments: Vec<OsString> = ["prove", "--quiet", "--json"].map(OsString::from).into();
        arguments.extend(self.inputs(&Scope::File(place.into())));
        arguments
    }

    /// A path as people in the project write it.
    pub(crate) fn short(&self, file: &Path) -> PathBuf {
        file.strip_prefix(&self.root).unwrap_or(file).to_path_buf()
    }
}

/// The arguments of a check that settings may ask for.
fn allowed(arguments: Vec<String>) -> Vec<String> {
    let mut kept = Vec::new();
    let mut rest = arguments.into_iter();
    while let Some(argument) = rest.next() {
        let name = argument.split('=').next().unwrap_or_default();
        if CHOICES.contains(&name) {
            let separate = !argument.contains('=') && name != "--stats";
            kept.push(argument);
            if separate {
                kept.extend(rest.next());
            }
        } else if SWITCHES.contains(&argument.as_str()) {
            kept.push(argument);
        }
    }
    kept
}

/// Whether a file is compiled by itself.
fn is_unit(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "c")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(arguments: &[OsString]) -> String {
        arguments.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn without_a_database_the_file_is_checked_with_the_flags() {
        let settings = Settings { flags: vec!["-Iinclude".into()], ..Settings::default() };
        let project = Project::new("/no/such/project".into(), settings);
        let file = Path::new("/no/such/project/src/a.c");
        let scopes = project.scopes(file, true);
        assert_eq!(scopes, [Scope::File(file.into())]);
        assert_eq!(
            words(&project.check(&scopes[0])),
            "check --quiet --color never --format json src/a.c -- -Iinclude"
        );
        assert!(project.scopes(Path::new("/no/such/project/a.h"), true).is_empty());
    }

    #[test]
    fn settings_choose_neither_programs_nor_files_to_write() {
        let typed = "--rules all --clang ./evil -o out --output=out --confidence=high --cache-dir /x --trust-paths \
                     --prove a.c -- -fx";
        let typed = typed.split_whitespace().map(String::from).collect();
        assert_eq!(allowed(typed).join(" "), "--rules all --confidence=high --prove");
        let project = Project::new("/no/such".into(), Settings::default());
        let scope = Scope::File("/no/such/--clang=x.c".into());
        assert_eq!(words(&project.inputs(&scope)), "./--clang=x.c");
    }

    #[test]
    fn with_a_database_the_project_is_checked() {
        let settings = Settings { compile_database: Some("db".into()), ..Settings::default() };
        let project = Project::new("/p".into(), settings);
        let file = Path::new("/p/a.c");
        assert_eq!(project.scopes(file, true), [Scope::File(file.into()), Scope::Project]);
        assert_eq!(project.scopes(file, false), [Scope::Project]);
        assert_eq!(project.scopes(Path::new("/p/a.h"), true), [Scope::Project]);
        assert_eq!(words(&project.inputs(&Scope::File(file.into()))), "-p /p/db a.c");
        assert_eq!(words(&project.inputs(&Scope::Project)), "-p /p/db");
        assert_eq!(words(&project.prove(file, 7)), "prove --quiet --json -p /p/db a.c:7");
    }
}
