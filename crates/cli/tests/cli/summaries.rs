//! Functions described in words.

use crate::support::Project;

const CONN: &str = "#include <stdlib.h>
#include <string.h>
struct conn { int fd; char *name; };
int conn_open(struct conn **out, const char *name) {
    struct conn *conn = malloc(sizeof *conn);
    if (!conn) return -1;
    conn->name = strdup(name);
    if (!conn->name) { free(conn); return -1; }
    *out = conn;
    return 0;
}
void conn_rename(struct conn *conn, char *name) { free(conn->name); conn->name = name; }
";

#[test]
fn a_function_is_described_with_the_names_of_the_source() {
    let project = Project::new(&[("conn.c", CONN)]);
    let open = project.run(&["summary", "conn_open", "conn.c"]).exits(0).stdout;
    assert!(
        open.contains("allocates `*out` when it returns 0; the caller must release it with `free`"),
        "{open}"
    );
    assert!(open.starts_with("conn_open ("), "{open}");
    let rename = project.run(&["summary", "conn_rename", "conn.c"]).exits(0).stdout;
    assert!(rename.contains("releases `conn->name`"), "{rename}");
    assert!(rename.contains("sets `conn->name` to `name`"), "{rename}");
}

#[test]
fn programs_get_the_same_as_json() {
    let project = Project::new(&[("conn.c", CONN)]);
    let json = project.run(&["summary", "--json", "conn_rename", "conn.c"]).exits(0).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json[0]["name"], "conn_rename");
    assert!(json[0]["does"].as_array().unwrap().iter().any(|does| does == "releases `conn->name`"), "{json}");
    assert!(json[0]["model"].as_str().unwrap().starts_with("conn_rename(conn, name)"), "{json}");
}

#[test]
fn library_functions_have_models_and_others_are_not_known() {
    let project = Project::new(&[("conn.c", CONN)]);
    let malloc = project.run(&["summary", "posix_memalign"]).exits(0).stdout;
    assert!(malloc.contains("allocates `*out` when it returns 0"), "{malloc}");
    let missing = project.run(&["summary", "con_open", "conn.c"]).exits(2).stderr;
    assert!(missing.contains("no function `con_open`; did you mean `conn_open`"), "{missing}");
}

#[test]
fn without_a_program_the_missing_project_is_named() {
    let project = Project::new(&[(".git/HEAD", ""), ("Makefile", "all:\n"), ("conn.c", CONN)]);
    let missing = project.run(&["summary", "conn_open"]).exits(2).stderr;
    assert!(missing.contains("`conn_open` is not a library function that watertight knows"), "{missing}");
    assert!(missing.contains("found no compile_commands.json"), "{missing}");
}

#[test]
fn who_locks_what_is_said() {
    let project = Project::new(&[(
        "q.c",
        "#include <pthread.h>
struct q { int n; pthread_mutex_t lock; };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static int count;
void counter_add(int k) { pthread_mutex_lock(&lock); count += k; pthread_mutex_unlock(&lock); }
void q_put(struct q *q, int v) { pthread_mutex_lock(&q->lock); q->n = v; pthread_mutex_unlock(&q->lock); }
void q_lock(struct q *q) { pthread_mutex_lock(&q->lock); }
void q_init(struct q *q) { pthread_mutex_init(&q->lock, 0); }
int look(void) { pthread_rwlock_rdlock(&table); int n = count; pthread_rwlock_unlock(&table); return n; }
",
    )]);
    let does = |name: &str| project.run(&["summary", name, "q.c"]).exits(0).stdout;
    assert!(does("counter_add").contains("  locks and unlocks `lock`\n"), "{}", does("counter_add"));
    assert!(does("counter_add").contains("if `lock` is locked: double-lock"), "{}", does("counter_add"));
    assert!(does("q_put").contains("  locks and unlocks `q->lock`\n"), "{}", does("q_put"));
    assert_eq!(does("q_lock").matches("  locks `q->lock`").count(), 1, "{}", does("q_lock"));
    assert!(!does("q_init").contains("locks `"), "{}", does("q_init"));
    assert!(does("look").contains("  locks `table` for reading\n"), "{}", does("look"));
    let callers = project.run(&["dump", "callers", "pthread_mutex_lock", "q.c"]).exits(0);
    callers.says("`q_put` ").says(" on `q->lock`\n").says(" on `lock`\n");
}

const BEHAVIOURS: &str = "#include <stdlib.h>
int *total, *lazy;
void *kept;
struct state { void *data; struct state *next; };
struct node { int value; struct node *next; };
int length(const char *s) { int n = 0; while (*s++) n++; return n; }
char *make_text(void) { return malloc(8); }
void allocate_total(void) { total = malloc(8); }
void allocate_once(void) { if (!lazy) lazy = malloc(8); }
void release_total(void) { free(total); }
int fill(char **out, size_t n) { *out = malloc(n); return *out ? 0 : -1; }
int allocate_and_judge(int **out, int x) { int *b = malloc(8); if (!b) abort(); *out = b; return x > 3; }
void drop(char *p) { free(p); }
void *keep_data_of_next(struct state *p) { kept = p->next->data; return malloc(5); }
void insert_after(struct node *head, struct node *fresh) { fresh->next = head->next; head->next = fresh; }
static void *region;
char *also_kept(void) { region = malloc(8); return region; }
";

/// The behaviours of the paper on feasible paths, and the summaries that the leak detector of Saturn needs.
#[test]
fn behaviours_are_inferred_with_their_conditions() {
    let project = Project::new(&[("b.c", BEHAVIOURS)]);
    for (name, expected, behaviours) in [
        ("length", "borrows its arguments", ""),
        ("make_text", "returns new memory or NULL; the caller must release it with `free`", "returns-memory"),
        ("allocate_total", "allocates `total`", "allocates-into-global"),
        ("allocate_once", "if `lazy` is NULL: allocates `lazy`", "allocates-into-global"),
        ("release_total", "releases `total`", "frees-global"),
        (
            "fill",
            "allocates `*out` when it returns 0; the caller must release it with `free`",
            "allocates-into-argument",
        ),
        // The result has nothing to do with it.
        (
            "allocate_and_judge",
            "allocates `*out`; the caller must release it with `free`",
            "allocates-into-argument",
        ),
        ("drop", "releases `p`", "frees-argument"),
        ("keep_data_of_next", "sets `kept` to `p->next->data`", "returns-memory"),
        ("insert_after", "sets `head->next` to `fresh`", ""),
        ("insert_after", "sets `fresh->next` to `head->next`", ""),
        ("also_kept", "returns an address that the caller does not own or NULL", ""),
    ] {
        let text = project.run(&["summary", name, "b.c"]).exits(0).stdout;
        assert!(text.lines().any(|line| line.trim().starts_with(expected)), "{text}");
        let last = text.lines().find_map(|line| line.trim().strip_prefix("behaviours: "));
        assert_eq!(last.unwrap_or_default(), behaviours, "{text}");
    }
}

#[test]
fn bits_that_are_known_are_told() {
    let source = "#include <stdlib.h>
struct head { unsigned long mark : 16; unsigned long flags : 16; };
struct head *head_new(int mark) {
    struct head *head = malloc(sizeof *head);
    if (head) { head->mark = (unsigned)mark; head->flags = 1; }
    return head;
}
void set_owned(unsigned *flags) { *flags |= 4; }
";
    let project = Project::new(&[("a.c", source)]);
    let new = project.run(&["summary", "head_new", "a.c"]).exits(0).stdout;
    assert!(new.contains("a word with bits 0 to 15 of mark, bits 16 to 31 = 0x1"), "{new}");
    let set = project.run(&["summary", "set_owned", "a.c"]).exits(0).stdout;
    let expected = "sets `*flags` to a word with bits 0 to 1 of *flags, bit 2 = 0x1, bits 3 to 31 of *flags";
    assert!(set.contains(expected), "{set}");
}

#[test]
fn values_of_the_caller_are_compared() {
    let source = "#include <stdlib.h>
struct digits { char *at; unsigned long room; };
void make_room(struct digits *d, unsigned long wanted) {
    if (wanted > d->room) { d->at = malloc(wanted); d->room = wanted; }
}
void *exchanged(void **place, void *expected, void *wanted) {
    return __sync_val_compare_and_swap(place, expected, wanted);
}
";
    let project = Project::new(&[("a.c", source)]);
    let room = project.run(&["dump", "outcomes", "make_room", "a.c"]).exits(0).stdout;
    assert!(room.contains("when arg0.8:8 <u arg1") && room.contains("when arg0.8:8 >=u arg1"), "{room}");
    // What another thread has put there first is not nothing.
    let exchanged = project.run(&["dump", "outcomes", "exchanged", "a.c"]).exits(0).stdout;
    assert!(exchanged.contains("-> > 0, *arg0 = *arg0:8"), "{exchanged}");
}

#[test]
fn a_function_of_the_project_needs_no_file() {
    let source = "#include <stdlib.h>\nchar *make_name(void) { return malloc(8); }\n";
    let project = Project::new(&[("src/a.c", source)]);
    let folder = project.path().display().to_string();
    let database = format!(r#"[{{"directory": "{folder}", "file": "src/a.c", "command": "cc -c src/a.c"}}]"#);
    project.write("build/compile_commands.json", database);
    project.run(&["summary", "make_name"]).exits(0).says("returns new memory");
    // A library function needs no project.
    project.run(&["summary", "strdup"]).exits(0).does_not_say("compile commands");
    project.run(&["summary", "make_nme"]).exits(2).says("did you mean `make_name`");
}
