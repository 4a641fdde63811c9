//! Where objects are placed in the address space.
//!
//! There are four regions: statics (globals and code), the stack, the heap, and what a caller outside the program
//! owns. For targets with 64-bit
//! addresses the address itself says which object it belongs to:
//!
//! ```text
//! bit   63 62 61   60 ........ 32   31 ........ 0
//!      |  region  | object number  | offset window |
//! ```
//!
//! so finding the object is a shift and a look-up, and no index however wrong leads from one object into
//! another. Stack object numbers are reused when calls return; nine of their bits count the reuses, so
//! that an old address does not reach a new object. Each object starts somewhere in the first half of
//! its window, at a place that differs from object to object: programs that hash the low half of an
//! address still spread, and small negative indices stay in the window.
//!
//! For narrower addresses objects are laid out one after the other with gaps, and found by binary search.

/// The kinds of memory, in address order.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum RegionId {
    Statics = 0,
    Stack = 1,
    Heap = 2,
    /// What a caller outside the program owns.
    Given = 3,
}

pub(crate) const REGION_SHIFT: u32 = 61;
pub(crate) const OBJECT_SHIFT: u32 = 32;
const GENERATION_SHIFT: u32 = 53;
/// The part of an address above the window that selects an object of the stack.
pub(crate) const STACK_INDEX_MASK: u64 = (1 << (GENERATION_SHIFT - OBJECT_SHIFT)) - 1;
/// The same for the other regions.
pub(crate) const INDEX_MASK: u64 = (1 << (REGION_SHIFT - OBJECT_SHIFT)) - 1;
const GENERATIONS: u64 = 1 << (REGION_SHIFT - GENERATION_SHIFT);
/// Below this, an address is a null pointer with a small offset.
pub(crate) const NULL_PAGE: u64 = 4096;
/// No object may be larger, so that it fits its window.
pub(crate) const MAX_OBJECT: u64 = 1 << 31;

/// How far apart the statics of a 64-bit target are placed.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Spacing {
    /// Each in its own window.
    Far,
    /// One after the other, so that the distance between any two fits 32 bits, as tables of relative
    /// addresses need it. An index that is wrong enough may then reach another static.
    Near,
}

/// Where near statics lie on a 64-bit target.
pub(crate) const NEAR_RANGE: (u64, u64) = (0x1_0000, 0x7fff_0000);

/// How object numbers are found in addresses.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Scheme {
    /// The object number is part of the address.
    Indexed,
    /// Objects follow each other; addresses have so many bits.
    Packed { bits: u32 },
}

impl Scheme {
    /// The scheme for addresses of `pointer_bits` bits; absent for widths nobody uses.
    pub(crate) fn new(pointer_bits: u32) -> Option<Scheme> {
        match pointer_bits {
            64 => Some(Scheme::Indexed),
            16..=48 => Some(Scheme::Packed { bits: pointer_bits }),
            _ => None,
        }
    }

    /// First and last address of a region of packed objects.
    pub(crate) fn packed_range(bits: u32, region: RegionId) -> (u64, u64) {
        let sixteenth = 1u64 << (bits - 4);
        match region {
            RegionId::Statics => (sixteenth / 16, 5 * sixteenth),
            RegionId::Heap => (5 * sixteenth, 12 * sixteenth),
            RegionId::Stack => (12 * sixteenth, 16 * sixteenth - sixteenth / 16),
            // Functions are run by themselves only where addresses have 64 bits.
            RegionId::Given => (0, 0),
        }
    }

    /// The address of object number `index`, used for the `generation`-th time.
    pub(crate) fn indexed_start(region: RegionId, index: u64, generation: u64, align: u64) -> Option<u64> {
        let mask = if region == RegionId::Stack { STACK_INDEX_MASK } else { INDEX_MASK };
        if index > mask {
            return None;
        }
        let low = 0x1000_0000 + ((index * 0x40) & 0x0fff_ffff);
        let low = low.next_multiple_of(align.clamp(16, 1 << 20));
        let generation = if region == RegionId::Stack { generation % GENERATIONS } else { 0 };
        Some((region as u64) << REGION_SHIFT | generation << GENERATION_SHIFT | index << OBJECT_SHIFT | low)
    }

    /// Unmapped bytes after each packed object.
    pub(crate) fn gap(bits: u32) -> u64 {
        if bits < 32 { 8 } else { 32 }
    }
}
