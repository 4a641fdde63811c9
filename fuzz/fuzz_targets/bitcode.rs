//! Bytes as LLVM bitcode, through the whole front end.
//!
//! In: any bytes. Every module in them is decoded, all its bodies are read, and it is lowered in both forms;
//! the units are joined with themselves. What must hold: no panic, no hang, no memory out of proportion;
//! the verifier has nothing to say about what comes out, and its text reads back as the same text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use watertight_frontend::bitcode::Module;
use watertight_frontend::join::join;
use watertight_frontend::lower::{Form, lower};
use watertight_ir::Program;

fuzz_target!(|bytes: &[u8]| {
    let Ok(modules) = Module::parse_all(bytes) else { return };
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
