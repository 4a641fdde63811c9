//! Addresses that pointers hold: the points-to analysis has to foresee every one that a run sees.
//!
//! In: a program in SSA form. Out: what was not foreseen. The program is changed so that it writes down every address
//! that it computes, with the number of the value; after the run the list is read from its memory and gone through in
//! order. Objects are known by where they begin: variables on the stack and blocks of the heap when their address is
//! first written down, globals and functions from the start. An address in none of them (arguments of `main`, memory of
//! the library) is passed over.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use watertight_interpret::{Interpreter, Options};
use watertight_ir::{
    Access, BinaryOp, BlockId, Body, BodyBuilder, Call, Callee, CompareOp, Const, FuncId, Function,
    FunctionAttrs, Global, GlobalId, Id, Image, InstId, Linkage, Op, Param, Program, Terminator, Type,
    ValueId,
};
use watertight_pointer::PointsTo;
use watertight_pointer::object::Origin;
use watertight_pointer::refine::Refined;
use watertight_pointer::set::Set;

/// Addresses that are written down; what comes later is not.
const MOST: u64 = 20_000;
/// How far after its beginning an address counts as inside a block of the heap, unless another begins before.
const HEAP_BYTES: u64 = 4096;

/// An object of the run.
struct Object {
    bytes: u64,
    /// What the analysis may call it: a block that a wrapper acquires has the name of the call of the wrapper, too.
    origins: Vec<Origin>,
}

/// What the analysis does not say about a run of the program.
pub(crate) fn not_foreseen(
    program: &Program,
    points_to: &PointsTo<'_>,
    options: Options,
    words: &[&str],
) -> String {
    let mut watched = program.clone();
    let (values, trace) = watch(&mut watched);
    let mut interpreter = Interpreter::new(&watched, options);
    interpreter.run_main(words);
    let Some(start) = interpreter.global_address(trace) else { return String::new() };
    let Ok(bytes) = interpreter.read(start, 8 + MOST * 16) else { return String::new() };
    let word =
        |index: usize| u64::from_le_bytes(bytes[index * 8..index * 8 + 8].try_into().expect("8 bytes"));
    let mut objects: BTreeMap<u64, Object> = BTreeMap::new();
    for (id, global) in program.globals.iter() {
        if let Some(address) = interpreter.global_address(id) {
            objects.insert(address.0, Object { bytes: global.bytes, origins: vec![Origin::Global(id)] });
        }
    }
    for id in program.functions.ids() {
        if let Some(address) = interpreter.function_address(id) {
            objects.insert(address.0, Object { bytes: 1, origins: vec![Origin::Function(id)] });
        }
    }
    let refined = Refined::new(program, points_to);
    let mut ordered: BTreeMap<(FuncId, ValueId), Set> = BTreeMap::new();
    let mut text = String::new();
    for entry in 0..word(0).min(MOST) as usize {
        let (number, address) = (word(1 + entry * 2) as usize, word(2 + entry * 2));
        let (function, value) = values[number];
        let body = program.functions[function].body.as_ref().expect("only bodies are watched");
        make(program, points_to, &mut objects, (function, value), body, address);
        let Some((&start, object)) = objects.range(..=address).next_back() else { continue };
        if address == 0 || address - start > object.bytes {
            continue;
        }
        let offset = (address - start) as i64;
        // The address of the end of one object may be that of the beginning of another.
        let inside = address - start < object.bytes;
        // What is known with the order of statements in mind is less, and has to be true as well.
        let known = ordered.entry((function, value)).or_insert_with(|| refined.of(function, value));
        let known = object.origins.iter().any(|&origin| points_to.is_in(known, origin, offset));
        if inside && !known && text.len() < 2000 {
            let _ = writeln!(
                text,
                "{}: {value} holds the address of {:?} plus {offset}, which points-to does not say",
                program.functions[function].name, object.origins
            );
        }
    }
    text
}

/// Makes a note of the object that begins at an address, if the value is where one comes from.
fn make(
    program: &Program,
    points_to: &PointsTo<'_>,
    objects: &mut BTreeMap<u64, Object>,
    (function, value): (FuncId, ValueId),
    body: &Body,
    address: u64,
) {
    let inst = match body.values[value].def {
        watertight_ir::Def::Inst(inst) => inst,
        watertight_ir::Def::Param(index) => {
            if let Some(bytes) = program.functions[function].params[index as usize].by_value {
                replace(objects, address, bytes, Origin::Parameter(function, index));
            }
            return;
        }
        watertight_ir::Def::Const(_) => return,
    };
    match &body.insts[inst].op {
        Op::Stack { bytes, count, .. } => {
            let bytes = if count.is_none() { *bytes } else { 1 };
            replace(objects, address, bytes, Origin::Stack(function, inst));
        }
        Op::Call(_) if address != 0 => {
            let origin = Origin::Heap(function, inst, 0);
            if !points_to.is_object(origin) {
                return;
            }
            let by_library = points_to
                .callees(function, inst)
                .iter()
                .any(|&callee| program.functions[callee].body.is_none());
            match objects.get_mut(&address) {
                Some(object) if !by_library => object.origins.push(origin),
                _ if by_library => replace(objects, address, HEAP_BYTES, origin),
                _ => {}
            }
        }
        _ => {}
    }
}

/// A new object takes the room of old ones.
fn replace(objects: &mut BTreeMap<u64, Object>, start: u64, bytes: u64, origin: Origin) {
    let heap = matches!(origin, Origin::Heap(..));
    let gone: Vec<u64> = objects.range(start..start + bytes.max(1)).map(|object| *object.0).collect();
    for other in gone {
        let theirs = &objects[&other].origins;
        // How large a block of the heap is, is only guessed.
        if other == start || !heap && !matches!(theirs[0], Origin::Global(_) | Origin::Function(_)) {
            objects.remove(&other);
        }
    }
    objects.insert(start, Object { bytes, origins: vec![origin] });
}

/// Makes a program write down every address. Gives the value of each number, and where they are written.
fn watch(program: &mut Program) -> (Vec<(FuncId, ValueId)>, GlobalId) {
    let trace = program.globals.push(Global {
        name: "watched addresses".into(),
        unit: Id::new(0),
        linkage: Linkage::Internal,
        bytes: 8 + MOST * 16,
        align: 8,
        constant: false,
        thread_local: false,
        image: Some(Image::default()),
        debug_type: None,
        place: None,
        source_name: None,
    });
    let bodies: Vec<FuncId> = program.defined().collect();
    let params = [Param::plain(Type::Int(64)), Param::plain(Type::Ptr)];
    let note = program.functions.push(Function {
        name: "watch address".into(),
        unit: Id::new(0),
        linkage: Linkage::Internal,
        params: Box::new(params.clone()),
        result: Type::Void,
        variadic: false,
        attrs: FunctionAttrs::default(),
        place: None,
        debug_type: None,
        body: Some(note(&params, trace)),
    });
    let mut values = Vec::new();
    for function in bodies {
        let Some(body) = program.functions[function].body.take() else { continue };
        program.functions[function].body = Some(watch_body(body, function, note, &mut values));
    }
    (values, trace)
}

fn watch_body(body: Body, function: FuncId, note: FuncId, values: &mut Vec<(FuncId, ValueId)>) -> Body {
    let mut builder = BodyBuilder::from_body(body);
    let params: Vec<ValueId> = builder
        .body
        .values
        .iter()
        .filter(|(_, value)| matches!(value.def, watertight_ir::Def::Param(_)) && value.ty == Type::Ptr)
        .map(|(id, _)| id)
        .collect();
    let mut say = |builder: &mut BodyBuilder, value: ValueId| -> InstId {
        let number = builder.int(64, values.len() as u64);
        values.push((function, value));
        let call = Call {
            callee: Callee::Direct(note),
            args: Box::new([number, value]),
            by_value: Box::new([]),
            fixed_args: 2,
            variadic: false,
            no_return: false,
            returns_twice: false,
        };
        builder.detached(Op::Call(Box::new(call)), Type::Void, None).0
    };
    let blocks: Vec<BlockId> = builder.body.blocks.ids().collect();
    for block in blocks {
        let old = builder.body.blocks[block].insts.clone();
        let phis =
            old.iter().take_while(|&&inst| matches!(builder.body.insts[inst].op, Op::Phi { .. })).count();
        let mut new: Vec<InstId> = old[..phis].to_vec();
        if block == builder.body.entry() {
            for &param in &params {
                let inst = say(&mut builder, param);
                new.push(inst);
            }
        }
        let pointer = |builder: &BodyBuilder, inst: InstId| {
            builder.body.insts[inst].result.filter(|&result| builder.body.ty(result) == Type::Ptr)
        };
        for &inst in &old[..phis] {
            if let Some(result) = pointer(&builder, inst) {
                let inst = say(&mut builder, result);
                new.push(inst);
            }
        }
        for &inst in &old[phis..] {
            new.push(inst);
            if let Some(result) = pointer(&builder, inst) {
                let inst = say(&mut builder, result);
                new.push(inst);
            }
        }
        builder.body.blocks[block].insts = new;
    }
    builder.finish()
}

/// The function that writes a number and an address down, as long as there is room.
fn note(params: &[Param], trace: GlobalId) -> Body {
    let mut builder = BodyBuilder::new(params);
    let (first, room, last) = (builder.block(), builder.block(), builder.block());
    let start = builder.constant(Type::Ptr, Const::Global { global: trace, offset: 0 });
    let list = builder.constant(Type::Ptr, Const::Global { global: trace, offset: 8 });
    let (one, most) = (builder.int(64, 1), builder.int(64, MOST));
    let word = Type::Int(64);
    let count = builder.value(first, Op::Load { addr: start, access: Access::Plain }, word, None);
    let less = Op::Compare { op: CompareOp::Ult, lhs: count, rhs: most };
    let cond = builder.value(first, less, Type::BOOL, None);
    builder.terminate(first, Terminator::Branch { cond, then: room, other: last }, None);
    let at = builder.value(room, Op::Index { base: list, index: count, scale: 16 }, Type::Ptr, None);
    let second = builder.value(room, Op::Offset { base: at, bytes: 8 }, Type::Ptr, None);
    for (addr, value) in [(at, builder.param(0)), (second, builder.param(1))] {
        builder.effect(room, Op::Store { addr, value, access: Access::Plain }, None);
    }
    let more = builder.value(room, Op::Binary { op: BinaryOp::Add, lhs: count, rhs: one }, word, None);
    builder.effect(room, Op::Store { addr: start, value: more, access: Access::Plain }, None);
    builder.terminate(room, Terminator::Jump(last), None);
    builder.terminate(last, Terminator::Return(None), None);
    builder.finish()
}
