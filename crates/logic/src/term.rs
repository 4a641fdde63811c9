//! Hash-consed bit-vector terms: the values and conditions of one function, as formulas over unknowns.
//!
//! [`Terms`] is an arena. Each term stands in it once, so two terms built alike have the same [`TermId`], and a
//! comparison of ids is a comparison of formulas. Operands always have smaller ids than the term that uses them,
//! so walking ids upwards meets every operand before its user, without recursion. Every term has a width from 1
//! to 128 bits; a boolean is a term of width 1, with [`TermId::FALSE`] and [`TermId::TRUE`] in every arena.
//!
//! Terms are built with the methods in `simplify` (`terms.add(a, b)`), which rewrite while they build. What each
//! operation means is written down once, in `semantics`; [`Terms::raw`] builds without rewriting, as tests want it.
//!
//! One arena belongs to the analysis of one function. It can move between threads; ids of different arenas must
//! not be mixed. Operands of unequal width are a mistake of the caller and panic.
//!
//! ```
//! use watertight_logic::term::{TermId, Terms};
//! use watertight_logic::width::Width;
//! let mut terms = Terms::new();
//! let x = terms.variable(Width::W32, None);
//! let one = terms.constant(Width::W32, 1);
//! let next = terms.add(x, one);
//! let back = terms.sub(next, one);
//! assert_eq!(back, x);
//! assert_eq!(terms.eq(next, x), TermId::FALSE);
//! ```

use crate::table::{IdTable, Slot, mix};
use crate::width::Width;
use rustc_hash::FxHashMap;
use std::fmt;
use std::num::NonZeroU32;

/// A term in an arena. Prints as `t4`. Optional ids are four bytes wide too.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TermId(NonZeroU32);

impl TermId {
    /// The boolean constant false, the same in every arena.
    pub const FALSE: TermId = TermId::at(0);
    /// The boolean constant true, the same in every arena.
    pub const TRUE: TermId = TermId::at(1);

    pub(crate) const fn at(position: u32) -> TermId {
        match NonZeroU32::new(position + 1) {
            Some(id) => TermId(id),
            None => panic!("an arena holds fewer than 2^32 - 1 terms"),
        }
    }

    /// The position in the arena, for dense side maps.
    #[inline]
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }

    #[inline]
    pub(crate) fn raw(self) -> u32 {
        self.0.get()
    }

    #[inline]
    pub(crate) fn from_raw(raw: u32) -> TermId {
        TermId(NonZeroU32::new(raw).expect("operands of a node are term ids"))
    }

    /// The boolean constant.
    pub fn truth(value: bool) -> TermId {
        if value { TermId::TRUE } else { TermId::FALSE }
    }
}

impl fmt::Debug for TermId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "t{}", self.index())
    }
}

impl fmt::Display for TermId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "t{}", self.index())
    }
}

/// An unknown value. Prints as `x3`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Var(u32);

impl Var {
    /// The number of the unknown in its arena, for dense side maps.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The unknown with this number.
    pub(crate) fn at(index: usize) -> Var {
        Var(u32::try_from(index).expect("an arena holds fewer than 2^32 unknowns"))
    }
}

impl fmt::Debug for Var {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "x{}", self.0)
    }
}

impl fmt::Display for Var {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "x{}", self.0)
    }
}

/// A mark of the caller's own on an unknown, by which it finds back what the unknown stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Tag(pub u32);

/// Operations on one operand of the same width.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum UnaryOp {
    Not,
    Neg,
}

/// Operations on two operands. All but `Concat` want operands of equal width; comparisons give a boolean.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum BinaryOp {
    And,
    Or,
    Xor,
    Add,
    Sub,
    Mul,
    UDiv,
    URem,
    SDiv,
    SRem,
    Shl,
    LShr,
    AShr,
    /// The first operand becomes the upper bits.
    Concat,
    Eq,
    ULt,
    ULe,
    SLt,
    SLe,
}

impl BinaryOp {
    /// Every operation, for tests that want to see them all.
    pub const ALL: [BinaryOp; 19] = [
        BinaryOp::And,
        BinaryOp::Or,
        BinaryOp::Xor,
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::UDiv,
        BinaryOp::URem,
        BinaryOp::SDiv,
        BinaryOp::SRem,
        BinaryOp::Shl,
        BinaryOp::LShr,
        BinaryOp::AShr,
        BinaryOp::Concat,
        BinaryOp::Eq,
        BinaryOp::ULt,
        BinaryOp::ULe,
        BinaryOp::SLt,
        BinaryOp::SLe,
    ];

    /// Whether the order of the operands does not matter.
    pub fn is_commutative(self) -> bool {
        use BinaryOp::{Add, And, Eq, Mul, Or, Xor};
        matches!(self, And | Or | Xor | Add | Mul | Eq)
    }

    /// Whether the result is a boolean whatever the width of the operands.
    pub fn is_comparison(self) -> bool {
        use BinaryOp::{Eq, SLe, SLt, ULe, ULt};
        matches!(self, Eq | ULt | ULe | SLt | SLe)
    }
}

/// How a value becomes wider.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Extension {
    /// The new bits are zero.
    Zero,
    /// The new bits repeat the sign bit.
    Sign,
}

/// What a term is, for pattern matching. Its width is asked of the arena.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Term {
    Const(u128),
    Var(Var),
    Unary(UnaryOp, TermId),
    Binary(BinaryOp, TermId, TermId),
    Extend(Extension, TermId),
    /// The bits from `low` to `high`, both included.
    Extract {
        of: TermId,
        high: u32,
        low: u32,
    },
    /// `condition`, `then`, `otherwise`: the second operand when the first is true, else the third.
    Ite(TermId, TermId, TermId),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// A constant below 2^96, which the three words of the node hold.
    Const,
    /// A larger constant, held in a side table.
    WideConst,
    Var,
    Unary(UnaryOp),
    Binary(BinaryOp),
    Extend(Extension),
    Extract,
    Ite,
}

/// One term in 16 bytes; millions of them are built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Node {
    kind: Kind,
    width: Width,
    /// Set on an `Ite` through which an operation with a constant is worth pushing: see `simplify::choice`.
    liftable: bool,
    a: u32,
    b: u32,
    c: u32,
}

impl Node {
    fn hash(&self) -> u32 {
        let code = match self.kind {
            Kind::Const => 0,
            Kind::WideConst => 1,
            Kind::Var => 2,
            Kind::Unary(op) => 4 + op as u64,
            Kind::Binary(op) => 8 + op as u64,
            Kind::Extend(extension) => 40 + extension as u64,
            Kind::Extract => 44,
            Kind::Ite => 45,
        };
        let head = code | u64::from(self.width.bits()) << 8 | u64::from(self.a) << 32;
        mix(head, u64::from(self.b) | u64::from(self.c) << 32)
    }
}

struct Variable {
    term: TermId,
    tag: Option<Tag>,
}

/// Up to three operands, in order.
#[derive(Clone, Copy)]
pub struct Operands {
    ids: [TermId; 3],
    count: usize,
}

impl std::ops::Deref for Operands {
    type Target = [TermId];
    #[inline]
    fn deref(&self) -> &[TermId] {
        &self.ids[..self.count]
    }
}

/// An operation that was pushed through a choice; kept so that shared choices are rewritten once.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Lifted {
    pub(crate) operation: u8,
    pub(crate) choice: TermId,
    pub(crate) argument: u32,
}

/// The arena of the terms of one function.
pub struct Terms {
    nodes: Vec<Node>,
    table: IdTable,
    wide: Vec<u128>,
    variables: Vec<Variable>,
    pub(crate) lifted: FxHashMap<Lifted, TermId>,
    /// How deep rewriting rules are nested just now: see `simplify`.
    pub(crate) nesting: u32,
}

impl Default for Terms {
    fn default() -> Terms {
        Terms::new()
    }
}

impl Terms {
    /// An arena with nothing but the two boolean constants.
    pub fn new() -> Terms {
        let mut terms = Terms {
            nodes: Vec::new(),
            table: IdTable::default(),
            wide: Vec::new(),
            variables: Vec::new(),
            lifted: FxHashMap::default(),
            nesting: 0,
        };
        let no = terms.constant(Width::BOOL, 0);
        let yes = terms.constant(Width::BOOL, 1);
        debug_assert_eq!((no, yes), (TermId::FALSE, TermId::TRUE));
        terms
    }

    /// The number of terms, the two boolean constants included.
    #[expect(clippy::len_without_is_empty, reason = "an arena always holds the boolean constants")]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    #[inline]
    pub fn width(&self, term: TermId) -> Width {
        self.nodes[term.index()].width
    }

    /// What the term is.
    #[inline]
    pub fn view(&self, term: TermId) -> Term {
        let node = &self.nodes[term.index()];
        match node.kind {
            Kind::Const => Term::Const(inline_value(node)),
            Kind::WideConst => Term::Const(self.wide[node.a as usize]),
            Kind::Var => Term::Var(Var(node.a)),
            Kind::Unary(op) => Term::Unary(op, TermId::from_raw(node.a)),
            Kind::Binary(op) => Term::Binary(op, TermId::from_raw(node.a), TermId::from_raw(node.b)),
            Kind::Extend(extension) => Term::Extend(extension, TermId::from_raw(node.a)),
            Kind::Extract => Term::Extract { of: TermId::from_raw(node.a), high: node.b, low: node.c },
            Kind::Ite => {
                Term::Ite(TermId::from_raw(node.a), TermId::from_raw(node.b), TermId::from_raw(node.c))
            }
        }
    }

    /// The terms this one is made of, in order.
    #[inline]
    pub fn operands(&self, term: TermId) -> Operands {
        let none = TermId::FALSE;
        let (ids, count) = match self.view(term) {
            Term::Const(_) | Term::Var(_) => ([none, none, none], 0),
            Term::Unary(_, a) | Term::Extend(_, a) | Term::Extract { of: a, .. } => ([a, none, none], 1),
            Term::Binary(_, a, b) => ([a, b, none], 2),
            Term::Ite(a, b, c) => ([a, b, c], 3),
        };
        Operands { ids, count }
    }

    /// The value of a constant; `None` when the term is not one.
    #[inline]
    pub fn const_value(&self, term: TermId) -> Option<u128> {
        let node = &self.nodes[term.index()];
        match node.kind {
            Kind::Const => Some(inline_value(node)),
            Kind::WideConst => Some(self.wide[node.a as usize]),
            _ => None,
        }
    }

    #[inline]
    pub fn is_const(&self, term: TermId) -> bool {
        matches!(self.nodes[term.index()].kind, Kind::Const | Kind::WideConst)
    }

    /// Whether the term is an `Ite` into which operations with a constant are pushed.
    #[inline]
    pub(crate) fn is_liftable(&self, term: TermId) -> bool {
        self.nodes[term.index()].liftable
    }

    /// The unknown, when the term is one.
    pub fn as_variable(&self, term: TermId) -> Option<Var> {
        let node = &self.nodes[term.index()];
        (node.kind == Kind::Var).then_some(Var(node.a))
    }

    /// The term of an unknown.
    pub fn variable_term(&self, var: Var) -> TermId {
        self.variables[var.index()].term
    }

    /// The mark the caller gave to an unknown.
    pub fn tag(&self, var: Var) -> Option<Tag> {
        self.variables[var.index()].tag
    }

    /// The unknowns in the order of their creation.
    pub fn variables(&self) -> impl Iterator<Item = Var> + use<> {
        (0..self.variables.len()).map(Var::at)
    }

    /// A constant; bits above the width are ignored.
    pub fn constant(&mut self, width: Width, value: u128) -> TermId {
        let value = width.mask(value);
        if value >> 96 == 0 {
            let (a, b, c) = (value as u32, (value >> 32) as u32, (value >> 64) as u32);
            return self.intern(Node { kind: Kind::Const, width, liftable: false, a, b, c });
        }
        // Large constants are rare, so a linear search in those there are is enough to keep them unique.
        let at = self.wide.iter().position(|&known| known == value).unwrap_or_else(|| {
            self.wide.push(value);
            self.wide.len() - 1
        });
        self.intern(Node { kind: Kind::WideConst, width, liftable: false, a: at as u32, b: 0, c: 0 })
    }

    /// A fresh unknown, equal to no other.
    pub fn variable(&mut self, width: Width, tag: Option<Tag>) -> TermId {
        let var = Var::at(self.variables.len());
        let term = self.intern(Node { kind: Kind::Var, width, liftable: false, a: var.0, b: 0, c: 0 });
        self.variables.push(Variable { term, tag });
        term
    }

    /// Builds a term exactly as given, without rewriting. The width matters for constants and extensions only.
    pub fn raw(&mut self, term: Term, width: Width) -> TermId {
        match term {
            Term::Const(value) => self.constant(width, value),
            Term::Var(var) => self.variable_term(var),
            Term::Unary(op, a) => self.intern_unary(op, a),
            Term::Binary(op, a, b) => self.intern_binary(op, a, b),
            Term::Extend(extension, a) => self.intern_extend(extension, a, width),
            Term::Extract { of, high, low } => self.intern_extract(of, high, low),
            Term::Ite(condition, then, otherwise) => self.intern_ite(condition, then, otherwise),
        }
    }

    pub(crate) fn intern_unary(&mut self, op: UnaryOp, a: TermId) -> TermId {
        let width = self.width(a);
        self.intern(Node { kind: Kind::Unary(op), width, liftable: false, a: a.raw(), b: 0, c: 0 })
    }

    pub(crate) fn intern_binary(&mut self, op: BinaryOp, a: TermId, b: TermId) -> TermId {
        let (left, right) = (self.width(a), self.width(b));
        let width = match op {
            BinaryOp::Concat => Width::of(left.bits() + right.bits()),
            _ => {
                assert_eq!(left, right, "operands of {op:?} have equal widths");
                if op.is_comparison() { Width::BOOL } else { left }
            }
        };
        self.intern(Node { kind: Kind::Binary(op), width, liftable: false, a: a.raw(), b: b.raw(), c: 0 })
    }

    pub(crate) fn intern_extend(&mut self, extension: Extension, a: TermId, width: Width) -> TermId {
        assert!(width >= self.width(a), "an extension does not make a term narrower");
        self.intern(Node { kind: Kind::Extend(extension), width, liftable: false, a: a.raw(), b: 0, c: 0 })
    }

    pub(crate) fn intern_extract(&mut self, of: TermId, high: u32, low: u32) -> TermId {
        assert!(low <= high && high < self.width(of).bits(), "extracted bits lie inside the term");
        let width = Width::of(high - low + 1);
        self.intern(Node { kind: Kind::Extract, width, liftable: false, a: of.raw(), b: high, c: low })
    }

    pub(crate) fn intern_ite(&mut self, condition: TermId, then: TermId, otherwise: TermId) -> TermId {
        assert_eq!(self.width(condition), Width::BOOL, "the condition of a choice is a boolean");
        let width = self.width(then);
        assert_eq!(width, self.width(otherwise), "both sides of a choice have equal widths");
        let liftable = self.is_const(then)
            || self.is_const(otherwise)
            || (self.is_liftable(then) && self.is_liftable(otherwise));
        self.intern(Node {
            kind: Kind::Ite,
            width,
            liftable,
            a: condition.raw(),
            b: then.raw(),
            c: otherwise.raw(),
        })
    }

    fn intern(&mut self, node: Node) -> TermId {
        let nodes = &self.nodes;
        self.table.reserve(nodes.len(), |at| Some(nodes[at as usize].hash()));
        match self.table.find(node.hash(), |at| nodes[at as usize] == node) {
            Slot::Found(at) => TermId::at(at),
            Slot::Free(free) => {
                let at = u32::try_from(self.nodes.len()).expect("an arena holds fewer than 2^32 terms");
                let id = TermId::at(at);
                self.table.fill(free, at);
                self.nodes.push(node);
                id
            }
        }
    }
}

#[inline]
fn inline_value(node: &Node) -> u128 {
    u128::from(node.a) | u128::from(node.b) << 32 | u128::from(node.c) << 64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_nodes_are_small() {
        assert_eq!(size_of::<Option<TermId>>(), 4);
        assert_eq!(size_of::<Node>(), 16);
    }

    #[test]
    fn equal_terms_have_equal_ids() {
        let mut terms = Terms::new();
        let x = terms.variable(Width::MAX, None);
        let big = terms.constant(Width::MAX, u128::MAX - 5);
        let again = terms.constant(Width::MAX, u128::MAX - 5);
        assert_eq!(big, again);
        let first = terms.raw(Term::Binary(BinaryOp::Mul, x, big), Width::MAX);
        let second = terms.raw(Term::Binary(BinaryOp::Mul, x, again), Width::MAX);
        assert_eq!(first, second);
        assert_eq!(terms.view(first), Term::Binary(BinaryOp::Mul, x, big));
        assert_eq!(terms.const_value(big), Some(u128::MAX - 5));
    }

    #[test]
    fn constants_of_different_width_differ() {
        let mut terms = Terms::new();
        let narrow = terms.constant(Width::W8, 1);
        let wide = terms.constant(Width::W16, 1);
        assert_ne!(narrow, wide);
        assert_eq!(terms.constant(Width::W8, 0x101), narrow);
    }

    #[test]
    fn unknowns_keep_their_tag() {
        let mut terms = Terms::new();
        let x = terms.variable(Width::W8, Some(Tag(77)));
        let y = terms.variable(Width::W8, None);
        assert_ne!(x, y);
        let var = terms.as_variable(x).unwrap();
        assert_eq!(terms.tag(var), Some(Tag(77)));
        assert_eq!(terms.variable_term(var), x);
        assert_eq!(terms.variables().count(), 2);
    }
}
