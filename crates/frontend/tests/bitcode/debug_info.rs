//! Debug information: places, variables, types.

use std::collections::BTreeMap;

use watertight_frontend::bitcode::{
    DebugRecordKind, DebugValue, DerivedType, FunctionBody, InstructionKind, Metadata, MetadataId, Operand,
    SubrangeBound, Value,
};

use crate::clang::{body, check, check_with, global};

/// The variables of a function: name to (argument, line, name of the type), for those that live in an
/// `alloca` of the function, in whichever form the producer says so.
fn variables(body: &FunctionBody<'_>) -> BTreeMap<String, (u32, u32)> {
    let mut found = BTreeMap::new();
    let mut add = |variable: MetadataId, address: MetadataId| {
        let Some(Metadata::LocalVariable(variable)) = body.metadata(variable) else { panic!("a variable") };
        let Some(Metadata::Value { value, .. }) = body.metadata(address) else { panic!("an address") };
        let Value::Instruction(place) = body.value(*value) else { panic!("an instruction") };
        assert!(matches!(body.instruction(place).kind, InstructionKind::Alloca { .. }));
        let name =
            String::from_utf8_lossy(body.metadata_string(variable.name).expect("variables have names"))
                .into_owned();
        found.insert(name, (variable.argument, variable.line));
    };
    for record in &body.debug_records {
        if let DebugRecordKind::Declare { variable, address: DebugValue::Metadata(address), .. } = record.kind
        {
            add(variable, address);
        }
    }
    for instruction in &body.instructions {
        let InstructionKind::Call { call, .. } = instruction.kind else { continue };
        let Value::Function(callee) = body.value(call.callee) else { continue };
        if body.module.function(callee).name_lossy() == "llvm.dbg.declare" {
            let [Operand::Metadata(address), Operand::Metadata(variable), _] = *body.operands(call.arguments)
            else {
                panic!("three metadata operands")
            };
            add(variable, address);
        }
    }
    found
}

#[test]
fn variables_and_parameters_have_names_and_lines() {
    let source = "int f(int first, char *second)\n{\n  int local = first;\n  { long inner = local;\n    return inner + *second; }\n}\n";
    check(source, |module, _| {
        let f = body(module, "f");
        let expected = [("first", (1, 1)), ("inner", (0, 4)), ("local", (0, 3)), ("second", (2, 1))];
        let expected: BTreeMap<_, _> = expected.into_iter().map(|(name, at)| (name.to_owned(), at)).collect();
        assert_eq!(variables(&f), expected);
    });
}

#[test]
fn instructions_know_line_column_and_scope() {
    let source = "int g(int);\nint f(int x)\n{\n  if (x)\n    return g(x) +\n           1;\n  return 0;\n}\n";
    check(source, |module, _| {
        let f = body(module, "f");
        let subprogram = f.subprogram.and_then(|id| f.metadata(id));
        let Some(Metadata::Subprogram(subprogram)) = subprogram else { panic!("a subprogram") };
        assert_eq!(f.metadata_string(subprogram.name), Some(&b"f"[..]));
        assert_eq!((subprogram.line, subprogram.scope_line), (2, 3));
        let Some(Metadata::File(file)) = subprogram.file.and_then(|id| f.metadata(id)) else {
            panic!("a file")
        };
        assert!(f.metadata_string(file.name).is_some() && f.metadata_string(file.directory).is_some());
        let Some(Metadata::CompileUnit(unit)) = subprogram.unit.and_then(|id| f.metadata(id)) else {
            panic!("a unit")
        };
        assert!(f.metadata_string(unit.producer).is_some_and(|text| !text.is_empty()));
        let place = |opcode: &str| {
            let instruction = f.instructions.iter().rfind(|item| item.kind.opcode() == opcode).unwrap();
            let location = f.location(instruction.location.unwrap());
            assert!(matches!(
                location.scope.and_then(|id| f.metadata(id)),
                Some(Metadata::Subprogram(_) | Metadata::LexicalBlock(_))
            ));
            (location.line, location.column)
        };
        assert_eq!(place("add"), (5, 17));
        assert_eq!(place("ret"), (8, 1));
    });
}

#[test]
fn inlined_code_knows_where_it_went() {
    let source = "static int inner(int *p) { return *p; }\nint outer(int *p) {\n  return inner(p);\n}\n";
    check_with(source, &["-O2", "-g"], |module, _| {
        let outer = body(module, "outer");
        let load = outer.instructions.iter().find(|item| item.kind.opcode() == "load").unwrap();
        let location = outer.location(load.location.unwrap());
        assert_eq!(location.line, 1);
        let Some(Metadata::Location(site)) = location.inlined_at.and_then(|id| outer.metadata(id)) else {
            panic!("the place of the call")
        };
        assert_eq!(site.line, 3);
        assert!(
            !outer.debug_records.is_empty()
                || outer.instructions.iter().any(|item| {
                    matches!(item.kind, InstructionKind::Call { call, .. }
                if matches!(outer.value(call.callee), Value::Function(id)
                    if module.function(id).name_lossy() == "llvm.dbg.value"))
                })
        );
    });
}

#[test]
fn types_have_members_sizes_and_offsets() {
    let source = r#"
        typedef struct { char tag; unsigned low : 3, high : 5; double values[7]; } record;
        enum colour { RED, GREEN = -5, BLUE = 9 } colour;
        record variable;
    "#;
    check_with(source, &["-g", "--target=x86_64-linux-gnu"], |module, major| {
        let attachment = global(module, "variable").attachments[0];
        let Some(Metadata::GlobalVariableExpression { variable: Some(variable), .. }) =
            module.metadata(attachment.node)
        else {
            panic!("clang {major}: a variable with an expression")
        };
        let Some(Metadata::GlobalVariable(variable)) = module.metadata(*variable) else {
            panic!("a variable")
        };
        assert_eq!(module.metadata_string(variable.name), Some(&b"variable"[..]));
        assert!(variable.definition && !variable.local_to_unit);
        let Some(Metadata::DerivedType(alias)) = variable.ty.and_then(|id| module.metadata(id)) else {
            panic!("a typedef")
        };
        assert_eq!(module.metadata_string(alias.name), Some(&b"record"[..]));
        let Some(Metadata::CompositeType(record)) = alias.base.and_then(|id| module.metadata(id)) else {
            panic!("a struct")
        };
        assert_eq!(record.size.constant(), Some(64 * 8));
        let Some(Metadata::Tuple { operands, .. }) = record.elements.and_then(|id| module.metadata(id))
        else {
            panic!("members")
        };
        let members: Vec<&DerivedType> = operands
            .iter()
            .map(|id| match id.and_then(|id| module.metadata(id)) {
                Some(Metadata::DerivedType(member)) => &**member,
                other => panic!("a member, not {other:?}"),
            })
            .collect();
        let facts: Vec<_> = members
            .iter()
            .map(|member| {
                let name = module.metadata_string(member.name).unwrap();
                let bit_field = member.flags & 1 << 19 != 0;
                (name, member.size.constant().unwrap(), member.offset.constant().unwrap(), bit_field)
            })
            .collect();
        let expected: [(&[u8], u64, u64, bool); 4] = [
            (b"tag", 8, 0, false),
            (b"low", 3, 8, true),
            (b"high", 5, 11, true),
            (b"values", 448, 64, false),
        ];
        assert_eq!(facts, expected);
        let Some(Metadata::CompositeType(array)) = members[3].base.and_then(|id| module.metadata(id)) else {
            panic!("an array")
        };
        let Some(Metadata::Tuple { operands, .. }) = array.elements.and_then(|id| module.metadata(id)) else {
            panic!("bounds")
        };
        let Some(Metadata::Subrange(range)) = operands[0].and_then(|id| module.metadata(id)) else {
            panic!("a range")
        };
        assert_eq!(range.count, SubrangeBound::Constant(7));
        let Some(Metadata::BasicType(element)) = array.base.and_then(|id| module.metadata(id)) else {
            panic!("a basic type")
        };
        assert_eq!(module.metadata_string(element.name), Some(&b"double"[..]));
        assert_eq!((element.size.constant(), element.encoding), (Some(64), 4));
        let mut enumerators = Vec::new();
        for number in 0..module.metadata_count() as u32 {
            if let Some(Metadata::Enumerator(item)) = module.metadata(MetadataId::new(number)) {
                enumerators.push((module.metadata_string(item.name).unwrap(), item.value.unwrap()));
            }
        }
        enumerators.sort_unstable();
        let expected: [(&[u8], i128); 3] = [(b"BLUE", 9), (b"GREEN", -5), (b"RED", 0)];
        assert_eq!(enumerators, expected);
    });
}

#[test]
fn labels_of_the_source_are_known() {
    let source = "int f(int x) { again: if (x-- > 0) goto again; return x; }";
    check(source, |module, major| {
        let f = body(module, "f");
        let in_records = f.debug_records.iter().find_map(|record| match record.kind {
            DebugRecordKind::Label { label } => Some(label),
            _ => None,
        });
        let in_calls = f.instructions.iter().find_map(|item| match item.kind {
            InstructionKind::Call { call, .. } => match *f.operands(call.arguments) {
                [Operand::Metadata(label)] => Some(label),
                _ => None,
            },
            _ => None,
        });
        assert_eq!(in_records.is_some(), major >= 19, "records replace calls in LLVM 19");
        let label = in_records.or(in_calls).unwrap();
        let Some(Metadata::Label(label)) = f.metadata(label) else { panic!("a label") };
        assert_eq!(f.metadata_string(label.name), Some(&b"again"[..]));
    });
}
