//! A foreign project is data: checking it runs nothing of it and writes nothing outside of the cache.
//!
//! Two ways to watch. A stand-in for clang says which arguments and which environment reach it, so a flag that slips
//! through is seen even where the kernel would stop it. And real runs are made next to a folder that must not change, with
//! code planted that says so, in a file and aloud, when it runs.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::json;

use crate::support::{Ran, binary, skip};

/// What planted code says when it runs.
const RAN: &str = "PLANTED-CODE-RAN";
/// What stands in files that are nobody's business.
const SECRET: &str = "SECRET-7731";
/// A source that loses memory, so that there is something to show.
const LEAK: &str =
    "void *malloc(unsigned long);\nint f(int x) { char *p = malloc(CASE + 1); return p ? x : 0; }\n";
const FLAGS: &str = include_str!("hostile/flags.txt");

/// A project, and a folder beside it that must not change.
struct Scene {
    folder: tempfile::TempDir,
    before: BTreeMap<PathBuf, String>,
}

impl Scene {
    fn new() -> Scene {
        let folder = tempfile::tempdir().unwrap();
        let scene = Scene { folder, before: BTreeMap::new() };
        for name in ["project", "outside/home", "outside/tools"] {
            fs::create_dir_all(scene.folder.path().join(name)).unwrap();
        }
        scene.plant("outside/secret", &format!("{SECRET} x\n{SECRET} y\n"));
        // A compiler that takes every flag and does nothing, so that only what we do with the flags is seen.
        fs::copy("/bin/true", scene.path("outside/tools/cc")).unwrap();
        scene.plant("project/a.c", LEAK);
        scene
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    fn plant(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        if text.starts_with("#!") {
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
    }

    fn link(&self, target: impl AsRef<Path>, name: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(target, path).unwrap();
    }

    fn pipe(&self, name: &str) -> bool {
        Command::new("mkfifo").arg(self.path(name)).status().is_ok_and(|status| status.success())
    }

    /// A script that says that it ran, in the folder beside and aloud.
    fn planted(&self) -> String {
        format!("#!/bin/sh\necho {RAN} >&2\necho {RAN} > '{}'\nexit 1\n", self.text("outside/ran"))
    }

    /// Everything that flags may name: a library that says that it was loaded, settings and response files that load it.
    fn plant_all(&self) {
        let source = format!(
            "#include <stdio.h>\n#include <unistd.h>\n__attribute__((constructor)) static void ran(void) {{\n\
             \x20 FILE *file = fopen(\"{}\", \"w\");\n  if (file) {{ fputs(\"{RAN}\", file); fclose(file); }}\n\
             \x20 fputs(\"{RAN}\\n\", stderr);\n  _exit(1);\n}}\n",
            self.text("outside/ran")
        );
        self.plant("build/evil.c", &source);
        let library = self.path("project/EVIL.so");
        let built = ["cc", "gcc", "clang", "clang-19"].into_iter().any(|compiler| {
            let mut command = Command::new(compiler);
            command.args(["-shared", "-fPIC", "-o"]).arg(&library).arg(self.path("build/evil.c"));
            command.status().is_ok_and(|status| status.success())
        });
        if !built {
            skip("no compiler for the planted library");
        }
        for name in [
            "EVIL-ld",
            "EVIL-program",
            "EVIL/as",
            "EVIL/ld",
            "EVIL/cc1",
            "EVIL/clang",
            "clang",
            "clang-19",
            "git",
        ] {
            self.plant(&format!("project/{name}"), &self.planted());
        }
        // As the tools of a graphics card are laid out.
        let tools = "outside/EVIL-root/usr/local/cuda";
        self.plant(&format!("{tools}/bin/nvptx-arch"), &self.planted());
        self.plant(&format!("{tools}/include/cuda.h"), "#define CUDA_VERSION 11000\n");
        self.plant(&format!("{tools}/nvvm/libdevice/libdevice.10.bc"), "");
        let load = "-fplugin=./EVIL.so\n";
        for name in ["EVIL.cfg", "clang.cfg", "x86_64-unknown-linux-gnu.cfg", "EVIL.rsp", "EVIL.specs"] {
            self.plant(&format!("project/{name}"), load);
        }
        self.plant("project/EVIL-nested.rsp", "@EVIL.rsp @EVIL-nested-more.rsp");
        self.plant("project/EVIL-nested-more.rsp", "-Xclang -load -Xclang ./EVIL.so @EVIL-latin.rsp");
        fs::write(self.path("project/EVIL-latin.rsp"), b"-DX=\xff -fplugin=./EVIL.so").unwrap();
    }

    /// A database with the given flags, the number of its line in each.
    fn database(&self, lists: &[Vec<String>]) {
        let entry = |(number, flags): (usize, &Vec<String>)| {
            let mut arguments = vec!["cc".to_owned()];
            arguments.extend(flags.iter().cloned());
            // Each writes a file of its own, or else the last would be the only one that counts.
            let output = format!("{number}.o");
            arguments.extend([format!("-DCASE={number}"), "-c".into(), "a.c".into(), "-o".into(), output]);
            json!({ "directory": self.path("project"), "file": "a.c", "arguments": arguments })
        };
        let entries: Vec<_> = lists.iter().enumerate().map(entry).collect();
        self.plant("project/compile_commands.json", &json!(entries).to_string());
    }

    /// A program that answers as clang does to `--version`, and else says what it was given, as an error.
    fn stand_in(&self) -> String {
        let script = "#!/bin/sh\nif [ \"$1\" = --version ]; then echo 'clang version 19.1.7'; exit 0; fi\n\
                      { printf 'unit.c:1:1: error: GIVEN|'; printf '%s|' \"$@\"; printf 'ENVIRONMENT|'; \
                      env | tr '\\n' '|'; echo; } >&2\nexit 1\n";
        self.plant("outside/tools/stand-in", script);
        self.text("outside/tools/stand-in")
    }

    /// The binary in the project.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(binary());
        command.args(arguments).current_dir(self.path("project")).stdin(Stdio::null());
        command.env("HOME", self.path("outside/home")).env_remove("WATERTIGHT_CLANG");
        command
    }

    /// Remembers how everything is now.
    fn watch(&mut self) {
        self.before = self.look();
    }

    fn look(&self) -> BTreeMap<PathBuf, String> {
        let mut seen = BTreeMap::new();
        let mut folders = vec![self.path("outside"), self.path("project")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                let kind = fs::symlink_metadata(&path).unwrap().file_type();
                if path == self.path("project/.watertight") && kind.is_dir() {
                    continue;
                }
                let content = match () {
                    () if kind.is_dir() => "folder".to_owned(),
                    () if kind.is_symlink() => format!("link to {}", fs::read_link(&path).unwrap().display()),
                    () if kind.is_file() => {
                        format!("{:?}", String::from_utf8_lossy(&fs::read(&path).unwrap()))
                    }
                    () => "special".to_owned(),
                };
                if kind.is_dir() {
                    folders.push(path.clone());
                }
                seen.insert(path, content);
            }
        }
        seen
    }

    /// Nothing changed since [`Scene::watch`], and nothing planted ran.
    #[track_caller]
    fn unchanged(&self, ran: &Ran) {
        let now = self.look();
        for (path, content) in &now {
            assert_eq!(self.before.get(path), Some(content), "{} was written: {ran:#?}", path.display());
        }
        assert_eq!(self.before.len(), now.len(), "something was removed: {ran:#?}");
        assert!(!ran.stdout.contains(RAN) && !ran.stderr.contains(RAN), "planted code ran: {ran:#?}");
        assert!(!ran.stdout.contains(SECRET) && !ran.stderr.contains(SECRET), "text was shown: {ran:#?}");
    }

    #[track_caller]
    fn harmless(&mut self, arguments: &[&str]) -> Ran {
        self.watch();
        let ran = Ran::of(&mut self.command(arguments));
        self.unchanged(&ran);
        ran
    }
}

/// The flags of the data file, with what of them may reach clang.
fn cases(scene: &Scene) -> Vec<(Vec<String>, Option<&'static str>)> {
    let outside = scene.text("outside");
    FLAGS
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| {
            let (flags, expected) = match line.split_once(" => ") {
                Some((flags, expected)) => (flags, Some(expected)),
                None => (line, None),
            };
            (flags.split_whitespace().map(|word| word.replace("OUT", &outside)).collect(), expected)
        })
        .collect()
}

/// What a stand-in for clang was given, by the number of the case: arguments and environment.
fn given(ran: &Ran) -> BTreeMap<usize, (String, String)> {
    let mut given = BTreeMap::new();
    for line in ran.stderr.lines().filter_map(|line| line.split_once("GIVEN|").map(|(_, rest)| rest)) {
        let (arguments, environment) = line.split_once("ENVIRONMENT|").unwrap();
        let number = arguments.split('|').find_map(|word| word.strip_prefix("-DCASE=")).unwrap();
        given.insert(number.parse().unwrap(), (arguments.to_owned(), environment.to_owned()));
    }
    given
}

#[test]
fn no_hostile_flag_reaches_clang() {
    let scene = Scene::new();
    scene.plant_all();
    let clang = scene.stand_in();
    let cases = cases(&scene);
    assert!(cases.len() >= 120, "only {} lists of flags", cases.len());
    scene.database(&cases.iter().map(|(flags, _)| flags.clone()).collect::<Vec<_>>());
    let ran = Ran::of(&mut scene.command(&["check", "-v", "--clang", &clang, "-p", "."]));
    let given = given(&ran);
    assert_eq!(given.len(), cases.len(), "{ran:#?}");
    for (number, (flags, expected)) in cases.iter().enumerate() {
        let mut arguments = given[&number].0.clone();
        for word in arguments.split('|') {
            assert!(!word.starts_with('@'), "{flags:?} gives {arguments}");
        }
        if let Some(expected) = expected {
            let expected = expected.replace("OUT", &scene.text("outside"));
            assert!(arguments.contains(&expected), "{flags:?} gives {arguments}");
            arguments = arguments.replace(&expected, "");
        }
        for word in [
            "EVIL",
            "-ftrapv",
            "sanitize",
            "profile",
            "coverage",
            "-instrument",
            "time-trace",
            "-save",
            "stat-report",
            "optimization-record",
            "-modules",
            "config=",
            "driver-mode",
            "rsp-quoting",
        ] {
            let harmless = arguments.replace(&scene.text("outside"), "");
            assert!(!harmless.contains(word), "{word}: {flags:?} gives {arguments}");
        }
    }
}

#[test]
fn hostile_flags_execute_and_write_nothing() {
    let mut scene = Scene::new();
    scene.plant_all();
    let lists: Vec<_> = cases(&scene).into_iter().map(|(flags, _)| flags).collect();
    scene.database(&lists);
    let ran = scene.harmless(&["check", "-v", "--rules", "all", "-p", "."]);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    // With a warm cache, and with none.
    scene.harmless(&["check", "-p", "."]);
    scene.database(&lists.into_iter().step_by(5).collect::<Vec<_>>());
    scene.harmless(&["check", "--no-cache", "-p", "."]);
}

#[test]
fn hostile_flags_of_a_build_execute_and_write_nothing() {
    let mut scene = Scene::new();
    scene.plant_all();
    let quote = |word: &String| format!("'{}'", word.replace('\'', r"'\''"));
    let mut build = String::new();
    for (number, (flags, _)) in cases(&scene).iter().enumerate().step_by(4) {
        let words: Vec<String> = flags.iter().map(quote).collect();
        build += &format!("cc {} -DCASE={number} -c a.c -o {number}.o\n", words.join(" "));
    }
    scene.plant("project/build.sh", &build);
    scene.watch();
    let path = format!("{}:{}", scene.text("outside/tools"), std::env::var("PATH").unwrap_or_default());
    let mut command = scene.command(&["run", "-v", "--", "/bin/sh", "build.sh"]);
    let ran = Ran::of(command.env("PATH", path));
    scene.unchanged(&ran);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
}

#[test]
fn hostile_flags_behind_a_page_execute_and_write_nothing() {
    let mut scene = Scene::new();
    scene.plant_all();
    scene.database(&cases(&scene).into_iter().map(|(flags, _)| flags).step_by(4).collect::<Vec<_>>());
    scene.watch();
    let mut command = scene.command(&["serve", "--listen", "127.0.0.1:0", "-p", "."]);
    let mut server = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    let mut output = std::io::BufReader::new(server.stdout.take().unwrap());
    std::io::BufRead::read_line(&mut output, &mut line).unwrap();
    server.kill().unwrap();
    server.wait().unwrap();
    assert!(line.starts_with("http://"), "{line}");
    scene.unchanged(&Ran { code: None, stdout: line, stderr: String::new() });
}

/// Variables that make clang, a linker or a program of LLVM take other flags, load code, or write.
const VARIABLES: &[(&str, &str)] = &[
    ("CCC_OVERRIDE_OPTIONS", "+-fplugin=./EVIL.so"),
    ("QA_OVERRIDE_GCC3_OPTIONS", "+-fplugin=./EVIL.so"),
    ("CCC_ADD_ARGS", "-fplugin=./EVIL.so"),
    ("CLANG_CONFIG_FILE_USER_DIR", "EVIL"),
    ("CLANG_CONFIG_FILE_SYSTEM_DIR", "EVIL"),
    ("CLANG_NO_DEFAULT_CONFIG", "EVIL"),
    ("CLANG_MODULE_CACHE_PATH", "EVIL"),
    ("CLANG_CRASH_DIAGNOSTICS_DIR", "EVIL"),
    ("CLANG_SPAWN_CC1", "EVIL"),
    ("CC_PRINT_OPTIONS", "EVIL"),
    ("CC_PRINT_OPTIONS_FILE", "EVIL"),
    ("CC_PRINT_HEADERS", "EVIL"),
    ("CC_PRINT_HEADERS_FILE", "EVIL"),
    ("CC_PRINT_INTERNAL_STAT", "EVIL"),
    ("CC_PRINT_INTERNAL_STAT_FILE", "EVIL"),
    ("CC_LOG_DIAGNOSTICS", "EVIL"),
    ("CC_LOG_DIAGNOSTICS_FILE", "EVIL"),
    ("CC_PRINT_PROC_STAT", "EVIL"),
    ("CC_PRINT_PROC_STAT_FILE", "EVIL"),
    ("LIBCLANG_LOGGING", "EVIL"),
    ("RC_DEBUG_OPTIONS", "EVIL"),
    ("FORCE_CLANG_DIAGNOSTICS_CRASH", "EVIL"),
    ("DEPENDENCIES_OUTPUT", "EVIL"),
    ("SUNPRO_DEPENDENCIES", "EVIL"),
    ("COMPILER_PATH", "EVIL"),
    ("LIBRARY_PATH", "EVIL"),
    ("GCC_EXEC_PREFIX", "EVIL"),
    ("GCC_COMPARE_DEBUG", "EVIL"),
    ("COLLECT_GCC_OPTIONS", "EVIL"),
    ("LD_LIBRARY_PATH", "EVIL"),
    ("LD_BIND_NOW", "EVIL"),
    ("LLVM_PROFILE_FILE", "EVIL"),
    ("LLVM_SYMBOLIZER_PATH", "EVIL"),
    ("LLVM_DISABLE_CRASH_REPORT", "EVIL"),
    ("ASAN_OPTIONS", "log_path=EVIL"),
    ("UBSAN_OPTIONS", "log_path=EVIL"),
    ("MSAN_SYMBOLIZER_PATH", "EVIL"),
    ("CLANG_TOOLCHAIN_PROGRAM_TIMEOUT", "EVIL"),
    ("XDG_CONFIG_HOME", "EVIL"),
    ("TMPPREFIX", "EVIL"),
    ("BASH_ENV", "EVIL"),
    ("ENV", "EVIL"),
    ("SOURCE_DATE_EPOCH", "EVIL"),
];

#[test]
fn no_variable_reaches_clang() {
    let mut scene = Scene::new();
    scene.plant_all();
    let clang = scene.stand_in();
    scene.database(&[vec![]]);
    let mut command = scene.command(&["check", "-v", "--clang", &clang, "-p", "."]);
    let ran = Ran::of(command.envs(VARIABLES.iter().copied()).env("CPATH", "include"));
    let environment = &given(&ran)[&0].1;
    let names: Vec<&str> =
        environment.split('|').filter_map(|line| line.split_once('=')).map(|(name, _)| name).collect();
    // A shell sets the last ones itself. CPATH only says where headers are, as `-I` does.
    let allowed = ["PATH", "LC_ALL", "HOME", "TMPDIR", "CPATH", "PWD", "OLDPWD", "SHLVL", "_"];
    for name in names {
        assert!(allowed.contains(&name), "{name} reaches clang: {environment}");
    }
    assert!(!environment.contains("EVIL"), "{environment}");

    scene.watch();
    let ran = Ran::of(scene.command(&["check", "-p", "."]).envs(VARIABLES.iter().copied()));
    scene.unchanged(&ran);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
}

#[test]
fn programs_of_the_project_are_not_found() {
    let mut scene = Scene::new();
    scene.plant_all();
    let real = std::env::var("PATH").unwrap_or_default();
    for path in [format!(":{real}"), format!(".:{real}"), format!("EVIL:./EVIL:{real}"), format!("{real}:")] {
        scene.watch();
        let mut command = scene.command(&["check", "--no-cache", "a.c", "--", "-DCASE=1"]);
        let ran = Ran::of(command.env("PATH", &path));
        scene.unchanged(&ran);
        assert_eq!(ran.code, Some(1), "{path}: {ran:#?}");
    }
    for clang in ["./clang", "EVIL/clang"] {
        scene.watch();
        let mut command = scene.command(&["check", "--no-cache", "a.c", "--", "-DCASE=1"]);
        let ran = Ran::of(command.env("WATERTIGHT_CLANG", clang));
        scene.unchanged(&ran);
        ran.exits(3).says("WATERTIGHT_CLANG");
    }
}

#[test]
fn names_that_look_like_flags_are_names() {
    let mut scene = Scene::new();
    let names = ["-oEVIL.c", "@EVIL.c", "-fplugin=EVIL.c", "--config=EVIL.c", "a b.c", "-x.c", "a;b.c"];
    let entries: Vec<_> = names
        .iter()
        .enumerate()
        .map(|(number, name)| {
            scene.plant(&format!("project/{name}"), &LEAK.replace("f(int", &format!("f{number}(int")));
            let arguments = ["cc", "-DCASE=1", "-c", "--", name];
            json!({ "directory": ".", "file": name, "arguments": arguments })
        })
        .collect();
    scene.plant("project/compile_commands.json", &json!(entries).to_string());
    let ran = scene.harmless(&["check", "--format", "json", "-p", "."]);
    assert_eq!(ran.json()["findings"].as_array().map(Vec::len), Some(names.len()), "{ran:#?}");
}

#[test]
fn links_in_the_cache_are_not_followed() {
    for name in [
        "",
        "cache",
        "cache/v2",
        "cache/v2/tmp",
        "cache/v2/units",
        "cache/v2/manifests",
        "cache/v2/units/00",
        "cache/v2/builds",
        "cache/v2/tools",
        "store.db",
        "store.db-wal",
        "store.db-journal",
        "store.lock",
        "cache/.gitignore",
    ] {
        let targets = ["outside/home", "outside/secret", "outside/absent"];
        // One target for each name, but all for the folder itself.
        for target in if name.is_empty() { &targets[..] } else { &targets[name.len() % 3..][..1] } {
            let mut scene = Scene::new();
            let name = format!("project/.watertight/{name}");
            scene.link(scene.path(target), name.trim_end_matches('/'));
            let ran = scene.harmless(&["check", "a.c", "--", "-DCASE=1"]).exits(1);
            ran.says("nothing is kept");
        }
    }
}

#[test]
fn planted_libraries_and_shims_are_not_used() {
    let mut scene = Scene::new();
    scene.plant_all();
    // Under every name that the observer may ever have had.
    for name in ["observer.so", "observer-0000000000000000.so"] {
        let place = scene.path(&format!("project/.watertight/cache/v2/tools/{name}"));
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        let _ = fs::copy(scene.path("project/EVIL.so"), place);
    }
    for name in ["sh", "cc", "clang", "true"] {
        scene.plant(&format!("project/.watertight/cache/v2/tools/shims/{name}"), &scene.planted());
    }
    // The first run leaves whatever it keeps, which is then replaced.
    scene.plant("project/build.sh", "cc -DCASE=1 -c a.c\n");
    let path = format!("{}:{}", scene.text("outside/tools"), std::env::var("PATH").unwrap_or_default());
    for _ in 0..2 {
        scene.watch();
        let mut command = scene.command(&["run", "--", "/bin/sh", "build.sh"]);
        let ran = Ran::of(command.env("PATH", &path));
        scene.unchanged(&ran);
        ran.exits(1);
        let tools = scene.path("project/.watertight/cache/v2/tools");
        for entry in fs::read_dir(tools).unwrap().flatten() {
            if entry.path().is_file() {
                fs::copy(scene.path("project/EVIL.so"), entry.path()).unwrap();
            }
        }
    }
}

#[test]
fn settings_stay_in_the_project() {
    let outside = "../outside";
    for (text, trusted) in [
        (format!("cache = '{outside}/home'"), 1),
        (format!("cache = '{outside}/home/new/deeper'"), 1),
        ("cache = 'link/home'".to_owned(), 1),
        ("cache = 'sub/../../outside/home'".to_owned(), 1),
        (format!("models = ['{outside}/secret']"), 2),
        ("models = ['link/secret']".to_owned(), 2),
        ("models = ['secret.model']".to_owned(), 2),
        (format!("properties = ['{outside}/secret.property']"), 2),
        (format!("baseline = '{outside}/secret'"), 2),
        ("baseline = 'link/secret'".to_owned(), 2),
        ("models = ['/proc/self/environ']".to_owned(), 2),
        ("models = ['/etc/passwd']".to_owned(), 2),
    ] {
        let mut scene = Scene::new();
        scene.link("../outside", "project/link");
        scene.link("../outside/secret", "project/secret.model");
        scene.plant("outside/secret.property", SECRET);
        scene.plant("project/watertight.toml", &text);
        let check = ["check", "a.c", "--", "-DCASE=1"];
        scene.harmless(&check).exits(2).says("outside of the project").does_not_say("root:");
        // Who wants it can have it.
        let ran = Ran::of(&mut scene.command(&["check", "--trust-paths", "a.c", "--", "-DCASE=1"]));
        assert!(ran.code == Some(trusted) || ran.code == Some(1), "{text}: {ran:#?}");
        assert!(!ran.stderr.contains("leads out"), "{text}: {ran:#?}");
    }
    // Files that are read without being named, and the file with the settings.
    let mut scene = Scene::new();
    scene.link("../outside/secret", "project/near.model");
    scene.link("../outside/secret", "project/near.property");
    scene.harmless(&["check", "a.c", "--", "-DCASE=1"]).exits(1);
    scene.link("../outside/secret", "project/watertight.toml");
    scene.harmless(&["check", "a.c", "--", "-DCASE=1"]).exits(2).says("outside of the project");
}

#[test]
fn foreign_text_is_shown_in_no_format() {
    let mut scene = Scene::new();
    scene.plant("project/.env", &format!("{SECRET}\n").repeat(9));
    scene.plant("project/notes.txt", &format!("{SECRET}\n").repeat(9));
    scene.link("../outside/secret", "project/link.c");
    let secret = scene.text("outside/secret");
    let names =
        [&*secret, "../outside/secret", ".env", "notes.txt", "link.c", "/proc/self/environ", "/etc/passwd"];
    let mut inputs = Vec::new();
    for (number, name) in names.iter().enumerate() {
        for (way, end) in [("#line 1", "c"), ("# 1", "c"), ("# 1", "i")] {
            let file = format!("f{number}{}.{end}", way.len());
            let body = "void *malloc(unsigned long);\n#MARK\nint NAME(int x) { char *p = malloc(7); return p ? x : 0; }\n";
            let body =
                body.replace("#MARK", &format!("{way} \"{name}\"")).replace("NAME", &file.replace('.', "_"));
            scene.plant(&format!("project/{file}"), &body);
            inputs.push(file);
        }
    }
    let home = format!("HOME={}", scene.text("outside/home"));
    for format in ["text", "gcc", "json", "sarif", "github", "gitlab", "junit", "checkstyle", "html"] {
        for way in ["-v", "--no-cache"] {
            // Without a cache all is compiled again, which the formats do not change.
            if way == "--no-cache" && !matches!(format, "text" | "sarif") {
                continue;
            }
            let mut arguments = vec!["check", way, "--format", format];
            arguments.extend(inputs.iter().map(String::as_str));
            let ran = scene.harmless(&arguments).exits(1);
            ran.does_not_say(&home).does_not_say("root:x:");
        }
    }
    // Words of what does not compile are not quoted either, whichever way it came in.
    scene.plant("outside/words", &format!("{SECRET}:\n{SECRET}:\n").replace('-', "_"));
    scene.link("../outside/secret", "project/link.h");
    scene.link("../outside/secret", "project/link.i");
    scene.plant("project/g.c", &format!("#include \"{secret}\"\n"));
    scene.plant("project/h.c", "#include \"link.h\"\n");
    let assembly = format!("asm(\".include \\\"{}\\\"\");\n", scene.text("outside/words"));
    scene.plant("project/s.c", &assembly);
    let not_shown = "are not shown";
    let ways = [("g.c", not_shown), ("h.c", not_shown), ("link.i", not_shown), ("s.c", "symbol '...' is")];
    for (source, expected) in ways {
        let ran = Ran::of(&mut scene.command(&["check", "-v", source]));
        ran.exits(3).says(expected).does_not_say("'SECRET").does_not_say("'secret");
    }
}

#[test]
fn pipes_and_devices_do_not_block() {
    let mut scene = Scene::new();
    for name in ["pipe", "pipe.c", "pipe.h", "pipe.rsp", "pipe.model", "known.json"] {
        if !scene.pipe(&format!("project/{name}")) {
            return skip("no pipes can be made here");
        }
    }
    let entry = |flags: &[&str], file: &str| {
        let mut arguments = vec!["cc", "-DCASE=1"];
        arguments.extend(flags);
        arguments.extend(["-c", file]);
        json!({ "directory": ".", "file": file, "arguments": arguments })
    };
    let entries = json!([
        entry(&[], "pipe.c"),
        entry(&["-include", "pipe.h"], "a.c"),
        entry(&["-imacros", "./pipe"], "a.c"),
        entry(&["-include", "/dev/zero"], "a.c"),
        entry(&["@pipe.rsp"], "a.c"),
        entry(&["@/dev/zero"], "a.c"),
        entry(&[], "/dev/zero"),
    ]);
    scene.plant("project/compile_commands.json", &entries.to_string());
    scene.harmless(&["check", "-p", "."]);
    scene.plant("project/watertight.toml", "models = ['pipe.model']");
    scene.harmless(&["check", "-p", "."]);
    scene.plant("project/watertight.toml", "baseline = 'known.json'");
    scene.harmless(&["check", "-p", "."]).exits(2);
}

#[test]
fn compiled_headers_are_not_read() {
    let mut scene = Scene::new();
    scene.plant("project/x.h", "#define TEXT 1\n");
    // clang's driver prefers what is compiled, and then stops at what it cannot read.
    for name in ["x.h.pch", "x.h.gch/one", "d/y.h.gch"] {
        scene.plant(&format!("project/{name}"), "no header");
    }
    scene.plant("project/d/y.h", "#if !TEXT\n#error in order\n#endif\n");
    let order = ["-include", "x.h", "--include=y.h", "-I", "d"];
    scene.database(&[order.map(str::to_owned).to_vec()]);
    scene.harmless(&["check", "-p", "."]).exits(1);
}

#[test]
fn reports_are_not_written_through_links() {
    let mut scene = Scene::new();
    scene.link("../outside/home/.profile", "project/watertight-baseline.json");
    scene.link("../outside/secret", "project/report.json");
    scene.harmless(&["baseline", "a.c", "--", "-DCASE=1"]).exits(2).says("is a symbolic link");
    let check = ["check", "--format", "json", "-o", "report.json", "a.c", "--", "-DCASE=1"];
    scene.harmless(&check).exits(2).says("is a symbolic link");
}

#[test]
fn zero_bytes_cost_only_their_own_unit() {
    let mut scene = Scene::new();
    scene.plant(
        "project/compile_commands.json",
        r#"[{"directory": ".", "file": "a.c", "arguments": ["cc", "-DX=\u0000", "-DCASE=1", "-c", "a.c"]},
            {"directory": ".", "file": "a.c", "arguments": ["cc", "-DCASE=2", "-c", "a.c"]},
            {"directory": "x\u0000y", "file": "a.c", "arguments": ["cc", "-DCASE=3", "-c", "a.c"]}]"#,
    );
    scene.harmless(&["check", "-p", "."]).exits(1);
}

#[test]
fn git_runs_nothing_of_a_work_tree() {
    let mut scene = Scene::new();
    scene.plant("outside/tools/planted", &scene.planted());
    let (planted, tools) = (&*scene.text("outside/tools/planted"), &*scene.text("outside/tools"));
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.args(arguments).current_dir(scene.path("project")).env("HOME", scene.path("outside/home"));
        let made = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
        made.is_ok_and(|status| status.success())
    };
    let person = ["-c", "user.name=x", "-c", "user.email=x@example.org"];
    scene.plant("project/.gitattributes", "*.c filter=evil diff=evil\n");
    let commit = [&person[..], &["commit", "-q", "-m", "x"]].concat();
    if !git(&["init", "-q"]) || !git(&["add", "."]) || !git(&commit) {
        return skip("no git");
    }
    for (key, value) in [
        ("core.fsmonitor", planted),
        ("core.hooksPath", tools),
        ("core.pager", planted),
        ("diff.external", planted),
        ("diff.evil.command", planted),
        ("diff.evil.textconv", planted),
        ("filter.evil.clean", planted),
        ("filter.evil.smudge", planted),
        ("filter.evil.process", planted),
        ("filter.evil.required", "true"),
        ("core.sshCommand", planted),
        ("core.alternateRefsCommand", planted),
        ("gpg.program", planted),
    ] {
        assert!(git(&["config", key, value]));
    }
    scene.plant("project/a.c", &format!("{LEAK}\n"));
    scene.watch();
    let ran = Ran::of(&mut scene.command(&["check", "--since", "HEAD", "a.c", "--", "-DCASE=1"]));
    scene.unchanged(&ran);
    assert!(ran.code == Some(0) || ran.code == Some(1), "{ran:#?}");
}
