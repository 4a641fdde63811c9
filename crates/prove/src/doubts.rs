//! What a proof does not cover, although the walk found nothing: pointers into blocks, and circles.
//!
//! A reference is an address of the beginning of a block, and a block that something refers to is not lost. Where a
//! program keeps blocks by pointers to a member in their middle, or makes blocks refer to each other in a circle, a
//! proof in this sense says less than it seems to, so that it is not given.

use crate::expr::{Expr, ExprId, Symbol};
use crate::lower::Action;
use crate::region::RegionId;
use crate::verdict::{Assumed, Probe, ProbeKind, Verdict};
use crate::words::Why;
use crate::world::World;
use watertight_ir::{Type, ValueId};

impl World<'_> {
    /// The verdict when every way back ended in a contradiction.
    pub(crate) fn proved(&mut self) -> Verdict {
        if let Some(of) = self.cell_type
            && self.types.is_embedded(of)
        {
            if self.types.is_led_back(of) {
                return Verdict::Unknown { why: Why::Middle.to_string() };
            }
            self.used.insert(Assumed::Beginnings);
        }
        self.used.insert(Assumed::OneThread);
        if self.cell_type.is_none_or(|of| self.types.is_circular(of)) {
            self.used.insert(Assumed::NoCircles);
        }
        Verdict::Proved { assumptions: std::mem::take(&mut self.used) }
    }

    /// The members by which blocks that a variable refers to may refer back to it, when the function itself links them:
    /// `a->other = b; b->other = a;`. References from there do not count when both variables are gone.
    pub(crate) fn circle(&mut self, probe: &Probe) -> Vec<RegionId> {
        let statements = self.statements(probe.function);
        let Some(local) = statements.locals.get(probe.index as usize) else { return Vec::new() };
        if probe.kind != ProbeKind::Scope || probe.inst.is_some() {
            return Vec::new();
        }
        let variable = |world: &Self, expr: ExprId| -> Option<ValueId> {
            let Expr::Deref(addr, _) = world.exprs.get(expr) else { return None };
            match world.exprs.get(addr) {
                Expr::Address(Symbol::Local(of, local)) if of == probe.function => Some(local),
                _ => None,
            }
        };
        // From a variable to one whose block refers to its block.
        let mut links: Vec<(ValueId, ValueId, ExprId)> = Vec::new();
        for (_, action) in statements.blocks.iter().flat_map(|block| &block.actions) {
            if let Action::Assign { addr, value, ty: Type::Ptr } = action
                && let (Some(to), Some(from)) = (variable(self, *value), variable(self, self.base(*addr)))
            {
                links.push((to, from, *addr));
            }
        }
        let Expr::Address(Symbol::Local(_, start)) = self.exprs.get(local.addr) else { return Vec::new() };
        let reachable = |from: ValueId| {
            let mut seen = vec![from];
            let mut next = 0;
            while let Some(&at) = seen.get(next) {
                next += 1;
                for link in links.iter().filter(|link| link.0 == at) {
                    if !seen.contains(&link.1) {
                        seen.push(link.1);
                    }
                }
            }
            seen
        };
        let around = reachable(start);
        let back: Vec<&(ValueId, ValueId, ExprId)> = links
            .iter()
            .filter(|link| around.contains(&link.0) && reachable(link.1).contains(&start))
            .collect();
        let mut regions = Vec::new();
        for (_, _, addr) in back {
            regions.extend(self.reach(*addr, Type::Ptr).regions.iter().map(|known| known.0));
        }
        regions.sort_unstable();
        regions.dedup();
        regions
    }
}
