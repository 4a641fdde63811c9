//! What a function does with its variable arguments.
//!
//! A call with a known body is not an unknown call. In: the body of a function, and what is known of those it calls. Out:
//! whether what it is given behind its declared parameters is only read, so that nobody else answers for it afterwards, and which of
//! its parameters are lists of arguments (`va_list`) of which the same holds.
//!
//! A list leads to an area of arguments, and the area to the arguments. Three levels are told apart: an address of a list, what is read
//! through it, and what is read through that. Arguments must not be stored, returned, written to, or handed to a function that may do so, keep or release
//! them; lists may be handed to functions that only read theirs. Where anything else happens, nothing is said (ASSUME-17).

use crate::context::uses::Uses;
use crate::context::{Component, Context, Known};
use crate::facts::cells::base_of;
use rustc_hash::FxHashMap;
use watertight_ir::callgraph::direct_callee;
use watertight_ir::{Body, Call, DebugType, Def, FuncId, Function, Op, Terminator, Type, ValueId, ctype};
use watertight_summary::{Completeness, Effect, Path, Root, Summary, Value};

/// How far a value is from a list: an address of it, what is read there, an argument.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Level {
    List,
    Area,
    Argument,
}

/// What the compiler calls the type behind `va_list`, on one machine or another.
const LISTS: [&str; 4] = ["__va_list_tag", "__va_list", "__builtin_va_list", "va_list"];

/// Whether the variable arguments of a function are only read.
pub(crate) fn only_reads(context: &Context<'_>, component: &Component, id: FuncId) -> bool {
    let function = &context.program.functions[id];
    let Some(body) = function.body.as_ref().filter(|_| function.variadic) else { return false };
    let lists = body.insts.values().filter_map(|inst| match inst.op {
        Op::VaStart { list } => Some(list),
        _ => None,
    });
    Walk { context, component, body, levels: FxHashMap::default() }.is_harmless(lists.collect())
}

/// The parameters of a function that are lists of which the arguments are only read.
pub(crate) fn lists_read(context: &Context<'_>, component: &Component, id: FuncId) -> Uses {
    let function = &context.program.functions[id];
    let mut read = Uses::NONE;
    let Some(body) = &function.body else { return read };
    for index in (0..function.params.len()).filter(|&index| is_list(context, function, index)) {
        let parameter = body.values.iter().find(|(_, value)| value.def == Def::Param(index as u32));
        let walk = || Walk { context, component, body, levels: FxHashMap::default() };
        if parameter.is_none_or(|(value, _)| walk().is_harmless(vec![value])) {
            read.insert(index);
        }
    }
    read
}

/// Whether a parameter is declared to be a list.
fn is_list(context: &Context<'_>, function: &Function, index: usize) -> bool {
    let debug = &context.program.units[function.unit].debug;
    let Some(DebugType::Function { params, .. }) = ctype::described(debug, function.debug_type) else {
        return false;
    };
    let Some(&declared) = params.get(index) else { return false };
    let name = ctype::name(debug, declared);
    name.split(|letter: char| !letter.is_alphanumeric() && letter != '_').any(|word| LISTS.contains(&word))
}

/// A walk from a list to everything that is made of it.
struct Walk<'w> {
    context: &'w Context<'w>,
    component: &'w Component,
    body: &'w Body,
    levels: FxHashMap<ValueId, Level>,
}

impl Walk<'_> {
    /// Whether nothing that is made of these lists gets out.
    fn is_harmless(&mut self, lists: Vec<ValueId>) -> bool {
        for list in lists {
            let root = base_of(self.body, list);
            self.levels.insert(root, Level::List);
        }
        loop {
            let before = self.levels.len();
            let sum = |levels: &FxHashMap<ValueId, Level>| {
                levels.values().map(|&level| level as usize).sum::<usize>()
            };
            let weight = sum(&self.levels);
            for block in self.body.blocks.values() {
                for &inst in &block.insts {
                    let inst = &self.body.insts[inst];
                    if !self.step(&inst.op, inst.result) {
                        return false;
                    }
                }
                if let Terminator::Return(Some(value)) = &block.term
                    && self.levels.contains_key(value)
                {
                    return false;
                }
            }
            if (self.levels.len(), sum(&self.levels)) == (before, weight) {
                return true;
            }
        }
    }

    fn level(&self, value: ValueId) -> Option<Level> {
        self.levels.get(&value).copied()
    }

    /// Says that a value has at least this level.
    fn raise(&mut self, value: Option<ValueId>, level: Level) {
        if let Some(value) = value {
            let known = self.levels.entry(value).or_insert(level);
            *known = level.max(*known);
        }
    }

    /// What an instruction makes of values with a level. Not harmless where an argument gets out, or where a list does to someone of
    /// whom nothing is known.
    fn step(&mut self, op: &Op, result: Option<ValueId>) -> bool {
        match op {
            Op::VaStart { .. } | Op::VaEnd { .. } | Op::Name { .. } | Op::Fence => true,
            Op::Compare { .. } | Op::FloatCompare { .. } => true,
            Op::MemFill { dst, .. } => self.level(*dst) != Some(Level::Argument),
            Op::VaArg { list } => {
                if self.level(base_of(self.body, *list)).is_some() {
                    self.raise(result, Level::Argument);
                }
                true
            }
            Op::VaCopy { dst, src } | Op::MemCopy { dst, src, .. } => {
                if self.level(*dst) == Some(Level::Argument) {
                    return false;
                }
                match self.level(*src).or(self.level(base_of(self.body, *src))) {
                    Some(Level::List) => {
                        let copy = base_of(self.body, *dst);
                        let own = matches!(self.body.def_op(copy), Some(Op::Stack { .. }));
                        self.raise(Some(copy), Level::List);
                        own
                    }
                    // What stands in the memory that an argument leads to may be taken along.
                    Some(_) => false,
                    None => true,
                }
            }
            Op::Load { addr, .. } => {
                let read = match self.level(*addr) {
                    Some(Level::List) => Some(Level::Area),
                    Some(Level::Area) => Some(Level::Argument),
                    Some(Level::Argument) if result.is_some_and(|value| self.body.ty(value) == Type::Ptr) => {
                        Some(Level::Argument)
                    }
                    Some(Level::Argument) | None => None,
                };
                if let Some(level) = read {
                    self.raise(result, level);
                }
                true
            }
            Op::Store { addr, value, .. } => match (self.level(*value), self.level(*addr)) {
                (_, Some(Level::Argument)) => false,
                (None, _) => true,
                // The list goes on to the next argument.
                (Some(Level::Area), Some(Level::List | Level::Area)) => true,
                (Some(Level::Argument), _) => {
                    let variable = base_of(self.body, *addr);
                    let own = matches!(self.body.def_op(variable), Some(Op::Stack { .. }));
                    self.raise(Some(variable), Level::Area);
                    own
                }
                _ => false,
            },
            Op::Call(call) => self.call(call, result),
            // Whatever is computed from an address stands for it.
            op => {
                let mut level = None;
                op.operands(|value| level = level.max(self.level(value)));
                if let Some(level) = level {
                    self.raise(result, level);
                }
                level.is_none()
                    || !matches!(
                        op,
                        Op::Unknown(_) | Op::Atomic { .. } | Op::CompareExchange { .. } | Op::Pack { .. }
                    )
            }
        }
    }

    fn call(&mut self, call: &Call, result: Option<ValueId>) -> bool {
        let given: Vec<(usize, Level)> = call
            .args
            .iter()
            .enumerate()
            .filter_map(|(index, &arg)| Some((index, self.level(arg)?)))
            .collect();
        if given.is_empty() {
            return true;
        }
        let Some(callee) = direct_callee(self.body, call) else { return false };
        let function = &self.context.program.functions[callee];
        if function.attrs.no_memory || function.attrs.read_only {
            if call_gives_address(self.body, result) {
                self.raise(result, Level::Argument);
            }
            return true;
        }
        let Known::Summary(summary) = self.component.lookup(self.context, callee) else { return false };
        let facts = self.component.view.facts(self.context, callee);
        let modelled = function.body.is_none();
        for (index, level) in given {
            let harmless = match level {
                // What a library makes of a list is in its model.
                Level::List if modelled => spares(summary, index),
                Level::List => facts.is_some_and(|facts| facts.lists.contains(index)),
                Level::Area => false,
                Level::Argument if index >= function.params.len() => {
                    modelled || facts.is_some_and(|facts| facts.reads_variable)
                }
                Level::Argument => {
                    let told = modelled || summary.completeness == Completeness::Whole;
                    told && spares(summary, index)
                }
            };
            if !harmless {
                return false;
            }
            if level == Level::Argument && gives_back(summary, index) {
                self.raise(result, Level::Argument);
            }
        }
        true
    }
}

fn call_gives_address(body: &Body, result: Option<ValueId>) -> bool {
    result.is_some_and(|value| body.ty(value) == Type::Ptr)
}

/// Whether a function neither keeps, releases nor changes what it gets by a parameter, and puts it nowhere.
fn spares(summary: &Summary, index: usize) -> bool {
    let of_it = |path: &Path| path.root == Root::Param(index as u32);
    let value_of_it = |value: &Value| match value {
        Value::Entry { path, .. }
        | Value::Inside(path)
        | Value::Bits { path, .. }
        | Value::Word { of: Some(path), .. } => of_it(path),
        _ => false,
    };
    summary.effects().all(|effect| match effect {
        Effect::Store { place, value } => !of_it(place) && !value_of_it(value),
        Effect::Release { value, .. } | Effect::Keep { value, .. } => !of_it(value),
        Effect::Copy { to, from, .. } => !of_it(to) && !of_it(from),
        Effect::Calls { arguments, .. } => !arguments.iter().any(value_of_it),
        Effect::Clobber { place } | Effect::Zero { place, .. } => !of_it(place),
    })
}

/// Whether a function may give back what it gets by a parameter, or an address inside of it.
fn gives_back(summary: &Summary, index: usize) -> bool {
    let of_it = |path: &Path| path.root == Root::Param(index as u32);
    summary.outcomes.iter().any(|outcome| match &outcome.result {
        Value::Entry { path, .. }
        | Value::Inside(path)
        | Value::Bits { path, .. }
        | Value::Word { of: Some(path), .. } => of_it(path),
        Value::Parts(_) => true,
        _ => false,
    })
}
