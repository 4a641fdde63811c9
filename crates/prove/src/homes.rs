//! Where the address of a local variable can be.
//!
//! `struct node head; struct node *at = &head;` makes `head` one of the objects that `at` may point to, and, by its type,
//! one that every pointer to a node may point to. But its address is only where the function itself puts it: in `at`,
//! and in what is assigned from there. This follows assignments region by region, blind to their order, until nothing is
//! new. What is read from elsewhere is not that address.

use crate::expr::{Expr, ExprId, Symbol};
use crate::lower::{Action, End};
use crate::region::{Reach, RegionId};
use crate::world::World;
use watertight_ir::{FuncId, Type, ValueId};

/// The regions that may hold the address of a variable; none when it may be anywhere.
pub(crate) type Homes = Option<Vec<RegionId>>;

impl World<'_> {
    /// Where the address of a variable of a function can be while the function is under way.
    pub(crate) fn homes(&mut self, function: FuncId, local: ValueId) -> Homes {
        if let Some(known) = self.homes.get(&(function, local)) {
            return known.clone();
        }
        // Until it is known, it may be anywhere.
        self.homes.insert((function, local), None);
        let found = self.find_homes(function, local);
        self.homes.insert((function, local), found.clone());
        found
    }

    fn find_homes(&mut self, function: FuncId, local: ValueId) -> Homes {
        let statements = self.statements(function);
        if statements.odd.is_some() || self.graph.is_recursive(function) {
            return None;
        }
        let mut homes: Vec<RegionId> = Vec::new();
        let mut names: Vec<ExprId> = Vec::new();
        loop {
            let before = (homes.len(), names.len());
            let mut calls = false;
            for block in &statements.blocks {
                for (_, action) in &block.actions {
                    match action {
                        Action::Assign { addr, value, ty } => {
                            if *ty == Type::Ptr && self.may_be(*value, (function, local), &homes, &names) {
                                let reach = self.reach(*addr, *ty);
                                self.settle_in(&mut homes, &reach)?;
                            }
                        }
                        Action::Define { name, by } => {
                            let may = by.is_none_or(|by| self.may_be(by, (function, local), &homes, &names));
                            if may && !names.contains(name) {
                                names.push(*name);
                            }
                        }
                        Action::Call(call) => {
                            calls = true;
                            for &arg in &call.args {
                                if self.may_be(arg, (function, local), &homes, &names) {
                                    return None;
                                }
                            }
                        }
                        // Copies of whole objects take what is in them along.
                        Action::Copy { to, from, .. } => {
                            let source = self.whole(*from);
                            let homely = source.any
                                || homes
                                    .iter()
                                    .any(|&home| source.regions.iter().any(|known| self.meet(known.0, home)));
                            if homely {
                                let target = self.whole(*to);
                                self.settle_in(&mut homes, &target)?;
                            }
                        }
                        Action::Exchange { .. } | Action::Unmodelled(_) => return None,
                        Action::Fill { .. } => {}
                    }
                }
                for (name, ways) in &block.merged {
                    let may = ways.iter().any(|way| self.may_be(way.1, (function, local), &homes, &names));
                    if may && !names.contains(name) {
                        names.push(*name);
                    }
                }
                if let End::Return(Some(value)) = block.end
                    && self.may_be(value, (function, local), &homes, &names)
                {
                    return None;
                }
            }
            // What others can reach they can hand on.
            if calls && homes.iter().any(|home| home.is_reachable()) {
                return None;
            }
            if (homes.len(), names.len()) == before {
                return Some(homes);
            }
        }
    }

    fn settle_in(&mut self, homes: &mut Vec<RegionId>, reach: &Reach) -> Option<()> {
        if reach.any {
            return None;
        }
        for (region, _) in &reach.regions {
            if !homes.contains(region) {
                homes.push(*region);
            }
        }
        Some(())
    }

    /// Whether a value may be the address of a variable, when that is in these regions and names at most.
    fn may_be(
        &mut self,
        value: ExprId,
        (function, local): (FuncId, ValueId),
        homes: &[RegionId],
        names: &[ExprId],
    ) -> bool {
        match self.exprs.get(value) {
            Expr::Address(symbol) => symbol == Symbol::Local(function, local),
            Expr::Offset(base, _) | Expr::Index(base, ..) => {
                self.may_be(base, (function, local), homes, names)
            }
            Expr::Deref(addr, ty) => {
                let reach = self.reach(addr, ty);
                let any = reach.any && homes.iter().any(|home| home.is_reachable());
                any || homes.iter().any(|&home| reach.regions.iter().any(|known| self.meet(known.0, home)))
            }
            // What was there before the variable, or comes from a call that does not get the address.
            Expr::Entry(of, _) => of != function,
            Expr::Number(..) => false,
            Expr::Value(of, value) if of == function => {
                self.exprs.get_value(of, value).is_some_and(|name| names.contains(&name))
            }
            Expr::Compare(..) => false,
            _ => true,
        }
    }

    /// Whether a value is surely not an address in a variable.
    pub(crate) fn is_not_in(&mut self, value: ExprId, symbol: Symbol) -> bool {
        let Symbol::Local(function, local) = symbol else { return false };
        if !self.is_taken(function, local) || self.lowering || self.plain {
            return false;
        }
        let base = self.base(value);
        match self.exprs.get(base) {
            Expr::Entry(of, _) => of == function,
            Expr::Deref(addr, ty) => {
                let Some(homes) = self.homes(function, local) else { return false };
                let reach = self.reach(addr, ty);
                let any = reach.any && homes.iter().any(|home| home.is_reachable());
                !any && !homes.iter().any(|&home| reach.regions.iter().any(|known| self.meet(known.0, home)))
            }
            _ => false,
        }
    }
}
