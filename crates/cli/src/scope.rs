//! Which files are reported on: `include` and `exclude`.
//!
//! In: patterns, from `watertight.toml` and from the command line. Out: a run without findings and problems in files that
//! are left out. Their code is read all the same, because what a function of a third party does decides whether its
//! callers leak.
//!
//! Patterns are those of `.gitignore` files: `*` and `?` stay within a name, `**` stands for any number of folders. One
//! without a slash (`tests`, `*.tab.c`) matches a file or folder of that name anywhere; one with a slash (`lib/zlib`)
//! starts where it was written: in the folder of `watertight.toml`, or in the working directory. A folder that matches
//! means everything in it. What is excluded stays so, whatever is included.

use std::path::{Component, Path, PathBuf};

use watertight_analysis::Run;
use watertight_capture::tidy;
use watertight_finding::{Finding, Problem};

use crate::exit::Stop;
use crate::messages;

/// A pattern and the folder that it starts from.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Pattern {
    base: PathBuf,
    /// What must match, name by name.
    names: Vec<String>,
    /// Whether it starts at the base rather than anywhere.
    anchored: bool,
}

/// The files that are reported on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Scope {
    directory: PathBuf,
    include: Vec<Pattern>,
    exclude: Vec<Pattern>,
}

/// Patterns as they were written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Patterns {
    pub(crate) include: Vec<String>,
    pub(crate) exclude: Vec<String>,
}

impl Scope {
    /// Everything; names of files start in this directory.
    pub(crate) fn everything(directory: &Path) -> Scope {
        Scope { directory: directory.to_path_buf(), ..Scope::default() }
    }

    /// Adds patterns that start in a folder.
    pub(crate) fn add(&mut self, base: &Path, patterns: &Patterns) -> Result<(), Stop> {
        let parse = |text: &String| Pattern::parse(base, text);
        self.include.extend(patterns.include.iter().map(parse).collect::<Result<Vec<_>, _>>()?);
        self.exclude.extend(patterns.exclude.iter().map(parse).collect::<Result<Vec<_>, _>>()?);
        Ok(())
    }

    /// Whether a file is reported on.
    pub(crate) fn has(&self, file: &str) -> bool {
        let path = tidy(&self.directory.join(file));
        let any = |patterns: &[Pattern]| patterns.iter().any(|pattern| pattern.matches(&path));
        (self.include.is_empty() || any(&self.include)) && !any(&self.exclude)
    }

    /// Whether a problem is about a file that is reported on, or about none.
    fn has_problem(&self, problem: &Problem) -> bool {
        let is_file = self.directory.join(&problem.subject).is_file();
        let file = match &problem.place {
            Some(place) => Some(&*place.file),
            None if is_file => Some(&*problem.subject),
            None => None,
        };
        file.is_none_or(|file| self.has(file))
    }

    /// Takes out problems that are left out.
    pub(crate) fn keep_problems(&self, problems: &mut Vec<Problem>) {
        problems.retain(|problem| self.has_problem(problem));
    }

    /// Takes out findings that are left out, and says how many those were.
    pub(crate) fn keep_findings(&self, findings: &mut Vec<Finding>) -> usize {
        let before = findings.len();
        findings.retain(|finding| self.has(&finding.place.file));
        before - findings.len()
    }

    /// Takes out of a run what is left out, and says how many findings those were.
    pub(crate) fn apply(&self, run: &mut Run) -> usize {
        let gone = self.keep_findings(&mut run.findings);
        self.keep_findings(&mut run.refuted);
        self.keep_findings(&mut run.latent);
        self.keep_problems(&mut run.problems);
        run.failures.retain(|failure| self.has(&failure.name));
        gone
    }
}

impl Pattern {
    fn parse(base: &Path, text: &str) -> Result<Pattern, Stop> {
        let names: Vec<String> =
            text.split('/').filter(|name| !name.is_empty() && *name != ".").map(str::to_owned).collect();
        if names.is_empty() || names.iter().any(|name| name == "..") {
            return Err(messages::bad_pattern(text));
        }
        let anchored = text.trim_end_matches('/').contains('/');
        Ok(Pattern { base: base.to_path_buf(), names, anchored })
    }

    fn matches(&self, path: &Path) -> bool {
        let relative = path.strip_prefix(&self.base);
        let names = |path: &Path| -> Vec<String> {
            let normal = path.components().filter(|part| matches!(part, Component::Normal(_)));
            normal.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect()
        };
        match (self.anchored, relative) {
            (true, Ok(relative)) => leads(&self.names, &names(relative)),
            (true, Err(_)) => false,
            (false, relative) => {
                let names = names(relative.unwrap_or(path));
                names.iter().any(|name| name_matches(self.names[0].as_bytes(), name.as_bytes()))
            }
        }
    }
}

/// Whether a pattern matches a path or a folder above it. A project writes its own patterns, so the time must not grow
/// with the ways in which several `**` can share a path: for each part of the pattern it is known how much of the path may lie
/// before it.
fn leads(pattern: &[String], path: &[String]) -> bool {
    let mut before = vec![false; path.len() + 1];
    before[0] = true;
    for part in pattern {
        let mut after = vec![false; path.len() + 1];
        if part == "**" {
            let first = before.iter().position(|&reached| reached).unwrap_or(after.len());
            after[first..].fill(true);
        } else {
            for (at, name) in path.iter().enumerate() {
                after[at + 1] = before[at] && name_matches(part.as_bytes(), name.as_bytes());
            }
        }
        before = after;
    }
    before.contains(&true)
}

/// Whether a name matches a pattern with `*` and `?`. The last star is the only one that ever has to give way, so this
/// takes at most the product of the lengths.
fn name_matches(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut from) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while from < name.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, from));
                at += 1;
            }
            Some(&byte) if byte == b'?' || byte == name[from] => {
                at += 1;
                from += 1;
            }
            _ => {
                let Some((pattern_at, name_at)) = star else { return false };
                star = Some((pattern_at, name_at + 1));
                at = pattern_at + 1;
                from = name_at + 1;
            }
        }
    }
    pattern[at..].iter().all(|&byte| byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(include: &[&str], exclude: &[&str], kept: &[&str], left_out: &[&str]) {
        let texts = |patterns: &[&str]| patterns.iter().map(|text| text.to_string()).collect();
        let mut scope = Scope::everything(Path::new("/p/sub"));
        let patterns = Patterns { include: texts(include), exclude: texts(exclude) };
        scope.add(Path::new("/p"), &patterns).unwrap();
        for file in kept {
            assert!(scope.has(file), "{file} is kept by {include:?} {exclude:?}");
        }
        for file in left_out {
            assert!(!scope.has(file), "{file} is left out by {include:?} {exclude:?}");
        }
    }

    #[test]
    fn names_match_anywhere_and_paths_from_the_folder_on() {
        check(
            &[],
            &["tests"],
            &["a.c", "tests.c", "/q/a.c"],
            &["tests/a.c", "x/tests/y/a.c", "../tests/a.c"],
        );
        check(&[], &["sub/lib"], &["lib2/a.c", "x/lib/a.c", "../lib/a.c"], &["lib/a.c", "lib/deep/a.c"]);
        check(&[], &["/sub/*.tab.c"], &["a.c", "deep/a.tab.c"], &["a.tab.c", "./a.tab.c"]);
        check(&[], &["*.tab.c"], &["a.c"], &["deep/a.tab.c"]);
        check(&[], &["sub/**/gen_?.c"], &["gen_10.c"], &["gen_1.c", "a/b/gen_2.c"]);
        check(&[], &["tests/"], &["a.c"], &["tests/a.c"]);
        check(&["sub/src"], &["old*"], &["src/a.c"], &["a.c", "src/old/a.c", "/usr/include/stdio.h"]);
        check(&["**"], &[], &["a.c"], &[]);
        check(&[], &["**/x/**/y.c"], &["x/z.c", "y.c"], &["x/y.c", "a/x/b/y.c", "x/y.c/z.c"]);
        let deep = "a/".repeat(60) + "b.c";
        check(&[], &[&("**/a/".repeat(30) + "c.c")], &[&deep], &[]);
        check(&[], &[&("**/a/".repeat(30) + "b.c")], &[], &[&deep]);
    }

    #[test]
    fn what_is_no_pattern() {
        for text in ["", "/", "../x", "a/../b"] {
            let patterns = Patterns { exclude: vec![text.to_owned()], ..Patterns::default() };
            assert!(Scope::everything(Path::new("/p")).add(Path::new("/p"), &patterns).is_err(), "{text}");
        }
    }

    #[test]
    fn stars_take_what_they_need() {
        for (pattern, name, expected) in [
            ("*", "", true),
            ("a*b*c", "axxbyyc", true),
            ("a*b*c", "axxbyy", false),
            ("*.c", "a.c.c", true),
            ("?", "", false),
            ("a?c", "abc", true),
        ] {
            assert_eq!(name_matches(pattern.as_bytes(), name.as_bytes()), expected, "{pattern} {name}");
        }
    }
}
