//! Regions: a partition of memory, and which of them an address may point into.
//!
//! This is the paper's type-based points-to, made finer where that costs nothing. A variable whose address is never taken
//! is a region of its own, and so is each of its members; no pointer leads there. Other memory is divided by declared
//! types: a region for each member of each record, and one for each scalar type outside of records. A pointer to a scalar
//! may point to a member of that type too, so regions may overlap ([`World::meet`]); what must hold is only that every
//! location is in a region that its address is said to point into.
//!
//! All of it rests on memory being used as it is declared, which is noted as an assumption where it is relied on.

use crate::expr::{Expr, ExprId, Points, Symbol};
use crate::types::{Scalar, Shape, TypeId};
use crate::verdict::Assumed;
use crate::world::World;
use watertight_ir::{FuncId, GlobalId, Type, ValueId};

/// A region. The top bit says that no pointer reaches it.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct RegionId(u32);

/// The bit that marks what nothing reaches; not a limit.
const UNREACHABLE: u32 = 1 << 31;

impl RegionId {
    /// Whether pointers may lead there.
    pub fn is_reachable(self) -> bool {
        self.0 & UNREACHABLE == 0
    }

    pub(crate) fn index(self) -> usize {
        (self.0 & !UNREACHABLE) as usize
    }

    pub(crate) fn new(index: usize, reachable: bool) -> RegionId {
        RegionId(
            u32::try_from(index).unwrap_or(u32::MAX) & !UNREACHABLE | if reachable { 0 } else { UNREACHABLE },
        )
    }
}

/// What a region is.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Region {
    /// A scalar of a variable of a function whose address is not taken.
    Local(FuncId, ValueId, i64),
    /// A scalar of a global whose address is not taken.
    Global(GlobalId, i64),
    /// A member of a record, wherever the record is.
    Member(TypeId, i64),
    /// A scalar type in variables that are no records.
    Plain(TypeId),
    /// A scalar type wherever it is: in variables, in members, in arrays.
    Pointed(TypeId),
    /// Memory of the library and the system.
    Outside,
}

/// Where an address may point.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reach {
    /// Anywhere that pointers lead.
    pub any: bool,
    /// Each with the type of the scalar there, if it is known.
    pub regions: Vec<(RegionId, Option<TypeId>)>,
}

impl Reach {
    /// Anywhere that pointers lead.
    pub const ANYWHERE: Reach = Reach { any: true, regions: Vec::new() };
}

/// Whether two locations are the same.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Overlap {
    Never,
    Maybe,
    Same,
}

impl World<'_> {
    fn region_id(&mut self, region: Region, scalar: Option<TypeId>) -> RegionId {
        if let Some(&id) = self.region_ids.get(&region) {
            return id;
        }
        let reachable = !matches!(region, Region::Local(..) | Region::Global(..) | Region::Outside);
        let id = RegionId::new(self.region_list.len(), reachable);
        self.region_list.push((region, scalar));
        self.region_ids.insert(region, id);
        id
    }

    pub(crate) fn region(&self, id: RegionId) -> Region {
        self.region_list[id.index()].0
    }

    /// Whether two regions have locations in common.
    pub(crate) fn meet(&mut self, a: RegionId, b: RegionId) -> bool {
        if a == b {
            return true;
        }
        if !a.is_reachable() || !b.is_reachable() {
            return false;
        }
        self.used.insert(Assumed::TypedMemory);
        let scalar = |world: &Self, id: RegionId| {
            let (region, scalar) = world.region_list[id.index()];
            let scalar = scalar.map(|scalar| world.types.class(scalar));
            match region {
                Region::Plain(ty) | Region::Pointed(ty) => (region, Some(world.types.class(ty))),
                _ => (region, scalar),
            }
        };
        match (scalar(self, a), scalar(self, b)) {
            ((Region::Pointed(_), one), (_, other)) | ((_, one), (Region::Pointed(_), other)) => {
                one.is_none() || other.is_none() || one == other
            }
            _ => false,
        }
    }

    /// The regions that an access of a type at an address may touch: the paper's `pt`.
    pub(crate) fn reach(&mut self, addr: ExprId, access: Type) -> Reach {
        if let Some(known) = self.reaches.get(&(addr, access)) {
            return known.clone();
        }
        let reach = self.find_reach(addr, access);
        self.reaches.insert((addr, access), reach.clone());
        reach
    }

    fn find_reach(&mut self, addr: ExprId, access: Type) -> Reach {
        let bytes = access.store_bytes(self.program.target.pointer_bits).max(1) as i64;
        let points = self.exprs.points(addr);
        match self.symbol(addr) {
            Some(Symbol::Local(function, value)) if !self.is_taken(function, value) => {
                return self.own(addr, points, bytes, |offset| Region::Local(function, value, offset));
            }
            Some(Symbol::Global(global)) if !self.globals_taken[global] => {
                return self.own(addr, points, bytes, |offset| Region::Global(global, offset));
            }
            Some(Symbol::Outside) => {
                let region = self.region_id(Region::Outside, None);
                return Reach { any: false, regions: vec![(region, None)] };
            }
            Some(Symbol::Func(_)) => return Reach::default(),
            _ => {}
        }
        match points {
            Points::NoObject => Reach::default(),
            Points::Anything => Reach::ANYWHERE,
            Points::In(..) if self.is_disguised(addr) => Reach::ANYWHERE,
            Points::In(ty, offset) => {
                let holding = self.symbol(addr).is_some_and(|symbol| self.is_holding(symbol));
                let mut reach = Reach::default();
                let mut at = offset;
                while at < offset + bytes {
                    let Some(scalar) = self.types.scalar_at(ty, at) else {
                        return Reach::ANYWHERE;
                    };
                    let region = match (scalar.field, self.symbol(addr)) {
                        (None, Some(_)) => {
                            let class = self.types.class(scalar.ty);
                            self.region_id(Region::Plain(class), Some(scalar.ty))
                        }
                        _ => self.typed(scalar),
                    };
                    reach.regions.push((region, (!scalar.overlaid && !holding).then_some(scalar.ty)));
                    at += i64::try_from(self.types.size(scalar.ty)).unwrap_or(bytes).max(1);
                }
                reach
            }
        }
    }

    /// The region of a scalar in memory that pointers reach.
    pub(crate) fn typed(&mut self, scalar: Scalar) -> RegionId {
        let ty = (!scalar.overlaid).then_some(scalar.ty);
        match scalar.field {
            Some((record, offset)) => self.region_id(Region::Member(record, offset), ty),
            None => {
                let class = self.types.class(scalar.ty);
                self.region_id(Region::Pointed(class), ty)
            }
        }
    }

    /// The regions of a variable whose address is not taken.
    fn own(&mut self, addr: ExprId, points: Points, bytes: i64, region: impl Fn(i64) -> Region) -> Reach {
        let Points::In(ty, _) = points else {
            let id = self.region_id(region(0), None);
            return Reach { any: false, regions: vec![(id, None)] };
        };
        let (offset, _) = self.constant_offset(addr);
        let holding = self.symbol(addr).is_some_and(|symbol| self.is_holding(symbol));
        let mut reach = Reach::default();
        let size = i64::try_from(self.types.size(ty)).unwrap_or(0);
        // A union, or an access that fits no member: the members it touches, or all of them.
        let mut at = offset;
        while at < offset + bytes {
            let found = if at < 0 || at >= size.max(1) { None } else { self.normal(ty, at) };
            let Some((normal, scalar)) = found else {
                let all = self.types.scalars(ty).unwrap_or_default();
                let all: Vec<(i64, Option<TypeId>)> = match all.is_empty() {
                    true => vec![(0, None)],
                    false => all.into_iter().map(|(normal, scalar, _)| (normal, Some(scalar.ty))).collect(),
                };
                for (normal, ty) in all {
                    let id = self.region_id(region(normal), ty);
                    reach.regions.push((id, ty.filter(|_| !holding)));
                }
                return reach;
            };
            let ty = (!scalar.overlaid).then_some(scalar.ty);
            let id = self.region_id(region(normal), ty);
            reach.regions.push((id, ty.filter(|_| !holding)));
            at += i64::try_from(self.types.size(scalar.ty)).unwrap_or(bytes).max(1);
        }
        reach
    }

    /// The offset of a scalar in the first elements of the arrays around it.
    fn normal(&self, ty: TypeId, offset: i64) -> Option<(i64, Scalar)> {
        let mut normal = 0;
        let (mut at, mut rest) = (ty, offset);
        loop {
            match self.types.shape(at) {
                Shape::Record { fields, union: false, .. } => {
                    let inside = fields.iter().rfind(|field| {
                        let end = field.offset + i64::try_from(field.bytes).unwrap_or(i64::MAX);
                        field.offset <= rest && (rest < end || field.bytes == 0)
                    })?;
                    normal += inside.offset;
                    rest -= inside.offset;
                    at = inside.ty;
                }
                Shape::Array { of, .. } => {
                    rest =
                        rest.rem_euclid(i64::try_from(self.types.size(*of)).ok().filter(|&size| size > 0)?);
                    at = *of;
                }
                Shape::Number { .. } | Shape::Pointer { .. } if rest != 0 => return None,
                _ => return self.types.scalar_at(at, 0).map(|scalar| (normal, scalar)),
            }
        }
    }

    /// The symbol that an address is in, if it is in one for certain.
    pub(crate) fn symbol(&self, addr: ExprId) -> Option<Symbol> {
        match self.exprs.get(addr) {
            Expr::Address(symbol) => Some(symbol),
            Expr::Offset(base, _) | Expr::Index(base, ..) => self.symbol(base),
            _ => None,
        }
    }

    /// The constant part of an address, and whether that is all there is beyond its base.
    fn constant_offset(&self, addr: ExprId) -> (i64, bool) {
        match self.exprs.get(addr) {
            Expr::Offset(base, bytes) => {
                let (inner, all) = self.constant_offset(base);
                (inner.wrapping_add(bytes), all)
            }
            Expr::Index(base, ..) => (self.constant_offset(base).0, false),
            _ => (0, true),
        }
    }

    /// Whether accesses at two addresses, both evaluated in one state, touch the same memory.
    pub(crate) fn overlap(&mut self, a: (ExprId, Type), b: (ExprId, Type)) -> Overlap {
        let base = |expr: ExprId| match self.exprs.get(expr) {
            Expr::Offset(base, bytes) => (base, bytes),
            _ => (expr, 0),
        };
        let ((base_a, at_a), (base_b, at_b)) = (base(a.0), base(b.0));
        let width = |ty: Type| ty.store_bytes(self.program.target.pointer_bits).max(1) as i64;
        if base_a == base_b {
            if at_a == at_b && width(a.1) == width(b.1) {
                return Overlap::Same;
            }
            self.used.insert(Assumed::InBounds);
            let apart = at_a.saturating_add(width(a.1)) <= at_b || at_b.saturating_add(width(b.1)) <= at_a;
            return if apart { Overlap::Never } else { Overlap::Maybe };
        }
        // Nothing else leads to what was acquired and has not been stored anywhere yet.
        for &fresh in &self.fresh_now {
            if (base_a == fresh && !self.exprs.mentions(b.0, fresh))
                || (base_b == fresh && !self.exprs.mentions(a.0, fresh))
            {
                return Overlap::Never;
            }
        }
        if self.are_apart_by_descent(base_a, base_b) {
            return Overlap::Never;
        }
        for (one, other) in [(a.0, b.0), (b.0, a.0)] {
            if let Some(symbol) = self.symbol(one)
                && self.is_not_in(other, symbol)
            {
                return Overlap::Never;
            }
        }
        if let (Some(one), Some(other)) = (self.symbol(a.0), self.symbol(b.0))
            && one != other
        {
            return Overlap::Never;
        }
        let (one, other) = (self.reach(a.0, a.1), self.reach(b.0, b.1));
        if self.reaches_meet(&one, &other) && !self.are_apart_by_objects(a.0, b.0) {
            Overlap::Maybe
        } else {
            Overlap::Never
        }
    }

    pub(crate) fn reaches_meet(&mut self, a: &Reach, b: &Reach) -> bool {
        let reachable =
            |reach: &Reach| reach.any || reach.regions.iter().any(|(region, _)| region.is_reachable());
        if (a.any && reachable(b)) || (b.any && reachable(a)) {
            return true;
        }
        a.regions.iter().any(|one| b.regions.iter().any(|other| self.meet(one.0, other.0)))
    }

    /// Whether a pointer to a type may refer to the cell that is looked for, as declared.
    pub(crate) fn may_be_cell(&self, to: Option<TypeId>) -> bool {
        self.cell_type.is_none() || self.cell_types.iter().any(|&of| self.types.may_meet(to, Some(of)))
    }

    /// Numbers hold no addresses: known of a program that is seen as a whole and makes no numbers of addresses.
    pub(crate) fn assume_plain_numbers(&mut self) {
        if self.objects.is_none() || self.has_address_numbers() {
            self.used.insert(Assumed::PlainNumbers);
        }
    }

    /// Whether a location of a type may hold a reference to the cell that is looked for.
    pub(crate) fn may_hold(&mut self, scalar: Option<TypeId>) -> bool {
        let Some(scalar) = scalar else { return true };
        match *self.types.shape(scalar) {
            Shape::Pointer { to } => {
                let meets = self.may_be_cell(to);
                let function = to.is_some_and(|to| matches!(self.types.shape(to), Shape::Function));
                if !meets {
                    self.used.insert(Assumed::TypedMemory);
                }
                meets && !function
            }
            Shape::Number { bytes } => {
                if bytes >= u64::from(self.program.target.pointer_bits / 8) {
                    self.assume_plain_numbers();
                }
                false
            }
            _ => true,
        }
    }
}
