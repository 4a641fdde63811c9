//! What follows from the equalities of an error cell: congruence closure.
//!
//! In: the hits, misses and conditions of a cell, all evaluated in one state. Out: a contradiction, or classes of
//! expressions that have the same value there. Hits are equal to the cell, misses are not; equal addresses hold equal
//! values; members at one offset are equal exactly when their objects are; variables, the null pointer and the cell are
//! different from each other. Truth values follow by the same rules, disjunctions are tried case by case, and numbers
//! have bounds. This refutes nearly all ways that no run can take, in microseconds; what needs arithmetic on bits is left
//! to the solver ([`crate::solve`]).

use crate::expr::{Expr, ExprId, Exprs, Symbol, cut};
use crate::fact::Cell;
use crate::limits::{CLOSURE_CASES, CLOSURE_NODES, ORDER_PASSES};
use rustc_hash::FxHashMap;
use watertight_ir::{BinaryOp, CompareOp, ConvertOp, Type};

/// A contradiction.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Contradiction;

/// What is known of all expressions of a class.
#[derive(Copy, Clone, Default, Debug)]
struct Known {
    number: Option<u64>,
    /// The variable that an address is in.
    symbol: Option<Symbol>,
    /// It is not the null pointer, and no other number either.
    object: bool,
    signed: Bounds<i64>,
    unsigned: Bounds<u64>,
}

#[derive(Copy, Clone, Debug)]
struct Bounds<T> {
    least: Option<T>,
    most: Option<T>,
}

impl<T> Default for Bounds<T> {
    fn default() -> Self {
        Bounds { least: None, most: None }
    }
}

impl<T: Ord + Copy> Bounds<T> {
    fn meet(self, other: Bounds<T>) -> Bounds<T> {
        let least = match (self.least, other.least) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        };
        let most = match (self.most, other.most) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Bounds { least, most }
    }

    fn is_empty(self) -> bool {
        matches!((self.least, self.most), (Some(least), Some(most)) if least > most)
    }

    fn has(self, value: T) -> bool {
        self.least.is_none_or(|least| least <= value) && self.most.is_none_or(|most| value <= most)
    }
}

/// Classes of expressions that are equal.
#[derive(Clone)]
pub(crate) struct Closure {
    exprs: Vec<ExprId>,
    nodes: FxHashMap<ExprId, u32>,
    shapes: Vec<(Expr, [u32; 2])>,
    parent: Vec<u32>,
    known: Vec<Known>,
    /// Pairs that are different.
    apart: Vec<(u32, u32)>,
    /// Nodes of expressions that are the cell, if there is one.
    cell: Option<u32>,
    /// Nodes of the truth values.
    yes: u32,
    no: u32,
}

const NONE: u32 = u32::MAX;

impl Closure {
    /// Draws all conclusions from a cell, with further expressions of interest and pairs that are equal.
    pub(crate) fn new(
        exprs: &mut Exprs,
        cell: &Cell,
        terms: &[ExprId],
        equal: &[(ExprId, ExprId)],
    ) -> Result<Closure, Contradiction> {
        let (yes, no) = (exprs.number(1, Type::BOOL), exprs.number(0, Type::BOOL));
        let mut closure = Closure {
            exprs: Vec::new(),
            nodes: FxHashMap::default(),
            shapes: Vec::new(),
            parent: Vec::new(),
            known: Vec::new(),
            apart: Vec::new(),
            cell: None,
            yes: 0,
            no: 0,
        };
        closure.yes = closure.add(exprs, yes);
        closure.no = closure.add(exprs, no);
        for &condition in &cell.conditions {
            let node = closure.add(exprs, condition);
            closure.merge(node, closure.yes)?;
        }
        for &hit in &cell.hits {
            let node = closure.add(exprs, hit);
            match closure.cell {
                Some(known) => closure.merge(node, known)?,
                None => closure.cell = Some(node),
            }
        }
        if let Some(the_cell) = closure.cell {
            let root = closure.find(the_cell);
            closure.know(root, Known { object: true, ..Known::default() })?;
            for &miss in &cell.misses {
                let node = closure.add(exprs, miss);
                closure.apart.push((node, the_cell));
            }
        }
        for &(a, b) in equal {
            let (a, b) = (closure.add(exprs, a), closure.add(exprs, b));
            closure.merge(a, b)?;
        }
        for &term in terms {
            closure.add(exprs, term);
        }
        if closure.exprs.len() > CLOSURE_NODES {
            return Ok(closure);
        }
        closure.settle(exprs)?;
        closure.cases(exprs, CLOSURE_CASES)?;
        Ok(closure)
    }

    fn add(&mut self, exprs: &Exprs, expr: ExprId) -> u32 {
        if let Some(&node) = self.nodes.get(&expr) {
            return node;
        }
        let mut parts = [NONE; 2];
        for (slot, part) in parts.iter_mut().zip(exprs.parts(expr).0) {
            if let Some(part) = part {
                *slot = self.add(exprs, part);
            }
        }
        let node = u32::try_from(self.exprs.len()).unwrap_or(NONE);
        let shape = exprs.get(expr);
        let known = match shape {
            Expr::Number(bits, _) => Known { number: Some(bits), ..Known::default() },
            Expr::Address(symbol) => Known { symbol: Some(symbol), object: true, ..Known::default() },
            // It was used to go further down.
            Expr::Above(..) => Known { object: true, ..Known::default() },
            _ => Known::default(),
        };
        self.exprs.push(expr);
        self.nodes.insert(expr, node);
        self.shapes.push((shape, parts));
        self.parent.push(node);
        self.known.push(known);
        node
    }

    fn find(&self, node: u32) -> u32 {
        let mut at = node;
        while self.parent[at as usize] != at {
            at = self.parent[at as usize];
        }
        at
    }

    /// Two expressions are equal. Says whether that was new.
    fn merge(&mut self, a: u32, b: u32) -> Result<(), Contradiction> {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return Ok(());
        }
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        self.parent[high as usize] = low;
        let more = self.known[high as usize];
        self.know(low, more).map(|_| ())
    }

    /// Something is known of a class. Says whether that was new.
    fn know(&mut self, root: u32, more: Known) -> Result<bool, Contradiction> {
        let known = &mut self.known[root as usize];
        let mut new = false;
        match (known.number, more.number) {
            (Some(one), Some(other)) if one != other => return Err(Contradiction),
            (None, Some(number)) => {
                known.number = Some(number);
                new = true;
            }
            _ => {}
        }
        match (known.symbol, more.symbol) {
            (Some(one), Some(other)) if one != other => return Err(Contradiction),
            (None, Some(symbol)) => {
                known.symbol = Some(symbol);
                new = true;
            }
            _ => {}
        }
        new |= more.object && !known.object;
        known.object |= more.object;
        known.signed = known.signed.meet(more.signed);
        known.unsigned = known.unsigned.meet(more.unsigned);
        if known.signed.is_empty() || known.unsigned.is_empty() {
            return Err(Contradiction);
        }
        if known.object && known.number.is_some() {
            return Err(Contradiction);
        }
        Ok(new)
    }

    /// Everything that follows without trying cases.
    fn settle(&mut self, exprs: &Exprs) -> Result<(), Contradiction> {
        let mut table: FxHashMap<(Expr, [u32; 2]), u32> = FxHashMap::default();
        loop {
            let mut new = false;
            table.clear();
            for node in 0..self.shapes.len() as u32 {
                let (shape, parts) = self.shapes[node as usize];
                if parts[0] == NONE {
                    continue;
                }
                let parts = parts.map(|part| if part == NONE { NONE } else { self.find(part) });
                // The form without its parts, which are told by their classes.
                let bare = bare(shape);
                match table.get(&(bare, parts)) {
                    Some(&same) => {
                        if self.find(same) != self.find(node) {
                            self.merge(same, node)?;
                            new = true;
                        }
                    }
                    None => {
                        table.insert((bare, parts), node);
                    }
                }
                new |= self.follow(exprs, node, shape, parts)?;
            }
            new |= self.offsets()?;
            for &(a, b) in &self.apart {
                if self.find(a) == self.find(b) {
                    return Err(Contradiction);
                }
            }
            if !new {
                break;
            }
        }
        self.order(exprs)
    }

    /// What follows from one node and the classes of its parts.
    fn follow(
        &mut self,
        exprs: &Exprs,
        node: u32,
        shape: Expr,
        parts: [u32; 2],
    ) -> Result<bool, Contradiction> {
        let root = self.find(node);
        let mut new = false;
        match shape {
            Expr::Deref(..) => {
                // What is read is an object, or a member of one.
                let object = Known { object: true, ..Known::default() };
                new |= self.know(parts[0], object)?;
            }
            Expr::Offset(..) | Expr::Index(..) => {
                let (base, whole) = (self.known[parts[0] as usize], self.known[root as usize]);
                if base.symbol != whole.symbol {
                    let symbol = base.symbol.or(whole.symbol);
                    new |= self.know(parts[0], Known { symbol, ..Known::default() })?;
                    let root = self.find(node);
                    new |= self.know(root, Known { symbol, ..Known::default() })?;
                }
                if base.object != whole.object {
                    // A member of nothing is never used.
                    let object = Known { object: true, ..Known::default() };
                    new |= self.know(parts[0], object)?;
                    let root = self.find(node);
                    new |= self.know(root, object)?;
                }
            }
            // A call through another prototype may put a number of another width in the place of one.
            Expr::Compare(op, a, b) if exprs.ty(a) == exprs.ty(b) => new |= self.compared(node, op, parts)?,
            Expr::Binary(op, a, _) if exprs.ty(a) == Type::BOOL => new |= self.connected(node, op, parts)?,
            Expr::Binary(op, a, _) => {
                if let (Some(x), Some(y)) = (self.number(parts[0]), self.number(parts[1])) {
                    let result = match op {
                        BinaryOp::Add => Some(x.wrapping_add(y)),
                        BinaryOp::Sub => Some(x.wrapping_sub(y)),
                        BinaryOp::Mul => Some(x.wrapping_mul(y)),
                        BinaryOp::And => Some(x & y),
                        BinaryOp::Or => Some(x | y),
                        BinaryOp::Xor => Some(x ^ y),
                        _ => None,
                    };
                    let number = result.map(|result| cut(result, exprs.ty(a)));
                    new |= self.know(root, Known { number, ..Known::default() })?;
                }
            }
            Expr::Convert(op, a, ty) => {
                if let Some(bits) = self.number(parts[0]) {
                    let width = exprs.ty(a).bits(64).clamp(1, 64);
                    let number = match op {
                        ConvertOp::ZeroExtend
                        | ConvertOp::Truncate
                        | ConvertOp::IntToPtr
                        | ConvertOp::PtrToInt => Some(cut(bits, ty)),
                        ConvertOp::SignExtend => {
                            Some(cut(((bits << (64 - width)) as i64 >> (64 - width)) as u64, ty))
                        }
                        _ => None,
                    };
                    new |= self.know(root, Known { number, ..Known::default() })?;
                }
            }
            _ => {}
        }
        Ok(new)
    }

    fn number(&self, root: u32) -> Option<u64> {
        self.known[root as usize].number
    }

    fn truth(&self, node: u32) -> Option<bool> {
        let root = self.find(node);
        if root == self.find(self.yes) {
            Some(true)
        } else if root == self.find(self.no) {
            Some(false)
        } else {
            self.number(root).map(|number| number & 1 == 1)
        }
    }

    /// A truth value becomes known. Says whether that was new.
    fn set(&mut self, node: u32, value: bool) -> Result<bool, Contradiction> {
        match self.truth(node) {
            Some(known) if known == value => Ok(false),
            Some(_) => Err(Contradiction),
            None => {
                self.merge(node, if value { self.yes } else { self.no })?;
                Ok(true)
            }
        }
    }

    /// A comparison, and the two sides.
    fn compared(&mut self, node: u32, op: CompareOp, [a, b]: [u32; 2]) -> Result<bool, Contradiction> {
        let (same, apart) = (a == b, self.differ(a, b));
        let decided = match op {
            CompareOp::Eq if same || apart => Some(same),
            CompareOp::Ne if same || apart => Some(!same),
            CompareOp::Uge | CompareOp::Ule | CompareOp::Sge | CompareOp::Sle if same => Some(true),
            CompareOp::Ugt | CompareOp::Ult | CompareOp::Sgt | CompareOp::Slt if same => Some(false),
            _ => None,
        };
        let mut new = false;
        if let Some(value) = decided {
            new |= self.set(node, value)?;
        }
        let (a, b) = (self.find(a), self.find(b));
        match (op, self.truth(node)) {
            (CompareOp::Eq, Some(true)) | (CompareOp::Ne, Some(false)) if a != b => {
                self.merge(a, b)?;
                new = true;
            }
            (CompareOp::Eq, Some(false)) | (CompareOp::Ne, Some(true)) if !self.differ(a, b) => {
                self.apart.push((a, b));
                new = true;
            }
            (CompareOp::Ugt | CompareOp::Ult | CompareOp::Sgt | CompareOp::Slt, Some(true))
            | (CompareOp::Uge | CompareOp::Ule | CompareOp::Sge | CompareOp::Sle, Some(false))
                if !self.differ(a, b) =>
            {
                self.apart.push((a, b));
                new = true;
            }
            _ => {}
        }
        Ok(new)
    }

    /// A truth value made of others.
    fn connected(&mut self, node: u32, op: BinaryOp, [a, b]: [u32; 2]) -> Result<bool, Contradiction> {
        let (one, other, whole) = (self.truth(a), self.truth(b), self.truth(node));
        let mut new = false;
        match op {
            BinaryOp::Or | BinaryOp::And => {
                // Of both, with the truth values the other way round for the second.
                let or = op == BinaryOp::Or;
                if one == Some(or) || other == Some(or) {
                    new |= self.set(node, or)?;
                } else if one == Some(!or) && other == Some(!or) {
                    new |= self.set(node, !or)?;
                }
                if whole == Some(!or) {
                    new |= self.set(a, !or)?;
                    new |= self.set(b, !or)?;
                } else if whole == Some(or) {
                    if one == Some(!or) {
                        new |= self.set(b, or)?;
                    }
                    if other == Some(!or) {
                        new |= self.set(a, or)?;
                    }
                }
            }
            BinaryOp::Xor => match (one, other, whole) {
                (Some(x), Some(y), _) => new |= self.set(node, x != y)?,
                (Some(x), None, Some(z)) => new |= self.set(b, x != z)?,
                (None, Some(y), Some(z)) => new |= self.set(a, y != z)?,
                _ => {}
            },
            _ => {}
        }
        Ok(new)
    }

    /// Members at one offset are equal exactly when their objects are, and members at different offsets of one object are
    /// different.
    fn offsets(&mut self) -> Result<bool, Contradiction> {
        let mut new = false;
        let mut seen: FxHashMap<(u32, i64), u32> = FxHashMap::default();
        let mut at: FxHashMap<(u32, u32), i64> = FxHashMap::default();
        let cell = self.cell.map(|cell| self.find(cell));
        for node in 0..self.shapes.len() as u32 {
            let (Expr::Offset(_, bytes), [base, _]) = self.shapes[node as usize] else { continue };
            let (root, base) = (self.find(node), self.find(base));
            if root == base && bytes != 0 {
                return Err(Contradiction);
            }
            // What lies behind another address of an object is not its beginning.
            if Some(root) == cell && bytes > 0 {
                return Err(Contradiction);
            }
            if *at.entry((root, base)).or_insert(bytes) != bytes {
                return Err(Contradiction);
            }
            match seen.get(&(root, bytes)) {
                Some(&known) if self.find(known) != self.find(base) => {
                    self.merge(known, base)?;
                    new = true;
                }
                Some(_) => {}
                None => {
                    seen.insert((root, bytes), base);
                }
            }
        }
        Ok(new)
    }

    /// Whether two classes are surely different.
    fn differ(&self, a: u32, b: u32) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return false;
        }
        let (one, other) = (&self.known[a as usize], &self.known[b as usize]);
        let numbers = matches!((one.number, other.number), (Some(x), Some(y)) if x != y);
        let objects = (one.object && other.number.is_some()) || (other.object && one.number.is_some());
        let symbols = matches!((one.symbol, other.symbol), (Some(x), Some(y)) if x != y);
        if numbers || objects || symbols {
            return true;
        }
        let cell = self.cell.map(|cell| self.find(cell));
        if (Some(a) == cell && other.symbol.is_some()) || (Some(b) == cell && one.symbol.is_some()) {
            return true;
        }
        self.apart.iter().any(|&(x, y)| {
            let (x, y) = (self.find(x), self.find(y));
            (x, y) == (a, b) || (x, y) == (b, a)
        })
    }

    /// Bounds of numbers, and comparisons of two that contradict each other.
    fn order(&mut self, exprs: &Exprs) -> Result<(), Contradiction> {
        // Less, more, whether strictly, whether signed, and the width.
        let mut pairs: Vec<(u32, u32, bool, bool, u32)> = Vec::new();
        for node in 0..self.shapes.len() as u32 {
            let (Expr::Compare(op, of, other), [a, b]) = self.shapes[node as usize] else { continue };
            if exprs.ty(of) != exprs.ty(other) {
                continue;
            }
            let Some(truth) = self.truth(node) else { continue };
            let width = exprs.ty(of).bits(64).clamp(1, 64);
            let (a, b) = (self.find(a), self.find(b));
            let (less, more, strict, signed) = match op {
                CompareOp::Ult => (a, b, true, false),
                CompareOp::Ule => (a, b, false, false),
                CompareOp::Ugt => (b, a, true, false),
                CompareOp::Uge => (b, a, false, false),
                CompareOp::Slt => (a, b, true, true),
                CompareOp::Sle => (a, b, false, true),
                CompareOp::Sgt => (b, a, true, true),
                CompareOp::Sge => (b, a, false, true),
                _ => continue,
            };
            pairs.push(match truth {
                true => (less, more, strict, signed, width),
                false => (more, less, !strict, signed, width),
            });
        }
        for _ in 0..ORDER_PASSES {
            for &(less, more, strict, signed, width) in &pairs {
                let read = |bits: u64| (bits << (64 - width)) as i64 >> (64 - width);
                let (one, other) = (self.known[less as usize], self.known[more as usize]);
                let step = i64::from(strict);
                if signed {
                    let least = one.number.map(read).or(one.signed.least);
                    let most = other.number.map(read).or(other.signed.most);
                    let least = least.map(|least| least.saturating_add(step));
                    let most = most.map(|most| most.saturating_sub(step));
                    self.bound(more, Bounds { least, most: None }, Bounds::default(), width)?;
                    self.bound(less, Bounds { least: None, most }, Bounds::default(), width)?;
                } else {
                    let least = one.number.or(one.unsigned.least).unwrap_or(0);
                    let most = other.number.or(other.unsigned.most);
                    let least = Some(least.saturating_add(step as u64));
                    if strict && most == Some(0) {
                        return Err(Contradiction);
                    }
                    let most = most.map(|most| most.saturating_sub(step as u64));
                    self.bound(more, Bounds::default(), Bounds { least, most: None }, width)?;
                    self.bound(less, Bounds::default(), Bounds { least: None, most }, width)?;
                }
            }
        }
        for &(less, more, strict, signed, _) in &pairs {
            let opposite = |&(l, m, s, g, _): &(u32, u32, bool, bool, u32)| {
                l == more && m == less && g == signed && (s || strict)
            };
            if less == more && strict || pairs.iter().any(opposite) {
                return Err(Contradiction);
            }
            // Neither is more than the other, so that they are equal.
            let back = pairs.iter().any(|known| known.0 == more && known.1 == less && known.3 == signed);
            if back && self.differ(less, more) {
                return Err(Contradiction);
            }
        }
        Ok(())
    }

    fn bound(
        &mut self,
        root: u32,
        signed: Bounds<i64>,
        unsigned: Bounds<u64>,
        width: u32,
    ) -> Result<(), Contradiction> {
        self.know(root, Known { signed, unsigned, ..Known::default() })?;
        let known = self.known[root as usize];
        if let Some(bits) = known.number {
            let read = (bits << (64 - width)) as i64 >> (64 - width);
            if !known.signed.has(read) || !known.unsigned.has(bits) {
                return Err(Contradiction);
            }
        }
        Ok(())
    }

    /// Tries the cases of disjunctions: a contradiction in all of them is one, and what all but one contradict holds.
    fn cases(&mut self, exprs: &Exprs, most: u32) -> Result<(), Contradiction> {
        let Some(most) = most.checked_sub(1) else { return Ok(()) };
        for node in 0..self.shapes.len() as u32 {
            let (shape, parts) = self.shapes[node as usize];
            let Expr::Binary(op @ (BinaryOp::Or | BinaryOp::And), a, _) = shape else { continue };
            let or = op == BinaryOp::Or;
            if exprs.ty(a) != Type::BOOL
                || self.truth(node) != Some(or)
                || self.truth(parts[0]).is_some()
                || self.truth(parts[1]).is_some()
            {
                continue;
            }
            let try_one = |part: u32| -> Result<Closure, Contradiction> {
                let mut case = self.clone();
                case.set(part, or)?;
                case.settle(exprs)?;
                case.cases(exprs, most)?;
                Ok(case)
            };
            match (try_one(parts[0]), try_one(parts[1])) {
                (Err(_), Err(_)) => return Err(Contradiction),
                (Ok(case), Err(_)) | (Err(_), Ok(case)) => *self = case,
                (Ok(_), Ok(_)) => {}
            }
        }
        Ok(())
    }

    /// Whether two expressions are surely equal.
    pub(crate) fn same(&self, a: ExprId, b: ExprId) -> bool {
        a == b
            || match (self.nodes.get(&a), self.nodes.get(&b)) {
                (Some(&a), Some(&b)) => self.find(a) == self.find(b),
                _ => false,
            }
    }

    /// Whether two expressions are surely different.
    pub(crate) fn distinct(&self, a: ExprId, b: ExprId) -> bool {
        match (self.nodes.get(&a), self.nodes.get(&b)) {
            (Some(&a), Some(&b)) => self.differ(a, b),
            _ => false,
        }
    }

    /// Whether an expression is surely the cell.
    pub(crate) fn hits(&self, expr: ExprId) -> bool {
        match (self.nodes.get(&expr), self.cell) {
            (Some(&node), Some(cell)) => self.find(node) == self.find(cell),
            _ => false,
        }
    }

    /// Whether an expression is surely not the cell.
    pub(crate) fn misses(&self, expr: ExprId) -> bool {
        match (self.nodes.get(&expr), self.cell) {
            (Some(&node), Some(cell)) => self.differ(node, cell),
            _ => false,
        }
    }

    /// The other expressions that are surely equal to one, in order of their making.
    pub(crate) fn others(&self, expr: ExprId) -> Vec<ExprId> {
        let Some(&node) = self.nodes.get(&expr) else { return Vec::new() };
        let root = self.find(node);
        let same = (0..self.exprs.len() as u32).filter(|&other| other != node && self.find(other) == root);
        same.map(|other| self.exprs[other as usize]).collect()
    }

    /// All expressions that are surely the cell.
    pub(crate) fn cell_names(&self) -> Vec<ExprId> {
        let Some(cell) = self.cell else { return Vec::new() };
        let root = self.find(cell);
        let same = (0..self.exprs.len() as u32).filter(|&other| self.find(other) == root);
        same.map(|other| self.exprs[other as usize]).collect()
    }
}

/// The form of an expression without its parts.
fn bare(shape: Expr) -> Expr {
    let none = <ExprId as watertight_ir::Id>::new(0);
    match shape {
        Expr::Deref(_, ty) => Expr::Deref(none, ty),
        Expr::Offset(_, bytes) => Expr::Offset(none, bytes),
        Expr::Index(_, _, scale) => Expr::Index(none, none, scale),
        Expr::Binary(op, ..) => Expr::Binary(op, none, none),
        Expr::Compare(op, ..) => Expr::Compare(op, none, none),
        Expr::Convert(op, _, ty) => Expr::Convert(op, none, ty),
        leaf => leaf,
    }
}
