//! A function as bytes: everything that its body says, in words that another program would use too.
//!
//! Functions and globals are numbers of [`Symbols`], types are what they are made of, names are texts. Lines count from
//! the line of the function, so that a function which only moved is still the same; places in other files (a body that
//! includes a table) have the name of the file and its own lines.

use crate::facts::endings::{Ending, Endings};
use crate::facts::targets::{Held, Targets};
use crate::reuse::symbols::{Sym, Symbols};
use crate::reuse::types::TypeDigest;
use crate::reuse::words::Words;
use std::hash::Hash;
use watertight_ir::{
    Body, Call, Callee, Const, DebugInfo, DebugTypeId, Def, FuncId, Function, Id, NameId, Op, Program, Table,
    Type,
};

/// What the words are taken from.
pub(crate) struct Content<'c> {
    pub(crate) program: &'c Program,
    pub(crate) targets: &'c Targets,
    pub(crate) endings: &'c Endings,
    /// The types of the unit of the function.
    pub(crate) types: &'c Table<DebugTypeId, TypeDigest>,
}

impl Content<'_> {
    /// Writes the body of a function.
    pub(crate) fn body(
        &self,
        words: &mut Words,
        symbols: &mut Symbols,
        id: FuncId,
        function: &Function,
        body: &Body,
    ) {
        let debug = self.program.debug(id);
        words.count(body.blocks.len());
        for block in body.blocks.values() {
            (&block.insts, &block.term, block.term_place).hash(words);
        }
        words.count(body.insts.len());
        for (inst, data) in body.insts.iter() {
            op(words, symbols, &data.op);
            (data.result, data.place).hash(words);
            if let Op::Call(call) = &data.op
                && let Callee::Pointer(_) = call.callee
            {
                held(words, symbols, self.targets.of_call(id, inst));
                held(words, symbols, self.targets.of_closed_call(id, inst));
                ending(words, symbols, self.endings.of_call(id, inst));
            }
        }
        words.count(body.values.len());
        for value in body.values.values() {
            self.ty(words, value.ty);
            match &value.def {
                Def::Const(named) => {
                    words.byte(0);
                    constant(words, symbols, named);
                }
                def @ (Def::Param(_) | Def::Inst(_)) => {
                    words.byte(1);
                    def.hash(words);
                }
            }
        }
        self.places(words, debug, function, body);
        words.count(body.variables.len());
        for variable in body.variables.values() {
            name(words, debug, variable.name);
            self.debug_type(words, variable.ty);
            (variable.place, variable.parameter, variable.home).hash(words);
        }
    }

    fn places(&self, words: &mut Words, debug: &DebugInfo, function: &Function, body: &Body) {
        let first = function.place.and_then(|place| body.places.get(place));
        words.count(body.places.len());
        for place in body.places.values() {
            match first {
                // Line 0 is none at all, and stays where it is.
                Some(first) if first.file == place.file && place.line != 0 => {
                    words.byte(0);
                    words.signed(i64::from(place.line) - i64::from(first.line));
                }
                Some(first) if first.file == place.file => words.byte(1),
                _ => {
                    words.byte(2);
                    words.text(debug.files.get(place.file).map_or("", |file| file));
                    words.number(u64::from(place.line));
                }
            }
            words.number(u64::from(place.column));
            words.flag(place.inlined_function.is_some());
            place.inlined_function.iter().for_each(|&id| name(words, debug, id));
            place.inlined_at.hash(words);
        }
    }

    pub(crate) fn ty(&self, words: &mut Words, ty: Type) {
        match ty {
            Type::Void => words.byte(0),
            Type::Int(bits) => {
                words.byte(1);
                words.number(u64::from(bits));
            }
            Type::Ptr => words.byte(2),
            Type::Float(kind) => {
                words.byte(3);
                words.byte(kind as u8);
            }
            Type::Agg(id) => {
                let aggregate = &self.program.aggregates[id];
                words.byte(4);
                words.number(aggregate.bytes);
                words.count(aggregate.parts.len());
                for &(offset, ty) in &aggregate.parts {
                    words.number(offset);
                    self.ty(words, ty);
                }
            }
        }
    }

    pub(crate) fn debug_type(&self, words: &mut Words, ty: Option<DebugTypeId>) {
        match ty.and_then(|ty| self.types.get(ty)) {
            Some(digest) => words.bytes(digest),
            None => words.bytes(&[]),
        }
    }
}

/// How a call ends that does not come back.
fn ending(words: &mut Words, symbols: &mut Symbols, ending: Option<Ending>) {
    match ending {
        None => words.byte(0),
        Some(Ending::Ends(_)) => words.byte(1),
        Some(Ending::Jumps(function)) => {
            words.byte(2);
            words.number(u64::from(symbols.meet(Sym::Func(function))));
        }
    }
}

/// What a call or a place may hold.
pub(crate) fn held(words: &mut Words, symbols: &mut Symbols, held: Option<&Held>) {
    words.flag(held.is_some());
    if let Some(Held { functions, null, open }) = held {
        words.count(functions.len());
        for &function in functions {
            words.number(u64::from(symbols.meet(Sym::Func(function))));
        }
        words.flag(*null);
        words.flag(*open);
    }
}

pub(crate) fn name(words: &mut Words, debug: &DebugInfo, id: NameId) {
    words.text(if id.index() < debug.names.len() { debug.names.get(id) } else { "" });
}

/// Whom a constant names is told by its symbol.
fn constant(words: &mut Words, symbols: &mut Symbols, constant: &Const) {
    let mut named = |kind: u8, symbol: Sym| {
        words.byte(kind);
        words.number(u64::from(symbols.meet(symbol)));
    };
    match constant {
        Const::Global { global, offset } => {
            named(0, Sym::Global(*global));
            words.signed(*offset);
        }
        Const::Func(function) => named(1, Sym::Func(*function)),
        Const::Label(function, block) => {
            named(2, Sym::Func(*function));
            block.hash(words);
        }
        Const::Bits(_) | Const::Wide(_) | Const::Undef | Const::Zero => {
            words.byte(3);
            constant.hash(words);
        }
    }
}

/// So is whom a call names. Everything else in an operation is a part of the body, and has its number there.
fn op(words: &mut Words, symbols: &mut Symbols, op: &Op) {
    let Op::Call(call) = op else {
        words.byte(0);
        return op.hash(words);
    };
    let Call { callee, args, by_value, fixed_args, variadic, no_return, returns_twice } = &**call;
    match callee {
        Callee::Direct(function) => {
            words.byte(1);
            words.number(u64::from(symbols.meet(Sym::Func(*function))));
        }
        Callee::Pointer(pointer) => {
            words.byte(2);
            pointer.hash(words);
        }
    }
    (args, by_value, fixed_args, variadic, no_return, returns_twice).hash(words);
}
