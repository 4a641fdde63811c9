//! Instructions that ordinary C rarely needs, and those of C++.

use watertight_frontend::bitcode::{
    AtomicOp, AtomicOrdering, BundleTag, Constant, Counts, InstructionKind, LandingClause, Module, SyncScope,
    Type, Value,
};

use crate::clang::{all, body, check, check_with, with_opcode};

const X86: &[&str] = &["-O0", "-g", "--target=x86_64-linux-gnu"];

#[test]
fn atomics_keep_operation_ordering_and_scope() {
    let source = r#"
        int f(_Atomic int *a, int *p) {
            __c11_atomic_fetch_add(a, 1, __ATOMIC_SEQ_CST);
            __atomic_fetch_nand(p, 3, __ATOMIC_RELEASE);
            int expected = 4;
            __atomic_compare_exchange_n(p, &expected, 5, 1, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
            __atomic_signal_fence(__ATOMIC_ACQUIRE);
            __c11_atomic_store(a, 2, __ATOMIC_RELEASE);
            return *(volatile int *)p + __c11_atomic_load(a, __ATOMIC_ACQUIRE);
        }
    "#;
    check_with(source, X86, |module, _| {
        let f = body(module, "f");
        let updates: Vec<_> = with_opcode(&f, "atomicrmw")
            .iter()
            .map(|instruction| match instruction.kind {
                InstructionKind::AtomicUpdate { op, access, .. } => (op, access.ordering),
                _ => unreachable!(),
            })
            .collect();
        assert_eq!(
            updates,
            [
                (AtomicOp::Add, AtomicOrdering::SequentiallyConsistent),
                (AtomicOp::Nand, AtomicOrdering::Release)
            ]
        );
        let exchange = with_opcode(&f, "cmpxchg")[0];
        let InstructionKind::CompareExchange { success, failure, weak, value_type, .. } = exchange.kind
        else {
            panic!()
        };
        assert_eq!(
            (success.ordering, failure, weak),
            (AtomicOrdering::AcquireRelease, AtomicOrdering::Monotonic, true)
        );
        assert!(
            matches!(module.ty(exchange.result_type), Type::Struct { fields, .. } if fields[0] == value_type)
        );
        let InstructionKind::Fence { ordering, scope } = with_opcode(&f, "fence")[0].kind else { panic!() };
        assert_eq!((ordering, scope), (AtomicOrdering::Acquire, SyncScope(0)));
        assert_eq!(module.sync_scope_name(scope), Some("singlethread"));
        let accesses: Vec<_> = f
            .instructions
            .iter()
            .filter_map(|instruction| match instruction.kind {
                InstructionKind::Load { access, .. } | InstructionKind::Store { access, .. } => Some(access),
                _ => None,
            })
            .collect();
        assert!(accesses.iter().any(|access| access.ordering == AtomicOrdering::Acquire));
        assert!(accesses.iter().any(|access| access.ordering == AtomicOrdering::Release));
        assert!(
            accesses.iter().any(|access| access.volatile && access.ordering == AtomicOrdering::NotAtomic)
        );
    });
}

#[test]
fn computed_jumps_name_their_blocks() {
    let source = "int f(int i) { static void *t[] = {&&a, &&b}; goto *t[i]; a: return 1; b: return 2; }";
    check(source, |module, _| {
        let f = body(module, "f");
        let InstructionKind::IndirectBranch { targets, .. } = with_opcode(&f, "indirectbr")[0].kind else {
            panic!()
        };
        assert_eq!(f.targets(targets).len(), 2);
        let (_, table) = module.global_variables().next().unwrap();
        let Some(Constant::Aggregate(labels)) = module.constant(table.initializer.unwrap()) else { panic!() };
        for (label, target) in labels.iter().zip(f.targets(targets)) {
            let Some(Constant::BlockAddress { function, block }) = module.constant(*label) else { panic!() };
            assert!(matches!(module.value(*function), Some(Value::Function(id)) if id == f.function));
            assert_eq!(block, target);
        }
    });
}

#[test]
fn inline_assembly_keeps_text_and_constraints() {
    let source = r#"
        __asm__(".globl at_file_scope");
        int f(int x) { int y; __asm__ volatile("addl %1, %0" : "=r"(y) : "r"(x) : "memory"); return y; }
        int g(int x) { __asm__ goto("jmp %l1" : : "r"(x) : : out); return 1; out: return 2; }
    "#;
    check_with(source, X86, |module, _| {
        assert!(module.inline_assembly.starts_with(b".globl at_file_scope"));
        let f = body(module, "f");
        let assembly = with_opcode(&f, "call").into_iter().find_map(|instruction| match instruction.kind {
            InstructionKind::Call { call, .. } => match f.constant(call.callee) {
                Some(Constant::InlineAssembly(assembly)) => Some((assembly, call)),
                _ => None,
            },
            _ => None,
        });
        let (assembly, call) = assembly.unwrap();
        assert_eq!(&*assembly.template, b"addl $1, $0");
        assert!(assembly.constraints.starts_with(b"=r,r,~{memory}"));
        assert!(assembly.side_effects && !assembly.intel_dialect);
        assert_eq!(assembly.function_type, call.function_type);
        let g = body(module, "g");
        let InstructionKind::CallBranch { fallthrough, indirect, .. } = with_opcode(&g, "callbr")[0].kind
        else {
            panic!()
        };
        assert_eq!(g.targets(indirect).len(), 1);
        assert_ne!(g.targets(indirect)[0], fallthrough);
    });
}

#[test]
fn vectors_have_typed_results() {
    let source = r#"
        typedef int four __attribute__((vector_size(16)));
        typedef float singles __attribute__((vector_size(16)));
        four f(four a, four b, int i) {
            a[i] = b[2];
            return __builtin_shufflevector(a, b, 0, 5, 2, 7) + (a > b);
        }
        singles g(singles a) { return -a; }
    "#;
    check_with(source, X86, |module, _| {
        let f = body(module, "f");
        let four = f.value_type(f.argument(0));
        assert!(matches!(module.ty(four), Type::Vector { count: 4, scalable: false, .. }));
        assert_eq!(with_opcode(&f, "insertelement")[0].result_type, four);
        assert_eq!(*module.ty(with_opcode(&f, "extractelement")[0].result_type), Type::Integer { bits: 32 });
        assert_eq!(with_opcode(&f, "shufflevector")[0].result_type, four);
        let compared = module.ty(with_opcode(&f, "icmp")[0].result_type);
        let Type::Vector { element, count: 4, .. } = compared else { panic!("bits, not {compared:?}") };
        assert_eq!(*module.ty(*element), Type::Integer { bits: 1 });
        assert_eq!(with_opcode(&body(module, "g"), "fneg").len(), 1);
    });
}

#[test]
fn structs_in_registers_are_taken_apart() {
    let source = "_Complex double f(_Complex double a) { return a * a; } \
                  int g(int a, int b, int *c) { return __builtin_mul_overflow(a, b, c); }";
    check_with(source, &["-O1", "--target=x86_64-linux-gnu"], |module, _| {
        let f = body(module, "f");
        let inserted = with_opcode(&f, "insertvalue");
        assert!(!inserted.is_empty());
        let extracted = with_opcode(&body(module, "g"), "extractvalue")
            .iter()
            .map(|instruction| instruction.result_type)
            .collect::<Vec<_>>();
        assert!(extracted.iter().any(|&ty| *module.ty(ty) == (Type::Integer { bits: 1 })));
        assert!(extracted.iter().any(|&ty| *module.ty(ty) == (Type::Integer { bits: 32 })));
    });
}

const THROWS: &str = r#"
    struct guard { ~guard(); };
    void work();
    int f(int x) {
        guard first;
        try { work(); } catch (int &caught) { guard second; work(); return caught; } catch (...) { work(); }
        return x;
    }
"#;

#[test]
fn exceptions_of_unix_load() {
    for clang in all() {
        let flags = ["-O0", "-g", "--target=x86_64-linux-gnu", "-fexceptions", "-fcxx-exceptions"];
        let bytes = clang.cpp(THROWS, &flags);
        let module = Module::parse(&bytes).unwrap();
        let (_, function) = module.functions().find(|(_, function)| !function.is_declaration).unwrap();
        let personality = function.personality.and_then(|id| module.value(id));
        let through_cast = matches!(personality, Some(Value::Constant(Constant::Expression(_))));
        assert!(through_cast || matches!(personality, Some(Value::Function(_))));
        let f = body(&module, "_Z1fi");
        assert!(!with_opcode(&f, "invoke").is_empty() && !with_opcode(&f, "resume").is_empty());
        let pads: Vec<_> = with_opcode(&f, "landingpad")
            .iter()
            .map(|instruction| match instruction.kind {
                InstructionKind::LandingPad { cleanup, clauses } => (cleanup, f.clauses(clauses).to_vec()),
                _ => unreachable!(),
            })
            .collect();
        assert!(pads.iter().any(|(cleanup, clauses)| *cleanup && clauses.is_empty()));
        assert!(
            pads.iter()
                .any(|(_, clauses)| matches!(**clauses, [LandingClause::Catch(_), LandingClause::Catch(_)]))
        );
    }
}

#[test]
fn exceptions_of_windows_load() {
    for clang in all() {
        let flags = ["-O0", "-g", "--target=x86_64-pc-windows-msvc", "-fexceptions", "-fcxx-exceptions"];
        let bytes = clang.cpp(THROWS, &flags);
        let module = Module::parse(&bytes).unwrap();
        let counts = Counts::of(std::slice::from_ref(&module)).unwrap();
        for opcode in ["catchswitch", "catchpad", "catchret", "cleanuppad", "cleanupret", "invoke"] {
            assert!(counts.instructions.contains_key(opcode), "clang {}: {opcode}", clang.major);
        }
        let (id, _) = module.functions().find(|(_, function)| !function.is_declaration).unwrap();
        let f = module.function_body(id).unwrap();
        let bundled = f.instructions.iter().any(|instruction| match instruction.kind {
            InstructionKind::Call { call, .. } | InstructionKind::Invoke { call, .. } => {
                let funclet = |tag: BundleTag| module.bundle_tag_name(tag) == Some("funclet");
                f.bundles(call.bundles).iter().any(|bundle| funclet(bundle.tag) && bundle.operands.len() == 1)
            }
            _ => false,
        });
        assert!(bundled, "calls in handlers name their pad");
        let token = with_opcode(&f, "catchswitch")[0].result_type;
        assert_eq!(*module.ty(token), Type::Token);
    }
}

#[test]
fn other_targets_load() {
    let source = "struct s { char c; long l; }; long f(struct s *p, int n) { int room[n]; room[0] = n; return p->l + room[0]; }";
    for target in
        ["aarch64-linux-gnu", "i386-linux-gnu", "powerpc64-linux-gnu", "riscv64-linux-gnu", "wasm32"]
    {
        for clang in all() {
            let bytes = clang.c(source, &["-O0", "-g", &format!("--target={target}")]);
            let module = Module::parse(&bytes).unwrap();
            assert_eq!(
                Counts::of(std::slice::from_ref(&module)).unwrap().defined,
                1,
                "clang {} for {target}",
                clang.major
            );
        }
    }
}
