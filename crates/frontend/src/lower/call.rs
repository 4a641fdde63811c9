//! Calls: direct, through pointers, of intrinsics, and inline assembly.

use super::body::Lowering;
use super::intrinsics::Intrinsic;
use super::linear::fold;
use crate::bitcode::{
    Attribute, AttributeKind, AttributeListId, AttributePlace, CallSite, Constant, FunctionId, Module,
    Operand, Type as LlvmType, Value, ValueId,
};
use watertight_ir::{self as ir, Call, Callee, FloatOp, Op, Symbol, Type};

/// What calls need to know about lists of attributes, looked up once per list.
pub(super) struct CallFacts {
    lists: Vec<ListFacts>,
}

#[derive(Copy, Clone, Default)]
struct ListFacts {
    no_return: bool,
    returns_twice: bool,
    /// Some argument is passed by value in memory.
    by_value: bool,
}

impl CallFacts {
    pub(super) fn new(module: &Module<'_>) -> CallFacts {
        let facts = |list| {
            let mut facts = ListFacts::default();
            for (place, kind) in module.attribute_kinds(list) {
                match (place, kind) {
                    (AttributePlace::Function, Some(AttributeKind::NoReturn)) => facts.no_return = true,
                    (AttributePlace::Function, Some(AttributeKind::ReturnsTwice)) => {
                        facts.returns_twice = true
                    }
                    (AttributePlace::Parameter(_), Some(AttributeKind::ByVal)) => facts.by_value = true,
                    _ => {}
                }
            }
            facts
        };
        CallFacts { lists: module.attribute_lists().map(facts).collect() }
    }

    fn of(&self, list: Option<AttributeListId>) -> ListFacts {
        list.and_then(|list| self.lists.get(list.index())).copied().unwrap_or_default()
    }
}

impl Lowering<'_, '_> {
    pub(super) fn call(&mut self, call: &CallSite, ty: Type) -> Option<ir::ValueId> {
        let llvm = self.llvm;
        let mut function = None;
        match llvm.value(call.callee) {
            Value::Function(id) => match self.shared.intrinsics.of(id) {
                Intrinsic::None => function = Some(id),
                intrinsic => return self.intrinsic(intrinsic, id, call, ty),
            },
            Value::Constant(Constant::InlineAssembly(assembly)) => {
                let template = String::from_utf8_lossy(&assembly.template);
                let what = format!("asm \"{}\"", template.escape_debug());
                let args = self.assembly_arguments(call);
                return self.unknown(what, args, ty);
            }
            _ => {}
        }
        let callee = self.callee(call.callee);
        let module = llvm.module;
        let (fixed_args, variadic) = match module.ty(call.function_type) {
            LlvmType::Function { parameters, varargs, .. } => (parameters.len() as u32, *varargs),
            _ => (0, true),
        };
        let function_attributes = function.and_then(|id| module.function(id).attributes);
        let site = self.shared.call_facts.of(call.attributes);
        let declared = self.shared.call_facts.of(function_attributes);
        let by_value = if site.by_value { self.by_value_arguments(call) } else { Box::default() };
        let call = Call {
            callee,
            by_value,
            fixed_args,
            variadic,
            no_return: site.no_return || declared.no_return,
            returns_twice: site.returns_twice || declared.returns_twice,
            args: self.arguments(call).into(),
        };
        let op = Op::Call(Box::new(call));
        if ty == Type::Void {
            self.effect(op);
            None
        } else {
            Some(self.emit(op, ty))
        }
    }

    /// A function behind casts is still a direct callee.
    fn callee(&mut self, id: ValueId) -> Callee {
        match fold(self.llvm, self.shared.symbols, id) {
            Some(linear) if linear.addend == 0 && linear.minus.is_none() => match linear.base {
                Some(Symbol::Func(function)) => Callee::Direct(function),
                _ => Callee::Pointer(self.value(id)),
            },
            _ => Callee::Pointer(self.value(id)),
        }
    }

    /// What assembly looks at. Up to clang 14 the labels that it may jump to are among the arguments, and would make the
    /// same assembly at two places look different; they are targets of the terminator anyway.
    fn assembly_arguments(&mut self, call: &CallSite) -> Vec<ir::ValueId> {
        let llvm = self.llvm;
        let mut args = Vec::with_capacity(call.arguments.len());
        for operand in llvm.operands(call.arguments) {
            if let Operand::Value(id) = operand
                && !matches!(llvm.value(*id), Value::Constant(Constant::BlockAddress { .. }))
            {
                args.push(self.value(*id));
            }
        }
        args
    }

    fn arguments(&mut self, call: &CallSite) -> Vec<ir::ValueId> {
        let llvm = self.llvm;
        let mut args = Vec::with_capacity(call.arguments.len());
        for operand in llvm.operands(call.arguments) {
            if let Operand::Value(id) = operand {
                args.push(self.value(*id));
            }
        }
        args
    }

    fn by_value_arguments(&self, call: &CallSite) -> Box<[(u32, u64)]> {
        let mut list = Vec::new();
        for (position, operand) in self.llvm.operands(call.arguments).iter().enumerate() {
            if let Operand::Value(id) = operand {
                let pointee = match self.llvm.module.ty(self.llvm.value_type(*id)) {
                    LlvmType::Pointer { pointee, .. } => *pointee,
                    _ => continue,
                };
                if let Some(bytes) = self.shared.by_value(call.attributes, position as u32, pointee) {
                    list.push((position as u32, bytes));
                }
            }
        }
        list.into()
    }

    fn intrinsic(
        &mut self,
        intrinsic: Intrinsic,
        id: FunctionId,
        call: &CallSite,
        ty: Type,
    ) -> Option<ir::ValueId> {
        if matches!(intrinsic, Intrinsic::DebugDeclare | Intrinsic::DebugValue) {
            self.debug_call(intrinsic, call);
            return None;
        }
        let vectors = self
            .llvm
            .operands(call.arguments)
            .iter()
            .any(|operand| matches!(operand, Operand::Value(id) if self.is_vector(*id)));
        let args = self.arguments(call);
        let arg = |position: usize| args.get(position).copied();
        let result = match intrinsic {
            Intrinsic::Nothing => (ty != Type::Void).then(|| self.undef(ty)),
            Intrinsic::FirstArgument => arg(0),
            Intrinsic::MemCopy { may_overlap } => {
                let (dst, src, len) = (arg(0)?, arg(1)?, arg(2)?);
                self.effect(Op::MemCopy { dst, src, len, may_overlap });
                None
            }
            Intrinsic::MemFill => {
                let (dst, byte, len) = (arg(0)?, arg(1)?, arg(2)?);
                self.effect(Op::MemFill { dst, byte, len });
                None
            }
            Intrinsic::VaStart => {
                self.effect(Op::VaStart { list: arg(0)? });
                None
            }
            Intrinsic::VaCopy => {
                self.effect(Op::VaCopy { dst: arg(0)?, src: arg(1)? });
                None
            }
            Intrinsic::VaEnd => {
                self.effect(Op::VaEnd { list: arg(0)? });
                None
            }
            Intrinsic::Bits(op, count) if !vectors => {
                let args = args.get(..count)?.into();
                Some(self.emit(Op::Bits { op, args }, ty))
            }
            Intrinsic::MultiplyAdd if !vectors => {
                let (a, b, c) = (arg(0)?, arg(1)?, arg(2)?);
                let product = self.emit(Op::Float { op: FloatOp::Mul, lhs: a, rhs: b }, ty);
                Some(self.emit(Op::Float { op: FloatOp::Add, lhs: product, rhs: c }, ty))
            }
            Intrinsic::IsConstant => Some(self.out.int(1, 0)),
            Intrinsic::ObjectSize => {
                // The second argument asks for the minimum (0 when unknown) or the maximum.
                let minimum = arg(1).and_then(|flag| self.out.body.bits(flag)) == Some(1);
                let Type::Int(width) = ty else { return Some(self.undef(ty)) };
                Some(self.out.int(width, if minimum { 0 } else { u64::MAX }))
            }
            _ => {
                let name = self.llvm.module.function(id).name_lossy().into_owned();
                self.unknown(name, args, ty)
            }
        };
        match result {
            None if ty != Type::Void => Some(self.undef(ty)),
            result => result,
        }
    }
}

impl super::body::Shared<'_> {
    /// The size of the object that a parameter passes by value in memory. Typed pointers tell it
    /// where the attribute of older LLVM versions does not.
    pub(super) fn by_value(
        &self,
        attributes: Option<AttributeListId>,
        position: u32,
        pointee: Option<crate::bitcode::TypeId>,
    ) -> Option<u64> {
        let module = self.symbols.module;
        let place = AttributePlace::Parameter(position);
        module.attributes(attributes, place).find_map(|attribute| match attribute {
            Attribute::Type(AttributeKind::ByVal, ty) => {
                Some(ty.or(pointee).map_or(0, |ty| self.types.layouts.of(ty).stride))
            }
            Attribute::Flag(AttributeKind::ByVal) => {
                Some(pointee.map_or(0, |ty| self.types.layouts.of(ty).stride))
            }
            _ => None,
        })
    }
}
