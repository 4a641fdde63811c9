//! Modules no clang of today writes: old forms, unknown forms, and lies.

use crate::bitcode::codes::{block, constants, function, metadata, module, types};
use crate::bitcode::writer::Writer;
use crate::bitcode::{Constant, Error, FunctionBody, FunctionId, InstructionKind, Metadata, Module, Value};

/// Numbers of the types that [`file`] writes.
const INT: u64 = 0;
const POINTER: u64 = 1;
const FUNCTION: u64 = 2;

/// A file with one module of this version; `contents` follows the types.
fn file(version: u64, contents: impl FnOnce(&mut Writer)) -> Vec<u8> {
    file_by("LLVM19.1", version, contents)
}

/// The same, written by that version of LLVM.
fn file_by(producer: &str, version: u64, contents: impl FnOnce(&mut Writer)) -> Vec<u8> {
    let mut writer = Writer::file();
    module_by(producer, &mut writer, version, contents);
    writer.finish()
}

fn one_module(writer: &mut Writer, version: u64, contents: impl FnOnce(&mut Writer)) {
    module_by("LLVM19.1", writer, version, contents);
}

fn module_by(producer: &str, writer: &mut Writer, version: u64, contents: impl FnOnce(&mut Writer)) {
    writer.block(block::IDENTIFICATION, |writer| {
        writer.text(1, producer);
        writer.record(2, &[0]);
    });
    writer.block(block::MODULE, |writer| {
        writer.record(module::VERSION, &[version]);
        writer.block(block::TYPES, |writer| {
            writer.record(types::COUNT, &[3]);
            writer.record(types::INTEGER, &[32]);
            writer.record(types::OPAQUE_POINTER, &[0]);
            writer.record(types::FUNCTION, &[0, INT, INT]);
        });
        contents(writer);
    });
}

/// A definition `int f(int)` for a module of version 0 or 1, with this body.
fn one_function(writer: &mut Writer, contents: impl FnOnce(&mut Writer)) {
    writer.record(module::FUNCTION, &[FUNCTION, 0, 0, 0, 0, 0, 0, 0]);
    writer.block(block::FUNCTION, contents);
}

fn first_body<'m>(module: &'m Module<'_>) -> Result<FunctionBody<'m>, Error> {
    module.function_body(FunctionId::new(0))
}

#[test]
fn unknown_records_name_block_code_and_producer() {
    let bytes = file_by("LLVM99.0", 1, |writer| {
        one_function(writer, |writer| {
            writer.record(function::DECLARE_BLOCKS, &[1]);
            writer.record(120, &[]);
        });
    });
    let module = Module::parse(&bytes).unwrap();
    let error = first_body(&module).err().unwrap();
    let expected = Error::UnknownRecord { block: "FUNCTION", code: 120, producer: "LLVM99.0".into() };
    assert_eq!(error, expected);
    let text = error.to_string();
    assert!(text.contains("LLVM99.0") && text.contains("120") && text.contains("FUNCTION"), "{text}");

    let unknown_type = file(1, |writer| writer.record(55, &[1]));
    assert!(matches!(
        Module::parse(&unknown_type),
        Err(Error::UnknownRecord { block: "MODULE", code: 55, .. })
    ));
    let unknown_constant = file(1, |writer| {
        writer.block(block::CONSTANTS, |writer| {
            writer.record(constants::SET_TYPE, &[INT]);
            writer.record(99, &[1]);
        });
    });
    assert!(matches!(
        Module::parse(&unknown_constant),
        Err(Error::UnknownRecord { block: "CONSTANTS", code: 99, .. })
    ));
}

#[test]
fn unknown_blocks_are_skipped() {
    let bytes = file(1, |writer| {
        writer.block(77, |writer| writer.record(5, &[1, 2, 3]));
        writer.text(module::TRIPLE, "a-b-c");
    });
    assert_eq!(&*Module::parse(&bytes).unwrap().triple, "a-b-c");
}

#[test]
fn formats_of_the_future_are_refused() {
    let bytes = file_by("LLVM99.0", 3, |_| {});
    let Err(Error::Unsupported { what, producer }) = Module::parse(&bytes) else { panic!("refused") };
    assert_eq!((what, &*producer), ("a new version of the module format", "LLVM99.0"));
    let mut writer = Writer::file();
    writer.block(block::IDENTIFICATION, |writer| writer.record(2, &[1]));
    assert!(matches!(Module::parse(&writer.finish()), Err(Error::Unsupported { .. })));
    // The name stands before the epoch, in the same block.
    let mut writer = Writer::file();
    writer.block(block::IDENTIFICATION, |writer| {
        writer.text(1, "LLVM99.0");
        writer.record(2, &[1]);
    });
    let Err(error) = Module::parse(&writer.finish()).map(|_| ()) else { panic!("refused") };
    let what = "a new epoch of the bitcode format";
    assert_eq!(error, Error::Unsupported { what, producer: "LLVM99.0".into() });
}

#[test]
fn known_records_in_a_new_form_name_their_producer() {
    let short = |writer: &mut Writer| {
        writer.block(block::CONSTANTS, |writer| {
            writer.record(constants::SET_TYPE, &[INT]);
            writer.record(constants::INTEGER, &[]);
        });
    };
    let Err(error) = Module::parse(&file_by("LLVM99.0", 1, short)).map(|_| ()) else { panic!("refused") };
    assert!(matches!(&error, Error::Newer { block: "CONSTANTS", .. }), "{error:?}");
    let text = error.to_string();
    assert!(text.starts_with("bitcode written by LLVM99.0, while the newest known is LLVM 22"), "{text}");
    // From a version that is known it is what it looks like.
    assert!(matches!(Module::parse(&file(1, short)), Err(Error::Malformed { block: "CONSTANTS", .. })));
}

#[test]
fn names_of_old_modules_come_from_their_symbol_table() {
    let bytes = file(1, |writer| {
        writer.record(module::GLOBAL_VARIABLE, &[INT, 2, 0, 0, 0, 0]);
        writer.record(module::FUNCTION, &[FUNCTION, 0, 1, 0, 0, 0, 0, 0]);
        writer.block(block::VALUE_SYMBOLS, |writer| {
            writer.record(1, &[0, u64::from(b'x')]);
            writer.record(3, &[1, 0, u64::from(b'f')]);
        });
    });
    let module = Module::parse(&bytes).unwrap();
    assert_eq!(module.global_variables().next().unwrap().1.name_lossy(), "x");
    assert_eq!(module.functions().next().unwrap().1.name_lossy(), "f");
}

#[test]
fn operands_of_the_oldest_modules_are_absolute() {
    // Values: 0 the function, 1 its argument, 2 the sum.
    let bytes = file(0, |writer| {
        one_function(writer, |writer| {
            writer.record(function::DECLARE_BLOCKS, &[1]);
            writer.record(function::BINARY, &[1, 1, 0]);
            writer.record(function::RETURN, &[2]);
        });
    });
    let module = Module::parse(&bytes).unwrap();
    let body = first_body(&module).unwrap();
    let InstructionKind::Binary { left, right, .. } = body.instructions[0].kind else { panic!("a sum") };
    assert!(matches!((body.value(left), body.value(right)), (Value::Argument(0), Value::Argument(0))));
    let InstructionKind::Return { value: Some(value) } = body.instructions[1].kind else {
        panic!("a return")
    };
    assert_eq!(body.instructions[0].result, Some(value));
}

#[test]
fn switches_over_ranges_are_spelled_out() {
    // In the body: 0 the function, 1 the argument. Case 1: 5 and 7 to 9, written with their sign rotated.
    let bytes = file(1, |writer| {
        one_function(writer, |writer| {
            writer.record(function::DECLARE_BLOCKS, &[2]);
            let magic = 0x4b5 << 16;
            writer.record(function::SWITCH, &[magic, INT, 1, 0, 1, 2, 1, 10, 0, 14, 18, 1]);
            writer.record(function::RETURN, &[1]);
        });
    });
    let module = Module::parse(&bytes).unwrap();
    let body = first_body(&module).unwrap();
    let InstructionKind::Switch { cases, default, .. } = body.instructions[0].kind else {
        panic!("a switch")
    };
    assert_eq!(default.index(), 0);
    let values: Vec<_> = body
        .cases(cases)
        .iter()
        .map(|case| match body.constant(case.value) {
            Some(Constant::Integer(number)) => (*number, case.target.index()),
            other => panic!("an integer, not {other:?}"),
        })
        .collect();
    assert_eq!(values, [(5, 1), (7, 1), (8, 1), (9, 1)]);
}

#[test]
fn several_modules_are_read_one_by_one() {
    let mut writer = Writer::file();
    one_module(&mut writer, 2, |writer| {
        writer.record(module::GLOBAL_VARIABLE, &[0, 2, INT, 2, 0, 0, 0, 0]);
    });
    one_module(&mut writer, 2, |writer| {
        writer.record(module::GLOBAL_VARIABLE, &[1, 2, INT, 2, 0, 0, 0, 0]);
    });
    // One table of strings for both.
    writer.block(block::STRING_TABLE, |writer| {
        writer.id(2);
        writer.vbr(2, 5);
        writer.fixed(1, 1);
        writer.vbr(1, 8);
        writer.fixed(0, 1);
        writer.fixed(5, 3);
        writer.id(4);
        writer.vbr(3, 6);
        writer.align();
        for byte in *b"abc" {
            writer.fixed(u64::from(byte), 8);
        }
        writer.align();
    });
    let bytes = writer.finish();
    assert_eq!(Module::parse(&bytes).err(), Some(Error::ModuleCount { found: 2 }));
    let modules = Module::parse_all(&bytes).unwrap();
    let names: Vec<_> =
        modules.iter().map(|module| module.global_variables().next().unwrap().1.name_lossy()).collect();
    assert_eq!(names, ["ab", "bc"]);
}

#[test]
fn constants_that_contain_themselves_are_refused() {
    let bytes = file(1, |writer| {
        writer.block(block::CONSTANTS, |writer| {
            writer.record(constants::SET_TYPE, &[POINTER]);
            writer.record(constants::CAST, &[11, POINTER, 1]);
            writer.record(constants::CAST, &[11, POINTER, 0]);
        });
    });
    let Err(Error::Malformed { what, .. }) = Module::parse(&bytes) else { panic!("refused") };
    assert!(what.contains("contains itself"));
}

#[test]
fn types_that_contain_themselves_are_refused() {
    let mut writer = Writer::file();
    writer.block(block::MODULE, |writer| {
        writer.block(block::TYPES, |writer| {
            writer.record(types::STRUCT_ANONYMOUS, &[0, 1]);
            writer.record(types::ARRAY, &[2, 0]);
        });
    });
    let Err(Error::Malformed { what, block: "TYPE", .. }) = Module::parse(&writer.finish()).map(|_| ())
    else {
        panic!("refused")
    };
    assert!(what.contains("contains itself"));
}

#[test]
fn references_to_nothing_are_refused() {
    let body = |records: &[(u32, &[u64])]| {
        file(1, |writer| {
            one_function(writer, |writer| {
                for (code, fields) in records {
                    writer.record(*code, fields);
                }
            });
        })
    };
    let declare: (u32, &[u64]) = (function::DECLARE_BLOCKS, &[1]);
    let cases: [&[(u32, &[u64])]; 6] = [
        // An operand far ahead, with its type.
        &[declare, (function::RETURN, &[u64::from(u32::MAX) - 9, INT])],
        // A type, a block and an attribute list that do not exist.
        &[declare, (function::VA_ARG, &[INT, 1, 900]), (function::RETURN, &[1])],
        &[declare, (function::BRANCH, &[1])],
        &[declare, (function::CALL, &[8, 1 << 15, FUNCTION, 2, 1]), (function::RETURN, &[1])],
        // A block without an end, and one too few.
        &[declare, (function::BINARY, &[1, 1, 0])],
        &[(function::DECLARE_BLOCKS, &[2]), (function::RETURN, &[1])],
    ];
    for case in cases {
        let bytes = body(case);
        let module = Module::parse(&bytes).unwrap();
        assert!(matches!(first_body(&module), Err(Error::Malformed { .. })), "{case:?}");
    }
    let right = body(&[declare, (function::BINARY, &[1, 1, 0]), (function::RETURN, &[1])]);
    assert!(first_body(&Module::parse(&right).unwrap()).is_ok());
}

#[test]
fn bodies_and_definitions_must_match() {
    let missing = file(1, |writer| writer.record(module::FUNCTION, &[FUNCTION, 0, 0, 0, 0, 0, 0, 0]));
    assert!(matches!(Module::parse(&missing), Err(Error::Malformed { .. })));
    let superfluous = file(1, |writer| writer.block(block::FUNCTION, |_| {}));
    assert!(matches!(Module::parse(&superfluous), Err(Error::Malformed { .. })));
}

#[test]
fn few_bits_do_not_become_many_nodes() {
    // Each use of the abbreviation takes four bits and would make a node.
    let bytes = file(1, |writer| {
        writer.block(block::METADATA, |writer| {
            writer.id(2);
            writer.vbr(1, 5);
            writer.fixed(1, 1);
            writer.vbr(u64::from(metadata::NODE), 8);
            for _ in 0..100_000 {
                writer.id(4);
            }
        });
    });
    assert!(matches!(Module::parse(&bytes), Err(Error::Malformed { .. })));
}

#[test]
fn sizes_behind_nodes_become_numbers() {
    // As LLVM 21 and later write them: a constant, a node for it, and a type that names the node.
    let bytes = file(1, |writer| {
        writer.block(block::CONSTANTS, |writer| {
            writer.record(constants::SET_TYPE, &[INT]);
            writer.record(constants::INTEGER, &[128]);
        });
        writer.block(block::METADATA, |writer| {
            writer.record(metadata::BASIC_TYPE, &[2, 0x24, 0, 2, 0, 5]);
            writer.record(metadata::VALUE, &[INT, 0]);
            writer.record(metadata::BASIC_TYPE, &[0, 0x24, 0, 32, 0, 5]);
            writer.record(metadata::BASIC_TYPE, &[2, 0x24, 0, 0, 0, 5]);
        });
    });
    let module = Module::parse(&bytes).unwrap();
    let sizes: Vec<_> = module
        .metadata
        .iter()
        .filter_map(|node| match node {
            Metadata::BasicType(ty) => ty.size.constant(),
            _ => None,
        })
        .collect();
    assert_eq!(sizes, [64, 32, 0]);
}

#[test]
fn blocks_are_declared_once() {
    let bytes = file(1, |writer| {
        one_function(writer, |writer| {
            writer.record(function::DECLARE_BLOCKS, &[2]);
            writer.record(function::BRANCH, &[1]);
            writer.record(function::DECLARE_BLOCKS, &[1]);
        });
    });
    let module = Module::parse(&bytes).unwrap();
    assert!(first_body(&module).is_err());
}
