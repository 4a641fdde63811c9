//! Broken bitcode gives an error or a module, never a panic.
//!
//! Small files are changed in many ways, always the same ones, and everything that can be reached from
//! what the reader accepts is looked at. `WATERTIGHT_MUTATIONS` sets how often, for longer runs.

use watertight_frontend::bitcode::{
    AttributePlace, Constant, ConstantExpression, FunctionBody, InstructionKind, MetadataId, Module, Operand,
    Type, TypeId, Value, ValueId,
};

use crate::clang::all;

/// A small generator of the same numbers on every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

fn mutate(original: &[u8], donor: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    let mut bytes = original.to_vec();
    match numbers.below(8) {
        0 => bytes.truncate(numbers.below(original.len())),
        1 => {
            // A piece of another file, at another place.
            let length = 1 + numbers.below(64);
            let from = numbers.below(donor.len().saturating_sub(length));
            let to = numbers.below(bytes.len().saturating_sub(length));
            let piece = &donor[from..(from + length).min(donor.len())];
            bytes.splice(to..(to + length).min(bytes.len()), piece.iter().copied());
        }
        2 => {
            // A piece removed, so that everything behind it moves by whole words.
            let length = 4 * (1 + numbers.below(16));
            let at = 4 * numbers.below(bytes.len() / 4);
            bytes.drain(at..(at + length).min(bytes.len()));
        }
        3 => {
            // A number that is much too large, such as a length.
            let at = 4 * numbers.below(bytes.len() / 4);
            let end = (at + 4).min(bytes.len());
            bytes[at..end].fill(0xff);
        }
        4 => {
            let at = numbers.below(bytes.len());
            let end = (at + 1 + numbers.below(16)).min(bytes.len());
            bytes[at..end].fill(0);
        }
        _ => {
            for _ in 0..1 + numbers.below(6) {
                let bit = numbers.below(bytes.len() * 8);
                bytes[bit / 8] ^= 1 << (bit % 8);
            }
        }
    }
    bytes
}

/// Looks at everything; returns how much there was, so that nothing is optimised away.
fn walk(module: &Module<'_>) -> usize {
    let mut seen = module.types().map(|(id, _)| depth(module, id)).sum::<usize>();
    for (_, global) in module.global_variables() {
        if let Some(initializer) = global.initializer {
            seen += constant_depth(&|id| module.value(id), initializer, 0);
        }
        seen += global.attachments.iter().filter(|entry| module.metadata(entry.node).is_some()).count();
    }
    seen += module.aliases().filter(|(_, alias)| module.value(alias.target).is_some()).count();
    for (id, function) in module.functions() {
        for place in [AttributePlace::Function, AttributePlace::Result, AttributePlace::Parameter(0)] {
            seen += module.attributes(function.attributes, place).count();
        }
        assert!(matches!(module.ty(function.function_type), Type::Function { .. }));
        if let Ok(body) = module.function_body(id) {
            seen += walk_body(&body);
        }
    }
    seen
}

/// How deeply a type nests; terminates only because the reader refuses types that contain themselves.
fn depth(module: &Module<'_>, id: TypeId) -> usize {
    match module.ty(id) {
        Type::Array { element, .. } | Type::Vector { element, .. } => 1 + depth(module, *element),
        Type::Struct { fields, .. } if fields.len() < 8 => {
            1 + fields.iter().map(|&field| depth(module, field)).max().unwrap_or(0)
        }
        _ => 1,
    }
}

fn constant_depth<'m>(get: &impl Fn(ValueId) -> Option<Value<'m>>, id: ValueId, level: usize) -> usize {
    assert!(level < 1000, "constants nest within bounds");
    let inner = |id: ValueId| 1 + constant_depth(get, id, level + 1);
    match get(id) {
        Some(Value::Constant(Constant::Aggregate(elements))) if elements.len() < 8 => {
            elements.iter().map(|&element| inner(element)).max().unwrap_or(0)
        }
        Some(Value::Constant(Constant::Expression(expression))) => match &**expression {
            ConstantExpression::Cast { value, .. } => inner(*value),
            ConstantExpression::GetElementPointer { base, .. } => inner(*base),
            _ => 1,
        },
        _ => 1,
    }
}

fn walk_body(body: &FunctionBody<'_>) -> usize {
    let mut seen = 0;
    let mut look = |id: ValueId| {
        seen += body.value_type(id).index();
        seen += constant_depth(&|id| Some(body.value(id)), id, 0);
        seen += body.value_name(id).map_or(0, <[u8]>::len);
    };
    for (_, block) in body.blocks() {
        for (id, instruction) in body.instructions_of(block) {
            if let Some(result) = instruction.result {
                look(result);
            }
            match instruction.kind {
                InstructionKind::Binary { left, right, .. }
                | InstructionKind::Compare { left, right, .. } => {
                    look(left);
                    look(right);
                }
                InstructionKind::Load { pointer, .. } => look(pointer),
                InstructionKind::Store { pointer, value, .. } => {
                    look(pointer);
                    look(value);
                }
                InstructionKind::Cast { value, .. } | InstructionKind::Freeze { value } => look(value),
                InstructionKind::GetElementPointer { base, indices, .. } => {
                    look(base);
                    body.values(indices).iter().copied().for_each(&mut look);
                }
                InstructionKind::Alloca { count, .. } => look(count),
                InstructionKind::Phi { incoming, .. } => {
                    for edge in body.incoming(incoming) {
                        look(edge.value);
                        body.block(edge.block);
                    }
                }
                InstructionKind::Switch { condition, cases, default, .. } => {
                    look(condition);
                    body.block(default);
                    body.cases(cases).iter().for_each(|case| look(case.value));
                }
                InstructionKind::Branch { target } => {
                    body.block(target);
                }
                InstructionKind::ConditionalBranch { condition, if_true, if_false } => {
                    look(condition);
                    body.block(if_true);
                    body.block(if_false);
                }
                InstructionKind::Call { call, .. } | InstructionKind::Invoke { call, .. } => {
                    look(call.callee);
                    for operand in body.operands(call.arguments) {
                        match *operand {
                            Operand::Value(id) => look(id),
                            Operand::Metadata(id) => {
                                if let Some(watertight_frontend::bitcode::Metadata::Value { value, .. }) =
                                    body.metadata(id)
                                {
                                    look(*value);
                                }
                            }
                            Operand::Block(id) => {
                                body.block(id);
                            }
                        }
                    }
                }
                InstructionKind::Return { value: Some(value) } => look(value),
                _ => {}
            }
            let _ = body.attachments_of(id).count() + body.debug_records_before(id).len();
            if let Some(location) = instruction.location {
                let _ = body.location(location).scope.and_then(|id| body.metadata(id));
            }
        }
    }
    let mut number = body.module.metadata_count() as u32;
    while let Some(node) = body.metadata(MetadataId::new(number)) {
        if let watertight_frontend::bitcode::Metadata::Value { value, .. } = node {
            look(*value);
        }
        number += 1;
    }
    seen
}

const PROGRAMS: [&str; 3] = [
    "struct n { struct n *next; int v[3]; }; static struct n pool[2] = {{pool + 1, {1, 2}}};
     int f(struct n *p, int k) { int s = 0; for (; p; p = p->next) s += p->v[k & 1]; return s; }
     int (*table[])(struct n *, int) = {f, 0};",
    "int g(const char *, ...); int h(int x) { switch (x) { case 1: return g(\"a%d\", x); case 7: return 2; }
     static void *t[] = {&&l, &&m}; goto *t[x]; l: return 3; m: return 4; }
     _Atomic int a; int at(int e) { __c11_atomic_fetch_add(&a, e, 5); return a; }",
    "typedef float v __attribute__((vector_size(16))); v k(v a, v b) { return a * b + (v){1, 2, 3, 4}; }
     struct big { long l[9]; }; struct big w(struct big b, int n) { char r[n]; r[0] = 1; b.l[0] = r[n - 1]; return b; }
     __int128 q = -1; long double d = 3.5L; enum e { A, B = 9 } e = B;",
];

#[test]
fn broken_bitcode_never_panics() {
    let rounds =
        std::env::var("WATERTIGHT_MUTATIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(1000);
    let mut numbers = Numbers(0x5eed_0f1e_a5e5);
    let (mut accepted, mut refused, mut seen) = (0, 0, 0usize);
    for clang in all() {
        let files: Vec<Vec<u8>> = PROGRAMS
            .iter()
            .map(|source| clang.c(source, &["-O1", "-g", "-fno-discard-value-names"]))
            .collect();
        for (index, file) in files.iter().enumerate() {
            assert!(walk(&Module::parse(file).unwrap()) > 0);
            let donor = &files[(index + 1) % files.len()];
            for _ in 0..rounds {
                let mut broken = mutate(file, donor, &mut numbers);
                if broken.len() > 64 && numbers.below(4) == 0 {
                    broken = mutate(&broken, donor, &mut numbers);
                }
                match Module::parse_all(&broken) {
                    Ok(modules) => {
                        accepted += 1;
                        seen = seen.wrapping_add(modules.iter().map(walk).sum());
                    }
                    Err(error) => {
                        refused += 1;
                        seen = seen.wrapping_add(error.to_string().len());
                    }
                }
            }
        }
    }
    // Both outcomes are common; if one vanished, the changes would no longer test much.
    assert!(accepted > 0 && refused > 0 && seen > 0, "{accepted} accepted, {refused} refused");
}
