//! Questions of people: what an expression at a line of the source may point to, who calls a function and whom it calls,
//! and what memory it reads and writes.
//!
//! In: the solution and a question as text. Out: lines of text in a fixed order, or a sentence that says what is wrong
//! with the question and what there is instead. An expression is a variable with any of `*x`, `x->f`, `x.f` and `x[]`
//! around it. A variable that was never put in memory holds what it was given in its function up to that line.

use crate::PointsTo;
use crate::layout::TypeRef;
use crate::name::{at, member_named, members, place};
use crate::object::{LocId, Location, ObjectId, Origin};
use std::collections::{BTreeMap, BTreeSet};
use watertight_ir::spell::Speller;
use watertight_ir::{Body, Const, DebugType, Def, FuncId, Id, InstId, Op, Program, ValueId, ctype};

/// An answer: what was asked, and the lines of the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub question: String,
    pub lines: Vec<String>,
}

/// A place in memory: an object and an offset, or anywhere in it.
type Spot = (ObjectId, Option<i64>);

/// What part of an expression is.
enum Part {
    /// In memory at these places.
    Memory(BTreeSet<Spot>),
    /// A value with these addresses.
    Value(BTreeSet<Spot>),
}

struct Typed {
    part: Part,
    ty: Option<TypeRef>,
}

impl PointsTo<'_> {
    /// What an expression may point to: `EXPR@FILE:LINE`.
    pub fn expression(&self, program: &Program, question: &str) -> Result<Answer, String> {
        let wrong = || format!("`{question}` is not of the form EXPR@FILE:LINE");
        let (text, position) = question.rsplit_once('@').ok_or_else(wrong)?;
        let (file, line) = position.rsplit_once(':').ok_or_else(wrong)?;
        let line: u32 = line.parse().map_err(|_| wrong())?;
        let function = function_at(program, file, line)
            .ok_or_else(|| format!("no function has code at line {line} of `{file}`"))?;
        let found = self.evaluate(program, function, line, text.trim())?;
        let addresses = self.value_of(found.part);
        let lines: BTreeSet<String> = addresses.iter().map(|spot| self.spot(program, spot)).collect();
        Ok(Answer { question: format!("{question} may point to"), lines: lines.into_iter().collect() })
    }

    fn spot(&self, program: &Program, &(object, offset): &Spot) -> String {
        let name = self.name(program, object);
        match offset {
            Some(offset) => format!("{name}{}", self.member(program, object, offset)),
            None => format!("anywhere in {name}"),
        }
    }

    fn spots(&self, set: &crate::set::Set) -> BTreeSet<Spot> {
        let locations = set.iter().map(|id| self.memory().locations[LocId::new(id as usize)]);
        locations.map(|at: Location| (at.object, (at.stride == 0).then_some(at.offset))).collect()
    }

    /// The addresses that a part of an expression holds.
    fn value_of(&self, part: Part) -> BTreeSet<Spot> {
        match part {
            Part::Value(spots) => spots,
            Part::Memory(places) => {
                let mut found = BTreeSet::new();
                for (object, offset) in places {
                    // Memory of the outside world holds addresses of itself.
                    if self.object(object).origin == Origin::World {
                        found.insert((object, Some(0)));
                    }
                    let wanted = offset.map(|offset| {
                        let offset = self.memory().layouts.normal(self.object(object), offset);
                        self.cell_offset(&Location { object, offset, stride: 0 })
                    });
                    for (cell, set) in self.told_contents(object) {
                        if wanted.is_none_or(|wanted| wanted == cell) {
                            found.extend(self.spots(set));
                        }
                    }
                }
                found
            }
        }
    }

    fn evaluate(&self, program: &Program, function: FuncId, line: u32, text: &str) -> Result<Typed, String> {
        if let Some(inner) = text.strip_prefix('*') {
            let inner = self.evaluate(program, function, line, inner.trim())?;
            return Ok(self.followed(program, inner));
        }
        if let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
            return self.evaluate(program, function, line, inner.trim());
        }
        if let Some(base) = text.strip_suffix(']').and_then(|text| text.rsplit_once('[')).map(|parts| parts.0)
        {
            let base = self.evaluate(program, function, line, base)?;
            return Ok(match array_of(program, base.ty) {
                Some(of) => Typed { part: base.part, ty: of },
                None => self.followed(program, base),
            });
        }
        let arrow = text.rfind("->");
        let dot = text.rfind('.');
        match (arrow, dot) {
            (Some(arrow), _) if dot.is_none_or(|dot| dot < arrow) => {
                let base = self.evaluate(program, function, line, &text[..arrow])?;
                let base = self.followed(program, base);
                self.member_of(program, base, text[arrow + 2..].trim())
            }
            (_, Some(dot)) => {
                let base = self.evaluate(program, function, line, &text[..dot])?;
                self.member_of(program, base, text[dot + 1..].trim())
            }
            _ => self.variable(program, function, line, text.trim()),
        }
    }

    /// What a pointer points to, as a place in memory.
    fn followed(&self, program: &Program, pointer: Typed) -> Typed {
        let ty = pointer.ty.and_then(|ty| {
            let debug = &program.units[ty.unit].debug;
            let to = ctype::pointee(debug, Some(ty.ty))??;
            Some(TypeRef { unit: ty.unit, ty: to })
        });
        Typed { part: Part::Memory(self.value_of(pointer.part)), ty }
    }

    fn member_of(&self, program: &Program, base: Typed, name: &str) -> Result<Typed, String> {
        let unknown = || format!("the type of what has a member `{name}` is not known");
        let ty = base.ty.map(|ty| self.memory().layouts.record(ty).unwrap_or(ty)).ok_or_else(unknown)?;
        let debug = &program.units[ty.unit].debug;
        let stripped = ctype::strip(debug, Some(ty.ty)).ok_or_else(unknown)?;
        let ty = self.memory().layouts.one(TypeRef { unit: ty.unit, ty: stripped });
        let Some((offset, of)) = member_named(program, ty, name) else {
            let debug = &program.units[ty.unit].debug;
            let there = listed(members(program, ty));
            return Err(format!(
                "{} has no member `{name}`; it has {there}",
                ctype::name(debug, Some(ty.ty))
            ));
        };
        let Part::Memory(places) = base.part else {
            return Err(format!("what has the member `{name}` is not in memory"));
        };
        let moved = places.into_iter().map(|(object, at)| (object, at.map(|at| at + offset))).collect();
        Ok(Typed { part: Part::Memory(moved), ty: of.map(|of| TypeRef { unit: ty.unit, ty: of }) })
    }

    /// A variable of the function, a global variable, or a function.
    fn variable(&self, program: &Program, id: FuncId, line: u32, name: &str) -> Result<Typed, String> {
        let function = &program.functions[id];
        let debug = &program.units[function.unit].debug;
        let Some(body) = &function.body else { return Err(format!("`{}` has no body", function.name)) };
        let mut values: BTreeSet<Spot> = BTreeSet::new();
        let mut homes: BTreeSet<Spot> = BTreeSet::new();
        let mut ty = None;
        let mut known = false;
        for (variable, data) in body.variables.iter() {
            if debug.names.get(data.name) != name {
                continue;
            }
            known = true;
            ty = ty.or(data.ty.map(|ty| TypeRef { unit: function.unit, ty }));
            if let Some(home) = data.home {
                homes.extend(self.spots(self.told(id, home)));
            }
            for value in named(body, variable, line) {
                values.extend(self.spots(self.told(id, value)));
            }
        }
        if known {
            let part = if homes.is_empty() { Part::Value(values) } else { Part::Memory(homes) };
            return Ok(Typed { part, ty });
        }
        let global = program.globals.iter().find(|(_, global)| {
            let source = global.source_name.map(|own| program.units[global.unit].debug.names.get(own));
            &*global.name == name || source == Some(name)
        });
        if let Some((global, data)) = global {
            let ty = data.debug_type.map(|ty| TypeRef { unit: data.unit, ty });
            let object = self.memory().known(Origin::Global(global));
            let places = object.map(|object| (object, Some(0))).into_iter().collect();
            return Ok(Typed { part: Part::Memory(places), ty });
        }
        if let Some(found) = program.function_named(name) {
            let object = self.memory().known(Origin::Function(found));
            let places = object.map(|object| (object, Some(0))).into_iter().collect();
            return Ok(Typed { part: Part::Value(places), ty: None });
        }
        let there = body.variables.values().map(|variable| debug.names.get(variable.name).to_owned());
        let there: BTreeSet<String> = there.collect();
        let there = listed(there.into_iter().collect());
        Err(format!("there is no variable `{name}` in `{}`; there is {there}", function.name))
    }

    /// Who calls a function, and where.
    pub fn callers(&self, program: &Program, name: &str) -> Result<Answer, String> {
        let wanted = functions_named(program, name)?;
        let mut lines = BTreeSet::new();
        for (caller, inst, callee, how) in self.all_calls(program) {
            if wanted.contains(&callee) {
                let caller_name = &program.functions[caller].name;
                // What a call hands to the library is not what the library hands on.
                let on = if how.is_empty() { handed(program, caller, inst) } else { String::new() };
                lines.insert((caller, format!("`{caller_name}`{}{how}{on}", at(program, caller, inst))));
            }
        }
        let lines = lines.into_iter().map(|line| line.1).collect();
        Ok(Answer { question: format!("{name} is called by"), lines })
    }

    /// Whom a function calls, and where.
    pub fn called_by(&self, program: &Program, name: &str) -> Result<Answer, String> {
        let wanted = functions_named(program, name)?;
        let mut lines = BTreeSet::new();
        for (caller, inst, callee, how) in self.all_calls(program) {
            if wanted.contains(&caller) {
                let callee_name = &program.functions[callee].name;
                lines.insert((inst, callee, format!("`{callee_name}`{}{how}", at(program, caller, inst))));
            }
        }
        let lines = lines.into_iter().map(|line| line.2).collect();
        Ok(Answer { question: format!("{name} calls"), lines })
    }

    /// Every call with whom it reaches, and how.
    fn all_calls<'p>(
        &'p self,
        program: &'p Program,
    ) -> impl Iterator<Item = (FuncId, watertight_ir::InstId, FuncId, &'static str)> + 'p {
        self.calls.values().flat_map(move |call| {
            let body = program.functions[call.caller].body.as_ref();
            let direct = body.is_some_and(|body| match &body.insts[call.inst].op {
                Op::Call(made) => watertight_ir::callgraph::direct_callee(body, made).is_some(),
                _ => false,
            });
            let how = match (call.by_model, direct) {
                (true, _) => ", through a library function",
                (false, true) => "",
                (false, false) => ", through a pointer",
            };
            call.targets.iter().map(move |&target| (call.caller, call.inst, target, how))
        })
    }

    /// What memory a function, with all that it calls, may write and read. Its own variables are left out, and so is what
    /// library functions do.
    pub fn mod_ref(&self, program: &Program, name: &str) -> Result<Answer, String> {
        let wanted = functions_named(program, name)?;
        let mut callees: BTreeMap<FuncId, BTreeSet<FuncId>> = BTreeMap::new();
        for (caller, _, callee, _) in self.all_calls(program) {
            callees.entry(caller).or_default().insert(callee);
        }
        let mut reached: BTreeSet<FuncId> = BTreeSet::new();
        let mut open = wanted;
        while let Some(function) = open.pop() {
            if reached.insert(function) {
                open.extend(callees.get(&function).into_iter().flatten());
            }
        }
        let (mut writes, mut reads) = (BTreeSet::new(), BTreeSet::new());
        for &function in &reached {
            let Some(body) = &program.functions[function].body else { continue };
            for inst in body.insts.values() {
                let (mut written, mut read) = (None, None);
                match &inst.op {
                    Op::Store { addr, .. } => written = Some(*addr),
                    Op::Load { addr, .. } => read = Some(*addr),
                    Op::MemCopy { dst, src, .. } => (written, read) = (Some(*dst), Some(*src)),
                    Op::MemFill { dst, .. } => written = Some(*dst),
                    Op::Atomic { addr, .. } | Op::CompareExchange { addr, .. } => {
                        (written, read) = (Some(*addr), Some(*addr));
                    }
                    _ => {}
                }
                let note = |addr: Option<ValueId>, all: &mut BTreeSet<String>| {
                    let Some(addr) = addr else { return };
                    // The address of a variable that only numbers go to takes no part in solving.
                    if let Def::Const(Const::Global { global, .. }) = body.values[addr].def
                        && self.memory().known(Origin::Global(global)).is_none()
                        && !program.globals[global].constant
                    {
                        all.insert(format!("`{}`", program.globals[global].name));
                    }
                    for spot in self.spots(self.of(function, addr)) {
                        let own = match self.object(spot.0).origin {
                            Origin::Stack(owner, _) | Origin::Parameter(owner, _) => reached.contains(&owner),
                            Origin::Constants => true,
                            _ => false,
                        };
                        if !own {
                            all.insert(self.spot(program, &spot));
                        }
                    }
                };
                note(written, &mut writes);
                note(read, &mut reads);
            }
        }
        let writes = writes.into_iter().map(|text| format!("writes {text}"));
        let reads = reads.into_iter().map(|text| format!("reads {text}"));
        Ok(Answer { question: format!("{name}, with what it calls,"), lines: writes.chain(reads).collect() })
    }
}

/// Which object a call is about, if its address is the first argument: " on `q->lock`".
fn handed(program: &Program, caller: FuncId, inst: InstId) -> String {
    let first = || {
        let body = program.functions[caller].body.as_ref()?;
        let Op::Call(call) = &body.insts[inst].op else { return None };
        let spelled = Speller::new(program, caller)?.value(*call.args.first()?)?;
        Some(format!(" on `{}`", spelled.text.strip_prefix('&')?))
    };
    first().unwrap_or_default()
}

/// The values that a variable was given up to a line; all of them when it is given none before.
fn named(body: &Body, variable: watertight_ir::VarId, line: u32) -> Vec<ValueId> {
    let all: Vec<(ValueId, u32)> = body
        .insts
        .values()
        .filter_map(|inst| match inst.op {
            Op::Name { variable: of, value } if of == variable => {
                Some((value, inst.place.map_or(0, |place| body.places[place].line)))
            }
            _ => None,
        })
        .collect();
    let before: Vec<ValueId> = all.iter().filter(|entry| entry.1 <= line).map(|entry| entry.0).collect();
    if before.is_empty() { all.into_iter().map(|entry| entry.0).collect() } else { before }
}

fn array_of(program: &Program, ty: Option<TypeRef>) -> Option<Option<TypeRef>> {
    let ty = ty?;
    let debug = &program.units[ty.unit].debug;
    match ctype::described(debug, Some(ty.ty))? {
        DebugType::Array { of, .. } => Some(of.map(|of| TypeRef { unit: ty.unit, ty: of })),
        _ => None,
    }
}

/// The function with code at a line of a file, or around it.
fn function_at(program: &Program, file: &str, line: u32) -> Option<FuncId> {
    let same = |found: &str| found == file || found.ends_with(&format!("/{}", file.trim_start_matches("./")));
    let mut around: Option<(u32, FuncId)> = None;
    for (id, function) in program.functions.iter() {
        let Some(body) = &function.body else { continue };
        let lines: Vec<u32> = body
            .insts
            .ids()
            .filter_map(|inst| place(program, id, inst))
            .filter(|found| same(found.0))
            .map(|found| found.1)
            .collect();
        if lines.contains(&line) {
            return Some(id);
        }
        let start = function.place.map(|place| body.places[place].line);
        let (Some(&first), Some(&last)) = (lines.iter().min(), lines.iter().max()) else { continue };
        let first = start.unwrap_or(first).min(first);
        if first <= line && line <= last && around.is_none_or(|known| last - first < known.0) {
            around = Some((last - first, id));
        }
    }
    around.map(|found| found.1)
}

fn functions_named(program: &Program, name: &str) -> Result<Vec<FuncId>, String> {
    let found: Vec<FuncId> =
        program.functions.iter().filter(|(_, function)| &*function.name == name).map(|(id, _)| id).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let lower = name.to_lowercase();
    let near = program.functions.values().map(|function| function.name.to_string());
    let near: BTreeSet<String> = near.filter(|known| known.to_lowercase().contains(&lower)).collect();
    match near.is_empty() {
        true => Err(format!("there is no function `{name}`")),
        false => Err(format!(
            "there is no function `{name}`; did you mean {}?",
            listed(near.into_iter().collect())
        )),
    }
}

/// The first few names, in words.
fn listed(names: Vec<String>) -> String {
    const MOST: usize = 12;
    if names.is_empty() {
        return "none".to_owned();
    }
    let mut shown: Vec<String> = names.iter().take(MOST).map(|name| format!("`{name}`")).collect();
    if names.len() > MOST {
        shown.push(format!("{} more", names.len() - MOST));
    }
    shown.join(", ")
}
