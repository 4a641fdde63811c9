//! The verifier against the files of `tests/ir/verify`: every broken rule is told on its line, and
//! nothing else is.
//!
//! A line with `; error: text` must break a rule with a message that contains `text`. Lines are matched
//! by what they say, so instructions in these files are written as the printer writes them.

mod common;

use common::files;
use watertight_ir::verify::verify_function;
use watertight_ir::{
    AggId, BlockId, Body, Callee, Const, DebugTypeId, Def, FileId, FuncId, Function, GlobalId, Id, InstId,
    NameId, Op, PlaceId, Program, Terminator, Type, UnitId, Value, ValueId, VarId, Violation, parse, print,
    verify,
};

/// What a line says, as violations name their subject.
fn subject(line: &str) -> String {
    let code = line.split(" ; ").next().unwrap_or_default().trim();
    let header = |word: &str, end: char| {
        code.starts_with(word).then(|| code.split(end).next().unwrap_or_default().trim().to_string())
    };
    header("func ", '(')
        .or_else(|| header("declare ", '(').map(|name| name.replace("declare", "func")))
        .or_else(|| header("global ", ':'))
        .or_else(|| header("agg ", '='))
        .unwrap_or_else(|| code.to_string())
}

#[test]
fn broken_rules_are_told_on_their_lines() {
    for (file, text) in files("verify") {
        let program = parse(&file, &text).unwrap_or_else(|error| panic!("{error}"));
        let mut violations: Vec<Violation> = verify(&program);
        for (number, line) in text.lines().enumerate() {
            let Some((_, message)) = line.split_once("; error: ") else { continue };
            let line = subject(line);
            let matching = violations.iter().position(|violation| {
                violation.subject == line && violation.message.contains(message.trim())
            });
            match matching {
                Some(index) => drop(violations.remove(index)),
                None => panic!("{file}:{}: no such violation for `{line}`: {violations:#?}", number + 1),
            }
        }
        assert!(violations.is_empty(), "{file}: not expected: {violations:#?}");
    }
}

#[test]
fn the_rich_example_is_valid() {
    for (file, text) in files("text") {
        let program = parse(&file, &text).unwrap_or_else(|error| panic!("{error}"));
        let violations: Vec<String> = verify(&program).iter().map(Violation::to_string).collect();
        assert!(violations.is_empty(), "{file}:\n{}", violations.join("\n"));
    }
}

/// The rich example, to be broken in ways that text cannot express.
fn rich() -> Program {
    let (file, text) =
        files("text").into_iter().find(|(file, _)| file == "everything.ir").expect("it is there");
    parse(&file, &text).expect("it is well formed")
}

/// Breaks `@main` and expects a message; printing must survive too.
#[track_caller]
fn breaks(message: &str, change: impl FnOnce(&mut Function)) {
    let mut program = rich();
    let main = program.function_named("main").expect("it is there");
    change(&mut program.functions[main]);
    let violations = verify(&program);
    assert!(
        violations.iter().any(|violation| violation.message.contains(message)),
        "{message}: {violations:#?}"
    );
    assert!(violations.iter().all(|violation| violation.function == "@main"));
    assert!(!verify_function(&program, &program.functions[main]).is_empty());
    print(&program);
}

fn body(function: &mut Function) -> &mut Body {
    function.body.as_mut().expect("it is defined")
}

#[test]
fn ids_that_name_nothing_are_told_and_never_followed() {
    let far = 1_000_000;
    let inst = InstId::new;
    breaks("%v1000000 does not exist", |f| {
        let op = &mut body(f).insts[inst(20)].op;
        op.operands_mut(|operand| *operand = ValueId::new(far));
    });
    breaks("%v1000000 does not exist", |f| {
        let block = &mut body(f).blocks[BlockId::new(3)];
        block.term = Terminator::Return(Some(ValueId::new(far)));
    });
    breaks("bb1000000 does not exist", |f| {
        body(f).blocks[BlockId::new(3)].term = Terminator::Jump(BlockId::new(far));
    });
    breaks("i1000000 does not exist", |f| body(f).blocks[BlockId::new(1)].insts.push(inst(far)));
    breaks("it stands in blocks twice", |f| body(f).blocks[BlockId::new(1)].insts.push(inst(0)));
    breaks("stands in no block", |f| {
        body(f).blocks[BlockId::new(0)].insts.remove(0);
    });
    breaks("is defined elsewhere", |f| {
        let first = body(f).insts[inst(0)].result;
        body(f).insts[inst(1)].result = first;
        body(f).insts[inst(1)].op = body(f).insts[inst(0)].op.clone();
    });
    breaks("is not the result of i1", |f| {
        let first = body(f).insts[inst(0)].result.expect("it has a result");
        body(f).values[first].def = Def::Inst(inst(1));
    });
    breaks("is not parameter 0", |f| body(f).values[ValueId::new(0)].def = Def::Inst(inst(0)));
    breaks("the first values are not its parameters", |f| {
        body(f).variables = Default::default();
        body(f).values = Default::default();
    });
    breaks("is not the parameter", |f| body(f).values[ValueId::new(9)].def = Def::Param(9));
    breaks("has the type agg1000000", |f| {
        body(f).values[ValueId::new(9)].ty = Type::Agg(AggId::new(far));
    });
    breaks("its place does not exist", |f| body(f).insts[inst(3)].place = Some(PlaceId::new(far)));
    breaks("its place does not exist", |f| f.place = Some(PlaceId::new(far)));
    breaks("is inlined into itself", |f| {
        body(f).places[PlaceId::new(0)].inlined_at = Some(PlaceId::new(0));
    });
    breaks("inlined at a place that does not exist", |f| {
        body(f).places[PlaceId::new(0)].inlined_at = Some(PlaceId::new(far));
    });
    breaks("is in file1000000", |f| body(f).places[PlaceId::new(0)].file = FileId::new(far));
    breaks("the name, type or place of var0", |f| body(f).variables[VarId::new(0)].name = NameId::new(far));
    breaks("var1000000 does not exist", |f| {
        let name = body(f).insts.values_mut().find_map(|inst| match &mut inst.op {
            Op::Name { variable, .. } => Some(variable),
            _ => None,
        });
        *name.expect("there is one") = VarId::new(far);
    });
    breaks("fn1000000 does not exist", |f| {
        let call = body(f).insts.values_mut().find_map(|inst| match &mut inst.op {
            Op::Call(call) => Some(call),
            _ => None,
        });
        call.expect("there is one").callee = Callee::Direct(FuncId::new(far));
    });
    breaks("its prototype names 7 arguments", |f| {
        let call = body(f).insts.values_mut().find_map(|inst| match &mut inst.op {
            Op::Call(call) => Some(call),
            _ => None,
        });
        call.expect("there is one").fixed_args = 7;
    });
    breaks("its unit does not exist", |f| f.unit = UnitId::new(far));
    breaks("its debug type does not exist", |f| f.debug_type = Some(DebugTypeId::new(far)));
}

#[test]
fn constants_that_do_not_fit_are_told() {
    let constant = |message: &str, ty: Type, constant: Const| {
        breaks(message, |f| {
            body(f).values.push(Value { ty, def: Def::Const(constant) });
        });
    };
    constant("0x100 does not fit into i8", Type::Int(8), Const::Bits(256));
    constant("a constant of type i128 cannot be one word", Type::Int(128), Const::Bits(1));
    constant("a constant of type i64 cannot be 1 words", Type::Int(64), Const::Wide([1].into()));
    constant("a constant of type i128 cannot be 1 words", Type::Int(128), Const::Wide([1].into()));
    constant("the constant does not fit into i65", Type::Int(65), Const::Wide([1, 2].into()));
    constant("of nothing that exists", Type::Ptr, Const::Func(FuncId::new(999)));
    constant("of nothing that exists", Type::Ptr, Const::Global { global: GlobalId::new(999), offset: 0 });
    constant("of nothing that exists", Type::Ptr, Const::Label(FuncId::new(9), BlockId::new(999)));
}
