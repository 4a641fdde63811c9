//! Findings as a page reads them.
//!
//! In: findings and the excerpts of their sources. Out: a value that is written as JSON. Every text and every file name
//! stands once in a table, and steps are short lists of numbers, since there may be very many. The shape, as the script
//! `viewer.js` reads it:
//!
//! | Field | Holds |
//! | --- | --- |
//! | `texts` | every text that is pointed at |
//! | `files` | every file name that is pointed at |
//! | `findings` | for each `[exits, sibling, assumptions, doubts, needs]` |
//!
//! An exit is `[support, [step, ...]]`, a step `[kind, text, file, line, start, end, function, depth, [name, value, ...]]`
//! and an assumption `[text, file, line, start, end, function]`. Kinds and texts are numbers; columns count UTF-16 units
//! from one, and zero is unknown. A sibling is a step or `null`, doubts and needs are texts.

use std::collections::BTreeMap;

use serde::Serialize;
use watertight_finding::{Finding, Place, Step, StepKind, Support, Trace};

use super::excerpts::{Excerpts, name};
use crate::wording::clip;

/// A table of texts, each once.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    known: BTreeMap<String, u32>,
    list: Vec<String>,
}

impl Texts {
    pub(crate) fn index(&mut self, text: &str, show: fn(&str) -> String) -> u32 {
        if let Some(&index) = self.known.get(text) {
            return index;
        }
        let index = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        self.known.insert(text.to_owned(), index);
        self.list.push(show(text));
        index
    }

    pub(crate) fn into_list(self) -> Vec<String> {
        self.list
    }
}

/// Some findings in all detail.
#[derive(Debug, Serialize)]
pub struct Details {
    texts: Vec<String>,
    files: Vec<String>,
    findings: Vec<Story>,
}

type Story = (Vec<(u8, Vec<StepRow>)>, Option<StepRow>, Vec<PlaceRow>, Vec<u32>, Vec<u32>);
type StepRow = (u8, u32, u32, u32, u32, u32, u32, u32, Vec<u32>);
type PlaceRow = (u32, u32, u32, u32, u32, u32);

/// The details of findings.
#[must_use]
pub fn details<'f>(findings: impl IntoIterator<Item = &'f Finding>, excerpts: &Excerpts) -> Details {
    let mut writer = Writer { excerpts, texts: Texts::default(), files: Texts::default() };
    let findings = findings.into_iter().map(|finding| writer.story(finding)).collect();
    Details { texts: writer.texts.into_list(), files: writer.files.into_list(), findings }
}

/// The names of steps, in the order of their numbers.
pub(crate) fn kinds() -> Vec<&'static str> {
    StepKind::ALL.iter().map(|kind| kind.name()).collect()
}

/// The number of a support: worst to best, as they are ordered.
pub(crate) fn support(support: Support) -> u8 {
    match support {
        Support::Unchecked => 0,
        Support::SolverChecked => 1,
        Support::Replayed => 2,
    }
}

struct Writer<'e> {
    excerpts: &'e Excerpts,
    texts: Texts,
    files: Texts,
}

impl Writer<'_> {
    fn story(&mut self, finding: &Finding) -> Story {
        let exits = finding.exits.iter().map(|trace| self.exit(trace)).collect();
        let sibling = finding.sibling.as_ref().map(|step| self.step(step));
        let assumptions = finding
            .assumptions
            .iter()
            .map(|assumption| {
                let text = self.texts.index(&assumption.text, clip);
                let (file, line, start, end, function) = self.place(&assumption.place);
                (text, file, line, start, end, function)
            })
            .collect();
        let doubts = finding.doubts.iter().map(|doubt| self.texts.index(doubt.words(), clip)).collect();
        let needs = finding.needs.iter().map(|need| self.texts.index(need, clip)).collect();
        (exits, sibling, assumptions, doubts, needs)
    }

    fn exit(&mut self, trace: &Trace) -> (u8, Vec<StepRow>) {
        (support(trace.support), trace.steps.iter().map(|step| self.step(step)).collect())
    }

    fn step(&mut self, step: &Step) -> StepRow {
        let kind =
            StepKind::ALL.iter().position(|&kind| kind == step.kind).unwrap_or(StepKind::ALL.len() - 1);
        let text = self.texts.index(&step.text, clip);
        let (file, line, start, end, function) = self.place(&step.place);
        let values = step.values.iter().flat_map(|binding| [&binding.name, &binding.value]);
        let values = values.map(|text| self.texts.index(text, clip)).collect();
        // There are a dozen kinds.
        (kind as u8, text, file, line, start, end, function, step.depth, values)
    }

    fn place(&mut self, place: &Place) -> (u32, u32, u32, u32, u32) {
        let (start, end) = self.excerpts.columns(place);
        let file = self.files.index(&place.file, name);
        (file, place.line, start, end, self.texts.index(&place.function, clip))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::excerpts::Wanted;
    use crate::source::Sources;
    use crate::testing::{conf_finding, conf_sources};

    #[test]
    fn a_finding_is_told_in_short_lists() {
        let finding = conf_finding();
        let mut wanted = Wanted::new();
        wanted.add_finding(&finding);
        let sources = conf_sources();
        let excerpts = wanted.cut(&mut Sources::new(&sources), 2);
        let value = serde_json::to_value(details([&finding], &excerpts)).unwrap();
        assert_eq!(value["files"], serde_json::json!(["src/conf.c"]));
        let texts = value["texts"].as_array().unwrap();
        let text =
            |index: &serde_json::Value| texts[index.as_u64().unwrap() as usize].as_str().unwrap().to_owned();
        let story = &value["findings"][0];
        assert_eq!(story[0].as_array().unwrap().len(), 2);
        let step = &story[0][0][1][2];
        assert_eq!(kinds()[step[0].as_u64().unwrap() as usize], "branch");
        assert_eq!(text(&step[1]), "takes the branch");
        assert_eq!((&step[3], &step[4], &step[5]), (&7.into(), &9.into(), &26.into()));
        assert_eq!(text(&step[6]), "load");
        assert_eq!((text(&step[8][0]), text(&step[8][1])), ("parse(copy, out)".to_owned(), "0".to_owned()));
        assert_eq!(text(&story[1][1]), "`free` releases it");
        assert_eq!(text(&story[2][0][0]), "`log_name` does not keep its first argument");
    }
}
