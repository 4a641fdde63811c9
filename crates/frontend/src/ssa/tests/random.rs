//! Random programs behave the same before and after construction.
//!
//! The graphs are arbitrary (irreducible, with unreachable blocks and repeated edges); the statements are what a
//! compiler makes of C with structs, unions, arrays, copies, local pointers and the occasional nonsense, as an
//! access out of bounds.

use super::machine::{self, BUFFER_BYTES, End};
use crate::ssa::{Scratch, Stats, Surroundings, construct};
use watertight_ir::{
    Access, AggId, Aggregate, BinaryOp, BlockId, Body, BodyBuilder, Call, Callee, Cfg, CompareOp, Const,
    ConvertOp, FileId, FloatKind, FuncId, Function, FunctionAttrs, Id, Linkage, Op, Param, Place, PlaceId,
    Printer, Program, Table, Terminator, Type, Unit, ValueId, VarId, Variable, verify,
};

/// Reproducible random numbers (xorshift64*).
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }
    fn below(&mut self, limit: usize) -> usize {
        ((self.next() >> 33) % limit as u64) as usize
    }
    /// True once in `times` times.
    fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

const DOUBLE: Type = Type::Float(FloatKind::Double);
const SINGLE: Type = Type::Float(FloatKind::Single);
const TYPES: [Type; 8] =
    [Type::Int(8), Type::Int(16), Type::Int(32), Type::Int(32), Type::Int(64), Type::Ptr, DOUBLE, SINGLE];

/// A local object with the accesses that this program makes to it.
struct Object {
    address: ValueId,
    bytes: u64,
    fields: Vec<(u64, Type)>,
}

struct Generator<'a> {
    random: &'a mut Random,
    builder: BodyBuilder,
    aggregates: &'a Table<AggId, Aggregate>,
    objects: Vec<Object>,
    /// Scalar objects that hold addresses of other objects.
    pointers: Vec<ValueId>,
    block: BlockId,
    /// Scalars that may be used in the current block.
    values: Vec<ValueId>,
    place: PlaceId,
}

fn aggregates() -> Table<AggId, Aggregate> {
    let aggregate = |bytes, parts: &[(u64, Type)]| Aggregate { bytes, parts: parts.into() };
    [
        aggregate(16, &[(0, Type::Int(64)), (8, Type::Ptr)]),
        aggregate(8, &[(0, Type::Int(32)), (4, Type::Int(32))]),
        aggregate(16, &[(0, Type::Int(8)), (8, DOUBLE)]),
    ]
    .into_iter()
    .collect()
}

const PARAMS: [Type; 4] = [Type::Int(32), Type::Int(64), Type::Ptr, Type::Ptr];
/// How many functions a body may call.
const CALLEES: usize = 4;

/// A program of one unit whose last function is `body`.
fn program(body: Body, aggregates: &Table<AggId, Aggregate>) -> Program {
    let mut program = Program { aggregates: aggregates.clone(), ..Program::default() };
    let mut unit = Unit::default();
    unit.debug.names.intern("object");
    unit.debug.files.push("random.c".into());
    let unit = program.units.push(unit);
    let declared = |name: String| Function {
        name: name.into(),
        unit,
        linkage: Linkage::External,
        params: Box::default(),
        result: Type::Void,
        variadic: true,
        attrs: FunctionAttrs::default(),
        place: None,
        debug_type: None,
        body: None,
    };
    for number in 0..CALLEES {
        program.functions.push(declared(format!("callee{number}")));
    }
    program.functions.push(Function {
        params: PARAMS.map(Param::plain).into(),
        result: Type::Int(64),
        variadic: false,
        body: Some(body),
        ..declared("random".into())
    });
    program
}

fn body(program: &Program) -> &Body {
    program.functions[FuncId::new(CALLEES)].body.as_ref().unwrap()
}

fn dump(program: &Program) -> String {
    let mut text = String::new();
    Printer::new(program).function(&mut text, FuncId::new(CALLEES)).unwrap();
    text
}

/// A body with parameters `(i32, i64, ptr, ptr)` that returns an `i64`.
fn generate(random: &mut Random, aggregates: &Table<AggId, Aggregate>) -> Body {
    let params = PARAMS.map(Param::plain);
    let mut builder = BodyBuilder::new(&params);
    let blocks = 1 + random.below(9);
    for _ in 0..blocks {
        builder.block();
    }
    let place = Place { file: FileId::new(0), line: 1, column: 1, inlined_function: None, inlined_at: None };
    let place = builder.place(place);
    let block = BlockId::new(0);
    let mut generator = Generator {
        random,
        builder,
        aggregates,
        objects: Vec::new(),
        pointers: Vec::new(),
        block,
        values: Vec::new(),
        place,
    };
    generator.declare();
    let mut ends = Vec::new();
    for index in 0..blocks {
        generator.block = BlockId::new(index);
        let kept = generator.values.len();
        for _ in 0..generator.random.below(7) {
            generator.statement();
        }
        ends.push(generator.terminate(blocks));
        // Only what the entry and the parameters give dominates all other blocks.
        if index > 0 {
            generator.values.truncate(kept);
        }
    }
    generator.add_phis(&ends);
    generator.builder.finish()
}

impl Generator<'_> {
    fn declare(&mut self) {
        self.values.extend((0..4).map(|index| self.builder.param(index)));
        for _ in 0..1 + self.random.below(6) {
            let scalar = self.random.once_in(2);
            let ty = self.random.pick(&TYPES);
            let bytes = if scalar { ty.store_bytes(64) } else { 1 + self.random.below(40) as u64 };
            let mut fields = Vec::new();
            if scalar {
                fields.push((0, ty));
                if self.random.once_in(4) {
                    fields.extend(TYPES.iter().filter(|t| t.bits(64) == ty.bits(64)).map(|&t| (0, t)));
                }
            } else {
                self.fields(bytes, &mut fields);
            }
            let op = Op::Stack { bytes, count: None, align: 8 };
            let address = self.value(op, Type::Ptr);
            self.builder.variable(Variable {
                name: Id::new(0),
                ty: None,
                place: None,
                parameter: None,
                home: Some(address),
            });
            self.objects.push(Object { address, bytes, fields });
        }
        for _ in 0..self.random.below(3) {
            let address = self.value(Op::Stack { bytes: 8, count: None, align: 8 }, Type::Ptr);
            self.pointers.push(address);
        }
    }

    /// Fields one after the other, with padding and sometimes another view of the same bytes.
    fn fields(&mut self, bytes: u64, fields: &mut Vec<(u64, Type)>) {
        let mut offset = 0;
        let views = self.random.once_in(3);
        while offset < bytes {
            let ty = self.random.pick(&TYPES);
            let end = offset + ty.store_bytes(64);
            if end <= bytes {
                fields.push((offset, ty));
                if views && self.random.once_in(3) {
                    let other = self.random.pick(&TYPES);
                    if offset + other.store_bytes(64) <= bytes {
                        fields.push((offset, other));
                    }
                }
            }
            offset = end + self.random.pick(&[0, 0, 0, 1, 3]);
        }
        // A field that is not accessed by itself.
        if fields.len() > 1 && self.random.once_in(2) {
            fields.remove(self.random.below(fields.len()));
        }
    }

    fn value(&mut self, op: Op, ty: Type) -> ValueId {
        self.builder.value(self.block, op, ty, Some(self.place))
    }
    fn effect(&mut self, op: Op) {
        self.builder.effect(self.block, op, Some(self.place));
    }

    /// Some value of type `ty`.
    fn operand(&mut self, ty: Type) -> ValueId {
        let known: Vec<ValueId> =
            self.values.iter().copied().filter(|&value| self.builder.body.ty(value) == ty).collect();
        if !known.is_empty() && !self.random.once_in(4) {
            return self.random.pick(&known);
        }
        let bits = self.random.below(5) as u64;
        match ty {
            Type::Int(width) => self.builder.int(width, bits),
            _ => self.builder.constant(ty, Const::Bits(bits)),
        }
    }

    fn object(&mut self) -> (ValueId, u64, Vec<(u64, Type)>) {
        let index = self.random.below(self.objects.len());
        let object = &self.objects[index];
        (object.address, object.bytes, object.fields.clone())
    }

    fn beyond(&mut self, base: ValueId, offset: i64) -> ValueId {
        if offset == 0 && !self.random.once_in(6) {
            return base;
        }
        let step = self.random.below(2) as i64 * 2;
        let first = if step == 0 { base } else { self.value(Op::Offset { base, bytes: step }, Type::Ptr) };
        self.value(Op::Offset { base: first, bytes: offset - step }, Type::Ptr)
    }

    fn access(&mut self) -> Access {
        if self.random.once_in(150) { Access::Volatile } else { Access::Plain }
    }

    fn statement(&mut self) {
        match self.random.below(18) {
            0..=4 => {
                let (address, _, fields) = self.object();
                if !fields.is_empty() {
                    let (offset, ty) = self.random.pick(&fields);
                    let (value, access) = (self.operand(ty), self.access());
                    let addr = self.beyond(address, offset as i64);
                    self.effect(Op::Store { addr, value, access });
                }
            }
            5..=8 => {
                let (address, _, fields) = self.object();
                if !fields.is_empty() {
                    let (offset, ty) = self.random.pick(&fields);
                    let addr = self.beyond(address, offset as i64);
                    let access = self.access();
                    let value = self.value(Op::Load { addr, access }, ty);
                    self.values.push(value);
                }
            }
            9 => {
                let (address, bytes, fields) = self.object();
                let (start, len) = self.range(bytes, &fields);
                let addr = self.beyond(address, start as i64);
                let byte = self.builder.int(8, self.random.clone_below(3));
                let len = self.builder.int(64, len);
                self.effect(Op::MemFill { dst: addr, byte, len });
            }
            10 | 11 => self.copy(),
            12 => {
                let ty = self.random.pick(&[Type::Int(32), Type::Int(64)]);
                let op = self.random.pick(&[BinaryOp::Add, BinaryOp::Xor]);
                let (lhs, rhs) = (self.operand(ty), self.operand(ty));
                let value = self.value(Op::Binary { op, lhs, rhs }, ty);
                self.values.push(value);
            }
            13 => self.call(),
            14 => self.aggregate(),
            15 | 16 => self.through_pointer(),
            _ => self.oddity(),
        }
    }

    /// A range of bytes that mostly ends where fields do.
    fn range(&mut self, bytes: u64, fields: &[(u64, Type)]) -> (u64, u64) {
        if fields.is_empty() || self.random.once_in(3) {
            return (0, bytes);
        }
        let (start, _) = self.random.pick(fields);
        let (last, ty) = self.random.pick(fields);
        let end = last + ty.store_bytes(64);
        if end > start { (start, end - start) } else { (0, bytes) }
    }

    fn copy(&mut self) {
        let (address, bytes, fields) = self.object();
        let (start, len) = self.range(bytes, &fields);
        let own = self.beyond(address, start as i64);
        let (other, len) = if self.random.once_in(2) {
            let (address, bytes, fields) = self.object();
            let (start, _) = self.range(bytes, &fields);
            (self.beyond(address, start as i64), len.min(bytes - start))
        } else {
            let start = self.random.below(BUFFER_BYTES - len as usize) as i64;
            let base = self.builder.param(2 + self.random.below(2));
            (self.beyond(base, start), len)
        };
        let (dst, src) = if self.random.once_in(2) { (own, other) } else { (other, own) };
        let len = self.builder.int(64, len);
        self.effect(Op::MemCopy { dst, src, len, may_overlap: true });
    }

    fn call(&mut self) {
        let mut args: Vec<ValueId> = (0..self.random.below(3)).map(|_| self.operand(Type::Int(32))).collect();
        if self.random.once_in(6) {
            args.push(self.object().0);
        }
        if self.random.once_in(2) {
            args.push(self.operand(Type::Ptr));
        }
        let call = Call {
            callee: Callee::Direct(FuncId::new(self.random.below(3))),
            fixed_args: args.len() as u32,
            args: args.into(),
            by_value: Box::default(),
            variadic: false,
            no_return: false,
            returns_twice: false,
        };
        let value = self.value(Op::Call(Box::new(call)), Type::Int(32));
        self.values.push(value);
    }

    fn aggregate(&mut self) {
        let (address, bytes, _) = self.object();
        let id = AggId::new(self.random.below(self.aggregates.len()));
        let Aggregate { bytes: size, parts } = self.aggregates[id].clone();
        if size > bytes {
            return;
        }
        let addr = self.beyond(address, 0);
        let access = Access::Plain;
        if self.random.once_in(2) {
            let parts = parts.iter().map(|&(_, ty)| self.operand(ty)).collect();
            let value = self.value(Op::Pack { parts }, Type::Agg(id));
            self.effect(Op::Store { addr, value, access });
        } else {
            let aggregate = self.value(Op::Load { addr, access }, Type::Agg(id));
            let part = self.random.below(parts.len());
            let op = Op::Extract { aggregate, part: part as u32 };
            let value = self.value(op, parts[part].1);
            self.values.push(value);
        }
    }

    /// Takes the address of an object into a local pointer, or uses the object through it.
    fn through_pointer(&mut self) {
        if self.pointers.is_empty() {
            return;
        }
        let pointer = self.random.pick(&self.pointers.clone());
        let (address, _, fields) = self.object();
        let access = Access::Plain;
        if self.random.once_in(3) {
            self.effect(Op::Store { addr: pointer, value: address, access });
        } else if !fields.is_empty() {
            let base = self.value(Op::Load { addr: pointer, access }, Type::Ptr);
            let (offset, ty) = self.random.pick(&fields);
            let addr = self.beyond(base, offset as i64);
            if self.random.once_in(2) {
                let value = self.operand(ty);
                self.effect(Op::Store { addr, value, access });
            } else {
                let value = self.value(Op::Load { addr, access }, ty);
                self.values.push(value);
            }
        }
    }

    fn oddity(&mut self) {
        let (address, bytes, _) = self.object();
        match self.random.below(12) {
            0 => {
                let addr = self.beyond(address, bytes as i64 - 1);
                self.value(Op::Load { addr, access: Access::Plain }, Type::Int(32));
            }
            1 => {
                let addr = self.beyond(address, -1);
                let value = self.operand(Type::Int(8));
                self.effect(Op::Store { addr, value, access: Access::Plain });
            }
            2 => {
                let local = self.value(Op::Stack { bytes: 4, count: None, align: 4 }, Type::Ptr);
                let value = self.operand(Type::Int(32));
                self.effect(Op::Store { addr: local, value, access: Access::Plain });
                let value = self.value(Op::Load { addr: local, access: Access::Plain }, Type::Int(32));
                self.values.push(value);
            }
            3 => {
                let len = self.builder.int(64, 0);
                let src = self.builder.param(2);
                self.effect(Op::MemCopy { dst: address, src, len, may_overlap: false });
            }
            _ => {
                let value = self.operand(Type::Int(64));
                let op = Op::Convert { op: ConvertOp::Truncate, value };
                let value = self.value(op, Type::Int(32));
                self.values.push(value);
            }
        }
    }

    /// Ends the block and returns an `i32` and an address that are defined at its end.
    fn terminate(&mut self, blocks: usize) -> (ValueId, ValueId) {
        let end = self.operand(Type::Int(32));
        let (mut address, ..) = self.object();
        if self.random.once_in(2) {
            address = self.beyond(address, 0);
        }
        let target = |random: &mut Random| BlockId::new(1 + random.below(blocks - 1));
        let term = match self.random.below(8) {
            choice if blocks == 1 || choice == 0 => Terminator::Return(Some(self.operand(Type::Int(64)))),
            1 | 2 => Terminator::Jump(target(self.random)),
            3 => {
                let cases = (0..1 + self.random.below(3)).map(|case| (case as u128, target(self.random)));
                let cases = cases.collect();
                Terminator::Switch { value: end, cases, default: target(self.random) }
            }
            4 => Terminator::Choose { targets: [target(self.random), target(self.random)].into() },
            _ => {
                let limit = self.builder.int(32, self.random.clone_below(4) + 1);
                let masked = Op::Binary { op: BinaryOp::And, lhs: end, rhs: limit };
                let lhs = self.value(masked, Type::Int(32));
                let op = self.random.pick(&[CompareOp::Eq, CompareOp::Ult]);
                let cond = self.value(Op::Compare { op, lhs, rhs: limit }, Type::BOOL);
                Terminator::Branch { cond, then: target(self.random), other: target(self.random) }
            }
        };
        self.builder.terminate(self.block, term, Some(self.place));
        (end, address)
    }

    /// Some joins get a phi of what their predecessors end with, which a call shows. Rarely this is an address,
    /// through which the join reads.
    fn add_phis(&mut self, ends: &[(ValueId, ValueId)]) {
        let cfg = Cfg::new(&self.builder.body);
        for block in (1..ends.len()).map(BlockId::new) {
            let sources = cfg.predecessors(block);
            if sources.is_empty() || self.random.once_in(2) {
                continue;
            }
            let mut insts = Vec::new();
            let mut add = |builder: &mut BodyBuilder, op, ty| {
                let (inst, value) = builder.detached(op, ty, None);
                insts.push(inst);
                value
            };
            let mut merge = |builder: &mut BodyBuilder, ty, end: fn((ValueId, ValueId)) -> ValueId| {
                let incoming = sources.iter().map(|&source| (source, end(ends[source.index()]))).collect();
                add(builder, Op::Phi { incoming }, ty).unwrap()
            };
            let number = merge(&mut self.builder, Type::Int(32), |(number, _)| number);
            let mut args = vec![number];
            if self.random.once_in(8) {
                let addr = merge(&mut self.builder, Type::Ptr, |(_, address)| address);
                let load = Op::Load { addr, access: Access::Plain };
                args.extend(add(&mut self.builder, load, Type::Int(8)));
            }
            let call = Call {
                callee: Callee::Direct(FuncId::new(3)),
                fixed_args: args.len() as u32,
                args: args.into(),
                by_value: Box::default(),
                variadic: false,
                no_return: false,
                returns_twice: false,
            };
            add(&mut self.builder, Op::Call(Box::new(call)), Type::Void);
            self.builder.body.blocks[block].insts.splice(0..0, insts);
        }
    }
}

impl Random {
    fn clone_below(&mut self, limit: usize) -> u64 {
        self.below(limit) as u64
    }
}

/// The assignments to variables that are values now, in order.
fn assignments(body: &Body, all: &[machine::Assignment]) -> Vec<machine::Assignment> {
    all.iter().copied().filter(|(variable, _)| body.variables[*variable].home.is_none()).collect()
}

fn check(seed: u64, scratch: &mut Scratch) -> Stats {
    let aggregates = aggregates();
    let before = program(generate(&mut Random::new(seed), &aggregates), &aggregates);
    assert_eq!(verify(&before), [], "seed {seed} makes a valid program");
    let construct = |program: &Program, scratch: &mut Scratch| {
        let mut program = program.clone();
        let surroundings = Surroundings { target: &program.target, aggregates: &program.aggregates };
        let body = program.functions[FuncId::new(CALLEES)].body.as_mut().unwrap();
        let debug = &mut program.units[Id::new(0)].debug;
        let stats = construct(surroundings, body, debug, scratch);
        (program, stats)
    };
    let (after, stats) = construct(&before, scratch);
    let dumps = || format!("seed {seed}\nbefore {}\nafter {}", dump(&before), dump(&after));
    assert_eq!(verify(&after), [], "{}", dumps());

    for number in [0, 1, 6] {
        let args = [number, number * 3, machine::buffer(0), machine::buffer(1)];
        let (expected, stores) = machine::run(body(&before), &aggregates, &args, 40);
        let (outcome, names) = machine::run(body(&after), &aggregates, &args, 40);
        assert_eq!(outcome, expected, "{}", dumps());
        assert_ne!(expected.end, End::Trap("end of control"), "seed {seed} leaves its graph");
        // A copy or fill of a scalar is a store afterwards, so only pure stores can be compared.
        let moves = |op: &Op| matches!(op, Op::MemCopy { .. } | Op::MemFill { .. });
        if !body(&before).insts.values().any(|inst| moves(&inst.op)) {
            let direct = |all: &[_]| {
                let mut all = assignments(body(&after), all);
                all.retain(|(variable, _)| direct(body(&before), *variable));
                all
            };
            assert_eq!(direct(&names), direct(&stores), "{}", dumps());
        }
    }
    let (fresh, _) = construct(&before, &mut Scratch::default());
    assert_eq!(fresh, after, "seed {seed}: the result depends on the work space");
    let (twice, _) = construct(&after, scratch);
    let args = [5, 8, machine::buffer(0), machine::buffer(1)];
    let runs = [&before, &twice].map(|program| machine::run(body(program), &aggregates, &args, 40).0);
    assert_eq!(runs[0], runs[1], "seed {seed}: a second construction changes what the body does");
    stats
}

/// Whether the object of the variable is only accessed as a scalar, by its own address.
fn direct(body: &Body, variable: VarId) -> bool {
    let home = body.variables[variable].home;
    let whole = |value: ValueId| matches!(body.ty(value), Type::Agg(_));
    !body.insts.values().any(|inst| match inst.op {
        Op::Offset { base, .. } => Some(base) == home,
        Op::Store { addr, value, .. } => Some(value) == home || Some(addr) == home && whole(value),
        Op::Load { addr, .. } => Some(addr) == home && inst.result.is_some_and(whole),
        _ => false,
    })
}

#[test]
fn random_programs_behave_the_same_after_construction() {
    let mut scratch = Scratch::default();
    let mut stats = Stats::default();
    for seed in 0..4000 {
        stats += check(seed, &mut scratch);
    }
    // The programs are worth something: all of this happens often.
    assert!(
        stats.split > 1000 && stats.promoted > 5000 && stats.phis > 1000 && stats.blocks > 1000,
        "{stats:?}"
    );
}
