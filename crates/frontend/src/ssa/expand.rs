//! Objects that are split give way to their slices.
//!
//! In: the slices of all objects that are split, with their types. Out: the body with one scalar object per
//! slice. Loads and stores are redirected, aggregate values are taken apart and put together part by part, and
//! copies and fills become loads and stores of slices. The other side of a copy may be any memory: the object
//! that is split cannot overlap it, because its address goes nowhere.
//!
//! A copy from memory into an object that nobody reads leaves one load behind, because the access itself may be
//! what is wrong with the program.

use super::Surroundings;
use super::constants::Constants;
use super::convert;
use super::ids::{ObjectId, SliceId};
use super::partition::{Slice, Spot};
use super::split::Scratch;
use watertight_ir::{Access, Body, Id, InstId, Op, PlaceId, Type, ValueId};

/// The pass that replaces the objects by their slices.
pub(super) struct Expand<'a> {
    pub(super) surroundings: Surroundings<'a>,
    pub(super) body: &'a mut Body,
    pub(super) work: &'a mut Scratch,
    pub(super) constants: &'a mut Constants,
}

impl Expand<'_> {
    pub(super) fn run(&mut self) {
        for index in 0..self.work.touched.len() {
            let block = self.work.touched[index];
            let mut insts = std::mem::take(&mut self.body.blocks[block].insts);
            self.work.out.clear();
            for &inst in &insts {
                self.rewrite(inst);
            }
            insts.clear();
            insts.extend_from_slice(&self.work.out);
            self.body.blocks[block].insts = insts;
        }
    }

    /// Appends to the work space what stands for `id`.
    fn rewrite(&mut self, id: InstId) {
        let inst = &self.body.insts[id];
        let (place, result) = (inst.place, inst.result);
        match inst.op {
            Op::Stack { align, .. } => {
                if let Some(spot) = result.and_then(|result| self.work.split_spot(result)) {
                    return self.make_slices(spot.object, align, place);
                }
            }
            Op::Offset { base: value, .. } | Op::Name { value, .. }
                if self.work.split_spot(value).is_some() =>
            {
                return;
            }
            Op::Load { addr, .. } => {
                if let Some(spot) = self.work.split_spot(addr) {
                    return self.load(id, spot);
                }
            }
            Op::Store { addr, value, .. } => {
                if let Some(spot) = self.work.split_spot(addr) {
                    return self.store(id, spot, value);
                }
            }
            Op::MemFill { dst, byte, len } => {
                if let Some(spot) = self.work.split_spot(dst) {
                    let byte = self.body.bits(byte).expect("the byte of a fill is constant") as u8;
                    return self.fill(spot, byte, self.length(len), place);
                }
            }
            Op::MemCopy { dst, src, len, .. } => {
                let sides = (self.work.split_spot(dst), self.work.split_spot(src));
                if sides != (None, None) {
                    return self.copy((dst, sides.0), (src, sides.1), self.length(len), place);
                }
            }
            _ => {}
        }
        self.work.out.push(id);
    }

    fn length(&self, len: ValueId) -> u32 {
        self.body.bits(len).expect("the length of a copy or fill is constant") as u32
    }

    fn make_slices(&mut self, object: ObjectId, align: u32, place: Option<PlaceId>) {
        for slice in self.work.objects[object.index()].slices() {
            let Slice { offset, bytes, .. } = self.work.slices[slice.index()];
            let align = if offset == 0 { align } else { align.min(1 << offset.trailing_zeros()) };
            let op = Op::Stack { bytes: u64::from(bytes), count: None, align };
            let address = self.value(op, Type::Ptr, place);
            self.work.slices[slice.index()].address = Some(address);
        }
    }

    fn value(&mut self, op: Op, ty: Type, place: Option<PlaceId>) -> ValueId {
        let (inst, value) = convert::append(self.body, op, ty, place);
        self.work.out.push(inst);
        value
    }

    fn effect(&mut self, op: Op, place: Option<PlaceId>) {
        let inst = convert::append_effect(self.body, op, place);
        self.work.out.push(inst);
    }

    fn load_from(&mut self, addr: ValueId, ty: Type, place: Option<PlaceId>) -> ValueId {
        self.value(Op::Load { addr, access: Access::Plain }, ty, place)
    }

    fn store_to(&mut self, addr: ValueId, value: ValueId, place: Option<PlaceId>) {
        self.effect(Op::Store { addr, value, access: Access::Plain }, place);
    }

    /// The address of the object that the slice at `spot` became.
    fn slice_address(&self, spot: Spot) -> ValueId {
        let slice = self.work.slice_at(spot).expect("every access is one slice");
        self.address_and_type(slice).0
    }

    fn address_and_type(&self, slice: SliceId) -> (ValueId, Type) {
        let Slice { address, ty, .. } = self.work.slices[slice.index()];
        (address.expect("the entry block is rewritten first"), ty.expect("every slice has a type"))
    }

    fn load(&mut self, id: InstId, spot: Spot) {
        let inst = &self.body.insts[id];
        let (place, result) = (inst.place, inst.result.expect("a load has a result"));
        let op = if let Type::Agg(agg) = self.body.ty(result) {
            let aggregates = self.surroundings.aggregates;
            let parts = aggregates[agg].parts.iter().map(|&(offset, ty)| {
                let addr = self.slice_address(Spot { offset: spot.offset + offset as u32, ..spot });
                self.load_from(addr, ty, place)
            });
            Op::Pack { parts: parts.collect() }
        } else {
            Op::Load { addr: self.slice_address(spot), access: Access::Plain }
        };
        self.body.insts[id].op = op;
        self.work.out.push(id);
    }

    fn store(&mut self, id: InstId, spot: Spot, value: ValueId) {
        let place = self.body.insts[id].place;
        if let Type::Agg(agg) = self.body.ty(value) {
            for (part, &(offset, ty)) in self.surroundings.aggregates[agg].parts.iter().enumerate() {
                let addr = self.slice_address(Spot { offset: spot.offset + offset as u32, ..spot });
                let op = Op::Extract { aggregate: value, part: part as u32 };
                let value = self.value(op, ty, place);
                self.store_to(addr, value, place);
            }
        } else {
            let addr = self.slice_address(spot);
            self.body.insts[id].op = Op::Store { addr, value, access: Access::Plain };
            self.work.out.push(id);
        }
    }

    fn fill(&mut self, spot: Spot, byte: u8, len: u32, place: Option<PlaceId>) {
        let slices: Vec<SliceId> = self.work.slices_within(spot, len).collect();
        for slice in slices {
            let (addr, ty) = self.address_and_type(slice);
            let pointer_bits = self.surroundings.target.pointer_bits;
            let value = self.constants.repeated(self.body, ty, byte, pointer_bits);
            self.store_to(addr, value, place);
        }
    }

    fn copy(
        &mut self,
        (dst, to): (ValueId, Option<Spot>),
        (src, from): (ValueId, Option<Spot>),
        len: u32,
        place: Option<PlaceId>,
    ) {
        let leader = to.or(from).expect("one side is split");
        let slices: Vec<SliceId> = self.work.slices_within(leader, len).collect();
        for &slice in &slices {
            let distance = self.work.slices[slice.index()].offset - leader.offset;
            let (own, ty) = self.address_and_type(slice);
            match (to, from) {
                (Some(_), Some(from)) => {
                    let other = Spot { offset: from.offset + distance, ..from };
                    let other =
                        self.work.slice_at(other).expect("what is needed of a copy is needed of its source");
                    let (addr, ty) = self.address_and_type(other);
                    let value = self.load_from(addr, ty, place);
                    self.store_to(own, value, place);
                }
                (Some(_), None) => {
                    let addr = self.beyond(src, distance, place);
                    let value = self.load_from(addr, ty, place);
                    self.store_to(own, value, place);
                }
                (None, _) => {
                    let value = self.load_from(own, ty, place);
                    let addr = self.beyond(dst, distance, place);
                    self.store_to(addr, value, place);
                }
            }
        }
        // The access to the other memory stays visible even when no byte of it matters.
        if slices.is_empty() && len > 0 && from.is_none() {
            self.load_from(src, Type::Int(8), place);
        }
    }

    /// `base + distance`.
    fn beyond(&mut self, base: ValueId, distance: u32, place: Option<PlaceId>) -> ValueId {
        if distance == 0 {
            return base;
        }
        self.value(Op::Offset { base, bytes: i64::from(distance) }, Type::Ptr, place)
    }
}
