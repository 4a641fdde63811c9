//! The parts of the source that a page shows, and where places are in them.
//!
//! In: places, and the sources they point at. Out: for each file runs of lines around those places, made harmless for
//! display, and for each place its columns in UTF-16 units of what is displayed, which is how a browser counts.
//!
//! What must hold: the cost and the size do not depend on how long a line is or how often it is pointed at. A line of
//! megabytes is kept in pieces around the columns that somebody points at, and read once for all of them.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Serialize, Serializer};
use watertight_finding::{Finding, Place};

use crate::escape::{one_line, source_line};
use crate::extent;
use crate::source::{SourceFile, Sources, ceil_boundary, floor_boundary};

/// Lines around a place that a reader can open.
pub const CONTEXT: u32 = 24;
/// A longer line is kept in pieces.
const LONGEST_LINE: usize = 1000;
/// Bytes of a long line before and after a column that are kept.
const AROUND: usize = 160;
/// The most pieces of one line.
const MOST_PIECES: usize = 16;

/// Columns of a line: where each place starts and, if that is known, ends.
type Columns = BTreeSet<(u32, Option<u32>)>;
type Lines = BTreeMap<u32, Columns>;

/// Which columns of which lines of which files somebody points at.
#[derive(Debug, Default)]
pub struct Wanted {
    files: BTreeMap<String, Lines>,
}

impl Wanted {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Wanted {
        Wanted::default()
    }

    /// Adds every place of a finding.
    pub fn add_finding(&mut self, finding: &Finding) {
        self.add(&finding.place);
        let steps = finding.exits.iter().flat_map(|trace| &trace.steps).chain(&finding.sibling);
        steps.for_each(|step| self.add(&step.place));
        finding.assumptions.iter().for_each(|assumption| self.add(&assumption.place));
    }

    /// Adds a place.
    pub fn add(&mut self, place: &Place) {
        if place.file.is_empty() || !place.has_line() {
            return;
        }
        if !self.files.contains_key(&*place.file) {
            self.files.insert(place.file.to_string(), BTreeMap::new());
        }
        if let Some(lines) = self.files.get_mut(&*place.file) {
            lines.entry(place.line).or_default().insert((place.column, place.end_column));
        }
    }

    /// Adds lines of a file without a column.
    pub fn add_lines(&mut self, file: &str, lines: std::ops::RangeInclusive<u32>) {
        let known = self.files.entry(file.to_owned()).or_default();
        for line in lines {
            known.entry(line.max(1)).or_default();
        }
    }

    /// Cuts the wanted parts out of the sources, with so many lines around each.
    #[must_use]
    pub fn cut(self, sources: &mut Sources<'_>, context: u32) -> Excerpts {
        let mut excerpts = Excerpts::default();
        for (name, lines) in self.files {
            let Some(file) = sources.file(&name) else { continue };
            excerpts.files.insert(name, Excerpt::cut(&file, &lines, context));
        }
        excerpts
    }
}

/// The shown parts of all files.
#[derive(Debug, Default)]
pub struct Excerpts {
    files: BTreeMap<String, Excerpt>,
}

impl Excerpts {
    /// The part of a file; nothing if it cannot be read.
    #[must_use]
    pub fn file(&self, name: &str) -> Option<&Excerpt> {
        self.files.get(name)
    }

    /// Where a place starts and ends in what is shown of its line, in UTF-16 units from one; zeros if that is unknown.
    pub(crate) fn columns(&self, place: &Place) -> (u32, u32) {
        let columns = self
            .files
            .get(&*place.file)
            .and_then(|file| file.columns.get(&(place.line, place.column, place.end_column)).copied());
        columns.unwrap_or((0, 0))
    }

    /// How many bytes of text there are in all.
    pub(crate) fn size(&self) -> usize {
        let runs = self.files.values().flat_map(|file| &file.runs);
        runs.flat_map(|run| &run.lines).map(Line::size).sum()
    }
}

/// What is shown of a file.
#[derive(Debug, Default, Serialize)]
pub struct Excerpt {
    runs: Vec<Run>,
    #[serde(skip)]
    columns: BTreeMap<(u32, u32, Option<u32>), (u32, u32)>,
}

/// Neighbouring lines.
#[derive(Debug, Serialize)]
struct Run {
    /// The number of the first line.
    first: u32,
    lines: Vec<Line>,
}

/// A line, whole or in pieces.
#[derive(Debug)]
enum Line {
    Whole(String),
    /// Each piece with the UTF-16 units before it in the line; and the units of the whole line.
    Pieces(Vec<(u32, String)>, u32),
}

impl Line {
    fn size(&self) -> usize {
        match self {
            Line::Whole(text) => text.len(),
            Line::Pieces(pieces, _) => pieces.iter().map(|(_, text)| text.len()).sum(),
        }
    }
}

impl Serialize for Line {
    /// A string, or `[units, [before, text], ...]`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Line::Whole(text) => serializer.serialize_str(text),
            Line::Pieces(pieces, units) => (units, pieces).serialize(serializer),
        }
    }
}

impl Excerpt {
    fn cut(file: &SourceFile, wanted: &Lines, context: u32) -> Excerpt {
        let mut excerpt = Excerpt::default();
        let none = BTreeSet::new();
        let mut next = 1;
        for &centre in wanted.keys() {
            let first = centre.saturating_sub(context).max(next);
            let last = centre.saturating_add(context);
            for number in first..=last {
                let Some(bytes) = file.line(number) else { break };
                let line = excerpt.line(number, bytes, wanted.get(&number).unwrap_or(&none));
                match excerpt.runs.last_mut() {
                    Some(run) if run.first as usize + run.lines.len() == number as usize => {
                        run.lines.push(line)
                    }
                    _ => excerpt.runs.push(Run { first: number, lines: vec![line] }),
                }
            }
            next = last.saturating_add(1).max(next);
        }
        excerpt
    }

    /// Makes one line, and notes where its columns are.
    fn line(&mut self, number: u32, bytes: &[u8], columns: &Columns) -> Line {
        let offset = |column: u32| (column.saturating_sub(1) as usize).min(bytes.len());
        let ends: Vec<(u32, Option<u32>, usize, usize)> = columns
            .iter()
            .filter(|(column, _)| *column != 0)
            .map(|&(column, end)| {
                let start = floor_boundary(bytes, offset(column));
                let guessed = || extent::end_of(bytes, start);
                let stop = end.map_or_else(guessed, offset).clamp(start, start.max(bytes.len()));
                (column, end, start, ceil_boundary(bytes, stop))
            })
            .collect();
        let pieces = pieces(bytes, ends.iter().map(|(_, _, start, _)| *start));
        // One walk over the line gives the units at every edge that matters.
        let mut edges: BTreeMap<usize, u32> = BTreeMap::new();
        edges.extend(ends.iter().flat_map(|(_, _, start, stop)| [(*start, 0), (*stop, 0)]));
        edges.extend(pieces.iter().flat_map(|piece| [(piece.start, 0), (piece.end, 0)]));
        edges.insert(bytes.len(), 0);
        let (mut units, mut before) = (0, 0);
        for (&edge, at) in &mut edges {
            units += shown(&bytes[before..edge]).encode_utf16().count();
            before = edge;
            *at = u32::try_from(units).unwrap_or(u32::MAX);
        }
        for (column, end, start, stop) in ends {
            self.columns.insert((number, column, end), (edges[&start] + 1, edges[&stop] + 1));
        }
        if bytes.len() <= LONGEST_LINE {
            return Line::Whole(shown(bytes));
        }
        let pieces = pieces.into_iter().map(|piece| (edges[&piece.start], shown(&bytes[piece]))).collect();
        Line::Pieces(pieces, edges[&bytes.len()])
    }
}

/// The parts of a line that are kept: all of a short one; of a long one its start and what is around the offsets.
fn pieces(bytes: &[u8], offsets: impl Iterator<Item = usize>) -> Vec<std::ops::Range<usize>> {
    if bytes.len() <= LONGEST_LINE {
        return Vec::new();
    }
    let mut pieces: Vec<std::ops::Range<usize>> = Vec::new();
    for offset in std::iter::once(0).chain(offsets) {
        let start = floor_boundary(bytes, offset.saturating_sub(AROUND));
        let end = ceil_boundary(bytes, offset.saturating_add(AROUND).min(bytes.len()));
        let full = pieces.len() == MOST_PIECES;
        match pieces.last_mut() {
            Some(last) if start <= last.end => last.end = last.end.max(end),
            _ if full => break,
            _ => pieces.push(start..end),
        }
    }
    pieces
}

fn shown(bytes: &[u8]) -> String {
    source_line(&String::from_utf8_lossy(bytes)).into_owned()
}

/// A name as it is shown.
pub(crate) fn name(text: &str) -> String {
    one_line(text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceMap;

    fn cut(text: impl Into<Vec<u8>>, places: &[Place], context: u32) -> Excerpts {
        let map = SourceMap::from_iter([("a.c", text)]);
        let mut wanted = Wanted::new();
        places.iter().for_each(|place| wanted.add(place));
        wanted.cut(&mut Sources::new(&map), context)
    }

    fn json(excerpts: &Excerpts) -> String {
        serde_json::to_string(excerpts.file("a.c").unwrap()).unwrap()
    }

    #[test]
    fn lines_around_places_become_runs() {
        let text: String = (1..=40).map(|line| format!("l{line}\n")).collect();
        let places = [2, 4, 20].map(|line| Place::new("a.c", line, 1));
        assert_eq!(
            json(&cut(text, &places, 1)),
            r#"{"runs":[{"first":1,"lines":["l1","l2","l3","l4","l5"]},{"first":19,"lines":["l19","l20","l21"]}]}"#
        );
    }

    #[test]
    fn columns_count_what_is_shown() {
        let place = Place::new("a.c", 1, "😀é\u{e0041} ".len() as u32 + 1);
        let excerpts = cut("😀é\u{e0041} call(x) + 1", std::slice::from_ref(&place), 1);
        // The hostile character of two units is shown as one of one unit.
        assert_eq!(excerpts.columns(&place), (6, 13));
        assert_eq!(excerpts.columns(&Place::new("a.c", 9, 1)), (0, 0));
    }

    #[test]
    fn a_place_beyond_the_line_or_the_file_breaks_nothing() {
        let beyond = Place::new("a.c", 1, 900).to_column(2);
        let absent = Place::new("a.c", 9, 1);
        let excerpts = cut("ab", &[beyond.clone(), absent], 0);
        assert_eq!(excerpts.columns(&beyond), (3, 3));
        assert_eq!(json(&excerpts), r#"{"runs":[{"first":1,"lines":["ab"]}]}"#);
        assert!(cut("ab", &[Place::new("a.c", 0, 0)], 0).file("a.c").is_none());
    }

    #[test]
    fn a_line_of_megabytes_is_kept_in_pieces() {
        let line = format!("{}call(x){}", "é".repeat(2_000_000), "b".repeat(1_000_000));
        let places: Vec<Place> = std::iter::once(4_000_001)
            .chain((0..5000).map(|i| 4_500_000 + i * 20))
            .map(|column| Place::new("a.c", 1, column))
            .collect();
        let start = std::time::Instant::now();
        let excerpts = cut(line, &places, 1);
        assert!(start.elapsed().as_secs() < 20, "a long line is read once, not once per place");
        assert_eq!(excerpts.columns(&places[0]), (2_000_001, 2_000_008));
        assert!(excerpts.size() < 150_000, "{}", excerpts.size());
        let shown = json(&excerpts);
        assert!(shown.starts_with(r#"{"runs":[{"first":1,"lines":[[3000007,[[0,"éé"#), "{}", &shown[..60]);
        assert!(shown.contains("écall(x)b"));
    }
}
