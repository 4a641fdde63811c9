//! What is done with the objects that may be split.
//!
//! In: a body and its objects. Out: for each object, whether its address goes where it cannot be followed, and
//! the bytes that scalar accesses, copies and fills touch.
//!
//! One pass in reverse post-order follows addresses: a `stack`, and an `offset` of a followed address. In this
//! order an address is met before its uses; only phis may look ahead, and a phi of an address keeps the object
//! in memory anyway. Any use that is not understood does.

use super::Surroundings;
use super::partition::{Spot, Transfer};
use super::split::{Address, Scalar, Scratch};
use watertight_ir::{Access, Body, Cfg, Id, InstId, Op, Type, ValueId};

/// The pass that notes what is done with the objects.
pub(super) struct Survey<'a> {
    pub(super) surroundings: Surroundings<'a>,
    pub(super) body: &'a Body,
    pub(super) work: &'a mut Scratch,
}

impl Survey<'_> {
    pub(super) fn run(&mut self, cfg: &Cfg) {
        let work = &mut *self.work;
        work.scalars.clear();
        work.copies.clear();
        work.phis.clear();
        work.touched.clear();
        // In this order an address is met before its uses; only phis may look ahead.
        for &block in cfg.reverse_post_order() {
            let mut touches = block == self.body.entry();
            for &inst in &self.body.blocks[block].insts {
                touches |= self.visit(inst);
            }
            let term = &self.body.blocks[block].term;
            term.operands(|value| self.escape(value));
            if touches {
                self.work.touched.push(block);
            }
        }
        for index in 0..self.work.phis.len() {
            self.body.insts[self.work.phis[index]].op.operands(|value| self.escape(value));
        }
    }

    fn address(&self, value: ValueId) -> Option<Address> {
        self.work.addresses[value.index()]
    }

    /// The object whose address `value` is stays in memory.
    fn escape(&mut self, value: ValueId) {
        if let Some(address) = self.address(value) {
            self.work.objects[address.object.index()].sound = false;
        }
    }

    /// Returns whether the instruction must be looked at again when its object is split.
    fn visit(&mut self, id: InstId) -> bool {
        let inst = &self.body.insts[id];
        match inst.op {
            Op::Load { addr, access } => {
                let Some(address) = self.address(addr) else { return false };
                let ty = inst.result.map_or(Type::Void, |result| self.body.ty(result));
                self.access(address, ty, access);
                true
            }
            Op::Store { addr, value, access } => {
                self.escape(value);
                let Some(address) = self.address(addr) else { return false };
                self.access(address, self.body.ty(value), access);
                true
            }
            Op::Offset { base, bytes } => {
                let (Some(address), Some(result)) = (self.address(base), inst.result) else { return false };
                let object = &mut self.work.objects[address.object.index()];
                let offset = i64::from(address.offset).checked_add(bytes);
                match offset.and_then(|offset| i32::try_from(offset).ok()) {
                    Some(offset) => {
                        object.composite = true;
                        self.work.addresses[result.index()] = Some(Address { offset, ..address });
                    }
                    None => object.sound = false,
                }
                true
            }
            Op::MemCopy { dst, src, len, .. } => self.copy(dst, src, len),
            Op::MemFill { dst, byte, len } => {
                let Some(address) = self.address(dst) else { return false };
                let constant = self.body.bits(byte).is_some();
                match self.body.bits(len).filter(|_| constant).and_then(|len| self.range(address, len)) {
                    Some((spot, len)) => {
                        self.work.objects[spot.object.index()].add_range(spot.offset, spot.offset + len);
                    }
                    None => self.escape(dst),
                }
                true
            }
            // A name is no use of the object; it goes when the object goes.
            Op::Name { value, .. } => self.address(value).is_some(),
            Op::Phi { .. } => {
                self.work.phis.push(id);
                false
            }
            ref op => {
                op.operands(|value| self.escape(value));
                false
            }
        }
    }

    /// Bytes that a value of type `ty` takes, from first to last.
    fn bytes(&self, ty: Type) -> u32 {
        let bytes = match ty {
            Type::Agg(id) => {
                let last = self.surroundings.aggregates.get(id).and_then(|agg| agg.parts.last());
                last.map_or(0, |(offset, ty)| offset + ty.store_bytes(self.surroundings.target.pointer_bits))
            }
            _ => ty.store_bytes(self.surroundings.target.pointer_bits),
        };
        u32::try_from(bytes).unwrap_or(u32::MAX)
    }

    /// The range of `len` bytes at `address`, if it lies within the object.
    fn range(&self, address: Address, len: u64) -> Option<(Spot, u32)> {
        let offset = u32::try_from(address.offset).ok()?;
        let len = u32::try_from(len).ok()?;
        let end = offset.checked_add(len)?;
        let bytes = self.work.objects[address.object.index()].bytes;
        (end <= bytes).then_some((Spot { object: address.object, offset }, len))
    }

    /// Notes a load or store.
    fn access(&mut self, address: Address, ty: Type, access: Access) {
        let bytes = self.bytes(ty);
        let range = self.range(address, u64::from(bytes)).filter(|_| access == Access::Plain && bytes > 0);
        let Some((spot, _)) = range else {
            self.work.objects[address.object.index()].sound = false;
            return;
        };
        if let Type::Agg(id) = ty {
            self.work.objects[spot.object.index()].composite = true;
            for &(offset, ty) in &self.surroundings.aggregates[id].parts {
                self.scalar(Spot { offset: spot.offset + offset as u32, ..spot }, ty);
            }
        } else {
            self.scalar(spot, ty);
        }
    }

    fn scalar(&mut self, spot: Spot, ty: Type) {
        let bits = ty.bits(self.surroundings.target.pointer_bits);
        let object = &mut self.work.objects[spot.object.index()];
        object.odd |= !bits.is_multiple_of(8) || bits == 0;
        object.add_scalar(spot.offset, spot.offset + bits.div_ceil(8));
        self.work.scalars.push(Scalar { spot, ty });
    }

    fn copy(&mut self, dst: ValueId, src: ValueId, len: ValueId) -> bool {
        let sides = [self.address(dst), self.address(src)];
        let [to, from] = sides;
        if to.is_none() && from.is_none() {
            return false;
        }
        let same = to.zip(from).is_some_and(|(to, from)| to.object == from.object);
        let bytes = self.body.bits(len).filter(|_| !same);
        let [dst, src] = sides.map(|address| {
            let address = address?;
            let range = bytes.and_then(|bytes| self.range(address, bytes));
            let object = &mut self.work.objects[address.object.index()];
            match range {
                Some((spot, len)) => object.add_range(spot.offset, spot.offset + len),
                None => object.sound = false,
            }
            range.map(|(spot, _)| spot)
        });
        if (dst.is_some() || src.is_some())
            && let Some(len) = bytes
        {
            self.work.copies.push(Transfer { dst, src, len: len as u32 });
        }
        true
    }
}
