//! What runs lose: the statements that took a heap block's last reference away, as the interpreter saw them.
//!
//! In: a program and calls of its functions. Out: [`Lost`], every statement that lost a block in some run.

use std::collections::{BTreeMap, BTreeSet};
use watertight_interpret::{HeapId, Loss, Recorder, Site};
use watertight_ir::{BlockId, FuncId, InstId};

/// A statement: a function and an instruction of it; without one, its return.
pub(crate) type Statement = (FuncId, Option<InstId>);

/// What runs lost.
#[derive(Debug, Default)]
pub(crate) struct Lost {
    /// By statement, how.
    pub(crate) at: BTreeMap<Statement, (Site, BTreeSet<Loss>)>,
    /// Blocks that some run came to: about others, the runs say nothing.
    pub(crate) entered: BTreeSet<(FuncId, BlockId)>,
}

impl Recorder for Lost {
    fn wants_losses(&self) -> bool {
        true
    }

    fn enter_block(&mut self, function: FuncId, block: BlockId) {
        self.entered.insert((function, block));
    }

    fn lose(&mut self, _block: HeapId, loss: Loss, site: Option<Site>) {
        // What is lost without a site was so before the call.
        if let Some(site) = site {
            let entry = self.at.entry((site.function, site.inst)).or_insert((site, BTreeSet::new()));
            entry.1.insert(loss);
        }
    }
}

impl Lost {
    /// The statements that took a last reference away.
    pub(crate) fn last_references(&self) -> impl Iterator<Item = (Statement, Site)> {
        let last = self.at.iter().filter(|(_, (_, losses))| losses.contains(&Loss::LastReference));
        last.map(|(&statement, &(site, _))| (statement, site))
    }
}
