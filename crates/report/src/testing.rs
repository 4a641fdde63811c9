//! Values for the tests of this crate: a few rules and a finding with every part filled.

use std::borrow::Cow;

use watertight_finding::{
    Assumption, Cwe, Doubts, Finding, Growth, Identity, Level, Page, Place, Rule, RuleId, Step, StepKind,
    Support, Switch, Trace, Variant,
};

use crate::source::SourceMap;

pub(crate) fn rules() -> Vec<Rule> {
    let rule = |id, summary, cwe: &'static [Cwe], default| Rule {
        id: RuleId::new(id),
        summary: Cow::Borrowed(summary),
        level: Level::Warning,
        cwe: Cow::Borrowed(cwe),
        default,
        since: Cow::Borrowed("0.1.0"),
        help: Cow::Borrowed("Release it on every path."),
        page: Page::NONE,
    };
    vec![
        rule("memory-leak", "memory leaks", &[Cwe(401)], Switch::On),
        rule("resource-leak", "a stream leaks", &[Cwe(772), Cwe(775)], Switch::On),
        rule("leak-at-exit", "memory is still held when the program ends", &[], Switch::Off),
    ]
}

/// A finding of `memory-leak` that says nothing but its place.
pub(crate) fn finding(file: &str, line: u32, column: u32) -> Finding {
    let place = Place::new(file, line, column).in_function("load");
    Finding::new(&rules()[0], "`copy` leaks on some paths", place)
}

pub(crate) const CONF_C: &str = "\
int load(const char *name, struct conf *out)
{
    char *copy = strdup(name);
    if (copy == NULL)
        return -1;
    log_name(copy);
    if (!parse(copy, out))
        return -1;
    if (out->size == 0)
        return 0;
    free(copy);
    return 0;
}
";

pub(crate) fn conf_sources() -> SourceMap {
    SourceMap::from_iter([("src/conf.c", CONF_C)])
}

/// A finding about [`CONF_C`] with two exits, a sibling, an assumption and values.
pub(crate) fn conf_finding() -> Finding {
    let at = |line, column| Place::new("src/conf.c", line, column).in_function("load");
    let acquire = Step::new(StepKind::Acquire, at(3, 18), "`strdup` allocates memory");
    let not_null = Step::new(StepKind::Branch, at(4, 14), "`copy` is not null");
    let mut finding = finding("src/conf.c", 3, 18);
    finding.doubts = Doubts::NONE;
    finding.support = Support::SolverChecked;
    finding.growth = Growth::ErrorPath;
    finding.variant = Some(Variant::SomePaths);
    finding.identity = Identity::new("load", "copy = strdup(name)");
    finding.exits = vec![
        Trace::new(
            Support::SolverChecked,
            vec![
                acquire.clone(),
                not_null.clone(),
                Step::new(StepKind::Branch, at(7, 9), "takes the branch").with_value("parse(copy, out)", "0"),
                Step::new(StepKind::Lost, at(8, 9), "`copy` was the last reference: it is lost"),
            ],
        ),
        Trace::new(
            Support::Unchecked,
            vec![
                acquire,
                not_null,
                Step::new(StepKind::Branch, at(9, 19), "takes the branch").with_value("out->size", "0"),
                Step::new(StepKind::Lost, at(10, 9), "`copy` was the last reference: it is lost"),
            ],
        ),
    ];
    finding.sibling = Some(Step::new(StepKind::Release, at(11, 5), "`free` releases it"));
    finding.assumptions = vec![Assumption::new(at(6, 5), "`log_name` does not keep its first argument")];
    finding
}
