//! Files, databases and the cache: everything but watched builds.

use std::num::NonZeroUsize;

use crate::common::*;
use watertight_capture::{FailureKind, Keep, Language, Skip};

const HELLO: &str = "#include \"x.h\"\nint hello(void) { return X; }\n";

fn hello() -> Project {
    Project::new(&[("a.c", HELLO), ("b.c", "int b;\n"), ("inc/x.h", "#define X 42\n")])
}

#[test]
fn files_with_flags() {
    let project = hello();
    let captured = run(&project.files("a.c ./b.c -- -Iinc -O3 -Wall -g3 -o x -fconserve-stack"));
    assert_eq!(units(&captured), ["a.c: -Iinc", "./b.c: -Iinc"]);
    assert_eq!(counts(&captured), "2/0/0");
    assert_eq!(notes(&captured), "-fconserve-stack is not passed on to clang (2 units)\n");
    assert_bitcode(&captured);
    let unit = &captured.units[0];
    assert_eq!(
        (unit.source.as_path(), unit.directory.as_path()),
        (project.path().join("a.c").as_path(), project.path())
    );
    let text = unit.preprocessed().unwrap().unwrap();
    assert!(text.contains("return 42;") && text.contains("# 1 \"inc/x.h\""), "{text}");
}

#[test]
fn directories_are_searched() {
    let project =
        Project::new(&[("d/b.c", "int b;"), ("d/a.c", "int a;"), ("d/s/c.c", "int c;"), ("d/x.txt", "")]);
    assert_eq!(names(&run(&project.files("d"))), ["d/a.c", "d/b.c", "d/s/c.c"]);
    project.write("empty/x.txt", "");
    let error = fail(&project.files("empty"));
    assert_eq!(error.exit_code(), 3);
    assert!(error.to_string().contains("no C file was found to analyse"), "{error}");
}

#[test]
fn a_bad_unit_does_not_cost_the_others() {
    let project = hello();
    project.write("bad.c", "int f( { return 1; }\n");
    project.write("worse.c", "#include \"not-there.h\"\n");
    project.write("empty.bc", "");
    project.write("x.txt", "no C");
    let captured = run(&project.files("bad.c b.c worse.c gone.c empty.bc x.txt"));
    assert_eq!(names(&captured), ["b.c"]);
    assert_eq!(counts(&captured), "1/0/5");
    let failure = |name: &str| captured.failures.iter().find(|failure| failure.name == name).unwrap();
    assert_eq!(failure("bad.c").kind, FailureKind::Compile);
    assert!(failure("bad.c").message.starts_with("bad.c:1:8: error: expected"), "{}", failure("bad.c"));
    assert!(failure("worse.c").message.contains("'not-there.h' file not found"), "{}", failure("worse.c"));
    assert_eq!(failure("gone.c").kind, FailureKind::Missing);
    assert_eq!(failure("empty.bc").to_string(), "empty.bc: the file is empty");
    assert_eq!(failure("x.txt").kind, FailureKind::Unsupported);
}

#[test]
fn nothing_at_all_is_an_error_of_the_right_kind() {
    let project = hello();
    project.write("bad.c", "int f( { return 1; }\n");
    assert_eq!(fail(&project.files("gone.c")).to_string(), "gone.c: no such file");
    assert_eq!(fail(&project.files("gone.c")).exit_code(), 2);
    assert_eq!(fail(&project.files("gone.c bad.c")).exit_code(), 3);
    let error = fail(&project.files("bad.c"));
    assert_eq!(error.exit_code(), 3);
    assert!(error.to_string().starts_with("bad.c does not compile:\nbad.c:1:8: error:"), "{error}");
    assert_eq!(fail(&project.request()).exit_code(), 2);
    assert_eq!(fail(&project.files("a.c -- b.c")).exit_code(), 2);
    let mut request = project.files("b.c");
    request.clang = Some("/no/such/clang".into());
    assert_eq!(fail(&request).exit_code(), 3);
}

#[test]
fn old_c_and_other_languages_compile() {
    let project = Project::new(&[
        // What gcc let pass for decades and clang now rejects by default.
        (
            "old.c",
            "f(x) { foo(x); return; }\nint *g(void) { return 5; }\nchar *p; void h(long *q) { p = q; }\n",
        ),
        ("plus.cc", "struct S { S(); ~S(); };\nvoid g();\nvoid f() { S s; try { g(); } catch (...) { } }\n"),
        ("strange.name", "int x;\n"),
        ("done.i", "# 1 \"orig.c\"\nint y;\n"),
        ("date.c", "const char *d = __DATE__ __TIME__ __TIMESTAMP__;\n"),
    ]);
    let captured = run(&project.files("old.c plus.cc done.i date.c"));
    assert_eq!(counts(&captured), "4/0/0");
    assert_eq!(captured.units[1].language, Language::Cxx);
    assert_bitcode(&captured);
    let text = |index: usize| captured.units[index].preprocessed().unwrap().unwrap();
    assert_eq!(text(2), "# 1 \"orig.c\"\nint y;\n");
    assert!(text(3).contains("Jan  1 1970"), "{}", text(3));
    assert_eq!(names(&run(&project.files("strange.name -- -x c"))), ["strange.name"]);
}

#[test]
fn targets_are_kept() {
    let project = Project::new(&[("a.c", "int size = sizeof(long);\n")]);
    let size = |flags: &str| {
        let captured = run(&project.files(&format!("a.c -- {flags}")));
        (captured.units[0].target.clone(), captured.units[0].content)
    };
    let (target, narrow) = size("-m32");
    assert_eq!(target, None);
    let (target, arm) = size("--target=arm-linux-gnueabihf");
    assert_eq!(target.as_deref(), Some("arm-linux-gnueabihf"));
    assert!(narrow != arm && narrow != size("").1);
}

#[test]
fn flags_that_clang_rejects_are_dropped() {
    let project = Project::new(&[("a.c", "int a;\n"), ("b.c", "int b;\n")]);
    let line = "a.c b.c -- -fno-such-thing -DX -mno-such-machine=7 -std=gnu99 -march=no-such-cpu";
    let first = run(&project.files(line));
    assert_eq!(units(&first), ["a.c: -DX -std=gnu99", "b.c: -DX -std=gnu99"]);
    let expected = "-fno-such-thing is not passed on to clang (2 units)\n-march=no-such-cpu is not passed on to clang (2 units)\n\
                    -mno-such-machine=7 is not passed on to clang (2 units)\n";
    assert_eq!(notes(&first), expected);
    // From the cache the same is told.
    let second = run(&project.files(line));
    assert_eq!(
        (counts(&second), notes(&second), units(&second)),
        ("0/2/0".into(), expected.into(), units(&first))
    );
}

#[test]
fn every_clang_that_is_installed_serves() {
    let project = Project::new(&[("a.c", "#include <stdlib.h>\nvoid *f(void) { return malloc(1); }\n")]);
    let mut tried = 0;
    for version in 14..=22 {
        let Some(clang) = program(&format!("clang-{version}")) else { continue };
        tried += 1;
        let mut request = project.files("a.c -- -std=gnu23");
        request.clang = Some(clang);
        let first = run(&request);
        assert_eq!(counts(&first), "1/0/0", "one version must not read what another wrote");
        assert_bitcode(&first);
        let replaced = notes(&first).contains("-std=gnu23 read as -std=gnu2x");
        assert_eq!(replaced, version < 18, "clang {version}: {}", notes(&first));
        assert_eq!(counts(&run(&request)), "0/1/0");
    }
    // On a machine whose only clang has no version in its name, this still tests that one.
    if tried == 0 {
        assert_eq!(counts(&run(&project.files("a.c"))), "1/0/0");
    }
}

#[test]
fn bitcode_and_assembly_are_taken_as_they_are() {
    let project = hello();
    let made = run(&project.files("b.c"));
    std::fs::copy(&made.units[0].bitcode, project.path().join("whole.bc")).unwrap();
    project.write("t.ll", "define i32 @f() {\n  ret i32 7\n}\n");
    project.write("bad.ll", "define i32 @f( {\n");
    let captured = run(&project.files("whole.bc t.ll bad.ll"));
    assert_eq!(names(&captured), ["whole.bc", "t.ll"]);
    assert_eq!(captured.units[0].bitcode, project.path().join("whole.bc"));
    assert_eq!((captured.stats.given, counts(&captured).as_str()), (1, "1/0/1"));
    assert!(captured.failures[0].message.contains("bad.ll:"), "{}", captured.failures[0]);
    assert_bitcode(&captured);
    assert_eq!(captured.units[1].preprocessed().unwrap(), None);
    assert_eq!(run(&project.files("t.ll")).stats.cached, 1);
    // Bitcode alone needs no clang.
    let mut request = project.files("whole.bc");
    request.clang = Some("/no/such/clang".into());
    assert_eq!(names(&run(&request)), ["whole.bc"]);
}

#[test]
fn databases() {
    let project = Project::new(&[
        ("src/a.c", "#ifdef ONE\nint one;\n#else\nint two;\n#endif\n"),
        ("src/b c.c", "int b;\n"),
        ("build/flags.rsp", "-DR='1 2' @more.rsp"),
        ("build/more.rsp", "-DM"),
        ("src/asm.S", ""),
    ]);
    project.write(
        "build/compile_commands.json",
        r#"[
        {"directory": ".", "file": "../src/a.c", "command": "gcc -DONE -c ../src/a.c -o one.o"},
        {"directory": ".", "file": "../src/a.c", "command": "gcc -O2 -c ../src/a.c -o two.o"},
        {"directory": ".", "file": "../src/a.c", "command": "gcc -O3 -c ../src/a.c -o two.o"},
        {"directory": ".", "file": "../src/b c.c", "command": "ccache gcc -I'x y' -c '../src/b c.c'"},
        {"directory": ".", "file": "../src/b c.c", "arguments": ["aarch64-linux-gnu-gcc", "@flags.rsp", "../src/b c.c"]},
        {"directory": ".", "file": "../src/asm.S", "arguments": ["gcc", "-c", "../src/asm.S"]},
        {"directory": ".", "file": "../src/no.c", "arguments": ["gcc", "-c", "../src/no.c"]}
        ]"#,
    );
    let mut request = project.request();
    request.compile_db = Some("build".into());
    let captured = run(&request);
    assert_eq!(
        units(&captured),
        [
            "src/a.c: -DONE",
            "src/a.c: ",
            "src/b c.c: -Ix y",
            "src/b c.c: --target=aarch64-linux-gnu -DR=1 2 -DM"
        ]
    );
    assert_eq!(captured.failures.len(), 1);
    assert_eq!(captured.failures[0].to_string(), "src/no.c: no such file");
    assert_eq!(captured.seen.skipped.get(&Skip::AssemblySource), Some(&1));
    assert_eq!(captured.seen.skipped.get(&Skip::Repeated), Some(&1));
    assert_eq!(captured.seen.commands, 7);

    request.compile_db = Some("build/compile_commands.json".into());
    request.inputs = vec!["src/a.c".into()];
    request.flags = vec!["-DMORE".into()];
    assert_eq!(units(&run(&request)), ["src/a.c: -DONE -DMORE", "src/a.c: -DMORE"]);
    assert_eq!(
        names(&run(&project.files("build"))).len(),
        4,
        "a directory with a database is read through it"
    );
    request.compile_db = Some("nowhere".into());
    assert_eq!(fail(&request).exit_code(), 2);
    project.write("build/compile_commands.json", "[]");
    assert_eq!(fail(&project.files("build")).exit_code(), 3);
}

#[test]
fn a_second_run_compiles_what_changed() {
    let project = hello();
    let request = project.files("a.c b.c -- -Iinc");
    let first = run(&request);
    assert_eq!(counts(&first), "2/0/0");
    let second = run(&request);
    assert_eq!(counts(&second), "0/2/0");
    assert!(second.units.iter().all(|unit| unit.cached));
    assert_eq!(first.units[0].content, second.units[0].content);

    // A comment in a header changes the files but not the content.
    project.write("inc/x.h", "#define X 42 /* the answer */\n");
    let third = run(&request);
    assert_eq!((counts(&third), third.stats.preprocessed > 0), ("0/2/0".into(), true));
    // The same number of bytes, at once after: the time of the file may not show it.
    project.write("inc/x.h", "#define X 43 /* the answer */\n");
    let fourth = run(&request);
    assert_eq!(counts(&fourth), "1/1/0");
    assert!(fourth.units[0].preprocessed().unwrap().unwrap().contains("return 43;"));
    // A blank in the source moves columns.
    project.write("b.c", "int  b;\n");
    assert_eq!(counts(&run(&request)), "1/1/0");
    // Other flags, other content; flags without effect, same content.
    assert_eq!(counts(&run(&project.files("a.c b.c -- -Iinc -funsigned-char"))), "2/0/0");
    assert_eq!(counts(&run(&project.files("a.c b.c -- -Iinc -DUNUSED -O2"))), "0/2/0");
    // A header that newly comes first is noticed.
    project.write("x.h", "#define X 44\n");
    assert_eq!(counts(&run(&request)), "1/1/0");
}

#[test]
fn unchanged_files_need_no_clang_run() {
    let project = hello();
    project.age(&["a.c", "b.c", "inc/x.h"]);
    let request = project.files("a.c b.c -- -Iinc");
    assert_eq!(counts(&run(&request)), "2/0/0");
    let second = run(&request);
    assert_eq!((counts(&second), second.stats.preprocessed), ("0/2/0".into(), 0));
    // What a build leaves beside the sources changes the time of the folder and needs one look.
    project.write("a.o", "");
    let third = run(&request);
    assert_eq!((counts(&third), third.stats.preprocessed), ("0/2/0".into(), 2));
    assert_eq!(run(&request).stats.preprocessed, 0);
}

#[test]
fn a_damaged_cache_heals() {
    let project = hello();
    let request = project.files("a.c -- -Iinc");
    for damage in [&b"BC\xc0\xdegarbage"[..], b""] {
        let captured = run(&request);
        std::fs::write(&captured.units[0].bitcode, damage).unwrap();
        let healed = run(&request);
        assert_eq!(counts(&healed), "1/0/0");
        assert_eq!(healed.units[0].content, captured.units[0].content);
        assert_bitcode(&healed);
    }
    let captured = run(&request);
    std::fs::write(captured.units[0].preprocessed_path().unwrap(), "short").unwrap();
    assert!(captured.units[0].preprocessed().is_err());
    assert_eq!(counts(&run(&request)), "1/0/0");
    // Even with every file of the cache damaged.
    project.shell("find .watertight -type f | while read f; do echo x > \"$f\"; done");
    assert_eq!(counts(&run(&request)), "1/0/0");
    assert_eq!(counts(&run(&request)), "0/1/0");
}

#[test]
fn a_cache_that_cannot_be_written_is_replaced() {
    let project = hello();
    project.write("wall", "not a directory");
    let mut request = project.files("b.c");
    request.cache = Some("wall/cache".into());
    let captured = run(&request);
    assert!(captured.is_temporary());
    assert!(notes(&captured).contains("wall/cache` cannot be written"), "{}", notes(&captured));
    let bitcode = captured.units[0].bitcode.clone();
    assert_bitcode(&captured);
    drop(captured);
    assert!(!bitcode.exists());
}

#[test]
fn threads_and_simultaneous_runs_do_not_matter() {
    let files: Vec<(String, String)> =
        (0..12).map(|i| (format!("f{i:02}.c"), format!("int v{i};\n"))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let project = Project::new(&files);
    let show = |threads: usize, cache: &str| {
        let mut request = project.files(".");
        request.threads = NonZeroUsize::new(threads);
        request.cache = Some(cache.into());
        run(&request).units.iter().map(|unit| format!("{} {}", unit.name, unit.content)).collect::<Vec<_>>()
    };
    let one = show(1, "one");
    assert_eq!(one.len(), 12);
    assert_eq!(show(4, "four"), one);
    std::thread::scope(|scope| {
        let runs: Vec<_> = (0..3).map(|_| scope.spawn(|| show(2, "shared"))).collect();
        for run in runs {
            assert_eq!(run.join().unwrap(), one);
        }
    });
}

#[test]
fn position_independence_makes_no_second_unit() {
    let project = Project::new(&[("a.c", "int a;\n"), ("b.c", "#ifdef PIC\nint p;\n#endif\nint b;\n")]);
    let entry = |file: &str, flags: &str, output: &str| {
        format!(r#"{{"directory": ".", "file": "{file}", "command": "gcc {flags} -c {file} -o {output}"}}"#)
    };
    let entries = [
        entry("a.c", "-fPIC -DPIC", ".libs/a.o"),
        entry("a.c", "", "a.o"),
        entry("b.c", "-fPIC -DPIC", ".libs/b.o"),
        entry("b.c", "", "b.o"),
    ];
    project.write("compile_commands.json", &format!("[{}]", entries.join(",")));
    let captured = run(&project.files("."));
    assert_eq!(units(&captured), ["a.c: -fPIC -DPIC", "b.c: -fPIC -DPIC", "b.c: "]);
    assert_eq!(captured.seen.skipped.get(&Skip::SameContent), Some(&1));
}

#[test]
fn a_run_that_keeps_nothing_preprocesses_only_what_is_compiled_twice() {
    let project = Project::new(&[("a.c", "int a;\n"), ("b.c", "int b;\n"), ("c.c", "int f( {\n")]);
    let entry = |file: &str, flags: &str, output: &str| {
        format!(r#"{{"directory": ".", "file": "{file}", "command": "gcc {flags} -c {file} -o {output}"}}"#)
    };
    let entries = [
        entry("a.c", "-fPIC -DPIC", "a.lo"),
        entry("a.c", "", "a.o"),
        entry("b.c", "-fno-such-thing", "b.o"),
        entry("c.c", "", "c.o"),
    ];
    project.write("compile_commands.json", &format!("[{}]", entries.join(",")));
    let mut request = project.files(".");
    request.keep = Keep::Nothing;
    let captured = run(&request);
    assert_eq!((counts(&captured), captured.stats.preprocessed), ("2/0/1".into(), 2));
    assert_eq!(units(&captured), ["a.c: -fPIC -DPIC", "b.c: "]);
    assert!(
        notes(&captured).starts_with("-fno-such-thing is not passed on to clang (1 unit)\n"),
        "{}",
        notes(&captured)
    );
    assert_bitcode(&captured);
    assert_eq!(captured.units[0].preprocessed().unwrap(), None);
}

#[test]
fn texts_are_kept_where_they_are_asked_for() {
    let project = Project::new(&[("a.c", "int a;\n")]);
    project.age(&["a.c"]);
    let mut request = project.files("a.c");
    request.keep = Keep::Units;
    assert_eq!(run(&request).units[0].preprocessed().unwrap(), None);
    assert_eq!(counts(&run(&request)), "0/1/0");
    // The bitcode alone is not what this one asks for.
    request.keep = Keep::Texts;
    let captured = run(&request);
    assert_eq!(counts(&captured), "1/0/0");
    assert!(captured.units[0].preprocessed().unwrap().unwrap().contains("int a;"));
}

#[test]
fn a_second_run_does_not_preprocess_the_same_content_again() {
    let project = Project::new(&[("a.c", "int a;\n"), ("b.c", "int f( {\n")]);
    let entry = |file: &str, flags: &str, output: &str| {
        format!(r#"{{"directory": ".", "file": "{file}", "command": "gcc {flags} -c {file} -o {output}"}}"#)
    };
    let entries = [entry("a.c", "-fPIC -DPIC", "a.lo"), entry("a.c", "", "a.o"), entry("a.c", "-DX", "x.o")];
    project.write("compile_commands.json", &format!("[{}]", entries.join(",")));
    project.age(&["a.c", "b.c"]);
    let first = run(&project.files("."));
    assert_eq!((counts(&first), first.stats.preprocessed), ("1/0/0".into(), 3));
    let second = run(&project.files("."));
    assert_eq!((counts(&second), second.stats.preprocessed), ("0/1/0".into(), 0));
    assert_eq!(units(&second), units(&first));
    assert_eq!(second.seen.skipped, first.seen.skipped);

    // A repeated unit that does not compile is not taken for one that did.
    let entries = [entry("b.c", "-fPIC", "b.lo"), entry("b.c", "", "b.o"), entry("a.c", "", "a.o")];
    project.write("compile_commands.json", &format!("[{}]", entries.join(",")));
    for _ in 0..2 {
        let captured = run(&project.files("."));
        assert_eq!((counts(&captured), captured.failures[0].name.as_str()), ("0/1/1".into(), "b.c"));
    }
}

#[test]
fn response_files_among_typed_flags() {
    let project = hello();
    project.write("build/flags.rsp", "-Iinc -DNAME='x y' @build/more.rsp\n");
    project.write("build/more.rsp", "-fconserve-stack -funsigned-char");
    project.write("compile_commands.json", r#"[{"directory": ".", "file": "a.c", "command": "gcc -c a.c"}]"#);
    let captured = run(&project.files("a.c b.c -- @build/flags.rsp"));
    assert_eq!(
        units(&captured),
        ["a.c: -Iinc -DNAME=x y -funsigned-char", "b.c: -Iinc -DNAME=x y -funsigned-char"]
    );
    let mut request = project.files(" -- @build/flags.rsp");
    request.compile_db = Some(".".into());
    assert_eq!(units(&run(&request)), ["a.c: -Iinc -DNAME=x y -funsigned-char"]);
    // Two files that name each other are a mistake, and no endless work.
    project.write("build/more.rsp", "@build/flags.rsp");
    assert_eq!(fail(&request).exit_code(), 2);
}

#[test]
fn very_long_command_lines() {
    let project = Project::new(&[("a.c", "int a = LAST;\n")]);
    let mut request = project.files("a.c");
    request.flags = (0..4000).map(|i| format!("-DMACRO_WITH_A_LONG_NAME_{i}=\"some value {i}\"")).collect();
    request.flags.push("-DLAST=5".into());
    let captured = run(&request);
    assert!(captured.units[0].preprocessed().unwrap().unwrap().contains("int a = 5;"));
}
