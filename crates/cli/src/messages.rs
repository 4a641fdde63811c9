//! Every sentence with which a command stops.
//!
//! One function each, with the exit code that goes with it: [`Stop::usage`] for a mistake in what was typed or in a file of the project,
//! [`Stop::environment`] for what the machine refuses. Sentences name their subject first, put names in quotes and say what to do.
//! `docs/messages.md` lists the texts of this file, and a test reads them from here; what is in braces is filled in.

use std::fmt::Display;

use crate::exit::Stop;

/// A number of things: "1 line", "3 lines".
pub(crate) fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

// What was typed.

pub(crate) fn file_for_command(file: &str) -> Stop {
    Stop::usage(format!("`{file}` is a file, not a command; to check it, type `watertight check {file}`"))
}

pub(crate) fn no_function_named(usage: &str) -> Stop {
    Stop::usage(format!("the name of a function is missing; type it before the files: `{usage}`"))
}

pub(crate) fn no_expression_named() -> Stop {
    Stop::usage(
        "an expression is missing; type it before the files, as EXPR@FILE:LINE: `list->head@src/list.c:120`",
    )
}

pub(crate) fn not_an_expression(typed: &str) -> Stop {
    Stop::usage(format!(
        "`{typed}` is not of the form EXPR@FILE:LINE; an example is `list->head@src/list.c:120`"
    ))
}

pub(crate) fn no_function(name: &str) -> Stop {
    Stop::usage(format!("there is no function `{name}`"))
}

pub(crate) fn no_function_but(name: &str, near: &str) -> Stop {
    Stop::usage(format!("there is no function `{name}`; did you mean {near}?"))
}

pub(crate) fn not_in_library(name: &str, why: Stop) -> Stop {
    let why = why.message;
    Stop::usage(format!(
        "`{name}` is not a library function that watertight knows, and no program was read: {why}"
    ))
}

pub(crate) fn only_declared(name: &str) -> Stop {
    Stop::usage(format!(
        "`{name}` is declared but not defined in these files, and watertight does not know it as a library function; add the file that defines it"
    ))
}

pub(crate) fn no_body(name: &str) -> Stop {
    Stop::usage(format!("there is no function `{name}` with a body"))
}

pub(crate) fn no_line(file: impl Display, line: u32, lines: usize) -> Stop {
    let has = count(lines, "line");
    Stop::usage(format!("there is no line {line} in `{file}`: it has {has}"))
}

pub(crate) fn nothing_to_prove() -> Stop {
    Stop::usage(
        "no statement on that line can lose memory, so there is nothing to prove; to ask what is lost when the function returns, \
         give the line of a `return`, or of the closing `}` if there is none",
    )
}

pub(crate) fn bad_pattern(pattern: &str) -> Stop {
    Stop::usage(format!("`{pattern}` is not a pattern for files: it must not be empty or contain `..`"))
}

// Which project.

pub(crate) fn no_database(advice: &str) -> Stop {
    Stop::usage(format!(
        "found no compile_commands.json in this directory, above it, or in build/, builddir/ or out/{advice}"
    ))
}

pub(crate) fn several_databases(names: &str, first: &str) -> Stop {
    Stop::usage(format!(
        "found no compile_commands.json in this directory or above it, but several below; name the folder to check, as in \
         `watertight check {first}`:{names}"
    ))
}

pub(crate) fn no_sources() -> Stop {
    Stop::usage(
        "nothing to check: this directory has no compile_commands.json, no build file and no C file; name files or a directory, or watch \
         a build with `watertight run -- BUILD`",
    )
}

pub(crate) fn named_database_missing(path: &str, advice: &str) -> Stop {
    Stop::usage(format!("`{path}`, which `watertight.toml` names, does not exist{advice}"))
}

pub(crate) fn outside_project(path: impl Display) -> Stop {
    Stop::usage(format!(
        "`{path}` is a symbolic link to a file outside of the project; to read it, add `--trust-paths`"
    ))
}

pub(crate) fn names_outside(file: impl Display, path: impl Display) -> Stop {
    Stop::usage(format!(
        "`{file}` names `{path}`, which is outside of the project; to use it, add `--trust-paths`"
    ))
}

pub(crate) fn settings_exist(file: &str) -> Stop {
    Stop::usage(format!("`{file}` already exists; to overwrite it, add `--force`"))
}

// Files.

pub(crate) fn cannot_read(path: impl Display, error: impl Display) -> Stop {
    Stop::usage(format!("cannot read `{path}`: {error}"))
}

pub(crate) fn cannot_read_settings(path: impl Display, error: impl Display) -> Stop {
    Stop::environment(format!("cannot read `{path}`: {error}"))
}

pub(crate) fn mistake_in_line(path: impl Display, line: usize, mistake: &str) -> Stop {
    Stop::usage(format!("{path}:{line}: {mistake}"))
}

pub(crate) fn mistake_in(path: impl Display, mistake: &str) -> Stop {
    Stop::usage(format!("{path}:{mistake}"))
}

pub(crate) fn is_link(path: impl Display) -> Stop {
    Stop::usage(format!(
        "`{path}` is a symbolic link, and links are not written through; name the file that it points to"
    ))
}

pub(crate) fn cannot_write(path: impl Display, error: impl Display) -> Stop {
    Stop::environment(format!("cannot write `{path}`: {error}"))
}

pub(crate) fn cannot_write_to_standard_output(error: impl Display) -> Stop {
    Stop::environment(format!("cannot write to standard output: {error}"))
}

pub(crate) fn no_directory(path: impl Display, directory: impl Display) -> Stop {
    Stop::environment(format!("cannot write `{path}`: the directory `{directory}` does not exist"))
}

pub(crate) fn not_a_baseline(path: impl Display, error: impl Display) -> Stop {
    Stop::usage(format!("`{path}` is not a baseline: {error}"))
}

// Marks.

pub(crate) fn no_reason() -> Stop {
    Stop::usage("a mark that hides a finding needs a reason; add `--reason \"why\"`")
}

pub(crate) fn nothing_checked() -> Stop {
    Stop::usage(
        "nothing has been checked here yet; run `watertight check` first, or give the whole fingerprint",
    )
}

pub(crate) fn no_finding(named: &str) -> Stop {
    Stop::usage(format!(
        "the last check has no finding at `{named}`; name one by FILE:LINE as the report prints it, or by its fingerprint"
    ))
}

pub(crate) fn several_findings(named: &str, number: usize, list: &str) -> Stop {
    Stop::usage(format!("`{named}` has {number} findings; name one by its fingerprint:{list}"))
}

pub(crate) fn not_marked(named: &str) -> Stop {
    Stop::usage(format!("the finding `{named}` is not marked"))
}

// Comparisons and git.

pub(crate) fn nothing_to_compare(named: &str) -> Stop {
    Stop::usage(format!(
        "there is no report, run or git revision `{named}`; `diff` compares two reports (JSON or SARIF files), two runs \
         (`watertight diff --runs` lists them), or two git revisions"
    ))
}

pub(crate) fn no_such_run(named: &str) -> Stop {
    Stop::usage(format!(
        "the findings of `{named}` are not kept; `watertight diff --runs` lists the runs that can be compared"
    ))
}

pub(crate) fn too_few_runs(runs: usize) -> Stop {
    let known = count(runs, "run");
    Stop::usage(format!(
        "there are not two runs to compare: the store has {known} of this project; run `watertight check` before and after a change, \
         or name two reports or git revisions"
    ))
}

pub(crate) fn revision_not_checked(revision: &str, why: &str) -> Stop {
    Stop::environment(format!("cannot check revision `{revision}`: {why}"))
}

pub(crate) fn not_comparable(path: impl Display, error: impl Display) -> Stop {
    Stop::usage(format!("cannot compare `{path}`: {error}"))
}

pub(crate) fn bad_revision(revision: &str) -> Stop {
    Stop::usage(format!("`{revision}` is not a git revision"))
}

pub(crate) fn no_revision(revision: &str) -> Stop {
    Stop::usage(format!("this git repository has no revision `{revision}`"))
}

pub(crate) fn git_failed(error: &str) -> Stop {
    Stop::usage(format!("git failed: {error}"))
}

pub(crate) fn git_does_not_run(error: impl Display) -> Stop {
    Stop::environment(format!("cannot run git: {error}"))
}

pub(crate) fn no_git() -> Stop {
    Stop::environment("git is needed for this and is not on PATH; install it")
}

// Servers.

pub(crate) fn bad_token() -> Stop {
    Stop::usage("the environment variable WATERTIGHT_TOKEN may contain only letters, digits, `-` and `_`")
}

pub(crate) fn needs_token(address: impl Display) -> Stop {
    Stop::usage(format!(
        "other machines can reach `{address}`; set the environment variable WATERTIGHT_TOKEN to a secret that visitors have to know, or \
         listen on 127.0.0.1"
    ))
}

pub(crate) fn nothing_to_serve(why: &str) -> Stop {
    Stop::usage(format!(
        "{why}; run `watertight check` here first, or name the files to analyse on the command line"
    ))
}

pub(crate) fn cannot_listen(address: impl Display, error: impl Display) -> Stop {
    Stop::environment(format!("cannot listen on `{address}`: {error}"))
}

// The machine.

pub(crate) fn natively_otherwise(absent: &[&str]) -> String {
    format!("note: natively this may end otherwise: the interpreter has no {}", absent.join(", no "))
}

pub(crate) fn engine_failed(message: &str) -> Stop {
    Stop::bug(format!("internal error in the analysis, please report it: {message}"))
}

pub(crate) fn no_temporary_directory(error: impl Display) -> Stop {
    Stop::environment(format!("cannot create a temporary directory: {error}"))
}

pub(crate) fn no_cluster(socket: impl Display, error: impl Display) -> Stop {
    Stop::environment(format!(
        "cannot reach the workers at `{socket}`: {error}; watertight-cluster starts them"
    ))
}

pub(crate) fn no_working_directory(error: impl Display) -> Stop {
    Stop::environment(format!("cannot use the current directory: {error}"))
}

pub(crate) fn no_own_path(error: impl Display) -> Stop {
    Stop::environment(format!("cannot find the program file of watertight itself: {error}"))
}
