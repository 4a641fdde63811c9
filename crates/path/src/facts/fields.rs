//! Which functions a member of a structure may hold, whichever object it is a member of: the whole program, without regard
//! to order.
//!
//! `coder->failed(coder)` calls what some caller has put there. What the program ever puts into the member `failed` of a
//! `struct coder` is known: it is what initialisers say, what is stored there by name of the member, by parameters that
//! are stored there for the functions that callers pass, and what is copied there from other members. So one set for each member
//! of each structure type holds for every object, on the heap, on the stack or the caller's.
//!
//! In: a program and its call graph. Out: for each call through a member what it may reach. The set is *open*, and says nothing,
//! where something else is stored in the member, and where code that is not in sight is shown such structures and may write
//! them, as `sigaction` does. A function that is stored at a place whose type is not known may be in every member for
//! functions of its type. Structures are taken to be copied as what they are, and a library to be used as the code in sight uses it
//! (ASSUME-51).

use crate::facts::callers::Callers;
use crate::facts::cells::{Place, Scope};
use crate::facts::targets::Held;
use crate::facts::types::{identity, parts};
use crate::limits::{NESTED_TYPES, SOURCES};
use rustc_hash::{FxHashMap, FxHashSet};
use watertight_ir::callgraph::{CallGraph, direct_callee};
use watertight_ir::{
    Body, Callee, Const, DebugType, Def, FuncId, InstId, Op, Program, RecordKind, SourceType, Symbol, Type,
    ValueId, ctype,
};
use watertight_summary::model::Models;
use watertight_summary::{Effect, Root, Value};

/// A member of a structure type: the name and the size of the innermost structure that has a name, and where in it.
type Field = (Box<str>, u64, i64);

/// Where something is stored.
enum To {
    Member(Field),
    /// At a place of which the type is not known.
    Anywhere,
}

/// What calls through members may reach.
#[derive(Debug, Default)]
pub struct Fields {
    sites: FxHashMap<(FuncId, InstId), Held>,
}

impl Fields {
    pub fn new(program: &Program, library: &Models, graph: &CallGraph, callers: &Callers) -> Fields {
        let mut collector = Collector {
            program,
            graph,
            callers,
            held: FxHashMap::default(),
            copies: Vec::new(),
            strays: Vec::new(),
            outside: FxHashSet::default(),
        };
        let calls = collector.calls();
        // Without calls through members nobody asks.
        if calls.is_empty() {
            return Fields::default();
        }
        collector.images();
        collector.bodies(library);
        collector.follow();
        let sites = calls.into_iter().filter_map(|(site, field)| Some((site, collector.reached(&field)?)));
        Fields { sites: sites.collect() }
    }

    /// All calls through members and what they may reach, in no order.
    pub fn calls(&self) -> impl Iterator<Item = (&(FuncId, InstId), &Held)> {
        self.sites.iter()
    }

    /// What a call through a member may reach. Never open, and never nothing.
    pub fn of_call(&self, caller: FuncId, inst: InstId) -> Option<&Held> {
        self.sites.get(&(caller, inst))
    }
}

struct Collector<'a> {
    program: &'a Program,
    graph: &'a CallGraph,
    callers: &'a Callers,
    held: FxHashMap<Field, Held>,
    /// What the second holds is stored in the first.
    copies: Vec<(Field, Field)>,
    /// Functions that are stored at places of which the type is not known.
    strays: Vec<FuncId>,
    /// Structure types that code out of sight may write.
    outside: FxHashSet<(Box<str>, u64)>,
}

impl<'a> Collector<'a> {
    /// Calls through members.
    fn calls(&self) -> Vec<((FuncId, InstId), Field)> {
        let mut calls = Vec::new();
        let mut scope: Option<Scope<'a>> = None;
        for &site in self.graph.indirect_calls() {
            if scope.as_ref().is_none_or(|scope| scope.id != site.caller) {
                scope = Scope::new(self.program, site.caller);
            }
            let Some(scope) = &scope else { continue };
            if let Op::Call(call) = &scope.body.insts[site.inst].op
                && let Callee::Pointer(pointer) = call.callee
                && let Some(Op::Load { addr, .. }) = scope.body.def_op(pointer)
                && let Some(field) = field_at(scope, *addr)
            {
                calls.push(((site.caller, site.inst), field));
            }
        }
        calls
    }

    /// Initialisers.
    fn images(&mut self) {
        for global in self.program.globals.values() {
            let Some(ty) = global.debug_type else { continue };
            let object = SourceType { unit: global.unit, ty };
            for relocation in global.image.iter().flat_map(|image| &image.relocations) {
                let Symbol::Func(function) = relocation.target else { continue };
                let offset = i64::try_from(relocation.offset).ok();
                match offset.and_then(|offset| function_member(self.program, object, offset)) {
                    Some(field) => self.hold(field, function),
                    None => self.strays.push(function),
                }
            }
        }
    }

    fn hold(&mut self, field: Field, function: FuncId) {
        let held = self.held.entry(field).or_default();
        if let Err(at) = held.functions.binary_search(&function) {
            held.functions.insert(at, function);
        }
    }

    /// Something is stored that is not known.
    fn open(&mut self, to: &To) {
        if let To::Member(field) = to {
            self.held.entry(field.clone()).or_default().open = true;
        }
    }

    /// Stores, and structures that are shown to code out of sight.
    fn bodies(&mut self, library: &Models) {
        for (id, function) in self.program.functions.iter() {
            let Some(body) = &function.body else { continue };
            let mut scope: Option<Scope<'a>> = None;
            for inst in body.blocks.values().flat_map(|block| &block.insts) {
                match &body.insts[*inst].op {
                    Op::Store { addr, value, .. } if body.ty(*value) == Type::Ptr => {
                        if body.bits(*value).is_some() || is_data(body, *value) {
                            continue;
                        }
                        if scope.is_none() {
                            scope = Scope::new(self.program, id);
                        }
                        let to = match scope.as_ref().and_then(|scope| field_at(scope, *addr)) {
                            Some(field) => To::Member(field),
                            None if scope.as_ref().is_some_and(|scope| scope.is_variable(*addr)) => continue,
                            None => To::Anywhere,
                        };
                        self.store(id, *value, &to, SOURCES, &mut FxHashSet::default());
                    }
                    Op::Call(call) => {
                        let Some(callee) = direct_callee(body, call) else { continue };
                        let data = &self.program.functions[callee];
                        if data.body.is_some() {
                            continue;
                        }
                        for (index, &arg) in call.args.iter().enumerate() {
                            if body.ty(arg) != Type::Ptr || !may_write(library, &data.name, index) {
                                continue;
                            }
                            if scope.is_none() {
                                scope = Scope::new(self.program, id);
                            }
                            if let Some(Place::In(shown, _)) = scope.as_ref().map(|scope| scope.place(arg)) {
                                self.show(shown, NESTED_TYPES);
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    /// Code out of sight may write a structure and those inside it.
    fn show(&mut self, object: SourceType, depth: usize) {
        let debug = &self.program.units[object.unit].debug;
        if depth == 0 {
            return;
        }
        match ctype::described(debug, Some(object.ty)) {
            Some(DebugType::Record(record)) => {
                if let Some(identity) = identity(self.program, object)
                    && !self.outside.insert(identity)
                {
                    return;
                }
                for member in &record.members {
                    if let Some(ty) = member.ty {
                        self.show(SourceType { unit: object.unit, ty }, depth - 1);
                    }
                }
            }
            Some(DebugType::Array { of: Some(of), .. }) => {
                self.show(SourceType { unit: object.unit, ty: *of }, depth - 1);
            }
            _ => {}
        }
    }

    /// A value is stored.
    fn store(
        &mut self,
        id: FuncId,
        value: ValueId,
        to: &To,
        depth: u32,
        seen: &mut FxHashSet<(FuncId, ValueId)>,
    ) {
        let Some(body) = &self.program.functions[id].body else { return };
        if !seen.insert((id, value)) {
            return;
        }
        match (&body.values[value].def, depth.checked_sub(1)) {
            (Def::Const(Const::Func(function)), _) => match to {
                To::Member(field) => self.hold(field.clone(), *function),
                To::Anywhere => self.strays.push(*function),
            },
            (Def::Const(_), _) => {}
            (Def::Param(index), Some(depth)) => {
                let Some(sites) = self.callers.of(self.program, self.graph, id) else {
                    return self.open(to);
                };
                for site in sites {
                    let caller = &self.program.functions[site.caller];
                    let call = caller.body.as_ref().map(|body| &body.insts[site.inst].op);
                    match call {
                        Some(Op::Call(call)) if let Some(&value) = call.args.get(*index as usize) => {
                            self.store(site.caller, value, to, depth, seen);
                        }
                        _ => self.open(to),
                    }
                }
            }
            (Def::Inst(inst), Some(depth)) => match &body.insts[*inst].op {
                Op::Select { then, other, .. } => {
                    self.store(id, *then, to, depth, seen);
                    self.store(id, *other, to, depth, seen);
                }
                Op::Phi { incoming } => {
                    for &(_, value) in incoming {
                        self.store(id, value, to, depth, seen);
                    }
                }
                Op::Load { addr, .. } => {
                    let To::Member(field) = to else { return };
                    match Scope::new(self.program, id).and_then(|scope| field_at(&scope, *addr)) {
                        Some(from) => self.copies.push((field.clone(), from)),
                        None => self.open(to),
                    }
                }
                _ => self.open(to),
            },
            _ => self.open(to),
        }
    }

    /// Carries what members hold along copies, until nothing changes.
    fn follow(&mut self) {
        self.copies.sort_unstable();
        self.copies.dedup();
        let copies = std::mem::take(&mut self.copies);
        loop {
            let mut changed = false;
            for (to, from) in &copies {
                let Some(source) = self.held.get(from).cloned() else { continue };
                let before = self.held.get(to).cloned();
                source.functions.iter().for_each(|&function| self.hold(to.clone(), function));
                if source.open {
                    self.open(&To::Member(to.clone()));
                }
                changed |= self.held.get(to) != before.as_ref();
            }
            if !changed {
                break;
            }
        }
        self.strays.sort_unstable();
        self.strays.dedup();
    }

    /// What a member may hold, if that is known.
    fn reached(&self, field: &Field) -> Option<Held> {
        let mut held = self.held.get(field).filter(|held| !held.open)?.clone();
        let &first = held.functions.first()?;
        if self.outside.contains(&(field.0.clone(), field.1)) {
            return None;
        }
        for &stray in &self.strays {
            if alike(self.program, stray, first)
                && let Err(at) = held.functions.binary_search(&stray)
            {
                held.functions.insert(at, stray);
            }
        }
        Some(held)
    }
}

/// Whether a value is the address of data: no function comes by it.
fn is_data(body: &Body, value: ValueId) -> bool {
    match &body.values[value].def {
        Def::Const(constant) => !matches!(constant, Const::Func(_)),
        Def::Inst(inst) => {
            matches!(body.insts[*inst].op, Op::Offset { .. } | Op::Index { .. } | Op::Stack { .. })
        }
        Def::Param(_) => false,
    }
}

/// Whether two functions take and give the same.
fn alike(program: &Program, one: FuncId, other: FuncId) -> bool {
    let (one, other) = (&program.functions[one], &program.functions[other]);
    one.result == other.result
        && one.params.len() == other.params.len()
        && one.params.iter().zip(&other.params).all(|(one, other)| one.ty == other.ty)
}

/// Whether a function out of sight may put an address into what an argument points to.
fn may_write(library: &Models, name: &str, index: usize) -> bool {
    let Some(summary) = library.functions.get(name) else { return true };
    let ours = |root: &Root| match *root {
        Root::Param(number) => number as usize == index,
        Root::Rest(first) => index >= first as usize,
        _ => false,
    };
    summary.effects().any(|effect| match effect {
        Effect::Clobber { place } => ours(&place.root),
        Effect::Store { place, value } => ours(&place.root) && !matches!(value, Value::Number(_)),
        _ => false,
    })
}

/// The member for functions that an address is that of.
fn field_at(scope: &Scope<'_>, addr: ValueId) -> Option<Field> {
    match scope.place(addr) {
        Place::In(object, offset) => function_member(scope.program, object, offset),
        Place::Plain | Place::Unknown(_) => None,
    }
}

/// The member for functions at an offset of an object, by the innermost structure around it that has a name.
fn function_member(program: &Program, object: SourceType, offset: i64) -> Option<Field> {
    let debug = &program.units[object.unit].debug;
    let mut around: Option<Field> = None;
    for part in parts(program, object, offset) {
        match part.described {
            DebugType::Record(record) if record.kind != RecordKind::Union => {
                if let Some((name, bytes)) = identity(program, SourceType { unit: object.unit, ty: part.ty })
                {
                    around = Some((name, bytes, i64::try_from(part.inside).ok()?));
                }
            }
            DebugType::Array { .. } => {}
            DebugType::Pointer { to } if part.inside == 0 => {
                return match ctype::described(debug, *to)? {
                    DebugType::Function { .. } => around,
                    _ => None,
                };
            }
            _ => return None,
        }
    }
    None
}
