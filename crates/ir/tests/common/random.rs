//! Random well-formed programs, the same for the same seed.
//!
//! A body gets its graph first. Instructions are then made block by block in preorder of the dominator
//! tree, from constants and from values that dominate them; phis are filled in at the end.

use watertight_ir::*;

/// Reproducible random numbers (xorshift64*).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }
    /// A number from `0..limit`; `limit` is not zero.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        ((self.next() >> 33) % limit as u64) as usize
    }
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

const NAMES: [&str; 12] = [
    "x",
    "list",
    "next",
    "_",
    "",
    "odd name",
    "quote\"back\\slash",
    "line\nbreak",
    "ünïcode",
    "a.b",
    "$d",
    "\u{85}",
];

const FLOATS: [FloatKind; 4] = [FloatKind::Half, FloatKind::Single, FloatKind::Double, FloatKind::X87];

fn scalar(random: &mut Random) -> Type {
    match random.below(10) {
        0 => Type::Int(1),
        1 => Type::Int(8),
        2 | 3 => Type::Int(32),
        4 => Type::Int(64),
        5 => Type::Int(*random.pick(&[7, 33, 65, 128, 200])),
        6..=8 => Type::Ptr,
        _ => Type::Float(*random.pick(&FLOATS)),
    }
}

/// A whole program.
pub(crate) fn program(seed: u64) -> Program {
    let random = &mut Random::new(seed);
    let mut program = Program::default();
    if random.chance(20) {
        program.target = Target { triple: "mips-unknown".into(), pointer_bits: 32, endian: Endian::Big };
    }
    for _ in 0..1 + random.below(3) {
        program.units.push(unit(random));
    }
    program.aggregates.push(Aggregate { bytes: 16, parts: [(0, Type::Int(64)), (8, Type::Ptr)].into() });
    program.aggregates.push(Aggregate { bytes: 8, parts: [(0, Type::Int(32)), (4, Type::BOOL)].into() });
    let (globals, functions) = (random.below(5), 1 + random.below(5));
    for _ in 0..functions {
        let function = signature(random, &program);
        program.functions.push(function);
    }
    for number in 0..globals {
        let global = global(random, &program, globals, number);
        program.globals.push(global);
    }
    for id in program.functions.ids() {
        if random.chance(80) {
            define(random, &mut program, id);
        }
    }
    if random.chance(30) {
        let target = FuncId::new(random.below(functions));
        program.aliases.push((random.pick(&NAMES).to_string().into(), Symbol::Func(target)));
        let (subject, message) = (*random.pick(&NAMES), *random.pick(&NAMES));
        program.problems.push(Problem { subject: subject.into(), message: message.into() });
    }
    program
}

fn name(random: &mut Random, debug: &mut DebugInfo) -> NameId {
    let name: &str = random.pick::<&str>(&NAMES);
    debug.names.intern(name)
}

fn unit(random: &mut Random) -> Unit {
    let mut debug = DebugInfo::default();
    for number in 0..1 + random.below(3) {
        debug.files.push(format!("/src/{}{number}.c", random.pick(&NAMES)).into());
    }
    let count = 1 + random.below(12);
    for _ in 0..count {
        let ty = debug_type(random, &mut debug, count);
        debug.types.push(ty);
    }
    Unit { name: random.pick(&NAMES).to_string().into(), debug }
}

fn some_type(random: &mut Random, count: usize) -> Option<DebugTypeId> {
    random.chance(85).then(|| DebugTypeId::new(random.below(count)))
}

fn debug_type(random: &mut Random, debug: &mut DebugInfo, count: usize) -> DebugType {
    match random.below(9) {
        0 => DebugType::Opaque,
        1 => DebugType::Base { name: name(random, debug), bits: 32, encoding: *random.pick(Encoding::ALL) },
        2 => DebugType::Pointer { to: some_type(random, count) },
        3 => DebugType::Qualified { qualifier: *random.pick(Qualifier::ALL), of: some_type(random, count) },
        4 => DebugType::Typedef { name: name(random, debug), of: some_type(random, count) },
        5 => {
            let members = (0..random.below(5) as u64)
                .map(|number| Member {
                    name: random.chance(80).then(|| name(random, debug)),
                    offset_bits: number * 32,
                    bits: 32,
                    ty: some_type(random, count),
                    bit_field: random.chance(20),
                })
                .collect();
            let name = random.chance(70).then(|| name(random, debug));
            DebugType::Record(Record { kind: *random.pick(RecordKind::ALL), name, bytes: 20, members })
        }
        6 => {
            let counts =
                (0..random.below(3)).map(|_| random.chance(70).then(|| random.below(9) as u64)).collect();
            DebugType::Array { of: some_type(random, count), counts }
        }
        7 => {
            let values = (0..random.below(4)).map(|_| (name(random, debug), random.next() as i64)).collect();
            DebugType::Enum { name: random.chance(70).then(|| name(random, debug)), bits: 32, values }
        }
        _ => DebugType::Function {
            result: some_type(random, count),
            params: (0..random.below(4)).map(|_| some_type(random, count)).collect(),
            variadic: random.chance(30),
        },
    }
}

fn signature(random: &mut Random, program: &Program) -> Function {
    let unit = UnitId::new(random.below(program.units.len()));
    let params = (0..random.below(4))
        .map(|_| {
            let mut param = Param::plain(scalar(random));
            if param.ty == Type::Ptr {
                param.by_value = random.chance(20).then_some(24);
                param.struct_result = random.chance(10);
                param.non_null = random.chance(20);
            }
            param
        })
        .collect();
    let result = match random.below(5) {
        0 => Type::Void,
        1 => Type::Agg(AggId::new(0)),
        _ => scalar(random),
    };
    let attrs = FunctionAttrs {
        no_return: random.chance(10),
        cold: random.chance(10),
        read_only: random.chance(10),
        alloc_size: random.chance(20).then(|| (0, random.chance(50).then_some(1))),
        alloc_kind: if random.chance(20) { 9 } else { 0 },
        alloc_family: random.chance(20).then(|| random.pick(&NAMES).to_string().into()),
        ..FunctionAttrs::default()
    };
    Function {
        name: random.pick(&NAMES).to_string().into(),
        unit,
        linkage: *random.pick(Linkage::ALL),
        params,
        result,
        variadic: random.chance(20),
        attrs,
        place: None,
        debug_type: some_type(random, program.units[unit].debug.types.len()),
        body: None,
    }
}

fn global(random: &mut Random, program: &Program, globals: usize, number: usize) -> Global {
    let unit = UnitId::new(random.below(program.units.len()));
    let debug = &program.units[unit].debug;
    let symbol = |random: &mut Random| match random.chance(50) {
        true => Symbol::Func(FuncId::new(random.below(program.functions.len()))),
        false => Symbol::Global(GlobalId::new(random.below(globals))),
    };
    let image = random.chance(70).then(|| {
        let mut image = Image::default();
        for index in 0..random.below(120) {
            let zero = random.chance(60) || index % 30 < 12;
            image.bytes.push(if zero { 0 } else { random.next() as u8 });
        }
        for index in 0..random.below(4) {
            image.relocations.push(Relocation {
                offset: index as u64 * 16,
                bytes: *random.pick(&[4, 8]),
                target: symbol(random),
                addend: *random.pick(&[0, 8, -8]),
                minus: random.chance(20).then(|| symbol(random)),
            });
        }
        image
    });
    Global {
        name: format!("{}{}", random.pick(&NAMES), if number.is_multiple_of(2) { "" } else { "g" }).into(),
        unit,
        linkage: *random.pick(Linkage::ALL),
        bytes: 128,
        align: *random.pick(&[0, 1, 8, 16]),
        constant: random.chance(30),
        thread_local: random.chance(10),
        image,
        debug_type: some_type(random, debug.types.len()),
        place: random
            .chance(60)
            .then(|| (FileId::new(random.below(debug.files.len())), random.below(99) as u32)),
        source_name: random
            .chance(50)
            .then(|| NameId::new(random.below(debug.names.len().max(1))))
            .filter(|_| !debug.names.is_empty()),
    }
}

/// Builds one body.
struct Maker<'r> {
    random: &'r mut Random,
    builder: BodyBuilder,
    functions: usize,
    globals: usize,
    variables: usize,
    result: Type,
    /// Values that may be used at the current point.
    available: Vec<ValueId>,
}

fn define(random: &mut Random, program: &mut Program, id: FuncId) {
    let (functions, globals) = (program.functions.len(), program.globals.len());
    let function = &program.functions[id];
    let mut builder = BodyBuilder::new(&function.params);
    let debug = &mut program.units[function.unit].debug;
    for _ in 0..random.below(4) {
        let mut place = Place {
            file: FileId::new(random.below(debug.files.len())),
            line: random.below(50) as u32,
            column: random.below(9) as u32,
            inlined_function: None,
            inlined_at: None,
        };
        if random.chance(30) && !builder.body.places.is_empty() {
            place.inlined_at = Some(PlaceId::new(random.below(builder.body.places.len())));
            place.inlined_function = random.chance(80).then(|| name(random, debug));
        }
        builder.place(place);
    }
    let variables = random.below(3);
    for number in 0..variables {
        let ty = some_type(random, debug.types.len());
        let parameter = random.chance(50).then_some(number as u32);
        let name = name(random, debug);
        builder.variable(Variable { name, ty, place: None, parameter, home: None });
    }
    let available = (0..function.params.len()).map(|index| builder.param(index)).collect();
    let mut maker =
        Maker { random, builder, functions, globals, variables, result: function.result, available };
    maker.body();
    let place = maker.place();
    program.functions[id].place = place;
    program.functions[id].body = Some(maker.builder.finish());
}

impl Maker<'_> {
    fn place(&mut self) -> Option<PlaceId> {
        let count = self.builder.body.places.len();
        (count > 0 && self.random.chance(50)).then(|| PlaceId::new(self.random.below(count)))
    }

    fn constant(&mut self, ty: Type) -> ValueId {
        let bits = match self.random.below(3) {
            0 => self.random.below(3) as u64,
            1 => u64::MAX - self.random.below(3) as u64,
            _ => self.random.next(),
        };
        let constant = match ty {
            Type::Agg(_) if self.random.chance(50) => Const::Zero,
            _ if self.random.chance(10) => Const::Undef,
            Type::Agg(_) | Type::Void => Const::Undef,
            Type::Ptr => match self.random.below(5) {
                0 => Const::Func(FuncId::new(self.random.below(self.functions))),
                1 | 2 if self.globals > 0 => Const::Global {
                    global: GlobalId::new(self.random.below(self.globals)),
                    offset: *self.random.pick(&[0, 0, 8, -8, i64::MAX, i64::MIN]),
                },
                3 => Const::Bits(bits & 0xffff_ffff),
                _ => Const::Bits(0),
            },
            Type::Int(width @ 0..=64) => Const::Bits(bits & (u64::MAX >> (64 - width))),
            Type::Float(FloatKind::Half) => Const::Bits(bits & 0xffff),
            Type::Float(FloatKind::Single) => Const::Bits(bits & 0xffff_ffff),
            Type::Float(FloatKind::Double) => Const::Bits(bits),
            Type::Int(_) | Type::Float(_) => {
                let width = ty.bits(64);
                let mut words = vec![bits; width.div_ceil(64) as usize];
                if let Some(last) = words.last_mut().filter(|_| !width.is_multiple_of(64)) {
                    *last &= (1 << (width % 64)) - 1;
                }
                Const::Wide(words.into())
            }
        };
        self.builder.constant(ty, constant)
    }

    /// A value of this type that may be used here.
    fn value(&mut self, ty: Type) -> ValueId {
        let fitting: Vec<ValueId> =
            self.available.iter().copied().filter(|&value| self.builder.body.ty(value) == ty).collect();
        if fitting.is_empty() || self.random.chance(25) {
            return self.constant(ty);
        }
        *self.random.pick(&fitting)
    }

    fn int(&mut self) -> Type {
        Type::Int(*self.random.pick(&[1, 8, 32, 32, 64, 128, 33]))
    }

    fn body(&mut self) {
        let count = 1 + self.random.below(9);
        let blocks: Vec<BlockId> = (0..count).map(|_| self.builder.block()).collect();
        for &block in &blocks {
            let targets: Vec<BlockId> = match count {
                1 => Vec::new(),
                _ => (0..self.random.below(4)).map(|_| blocks[1 + self.random.below(count - 1)]).collect(),
            };
            // Operands of terminators are chosen when their block is filled.
            self.builder.terminate(block, Terminator::Choose { targets: targets.into() }, None);
        }
        let cfg = Cfg::new(&self.builder.body);
        let dominators = Dominators::new(&cfg);
        let params = std::mem::take(&mut self.available);
        let mut at_end: Table<BlockId, Vec<ValueId>> = Table::filled(count, params.clone());
        let unreachable = blocks.iter().copied().filter(|&block| !cfg.is_reachable(block));
        let order: Vec<BlockId> = dominators.preorder().iter().copied().chain(unreachable).collect();
        for &block in &order {
            let above = dominators.idom(block).map_or(params.clone(), |idom| at_end[idom].clone());
            self.available = above;
            if !cfg.predecessors(block).is_empty() {
                for _ in 0..self.random.below(3) {
                    let ty = scalar(self.random);
                    let incoming = Op::Phi { incoming: Box::default() };
                    let place = self.place();
                    let phi = self.builder.value(block, incoming, ty, place);
                    self.available.push(phi);
                }
            }
            for _ in 0..self.random.below(7) {
                self.inst(block);
            }
            self.terminator(block, cfg.raw_successors(block));
            at_end[block] = std::mem::take(&mut self.available);
        }
        for &block in &blocks {
            for inst in self.builder.body.blocks[block].insts.clone() {
                let Some(result) = self.builder.body.insts[inst].result else { continue };
                if !matches!(self.builder.body.insts[inst].op, Op::Phi { .. }) {
                    continue;
                }
                let ty = self.builder.body.ty(result);
                let mut incoming = Vec::new();
                for &source in cfg.predecessors(block) {
                    self.available = at_end[source].clone();
                    incoming.push((source, self.value(ty)));
                }
                self.builder.body.insts[inst].op = Op::Phi { incoming: incoming.into() };
            }
        }
        // Variables live in stack objects of the entry, if there are any.
        let stacks: Vec<ValueId> = at_end[blocks[0]]
            .iter()
            .copied()
            .filter(|&value| matches!(self.builder.body.def_op(value), Some(Op::Stack { .. })))
            .collect();
        for number in 0..self.variables {
            let variable = VarId::new(number);
            if !stacks.is_empty() && self.random.chance(50) {
                self.builder.body.variables[variable].home = Some(*self.random.pick(&stacks));
            }
            self.builder.body.variables[variable].place = self.place();
        }
    }

    fn terminator(&mut self, block: BlockId, targets: &[BlockId]) {
        let term = match *targets {
            [] if self.random.chance(10) => Terminator::Unreachable,
            [] if self.random.chance(10) => Terminator::Resume,
            [] if self.result == Type::Void => Terminator::Return(None),
            [] => Terminator::Return(Some(self.value(self.result))),
            [target] => Terminator::Jump(target),
            [then, other] if self.random.chance(50) => {
                Terminator::Branch { cond: self.value(Type::BOOL), then, other }
            }
            [normal, unwind] if self.random.chance(20) => Terminator::Invoke { normal, unwind },
            [ref rest @ .., default] => match self.random.below(3) {
                0 => Terminator::Indirect { addr: self.value(Type::Ptr), targets: targets.into() },
                1 => Terminator::Choose { targets: targets.into() },
                _ => {
                    let ty = self.int();
                    let Type::Int(width) = ty else { return };
                    let mask = if width == 128 { u128::MAX } else { (1 << width) - 1 };
                    let cases =
                        rest.iter().map(|&target| (u128::from(self.random.next()) & mask, target)).collect();
                    Terminator::Switch { value: self.value(ty), cases, default }
                }
            },
        };
        let place = self.place();
        self.builder.terminate(block, term, place);
    }

    fn define(&mut self, block: BlockId, op: Op, ty: Type) {
        let place = self.place();
        let value = self.builder.value(block, op, ty, place);
        self.available.push(value);
    }

    fn effect(&mut self, block: BlockId, op: Op) {
        let place = self.place();
        self.builder.effect(block, op, place);
    }

    fn inst(&mut self, block: BlockId) {
        let ptr = Type::Ptr;
        let access = *self.random.pick(&[Access::Plain, Access::Plain, Access::Volatile, Access::Atomic]);
        match self.random.below(24) {
            0 | 1 => {
                let count = if self.random.chance(20) { Some(self.value(Type::Int(64))) } else { None };
                let bytes = self.random.next() >> 48;
                self.define(block, Op::Stack { bytes, count, align: 8 }, ptr);
            }
            2 | 3 => {
                let ty = scalar(self.random);
                let op = Op::Load { addr: self.value(ptr), access };
                self.define(block, op, ty);
            }
            4 | 5 => {
                let ty = scalar(self.random);
                let op = Op::Store { addr: self.value(ptr), value: self.value(ty), access };
                self.effect(block, op);
            }
            6 => {
                let bytes = *self.random.pick(&[0, 8, -8, i64::MAX, i64::MIN]);
                let op = Op::Offset { base: self.value(ptr), bytes };
                self.define(block, op, ptr);
            }
            7 => {
                let ty = self.int();
                let scale = *self.random.pick(&[1, 8, -4]);
                let op = Op::Index { base: self.value(ptr), index: self.value(ty), scale };
                self.define(block, op, ptr);
            }
            8 | 9 => {
                let ty = self.int();
                let op = *self.random.pick(BinaryOp::ALL);
                let op = Op::Binary { op, lhs: self.value(ty), rhs: self.value(ty) };
                self.define(block, op, ty);
            }
            10 => {
                let ty = if self.random.chance(50) { ptr } else { self.int() };
                let op = *self.random.pick(CompareOp::ALL);
                let op = Op::Compare { op, lhs: self.value(ty), rhs: self.value(ty) };
                self.define(block, op, Type::BOOL);
            }
            11 => {
                let ty = Type::Float(*self.random.pick(&FLOATS));
                let (lhs, rhs) = (self.value(ty), self.value(ty));
                match self.random.below(3) {
                    0 => self.define(block, Op::FloatNegate { value: lhs }, ty),
                    1 => {
                        let op = *self.random.pick(FloatCompareOp::ALL);
                        self.define(block, Op::FloatCompare { op, lhs, rhs }, Type::BOOL);
                    }
                    _ => {
                        let op = *self.random.pick(FloatOp::ALL);
                        self.define(block, Op::Float { op, lhs, rhs }, ty);
                    }
                }
            }
            12 => self.convert(block),
            13 => {
                let ty = scalar(self.random);
                let op =
                    Op::Select { cond: self.value(Type::BOOL), then: self.value(ty), other: self.value(ty) };
                self.define(block, op, ty);
            }
            14..=16 => self.call(block),
            17 => {
                let (dst, src, len) = (self.value(ptr), self.value(ptr), self.value(Type::Int(64)));
                let may_overlap = self.random.chance(50);
                self.effect(block, Op::MemCopy { dst, src, len, may_overlap });
            }
            18 => {
                let op = Op::MemFill {
                    dst: self.value(ptr),
                    byte: self.value(Type::Int(8)),
                    len: self.value(Type::Int(32)),
                };
                self.effect(block, op);
            }
            19 => {
                let ty = Type::Int(32);
                let addr = self.value(ptr);
                if self.random.chance(50) {
                    let op = *self.random.pick(&[AtomicOp::Add, AtomicOp::Exchange, AtomicOp::UDecWrap]);
                    let op = Op::Atomic { op, addr, value: self.value(ty) };
                    self.define(block, op, ty);
                } else {
                    let op = Op::CompareExchange { addr, expected: self.value(ty), new: self.value(ty) };
                    self.define(block, op, Type::Agg(AggId::new(1)));
                }
            }
            20 => {
                let op = *self.random.pick(BitOp::ALL);
                let ty = Type::Int(32);
                let args = (0..op.arity()).map(|_| self.value(ty)).collect();
                let result = if op.reports_overflow() { Type::Agg(AggId::new(1)) } else { ty };
                self.define(block, Op::Bits { op, args }, result);
            }
            21 => {
                let agg = Type::Agg(AggId::new(0));
                if self.random.chance(50) {
                    let parts = [self.value(Type::Int(64)), self.value(ptr)].into();
                    self.define(block, Op::Pack { parts }, agg);
                } else {
                    let aggregate = self.value(agg);
                    self.define(block, Op::Extract { aggregate, part: 1 }, ptr);
                }
            }
            22 => {
                let list = self.value(ptr);
                match self.random.below(5) {
                    0 => self.effect(block, Op::VaStart { list }),
                    1 => self.effect(block, Op::VaEnd { list }),
                    2 => {
                        let src = self.value(ptr);
                        self.effect(block, Op::VaCopy { dst: list, src });
                    }
                    3 => self.define(block, Op::VaArg { list }, Type::Int(32)),
                    _ => self.effect(block, Op::Fence),
                }
            }
            _ => {
                let ty = scalar(self.random);
                if self.variables > 0 && self.random.chance(60) {
                    let variable = VarId::new(self.random.below(self.variables));
                    let value = self.value(ty);
                    self.effect(block, Op::Name { variable, value });
                } else {
                    let what = (*self.random.pick(&NAMES)).into();
                    let args = (0..self.random.below(3)).map(|_| self.value(ty)).collect();
                    let op = Op::Unknown(Box::new(Unknown { what, args }));
                    if self.random.chance(50) { self.define(block, op, ty) } else { self.effect(block, op) }
                }
            }
        }
    }

    fn convert(&mut self, block: BlockId) {
        let (small, big) = (Type::Int(8), Type::Int(*self.random.pick(&[32, 64, 128])));
        let (single, double) = (Type::Float(FloatKind::Single), Type::Float(FloatKind::Double));
        let op = *self.random.pick(ConvertOp::ALL);
        let (from, to) = match op {
            ConvertOp::Truncate => (big, small),
            ConvertOp::ZeroExtend | ConvertOp::SignExtend => (small, big),
            ConvertOp::PtrToInt => (Type::Ptr, big),
            ConvertOp::IntToPtr => (big, Type::Ptr),
            ConvertOp::FloatToUnsigned | ConvertOp::FloatToSigned => (double, big),
            ConvertOp::UnsignedToFloat | ConvertOp::SignedToFloat => (small, single),
            ConvertOp::FloatTruncate => (double, single),
            ConvertOp::FloatExtend => (single, double),
            ConvertOp::Reinterpret => (double, Type::Int(64)),
        };
        let op = Op::Convert { op, value: self.value(from) };
        self.define(block, op, to);
    }

    fn call(&mut self, block: BlockId) {
        let callee = match self.random.chance(70) {
            true => Callee::Direct(FuncId::new(self.random.below(self.functions))),
            false => Callee::Pointer(self.value(Type::Ptr)),
        };
        let mut args = Vec::new();
        let mut by_value = Vec::new();
        for index in 0..self.random.below(4) {
            let ty = scalar(self.random);
            args.push(self.value(ty));
            if ty == Type::Ptr && self.random.chance(30) {
                by_value.push((index as u32, 16));
            }
        }
        let variadic = self.random.chance(30);
        let fixed_args = if variadic { self.random.below(args.len() + 1) } else { args.len() } as u32;
        let op = Op::Call(Box::new(Call {
            callee,
            args: args.into(),
            by_value: by_value.into(),
            fixed_args,
            variadic,
            no_return: self.random.chance(10),
            returns_twice: self.random.chance(10),
        }));
        let ty = if self.random.chance(20) { Type::Agg(AggId::new(0)) } else { scalar(self.random) };
        if self.random.chance(60) { self.define(block, op, ty) } else { self.effect(block, op) }
    }
}
