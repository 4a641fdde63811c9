//! Spelling against `tests/ir/spell`: the expected text stands on the line of the value.

mod common;

use common::files;
use watertight_ir::{FuncId, Op, Program, Speller, Spelling, ValueId, parse, verify};

/// The value defined on a line written as the printer writes it.
fn defined(line: &str) -> Option<ValueId> {
    let number = line.trim().strip_prefix("%v")?.split([' ', ':']).next()?;
    Some(watertight_ir::Id::new(number.parse().ok()?))
}

fn shown(program: &Program, spelling: Option<Spelling>) -> String {
    match spelling {
        None => "-".into(),
        Some(spelling) if spelling.ty.is_none() => spelling.text,
        Some(spelling) => format!("{} : {}", spelling.text, spelling.type_name(program)),
    }
}

/// What the `number`th store of a function assigns to.
fn stored(program: &Program, function: FuncId, speller: &Speller<'_>, number: usize) -> String {
    let body = program.functions[function].body.as_ref().expect("it has a body");
    let stores = body.insts.values().filter_map(|inst| match inst.op {
        Op::Store { addr, value, .. } => Some((addr, body.ty(value))),
        _ => None,
    });
    let (addr, ty) = stores.into_iter().nth(number).expect("there are so many stores");
    speller.object(addr, ty).map_or("-".into(), |spelling| spelling.text)
}

#[test]
fn values_are_spelled_as_in_the_source() {
    for (file, text) in files("spell") {
        let program = parse(&file, &text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(verify(&program), [], "{file}");
        let mut current = None;
        let mut stores = 0;
        let mut checked = 0;
        for (number, line) in text.lines().enumerate() {
            if let Some(name) = line.strip_prefix("func @") {
                let name = name.split('(').next().unwrap_or_default();
                let function = program.function_named(name).expect("the function is there");
                current = Some((function, Speller::new(&program, function).expect("it has a body")));
                stores = 0;
            }
            let Some((function, speller)) = &current else { continue };
            let at = format!("{file}:{}", number + 1);
            if let Some((code, expected)) = line.split_once("; spell: ") {
                let value = defined(code).unwrap_or_else(|| panic!("{at}: no value is defined here"));
                assert_eq!(shown(&program, speller.value(value)), expected.trim(), "{at}");
                checked += 1;
            }
            if line.trim_start().starts_with("store ") {
                if let Some((_, expected)) = line.split_once("; stores: ") {
                    assert_eq!(stored(&program, *function, speller, stores), expected.trim(), "{at}");
                    checked += 1;
                }
                stores += 1;
            }
        }
        assert!(checked > 0, "{file} expects nothing");
    }
}
