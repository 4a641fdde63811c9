//! Units joined to one program by the rules of C linkage.
//!
//! In: programs of one unit each, in order. Out: one program. Statics stay each unit's own. Of several
//! definitions of a name the strong one wins; a second strong one is kept beside the first and listed: a
//! build often makes several programs, each with a `main`. Which one the other units mean is guessed
//! (`rivals.rs`). Declarations take the definition, an alias its target. Conflicting prototypes are
//! tolerated and listed.
//!
//! What a header gave to several units is there once (`twins.rs`).
//!
//! The parts of one unit that was compiled in parts are united by the same code. They share their statics, and what
//! stands in several of them is one thing.
//!
//! Two passes: first every name gets its final id, then bodies and images are rewritten. Both are linear
//! in the size of the program; debug information moves without being copied.

use crate::labels;
use crate::rivals::{Places, Rivals};
use crate::{twins, unused};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use watertight_ir::{
    AggId, Aggregate, Body, Callee, Const, Def, FuncId, Function, Global, GlobalId, Id, Image, Linkage, Op,
    Problem, Program, Symbol, Type, Unit, UnitId,
};

/// Joins units. All must be for the same kind of machine; others are left out and listed.
pub fn join(parts: Vec<Program>) -> Program {
    let mut parts = parts.into_iter();
    let Some(first) = parts.next() else { return Program::default() };
    let mut joiner = Joiner::default();
    joiner.program.target = first.target.clone();
    joiner.add(first);
    for part in parts {
        joiner.add(part);
    }
    let has_several = joiner.maps.len() > 1;
    let mut program = joiner.finish();
    if has_several {
        twins::merge(&mut program);
    }
    program
}

/// Puts the parts of one unit together, so that it is as if it had been compiled as a whole.
pub fn unite(parts: Vec<Program>) -> Program {
    let mut joiner = Joiner { of_one_unit: true, ..Joiner::default() };
    for part in parts {
        joiner.program.target = part.target.clone();
        joiner.add(part);
    }
    let mut program = joiner.finish();
    unused::remove(&mut program);
    let mut told = FxHashSet::default();
    program.problems.retain(|problem| told.insert((problem.subject.clone(), problem.message.clone())));
    program
}

#[derive(Default)]
struct Joiner {
    program: Program,
    /// What is added are the parts of one unit.
    of_one_unit: bool,
    functions: FxHashMap<Box<str>, FuncId>,
    globals: FxHashMap<Box<str>, GlobalId>,
    aggregates: FxHashMap<Aggregate, AggId>,
    /// For each unit, the final ids of its symbols.
    maps: Vec<IdMap>,
    /// Aliases with ids of their unit, to be looked up when all names are known.
    aliases: Vec<(usize, Box<str>, Symbol)>,
    /// The unit whose ids a function's body, or a global's image, is written in.
    body_units: Vec<usize>,
    image_units: Vec<usize>,
    /// Names with several strong definitions.
    rival_functions: Rivals<FuncId>,
    rival_globals: Rivals<GlobalId>,
    /// The source of each unit.
    sources: Vec<Box<str>>,
}

/// From a unit's ids to those of the program.
#[derive(Default)]
pub(crate) struct IdMap {
    pub(crate) functions: Vec<FuncId>,
    pub(crate) globals: Vec<GlobalId>,
    pub(crate) aggregates: Vec<AggId>,
}

impl IdMap {
    fn function(&self, id: FuncId) -> FuncId {
        self.functions[id.index()]
    }
    fn global(&self, id: GlobalId) -> GlobalId {
        self.globals[id.index()]
    }
    fn ty(&self, ty: Type) -> Type {
        match ty {
            Type::Agg(id) => Type::Agg(self.aggregates[id.index()]),
            other => other,
        }
    }
    pub(crate) fn symbol(&self, symbol: Symbol) -> Symbol {
        match symbol {
            Symbol::Func(id) => Symbol::Func(self.function(id)),
            Symbol::Global(id) => Symbol::Global(self.global(id)),
            Symbol::Label(id, block) => Symbol::Label(self.function(id), block),
        }
    }
}

impl Joiner {
    fn add(&mut self, part: Program) {
        let target = &self.program.target;
        if part.target.pointer_bits != target.pointer_bits || part.target.endian != target.endian {
            let subject = part.units.values().next().map_or("", |unit| &unit.name).into();
            let message = format!(
                "left out: compiled for `{}`, while the other units are for `{}`",
                part.target.triple, target.triple
            );
            self.program.problems.push(Problem { subject, message: message.into() });
            return;
        }
        let number = self.maps.len();
        let first_unit = self.program.units.len();
        let mut map = IdMap::default();
        for aggregate in part.aggregates.into_values() {
            // Parts are scalars, so nothing inside needs a new id.
            let id = match self.aggregates.get(&aggregate) {
                Some(&id) => id,
                None => {
                    let id = self.program.aggregates.push(aggregate.clone());
                    self.aggregates.insert(aggregate, id);
                    id
                }
            };
            map.aggregates.push(id);
        }
        for mut function in part.functions.into_values() {
            function.unit = UnitId::new(first_unit + function.unit.index());
            function.result = map.ty(function.result);
            for param in &mut function.params {
                param.ty = map.ty(param.ty);
            }
            let id = self.function(function, number);
            map.functions.push(id);
        }
        for mut global in part.globals.into_values() {
            global.unit = UnitId::new(first_unit + global.unit.index());
            let id = self.global(global, number);
            map.globals.push(id);
        }
        for (name, symbol) in part.aliases {
            self.aliases.push((number, name, symbol));
        }
        let source = part.units.values().next().map(|unit: &Unit| {
            // Bitcode that was handed over has no name of its own that says where it comes from.
            unit.debug.files.values().next().unwrap_or(&unit.name).clone()
        });
        self.sources.push(source.unwrap_or_default());
        for unit in part.units.into_values() {
            self.program.units.push(unit);
        }
        self.program.problems.extend(part.problems);
        self.maps.push(map);
    }

    fn new_function(&mut self, function: Function, unit: usize) -> FuncId {
        self.body_units.push(unit);
        self.program.functions.push(function)
    }

    fn function(&mut self, function: Function, unit: usize) -> FuncId {
        if function.linkage == Linkage::Internal && !self.of_one_unit {
            return self.new_function(function, unit);
        }
        let Some(&known) = self.functions.get(&function.name) else {
            let name = function.name.clone();
            let id = self.new_function(function, unit);
            self.functions.insert(name, id);
            return id;
        };
        if !self.of_one_unit {
            self.compare_prototypes(known, &function);
        }
        let old = &self.program.functions[known];
        match (strength(old.linkage, old.body.is_some()), strength(function.linkage, function.body.is_some()))
        {
            (Strength::Strong, Strength::Strong) if !self.of_one_unit => {
                let message = format!(
                    "`{}` is defined here and in {}; other units are taken to mean the one that fits better",
                    function.name,
                    self.unit_name(old.unit)
                );
                let subject = self.unit_name(function.unit);
                self.program.problems.push(Problem { subject, message: message.into() });
                let (name, first) = (function.name.clone(), (self.body_units[known.index()], known));
                let another = self.new_function(function, unit);
                self.rival_functions.add(&name, first, (unit, another));
                another
            }
            (before, after) if after > before => {
                let attrs = merged_attrs(old, &function);
                let old = &mut self.program.functions[known];
                *old = function;
                old.attrs = attrs;
                self.body_units[known.index()] = unit;
                known
            }
            _ => {
                let attrs = merged_attrs(old, &function);
                self.program.functions[known].attrs = attrs;
                known
            }
        }
    }

    /// Units are pushed after their symbols, so the unit being added has no name yet.
    fn unit_name(&self, unit: UnitId) -> Box<str> {
        self.program.units.get(unit).map_or_else(|| "this unit".into(), |unit: &Unit| unit.name.clone())
    }

    fn compare_prototypes(&mut self, known: FuncId, function: &Function) {
        let old = &self.program.functions[known];
        let (one, other) = (prototype(old), prototype(function));
        // A declaration without parameters in C says nothing about them.
        let silent = |f: &Function| f.body.is_none() && f.params.is_empty();
        if one != other && !silent(old) && !silent(function) {
            let message = format!("`{}` has conflicting prototypes: {one} and {other}", function.name);
            let subject = self.unit_name(old.unit);
            self.program.problems.push(Problem { subject, message: message.into() });
        }
    }

    fn global(&mut self, global: Global, unit: usize) -> GlobalId {
        // Constants that the compiler made have names that say nothing, and its lists of constructors and the like are
        // one after the other.
        let is_shared = self.of_one_unit && global.source_name.is_some();
        if global.linkage == Linkage::Internal && !is_shared || global.name.starts_with("llvm.") {
            self.image_units.push(unit);
            return self.program.globals.push(global);
        }
        let Some(&known) = self.globals.get(&global.name) else {
            let name = global.name.clone();
            self.image_units.push(unit);
            let id = self.program.globals.push(global);
            self.globals.insert(name, id);
            return id;
        };
        let old = &mut self.program.globals[known];
        let before = strength(old.linkage, old.image.is_some());
        let after = strength(global.linkage, global.image.is_some());
        if before == Strength::Strong && after == Strength::Strong && !self.of_one_unit {
            let message = format!("`{}` is defined more than once", global.name);
            let unit_of_old = old.unit;
            let subject = self.unit_name(unit_of_old);
            self.program.problems.push(Problem { subject, message: message.into() });
            self.image_units.push(unit);
            let (name, first) = (global.name.clone(), (self.image_units[known.index()], known));
            let another = self.program.globals.push(global);
            self.rival_globals.add(&name, first, (unit, another));
            return another;
        }
        let bytes = old.bytes.max(global.bytes);
        if after > before {
            *old = global;
            self.image_units[known.index()] = unit;
        }
        self.program.globals[known].bytes = bytes;
        known
    }

    fn finish(mut self) -> Program {
        self.resolve_rivals();
        self.resolve_aliases();
        let Joiner { mut program, maps, body_units, image_units, .. } = self;
        let labels_are_used = AtomicBool::new(false);
        let functions = program.functions.values_mut().into_slice();
        functions.par_iter_mut().zip(body_units).with_min_len(64).for_each(|(function, unit)| {
            if let Some(body) = &mut function.body
                && rewrite_body(body, &maps[unit])
            {
                labels_are_used.store(true, Ordering::Relaxed);
            }
        });
        for (global, unit) in program.globals.values_mut().zip(image_units) {
            if let Some(image) = &mut global.image
                && rewrite_image(image, &maps[unit])
            {
                labels_are_used.store(true, Ordering::Relaxed);
            }
        }
        if labels_are_used.into_inner() {
            let removed = labels::settle(&mut program);
            if removed > 0 {
                let message =
                    format!("{removed} addresses of labels are in a definition that another one replaced");
                program.problems.push(Problem { subject: Box::default(), message: message.into() });
            }
        }
        program
    }

    /// Gives each unit the definitions that it most likely means.
    fn resolve_rivals(&mut self) {
        if self.rival_functions.is_empty() && self.rival_globals.is_empty() {
            return;
        }
        let mut places =
            Places { contested: FxHashMap::default(), sources: std::mem::take(&mut self.sources) };
        self.rival_functions.contested(&mut places.contested);
        self.rival_globals.contested(&mut places.contested);
        for (unit, map) in self.maps.iter_mut().enumerate() {
            let functions: FxHashMap<FuncId, FuncId> =
                self.rival_functions.choices(unit, &places).into_iter().collect();
            for id in &mut map.functions {
                *id = functions.get(id).copied().unwrap_or(*id);
            }
            let globals: FxHashMap<GlobalId, GlobalId> =
                self.rival_globals.choices(unit, &places).into_iter().collect();
            for id in &mut map.globals {
                *id = globals.get(id).copied().unwrap_or(*id);
            }
        }
    }

    /// Gives undefined names the target of the alias that defines them.
    fn resolve_aliases(&mut self) {
        let mut new_functions: FxHashMap<FuncId, FuncId> = FxHashMap::default();
        let mut new_globals: FxHashMap<GlobalId, GlobalId> = FxHashMap::default();
        for (unit, name, symbol) in std::mem::take(&mut self.aliases) {
            let symbol = self.maps[unit].symbol(symbol);
            match symbol {
                Symbol::Func(target) => {
                    if let Some(&id) = self.functions.get(&name)
                        && self.program.functions[id].body.is_none()
                        && id != target
                    {
                        new_functions.insert(id, target);
                    }
                }
                Symbol::Global(target) => {
                    if let Some(&id) = self.globals.get(&name)
                        && self.program.globals[id].image.is_none()
                        && id != target
                    {
                        new_globals.insert(id, target);
                    }
                }
                Symbol::Label(..) => {}
            }
            self.program.aliases.push((name, symbol));
        }
        if new_functions.is_empty() && new_globals.is_empty() {
            return;
        }
        for map in &mut self.maps {
            for id in &mut map.functions {
                *id = new_functions.get(id).copied().unwrap_or(*id);
            }
            for id in &mut map.globals {
                *id = new_globals.get(id).copied().unwrap_or(*id);
            }
        }
    }
}

/// Which of two symbols of one name stands for both.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    Undefined,
    ForInlining,
    Tentative,
    Weak,
    Strong,
}

fn strength(linkage: Linkage, defined: bool) -> Strength {
    match linkage {
        _ if !defined => Strength::Undefined,
        Linkage::AvailableExternally => Strength::ForInlining,
        Linkage::Common => Strength::Tentative,
        Linkage::Weak | Linkage::LinkOnce | Linkage::ExternWeak => Strength::Weak,
        Linkage::External | Linkage::Internal => Strength::Strong,
    }
}

/// What any prototype promises holds for the function.
fn merged_attrs(one: &Function, other: &Function) -> watertight_ir::FunctionAttrs {
    let mut attrs = one.attrs.clone();
    let more = &other.attrs;
    attrs.no_return |= more.no_return;
    attrs.returns_twice |= more.returns_twice;
    attrs.no_memory |= more.no_memory;
    attrs.read_only |= more.read_only;
    attrs.cold |= more.cold;
    attrs.result_no_alias |= more.result_no_alias;
    attrs.result_non_null |= more.result_non_null;
    attrs.alloc_kind |= more.alloc_kind;
    attrs.alloc_size = attrs.alloc_size.or(more.alloc_size);
    attrs.alloc_family = attrs.alloc_family.or_else(|| more.alloc_family.clone());
    attrs
}

fn prototype(function: &Function) -> String {
    let mut params: Vec<String> = function.params.iter().map(|param| param.ty.to_string()).collect();
    if function.variadic {
        params.push("...".into());
    }
    format!("{} ({})", function.result, params.join(", "))
}

/// Gives a body the ids of the program, and says whether it has addresses of labels.
pub(crate) fn rewrite_body(body: &mut Body, map: &IdMap) -> bool {
    let mut labels_are_used = false;
    for value in body.values.values_mut() {
        value.ty = map.ty(value.ty);
        if let Def::Const(constant) = &mut value.def {
            match constant {
                Const::Global { global, .. } => *global = map.global(*global),
                Const::Func(function) => *function = map.function(*function),
                Const::Label(function, _) => {
                    *function = map.function(*function);
                    labels_are_used = true;
                }
                _ => {}
            }
        }
    }
    for inst in body.insts.values_mut() {
        if let Op::Call(call) = &mut inst.op
            && let Callee::Direct(function) = &mut call.callee
        {
            *function = map.function(*function);
        }
    }
    labels_are_used
}

/// Gives an image the ids of the program, and says whether it has addresses of labels.
pub(crate) fn rewrite_image(image: &mut Image, map: &IdMap) -> bool {
    let is_label = |symbol: Symbol| matches!(symbol, Symbol::Label(..));
    let mut labels_are_used = false;
    for relocation in &mut image.relocations {
        relocation.target = map.symbol(relocation.target);
        relocation.minus = relocation.minus.map(|symbol| map.symbol(symbol));
        labels_are_used |= is_label(relocation.target) || relocation.minus.is_some_and(is_label);
    }
    labels_are_used
}
