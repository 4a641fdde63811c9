//! What holds for the whole run: the command line over `watertight.toml` over the defaults.

use std::io::IsTerminal;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use watertight_analysis::assumptions::Assumptions;
use watertight_analysis::{Goal, Job, Keep, Options, Request, Run, Verify, Workers, rules_with, run_with};
use watertight_capture::{DEFAULT_CACHE, distrust, is_below};
use watertight_finding::Rule;
use watertight_report::text::Colour;

use crate::args::{Common, Inputs, ScopeArguments, StatsFormat, When};
use crate::config::{Config, Paths};
use crate::exit::Stop;
use crate::messages;
use crate::nearby;
use crate::output::say;
use crate::progress::Bar;
use crate::project;
use crate::scope::{Patterns, Scope};
use crate::workers::Cluster;

/// Where the store is if bitcode is kept where it usually is.
pub(crate) const STORE: &str = ".watertight";

/// How much to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Talk {
    Quiet,
    Usual,
    Full,
}

/// The settings of a run.
pub(crate) struct Settings {
    /// The working directory.
    pub(crate) directory: PathBuf,
    /// The root of the project, to which the store belongs.
    pub(crate) root: PathBuf,
    pub(crate) config: Config,
    pub(crate) talk: Talk,
    pub(crate) color: When,
    threads: Option<NonZeroUsize>,
    stats: Option<StatsFormat>,
    cache: Option<PathBuf>,
    /// The directory of the store; none with `--no-cache`.
    pub(crate) store: Option<PathBuf>,
    clang: Option<PathBuf>,
    verify: Verify,
    visit: u64,
    assumptions: Assumptions,
    /// The socket of the workers of a cluster.
    cluster: Option<PathBuf>,
    /// Where costs of components are written.
    graph: Option<PathBuf>,
    /// With `--no-cache`, removed at the end.
    scratch: Option<TempDir>,
    /// Whether results are kept where they usually are.
    usual: bool,
}

impl Settings {
    pub(crate) fn new(common: &Common) -> Result<Settings, Stop> {
        let directory = std::env::current_dir().map_err(messages::no_working_directory)?;
        let paths = if common.trust_paths { Paths::Anywhere } else { Paths::Inside };
        let config = Config::find(&directory, paths)?;
        let root = project::root(&directory);
        let mut cache = common.cache_dir.clone().or_else(|| config.cache.clone());
        let usual = cache.is_none();
        let store = cache.as_ref().map_or_else(|| root.join(STORE), |cache| directory.join(cache));
        if usual && root != directory {
            cache = Some(root.join(DEFAULT_CACHE));
        }
        let mut keeps = !common.no_cache;
        if let (true, Some(why)) = (keeps, unusable(&store, &root, usual)) {
            if !common.quiet {
                say(&format!("note: {why}; nothing that was kept is used, and nothing is kept"));
            }
            keeps = false;
        }
        let scratch = match keeps {
            true => None,
            false => Some(tempfile::tempdir().map_err(messages::no_temporary_directory)?),
        };
        let store = (keeps && common.without.is_empty()).then_some(store);
        let scratch_path = scratch.as_ref().map(|scratch| scratch.path().to_path_buf());
        Ok(Settings {
            talk: match (common.quiet, common.verbose) {
                (true, _) => Talk::Quiet,
                (_, true) => Talk::Full,
                _ => Talk::Usual,
            },
            color: common.color,
            threads: common.threads.or(config.threads),
            stats: common.stats,
            cache: scratch_path.or(cache),
            store,
            clang: common.clang.clone(),
            visit: common.visit,
            assumptions: Assumptions::without(&common.without),
            // Workers suppose all that is usually supposed.
            cluster: common.cluster.clone().filter(|_| common.without.is_empty()),
            graph: common.cluster_graph.clone(),
            verify: if common.verify { Verify::Always } else { Verify::Debug },
            scratch,
            usual,
            directory,
            root,
            config,
        })
    }

    /// A request without inputs.
    pub(crate) fn request(&self) -> Request {
        let mut request = Request::new(&self.directory);
        request.threads = self.threads;
        request.cache = self.cache.clone();
        request.keep = if self.scratch.is_some() { Keep::Nothing } else { Keep::Units };
        request.clang = self.clang.clone();
        request
    }

    /// A request for files and their flags.
    pub(crate) fn request_for(&self, inputs: &Inputs) -> Request {
        let mut request = self.request();
        request.inputs = inputs.files.clone();
        request.compile_db = inputs.database.clone();
        request.flags = inputs.flags.clone();
        request
    }

    /// The files that the project wants reports on.
    pub(crate) fn project_scope(&self) -> Result<Scope, Stop> {
        let mut scope = Scope::everything(&self.directory);
        scope.add(&self.config.folder, &self.config.patterns)?;
        Ok(scope)
    }

    /// The files to report on, with what was typed.
    pub(crate) fn scope(&self, typed: &ScopeArguments) -> Result<Scope, Stop> {
        let mut scope = self.project_scope()?;
        let patterns = Patterns { include: typed.include.clone(), exclude: typed.exclude.clone() };
        scope.add(&self.directory, &patterns)?;
        Ok(scope)
    }

    /// The rules that there are for a request, with those of the project's own properties.
    pub(crate) fn rules(&self, request: &Request) -> Vec<Rule> {
        let mut files = nearby::model_files(request);
        files.extend(self.config.models.iter().cloned());
        rules_with(&files)
    }

    /// Options with what holds for every command.
    pub(crate) fn options(&self) -> Options {
        Options {
            verify: self.verify,
            visit: self.visit,
            assumptions: self.assumptions,
            models: self.config.models.clone(),
            stumble: stumble(),
            store: self.store.clone(),
            root: Some(self.root.clone()),
            ..Options::default()
        }
    }

    /// Runs a job with a progress bar, and prints what it cost if that is wanted.
    pub(crate) fn run(&self, request: Request, goal: Goal, mut options: Options) -> Result<Run, Stop> {
        nearby::add(&mut options.models, &request);
        let bar = Bar::new(self.talk == Talk::Quiet);
        let cluster = match &self.cluster {
            Some(socket) if goal == Goal::Check => Some(Cluster::connect(socket, self.graph.as_deref())?),
            _ => None,
        };
        let workers = cluster.as_ref().map(|cluster| cluster as &dyn Workers);
        let done = run_with(Job { request, goal, options }, &bar, workers);
        bar.clear();
        if let Some(store) = self.store.as_ref().filter(|_| self.usual) {
            project::ignore_in_git(store);
        }
        let done = done?;
        match self.stats {
            Some(StatsFormat::Table) => say(done.stages.to_string().trim_end()),
            Some(StatsFormat::Json) => say(&done.stages.to_json()),
            None => {}
        }
        Ok(done)
    }

    /// Whether results that go to a file, or to standard output, are coloured.
    pub(crate) fn colour(&self, file: Option<&Path>) -> Colour {
        let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let wanted = match self.color {
            When::Always => true,
            When::Never => false,
            When::Auto => file.is_none() && std::io::stdout().is_terminal() && !set("NO_COLOR") && !dumb,
        };
        if wanted { Colour::Always } else { Colour::Never }
    }
}

/// Why a directory of kept results is not used. The usual one belongs to the project and may come with it, so it must
/// not lead elsewhere; one that was named is where it was named.
fn unusable(store: &Path, root: &Path, usual: bool) -> Option<String> {
    if usual && !is_below(root, store) {
        return Some(format!("`{}` is outside of the project", store.display()));
    }
    distrust(store)
}

/// For our own tests: a function on which the analysis fails. Nobody else can ask for that.
fn stumble() -> Option<String> {
    if cfg!(debug_assertions) { std::env::var("WATERTIGHT_STUMBLE").ok() } else { None }
}
