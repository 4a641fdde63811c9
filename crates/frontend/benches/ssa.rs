//! How long SSA construction takes.
//!
//! Without arguments: on an invented program of the size of SQLite (`program`: 3,000 functions and 420,000
//! instructions in the style of unoptimised C) and on one huge function (`huge-function`). With arguments: on the
//! named one, or on programs in text form.
//! `cargo bench -p watertight-frontend --bench ssa -- sqlite.ir`

use std::time::{Duration, Instant};
use watertight_frontend::ssa::{Scratch, Stats, Surroundings, construct, construct_program};
use watertight_ir::{
    Access, BinaryOp, BlockId, Body, BodyBuilder, CompareOp, DebugInfo, Id, Op, Param, Table, Target,
    Terminator, Type, ValueId, Variable,
};

const ROUNDS: usize = 5;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    for file in args.iter().filter(|arg| arg.ends_with(".ir")) {
        let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{file}: {error}"));
        let program = watertight_ir::parse(file, &text).unwrap_or_else(|error| panic!("{error}"));
        measure(file, || program.clone(), construct_program);
    }
    for (name, functions, depth) in [("program", 3000, 3), ("huge-function", 1, 16)] {
        if args.is_empty() || args.iter().any(|arg| arg == name) {
            let bodies: Vec<Body> = (0..functions).map(|seed| Generator::body(seed, depth)).collect();
            measure(name, || bodies.clone(), |bodies| construct_all(bodies));
        }
    }
}

fn construct_all(bodies: &mut [Body]) -> Stats {
    let target = Target::default();
    let aggregates = Table::new();
    let surroundings = Surroundings { target: &target, aggregates: &aggregates };
    let (mut debug, mut scratch, mut stats) = (DebugInfo::default(), Scratch::default(), Stats::default());
    for body in bodies {
        stats += construct(surroundings, body, &mut debug, &mut scratch);
    }
    stats
}

/// Runs `work` on fresh input a few times and prints the least time.
fn measure<T>(name: &str, input: impl Fn() -> T, work: impl Fn(&mut T) -> Stats) {
    let mut best = Duration::MAX;
    let mut stats = Stats::default();
    for _ in 0..ROUNDS {
        let mut input = input();
        let start = Instant::now();
        stats = work(&mut input);
        best = best.min(start.elapsed());
    }
    let per_inst = best.as_nanos() as f64 / stats.insts_before.max(1) as f64;
    println!("{name}: {:.1} ms, {per_inst:.0} ns per instruction, {stats:?}", best.as_secs_f64() * 1e3);
}

/// Writes code as a compiler without optimisation does: every variable in memory.
struct Generator {
    random: u64,
    builder: BodyBuilder,
    block: BlockId,
    scalars: Vec<ValueId>,
    structs: Vec<ValueId>,
}

impl Generator {
    /// A body with ifs and loops nested `depth` deep.
    fn body(seed: u64, depth: u32) -> Body {
        let mut builder = BodyBuilder::new(&[Type::Int(32), Type::Ptr, Type::Ptr].map(Param::plain));
        let block = builder.block();
        let random = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut generator = Generator { random, builder, block, scalars: Vec::new(), structs: Vec::new() };
        for _ in 0..6 + 2 * depth {
            let address = generator.value(Op::Stack { bytes: 4, count: None, align: 4 }, Type::Ptr);
            generator.variable(address);
            generator.scalars.push(address);
        }
        for _ in 0..2 {
            let address = generator.value(Op::Stack { bytes: 24, count: None, align: 8 }, Type::Ptr);
            generator.variable(address);
            generator.structs.push(address);
        }
        let (addr, value) = (generator.scalars[0], generator.builder.param(0));
        generator.store(addr, value);
        generator.nest(depth);
        let value = generator.load(addr);
        generator.builder.terminate(generator.block, Terminator::Return(Some(value)), None);
        generator.builder.finish()
    }

    fn below(&mut self, limit: usize) -> usize {
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        ((self.random.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % limit as u64) as usize
    }
    fn value(&mut self, op: Op, ty: Type) -> ValueId {
        self.builder.value(self.block, op, ty, None)
    }
    fn variable(&mut self, home: ValueId) {
        let name = Id::new(0);
        self.builder.variable(Variable { name, ty: None, place: None, parameter: None, home: Some(home) });
    }
    fn load(&mut self, addr: ValueId) -> ValueId {
        self.value(Op::Load { addr, access: Access::Plain }, Type::Int(32))
    }
    fn store(&mut self, addr: ValueId, value: ValueId) {
        self.builder.effect(self.block, Op::Store { addr, value, access: Access::Plain }, None);
    }

    /// The address of a variable, a member, or something in memory.
    fn place(&mut self) -> ValueId {
        match self.below(8) {
            0 => {
                let (number, bytes) = (self.below(2), 4 * self.below(6) as i64);
                let base = self.structs[number];
                self.value(Op::Offset { base, bytes }, Type::Ptr)
            }
            1 => {
                let (base, bytes) = (self.builder.param(1), 8 * self.below(6) as i64);
                self.value(Op::Offset { base, bytes }, Type::Ptr)
            }
            _ => {
                let number = self.below(self.scalars.len());
                self.scalars[number]
            }
        }
    }

    fn statement(&mut self) {
        if self.below(40) == 0 {
            let (dst, src) = (self.structs[0], self.builder.param(2));
            let len = self.builder.int(64, 24);
            self.builder.effect(self.block, Op::MemCopy { dst, src, len, may_overlap: false }, None);
        }
        let (lhs, rhs) = (self.place(), self.place());
        let (lhs, rhs) = (self.load(lhs), self.load(rhs));
        let sum = self.value(Op::Binary { op: BinaryOp::Add, lhs, rhs }, Type::Int(32));
        let addr = self.place();
        self.store(addr, sum);
    }

    fn nest(&mut self, depth: u32) {
        (0..1 + self.below(2)).for_each(|_| self.statement());
        if depth == 0 {
            return;
        }
        let (addr, limit) = (self.place(), self.builder.int(32, 7));
        let repeats = self.below(4) == 0;
        let (head, inside, end) = (self.builder.block(), self.builder.block(), self.builder.block());
        self.builder.terminate(self.block, Terminator::Jump(head), None);
        self.block = head;
        let lhs = self.load(addr);
        let cond = self.value(Op::Compare { op: CompareOp::Ult, lhs, rhs: limit }, Type::BOOL);
        self.builder.terminate(head, Terminator::Branch { cond, then: inside, other: end }, None);
        self.block = inside;
        self.nest(depth - 1);
        self.builder.terminate(self.block, Terminator::Jump(if repeats { head } else { end }), None);
        self.block = end;
        self.nest(depth - 1);
    }
}
