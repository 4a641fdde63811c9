//! One LLVM instruction at a time.

use super::body::{Lowering, access_of};
use super::linear::cut;
use crate::bitcode::{
    self as llvm, BinaryOp, CastOp, Constant, InstructionKind as Kind, Predicate, TypeId, ValueId,
};
use watertight_ir::{
    self as ir, AtomicOp, BlockId, CompareOp, Const, ConvertOp, FloatCompareOp, FloatOp, Id, Op, Terminator,
    Type,
};

impl Lowering<'_, '_> {
    /// Lowers one instruction; the result is our value for its result, if it has one.
    pub(super) fn instruction(&mut self, kind: &Kind, result_type: TypeId, ty: Type) -> Option<ir::ValueId> {
        match *kind {
            Kind::FloatNegate { value, .. } => {
                let operand = self.value(value);
                if self.is_vector(value) {
                    return self.unknown("fneg on vectors", vec![operand], ty);
                }
                Some(self.emit(Op::FloatNegate { value: operand }, ty))
            }
            Kind::Binary { op, left, right, .. } => {
                let vector = self.is_vector(left);
                let (lhs, rhs) = (self.value(left), self.value(right));
                self.binary(op, lhs, rhs, vector, ty)
            }
            Kind::Cast { op, value, source_type, .. } => {
                let vector =
                    self.shared.types.is_vector(source_type) || self.shared.types.is_vector(result_type);
                let operand = self.value(value);
                let from = self.shared.types.convert(source_type);
                self.cast(op, operand, from, ty, vector)
            }
            Kind::GetElementPointer { source_type, base, indices, .. } => {
                let llvm = self.llvm;
                Some(self.address(source_type, base, llvm.values(indices), result_type, ty))
            }
            Kind::ExtractValue { aggregate, indices } => {
                let llvm = self.llvm;
                Some(self.extract_value(aggregate, llvm.indices(indices), ty))
            }
            Kind::InsertValue { aggregate, element, indices } => {
                let llvm = self.llvm;
                Some(self.insert_value(aggregate, element, llvm.indices(indices), ty))
            }
            Kind::ExtractElement { vector, index } => self.extract_element(vector, index, ty),
            Kind::InsertElement { vector, element, index } => self.insert_element(vector, element, index, ty),
            Kind::ShuffleVector { left, right, mask } => {
                let args = vec![self.value(left), self.value(right), self.value(mask)];
                self.unknown("shufflevector", args, ty)
            }
            Kind::Select { condition, if_true, if_false, .. } => {
                let vector = self.is_vector(condition);
                let (cond, then, other) = (self.value(condition), self.value(if_true), self.value(if_false));
                if vector {
                    return self.unknown("select on vectors", vec![cond, then, other], ty);
                }
                Some(self.emit(Op::Select { cond, then, other }, ty))
            }
            Kind::Compare { predicate, left, right, operand_type, .. } => {
                let vector = self.shared.types.is_vector(operand_type);
                let (lhs, rhs) = (self.value(left), self.value(right));
                self.compare(predicate, lhs, rhs, vector, ty)
            }
            // Freezing picks one value for an undefined one; ours has one anyway.
            Kind::Freeze { value } => Some(self.value(value)),
            Kind::Phi { incoming, .. } => Some(self.phi(incoming, ty)),
            Kind::Alloca { allocated_type, count, align, .. } => {
                Some(self.stack(allocated_type, count, align))
            }
            Kind::Load { pointer, access, .. } => {
                let addr = self.value(pointer);
                Some(self.load(addr, ty, access_of(access)))
            }
            Kind::Store { pointer, value, access, .. } => {
                let (addr, value) = (self.value(pointer), self.value(value));
                self.store(addr, value, access_of(access));
                None
            }
            Kind::CompareExchange { pointer, expected, replacement, .. } => {
                let (addr, expected, new) =
                    (self.value(pointer), self.value(expected), self.value(replacement));
                Some(self.emit(Op::CompareExchange { addr, expected, new }, ty))
            }
            Kind::AtomicUpdate { op, pointer, value, .. } => {
                let (addr, value) = (self.value(pointer), self.value(value));
                match atomic_op(op) {
                    Some(op) => Some(self.emit(Op::Atomic { op, addr, value }, ty)),
                    None => self.unknown("atomic update", vec![addr, value], ty),
                }
            }
            Kind::Fence { .. } => {
                self.effect(Op::Fence);
                None
            }
            Kind::VaArg { list } => {
                let list = self.value(list);
                Some(self.emit(Op::VaArg { list }, ty))
            }
            Kind::Call { call, .. } => self.call(&call, ty),
            Kind::LandingPad { .. } => self.unknown("landingpad", Vec::new(), ty),
            Kind::CatchPad { .. } => self.unknown("catchpad", Vec::new(), ty),
            Kind::CleanupPad { .. } => self.unknown("cleanuppad", Vec::new(), ty),
            _ => self.terminator(kind, ty),
        }
    }

    fn terminator(&mut self, kind: &Kind, ty: Type) -> Option<ir::ValueId> {
        let llvm = self.llvm;
        let mut result = None;
        let term = match *kind {
            Kind::Invoke { call, normal, unwind } => {
                result = self.call(&call, ty);
                Terminator::Invoke { normal: block(normal), unwind: block(unwind) }
            }
            Kind::CallBranch { call, fallthrough, indirect } => {
                result = self.call(&call, ty);
                let mut targets = vec![block(fallthrough)];
                targets.extend(llvm.targets(indirect).iter().map(|&target| block(target)));
                Terminator::Choose { targets: targets.into() }
            }
            Kind::Return { value } => {
                let value = value.map(|value| self.value(value));
                self.mark_shared_return(value);
                Terminator::Return(value)
            }
            Kind::Branch { target } => Terminator::Jump(block(target)),
            Kind::ConditionalBranch { condition, if_true, if_false } => {
                let cond = self.value(condition);
                Terminator::Branch { cond, then: block(if_true), other: block(if_false) }
            }
            Kind::Switch { condition, condition_type, default, cases } => {
                let bits = self.shared.types.layouts.of(condition_type).bits;
                let value = self.value(condition);
                let cases = llvm
                    .cases(cases)
                    .iter()
                    .map(|case| (self.case_value(case.value, bits), block(case.target)))
                    .collect();
                Terminator::Switch { value, cases, default: block(default) }
            }
            Kind::IndirectBranch { address, targets } => {
                let addr = self.value(address);
                Terminator::Indirect {
                    addr,
                    targets: llvm.targets(targets).iter().map(|&to| block(to)).collect(),
                }
            }
            Kind::CatchSwitch { handlers, unwind, .. } => {
                result = self.unknown("catchswitch", Vec::new(), ty);
                let targets = llvm.targets(handlers).iter().copied().chain(unwind).map(block);
                Terminator::Choose { targets: targets.collect() }
            }
            Kind::CatchReturn { target, .. } => Terminator::Jump(block(target)),
            Kind::CleanupReturn { unwind: Some(target), .. } => Terminator::Jump(block(target)),
            Kind::CleanupReturn { unwind: None, .. } | Kind::Resume { .. } => Terminator::Resume,
            _ => Terminator::Unreachable,
        };
        self.end(term);
        result
    }

    /// Several `return`s share an end that loads what they have stored, both at the closing brace. Only its line is kept, whatever its
    /// column, so that it is not taken for the one `return` of a function that has one.
    fn mark_shared_return(&mut self, value: Option<ir::ValueId>) {
        let (Some(value), Some(place)) = (value, self.place) else { return };
        let ir::Def::Inst(inst) = self.out.body.values[value].def else { return };
        let loaded = &self.out.body.insts[inst];
        let brace = self.out.body.places[place];
        if matches!(loaded.op, Op::Load { .. }) && loaded.place == self.place && brace.column > 1 {
            self.place = Some(self.out.place(ir::Place { column: 0, ..brace }));
        }
    }

    fn case_value(&self, id: ValueId, bits: u64) -> u128 {
        match self.llvm.constant(id) {
            Some(Constant::Integer(value)) => cut((*value).into(), bits) as u128,
            Some(Constant::WideInteger(words)) => {
                let word = |index| u128::from(words.get(index).copied().unwrap_or(0));
                word(0) | word(1) << 64
            }
            _ => 0,
        }
    }

    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        lhs: ir::ValueId,
        rhs: ir::ValueId,
        vector: bool,
        ty: Type,
    ) -> Option<ir::ValueId> {
        let op = match binary_op(op) {
            // Bitwise operations do not care where the elements of a vector end.
            Ok(op) if !vector || matches!(op, ir::BinaryOp::And | ir::BinaryOp::Or | ir::BinaryOp::Xor) => {
                Op::Binary { op, lhs, rhs }
            }
            Err(op) if !vector => Op::Float { op, lhs, rhs },
            _ => return self.unknown("arithmetic on vectors", vec![lhs, rhs], ty),
        };
        Some(self.emit(op, ty))
    }

    pub(super) fn compare(
        &mut self,
        predicate: Predicate,
        lhs: ir::ValueId,
        rhs: ir::ValueId,
        vector: bool,
        ty: Type,
    ) -> Option<ir::ValueId> {
        if vector {
            return self.unknown("comparison of vectors", vec![lhs, rhs], ty);
        }
        let op = match compare_op(predicate) {
            Ok(op) => Op::Compare { op, lhs, rhs },
            Err(op) => Op::FloatCompare { op, lhs, rhs },
        };
        Some(self.emit(op, ty))
    }

    pub(super) fn cast(
        &mut self,
        op: CastOp,
        value: ir::ValueId,
        from: Type,
        to: Type,
        vector: bool,
    ) -> Option<ir::ValueId> {
        let convert = match op {
            CastOp::BitCast | CastOp::AddrSpaceCast if from == to => return Some(value),
            // The bits of a vector of pointers, or a pointer that is not one.
            CastOp::BitCast if from == Type::Ptr => ConvertOp::PtrToInt,
            CastOp::BitCast if to == Type::Ptr => ConvertOp::IntToPtr,
            CastOp::BitCast => ConvertOp::Reinterpret,
            _ if vector => return self.unknown("conversion of vectors", vec![value], to),
            CastOp::Trunc => ConvertOp::Truncate,
            CastOp::ZExt => ConvertOp::ZeroExtend,
            CastOp::SExt => ConvertOp::SignExtend,
            CastOp::FpToUi => ConvertOp::FloatToUnsigned,
            CastOp::FpToSi => ConvertOp::FloatToSigned,
            CastOp::UiToFp => ConvertOp::UnsignedToFloat,
            CastOp::SiToFp => ConvertOp::SignedToFloat,
            CastOp::FpTrunc => ConvertOp::FloatTruncate,
            CastOp::FpExt => ConvertOp::FloatExtend,
            CastOp::PtrToInt | CastOp::PtrToAddr => ConvertOp::PtrToInt,
            CastOp::IntToPtr => ConvertOp::IntToPtr,
            CastOp::AddrSpaceCast => return self.unknown("addrspacecast", vec![value], to),
        };
        Some(self.emit(Op::Convert { op: convert, value }, to))
    }

    fn stack(&mut self, allocated: TypeId, count: ValueId, align: llvm::Alignment) -> ir::ValueId {
        let size = self.shared.types.layouts.of(allocated).stride;
        let align = align.bytes().and_then(|bytes| u32::try_from(bytes).ok()).unwrap_or(1);
        let count = self.value(count);
        let (bytes, count) = match self.out.body.constant(count) {
            Some(&Const::Bits(constant)) => (size.saturating_mul(constant), None),
            _ => (size, Some(count)),
        };
        self.emit(Op::Stack { bytes, count, align }, Type::Ptr)
    }
}

fn block(id: llvm::BlockId) -> BlockId {
    BlockId::new(id.index())
}

/// Integer operations, or (as the error) floating-point ones.
fn binary_op(op: BinaryOp) -> Result<ir::BinaryOp, FloatOp> {
    Ok(match op {
        BinaryOp::Add => ir::BinaryOp::Add,
        BinaryOp::Sub => ir::BinaryOp::Sub,
        BinaryOp::Mul => ir::BinaryOp::Mul,
        BinaryOp::UDiv => ir::BinaryOp::UDiv,
        BinaryOp::SDiv => ir::BinaryOp::SDiv,
        BinaryOp::URem => ir::BinaryOp::URem,
        BinaryOp::SRem => ir::BinaryOp::SRem,
        BinaryOp::Shl => ir::BinaryOp::Shl,
        BinaryOp::LShr => ir::BinaryOp::LShr,
        BinaryOp::AShr => ir::BinaryOp::AShr,
        BinaryOp::And => ir::BinaryOp::And,
        BinaryOp::Or => ir::BinaryOp::Or,
        BinaryOp::Xor => ir::BinaryOp::Xor,
        BinaryOp::FAdd => return Err(FloatOp::Add),
        BinaryOp::FSub => return Err(FloatOp::Sub),
        BinaryOp::FMul => return Err(FloatOp::Mul),
        BinaryOp::FDiv => return Err(FloatOp::Div),
        BinaryOp::FRem => return Err(FloatOp::Rem),
    })
}

/// Integer comparisons, or (as the error) floating-point ones.
fn compare_op(predicate: Predicate) -> Result<CompareOp, FloatCompareOp> {
    Err(match predicate {
        Predicate::Eq => return Ok(CompareOp::Eq),
        Predicate::Ne => return Ok(CompareOp::Ne),
        Predicate::Ugt => return Ok(CompareOp::Ugt),
        Predicate::Uge => return Ok(CompareOp::Uge),
        Predicate::Ult => return Ok(CompareOp::Ult),
        Predicate::Ule => return Ok(CompareOp::Ule),
        Predicate::Sgt => return Ok(CompareOp::Sgt),
        Predicate::Sge => return Ok(CompareOp::Sge),
        Predicate::Slt => return Ok(CompareOp::Slt),
        Predicate::Sle => return Ok(CompareOp::Sle),
        Predicate::FFalse => FloatCompareOp::False,
        Predicate::FOeq => FloatCompareOp::Oeq,
        Predicate::FOgt => FloatCompareOp::Ogt,
        Predicate::FOge => FloatCompareOp::Oge,
        Predicate::FOlt => FloatCompareOp::Olt,
        Predicate::FOle => FloatCompareOp::Ole,
        Predicate::FOne => FloatCompareOp::One,
        Predicate::FOrd => FloatCompareOp::Ord,
        Predicate::FUno => FloatCompareOp::Uno,
        Predicate::FUeq => FloatCompareOp::Ueq,
        Predicate::FUgt => FloatCompareOp::Ugt,
        Predicate::FUge => FloatCompareOp::Uge,
        Predicate::FUlt => FloatCompareOp::Ult,
        Predicate::FUle => FloatCompareOp::Ule,
        Predicate::FUne => FloatCompareOp::Une,
        Predicate::FTrue => FloatCompareOp::True,
    })
}

fn atomic_op(op: llvm::AtomicOp) -> Option<AtomicOp> {
    Some(match op {
        llvm::AtomicOp::Exchange => AtomicOp::Exchange,
        llvm::AtomicOp::Add => AtomicOp::Add,
        llvm::AtomicOp::Sub => AtomicOp::Sub,
        llvm::AtomicOp::And => AtomicOp::And,
        llvm::AtomicOp::Nand => AtomicOp::Nand,
        llvm::AtomicOp::Or => AtomicOp::Or,
        llvm::AtomicOp::Xor => AtomicOp::Xor,
        llvm::AtomicOp::Max => AtomicOp::Max,
        llvm::AtomicOp::Min => AtomicOp::Min,
        llvm::AtomicOp::UMax => AtomicOp::UMax,
        llvm::AtomicOp::UMin => AtomicOp::UMin,
        llvm::AtomicOp::FAdd => AtomicOp::FAdd,
        llvm::AtomicOp::FSub => AtomicOp::FSub,
        llvm::AtomicOp::FMax => AtomicOp::FMax,
        llvm::AtomicOp::FMin => AtomicOp::FMin,
        llvm::AtomicOp::UIncWrap => AtomicOp::UIncWrap,
        llvm::AtomicOp::UDecWrap => AtomicOp::UDecWrap,
        llvm::AtomicOp::USubCond => AtomicOp::USubCond,
        llvm::AtomicOp::USubSat => AtomicOp::USubSat,
        llvm::AtomicOp::FMaximum => AtomicOp::FMaximum,
        llvm::AtomicOp::FMinimum => AtomicOp::FMinimum,
        llvm::AtomicOp::FMaximumNumber | llvm::AtomicOp::FMinimumNumber => return None,
    })
}
