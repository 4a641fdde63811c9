//! Copies and fills of several bytes: struct assignments, `memcpy`, `memset`.
//!
//! Where the type of the object is known and the bytes are some of its members, they are as many assignments. Members
//! do not overlap, so their order does not matter. Everything else is memory that changes in ways that are not known.

use crate::assign::Write;
use crate::expr::{ExprId, Points};
use crate::fact::Cell;
use crate::region::Reach;
use crate::types::Shape;
use crate::world::World;
use watertight_ir::Type;

impl World<'_> {
    /// `bytes` bytes are copied to an address, or become zero when they come from nowhere.
    pub(crate) fn copy(
        &mut self,
        cell: &Cell,
        to: ExprId,
        from: Option<ExprId>,
        bytes: Option<u64>,
    ) -> Vec<Cell> {
        let Some(writes) = self.member_writes(to, from, bytes) else {
            let reach = match self.exprs.points(to) {
                Points::In(..) => self.whole(to),
                Points::NoObject => Reach::default(),
                Points::Anything => Reach::ANYWHERE,
            };
            return self.change(cell, &reach).into_iter().collect();
        };
        let mut cells = vec![cell.clone()];
        for write in writes.into_iter().rev() {
            cells = cells.iter().flat_map(|cell| self.assign(cell, write)).collect();
        }
        cells
    }

    /// The assignments that a copy is made of, if it is made of some.
    fn member_writes(&mut self, to: ExprId, from: Option<ExprId>, bytes: Option<u64>) -> Option<Vec<Write>> {
        let Points::In(of, 0) = self.exprs.points(to) else { return None };
        let bytes = i64::try_from(bytes?).ok()?;
        if bytes != i64::try_from(self.types.size(of)).ok()? || self.is_mixed(of) {
            return None;
        }
        let mut writes = Vec::new();
        for (offset, scalar, single) in self.types.scalars(of)? {
            let ty = match *self.types.shape(scalar.ty) {
                Shape::Pointer { .. } => Type::Ptr,
                Shape::Number { bytes } if bytes <= 8 => Type::Int(u32::try_from(bytes * 8).ok()?),
                _ => return None,
            };
            if !single || scalar.overlaid {
                return None;
            }
            let addr = self.exprs.offset(to, offset);
            let value = match from {
                Some(from) => {
                    let at = self.exprs.offset(from, offset);
                    self.deref(at, ty)
                }
                None => self.exprs.number(0, ty),
            };
            writes.push(Write::new(addr, ty, Some(value)));
        }
        Some(writes)
    }
}
