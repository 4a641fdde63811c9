//! The urgency that findings are said to have, held against what readers decided, one by one.
//!
//! In go true findings at default confidence with their verdicts, out come counts for each program and a line for each that
//! disagrees. *Ordinary* and *error handling* should be `real`, *memory runs out* `memory`, *process is ending* `ending`.
//! What must hold: a false or unread finding counts for nothing.

use super::check::{Checked, Told};
use super::table::{Table, cells};
use super::tally::share;
use super::verdict::{Entry, Verdict, matching};

const CLASSES: [Verdict; 3] = [Verdict::Real, Verdict::Memory, Verdict::Ending];

/// The verdict that an urgency stands for.
fn class(urgency: &str) -> Verdict {
    match urgency {
        "memory-runs-out" => Verdict::Memory,
        "process-ending" => Verdict::Ending,
        _ => Verdict::Real,
    }
}

/// How often each verdict (first) is told as each class (second).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Agreement {
    counts: [[usize; 3]; 3],
}

impl Agreement {
    fn add(&mut self, verdict: Verdict, told: Verdict) {
        let index = |class: Verdict| CLASSES.iter().position(|&one| one == class);
        if let (Some(verdict), Some(told)) = (index(verdict), index(told)) {
            self.counts[verdict][told] += 1;
        }
    }

    /// Those of another one too.
    pub(super) fn merge(&mut self, other: &Agreement) {
        for (row, others) in self.counts.iter_mut().zip(&other.counts) {
            row.iter_mut().zip(others).for_each(|(count, other)| *count += other);
        }
    }

    fn right(&self) -> usize {
        (0..3).map(|i| self.counts[i][i]).sum()
    }

    fn all(&self) -> usize {
        self.counts.iter().flatten().sum()
    }
}

/// The figures of one program, and a line for each finding that disagrees.
pub(super) fn agreement(program: &str, checked: &Checked, entries: &[Entry]) -> (Agreement, String) {
    let (mut agreement, mut lines) = (Agreement::default(), String::new());
    for told in checked.findings.iter().filter(|told| told.is_shown()) {
        let Some(entry) = matching(entries, &told.print).filter(|entry| entry.verdict.is_true()) else {
            continue;
        };
        let said = class(&told.finding.urgency);
        agreement.add(entry.verdict, said);
        if said != entry.verdict {
            lines += &line(program, told, entry);
        }
    }
    (agreement, lines)
}

fn line(program: &str, told: &Told, entry: &Entry) -> String {
    let finding = &told.finding;
    format!(
        "{program}: {} is told as {} ({}): {} | {}:{} | {}\n",
        entry.verdict.name(),
        finding.urgency,
        finding.support,
        told.print.text(),
        told.print.file,
        finding.place.line.unwrap_or(0),
        entry.why
    )
}

/// A row for each program in which something was read, and one for all.
pub(super) fn table(programs: &[(String, Agreement)]) -> Table {
    let mut head = vec!["program".to_owned(), "true".to_owned(), "agree".to_owned(), "share".to_owned()];
    let pairs: Vec<(usize, usize)> =
        (0..3).flat_map(|a| (0..3).filter(move |&b| a != b).map(move |b| (a, b))).collect();
    head.extend(pairs.iter().map(|&(a, b)| format!("{} as {}", CLASSES[a].name(), CLASSES[b].name())));
    let mut table = Table { rows: vec![head] };
    let mut all = Agreement::default();
    programs.iter().for_each(|(_, agreement)| all.merge(agreement));
    let total = ("all".to_owned(), all);
    for (name, agreement) in programs.iter().chain([&total]).filter(|(_, agreement)| agreement.all() > 0) {
        let mut row = vec![name.clone()];
        row.extend(cells([agreement.all(), agreement.right()]));
        row.push(share(agreement.right(), agreement.all()));
        row.extend(pairs.iter().map(|&(a, b)| agreement.counts[a][b].to_string()));
        table.row(row);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_handling_is_real_and_counts_are_by_verdict_and_class() {
        let mut agreement = Agreement::default();
        for (verdict, urgency) in [
            (Verdict::Real, "error-handling"),
            (Verdict::Ending, "ordinary"),
            (Verdict::Memory, "memory-runs-out"),
            (Verdict::False, "ordinary"),
        ] {
            agreement.add(verdict, class(urgency));
        }
        assert_eq!((agreement.all(), agreement.right()), (3, 2));
        let rows = table(&[("a".to_owned(), agreement), ("b".to_owned(), Agreement::default())]).rows;
        assert_eq!(rows.len(), 3);
        let at = rows[0].iter().position(|cell| cell == "ending as real");
        assert_eq!(at.map(|at| rows[1][at].as_str()), Some("1"));
    }
}
