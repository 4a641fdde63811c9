//! What the caller sees of the ways out of a function, and which of them look the same to it.
//!
//! A caller tells ways out apart by the result: a negative number or an error address says that the function has
//! failed, NULL and zero say something else than other values, and one constant something else than another. It also
//! looks at what a pointer argument was filled with.
//!
//! A result of which nothing was asked on a way out is just a value: that it might also be negative, NULL or an
//! error address is a case that the function does not think of there, and nobody is misled by it. So a lookup that
//! returns with a lock held what it has found does not look like one that has failed. Which cases are possible is
//! asked of the solver, for each sort of way out by itself.

use crate::limits::{SEEN_CLASSES, TELLING_ARGUMENTS};
use crate::machine::ask::ask;
use crate::machine::memory::{ObjectId, Origin};
use crate::machine::state::State;
use crate::machine::value::{Leaf, Leaves, Offset, Sym};
use watertight_ir::Type;
use watertight_logic::guard::Guard;
use watertight_logic::question::Answer;
use watertight_logic::solver::Solver;
use watertight_summary::Root;

/// What a caller makes of a result.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    /// A negative number or an error address.
    Failure,
    /// Zero, or NULL where an address is returned.
    Zero,
    /// One of the values returned.
    Value(usize),
}

/// A value that is returned, on the paths of a guard, by the cases that it may be.
#[derive(Copy, Clone, Debug)]
struct Returned {
    guard: Guard,
    negative: Guard,
    zero: Guard,
    other: Guard,
}

/// The returning paths by what the caller sees of them.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    values: Vec<Returned>,
    /// The paths on which arguments were filled in one way or another.
    told: Vec<Guard>,
    pointer: bool,
}

/// Paths of one class.
pub(crate) type Classed = (Class, Guard);

impl Seen {
    pub(crate) fn new(state: &mut State<'_>, returned: Guard, object: ObjectId) -> Seen {
        let ty = state.function.result;
        let mut all: Leaves = Vec::new();
        let mut plain = Guard::FALSE;
        for (_, guard, sym) in state.returns.clone() {
            let guard = state.and(guard, returned);
            match sym {
                Some(sym @ (Sym::Leaves(_) | Sym::Truth(_))) if ty != Type::Void => {
                    let width = state.width(ty);
                    for (when, leaf) in state.leaves(&sym, width) {
                        let when = state.and(guard, when);
                        all.push((when, leaf));
                    }
                }
                _ => plain = state.or(plain, guard),
            }
        }
        let all = state.tidy(all);
        let mut values: Vec<Returned> =
            all.iter().map(|&(guard, leaf)| cases(state, guard, leaf, ty)).collect();
        if !plain.is_false() {
            values.push(Returned { guard: plain, negative: Guard::FALSE, zero: Guard::FALSE, other: plain });
        }
        Seen { values, told: told_through_arguments(state, object), pointer: ty == Type::Ptr }
    }

    /// Whether a class of results says that something went wrong.
    pub(crate) fn fails(&self, class: Class) -> bool {
        class == Class::Failure || class == Class::Zero && self.pointer
    }

    /// What the caller makes of paths, by what was asked on them.
    pub(crate) fn classes(&self, state: &mut State<'_>, solver: &mut Solver, paths: Guard) -> Vec<Classed> {
        let mut classes = Vec::new();
        for (index, value) in self.values.iter().enumerate() {
            let mine = state.and(paths, value.guard);
            if mine.is_false() {
                continue;
            }
            let mut case = |state: &mut State<'_>, part: Guard| {
                let both = state.and(paths, part);
                let possible = !both.is_false() && matches!(ask(state, solver, both), Answer::Sat(_));
                possible.then_some(both)
            };
            let negative = case(state, value.negative);
            let zero = case(state, value.zero);
            let other = case(state, value.other);
            let whole = (Class::Value(index), mine);
            match (negative, zero, other) {
                // An address may be anything but what it was asked to be.
                (_, _, Some(_)) if self.pointer => classes.push(whole),
                // Nothing was asked, or only whether it is negative.
                (_, Some(_), Some(_)) => classes.push(whole),
                (negative, zero, other) => {
                    classes.extend(negative.map(|guard| (Class::Failure, guard)));
                    classes.extend(zero.map(|guard| (Class::Zero, guard)));
                    classes.extend(other.map(|guard| (Class::Value(index), guard)));
                }
            }
        }
        classes
    }

    /// The paths among some that a class of others could be taken for, one entry for each case.
    pub(crate) fn like(&self, state: &mut State<'_>, class: Classed, others: Guard) -> Vec<(Guard, Guard)> {
        let mut alike = Vec::new();
        for (index, value) in self.values.iter().enumerate() {
            let parts: Vec<Guard> = match class.0 {
                // A number that is not negative for sure may be, but an address that was not asked about is just that.
                Class::Failure | Class::Zero
                    if self.pointer && !state.and(others, value.other).is_false() =>
                {
                    Vec::new()
                }
                Class::Failure => vec![value.negative],
                Class::Zero => vec![value.zero],
                Class::Value(one) if one == index => vec![value.negative, value.zero, value.other],
                Class::Value(_) => Vec::new(),
            };
            for part in parts {
                // The same value on both sides is the same case of it.
                let mine = match class.0 {
                    Class::Value(_) => state.and(class.1, part),
                    _ => class.1,
                };
                let other = state.and(others, part);
                for &told in &self.told {
                    let (mine, other) = (state.and(mine, told), state.and(other, told));
                    if !mine.is_false() && !other.is_false() {
                        alike.push((mine, other));
                    }
                }
            }
        }
        alike
    }
}

/// What a value may be.
fn cases(state: &mut State<'_>, guard: Guard, leaf: Leaf, ty: Type) -> Returned {
    let plain = Returned { guard, negative: Guard::FALSE, zero: Guard::FALSE, other: guard };
    let term = match leaf {
        Leaf::Number(term) => term,
        // What an address of the caller's leads to may be nothing.
        Leaf::Address(object, Offset::At(0))
            if matches!(state.objects[object].origin, Origin::Entry(_) | Origin::Elsewhere) =>
        {
            let null = state.is_null(object);
            let zero = state.and(guard, null);
            return Returned { zero, other: state.formulas.guards.and_not(guard, null), ..plain };
        }
        Leaf::Address(..) | Leaf::Function(_) => return plain,
    };
    let width = state.formulas.terms.width(term);
    let none = Returned { other: Guard::FALSE, ..plain };
    if let Some(value) = state.formulas.terms.const_value(term) {
        return match width.signed(value) {
            0 => Returned { zero: guard, ..none },
            // The truth value true has all its bits set, and says that nothing went wrong.
            ..0 if width.bits() > 1 => Returned { negative: guard, ..none },
            _ => plain,
        };
    }
    let constant = state.constant(width, 0);
    let equal = state.formulas.terms.eq(term, constant);
    let equal = state.formulas.guard(equal);
    let zero = state.and(guard, equal);
    let rest = state.formulas.guards.and_not(guard, equal);
    let below = match ty {
        _ if width.bits() == 1 => Guard::FALSE,
        // The highest addresses are numbers of errors, where functions return such things.
        Type::Ptr => {
            let first = state.constant(width, -4095);
            let below = state.formulas.terms.ult(term, first);
            !state.formulas.guard(below)
        }
        _ => {
            let below = state.formulas.terms.slt(term, constant);
            state.formulas.guard(below)
        }
    };
    let negative = state.and(rest, below);
    Returned { guard, negative, zero, other: state.formulas.guards.and_not(rest, below) }
}

/// The paths by what cells that arguments point to hold at the end, if nothing else is there.
fn told_through_arguments(state: &mut State<'_>, except: ObjectId) -> Vec<Guard> {
    let mut cells: Vec<(Leaves, Type)> = Vec::new();
    for (id, object) in state.objects.iter() {
        let argument = matches!(&object.origin, Origin::Entry(path)
            if matches!(path.root, Root::Param(_)) && path.steps.is_empty());
        if let [cell] = &object.cells[..]
            && argument
            && id != except
            && cell.offset == 0
            && cell.bytes <= 8
            && cells.len() < TELLING_ARGUMENTS
        {
            cells.push((cell.leaves.clone(), Type::Int(cell.bytes as u32 * 8)));
        }
    }
    let mut told = vec![Guard::TRUE];
    for (leaves, ty) in cells {
        let mut parts: Vec<Guard> = Vec::new();
        for (guard, leaf) in leaves {
            let value = cases(state, guard, leaf, ty);
            parts.extend([value.negative, value.zero, value.other]);
        }
        parts.retain(|part| !part.is_false());
        if parts.len() < 2 || parts.len() * told.len() > SEEN_CLASSES {
            continue;
        }
        let mut next = Vec::new();
        for &class in &told {
            for &part in &parts {
                let both = state.and(class, part);
                if !both.is_false() {
                    next.push(both);
                }
            }
        }
        told = next;
    }
    told
}
