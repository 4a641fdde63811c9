//! How the project is found: databases, build files, `init`, patterns, and where results are kept.

use std::path::Path;

use crate::support::{ONE_FUNCTION, Project, Ran};

/// A function that loses memory, under a name of its own, if the build says so.
fn leaking(name: &str) -> String {
    format!(
        "#include <stdlib.h>\n#ifdef BUILT\nint {name}(int n) {{ char *p = malloc(8); if (!p) return 0; p[0] = n; return p[0]; }}\n#endif\n"
    )
}

/// A database that compiles these files with a flag that the leak needs.
fn database(folder: &Path, files: &[&str]) -> String {
    let entry = |file: &&str| {
        format!(r#"{{"directory": {folder:?}, "file": {file:?}, "command": "cc -DBUILT -c {file}"}}"#)
    };
    format!("[{}]", files.iter().map(entry).collect::<Vec<_>>().join(","))
}

fn in_folder(project: &Project, folder: &str, arguments: &[&str]) -> Ran {
    let mut command = project.command(arguments);
    Ran::of(command.current_dir(project.path().join(folder)))
}

/// A project with two leaks whose database is in one of its folders.
fn built(place: &str) -> Project {
    let project = Project::new(&[(".git/HEAD", "")]);
    project.write("src/a.c", leaking("first"));
    project.write("tests/b.c", leaking("second"));
    let text = database(project.path(), &["src/a.c", "tests/b.c"]);
    project.write(&format!("{place}compile_commands.json"), text);
    project
}

#[test]
fn the_database_is_found_and_named() {
    for place in ["", "build/", "builddir/", "out/"] {
        let project = built(place);
        let taken = format!("note: compile commands from {place}compile_commands.json\n");
        project.run(&["check"]).exits(1).says(&taken).says("2 findings");
        project.run(&["check", "src"]).exits(1).says(&taken).says("1 finding");
        project.run(&["check", "src/a.c"]).exits(1).says(&taken).says("1 finding");
        project.run(&["check", "-q"]).exits(1).does_not_say("note: compile commands");
        in_folder(&project, "src", &["check"]).exits(1).says("2 findings");
        in_folder(&project, "src", &["check", "a.c"]).exits(1).says("1 finding");
    }
}

#[test]
fn what_the_database_does_not_know_is_checked_without_it() {
    let project = built("build/");
    project.write("src/new.c", ONE_FUNCTION);
    project
        .run(&["check", "src/new.c"])
        .exits(0)
        .says("build/compile_commands.json has no entry for src/new.c, so it is not used");
    // Who types flags means those.
    project.run(&["check", "src/a.c", "--", "-DX"]).exits(0).does_not_say("compile commands from");
    project.run(&["check", "src/typo.c"]).exits(2).says("src/typo.c").does_not_say("no entry");
    project.write("build/compile_commands.json", "{");
    project.run(&["check", "src/a.c"]).exits(0).says("cannot be read, so it is not used");
    project.run(&["check"]).exits(3).says("is not a compilation database");
}

#[test]
fn a_build_without_a_database_names_the_command_that_makes_one() {
    for (file, command, from_below) in [
        (
            "CMakeLists.txt",
            "\n  cmake -B build -DCMAKE_EXPORT_COMPILE_COMMANDS=ON\n",
            "\n  cmake -S .. -B ../build -DCMAKE_EXPORT_COMPILE_COMMANDS=ON\n",
        ),
        ("meson.build", "\n  meson setup builddir\n", "\n  meson setup ../builddir ..\n"),
        (
            "Makefile",
            "\n  watertight run --database compile_commands.json -- make -B\n",
            "\n  watertight run --database ../compile_commands.json -- make -C .. -B\n",
        ),
    ] {
        let project = Project::new(&[(".git/HEAD", ""), ("src/a.c", ONE_FUNCTION), (file, "")]);
        let ran = project.run(&["check"]).exits(2).says(command).says(&format!("there is a `{file}`"));
        assert_eq!(ran.stdout, "");
        in_folder(&project, "src", &["check"]).exits(2).says(from_below);
        project.run(&["check", "src"]).exits(0).says("no flags of the build are known").says(command);
        project.run(&["check", "src/a.c"]).exits(0).does_not_say(command);
    }
}

#[test]
fn from_above_the_command_names_the_folder() {
    for (file, command) in [
        ("CMakeLists.txt", "\n  cmake -S app -B app/build -DCMAKE_EXPORT_COMPILE_COMMANDS=ON\n"),
        ("meson.build", "\n  meson setup app/builddir app\n"),
        ("Makefile", "\n  watertight run --database app/compile_commands.json -- make -C app -B\n"),
    ] {
        let project = Project::new(&[(".git/HEAD", ""), ("app/a.c", ONE_FUNCTION)]);
        project.write(&format!("app/{file}"), "");
        let there = format!("there is a `{file}` in `app`");
        project.run(&["check", "app"]).exits(0).says(&there).says(command);
        project.run(&["check"]).exits(0).says("every C file here is checked").says(&there).says(command);
        in_folder(&project, "app", &["check"]).exits(2).does_not_say("app/");
    }
}

#[test]
fn a_database_below_is_found() {
    for place in ["app/", "app/build/", "deep/app/out/", "made/"] {
        let project = built(place);
        // A folder that a build made is recognised, whatever its name.
        project.write("made/CMakeCache.txt", "");
        let taken = format!("note: compile commands from {place}compile_commands.json");
        project.run(&["check"]).exits(1).says(&taken).says("2 findings");
    }
    let project = built("one/build/");
    project.write("two/build/compile_commands.json", "[]");
    let ran = project.run(&["check"]).exits(2).says("several below").says("watertight check one`");
    ran.says("\n  one/build/compile_commands.json").says("\n  two/build/compile_commands.json");
}

#[test]
fn what_a_build_made_is_not_checked() {
    let project = Project::new(&[(".git/HEAD", ""), ("a.c", ONE_FUNCTION), ("cpp/a.cpp", ONE_FUNCTION)]);
    project.write("build/CMakeCache.txt", "");
    project.write("build/CMakeFiles/probe.c", ONE_FUNCTION);
    let ran = project.run(&["check"]).exits(0).says("in 1 file");
    ran.says("1 C++ source is not checked").says("`cpp/a.cpp`");
    let broken = Project::new(&[("d/a.c", "no C\n"), ("d/b.c", "no C\n")]);
    broken.run(&["check", "d"]).exits(3).says("none of the files could be analysed");
}

#[test]
fn the_command_for_make_leaves_a_database() {
    let project = Project::new(&[(".git/HEAD", "")]);
    project.write("a.c", leaking("first"));
    project.write("Makefile", "a.o: a.c\n\tcc -DBUILT -c a.c\n");
    let run = ["run", "--database", "compile_commands.json", "--", "make", "-B"];
    project.run(&run).exits(1);
    project.run(&["check"]).exits(1).says("compile commands from compile_commands.json");
}

#[test]
fn a_folder_without_a_build_is_checked_as_it_is() {
    let project = Project::new(&[(".git/HEAD", ""), ("a.c", ONE_FUNCTION), ("sub/b.c", ONE_FUNCTION)]);
    project.run(&["check"]).exits(0).says("every C file here is checked").says("in 2 files");
    let nothing = Project::new(&[(".git/HEAD", ""), ("notes.txt", "")]);
    nothing.run(&["check"]).exits(2).says("nothing to check");
}

#[test]
fn patterns_choose_what_is_reported() {
    let project = built("build/");
    let left = "note: 1 finding is in files that `include` and `exclude` leave out";
    project.run(&["check", "--exclude", "tests"]).exits(1).says("1 finding (").says(left);
    project.run(&["check", "--include", "src/*.c"]).exits(1).says("src/a.c").does_not_say("tests/b.c");
    project.run(&["check", "--exclude", "src", "--exclude", "tests/*"]).exits(0);
    project.run(&["check", "--exclude", "../x"]).exits(2).says("not a pattern");
    project.write("watertight.toml", "exclude = ['tests']\n");
    project.run(&["check"]).exits(1).says(left);
    // Paths start in the folder of the file.
    in_folder(&project, "tests", &["check"]).exits(1).says("src/a.c").says(left);
    project.write("watertight.toml", "exclude = ['/src', 'tests/']\n");
    project.run(&["check"]).exits(0).says("2 findings are in files");
    project.run(&["baseline"]).exits(0).says("0 findings written");
}

#[test]
fn a_file_that_is_left_out_need_not_compile() {
    let project = Project::new(&[(".git/HEAD", ""), ("a.c", ONE_FUNCTION), ("old/b.c", "no C\n")]);
    project.run(&["check", "."]).exits(3);
    project.run(&["check", ".", "--exclude", "old"]).exits(0).does_not_say("old/b.c");
}

#[test]
fn findings_need_not_be_a_failure() {
    let project = built("");
    project.run(&["check", "--exit-zero"]).exits(0).says("2 findings");
    project.run(&["check", "--exit-zero", "typo.c"]).exits(2);
    // A mistake in a file of models is no finding.
    project.write("watertight.toml", "models = [\"own.model\"]\n");
    project.write("own.model", "take(p) realeases p\n");
    project.run(&["check", "--exit-zero"]).exits(2).says("2 findings");
}

#[test]
fn a_hyphen_is_standard_output() {
    let project = built("");
    let ran = project.run(&["check", "--format", "json", "-o", "-"]).exits(1);
    assert_eq!(ran.json()["findings"].as_array().unwrap().len(), 2);
    assert!(!project.path().join("-").exists());
}

#[test]
fn what_is_kept_belongs_to_the_project_and_git_does_not_see_it() {
    let project = built("build/");
    in_folder(&project, "src", &["check"]).exits(1);
    assert!(!project.path().join("src/.watertight").exists());
    let kept = project.path().join(".watertight");
    assert!(kept.join("store.db").is_file() && kept.join("cache").is_dir());
    assert_eq!(std::fs::read_to_string(kept.join(".gitignore")).unwrap(), "*\n");
    project.run(&["check", "--stats=json"]).exits(1).says(r#""compiled":0"#);
}

#[test]
fn init_writes_what_it_saw() {
    let project = built("build/");
    project.write("vendor/z.c", ONE_FUNCTION);
    project.run(&["init"]).exits(0).says("watertight.toml written\nnext: watertight check\n");
    let text = std::fs::read_to_string(project.path().join("watertight.toml")).unwrap();
    for line in [
        "database = \"build/compile_commands.json\"\n",
        "# Perhaps also: [\"tests\"]\nexclude = [\"vendor\"]\n",
        "#confidence = \"medium\"\n",
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
    project.run(&["check"]).exits(1).says("2 findings");
    project.run(&["init"]).exits(2).says("add `--force`");
    std::fs::remove_file(project.path().join("build/compile_commands.json")).unwrap();
    project.write("CMakeLists.txt", "");
    project
        .run(&["check"])
        .exits(2)
        .says("`build/compile_commands.json`, which `watertight.toml` names, does not exist")
        .says("cmake -B build");
    project.run(&["init", "--force"]).exits(0).says("next: cmake -B build");
    let text = std::fs::read_to_string(project.path().join("watertight.toml")).unwrap();
    assert!(text.contains("# This makes them: cmake -B build"), "{text}");
}

#[test]
fn a_folder_of_a_build_is_a_part_of_the_project_without_git_too() {
    let project = Project::new(&[("Makefile", "all:\n")]);
    project.write("src/a.c", leaking("first"));
    in_folder(&project, "src", &["check", "a.c", "--", "-DBUILT"]).exits(1);
    in_folder(&project, "src", &["mark", "set", "a.c:3", "false", "--reason", "a test"]).exits(0);
    for kept in ["watertight-marks.toml", ".watertight/store.db"] {
        assert!(project.path().join(kept).is_file(), "{kept}");
        assert!(!project.path().join("src").join(kept).exists(), "src/{kept}");
    }
    project.run(&["check", "src/a.c", "--", "-DBUILT"]).exits(0).says("1 marked and not reported");
}
