//! Ids of what only SSA construction knows: objects, slices and slots of one body.

use std::num::NonZeroU32;
use watertight_ir::Id;

macro_rules! local_ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub(super) struct $name(NonZeroU32);

        impl Id for $name {
            fn new(index: usize) -> Self {
                let raw = u32::try_from(index + 1).expect("a table holds fewer than 2^32 - 1 entries");
                $name(NonZeroU32::new(raw).expect("index + 1 is not zero"))
            }
            fn index(self) -> usize {
                self.0.get() as usize - 1
            }
        }
    )*};
}

local_ids! {
    /// An object on the stack that may be split.
    ObjectId;
    /// A part of an object that is split.
    SliceId;
    /// A scalar object on the stack that may become values.
    SlotId;
    /// What one block does to one slot.
    VisitId;
}
