//! What `check` says about programs that lose something, and how it ends.

use crate::support::{Project, Ran, repository};

const LOSES: &str = "\
#include <stdlib.h>
int lose(int n) {
    char *block = malloc(16);
    if (block == NULL || n == 3)
        return -1;
    free(block);
    return 0;
}
";

fn check_example(name: &str, more: &[&str]) -> Ran {
    let project = Project::new(&[]);
    let mut arguments = vec!["check", "--no-cache", name];
    arguments.extend(more);
    let mut command = project.command(&arguments);
    Ran::of(command.current_dir(repository()))
}

#[test]
fn the_examples_are_right() {
    let report = check_example("examples/quickstart", &["--format", "json"]).exits(1).json();
    let mut found: Vec<(String, String, u64)> = Vec::new();
    for finding in report["findings"].as_array().unwrap() {
        let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
        let place = &finding["place"];
        found.push((text(&finding["rule"]), text(&place["file"]), place["line"].as_u64().unwrap()));
    }
    found.sort();
    let file = "examples/quickstart/phonebook.c".to_owned();
    assert_eq!(found, [("memory-leak".to_owned(), file.clone(), 9), ("resource-leak".to_owned(), file, 38)]);
    check_example("examples/repaired", &[]).exits(0).says("no findings in 2 files; 5 functions analysed");
}

#[test]
fn a_library_that_the_program_beside_it_does_not_use_is_checked_all_the_same() {
    let main = "#include <stdio.h>\nint main(void) { puts(\"hello\"); return 0; }\n";
    let project = Project::new(&[("library.c", LOSES), ("main.c", main)]);
    let found = project.run(&["check", "library.c", "main.c"]).exits(1);
    found.says("medium because no analysed program uses anything from this source file");
}

#[test]
fn what_main_holds_at_its_end_is_not_passed_over() {
    let holds = "#include <stdlib.h>\nint main(void) { char *p = malloc(10); return p == NULL; }\n";
    let frees = "#include <stdlib.h>\nint main(void) { char *p = malloc(10); free(p); return 0; }\n";
    let project = Project::new(&[("holds.c", holds), ("frees.c", frees)]);
    let hint = "not shown: 1 still held when the program ends (--all shows it)";
    project.run(&["check", "holds.c"]).exits(0).says(hint);
    project.run(&["check", "frees.c"]).exits(0).does_not_say("still held");
    let asked = ["check", "holds.c", "--rules", "default,leak-at-exit"];
    project.run(&asked).exits(1).says("leak-at-exit").does_not_say("still held");
    assert_eq!(project.run(&["check", "holds.c", "--format", "json"]).json()["summary"]["held"], 1);
}

#[test]
fn findings_decide_the_exit_code() {
    let project = Project::new(&[("a.c", LOSES), ("bad.c", "int f( {\n"), ("ok.c", "int x;\n")]);
    project.run(&["check", "a.c"]).exits(1).says("a.c:3:19").says("1 finding (");
    project.run(&["check", "ok.c"]).exits(0).says("no findings");
    // What was found counts more than what could not be read, which is still said.
    project.run(&["check", "a.c", "bad.c"]).exits(1).says("1 more could not be analysed");
    project.run(&["check", "a.c", "--rules", "resource-leak"]).exits(0).says("no findings");
    project.run(&["check", "a.c", "--rules", "all,-memory-leak"]).exits(0);
    project.write("watertight.toml", "rules = '-memory-leak'\n");
    project.run(&["check", "a.c"]).exits(0);
    project.run(&["check", "a.c", "--rules", "default"]).exits(1);
}

#[test]
fn comments_suppress_findings() {
    let reason = "// watertight: ignore[memory-leak] a test\n    char *block";
    let project = Project::new(&[("a.c", &LOSES.replace("char *block", reason))]);
    project.run(&["check", "a.c"]).exits(0).says("1 suppressed");
}

#[test]
fn every_format_tells_the_finding() {
    let project = Project::new(&[("a.c", LOSES)]);
    project.run(&["check", "--format", "gcc", "a.c"]).exits(1).says("a.c:3:19: warning: ");
    let json = project.run(&["check", "--format", "json", "a.c"]).exits(1).json();
    assert_eq!(json["summary"]["findings"], 1);
    let sarif = project.run(&["check", "--format", "sarif", "a.c"]).exits(1).json();
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "memory-leak");
    let coloured = project.run(&["check", "--color", "always", "a.c"]).exits(1);
    assert!(coloured.stdout.contains("\u{1b}["));
    let plain = project.run(&["check", "a.c"]).exits(1);
    assert!(!plain.stdout.contains('\u{1b}') && !plain.stderr.contains('\u{1b}'));
}

#[test]
fn models_of_the_project_are_read() {
    let project = Project::new(&[("a.c", LOSES), ("watertight.toml", "models = ['absent.model']\n")]);
    project.run(&["check", "a.c"]).exits(2).says("absent.model").says("warning[memory-leak]");
}

const EXITS: &str = "\
#include <stdlib.h>
#include <string.h>
void audit(char *text);
int several(const char *name, int kind) {
    char *copy = strdup(name);
    if (copy == NULL)
        return -1;
    if (kind > 8)
        return -2;
    if (kind == 3)
        return -3;
    free(copy);
    return 0;
}
int perhaps(const char *name) {
    char *text = strdup(name);
    audit(text);
    return 0;
}
";

#[test]
fn a_finding_has_all_exits_values_and_another_path() {
    let project = Project::new(&[("a.c", EXITS)]);
    let report = project.run(&["check", "a.c", "--format", "json"]).exits(1).json();
    let [finding] = &report["findings"].as_array().unwrap()[..] else { panic!("{report:#}") };
    assert_eq!(finding["variant"], "some-paths");
    assert_eq!(finding["growth"], "error-path");
    assert_eq!(finding["sibling"]["place"]["line"], 12);
    assert_eq!(finding["sibling"]["text"], "`free` frees it");
    let exits = finding["exits"].as_array().unwrap();
    let ends: Vec<u64> = exits
        .iter()
        .map(|exit| exit["steps"].as_array().unwrap().last().unwrap()["place"]["line"].as_u64().unwrap())
        .collect();
    assert_eq!(ends, [9, 11]);
    // The value is one that makes the path go that way.
    let values = |exit: &serde_json::Value, line: u64| {
        let steps = exit["steps"].as_array().unwrap();
        let step =
            steps.iter().find(|step| step["place"]["line"] == line && step["kind"] == "branch").unwrap();
        step["values"].clone()
    };
    let value = &values(&exits[0], 8)[0];
    assert_eq!(value["name"], "kind");
    assert!(value["value"].as_str().unwrap().parse::<i32>().unwrap() > 8, "{value}");
    assert_eq!(values(&exits[1], 8)[0]["value"], "3");
    project
        .run(&["check", "a.c"])
        .exits(1)
        .says("another such path ends here: `kind == 3` is true")
        .says("not shown: 1 of lower confidence (--confidence low shows it)");
}

#[test]
fn what_is_assumed_of_unknown_functions_is_said_where_they_are_called() {
    let project = Project::new(&[("a.c", EXITS)]);
    let ran = project.run(&["check", "a.c", "--confidence", "low"]).exits(1);
    ran.says("assumes: `audit` does not store or free `text` (a.c:17:5)");
}

/// How often something is lost is asked: a second turn of the loop must lose another one.
#[test]
fn only_what_a_second_turn_repeats_grows_with_every_turn() {
    let source = "\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int last_only(char **in, char **out) {
    int n = 0;
    for (;;) {
        char *copy = strdup(in[n]);
        if (!copy)
            return -2;
        if (copy[0] == '.')
            break;
        out[n++] = copy;
    }
    return n;
}
int every_turn(char **in, int count) {
    int n = 0;
    for (int i = 0; i < count; i++) {
        char *copy = strdup(in[i]);
        if (copy && copy[0] == '.')
            n++;
    }
    return n;
}
int overwritten(FILE *f, int count) {
    char *line = NULL;
    while (count-- > 0)
        line = malloc(16);
    free(line);
    return 0;
}
int first_that_fits(char **in, char **out, int count) {
    for (int i = 0; i < count; i++) {
        char *copy = strdup(in[i]);
        if (!copy)
            return -1;
        if (copy[0] == '#')
            return i;
        free(copy);
    }
    return count;
}
";
    let project = Project::new(&[("a.c", source)]);
    let report = project.run(&["check", "a.c", "--format", "json"]).exits(1).json();
    let growth = |name: &str| {
        let findings = report["findings"].as_array().unwrap();
        let found = findings.iter().find(|finding| finding["place"]["function"] == name);
        found.unwrap_or_else(|| panic!("nothing in {name}"))["growth"].as_str().unwrap().to_owned()
    };
    assert_eq!(growth("last_only"), "each-call");
    assert_eq!(growth("first_that_fits"), "each-call");
    assert_eq!(growth("every_turn"), "each-iteration");
    assert_eq!(growth("overwritten"), "each-iteration");
}

/// A path ends in the iteration that loses, and the call that frees the owner is only said to do that.
#[test]
fn what_is_lost_with_its_owner_in_a_loop_is_told_by_one_iteration() {
    let source = "\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct config { char *name; char *home; };
static struct config *config_load(const char *path)
{
    struct config *c = calloc(1, sizeof *c);
    if (c == NULL)
        return NULL;
    if (path[0] == 'x')
        c->name = strdup(path);
    c->home = strdup(path);
    return c;
}
static void config_free(struct config *c)
{
    free(c->name);
    free(c);
}
int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        struct config *c = config_load(argv[i]);
        if (c == NULL)
            continue;
        puts(c->name ? c->name : argv[i]);
        config_free(c);
    }
    return 0;
}
";
    let project = Project::new(&[("main.c", source)]);
    let found = project.run(&["check", "main.c"]).exits(1);
    found
        .says("5: `config_free` frees `c`, which holds the last reference to it: it leaks")
        .does_not_say("does not store it")
        .does_not_say("i = 2");
}

/// Each `return` can be asked about, and not only the end of the function to which all of them lead.
#[test]
fn a_proof_is_asked_for_at_a_return() {
    let source = "\
#include <stdlib.h>
int f(int a)
{
    char *p = malloc(4);
    if (a > 3)
        return 1;
    free(p);
    return 0;
}
int g(int a)
{
    char *p = malloc(4);
    free(p);
    return a;
}
";
    let project = Project::new(&[("a.c", source)]);
    let lost = project.run(&["prove", "a.c:6"]).exits(1);
    lost.says("a.c:6:9: violated: `p` (scope)")
        .says("`malloc` allocates memory here")
        .says("`a > 3` is true");
    project.run(&["prove", "a.c:8"]).exits(0).says("a.c:8:5: proved: `p` (scope)");
    project.run(&["prove", "a.c:9"]).exits(1).says("a.c:9:1: violated: `p` (scope)");
    project.run(&["prove", "a.c:14"]).exits(0).says("a.c:14:5: proved: `p` (scope)");
    project.run(&["prove", "a.c:15"]).exits(2).says("give the line of a `return`");
}
