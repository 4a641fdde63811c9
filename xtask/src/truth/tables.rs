//! The tables of the bench: per program, by class and confidence, by cause, by doubt, first sight.
//!
//! In go tallies, out come tables without times, so that a second run gives the same text.

use std::collections::BTreeMap;

use super::first::Sight;
use super::table::{Table, cells};
use super::tally::{Count, Tally, share};

/// A row for each program and one for all.
pub(super) fn programs(tallies: &[(String, f64, Result<Tally, String>)]) -> Table {
    let mut table = Table::new(&[
        "program",
        "kloc",
        "high",
        "medium",
        "low",
        "real",
        "memory",
        "ending",
        "false",
        "true",
        "unread",
        "new",
        "gone",
        "sunk",
        "ambiguous",
        "given up",
    ]);
    let mut all = Tally::default();
    let mut lines = 0.0;
    for (name, kloc, tally) in tallies {
        match tally {
            Ok(tally) => {
                table.row(program(
                    &format!("{name}{}", if tally.sampled { " (sample)" } else { "" }),
                    *kloc,
                    tally,
                ));
                merge(&mut all, tally);
                lines += kloc;
            }
            Err(_) => {
                let mut row = vec![name.clone(), format!("{kloc}"), "failed".to_owned()];
                row.resize(16, String::new());
                table.row(row);
            }
        }
    }
    table.row(program("all", lines.round(), &all));
    table
}

fn program(name: &str, kloc: f64, tally: &Tally) -> Vec<String> {
    let count = &tally.shown;
    let total = |confidence: &str| {
        let count = tally.confidences.get(confidence).copied().unwrap_or_default();
        count.read() + count.unread
    };
    let pair = |a: usize, b: usize| if a + b == 0 { "0".to_owned() } else { format!("{a}+{b}") };
    let mut row = vec![name.to_owned(), format!("{kloc}")];
    row.extend(cells([total("high"), total("medium"), total("low")]));
    row.extend(cells([count.real, count.memory, count.ending, count.wrong]));
    row.push(count.precision());
    row.extend(cells([count.unread, tally.new]));
    row.push(pair(tally.gone_true, tally.gone_false));
    row.push(pair(tally.sunk_true, tally.sunk_false));
    row.extend(cells([tally.ambiguous, tally.given_up]));
    row
}

/// Adds what one program has to what all have.
pub(super) fn merge(all: &mut Tally, one: &Tally) {
    for (confidence, count) in &one.confidences {
        all.confidences.entry(confidence.clone()).or_default().merge(count);
    }
    let counts = [
        (&mut all.doubts, &one.doubts),
        (&mut all.supports, &one.supports),
        (&mut all.urgencies, &one.urgencies),
    ];
    for (all, one) in counts {
        for (name, count) in one {
            all.entry(name.clone()).or_default().merge(count);
        }
    }
    for (cause, (shown, low)) in &one.causes {
        let sum = all.causes.entry(cause.clone()).or_default();
        *sum = (sum.0 + shown, sum.1 + low);
    }
    all.shown.merge(&one.shown);
    all.new += one.new;
    all.gone_true += one.gone_true;
    all.gone_false += one.gone_false;
    all.sunk_true += one.sunk_true;
    all.sunk_false += one.sunk_false;
    all.ambiguous += one.ambiguous;
    all.given_up += one.given_up;
    all.functions += one.functions;
    all.failed += one.failed;
}

/// Precision by confidence.
pub(super) fn confidences(all: &Tally) -> Table {
    let mut table = Table::new(&["confidence", "read", "real", "memory", "ending", "false", "true"]);
    let mut put = |name: &str, count: &Count| {
        let mut row = vec![name.to_owned()];
        row.extend(cells([count.read(), count.real, count.memory, count.ending, count.wrong]));
        row.push(count.precision());
        table.row(row);
    };
    for name in ["high", "medium"] {
        put(name, &all.confidences.get(name).copied().unwrap_or_default());
    }
    put("high and medium", &all.shown);
    put("low", &all.confidences.get("low").copied().unwrap_or_default());
    table
}

/// Why false ones are false.
pub(super) fn causes(all: &Tally) -> Table {
    let mut table = Table::new(&["cause", "high and medium", "low"]);
    let mut causes: Vec<_> = all.causes.iter().collect();
    causes.sort_by_key(|(cause, (shown, low))| (std::cmp::Reverse((*shown, *low)), (*cause).clone()));
    for (cause, (shown, low)) in causes {
        let [shown, low] = cells([*shown, *low]);
        table.row(vec![cause.clone(), shown, low]);
    }
    table
}

/// How often findings are true that were run, and those that were not.
pub(super) fn supports(all: &Tally) -> Table {
    classes("checked by", &all.supports)
}

/// What urgency findings are said to have, against what readers say.
pub(super) fn urgencies(all: &Tally) -> Table {
    classes("urgency", &all.urgencies)
}

/// A row for each kind of finding at default confidence, with its verdicts.
fn classes(title: &str, counts: &BTreeMap<String, Count>) -> Table {
    let mut table = Table::new(&[title, "read", "real", "memory", "ending", "false", "true", "unread"]);
    for (name, count) in counts {
        let mut row = vec![if name.is_empty() { "not said".to_owned() } else { name.clone() }];
        row.extend(cells([count.read(), count.real, count.memory, count.ending, count.wrong]));
        row.push(count.precision());
        row.extend(cells([count.unread]));
        table.row(row);
    }
    table
}

/// How often findings with a doubt are true.
pub(super) fn doubts(all: &Tally) -> Table {
    let mut table = Table::new(&["doubt", "read", "true", "false", "share"]);
    let mut doubts: Vec<(&String, &Count)> = all.doubts.iter().collect();
    doubts.sort_by_key(|(doubt, count)| (std::cmp::Reverse(count.read()), (*doubt).clone()));
    for (doubt, count) in doubts {
        let mut row = vec![doubt.replace('|', "\\|")];
        row.extend(cells([count.read(), count.truths(), count.wrong]));
        row.push(count.precision());
        table.row(row);
    }
    table
}

/// First sight over time: a row for each program, and one for each day.
pub(super) fn sights(sights: &[Sight]) -> Table {
    let mut table = Table::new(&[
        "program", "date", "commit", "findings", "read", "real", "memory", "ending", "false", "true",
    ]);
    let mut days: BTreeMap<&str, Vec<&Sight>> = BTreeMap::new();
    for sight in sights {
        days.entry(&sight.date).or_default().push(sight);
    }
    for (day, sights) in days {
        let mut sum = Sight {
            name: format!("**{} programs**", sights.len()),
            date: day.to_owned(),
            ..Sight::default()
        };
        for sight in &sights {
            table.row(sight_row(sight));
            sum.add(sight);
        }
        if sights.len() > 1 {
            table.row(sight_row(&sum));
        }
    }
    table
}

fn sight_row(sight: &Sight) -> Vec<String> {
    let mut row = vec![sight.name.clone(), sight.date.clone(), sight.commit.chars().take(10).collect()];
    row.extend(cells([sight.findings, sight.read]));
    let known = |number: Option<usize>| number.map_or_else(|| "-".to_owned(), |number| number.to_string());
    row.extend([known(sight.real), known(sight.memory), known(sight.ending)]);
    row.push(sight.wrong.to_string());
    row.push(share(sight.read - sight.wrong, sight.read));
    row
}
