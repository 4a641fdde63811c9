//! The ways in: files with flags, directories, a compilation database, a build, bitcode and assembly, text IR.

use crate::support::{ONE_FUNCTION, Project};

const WITH_HEADER: &str = "#include \"h.h\"\nint size(void) { return SIZE; }\n";

#[test]
fn files_with_flags() {
    let project = Project::new(&[("a.c", WITH_HEADER), ("include/h.h", "#define SIZE 3\n")]);
    project.run(&["dump", "ir", "a.c"]).exits(3).says("'h.h' file not found");
    project.run(&["dump", "ir", "a.c", "--", "-Iinclude"]).exits(0).says("return i32 3");
    // What only gcc knows is dropped, with a note.
    let ran = project.run(&["dump", "ir", "a.c", "--", "-Iinclude", "-fconserve-stack"]).exits(0);
    ran.says("1 compiler flag was dropped").does_not_say("-fconserve-stack");
    project
        .run(&["dump", "ir", "-v", "a.c", "--", "-Iinclude", "-fconserve-stack"])
        .exits(0)
        .says("-fconserve-stack is not passed on to clang");
    let ran = project.run(&["dump", "ir", "-q", "a.c", "--", "-Iinclude", "-fconserve-stack"]).exits(0);
    assert_eq!(ran.stderr, "");
}

#[test]
fn compilation_database() {
    let project = Project::new(&[("src/a.c", WITH_HEADER), ("include/h.h", "#define SIZE 7\n")]);
    let root = project.path().display();
    let database = format!(
        r#"[{{"directory": "{root}/src", "file": "a.c", "arguments": ["cc", "-I../include", "-c", "a.c"]}}]"#
    );
    project.write("build/compile_commands.json", database);
    project.run(&["dump", "ir", "-p", "build"]).exits(0).says("return i32 7");
    project.run(&["dump", "ir", "-p", "build/compile_commands.json"]).exits(0).says("return i32 7");
    project.run(&["dump", "ir", "-p", "build", "src/a.c"]).exits(0).says("return i32 7");
    project.run(&["dump", "ir", "-p", "build", "src/b.c"]).exits(2).says("src/b.c");
    project.write("src/flags.rsp", "-I ../include -DOTHER='1 2'\n");
    let database =
        format!(r#"[{{"directory": "{root}/src", "file": "a.c", "command": "cc @flags.rsp -c a.c"}}]"#);
    project.write("response/compile_commands.json", database);
    project.run(&["dump", "ir", "-p", "response"]).exits(0).says("return i32 7");
    project.write("bad/compile_commands.json", "[{\n");
    project.run(&["check", "-p", "bad"]).says("bad/compile_commands.json");
}

#[test]
fn builds() {
    let makefile = "all: a.o b.o\n%.o: %.c\n\t$(CC) -DFROM_MAKE=5 -c $< -o $@\n";
    let source = |name: &str| format!("int {name}(void) {{ return FROM_MAKE; }}\n");
    let project = Project::new(&[("Makefile", makefile), ("a.c", &source("a")), ("b.c", &source("b"))]);
    let ran = project.run(&["run", "--format", "json", "--", "make", "-j2"]).exits(0);
    let summary = |name: &str, ran: &crate::support::Ran| ran.stdout.contains(name);
    assert!(summary("\"files\": 2", &ran) && summary("\"functions\": 2", &ran), "{ran:#?}");
    // Nothing is compiled the second time, and the units are still known.
    let ran = project.run(&["run", "--format", "json", "--stats=json", "--", "make", "-j2"]).exits(0);
    assert!(summary("\"files\": 2", &ran), "{ran:#?}");
    ran.says(r#""compiled":0"#).says(r#""preprocessed":0"#);
    // A build can be looked at stage by stage, as files can.
    let ran = project.run(&["run", "--dump=totals", "--", "make", "-j2"]).exits(0);
    assert!(ran.stdout.starts_with("units 2\nfunctions 2\n"), "{ran:#?}");

    project
        .run(&["run", "--", "true"])
        .exits(3)
        .says("no C file was found to analyse")
        .says("the build ended with");
    project.run(&["run", "--", "no-such-build-tool"]).exits(2).says("no-such-build-tool");
}

#[test]
fn bitcode_and_assembly() {
    let project = Project::new(&[("a.c", ONE_FUNCTION)]);
    let bitcode = project.bitcode("a.c");
    project.write("a.bc", bitcode);
    project.run(&["dump", "ir", "a.bc"]).exits(0).says("func @one(");
    project.write("b.ll", "define i32 @two() {\n  ret i32 2\n}\n");
    project.run(&["dump", "ir", "b.ll"]).exits(0).says("func @two()");
    project.run(&["dump", "ir", "a.bc", "b.ll"]).exits(0).says("func @one(").says("func @two()");
    project.write("bad.ll", "define i32 @two() {\n  ret i64 2\n");
    project.run(&["dump", "ir", "bad.ll"]).exits(3).says("bad.ll");
}

#[test]
fn text_ir() {
    let project = Project::new(&[("a.c", ONE_FUNCTION)]);
    let first = project.run(&["dump", "ir", "a.c"]).exits(0).stdout;
    project.write("a.ir", &first);
    // What was printed reads back and prints the same, and needs no compiler.
    let again = project.run(&["dump", "ir", "a.ir", "--clang", "/nonexistent"]).exits(0).stdout;
    assert_eq!(first, again);
    project.write("bad.ir", "func @f() {\nbb0:\n  frobnicate\n}\n");
    project.run(&["dump", "ir", "bad.ir"]).exits(3).says("bad.ir:3");
    project.write("broken.ir", "func @f() {\nbb0:\n  %x = compare eq i32 1, ptr null\n  return\n}\n");
    project.run(&["dump", "ir", "broken.ir"]).exits(3).says("broken.ir").says("breaks a rule of the IR");
}

#[test]
fn the_same_in_whatever_order_files_are_named() {
    let lost = |name: &str| {
        format!(
            "#include <stdlib.h>\nvoid *make(void);\nint {name}(void) {{ return make() != malloc(3); }}\n"
        )
    };
    let maker = "#include <stdlib.h>\nvoid *make(void) { return malloc(7); }\n";
    let project = Project::new(&[("a.c", &lost("a")), ("b.c", maker), ("c.c", &lost("c"))]);
    for command in [&["dump", "ir"][..], &["check", "--format", "gcc"]] {
        let run = |files: [&str; 3]| project.run(&[command, &files].concat()).stdout;
        let one = run(["a.c", "b.c", "c.c"]);
        assert!(one.contains("make"), "{one}");
        assert_eq!(one, run(["c.c", "b.c", "a.c"]));
        assert_eq!(one, run(["b.c", "a.c", "c.c"]));
    }
}

#[test]
fn the_same_for_every_number_of_threads() {
    let project = Project::new(&[]);
    for number in 0..12 {
        let text = format!("static int x = {number};\nint f{number}(void) {{ return x++; }}\n");
        project.write(&format!("f{number}.c"), text);
    }
    let one = project.run(&["dump", "ir", "--threads", "1", "."]).exits(0).stdout;
    let many = project.run(&["dump", "ir", "--threads", "4", "."]).exits(0).stdout;
    assert_eq!(one, many);
    assert_eq!(one.matches("\nunit ").count(), 12);
}

/// A compiler leaves out a static function that nobody calls. It is somebody's code all the same; what a header
/// brings along is not.
#[test]
fn a_static_function_that_nobody_calls_is_analysed() {
    let lost = "{ char *p = malloc(3); return p != 0; }\n";
    let project = Project::new(&[
        (
            "a.c",
            &format!("#include \"a.h\"\nstatic int lonely(void) {lost}int seen(void) {{ return used(); }}\n"),
        ),
        (
            "a.h",
            &format!(
                "#include <stdlib.h>\nstatic inline int used(void) {lost}static inline int unused(void) {lost}"
            ),
        ),
    ]);
    let ran = project.run(&["check", "a.c", "--format", "json"]).exits(1);
    let report = ran.json();
    let mut lines: Vec<(String, u64)> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| {
            let place = &finding["place"];
            (place["file"].as_str().unwrap().to_owned(), place["line"].as_u64().unwrap())
        })
        .collect();
    lines.sort();
    assert_eq!(lines, [("a.c".to_owned(), 2), ("a.h".to_owned(), 2)]);
}

/// A list of many parameters takes few bits each.
#[test]
fn a_function_can_have_very_many_parameters() {
    let list = |text: &dyn Fn(usize) -> String| (0..40_000).map(text).collect::<Vec<_>>().join(",");
    let params = list(&|number| format!("int a{number}"));
    let text = format!(
        "int f({params}) {{ return a39999; }}\nint g(void) {{ return f({}); }}\n",
        list(&|_| "1".to_owned())
    );
    let project = Project::new(&[("a.c", &text)]);
    project.run(&["check", "a.c", "--engine", "both"]).exits(0).says("2 functions analysed");
}

/// A third of the members of the caller's structure is filled and released. It took minutes when each member was asked about in the
/// text of all functions anew.
#[test]
fn a_structure_can_have_very_many_members() {
    let list = |text: &dyn Fn(usize) -> String| (0..800).map(text).collect::<String>();
    let members = list(&|number| format!("char *m{number}; char *n{number}; char *o{number}; "));
    let filled = list(&|number| format!("s->m{number} = malloc(k);\n"));
    let freed = list(&|number| format!("free(s->m{number}); "));
    let text = format!(
        "#include <stdlib.h>\nstruct s {{ {members} }};\nvoid end(struct s *s) {{ {freed} free(s); }}\n\
         void begin(struct s *s, int k) {{ {filled} }}\n"
    );
    let project = Project::new(&[("a.c", &text)]);
    let start = std::time::Instant::now();
    project.run(&["check", "a.c"]).says("2 functions analysed");
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

/// An array can be larger than any memory (pr65680 of gcc's tests, beside a `main`).
#[test]
fn an_array_of_structures_can_be_larger_than_memory() {
    let text = "struct s { int f : 1; } a[100000000000000001][3];\n\
        void bar(void) { a[100000000000000000][0].f = 1; }\nint main(void) { bar(); return 0; }\n";
    let project = Project::new(&[("a.c", text)]);
    project.run(&["check", "a.c"]).exits(0).says("2 functions");
}

/// gcc's attribute that names who releases what a function returns.
#[test]
fn the_attribute_malloc_may_have_arguments() {
    let text = "#include <stdlib.h>\nvoid drop(void *);\n\
        void *one(int) __attribute__((malloc, malloc (drop, 1)));\n\
        void *two(int) __attribute__((__malloc__(drop, 1)));\n\
        void *three(int) __attribute__((malloc, malloc (drop))), *(*const other)(size_t) = malloc;\n\
        int f(void) { char *p = malloc(sizeof(int[3])); drop(one(3)); drop(two(3)); drop(three(3)); return p != 0; }\n";
    let project = Project::new(&[("a.c", text)]);
    let report = project.run(&["check", "a.c", "--format", "json"]).exits(1).json();
    assert_eq!(report["findings"][0]["place"]["line"], 6);
}

/// What a build did not come to was not looked at.
#[test]
fn a_build_that_fails_is_no_clean_run() {
    let project = Project::new(&[("a.c", ONE_FUNCTION)]);
    let build = |text: &str| project.run(&["run", "--", "sh", "-c", &format!("cc -c a.c -o a.o{text}")]);
    build("").exits(0).says("1 function");
    build("; exit 2").exits(3).says("the build failed").says("1 function");
    project.write("a.c", "#include <stdlib.h>\nint f(void) { char *p = malloc(3); return p != 0; }\n");
    build("; exit 2").exits(1);
}

/// A build that is continued with another option does not forget what it compiled before.
#[test]
fn a_build_that_is_continued_keeps_what_it_had() {
    let project = Project::new(&[("a.c", ONE_FUNCTION), ("b.c", "int two(void) { return 2; }\n")]);
    let script = "#!/bin/sh\nfor f in a b; do test -e $f.o || { cc -c $f.c -o $f.o; test \"$1\" = -k || exit 1; }; done\n";
    let path = project.write("build.sh", script);
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    project.run(&["run", "--", "./build.sh"]).exits(3).says("1 function");
    project.run(&["run", "--", "./build.sh", "-k"]).exits(0).says("2 functions");
}
