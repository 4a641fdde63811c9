//! `watertight.toml`: settings of a project, found in the working directory or above it.
//!
//! ```toml
//! rules = "all,-leak-at-exit"        # or a list: ["all", "-leak-at-exit"]
//! confidence = "high"                # least confidence that is shown
//! models = ["tools/our.models"]      # files with library models
//! properties = ["our.property"]      # files with properties
//! database = "build"                # where compile_commands.json is
//! include = ["src"]                  # report on these files only
//! exclude = ["tests", "third_party"] # and not on these
//! threads = 4
//! cache = "build/watertight"         # where bitcode and the store are kept
//! baseline = "watertight-baseline.json"  # findings that are known
//! ```
//!
//! Paths are relative to the file and stay in its folder, with all links followed, unless `--trust-paths` is typed: the
//! file comes with a project, and a project must not choose what else is read or written. The command line has the last
//! word. What the text says is read in `settings_text.rs`.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use watertight_capture::is_below;
use watertight_finding::Confidence;

use crate::exit::Stop;
use crate::messages;
use crate::scope::Patterns;
use crate::settings_text;

/// The name of the file.
pub(crate) const NAME: &str = "watertight.toml";

/// The most threads that a project may ask for.
const MOST_THREADS: NonZeroUsize = NonZeroUsize::MIN.saturating_add(1023);

/// Where the paths of a file may lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paths {
    /// To files in its folder.
    Inside,
    /// Anywhere, as the user said.
    Anywhere,
}

/// The settings of a project; paths are absolute or as the user's working directory sees them.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Config {
    /// The folder of the file.
    pub(crate) folder: PathBuf,
    pub(crate) rules: Option<String>,
    pub(crate) confidence: Option<Confidence>,
    /// Files with models, and with properties, whose names end in `.property`.
    pub(crate) models: Vec<PathBuf>,
    /// The compilation database, or the folder that holds it.
    pub(crate) database: Option<PathBuf>,
    /// Which files are reported on; paths start in the folder of the file.
    pub(crate) patterns: Patterns,
    pub(crate) threads: Option<NonZeroUsize>,
    pub(crate) cache: Option<PathBuf>,
    pub(crate) baseline: Option<PathBuf>,
}

impl Config {
    /// The settings that hold in a directory: those of the nearest file at or above it.
    pub(crate) fn find(directory: &Path, paths: Paths) -> Result<Config, Stop> {
        for folder in directory.ancestors() {
            let path = folder.join(NAME);
            if !path.is_file() {
                continue;
            }
            let outside = |path: &Path| paths == Paths::Inside && !is_below(folder, path);
            if outside(&path) {
                return Err(messages::outside_project(path.display()));
            }
            let text = watertight_capture::plain::read_to_string(&path)
                .map_err(|error| messages::cannot_read_settings(path.display(), error))?;
            let config = Config::parse(&text, folder)
                .map_err(|(line, message)| messages::mistake_in_line(path.display(), line, &message))?;
            let stray = config.paths().find(|path| outside(path)).cloned();
            return match stray {
                Some(named) => Err(messages::names_outside(path.display(), named.display())),
                None => Ok(config),
            };
        }
        Ok(Config::default())
    }

    /// Every path that is named.
    fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.models.iter().chain(&self.database).chain(&self.cache).chain(&self.baseline)
    }

    /// Reads the settings; an error is a line and what is wrong with it.
    pub(crate) fn parse(text: &str, folder: &Path) -> Result<Config, (usize, String)> {
        let written = settings_text::parse(text)?;
        Ok(Config {
            folder: folder.to_path_buf(),
            rules: written.rules,
            confidence: written.confidence,
            models: written.models.iter().chain(&written.properties).map(|path| folder.join(path)).collect(),
            database: written.database.map(|path| folder.join(path)),
            patterns: Patterns { include: written.include, exclude: written.exclude },
            threads: written.threads.map(|threads| threads.min(MOST_THREADS)),
            cache: written.cache.map(|path| folder.join(path)),
            baseline: written.baseline.map(|path| folder.join(path)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<Config, (usize, &str)>) {
        let parsed = Config::parse(text, Path::new("/project"));
        assert_eq!(parsed, expected.map_err(|(line, message)| (line, message.to_owned())), "{text}");
    }

    #[test]
    fn settings_are_read() {
        let folder = PathBuf::from("/project");
        check("", Ok(Config { folder: folder.clone(), ..Config::default() }));
        check(
            "rules = ['all', '-x']\nconfidence = 'high'\nmodels = ['m/a']\nthreads = 3\ncache = '/var/c'\n\
             baseline = 'known.json'\ndatabase = 'build'\ninclude = ['src']\nexclude = ['a', 'b']",
            Ok(Config {
                folder: folder.clone(),
                database: Some("/project/build".into()),
                patterns: Patterns {
                    include: vec!["src".to_owned()],
                    exclude: vec!["a".to_owned(), "b".to_owned()],
                },
                rules: Some("all,-x".to_owned()),
                confidence: Some(Confidence::High),
                models: vec!["/project/m/a".into()],
                threads: NonZeroUsize::new(3),
                cache: Some("/var/c".into()),
                baseline: Some("/project/known.json".into()),
            }),
        );
        check("rules = 'all'", Ok(Config { folder, rules: Some("all".to_owned()), ..Config::default() }));
    }

    #[test]
    fn mistakes_name_their_line() {
        let keys = "expected one of `rules`, `confidence`, `models`, `properties`, `database`, `include`, \
                    `exclude`, `threads`, `cache`, `baseline`";
        check("rules = 'all'\n\nthread = 3", Err((3, &format!("unknown field `thread`, {keys}"))));
        check(
            "\nconfidence = 'full'",
            Err((2, "unknown variant `full`, expected one of `high`, `medium`, `low`")),
        );
        check("rules = 3", Err((1, "expected a text or a list of texts")));
        check("threads = 0", Err((1, "invalid value: integer `0`, expected a nonzero usize")));
        check("threads", Err((1, "key with no value, expected `=`")));
    }
}
