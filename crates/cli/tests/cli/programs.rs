//! Programs that run: natively, and in the interpreter with variables in memory and in SSA form.
//!
//! Each file in `tests/c/run` is a program. It must print the same and end the same in all three ways, and leave as
//! many heap blocks behind as its comment `// leaks: N` says. This holds the whole front end, since a mistake in
//! decoding, lowering, joining or SSA construction changes what a program does.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

use crate::support::{Project, binary, repository};

/// How a program ended, and what it printed.
#[derive(Debug, PartialEq, Eq)]
struct Behaviour {
    code: Option<i32>,
    stdout: String,
}

/// Steps after which the interpreter stops; all programs need fewer.
const STEPS: &str = "20000000";

/// Compiles a program with the machine's own compiler and runs it.
fn natively(source: &Path, folder: &Path, flags: &[String]) -> Result<Behaviour, String> {
    let program = folder.join("native");
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let compiled = Command::new(&compiler)
        .args(flags)
        .args(["-O0", "-w", "-o"])
        .arg(&program)
        .arg(source)
        .arg("-lm")
        .output()
        .map_err(|error| format!("{compiler} does not run: {error}"))?;
    if !compiled.status.success() {
        return Err(format!("{compiler}: {}", String::from_utf8_lossy(&compiled.stderr)));
    }
    // A program that never ends must not hold up everything; `timeout` ends it with code 124.
    let output =
        Command::new("timeout").arg("10").arg(program).stdin(Stdio::null()).current_dir(folder).output();
    let output = output.map_err(|error| error.to_string())?;
    Ok(Behaviour { code: output.status.code(), stdout: String::from_utf8_lossy(&output.stdout).into_owned() })
}

/// Runs a program in the interpreter; also gives what it said on standard error.
fn interpreted(source: &Path, folder: &Path, arguments: &[String]) -> (Behaviour, String) {
    let output = Command::new(binary())
        .args(["exec", "--leaks", "--cache-dir", "cache", "--threads", "1", "--steps", STEPS])
        .args(arguments)
        .arg(source)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .expect("the binary runs");
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    (Behaviour { code: output.status.code(), stdout }, stderr)
}

/// Runs a program in all three ways; an error says where they differ.
fn compare(source: &Path, flags: &[String]) -> Result<String, String> {
    let project = Project::new(&[]);
    let folder = project.path();
    let native = natively(source, folder, flags)?;
    let mut arguments: Vec<String> = flags.iter().map(|flag| format!("--flag={flag}")).collect();
    let (ssa, said) = interpreted(source, folder, &arguments);
    arguments.push("--memory-form".to_owned());
    let (memory, said_before) = interpreted(source, folder, &arguments);
    let mut differences = String::new();
    for (form, behaviour, said) in [("memory form", &memory, &said_before), ("SSA form", &ssa, &said)] {
        if *behaviour != native {
            differences += &format!("{form} differs: {native:#?}\n{behaviour:#?}\n{said}\n");
        }
    }
    if differences.is_empty() { Ok(said) } else { Err(differences) }
}

/// Does something to each item on two threads and lists what went wrong.
fn each<T: Send>(items: Vec<T>, work: impl Fn(T) -> Result<(), String> + Sync) -> Vec<String> {
    let items = Mutex::new(items.into_iter());
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some(item) = items.lock().unwrap().next() else { break };
                    if let Err(failure) = work(item) {
                        failures.lock().unwrap().push(failure);
                    }
                }
            });
        }
    });
    failures.into_inner().unwrap()
}

/// What a comment such as `// leaks: 2` in a program says.
fn stated(text: &str, name: &str) -> Option<usize> {
    let line =
        text.lines().find_map(|line| line.strip_prefix("// ")?.strip_prefix(name)?.strip_prefix(": "))?;
    line.trim().parse().ok()
}

#[test]
fn own_programs_do_the_same_natively_and_interpreted() {
    let folder = repository().join("tests/c/run");
    let mut programs: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("tests/c/run exists")
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .collect();
    programs.sort();
    assert!(programs.len() > 10, "{} has too few programs", folder.display());
    let failures = each(programs, |program| {
        let name = program.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&program).unwrap();
        let said = compare(&program, &[]).map_err(|differences| format!("{name}: {differences}"))?;
        let leaks = stated(&text, "leaks").ok_or_else(|| format!("{name} does not say `// leaks: N`"))?;
        let expected = format!("heap blocks never released: {leaks}\n");
        if said.contains(&expected) { Ok(()) } else { Err(format!("{name}: not {expected}{said}")) }
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn the_comparison_can_fail() {
    // The size of a pointer differs when the interpreter is given another machine.
    let source = "#include <stdio.h>\nint main(void) { printf(\"%d\\n\", WIDTH); return 0; }\n";
    let project = Project::new(&[("a.c", source)]);
    let path = project.path().join("a.c");
    let native = natively(&path, project.path(), &["-DWIDTH=1".to_owned()]).unwrap();
    let (other, _) = interpreted(&path, project.path(), &["--flag=-DWIDTH=2".to_owned()]);
    assert_eq!(native.stdout, "1\n");
    assert_eq!(other.stdout, "2\n");
    assert_ne!(native, other);
}

/// Compilers before clang 18 do this wrong, so what is right is written down.
#[test]
fn wide_integers_that_fit_no_registers_are_read_from_memory() {
    let source = r#"
        #include <stdarg.h>
        #include <stdio.h>
        static void show(const char *kinds, ...) {
            va_list list;
            va_start(list, kinds);
            for (; *kinds; kinds++) {
                __int128 value = *kinds == 'w' ? va_arg(list, __int128) : va_arg(list, int);
                printf("%llx.%llx ", (unsigned long long)(value >> 64), (unsigned long long)value);
            }
            va_end(list);
            putchar('\n');
        }
        int main(void) {
            __int128 w = ((__int128)0xa << 64) + 0xb;
            show("iiiiiwi", 1, 2, 3, 4, 5, w, 6);
            show("iiiiiiwi", 1, 2, 3, 4, 5, 6, w, 7);
            show("wwwi", w, w + 1, w + 2, 3);
            // One register left is none for a wide number; it still serves what comes after.
            show("iiiiwiwi", 1, 2, 3, 4, w, 5, w + 1, 6);
            return 0;
        }
    "#;
    let expected = "0.1 0.2 0.3 0.4 0.5 a.b 0.6 \n\
                    0.1 0.2 0.3 0.4 0.5 0.6 a.b 0.7 \n\
                    a.b a.c a.d 0.3 \n\
                    0.1 0.2 0.3 0.4 a.b 0.5 a.c 0.6 \n";
    let project = Project::new(&[("wide.c", source)]);
    for form in [&[][..], &["--memory-form".to_owned()]] {
        let (behaviour, said) = interpreted(&project.path().join("wide.c"), project.path(), form);
        assert_eq!((behaviour.stdout.as_str(), behaviour.code), (expected, Some(0)), "{said}");
    }
}

#[test]
fn programs_end_as_they_end() {
    let project = Project::new(&[
        ("args.c", "int main(int n, char **v) { return n == 3 ? v[1][0] - 'a' : 9; }\n"),
        ("lost.c", "#include <stdlib.h>\nint main(void) { malloc(5); return 0; }\n"),
        ("null.c", "int main(void) { int *volatile p = 0; return *p; }\n"),
        ("long.c", "int main(void) { for (;;) ; }\n"),
        (
            "cat.c",
            "#include <stdio.h>\nint main(void) { int c; while ((c = getchar()) != EOF) putchar(c); return 0; }\n",
        ),
        ("two.c", "int other(void); int main(void) { return other(); }\n"),
        ("other.c", "int other(void) { return 17; }\n"),
        ("in.txt", "hello\n"),
    ]);
    project.run(&["exec", "args.c", "--", "f", "g"]).exits(5);
    project.run(&["exec", "args.c"]).exits(9);
    project.run(&["exec", "two.c", "other.c"]).exits(17);
    project.run(&["exec", "two.c"]).exits(134).says("other");
    project
        .run(&["exec", "--leaks", "lost.c"])
        .exits(0)
        .says("never released: 1")
        .says("5 bytes")
        .says("lost.c:2");
    project.run(&["exec", "null.c"]).exits(134).says("null.c:1");
    project.run(&["exec", "--steps", "1000", "long.c"]).exits(124).says("1000 steps");
    let ran = project.run(&["exec", "--stdin", "in.txt", "cat.c"]).exits(0);
    assert_eq!(ran.stdout, "hello\n");
    project.run(&["exec", "absent.c"]).exits(2).says("absent.c");
}

#[test]
fn what_may_end_otherwise_natively_is_said() {
    let head = "#include <stdio.h>\n#include <stdlib.h>\n#include <time.h>\n#include <unistd.h>\n#include <signal.h>\n";
    let program = |body: &str| format!("{head}int main(void) {{ {body}; return 0; }}\n");
    let files = [
        ("read.c", "return !fopen(\"read.c\", \"r\")", "has no files but those that the program writes"),
        ("remove.c", "return remove(\"read.c\") == 0", "has no files"),
        ("getenv.c", "return getenv(\"HOME\") != 0", "has no environment"),
        ("time.c", "return time(0) == 0", "has no clock"),
        ("system.c", "return system(\"true\") == 0", "has no other processes"),
        ("signal.c", "return signal(SIGINT, SIG_IGN) == SIG_ERR", "has no signals"),
        ("isatty.c", "return isatty(1)", "has no terminal"),
        ("two.c", "return getenv(\"HOME\") != 0 || time(0) == 0", "has no environment, no clock"),
    ];
    for (name, body, expected) in files {
        let project = Project::new(&[(name, &program(body))]);
        project.run(&["exec", name]).says("natively this may end otherwise").says(expected);
    }
    // A file that it wrote is there.
    let own =
        program("FILE *f = fopen(\"x\", \"w\"); fputs(\"y\", f); fclose(f); return !fopen(\"x\", \"r\")");
    Project::new(&[("own.c", &own)]).run(&["exec", "own.c"]).exits(0).does_not_say("natively");
}
