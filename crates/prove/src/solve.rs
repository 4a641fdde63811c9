//! Conditions put to the solver: can the program come this way at all?
//!
//! In: an error cell with its conditions. Out: whether they can hold together. Memory is what it is at one point, so each
//! `*e` is an unknown; two of them are equal when their addresses are (Ackermann's reduction). The address of the cell is
//! an unknown too: hits are equal to it, misses are not, and addresses of variables are not. The paper stops at hits and
//! misses; its seven false warnings on heap routines are ways that no run can take.

use crate::expr::{Expr, ExprId};
use crate::fact::Cell;
use crate::limits::{CONFLICTS, DEREFERENCES, GATES};
use crate::world::World;
use rustc_hash::FxHashMap;
use watertight_ir::{BinaryOp, CompareOp, ConvertOp, Type};
use watertight_logic::formulas::Formulas;
use watertight_logic::question::{Assumption, QuestionLimits};
use watertight_logic::solver::Solver;
use watertight_logic::term::TermId;
use watertight_logic::width::Width;

const LIMITS: QuestionLimits = QuestionLimits { conflicts: CONFLICTS, gates: GATES };

struct Translation<'w, 'p> {
    world: &'w World<'p>,
    formulas: Formulas,
    terms: FxHashMap<ExprId, TermId>,
    /// Address, type and value.
    derefs: Vec<(TermId, Type, TermId)>,
    addresses: Vec<TermId>,
}

/// Whether conditions have anything to do with each other: two of them, or one and a hit, share something that has no fixed
/// value, or two addresses are said to be equal, from which more may follow.
pub(crate) fn is_doubtful(world: &World<'_>, cell: &Cell) -> bool {
    if cell.conditions.is_empty() {
        return false;
    }
    let mut seen: Vec<ExprId> = Vec::new();
    for (list, condition) in [(&cell.conditions, true), (&cell.hits, false), (&cell.misses, false)] {
        for &expr in list {
            if let Expr::Compare(CompareOp::Eq, a, b) = world.exprs.get(expr)
                && condition
                && world.exprs.ty(a) == Type::Ptr
                && ![a, b].into_iter().any(|side| matches!(world.exprs.get(side), Expr::Number(..)))
            {
                return true;
            }
            let mut own = Vec::new();
            world.exprs.any(expr, &mut |id, part| {
                let open = !matches!(part, Expr::Number(..) | Expr::Address(_) | Expr::Compare(..));
                if open && !own.contains(&id) {
                    own.push(id);
                }
                false
            });
            if condition && own.iter().any(|part| seen.contains(part)) {
                return true;
            }
            if !condition && own.first() == Some(&expr) && seen.contains(&expr) {
                return true;
            }
            if condition {
                seen.extend(own);
            }
        }
    }
    false
}

/// Whether the conditions of a cell can hold together, as far as can be found out.
pub(crate) fn is_possible(world: &World<'_>, cell: &Cell) -> bool {
    let mut to = Translation {
        world,
        formulas: Formulas::new(),
        terms: FxHashMap::default(),
        derefs: Vec::new(),
        addresses: Vec::new(),
    };
    let mut question: Vec<TermId> = Vec::new();
    let bits = world.program.target.pointer_bits;
    let pointer = Width::new(bits).unwrap_or(Width::W64);
    let the_cell = to.formulas.terms.variable(pointer, None);
    let zero = to.formulas.terms.constant(pointer, 0);
    let is_one = to.formulas.terms.ne(the_cell, zero);
    question.push(is_one);
    for &condition in &cell.conditions {
        if let Some(term) = to.term(condition) {
            question.push(term);
        }
    }
    for &hit in &cell.hits {
        if let Some(term) = to.term(hit).filter(|&term| to.formulas.terms.width(term) == pointer) {
            let equal = to.formulas.terms.eq(term, the_cell);
            question.push(equal);
        }
    }
    for &miss in &cell.misses {
        if let Some(term) = to.term(miss).filter(|&term| to.formulas.terms.width(term) == pointer) {
            let other = to.formulas.terms.ne(term, the_cell);
            question.push(other);
        }
    }
    let terms = &mut to.formulas.terms;
    for &address in &to.addresses {
        question.push(terms.ne(address, zero));
        question.push(terms.ne(address, the_cell));
    }
    for (index, &one) in to.addresses.iter().enumerate() {
        for &other in &to.addresses[..index] {
            question.push(terms.ne(one, other));
        }
    }
    to.derefs.truncate(DEREFERENCES);
    for (index, &(addr, ty, value)) in to.derefs.iter().enumerate() {
        question.push(terms.ne(addr, zero));
        for &(other_addr, other_ty, other_value) in &to.derefs[..index] {
            if ty == other_ty {
                let same = terms.eq(addr, other_addr);
                let equal = terms.eq(value, other_value);
                question.push(terms.implies(same, equal));
            }
        }
    }
    let question: Vec<Assumption> = question.into_iter().map(Assumption::from).collect();
    let mut solver: Solver = Solver::new();
    !solver.ask(&mut to.formulas, &question, LIMITS).is_unsat()
}

impl Translation<'_, '_> {
    fn width(&self, ty: Type) -> Option<Width> {
        match ty {
            Type::Int(_) | Type::Ptr => {
                Width::new(ty.bits(self.world.program.target.pointer_bits)).filter(|width| width.bits() <= 64)
            }
            _ => None,
        }
    }

    fn term(&mut self, expr: ExprId) -> Option<TermId> {
        if let Some(&known) = self.terms.get(&expr) {
            return Some(known);
        }
        let width = self.width(self.world.exprs.ty(expr))?;
        let term = match self.world.exprs.get(expr) {
            Expr::Number(bits, _) => self.formulas.terms.constant(width, width.mask(bits.into())),
            Expr::Deref(addr, ty) => {
                let addr = self.term(addr)?;
                if self.formulas.terms.width(addr) != self.width(Type::Ptr)? {
                    return None;
                }
                let value = self.formulas.terms.variable(width, None);
                self.derefs.push((addr, ty, value));
                value
            }
            Expr::Offset(base, bytes) => {
                let base = self.term(base)?;
                if self.formulas.terms.width(base) != width {
                    return None;
                }
                let bytes = self.formulas.terms.constant(width, width.mask(bytes as i128 as u128));
                self.formulas.terms.add(base, bytes)
            }
            Expr::Index(base, index, scale) => {
                let (base, index) = (self.term(base)?, self.term(index)?);
                let terms = &mut self.formulas.terms;
                let index =
                    if terms.width(index).bits() < width.bits() { terms.sext(index, width) } else { index };
                if terms.width(index) != width || terms.width(base) != width {
                    return None;
                }
                let scale = terms.constant(width, width.mask(scale as i128 as u128));
                let bytes = terms.mul(index, scale);
                terms.add(base, bytes)
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.term(a)?, self.term(b)?);
                let terms = &mut self.formulas.terms;
                // A call through another prototype may put a number of another width in the place of one.
                if terms.width(a) != width || terms.width(b) != width {
                    return None;
                }
                match op {
                    BinaryOp::Add => terms.add(a, b),
                    BinaryOp::Sub => terms.sub(a, b),
                    BinaryOp::And => terms.and(a, b),
                    BinaryOp::Or => terms.or(a, b),
                    BinaryOp::Xor => terms.xor(a, b),
                    BinaryOp::Mul => terms.mul(a, b),
                    // Rare in conditions, and costly.
                    _ => terms.variable(width, None),
                }
            }
            Expr::Compare(op, a, b) => {
                let (a, b) = (self.term(a)?, self.term(b)?);
                let terms = &mut self.formulas.terms;
                if terms.width(a) != terms.width(b) {
                    return None;
                }
                match op {
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
                }
            }
            Expr::Convert(op, a, _) => {
                let a = self.term(a)?;
                let terms = &mut self.formulas.terms;
                match op {
                    ConvertOp::Truncate if terms.width(a) >= width => terms.truncate(a, width),
                    ConvertOp::ZeroExtend if terms.width(a) <= width => terms.zext(a, width),
                    ConvertOp::SignExtend if terms.width(a) <= width => terms.sext(a, width),
                    _ if terms.width(a) == width
                        && matches!(op, ConvertOp::PtrToInt | ConvertOp::IntToPtr) =>
                    {
                        a
                    }
                    _ => terms.variable(width, None),
                }
            }
            Expr::Address(_) => {
                let term = self.formulas.terms.variable(width, None);
                self.addresses.push(term);
                term
            }
            Expr::Entry(..)
            | Expr::Returned(_)
            | Expr::Value(..)
            | Expr::Born(..)
            | Expr::Ghost(..)
            | Expr::Above(..) => self.formulas.terms.variable(width, None),
        };
        self.terms.insert(expr, term);
        Some(term)
    }
}
