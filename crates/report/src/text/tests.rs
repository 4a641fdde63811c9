//! What people see, as text in the test, and what must never reach their terminal.

use proptest::prelude::*;
use watertight_finding::{Assumption, Coverage, Doubt, Growth, ProblemKind, Support};

use super::*;
use crate::source::SourceMap;
use crate::testing::{CONF_C, conf_finding, conf_sources, finding, rules};

const FULL: Options = Options { colour: Colour::Never, width: 120, detail: Detail::Full };

fn render(finding: &Finding, map: &SourceMap, options: Options) -> String {
    finding_text(finding, "", &mut Sources::new(map), &options)
}

fn check_with(finding: &Finding, map: &SourceMap, options: Options, expected: &str) {
    let shown = render(finding, map, options);
    let shown: Vec<&str> = shown.lines().map(str::trim_end).collect();
    assert_eq!(shown.join("\n"), expected.trim_end(), "\n{}\n", shown.join("\n"));
}

fn check(finding: &Finding, map: &SourceMap, expected: &str) {
    check_with(finding, map, Options::default(), expected);
}

fn one_path(file: &str, line: u32, column: u32, steps: Vec<Step>) -> Finding {
    let mut finding = finding(file, line, column);
    finding.exits = vec![Trace::new(Support::Unchecked, steps)];
    finding
}

fn step(kind: StepKind, file: &str, line: u32, column: u32, text: &str) -> Step {
    Step::new(kind, Place::new(file, line, column).in_function("load"), text)
}

#[test]
fn a_finding_is_drawn_into_its_source() {
    check(
        &conf_finding(),
        &conf_sources(),
        "\
warning[memory-leak]: `copy` leaks on some paths
  --> src/conf.c:3:18
   |
 3 |     char *copy = strdup(name);
   |                  ^^^^^^^^^^^^ 1: `strdup` allocates memory
 4 |     if (copy == NULL)
   |              -- 2: `copy` is not null
...
 7 |     if (!parse(copy, out))
   |         ----------------- 3: takes the branch (parse(copy, out) = 0)
 8 |         return -1;
   |         ^^^^^^ 4: `copy` was the last reference: it is lost
 9 |     if (out->size == 0)
10 |         return 0;
   |         ------ another such path ends here: takes the branch (out->size = 0) (the path was not checked)
11 |     free(copy);
   |     ---------- on another path: `free` releases it
   |
   = assumes: `log_name` does not keep its first argument (src/conf.c:6:5)
   = confidence: high, the solver confirmed the path; only on an error path
",
    );
}

#[test]
fn in_full_detail_every_exit_has_its_path() {
    check_with(
        &conf_finding(),
        &conf_sources(),
        FULL,
        "\
warning[memory-leak]: `copy` leaks on some paths
  --> src/conf.c:3:18
   |
 3 |     char *copy = strdup(name);
   |                  ^^^^^^^^^^^^ 1: `strdup` allocates memory
 4 |     if (copy == NULL)
   |              -- 2: `copy` is not null
...
 7 |     if (!parse(copy, out))
   |         ----------------- 3: takes the branch (parse(copy, out) = 0)
 8 |         return -1;
   |         ^^^^^^ 4: `copy` was the last reference: it is lost
...
11 |     free(copy);
   |     ---------- on another path: `free` releases it
   |
   = assumes: `log_name` does not keep its first argument (src/conf.c:6:5)
   = confidence: high, the solver confirmed the path; only on an error path
note: exit 2 of 2: src/conf.c:10:9
  --> src/conf.c:3:18
   |
 3 |     char *copy = strdup(name);
   |                  ^^^^^^^^^^^^ 1: `strdup` allocates memory
 4 |     if (copy == NULL)
   |              -- 2: `copy` is not null
...
 9 |     if (out->size == 0)
   |                   -- 3: takes the branch (out->size = 0)
10 |         return 0;
   |         ^^^^^^ 4: `copy` was the last reference: it is lost
   = note: the path was not checked
",
    );
}

#[test]
fn a_path_through_several_files_names_files_and_functions() {
    let map = SourceMap::from_iter([
        ("src/main.c", "int main(void)\n{\n    struct s *s = s_new();\n    s_fill(s);\n    return 0;\n}\n"),
        ("src/s.c", "void s_fill(struct s *s)\n{\n    if (s->n > 0)\n        return;\n}\n"),
    ]);
    let inside = |line, column| Place::new("src/s.c", line, column).in_function("s_fill");
    let finding = one_path(
        "src/main.c",
        3,
        19,
        vec![
            step(StepKind::Acquire, "src/main.c", 3, 19, "`s_new` acquires memory"),
            step(StepKind::Call, "src/main.c", 4, 5, "calls `s_fill`"),
            Step::new(StepKind::Branch, inside(3, 14), "takes the branch")
                .at_depth(1)
                .with_value("s->n", "1"),
            Step::new(StepKind::Return, inside(4, 9), "returns").at_depth(1),
            step(StepKind::Lost, "src/main.c", 5, 5, "`s` was the last reference: it is lost"),
        ],
    );
    check(
        &finding,
        &map,
        "\
warning[memory-leak]: `copy` leaks on some paths
 --> src/main.c:3:19
  |
3 |     struct s *s = s_new();
  |                   ^^^^^^^ 1: `s_new` acquires memory
4 |     s_fill(s);
  |     --------- 2: calls `s_fill`
5 |     return 0;
  |     ^^^^^^ 5: back in `load`: `s` was the last reference: it is lost
  |
 ::: src/s.c:3:14
  |
3 |     if (s->n > 0)
  |              - 3: in `s_fill`: takes the branch (s->n = 1)
4 |         return;
  |         ------ 4: returns
  |
  = confidence: low because it was not checked whether the path is possible
",
    );
}

#[test]
fn without_source_the_path_is_told_in_lines() {
    check(
        &conf_finding(),
        &SourceMap::default(),
        "\
warning[memory-leak]: `copy` leaks on some paths
--> src/conf.c:3:18
 = note: `src/conf.c` cannot be read
 = at src/conf.c:3:18: 1: `strdup` allocates memory
 = at src/conf.c:4:14: 2: `copy` is not null
 = at src/conf.c:7:9: 3: takes the branch (parse(copy, out) = 0)
 = at src/conf.c:8:9: 4: `copy` was the last reference: it is lost
 = at src/conf.c:10:9: another such path ends here: takes the branch (out->size = 0) (the path was not checked)
 = at src/conf.c:11:5: on another path: `free` releases it
 = assumes: `log_name` does not keep its first argument (src/conf.c:6:5)
 = confidence: high, the solver confirmed the path; only on an error path
",
    );
}

#[test]
fn a_file_that_became_shorter_is_shown_as_far_as_it_goes() {
    let map = SourceMap::from_iter([("src/conf.c", CONF_C.lines().take(4).collect::<Vec<_>>().join("\n"))]);
    check(
        &conf_finding(),
        &map,
        "\
warning[memory-leak]: `copy` leaks on some paths
 --> src/conf.c:3:18
  |
3 |     char *copy = strdup(name);
  |                  ^^^^^^^^^^^^ 1: `strdup` allocates memory
4 |     if (copy == NULL)
  |              -- 2: `copy` is not null
  |
  = at src/conf.c:7:9: 3: takes the branch (parse(copy, out) = 0)
  = at src/conf.c:8:9: 4: `copy` was the last reference: it is lost
  = at src/conf.c:10:9: another such path ends here: takes the branch (out->size = 0) (the path was not checked)
  = at src/conf.c:11:5: on another path: `free` releases it
  = assumes: `log_name` does not keep its first argument (src/conf.c:6:5)
  = confidence: high, the solver confirmed the path; only on an error path
",
    );
    let mut beyond = conf_finding();
    beyond.place = Place::new("src/conf.c", 300, 1).in_function("load");
    beyond.exits.truncate(1);
    check(
        &beyond,
        &map,
        "\
warning[memory-leak]: `copy` leaks on some paths
 --> src/conf.c:300:1
  |
 ::: src/conf.c:3:18
  |
3 |     char *copy = strdup(name);
  |                  ------------ 1: `strdup` allocates memory
4 |     if (copy == NULL)
  |              -- 2: `copy` is not null
  |
  = at src/conf.c:300:1: acquired here
  = at src/conf.c:7:9: 3: takes the branch (parse(copy, out) = 0)
  = at src/conf.c:8:9: 4: `copy` was the last reference: it is lost
  = at src/conf.c:11:5: on another path: `free` releases it
  = assumes: `log_name` does not keep its first argument (src/conf.c:6:5)
  = confidence: high, the solver confirmed the path; only on an error path
",
    );
}

#[test]
fn a_loss_before_the_acquisition_does_not_become_the_place_above() {
    let map = SourceMap::from_iter([("a.c", "again:\n    p = 0;\n    p = malloc(8);\n    goto again;\n")]);
    let finding = one_path(
        "a.c",
        3,
        9,
        vec![
            step(StepKind::Acquire, "a.c", 3, 9, "`malloc` acquires memory"),
            step(StepKind::Lost, "a.c", 2, 7, "overwritten"),
        ],
    );
    check(
        &finding,
        &map,
        "\
warning[memory-leak]: `copy` leaks on some paths
 --> a.c:3:9
  |
2 |     p = 0;
  |       - 2: overwritten
3 |     p = malloc(8);
  |         ^^^^^^^^^ 1: `malloc` acquires memory
  |
  = confidence: low because it was not checked whether the path is possible
",
    );
}

#[test]
fn a_step_far_above_does_not_become_the_place_above() {
    let mut source = "void g(void) { }\n".to_owned();
    source.push_str(&"\n".repeat(3000));
    source.push_str("p = f(1);\nreturn;\n");
    let map = SourceMap::from_iter([("a.c", source)]);
    let finding = one_path(
        "a.c",
        3002,
        5,
        vec![
            step(StepKind::Acquire, "a.c", 3002, 5, "`f` acquires memory"),
            step(StepKind::Call, "a.c", 1, 6, "through `g`"),
            step(StepKind::Lost, "a.c", 3003, 1, "lost"),
        ],
    );
    check(
        &finding,
        &map,
        "\
warning[memory-leak]: `copy` leaks on some paths
    --> a.c:3002:5
     |
3002 | p = f(1);
     |     ^^^^ 1: `f` acquires memory
3003 | return;
     | ^^^^^^ 3: lost
     |
    ::: a.c:1:6
     |
   1 | void g(void) { }
     |      ------- 2: through `g`
     |
     = confidence: low because it was not checked whether the path is possible
",
    );
}

#[test]
fn tabs_wide_characters_and_windows_line_ends_keep_the_underline_in_place() {
    let source = "\tp = \"日本\";\tq = f(1);\r\n\treturn;\r\n";
    let map = SourceMap::from_iter([("a.c", source)]);
    let column = source.find("f(1)").unwrap() as u32 + 1;
    let finding = one_path(
        "a.c",
        1,
        column,
        vec![
            step(StepKind::Acquire, "a.c", 1, column, "`f` acquires memory"),
            step(StepKind::Lost, "a.c", 2, 2, "lost"),
        ],
    );
    check(
        &finding,
        &map,
        "\
warning[memory-leak]: `copy` leaks on some paths
 --> a.c:1:16
  |
1 |         p = \"日本\";       q = f(1);
  |                               ^^^^ 1: `f` acquires memory
2 |         return;
  |         ^^^^^^ 2: lost
  |
  = confidence: low because it was not checked whether the path is possible
",
    );
}

#[test]
fn a_line_of_megabytes_is_shown_around_the_place_and_the_column_is_right() {
    let mut source = "x = 1; ".repeat(700_000);
    source.push_str("p = f(1); return 2;\nreturn;\n");
    let column = source.find("f(1)").unwrap() as u32 + 1;
    let map = SourceMap::from_iter([("gen.c", source)]);
    let finding = one_path(
        "gen.c",
        1,
        column,
        vec![
            step(StepKind::Note, "gen.c", 1, 1, "starts far away"),
            step(StepKind::Acquire, "gen.c", 1, column, "`f` acquires memory"),
            step(StepKind::Lost, "gen.c", 2, 1, "lost"),
        ],
    );
    check(&finding, &map, "\
warning[memory-leak]: `copy` leaks on some paths
 --> gen.c:1:4900005
  |
1 | …; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; p = f(1); return 2;
  |                                                                                                   ^^^^ 2: `f` acquires memory
2 | return;
  | ^^^^^^ 3: lost
  |
  = at gen.c:1:1: 1: starts far away
  = confidence: low because it was not checked whether the path is possible
");
    let coloured = render(&finding, &map, Options { colour: Colour::Always, ..Options::default() });
    assert!(coloured.contains(&format!("gen.c:1:{column}")), "{coloured}");
}

#[test]
fn long_paths_are_shortened_and_say_so() {
    let source = "f();\n".repeat(100);
    let map = SourceMap::from_iter([("a.c", source)]);
    let mut steps = vec![step(StepKind::Acquire, "a.c", 1, 1, "acquired")];
    steps.extend((2..60).map(|line| step(StepKind::Note, "a.c", line, 1, "passes")));
    steps.push(step(StepKind::Lost, "a.c", 60, 1, "lost"));
    let finding = one_path("a.c", 1, 1, steps);
    let shown = render(&finding, &map, Options::default());
    assert!(shown.contains("= path: 16 of 60 steps are shown here"), "{shown}");
    assert!(shown.contains("1: acquired") && shown.contains("60: lost"), "{shown}");
    let full = render(&finding, &map, FULL);
    assert!(!full.contains("are shown here") && full.contains("37: passes"), "{full}");
}

#[test]
fn many_exits_are_counted() {
    let source = "return;\n".repeat(100);
    let map = SourceMap::from_iter([("a.c", source)]);
    let mut finding = finding("a.c", 1, 1);
    let lost = |line| Trace::new(Support::Unchecked, vec![step(StepKind::Lost, "a.c", line, 1, "lost")]);
    finding.exits = (2..40).map(lost).collect();
    let shown = render(&finding, &map, Options::default());
    assert_eq!(shown.matches("another such path ends here").count(), MOST_EXITS);
    assert!(shown.contains("= also: 29 more such paths"), "{shown}");
    assert!(shown.contains("^^^^^^ acquired here"), "{shown}");
}

#[test]
fn colour_is_used_only_when_asked_for() {
    let coloured =
        render(&conf_finding(), &conf_sources(), Options { colour: Colour::Always, ..Options::default() });
    assert!(coloured.contains("\u{1b}["));
    let plain = render(&conf_finding(), &conf_sources(), Options::default());
    assert!(!plain.contains('\u{1b}'));
}

#[test]
fn hostile_names_and_sources_show_themselves() {
    let map =
        SourceMap::from_iter([("a\n\u{1b}[2J.c", "p = f(\"\u{1b}]0;owned\u{7}\u{202e}\"); \u{9b}2J\n")]);
    let mut finding = one_path(
        "a\n\u{1b}[2J.c",
        1,
        5,
        vec![
            step(StepKind::Acquire, "a\n\u{1b}[2J.c", 1, 5, "in `<b>\u{1b}[31m`\nand more")
                .with_value("\u{202e}x", "\u{7}"),
        ],
    );
    finding.message = "lost\nerror: forged\u{1b}[0m".into();
    finding.assumptions = vec![Assumption::new(Place::new("\u{1b}", 1, 1), "`\u{1b}` is kind\r")];
    check(
        &finding,
        &map,
        "\
warning[memory-leak]: lost\\nerror: forged\\x1b[0m
 --> a\\n\\x1b[2J.c:1:5
  |
1 | p = f(\"␛]0;owned␇�\"); �2J
  |     ^^^^^^^^^^^^^^^^ 1: in `<b>\\x1b[31m`\\nand more (\\u{202e}x = \\x07)
  |
  = assumes: `\\x1b` is kind\\r (\\x1b:1:1)
  = confidence: low because it was not checked whether the path is possible
",
    );
}

#[test]
fn a_run_ends_with_its_problems_and_a_summary() {
    let rules = rules();
    let mut second = finding("src/missing.c", 9, 3);
    second.doubts = Doubt::Borrowed.into();
    second.growth = Growth::EachIteration;
    let findings = [conf_finding(), second];
    let problems = [
        Problem::new(ProblemKind::UnitFailed, "src/x.c", "clang failed"),
        Problem::new(ProblemKind::GivenUp, "yyparse", "the step budget is spent")
            .at(Place::new("src/p.c", 102, 1)),
    ];
    let report = Report {
        findings: &findings,
        problems: &problems,
        coverage: Coverage { files: 3, functions: 1234, proved: None, proved_assuming: Vec::new() },
        hidden: 1,
        ..Report::new("0.1.0", &rules)
    };
    let mut out = Vec::new();
    let map = SourceMap::default();
    write(&mut out, &report, &mut Sources::new(&map), &Options::default()).unwrap();
    let shown = String::from_utf8(out).unwrap();
    let tail: Vec<&str> = shown.split("error path\n\n").collect();
    assert_eq!(
        tail[1],
        "\
warning[memory-leak]: `copy` leaks on some paths [CWE-401]
--> src/missing.c:9:3
 = note: `src/missing.c` cannot be read
 = confidence: medium because an external function may have taken ownership of it; other paths, however, free it after the same call; the path was not checked; happens again in every iteration of the loop

error: could not analyse `src/x.c`: clang failed
note: src/p.c:102:1: `yyparse` was analysed only in part: the step budget is spent

2 findings (1 high, 1 medium) in 3 files (1 more could not be analysed); 1,234 functions analysed, 1 given up
not shown: 1 of lower confidence (--confidence low shows it)
"
    );
}

#[test]
fn many_problems_are_counted_unless_all_are_asked_for() {
    let rules = rules();
    let problems: Vec<Problem> =
        (0..25).map(|i| Problem::new(ProblemKind::GivenUp, format!("f{i}"), "the budget is spent")).collect();
    let report = Report { problems: &problems, ..Report::new("0.1.0", &rules) };
    let shown = |options: Options| {
        let mut out = Vec::new();
        write(&mut out, &report, &mut Sources::new(&SourceMap::default()), &options).unwrap();
        String::from_utf8(out).unwrap()
    };
    let usual = shown(Options::default());
    assert_eq!(usual.matches("was analysed only in part").count(), 10);
    assert!(usual.contains("\nand 15 more problems\n\nno findings in 0 files"), "{usual}");
    assert_eq!(shown(FULL).matches("was analysed only in part").count(), 25);
    let coloured = shown(Options { colour: Colour::Always, ..Options::default() });
    assert!(coloured.starts_with("\u{1b}[1m\u{1b}[92mnote\u{1b}[0m: `f0` was"), "{coloured:?}");
}

/// Lines of pieces that break careless code: wide, zero-wide and hostile characters, tabs, line ends, broken
/// UTF-8.
fn hostile_source() -> impl Strategy<Value = Vec<u8>> {
    let pieces: Vec<&'static [u8]> = vec![
        b"a",
        b"f(1)",
        b" ",
        b"\t",
        b"\n",
        b"\r\n",
        b"\r",
        b"\"",
        b"(",
        b")",
        b"\x1b[2J",
        b"\xff",
        b"\xe6\x97",
        "日本".as_bytes(),
        "e\u{301}".as_bytes(),
        "\u{200d}".as_bytes(),
        "👩\u{200d}👧".as_bytes(),
        "\u{202e}".as_bytes(),
        b"\0",
        b"\x0c",
        b"return;",
    ];
    proptest::collection::vec(proptest::sample::select(pieces), 0..80).prop_map(|pieces| pieces.concat())
}

fn hostile_text() -> impl Strategy<Value = String> {
    let pieces = vec!["a", " ", "\n", "\u{1b}[31m", "\u{202e}", "`x`", "日本", "\t", "%s", "{}", "\u{9b}"];
    proptest::collection::vec(proptest::sample::select(pieces), 0..6).prop_map(|pieces| pieces.concat())
}

fn any_place() -> impl Strategy<Value = Place> {
    let file = proptest::sample::select(vec!["a.c", "long.c", "missing.c"]);
    let column = prop_oneof![0_u32..30, 0_u32..9000, Just(u32::MAX)];
    let line = prop_oneof![0_u32..12, Just(2000_u32), Just(u32::MAX)];
    (file, line, column, proptest::option::of(0_u32..40), hostile_text()).prop_map(
        |(file, line, column, end_column, function)| Place {
            end_column,
            ..Place::new(file, line, column).in_function(function)
        },
    )
}

fn any_step() -> impl Strategy<Value = Step> {
    (proptest::sample::select(StepKind::ALL.to_vec()), any_place(), hostile_text(), hostile_text())
        .prop_map(|(kind, place, text, value)| Step::new(kind, place, text).with_value("v", value))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]
    #[test]
    fn nothing_breaks_the_drawing_or_reaches_the_terminal(
        source in hostile_source(),
        place in any_place(),
        message in hostile_text(),
        exits in proptest::collection::vec(proptest::collection::vec(any_step(), 0..20), 0..4),
        sibling in proptest::option::of(any_step()),
        detail in proptest::sample::select(vec![Detail::Usual, Detail::Full]),
        width in prop_oneof![0_usize..200],
    ) {
        let mut long = source.repeat(40);
        long.extend("x\n".repeat(2500).bytes());
        let map = SourceMap::from_iter([("a.c", source), ("long.c", long)]);
        let mut finding = finding("a.c", 1, 1);
        finding.place = place;
        finding.message = message;
        finding.exits = exits.into_iter().map(|steps| Trace::new(Support::Unchecked, steps)).collect();
        finding.sibling = sibling;
        let shown = render(&finding, &map, Options { colour: Colour::Never, width, detail });
        let hostile: Vec<char> = shown.chars().filter(|&c| c != '\n' && crate::escape::is_hostile(c)).collect();
        prop_assert!(hostile.is_empty(), "{hostile:?} in\n{shown}");
        prop_assert!(shown.starts_with("warning[memory-leak]"));
        // Rendering again gives the same.
        prop_assert_eq!(&shown, &render(&finding, &map, Options { colour: Colour::Never, width, detail }));
    }
}
