//! The tables of recall: by class, by program, and why what is not shown is not.

use std::collections::BTreeMap;

use super::recall::{Outcome, Tried};
use super::table::Table;
use super::tally::share;

/// A row for each class or program, as the name of each release says, and one for all.
pub(super) fn outcomes(head: &str, tried: &[Tried], name: impl Fn(&Tried) -> String) -> Table {
    let mut table = Table::new(&[head, "taken out", "shown", "low", "given up", "missed", "shown of all"]);
    let mut groups: BTreeMap<String, Vec<&Tried>> = BTreeMap::new();
    for one in tried.iter().filter(|one| one.outcome != Outcome::Broken) {
        groups.entry(name(one)).or_default().push(one);
    }
    let mut put = |name: &str, group: &[&Tried]| {
        let count = |outcome| group.iter().filter(|one| one.outcome == outcome).count();
        let mut row = vec![name.to_owned(), group.len().to_string()];
        row.extend(Outcome::COUNTED.map(|outcome| count(outcome).to_string()));
        row.push(share(count(Outcome::Shown), group.len()));
        table.row(row);
    };
    for (name, group) in &groups {
        put(name, group);
    }
    put("all", &groups.values().flatten().copied().collect::<Vec<_>>());
    table
}

/// Why releases are low, given up or missed: what a reader wrote, else the doubts of the low finding.
pub(super) fn reasons(tried: &[Tried]) -> Table {
    let mut table = Table::new(&["not shown because", "outcome", "releases"]);
    let mut counts: BTreeMap<(Outcome, String), usize> = BTreeMap::new();
    for one in tried.iter().filter(|one| !matches!(one.outcome, Outcome::Shown | Outcome::Broken)) {
        let reason = match (&one.release.cause, &*one.reason) {
            (Some(cause), _) => cause.clone(),
            (None, "") if one.outcome == Outcome::GivenUp => "the function is given up".to_owned(),
            (None, "") => "not known".to_owned(),
            (None, doubts) => doubts.to_owned(),
        };
        *counts.entry((one.outcome, reason)).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|((outcome, reason), count)| (*outcome, std::cmp::Reverse(*count), reason.clone()));
    for ((outcome, reason), count) in counts {
        table.row(vec![reason.replace('|', "\\|"), outcome.name().to_owned(), count.to_string()]);
    }
    table
}
