//! Decodes single instructions into their kind and the type of their result, and appends them.

use super::body::{BodyReader, list};
use super::constants::sign_extend;
use super::fields::Fields;
use super::numbers::{
    alignment, atomic_op, binary_flags, binary_op, cast_flags, cast_op, gep_flags, ordering, predicate,
    sync_scope,
};
use crate::bitcode::bitstream::unrotate;
use crate::bitcode::codes::function as code;
use crate::bitcode::fault::Fault;
use crate::bitcode::ids::{List, TypeId, ValueId};
use crate::bitcode::instruction::{
    Access, AllocaFlags, AtomicOrdering, CompareFlags, FastMathFlags, InstructionKind, LandingClause,
    Operand, PhiIncoming, SwitchCase, SyncScope,
};
use crate::bitcode::types::Type;

/// Decoders append their instruction themselves: handing it back would copy it through memory.
type Decoded = Result<(), Fault>;

/// Marks a switch whose cases are written as ranges of numbers, as LLVM 3.2 did for a while.
const SWITCH_MAGIC: u64 = 0x4b5;

/// Most cases such a switch may expand to.
const MAX_RANGE_CASES: usize = 1 << 16;

impl BodyReader<'_, '_> {
    #[inline]
    pub(super) fn read_instruction(&mut self, number: u32, fields: Fields<'_>) -> Decoded {
        match number {
            code::LOAD => self.load(fields, false),
            code::STORE => self.store(fields, false),
            code::CALL => self.call(fields),
            code::BRANCH => self.branch(fields),
            code::GEP => self.address(fields),
            code::CAST => self.cast(fields),
            code::COMPARE => self.compare(fields),
            code::BINARY => self.binary(fields),
            code::ALLOCA => self.alloca(fields),
            code::RETURN => self.return_value(fields),
            code::PHI => self.phi(fields),
            code::SWITCH => self.switch(fields),
            code::SELECT => self.select(fields),
            code::UNARY => self.unary(fields),
            code::EXTRACT_ELEMENT => self.extract_element(fields),
            code::INSERT_ELEMENT => self.insert_element(fields),
            code::SHUFFLE_VECTOR => self.shuffle_vector(fields),
            code::EXTRACT_VALUE => self.extract_value(fields),
            code::INSERT_VALUE => self.insert_value(fields),
            code::FREEZE => self.freeze(fields),
            code::UNREACHABLE => self.push(InstructionKind::Unreachable, self.module.index.void),
            code::INDIRECT_BRANCH => self.indirect_branch(fields),
            code::LOAD_ATOMIC => self.load(fields, true),
            code::STORE_ATOMIC => self.store(fields, true),
            code::COMPARE_EXCHANGE => self.compare_exchange(fields),
            code::ATOMIC_UPDATE => self.atomic_update(fields),
            code::FENCE => self.fence(fields),
            code::VA_ARG => self.va_arg(fields),
            code::INVOKE => self.invoke(fields),
            code::CALL_BRANCH => self.call_branch(fields),
            code::LANDING_PAD | code::LANDING_PAD_OLD => self.landing_pad(number, fields),
            code::RESUME => self.resume(fields),
            code::CATCH_SWITCH => self.catch_switch(fields),
            code::CATCH_PAD | code::CLEANUP_PAD => self.pad(number, fields),
            code::CATCH_RETURN => self.catch_return(fields),
            code::CLEANUP_RETURN => self.cleanup_return(fields),
            code::GEP_OLD
            | code::GEP_IN_BOUNDS_OLD
            | code::SELECT_OLD
            | code::COMPARE_OLD
            | code::STORE_OLD
            | code::STORE_ATOMIC_OLD
            | code::COMPARE_EXCHANGE_OLD
            | code::ATOMIC_UPDATE_OLD => Err(Fault::OldRecord),
            other => Err(Fault::UnknownRecord(other)),
        }
    }

    /// The type of the elements if the type is a vector, with their number.
    fn split_vector(&self, ty: TypeId) -> (TypeId, Option<(u64, bool)>) {
        match self.module.ty(ty) {
            Type::Vector { element, count, scalable } => (*element, Some((*count, *scalable))),
            _ => (ty, None),
        }
    }

    fn is_float(&self, ty: TypeId) -> bool {
        self.module.ty(self.split_vector(ty).0).is_float()
    }

    fn unary(&mut self, mut fields: Fields<'_>) -> Decoded {
        let (value, ty) = self.value_and_type(&mut fields)?;
        if fields.take()? != 0 {
            return Err(Fault::Unsupported("an unknown unary operation"));
        }
        let fast = FastMathFlags(fields.optional().unwrap_or(0) as u8);
        fields.end()?;
        self.push(InstructionKind::FloatNegate { value, fast }, ty)
    }

    fn binary(&mut self, mut fields: Fields<'_>) -> Decoded {
        let (left, ty) = self.value_and_type(&mut fields)?;
        let right = self.value(&mut fields)?;
        let op = binary_op(fields.take()?, self.is_float(ty))?;
        let flags = binary_flags(op, fields.optional().unwrap_or(0));
        fields.end()?;
        self.push(InstructionKind::Binary { op, flags, left, right }, ty)
    }

    fn cast(&mut self, mut fields: Fields<'_>) -> Decoded {
        let (value, source_type) = self.value_and_type(&mut fields)?;
        let ty = self.ty(&mut fields)?;
        let op = cast_op(fields.take()?)?;
        let flags = cast_flags(op, fields.optional().unwrap_or(0));
        fields.end()?;
        self.push(InstructionKind::Cast { op, flags, value, source_type }, ty)
    }

    fn address(&mut self, mut fields: Fields<'_>) -> Decoded {
        let flags = gep_flags(fields.take()?);
        let source_type = self.ty(&mut fields)?;
        let (base, base_type) = self.value_and_type(&mut fields)?;
        let (pointer_type, mut vector) = self.split_vector(base_type);
        let start = self.body.pools.values.len();
        while !fields.is_empty() {
            let (index, index_type) = self.value_and_type(&mut fields)?;
            vector = vector.or(self.split_vector(index_type).1);
            self.body.pools.values.push(index);
        }
        let indices: List<ValueId> = list(start, self.body.pools.values.len());
        let result = match self.module.ty(pointer_type) {
            Type::Pointer { pointee: None, .. } => pointer_type,
            Type::Pointer { pointee: Some(_), address_space } => {
                let reached = self.reached_type(source_type, start)?;
                self.module.index.pointer(reached, *address_space)?
            }
            _ => return Err(Fault::BadType),
        };
        let ty = match vector {
            None => result,
            Some((count, scalable)) => self.module.index.vector(result, count, scalable)?,
        };
        self.push(InstructionKind::GetElementPointer { source_type, flags, base, indices }, ty)
    }

    /// Where an address computation ends up: the first index steps over whole objects, the others go in.
    fn reached_type(&self, source: TypeId, start: usize) -> Result<TypeId, Fault> {
        let mut ty = source;
        for &index in self.body.pools.values[start..].iter().skip(1) {
            ty = match self.module.ty(ty) {
                Type::Array { element, .. } | Type::Vector { element, .. } => *element,
                Type::Struct { fields, .. } => {
                    let field = self.integer(index).and_then(|index| usize::try_from(index).ok());
                    *field.and_then(|field| fields.get(field)).ok_or(Fault::BadType)?
                }
                _ => return Err(Fault::BadType),
            };
        }
        Ok(ty)
    }

    /// The indices that end a record, and the type they lead to.
    fn member(&mut self, aggregate: TypeId, fields: Fields<'_>) -> Result<(List<u32>, TypeId), Fault> {
        let start = self.body.pools.indices.len();
        let mut ty = aggregate;
        if fields.is_empty() {
            return Err(Fault::ShortRecord);
        }
        for &index in fields.rest() {
            ty = match self.module.ty(ty) {
                Type::Array { element, count } if index < *count => *element,
                Type::Struct { fields, .. } => {
                    *usize::try_from(index).ok().and_then(|index| fields.get(index)).ok_or(Fault::BadType)?
                }
                _ => return Err(Fault::BadType),
            };
            self.body.pools.indices.push(u32::try_from(index).map_err(|_| Fault::BadNumber)?);
        }
        Ok((list(start, self.body.pools.indices.len()), ty))
    }

    fn extract_value(&mut self, mut fields: Fields<'_>) -> Decoded {
        let (aggregate, ty) = self.value_and_type(&mut fields)?;
        let (indices, ty) = self.member(ty, fields)?;
        self.push(InstructionKind::ExtractValue { aggregate, indices }, ty)
    }

    fn insert_value(&mut self, mut fields: Fields<'_>) -> Decoded {
        let (aggregate, ty) = self.value_and_type(&mut fields)?;
        let (element, _) = self.value_and_type(&mut fields)?;
        let (indices, _) = self.member(ty, fields)?;
        self.push(InstructionKind::InsertValue { aggregate, element, indices }, ty)
    }

    fn extract_element(&mut self, mut fields: Fields<'_>) -> Decoded {
        let (vector, ty) = self.value_and_type(&mut fields)?;
        let (index, _) = self.value_and_type(&mut fields)?;
        fields.end()?;
        match self.split_vector(ty) {
            (element, Some(_)) => self.push(InstructionKind::ExtractElement { vector, index }, element),
            _ => Err(Fault::BadType),
        }
    }

    fn insert_element(&mut self, mut fields: Fields<'_>) -> Decoded {
        let (vector, ty) = self.value_and_type(&mut fields)?;
        let element = self.value(&mut fields)?;
        let (index, _) = self.value_and_type(&mut fields)?;
        fields.end()?;
        self.push(InstructionKind::InsertElement { vector, element, index }, ty)
    }

    fn shuffle_vector(&mut self, mut fields: Fields<'_>) -> Decoded {
        let (left, ty) = self.value_and_type(&mut fields)?;
        let right = self.value(&mut fields)?;
        let (mask, mask_type) = self.value_and_type(&mut fields)?;
        fields.end()?;
        let (element, _) = self.split_vector(ty);
        let (_, Some((count, scalable))) = self.split_vector(mask_type) else {
            return Err(Fault::BadType);
        };
        let ty = self.module.index.vector(element, count, scalable)?;
        self.push(InstructionKind::ShuffleVector { left, right, mask }, ty)
    }

    fn select(&mut self, mut fields: Fields<'_>) -> Decoded {
        let (if_true, ty) = self.value_and_type(&mut fields)?;
        let if_false = self.value(&mut fields)?;
        let (condition, _) = self.value_and_type(&mut fields)?;
        let fast = FastMathFlags(fields.optional().unwrap_or(0) as u8);
        fields.end()?;
        self.push(InstructionKind::Select { condition, if_true, if_false, fast }, ty)
    }

    fn compare(&mut self, mut fields: Fields<'_>) -> Decoded {
        let (left, operand_type) = self.value_and_type(&mut fields)?;
        let right = self.value(&mut fields)?;
        let predicate = predicate(fields.take()?)?;
        let bits = fields.optional().unwrap_or(0);
        fields.end()?;
        let flags = if predicate.is_float() {
            CompareFlags { same_sign: false, fast: FastMathFlags(bits as u8) }
        } else {
            CompareFlags { same_sign: bits & 1 != 0, fast: FastMathFlags(0) }
        };
        let ty = match self.split_vector(operand_type).1 {
            None => self.module.index.bit,
            Some((count, scalable)) => self.module.index.vector(self.module.index.bit, count, scalable)?,
        };
        self.push(InstructionKind::Compare { predicate, flags, left, right, operand_type }, ty)
    }

    fn freeze(&mut self, mut fields: Fields<'_>) -> Decoded {
        let (value, ty) = self.value_and_type(&mut fields)?;
        fields.end()?;
        self.push(InstructionKind::Freeze { value }, ty)
    }

    fn phi(&mut self, mut fields: Fields<'_>) -> Decoded {
        let ty = self.ty(&mut fields)?;
        let start = self.body.pools.incoming.len();
        while fields.len() >= 2 {
            let distance = fields.take()?;
            // Phis look ahead so often that their distances are signed.
            let number = if self.module.relative_ids {
                self.next.wrapping_sub(unrotate(distance) as u32)
            } else {
                distance as u32
            };
            let value = self.reference(number);
            let block = self.block(&mut fields)?;
            self.body.pools.incoming.push(PhiIncoming { value, block });
        }
        let fast = FastMathFlags(fields.optional().unwrap_or(0) as u8);
        let incoming = list(start, self.body.pools.incoming.len());
        self.push(InstructionKind::Phi { incoming, fast }, ty)
    }

    fn alloca(&mut self, mut fields: Fields<'_>) -> Decoded {
        let written_type = self.ty(&mut fields)?;
        let _count_type = self.ty(&mut fields)?;
        let count = self.absolute_value(&mut fields)?;
        let packed = fields.take()?;
        let mut address_space = self.module.alloca_address_space;
        if !fields.is_empty() {
            address_space = fields.take32()?;
        }
        fields.end()?;
        let explicit = packed >> 6 & 1 != 0;
        let allocated_type = match (explicit, self.module.ty(written_type)) {
            (true, _) => written_type,
            (false, Type::Pointer { pointee: Some(pointee), .. }) => *pointee,
            _ => return Err(Fault::BadType),
        };
        // Five bits of the alignment lie at the bottom, three more were added later.
        let align = alignment((packed & 0x1f) | (packed >> 8 & 7) << 5)?;
        let flags = AllocaFlags { in_alloca: packed >> 5 & 1 != 0, swift_error: packed >> 7 & 1 != 0 };
        let ty = self.module.index.pointer(allocated_type, address_space)?;
        self.push(InstructionKind::Alloca { allocated_type, count, align, flags }, ty)
    }

    /// The fields that end an atomic access.
    fn atomic(&mut self, fields: &mut Fields<'_>) -> Result<(AtomicOrdering, SyncScope), Fault> {
        Ok((ordering(fields.take()?)?, sync_scope(fields.take()?)?))
    }

    fn load(&mut self, mut fields: Fields<'_>, atomic: bool) -> Decoded {
        let (pointer, _) = self.value_and_type(&mut fields)?;
        let ty = self.ty(&mut fields)?;
        let align = alignment(fields.take()?)?;
        let mut access = Access { volatile: fields.flag()?, ..Access::default() };
        if atomic {
            (access.ordering, access.scope) = self.atomic(&mut fields)?;
        }
        fields.end()?;
        self.push(InstructionKind::Load { pointer, align, access }, ty)
    }

    fn store(&mut self, mut fields: Fields<'_>, atomic: bool) -> Decoded {
        let (pointer, _) = self.value_and_type(&mut fields)?;
        let (value, value_type) = self.value_and_type(&mut fields)?;
        let align = alignment(fields.take()?)?;
        let mut access = Access { volatile: fields.flag()?, ..Access::default() };
        if atomic {
            (access.ordering, access.scope) = self.atomic(&mut fields)?;
        }
        fields.end()?;
        let kind = InstructionKind::Store { pointer, value, value_type, align, access };
        self.push(kind, self.module.index.void)
    }

    fn compare_exchange(&mut self, mut fields: Fields<'_>) -> Decoded {
        let (pointer, _) = self.value_and_type(&mut fields)?;
        let (expected, value_type) = self.value_and_type(&mut fields)?;
        let replacement = self.value(&mut fields)?;
        let volatile = fields.flag()?;
        let (ordering_on_success, scope) = self.atomic(&mut fields)?;
        let success = Access { volatile, ordering: ordering_on_success, scope };
        let failure = ordering(fields.take()?)?;
        let weak = fields.flag()?;
        let align = alignment(fields.optional().unwrap_or(0))?;
        fields.end()?;
        let ty = self.module.index.exchange_result(value_type)?;
        let kind = InstructionKind::CompareExchange {
            pointer,
            expected,
            replacement,
            value_type,
            align,
            success,
            failure,
            weak,
        };
        self.push(kind, ty)
    }

    fn atomic_update(&mut self, mut fields: Fields<'_>) -> Decoded {
        let (pointer, _) = self.value_and_type(&mut fields)?;
        let (value, value_type) = self.value_and_type(&mut fields)?;
        let op = atomic_op(fields.take()?)?;
        let volatile = fields.flag()?;
        let (ordering, scope) = self.atomic(&mut fields)?;
        let align = alignment(fields.optional().unwrap_or(0))?;
        fields.end()?;
        let access = Access { volatile, ordering, scope };
        self.push(InstructionKind::AtomicUpdate { op, pointer, value, value_type, align, access }, value_type)
    }

    fn fence(&mut self, mut fields: Fields<'_>) -> Decoded {
        let (ordering, scope) = self.atomic(&mut fields)?;
        fields.end()?;
        self.push(InstructionKind::Fence { ordering, scope }, self.module.index.void)
    }

    fn va_arg(&mut self, mut fields: Fields<'_>) -> Decoded {
        let _list_type = self.ty(&mut fields)?;
        let list = self.value(&mut fields)?;
        let ty = self.ty(&mut fields)?;
        fields.end()?;
        self.push(InstructionKind::VaArg { list }, ty)
    }

    fn return_value(&mut self, mut fields: Fields<'_>) -> Decoded {
        let value = if fields.is_empty() { None } else { Some(self.value_and_type(&mut fields)?.0) };
        fields.end()?;
        self.push(InstructionKind::Return { value }, self.module.index.void)
    }

    fn branch(&mut self, mut fields: Fields<'_>) -> Decoded {
        let target = self.block(&mut fields)?;
        let kind = if fields.is_empty() {
            InstructionKind::Branch { target }
        } else {
            let if_false = self.block(&mut fields)?;
            let condition = self.value(&mut fields)?;
            InstructionKind::ConditionalBranch { condition, if_true: target, if_false }
        };
        fields.end()?;
        self.push(kind, self.module.index.void)
    }

    fn switch(&mut self, mut fields: Fields<'_>) -> Decoded {
        if fields.rest().first().is_some_and(|first| first >> 16 == SWITCH_MAGIC) {
            return self.switch_over_ranges(fields);
        }
        let condition_type = self.ty(&mut fields)?;
        let condition = self.value(&mut fields)?;
        let default = self.block(&mut fields)?;
        let start = self.body.pools.cases.len();
        while !fields.is_empty() {
            let value = self.absolute_value(&mut fields)?;
            let target = self.block(&mut fields)?;
            self.body.pools.cases.push(SwitchCase { value, target });
        }
        let cases = list(start, self.body.pools.cases.len());
        let kind = InstructionKind::Switch { condition, condition_type, default, cases };
        self.push(kind, self.module.index.void)
    }

    fn switch_over_ranges(&mut self, mut fields: Fields<'_>) -> Decoded {
        fields.take()?;
        let condition_type = self.ty(&mut fields)?;
        let bits = match self.module.ty(condition_type) {
            Type::Integer { bits } if *bits <= 64 => *bits,
            _ => return Err(Fault::OldRecord),
        };
        let condition = self.value(&mut fields)?;
        let default = self.block(&mut fields)?;
        let start = self.body.pools.cases.len();
        for _ in 0..fields.take()? {
            let first = self.extra_cases.len();
            for _ in 0..fields.take()? {
                let single = fields.flag()?;
                let low = unrotate(fields.take()?);
                let high = if single { low } else { unrotate(fields.take()?) };
                let span = (high as u64).checked_sub(low as u64).ok_or(Fault::BadNumber)?;
                if span >= MAX_RANGE_CASES as u64 || self.extra_cases.len() > MAX_RANGE_CASES {
                    return Err(Fault::TooMany);
                }
                for step in 0..=span {
                    let number = sign_extend(low.wrapping_add(step as i64), bits);
                    self.extra_cases.push((0, condition_type, number));
                }
            }
            let target = self.block(&mut fields)?;
            for extra in &mut self.extra_cases[first..] {
                // The number of the constant is filled in when all others are known.
                extra.0 = self.body.pools.cases.len();
                self.body.pools.cases.push(SwitchCase { value: ValueId::new(0), target });
            }
        }
        let cases = list(start, self.body.pools.cases.len());
        let kind = InstructionKind::Switch { condition, condition_type, default, cases };
        self.push(kind, self.module.index.void)
    }

    fn indirect_branch(&mut self, mut fields: Fields<'_>) -> Decoded {
        let _address_type = self.ty(&mut fields)?;
        let address = self.value(&mut fields)?;
        let targets = self.block_list(fields.rest())?;
        self.push(InstructionKind::IndirectBranch { address, targets }, self.module.index.void)
    }

    fn landing_pad(&mut self, number: u32, mut fields: Fields<'_>) -> Decoded {
        let ty = self.ty(&mut fields)?;
        if number == code::LANDING_PAD_OLD {
            // The personality now belongs to the function.
            self.value_and_type(&mut fields)?;
        }
        let cleanup = fields.flag()?;
        let count = fields.take()?;
        if count > fields.len() as u64 {
            return Err(Fault::ShortRecord);
        }
        let start = self.body.pools.clauses.len();
        for _ in 0..count {
            let filter = fields.flag()?;
            let (value, _) = self.value_and_type(&mut fields)?;
            let clause = if filter { LandingClause::Filter(value) } else { LandingClause::Catch(value) };
            self.body.pools.clauses.push(clause);
        }
        fields.end()?;
        let clauses = list(start, self.body.pools.clauses.len());
        self.push(InstructionKind::LandingPad { cleanup, clauses }, ty)
    }

    fn resume(&mut self, mut fields: Fields<'_>) -> Decoded {
        let (value, _) = self.value_and_type(&mut fields)?;
        fields.end()?;
        self.push(InstructionKind::Resume { value }, self.module.index.void)
    }

    fn catch_switch(&mut self, mut fields: Fields<'_>) -> Decoded {
        let parent = self.value(&mut fields)?;
        let count = fields.take()?;
        let handlers = self.block_list(fields.slice(count)?)?;
        let unwind = if fields.is_empty() { None } else { Some(self.block(&mut fields)?) };
        fields.end()?;
        self.push(InstructionKind::CatchSwitch { parent, handlers, unwind }, self.module.index.token)
    }

    fn pad(&mut self, number: u32, mut fields: Fields<'_>) -> Decoded {
        let parent = self.value(&mut fields)?;
        let count = fields.take()?;
        if count > fields.len() as u64 {
            return Err(Fault::ShortRecord);
        }
        let start = self.body.pools.operands.len();
        for _ in 0..count {
            let (value, _) = self.value_and_type(&mut fields)?;
            self.body.pools.operands.push(Operand::Value(value));
        }
        fields.end()?;
        let arguments = list(start, self.body.pools.operands.len());
        let kind = match number {
            code::CATCH_PAD => InstructionKind::CatchPad { parent, arguments },
            _ => InstructionKind::CleanupPad { parent, arguments },
        };
        self.push(kind, self.module.index.token)
    }

    fn catch_return(&mut self, mut fields: Fields<'_>) -> Decoded {
        let pad = self.value(&mut fields)?;
        let target = self.block(&mut fields)?;
        fields.end()?;
        self.push(InstructionKind::CatchReturn { pad, target }, self.module.index.void)
    }

    fn cleanup_return(&mut self, mut fields: Fields<'_>) -> Decoded {
        let pad = self.value(&mut fields)?;
        let unwind = if fields.is_empty() { None } else { Some(self.block(&mut fields)?) };
        fields.end()?;
        self.push(InstructionKind::CleanupReturn { pad, unwind }, self.module.index.void)
    }
}
