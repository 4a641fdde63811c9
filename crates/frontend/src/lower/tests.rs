//! Modules that no compiler writes: they are decoded, but break rules that only LLVM's verifier checks, or
//! stand for far more than they say.

use super::{Form, lower};
use crate::bitcode::Module;
use crate::bitcode::codes::{block, constants, function, module, types};
use crate::bitcode::writer::Writer;
use crate::join::join;
use watertight_ir::{Program, Type, verify};

/// Numbers of the types that [`unit`] writes first; more may follow.
const INT: u64 = 0;
const POINTER: u64 = 1;
const FUNCTION: u64 = 2;
const FIRST_OWN: u64 = 3;

/// Lowers, in both forms, a module with `own` types after the three that all have, and checks what holds for
/// every program.
fn unit(own: &[(u32, Vec<u64>)], contents: impl FnOnce(&mut Writer)) -> Program {
    let mut writer = Writer::file();
    writer.block(block::IDENTIFICATION, |writer| {
        writer.text(1, "LLVM99.0");
        writer.record(2, &[0]);
    });
    writer.block(block::MODULE, |writer| {
        writer.record(module::VERSION, &[1]);
        writer.block(block::TYPES, |writer| {
            writer.record(types::COUNT, &[FIRST_OWN + own.len() as u64]);
            writer.record(types::INTEGER, &[32]);
            writer.record(types::OPAQUE_POINTER, &[0]);
            writer.record(types::FUNCTION, &[0, INT, INT]);
            for (code, fields) in own {
                writer.record(*code, fields);
            }
        });
        contents(writer);
    });
    let bytes = writer.finish();
    let module = Module::parse(&bytes).unwrap();
    let [memory, ssa] = [Form::Memory, Form::Ssa].map(|form| lower(&module, "hostile.c", form));
    for program in [&memory, &ssa, &join(vec![ssa.clone(), ssa.clone()])] {
        assert_eq!(verify(program), []);
        // The text of a large image is larger still, and no other than that of a small one.
        if program
            .globals
            .values()
            .filter_map(|global| global.image.as_ref())
            .any(|image| image.bytes.len() > 4096)
        {
            continue;
        }
        let text = watertight_ir::print(program);
        let again = watertight_ir::parse("hostile.ir", &text).unwrap();
        assert_eq!(watertight_ir::print(&again), text);
    }
    ssa
}

/// A definition of this function type, with this body.
fn definition(writer: &mut Writer, function_type: u64, contents: impl FnOnce(&mut Writer)) {
    writer.record(module::FUNCTION, &[function_type, 0, 0, 0, 0, 0, 0, 0]);
    writer.block(block::FUNCTION, contents);
}

/// A global of this type with the initialiser that has this number.
fn global(writer: &mut Writer, ty: u64, initialiser: u64) {
    writer.record(module::GLOBAL_VARIABLE, &[ty, 2, initialiser + 1, 0, 0, 0]);
}

fn problems(program: &Program) -> Vec<&str> {
    program.problems.iter().map(|problem| &*problem.message).collect()
}

#[test]
fn a_body_that_breaks_a_rule_is_left_out_and_told() {
    let program = unit(&[], |writer| {
        definition(writer, FUNCTION, |writer| {
            writer.record(function::DECLARE_BLOCKS, &[1]);
            writer.record(function::RETURN, &[]);
        });
    });
    let expected =
        "function `` is left out: return: it returns void, but the function's result is i32".to_string();
    assert_eq!(problems(&program), [expected]);
    assert_eq!(program.defined().count(), 0);
}

#[test]
fn a_null_of_aggregate_type_where_a_number_is_wanted_is_left_out() {
    let program = unit(&[(types::STRUCT_ANONYMOUS, vec![0, INT, POINTER])], |writer| {
        definition(writer, FUNCTION, |writer| {
            writer.record(function::DECLARE_BLOCKS, &[1]);
            writer.block(block::CONSTANTS, |writer| {
                writer.record(constants::SET_TYPE, &[FIRST_OWN]);
                writer.record(constants::NULL, &[]);
            });
            // The constant is the last value before this instruction.
            writer.record(function::RETURN, &[1]);
        });
    });
    assert_eq!(program.defined().count(), 0);
    assert_eq!(program.problems.len(), 1);
}

#[test]
fn values_wider_than_any_are_declared_and_not_built() {
    let own = [(types::INTEGER, vec![1 << 23]), (types::FUNCTION, vec![0, INT, FIRST_OWN])];
    let program = unit(&own, |writer| {
        definition(writer, FIRST_OWN + 1, |writer| {
            writer.record(function::DECLARE_BLOCKS, &[1]);
            writer.record(function::RETURN, &[1]);
        });
    });
    let function = program.functions.values().next().unwrap();
    assert!(function.body.is_none() && function.params.is_empty() && function.variadic);
    assert_eq!(
        problems(&program),
        ["function `` is left out: it takes or returns values that cannot be represented"]
    );
    const { assert!(Type::WIDEST < 1 << 23) };
}

/// The types of arrays of two of the type before, `levels` deep, and the number of the outermost.
fn doubling(levels: u64) -> (Vec<(u32, Vec<u64>)>, u64) {
    let arrays = (0..levels)
        .map(|level| (types::ARRAY, vec![2, if level == 0 { INT } else { FIRST_OWN + level - 1 }]));
    (arrays.collect(), FIRST_OWN + levels - 1)
}

#[test]
fn an_initialiser_of_terabytes_is_cut_short_and_told() {
    let levels = 60;
    let (own, outermost) = doubling(levels);
    let program = unit(&own, |writer| {
        // Values: 0 the global, 1 the number, 2 and on the arrays.
        global(writer, outermost, 1 + levels);
        writer.block(block::CONSTANTS, |writer| {
            writer.record(constants::SET_TYPE, &[INT]);
            writer.record(constants::INTEGER, &[2]);
            for level in 0..levels {
                writer.record(constants::SET_TYPE, &[FIRST_OWN + level]);
                writer.record(constants::AGGREGATE, &[1 + level, 1 + level]);
            }
        });
    });
    let told = problems(&program);
    assert!(told.iter().any(|message| message.contains("too large")), "{told:?}");
}

#[test]
fn an_expression_that_doubles_itself_is_given_up() {
    let levels = 60;
    let program = unit(&[], |writer| {
        // Values: 0 the global, 1 the number, 2 and on the sums.
        global(writer, INT, 1 + levels);
        writer.block(block::CONSTANTS, |writer| {
            writer.record(constants::SET_TYPE, &[INT]);
            writer.record(constants::INTEGER, &[2]);
            for level in 0..levels {
                writer.record(constants::BINARY, &[0, 1 + level, 1 + level]);
            }
        });
    });
    assert_eq!(problems(&program), ["global ``: an initialiser is an expression of unknown form"]);
}

#[test]
fn an_expression_that_doubles_itself_in_a_body_is_no_bomb() {
    let levels = 60;
    let program = unit(&[], |writer| {
        writer.record(module::GLOBAL_VARIABLE, &[INT, 2, 0, 0, 0, 0]);
        // Values: 0 the global, 1 the function, 2 its argument, then the address as a number and products,
        // which are no linear form.
        definition(writer, FUNCTION, |writer| {
            writer.record(function::DECLARE_BLOCKS, &[1]);
            writer.block(block::CONSTANTS, |writer| {
                writer.record(constants::SET_TYPE, &[INT]);
                writer.record(constants::CAST, &[9, POINTER, 0]);
                for level in 0..levels {
                    writer.record(constants::BINARY, &[2, 3 + level, 3 + level]);
                }
            });
            writer.record(function::RETURN, &[1]);
        });
    });
    let expected = "function `` is left out: its body is out of all proportion to its bitcode";
    assert_eq!(problems(&program), [expected]);
}

#[test]
fn addresses_of_labels_that_do_not_exist_are_taken_away() {
    let program = unit(&[], |writer| {
        // Values: 0 the global, 1 the function, 2 the label.
        global(writer, POINTER, 2);
        writer.record(module::FUNCTION, &[FUNCTION, 0, 0, 0, 0, 0, 0, 0]);
        writer.block(block::CONSTANTS, |writer| {
            writer.record(constants::SET_TYPE, &[POINTER]);
            writer.record(constants::BLOCK_ADDRESS, &[FUNCTION, 1, 77]);
        });
        writer.block(block::FUNCTION, |writer| {
            writer.record(function::DECLARE_BLOCKS, &[1]);
            writer.record(function::RETURN, &[1]);
        });
    });
    assert_eq!(program.defined().count(), 1);
    assert_eq!(problems(&program), ["1 addresses of labels lead nowhere"]);
}

#[test]
fn globals_of_one_name_in_one_unit_can_be_joined() {
    let program = unit(&[], |writer| {
        global(writer, INT, 2);
        global(writer, INT, 2);
        writer.block(block::CONSTANTS, |writer| {
            writer.record(constants::SET_TYPE, &[INT]);
            writer.record(constants::INTEGER, &[2]);
        });
    });
    assert_eq!(join(vec![program]).globals.len(), 2);
}

#[test]
fn layouts_that_make_no_sense_give_programs_that_do() {
    for layout in ["e-p:0:0", "e-p:99999:24", "e-p:9:8-i32:24-a:999999", "E-p:16:16-v64:0-i32:4294967295"] {
        let program = unit(&[(types::ARRAY, vec![3, INT])], |writer| {
            writer.text(module::DATA_LAYOUT, layout);
            global(writer, FIRST_OWN, 1);
            writer.block(block::CONSTANTS, |writer| {
                writer.record(constants::SET_TYPE, &[FIRST_OWN]);
                writer.record(constants::NULL, &[]);
            });
        });
        assert!(matches!(program.target.pointer_bits, 8..=64), "{layout}");
    }
}
