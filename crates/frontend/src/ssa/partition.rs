//! How a small object is cut into parts.
//!
//! In: for each object, which bytes scalars are read and written at, and which ranges are filled or copied.
//! Out: whether the object can be split, and if so its slices: disjoint ranges of bytes such that every
//! scalar access is exactly one slice, and every copied or filled range is a number of whole slices.
//!
//! Each object has a set of *cuts* (positions where a slice must begin or end) and a set of *inner*
//! positions (strictly inside a scalar, where no slice may begin). An object with a position in both sets
//! is accessed in ways that overlap in part, as a union may be, and stays in memory. A copy between two
//! objects that are both to be split carries cuts and inner positions from one to the other, so that slices
//! match; this runs to a fixpoint, which comes soon because the sets only grow.
//!
//! Bytes that no scalar access touches still matter when they are passed on by copies (`a = *p; a.x = 1;
//! *q = a;`). They are *needed* if something may read them, and are cut into pieces of at most the size of
//! a pointer, aligned to their own size, so that a pointer among them is one piece.
//!
//! ```text
//! struct { char c; int i; void *p; } s;   s.c = 1; s.i = 2; s.p = q; memset(&s, 0, 16);
//! cuts 0 1 4 8 16, inner 5 6 7 9 ... 15: slices [0,1) [4,8) [8,16); padding [1,4) is not needed.
//! ```

use super::bytes::Bytes;
use super::ids::{ObjectId, SliceId};
use watertight_ir::{Id, Type, ValueId};

/// Objects with more slices than this stay in memory: a table is better understood as memory, and every
/// copy of the object would become as many loads and stores.
pub(super) const MAX_SLICES: usize = 64;

/// An object on the stack.
#[derive(Clone, Debug)]
pub(super) struct Object {
    pub(super) bytes: u32,
    /// Nothing seen so far keeps it in memory.
    pub(super) sound: bool,
    /// Something other than plain loads and stores of scalars at its start is done with it; when false,
    /// there is nothing to split.
    pub(super) composite: bool,
    /// A scalar in it does not fill its bytes, as `i1`.
    pub(super) odd: bool,
    pub(super) cuts: Bytes,
    pub(super) inner: Bytes,
    /// Bytes that are, or may be, read; bytes of scalars always count.
    pub(super) needed: Bytes,
    first_slice: u32,
    slice_count: u32,
}

impl Object {
    pub(super) fn new(bytes: u32) -> Object {
        let mut cuts = Bytes::default();
        cuts.insert(0);
        cuts.insert(bytes);
        Object {
            bytes,
            sound: true,
            composite: false,
            odd: false,
            cuts,
            inner: Bytes::default(),
            needed: Bytes::default(),
            first_slice: 0,
            slice_count: 0,
        }
    }

    /// Whether it is to be split.
    pub(super) fn splits(&self) -> bool {
        self.sound && self.composite
    }

    pub(super) fn add_scalar(&mut self, start: u32, end: u32) {
        self.cuts.insert(start);
        self.cuts.insert(end);
        self.inner.insert_range(start + 1, end);
        self.needed.insert_range(start, end);
    }

    pub(super) fn add_range(&mut self, start: u32, end: u32) {
        self.cuts.insert(start);
        self.cuts.insert(end);
        self.composite = true;
    }

    pub(super) fn slices(&self) -> impl Iterator<Item = SliceId> + use<> {
        (self.first_slice..self.first_slice + self.slice_count).map(|index| SliceId::new(index as usize))
    }

    /// The ranges between neighbouring cuts.
    fn segments(&self) -> impl Iterator<Item = (u32, u32)> {
        let mut start = 0;
        let ends = (1..=self.bytes).filter(|&end| end == self.bytes || self.cuts.contains(end));
        ends.map(move |end| (std::mem::replace(&mut start, end), end))
    }

    /// Cuts what is needed but not a scalar into pieces of at most `largest` bytes, which is a power of two.
    /// Returns whether there was something to cut.
    fn cut_gaps(&mut self, largest: u32) -> bool {
        let mut new = Bytes::default();
        let mut grew = false;
        for (start, end) in self.segments() {
            let fits = (end - start).is_power_of_two() && end - start <= largest;
            if fits || self.inner.contains(start + 1) || !self.needed.contains(start) {
                continue;
            }
            let mut position = start;
            while position < end {
                let left = 1 << (end - position).ilog2();
                let aligned = if position == 0 { left } else { 1 << position.trailing_zeros() };
                position += aligned.min(left).min(largest);
                new.insert(position);
            }
            grew = true;
        }
        self.cuts.insert_moved(0, &new, 0, self.bytes);
        grew
    }
}

/// A place within an object.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Spot {
    pub(super) object: ObjectId,
    pub(super) offset: u32,
}

/// A copy of `len` bytes; a side without object is other memory.
#[derive(Copy, Clone, Debug)]
pub(super) struct Transfer {
    pub(super) dst: Option<Spot>,
    pub(super) src: Option<Spot>,
    pub(super) len: u32,
}

/// A part of a split object.
#[derive(Copy, Clone, Debug)]
pub(super) struct Slice {
    pub(super) offset: u32,
    pub(super) bytes: u32,
    /// The type of its accesses; absent while only copies are known to touch it.
    pub(super) ty: Option<Type>,
    /// The address of the object it becomes.
    pub(super) address: Option<ValueId>,
}

/// Decides which objects are split, and fills `slices`.
pub(super) fn partition(
    objects: &mut [Object],
    copies: &[Transfer],
    slices: &mut Vec<Slice>,
    pointer_bytes: u32,
) {
    for object in objects.iter_mut() {
        // Filling or copying an `i1` would need bits beside it that a scalar does not have.
        object.sound &= !(object.odd && object.composite);
    }
    // A power of two, whatever the target says about its pointers.
    let largest = 1 << pointer_bytes.max(1).ilog2();
    while connect(objects, copies)
        || objects.iter_mut().any(|object| object.splits() && object.cut_gaps(largest))
    {}
    slices.clear();
    for object in objects.iter_mut().filter(|object| object.splits()) {
        object.first_slice = slices.len() as u32;
        let needed = object.segments().filter(|&(start, _)| object.needed.contains(start));
        slices.extend(needed.map(|(start, end)| Slice {
            offset: start,
            bytes: end - start,
            ty: None,
            address: None,
        }));
        object.slice_count = slices.len() as u32 - object.first_slice;
    }
}

/// One round over all copies and objects. Returns whether something changed.
fn connect(objects: &mut [Object], copies: &[Transfer]) -> bool {
    let mut changed = false;
    for copy in copies {
        let split = |spot: Option<Spot>| spot.filter(|spot| objects[spot.object.index()].splits());
        match (split(copy.dst), split(copy.src)) {
            (Some(dst), Some(src)) => {
                let (from, to) = (objects[src.object.index()].clone(), &mut objects[dst.object.index()]);
                changed |= to.cuts.insert_moved(dst.offset, &from.cuts, src.offset, copy.len);
                changed |= to.inner.insert_moved(dst.offset, &from.inner, src.offset, copy.len);
                let (from, to) = (to.clone(), &mut objects[src.object.index()]);
                changed |= to.cuts.insert_moved(src.offset, &from.cuts, dst.offset, copy.len);
                changed |= to.inner.insert_moved(src.offset, &from.inner, dst.offset, copy.len);
                changed |= to.needed.insert_moved(src.offset, &from.needed, dst.offset, copy.len);
            }
            (None, Some(src)) => {
                // Bytes that nothing wrote are copied too: they overwrite what was there.
                let needed = &mut objects[src.object.index()].needed;
                let before = *needed;
                needed.insert_range(src.offset, src.offset + copy.len);
                changed |= *needed != before;
            }
            (_, None) => {}
        }
    }
    for object in objects.iter_mut().filter(|object| object.splits()) {
        // A byte that is needed is needed with its whole segment; `segments` relies on it.
        let segments = || object.segments().filter(|&(start, _)| object.needed.contains(start));
        if object.cuts.intersects(&object.inner) || segments().count() > MAX_SLICES {
            object.sound = false;
            changed = true;
        }
    }
    changed
}
