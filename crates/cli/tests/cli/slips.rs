//! What is typed wrongly, or not meant so, gets one sentence.

use crate::support::{ONE_FUNCTION, Project, skip};

#[test]
fn a_slip_gets_one_sentence() {
    let project = Project::new(&[("a.c", ONE_FUNCTION), ("empty/readme.txt", "no C here")]);
    project.run(&["check", "a.c", "--threads", "0"]).exits(2).says("use a whole number from 1 on");
    project
        .run(&["check", "a.c", "-o", "no/such.txt"])
        .exits(3)
        .says("cannot write `no/such.txt`: the directory `no` does not exist");
    project.run(&["a.c"]).exits(2).says("type `watertight check a.c`");
    project.run(&["chekc"]).exits(2).says("a similar subcommand exists: 'check'");
    project.run(&["check", "nowhere"]).exits(2).says("nowhere: no such file or directory");
    project.run(&["check", "empty"]).exits(3).says("there are none (.c) in what was named");
    project.run(&["prove", "a.c:999"]).exits(2).says("there is no line 999 in `a.c`: it has 1 line");
    project.run(&["prove", "a.c:0"]).exits(2).says("there is no line 0");
}

#[test]
fn several_programs_at_once_are_one_note_with_advice() {
    let main = |number: u32| {
        format!(
            "int helper(int x) {{ return x + {number}; }}\nint main(int c, char **v) {{ return helper(c); }}\n"
        )
    };
    let project = Project::new(&[("t1.c", &main(1)), ("t2.c", &main(2)), ("t3.c", &main(3))]);
    let ran = project.run(&["check", "."]).exits(0);
    assert_eq!(ran.stderr.lines().filter(|line| line.contains("`main`")).count(), 1, "{ran:?}");
    ran.says("3 units define `main`").says("check one program at a time");
}

#[test]
fn what_is_checked_of_cpp_is_said_once() {
    let project =
        Project::new(&[("a.cpp", "int *f() { return new int; }\n"), ("b.cpp", "int g() { return 1; }\n")]);
    let ran = project.run(&["check", "a.cpp", "b.cpp"]);
    if ran.code == Some(3) {
        return skip("this clang compiles no C++");
    }
    assert_eq!(ran.stderr.matches("`new` and `delete`").count(), 1, "{ran:?}");
    ran.exits(0).says("2 C++ units are checked for resources of C only");
}
