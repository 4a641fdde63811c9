//! Globals, constants, types, attributes and ordinary instructions.

use watertight_frontend::bitcode::{
    AllocSize, Attribute, AttributeKind, AttributePlace, BinaryOp, Constant, ConstantExpression, Error,
    InstructionKind, Linkage, MemoryEffect, MemoryEffects, Module, Operand, Predicate, ThreadLocal, Type,
    Value, ValueId, Visibility,
};

use crate::clang::{all, body, callees, check, check_with, function, global, integer, with_opcode};

/// The name of the global value an address constant leads to, and the constant byte or index path on the way.
fn address_name(module: &Module<'_>, id: ValueId) -> String {
    match module.value(id).expect("initializers are module values") {
        Value::Function(id) => module.function(id).name_lossy().into_owned(),
        Value::GlobalVariable(id) => module.global_variable(id).name_lossy().into_owned(),
        Value::Alias(id) => module.alias(id).name_lossy().into_owned(),
        Value::Constant(Constant::Null) => "null".into(),
        Value::Constant(Constant::Expression(expression)) => match &**expression {
            ConstantExpression::Cast { value, .. } => address_name(module, *value),
            ConstantExpression::GetElementPointer { base, .. } => address_name(module, *base),
            other => panic!("unexpected expression {other:?}"),
        },
        other => panic!("not an address: {other:?}"),
    }
}

#[test]
fn globals_have_names_linkage_and_initializers() {
    let source = r#"
        int plain = 42;
        static const short table[] = {1, -2, 3};
        char text[] = "hi\n";
        extern int elsewhere;
        _Thread_local int per_thread = 5;
        __attribute__((weak)) long weak_one = -7;
        __attribute__((visibility("hidden"))) double hidden = 1.5;
        __attribute__((section(".mine"), aligned(32))) int placed;
        static int one(int x) { return x + elsewhere + table[x] + per_thread; }
        static int two(int x) { return x; }
        int (*functions[])(int) = {one, 0, two};
        int also(int) __attribute__((alias("exported")));
        int exported(int x) { return functions[x](x); }
        int *inside = (int *)&text[2];
    "#;
    check(source, |module, _| {
        let initializer = |name: &str| module.constant(global(module, name).initializer.unwrap()).unwrap();
        assert_eq!(*initializer("plain"), Constant::Integer(42));
        assert_eq!(*initializer("table"), Constant::Data(Box::new([1, 0, 254, 255, 3, 0])));
        assert_eq!(*initializer("text"), Constant::Data(b"hi\n\0"[..].into()));
        assert_eq!(*initializer("hidden"), Constant::Float(1.5f64.to_bits()));
        assert_eq!(*initializer("weak_one"), Constant::Integer(-7));
        assert!(global(module, "table").constant && global(module, "table").linkage == Linkage::Internal);
        assert!(global(module, "elsewhere").initializer.is_none());
        assert_ne!(global(module, "per_thread").thread_local, ThreadLocal::No);
        assert_eq!(global(module, "plain").thread_local, ThreadLocal::No);
        assert_eq!(global(module, "weak_one").linkage, Linkage::WeakAny);
        assert_eq!(global(module, "hidden").visibility, Visibility::Hidden);
        assert_eq!(global(module, "placed").section.as_deref(), Some(".mine"));
        assert_eq!(global(module, "placed").align.bytes(), Some(32));
        assert_eq!(module.ty(global(module, "plain").value_type), &Type::Integer { bits: 32 });
        let Constant::Aggregate(elements) = initializer("functions") else { panic!("a table") };
        let names: Vec<_> = elements.iter().map(|&element| address_name(module, element)).collect();
        assert_eq!(names, ["one", "null", "two"]);
        assert_eq!(address_name(module, global(module, "inside").initializer.unwrap()), "text");
        let (_, alias) = module.aliases().next().unwrap();
        assert_eq!((&*alias.name_lossy(), address_name(module, alias.target).as_str()), ("also", "exported"));
        assert!(module.triple.contains('-') && module.data_layout.contains("e-m:"));
    });
}

#[test]
fn wide_and_odd_constants_keep_their_bits() {
    let source = r#"
        __int128 big = ((__int128)0x0123456789abcdefLL << 64) | 0xfedcba9876543210ULL;
        __int128 negative = -5;
        long double extended = 1.0L;
        float single = 0.1f;
        double zero = 0.0;
        unsigned long long top = 0xffffffffffffffffULL;
        _Bool yes = 1;
        struct { int a; struct { char b[3]; } c; } nested = {1, {{2, 3}}};
        double doubles[] = {1.0, 0.1};
        long cleared[4];
    "#;
    check_with(source, &["--target=x86_64-linux-gnu"], |module, _| {
        let initializer = |name: &str| module.constant(global(module, name).initializer.unwrap()).unwrap();
        let wide = |words: [u64; 2]| Constant::WideInteger(Box::new(words));
        assert_eq!(*initializer("big"), wide([0xfedc_ba98_7654_3210, 0x0123_4567_89ab_cdef]));
        assert_eq!(*initializer("negative"), wide([(-5i64) as u64, u64::MAX]));
        assert_eq!(*initializer("extended"), Constant::WideFloat(0x3fff_8000_0000_0000_0000));
        assert_eq!(*initializer("single"), Constant::Float(u64::from(0.1f32.to_bits())));
        assert_eq!(*initializer("zero"), Constant::Float(0));
        assert_eq!(*initializer("top"), Constant::Integer(-1));
        assert_eq!(*initializer("yes"), Constant::Integer(1));
        assert_eq!(*initializer("cleared"), Constant::Null);
        let mut bytes = 1.0f64.to_le_bytes().to_vec();
        bytes.extend(0.1f64.to_le_bytes());
        assert_eq!(*initializer("doubles"), Constant::Data(bytes.into()));
        let Constant::Aggregate(parts) = initializer("nested") else { panic!("a struct") };
        assert_eq!(module.constant(parts[0]), Some(&Constant::Integer(1)));
        let Some(Constant::Aggregate(inner)) = module.constant(parts[1]) else { panic!("a struct") };
        assert_eq!(module.constant(inner[0]), Some(&Constant::Data(Box::new([2, 3, 0]))));
    });
}

#[test]
fn instructions_have_operands_and_types() {
    let source = r#"
        struct pair { int first; long second; };
        long pick(struct pair *p, int i) { p[i].second = 7; return p->second - i; }
        int choose(int x) {
            switch (x) { case 3: return 30; case -4: return 40; case 5 ... 6: return 50; default: return 0; }
        }
        unsigned compare(unsigned a, unsigned b) { return a < b; }
        void grow(int n) { char room[n]; room[0] = 1; }
    "#;
    check_with(source, &["-O0", "--target=x86_64-linux-gnu"], |module, _| {
        let pick = body(module, "pick");
        assert_eq!(pick.blocks().len(), 1);
        let addresses = with_opcode(&pick, "getelementptr");
        let fields: Vec<_> = addresses
            .iter()
            .filter_map(|instruction| match instruction.kind {
                InstructionKind::GetElementPointer { source_type, indices, .. } => {
                    let indices = pick.values(indices);
                    assert!(matches!(module.ty(source_type), Type::Struct { name: Some(name), .. } if &**name == "struct.pair"));
                    (indices.len() == 2).then(|| integer(&pick, indices[1]))
                }
                _ => None,
            })
            .collect();
        assert_eq!(fields, [1, 1]);
        let stored = with_opcode(&pick, "store").iter().any(|instruction| match instruction.kind {
            InstructionKind::Store { value, value_type, align, .. } => {
                pick.constant(value) == Some(&Constant::Integer(7))
                    && *module.ty(value_type) == (Type::Integer { bits: 64 })
                    && align.bytes() == Some(8)
            }
            _ => false,
        });
        assert!(stored, "seven is stored as 64 bits");
        let InstructionKind::Binary { op, flags, .. } = with_opcode(&pick, "sub")[0].kind else { panic!() };
        assert!(op == BinaryOp::Sub && flags.no_signed_wrap && !flags.no_unsigned_wrap);

        let choose = body(module, "choose");
        let InstructionKind::Switch { cases, condition_type, .. } = with_opcode(&choose, "switch")[0].kind
        else {
            panic!("a switch")
        };
        let values: Vec<_> = choose.cases(cases).iter().map(|case| integer(&choose, case.value)).collect();
        assert_eq!(values, [3, -4, 5, 6]);
        assert_eq!(choose.cases(cases)[2].target, choose.cases(cases)[3].target);
        assert_eq!(*module.ty(condition_type), Type::Integer { bits: 32 });

        let compare = body(module, "compare");
        let instruction = with_opcode(&compare, "icmp")[0];
        assert_eq!(*module.ty(instruction.result_type), Type::Integer { bits: 1 });
        assert!(matches!(instruction.kind, InstructionKind::Compare { predicate: Predicate::Ult, .. }));

        let grow = body(module, "grow");
        let variable = with_opcode(&grow, "alloca").iter().any(|instruction| match instruction.kind {
            InstructionKind::Alloca { allocated_type, count, .. } => {
                *module.ty(allocated_type) == (Type::Integer { bits: 8 }) && grow.constant(count).is_none()
            }
            _ => false,
        });
        assert!(variable, "the array has a variable length");
        assert!(callees(&grow).iter().any(|name| name.starts_with("llvm.stacksave")));
    });
}

#[test]
fn every_result_and_operand_is_consistent() {
    let source = r#"
        #define NULL ((void *)0)
        struct list { struct list *next; int values[4]; };
        static int total(const struct list *l) {
            int sum = 0;
            for (; l != NULL; l = l->next)
                for (int i = 0; i < 4; i++) sum += l->values[i] > 0 ? l->values[i] : -1;
            return sum;
        }
        int both(struct list *a, int flag) { return flag && total(a) || !flag; }
    "#;
    for flags in [&["-O0", "-g"][..], &["-O2", "-g"], &["-O1"]] {
        check_with(source, flags, |module, _| {
            for (id, function) in module.functions() {
                if function.is_declaration {
                    assert!(module.function_body(id).is_err());
                    continue;
                }
                let body = module.function_body(id).unwrap();
                let mut next = 0;
                for (_, block) in body.blocks() {
                    let instructions: Vec<_> = body.instructions_of(block).collect();
                    assert_eq!(instructions[0].0.index(), next);
                    next += instructions.len();
                    let (last, others) = instructions.split_last().unwrap();
                    assert!(
                        last.1.kind.is_terminator() && !others.iter().any(|item| item.1.kind.is_terminator())
                    );
                    for (_, instruction) in &instructions {
                        if let Some(result) = instruction.result {
                            assert_eq!(body.value_type(result), instruction.result_type);
                            let Value::Instruction(id) = body.value(result) else { panic!("a result") };
                            assert_eq!(body.instruction(id).result, Some(result));
                        }
                        match instruction.kind {
                            InstructionKind::Phi { incoming, .. } => {
                                for edge in body.incoming(incoming) {
                                    assert_eq!(body.value_type(edge.value), instruction.result_type);
                                }
                            }
                            InstructionKind::Load { pointer, .. } => {
                                let Type::Pointer { pointee, .. } = module.ty(body.value_type(pointer))
                                else {
                                    panic!("loads read through pointers")
                                };
                                assert!(pointee.is_none_or(|pointee| pointee == instruction.result_type));
                            }
                            InstructionKind::Select { if_true, if_false, .. } => {
                                assert_eq!(body.value_type(if_true), body.value_type(if_false));
                            }
                            _ => {}
                        }
                    }
                }
                assert_eq!(next, body.instructions.len());
            }
        });
    }
}

#[test]
fn attributes_are_known_by_name() {
    let source = r#"
        typedef unsigned long size;
        struct large { long parts[9]; };
        void stop(void) __attribute__((noreturn, cold));
        void *get(size n, size m) __attribute__((malloc, alloc_size(1, 2), returns_nonnull));
        void *one(size n) __attribute__((alloc_size(1)));
        int again(void) __attribute__((returns_twice));
        struct large make(struct large by_value, signed char narrow);
        void use(struct large *l) { *l = make(*l, 3); get(1, 2); one(4); if (again()) stop(); }
    "#;
    check_with(source, &["-O0", "--target=x86_64-linux-gnu"], |module, major| {
        let has =
            |name: &str, place, kind| module.has_attribute(function(module, name).1.attributes, place, kind);
        use AttributePlace::{Function, Parameter, Result};
        assert!(has("stop", Function, AttributeKind::NoReturn) && has("stop", Function, AttributeKind::Cold));
        assert!(!has("use", Function, AttributeKind::NoReturn));
        assert!(has("again", Function, AttributeKind::ReturnsTwice));
        assert!(has("get", Result, AttributeKind::NoAlias) && has("get", Result, AttributeKind::NonNull));
        let sizes = |name: &str| {
            let list = function(module, name).1.attributes;
            module.attributes(list, Function).find_map(|attribute| match attribute {
                Attribute::Integer(AttributeKind::AllocSize, number) => Some(AllocSize::unpack(number)),
                _ => None,
            })
        };
        assert_eq!(sizes("get"), Some(AllocSize { element_size: 0, count: Some(1) }));
        assert_eq!(sizes("one"), Some(AllocSize { element_size: 0, count: None }));
        let list = function(module, "make").1.attributes;
        let parameter = |position, wanted| {
            module.attributes(list, Parameter(position)).find(|attribute| attribute.kind() == Some(wanted))
        };
        for (position, kind) in [(0, AttributeKind::StructReturn), (1, AttributeKind::ByVal)] {
            let Some(Attribute::Type(_, Some(ty))) = parameter(position, kind) else {
                panic!("clang {major}: {kind:?} names its type")
            };
            assert!(
                matches!(module.ty(ty), Type::Struct { name: Some(name), .. } if &**name == "struct.large")
            );
        }
        assert!(matches!(parameter(1, AttributeKind::Align), Some(Attribute::Integer(_, 8))));
        assert!(parameter(2, AttributeKind::SignExtend).is_some());
        // Attributes of the call itself, not of the function it calls.
        let user = body(module, "use");
        let calls: Vec<_> = user
            .instructions
            .iter()
            .filter_map(|instruction| match instruction.kind {
                InstructionKind::Call { call, .. } => Some(call),
                _ => None,
            })
            .collect();
        assert_eq!(calls.len(), callees(&user).len());
        let marked =
            |kind, place| calls.iter().any(|call| module.has_attribute(call.attributes, place, kind));
        assert!(marked(AttributeKind::ByVal, Parameter(1)) && marked(AttributeKind::NoReturn, Function));
        let text = module.attributes(function(module, "use").1.attributes, Function).any(|attribute| {
            matches!(attribute, Attribute::Text { key: "target-cpu", value } if value.starts_with("x86-64"))
        });
        assert!(text, "text attributes have key and value");
    });
}

#[test]
fn what_a_function_does_to_memory_is_known() {
    let source = r#"
        int global;
        __attribute__((noinline)) int look(const int *p) { return p[0] + p[1]; }
        __attribute__((noinline)) void put(int *p) { *p = 3; }
        __attribute__((noinline)) int see(void) { return global; }
        __attribute__((noinline)) int triple(int x) { return 3 * x; }
    "#;
    check_with(source, &["-O2"], |module, major| {
        let list = |name: &str| function(module, name).1.attributes;
        let captured = if major >= 21 { AttributeKind::Captures } else { AttributeKind::NoCapture };
        assert!(module.has_attribute(list("look"), AttributePlace::Parameter(0), captured));
        assert!(module.has_attribute(list("look"), AttributePlace::Parameter(0), AttributeKind::ReadOnly));
        if major < 16 {
            assert!(module.has_attribute(list("triple"), AttributePlace::Function, AttributeKind::ReadNone));
            assert!(module.has_attribute(list("see"), AttributePlace::Function, AttributeKind::ReadOnly));
            return;
        }
        let effects = |name: &str| {
            let numbers = module.attributes(list(name), AttributePlace::Function);
            let number = numbers.into_iter().find_map(|attribute| match attribute {
                Attribute::Integer(AttributeKind::Memory, number) => Some(number),
                _ => None,
            });
            MemoryEffects::unpack(number.expect("every function has the attribute"))
        };
        let (none, reads) = (MemoryEffect::default(), MemoryEffect { reads: true, writes: false });
        let writes = MemoryEffect { reads: false, writes: true };
        assert_eq!(effects("triple"), MemoryEffects::default());
        assert_eq!((effects("look").arguments, effects("look").other), (reads, none));
        assert_eq!((effects("put").arguments, effects("put").other), (writes, none));
        assert_eq!(
            (effects("see").arguments, effects("see").other, effects("see").errno),
            (none, reads, reads)
        );
    });
}

#[test]
fn calls_pass_fixed_and_variable_arguments() {
    let source = r#"
        int print(const char *format, ...);
        static int twice(int x) { return 2 * x; }
        int f(int (*callback)(int), int n) { return print("%d %g\n", twice(n), 1.5) + callback(n); }
    "#;
    check(source, |module, _| {
        let f = body(module, "f");
        assert_eq!(callees(&f), ["twice", "print", "?"]);
        let call = with_opcode(&f, "call").into_iter().find_map(|instruction| match instruction.kind {
            InstructionKind::Call { call, .. } if f.operands(call.arguments).len() == 3 => {
                matches!(f.value(call.callee), Value::Function(id) if module.function(id).name_lossy() == "print")
                    .then_some(call)
            }
            _ => None,
        });
        let call = call.unwrap();
        let Type::Function { parameters, varargs: true, .. } = module.ty(call.function_type) else {
            panic!("a function with variable arguments")
        };
        assert_eq!(parameters.len(), 1);
        let Operand::Value(last) = f.operands(call.arguments)[2] else { panic!("a value") };
        assert_eq!(f.constant(last), Some(&Constant::Float(1.5f64.to_bits())));
    });
}

#[test]
fn bodies_decode_in_any_order_and_on_any_thread() {
    let source = "int a(int x){return x+1;} int b(int x){return a(x)*2;} int c(int x){return b(x)-a(x);}";
    check(source, |module, _| {
        let names = ["c", "a", "b", "c"];
        let lengths = |name: &&str| body(module, name).instructions.len();
        let here: Vec<_> = names.iter().map(lengths).collect();
        let there: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = names.iter().map(|name| scope.spawn(move || lengths(name))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(here, there);
    });
}

#[test]
fn names_of_values_are_kept_where_clang_keeps_them() {
    let source = "int f(int abc) { int local = abc; if (local) local++; return local; }";
    check_with(source, &["-O0", "-fno-discard-value-names"], |module, _| {
        let f = body(module, "f");
        assert_eq!(f.value_name(f.argument(0)), Some(&b"abc"[..]));
        let (entry, _) = f.blocks().next().unwrap();
        assert_eq!(f.block_name(entry), Some(&b"entry"[..]));
        assert!(f.blocks().any(|(id, _)| f.block_name(id) == Some(b"if.then")));
        let local = with_opcode(&f, "alloca")
            .iter()
            .any(|instruction| f.value_name(instruction.result.unwrap()) == Some(b"local"));
        assert!(local);
    });
}

#[test]
fn what_is_not_bitcode_is_refused() {
    assert_eq!(Module::parse(b"").err(), Some(Error::NotBitcode));
    assert_eq!(Module::parse(b"int main(void) { return 0; }").err(), Some(Error::NotBitcode));
    assert_eq!(Module::parse(b"BC\xc0\xde").err(), Some(Error::ModuleCount { found: 0 }));
    let bytes = all()[0].c("int x;", &[]);
    assert!(matches!(Module::parse(&bytes[..bytes.len() / 2]), Err(Error::Malformed { .. })));
}

#[test]
fn a_wrapper_around_bitcode_is_taken_off() {
    let bytes = all()[0].c("int x = 3;", &[]);
    let mut wrapped = Vec::new();
    for word in [0x0b17_c0deu32, 0, 20, bytes.len() as u32, 7] {
        wrapped.extend(word.to_le_bytes());
    }
    wrapped.extend(&bytes);
    wrapped.extend([0; 12]);
    let module = Module::parse(&wrapped).unwrap();
    assert_eq!(module.global_variables().len(), 1);
}
