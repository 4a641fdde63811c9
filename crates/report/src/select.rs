//! Choosing what to look for and what to show.
//!
//! Rules are chosen by a list of terms, read from left to right: a rule name adds it, a group (`locks`) adds all of its rules, `all` adds every
//! rule, `default` adds those that are on by default, and any of these with a hyphen in front takes away. The list
//! starts from nothing, unless its first term takes away: then it starts from the default, so that
//! `-memory-leak` alone means "as usual, but without".
//!
//! Findings are chosen by rule and by a least confidence; how many were left out is returned, since a report
//! must say what it does not show.

use std::collections::BTreeSet;
use std::fmt;

use watertight_finding::{Confidence, Finding, Rule, RuleId, Switch, Urgency, sort};

/// Rules that people switch on and off together: the name of the group, and its rules.
pub const GROUPS: &[(&str, &[&str])] = &[
    ("memory", &["memory-leak", "realloc-lost", "double-release", "use-after-release"]),
    ("files", &["resource-leak", "closed-twice", "used-after-close"]),
    ("locks", &["double-lock", "double-unlock", "lock-annotation", "lock-leak"]),
    ("threads", &["double-detach", "double-join", "thread-leak"]),
    ("privileges", &["privilege-kept", "privilege-order"]),
];

/// General rules, and what the same is called where it happens to something that is closed.
const CLOSED: [(RuleId, RuleId); 2] = [
    (RuleId::new("double-release"), RuleId::new("closed-twice")),
    (RuleId::new("use-after-release"), RuleId::new("used-after-close")),
];

/// What is closed, by the names of the models.
const CLOSABLE: [&str; 4] = ["file", "fd", "dir", "pipe"];

/// The rules of a group that exist.
fn group(name: &str, rules: &[Rule]) -> Option<BTreeSet<RuleId>> {
    let (_, members) = GROUPS.iter().find(|(group, _)| *group == name)?;
    let is_in = |rule: &&Rule| members.contains(&rule.id.as_str());
    Some(rules.iter().filter(is_in).map(|rule| rule.id.clone()).collect())
}

/// Rules that are switched on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RuleSet {
    on: BTreeSet<RuleId>,
    /// Those that were asked for by their own names.
    named: BTreeSet<RuleId>,
}

impl RuleSet {
    /// The rules that are on when the user says nothing.
    #[must_use]
    pub fn defaults(rules: &[Rule]) -> RuleSet {
        RuleSet::of(rules.iter().filter(|rule| rule.default == Switch::On))
    }

    /// Every rule there is.
    #[must_use]
    pub fn all(rules: &[Rule]) -> RuleSet {
        RuleSet::of(rules.iter())
    }

    fn of<'r>(rules: impl Iterator<Item = &'r Rule>) -> RuleSet {
        RuleSet { on: rules.map(|rule| rule.id.clone()).collect(), named: BTreeSet::new() }
    }

    /// The same with one more rule.
    #[must_use]
    pub fn with(mut self, rule: RuleId) -> RuleSet {
        self.on.insert(rule);
        self
    }

    /// A list of terms that chooses just these.
    #[must_use]
    pub fn list(&self) -> String {
        let names: Vec<&str> = self.on.iter().map(RuleId::as_str).collect();
        names.join(",")
    }

    /// The rules chosen by a comma-separated list of terms.
    ///
    /// # Errors
    ///
    /// When a term names no rule, when the list is empty, or when nothing is left on.
    pub fn parse(list: &str, rules: &[Rule]) -> Result<RuleSet, SelectError> {
        let mut terms = list.split(',').map(str::trim).filter(|term| !term.is_empty()).peekable();
        let mut on = match terms.peek() {
            None => return Err(SelectError::EmptyList),
            Some(first) if first.starts_with('-') => RuleSet::defaults(rules),
            Some(_) => RuleSet::default(),
        };
        for term in terms {
            let name = term.strip_prefix('-').unwrap_or(term);
            let several = match name {
                "all" => Some(RuleSet::all(rules).on),
                "default" => Some(RuleSet::defaults(rules).on),
                _ => group(name, rules),
            };
            let is_one = several.is_none();
            let meant = several.map_or_else(|| find(name, rules).map(|rule| BTreeSet::from([rule])), Ok)?;
            if term.starts_with('-') {
                on.on.retain(|id| !meant.contains(id));
                on.named.retain(|id| !meant.contains(id));
            } else {
                if is_one {
                    on.named.extend(meant.iter().cloned());
                }
                on.on.extend(meant);
            }
        }
        if on.on.is_empty() { Err(SelectError::NothingLeft { list: list.to_owned() }) } else { Ok(on) }
    }

    /// Whether a rule is on.
    #[must_use]
    pub fn contains(&self, rule: &RuleId) -> bool {
        self.on.contains(rule)
    }

    /// Whether a rule was asked for by its own name.
    #[must_use]
    pub fn names(&self, rule: &RuleId) -> bool {
        self.named.contains(rule)
    }

    /// The rules that are on, in alphabetical order.
    pub fn iter(&self) -> impl Iterator<Item = &RuleId> {
        self.on.iter()
    }
}

/// The rule of a name.
///
/// # Errors
///
/// When there is none; the error lists those that there are.
pub fn find(name: &str, rules: &[Rule]) -> Result<RuleId, SelectError> {
    match rules.iter().find(|rule| rule.id.as_str() == name) {
        Some(rule) => Ok(rule.id.clone()),
        None => {
            let known = rules.iter().map(|rule| rule.id.clone()).collect();
            Err(SelectError::UnknownRule {
                name: name.to_owned(),
                similar: similar(name, rules).cloned(),
                known,
            })
        }
    }
}

/// The rule whose name is nearest to what the user wrote, if it is near enough to be meant, or else one that shares most words with it.
pub(crate) fn similar<'r>(name: &str, rules: &'r [Rule]) -> Option<&'r RuleId> {
    // What other tools call a double release is a double free.
    let name = &*name.replace("free", "release");
    let near = |rule: &&Rule| distance(name, rule.id.as_str());
    let shared = |rule: &&Rule| {
        let words = || rule.id.as_str().split('-');
        name.split(['-', '_']).filter(|word| words().any(|other| other == *word)).count()
    };
    let nearest = rules.iter().min_by_key(near).filter(|rule| near(rule) <= 1 + name.len() / 4);
    let related = || {
        let best = rules.iter().max_by_key(|rule| (shared(rule), std::cmp::Reverse(near(rule))));
        best.filter(|rule| shared(rule) > 0)
    };
    nearest.or_else(related).map(|rule| &rule.id)
}

/// How many characters must be inserted, deleted or exchanged to turn one name into the other.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    // Nobody means a rule by a name this long; without the limit a hostile name costs a lot.
    for (i, a) in from.chars().take(200).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &b) in to.iter().enumerate() {
            let exchanged = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = exchanged.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}

/// A list of rules that cannot be followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SelectError {
    /// There is no term in the list.
    EmptyList,
    /// All rules were taken away again.
    NothingLeft {
        /// The list as it was given.
        list: String,
    },
    /// A term names no rule.
    UnknownRule {
        /// The name as it was given.
        name: String,
        /// A rule with a similar name.
        similar: Option<RuleId>,
        /// The rules that there are.
        known: Vec<RuleId>,
    },
}

impl fmt::Display for SelectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SelectError::EmptyList => f.write_str("the list of rules is empty"),
            SelectError::NothingLeft { list } => write!(f, "the list of rules `{list}` leaves no rule on"),
            SelectError::UnknownRule { name, similar, known } => {
                write!(f, "there is no rule `{name}`")?;
                if let Some(rule) = similar {
                    write!(f, "; did you mean `{rule}`?")?;
                }
                let known: Vec<&str> = known.iter().map(RuleId::as_str).collect();
                let groups: Vec<&str> = GROUPS.iter().map(|(group, _)| *group).collect();
                write!(f, "\nthe rules are: {}\nthe groups are: {}", known.join(", "), groups.join(", "))
            }
        }
    }
}

impl std::error::Error for SelectError {}

/// Keeps the findings of rules that are on. What a general rule says of something that is closed is said by the rule of its own, where
/// only that one is on.
#[must_use]
pub fn by_rules(findings: Vec<Finding>, on: &RuleSet, known: &[Rule]) -> Vec<Finding> {
    let (mut kept, others): (Vec<_>, Vec<_>) =
        findings.into_iter().partition(|finding| on.contains(&finding.rule));
    for mut finding in others {
        let Some(rule) = closed(&finding).filter(|rule| on.contains(rule)) else { continue };
        finding.level = known
            .iter()
            .find(|one| one.id == rule)
            .map_or(finding.level, |one| one.level.at(finding.urgency));
        finding.rule = rule;
        let is_same = |one: &Finding| one.rule == finding.rule && one.place.point() == finding.place.point();
        if !kept.iter().any(is_same) {
            kept.push(finding);
        }
    }
    sort(&mut kept);
    kept
}

/// The rule of its own that a finding of a general rule has.
fn closed(finding: &Finding) -> Option<RuleId> {
    let (_, rule) = CLOSED.into_iter().find(|(general, _)| *general == finding.rule)?;
    CLOSABLE.contains(&finding.resource.as_str()).then_some(rule)
}

/// Keeps the findings with at least this confidence; the second value is how many are left out.
#[must_use]
pub fn by_confidence(mut findings: Vec<Finding>, least: Confidence) -> (Vec<Finding>, usize) {
    let before = findings.len();
    findings.retain(|finding| finding.confidence() >= least);
    let hidden = before - findings.len();
    (findings, hidden)
}

/// Findings that are only counted, since most people have more urgent ones to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Aside {
    /// Those that show only when memory runs out.
    pub memory: usize,
    /// Those that show only when the process ends soon after.
    pub ending: usize,
}

/// Keeps the findings that are at least as urgent, or of a rule that was asked for by its name; the second value counts those left out.
#[must_use]
pub fn by_urgency(mut findings: Vec<Finding>, least: Urgency, on: &RuleSet) -> (Vec<Finding>, Aside) {
    let of = |findings: &[Finding], urgency| findings.iter().filter(|one| one.urgency == urgency).count();
    let before = [Urgency::MemoryRunsOut, Urgency::ProcessEnding].map(|urgency| of(&findings, urgency));
    findings.retain(|finding| finding.urgency <= least || on.names(&finding.rule));
    let after = [Urgency::MemoryRunsOut, Urgency::ProcessEnding].map(|urgency| of(&findings, urgency));
    (findings, Aside { memory: before[0] - after[0], ending: before[1] - after[1] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{finding, rules};
    use watertight_finding::{Doubt, Doubts, ResourceKind};

    fn check(list: &str, expected: &str) {
        let shown = match RuleSet::parse(list, &rules()) {
            Ok(set) => set.iter().map(RuleId::as_str).collect::<Vec<_>>().join(" "),
            Err(error) => error.to_string(),
        };
        assert_eq!(shown, expected, "{list}");
    }

    #[test]
    fn lists_are_read_from_left_to_right() {
        check("memory-leak", "memory-leak");
        check("memory-leak, resource-leak", "memory-leak resource-leak");
        check("default", "memory-leak resource-leak");
        check("all", "leak-at-exit memory-leak resource-leak");
        check("all,-memory-leak", "leak-at-exit resource-leak");
        check("-memory-leak", "resource-leak");
        check("-memory-leak,memory-leak", "memory-leak resource-leak");
        check("-default,leak-at-exit", "leak-at-exit");
        check("default,leak-at-exit", "leak-at-exit memory-leak resource-leak");
        // A group is all of its rules.
        check("memory", "memory-leak");
        check("all,-memory", "leak-at-exit resource-leak");
        check("-files", "memory-leak");
    }

    #[test]
    fn lists_that_cannot_be_followed_say_why() {
        let known = "the rules are: memory-leak, resource-leak, leak-at-exit\n\
                     the groups are: memory, files, locks, threads, privileges";
        let meant = |name| format!("there is no rule `{name}`; did you mean `memory-leak`?\n{known}");
        check("memory-leek", &meant("memory-leek"));
        check("mem-leak", &meant("mem-leak"));
        check("leak", &meant("leak"));
        check("-Memory-Leak", &meant("Memory-Leak"));
        check("all,frobnicate", &format!("there is no rule `frobnicate`\n{known}"));
        check("", "the list of rules is empty");
        check(" , ,", "the list of rules is empty");
        check("-all", "the list of rules `-all` leaves no rule on");
    }

    #[test]
    fn what_is_left_out_is_counted() {
        let mut low = finding("a.c", 1, 1);
        low.doubts = Doubt::LoopCut.into();
        let mut high = finding("a.c", 2, 1);
        high.doubts = Doubts::NONE;
        let (kept, hidden) = by_confidence(vec![low.clone(), high.clone()], Confidence::Medium);
        assert_eq!((kept, hidden), (vec![high.clone()], 1));
        let (kept, hidden) = by_confidence(vec![low.clone(), high.clone()], Confidence::Low);
        assert_eq!((kept.len(), hidden), (2, 0));
        let only = RuleSet::parse("resource-leak", &rules()).unwrap();
        assert_eq!(by_rules(vec![low, high], &only, &rules()), []);
    }

    #[test]
    fn who_names_a_rule_sees_what_it_finds() {
        let mut quiet = finding("a.c", 1, 1);
        quiet.urgency = Urgency::MemoryRunsOut;
        let left = |list: &str| {
            let on = RuleSet::parse(list, &rules()).unwrap();
            by_urgency(vec![quiet.clone()], Urgency::ErrorHandling, &on).0.len()
        };
        assert_eq!(["default", "memory", "all", "-resource-leak"].map(left), [0; 4]);
        assert_eq!(["memory-leak", "default,memory-leak"].map(left), [1; 2]);
    }

    #[test]
    fn what_is_closed_has_rules_of_its_own() {
        let mut rules = rules();
        for name in ["double-release", "closed-twice"] {
            rules.push(Rule { id: RuleId::new(name), ..rules[0].clone() });
        }
        let mut twice = finding("a.c", 1, 1);
        twice.rule = RuleId::new("double-release");
        twice.resource = ResourceKind::from_model("file");
        let told = |list: &str, finding: &Finding| {
            let on = RuleSet::parse(list, &rules).unwrap();
            let kept = by_rules(vec![finding.clone(), finding.clone()], &on, &rules);
            kept.iter().map(|finding| finding.rule.to_string()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(told("double-release,closed-twice", &twice), "double-release double-release");
        assert_eq!(told("closed-twice", &twice), "closed-twice");
        assert_eq!(told("memory-leak", &twice), "");
        twice.resource = ResourceKind::HEAP;
        assert_eq!(told("closed-twice", &twice), "");
    }
}
