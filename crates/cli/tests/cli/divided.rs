//! Sources so large that they are compiled in parts: nobody must notice.

use crate::support::{Project, Ran};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Makes a body so long that a few of them are a turn of one part.
const PADDING: usize = 5 << 10;
/// Enough of them, with two long bodies each, to be worth dividing.
const GROUPS: usize = 60;

const HEADER: &str = "#include <stdlib.h>\n\
    static inline char *twice(int n) { static int calls; calls++; return malloc(2 * n); }\n\
    static inline void asked_by_nobody(void) { malloc(7); }\n";

/// Functions that acquire, release and lose memory in each other's parts.
fn large_source() -> String {
    let padding = "/* { don't */ ".repeat(PADDING / 14);
    let mut text =
        String::from("#include \"h.h\"\nstatic int made;\nstatic void unused(void) { twice(1); }\n");
    for n in 0..GROUPS {
        write!(
            text,
            "static const char *const names{n}[] = {{ \"one {n}\", \"two\" }};\n\
             static char *make{n}(int k) {{ static int last; {padding}\n\
             #define SIZE{n} (k + {n})\n\
               made++; last = k; return last ? malloc(SIZE{n}) : twice(k); }}\n\
             static void drop{n}(char *p) {{ free(p); }}\n\
             __attribute__((always_inline)) static inline int half{n}(int k) {{ return k / 2; }}\n\
             static void forget{n}(char *p) {{ (void)p; (void)names{n}[made & 1]; }}\n\
             static void (*const enders{n}[])(char *) = {{ drop{n}, forget{n} }};\n\
             __attribute__((constructor)) static void begin{n}(void) {{ made += {n}; }}\n\
             int count{n}(int k) {{ return half{before}(k); }}\n\
             int use{n}(int k) {{ {padding}\n\
               char *p = make{n}(k), *q = make{before}(k);\n\
               if (!p || !q) return -1;\n\
               p[0] = SIZE{n} - SIZE{n}; drop{before}(q);\n\
               enders{n}[{ender}](p); return p != q; }}\n",
            before = n.saturating_sub(1),
            ender = usize::from(n % 10 == 3),
        )
        .expect("writing to a string cannot fail");
    }
    text
}

/// What is told, whatever the order.
fn told(ran: &Ran) -> BTreeSet<String> {
    ran.stdout.lines().map(str::to_owned).collect()
}

fn functions(project: &Project) -> BTreeSet<String> {
    let dumped = project.run(&["dump", "ir", "large.c"]).exits(0).stdout;
    let names =
        dumped.lines().filter_map(|line| line.strip_prefix("func @").or(line.strip_prefix("declare @")));
    names.filter_map(|line| line.split('(').next()).map(str::to_owned).collect()
}

#[test]
fn a_large_source_is_the_same_as_in_one_piece() {
    let source = large_source();
    let parts = Project::new(&[("large.c", &source), ("h.h", HEADER)]);
    // Names that are counted forbid dividing.
    let whole = Project::new(&[("large.c", &format!("{source}/* __COUNTER__ */\n")), ("h.h", HEADER)]);
    let check = |project: &Project, threads: &str| {
        project.run(&[
            "check",
            "--no-cache",
            "--stats=json",
            "--format",
            "gcc",
            "--threads",
            threads,
            "large.c",
        ])
    };
    let in_parts = check(&parts, "2").exits(1).says(r#""divided":1"#);
    let in_one = check(&whole, "2").exits(1).says(r#""divided":0"#);
    assert_eq!(told(&in_parts), told(&in_one));
    // At the very least each group whose end is to forget.
    assert!(told(&in_parts).len() >= GROUPS / 10, "{in_parts:#?}");
    assert_eq!(check(&parts, "1").stdout, in_parts.stdout);

    let (in_parts, mut in_one) = (functions(&parts), functions(&whole));
    assert!(in_parts.contains("unused") && !in_parts.contains("asked_by_nobody"));
    assert!(in_parts.contains("begin7") && in_parts.contains("begin52"));
    // They were replaced by their bodies; in parts they are called.
    in_one.extend(in_parts.iter().filter(|name| name.starts_with("half")).cloned());
    assert_eq!(in_parts, in_one);
}

#[test]
fn parts_are_kept_and_found_again() {
    let project = Project::new(&[("large.c", &large_source()), ("h.h", HEADER)]);
    let check = || project.run(&["check", "--stats=json", "--format", "gcc", "large.c"]).exits(1);
    let first = check().says(r#""divided":1"#);
    let again = check().says(r#""compiled":0"#);
    assert_eq!(first.stdout, again.stdout);
    project.run(&["dump", "counts", "large.c"]).exits(0);
}

#[test]
fn what_cannot_be_divided_is_compiled_whole() {
    let mut source = large_source();
    source.push_str(
        "int other(int) __attribute__((alias(\"use3\")));\nint more(int) __attribute__((alias(\"use8\")));\n",
    );
    let project = Project::new(&[("large.c", &source), ("h.h", HEADER)]);
    let whole = project.run(&["check", "--no-cache", "--stats=json", "large.c"]).exits(1);
    whole.says(r#""divided":0"#).says(r#""compiled":1"#);
    // What is wrong with the source is told as ever, once.
    project.write("broken.c", format!("{source}int x = y;\n"));
    let broken = project.run(&["check", "--no-cache", "broken.c"]).exits(3).says("undeclared identifier 'y'");
    assert_eq!(broken.stderr.matches("undeclared identifier").count(), 1, "{broken:#?}");
}
