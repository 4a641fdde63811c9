//! Watched builds: shell scripts and make, compilers under every name.

use crate::common::*;
use watertight_capture::{FailureKind, Skip, Watch};

/// A C compiler by its full path.
fn compiler() -> String {
    let found = program("gcc").or_else(|| program("cc")).expect("a C compiler is installed");
    found.to_str().unwrap().to_owned()
}

fn sources() -> Project {
    Project::new(&[
        ("main.c", "int util(void);\nint main(void) { return util(); }\n"),
        ("lib/util.c", "#include \"util.h\"\nint util(void) { return UTIL; }\n"),
        ("lib/util.h", "#define UTIL 3\n"),
    ])
}

const MAKEFILES: [(&str, &str); 2] = [
    (
        "Makefile",
        "prog: main.o lib/util.o\n\t$(CC) main.o lib/util.o -o prog\nlib/util.o: .FORCE\n\t$(MAKE) -C lib\n.FORCE:\n",
    ),
    ("lib/Makefile", "CFLAGS = -O2 -Wall -I.\nutil.o: util.c\n"),
];

#[test]
fn make_with_sub_directories() {
    if program("make").is_none() {
        eprintln!("make is not installed, so nothing is tested here");
        return;
    }
    let full = compiler();
    let mut builds = vec![format!("make CC={full}"), format!("make -j2 CC={full}"), "make -j2".to_owned()];
    let clang = (14..=22).find_map(|version| program(&format!("clang-{version}")));
    builds.extend(clang.map(|clang| format!("make -j2 CC={}", clang.display())));
    for build in builds {
        let project = sources();
        MAKEFILES.iter().for_each(|(name, text)| project.write(name, text));
        let captured = run(&project.build(&build));
        assert_eq!(units(&captured), ["lib/util.c: -I.", "main.c: "], "{build}");
        assert_eq!(captured.units[0].directory, project.path().join("lib").canonicalize().unwrap());
        assert!(captured.seen.build.as_ref().unwrap().success);
        assert!(captured.seen.processes >= 5);
        assert_bitcode(&captured);

        // Nothing to do for make, and yet the whole program is there, without clang having run.
        let again = run(&project.build(&build));
        assert_eq!((units(&again), counts(&again)), (units(&captured), "0/2/0".into()));
        assert_eq!(again.seen.remembered, 2);
        // One file changed: make compiles one, we compile one, two units are there.
        project.write("lib/util.c", "int util(void) { return 4; }\n");
        project.shell("touch -d '+2 seconds' lib/util.c");
        let changed = run(&project.build(&build));
        assert_eq!((counts(&changed), changed.seen.remembered), ("1/1/0".into(), 1));
    }
}

#[test]
fn scripts_and_names() {
    let project = sources();
    let full = compiler();
    let name = std::path::Path::new(&full).file_name().unwrap().to_str().unwrap().to_owned();
    // A name of its own choice, a cross name, a script that calls a compiler.
    project.shell(&format!(
        "mkdir bin; ln -s {full} bin/mycc; ln -s {full} bin/x86_64-linux-gnu-gcc-99
         printf '#!/bin/sh\\nexec {full} -DSCRIPT \"$@\"\\n' > bin/wrapped-gcc; chmod +x bin/wrapped-gcc"
    ));
    for file in ["a", "b", "c", "d", "e", "f", "g"] {
        project.write(&format!("{file}.c"), &format!("int {file};\n"));
    }
    let captured = run(&project.build(&format!(
        "set -e
         {full} -c a.c
         {name} -c b.c -o b.o
         bin/mycc -c c.c
         bin/x86_64-linux-gnu-gcc-99 -c d.c
         bin/wrapped-gcc -c e.c
         (cd lib && {name} -DHERE -c util.c ../f.c)
         env -i PATH=\"$PATH\" sh -c '{name} -DCLEAN -c g.c'
         {name} -shared -o x.so a.o b.o -fPIC 2>/dev/null || true
         {name} --version > /dev/null
         {name} -E a.c > /dev/null"
    )));
    assert_eq!(
        units(&captured),
        [
            "a.c: ",
            "b.c: ",
            "c.c: ",
            "d.c: --target=x86_64-linux-gnu",
            "e.c: -DSCRIPT",
            "f.c: -DHERE",
            "g.c: -DCLEAN",
            "lib/util.c: -DHERE"
        ]
        .map(|unit| if unit.starts_with("c.c") {
            expected_for_own_name(&captured)
        } else {
            unit.to_owned()
        })
    );
    for skip in [Skip::LinkOnly, Skip::Query, Skip::PreprocessOnly] {
        assert_eq!(captured.seen.skipped.get(&skip), Some(&1), "{skip:?}");
    }
}

/// Behind a name of its own choice stands the real program, whose name may say its target.
fn expected_for_own_name(captured: &watertight_capture::Captured) -> String {
    let unit = captured.units.iter().find(|unit| unit.name == "c.c").unwrap();
    match &unit.target {
        Some(target) => format!("c.c: --target={target}"),
        None => "c.c: ".to_owned(),
    }
}

/// A stand-in for ccache: preprocesses first, then compiles, both by starting the compiler.
const CCACHE: &str = r#"
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv) {
    char **real = argv + 1;
    if (strstr(argv[0], "gcc")) { real = argv; real[0] = getenv("REAL_GCC"); }
    pid_t child = fork();
    if (child == 0) { execl("/bin/sh", "sh", "-c", "$0 -DINNER -x c -c /dev/null -o /dev/null", real[0], (char *)0); _exit(1); }
    waitpid(child, 0, 0);
    execvp(real[0], real);
    return 1;
}
"#;

#[test]
fn compiler_wrappers() {
    let project = sources();
    project.write("wrap.c", CCACHE);
    let full = compiler();
    for linking in ["", "-static"] {
        project.shell(&format!(
            "rm -rf bin; mkdir bin; {full} {linking} wrap.c -o bin/ccache; ln -s ccache bin/gcc"
        ));
        let captured = run(&project.build(&format!(
            "export REAL_GCC={full}
             bin/ccache {full} -DWRAPPED -c main.c && PATH=$PWD/bin:$PATH gcc -DMASQUERADE -c lib/util.c -o util.o"
        )));
        assert_eq!(units(&captured), ["lib/util.c: -DMASQUERADE", "main.c: -DWRAPPED"], "{linking}");
    }
}

/// Starts its arguments in every way the C library knows.
const LAUNCHER: &str = r#"
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
static char *path, *name;
static char **arguments(int way, char source[static 16]) {
    static _Thread_local char *list[5];
    sprintf(source, "f%d.c", way);
    list[0] = name; list[1] = "-c"; list[2] = source; list[3] = 0;
    return list;
}
static void start(int way) {
    char source[16];
    char **list = arguments(way, source);
    char *empty[] = {0};
    pid_t pid;
    if (way == 8) { posix_spawn(&pid, path, 0, 0, list, environ); }
    else if (way == 9) { posix_spawnp(&pid, name, 0, 0, list, empty); }
    else if (way == 10) { if ((pid = vfork()) == 0) { execve(path, list, environ); _exit(1); } }
    else if ((pid = fork()) == 0) {
        switch (way) {
        case 0: execve(path, list, environ); break;
        case 1: execv(path, list); break;
        case 2: execvp(name, list); break;
        case 3: execvpe(name, list, empty); break;
        case 4: execl(path, name, "-c", source, (char *)0); break;
        case 5: execlp(name, name, "-c", source, (char *)0); break;
        case 6: execle(path, name, "-c", source, (char *)0, empty); break;
        case 7: fexecve(open(path, O_RDONLY | O_CLOEXEC), list, environ); break;
        }
        _exit(1);
    }
    int status;
    waitpid(pid, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 7) fprintf(stderr, "way %d failed\n", way);
}
static void *thread(void *argument) { start((int)(long)argument); return 0; }
int main(int argc, char **argv) {
    pthread_t threads[40];
    path = argv[1]; name = argv[2];
    for (int way = 0; way <= 10; way++) start(way);
    for (long i = 0; i < 40; i++) pthread_create(&threads[i], 0, thread, (void *)8L);
    for (int i = 0; i < 40; i++) pthread_join(threads[i], 0);
    return 0;
}
"#;

#[test]
fn every_way_to_start_a_compiler() {
    let project = Project::new(&[("launcher.c", LAUNCHER), ("static.c", "int main(void) { return 7; }\n")]);
    for way in 0..=10 {
        project.write(&format!("f{way}.c"), &format!("int f{way};\n"));
    }
    let full = compiler();
    // A statically linked compiler carries no observer, so it is seen only by who starts it.
    project.shell(&format!(
        "mkdir bin; {full} launcher.c -o launcher -pthread; {full} -static static.c -o bin/gcc"
    ));
    let captured = run(&project.build("PATH=$PWD/bin:$PATH ./launcher $PWD/bin/gcc gcc"));
    let expected: Vec<String> = (0..=10).map(|way| format!("f{way}.c")).collect();
    let mut found = names(&captured);
    found.sort_by_key(|name| name[1..name.len() - 2].parse::<usize>().unwrap());
    assert_eq!(found, expected);
    assert_eq!(captured.seen.skipped.get(&Skip::Repeated), Some(&40), "no record of forty at once is lost");
}

#[test]
fn response_files_that_do_not_last() {
    let project = sources();
    project.write("lib/util.c", "#ifdef LONG\nint extra;\n#endif\nint util;\n");
    let full = compiler();
    let long: String = (0..2000).map(|i| format!("-DMACRO_NUMBER_{i}=1 ")).collect();
    project.write("long.rsp", &long);
    let captured = run(&project.build(&format!(
        "printf '%s' \"-DA='x y' -c main.c\" > flags.rsp; {full} @flags.rsp; rm flags.rsp
         {full} @long.rsp -c lib/util.c -o util.o; rm long.rsp
         {full} {long} -DLONG -c lib/util.c -o other.o"
    )));
    assert_eq!(names(&captured), ["lib/util.c", "lib/util.c", "main.c"]);
    assert_eq!(units(&captured)[2], "main.c: -DA=x y");
    // A command longer than one block of the log arrives whole, with and without a response file.
    let flags = |unit: usize| captured.units[unit].flags.join(" ");
    assert!(flags(0) == long.trim(), "the response file is damaged");
    assert!(flags(1) == format!("{long}-DLONG"), "the long command is damaged");
}

#[test]
fn configure_steps_and_removed_sources() {
    let project = sources();
    let full = compiler();
    let captured = run(&project.build(&format!(
        "echo 'int main(void) {{ return 0; }}' > conftest.c
         {full} conftest.c -o conftest && rm -f conftest conftest.c
         mkdir -p CMakeFiles/CMakeTmp && echo 'int x;' > CMakeFiles/CMakeTmp/try.c
         {full} -c CMakeFiles/CMakeTmp/try.c -o try.o
         d=$(mktemp -d); echo 'int y;' > $d/z.c; {full} -c $d/z.c -o z.o; rm -rf $d
         echo 'int generated;' > parser.c; {full} -c parser.c; rm parser.c
         {full} -c main.c"
    )));
    assert_eq!(names(&captured), ["main.c"]);
    assert_eq!(captured.seen.skipped.get(&Skip::Probe), Some(&3));
    assert_eq!(captured.failures.len(), 1);
    assert_eq!(
        (captured.failures[0].name.as_str(), captured.failures[0].kind),
        ("parser.c", FailureKind::Gone)
    );
}

#[test]
fn a_failing_build_is_a_note() {
    let project = sources();
    project.write("bad.c", "int f( {\n");
    let full = compiler();
    let captured = run(&project.build(&format!("{full} -c main.c; {full} -c bad.c; exit 5")));
    assert_eq!(names(&captured), ["main.c"]);
    assert_eq!(captured.failures[0].name, "bad.c");
    assert!(notes(&captured).contains("the build failed (exit status: 5)"), "{}", notes(&captured));
    assert!(!captured.seen.build.as_ref().unwrap().success);
}

#[test]
fn nothing_captured_says_what_was_seen() {
    let project = sources();
    let error = fail(&project.build("echo one >&2; true; ls > /dev/null"));
    assert_eq!(error.exit_code(), 3);
    for part in [
        "no C file was found to analyse",
        "the build ended with exit status: 0",
        "processes seen in the build: 2",
        "none of them was a compiler",
    ] {
        assert!(error.to_string().contains(part), "{error}");
    }
    project.write("x.S", "");
    let full = compiler();
    let error = fail(&project.build(&format!("{full} --version >&2; {full} -c x.S"))).to_string();
    for part in [
        "compilers seen in the build: ",
        "skipped: 1 assembly sources",
        "skipped: 1 commands that ask the compiler about itself",
    ] {
        assert!(error.contains(part), "{error}");
    }
    let mut request = project.request();
    request.build = Some(vec!["no-such-program".into()]);
    assert_eq!(fail(&request).exit_code(), 2);
}

#[test]
fn include_paths_from_the_environment() {
    let project = sources();
    let full = compiler();
    let captured = run(&project.build(&format!(
        "cp lib/util.c . && CPATH=$PWD/lib {full} -c util.c && C_INCLUDE_PATH=lib {full} -DREL -c util.c -o rel.o"
    )));
    assert_eq!(units(&captured), ["util.c: ", "util.c: -DREL"]);
}

#[test]
fn shims_watch_where_the_observer_cannot() {
    let project = sources();
    let full = compiler();
    let name = std::path::Path::new(&full).file_name().unwrap().to_str().unwrap().to_owned();
    let mut request = project.build(&format!(
        "{name} -DQUOTE=\"\\\"a b\\\"\" -c main.c && (cd lib && {name} -c util.c) && {full} -DMISSED -c main.c -o missed.o"
    ));
    request.watch = Watch::Shims;
    let captured = run(&request);
    assert_eq!(units(&captured), ["lib/util.c: ", "main.c: -DQUOTE=\"a b\""]);
}

#[test]
fn a_build_leaves_a_database() {
    let project = sources();
    let compiler = compiler();
    let mut request = project.build(&format!("cd lib && {compiler} -DX='a b' -I. -c util.c ../main.c"));
    request.leave_db = Some("made.json".into());
    let watched = run(&request);
    let mut again = project.request();
    again.compile_db = Some("made.json".into());
    let read = run(&again);
    assert_eq!((units(&read), counts(&read)), (units(&watched), "0/2/0".into()));
    // Each source has an entry of its own.
    again.inputs = vec!["main.c".into()];
    assert_eq!(names(&run(&again)), ["main.c"]);
}
