//! Bytes as LLVM bitcode, through the whole front end.
//!
//! In: any bytes. Every module in them is decoded, all its bodies are read, and it is lowered in both forms;
//! the units are joined with themselves. What must hold: no panic, no hang, no memory out of proportion;
//! the verifier has nothing to say about what comes out, and its text reads back as the same text.
//!
//! Half of the mutations are libFuzzer's own, of bytes; the other half change numbers of the bitstream where
//! they stand (see [`fields`]), so that most of a file stays readable and what is wrong is what it says.
#![no_main]

mod fields;

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use watertight_frontend::bitcode::Module;
use watertight_frontend::join::join;
use watertight_frontend::lower::{Form, lower};
use watertight_ir::Program;

fuzz_target!(|bytes: &[u8]| {
    let Ok(modules) = Module::parse_all(bytes) else { return };
    if modules.is_empty() {
        return;
    }
    for module in &modules {
        for (id, function) in module.functions() {
            if !function.is_declaration {
                // An error is an answer here.
                let _ = module.function_body(id);
            }
        }
    }
    for form in [Form::Memory, Form::Ssa] {
        let units: Vec<Program> = modules.iter().map(|module| lower(module, "fuzz.c", form)).collect();
        for unit in &units {
            check(unit);
        }
        // Every definition meets itself, which is what linkage has rules for.
        let joined = join(units.iter().chain(&units).cloned().collect());
        check(&joined);
    }
});

/// Images of this size take long to print, and the text is several times larger.
const LARGE: usize = 1 << 22;

/// Whatever the bytes were, a program that was made of them is valid and has a text form.
fn check(program: &Program) {
    if let Some(violation) = watertight_ir::verify(program).first() {
        panic!("the program is not valid: {violation}");
    }
    let images = program.globals.values().filter_map(|global| global.image.as_ref());
    if images.map(|image| image.bytes.len()).sum::<usize>() > LARGE {
        return;
    }
    let text = watertight_ir::print(program);
    match watertight_ir::parse("fuzz.ir", &text) {
        Ok(again) => assert_eq!(watertight_ir::print(&again), text, "the text changes when it is read back"),
        Err(error) => panic!("the printed program does not parse: {error}\n{text}"),
    }
}

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let mut random = Random(u64::from(seed).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    if random.below(2) == 0 {
        return libfuzzer_sys::fuzzer_mutate(data, size, max_size);
    }
    let bytes = &mut data[..size];
    let found = fields::fields(bytes);
    if found.is_empty() {
        return libfuzzer_sys::fuzzer_mutate(data, size, max_size);
    }
    for _ in 0..1 << random.below(4) {
        let field = found[random.below(found.len())];
        let old = field.get(bytes);
        let new = match random.below(8) {
            0 => random.next(),
            1 => 0,
            2 => u64::MAX,
            3 => old ^ 1 << random.below(field.room().max(1)),
            4 => random.below(16) as u64,
            5 => found[random.below(found.len())].get(bytes),
            6 => old.wrapping_add(1 + random.below(4) as u64),
            _ => old.wrapping_sub(1 + random.below(4) as u64),
        };
        field.set(bytes, new);
    }
    size
});

/// A small generator (xorshift), because a mutation must depend on its seed alone.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    fn below(&mut self, limit: usize) -> usize {
        ((self.next() >> 11) % limit as u64) as usize
    }
}
