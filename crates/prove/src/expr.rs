//! Expressions: how the analysis names values.
//!
//! Every expression has one id, so equal expressions are compared in one step. The paper's `n`, `a`, `*e`, `e.f` and
//! `e0 ⊕ e1` are [`Expr::Number`], [`Expr::Address`], [`Expr::Deref`], [`Expr::Offset`] and the rest. Beside them stand
//! names of values that are not in memory and do not change while they are in use: what a parameter was at entry, what
//! a function returns, an SSA value, and the values of callers further out ([`Expr::Ghost`]).

use crate::types::TypeId;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash as _, Hasher as _};
use watertight_ir::{
    BinaryOp, CompareOp, ConvertOp, FuncId, GlobalId, Id as _, InstId, Type, ValueId, define_ids,
};

define_ids! {
    /// An expression.
    ExprId "e";
}

/// Something with an address that no allocation gives.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Symbol {
    /// An object on the stack: the instruction that makes it.
    Local(FuncId, ValueId),
    Global(GlobalId),
    Func(FuncId),
    /// Memory of the library or the system, where models say that something is kept.
    Outside,
}

/// What an address points to, as declared.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub enum Points {
    /// Anything: `void *`, or no declaration was found.
    #[default]
    Anything,
    /// This far into an object of a type.
    In(TypeId, i64),
    /// A function, or nothing at all.
    NoObject,
}

/// An expression.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Expr {
    /// The bits of a number; the null pointer is zero.
    Number(u64, Type),
    Address(Symbol),
    /// The value passed for a parameter.
    Entry(FuncId, u32),
    /// The value that a function returns.
    Returned(FuncId),
    /// An SSA value.
    Value(FuncId, ValueId),
    /// The address of a cell that a call of a model acquires.
    Born(FuncId, InstId, u32),
    /// A value of a caller further out, while its callees are looked at.
    Ghost(u32, Type, Points),
    /// The parameter that a recursive function goes down with, of an activation further out; of all of them when the
    /// number is the largest.
    Above(FuncId, u32, Points),
    /// What is in memory at an address.
    Deref(ExprId, Type),
    Offset(ExprId, i64),
    Index(ExprId, ExprId, i64),
    Binary(BinaryOp, ExprId, ExprId),
    Compare(CompareOp, ExprId, ExprId),
    Convert(ConvertOp, ExprId, Type),
}

/// What is known of an expression beside its form.
#[derive(Clone, Debug)]
pub struct Facts {
    pub ty: Type,
    pub points: Points,
    /// How many memory accesses are nested in it.
    pub depth: u32,
    /// How many parts it has.
    pub size: u32,
    /// The same in every run, whatever was named before; for orders that matter.
    pub rank: u64,
}

/// All expressions.
#[derive(Default)]
pub struct Exprs {
    list: Vec<(Expr, Facts)>,
    ids: FxHashMap<Expr, ExprId>,
    /// What declarations say of values that are not in memory.
    declared: FxHashMap<Expr, (Type, Points)>,
}

impl Exprs {
    pub fn get(&self, id: ExprId) -> Expr {
        self.list[id.index()].0
    }

    pub fn facts(&self, id: ExprId) -> &Facts {
        &self.list[id.index()].1
    }

    pub fn ty(&self, id: ExprId) -> Type {
        self.facts(id).ty
    }

    pub fn points(&self, id: ExprId) -> Points {
        self.facts(id).points
    }

    /// What it points to for people: also what was declared only after it had been named.
    pub fn described(&self, id: ExprId) -> Points {
        match self.points(id) {
            Points::Anything => self.declared.get(&self.get(id)).map_or(Points::Anything, |known| known.1),
            known => known,
        }
    }

    /// Says what a value that is not in memory is, before it is first named.
    pub fn declare(&mut self, expr: Expr, ty: Type, points: Points) -> ExprId {
        self.declared.entry(expr).or_insert((ty, points));
        self.intern(expr, points)
    }

    /// The name of an SSA value, if it has one.
    pub fn get_value(&self, function: FuncId, value: ValueId) -> Option<ExprId> {
        self.ids.get(&Expr::Value(function, value)).copied()
    }

    pub fn number(&mut self, bits: u64, ty: Type) -> ExprId {
        self.intern(Expr::Number(bits, ty), Points::NoObject)
    }

    pub fn null(&mut self) -> ExprId {
        self.number(0, Type::Ptr)
    }

    /// The id of an expression in normal form, which points to what is said.
    pub fn intern(&mut self, expr: Expr, points: Points) -> ExprId {
        if let Some(&id) = self.ids.get(&expr) {
            return id;
        }
        let deepest = |ids: &[ExprId]| ids.iter().map(|&id| self.facts(id).depth).max().unwrap_or(0);
        let sizes = |ids: &[ExprId]| 1 + ids.iter().map(|&id| self.facts(id).size).sum::<u32>();
        let (ty, depth, size) = match expr {
            Expr::Number(_, ty) => (ty, 0, 1),
            Expr::Address(_) | Expr::Above(..) => (Type::Ptr, 0, 1),
            Expr::Ghost(_, ty, _) => (ty, 0, 1),
            Expr::Entry(..) | Expr::Returned(_) | Expr::Value(..) | Expr::Born(..) => {
                (self.declared.get(&expr).map_or(Type::Ptr, |known| known.0), 0, 1)
            }
            Expr::Deref(addr, ty) => (ty, self.facts(addr).depth + 1, sizes(&[addr])),
            Expr::Offset(base, _) => (Type::Ptr, self.facts(base).depth, sizes(&[base])),
            Expr::Index(base, index, _) => (Type::Ptr, deepest(&[base, index]), sizes(&[base, index])),
            Expr::Binary(_, a, b) => (self.ty(a), deepest(&[a, b]), sizes(&[a, b])),
            Expr::Compare(_, a, b) => (Type::BOOL, deepest(&[a, b]), sizes(&[a, b])),
            Expr::Convert(_, a, ty) => (ty, self.facts(a).depth, sizes(&[a])),
        };
        let points = self.declared.get(&expr).map_or(points, |known| known.1);
        let rank = self.rank(expr);
        let id = ExprId::new(self.list.len());
        self.list.push((expr, Facts { ty, points, depth, size, rank }));
        self.ids.insert(expr, id);
        id
    }

    fn rank(&self, expr: Expr) -> u64 {
        let mut hasher = FxHasher::default();
        let mut part = |id: ExprId| hasher.write_u64(self.facts(id).rank);
        match expr {
            Expr::Deref(a, _) | Expr::Offset(a, _) | Expr::Convert(_, a, _) => part(a),
            Expr::Index(a, b, _) | Expr::Binary(_, a, b) | Expr::Compare(_, a, b) => {
                part(a);
                part(b);
            }
            _ => {}
        }
        match expr {
            Expr::Deref(_, ty) => ty.hash(&mut hasher),
            Expr::Offset(_, bytes) | Expr::Index(_, _, bytes) => bytes.hash(&mut hasher),
            Expr::Binary(op, ..) => op.hash(&mut hasher),
            Expr::Compare(op, ..) => op.hash(&mut hasher),
            Expr::Convert(op, ..) => op.hash(&mut hasher),
            leaf => leaf.hash(&mut hasher),
        }
        hasher.finish()
    }

    /// `base + bytes`, with offsets added up.
    pub fn offset(&mut self, base: ExprId, bytes: i64) -> ExprId {
        let (base, bytes) = match self.get(base) {
            Expr::Offset(inner, more) => (inner, bytes.wrapping_add(more)),
            _ => (base, bytes),
        };
        if bytes == 0 {
            return base;
        }
        let points = match self.points(base) {
            Points::In(ty, at) => Points::In(ty, at.wrapping_add(bytes)),
            other => other,
        };
        self.intern(Expr::Offset(base, bytes), points)
    }

    /// `base + index × scale`. A constant index is an offset.
    pub fn index(&mut self, base: ExprId, index: ExprId, scale: i64) -> ExprId {
        if let Expr::Number(bits, ty) = self.get(index) {
            let width = ty.bits(64).clamp(1, 64);
            let signed = (bits << (64 - width)) as i64 >> (64 - width);
            return self.offset(base, signed.wrapping_mul(scale));
        }
        let points = self.points(base);
        self.intern(Expr::Index(base, index, scale), points)
    }

    /// `a op b` on numbers; constants are computed where that needs no care.
    pub fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        if self.ty(a) == Type::BOOL && matches!(op, BinaryOp::Or | BinaryOp::And) {
            for (one, other) in [(a, b), (b, a)] {
                if let Expr::Number(bits, _) = self.get(one) {
                    return if (bits == 1) == (op == BinaryOp::Or) { one } else { other };
                }
            }
            if a == b {
                return a;
            }
        }
        if op == BinaryOp::Xor && self.ty(a) == Type::BOOL && matches!(self.get(b), Expr::Number(1, _)) {
            return self.not(a);
        }
        if let (Expr::Number(x, ty), Expr::Number(y, _)) = (self.get(a), self.get(b)) {
            let result = match op {
                BinaryOp::Add => Some(x.wrapping_add(y)),
                BinaryOp::Sub => Some(x.wrapping_sub(y)),
                BinaryOp::And => Some(x & y),
                BinaryOp::Or => Some(x | y),
                BinaryOp::Xor => Some(x ^ y),
                _ => None,
            };
            if let Some(result) = result {
                return self.number(cut(result, ty), ty);
            }
        }
        self.intern(Expr::Binary(op, a, b), Points::Anything)
    }

    /// `a op b` as a truth value. Equal sides and constants are decided.
    pub fn compare(&mut self, op: CompareOp, a: ExprId, b: ExprId) -> ExprId {
        if a == b {
            let holds = matches!(
                op,
                CompareOp::Eq | CompareOp::Uge | CompareOp::Ule | CompareOp::Sge | CompareOp::Sle
            );
            return self.number(u64::from(holds), Type::BOOL);
        }
        if let (Expr::Number(x, ty), Expr::Number(y, _)) = (self.get(a), self.get(b)) {
            let width = ty.bits(64).clamp(1, 64);
            let signed = |bits: u64| (bits << (64 - width)) as i64 >> (64 - width);
            let (s, t) = (signed(x), signed(y));
            let holds = match op {
                CompareOp::Eq => x == y,
                CompareOp::Ne => x != y,
                CompareOp::Ugt => x > y,
                CompareOp::Uge => x >= y,
                CompareOp::Ult => x < y,
                CompareOp::Ule => x <= y,
                CompareOp::Sgt => s > t,
                CompareOp::Sge => s >= t,
                CompareOp::Slt => s < t,
                CompareOp::Sle => s <= t,
            };
            return self.number(u64::from(holds), Type::BOOL);
        }
        // Members at the same offset are equal when the objects are.
        if let (Expr::Offset(one, at), Expr::Offset(other, same)) = (self.get(a), self.get(b))
            && at == same
            && matches!(op, CompareOp::Eq | CompareOp::Ne)
        {
            return self.compare(op, one, other);
        }
        // `(c != 0) != 0` is how C tests a truth value.
        if let Expr::Number(0, _) = self.get(b)
            && let Expr::Convert(ConvertOp::ZeroExtend, inner, _) = self.get(a)
            && self.ty(inner) == Type::BOOL
        {
            match op {
                CompareOp::Ne => return inner,
                CompareOp::Eq => return self.not(inner),
                _ => {}
            }
        }
        if self.ty(a) == Type::BOOL
            && let Expr::Number(0, _) = self.get(b)
        {
            match op {
                CompareOp::Ne => return a,
                CompareOp::Eq => return self.not(a),
                _ => {}
            }
        }
        let (a, b) = match op {
            CompareOp::Eq | CompareOp::Ne if self.facts(a).rank > self.facts(b).rank => (b, a),
            _ => (a, b),
        };
        self.intern(Expr::Compare(op, a, b), Points::NoObject)
    }

    /// The opposite of a truth value.
    pub fn not(&mut self, condition: ExprId) -> ExprId {
        match self.get(condition) {
            Expr::Number(bits, Type::Int(1)) => self.number(bits ^ 1, Type::BOOL),
            Expr::Compare(op, a, b) => {
                let opposite = match op {
                    CompareOp::Eq => CompareOp::Ne,
                    CompareOp::Ne => CompareOp::Eq,
                    CompareOp::Ugt => CompareOp::Ule,
                    CompareOp::Uge => CompareOp::Ult,
                    CompareOp::Ult => CompareOp::Uge,
                    CompareOp::Ule => CompareOp::Ugt,
                    CompareOp::Sgt => CompareOp::Sle,
                    CompareOp::Sge => CompareOp::Slt,
                    CompareOp::Slt => CompareOp::Sge,
                    CompareOp::Sle => CompareOp::Sgt,
                };
                self.intern(Expr::Compare(opposite, a, b), Points::NoObject)
            }
            Expr::Binary(BinaryOp::Xor, inner, one)
                if self.ty(inner) == Type::BOOL && matches!(self.get(one), Expr::Number(1, _)) =>
            {
                inner
            }
            _ => {
                let one = self.number(1, Type::BOOL);
                self.intern(Expr::Binary(BinaryOp::Xor, condition, one), Points::NoObject)
            }
        }
    }

    pub fn convert(&mut self, op: ConvertOp, a: ExprId, ty: Type) -> ExprId {
        if let Expr::Number(bits, from) = self.get(a) {
            let width = from.bits(64).clamp(1, 64);
            match op {
                ConvertOp::ZeroExtend | ConvertOp::Truncate | ConvertOp::IntToPtr | ConvertOp::PtrToInt => {
                    return self.number(cut(bits, ty), ty);
                }
                ConvertOp::SignExtend => {
                    let signed = (bits << (64 - width)) as i64 >> (64 - width);
                    return self.number(cut(signed as u64, ty), ty);
                }
                _ => {}
            }
        }
        self.intern(Expr::Convert(op, a, ty), Points::Anything)
    }

    /// The parts of an expression.
    pub fn parts(&self, id: ExprId) -> ([Option<ExprId>; 2], usize) {
        match self.get(id) {
            Expr::Deref(a, _) | Expr::Offset(a, _) | Expr::Convert(_, a, _) => ([Some(a), None], 1),
            Expr::Index(a, b, _) | Expr::Binary(_, a, b) | Expr::Compare(_, a, b) => ([Some(a), Some(b)], 2),
            _ => ([None, None], 0),
        }
    }

    /// Whether any part of an expression, itself included, is such.
    pub fn any(&self, id: ExprId, such: &mut dyn FnMut(ExprId, Expr) -> bool) -> bool {
        such(id, self.get(id)) || self.parts(id).0.into_iter().flatten().any(|part| self.any(part, such))
    }

    /// Whether `part` occurs in an expression.
    pub fn mentions(&self, id: ExprId, part: ExprId) -> bool {
        self.any(id, &mut |other, _| other == part)
    }
}

/// The low bits of a number that a type has.
pub fn cut(bits: u64, ty: Type) -> u64 {
    match ty.bits(64) {
        0 | 64.. => bits,
        width => bits & ((1 << width) - 1),
    }
}
