//! Copies of one function that a header gave to several units.
//!
//! In: a joined program. A `static inline` function of a header is in every unit that calls it, a thousand times in
//! an operating system kernel. Out: the first copy is left and stands for the others, so that it is looked at once.
//!
//! Copies are taken for one when they have the same name, the same place in the same file and the same body, calls
//! and addresses included. What they call or refer to may be a copy itself, so this is done in rounds, callees first by
//! what the rounds find; recursive copies stay apart. Variables are taken for one too where they are part of such a
//! function: texts and other constants without a name, constants of a header, and statics of a function. (Each copy
//! of an inline function has its own static; what one call leaves there another one may find, which is no less true of
//! two calls of the same copy.) Other variables stay each unit's own.

use crate::retain::{Standing, retain};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::mem::discriminant;
use watertight_ir::{
    Body, Call, Callee, Const, Def, FuncId, Function, Global, GlobalId, Id, Inst, Linkage, Op, Program,
    Symbol, Table, Value,
};

/// Leaves one of the copies of each function and each variable, and returns how many functions went.
pub(crate) fn merge(program: &mut Program) -> usize {
    let functions = candidates(program, program.functions.iter(), function_shape);
    let globals = candidates(program, program.globals.iter(), global_shape);
    let mut twins = Twins {
        functions: (0..program.functions.len()).map(FuncId::new).collect(),
        globals: (0..program.globals.len()).map(GlobalId::new).collect(),
    };
    // Each round finds the copies whose callees an earlier one found; with nothing new there is no next one.
    loop {
        let more = twins.round(&globals, |twins, one, other| twins.same_global(program, one, other))
            + twins.round(&functions, |twins, one, other| twins.same_function(program, one, other));
        if more == 0 {
            break;
        }
    }
    remove(program, &twins)
}

/// Something that may have copies, without what it refers to.
struct Candidate<T> {
    id: T,
    /// Equal for copies.
    shape: u64,
    /// What it refers to, in order.
    symbols: Vec<Symbol>,
}

fn candidates<'p, T, D: Sync + 'p>(
    program: &Program,
    all: impl Iterator<Item = (T, &'p D)>,
    shape: impl Fn(&Program, &D) -> Option<(u64, Vec<Symbol>)> + Sync,
) -> Vec<Candidate<T>>
where
    T: Id + Send + Sync,
{
    let all: Vec<(T, &D)> = all.collect();
    let shapes = all.par_iter().with_min_len(64).filter_map(|&(id, data)| {
        let (shape, symbols) = shape(program, data)?;
        Some(Candidate { id, shape, symbols })
    });
    let found: Vec<Candidate<T>> = shapes.collect();
    let mut counts: FxHashMap<u64, u32> = FxHashMap::default();
    found.iter().for_each(|one| *counts.entry(one.shape).or_default() += 1);
    found.into_iter().filter(|one| counts[&one.shape] > 1).collect()
}

/// The first of the copies that each function and each variable is known to have, itself if it has none.
struct Twins {
    functions: Table<FuncId, FuncId>,
    globals: Table<GlobalId, GlobalId>,
}

/// What both kinds of symbols need.
trait Known: Id + Send + Sync {
    fn first(self, twins: &Twins) -> Self;
    fn set(self, twins: &mut Twins, first: Self);
}

impl Known for FuncId {
    fn first(self, twins: &Twins) -> Self {
        twins.functions[self]
    }
    fn set(self, twins: &mut Twins, first: Self) {
        twins.functions[self] = first;
    }
}

impl Known for GlobalId {
    fn first(self, twins: &Twins) -> Self {
        twins.globals[self]
    }
    fn set(self, twins: &mut Twins, first: Self) {
        twins.globals[self] = first;
    }
}

impl Twins {
    fn symbol(&self, symbol: Symbol) -> Symbol {
        match symbol {
            Symbol::Func(id) => Symbol::Func(self.functions[id]),
            Symbol::Global(id) => Symbol::Global(self.globals[id]),
            Symbol::Label(id, block) => Symbol::Label(self.functions[id], block),
        }
    }

    /// Looks for copies among candidates, and returns how many were found.
    fn round<T: Known>(&mut self, all: &[Candidate<T>], same: impl Fn(&Twins, T, T) -> bool) -> usize {
        let mut firsts: FxHashMap<u64, T> = FxHashMap::default();
        let mut found = 0;
        for one in all {
            if one.id.first(self).index() != one.id.index() {
                continue;
            }
            let mut hasher = FxHasher::default();
            one.shape.hash(&mut hasher);
            one.symbols.iter().for_each(|&symbol| self.symbol(symbol).hash(&mut hasher));
            match firsts.entry(hasher.finish()) {
                std::collections::hash_map::Entry::Vacant(entry) => {
                    entry.insert(one.id);
                }
                std::collections::hash_map::Entry::Occupied(entry) => {
                    let first = *entry.get();
                    if same(self, first, one.id) {
                        one.id.set(self, first);
                        found += 1;
                    }
                }
            }
        }
        // What stood for others may now be a copy of something earlier; only what it stands for counts.
        if found > 0 {
            for one in all {
                let mut first = one.id.first(self);
                while first.first(self).index() != first.index() {
                    first = first.first(self);
                }
                one.id.set(self, first);
            }
        }
        found
    }

    fn same_global(&self, program: &Program, one: GlobalId, other: GlobalId) -> bool {
        let (one, other) = (&program.globals[one], &program.globals[other]);
        let (Some(a), Some(b)) = (&one.image, &other.image) else { return false };
        identity(program, one) == identity(program, other)
            && (one.bytes, one.align, one.constant, one.thread_local)
                == (other.bytes, other.align, other.constant, other.thread_local)
            && a.bytes == b.bytes
            && a.relocations.len() == b.relocations.len()
            && a.relocations.iter().zip(&b.relocations).all(|(a, b)| {
                (a.offset, a.bytes, a.addend) == (b.offset, b.bytes, b.addend)
                    && self.symbol(a.target) == self.symbol(b.target)
                    && a.minus.map(|symbol| self.symbol(symbol)) == b.minus.map(|symbol| self.symbol(symbol))
            })
    }

    fn same_function(&self, program: &Program, one: FuncId, other: FuncId) -> bool {
        let (one, other) = (&program.functions[one], &program.functions[other]);
        let (Some(a), Some(b)) = (&one.body, &other.body) else { return false };
        one.name == other.name
            && home(program, one) == home(program, other)
            && one.params == other.params
            && (one.result, one.variadic) == (other.result, other.variadic)
            && one.attrs == other.attrs
            && self.same_body(a, b)
    }

    fn same_body(&self, one: &Body, other: &Body) -> bool {
        let same_lengths = one.insts.len() == other.insts.len()
            && one.values.len() == other.values.len()
            && one.places.len() == other.places.len()
            && one.variables.len() == other.variables.len();
        same_lengths
            && one.blocks == other.blocks
            && one.values.values().zip(other.values.values()).all(|(a, b)| self.same_value(a, b))
            && one.insts.values().zip(other.insts.values()).all(|(a, b)| self.same_inst(a, b))
            && one
                .places
                .values()
                .zip(other.places.values())
                .all(|(a, b)| (a.line, a.column, a.inlined_at) == (b.line, b.column, b.inlined_at))
            && one
                .variables
                .values()
                .zip(other.variables.values())
                .all(|(a, b)| (a.place, a.parameter, a.home) == (b.place, b.parameter, b.home))
    }

    fn same_value(&self, one: &Value, other: &Value) -> bool {
        one.ty == other.ty
            && match (&one.def, &other.def) {
                (Def::Const(Const::Func(a)), Def::Const(Const::Func(b))) => {
                    self.functions[*a] == self.functions[*b]
                }
                (
                    Def::Const(Const::Global { global: a, offset: x }),
                    Def::Const(Const::Global { global: b, offset: y }),
                ) => self.globals[*a] == self.globals[*b] && x == y,
                (a, b) => a == b,
            }
    }

    fn same_inst(&self, one: &Inst, other: &Inst) -> bool {
        (one.result, one.place) == (other.result, other.place)
            && match (&one.op, &other.op) {
                (Op::Call(a), Op::Call(b)) => self.same_call(a, b),
                (a, b) => a == b,
            }
    }

    fn same_call(&self, one: &Call, other: &Call) -> bool {
        let same_callee = match (one.callee, other.callee) {
            (Callee::Direct(a), Callee::Direct(b)) => self.functions[a] == self.functions[b],
            (a, b) => a == b,
        };
        same_callee
            && (&one.args, &one.by_value) == (&other.args, &other.by_value)
            && (one.fixed_args, one.variadic, one.no_return, one.returns_twice)
                == (other.fixed_args, other.variadic, other.no_return, other.returns_twice)
    }
}

/// File and line of a function's definition.
fn home<'p>(program: &'p Program, function: &Function) -> Option<(&'p str, u32)> {
    let place = function.body.as_ref()?.places.get(function.place?)?;
    Some((program.units[function.unit].debug.files.get(place.file)?, place.line))
}

/// What tells a variable from others, as far as copies go: nothing for constants without a name.
fn identity<'p>(program: &'p Program, global: &'p Global) -> Option<(&'p str, &'p str, u32)> {
    if global.constant && global.source_name.is_none() {
        return Some(("", "", 0));
    }
    // Statics of functions have the name of the function in theirs.
    if !global.constant && !global.name.contains('.') {
        return None;
    }
    let (file, line) = global.place?;
    Some((&global.name, program.units[global.unit].debug.files.get(file)?, line))
}

fn global_shape(program: &Program, global: &Global) -> Option<(u64, Vec<Symbol>)> {
    if global.linkage != Linkage::Internal {
        return None;
    }
    let image = global.image.as_ref()?;
    let mut hasher = FxHasher::default();
    identity(program, global)?.hash(&mut hasher);
    (global.bytes, global.align, &image.bytes).hash(&mut hasher);
    let mut symbols = Vec::new();
    for relocation in &image.relocations {
        (relocation.offset, relocation.addend).hash(&mut hasher);
        symbols.push(relocation.target);
        symbols.extend(relocation.minus);
    }
    Some((hasher.finish(), symbols))
}

fn function_shape(program: &Program, function: &Function) -> Option<(u64, Vec<Symbol>)> {
    if function.linkage != Linkage::Internal {
        return None;
    }
    let body = function.body.as_ref()?;
    let mut hasher = FxHasher::default();
    (&function.name, home(program, function)?, body.blocks.len(), body.values.len()).hash(&mut hasher);
    let mut symbols = Vec::new();
    for value in body.values.values() {
        match &value.def {
            Def::Const(Const::Func(id)) => symbols.push(Symbol::Func(*id)),
            Def::Const(Const::Global { global, offset }) => {
                offset.hash(&mut hasher);
                symbols.push(Symbol::Global(*global));
            }
            // The address of a label is that of one copy.
            Def::Const(Const::Label(..)) => return None,
            Def::Const(constant) => constant.hash(&mut hasher),
            Def::Param(_) | Def::Inst(_) => {}
        }
    }
    for inst in body.insts.values() {
        discriminant(&inst.op).hash(&mut hasher);
        inst.op.operands(|value| value.hash(&mut hasher));
        if let Op::Call(call) = &inst.op
            && let Callee::Direct(id) = call.callee
        {
            symbols.push(Symbol::Func(id));
        }
    }
    Some((hasher.finish(), symbols))
}

/// Takes out all but the first of the copies.
fn remove(program: &mut Program, twins: &Twins) -> usize {
    let before = program.functions.len();
    if twins.functions.iter().all(|(id, first)| id == *first) {
        return 0;
    }
    retain(
        program,
        &Standing {
            functions: twins.functions.values().copied().map(Some).collect(),
            globals: twins.globals.values().copied().map(Some).collect(),
        },
    );
    before - program.functions.len()
}

#[cfg(test)]
mod tests {
    use crate::join::join;

    /// Joins units given as text, each with a header that is its second file, and tells what is left.
    fn check(units: &[&str], functions: &[&str], globals: &[&str]) {
        let unit = |(number, text): (usize, &&str)| {
            let header = format!(
                "unit unit0 \"{number}.c\" {{\n  file file0 \"{number}.c\"\n  file file1 \"h.h\"\n}}\n"
            );
            watertight_ir::parse("unit", &format!("{header}{text}")).expect("it parses")
        };
        let program = join(units.iter().enumerate().map(unit).collect());
        assert_eq!(watertight_ir::verify(&program), []);
        let names: Vec<&str> = program.functions.values().map(|function| &*function.name).collect();
        assert_eq!(names, functions);
        let names: Vec<&str> = program.globals.values().map(|global| &*global.name).collect();
        assert_eq!(names, globals);
    }

    const CALLS: &str = "func @inner(%n: i32) -> i32 internal !file1:3:1 {\nbb0:\n  return %n !file1:3:9\n}\n\
        func @outer(%n: i32) -> i32 internal !file1:5:1 {\nbb0:\n  %r: i32 = call @inner(%n) !file1:5:9\n  return %r !file1:5:2\n}\n";

    #[test]
    fn copies_are_one_with_what_they_call() {
        let one =
            format!("{CALLS}func @a() -> i32 {{\nbb0:\n  %r: i32 = call @outer(i32 1)\n  return %r\n}}\n");
        let other =
            format!("func @b() -> i32 {{\nbb0:\n  %r: i32 = call @outer(i32 1)\n  return %r\n}}\n{CALLS}");
        check(&[&one, &other], &["inner", "outer", "a", "b"], &[]);
    }

    #[test]
    fn what_differs_stays_apart_with_its_callers() {
        let other = CALLS.replace("return %n", "return i32 7");
        check(&[CALLS, &other], &["inner", "outer", "inner", "outer"], &[]);
        // The same text at another line is another function.
        check(&[CALLS, &CALLS.replace("file1:3:", "file1:4:")], &["inner", "outer", "inner", "outer"], &[]);
    }

    #[test]
    fn texts_are_one_and_variables_are_not() {
        let text = |name: &str| {
            format!(
                "global @{name}: 4 align 1 internal constant = {{\n  0: \"one\"\n}}\n\
                 func @word() -> ptr internal !file1:3:1 {{\nbb0:\n  return ptr @{name} !file1:3:9\n}}\n"
            )
        };
        check(&[&text(".str"), &text(".str.7")], &["word"], &[".str"]);
        let variable = "global @depth: 4 align 4 internal named depth !file1:1 = { }\n\
            func @next() -> ptr internal !file1:3:1 {\nbb0:\n  return ptr @depth !file1:3:9\n}\n";
        check(&[variable, variable], &["next", "next"], &["depth", "depth"]);
        let local = variable.replace("@depth", "@next.depth");
        check(&[&local, &local], &["next"], &["next.depth"]);
    }
}
