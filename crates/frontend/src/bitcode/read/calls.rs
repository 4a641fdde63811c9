//! Calls in their three forms, and the operand bundles that precede them.

use super::body::{BodyReader, list};
use super::fields::Fields;
use super::metadata::definite;
use crate::bitcode::fault::Fault;
use crate::bitcode::ids::{List, TypeId};
use crate::bitcode::instruction::{
    Bundle, BundleTag, CallSite, CallingConvention, FastMathFlags, InstructionKind, Operand, TailKind,
};
use crate::bitcode::types::Type;

type Decoded = Result<(), Fault>;

/// Says in an operand bundle that a metadata number follows.
const METADATA_MARK: u64 = 0x8000_0000;

impl BodyReader<'_, '_> {
    pub(super) fn call(&mut self, mut fields: Fields<'_>) -> Decoded {
        let attributes = self.module.attributes.list(fields.take()?)?;
        let flags = fields.take()?;
        let fast = if flags >> 17 & 1 != 0 { FastMathFlags(fields.take()? as u8) } else { FastMathFlags(0) };
        let tail = match (flags >> 14 & 1 != 0, flags >> 16 & 1 != 0, flags & 1 != 0) {
            (true, ..) => TailKind::MustTail,
            (_, true, _) => TailKind::NoTail,
            (.., true) => TailKind::Tail,
            _ => TailKind::None,
        };
        let convention = CallingConvention((flags >> 1 & 0x3ff) as u16);
        let explicit = flags >> 15 & 1 != 0;
        let mut call = self.call_site(fields, explicit)?;
        (call.attributes, call.calling_convention) = (attributes, convention);
        self.push(InstructionKind::Call { call, tail, fast }, self.result_of(call.function_type)?)
    }

    pub(super) fn invoke(&mut self, mut fields: Fields<'_>) -> Decoded {
        let attributes = self.module.attributes.list(fields.take()?)?;
        let flags = fields.take()?;
        let normal = self.block(&mut fields)?;
        let unwind = self.block(&mut fields)?;
        let mut call = self.call_site(fields, flags >> 13 & 1 != 0)?;
        call.attributes = attributes;
        call.calling_convention = CallingConvention((flags & 0x3ff) as u16);
        self.push(InstructionKind::Invoke { call, normal, unwind }, self.result_of(call.function_type)?)
    }

    pub(super) fn call_branch(&mut self, mut fields: Fields<'_>) -> Decoded {
        let attributes = self.module.attributes.list(fields.take()?)?;
        let flags = fields.take()?;
        let fallthrough = self.block(&mut fields)?;
        let count = fields.take()?;
        let indirect = self.block_list(fields.slice(count)?)?;
        let mut call = self.call_site(fields, flags >> 15 & 1 != 0)?;
        call.attributes = attributes;
        call.calling_convention = CallingConvention((flags >> 1 & 0x3ff) as u16);
        self.push(
            InstructionKind::CallBranch { call, fallthrough, indirect },
            self.result_of(call.function_type)?,
        )
    }

    /// The callee and the arguments, which end the record. Takes the bundles that are waiting.
    fn call_site(&mut self, mut fields: Fields<'_>, explicit_type: bool) -> Result<CallSite, Fault> {
        let written = if explicit_type { Some(self.ty(&mut fields)?) } else { None };
        let (callee, callee_type) = self.value_and_type(&mut fields)?;
        let module = self.module;
        let function_type = match (written, module.ty(callee_type)) {
            (Some(written), _) => written,
            (None, Type::Pointer { pointee: Some(pointee), .. }) => *pointee,
            _ => return Err(Fault::BadType),
        };
        let Type::Function { parameters, varargs, .. } = module.ty(function_type) else {
            return Err(Fault::BadType);
        };
        let start = self.body.pools.operands.len();
        for &parameter in parameters {
            let operand = match module.ty(parameter) {
                Type::Metadata => Operand::Metadata(definite(u64::from(self.absolute(fields.take()?)))?),
                Type::Label => Operand::Block(self.block(&mut fields)?),
                _ => Operand::Value(self.value(&mut fields)?),
            };
            self.body.pools.operands.push(operand);
        }
        if *varargs {
            while !fields.is_empty() {
                let (value, _) = self.value_and_type(&mut fields)?;
                self.body.pools.operands.push(Operand::Value(value));
            }
        }
        fields.end()?;
        let arguments = list(start, self.body.pools.operands.len());
        let bundles_start = self.body.pools.bundles.len();
        self.body.pools.bundles.append(&mut self.bundles);
        Ok(CallSite {
            callee,
            function_type,
            arguments,
            attributes: None,
            calling_convention: CallingConvention::default(),
            bundles: list(bundles_start, self.body.pools.bundles.len()),
        })
    }

    fn result_of(&self, function_type: TypeId) -> Result<TypeId, Fault> {
        match self.module.ty(function_type) {
            Type::Function { result, .. } => Ok(*result),
            _ => Err(Fault::BadType),
        }
    }

    pub(super) fn read_bundle(&mut self, mut fields: Fields<'_>) -> Result<(), Fault> {
        let tag = BundleTag(fields.take32()?);
        let start = self.body.pools.operands.len();
        while !fields.is_empty() {
            let operand = if fields.rest().first() == Some(&METADATA_MARK) {
                fields.take()?;
                Operand::Metadata(definite(u64::from(self.absolute(fields.take()?)))?)
            } else {
                Operand::Value(self.value_and_type(&mut fields)?.0)
            };
            self.body.pools.operands.push(operand);
        }
        let operands: List<Operand> = list(start, self.body.pools.operands.len());
        self.bundles.push(Bundle { tag, operands });
        Ok(())
    }
}
