//! The store from outside: quick the second time, right every time, whatever happened before.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use watertight_store::{FILE, Mark, Store, Verdict};

use crate::support::{Project, Ran, binary, skip};

/// Functions that all depend on `VERSION`, so that another one makes all their results new.
fn many(functions: usize) -> String {
    let mut text = "#include <stdlib.h>\n".to_owned();
    for number in 0..functions {
        let _ = writeln!(
            text,
            "char *make{number}(int n) {{\n  char *p = malloc(n + {number});\n  if (n == VERSION)\n    return 0;\n  return p;\n}}\n\
             int use{number}(int n) {{\n  char *p = make{number}(n);\n  if (n > VERSION)\n    return 1;\n  free(p);\n  return 0;\n}}"
        );
    }
    text
}

fn arguments(version: &str) -> [&str; 6] {
    ["check", "a.c", "--format", "json", "--", version]
}

fn without_store(project: &Project, version: &str) -> String {
    project.run(&["check", "a.c", "--format", "json", "--no-cache", "--", version]).exits(1).stdout
}

fn counts(ran: &Ran, stage: &str, name: &str) -> u64 {
    let line = ran.stderr.lines().find(|line| line.starts_with('{')).unwrap();
    let json: serde_json::Value = serde_json::from_str(line).unwrap();
    let stages = json["stages"].as_array().unwrap();
    let found = stages.iter().find(|found| found["name"] == stage).unwrap();
    found["counts"][name].as_u64().unwrap()
}

/// SQLite's own opinion of the file.
fn is_sound(folder: &Path) {
    let connection = rusqlite::Connection::open(folder.join(".watertight").join(FILE)).unwrap();
    let answer: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(answer, "ok");
}

#[test]
fn only_what_changed_is_evaluated_again() {
    let project = Project::new(&[("a.c", &many(20))]);
    let stats = ["check", "a.c", "--stats=json", "--format", "json", "--", "-DVERSION=3"];
    let first = project.run(&stats).exits(1);
    assert_eq!((counts(&first, "check", "evaluated"), counts(&first, "check", "reused")), (40, 0));
    let second = project.run(&stats).exits(1);
    assert_eq!(counts(&second, "recall", "known runs"), 1);
    assert_eq!(first.stdout, second.stdout);
    // The body of one function, with a line more above all others: its summary is as before.
    let text = format!("// a comment\n{}", many(20).replace("malloc(n + 7)", "malloc(n + 777)"));
    project.write("a.c", &text);
    let third = project.run(&stats).exits(1);
    let evaluated = counts(&third, "check", "evaluated");
    assert!((1..=3).contains(&evaluated), "{evaluated} functions evaluated again");
    assert_eq!(third.stdout, without_store(&project, "-DVERSION=3"));
    // Another summary: its caller too, and nobody else.
    project.write("a.c", text.replacen("    return 0;\n  return p;", "    abort();\n  return p;", 1));
    let fourth = project.run(&stats).exits(1);
    assert_eq!(counts(&fourth, "check", "evaluated"), 2);
    assert_eq!(fourth.stdout, without_store(&project, "-DVERSION=3"));
    // Nothing is kept and nothing used when that is asked for.
    let none = ["check", "a.c", "--stats=json", "--no-cache", "--format", "json", "--", "-DVERSION=3"];
    assert_eq!(counts(&project.run(&none).exits(1), "check", "evaluated"), 40);
}

/// What only the text of a source says is in no bitcode: neither macros that expand to nothing nor attributes that Clang drops.
#[test]
fn annotations_that_changed_are_noticed() {
    let program = |attribute: &str, promise: &str| {
        format!(
            "#define OWNED(f)\n#define __acquires(x)\n#define __must_hold(x)\n\
             struct thing;\nvoid put(struct thing *);\nstruct thing *get(int) {attribute};\n\
             int f(void) {{ return get(1) != 0; }}\n\
             struct mutex {{ int x; }};\nvoid mutex_lock(struct mutex *);\nvoid mutex_unlock(struct mutex *);\n\
             void held(struct mutex *m) {promise}\n{{ mutex_lock(m); }}\n"
        )
    };
    let arguments = ["check", "a.c", "--stats=json", "--format", "gcc"];
    let owned = "__attribute__((ownership_returns(malloc)))";
    let project = Project::new(&[("a.c", &program("", "__acquires(m)"))]);
    project.run(&arguments).exits(0);
    // Of two runs that nothing happened between, the second does nothing.
    assert_eq!(counts(&project.run(&arguments).exits(0), "recall", "known runs"), 1);
    project.write("a.c", program(owned, "__acquires(m)"));
    let leak = project.run(&arguments).exits(1);
    assert!(leak.stdout.contains("[memory-leak]"), "{}", leak.stdout);
    project.write("a.c", program(owned, "__must_hold(m)"));
    let lock = project.run(&arguments).exits(1);
    assert!(lock.stdout.contains("[lock-annotation]"), "{}", lock.stdout);
    project.write("a.c", program("", "__acquires(m)"));
    project.run(&arguments).exits(0);
}

#[test]
fn a_killed_run_leaves_nothing_wrong() {
    let project = Project::new(&[("a.c", &many(12))]);
    let start = Instant::now();
    project.run(&arguments("-DVERSION=0")).exits(1);
    let usual = start.elapsed();
    let mark = Mark {
        fingerprint: "00".repeat(16),
        verdict: Verdict::False,
        note: "kept".to_owned(),
        at: String::new(),
    };
    Store::open_existing(&project.path().join(".watertight")).unwrap().set_mark(&mark).unwrap();
    let mut state = 7u64;
    let mut killed = 0;
    for round in 1..=50u32 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let version = format!("-DVERSION={round}");
        let mut child = project.command(&arguments(&version));
        let mut child = child.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(usual.mul_f64((state >> 33) as f64 / f64::from(u32::MAX >> 1)));
        child.kill().unwrap();
        killed += u32::from(child.wait().unwrap().code().is_none());
        // The next run is right, and so is what it leaves behind.
        if round % 5 == 0 {
            let expected = without_store(&project, &version);
            for _ in 0..2 {
                let ran = project.run(&arguments(&version)).exits(1).does_not_say("set aside");
                assert_eq!(ran.stdout, expected, "round {round}");
            }
        }
    }
    assert!(killed >= 25, "most runs were cut short: {killed}");
    is_sound(project.path());
    assert_eq!(Store::open_existing(&project.path().join(".watertight")).unwrap().marks(), [mark]);
}

#[test]
fn runs_at_the_same_time_do_not_disturb_each_other() {
    let project = Project::new(&[("a.c", &many(12))]);
    let versions: Vec<String> = (0..8).map(|number| format!("-DVERSION={number}")).collect();
    let expected: Vec<String> = versions.iter().map(|version| without_store(&project, version)).collect();
    for _ in 0..3 {
        let children: Vec<_> = versions
            .iter()
            .map(|version| {
                let mut command = project.command(&arguments(version));
                command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
            })
            .collect();
        for (child, expected) in children.into_iter().zip(&expected) {
            let output = child.wait_with_output().unwrap();
            assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
            assert_eq!(String::from_utf8_lossy(&output.stdout), **expected);
        }
    }
    is_sound(project.path());
    let store = Store::open_existing(&project.path().join(".watertight")).unwrap();
    assert_eq!(store.function_count(), 24);
}

/// A program as bitcode, so that the store alone needs room, and what is found in it from below `small`.
fn compiled() -> (Project, String) {
    let project = Project::new(&[("a.c", &format!("#define VERSION 1\n{}", many(12)))]);
    let bitcode = project.bitcode("a.c");
    project.write("a.bc", bitcode);
    std::fs::create_dir(project.path().join("small")).unwrap();
    let mut command = project.command(&["check", "../a.bc", "--format", "json", "--no-cache"]);
    let expected = Ran::of(command.current_dir(project.path().join("small"))).exits(1).stdout;
    (project, expected)
}

/// Files may not grow beyond a limit: what the store cannot keep is worked out again, with a note.
#[test]
fn files_that_cannot_grow_cost_only_time() {
    let (project, expected) = compiled();
    let small = project.path().join("small");
    let mut told = 0;
    for kilobytes in [4, 20, 40, 60, 80, 120, 200, 400] {
        let _ = std::fs::remove_dir_all(small.join(".watertight"));
        let script =
            format!("trap '' XFSZ; ulimit -f {kilobytes}; '{}' check ../a.bc --format json | cat", binary());
        for _ in 0..2 {
            let ran = Ran::of(Command::new("bash").args(["-c", &script]).current_dir(&small));
            assert_eq!(ran.stdout, expected, "{kilobytes} KB: {}", ran.stderr);
            told += u32::from(ran.stderr.contains("store"));
        }
        // With room again it works again.
        for _ in 0..2 {
            let mut command = project.command(&["check", "../a.bc", "--format", "json"]);
            let ran = Ran::of(command.current_dir(&small)).exits(1);
            assert_eq!(ran.stdout, expected);
        }
        is_sound(&small);
    }
    assert!(told > 0, "somebody was told that nothing is kept");
}

/// The same on a file system that is really full, where one can be mounted.
#[test]
fn a_full_file_system_costs_only_time() {
    let (project, expected) = compiled();
    let mut told = 0;
    for kilobytes in [16, 40, 64, 100, 160, 260, 400, 800, 1600, 3200] {
        let script = format!(
            "mount -t tmpfs -o size={kilobytes}k none small 2>/dev/null || exit 77; cd small; \
             for i in 1 2 3; do '{}' check ../a.bc --format json; done",
            binary()
        );
        let mut command = Command::new("unshare");
        command.args(["-m", "sh", "-c", &script]).current_dir(project.path());
        let Ok(output) = command.output() else { return skip("there is no `unshare`") };
        let complaint = String::from_utf8_lossy(&output.stderr);
        if output.status.code() == Some(77) || complaint.contains("unshare failed") {
            return skip("nothing can be mounted here");
        }
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            expected.repeat(3),
            "{kilobytes} KB: {complaint}"
        );
        told += u32::from(complaint.contains("note: "));
    }
    assert!(told > 0, "somebody was told that nothing is kept");
}

#[test]
fn a_store_that_cannot_be_used_is_set_aside() {
    let project = Project::new(&[("a.c", &many(2))]);
    let expected = without_store(&project, "-DVERSION=1");
    project.run(&arguments("-DVERSION=1")).exits(1);
    project.write(".watertight/store.db", "this is not a database, whatever its name says");
    let ran =
        project.run(&arguments("-DVERSION=1")).exits(1).says("set aside as").says("it is not a database");
    assert_eq!(ran.stdout, expected);
    project.run(&arguments("-DVERSION=1")).exits(1).does_not_say("set aside");
    assert!(project.path().join(".watertight/store.db.aside-1").exists());
}

/// The queries in `docs/store.md` work and say something.
#[test]
fn the_documented_queries_work() {
    let text = std::fs::read_to_string(crate::support::repository().join("docs/store.md")).unwrap();
    let project = Project::new(&[(
        "a.c",
        "#include <stdio.h>\n#include <stdlib.h>\nstruct log { FILE *out; char *name; };\n\
         struct log *log_open(const char *path) {\n  struct log *l = malloc(sizeof *l);\n  if (!l) return 0;\n\
         \x20 l->out = fopen(path, \"w\");\n  if (!l->out) return 0;\n  return l;\n}\n\
         void log_close(struct log *l) { fclose(l->out); free(l); }\n\
         int main(int argc, char **argv) { struct log *l = log_open(argv[0]); if (!l) return 1; log_close(l); return argc; }\n",
    )]);
    project.run(&["check", "a.c"]).exits(1);
    let connection = rusqlite::Connection::open(project.path().join(".watertight").join(FILE)).unwrap();
    let mut queries = 0;
    for block in text.split("```sql\n").skip(1) {
        let block = block.split("```").next().unwrap();
        for query in block.split(';').map(str::trim).filter(|query| !query.is_empty()) {
            let mut statement = connection.prepare(query).unwrap_or_else(|error| panic!("{error}: {query}"));
            let columns = statement.column_count();
            let rows = statement.query_map([], |row| {
                (0..columns).map(|at| row.get::<_, rusqlite::types::Value>(at)).collect()
            });
            let rows: Vec<Vec<_>> = rows.unwrap().collect::<Result<_, _>>().unwrap();
            assert!(!rows.is_empty(), "no rows: {query}");
            queries += 1;
        }
    }
    assert!(queries >= 5, "{queries}");
}
