//! What a function does with memory, in words: the summary that the engine made of it, or the model of a library function.
//!
//! In: a program and the name of a function. Out: one [`Described`] per function of that name (statics may share one), or
//! names that are near. Places are spelled with the names of parameters, globals and members that debug information has.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::Serialize;
use watertight_ir::{DebugInfo, DebugType, DebugTypeId, FuncId, Function, Program, Table, ctype};
use watertight_path::exits::lost::Exits;
use watertight_path::machine::state::State;
use watertight_path::stories::witness::stories;
use watertight_path::{Options as PathOptions, analyse, analyse_with};
use watertight_summary::asked::{Asked, asked};
use watertight_summary::behaviour::{Behaviour, behaviours};
use watertight_summary::model::{self, Models, Spelling};
use watertight_summary::words::{Names, describe};
use watertight_summary::{Effect, KindId, Path, Root, Step, Summary, Test, Value, When};

use crate::check::{at_exit, models, models_of, only_wanted};
use crate::keep::Keeper;
use crate::limits::NEAR_NAMES;
use crate::moves::add_moves;
use crate::protect::protect;
use crate::run::Options;
use crate::simplest::simplest;
use watertight_finding::{Place, Problem};

/// What is known of one function.
#[derive(Debug, Serialize)]
pub struct Described {
    /// Its name.
    pub name: String,
    /// Where it is defined; absent for library functions.
    pub place: Option<String>,
    /// The model file that describes it; absent for functions that were read.
    pub model_file: Option<String>,
    /// What it does, one sentence each.
    pub does: Vec<String>,
    /// The kinds of things it does to the heap: `MallocArg`, `FreeGlobal`; empty if it does none of them.
    pub behaviours: Vec<&'static str>,
    /// The same in the language of model files.
    pub model: String,
    /// Where it is defined, as findings name places.
    #[serde(skip)]
    pub site: Option<Place>,
    /// Which function of the program it is; absent for library functions.
    #[serde(skip)]
    pub function: Option<FuncId>,
}

/// Why nothing can be said.
#[derive(Debug)]
pub enum Unknown {
    /// The program has no such function and no model describes it. Holds names that are near.
    Name(Vec<String>),
    /// The function is called but neither defined nor described.
    OnlyDeclared,
    /// The engine failed.
    Mistake(String),
}

/// Describes the functions of a name. Mistakes in model files are added to the problems.
pub fn describe_function(
    program: &Program,
    options: &Options,
    name: &str,
    problems: &mut Vec<Problem>,
) -> Result<Vec<Described>, Unknown> {
    let mut library = models(program, &options.models, problems);
    only_wanted(&mut library, options);
    let named = |function: &Function| &*function.name == name;
    let defined: Vec<FuncId> = program.defined().filter(|&id| named(&program.functions[id])).collect();
    if defined.is_empty() {
        // A library function that the program does not call has a model all the same.
        if !library.functions.contains_key(name) {
            let shipped = model::shipped();
            if !shipped.functions.contains_key(name) {
                let declared = program.functions.values().any(named);
                return Err(if declared { Unknown::OnlyDeclared } else { near(program, &shipped, name) });
            }
            library = shipped;
        }
        let Some(summary) = library.functions.get(name) else { return Err(Unknown::OnlyDeclared) };
        return Ok(vec![modelled(&library, name, summary)]);
    }
    let summaries = protect(|| summaries(program, &library, options))
        .map_err(|panic| Unknown::Mistake(panic.to_string()))?;
    let described = defined.into_iter().filter_map(|id| {
        let summary = summaries[id].as_ref()?;
        let mut described = inferred(program, &library, id, summary);
        add_moves(&mut described.does, program, &library, &summaries, id);
        Some(described)
    });
    Ok(described.collect())
}

/// The summaries of all functions, from the store as far as it has them. What is new is kept there.
fn summaries(program: &Program, library: &Models, options: &Options) -> Table<FuncId, Option<Summary>> {
    let keeper = options.store.as_deref().and_then(|folder| Keeper::open(folder).0);
    let how = PathOptions { assumptions: options.assumptions, ..PathOptions::default() };
    let Some(keeper) = keeper else {
        return analyse(program, library, &how, &|_, _| ()).summaries;
    };
    // What is kept of a function has its findings too, so they are looked for with a summary as with a check.
    let memory = keeper.recollection(options);
    let inspect = |state: &mut State<'_>, exits: &Exits| stories(state, exits, at_exit(options));
    analyse_with(program, library, &how, &memory, &inspect).summaries
}

fn modelled(library: &Models, name: &str, summary: &Summary) -> Described {
    let origin = library.origins.get(name);
    let parameters = origin.map(|origin| origin.parameters.clone()).unwrap_or_default();
    let address = origin.is_some_and(|origin| origin.returns_address);
    let names = Names {
        kinds: &library.kinds,
        properties: Some(&library.properties),
        parameters: &parameters,
        address,
        place: &|_| None,
    };
    let spelling = Spelling {
        kinds: &library.kinds,
        properties: Some(&library.properties),
        parameters: &parameters,
        variadic: origin.is_some_and(|origin| origin.variadic),
        address,
        global: &|global| global.to_string(),
    };
    Described {
        name: name.to_owned(),
        place: None,
        model_file: origin.and_then(|origin| library.files.get(origin.file)).map(|file| file.to_string()),
        does: describe(summary, names),
        behaviours: behaviours(summary).into_iter().map(Behaviour::name).collect(),
        model: model::print(name, summary, spelling),
        site: None,
        function: None,
    }
}

pub(crate) fn inferred(program: &Program, library: &Models, id: FuncId, summary: &Summary) -> Described {
    let function = &program.functions[id];
    let parameters = parameters(program, id);
    let address = function.result == watertight_ir::Type::Ptr;
    let place = |path: &Path| spell(program, id, &parameters, path);
    let names = Names {
        kinds: &library.kinds,
        properties: Some(&library.properties),
        parameters: &parameters,
        address,
        place: &place,
    };
    let spelling = Spelling {
        kinds: &library.kinds,
        properties: Some(&library.properties),
        parameters: &parameters,
        variadic: function.variadic,
        address,
        global: &|global| program.globals[global].name.to_string(),
    };
    let site = site(program, id);
    Described {
        name: function.name.to_string(),
        place: site.as_ref().map(|place| format!("{}:{}", place.file, place.line)),
        model_file: None,
        does: describe(summary, names),
        behaviours: behaviours(summary).into_iter().map(Behaviour::name).collect(),
        model: model::print(&function.name, summary, spelling),
        site,
        function: Some(id),
    }
}

/// What a condition on entry values asks for, each thing in words; what people take for granted, that pointers are not NULL, is left out.
pub(crate) fn conditions(program: &Program, id: FuncId, when: &When) -> Vec<String> {
    let parameters = parameters(program, id);
    let place = |path: &Path| spell(program, id, &parameters, path);
    let pointer = |path: &Path| match (path.root, path.steps.last()) {
        (Root::Param(index), None) => {
            let params = &program.functions[id].params;
            params.get(index as usize).is_some_and(|param| param.ty == watertight_ir::Type::Ptr)
        }
        (_, last) => matches!(last, Some(Step::At(_))),
    };
    let names = Asked { place: &place, pointer: &pointer };
    let all =
        |tests: &Vec<Test>| -> Vec<String> { tests.iter().filter_map(|test| asked(test, names)).collect() };
    let possible: Vec<Vec<Test>> = when.any.iter().filter_map(|tests| simplest(tests)).collect();
    match &possible[..] {
        [] => Vec::new(),
        [one] => all(one),
        several => {
            let several: Vec<Vec<String>> = several.iter().map(all).collect();
            // Where one of them asks for nothing that can be said, nothing is asked for.
            match several.iter().any(Vec::is_empty) {
                true => Vec::new(),
                false => vec![several.iter().map(|all| all.join(" and ")).collect::<Vec<_>>().join(", or ")],
            }
        }
    }
}

/// What a function does to resources, each thing once: what is done, to which kind, where.
pub(crate) fn effects(
    program: &Program,
    library: &Models,
    id: FuncId,
    summary: &Summary,
) -> Vec<(&'static str, Option<String>, String)> {
    let parameters = parameters(program, id);
    let place = |path: &Path| {
        let spelled = |path: &Path| spell(program, id, &parameters, path);
        if path.root == Root::Result && path.steps.is_empty() {
            return spelled(path).unwrap_or_else(|| "result".to_owned());
        }
        // What has no name is a part of the nearest thing that has one.
        let part_of = || {
            let wholes = (0..path.steps.len()).rev();
            let mut wholes =
                wholes.map(|steps| Path { root: path.root, steps: path.steps[..steps].to_vec() });
            let whole = wholes.find_map(|whole| spelled(&whole))?;
            Some(format!("a part of `{}`", whole.trim_start_matches('&').replace('`', "")))
        };
        spelled(path).or_else(part_of).unwrap_or_else(|| path.to_string())
    };
    // Outcomes have most effects in common, and spelling a place takes longer than comparing it.
    let mut found: BTreeSet<(&'static str, Option<KindId>, &Path)> = BTreeSet::new();
    let result = Path::root(Root::Result);
    for outcome in &summary.outcomes {
        let stored = outcome.effects.iter().filter_map(|effect| match effect {
            Effect::Store { place, value } => Some((place, value)),
            _ => None,
        });
        for (place, value) in [(&result, &outcome.result)].into_iter().chain(stored) {
            let parts = match value {
                Value::Parts(parts) => &parts[..],
                other => std::slice::from_ref(other),
            };
            for part in parts {
                if let Value::Fresh { index, .. } = part {
                    let kind = outcome.fresh.get(*index as usize).map(|fresh| fresh.kind);
                    found.insert(("acquires", kind, place));
                }
            }
        }
        for effect in &outcome.effects {
            match effect {
                Effect::Release { value, kind, .. } => {
                    found.insert(("releases", Some(*kind), value));
                }
                Effect::Keep { value, .. } => {
                    found.insert(("keeps", None, value));
                }
                _ => {}
            }
        }
    }
    // What is new and can only be named by its number says nothing to a reader.
    found.retain(|(_, _, path)| !matches!(path.root, Root::Fresh(_)));
    let name = |kind: KindId| library.kinds.get(kind).name.to_string();
    let spelled = |(effect, kind, path): (_, Option<KindId>, &Path)| (effect, kind.map(name), place(path));
    found.into_iter().map(spelled).collect()
}

/// Where a function is defined.
fn site(program: &Program, id: FuncId) -> Option<Place> {
    let function = &program.functions[id];
    let place = program.source_place(id, function.place?)?;
    Some(Place::new(place.file, place.line, 0).in_function(&*function.name))
}

/// Describes every function that was read, in the order of the program, then the library functions that it calls, by
/// name. A function of which nobody had to know what it does has no sentences.
pub(crate) fn describe_all(
    program: &Program,
    library: &Models,
    summaries: &Table<FuncId, Option<Summary>>,
) -> Vec<Described> {
    let own = program.defined().map(|id| match summaries.get(id).and_then(Option::as_ref) {
        Some(summary) => {
            let mut described = inferred(program, library, id, summary);
            add_moves(&mut described.does, program, library, summaries, id);
            described
        }
        None => {
            let site = site(program, id);
            Described {
                name: program.functions[id].name.to_string(),
                place: site.as_ref().map(|place| format!("{}:{}", place.file, place.line)),
                model_file: None,
                does: Vec::new(),
                behaviours: Vec::new(),
                model: String::new(),
                site,
                function: Some(id),
            }
        }
    });
    let declared = program.functions.values().filter(|function| function.body.is_none());
    let names: BTreeSet<&str> = declared.map(|function| &*function.name).collect();
    let known = names.into_iter().filter_map(|name| Some((name, library.functions.get(name)?)));
    own.chain(known.map(|(name, summary)| modelled(library, name, summary))).collect()
}

/// Describes library functions of these names, as far as models do, in the order of names. Mistakes in model files are
/// added to the problems.
pub fn describe_library(
    names: &BTreeSet<&str>,
    files: &[PathBuf],
    problems: &mut Vec<Problem>,
) -> Vec<Described> {
    let library = models_of(names, files, problems);
    let known = names.iter().filter_map(|&name| Some((name, library.functions.get(name)?)));
    known.map(|(name, summary)| modelled(&library, name, summary)).collect()
}

/// The names of the parameters, as the IR counts them.
pub(crate) fn parameters(program: &Program, id: FuncId) -> Vec<Box<str>> {
    let function = &program.functions[id];
    let mut names: Vec<Box<str>> = vec!["".into(); function.params.len()];
    let hidden = hidden(function);
    let debug = program.debug(id);
    for variable in function.body.iter().flat_map(|body| body.variables.values()) {
        if let Some(index) = variable.parameter
            && let Some(name) = names.get_mut(index as usize + hidden)
            && name.is_empty()
        {
            *name = debug.names.get(variable.name).into();
        }
    }
    names
}

/// How many parameters of the IR stand before the first one of the prototype.
fn hidden(function: &Function) -> usize {
    function.params.iter().take_while(|param| param.struct_result).count()
}

/// A path as C writes it: `conn->name`, `*out`, `table.head`, `result->next`.
pub(crate) fn spell(program: &Program, id: FuncId, parameters: &[Box<str>], path: &Path) -> Option<String> {
    let function = &program.functions[id];
    let (mut text, debug, mut ty, mut steps) = match path.root {
        Root::Param(index) => {
            let debug = program.debug(id);
            let name = parameters.get(index as usize).filter(|name| !name.is_empty())?;
            let Some(DebugType::Function { params, .. }) = ctype::described(debug, function.debug_type)
            else {
                return None;
            };
            let ty = *params.get((index as usize).checked_sub(hidden(function))?)?;
            (name.to_string(), debug, ty, &path.steps[..])
        }
        Root::Global(global) => {
            let global = &program.globals[global];
            let debug = &program.units[global.unit].debug;
            let name = global.source_name.map_or(&*global.name, |name| debug.names.get(name));
            let Some((first, rest)) = path.steps.split_first() else { return Some(format!("&{name}")) };
            let (Step::At(offset) | Step::Number { offset, .. }) = *first else {
                return Some(format!("an element of `{name}`"));
            };
            let (text, ty) = member(debug, global.debug_type, offset, name.to_owned(), ".")?;
            (text, debug, ty, rest)
        }
        // What the result points to; the result itself is told in words.
        Root::Result if !path.steps.is_empty() => {
            let debug = program.debug(id);
            let Some(DebugType::Function { result, .. }) = ctype::described(debug, function.debug_type)
            else {
                return None;
            };
            ("result".to_owned(), debug, *result, &path.steps[..])
        }
        _ => return None,
    };
    let each = path.steps.iter().find_map(|step| match step {
        Step::Each { also: None, .. } => Some("chain"),
        Step::Each { also: Some(_), .. } => Some("tree"),
        _ => None,
    });
    while let Some((step, rest)) = steps.split_first() {
        let (Step::At(offset) | Step::Each { link: offset, .. } | Step::Number { offset, .. }) = *step else {
            return None;
        };
        let to = ctype::pointee(debug, ty)?;
        let record = matches!(ctype::described(debug, to), Some(DebugType::Record(_)));
        (text, ty) = if record {
            let text = if text.starts_with('*') { format!("({text})") } else { text };
            member(debug, to, offset, text, "->")?
        } else if offset == 0 {
            (format!("*{text}"), to)
        } else {
            return None;
        };
        steps = rest;
    }
    Some(match each {
        Some(shape) => format!("each {text} along the {shape}"),
        None => text,
    })
}

/// The member of a struct at an offset, or the whole of something that has none.
fn member(
    debug: &DebugInfo,
    ty: Option<DebugTypeId>,
    offset: i64,
    text: String,
    joint: &str,
) -> Option<(String, Option<DebugTypeId>)> {
    let Some(DebugType::Record(record)) = ctype::described(debug, ty) else {
        return (offset == 0).then_some((text, ty));
    };
    let bits = u64::try_from(offset).ok()?.checked_mul(8)?;
    let found = record.members.iter().rfind(|member| {
        member.offset_bits <= bits && bits < member.offset_bits.saturating_add(member.bits.max(1))
    })?;
    let rest = i64::try_from((bits - found.offset_bits) / 8).ok()?;
    match found.name {
        Some(name) => member(debug, found.ty, rest, format!("{text}{joint}{}", debug.names.get(name)), "."),
        None => member(debug, found.ty, rest, text, joint),
    }
}

/// Names that differ in little from the one asked for.
fn near(program: &Program, shipped: &Models, name: &str) -> Unknown {
    let own = program.functions.values().map(|function| &*function.name);
    let mut names: Vec<(usize, &str)> = own
        .chain(shipped.functions.keys().map(|name| &**name))
        .map(|other| (distance(name, other), other))
        .filter(|(distance, other)| *distance <= 1 + name.len().min(other.len()) / 4)
        .collect();
    names.sort_unstable();
    names.dedup();
    Unknown::Name(names.into_iter().take(NEAR_NAMES).map(|entry| entry.1.to_owned()).collect())
}

/// How many letters must change to get from one word to another.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// Descriptions for programs.
#[must_use]
pub fn to_json(described: &[Described]) -> String {
    let mut text = serde_json::to_string_pretty(described).unwrap_or_default();
    text.push('\n');
    text
}
