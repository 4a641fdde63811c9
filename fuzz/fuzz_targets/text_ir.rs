//! Bytes as text IR: parser, verifier, printer and SSA construction.
//!
//! In: any bytes. What must hold: the parser answers with a program or an error that can be shown; the
//! verifier can look at every program that parses; its text reads back as the same text; and a program
//! that the verifier has nothing to say about has nothing to say about after SSA construction.
#![no_main]

use libfuzzer_sys::fuzz_target;
use watertight_frontend::ssa;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let mut program = match watertight_ir::parse("fuzz.ir", text) {
        Ok(program) => program,
        Err(error) => {
            let _ = error.to_string();
            return;
        }
    };
    let printed = watertight_ir::print(&program);
    match watertight_ir::parse("fuzz.ir", &printed) {
        Ok(again) => {
            assert_eq!(watertight_ir::print(&again), printed, "the text changes when it is read back")
        }
        Err(error) => panic!("the printed program does not parse: {error}\n{printed}"),
    }
    if !watertight_ir::verify(&program).is_empty() {
        return;
    }
    // Debug assertions are on, so this verifies what it makes.
    ssa::construct_program(&mut program);
    let printed = watertight_ir::print(&program);
    match watertight_ir::parse("fuzz.ir", &printed) {
        Ok(again) => {
            assert_eq!(watertight_ir::print(&again), printed, "the SSA text changes when it is read back")
        }
        Err(error) => panic!("the program in SSA form does not parse: {error}\n{printed}"),
    }
});
