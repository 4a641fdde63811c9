//! What can be typed. Help texts are the comments on the fields.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use watertight_analysis::assumptions::Supposed;
use watertight_finding::Confidence;

/// Finds memory, files and locks that C programs lose, and shows the path on which it happens.
#[derive(Debug, Parser)]
#[command(name = "watertight", version, subcommand_required = true, arg_required_else_help = true)]
#[command(after_help = "Exit codes: 0 nothing found, 1 findings, 2 wrong usage, 3 environment (no clang, \
                        unreadable input), 4 a bug of watertight.")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check files, directories, or the entries of a compilation database.
    ///
    /// Without inputs it checks the whole project: what the nearest compile_commands.json lists, here, above, or in build/,
    /// builddir/ or out/.
    Check(Check),
    /// List the rules: what is looked for.
    Rules,
    /// Say what a rule is about, with a bad and a good example, and what to do.
    Explain(Explain),
    /// Look at the project, and write a watertight.toml for it.
    Init(Init),
    /// Run a build, watch its compilers, and check what they compile.
    Run(Run),
    /// Check, and write all findings to a file; `--baseline` then reports only what is new.
    Baseline(Baseline),
    /// Say what differs between two reports, runs or git revisions: new, fixed and moved findings.
    ///
    /// A report is what `check --format json` or `--format sarif` wrote, or a baseline. The last runs of the project are kept and have
    /// numbers, which `--runs` lists. Of a git revision the files are written to a temporary directory and checked there with the
    /// compile commands of the project. The exit code is 1 if there are new findings.
    Diff(Diff),
    /// Decide about findings, for everybody who works on the project: hide one with a reason, list, export and import.
    ///
    /// Marks are kept in watertight-marks.toml in the root of the project, which can be committed.
    Mark(MarkArguments),
    /// Print what a stage makes, and stop there.
    Dump(Dump),
    /// Say in words what a function does with memory: what it allocates, releases and keeps.
    Summary(Summary),
    /// Prove that statements cannot lose the last reference to a block of memory, or show how they do.
    ///
    /// Of a file, every function is listed; of a place (FILE:LINE or FILE:LINE:COLUMN), the answer for the statement that
    /// is there. The answer is `proved`, with what the proof rests on, `violated`, with a way on which it happens, or
    /// `unknown`, and why.
    Prove(Prove),
    /// Check the proofs in a certificate without the prove engine.
    ///
    /// The certificate is what `watertight prove --certificate` has written for the same files. The answer is `accepted`,
    /// with what the proofs rest on, or the first line that does not follow.
    Certificate(Certificate),
    /// Run a program in the interpreter, and end as it ends.
    ///
    /// This is the oracle that the front end is tested against: what a program prints here is what it prints
    /// natively. The exit code is that of the program; 134 if it does something wrong or unsupported, and 124 if it
    /// takes too many steps.
    Exec(Exec),
    /// Show what is known of a project in a browser: what functions do, who calls whom, findings with their paths.
    ///
    /// Without inputs it shows what the last `check` in this directory has left in the store.
    Serve(Serve),
    /// Serve an editor that speaks the language server protocol, on standard input and output.
    ///
    /// Editors start this themselves; docs/editor.md says how to set them up.
    Lsp(Lsp),
    /// Work for a check that runs elsewhere: take tasks on standard input, and answer on standard output.
    ///
    /// `watertight-cluster` starts these, on one machine or many; docs/cluster.md says how.
    Worker,
    /// Print completions for a shell.
    ///
    /// For bash: `watertight completions bash > ~/.local/share/bash-completion/completions/watertight`
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Write the manual pages into a directory, for packages.
    #[command(hide = true)]
    Manuals {
        /// The directory.
        directory: PathBuf,
    },
    /// Print the version, and which clang is used.
    Version,
}

/// What every command understands.
#[derive(Debug, Args)]
#[command(next_help_heading = "Common options")]
pub(crate) struct Common {
    /// Use so many threads and clang processes [default: one per processor].
    #[arg(long, global = true, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Print time, peak memory and counts of each stage to standard error.
    #[arg(long, global = true, value_name = "FORMAT", num_args = 0..=1, require_equals = true,
          default_missing_value = "table")]
    pub(crate) stats: Option<StatsFormat>,
    /// Keep bitcode in this directory [default: .watertight in the project].
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) cache_dir: Option<PathBuf>,
    /// Keep nothing, and use nothing that was kept.
    #[arg(long, global = true, conflicts_with = "cache_dir")]
    pub(crate) no_cache: bool,
    /// Let a watertight.toml name files and a cache outside of its folder.
    #[arg(long, global = true)]
    pub(crate) trust_paths: bool,
    /// Compile with this clang [default: $WATERTIGHT_CLANG, or the first on PATH or in the usual places].
    #[arg(long, global = true, value_name = "PATH")]
    pub(crate) clang: Option<PathBuf>,
    /// Use colour.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: When,
    /// Say nothing beside results and errors.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Show every note, every path and every problem.
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
    /// Have the workers behind this socket compile and evaluate; `watertight-cluster` listens there.
    #[arg(long, global = true, hide = true, value_name = "SOCKET")]
    pub(crate) cluster: Option<PathBuf>,
    /// Write to this file what every component of the call graph costs a worker.
    #[arg(long, global = true, hide = true, value_name = "FILE", requires = "cluster")]
    pub(crate) cluster_graph: Option<PathBuf>,
    /// Verify programs in release builds too.
    #[arg(long, global = true, hide = true)]
    pub(crate) verify: bool,
    /// Visit functions in the order of this number, to show that results do not depend on it.
    #[arg(long, global = true, hide = true, value_name = "SEED", default_value_t = 0)]
    pub(crate) visit: u64,
    /// Do without these assumptions (by their numbers, comma separated), to see what they are worth; nothing that was kept is used then, and nothing is kept but bitcode.
    #[arg(long, global = true, hide = true, value_name = "NAMES", value_delimiter = ',', value_parser = assumed)]
    pub(crate) without: Vec<Supposed>,
}

/// Files and their flags.
#[derive(Debug, Default, Args)]
pub(crate) struct Inputs {
    /// C files, directories to search, LLVM bitcode (.bc, .ll), or text IR (.ir).
    #[arg(value_name = "FILE|DIR")]
    pub(crate) files: Vec<PathBuf>,
    /// Take commands from this compile_commands.json, or from the one in this directory.
    #[arg(short = 'p', value_name = "DIR|FILE")]
    pub(crate) database: Option<PathBuf>,
    /// Compiler flags for every file.
    #[arg(last = true, value_name = "FLAGS")]
    pub(crate) flags: Vec<String>,
}

/// How findings are chosen and shown.
#[derive(Debug, Args)]
pub(crate) struct Reporting {
    /// How to write findings.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: Format,
    /// Rules or groups of rules to check, such as `memory` or `default,-locks`; `watertight rules` lists them [default: default].
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub(crate) rules: Option<String>,
    /// Show findings with at least this confidence: high, medium or low [default: medium].
    #[arg(long, value_name = "LEVEL", value_parser = confidence)]
    pub(crate) confidence: Option<Confidence>,
    /// Show also what is lost only when memory runs out or just before the program ends, which text counts and the other formats
    /// always list; and, without `--rules`, what is still held when the program ends (rule `leak-at-exit`), in all formats.
    #[arg(long)]
    pub(crate) all: bool,
    /// Show also what an engine claims and a run of the function refutes.
    #[arg(long)]
    pub(crate) refuted: bool,
    /// Show also what would be lost if a call passed, or a variable held, what it never does.
    #[arg(long)]
    pub(crate) latent: bool,
    /// Which engine looks for defects.
    #[arg(long, value_name = "ENGINE", default_value = "path")]
    pub(crate) engine: EngineName,
    /// Count the functions that are proved not to lose memory.
    #[arg(long)]
    pub(crate) prove: bool,
    /// Write to this file instead of standard output; `-` is standard output.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// End with 0 also when there are findings.
    #[arg(long)]
    pub(crate) exit_zero: bool,
    #[command(flatten)]
    pub(crate) scope: ScopeArguments,
    /// Report only what is not in this file, which `watertight baseline` writes.
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Report only what has to do with lines that changed since this revision of the git work tree.
    #[arg(long, value_name = "REV")]
    pub(crate) since: Option<String>,
}

/// Which files are reported on.
#[derive(Debug, Args)]
pub(crate) struct ScopeArguments {
    /// Report only on files that match this pattern, such as `src` or `lib/*.c`; may be repeated.
    #[arg(long, value_name = "PATTERN")]
    pub(crate) include: Vec<String>,
    /// Do not report on files that match this pattern, such as `tests` or `third_party`; may be repeated. They are read all
    /// the same, because it matters what their functions do.
    #[arg(long, value_name = "PATTERN")]
    pub(crate) exclude: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct MarkArguments {
    #[command(subcommand)]
    pub(crate) action: MarkAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum MarkAction {
    /// Mark a finding of the newest run.
    Set {
        /// The finding: FILE:LINE or FILE:LINE:COLUMN as the report prints it, or the beginning of its fingerprint.
        finding: String,
        /// What was decided.
        verdict: VerdictName,
        /// Why; needed for what is hidden.
        #[arg(short, long, value_name = "TEXT")]
        reason: Option<String>,
    },
    /// Take a mark away.
    Remove {
        /// The finding, as for `set`.
        finding: String,
    },
    /// List all marks.
    List {
        /// Print them for programs.
        #[arg(long)]
        json: bool,
    },
    /// Write all marks, for `import` in another checkout.
    Export {
        /// Write to this file instead of standard output.
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Take marks from a file that `export` wrote; of two about one finding the newer one holds.
    Import {
        /// The file.
        file: PathBuf,
    },
}

/// What is decided about a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum VerdictName {
    /// A real defect; it is still reported.
    #[value(alias = "real")]
    True,
    /// A false alarm; it is hidden.
    #[value(alias = "false-alarm")]
    False,
    /// A defect that is to stay; it is hidden.
    WontFix,
}

#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// The rule, as it stands in brackets after a finding; `watertight rules` lists them.
    pub(crate) rule: String,
}

#[derive(Debug, Args)]
pub(crate) struct Init {
    /// Write over a watertight.toml that is there already.
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Check {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    #[command(flatten)]
    pub(crate) reporting: Reporting,
    /// Print what this stage makes instead of findings.
    #[arg(long, value_name = "STAGE")]
    pub(crate) dump: Option<Stage>,
}

#[derive(Debug, Args)]
pub(crate) struct Baseline {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// Rules or groups of rules to check, such as `memory` or `default,-locks`; `watertight rules` lists them [default: default].
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub(crate) rules: Option<String>,
    /// Which engine looks for defects.
    #[arg(long, value_name = "ENGINE", default_value = "path")]
    pub(crate) engine: EngineName,
    #[command(flatten)]
    pub(crate) scope: ScopeArguments,
    /// Write to this file; `-` is standard output.
    #[arg(short, long, value_name = "FILE", default_value = "watertight-baseline.json")]
    pub(crate) output: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Diff {
    /// What was before: a report, `run:NUMBER`, `run:previous`, or a git revision [default: the run before the last].
    pub(crate) old: Option<String>,
    /// What is now, of the same kinds [default: the last run].
    pub(crate) new: Option<String>,
    /// List the runs that can be compared.
    #[arg(long, conflicts_with = "old")]
    pub(crate) runs: bool,
    /// How to write the difference.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: DiffFormat,
    /// Write to this file instead of standard output; `-` is standard output.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// End with 0 also when there are new findings.
    #[arg(long)]
    pub(crate) exit_zero: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) reporting: Reporting,
    /// Leave a compile_commands.json of what was compiled in this file, for `check -p`.
    #[arg(long, value_name = "FILE")]
    pub(crate) database: Option<PathBuf>,
    /// Print what this stage makes instead of findings.
    #[arg(long, value_name = "STAGE")]
    pub(crate) dump: Option<Stage>,
    /// The build command.
    #[arg(last = true, required = true, value_name = "BUILD")]
    pub(crate) build: Vec<OsString>,
}

#[derive(Debug, Args)]
pub(crate) struct Dump {
    /// The stage. For a question, what it is about comes next, before the files.
    pub(crate) stage: Stage,
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// Print the answer to a question for programs.
    #[arg(long)]
    pub(crate) json: bool,
    /// Print a graph for Graphviz, where the stage makes one.
    #[arg(long)]
    pub(crate) dot: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Summary {
    /// The function. Without files, a library function that models describe, or one of the project.
    pub(crate) function: String,
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// Print it for programs.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Serve {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// Listen on this address and port; port 0 takes any. An address that other machines reach needs a token, which is
    /// taken from WATERTIGHT_TOKEN or made up.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7227")]
    pub(crate) listen: SocketAddr,
    /// A name by which browsers may call this machine, when others reach it; may be repeated.
    #[arg(long = "host", value_name = "NAME")]
    pub(crate) hosts: Vec<String>,
    /// Rules or groups of rules to show, such as `memory` or `default,-locks`; `watertight rules` lists them [default: default].
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub(crate) rules: Option<String>,
    /// Show findings with at least this confidence: high, medium or low [default: medium].
    #[arg(long, value_name = "LEVEL", value_parser = confidence)]
    pub(crate) confidence: Option<Confidence>,
}

#[derive(Debug, Args)]
pub(crate) struct Prove {
    /// C files, directories, bitcode or text IR as for `check`; FILE:LINE and FILE:LINE:COLUMN for one statement.
    #[arg(value_name = "FILE[:LINE[:COLUMN]]|DIR")]
    pub(crate) files: Vec<PathBuf>,
    /// Take commands from this compile_commands.json, or from the one in this directory.
    #[arg(short = 'p', value_name = "DIR|FILE")]
    pub(crate) database: Option<PathBuf>,
    /// Every statement of this function.
    #[arg(long, value_name = "NAME")]
    pub(crate) function: Option<String>,
    /// Give up a statement after so many applications of transfer functions [default: 20000, and
    /// down to 500 for all statements of a large program].
    #[arg(long, value_name = "N")]
    pub(crate) transfers: Option<u32>,
    /// Give up a statement when references may be in more regions than this.
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) regions: u32,
    /// Print it for programs.
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the facts that each proof rests on into this file, for `watertight certificate`.
    #[arg(long, value_name = "FILE")]
    pub(crate) certificate: Option<PathBuf>,
    /// Compiler flags for every file.
    #[arg(last = true, value_name = "FLAGS")]
    pub(crate) flags: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Certificate {
    /// What `watertight prove --certificate` has written.
    #[arg(value_name = "CERTIFICATE")]
    pub(crate) certificate: PathBuf,
    /// The files that it is about, as for `prove`.
    #[arg(value_name = "FILE|DIR")]
    pub(crate) files: Vec<PathBuf>,
    /// Take commands from this compile_commands.json, or from the one in this directory.
    #[arg(short = 'p', value_name = "DIR|FILE")]
    pub(crate) database: Option<PathBuf>,
    /// Compiler flags for every file.
    #[arg(last = true, value_name = "FLAGS")]
    pub(crate) flags: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Exec {
    /// C files, directories to search, LLVM bitcode (.bc, .ll), or text IR (.ir) that make one program.
    #[arg(value_name = "FILE|DIR")]
    pub(crate) files: Vec<PathBuf>,
    /// Take commands from this compile_commands.json, or from the one in this directory.
    #[arg(short = 'p', value_name = "DIR|FILE")]
    pub(crate) database: Option<PathBuf>,
    /// A compiler flag for every file; may be repeated.
    #[arg(long = "flag", value_name = "FLAG", allow_hyphen_values = true)]
    pub(crate) flags: Vec<String>,
    /// List heap blocks that were never released, to standard error.
    #[arg(long)]
    pub(crate) leaks: bool,
    /// Run the program before its variables become values.
    #[arg(long)]
    pub(crate) memory_form: bool,
    /// Stop after so many steps.
    #[arg(long, value_name = "N", default_value_t = 1_000_000_000)]
    pub(crate) steps: u64,
    /// What the program reads from standard input [default: nothing].
    #[arg(long, value_name = "FILE")]
    pub(crate) stdin: Option<PathBuf>,
    /// Arguments of the program.
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) arguments: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Lsp {
    /// Understood because editors pass it; there is no other way.
    #[arg(long, hide = true)]
    pub(crate) stdio: bool,
}

/// What can be dumped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Stage {
    /// Functions, blocks, instructions by opcode and places of each bitcode file, as LLVM counts them.
    Counts,
    /// The joined program with its variables still in memory.
    IrMemory,
    /// The joined program in SSA form.
    Ir,
    /// How many functions, blocks, instructions and globals the joined program has.
    Totals,
    /// What an expression may point to: `dump points-to 'p->next@list.c:12' list.c`.
    PointsTo,
    /// Who calls a function, also through pointers: `dump callers NAME [FILE]...`.
    Callers,
    /// Whom a function calls, also through pointers: `dump callees NAME [FILE]...`.
    Callees,
    /// What memory a function, with all that it calls, may write and read: `dump mod-ref NAME [FILE]...`.
    ModRef,
    /// Versions of memory in a function, and where they are read and written: `dump memory-ssa NAME [FILE]...`.
    MemorySsa,
    /// Where goes what a function acquires, and on which paths: `dump value-flow NAME [FILE]...`.
    ValueFlow,
    /// When control gets to each copy of a block of a function, as the path engine sees it: `dump guards NAME [FILE]...`.
    Guards,
    /// What becomes of each object that a function acquires: `dump exits NAME [FILE]...`.
    Exits,
    /// What callers can observe of a function, as a model would say it: `dump outcomes NAME [FILE]...`.
    Outcomes,
    /// Why each loss in a function may not be true: `dump doubts NAME [FILE]...`.
    Doubts,
    /// What comes of each claim of the path engine when the function is run.
    Replay,
    /// What runs of functions do and the path engine does not know, or says and no run does.
    Runs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineName {
    /// Every path of every function, confirmed by the solver.
    Path,
    /// Where values go in the whole program; what it finds is put to the solver.
    Flow,
    /// Both.
    Both,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people at a terminal.
    Text,
    /// One line per statement, for editors and build logs.
    Gcc,
    /// Everything, for programs.
    Json,
    /// For code scanning services.
    Sarif,
    /// Annotations in GitHub Actions.
    Github,
    /// GitLab's code quality report.
    Gitlab,
    /// Test results, for build services.
    Junit,
    /// For review and build services.
    Checkstyle,
    /// One file for a browser, with the paths drawn into the source.
    Html,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiffFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StatsFormat {
    /// For people.
    Table,
    /// One line, for programs.
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// On a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

fn threads(number: &str) -> Result<NonZeroUsize, String> {
    number
        .parse()
        .map_err(|_| "use a whole number from 1 on, or leave the option out for one per processor".to_owned())
}

fn assumed(name: &str) -> Result<Supposed, String> {
    let number = name.strip_prefix("ASSUME-").and_then(|number| number.parse().ok());
    number.and_then(Supposed::numbered).ok_or_else(|| {
        let all: Vec<String> = Supposed::ALL.iter().map(|one| format!("ASSUME-{}", one.number())).collect();
        format!("use one of {}", all.join(", "))
    })
}

pub(crate) fn confidence(name: &str) -> Result<Confidence, String> {
    Confidence::from_name(name).ok_or_else(|| "use high, medium or low".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_sound() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn flags_follow_a_double_hyphen() {
        let arguments =
            Arguments::parse_from(["watertight", "check", "a.c", "-p", "db", "--", "-Iinclude", "-DX"]);
        let Command::Check(check) = arguments.command else { panic!("not check") };
        assert_eq!(check.inputs.files, [PathBuf::from("a.c")]);
        assert_eq!(check.inputs.database, Some("db".into()));
        assert_eq!(check.inputs.flags, ["-Iinclude", "-DX"]);
    }

    #[test]
    fn stats_take_a_format_only_with_an_equals_sign() {
        let stats = |arguments: &[&str]| Arguments::parse_from(arguments).common.stats;
        assert_eq!(stats(&["watertight", "check", "--stats", "a.c"]), Some(StatsFormat::Table));
        assert_eq!(stats(&["watertight", "check", "--stats=json", "a.c"]), Some(StatsFormat::Json));
        assert_eq!(stats(&["watertight", "check", "a.c"]), None);
    }
}
