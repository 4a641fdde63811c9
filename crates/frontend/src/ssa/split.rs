//! Splitting of small aggregates into scalar objects.
//!
//! In: a body without unreachable blocks. Out: the same body, in which a small struct, union or array on the
//! stack whose address goes nowhere, and which is only accessed at constant offsets, is replaced by one
//! scalar object per part. `promote` then finds only direct loads and stores of them.
//!
//! `survey` notes every use of the objects, `partition` decides on the slices, this module gives them types
//! and names, and `expand` rewrites the blocks concerned.
//!
//! A source variable that was split lives on in one variable per named member (`s.next`, `pair[1]`), so that
//! assignments to members keep their names as those to scalars do.
//!
//! ```text
//! %v1 = stack 16 align 8               %v1 = stack 8 align 8
//! memcpy %v1, %v0, i64 16              %v2 = offset %v0, 8
//! %v2 = offset %v1, 8                  %v3: ptr = load %v2
//! %v3: ptr = load %v2                  store %v3 to %v1
//!                                      %v4: ptr = load %v1
//! ```

use super::expand::Expand;
use super::ids::{ObjectId, SliceId};
use super::partition::{Object, Slice, Spot, Transfer, partition};
use super::survey::Survey;
use super::{Surroundings, bytes, members};
use watertight_ir::{
    BlockId, Body, Cfg, DebugInfo, DebugTypeId, Id, InstId, Op, Type, ValueId, VarId, Variable,
};

/// An address within an object that may be split.
#[derive(Copy, Clone, Debug)]
pub(super) struct Address {
    pub(super) object: ObjectId,
    pub(super) offset: i32,
}

/// A scalar load or store, for the type of its slice.
#[derive(Copy, Clone, Debug)]
pub(super) struct Scalar {
    pub(super) spot: Spot,
    pub(super) ty: Type,
}

#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub(super) objects: Vec<Object>,
    /// By value.
    pub(super) addresses: Vec<Option<Address>>,
    pub(super) scalars: Vec<Scalar>,
    pub(super) copies: Vec<Transfer>,
    pub(super) slices: Vec<Slice>,
    pub(super) phis: Vec<InstId>,
    /// Blocks that use an address within an object, in reverse post-order.
    pub(super) touched: Vec<BlockId>,
    homes: Vec<(Spot, VarId)>,
    pub(super) out: Vec<InstId>,
    path: String,
}

/// Splits what can be split and returns how many objects were.
pub(super) fn split(
    surroundings: Surroundings<'_>,
    body: &mut Body,
    cfg: &Cfg,
    debug: &mut DebugInfo,
    scratch: &mut super::Scratch,
) -> usize {
    let pointer_bits = surroundings.target.pointer_bits;
    let work = &mut scratch.split;
    if !work.find_objects(body) {
        return 0;
    }
    Survey { surroundings, body, work }.run(cfg);
    if !work.objects.iter().any(Object::splits) {
        return 0;
    }
    partition(&mut work.objects, &work.copies, &mut work.slices, pointer_bits / 8);
    let split = work.objects.iter().filter(|object| object.splits()).count();
    if split == 0 {
        return 0;
    }
    work.find_homes(body);
    work.type_slices(body, debug, pointer_bits);
    let constants = &mut scratch.constants;
    Expand { surroundings, body, work, constants }.run();
    work.name_members(body, debug, pointer_bits);
    split
}

impl Scratch {
    /// Collects the objects of the entry block. Returns whether there is one.
    fn find_objects(&mut self, body: &Body) -> bool {
        self.objects.clear();
        for (_, inst) in body.block_insts(body.entry()) {
            if let (Op::Stack { bytes, count: None, .. }, Some(result)) = (&inst.op, inst.result)
                && (1..=u64::from(bytes::MAX_BYTES)).contains(bytes)
            {
                if self.objects.is_empty() {
                    self.addresses.clear();
                    self.addresses.resize(body.values.len(), None);
                }
                let object = ObjectId::new(self.objects.len());
                self.addresses[result.index()] = Some(Address { object, offset: 0 });
                self.objects.push(Object::new(*bytes as u32));
            }
        }
        !self.objects.is_empty()
    }

    /// The place in an object that is split, if `value` is its address.
    pub(super) fn split_spot(&self, value: ValueId) -> Option<Spot> {
        let address = self.addresses.get(value.index()).copied().flatten()?;
        let object = &self.objects[address.object.index()];
        object.splits().then_some(Spot { object: address.object, offset: address.offset as u32 })
    }

    pub(super) fn slice_at(&self, spot: Spot) -> Option<SliceId> {
        let slices = self.objects[spot.object.index()].slices();
        slices.into_iter().find(|slice| self.slices[slice.index()].offset == spot.offset)
    }

    /// The slices of an object that lie within `len` bytes from `spot`.
    pub(super) fn slices_within(&self, spot: Spot, len: u32) -> impl Iterator<Item = SliceId> + use<'_> {
        let range = spot.offset..spot.offset + len;
        let slices = self.objects[spot.object.index()].slices();
        slices.filter(move |slice| range.contains(&self.slices[slice.index()].offset))
    }

    /// Which variables live in objects that are split.
    fn find_homes(&mut self, body: &Body) {
        self.homes.clear();
        for (id, variable) in body.variables.iter() {
            if let Some(spot) = variable.home.and_then(|home| self.split_spot(home)) {
                self.homes.push((spot, id));
            }
        }
    }

    /// Gives each slice the type of its accesses: an address if it is ever accessed as one, so that the
    /// identity of what it points to is not lost, else the first.
    fn type_slices(&mut self, body: &Body, debug: &DebugInfo, pointer_bits: u32) {
        for index in 0..self.scalars.len() {
            let Scalar { spot, ty } = self.scalars[index];
            if !self.objects[spot.object.index()].splits() {
                continue;
            }
            let slice = self.slice_at(spot).expect("every scalar access is one slice");
            let known = &mut self.slices[slice.index()].ty;
            if known.is_none() || ty == Type::Ptr {
                *known = Some(ty);
            }
        }
        while self.copy_types() {}
        for object in 0..self.objects.len() {
            let object = ObjectId::new(object);
            for slice in self.objects[object.index()].slices() {
                let Slice { offset, bytes, ty, .. } = self.slices[slice.index()];
                if ty.is_some() {
                    continue;
                }
                let bits = bytes * 8;
                let is_number = || {
                    let leaf = self.member(body, debug, pointer_bits, Spot { object, offset }, bytes);
                    leaf.is_some_and(|leaf| !members::is_pointer(debug, leaf))
                };
                // Nothing says what these bytes are. A number survives being carried as an address, but an
                // address carried as a number would lose its object.
                let number = bits != pointer_bits || is_number();
                self.slices[slice.index()].ty = Some(if number { Type::Int(bits) } else { Type::Ptr });
            }
        }
    }

    /// Slices that are only copied have the type of the slice at the other side. Returns whether a type
    /// was found.
    fn copy_types(&mut self) -> bool {
        let mut changed = false;
        for index in 0..self.copies.len() {
            let Transfer { dst, src, len } = self.copies[index];
            let (Some(dst), Some(src)) = (dst, src) else { continue };
            let splits = |spot: Spot| self.objects[spot.object.index()].splits();
            if !splits(dst) || !splits(src) {
                continue;
            }
            for to in self.objects[dst.object.index()].slices() {
                let offset = self.slices[to.index()].offset;
                if !(dst.offset..dst.offset + len).contains(&offset) {
                    continue;
                }
                let offset = offset - dst.offset + src.offset;
                let Some(from) = self.slice_at(Spot { object: src.object, offset }) else { continue };
                let types = (self.slices[to.index()].ty, self.slices[from.index()].ty);
                match types {
                    (None, Some(ty)) => self.slices[to.index()].ty = Some(ty),
                    (Some(ty), None) => self.slices[from.index()].ty = Some(ty),
                    _ => continue,
                }
                changed = true;
            }
        }
        changed
    }

    /// The debug type of the scalar at `spot`, if a variable says so.
    fn member(
        &self,
        body: &Body,
        debug: &DebugInfo,
        pointer_bits: u32,
        spot: Spot,
        bytes: u32,
    ) -> Option<DebugTypeId> {
        self.homes.iter().filter(|(home, _)| home.object == spot.object).find_map(|&(home, variable)| {
            let offset = u64::from(spot.offset.checked_sub(home.offset)?);
            let ty = body.variables[variable].ty?;
            members::spell(debug, pointer_bits, ty, (offset, u64::from(bytes)), &mut String::new())
        })
    }

    /// Makes a variable of each named member of a variable that was split. A scalar variable that is one
    /// slice lives in that slice; other variables have no home any more.
    fn name_members(&mut self, body: &mut Body, debug: &mut DebugInfo, pointer_bits: u32) {
        for &(home, id) in &self.homes {
            body.variables[id].home = None;
            let Some(ty) = body.variables[id].ty else { continue };
            for slice in self.objects[home.object.index()].slices() {
                let Slice { offset, bytes, address, .. } = self.slices[slice.index()];
                let Some(offset) = offset.checked_sub(home.offset) else { continue };
                let variable = &body.variables[id];
                self.path.clear();
                self.path.push_str(debug.names.get(variable.name));
                let len = self.path.len();
                let range = (u64::from(offset), u64::from(bytes));
                let leaf = members::spell(debug, pointer_bits, ty, range, &mut self.path);
                if leaf.is_none() {
                    continue;
                }
                if self.path.len() == len {
                    body.variables[id].home = address;
                    continue;
                }
                let name = debug.names.intern(&self.path);
                let place = variable.place;
                body.variables.push(Variable { name, ty: leaf, place, parameter: None, home: address });
            }
        }
    }
}
