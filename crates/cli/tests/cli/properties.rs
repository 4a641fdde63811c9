//! Properties: the summaries of the paper, the example of the manual, and mistakes in files.

use crate::support::Project;
use serde_json::Value;

/// The property of the paper: to try a lock that one holds is an error.
const LOCK: &str = "property paper-lock \"lock\"
states unlocked, locked
error double-lock \"is locked twice\"
error double-unlock \"is unlocked twice\"
take(l) unlocked -> locked, locked -> error double-lock
give(l) locked -> unlocked, unlocked -> error double-unlock
try(l) {
    when result != 0: unlocked -> locked, locked -> error double-lock
    otherwise: unlocked -> unlocked, locked -> error double-lock
}
";

const WRAPPERS: &str = "typedef struct { int v; } spin;
void take(spin *l); int try(spin *l); void give(spin *l);
void lock(spin *l) { take(l); }
int trylock(spin *l) { return try(l); }
void complex_wrapper(spin *l, int flag, int *success) {
    if (flag) *success = try(l);
    else { give(l); *success = 1; }
}
void balanced(spin *l, int *n) { take(l); (*n)++; give(l); }
void twice(spin *l, int *n) { take(l); balanced(l, n); give(l); }
";

fn summary(project: &Project, function: &str) -> (Vec<String>, String) {
    let json = project.run(&["summary", "--json", function, "a.c"]).exits(0).stdout;
    let json: Value = serde_json::from_str(&json).unwrap();
    let does = json[0]["does"].as_array().unwrap().iter().map(|does| does.as_str().unwrap().to_owned());
    (does.collect(), json[0]["model"].as_str().unwrap().to_owned())
}

#[test]
fn the_three_summaries_of_the_paper_come_out() {
    let project = Project::new(&[("a.c", WRAPPERS), ("lock.property", LOCK)]);
    // Fig. 8: R = { (*p0, Unlocked, Locked), (*p0, Locked, Error) }.
    let (does, model) = summary(&project, "lock");
    assert_eq!(does, ["locks `*l`", "if `*l` is locked: double-lock"]);
    assert_eq!(model, "lock(l) state(l) = locked\n");
    // (*p0, Unlocked, true, Locked), (*p0, Unlocked, false, Unlocked), (*p0, Locked, Error).
    let (does, model) = summary(&project, "trylock");
    assert!(does.contains(&"if `*l` is locked: double-lock".to_owned()), "{does:?}");
    assert_eq!(model, "trylock(l) {\n    -> != 0, state(l) = locked\n    -> 0\n}\n");
    // With the flag: as trylock, told through *success. Without: unlocks, and *success is 1.
    let (does, model) = summary(&project, "complex_wrapper");
    assert!(does.contains(&"if `*l` is locked and `flag` is not 0: double-lock".to_owned()), "{does:?}");
    assert!(does.contains(&"if `*l` is unlocked and `flag` is 0: double-unlock".to_owned()), "{does:?}");
    assert_eq!(
        model,
        "complex_wrapper(l, flag, success) {\n    when flag != 0:\n        -> any, state(l) = locked, *success:4 = != 0\n        \
         -> any, *success:4 = 0\n    when flag == 0:\n        -> any, state(l) = unlocked, *success:4 = 1\n}\n"
    );
}

#[test]
fn who_leaves_a_lock_as_it_was_says_only_what_it_demands() {
    let project = Project::new(&[("a.c", WRAPPERS), ("lock.property", LOCK)]);
    let (does, _) = summary(&project, "balanced");
    assert!(!does.iter().any(|does| does.contains("leaves")), "{does:?}");
    assert!(does.contains(&"if `*l` is locked: double-lock".to_owned()), "{does:?}");
    project.run(&["check", "a.c"]).exits(1).says("a.c:10").says("lock `l` is locked twice");
}

/// The first file of the manual, tried on a program as a new user would.
#[test]
fn the_example_of_the_manual_works() {
    let manual = include_str!("../../../../docs/properties.md");
    let example = manual.split("```property\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    assert!(example.lines().count() < 20, "{example}");
    let program = "struct buffer; int buffer_write(struct buffer *, const char *, int);
int buffer_flush(struct buffer *); void buffer_close(struct buffer *);
void unflushed(struct buffer *b) { buffer_write(b, \"x\", 1); buffer_close(b); }
void careless(struct buffer *b) { buffer_write(b, \"x\", 1); buffer_flush(b); buffer_close(b); }
int careful(struct buffer *b) {
    if (buffer_write(b, \"x\", 1) < 0 || buffer_flush(b) != 0) return -1;
    buffer_close(b);
    return 0;
}
void late(struct buffer *b) { buffer_close(b); buffer_write(b, \"x\", 1); }
";
    let project = Project::new(&[("a.c", program), ("buffer.property", example)]);
    let ran = project.run(&["check", "a.c"]).exits(1);
    let ran = ran.says("warning[unflushed-close]: buffer `b` is closed before it is flushed").says("a.c:3");
    ran.says("warning[use-after-close]: buffer `b` is used after it was closed")
        .says("a.c:10")
        .does_not_say("careful")
        .does_not_say("careless");
    project.run(&["check", "--rules", "use-after-close", "a.c"]).exits(1).does_not_say("unflushed-close");
}

#[test]
fn a_mistake_in_a_file_has_line_and_caret() {
    let wrong =
        LOCK.replace("unlocked -> locked, locked -> error double-lock\ngive", "unlocked -> lokked\ngive");
    let project = Project::new(&[("a.c", WRAPPERS), ("lock.property", &wrong)]);
    let ran = project.run(&["check", "a.c"]);
    ran.says("lock.property:5:21: there is no state `lokked`, did you mean `locked`?").says("^^^^^^");
}

#[test]
fn a_changed_property_is_not_answered_from_the_store() {
    let project = Project::new(&[("a.c", WRAPPERS), ("lock.property", LOCK)]);
    project.run(&["check", "a.c"]).exits(1).says("is locked twice");
    project.write("lock.property", LOCK.replace("locked twice", "taken again"));
    project.run(&["check", "a.c"]).exits(1).says("is taken again").does_not_say("is locked twice");
}

#[test]
fn what_a_property_says_is_filled_has_a_state() {
    let property = "property session \"session\"\n\
        states closed, open\n\
        error session-left \"is left open\"\n\
        at return open: error session-left\n\
        session_open(name, out) {\n    when result == 0: on *out: any -> open\n    otherwise: on *out: nothing\n}\n\
        session_close(session) open -> closed\n\
        session_use(session) open -> same\n";
    let program = "struct session;\n\
        int session_open(const char *name, struct session **out);\n\
        int session_use(struct session *);\n\
        void session_close(struct session *);\n\
        int left(const char *name) {\n    struct session *s;\n    if (session_open(name, &s)) return -1;\n\
        \x20   if (session_use(s) < 0) return -2;\n    session_close(s);\n    return 0;\n}\n\
        int closed(const char *name) {\n    struct session *s;\n    if (session_open(name, &s)) return -1;\n\
        \x20   session_use(s);\n    session_close(s);\n    return 0;\n}\n";
    let project = Project::new(&[("a.c", program), ("session.property", property)]);
    let ran = project.run(&["check", "a.c"]).exits(1);
    ran.says("session is left open").says("a.c:7:9").says("1 finding");
}

#[test]
fn what_is_counted_is_missed_at_the_end() {
    let property = "property view \"view\"\n\
        states none, counted pinned\n\
        error pinned-at-exit \"is pinned when the program ends\"\n\
        at exit pinned: error pinned-at-exit\n\
        pin(view) none or pinned -> pinned + 1\n\
        unpin(view) pinned -> pinned - 1\n";
    let program = "struct view { int n; } shared;\nvoid pin(struct view *); void unpin(struct view *);\n\
        int main(void) {\n    pin(&shared);\n    pin(&shared);\n    unpin(&shared);\n    return 0;\n}\n";
    let project = Project::new(&[("a.c", program), ("view.property", property)]);
    project.run(&["check", "a.c"]).exits(1).says("is pinned when the program ends");
    project.write("a.c", program.replace("    pin(&shared);\n    unpin", "    unpin"));
    project.run(&["check", "--no-cache", "a.c"]).exits(0);
}
