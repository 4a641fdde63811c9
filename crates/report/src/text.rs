//! Text for people at a terminal.
//!
//! A finding is drawn into the source: the place where the resource is acquired stands above and is
//! underlined with `^`, the steps of the path are numbered in the order of execution, and the other places
//! where the resource is lost and the sibling that releases it are marked without a number. What cannot be
//! drawn, because a file or a line cannot be shown, is said in a line below. After the findings come the
//! problems and one line of summary.
//!
//! Drawing is done by `annotate-snippets`, in the style of rustc. This module decides what to draw and makes
//! sure that the renderer gets little text and only valid spans (`excerpt`).
//!
//! What must hold: no byte of the program under analysis reaches the terminal as a control character; colour
//! is used only when asked for; the same report gives the same bytes.
//!
//! `docs/output.md` shows what comes out, and a test keeps it true.

use std::cmp::Reverse;
use std::io::{self, Write};

use annotate_snippets::renderer::{
    DEFAULT_ERROR_STYLE, DEFAULT_NOTE_STYLE, DEFAULT_WARNING_STYLE, DecorStyle, Renderer, Style,
};
use annotate_snippets::{AnnotationKind, Element, Group, Level as Title, Origin, Snippet};
use watertight_finding::{Finding, Level, Place, Problem, ProblemKind, Step, StepKind, Trace};

use crate::excerpt::{self, Excerpt, Header, Mark, Role};
use crate::report::Report;
use crate::source::Sources;
use crate::wording::{clip, confidence_clause, count, place, step_clause, support_clause};

/// How to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Whether to use colour.
    pub colour: Colour,
    /// How many columns the terminal has.
    pub width: usize,
    /// How much to show.
    pub detail: Detail,
}

impl Default for Options {
    /// As to a pipe: no colour, a usual width, the usual detail.
    fn default() -> Options {
        Options { colour: Colour::Never, width: 120, detail: Detail::Usual }
    }
}

/// Whether to use colour. Whether the output is a terminal is for the shell to find out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// Plain text.
    Never,
    /// ANSI escape sequences.
    Always,
}

/// How much to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// One path in full, the other exits as marks; long paths and long lists of problems are shortened.
    Usual,
    /// Every path with every step, and every problem.
    Full,
}

/// A path of more steps than this is shortened in the usual detail.
const MOST_STEPS: usize = 16;
/// More other exits than this are only counted in the usual detail.
const MOST_EXITS: usize = 8;
/// More problems than this are only counted in the usual detail.
const MOST_PROBLEMS: usize = 10;

/// Writes findings, problems and the summary.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(
    out: &mut dyn Write,
    report: &Report<'_>,
    sources: &mut Sources<'_>,
    options: &Options,
) -> io::Result<()> {
    for finding in report.findings {
        writeln!(out, "{}\n", finding_text(finding, &report.weaknesses(finding), sources, options))?;
    }
    write_problems(out, report.problems, options)?;
    report.summary_lines().iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// One finding as text, without a line end. `weaknesses` stand after its message.
fn finding_text(finding: &Finding, weaknesses: &str, sources: &mut Sources<'_>, options: &Options) -> String {
    // Room for line numbers; below the least width there would be none for source.
    let width = options.width.max(40) - 8;
    let mut drawing =
        Drawing { finding, weaknesses, sources, width, groups: Vec::new(), headers: Vec::new() };
    drawing.draw(options.detail);
    let Drawing { groups, headers, .. } = drawing;
    let renderer = match options.colour {
        Colour::Never => Renderer::plain(),
        Colour::Always => Renderer::styled(),
    };
    // Excerpts have the right width already. The renderer would cut them again to make room for labels, or not at
    // all if a label is too long, so it is told that there is plenty.
    let renderer = renderer.term_width(100_000).decor_style(DecorStyle::Ascii).hyperlink(false);
    correct_headers(renderer.render(&groups), &headers)
}

/// A finding on its way to the renderer.
struct Drawing<'d, 'p> {
    finding: &'d Finding,
    weaknesses: &'d str,
    sources: &'d mut Sources<'p>,
    /// How many columns of source fit.
    width: usize,
    groups: Vec<Group<'static>>,
    /// The places above excerpts that the renderer will get wrong, in the order in which they will be
    /// printed.
    headers: Vec<(String, Header)>,
}

/// What is to be said in one group: marks by file, in the order in which files first appear, and lines below.
#[derive(Default)]
struct Canvas {
    files: Vec<(String, Vec<Mark>)>,
    notes: Vec<(String, String)>,
}

impl Canvas {
    fn mark(&mut self, at: &Place, role: Role, label: String) {
        let mark = Mark { line: at.line, column: at.column, end_column: at.end_column, role, label };
        match self.files.iter_mut().find(|(file, _)| **file == *at.file) {
            Some((_, marks)) => marks.push(mark),
            None => self.files.push((at.file.to_string(), vec![mark])),
        }
    }

    fn note(&mut self, name: impl Into<String>, text: String) {
        self.notes.push((name.into(), text));
    }
}

impl Drawing<'_, '_> {
    fn draw(&mut self, detail: Detail) {
        let finding = self.finding;
        let mut canvas = Canvas::default();
        match finding.exits.first() {
            Some(trace) => self.draw_path(&mut canvas, trace, detail),
            None => canvas.mark(&finding.place, Role::Primary, String::new()),
        }
        if detail == Detail::Usual {
            self.mark_other_exits(&mut canvas);
        }
        if let Some(sibling) = &finding.sibling {
            canvas.mark(&sibling.place, Role::Context, format!("on another path: {}", step_clause(sibling)));
        }
        if !finding.needs.is_empty() {
            canvas.note("needs", clip(&finding.needs.join(", ")));
        }
        for assumption in &finding.assumptions {
            let at = if assumption.place.has_line() {
                format!(" ({})", place(&assumption.place))
            } else {
                String::new()
            };
            canvas.note("assumes", format!("{}{at}", clip(&assumption.text)));
        }
        canvas.note("confidence", confidence_clause(finding));
        let title = level_title(finding.level).primary_title(clip(&finding.message) + self.weaknesses);
        let group = Group::with_title(title.id(finding.rule.to_string()));
        self.finish(group, canvas);

        if detail == Detail::Full {
            let exits = finding.exits.len();
            for (number, trace) in (2..).zip(finding.exits.iter().skip(1)) {
                let mut canvas = Canvas::default();
                self.draw_path(&mut canvas, trace, detail);
                if trace.support != finding.support {
                    canvas.note("note", support_clause(trace.support).to_owned());
                }
                let at = trace.end().map_or(String::new(), |end| format!(": {}", place(&end.place)));
                let title = format!("exit {number} of {exits}{at}");
                self.finish(Group::with_title(Title::NOTE.secondary_title(title)), canvas);
            }
        }
    }

    /// Marks the steps of a path with their numbers.
    fn draw_path(&self, canvas: &mut Canvas, trace: &Trace, detail: Detail) {
        let primary = &self.finding.place;
        if !trace.steps.iter().any(|step| step.place.point() == primary.point()) {
            canvas.mark(primary, Role::Primary, "acquired here".to_owned());
        }
        // The file of the primary place comes first even if the path starts elsewhere.
        let steps = numbered(&trace.steps, detail);
        if let Some((number, step)) = steps.iter().find(|(_, step)| step.place.point() == primary.point()) {
            let mut at = step.place.clone();
            at.end_column = at.end_column.or(primary.end_column);
            canvas.mark(&at, Role::Primary, self.label(*number, step, None));
        }
        let mut primary_pending = true;
        let mut function = &primary.function;
        for (number, step) in &steps {
            if primary_pending && step.place.point() == primary.point() {
                primary_pending = false;
            } else {
                // A second `^` is for the place of loss, but the first `^` in an excerpt is the place above
                // it.
                let is_below = step.place.file == primary.file && step.place.line > primary.line;
                let role =
                    if step.kind == StepKind::Lost && is_below { Role::Primary } else { Role::Context };
                canvas.mark(&step.place, role, self.label(*number, step, Some(function)));
            }
            function = &step.place.function;
        }
        if steps.len() < trace.steps.len() {
            let text =
                format!("{} of {} are shown here", steps.len(), count(trace.steps.len() as u64, "step"));
            canvas.note("path", text);
        }
    }

    /// What a step says: its number, the function if the path has just come into another one, and its text.
    fn label(&self, number: usize, step: &Step, previous: Option<&str>) -> String {
        let function = &*step.place.function;
        let entered = previous.is_some_and(|previous| previous != function) && !function.is_empty();
        let function = match entered {
            true if *function == *self.finding.place.function => format!("back in `{}`: ", clip(function)),
            true => format!("in `{}`: ", clip(function)),
            false => String::new(),
        };
        format!("{number}: {function}{}", step_clause(step))
    }

    fn mark_other_exits(&self, canvas: &mut Canvas) {
        let others = self.finding.exits.get(1..).unwrap_or_default();
        for trace in others.iter().take(MOST_EXITS) {
            let Some(end) = trace.end() else { continue };
            // What is decided last tells it from the others best.
            let last = trace.steps.iter().rfind(|step| step.kind == StepKind::Branch);
            let when = last.map(|step| format!(": {}", step_clause(step))).unwrap_or_default();
            let unsure = trace.support != self.finding.support;
            let checked =
                if unsure { format!(" ({})", support_clause(trace.support)) } else { String::new() };
            canvas.mark(&end.place, Role::Context, format!("another such path ends here{when}{checked}"));
        }
        if others.len() > MOST_EXITS {
            let more = count((others.len() - MOST_EXITS) as u64, "more such path");
            canvas.note("also", more);
        }
    }

    /// Turns marks and notes into the elements of a group.
    fn finish(&mut self, group: Group<'static>, canvas: Canvas) {
        let mut snippets: Vec<Element<'static>> = Vec::new();
        let mut undrawn = Vec::new();
        let mut notes: Vec<(String, String)> = Vec::new();
        for (i, (file, marks)) in canvas.files.into_iter().enumerate() {
            let (mut excerpts, hidden) = match self.sources.file(&file) {
                Some(text) => excerpt::cut(&text, marks, self.width),
                None => {
                    notes.push(("note".to_owned(), format!("`{}` cannot be read", clip(&file))));
                    (Vec::new(), marks)
                }
            };
            let primary = (i == 0).then_some(&self.finding.place);
            if let Some(primary) = primary {
                let is_drawn = !hidden.iter().any(|m| (m.line, m.column) == (primary.line, primary.column));
                if is_drawn {
                    // The excerpt with the primary place comes first, since the first place is the one above.
                    if let Some(index) = excerpts.iter().rposition(|e| e.first_line <= primary.line) {
                        excerpts[..=index].rotate_right(1);
                    }
                } else {
                    snippets.push(origin(primary).into());
                }
            }
            let name = clip(&file);
            for excerpt in excerpts {
                self.headers.extend(excerpt.header.map(|header| (name.clone(), header)));
                snippets.push(snippet(&name, excerpt).into());
            }
            undrawn.extend(hidden.into_iter().map(|mark| (file.clone(), mark)));
        }
        for (file, mark) in undrawn {
            if !mark.label.is_empty() {
                let at = Place::new(file, mark.line, mark.column);
                notes.push((format!("at {}", place(&at)), mark.label));
            }
        }
        notes.extend(canvas.notes);
        let notes = notes.into_iter().map(|(name, text)| Title::NOTE.with_name(name).message(text));
        self.groups.push(group.elements(snippets).elements(notes));
    }
}

/// The steps to show, with their numbers in the whole path. The ones that carry the story stay.
fn numbered(steps: &[Step], detail: Detail) -> Vec<(usize, &Step)> {
    let mut chosen: Vec<(usize, &Step)> = (1..).zip(steps).collect();
    if detail == Detail::Usual && chosen.len() > MOST_STEPS {
        let importance = |step: &Step| match step.kind {
            StepKind::Acquire | StepKind::Lost | StepKind::Exit | StepKind::Release => 0,
            StepKind::Branch => 1,
            StepKind::Call | StepKind::Assign | StepKind::Alias => 2,
            StepKind::Return | StepKind::NotEscaped | StepKind::Note => 3,
        };
        let last = steps.len();
        chosen.sort_by_key(|(number, step)| (*number != last, importance(step), *number));
        chosen.truncate(MOST_STEPS);
        chosen.sort_by_key(|(number, _)| *number);
    }
    chosen
}

fn level_title(level: Level) -> Title<'static> {
    match level {
        Level::Error => Title::ERROR,
        Level::Warning => Title::WARNING,
        Level::Note => Title::NOTE,
    }
}

fn origin(at: &Place) -> Origin<'static> {
    let mut origin = Origin::path(clip(&at.file));
    if at.line != 0 {
        origin = origin.line(at.line as usize);
        if at.column != 0 {
            origin = origin.char_column(at.column as usize);
        }
    }
    origin
}

fn snippet(name: &str, excerpt: Excerpt) -> Snippet<'static, annotate_snippets::Annotation<'static>> {
    let annotations = excerpt.spans.into_iter().map(|span| {
        let kind = match span.role {
            Role::Primary => AnnotationKind::Primary,
            Role::Context => AnnotationKind::Context,
        };
        let label = Some(span.label).filter(|label| !label.is_empty());
        kind.span(span.range).label(label)
    });
    Snippet::source(excerpt.text)
        .line_start(excerpt.first_line as usize)
        .path(name.to_owned())
        .annotations(annotations)
}

/// Puts the right columns above excerpts of lines that were cut to a window.
///
/// The renderer derives the column from the text it is given and offers no way to say another one, so the
/// line is found again by the file and line it names. The first line is the title, which may contain
/// anything.
fn correct_headers(rendered: String, headers: &[(String, Header)]) -> String {
    if headers.is_empty() {
        return rendered;
    }
    let mut headers = headers.iter().peekable();
    let mut out = Vec::new();
    for (i, line) in rendered.split('\n').enumerate() {
        let named = headers.peek().filter(|_| i > 0).and_then(|(file, header)| {
            let is_header = line.contains("--> ") || line.contains("::: ");
            let prefix = format!("{file}:{}:", header.line);
            let start = line.find(&prefix).filter(|_| is_header)? + prefix.len();
            let digits = line[start..].bytes().take_while(u8::is_ascii_digit).count();
            Some(format!("{}{}{}", &line[..start], header.column, &line[start + digits..]))
        });
        match named {
            Some(corrected) => {
                headers.next();
                out.push(corrected);
            }
            None => out.push(line.to_owned()),
        }
    }
    out.join("\n")
}

fn write_problems(out: &mut dyn Write, problems: &[Problem], options: &Options) -> io::Result<()> {
    let shown =
        if options.detail == Detail::Full { problems.len() } else { problems.len().min(MOST_PROBLEMS) };
    // The loudest first, so that what is left out is the least of it.
    let mut ordered: Vec<&Problem> = problems.iter().collect();
    ordered.sort_by_key(|problem| Reverse(problem.kind.level()));
    for problem in &ordered[..shown] {
        let level = problem.kind.level();
        let style = match (options.colour, level) {
            (Colour::Never, _) => Style::new(),
            (Colour::Always, Level::Error) => DEFAULT_ERROR_STYLE,
            (Colour::Always, Level::Warning) => DEFAULT_WARNING_STYLE,
            (Colour::Always, Level::Note) => DEFAULT_NOTE_STYLE,
        };
        let at = problem.place.as_ref().map_or(String::new(), |at| format!("{}: ", place(at)));
        // A mistake in a file of the user's comes with its line and a caret below, and names the place itself.
        let told = match problem.cause.lines().count() {
            2.. if problem.kind == ProblemKind::Configuration => {
                problem.cause.lines().map(clip).collect::<Vec<_>>().join("\n")
            }
            _ => clip(&problem.sentence()).to_string(),
        };
        writeln!(out, "{style}{}{style:#}: {at}{told}", level.name())?;
    }
    if shown < problems.len() {
        writeln!(out, "and {}", count((problems.len() - shown) as u64, "more problem"))?;
    }
    if !problems.is_empty() {
        writeln!(out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
