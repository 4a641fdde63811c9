//! Counts of references, which code out of sight leaves as they are.
//!
//! In: an object. Out: which of its cells count references to it (`facts/counts.rs`). Its type is that of the name by which the caller knows it,
//! or that of what the call gave which acquired it.

use crate::assumptions::Supposed;
use crate::facts::types::Members;
use crate::machine::memory::{ObjectId, Origin};
use crate::machine::state::State;
use crate::machine::value::{Leaf, Offset};
use watertight_ir::SourceType;

impl State<'_> {
    /// Whether a cell of an object counts the references to it.
    pub(crate) fn is_count(&mut self, object: ObjectId, offset: i64) -> bool {
        if self.context.counts.is_empty() || !self.assumes(Supposed::ReferencesCounted) {
            return false;
        }
        if let Some(known) = self.counted.get(&object) {
            return known.contains(&offset);
        }
        let ty = self.type_of(object);
        let counts = ty.map_or_else(Vec::new, |ty| self.context.counts.of(self.context.program, ty));
        let found = counts.contains(&offset);
        self.counted.insert(object, counts);
        found
    }

    /// The structure that an object is.
    fn type_of(&mut self, object: ObjectId) -> Option<SourceType> {
        match self.objects[object].origin.clone() {
            Origin::Entry(path) => self.pointee(&path),
            Origin::Fresh(site) => {
                let result = self.body.insts[site.inst].result?;
                let sym = self.value(result);
                let leaves = self.leaves(&sym, self.pointer_width());
                let given = |leaf: Leaf| leaf == Leaf::Address(object, Offset::At(0));
                let own = leaves.iter().any(|entry| given(entry.1));
                Members::new(self.context.program, self.id).filter(|_| own)?.pointed(result)
            }
            _ => None,
        }
    }
}
