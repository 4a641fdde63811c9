//! Model files that lie next to the source.

use crate::support::Project;

const PROGRAM: &str = "char *pool_take(void);
void pool_give(char *block);
void lost(int c) { char *p = pool_take(); if (c) return; pool_give(p); }
";
const MODEL: &str = "pool_take() -> fresh heap\npool_give(block) releases block\n";

#[test]
fn a_model_file_beside_the_source_is_read() {
    let project = Project::new(&[("sub/a.c", PROGRAM)]);
    project.run(&["check", "sub/a.c"]).exits(0);
    for file in ["sub/pool.model", "watertight.model"] {
        let project = Project::new(&[("sub/a.c", PROGRAM), (file, MODEL)]);
        let text = project.run(&["check", "--format", "gcc", "sub/a.c"]).exits(1).stdout;
        assert!(text.contains("`p` leaks"), "{file}: {text}");
    }
}

#[test]
fn a_mistake_in_it_is_shown_with_a_caret() {
    let wrong = MODEL.replace("releases", "relases");
    let project = Project::new(&[("a.c", PROGRAM), ("pool.model", &wrong)]);
    let run = project.run(&["check", "a.c"]);
    let said = format!("{}{}", run.stdout, run.stderr);
    assert!(said.contains("pool.model:2:18: unknown word `relases`, did you mean `releases`?"), "{said}");
    assert!(said.contains("\n  |                  ^^^^^^^\n"), "{said}");
}

#[test]
fn silence_without_the_rules_of_a_wrong_file_is_no_success() {
    let wrong = "property p \"p\"\nstates a, b\nfoo(x) a -> c\n";
    let project = Project::new(&[("a.c", "int main(void) { return 0; }\n"), ("p.property", wrong)]);
    project.run(&["check", "a.c"]).exits(2).says("p.property:3:13: there is no state `c`");
}
