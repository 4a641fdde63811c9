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
        open.contains("allocates *out when it returns 0; the caller must release it with free"),
        "{open}"
    );
    assert!(open.starts_with("conn_open ("), "{open}");
    let rename = project.run(&["summary", "conn_rename", "conn.c"]).exits(0).stdout;
    assert!(rename.contains("releases conn->name"), "{rename}");
    assert!(rename.contains("sets conn->name to name"), "{rename}");
}

#[test]
fn programs_get_the_same_as_json() {
    let project = Project::new(&[("conn.c", CONN)]);
    let json = project.run(&["summary", "--json", "conn_rename", "conn.c"]).exits(0).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json[0]["name"], "conn_rename");
    assert!(json[0]["does"].as_array().unwrap().iter().any(|does| does == "releases conn->name"), "{json}");
    assert!(json[0]["model"].as_str().unwrap().starts_with("conn_rename(conn, name)"), "{json}");
}

#[test]
fn library_functions_have_models_and_others_are_not_known() {
    let project = Project::new(&[("conn.c", CONN)]);
    let malloc = project.run(&["summary", "posix_memalign"]).exits(0).stdout;
    assert!(malloc.contains("allocates *out when it returns 0"), "{malloc}");
    let missing = project.run(&["summary", "con_open", "conn.c"]).exits(2).stderr;
    assert!(missing.contains("no function called `con_open`; did you mean `conn_open`"), "{missing}");
}
