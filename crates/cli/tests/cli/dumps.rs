//! What stages print, and what they cost.

use crate::support::{ONE_FUNCTION, Project};

const WITH_VARIABLE: &str = "int f(int x) { int y = x; if (x) y = 3; return y; }\n";

#[test]
fn variables_are_in_memory_before_ssa_and_not_after() {
    let project = Project::new(&[("a.c", WITH_VARIABLE)]);
    let before = project.run(&["dump", "ir-memory", "a.c"]).exits(0).stdout;
    let after = project.run(&["dump", "ir", "a.c"]).exits(0).stdout;
    assert!(before.contains(" = stack ") && !before.contains(" = phi "), "{before}");
    assert!(!after.contains(" = stack ") && after.contains(" = phi "), "{after}");
    let same = project.run(&["check", "--dump=ir", "a.c"]).exits(0).stdout;
    assert_eq!(after, same);
}

#[test]
fn counts_are_those_of_the_bitcode() {
    let project = Project::new(&[("a.c", WITH_VARIABLE), ("b.c", ONE_FUNCTION)]);
    let counts = project.run(&["dump", "counts", "a.c"]).exits(0).stdout;
    for line in ["defined 1", "aliases 0", "blocks 3", "ret 1", "icmp 1", "store 3"] {
        assert!(counts.lines().any(|found| found == line), "{line} is not in\n{counts}");
    }
    let both = project.run(&["dump", "counts", "a.c", "b.c"]).exits(0).stdout;
    assert!(both.starts_with("file a.c\n") && both.contains("\nfile b.c\n"), "{both}");
}

#[test]
fn totals_are_those_of_the_program() {
    let project =
        Project::new(&[("a.c", WITH_VARIABLE), ("b.c", "int f(int); int g(void) { return f(1); }\n")]);
    let totals = project.run(&["dump", "totals", "a.c", "b.c"]).exits(0).stdout;
    for line in ["units 2", "functions 2", "bodies 2", "globals 0"] {
        assert!(totals.lines().any(|found| found == line), "{line} is not in\n{totals}");
    }
}

#[test]
fn stages_have_a_cost() {
    let project = Project::new(&[("a.c", WITH_VARIABLE)]);
    let table = project.run(&["dump", "totals", "--stats", "a.c"]).exits(0).stderr;
    for word in ["stage", "capture", "lower", "join", "total"] {
        assert!(table.lines().any(|line| line.starts_with(word)), "{word} is not in\n{table}");
    }
    let json = project.run(&["check", "--stats=json", "a.c"]).exits(0).stderr;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let names: Vec<_> = json["stages"].as_array().unwrap().iter().map(|stage| &stage["name"]).collect();
    assert_eq!(names, ["capture", "recall", "lower", "join", "check", "store"]);
    assert_eq!(json["stages"][2]["counts"]["bodies"], 1);
    assert!(json["seconds"].as_f64().unwrap() > 0.0);
}

const TWO_LEVELS: &str = "\
void *malloc(unsigned long);
void free(void *);
struct box { char *text; int full; };
static void fill(struct box *box, char *text) { box->text = text; box->full = 1; }
int box_bad(int stop) {
    struct box box;
    char *text = malloc(8);
    fill(&box, text);
    if (stop > 3)
        return -1;
    free(box.text);
    return 0;
}
";

#[test]
fn memory_ssa_shows_versions_and_who_reads_and_writes_them() {
    let project = Project::new(&[("a.c", TWO_LEVELS)]);
    let text = project.run(&["dump", "memory-ssa", "box_bad", "a.c"]).exits(0).stdout;
    assert!(text.starts_with("memory ssa of @box_bad\n  R0 = {box_bad:stack "), "{text}");
    // The call may leave what was there; the load reads what the call left.
    let call = text.lines().find(|line| line.contains("call @fill")).unwrap();
    assert!(call.contains("R0.1 = chi(R0.0)"), "{text}");
    assert!(text.lines().any(|line| line.contains("= load") && line.contains("mu(R0.1)")), "{text}");
    let graph = project.run(&["dump", "memory-ssa", "box_bad", "--dot", "a.c"]).exits(0).stdout;
    assert!(graph.starts_with("digraph ") && graph.contains("r0_0 -> r0_1 [style=dashed]"), "{graph}");
    let wrong = project.run(&["dump", "memory-ssa", "absent", "a.c"]).exits(2).stderr;
    assert!(wrong.contains("no function `absent` with a body"), "{wrong}");
}

#[test]
fn value_flow_shows_nodes_sinks_and_what_the_solver_says() {
    let project = Project::new(&[("a.c", TWO_LEVELS)]);
    let text = project.run(&["dump", "value-flow", "box_bad", "a.c"]).exits(0).stdout;
    assert!(text.contains("\n  released <- "), "{text}");
    assert!(text.contains("fill [box_bad:stack "), "{text}");
    assert!(text.contains("by the solver: confirmed"), "{text}");
    let graph = project.run(&["dump", "value-flow", "box_bad", "--dot", "a.c"]).exits(0).stdout;
    // Into the callee and out of it again by the same call.
    assert!(graph.contains("label=\"(context1\"") && graph.contains("label=\")context1\""), "{graph}");
}

#[test]
fn the_flow_engine_tells_what_it_had_to_do() {
    let project = Project::new(&[("a.c", TWO_LEVELS)]);
    let json =
        project.run(&["check", "--engine", "flow", "--stats=json", "--no-cache", "a.c"]).exits(1).stderr;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let stages = json["stages"].as_array().unwrap();
    let flow = stages.iter().find(|stage| stage["name"] == "of it flow").unwrap();
    assert_eq!(flow["counts"]["functions"], 2);
    assert_eq!(flow["counts"]["allocation sites"], 1);
    assert_eq!(flow["counts"]["release sites"], 1);
    assert_eq!(flow["counts"]["confirmed"], 1);
    for phase in ["points-to", "mod/ref", "slices", "guards", "solver"] {
        assert!(flow["parts"][phase].as_f64().is_some(), "{phase}");
    }
}

const EARLY_RETURN: &str = "\
void *malloc(unsigned long);
void free(void *);
int early_bad(int stop) {
    char *text = malloc(8);
    if (stop > 3)
        return -1;
    free(text);
    return 0;
}
void *counted_bad(int n, int stop) {
    char *text = 0;
    for (int i = 0; i < n; i++)
        if (i == 20) {
            text = malloc(4);
            if (stop)
                return 0;
        }
    return text;
}
";

#[test]
fn the_stages_of_the_path_engine_can_be_looked_at() {
    let project = Project::new(&[("a.c", EARLY_RETURN)]);
    let dump = |stage: &str| project.run(&["dump", stage, "early_bad", "a.c"]).exits(0).stdout;
    let guards = "bb0: always\nbb2: (x0#0 s< 4)\nbb1: not (x0#0 s< 4)\nbb3: always\n#0: arg0\n";
    assert_eq!(dump("guards"), guards);
    let exits = "returns: always\nobj0 by `malloc` in line 4\n  exists: x1\n  released: x1 and (x0#0 s< 4)\n  escapes: never\n  \
        escapes if unknown code keeps it: never\n  lost: x1 and not (x0#0 s< 4)\n#0: arg0\n";
    assert_eq!(dump("exits"), exits);
    let outcomes =
        "early_bad(arg0) {\n    when arg0 < 4:\n        -> 0\n    when arg0 >= 4:\n        -> -1\n}\n";
    assert_eq!(dump("outcomes"), outcomes);
    let doubts = "high of line 4\nobj0 by `malloc` in line 4\n  lost: x1 and not (x0#0 s< 4)\n#0: arg0\n";
    assert_eq!(dump("doubts"), doubts);
    let loops = project.run(&["dump", "doubts", "counted_bad", "a.c"]).exits(0).stdout;
    assert!(loops.lines().any(|line| line == "  x2: loop-cut"), "{loops}");
    let wrong = project.run(&["dump", "guards", "absent", "a.c"]).exits(2).stderr;
    assert!(wrong.contains("no function `absent` with a body"), "{wrong}");
}

const CHAIN: &str = "\
struct item { struct item *more, *after; };
struct queue { struct item *first, **last; };
void append(struct queue *queue, struct item *item) {
    struct item *more;
    do {
        more = item->more;
        item->more = 0;
        item->after = 0;
        *queue->last = item;
        queue->last = &item->after;
        item = more;
    } while (item);
}
";

#[test]
fn what_the_first_iteration_stores_is_kept_however_many_follow() {
    let project = Project::new(&[("a.c", CHAIN)]);
    let outcomes = project.run(&["dump", "outcomes", "append", "a.c"]).exits(0).stdout;
    let told: Vec<&str> = outcomes.lines().filter(|line| line.contains("->")).collect();
    assert!(told.len() > 1, "{outcomes}");
    let is_kept = |line: &&str| line.contains("keeps arg1") || line.contains("arg0.8.0 = arg1");
    assert!(told.iter().all(is_kept), "{outcomes}");
}

const COUNTED: &str = "\
void free(void *);
struct thing { long id; int references; };
void drop(struct thing *t) { if (--t->references > 0) return; free(t); }
void put(struct thing *t) { if (t->references-- == 1) free(t); }
";

#[test]
fn a_count_decides_who_releases() {
    let project = Project::new(&[("a.c", COUNTED)]);
    for (function, test) in [("drop", "when arg0.8:4 < 2:"), ("put", "when arg0.8:4 == 1:")] {
        let outcomes = project.run(&["dump", "outcomes", function, "a.c"]).exits(0).stdout;
        assert!(outcomes.contains(test), "{outcomes}");
    }
}
