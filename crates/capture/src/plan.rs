//! From compile commands to jobs: what exactly is to be compiled, each thing once.
//!
//! In: commands from anywhere. Out: a [`Job`] per source and distinct way of compiling it, a failure for what should
//! be there and is not, and a count of everything left out in [`Seen`]. A command with several sources gives several
//! jobs. What holds: every source of every command ends as a job, as a failure, or in a counted skip.
//!
//! Two jobs are the same only if source, directory, language, flags and environment agree; when two commands of a
//! build write the same output from the same source, the later one is what the build left behind.

use std::path::{Path, PathBuf};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::captured::{Failure, FailureKind, Language, Seen, Skip};
use crate::command::{CompileCommand, Origin, name_below, tidy};
use crate::compiler::{Behind, base_name, classify, skip_wrappers};
use crate::flag_table::FileKind;
use crate::flags::{
    Action, Driver, Flag, InputFile, Invocation, kind_of_name, language_of, parse, target_of,
};
use crate::messages;

/// One thing to compile.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    /// The source as the user would write it.
    pub(crate) name: String,
    /// The source, absolute.
    pub(crate) source: PathBuf,
    /// The source as the command has it; debug information shows this.
    pub(crate) spelling: String,
    pub(crate) directory: PathBuf,
    pub(crate) language: Language,
    pub(crate) flags: Vec<Flag>,
    /// Flags that were dropped with a note.
    pub(crate) noted: Vec<String>,
    pub(crate) environment: Vec<(String, String)>,
    pub(crate) target: Option<String>,
    /// The file the original command wrote, if that is known.
    output: Option<PathBuf>,
    /// Which of the given commands it came from.
    pub(crate) command: usize,
    origin: Origin,
}

/// What is to be done, and what cannot be.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) jobs: Vec<Job>,
    pub(crate) failures: Vec<Failure>,
}

/// Plans the commands, in order. `working_directory` only serves to name sources for people.
pub(crate) fn plan(
    commands: &[CompileCommand],
    extra_flags: &[String],
    working_directory: &Path,
    seen: &mut Seen,
) -> Plan {
    let mut plan = Plan::default();
    for (index, command) in commands.iter().enumerate() {
        Planner { working_directory, extra_flags, command, index, plan: &mut plan, seen }.command();
    }
    prefer_fresh(&mut plan.jobs);
    drop_repeated(&mut plan.jobs, seen);
    drop_overwritten(&mut plan.jobs, seen);
    seen.remembered = plan.jobs.iter().filter(|job| job.origin == Origin::Remembered).count();
    plan
}

struct Planner<'a> {
    working_directory: &'a Path,
    extra_flags: &'a [String],
    command: &'a CompileCommand,
    index: usize,
    plan: &'a mut Plan,
    seen: &'a mut Seen,
}

impl Planner<'_> {
    fn command(&mut self) {
        let command = self.command;
        let behind = match command.origin {
            Origin::Database => Behind::WrappersAndLaunchers,
            _ => Behind::Wrappers,
        };
        let at = skip_wrappers(&command.arguments, behind);
        let Some(program) = command.arguments.get(at) else { return };
        let compiler = classify(program);
        if command.origin != Origin::Remembered {
            self.seen.commands += 1;
            if command.origin != Origin::Typed {
                *self.seen.compilers.entry(base_name(program).to_owned()).or_default() += 1;
            }
        }
        let driver = compiler.as_ref().map_or(Driver::C, |compiler| compiler.driver);
        let mut invocation = parse(&command.arguments[at + 1..], driver);
        // The user's flags come last, where they win. What the user typed has them already.
        if command.origin != Origin::Typed {
            let extra = parse(self.extra_flags, driver);
            invocation.flags.extend(extra.flags);
            invocation.noted.extend(extra.noted);
        }
        if let Some(compiler) = compiler {
            imply(&mut invocation.flags, compiler.target, compiler.standard);
        }
        drop_native(&mut invocation);

        if let Some(skip) = skipped_action(&invocation, command) {
            self.seen.skip(skip);
            return;
        }
        let inputs = match &command.file {
            Some(file) => vec![self.named_input(file, &invocation)],
            None => invocation.inputs.clone(),
        };
        let mut sources = 0;
        for input in &inputs {
            sources += usize::from(self.input(input, &invocation));
        }
        if sources == 0 {
            self.seen.skip(Skip::LinkOnly);
        }
    }

    /// The input that a database entry is about, with the language its command gives it.
    fn named_input(&self, file: &str, invocation: &Invocation) -> InputFile {
        let wanted = tidy(&self.command.directory.join(file));
        let same = |input: &&InputFile| tidy(&self.command.directory.join(&input.path)) == wanted;
        match invocation.inputs.iter().find(same) {
            Some(input) => input.clone(),
            None => InputFile { path: file.to_owned(), kind: kind_of_name(file) },
        }
    }

    /// Plans one input; false when it is something for the linker.
    fn input(&mut self, input: &InputFile, invocation: &Invocation) -> bool {
        let command = self.command;
        if input.path == "-" || input.path.starts_with("/dev/") {
            match command.origin {
                Origin::Typed => {
                    self.fail(input.path.clone(), FailureKind::Unreadable, messages::NOT_REGULAR.to_owned());
                }
                _ => self.seen.skip(Skip::StandardInput),
            }
            return true;
        }
        let source = tidy(&command.directory.join(&input.path));
        let name = match command.origin {
            Origin::Typed => input.path.clone(),
            _ => name_below(self.working_directory, &source),
        };
        let chosen = command.file.is_some();
        let language = match input.kind {
            Some(kind) => match language_of(kind) {
                Some(language) => language,
                None if command.origin == Origin::Typed => {
                    self.fail(name, FailureKind::Unsupported, unsupported(Some(kind)));
                    return true;
                }
                None => {
                    self.seen.skip(skip_of(kind));
                    return true;
                }
            },
            None if chosen && !command.directory.join(&input.path).exists() => {
                self.fail(name, FailureKind::Missing, messages::NO_FILE_OR_DIRECTORY.to_owned());
                return true;
            }
            None if chosen => {
                self.fail(name, FailureKind::Unsupported, unsupported(None));
                return true;
            }
            None => return false,
        };
        // A build hands its own bitcode and assembly on to the linker; only what the user names is read.
        if matches!(language, Language::Assembly | Language::Bitcode) && !chosen {
            return false;
        }
        let output = output_of(invocation, command, &source);
        let opened = command.directory.join(&input.path);
        let found = opened.metadata();
        if command.origin == Origin::Build
            && is_probe(command, &source, found.is_err(), output.as_deref(), self.working_directory)
        {
            self.seen.skip(Skip::Probe);
            return true;
        }
        match found {
            Err(_) if command.origin == Origin::Remembered => return true,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let (kind, why) = match command.origin {
                    Origin::Build => (FailureKind::Gone, messages::REMOVED_BY_BUILD),
                    _ => (FailureKind::Missing, messages::NO_FILE),
                };
                self.fail(name, kind, why.to_owned());
                return true;
            }
            Err(error) => {
                self.fail(name, FailureKind::Unreadable, error.to_string());
                return true;
            }
            Ok(data) if data.is_dir() => {
                self.fail(name, FailureKind::Unreadable, messages::IS_DIRECTORY.to_owned());
                return true;
            }
            Ok(data) if !data.is_file() => {
                self.fail(name, FailureKind::Unreadable, messages::NOT_REGULAR.to_owned());
                return true;
            }
            Ok(_) => {}
        }
        // No command line can hold such a name, so no compiler was ever given it.
        let has_zero = |text: &str| text.contains('\0');
        let flagged = invocation.flags.iter().flat_map(Flag::arguments).any(has_zero);
        if flagged || has_zero(&input.path) || has_zero(&command.directory.to_string_lossy()) {
            self.fail(name, FailureKind::BadCommand, messages::ZERO_BYTE.to_owned());
            return true;
        }
        if command.origin == Origin::Remembered {
            // The object it made is gone, so the build no longer contains it.
            if !output.as_ref().is_some_and(|output| output.exists()) {
                return true;
            }
        }
        let (flags, unread): (Vec<Flag>, Vec<Flag>) =
            invocation.flags.iter().cloned().partition(|flag| includes_plain_file(flag, &command.directory));
        let noted = invocation.noted.iter().cloned().chain(unread.iter().map(Flag::display)).collect();
        self.plan.jobs.push(Job {
            name,
            source,
            spelling: input.path.clone(),
            directory: command.directory.clone(),
            language,
            target: target_of(&flags).map(str::to_owned),
            flags,
            noted,
            environment: command.environment.clone(),
            output,
            command: self.index,
            origin: command.origin,
        });
        true
    }

    fn fail(&mut self, name: String, kind: FailureKind, message: String) {
        self.plan.failures.push(Failure { name, kind, message });
    }
}

/// False for a flag that includes a pipe or a device, on which clang would wait for ever.
fn includes_plain_file(flag: &Flag, directory: &Path) -> bool {
    let file = match (flag.text.as_str(), &flag.value) {
        ("-include" | "-imacros", Some(file)) => directory.join(file),
        _ => return true,
    };
    // What is not there may be found along the search path.
    file.metadata().map_or(true, |data| data.is_file())
}

/// Flags that the compiler's name stands for, in front so that explicit ones win.
fn imply(flags: &mut Vec<Flag>, target: Option<String>, standard: Option<&str>) {
    let flag = |text: String| Flag { text, value: None, code: true };
    if let Some(standard) = standard
        && !flags.iter().any(|flag| flag.text.contains("-std") || flag.text == "-ansi")
    {
        flags.insert(0, flag(format!("-std={standard}")));
    }
    if let Some(target) = target
        && target_of(flags).is_none()
    {
        flags.insert(0, flag(format!("--target={target}")));
    }
}

/// `native` is the machine at hand. For another one clang runs a program that tells what is there, and looks for it where the
/// flags of the project say, below a `--sysroot` for one.
fn drop_native(invocation: &mut Invocation) {
    let own = |target: &str| target.split('-').next() == Some(std::env::consts::ARCH);
    if target_of(&invocation.flags).is_none_or(own) {
        return;
    }
    let noted = &mut invocation.noted;
    invocation.flags.retain(|flag| {
        let native = flag.text.ends_with("=native");
        noted.extend(native.then(|| flag.display()));
        !native
    });
}

/// Commands that compile nothing. An entry of a database always stands for a compilation.
fn skipped_action(invocation: &Invocation, command: &CompileCommand) -> Option<Skip> {
    if command.file.is_some() {
        return None;
    }
    match invocation.action {
        Action::Link | Action::Compile | Action::Assemble => None,
        Action::Preprocess => Some(Skip::PreprocessOnly),
        Action::Dependencies => Some(Skip::DependenciesOnly),
        Action::Syntax => Some(Skip::SyntaxOnly),
        Action::Query => Some(Skip::Query),
    }
}

fn skip_of(kind: FileKind) -> Skip {
    match kind {
        FileKind::AssemblySource => Skip::AssemblySource,
        FileKind::Header => Skip::Header,
        _ => Skip::OtherLanguage,
    }
}

fn unsupported(kind: Option<FileKind>) -> String {
    let text = match kind {
        Some(FileKind::Header) => messages::IS_HEADER,
        Some(FileKind::AssemblySource) => messages::IS_ASSEMBLY,
        Some(_) => messages::OTHER_LANGUAGE,
        None => messages::NEITHER,
    };
    text.to_owned()
}

/// The file that a command wrote for one of its sources.
fn output_of(invocation: &Invocation, command: &CompileCommand, source: &Path) -> Option<PathBuf> {
    let named = invocation.output.as_ref().or(command.output.as_ref());
    let file = match (named, invocation.action) {
        (Some(output), _) if output.starts_with("/dev/") || output == "-" => return None,
        (Some(output), _) => PathBuf::from(output),
        (None, _) if command.origin == Origin::Typed => return None,
        (None, Action::Compile) => Path::new(source.file_name()?).with_extension("o"),
        (None, Action::Assemble) => Path::new(source.file_name()?).with_extension("s"),
        (None, Action::Link) => PathBuf::from("a.out"),
        (None, _) => return None,
    };
    Some(tidy(&command.directory.join(file)))
}

/// Folders in which build systems try things out. What is compiled there never belongs to the program.
const PROBE_FOLDERS: &[&str] =
    &["CMakeTmp", "CMakeScratch", "CompilerIdC", "CompilerIdCXX", "meson-private", "config-temp"];
/// Beginnings of folder names of the same use.
const PROBE_FOLDER_STARTS: &[&str] = &["ffconf.", "TryCompile-"];
/// Sources that configure scripts write, compile and remove.
const PROBE_STARTS: &[&str] = &[
    "conftest",
    "ztest",
    "_configtest",
    "cfgtest",
    "testfile",
    "sanitycheck",
    "check_",
    "try_",
    "feature-test",
];
const PROBE_NAMES: &[&str] = &["try", "test", "tst", "dummy", "tmp", "probe", "conf"];

/// Whether a build compiled this only to see whether it compiles.
fn is_probe(
    command: &CompileCommand,
    source: &Path,
    gone: bool,
    output: Option<&Path>,
    working_directory: &Path,
) -> bool {
    let in_folder = |path: &Path| {
        path.components().any(|component| {
            let name = component.as_os_str().to_string_lossy();
            PROBE_FOLDERS.contains(&name.as_ref())
                || PROBE_FOLDER_STARTS.iter().any(|start| name.starts_with(start))
        })
    };
    if in_folder(source) || in_folder(&command.directory) {
        return true;
    }
    if !gone {
        return false;
    }
    let stem = source.file_stem().unwrap_or_default().to_string_lossy();
    let folder_gone = !source.parent().is_some_and(Path::exists);
    let temporary = source.starts_with(std::env::temp_dir()) && !source.starts_with(working_directory);
    // What nothing is left of was part of no program.
    let without_trace = output.is_some_and(|output| !output.exists());
    without_trace
        || PROBE_NAMES.contains(&stem.as_ref())
        || PROBE_STARTS.iter().any(|start| stem.starts_with(start))
        || folder_gone
        || temporary
}

/// What makes two jobs the same.
type Identity = (PathBuf, PathBuf, Language, Vec<String>, Vec<(String, String)>);

impl Job {
    fn identity(&self) -> Identity {
        let flags = self.flags.iter().flat_map(Flag::arguments).map(str::to_owned).collect();
        (self.source.clone(), self.directory.clone(), self.language, flags, self.environment.clone())
    }

    /// What the job wrote, and from what.
    fn product(&self) -> Option<(PathBuf, PathBuf)> {
        Some((self.source.clone(), self.output.clone()?))
    }
}

/// Forgets remembered jobs that the build did again this time.
fn prefer_fresh(jobs: &mut Vec<Job>) {
    let fresh = || jobs.iter().filter(|job| job.origin != Origin::Remembered);
    let identities: FxHashSet<Identity> = fresh().map(Job::identity).collect();
    let products: FxHashSet<(PathBuf, PathBuf)> = fresh().filter_map(Job::product).collect();
    jobs.retain(|job| {
        let done_again =
            identities.contains(&job.identity()) || job.product().is_some_and(|it| products.contains(&it));
        job.origin != Origin::Remembered || !done_again
    });
}

/// Keeps the first of identical jobs.
fn drop_repeated(jobs: &mut Vec<Job>, seen: &mut Seen) {
    let mut known = FxHashSet::default();
    jobs.retain(|job| {
        let new = known.insert(job.identity());
        if !new {
            seen.skip(Skip::Repeated);
        }
        new
    });
}

/// Keeps the last of the jobs that write the same output from the same source.
fn drop_overwritten(jobs: &mut Vec<Job>, seen: &mut Seen) {
    let mut last: FxHashMap<(PathBuf, PathBuf), usize> = FxHashMap::default();
    for (index, job) in jobs.iter().enumerate() {
        if let Some(product) = job.product() {
            last.insert(product, index);
        }
    }
    let mut index = 0;
    jobs.retain(|job| {
        let newest = job.product().is_none_or(|product| last[&product] == index);
        index += 1;
        if !newest {
            seen.skip(Skip::Overwritten);
        }
        newest
    });
}

/// Puts jobs of a build into an order that does not depend on which process came first.
pub(crate) fn sort_jobs(jobs: &mut [Job]) {
    jobs.sort_by_cached_key(|job| {
        let flags: Vec<String> = job.flags.iter().map(Flag::display).collect();
        (job.name.clone(), job.directory.clone(), flags, job.output.clone())
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Project {
        directory: tempfile::TempDir,
        commands: Vec<CompileCommand>,
    }

    impl Project {
        fn new(files: &[&str]) -> Project {
            let directory = tempfile::tempdir().unwrap();
            for file in files {
                let path = directory.path().join(file);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, "").unwrap();
            }
            Project { directory, commands: Vec::new() }
        }

        fn command(mut self, origin: Origin, folder: &str, line: &str) -> Project {
            let named = origin == Origin::Typed || origin == Origin::Database;
            let words: Vec<String> = line.split_whitespace().map(String::from).collect();
            self.commands.push(CompileCommand {
                origin,
                directory: self.directory.path().join(folder),
                file: named.then(|| words.last().cloned()).flatten(),
                arguments: words,
                output: None,
                environment: Vec::new(),
            });
            self
        }

        fn built(self, line: &str) -> Project {
            self.command(Origin::Build, "", line)
        }

        /// Jobs as `name: flags`, then failures, then skips.
        fn show(&self) -> Vec<String> {
            let mut seen = Seen::default();
            let here = self.directory.path();
            let plan = plan(&self.commands, &[], here, &mut seen);
            let jobs = plan.jobs.iter().map(|job| {
                let flags: Vec<String> = job.flags.iter().map(Flag::display).collect();
                format!("{}:{:?}: {}", job.name, job.language, flags.join(" "))
            });
            let failures = plan.failures.iter().map(|failure| format!("{:?} {}", failure.kind, failure.name));
            let skips = seen.skipped.iter().map(|(skip, count)| format!("{skip:?} {count}"));
            jobs.chain(failures).chain(skips).collect()
        }
    }

    fn check(project: Project, expected: &[&str]) {
        assert_eq!(project.show(), expected);
    }

    #[test]
    fn sources_of_a_build() {
        check(
            Project::new(&["a.c", "sub/b.c", "c.cc", "d.S", "e.h"])
                .built("gcc -O2 -Iinc -c a.c -o a.o")
                .command(Origin::Build, "sub", "/usr/bin/cc -DX -c b.c ../a.c")
                .built("g++ -c c.cc d.S e.h")
                .built("gcc a.o b.o -o prog")
                .built("gcc -E a.c")
                .built("gcc -MM a.c")
                .built("gcc --version")
                .built("gcc -fsyntax-only a.c")
                .built("gcc -c - -o x.o")
                .built("gcc -x c /dev/null -o x"),
            &[
                "a.c:C: -Iinc",
                "sub/b.c:C: -DX",
                "a.c:C: -DX",
                "c.cc:Cxx: ",
                "AssemblySource 1",
                "Header 1",
                "StandardInput 2",
                "LinkOnly 1",
                "PreprocessOnly 1",
                "DependenciesOnly 1",
                "SyntaxOnly 1",
                "Query 1",
            ],
        );
    }

    #[test]
    fn names_imply_targets_and_standards() {
        check(
            Project::new(&["a.c"])
                .built("aarch64-linux-gnu-gcc-12 -c a.c -o 1.o")
                .built("arm-linux-gnueabihf-gcc --target=x -c a.c -o 2.o")
                .built("c99 -c a.c -o 3.o")
                .built("c89 -std=gnu11 -c a.c -o 4.o")
                .built("ccache gcc -m32 -c a.c -o 5.o"),
            &[
                "a.c:C: --target=aarch64-linux-gnu",
                "a.c:C: --target=x",
                "a.c:C: -std=c99",
                "a.c:C: -std=gnu11",
                "a.c:C: -m32",
            ],
        );
    }

    #[test]
    fn repeated_and_overwritten() {
        check(
            Project::new(&["a.c"])
                .built("gcc -c a.c -o a.o")
                .built("gcc -O2 -c a.c -o other.o")
                .built("gcc -DA -c a.c -o b.o")
                .built("gcc -DB -c a.c -o b.o")
                .built("gcc -DC -c a.c"),
            &["a.c:C: -DB", "a.c:C: -DC", "Repeated 1", "Overwritten 2"],
        );
    }

    #[test]
    fn probes_and_removed_sources() {
        check(
            Project::new(&["a.c", "conftest.c", "CMakeFiles/CMakeTmp/kept.c", "parser.o"])
                .built("gcc -c a.c")
                .built("gcc conftest.c -o conftest")
                .built("gcc conftest_gone.c -o conftest")
                .built("gcc conftest1.c -o conftest")
                .built("gcc -c ztest123.c")
                .built("gcc -c CMakeFiles/CMakeTmp/kept.c")
                .built("gcc -c gone/dir/x.c")
                .built("gcc -c have_mmap.c")
                .built("gcc -c parser.c"),
            &["a.c:C: ", "conftest.c:C: ", "Gone parser.c", "Probe 6"],
        );
    }

    #[test]
    fn typed_and_database_inputs() {
        check(
            Project::new(&["a.c", "b.h", "c.txt", "d.bc", "e.ll", "f.s", "sub/g.c"])
                .command(Origin::Typed, "", "cc -DX -o out a.c")
                .command(Origin::Typed, "", "cc b.h")
                .command(Origin::Typed, "", "cc c.txt")
                .command(Origin::Typed, "", "cc -x c c.txt")
                .command(Origin::Typed, "", "cc d.bc")
                .command(Origin::Typed, "", "cc e.ll")
                .command(Origin::Typed, "", "cc f.s")
                .command(Origin::Typed, "", "cc missing.c")
                .command(Origin::Typed, "", "cc sub")
                .command(Origin::Database, "sub", "cc -E -DY g.c")
                .command(Origin::Database, "sub", "env A=b ccache cc -DY ../a.c")
                .command(Origin::Database, "", "mycc -DY a.c"),
            &[
                "a.c:C: -DX",
                "c.txt:C: ",
                "d.bc:Bitcode: ",
                "e.ll:Assembly: ",
                "sub/g.c:C: -DY",
                "a.c:C: -DY",
                "a.c:C: -DY",
                "Unsupported b.h",
                "Unsupported c.txt",
                "Unsupported f.s",
                "Missing missing.c",
                "Unsupported sub",
            ],
        );
    }

    #[test]
    fn remembered_commands_fill_what_the_build_did_not_do() {
        check(
            Project::new(&["a.c", "b.c", "c.c", "a.o", "b.o", "x.o"])
                .command(Origin::Remembered, "", "gcc -DOLD -c a.c")
                .command(Origin::Remembered, "", "gcc -c b.c")
                .command(Origin::Remembered, "", "gcc -c c.c")
                .command(Origin::Remembered, "", "gcc -c removed.c -o x.o")
                .built("gcc -DNEW -c a.c"),
            &["b.c:C: ", "a.c:C: -DNEW"],
        );
    }
}
