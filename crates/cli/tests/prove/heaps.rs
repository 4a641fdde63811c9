//! Arbitrary heaps: what a caller may pass to a routine, well formed or not.
//!
//! In: a function, a seed. Out: the losses of a few calls, one after the other. The types of parameters and globals are read from the debug
//! information. A few blocks of each struct type are made, and every pointer in them, in the globals and among the
//! arguments is null or one of the blocks of its type, any of them: lists end in circles, trees share branches, back
//! links lead elsewhere. Numbers are small, so that comparisons go both ways. The caller keeps what it passes in
//! memory of its own; what can be reached from there is not kept otherwise. Static variables begin with zero.

use crate::program::called;
use crate::random::Random;
use crate::witness::Lost;
use std::collections::{BTreeMap, BTreeSet};
use watertight_interpret::{Address, End, Interpreter, Options, Value};
use watertight_ir::{
    Const, DebugInfo, DebugType, DebugTypeId, Def, FuncId, GlobalId, Linkage, Program, ctype,
};

/// Blocks of one type.
const MOST: u64 = 4;
/// Calls one after the other; static variables keep what the last left.
const CALLS: u64 = 2;
/// Steps of one call; a routine on a circle may never end.
const STEPS: u64 = 1000;

/// Bytes of heap.
const MEMORY: u64 = 1 << 13;

/// Calls a function and adds what it loses.
pub(crate) fn call(program: &Program, function: FuncId, seed: u64, lost: &mut Lost) {
    lost.begin();
    let options = Options { max_steps: STEPS, max_memory: MEMORY, ..Options::default() };
    let mut interpreter = Interpreter::with_recorder(program, options, lost);
    // Now and then there is so little memory that allocations fail.
    if seed.is_multiple_of(8) {
        interpreter.allocate(MEMORY - seed % 240);
    }
    let data = &program.functions[function];
    let debug = &program.units[data.unit].debug;
    let mut maker = Maker { program, debug, random: Random::new(seed), interpreter, blocks: BTreeMap::new() };
    let Some(DebugType::Function { params, .. }) = ctype::described(debug, data.debug_type) else {
        panic!("{} has no type", data.name)
    };
    // Before `main` there are no blocks.
    let main = &*data.name == "main";
    for id in globals(program, function).into_iter().filter(|_| !main) {
        let global = &program.globals[id];
        if let Some(address) = maker.interpreter.global_address(id)
            && !global.constant
            && global.linkage != Linkage::Internal
        {
            maker.fill(address, global.debug_type);
        }
    }
    let Some(kept) = maker.interpreter.allocate_static(8 * (params.len() as u64 + 1)) else { return };
    let calls = if main { 1 } else { CALLS };
    for _ in 0..calls {
        let mut arguments = Vec::new();
        for (position, &param) in (0..).zip(params) {
            let value = maker.value(param);
            maker.write(Address(kept.0 + 8 * position), &value.to_le_bytes());
            arguments.push(Value::Bits(value.into()));
        }
        let outcome = maker.interpreter.call(function, &arguments);
        if !matches!(outcome.end, End::Returned(_)) {
            break;
        }
        // The blocks of the first call may be released by now.
        maker.blocks.clear();
    }
}

/// The globals that a function names, or one that it calls by name.
fn globals(program: &Program, function: FuncId) -> BTreeSet<GlobalId> {
    let values =
        |function: FuncId| program.functions[function].body.iter().flat_map(|body| body.values.values());
    let named = called(program, function).into_iter().flat_map(values).filter_map(|value| match value.def {
        Def::Const(Const::Global { global, .. }) => Some(global),
        _ => None,
    });
    named.collect()
}

struct Maker<'p> {
    program: &'p Program,
    debug: &'p DebugInfo,
    random: Random,
    interpreter: Interpreter<'p>,
    /// By type, without typedefs and qualifiers.
    blocks: BTreeMap<DebugTypeId, Vec<Address>>,
}

impl Maker<'_> {
    /// A value of a scalar type.
    fn value(&mut self, ty: Option<DebugTypeId>) -> u64 {
        match ctype::pointee(self.debug, ty) {
            Some(to) => self.pointer(to),
            None => self.random.below(5),
        }
    }

    /// Null or a block of a type; the blocks are made when the type is first met.
    fn pointer(&mut self, to: Option<DebugTypeId>) -> u64 {
        let Some(to) = ctype::strip(self.debug, to) else { return 0 };
        let Some(bytes) = ctype::size(self.debug, Some(to), self.program.target.pointer_bits) else {
            return 0;
        };
        if !self.blocks.contains_key(&to) {
            let count = self.random.range(1, MOST);
            let made: Vec<Address> = (0..count).filter_map(|_| self.interpreter.allocate(bytes)).collect();
            self.blocks.insert(to, made.clone());
            for address in made {
                self.fill(address, Some(to));
            }
        }
        let blocks = &self.blocks[&to];
        let choice = self.random.below(blocks.len() as u64 + 1) as usize;
        blocks.get(choice).map_or(0, |address| address.0)
    }

    /// Gives an object of a type contents.
    fn fill(&mut self, at: Address, ty: Option<DebugTypeId>) {
        let debug = self.debug;
        match ctype::described(debug, ty) {
            Some(DebugType::Record(record)) => {
                for member in &record.members {
                    self.fill(Address(at.0 + member.offset_bits / 8), member.ty);
                }
            }
            Some(DebugType::Array { of, counts }) => {
                let bytes = ctype::size(debug, *of, self.program.target.pointer_bits).unwrap_or(1);
                let count: u64 = counts.iter().map(|count| count.unwrap_or(0)).product();
                for element in 0..count.min(8) {
                    self.fill(Address(at.0 + element * bytes), *of);
                }
            }
            Some(DebugType::Base { bits, .. }) => {
                let value = self.random.below(5).to_le_bytes();
                self.write(at, &value[..(*bits / 8).min(8) as usize]);
            }
            Some(DebugType::Pointer { .. }) => {
                let value = self.value(ty);
                self.write(at, &value.to_le_bytes());
            }
            _ => {}
        }
    }

    fn write(&mut self, at: Address, bytes: &[u8]) {
        self.interpreter.write(at, bytes).expect("the object is there");
    }
}
