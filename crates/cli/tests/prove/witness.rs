//! What runs lose: the statements that took a heap block's last reference away, as the interpreter saw them.
//!
//! In: a program and calls of its functions. Out: [`Lost`], every statement that lost a block in some run.
//!
//! Proofs speak of pointers to the beginning of a cell. Where the last of these goes while another still refers into the cell,
//! the statement that takes it away is the one to blame, and not the one that takes away what was left.

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
    /// Statements that took away the last pointer into a block, and the one that had taken away the last to its beginning.
    pub(crate) afterwards: BTreeSet<(Statement, Statement)>,
    /// By block of the run under way: the statement that took away the last pointer to its beginning.
    beginnings: BTreeMap<HeapId, Statement>,
    pub(crate) sites: BTreeMap<Statement, Site>,
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

    fn lose(&mut self, block: HeapId, loss: Loss, site: Option<Site>) {
        // What is lost without a site was so before the call.
        if let Some(site) = site {
            let statement = (site.function, site.inst);
            if loss == Loss::Beginning {
                self.beginnings.insert(block, statement);
                self.sites.insert(statement, site);
                return;
            }
            if loss == Loss::LastReference
                && let Some(&first) = self.beginnings.get(&block)
                && first != statement
            {
                self.afterwards.insert((statement, first));
                self.sites.insert(statement, site);
                return;
            }
            let entry = self.at.entry((site.function, site.inst)).or_insert((site, BTreeSet::new()));
            entry.1.insert(loss);
        }
    }
}

impl Lost {
    /// Another run begins, with blocks of its own.
    pub(crate) fn begin(&mut self) {
        self.beginnings.clear();
    }

    /// The statements that took a last reference away.
    pub(crate) fn last_references(&self) -> impl Iterator<Item = (Statement, Site)> {
        let last = self.at.iter().filter(|(_, (_, losses))| losses.contains(&Loss::LastReference));
        last.map(|(&statement, &(site, _))| (statement, site))
    }
}
