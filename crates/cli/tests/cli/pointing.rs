//! Questions about what pointers point to and who calls whom.

use crate::support::Project;

/// The example of `docs/pointer.md`.
const LIST: &str = "\
#include <stdlib.h>
struct node { struct node *next; void (*drop)(struct node *); int value; };
static struct node *head;
static int dropped;

static void drop(struct node *node) {
    dropped++;
    free(node);
}
static void keep(struct node *node) { (void)node; }

void push(int value) {
    struct node *node = malloc(sizeof *node);
    if (!node) return;
    node->next = head;
    node->drop = value ? drop : keep;
    head = node;
}

void clear(void) {
    while (head) {
        struct node *node = head;
        head = node->next;
        node->drop(node);
    }
}
";

#[test]
fn expressions_point_to_what_the_source_names() {
    let project = Project::new(&[("list.c", LIST)]);
    let ask = |question: &str| project.run(&["dump", "points-to", question]).exits(0).stdout;
    let block = "block acquired by `malloc` in `push` (list.c:13)";
    assert_eq!(ask("head@list.c:21"), format!("head@list.c:21 may point to\n  {block}\n"));
    assert_eq!(ask("node->next@list.c:23"), format!("node->next@list.c:23 may point to\n  {block}\n"));
    assert_eq!(ask("(*head).next@list.c:23"), format!("(*head).next@list.c:23 may point to\n  {block}\n"));
    assert_eq!(
        ask("node->drop@list.c:24"),
        "node->drop@list.c:24 may point to\n  function `drop`\n  function `keep`\n"
    );
    assert_eq!(ask("value@list.c:13"), "value@list.c:13 may point to\n  nothing\n");
    let json = project.run(&["dump", "points-to", "--json", "head@list.c:21"]).exits(0).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["answers"][0], block);
}

#[test]
fn a_question_that_has_no_answer_says_what_there_is() {
    let project = Project::new(&[("list.c", LIST)]);
    let ask = |question: &str| project.run(&["dump", "points-to", question]).exits(2).stderr;
    assert!(ask("nope@list.c:13").contains("no variable `nope` in `push`; there is `node`, `value`"));
    assert!(
        ask("node->left@list.c:15")
            .contains("struct node has no member `left`; it has `next`, `drop`, `value`")
    );
    assert!(ask("node@list.c:900").contains("no function has code at line 900 of `list.c`"));
    assert!(ask("node").contains("EXPR@FILE:LINE"));
    let none = project.run(&["dump", "callers", "pus", "list.c"]).exits(2).stderr;
    assert!(none.contains("there is no function `pus`; did you mean `push`"), "{none}");
    project.run(&["dump", "callers"]).exits(2).says("before the files");
}

#[test]
fn calls_through_pointers_are_resolved() {
    let project = Project::new(&[("list.c", LIST)]);
    let callers = project.run(&["dump", "callers", "keep", "list.c"]).exits(0).stdout;
    assert_eq!(callers, "keep is called by\n  `clear` (list.c:24), through a pointer\n");
    let callees = project.run(&["dump", "callees", "clear", "list.c"]).exits(0).stdout;
    assert_eq!(
        callees,
        "clear calls\n  `drop` (list.c:24), through a pointer\n  `keep` (list.c:24), through a pointer\n"
    );
}

#[test]
fn a_function_writes_and_reads_what_it_and_its_callees_do() {
    let project = Project::new(&[("list.c", LIST)]);
    let told = project.run(&["dump", "mod-ref", "clear", "list.c"]).exits(0).stdout;
    let block = "block acquired by `malloc` in `push` (list.c:13)";
    let expected = format!(
        "clear, with what it calls,\n  writes `dropped`\n  writes `head`\n  reads `dropped`\n  reads `head`\n  \
         reads {block}\n  reads {block}.drop\n"
    );
    assert_eq!(told, expected);
}

#[test]
fn points_to_says_what_it_cost() {
    let project = Project::new(&[("list.c", LIST)]);
    let table = project.run(&["check", "--engine", "flow", "--stats", "list.c"]).exits(0).stderr;
    for word in ["points-to", " pointers", " loads", " stores", " objects", " constraints", " rounds"] {
        assert!(table.contains(word), "{word} is not in\n{table}");
    }
}

/// Functions that the library calls, at once, later, in another thread, and when a signal comes.
const CALLBACKS: &str = "\
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

static char *kept;
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static void *work(void *given) { free(given); return NULL; }
static void at_end(void) { free(kept); }
static void on_signal(int number) { (void)number; }
static void on_other(int number) { (void)number; }

int main(void) {
    int numbers[2] = { 3, 1 };
    pthread_t thread;
    struct sigaction action = { .sa_handler = on_other };
    void *block = malloc(5);
    qsort(numbers, 2, sizeof numbers[0], compare);
    atexit(at_end);
    signal(SIGINT, on_signal);
    sigaction(SIGTERM, &action, NULL);
    return pthread_create(&thread, NULL, work, block);
}
";

#[test]
fn the_library_calls_what_it_is_given() {
    let project = Project::new(&[("back.c", CALLBACKS)]);
    for (name, line) in [("compare", 17), ("at_end", 18), ("on_signal", 19), ("on_other", 20), ("work", 21)] {
        let callers = project.run(&["dump", "callers", name, "back.c"]).exits(0).stdout;
        let by = format!("{name} is called by\n  `main` (back.c:{line}), through a library function\n");
        assert_eq!(callers, by);
    }
    let given = project.run(&["dump", "points-to", "given@back.c:7"]).exits(0).stdout;
    assert_eq!(given, "given@back.c:7 may point to\n  block acquired by `malloc` in `main` (back.c:16)\n");
}

/// Two allocators on top of each other.
const WRAPPED: &str = "\
#include <stdlib.h>
struct node { char *name; };
static void *must(size_t bytes) {
    void *block = malloc(bytes);
    if (!block) abort();
    return block;
}
static struct node *make(void) {
    struct node *made = must(sizeof *made);
    made->name = NULL;
    return made;
}
char left[4], right[4];
char *names(void) {
    struct node *one = make(), *other = make();
    one->name = left;
    other->name = right;
    char *name = one->name;
    free(one);
    free(other);
    return name;
}
";

#[test]
fn every_call_of_an_allocator_makes_an_object_of_its_own() {
    let project = Project::new(&[("made.c", WRAPPED)]);
    let name = project.run(&["dump", "points-to", "one->name@made.c:18"]).exits(0).stdout;
    assert_eq!(name, "one->name@made.c:18 may point to\n  `left`\n");
}

#[test]
fn a_question_without_files_is_about_the_project() {
    let project = Project::new(&[("list.c", LIST)]);
    let asked = project.run(&["dump", "callers", "keep"]).exits(0);
    assert_eq!(asked.stdout, project.run(&["dump", "callers", "keep", "list.c"]).exits(0).stdout);
    project.run(&["dump", "callers"]).exits(2).says("the name of a function is missing");
}
