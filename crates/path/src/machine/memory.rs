//! Objects and their cells.
//!
//! An object is a block of memory (or a resource that is a number) whose identity is known: a variable, a
//! global, something acquired here, or something that the caller's arguments lead to. Cells are byte ranges
//! that were read or written; a cell holds a guarded set of leaves that covers all paths. A store under a
//! guard replaces what the cell held on those paths and keeps the rest, so no state is ever copied at a
//! branch and merging costs nothing. Writes at unknown offsets go into a set of their own, which is never
//! emptied.

use crate::machine::cells::Hidden;
use crate::machine::journal::Gone;
use crate::machine::value::{Leaf, Leaves};
use crate::plan::unroll::NodeId;
use watertight_ir::{GlobalId, InstId};
use watertight_logic::guard::Guard;
use watertight_logic::term::TermId;
use watertight_summary::{CallAt, KindId, Path, Span};

watertight_ir::define_ids! {
    /// An object of the function being evaluated.
    ObjectId "obj";
}

/// What an object is.
#[derive(Clone, PartialEq, Debug)]
pub enum Origin {
    /// A variable in the frame.
    Stack(InstId),
    Global(GlobalId),
    /// Something the caller can name: what the entry value of `path` points to.
    Entry(Path),
    /// Acquired here, by a call.
    Fresh(Site),
    /// Read from somewhere that has no name for the caller.
    Elsewhere,
    /// The process, which has states and no memory.
    Process,
}

/// Where something was acquired.
#[derive(Clone, PartialEq, Debug)]
pub struct Site {
    pub inst: InstId,
    /// Which of the objects that the call acquires.
    pub number: u32,
    pub kind: KindId,
    /// The function called there.
    pub callee: Box<str>,
    /// The calls inside that function which led to it, outermost first.
    pub trail: Vec<CallAt>,
    /// It is plain memory, and nothing inside that function has written to it.
    pub blank: bool,
}

/// A byte range with contents.
#[derive(Clone, Debug)]
pub struct Cell {
    pub offset: i64,
    pub bytes: u64,
    pub leaves: Leaves,
    /// The last node that wrote it; the first node of all if none did.
    pub written: NodeId,
    /// Something may have written it since it was read, under another name or in code that is not followed.
    pub stale: bool,
    /// What it holds may have been taken out of a list by someone who does not know this cell.
    pub unlinked: bool,
    /// How often code that is not known had run when it was last read or written.
    pub seen: u32,
    /// What is read there, where that differs from what is known to have been written: what was released may have been
    /// replaced by something that nobody has seen.
    pub found: Option<Leaves>,
}

impl Cell {
    pub fn new(offset: i64, bytes: u64, leaves: Leaves, written: NodeId, seen: u32) -> Cell {
        Cell { offset, bytes, leaves, written, stale: false, unlinked: false, seen, found: None }
    }
}

/// A range that was copied or filled as a whole: where its cells come from when they are first read.
#[derive(Clone, Debug)]
pub struct Link {
    pub span: Span,
    /// The paths on which it happened.
    pub guard: Guard,
    pub from: LinkFrom,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum LinkFrom {
    Zero,
    Unknown,
    /// Unknown, although code of the program decides it: an invention.
    Untold,
    /// The bytes of an object from an offset on.
    Object(ObjectId, i64),
}

/// A block of memory or a resource.
#[derive(Clone, Debug)]
pub struct Object {
    pub origin: Origin,
    /// The number of its address, where one was asked for.
    pub address: Option<TermId>,
    pub cells: Vec<Cell>,
    /// Written at unknown offsets.
    pub scattered: Leaves,
    /// Ranges that were copied or filled as a whole; later ones count first.
    pub links: Vec<Link>,
    /// Objects whose links lead here: they are to have what was here when it was copied.
    pub copied_to: Vec<ObjectId>,
    /// What an object held at some time, kept for its copies. Nothing else leads to it.
    pub past: bool,
    /// It is a number, such as a descriptor, and has no memory.
    pub is_number: bool,
    /// Cells not written yet are zero (`calloc`).
    pub zeroed: bool,
    /// It stands for several objects: elements of an array at unknown indices.
    pub several: bool,
    /// When it comes into being.
    pub exists: Guard,
    pub released: Guard,
    /// Releases that are certain, in the order of execution.
    pub gone: Vec<Gone>,
    /// It was found again where it may have been taken out before.
    pub found_again: bool,
    /// When it is read or written. Kept for what parameters point to only.
    pub used: Guard,
    /// When someone else answers for it.
    pub kept: Guard,
    /// When another thread has it, which takes out and puts in at any time.
    pub threaded: Guard,
    /// When someone else may answer for it, by assumption only.
    pub assumed_kept: Guard,
    /// The same, where that was a function of the caller's that was called through a pointer.
    pub kept_by_pointer: Guard,
    /// Its contents may have been changed by code that is not known.
    pub clobbered: Guard,
    /// When code that is not followed changed what nobody had looked at, in the order of execution.
    pub changes: Vec<Guard>,
    /// A callee about which not everything is known has seen it.
    pub shared: bool,
    /// A callee has left it in a global.
    pub left_in_global: bool,
    /// The states of properties.
    pub hidden: Vec<Hidden>,
}

impl Object {
    pub fn new(origin: Origin) -> Object {
        Object {
            origin,
            address: None,
            is_number: false,
            cells: Vec::new(),
            scattered: Vec::new(),
            links: Vec::new(),
            copied_to: Vec::new(),
            past: false,
            zeroed: false,
            several: false,
            exists: Guard::TRUE,
            released: Guard::FALSE,
            gone: Vec::new(),
            found_again: false,
            used: Guard::FALSE,
            kept: Guard::FALSE,
            threaded: Guard::FALSE,
            assumed_kept: Guard::FALSE,
            kept_by_pointer: Guard::FALSE,
            clobbered: Guard::FALSE,
            changes: Vec::new(),
            shared: false,
            left_in_global: false,
            hidden: Vec::new(),
        }
    }

    pub fn is_fresh(&self) -> bool {
        matches!(self.origin, Origin::Fresh(_))
    }

    /// Whether what is not written here was not written at all: a variable of our own, or plain memory as the
    /// library gives it.
    pub fn is_blank(&self) -> bool {
        let blank = match &self.origin {
            Origin::Stack(_) => true,
            Origin::Fresh(site) => site.blank,
            _ => false,
        };
        blank && !self.zeroed && !self.shared && self.links.is_empty() && self.clobbered.is_false()
    }

    /// Whether its address is certainly not null.
    pub fn has_address(&self) -> bool {
        !matches!(self.origin, Origin::Entry(_) | Origin::Elsewhere)
    }

    /// All addresses it holds, with the guards under which it does.
    pub fn held(&self) -> impl Iterator<Item = (Guard, ObjectId)> + '_ {
        let cells = self.cells.iter().flat_map(|cell| cell.leaves.iter());
        cells.chain(self.scattered.iter()).filter_map(|&(guard, leaf)| match leaf {
            Leaf::Address(object, _) => Some((guard, object)),
            _ => None,
        })
    }

    /// The cell of exactly this range.
    pub fn cell(&self, offset: i64, bytes: u64) -> Option<usize> {
        self.cells.iter().position(|cell| cell.offset == offset && cell.bytes == bytes)
    }

    /// Cells that share bytes with this range.
    pub fn overlapping(&self, offset: i64, bytes: u64) -> Vec<usize> {
        let end = offset.saturating_add_unsigned(bytes);
        let overlaps =
            |cell: &Cell| cell.offset < end && offset < cell.offset.saturating_add_unsigned(cell.bytes);
        (0..self.cells.len()).filter(|&index| overlaps(&self.cells[index])).collect()
    }
}
