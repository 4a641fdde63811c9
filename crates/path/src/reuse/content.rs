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
use watertight_ir::{
    Body, Call, Callee, Const, DebugInfo, DebugTypeId, Def, FuncId, Function, Id, NameId, Op, PlaceId,
    Program, Table, Terminator, Type, ValueId,
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
            words.count(block.insts.len());
            block.insts.iter().for_each(|inst| words.count(inst.index()));
            terminator(words, &block.term);
            place(words, block.term_place);
        }
        words.count(body.insts.len());
        for (inst, data) in body.insts.iter() {
            op(words, symbols, &data.op);
            words.maybe(data.result.map(|value| value.index() as u64));
            place(words, data.place);
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
                Def::Param(index) => {
                    words.byte(0);
                    words.number(u64::from(*index));
                }
                Def::Inst(inst) => {
                    words.byte(1);
                    words.count(inst.index());
                }
                Def::Const(constant) => {
                    words.byte(2);
                    constant_words(words, symbols, constant);
                }
            }
        }
        self.places(words, debug, function, body);
        words.count(body.variables.len());
        for variable in body.variables.values() {
            name(words, debug, variable.name);
            self.debug_type(words, variable.ty);
            place(words, variable.place);
            words.maybe(variable.parameter.map(u64::from));
            words.maybe(variable.home.map(|value| value.index() as u64));
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
            words.maybe(place.inlined_at.map(|place| place.index() as u64));
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

fn place(words: &mut Words, place: Option<PlaceId>) {
    words.maybe(place.map(|place| place.index() as u64));
}

fn value(words: &mut Words, value: ValueId) {
    words.count(value.index());
}

fn values(words: &mut Words, all: &[ValueId]) {
    words.count(all.len());
    all.iter().for_each(|&one| value(words, one));
}

fn constant_words(words: &mut Words, symbols: &mut Symbols, constant: &Const) {
    match constant {
        Const::Bits(bits) => {
            words.byte(0);
            words.number(*bits);
        }
        Const::Wide(parts) => {
            words.byte(1);
            words.count(parts.len());
            parts.iter().for_each(|&part| words.number(part));
        }
        Const::Undef => words.byte(2),
        Const::Zero => words.byte(3),
        Const::Global { global, offset } => {
            words.byte(4);
            words.number(u64::from(symbols.meet(Sym::Global(*global))));
            words.signed(*offset);
        }
        Const::Func(function) => {
            words.byte(5);
            words.number(u64::from(symbols.meet(Sym::Func(*function))));
        }
        Const::Label(function, block) => {
            words.byte(6);
            words.number(u64::from(symbols.meet(Sym::Func(*function))));
            words.count(block.index());
        }
    }
}

fn terminator(words: &mut Words, term: &Terminator) {
    match term {
        Terminator::Jump(to) => {
            words.byte(0);
            words.count(to.index());
        }
        Terminator::Branch { cond, then, other } => {
            words.byte(1);
            value(words, *cond);
            words.count(then.index());
            words.count(other.index());
        }
        Terminator::Switch { value: on, cases, default } => {
            words.byte(2);
            value(words, *on);
            words.count(cases.len());
            for (number, to) in cases {
                words.bytes(&number.to_le_bytes());
                words.count(to.index());
            }
            words.count(default.index());
        }
        Terminator::Indirect { addr, targets } => {
            words.byte(3);
            value(words, *addr);
            words.count(targets.len());
            targets.iter().for_each(|to| words.count(to.index()));
        }
        Terminator::Choose { targets } => {
            words.byte(4);
            words.count(targets.len());
            targets.iter().for_each(|to| words.count(to.index()));
        }
        Terminator::Invoke { normal, unwind } => {
            words.byte(5);
            words.count(normal.index());
            words.count(unwind.index());
        }
        Terminator::Return(result) => {
            words.byte(6);
            words.maybe(result.map(|value| value.index() as u64));
        }
        Terminator::Resume => words.byte(7),
        Terminator::Unreachable => words.byte(8),
    }
}

fn call(words: &mut Words, symbols: &mut Symbols, call: &Call) {
    let Call { callee, args, by_value, fixed_args, variadic, no_return, returns_twice } = call;
    match callee {
        Callee::Direct(function) => {
            words.byte(0);
            words.number(u64::from(symbols.meet(Sym::Func(*function))));
        }
        Callee::Pointer(pointer) => {
            words.byte(1);
            value(words, *pointer);
        }
    }
    values(words, args);
    words.count(by_value.len());
    for &(index, bytes) in by_value {
        words.number(u64::from(index));
        words.number(bytes);
    }
    words.number(u64::from(*fixed_args));
    words.flag(*variadic);
    words.flag(*no_return);
    words.flag(*returns_twice);
}

fn op(words: &mut Words, symbols: &mut Symbols, op: &Op) {
    // A number for each kind of operation, then its parts.
    let mut start = |kind: u8, all: &[ValueId]| {
        words.byte(kind);
        all.iter().for_each(|&one| value(words, one));
    };
    match op {
        Op::Stack { bytes, count, align } => {
            start(0, &[]);
            words.number(*bytes);
            words.maybe(count.map(|value| value.index() as u64));
            words.number(u64::from(*align));
        }
        Op::Load { addr, access } => {
            start(1, &[*addr]);
            words.byte(*access as u8);
        }
        Op::Store { addr, value, access } => {
            start(2, &[*addr, *value]);
            words.byte(*access as u8);
        }
        Op::Offset { base, bytes } => {
            start(3, &[*base]);
            words.signed(*bytes);
        }
        Op::Index { base, index, scale } => {
            start(4, &[*base, *index]);
            words.signed(*scale);
        }
        Op::Binary { op, lhs, rhs } => {
            start(5, &[*lhs, *rhs]);
            words.byte(*op as u8);
        }
        Op::Compare { op, lhs, rhs } => {
            start(6, &[*lhs, *rhs]);
            words.byte(*op as u8);
        }
        Op::Float { op, lhs, rhs } => {
            start(7, &[*lhs, *rhs]);
            words.byte(*op as u8);
        }
        Op::FloatNegate { value } => start(8, &[*value]),
        Op::FloatCompare { op, lhs, rhs } => {
            start(9, &[*lhs, *rhs]);
            words.byte(*op as u8);
        }
        Op::Convert { op, value } => {
            start(10, &[*value]);
            words.byte(*op as u8);
        }
        Op::Select { cond, then, other } => start(11, &[*cond, *then, *other]),
        Op::Phi { incoming } => {
            start(12, &[]);
            words.count(incoming.len());
            for &(block, from) in incoming {
                words.count(block.index());
                value(words, from);
            }
        }
        Op::Call(data) => {
            start(13, &[]);
            call(words, symbols, data);
        }
        Op::MemCopy { dst, src, len, may_overlap } => {
            start(14, &[*dst, *src, *len]);
            words.flag(*may_overlap);
        }
        Op::MemFill { dst, byte, len } => start(15, &[*dst, *byte, *len]),
        Op::Atomic { op, addr, value } => {
            start(16, &[*addr, *value]);
            words.byte(*op as u8);
        }
        Op::CompareExchange { addr, expected, new } => start(17, &[*addr, *expected, *new]),
        Op::Fence => start(18, &[]),
        Op::Bits { op, args } => {
            start(19, &[]);
            words.byte(*op as u8);
            values(words, args);
        }
        Op::Pack { parts } => {
            start(20, &[]);
            values(words, parts);
        }
        Op::Extract { aggregate, part } => {
            start(21, &[*aggregate]);
            words.number(u64::from(*part));
        }
        Op::VaStart { list } => start(22, &[*list]),
        Op::VaCopy { dst, src } => start(23, &[*dst, *src]),
        Op::VaEnd { list } => start(24, &[*list]),
        Op::VaArg { list } => start(25, &[*list]),
        Op::Name { variable, value } => {
            start(26, &[*value]);
            words.count(variable.index());
        }
        Op::Unknown(unknown) => {
            start(27, &[]);
            words.text(&unknown.what);
            values(words, &unknown.args);
        }
    }
}
