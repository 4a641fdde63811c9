//! Which findings have to do with lines that changed.
//!
//! A finding does if its path goes through such a line, or if what a function on the path calls may do something else
//! than before: the function called, or one that it calls in turn, has a changed line. Nobody knows what the old text of
//! such a function did, so its summary counts as changed. That may show findings that were there before; none that is
//! new is left out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use watertight_finding::{Finding, Place};
use watertight_ir::callgraph::CallGraph;
use watertight_ir::{FuncId, Program, Table};

use crate::spelling::{Spelling, plain};

/// Lines that changed, by file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// First and last lines, by absolute path.
    files: BTreeMap<PathBuf, Vec<(u32, u32)>>,
}

impl Changes {
    /// Adds lines of a file, named by its absolute path.
    pub fn add(&mut self, file: &Path, first: u32, last: u32) {
        self.files.entry(plain(file)).or_default().push((first, last));
    }

    /// Whether one of these lines changed.
    #[must_use]
    pub fn touches(&self, file: &Path, first: u32, last: u32) -> bool {
        let lines = self.files.get(&plain(file)).into_iter().flatten();
        lines.into_iter().any(|&(start, end)| start <= last && first <= end)
    }
}

/// The findings that have to do with the changes, in their order.
pub(crate) fn touched(
    findings: Vec<Finding>,
    changes: &Changes,
    program: &Program,
    calls: Option<&CallGraph>,
    directory: &Path,
    spelling: &mut Spelling,
) -> Vec<Finding> {
    let reach = Reach::new(changes, program, calls, directory, spelling);
    findings.into_iter().filter(|finding| reach.concerns(finding, changes, directory)).collect()
}

/// Functions that may do something else than before.
struct Reach {
    /// Functions, by file as findings name it and name, one of whose callees may.
    callers: BTreeSet<(String, String)>,
}

impl Reach {
    fn new(
        changes: &Changes,
        program: &Program,
        calls: Option<&CallGraph>,
        directory: &Path,
        spelling: &mut Spelling,
    ) -> Reach {
        let mut changed: Table<FuncId, bool> = Table::filled(program.functions.len(), false);
        for id in program.defined() {
            changed[id] = lines(program, id)
                .is_some_and(|(file, first, last)| changes.touches(&directory.join(file), first, last));
        }
        let mut callers = BTreeSet::new();
        let Some(calls) = calls else { return Reach { callers } };
        let mut open: Vec<FuncId> = changed.ids().filter(|&id| changed[id]).collect();
        let mut seen: Table<FuncId, bool> = Table::filled(program.functions.len(), false);
        while let Some(function) = open.pop() {
            for &caller in calls.callers(function) {
                if !std::mem::replace(&mut seen[caller], true) {
                    if let Some((file, _, _)) = lines(program, caller) {
                        let name = program.functions[caller].name.to_string();
                        callers.insert((spelling.of_file(file).to_string(), name));
                    }
                    open.push(caller);
                }
            }
        }
        Reach { callers }
    }

    fn concerns(&self, finding: &Finding, changes: &Changes, directory: &Path) -> bool {
        let exits = finding.exits.iter().flat_map(|exit| &exit.steps);
        let steps = exits.chain(&finding.sibling).map(|step| &step.place);
        let places = std::iter::once(&finding.place).chain(steps);
        let touched = |place: &Place| {
            changes.touches(&directory.join(&*place.file), place.line, place.line)
                || self.callers.contains(&(place.file.to_string(), place.function.to_string()))
        };
        places.into_iter().any(touched)
    }
}

/// The file of a function, and its first and last lines.
fn lines(program: &Program, id: FuncId) -> Option<(&str, u32, u32)> {
    let function = &program.functions[id];
    let body = function.body.as_ref()?;
    let own = body.places.get(function.place?)?;
    let inside = body.places.values().filter(|place| place.file == own.file && place.inlined_at.is_none());
    let last = inside.map(|place| place.line).max()?;
    let file = program.units[function.unit].debug.files.get(own.file)?;
    Some((file, own.line, last.max(own.line)))
}
