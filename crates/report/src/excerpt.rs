//! Cutting out of a file just the lines that a finding points at.
//!
//! Input: a file and marks in it. Output: excerpts, each a run of lines with the spans to underline, ready
//! for the renderer; and the marks that cannot be drawn, because the file is shorter than they say or the
//! line is too long.
//!
//! The renderer walks over all the text it is given, so it must be given little: a generated file has
//! hundreds of thousands of lines, and there may be thousands of findings in it. Lines that will not be shown
//! are replaced by empty ones, and a new excerpt starts where two marks are far apart. Of a very long line
//! only a window around the marks is kept; then the column that the renderer would print is wrong, so the
//! excerpt also says the right one.
//!
//! Tabs become blanks here, since the renderer would make all of them equally wide; where one stands before the place, the excerpt
//! says the column too.
//!
//! What must hold: every span lies in the text on the edges of characters, and the text has as many lines as
//! the excerpt covers. The renderer panics otherwise.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::escape;
use crate::extent;
use crate::source::{SourceFile, ceil_boundary, floor_boundary};

/// Marks further apart than this many lines get excerpts of their own.
const FAR_APART: u32 = 1000;
/// The marks of one window lie within this many bytes.
const WINDOW: usize = 400;
/// Tabs go to the next multiple of this, as in the editors that sources with tabs are written in.
const TAB: usize = 8;
/// How many bytes are at least shown before and after the marks of a window.
const MARGIN: usize = 24;

/// How a mark is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    /// A place the finding is about.
    Primary,
    /// A place on the way.
    Context,
}

/// Something to say about a place in a file.
#[derive(Debug, Clone)]
pub(crate) struct Mark {
    pub(crate) line: u32,
    pub(crate) column: u32,
    pub(crate) end_column: Option<u32>,
    pub(crate) role: Role,
    pub(crate) label: String,
}

/// Part of the text of an excerpt, underlined.
#[derive(Debug)]
pub(crate) struct Span {
    pub(crate) range: Range<usize>,
    pub(crate) role: Role,
    pub(crate) label: String,
}

/// A run of lines of one file.
#[derive(Debug)]
pub(crate) struct Excerpt {
    pub(crate) first_line: u32,
    pub(crate) text: String,
    pub(crate) spans: Vec<Span>,
    /// The place that stands above the excerpt, if the renderer would get its column wrong.
    pub(crate) header: Option<Header>,
}

/// A place as line and column, the column in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) line: u32,
    pub(crate) column: u32,
}

/// The excerpts that show the marks, in the order of the lines, and the marks that no excerpt shows. Lines of
/// more than `width` bytes are cut to a window, which is wider only if the marks need it.
pub(crate) fn cut(file: &SourceFile, marks: Vec<Mark>, width: usize) -> (Vec<Excerpt>, Vec<Mark>) {
    let mut hidden = Vec::new();
    let mut lines: BTreeMap<u32, Vec<Located>> = BTreeMap::new();
    for mark in marks {
        match file.line(mark.line) {
            Some(text) => lines.entry(mark.line).or_default().push(locate(text, mark)),
            None => hidden.push(mark),
        }
    }

    let mut chunks: Vec<Vec<(u32, Vec<Located>)>> = Vec::new();
    for (line, located) in lines {
        match chunks.last_mut() {
            Some(chunk) if chunk.last().is_some_and(|(last, _)| line - last <= FAR_APART) => {
                chunk.push((line, located));
            }
            _ => chunks.push(vec![(line, located)]),
        }
    }
    let excerpts = chunks.into_iter().map(|chunk| excerpt(file, chunk, width, &mut hidden)).collect();
    (excerpts, hidden)
}

/// A mark with its place in the bytes of its line.
#[derive(Debug)]
struct Located {
    start: usize,
    end: usize,
    mark: Mark,
}

fn locate(line: &[u8], mark: Mark) -> Located {
    let (start, end) = if mark.column == 0 {
        // Only the line is known: show all of it but the indentation.
        let start = line.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let end = line.len() - line.iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count();
        (start, end.max(start))
    } else {
        let offset = |column: u32| usize::try_from(column - 1).unwrap_or(usize::MAX).min(line.len());
        let start = offset(mark.column);
        let end = match mark.end_column {
            Some(column) if column > mark.column => offset(column),
            _ => extent::end_of(line, start),
        };
        (start, end)
    };
    Located { start: floor_boundary(line, start), end: ceil_boundary(line, end), mark }
}

fn excerpt(
    file: &SourceFile,
    chunk: Vec<(u32, Vec<Located>)>,
    width: usize,
    hidden: &mut Vec<Mark>,
) -> Excerpt {
    let first_line = chunk.first().map_or(1, |(line, _)| *line);
    let mut out = Excerpt { first_line, text: String::new(), spans: Vec::new(), header: None };
    let mut current = first_line;
    // Whether the header is already decided: the first line with a primary mark, else the first line.
    let mut header_role = None;
    for (line, located) in chunk {
        while current < line {
            // The renderer shows a single line between two marked ones and leaves out longer gaps.
            if line - current == 1 {
                let line = file.line(current).unwrap_or_default();
                push_line(&mut out, line, 0..ceil_boundary(line, width.min(line.len())), Vec::new());
            }
            out.text.push('\n');
            current += 1;
        }
        let bytes = file.line(line).unwrap_or_default();
        let located = join_equal(located);
        let (located, window) = fit(bytes, located, width, hidden);
        let role = located.iter().map(|l| l.mark.role).min();
        if header_role.is_none() || (role == Some(Role::Primary) && header_role != Some(Role::Primary)) {
            header_role = role;
            let is_cut = window.start > 0;
            let is_moved = |l: &&Located| is_cut || bytes[..l.start.min(bytes.len())].contains(&b'\t');
            let named = located.iter().find(|l| Some(l.mark.role) == role);
            out.header = named.filter(is_moved).map(|l| {
                let column = u32::try_from(l.start + 1).unwrap_or(u32::MAX);
                Header { line, column: file.character_column(line, column) }
            });
        }
        push_line(&mut out, bytes, window, located);
        out.text.push('\n');
        current = line + 1;
    }
    out
}

/// Marks that start at the same byte become one, with their labels in the order in which they came.
fn join_equal(mut located: Vec<Located>) -> Vec<Located> {
    located.sort_by_key(|l| l.start);
    let mut joined: Vec<Located> = Vec::new();
    for next in located {
        match joined.last_mut() {
            Some(last) if last.start == next.start => {
                last.end = last.end.max(next.end);
                last.mark.role = last.mark.role.min(next.mark.role);
                if !last.mark.label.is_empty() && !next.mark.label.is_empty() {
                    last.mark.label.push_str("; ");
                }
                last.mark.label.push_str(&next.mark.label);
            }
            _ => joined.push(next),
        }
    }
    joined
}

/// The part of a line to show, and the marks that lie in it.
fn fit(
    line: &[u8],
    located: Vec<Located>,
    width: usize,
    hidden: &mut Vec<Mark>,
) -> (Vec<Located>, Range<usize>) {
    if line.len() <= width {
        return (located, 0..line.len());
    }
    let anchor = located.iter().find(|l| l.mark.role == Role::Primary).or(located.first());
    let anchor = anchor.map_or(0, |l| l.start);
    let mut inside = Vec::new();
    let mut first = anchor;
    let mut last = anchor;
    for mut l in located {
        if l.start < anchor.saturating_sub(WINDOW) || l.start > anchor + WINDOW {
            hidden.push(l.mark);
            continue;
        }
        l.end = ceil_boundary(line, l.end.min(l.start + WINDOW));
        first = first.min(l.start);
        last = last.max(l.end);
        inside.push(l);
    }
    // The start of a line says most about it, so the window leaves it only if it must.
    let from = if last + MARGIN <= width {
        0
    } else {
        first.saturating_sub((width / 3).max(MARGIN)).min(line.len() - width)
    };
    let to = (last + MARGIN).max(from + width).min(line.len());
    (inside, floor_boundary(line, from)..ceil_boundary(line, to))
}

/// Appends the window of a line and its spans. The line is put together from the pieces between the ends of
/// marks, so that every end is the edge of a piece, whatever the bytes are.
fn push_line(out: &mut Excerpt, line: &[u8], window: Range<usize>, located: Vec<Located>) {
    let mut edges: Vec<usize> = located.iter().flat_map(|l| [l.start, l.end]).collect();
    edges.push(window.end);
    edges.sort_unstable();
    edges.dedup();
    if window.start > 0 {
        out.text.push('…');
    }
    let mut positions = BTreeMap::new();
    let mut at = window.start;
    let mut wide = usize::from(window.start > 0);
    positions.insert(at, out.text.len());
    for edge in edges {
        let edge = edge.clamp(at, window.end);
        push_expanded(&mut out.text, &shown(line, at, edge), &mut wide);
        positions.insert(edge, out.text.len());
        at = edge;
    }
    if window.end < line.len() {
        out.text.push('…');
    }
    for l in located {
        let position = |edge: usize| positions.get(&edge).copied().unwrap_or(out.text.len());
        let range = position(l.start)..position(l.end);
        out.spans.push(Span { range, role: l.mark.role, label: l.mark.label });
    }
}

/// Appends text in which tabs are blanks up to the next stop; `wide` is how many characters the line has before it.
fn push_expanded(out: &mut String, text: &str, wide: &mut usize) {
    for c in text.chars() {
        let blanks = TAB - *wide % TAB;
        match c {
            '\t' => out.extend(std::iter::repeat_n(' ', blanks)),
            c => out.push(c),
        }
        *wide += if c == '\t' { blanks } else { 1 };
    }
}

/// Some bytes of a line as harmless text.
fn shown(line: &[u8], start: usize, end: usize) -> String {
    let end = end.min(line.len());
    let text = String::from_utf8_lossy(&line[start.min(end)..end]);
    escape::source_line(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(line: u32, column: u32, role: Role, label: &str) -> Mark {
        Mark { line, column, end_column: None, role, label: label.into() }
    }

    /// Each excerpt as its first line and text, with the spans in brackets, and then the number of hidden
    /// marks.
    fn check(source: &[u8], marks: &[(u32, u32)], expected: &str) {
        let file = SourceFile::new(source.to_vec());
        let marks = marks.iter().map(|&(line, column)| mark(line, column, Role::Context, "")).collect();
        let (excerpts, hidden) = cut(&file, marks, 120);
        let mut shown = String::new();
        for excerpt in excerpts {
            let mut text = excerpt.text.clone();
            let mut spans = excerpt.spans;
            spans.sort_by_key(|s| std::cmp::Reverse(s.range.start));
            for span in spans {
                text.insert(span.range.end, ']');
                text.insert(span.range.start, '[');
            }
            shown.push_str(&format!("{}: {text}", excerpt.first_line));
        }
        shown.push_str(&format!("hidden {}", hidden.len()));
        assert_eq!(shown, expected);
    }

    #[test]
    fn marked_lines_are_kept_and_far_ones_are_emptied() {
        let source = b"a();\nb();\nc();\nd();\ne();\n";
        check(source, &[(1, 1), (5, 1)], "1: [a()];\n\n\nd();\n[e()];\nhidden 0");
        check(source, &[(2, 0), (9, 1), (0, 0)], "2: [b();]\nhidden 2");
    }

    #[test]
    fn marks_beyond_the_line_point_at_its_end() {
        check(b"ab\n", &[(1, 40)], "1: ab[]\nhidden 0");
        check(b"", &[(1, 1)], "1: []\nhidden 0");
    }

    #[test]
    fn tabs_go_to_the_next_stop_and_the_column_is_right() {
        check(b"\tx =\tf(1);\n", &[(1, 6)], "1:         x =     [f(1)];\nhidden 0");
        let file = SourceFile::new(b"\tf(1);\n".to_vec());
        let (excerpts, _) = cut(&file, vec![mark(1, 2, Role::Primary, "")], 120);
        assert_eq!(excerpts[0].header, Some(Header { line: 1, column: 2 }));
    }

    #[test]
    fn equal_marks_become_one() {
        check(b"x = f(1);\n", &[(1, 5), (1, 5), (1, 1)], "1: [x] = [f(1)];\nhidden 0");
    }

    #[test]
    fn strange_bytes_are_shown_and_spans_stay_on_edges() {
        check(b"\xff\xfe = f(1);\n", &[(1, 6)], "1: \u{FFFD}\u{FFFD} = [f(1)];\nhidden 0");
        // The column points into the middle of a character.
        check("日本 = f(1);".as_bytes(), &[(1, 2)], "1: [日本] = f(1);\nhidden 0");
        check("x\u{1b}[2J = 1".as_bytes(), &[(1, 2)], "1: x[␛][2J = 1\nhidden 0");
    }

    #[test]
    fn very_long_lines_are_cut_and_say_their_column() {
        let mut source = vec![b' '; 5_000_000];
        source[4_000_000..4_000_004].copy_from_slice(b"f(1)");
        let file = SourceFile::new(source);
        let marks = vec![mark(1, 4_000_001, Role::Primary, "here"), mark(1, 1, Role::Context, "far")];
        let (excerpts, hidden) = cut(&file, marks, 120);
        assert_eq!(hidden.len(), 1);
        assert_eq!(excerpts[0].text.len(), 120 + 2 * '…'.len_utf8() + 1);
        assert_eq!(&excerpts[0].text[excerpts[0].spans[0].range.clone()], "f(1)");
        assert_eq!(excerpts[0].header, Some(Header { line: 1, column: 4_000_001 }));
    }

    #[test]
    fn long_lines_keep_their_start_if_they_can() {
        let source = format!(
            "g(1); {}\nf(1); {}\n{}h(1){}\n",
            "u".repeat(300),
            "v".repeat(300),
            "w ".repeat(100),
            "z".repeat(300)
        );
        let file = SourceFile::new(source.into());
        let marks = vec![mark(1, 1, Role::Context, ""), mark(3, 201, Role::Context, "")];
        let (excerpts, hidden) = cut(&file, marks, 60);
        assert!(hidden.is_empty());
        let lines: Vec<&str> = excerpts[0].text.lines().collect();
        assert_eq!(lines[0], format!("g(1); {}…", "u".repeat(54)));
        assert_eq!(lines[1], format!("f(1); {}…", "v".repeat(54)), "shown between the two, so cut as well");
        assert_eq!(lines[2], format!("…{}h(1){}…", "w ".repeat(12), "z".repeat(32)));
    }

    #[test]
    fn marks_far_apart_get_their_own_excerpts() {
        let source = "x();\n".repeat(5000);
        let file = SourceFile::new(source.into());
        let marks = [1, 2, 900, 4000].map(|line| mark(line, 1, Role::Context, "")).to_vec();
        let (excerpts, _) = cut(&file, marks, 120);
        assert_eq!(excerpts.iter().map(|e| e.first_line).collect::<Vec<_>>(), [1, 4000]);
        assert!(excerpts[0].text.len() < 1000);
    }
}
