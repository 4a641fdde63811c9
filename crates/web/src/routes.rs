//! What is answered to which request.
//!
//! | Request | Answer |
//! | --- | --- |
//! | `GET /` and `/app.js`, `/viewer.js`, ... | the page |
//! | `GET /api/project` | words, rules, problems, how many functions |
//! | `GET /api/findings` | the list of findings, their fingerprints, the marks |
//! | `GET /api/finding?i=N` | one finding with its path, its sources, and contracts |
//! | `GET /api/functions?q=TEXT&does=KIND` | functions whose names have the text |
//! | `GET /api/function?name=NAME&file=FILE` | one function with its contract, callers, callees, source and surroundings |
//! | `GET /api/history` | the runs, oldest first, with how many findings each had |
//! | `POST /api/mark` | sets or takes away a mark |
//!
//! Everything else is not found. Paths are compared as they were sent; no request is turned into the name of a file.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use watertight_finding::Place;
use watertight_report::html::{self, Excerpt, Wanted};
use watertight_report::{SourceProvider, Sources, fingerprint, one_line};
use watertight_store::{Mark, StoredRun, Verdict};

use crate::body;
use crate::clock;
use crate::graph::{Neighbours, Surroundings};
use crate::http::{Request, Response};
use crate::knowledge::{Function, Knowledge, Origin};
use crate::marks::Marks;

/// The most functions in an answer to a search.
const MOST_FUNCTIONS: usize = 1000;
/// The most lines of a function that are shown.
const MOST_LINES: u32 = 2000;
/// The longest note of a mark, in characters.
const MOST_NOTE: usize = 2000;
/// The most callers or callees in a list.
const MOST_CALLS: usize = 500;

const PAGE: &str = include_str!("assets/app.html");
const APP: &str = include_str!("assets/app.js");
const HISTORY: &str = include_str!("assets/history.js");
const STYLE: &str = include_str!("assets/app.css");

/// A project that is shown.
pub struct Site {
    knowledge: Knowledge,
    neighbours: Neighbours,
    /// Indexes of functions by name.
    names: BTreeMap<String, Vec<usize>>,
    fingerprints: Vec<String>,
    sources: Box<dyn SourceProvider + Send + Sync>,
    marks: Box<dyn Marks>,
}

impl Site {
    /// A project, somebody who reads its sources, and somebody who keeps its marks.
    #[must_use]
    pub fn new(
        knowledge: Knowledge,
        sources: Box<dyn SourceProvider + Send + Sync>,
        marks: Box<dyn Marks>,
    ) -> Site {
        Site {
            neighbours: Neighbours::new(&knowledge),
            names: knowledge.by_name().into_iter().map(|(name, list)| (name.to_owned(), list)).collect(),
            fingerprints: knowledge.findings.iter().map(|finding| fingerprint(finding).to_string()).collect(),
            knowledge,
            sources,
            marks,
        }
    }

    /// Answers a request that the guard let pass.
    #[must_use]
    pub fn answer(&self, request: &Request) -> Response {
        let (html, script, style) =
            ("text/html; charset=utf-8", "text/javascript; charset=utf-8", "text/css; charset=utf-8");
        match (request.method.as_str(), request.path.as_str()) {
            ("GET" | "HEAD", "/") => {
                let page = PAGE
                    .replace("<!-- findings -->", html::FINDINGS_FRAME)
                    .replace("<!-- keys -->", html::FINDINGS_KEYS);
                Response::new(200, html, page)
            }
            ("GET" | "HEAD", "/app.js") => Response::new(200, script, APP),
            ("GET" | "HEAD", "/viewer.js") => Response::new(200, script, html::VIEWER),
            ("GET" | "HEAD", "/findings.js") => Response::new(200, script, html::FINDINGS),
            ("GET" | "HEAD", "/style.css") => Response::new(200, style, html::STYLE),
            ("GET" | "HEAD", "/app.css") => Response::new(200, style, STYLE),
            ("GET" | "HEAD", "/history.js") => Response::new(200, script, HISTORY),
            ("GET" | "HEAD", "/api/project") => self.project(),
            ("GET" | "HEAD", "/api/history") => self.history(),
            ("GET" | "HEAD", "/api/findings") => self.findings(),
            ("GET" | "HEAD", "/api/finding") => self.finding(request.value("i")),
            ("GET" | "HEAD", "/api/functions") => self.functions(request.value("q"), request.value("does")),
            ("GET" | "HEAD", "/api/function") => self.function(request.value("name"), request.value("file")),
            ("POST", "/api/mark") => self.mark(request),
            (_, "/api/mark") | ("POST", _) => Response::text(405, "this cannot be done here"),
            _ => Response::text(404, "there is nothing here"),
        }
    }

    fn project(&self) -> Response {
        #[derive(Serialize)]
        struct Project<'k> {
            meta: html::Meta<'k>,
            project: String,
            functions: usize,
            behaviours: BTreeMap<&'k str, usize>,
        }
        let knowledge = &self.knowledge;
        let mut behaviours = BTreeMap::new();
        for behaviour in knowledge.functions.iter().flat_map(|function| &function.behaviours) {
            *behaviours.entry(behaviour.as_str()).or_insert(0) += 1;
        }
        let last = knowledge.root.rsplit('/').find(|part| !part.is_empty());
        json(&Project {
            meta: html::meta(&knowledge.report(), &[]),
            project: one_line(last.unwrap_or("/")).into_owned(),
            functions: knowledge.functions.len(),
            behaviours,
        })
    }

    fn history(&self) -> Response {
        #[derive(Serialize)]
        struct Run<'k> {
            at: &'k str,
            version: &'k str,
            seconds: f64,
            files: u64,
            functions: u64,
            problems: u64,
            /// Findings of high, medium and low confidence.
            findings: [u64; 3],
            new: u64,
            gone: u64,
        }
        let runs = self.knowledge.runs.iter().rev();
        let told = runs.map(|StoredRun { at, confidences, change, row, .. }| Run {
            at,
            version: &row.version,
            seconds: row.seconds,
            files: row.files,
            functions: row.functions,
            problems: row.problems,
            findings: *confidences,
            new: change.appeared,
            gone: change.gone,
        });
        json(&told.collect::<Vec<_>>())
    }

    fn findings(&self) -> Response {
        #[derive(Serialize)]
        struct Findings<'s> {
            index: html::Index,
            fingerprints: &'s [String],
            marks: BTreeMap<String, MarkWords>,
        }
        let marks = self.marks.all().into_iter().map(|mark| (mark.fingerprint.clone(), words(mark)));
        json(&Findings {
            index: html::index(&self.knowledge.report()),
            fingerprints: &self.fingerprints,
            marks: marks.collect(),
        })
    }

    fn finding(&self, index: Option<&str>) -> Response {
        #[derive(Serialize)]
        struct One<'s> {
            details: html::Details,
            sources: BTreeMap<String, &'s Excerpt>,
            contracts: Vec<watertight_report::Contract>,
        }
        let index = index.and_then(|index| index.parse::<usize>().ok());
        let Some(finding) = index.and_then(|index| self.knowledge.findings.get(index)) else {
            return Response::text(404, "there is no such finding");
        };
        let mut wanted = Wanted::new();
        wanted.add_finding(finding);
        let excerpts = wanted.cut(&mut Sources::new(&*self.sources), html::CONTEXT);
        let mut sources = BTreeMap::new();
        let steps = finding.exits.iter().flat_map(|trace| &trace.steps).chain(&finding.sibling);
        let places = steps.map(|step| &step.place).chain(finding.assumptions.iter().map(|one| &one.place));
        for place in places.chain([&finding.place]) {
            if let Some(excerpt) = excerpts.file(&place.file) {
                sources.insert(one_line(&place.file).into_owned(), excerpt);
            }
        }
        let named = html::named(std::slice::from_ref(finding));
        json(&One { details: html::details([finding], &excerpts), sources, contracts: self.contracts(named) })
    }

    /// What is known of functions by their names; of several of one name the first with a place speaks.
    fn contracts<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Vec<watertight_report::Contract> {
        let found = names.into_iter().filter_map(|name| self.names.get(name)?.first());
        found.map(|&index| self.knowledge.functions[index].contract()).collect()
    }

    fn functions(&self, text: Option<&str>, does: Option<&str>) -> Response {
        #[derive(Serialize)]
        struct Found<'k> {
            total: usize,
            functions: Vec<Row<'k>>,
        }
        let text = text.unwrap_or_default().to_lowercase();
        let does = does.filter(|does| !does.is_empty());
        // Exact names first, then names that begin with the text, then all others; the program's own before those of
        // libraries, and in the order of names, for which case and leading underscores do not matter.
        let mut found: Vec<(u8, bool, String, usize)> = Vec::new();
        for (name, indexes) in &self.names {
            let lower = name.to_lowercase();
            let rank = match &lower {
                lower if *lower == text => 0,
                lower if lower.starts_with(&text) => 1,
                lower if lower.contains(&text) => 2,
                _ => continue,
            };
            let fits = |&&index: &&usize| {
                does.is_none_or(|does| {
                    self.knowledge.functions[index].behaviours.iter().any(|one| one == does)
                })
            };
            found.extend(indexes.iter().filter(fits).map(|&index| {
                let outside = self.knowledge.functions[index].origin != Origin::Code;
                (rank, outside, lower.trim_start_matches('_').to_owned(), index)
            }));
        }
        found.sort_unstable();
        let functions = found.iter().take(MOST_FUNCTIONS).map(|entry| self.row(entry.3)).collect();
        json(&Found { total: found.len(), functions })
    }

    fn row(&self, index: usize) -> Row<'_> {
        let function = &self.knowledge.functions[index];
        Row {
            name: one_line(&function.name).into_owned(),
            file: function.place.as_ref().map(|place| one_line(&place.file).into_owned()),
            line: function.place.as_ref().map_or(0, |place| place.line),
            known: function.origin != Origin::Unknown,
            library: matches!(function.origin, Origin::Model(_)),
            behaviours: &function.behaviours,
        }
    }

    fn function(&self, name: Option<&str>, file: Option<&str>) -> Response {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct One<'s> {
            row: Row<'s>,
            from: String,
            is_static: bool,
            given_up: Option<&'s str>,
            does: Vec<String>,
            model: &'s str,
            others: Vec<Row<'s>>,
            effects: Vec<[&'s str; 3]>,
            callers: Vec<Row<'s>>,
            callees: Vec<Row<'s>>,
            callers_left: usize,
            callees_left: usize,
            surroundings: Surroundings,
            around: BTreeMap<usize, Row<'s>>,
            findings: Vec<usize>,
            source: Option<&'s Excerpt>,
            contracts: Vec<watertight_report::Contract>,
        }
        let candidates = name.and_then(|name| self.names.get(name)).map_or(&[][..], Vec::as_slice);
        let in_file = |index: &&usize| {
            let place = self.knowledge.functions[**index].place.as_ref();
            file.is_none_or(|file| place.is_some_and(|place| one_line(&place.file) == file))
        };
        let Some(&index) = candidates.iter().find(in_file) else {
            return Response::text(404, "there is no such function");
        };
        let function = &self.knowledge.functions[index];
        let (callers, callees) = (self.neighbours.callers(index), self.neighbours.callees(index));
        let rows = |list: &[usize]| list.iter().take(MOST_CALLS).map(|&index| self.row(index)).collect();
        let surroundings = self.neighbours.around(&self.knowledge, index);
        let shown: BTreeSet<usize> =
            surroundings.columns.iter().flat_map(|column| column.functions.iter().copied()).collect();
        let is_here = |place: &Place| {
            *place.function == *function.name
                && function.place.as_ref().is_none_or(|own| own.file == place.file)
        };
        let findings = self.knowledge.findings.iter().enumerate();
        let excerpts = self.source(function);
        let called = callees.iter().map(|&index| &*self.knowledge.functions[index].name);
        json(&One {
            row: self.row(index),
            from: one_line(&function.from()).into_owned(),
            is_static: function.is_static,
            given_up: function.given_up.as_deref(),
            does: function.sentences(),
            model: &function.model,
            others: candidates
                .iter()
                .filter(|&&other| other != index)
                .map(|&other| self.row(other))
                .collect(),
            effects: function
                .effects
                .iter()
                .map(|row| [row.effect.as_str(), row.kind.as_deref().unwrap_or(""), row.place.as_str()])
                .collect(),
            callers: rows(callers),
            callees: rows(callees),
            callers_left: callers.len().saturating_sub(MOST_CALLS),
            callees_left: callees.len().saturating_sub(MOST_CALLS),
            around: shown.into_iter().map(|index| (index, self.row(index))).collect(),
            surroundings,
            findings: findings
                .filter(|(_, finding)| is_here(&finding.place))
                .map(|(index, _)| index)
                .collect(),
            source: function.place.as_ref().and_then(|place| excerpts.file(&place.file)),
            contracts: self.contracts(called),
        })
    }

    /// The lines of a function and one before it.
    fn source(&self, function: &Function) -> html::Excerpts {
        let mut wanted = Wanted::new();
        let mut sources = Sources::new(&*self.sources);
        if let Some(place) = function.place.as_ref().filter(|place| place.has_line())
            && let Some(file) = sources.file(&place.file)
        {
            let last = body::last_line(&file, place.line, MOST_LINES);
            wanted.add_lines(&place.file, place.line.saturating_sub(1)..=last);
        }
        wanted.cut(&mut sources, 0)
    }

    fn mark(&self, request: &Request) -> Response {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Wish {
            fingerprint: String,
            verdict: Option<String>,
            #[serde(default)]
            note: String,
        }
        let kind = request.header("content-type").unwrap_or_default();
        if kind.split(';').next().map(str::trim) != Some("application/json") {
            return Response::text(400, "a mark is written in JSON");
        }
        let Ok(wish) = serde_json::from_slice::<Wish>(&request.body) else {
            return Response::text(400, "this is not a mark");
        };
        if !self.fingerprints.contains(&wish.fingerprint) {
            return Response::text(404, "there is no such finding");
        }
        if wish.note.chars().count() > MOST_NOTE {
            return Response::text(400, "the note is too long");
        }
        let done = match wish.verdict.as_deref().map(Verdict::from_name) {
            None => self.marks.remove(&wish.fingerprint).map(|()| None),
            Some(None) => return Response::text(400, "the verdict is true, false or wont-fix"),
            Some(Some(verdict)) => {
                let mark = Mark { fingerprint: wish.fingerprint, verdict, note: wish.note, at: clock::now() };
                self.marks.set(&mark).map(|()| Some(words(mark)))
            }
        };
        match done {
            Ok(mark) => json(&mark),
            Err(trouble) => Response::text(500, &one_line(&trouble)),
        }
    }
}

/// A function in a list.
#[derive(Serialize)]
struct Row<'k> {
    name: String,
    file: Option<String>,
    line: u32,
    known: bool,
    library: bool,
    behaviours: &'k [String],
}

/// A mark as the page reads it.
#[derive(Serialize)]
struct MarkWords {
    verdict: &'static str,
    note: String,
    at: String,
}

fn words(mark: Mark) -> MarkWords {
    MarkWords { verdict: mark.verdict.name(), note: mark.note, at: mark.at }
}

fn json(value: &impl Serialize) -> Response {
    match serde_json::to_vec(value) {
        Ok(body) => Response::new(200, "application/json", body),
        Err(error) => Response::text(500, &format!("this could not be written: {error}")),
    }
}

#[cfg(test)]
mod tests;
