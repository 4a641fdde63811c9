//! The key of a component: a hash over everything that the results of its functions depend on.
//!
//! Evaluation sees the bodies of the functions; of every function they can lead to its signature, summary and what else
//! is known of it at that moment; of every global what is known for the whole program, and its contents where they
//! never change. What they can lead to is found by following names: from bodies to functions and globals, from summaries
//! to the globals and functions they speak of, from constant contents and places for functions to what may be there.
//! All that goes into the key, in the order in which it is met.
//!
//! Facts about the whole program (which functions a pointer may hold, which globals never change, from where code that
//! is not known may be called) are in the key of a function only as far as they are about what it can lead to. So a
//! change elsewhere that makes no difference to them makes no difference to the key.

use std::hash::Hash;
use std::sync::OnceLock;

use crate::calls::pointers::spelled_at;
use crate::context::Context;
use crate::context::uses::Facts;
use crate::facts::passed::{Given, Sight};
use crate::facts::targets::Held;
use crate::reuse::content::{Content, held, name};
use crate::reuse::kept::{Kept, Number};
use crate::reuse::symbols::{Sym, Symbols};
use crate::reuse::types::{self, TypeDigest};
use crate::reuse::words::Words;
use crate::schedule::memory::Turn;
use rustc_hash::FxHashMap;
use watertight_ir::callgraph::direct_callee;
use watertight_ir::{DebugTypeId, Endian, FuncId, GlobalId, InstId, Op, Program, Symbol, Table, UnitId};
use watertight_summary::model::Models;
use watertight_summary::property::PropertyId;
use watertight_summary::{CallAt, KindId, Summary};

/// What was found out about something once, for all keys it is part of: a hash, and the symbols that it speaks of in
/// the order of its words.
#[derive(Debug)]
struct Part {
    digest: [u8; 32],
    symbols: Vec<Sym>,
}

/// Makes keys for the components of a program.
pub(crate) struct Keys {
    base: [u8; 32],
    types: Table<UnitId, OnceLock<Table<DebugTypeId, TypeDigest>>>,
    /// What never changes of a function: its signature, and facts about the whole program.
    heads: Table<FuncId, OnceLock<Part>>,
    /// Its summary and other facts, once it has had its turn.
    known: Table<FuncId, OnceLock<Part>>,
    /// What models say of its name.
    models: Table<FuncId, OnceLock<Option<Part>>>,
    globals: Table<GlobalId, OnceLock<Part>>,
    /// Places for functions in each global, by offset.
    places: FxHashMap<GlobalId, Vec<(i64, Held)>>,
    calls: Table<FuncId, OnceLock<Calls>>,
}

/// The calls of a function, each with what it calls and which call of that it is.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    by_inst: FxHashMap<InstId, (Box<str>, u32)>,
    by_name: FxHashMap<(Box<str>, u32), InstId>,
}

/// The key of a component and the symbols that were met on the way.
pub(crate) struct Keyed {
    pub(crate) key: [u8; 32],
    pub(crate) symbols: Symbols,
}

/// What calls pass for a parameter.
fn given(words: &mut Words, given: Option<&Given>, sight: Option<Sight>) {
    words.flag(given.is_some());
    if let Some(Given { numbers, address, calls }) = given {
        words.count(numbers.len());
        numbers.iter().for_each(|&number| words.number(number));
        words.flag(*address);
        words.count(*calls);
        words.flag(sight == Some(Sight::All));
    }
}

impl Keys {
    /// `base` is a hash over what holds for the whole run: options and the version of the engine.
    pub(crate) fn new(context: &Context<'_>, base: &[u8]) -> Keys {
        let program = context.program;
        let mut words = Words::default();
        words.bytes(base);
        words.number(u64::from(program.target.pointer_bits));
        words.flag(program.target.endian == Endian::Big);
        words.flag(context.library.doubts_losses);
        let mut places: FxHashMap<GlobalId, Vec<(i64, Held)>> = FxHashMap::default();
        for (global, offset, held) in context.targets.all() {
            places.entry(global).or_default().push((offset, held.clone()));
        }
        places.values_mut().for_each(|list| list.sort_unstable_by_key(|entry| entry.0));
        let functions = program.functions.len();
        Keys {
            base: words.digest(),
            types: empty(program.units.len()),
            heads: empty(functions),
            known: empty(functions),
            models: empty(functions),
            globals: empty(program.globals.len()),
            places,
            calls: empty(functions),
        }
    }

    /// The body of a function that callers follow.
    fn followed(&self, context: &Context<'_>, words: &mut Words, symbols: &mut Symbols, id: FuncId) {
        let function = &context.program.functions[id];
        if let Some(body) = function.body.as_ref().filter(|_| context.rearranging(id).is_some()) {
            self.content(context, function.unit).body(words, symbols, id, function, body);
        }
    }

    /// The key of functions that are evaluated together, at this moment.
    pub(crate) fn of(&self, turn: Turn<'_, '_>) -> Keyed {
        let Turn { context, members, recursive, .. } = turn;
        // Most functions need less, and growing copies.
        let mut words = Words(Vec::with_capacity(1 << 14));
        let mut symbols = Symbols::default();
        words.0.extend_from_slice(&self.base);
        words.flag(recursive);
        words.count(members.len());
        for &member in members {
            symbols.meet(Sym::Func(member));
        }
        for &member in members {
            let function = &context.program.functions[member];
            let body = function.body.as_ref().expect("only bodies are evaluated");
            let content = self.content(context, function.unit);
            content.body(&mut words, &mut symbols, member, function, body);
            if let Some(claims) = context.library.claims.get(&member) {
                words.text(&format!("{claims:?}"));
            }
            words.flag(context.targets.calls_back(member));
            words.text(context.counts.words());
            for fact in context.contents.facts(member) {
                words.text(&format!("{fact:?}"));
            }
            for index in 0..function.params.len() as u32 {
                given(&mut words, context.passed.of(member, index), context.passed.sight(member));
            }
            for graph in [&context.graph, &context.order] {
                let callees = graph.callees(member);
                words.count(callees.len());
                for &callee in callees {
                    words.number(u64::from(symbols.meet(Sym::Func(callee))));
                }
            }
        }
        let mut next = 0;
        while let Some(symbol) = symbols.get(next) {
            match symbol {
                Sym::Func(function) => {
                    self.part(&mut words, &mut symbols, self.head(context, function));
                    // What members come to is what is to be found out.
                    if next >= members.len() {
                        self.summary(turn, &mut words, &mut symbols, function);
                        self.followed(context, &mut words, &mut symbols, function);
                    }
                }
                Sym::Global(global) => self.part(&mut words, &mut symbols, self.global(context, global)),
            }
            next += 1;
        }
        for rank in symbols.ranks() {
            words.number(u64::from(rank));
        }
        Keyed { key: words.digest(), symbols }
    }

    fn part(&self, words: &mut Words, symbols: &mut Symbols, part: &Part) {
        words.0.extend_from_slice(&part.digest);
        for &symbol in &part.symbols {
            words.number(u64::from(symbols.meet(symbol)));
        }
    }

    fn content<'c>(&'c self, context: &'c Context<'_>, unit: UnitId) -> Content<'c> {
        Content {
            program: context.program,
            targets: &context.targets,
            endings: &context.endings,
            types: self.types(context.program, unit),
        }
    }

    fn types(&self, program: &Program, unit: UnitId) -> &Table<DebugTypeId, TypeDigest> {
        self.types[unit].get_or_init(|| types::digests(&program.units[unit].debug))
    }

    fn head(&self, context: &Context<'_>, id: FuncId) -> &Part {
        self.heads[id].get_or_init(|| {
            let function = &context.program.functions[id];
            let content = self.content(context, function.unit);
            let mut words = Words::default();
            words.text(&function.name);
            words.byte(function.linkage as u8);
            words.count(function.params.len());
            for param in &function.params {
                content.ty(&mut words, param.ty);
                words.maybe(param.by_value);
                words.flag(param.struct_result);
                words.flag(param.non_null);
            }
            content.ty(&mut words, function.result);
            words.flag(function.variadic);
            function.attrs.hash(&mut words);
            for flag in [
                function.body.is_some(),
                context.exits(id),
                context.jumps_if_awaited(id),
                context.is_called_by_name(id),
                context.only_looks(id),
                context.calls_unknown(id),
                context.reaches_events(id),
            ] {
                words.flag(flag);
            }
            for (property, _) in context.library.properties.events(&function.name) {
                property_words(&mut words, context.library, property);
            }
            if context.reaches_events(id) {
                words.text(context.nesting.words());
            }
            content.debug_type(&mut words, function.debug_type);
            for (inst, belief) in context.beliefs.of(id) {
                words.text(&format!("{inst} {belief:?}"));
            }
            match context.library.origins.get(&function.name) {
                Some(origin) => {
                    words.count(origin.parameters.len());
                    origin.parameters.iter().for_each(|name| words.text(name));
                    words.flag(origin.variadic);
                    words.flag(origin.returns_address);
                    words.flag(origin.exits);
                }
                None => words.text("no model"),
            }
            Part { digest: words.digest(), symbols: Vec::new() }
        })
    }

    /// What is known of a function now.
    fn summary(&self, turn: Turn<'_, '_>, words: &mut Words, symbols: &mut Symbols, id: FuncId) {
        let Turn { context, view, .. } = turn;
        let function = &context.program.functions[id];
        if function.body.is_some()
            && let Some(summary) = view.summary(context, id)
        {
            let part = self.known[id].get_or_init(|| {
                let facts = context.facts[id].get().copied().unwrap_or_default();
                self.summary_part(context, facts, summary)
            });
            words.byte(0);
            self.part(words, symbols, part);
            return;
        }
        let part = self.models[id].get_or_init(|| {
            let summary = context.library.functions.get(&function.name)?;
            Some(self.summary_part(context, Facts::default(), summary))
        });
        match part {
            Some(part) => {
                words.byte(1);
                self.part(words, symbols, part);
            }
            None => words.byte(2),
        }
    }

    fn summary_part(&self, context: &Context<'_>, facts: Facts, summary: &Summary) -> Part {
        let mut words = Words::default();
        let mut namer = Namer { keys: self, context, symbols: Symbols::default() };
        let written =
            facts.write(&mut words, &mut namer).and_then(|()| summary.write(&mut words, &mut namer));
        written.expect("every symbol gets a number");
        Part { digest: words.digest(), symbols: namer.symbols.list().to_vec() }
    }

    fn global(&self, context: &Context<'_>, id: GlobalId) -> &Part {
        self.globals[id].get_or_init(|| {
            let program = context.program;
            let global = &program.globals[id];
            let mut words = Words::default();
            let mut symbols = Symbols::default();
            words.text(&global.name);
            words.byte(global.linkage as u8);
            words.number(global.bytes);
            words.number(u64::from(global.align));
            words.flag(global.constant);
            words.flag(global.thread_local);
            words.flag(global.image.is_some());
            words.flag(context.is_constant(id));
            let debug = &program.units[global.unit].debug;
            self.content(context, global.unit).debug_type(&mut words, global.debug_type);
            words.flag(global.source_name.is_some());
            global.source_name.iter().for_each(|&id| name(&mut words, debug, id));
            // Of contents that may change nobody asks.
            if let Some(image) = global.image.as_ref().filter(|_| context.is_constant(id)) {
                words.bytes(&image.bytes);
                words.count(image.relocations.len());
                for relocation in &image.relocations {
                    words.number(relocation.offset);
                    words.byte(relocation.bytes);
                    words.signed(relocation.addend);
                    for symbol in [Some(relocation.target), relocation.minus] {
                        symbol_words(&mut words, &mut symbols, symbol);
                    }
                }
            }
            // What it holds at first is known too where all else is.
            if let Some(stored) = context.stored.words(id) {
                words.text(&stored);
                global.image.iter().for_each(|image| words.bytes(&image.bytes));
            }
            let places = self.places.get(&id).map_or(&[][..], Vec::as_slice);
            words.count(places.len());
            for (offset, may_hold) in places {
                words.signed(*offset);
                held(&mut words, &mut symbols, Some(may_hold));
            }
            Part { digest: words.digest(), symbols: symbols.list().to_vec() }
        })
    }

    /// The calls of a function by what they call.
    pub(crate) fn calls(&self, program: &Program, id: FuncId) -> &Calls {
        self.calls[id].get_or_init(|| {
            let mut calls = Calls::default();
            let Some(body) = &program.functions[id].body else { return calls };
            let mut counts: FxHashMap<Box<str>, u32> = FxHashMap::default();
            for &inst in body.blocks.values().flat_map(|block| &block.insts) {
                let Op::Call(call) = &body.insts[inst].op else { continue };
                let name: Box<str> = match direct_callee(body, call) {
                    Some(callee) => program.functions[callee].name.clone(),
                    None => {
                        let spelled = spelled_at(program, &CallAt { function: id, inst });
                        format!("*{}", spelled.unwrap_or_default()).into()
                    }
                };
                let count = counts.entry(name.clone()).or_insert(0);
                calls.by_inst.insert(inst, (name.clone(), *count));
                calls.by_name.insert((name, *count), inst);
                *count += 1;
            }
            calls
        })
    }
}

impl Calls {
    /// What a call calls, and how many calls of that stand before it.
    pub(crate) fn name(&self, inst: InstId) -> Option<(&str, u32)> {
        self.by_inst.get(&inst).map(|(name, count)| (&**name, *count))
    }

    pub(crate) fn find(&self, name: &str, count: u32) -> Option<InstId> {
        self.by_name.get(&(name.into(), count)).copied()
    }
}

fn empty<K: watertight_ir::Id, V>(len: usize) -> Table<K, OnceLock<V>> {
    (0..len).map(|_| OnceLock::new()).collect()
}

fn symbol_words(words: &mut Words, symbols: &mut Symbols, symbol: Option<Symbol>) {
    use watertight_ir::Id;
    match symbol {
        None => words.byte(0),
        Some(Symbol::Func(function)) => {
            words.byte(1);
            words.number(u64::from(symbols.meet(Sym::Func(function))));
        }
        Some(Symbol::Global(global)) => {
            words.byte(2);
            words.number(u64::from(symbols.meet(Sym::Global(global))));
        }
        Some(Symbol::Label(function, block)) => {
            words.byte(3);
            words.number(u64::from(symbols.meet(Sym::Func(function))));
            words.count(block.index());
        }
    }
}

/// A kind of resource, with everything that models say of it.
pub(crate) fn kind_words(words: &mut Words, library: &Models, kind: KindId) {
    let kind = library.kinds.get(kind);
    words.text(&kind.name);
    words.text(&kind.noun);
    words.text(kind.releaser.as_deref().unwrap_or(""));
    words.flag(kind.memory);
    words.flag(kind.with_contents);
    for number in [kind.number, kind.lost_from] {
        words.flag(number.is_some());
        words.signed(number.unwrap_or(0));
    }
}

/// A property, with everything that is said of it.
pub(crate) fn property_words(words: &mut Words, library: &Models, property: PropertyId) {
    words.text(&format!("{:?}", library.properties.get(property)));
}

/// Numbers the symbols of a summary as they are met.
struct Namer<'n, 'c> {
    keys: &'n Keys,
    context: &'n Context<'c>,
    symbols: Symbols,
}

impl Number for Namer<'_, '_> {
    fn function(&mut self, function: FuncId) -> Option<u32> {
        Some(self.symbols.meet(Sym::Func(function)))
    }

    fn global(&mut self, global: GlobalId) -> Option<u32> {
        Some(self.symbols.meet(Sym::Global(global)))
    }

    fn kind(&mut self, words: &mut Words, kind: KindId) {
        kind_words(words, self.context.library, kind);
    }

    fn property(&mut self, words: &mut Words, property: PropertyId) {
        property_words(words, self.context.library, property);
    }

    fn call(&mut self, words: &mut Words, call: CallAt) -> Option<()> {
        words.number(u64::from(self.symbols.meet(Sym::Func(call.function))));
        match self.keys.calls(self.context.program, call.function).name(call.inst) {
            Some((name, count)) => {
                words.text(name);
                words.number(u64::from(count));
            }
            // Not a call: nobody will find it again.
            None => words.text("?"),
        }
        // What stands for all that a pointer may hold is named in assumptions.
        let targets = &self.context.targets;
        held(words, &mut self.symbols, targets.of_call(call.function, call.inst));
        held(words, &mut self.symbols, targets.of_closed_call(call.function, call.inst));
        Some(())
    }
}
