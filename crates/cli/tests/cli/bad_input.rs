//! Everything that is wrong with an input or a machine: a clear message that names the file, the right exit code, no
//! panic, and nothing of the other units lost.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use crate::bitstream::{from_the_future, unreadable_by, with_unknown_instruction};
use crate::support::{ONE_FUNCTION, Project, Ran, binary, skip};

/// How many files and functions a run with `--format json` looked at.
fn looked_at(ran: &Ran) -> (u64, u64) {
    let summary = &ran.json()["summary"];
    (summary["files"].as_u64().unwrap(), summary["functions"].as_u64().unwrap())
}

#[test]
fn wrong_usage() {
    let project = Project::new(&[("a.c", ONE_FUNCTION)]);
    project.run(&[]).exits(2).says("Usage");
    project.run(&["frobnicate"]).exits(2).says("frobnicate");
    project.run(&["exec"]).exits(2).says("no input files");
    project.run(&["check", "--frobnicate", "a.c"]).exits(2).says("--frobnicate");
    project.run(&["check", "--threads", "0", "a.c"]).exits(2).says("--threads");
    project.run(&["check", "--confidence", "full", "a.c"]).exits(2).says("use high, medium or low");
    project.run(&["check", "--rules", "frobnicate", "a.c"]).exits(2).says("there is no rule `frobnicate`");
    project.run(&["check", "a.c", "--", "b.c"]).exits(2).says("`b.c` after `--` is not a compiler flag");
    project.run(&["run"]).exits(2).says("BUILD");
    project.run(&["check", "-p", "nowhere"]).says("nowhere");
}

#[test]
fn missing_file() {
    let project = Project::new(&[("a.c", ONE_FUNCTION)]);
    project.run(&["check", "absent.c"]).exits(2).says("absent.c: no such file");
    let ran = project.run(&["check", "absent.c", "a.c", "--format", "json"]).exits(2);
    assert_eq!(looked_at(&ran), (1, 1));
    project.run(&["check", "absent.c", "a.c"]).exits(2).says("`absent.c`: no such file");
    project.run(&["dump", "ir", "absent.ir"]).exits(3).says("absent.ir");
}

#[test]
fn empty_file() {
    let project = Project::new(&[("empty.c", ""), ("empty.bc", ""), ("empty.ll", ""), ("a.c", ONE_FUNCTION)]);
    let ran = project.run(&["check", "empty.c", "--format", "json"]).exits(0);
    assert_eq!(looked_at(&ran), (1, 0));
    project.run(&["check", "empty.bc"]).exits(3).says("empty.bc");
    let ran = project.run(&["check", "empty.bc", "a.c", "--format", "json"]).exits(3);
    assert_eq!(looked_at(&ran), (1, 1));
}

#[test]
fn syntax_error_in_one_of_two_files() {
    let project = Project::new(&[("bad.c", "int f( {\n"), ("a.c", ONE_FUNCTION)]);
    project.run(&["check", "bad.c"]).exits(3).says("bad.c does not compile").says("bad.c:1:");
    let ran = project.run(&["check", "bad.c", "a.c", "--format", "json"]).exits(3);
    assert_eq!(looked_at(&ran), (1, 1));
    assert_eq!(ran.json()["summary"]["failed"], 1);
    project.run(&["check", "bad.c", "a.c"]).exits(3).says("could not analyse `bad.c`").says("bad.c:1:");
    // The whole message of the compiler for those who ask, but not the text that it is about: it may be anybody's.
    let ran = project.run(&["check", "-v", "bad.c", "a.c"]).exits(3).says("to match this '('");
    ran.does_not_say("int f( {");
}

#[test]
fn truncated_bitcode() {
    let project = Project::new(&[("a.c", ONE_FUNCTION), ("b.c", "int two(void) { return 2; }\n")]);
    let whole = project.bitcode("a.c");
    let mut arguments: Vec<String> = ["check", "--format", "json", "b.c"].map(str::to_owned).into();
    for number in 0..40 {
        let name = format!("cut{number}.bc");
        // The last cut is just inside the last word, which may be padding; what is checked below is that all others
        // fail and that none panics.
        project.write(&name, &whole[..whole.len() * number / 40]);
        arguments.push(name);
    }
    let ran = project.run(&arguments.iter().map(String::as_str).collect::<Vec<_>>()).exits(3);
    assert_eq!(ran.json()["summary"]["failed"], 40, "{ran:#?}");
    assert_eq!(looked_at(&ran), (1, 1));
    project
        .run(&["check", "cut20.bc"])
        .exits(3)
        .says("could not analyse `cut20.bc`")
        .says("compile it again");
}

#[test]
fn damaged_bitcode() {
    let project = Project::new(&[("a.c", ONE_FUNCTION), ("b.c", "int two(void) { return 2; }\n")]);
    let whole = project.bitcode("a.c");
    let mut arguments: Vec<String> = ["check", "--format", "json", "b.c"].map(str::to_owned).into();
    for number in 0..60 {
        let mut bytes = whole.clone();
        let position = 8 + number * (bytes.len() - 8) / 60;
        bytes[position] ^= 1 << (number % 8);
        let name = format!("flip{number}.bc");
        project.write(&name, &bytes);
        arguments.push(name);
    }
    // Some damage goes unnoticed, in names for example. Whatever happens, it is no bug and the good unit is there.
    let ran = project.run(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(ran.code == Some(3), "{ran:#?}");
    assert!(looked_at(&ran).0 >= 1 && looked_at(&ran).1 >= 1, "{ran:#?}");
}

#[test]
fn random_bytes() {
    let project = Project::new(&[("a.c", ONE_FUNCTION)]);
    // A fixed generator, so that a failure can be repeated.
    let mut state = 1u64;
    let mut byte = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u8
    };
    let noise: Vec<u8> = (0..4096).map(|_| byte()).collect();
    let mut with_magic = b"BC\xc0\xde".to_vec();
    with_magic.extend(&noise);
    project.write("noise.bc", &noise);
    project.write("magic.bc", &with_magic);
    project.write("noise.ir", &noise);
    project.write("noise.c", &noise);
    project.write("noise.ll", &noise);
    project.run(&["check", "noise.bc"]).exits(3).says("`noise.bc`: not an LLVM bitcode file");
    for name in ["magic.bc", "noise.ir", "noise.c", "noise.ll"] {
        project.run(&["check", name]).exits(3).says(name);
    }
    let ran = project
        .run(&["check", "--format", "json", "noise.bc", "magic.bc", "noise.ir", "noise.c", "a.c"])
        .exits(3);
    assert_eq!(looked_at(&ran), (1, 1));
}

#[test]
fn bitcode_of_a_future_version() {
    let project = Project::new(&[("a.c", ONE_FUNCTION)]);
    project.write("epoch.bc", from_the_future(1, 1));
    project.write("record.bc", from_the_future(0, 4000));
    project
        .run(&["check", "epoch.bc"])
        .exits(3)
        .says("epoch.bc")
        .says("written by LLVM99.0.0")
        .says("a new epoch")
        .says("compile it with a clang of version 14 to 22");
    project
        .run(&["check", "record.bc"])
        .exits(3)
        .says("record.bc")
        .says("written by LLVM99.0.0")
        .says("code 4000")
        .says("compile it with a clang of version 14 to 22");
    // What is known has a form that is not, which could as well be damage.
    project.write("form.bc", unreadable_by("LLVM99.0.0"));
    project
        .run(&["check", "form.bc"])
        .exits(3)
        .says("written by LLVM99.0.0, while the newest known is LLVM 22")
        .says("compile it with a clang of version 14 to 22");
    project.write("damaged.bc", unreadable_by("LLVM19.1.7"));
    project.run(&["check", "damaged.bc"]).exits(3).says("malformed bitcode").says("compile it again");
    let ran = project.run(&["check", "--format", "json", "epoch.bc", "record.bc", "form.bc", "a.c"]).exits(3);
    assert_eq!(looked_at(&ran), (1, 1));
    // An instruction of the future costs the function it stands in, and nobody takes the rest for the whole.
    project.write("body.bc", with_unknown_instruction("LLVM99.0.0"));
    project
        .run(&["check", "body.bc"])
        .exits(3)
        .says("body.bc")
        .says("written by LLVM99.0.0")
        .says("code 4000 in the FUNCTION block")
        .says("compile it with a clang of version 14 to 22");
    let ran = project.run(&["check", "--format", "json", "body.bc", "a.c"]).exits(3);
    assert_eq!(looked_at(&ran), (2, 1));
}

#[test]
fn units_for_different_machines() {
    let project = Project::new(&[("a.c", ONE_FUNCTION), ("b.c", "int two(void) { return 2; }\n")]);
    let entry = |file: &str, flag: &str| {
        format!(
            r#"{{"directory": "{}", "file": "{file}", "command": "cc {flag} -c {file}"}}"#,
            project.path().display()
        )
    };
    let database = format!("[{}, {}]", entry("a.c", "-m64"), entry("b.c", "-m32"));
    project.write("compile_commands.json", database);
    let ran = project.run(&["check", "-p", ".", "--format", "json"]).exits(3);
    assert_eq!(looked_at(&ran), (1, 1));
    project.run(&["check", "-p", "."]).exits(3).says("`b.c`").says("a run of their own");
}

#[test]
fn directories() {
    let project = Project::new(&[("a.c", ONE_FUNCTION), ("empty/readme.txt", "nothing to see")]);
    std::fs::create_dir(project.path().join("folder.bc")).unwrap();
    project.run(&["check", "empty"]).exits(3).says("no C file was found to analyse");
    project.run(&["check", "folder.bc"]).exits(3).says("no C file was found to analyse");
    let ran = project.run(&["check", "folder.bc", "a.c", "--format", "json"]).exits(0);
    assert_eq!(looked_at(&ran), (1, 1));
    // Text IR is the one kind that is opened without a look at what it is.
    std::fs::create_dir(project.path().join("folder.ir")).unwrap();
    project.run(&["check", "folder.ir"]).exits(3).says("folder.ir");
}

#[test]
fn unreadable_directory() {
    let project = Project::new(&[("secret/a.c", ONE_FUNCTION), ("b.c", ONE_FUNCTION)]);
    let secret = project.path().join("secret");
    std::fs::set_permissions(&secret, std::fs::Permissions::from_mode(0o000)).unwrap();
    let mut command = project.command(&["check", "--no-cache", "secret", "b.c", "--format", "json"]);
    if std::fs::read_dir(&secret).is_ok() {
        // The superuser reads everything, so somebody else has to try.
        std::fs::set_permissions(project.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        let nobody = |program: &OsStr| {
            let mut command = Command::new("setpriv");
            command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(program);
            command.current_dir(project.path()).stdin(Stdio::null());
            command
        };
        let works = nobody(OsStr::new(binary())).arg("version").stdout(Stdio::null()).status();
        if !works.is_ok_and(|status| status.success()) {
            return skip("the superuser can read everything, and nobody else can run the binary");
        }
        let arguments: Vec<_> = command.get_args().map(OsStr::to_owned).collect();
        command = nobody(OsStr::new(binary()));
        command.args(arguments);
    }
    let ran = Ran::of(&mut command).exits(3).says("secret").says("cannot be read");
    assert_eq!(looked_at(&ran), (1, 1));
    std::fs::set_permissions(&secret, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn no_clang() {
    let project = Project::new(&[("a.c", ONE_FUNCTION)]);
    let bitcode = project.bitcode("a.c");
    project.write("a.bc", bitcode);
    let missing = "/nonexistent/clang";
    project.run(&["check", "a.c", "--clang", missing]).exits(3).says(missing);
    let mut command = project.command(&["check", "a.c"]);
    Ran::of(command.env("WATERTIGHT_CLANG", missing)).exits(3).says(missing);
    // Bitcode needs no clang.
    let mut command = project.command(&["check", "a.bc", "--format", "json"]);
    let ran = Ran::of(command.env("WATERTIGHT_CLANG", missing).env("PATH", "")).exits(0);
    assert_eq!(looked_at(&ran), (1, 1));
    // A program that is no clang.
    project.run(&["check", "a.c", "--clang", "/bin/true"]).exits(3).says("/bin/true");

    // With nothing on PATH and the usual places hidden.
    let script = "for place in /usr/lib/llvm* /usr/lib64/llvm* /usr/local/llvm*; do \
                  [ ! -d \"$place\" ] || mount -t tmpfs none \"$place\" || exit 99; done; unset WATERTIGHT_CLANG; PATH= exec \"$0\" check a.c";
    match in_own_mounts(&project, script) {
        Some(ran) => {
            ran.exits(3).says("no clang of version 14 or newer was found").says("apt-get install clang");
        }
        None => skip("this machine lets nobody mount, so its clang cannot be hidden"),
    }
}

#[test]
fn full_disk() {
    let project = Project::new(&[("a.c", ONE_FUNCTION)]);
    let functions: String =
        (0..2000).map(|number| format!("int f{number}(int x) {{ return x; }}\n")).collect();
    project.write("many.c", functions);
    std::fs::create_dir(project.path().join("tiny")).unwrap();
    let script = |size: &str, file: &str| {
        format!(
            "mount -t tmpfs -o size={size} none tiny || exit 99; exec \"$0\" check {file} --cache-dir tiny/cache"
        )
    };
    match in_own_mounts(&project, &script("128k", "many.c")) {
        Some(ran) => {
            ran.exits(3).says("no space left on the disk").says("many.c").says("another cache directory");
            // A disk that is full from the start cannot hold a cache at all; the run does without.
            let ran = in_own_mounts(&project, &script("4k", "a.c")).expect("it worked a moment ago");
            ran.exits(0).says("No space left").says("tiny/cache");
        }
        None => skip("this machine lets nobody mount a small disk"),
    }
    // The disk fills up while a build is watched. What was compiled before that is there.
    let build = "cc -c a.c; cat /dev/zero > $TMPDIR/filler; for i in 1 2 3 4 5 6; do env env env env env true; done; \
                 cc -c many.c; rm -f $TMPDIR/filler";
    let script = format!(
        "mount -t tmpfs -o size=1m none tiny || exit 99; export TMPDIR=$PWD/tiny; \
         exec \"$0\" run --cache-dir cache --format json -- sh -c '{build}' 2>said"
    );
    if let Some(ran) = in_own_mounts(&project, &script) {
        let ran = ran.exits(3).says("could not be recorded").says("set TMPDIR to another place");
        assert_eq!(looked_at(&ran), (1, 1));
    }
    project.run(&["check", "a.c", "-o", "/dev/full"]).exits(3).says("cannot write `/dev/full`");
    project.run(&["check", "a.c", "-o", "no/such/folder"]).exits(3).says("cannot write `no/such/folder");
    let mut command = project.command(&["dump", "ir", "a.c"]);
    let full = File::options().write(true).open("/dev/full").unwrap();
    let output = command.stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("cannot write to standard output"),
        "{output:?}"
    );
    for arguments in [&["check", "a.c"][..], &["version"], &["--help"], &["check", "--help"]] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = project.command(arguments).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        assert!(
            String::from_utf8_lossy(&output.stderr).contains("cannot write to standard output"),
            "{output:?}"
        );
    }
}

/// Runs a script, with the binary as `$0`, where it may mount without anybody else seeing it; nothing if it may not.
fn in_own_mounts(project: &Project, script: &str) -> Option<Ran> {
    let mut command = Command::new("unshare");
    command.args(["-m", "/bin/sh", "-c", script, binary()]).current_dir(project.path()).stdin(Stdio::null());
    let works = Command::new("unshare").args(["-m", "true"]).stderr(Stdio::null()).status();
    if !works.is_ok_and(|status| status.success()) {
        return None;
    }
    let ran = Ran::of(&mut command);
    (ran.code != Some(99)).then_some(ran)
}

#[test]
fn cache_that_is_no_directory() {
    let project = Project::new(&[("a.c", ONE_FUNCTION), ("file", "")]);
    // A run without a place for its cache is slower next time, and otherwise as good.
    let ran = project.run(&["check", "a.c", "--cache-dir", "file", "--format", "json"]).exits(0).says("file");
    assert_eq!(looked_at(&ran), (1, 1));
}

#[test]
fn names_that_are_not_utf8() {
    let project = Project::new(&[("a.c", ONE_FUNCTION)]);
    let name = OsStr::from_bytes(b"caf\xe9.c");
    std::fs::write(project.path().join(name), ONE_FUNCTION).unwrap();
    let ran = Ran::of(project.command(&["check"]).arg(name)).exits(3).says("caf\u{fffd}.c");
    ran.says("not valid UTF-8");
    let ran = project.run(&["check", ".", "--format", "json"]).exits(3).says("not valid UTF-8");
    assert_eq!(looked_at(&ran), (1, 1));
    // Bytes in the source are the program's business.
    project.write("latin.c", b"const char *text = \"caf\xe9\"; /* caf\xe9 */\n");
    project.run(&["dump", "ir", "latin.c"]).exits(0);
    // Names for the command line itself.
    Ran::of(project.command(&["check", "a.c", "--"]).arg(name)).exits(2);
}

#[test]
fn reader_that_leaves() {
    let functions: String =
        (0..3000).map(|number| format!("int f{number}(int x) {{ return x; }}\n")).collect();
    let project = Project::new(&[("many.c", &functions)]);
    let mut child = project
        .command(&["dump", "ir", "many.c"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut [0; 10]).unwrap();
    drop(stdout);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(output.stderr, b"", "{output:?}");

    // Nobody listens to standard error either.
    let mut child =
        project.command(&["check", "absent.c"]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stderr.take());
    assert_eq!(child.wait().unwrap().code(), Some(2));
}

/// A FIFO would be waited for without end. Nobody opens one, whatever it is given as.
#[test]
fn a_fifo_is_not_waited_for() {
    let made = |project: &Project, name: &str| {
        let path = project.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        Command::new("mkfifo").arg(path).status().is_ok_and(|status| status.success())
    };
    let run = |project: &Project, arguments: &[&str]| {
        let mut command = Command::new("timeout");
        command.args(["-k", "1", "100", binary()]).args(arguments);
        Ran::of(command.current_dir(project.path()).stdin(Stdio::null()))
    };
    let none = "not a regular file";
    let project = Project::new(&[("a.c", ONE_FUNCTION)]);
    let all = [
        "f.c",
        "f.bc",
        "f.ll",
        "f.ir",
        "f.rsp",
        "f.models",
        "f.property",
        "f.json",
        "db/compile_commands.json",
    ];
    if !all.iter().all(|name| made(&project, name)) {
        return skip("there is no mkfifo");
    }
    for name in &all[..4] {
        run(&project, &["check", name]).says(none);
        let ran = run(&project, &["check", name, "a.c", "--format", "json"]);
        assert_eq!(looked_at(&ran), (1, 1), "{name}");
        run(&project, &["exec", name]).says(none);
    }
    run(&project, &["check", "/dev/zero", "/dev/stdin", "a.c"]).says(none);
    run(&project, &["check", "."]).says("1 function");
    run(&project, &["check", "a.c", "--", "@f.rsp"]).exits(2).says(none);
    run(&project, &["check", "a.c", "--baseline", "f.json"]).exits(2).says(none);
    run(&project, &["check", "-p", "db"]).exits(3).says(none);
    run(&project, &["check", "db"]);
    let entry = |file: &str, command: &str| {
        format!(r#"[{{"directory":".","file":"{file}","command":"cc -c {command}"}}]"#)
    };
    project.write("one/compile_commands.json", entry("../f.c", "../f.c"));
    run(&project, &["check", "-p", "one"]).says(none);
    project.write("one/compile_commands.json", entry("../a.c", "@../f.rsp ../a.c"));
    run(&project, &["check", "-p", "one"]);
    for name in ["models = [\"f.models\"]", "properties = [\"f.property\"]", "baseline = \"f.json\""] {
        project.write("watertight.toml", name);
        run(&project, &["check", "a.c"]).says(none);
    }
    // What is shown of a source, and what is kept.
    let project = Project::new(&[(
        "a.c",
        "#include <stdlib.h>\n# 1 \"shown.c\"\nint f(void) { char *p = malloc(3); return p ? 1 : 2; }\n",
    )]);
    for name in ["shown.c", "watertight.toml", ".watertight/store.db", ".watertight/store.lock"] {
        assert!(made(&project, name));
    }
    for format in ["text", "html", "json", "sarif", "gcc"] {
        run(&project, &["check", "a.c", "--format", format]).exits(1);
    }
    let project = Project::new(&[("a.c", ONE_FUNCTION)]);
    assert!(made(&project, ".watertight"));
    run(&project, &["check", "a.c"]);
}
