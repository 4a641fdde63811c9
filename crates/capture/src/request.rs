//! What the user asked for, as plain data.
//!
//! ```
//! # use watertight_capture::Request;
//! let mut request = Request::new("/work/project");
//! request.inputs = vec!["src/main.c".into(), "src/util".into()];
//! request.flags = vec!["-Iinclude".into()];
//! assert!(request.check().is_ok());
//! request.build = Some(vec!["make".into(), "-j8".into()]);
//! assert!(request.check().is_err());
//! ```

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use crate::error::Error;
use crate::messages;

/// The default cache directory, relative to the working directory.
pub const DEFAULT_CACHE: &str = ".watertight/cache";

/// The size beyond which the oldest cache entries are removed: 2 GB.
pub const DEFAULT_CACHE_LIMIT: u64 = 2_000_000_000;

/// How a build is watched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Watch {
    /// A library loaded into every process of the build, and compiler shims where that does not work.
    #[default]
    Auto,
    /// Only shims in front of the compilers on `PATH`.
    Shims,
}

/// What is left in the cache for the next run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// Bitcode, and the preprocessed text that it was made from, for [`crate::Unit::preprocessed`]. Large programs have
    /// ten times as much text as bitcode.
    #[default]
    Texts,
    /// Bitcode.
    Units,
    /// Nothing: the cache is removed after this run. Then content is only compared where two commands compile the same
    /// source; any other source goes through clang once, without being preprocessed for a key that nobody will ask for.
    Nothing,
}

/// One capture.
///
/// Either `inputs`, or `compile_db` (with `inputs` to select sources from it), or `build`.
#[derive(Clone, Debug)]
pub struct Request {
    /// The working directory: relative inputs start here and names are relative to it.
    pub directory: PathBuf,
    /// Source files, bitcode files and directories to search, as typed.
    pub inputs: Vec<PathBuf>,
    /// Compiler flags for every source, as typed after `--`.
    pub flags: Vec<String>,
    /// A `compile_commands.json`, or the directory that holds one.
    pub compile_db: Option<PathBuf>,
    /// A build command to run and watch.
    pub build: Option<Vec<OsString>>,
    /// Where to leave a `compile_commands.json` of what the build compiled.
    pub leave_db: Option<PathBuf>,
    /// How to watch the build.
    pub watch: Watch,
    /// Where bitcode is kept; [`DEFAULT_CACHE`] in the working directory when absent.
    pub cache: Option<PathBuf>,
    /// The size beyond which the oldest entries of the cache are removed, in bytes.
    pub cache_limit: u64,
    /// What is left in the cache for the next run.
    pub keep: Keep,
    /// The clang to use; searched for when absent.
    pub clang: Option<PathBuf>,
    /// How many clang processes run at once; one per processor when absent.
    pub threads: Option<NonZeroUsize>,
}

impl Request {
    /// A request without inputs in the given working directory.
    pub fn new(directory: impl Into<PathBuf>) -> Request {
        Request {
            directory: directory.into(),
            inputs: Vec::new(),
            flags: Vec::new(),
            compile_db: None,
            build: None,
            leave_db: None,
            watch: Watch::default(),
            cache: None,
            cache_limit: DEFAULT_CACHE_LIMIT,
            keep: Keep::default(),
            clang: None,
            threads: None,
        }
    }

    /// Rejects combinations that mean nothing.
    pub fn check(&self) -> Result<(), Error> {
        let usage = |text: &str| Err(Error::Usage(text.to_owned()));
        match (&self.build, &self.compile_db) {
            (Some(_), Some(_)) => usage(messages::BUILD_AND_DATABASE),
            (Some(build), None) if build.is_empty() => usage(messages::NO_BUILD),
            (Some(_), None) if !self.inputs.is_empty() => usage(messages::BUILD_AND_FILES),
            (None, None) if self.inputs.is_empty() => usage(messages::NO_INPUT),
            _ => Ok(()),
        }
    }
}
