//! Operations on guarded values: each pair of alternatives by itself, numbers as terms, addresses with care
//! for the identity of their object.

use crate::assumptions::Supposed;
use crate::limits::{MERGED_LEAVES, OPERAND_PAIRS, SEARCHED_OBJECTS};
use crate::machine::memory::{Object, ObjectId, Origin};
use crate::machine::provenance::Provenance;
use crate::machine::state::State;
use crate::machine::value::{Leaf, Leaves, Offset, Sym};
use watertight_ir::{BinaryOp, CompareOp, ConvertOp, Type};
use watertight_logic::guard::Guard;
use watertight_logic::term::{Extension, Term, TermId};
use watertight_logic::width::Width;

/// The bits of an address that are used for something else, as a mask (ASSUME-33); not a limit, but what alignment leaves.
const MOST_TAG: i64 = 7;

impl State<'_> {
    pub fn binary(&mut self, op: BinaryOp, a: &Sym, b: &Sym, ty: Type) -> Sym {
        if ty == Type::BOOL {
            let (a, b) = (self.truth(a), self.truth(b));
            let guards = &mut self.formulas.guards;
            return Sym::Truth(match op {
                BinaryOp::And | BinaryOp::Mul => guards.and(a, b),
                BinaryOp::Or => guards.or(a, b),
                BinaryOp::Xor | BinaryOp::Add | BinaryOp::Sub => guards.xor(a, b),
                _ => a,
            });
        }
        let width = self.width(ty);
        let (a, b) = self.pairs(a, b, width);
        let mut result = Vec::new();
        for &(ga, la) in &a {
            for &(gb, lb) in &b {
                let guard = self.and(ga, gb);
                if !guard.is_false() {
                    let leaf = self.combine(op, la, lb, width);
                    result.push((guard, leaf));
                }
            }
        }
        Sym::Leaves(self.tidy(result))
    }

    /// Both operands as alternatives, few enough to be combined.
    fn pairs(&mut self, a: &Sym, b: &Sym, width: Width) -> (Leaves, Leaves) {
        let (mut a, mut b) = (self.leaves(a, width), self.leaves(b, width));
        if a.len() * b.len() > OPERAND_PAIRS {
            a = self.collapse(a, width);
        }
        if a.len() * b.len() > OPERAND_PAIRS {
            b = self.collapse(b, width);
        }
        (a, b)
    }

    /// One alternative in place of several.
    fn collapse(&mut self, leaves: Leaves, width: Width) -> Leaves {
        let term = if leaves.len() <= MERGED_LEAVES {
            self.merged(&leaves, width)
        } else {
            self.unknown_number(width)
        };
        vec![(Guard::TRUE, Leaf::Number(term))]
    }

    fn combine(&mut self, op: BinaryOp, a: Leaf, b: Leaf, width: Width) -> Leaf {
        let (a, b) = (self.as_number(a, width), self.as_number(b, width));
        match (a, b) {
            (Leaf::Number(a), Leaf::Number(b)) => {
                let result = self.arithmetic(op, a, b, width);
                self.as_resource(result)
            }
            (Leaf::Address(object, offset), Leaf::Number(number)) => match op {
                BinaryOp::Add | BinaryOp::Sub => match self.signed_constant(number) {
                    Some(bytes) => {
                        let bytes = if op == BinaryOp::Add { bytes } else { bytes.wrapping_neg() };
                        Leaf::Address(object, offset.plus(bytes))
                    }
                    None => Leaf::Address(object, Offset::Somewhere),
                },
                // Masks and tags change low bits; the object stays the same.
                BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => match self.signed_constant(number) {
                    Some(0) if op == BinaryOp::And => Leaf::Number(self.constant(width, 0)),
                    Some(0) => a,
                    Some(mask) if op == BinaryOp::And && self.tag(a, mask).is_some() => {
                        let tag = self.tag(a, mask).unwrap_or_default();
                        Leaf::Number(self.constant(width, tag.into()))
                    }
                    Some(bits) if tagged(op, offset, bits).is_some() => {
                        Leaf::Address(object, tagged(op, offset, bits).unwrap_or(offset))
                    }
                    // A few low bits of an address are a number, not an address.
                    Some(mask) if op == BinaryOp::And && (0..4096).contains(&mask) => {
                        Leaf::Number(self.unknown_number(width))
                    }
                    _ => Leaf::Address(object, Offset::Somewhere),
                },
                BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => Leaf::Address(object, Offset::Somewhere),
                // The number of an element in a table tells which element it is: the Linux kernel finds a page by the
                // place of its descriptor among all descriptors.
                BinaryOp::Mul | BinaryOp::UDiv | BinaryOp::SDiv
                    if self.objects[object].is_fresh()
                        && self.signed_constant(number).is_some_and(|number| number > 0) =>
                {
                    Leaf::Address(object, Offset::Somewhere)
                }
                _ => Leaf::Number(self.unknown_number(width)),
            },
            (Leaf::Number(_), Leaf::Address(..))
                if matches!(
                    op,
                    BinaryOp::Add | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Mul
                ) =>
            {
                self.combine(op, b, a, width)
            }
            (Leaf::Address(x, Offset::At(i)), Leaf::Address(y, Offset::At(j)))
                if x == y && op == BinaryOp::Sub =>
            {
                Leaf::Number(self.constant(width, i128::from(i.wrapping_sub(j))))
            }
            _ => {
                let (a, b) = (self.leaf_term(a, width), self.leaf_term(b, width));
                Leaf::Number(self.arithmetic(op, a, b, width))
            }
        }
    }

    /// The low bits of an address in something that was acquired here: it starts at a multiple of eight.
    pub(crate) fn tag(&self, leaf: Leaf, mask: i64) -> Option<i64> {
        match leaf {
            Leaf::Address(object, Offset::At(offset))
                if (1..=MOST_TAG).contains(&mask)
                    && self.objects[object].is_fresh()
                    && !self.objects[object].is_number =>
            {
                Some(offset & mask)
            }
            _ => None,
        }
    }

    /// A resource that is a number, such as a descriptor, is just that number when it is calculated with.
    fn as_number(&mut self, leaf: Leaf, width: Width) -> Leaf {
        match leaf {
            Leaf::Address(object, _) if self.objects[object].is_number => {
                Leaf::Number(self.leaf_term(leaf, width))
            }
            other => other,
        }
    }

    /// What calculations gave: a descriptor again, if its number has come back whole (`(fd << 1 | 1) >> 1`).
    pub(crate) fn as_resource(&self, number: TermId) -> Leaf {
        let number = whole(self, number);
        self.acquired_as(number).map_or(Leaf::Number(number), |object| Leaf::Address(object, Offset::At(0)))
    }

    pub fn signed_constant(&self, term: TermId) -> Option<i64> {
        let value = self.formulas.terms.const_value(term)?;
        i64::try_from(self.formulas.terms.width(term).signed(value)).ok()
    }

    fn arithmetic(&mut self, op: BinaryOp, a: TermId, b: TermId, width: Width) -> TermId {
        let fits = |state: &State<'_>, term| state.formulas.terms.width(term) == width;
        if !fits(self, a) || !fits(self, b) {
            return self.unknown_number(width);
        }
        let terms = &mut self.formulas.terms;
        match op {
            BinaryOp::Add => terms.add(a, b),
            BinaryOp::Sub => terms.sub(a, b),
            BinaryOp::Mul => terms.mul(a, b),
            BinaryOp::UDiv => terms.udiv(a, b),
            BinaryOp::SDiv => terms.sdiv(a, b),
            BinaryOp::URem => terms.urem(a, b),
            BinaryOp::SRem => terms.srem(a, b),
            BinaryOp::Shl => terms.shl(a, b),
            BinaryOp::LShr => terms.lshr(a, b),
            BinaryOp::AShr => terms.ashr(a, b),
            BinaryOp::And => terms.and(a, b),
            BinaryOp::Or => terms.or(a, b),
            BinaryOp::Xor => terms.xor(a, b),
        }
    }

    pub fn compare(&mut self, op: CompareOp, a: &Sym, b: &Sym, ty: Type) -> Guard {
        if ty == Type::BOOL {
            let (a, b) = (self.truth(a), self.truth(b));
            let guards = &mut self.formulas.guards;
            return match op {
                CompareOp::Eq => guards.iff(a, b),
                CompareOp::Ne => guards.xor(a, b),
                CompareOp::Ugt | CompareOp::Slt => guards.and_not(a, b),
                CompareOp::Ult | CompareOp::Sgt => guards.and_not(b, a),
                CompareOp::Uge | CompareOp::Sle => guards.implies(b, a),
                CompareOp::Ule | CompareOp::Sge => guards.implies(a, b),
            };
        }
        let width = self.width(ty);
        let (a, b) = self.pairs(a, b, width);
        let mut result = Guard::FALSE;
        for &(ga, la) in &a {
            for &(gb, lb) in &b {
                let guard = self.and(ga, gb);
                if guard.is_false() {
                    continue;
                }
                let holds = self.compare_leaves(op, la, lb, width);
                let both = self.and(guard, holds);
                result = self.or(result, both);
            }
        }
        result
    }

    pub fn compare_leaves(&mut self, op: CompareOp, a: Leaf, b: Leaf, width: Width) -> Guard {
        match (a, b) {
            (Leaf::Address(x, Offset::At(i)), Leaf::Address(y, Offset::At(j))) if x == y => {
                return Guard::truth(order(op, i.cmp(&j)));
            }
            (Leaf::Function(f), Leaf::Function(g)) if matches!(op, CompareOp::Eq | CompareOp::Ne) => {
                return Guard::truth((f == g) == (op == CompareOp::Eq));
            }
            // What is acquired or declared here is nothing that existed before, and no two of them are the
            // same. Two things of the caller's are compared as numbers.
            (Leaf::Address(x, _), Leaf::Address(y, _))
                if x != y
                    && matches!(op, CompareOp::Eq | CompareOp::Ne)
                    && (self.objects[x].has_address() || self.objects[y].has_address()) =>
            {
                return Guard::truth(op == CompareOp::Ne);
            }
            (address, Leaf::Number(zero)) | (Leaf::Number(zero), address)
                if matches!(op, CompareOp::Eq | CompareOp::Ne)
                    && self.formulas.terms.const_value(zero) == Some(0)
                    && self.is_inside(address) =>
            {
                return Guard::truth(op == CompareOp::Ne);
            }
            // An element of an array is null where the array is.
            (Leaf::Address(object, Offset::Somewhere), Leaf::Number(zero))
            | (Leaf::Number(zero), Leaf::Address(object, Offset::Somewhere))
                if matches!(op, CompareOp::Eq | CompareOp::Ne)
                    && self.formulas.terms.const_value(zero) == Some(0)
                    && !self.objects[object].is_number =>
            {
                let null = self.is_null(object);
                return if op == CompareOp::Eq { null } else { !null };
            }
            (Leaf::Address(object, _), Leaf::Number(term))
            | (Leaf::Number(term), Leaf::Address(object, _))
                if matches!(op, CompareOp::Eq | CompareOp::Ne)
                    && self.objects[object].is_fresh()
                    && !self.formulas.terms.is_const(term) =>
            {
                return self.compare_fresh(op, object, term, a, b, width);
            }
            _ => {}
        }
        let (a, b) = (self.leaf_term(a, width), self.leaf_term(b, width));
        self.compare_terms(op, a, b)
    }

    /// Compares something that was acquired here with a number that is not known. A block that nobody else has seen has
    /// an address that nobody else can have. A descriptor that turns out to be a number which someone had before, such
    /// as the one that it was to get, is known to others by that number (ASSUME-31).
    fn compare_fresh(
        &mut self,
        op: CompareOp,
        object: ObjectId,
        term: TermId,
        a: Leaf,
        b: Leaf,
        width: Width,
    ) -> Guard {
        let is_number = self.objects[object].is_number;
        let unseen = !is_number && self.is_unseen(object);
        if unseen && !is_number && self.formulas.terms.as_variable(term).is_some() {
            return Guard::truth(op == CompareOp::Ne);
        }
        let (a, b) = (self.leaf_term(a, width), self.leaf_term(b, width));
        let result = self.compare_terms(op, a, b);
        if is_number && self.assumes(Supposed::NumbersKnownToOthers) {
            let same = if op == CompareOp::Eq { result } else { !result };
            self.objects[object].kept = self.or(self.objects[object].kept, same);
        }
        result
    }

    /// Whether nobody else can have seen something that was acquired here.
    pub(crate) fn is_unseen(&self, object: ObjectId) -> bool {
        let fresh = &self.objects[object];
        self.objects.len() <= SEARCHED_OBJECTS
            && fresh.kept.is_false()
            && fresh.assumed_kept.is_false()
            && fresh.clobbered.is_false()
            && !fresh.shared
            && self.objects.values().all(|other| !holds_outside(other, object))
    }

    /// Whether an address lies inside an object and so is not null: that of a member, or of an element of something
    /// that is there. The address of a member of nothing is nobody's intention (ASSUME-12).
    fn is_inside(&self, leaf: Leaf) -> bool {
        if !self.assumes(Supposed::MembersHaveAddresses) {
            return matches!(leaf, Leaf::Address(object, Offset::At(_)) if self.objects[object].has_address());
        }
        match leaf {
            Leaf::Address(object, offset) if !self.objects[object].is_number => match offset {
                Offset::At(0) => self.objects[object]
                    .address
                    .is_some_and(|address| self.unknowns.is(address, Provenance::Member)),
                Offset::At(_) => true,
                Offset::Somewhere => self.objects[object].has_address(),
            },
            Leaf::Number(term) => self.unknowns.is(term, Provenance::Member),
            _ => false,
        }
    }

    fn compare_terms(&mut self, op: CompareOp, a: TermId, b: TermId) -> Guard {
        if let (Some(x), Some(y)) = (self.range_of(a), self.range_of(b))
            && let Some(decided) = decide(op, x, y)
        {
            return Guard::truth(decided);
        }
        if matches!(op, CompareOp::Eq | CompareOp::Ne) && (self.excludes(a, b) || self.excludes(b, a)) {
            return Guard::truth(op == CompareOp::Ne);
        }
        let terms = &mut self.formulas.terms;
        let term = match op {
            CompareOp::Eq => terms.eq(a, b),
            CompareOp::Ne => terms.ne(a, b),
            CompareOp::Ugt => terms.ult(b, a),
            CompareOp::Uge => terms.ule(b, a),
            CompareOp::Ult => terms.ult(a, b),
            CompareOp::Ule => terms.ule(a, b),
            CompareOp::Sgt => terms.slt(b, a),
            CompareOp::Sge => terms.sle(b, a),
            CompareOp::Slt => terms.slt(a, b),
            CompareOp::Sle => terms.sle(a, b),
        };
        self.formulas.guard(term)
    }

    /// The signed range of a constant or of an unknown that has one.
    pub fn range(&self, term: TermId) -> Option<(i128, i128)> {
        if let Some(value) = self.formulas.terms.const_value(term) {
            let value = self.formulas.terms.width(term).signed(value);
            return Some((value, value));
        }
        self.ranges.get(&term).copied()
    }

    pub fn convert(&mut self, op: ConvertOp, value: &Sym, from: Type, to: Type) -> Sym {
        let width = self.width(to);
        match op {
            ConvertOp::Truncate if to == Type::BOOL => {
                let from_width = self.width(from);
                let leaves = self.leaves(value, from_width);
                let mut result = Guard::FALSE;
                for (guard, leaf) in leaves {
                    let term = self.leaf_term(leaf, from_width);
                    let bit = self.formulas.terms.extract(term, 0, 0);
                    let holds = self.formulas.guard(bit);
                    let both = self.and(guard, holds);
                    result = self.or(result, both);
                }
                Sym::Truth(result)
            }
            ConvertOp::SignExtend if from == Type::BOOL => {
                let guard = self.truth(value);
                let (ones, zero) = (self.constant(width, -1), self.constant(width, 0));
                let leaves = vec![(guard, Leaf::Number(ones)), (!guard, Leaf::Number(zero))];
                Sym::Leaves(self.tidy(leaves))
            }
            ConvertOp::ZeroExtend if from == Type::BOOL => {
                let leaves = self.leaves(value, width);
                Sym::Leaves(leaves)
            }
            ConvertOp::Truncate
            | ConvertOp::ZeroExtend
            | ConvertOp::SignExtend
            | ConvertOp::PtrToInt
            | ConvertOp::IntToPtr => {
                let from_width = self.width(from);
                let leaves = self.leaves(value, from_width);
                let mut result = Vec::with_capacity(leaves.len());
                for (guard, leaf) in leaves {
                    let leaf = self.resize(op, leaf, width);
                    result.push((guard, leaf));
                }
                Sym::Leaves(self.tidy(result))
            }
            ConvertOp::Reinterpret if from.bits(64) == to.bits(64) && matches!(to, Type::Int(_)) => {
                value.clone()
            }
            _ => self.any(to),
        }
    }

    fn resize(&mut self, op: ConvertOp, leaf: Leaf, width: Width) -> Leaf {
        let Leaf::Number(term) = leaf else {
            // A pointer cut to fewer bits is still a trace of it; the object keeps its identity.
            return leaf;
        };
        let from = self.formulas.terms.width(term);
        if from == width {
            return leaf;
        }
        let terms = &mut self.formulas.terms;
        Leaf::Number(if from.bits() > width.bits() {
            terms.truncate(term, width)
        } else if op == ConvertOp::SignExtend {
            terms.sext(term, width)
        } else {
            terms.zext(term, width)
        })
    }
}

/// Whether an object that others can read holds another.
fn holds_outside(object: &Object, held: ObjectId) -> bool {
    !matches!(object.origin, Origin::Stack(_) | Origin::Fresh(_))
        && object.held().any(|entry| entry.1 == held)
}

fn order(op: CompareOp, ordering: std::cmp::Ordering) -> bool {
    match op {
        CompareOp::Eq => ordering.is_eq(),
        CompareOp::Ne => ordering.is_ne(),
        CompareOp::Ugt | CompareOp::Sgt => ordering.is_gt(),
        CompareOp::Uge | CompareOp::Sge => ordering.is_ge(),
        CompareOp::Ult | CompareOp::Slt => ordering.is_lt(),
        CompareOp::Ule | CompareOp::Sle => ordering.is_le(),
    }
}

/// Whether ranges alone decide a comparison. Unsigned order agrees with signed order on equal signs; a
/// negative number is, unsigned, above every other.
fn decide(op: CompareOp, x: (i128, i128), y: (i128, i128)) -> Option<bool> {
    match op {
        CompareOp::Eq | CompareOp::Ne => {
            let apart = x.1 < y.0 || y.1 < x.0;
            let same = x.0 == x.1 && x == y;
            (apart || same).then_some(same == (op == CompareOp::Eq))
        }
        CompareOp::Slt | CompareOp::Sge => less(x, y).map(|less| less == (op == CompareOp::Slt)),
        CompareOp::Sgt | CompareOp::Sle => less(y, x).map(|less| less == (op == CompareOp::Sgt)),
        CompareOp::Ult | CompareOp::Uge => unsigned_less(x, y).map(|less| less == (op == CompareOp::Ult)),
        CompareOp::Ugt | CompareOp::Ule => unsigned_less(y, x).map(|less| less == (op == CompareOp::Ugt)),
    }
}

fn less(x: (i128, i128), y: (i128, i128)) -> Option<bool> {
    if x.1 < y.0 {
        Some(true)
    } else if x.0 >= y.1 {
        Some(false)
    } else {
        None
    }
}

fn unsigned_less(x: (i128, i128), y: (i128, i128)) -> Option<bool> {
    match (x.0 >= 0, x.1 < 0, y.0 >= 0, y.1 < 0) {
        (true, _, true, _) | (_, true, _, true) => less(x, y),
        (true, _, _, true) => Some(true),
        (_, true, true, _) => Some(false),
        _ => None,
    }
}

/// Where an address points when its low bits are set, changed or cleared. What gets a tag is aligned.
fn tagged(op: BinaryOp, offset: Offset, bits: i64) -> Option<Offset> {
    let Offset::At(at) = offset else { return None };
    let small = |bits: i64| (1..=MOST_TAG).contains(&bits);
    match op {
        BinaryOp::Or if small(bits) => Some(Offset::At(at | bits)),
        BinaryOp::Xor if small(bits) => Some(Offset::At(at ^ bits)),
        BinaryOp::And if small(!bits) => Some(Offset::At(at & bits)),
        _ => None,
    }
}

/// The unknown that a number is because its upper bits, all that is left out of it, are zero in every value it may have.
fn whole(state: &State<'_>, term: TermId) -> TermId {
    let terms = &state.formulas.terms;
    match terms.view(term) {
        Term::Extend(Extension::Zero, inner) => match terms.view(inner) {
            Term::Extract { of, high, low: 0 }
                if terms.width(of) == terms.width(term)
                    && state.range(of).is_some_and(|(least, most)| least >= 0 && most >> (high + 1) == 0) =>
            {
                of
            }
            _ => term,
        },
        _ => term,
    }
}
