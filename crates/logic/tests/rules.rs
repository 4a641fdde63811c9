//! Every operation on top of every operation, for all values: no rewriting rule can hide.
//!
//! Rules look at two operations at a time, mostly with constants in particular places. Here two unknowns of three bits
//! and a boolean are combined by every inner operation with every constant, and that by every outer operation with
//! every constant, and compared with plain values under all assignments.

use std::collections::HashMap;
use watertight_logic::eval::{Assignment, Evaluator};
use watertight_logic::semantics;
use watertight_logic::term::{BinaryOp, Extension, TermId, Terms, UnaryOp};
use watertight_logic::width::Width;

/// A term and its value under each assignment, computed without the term.
#[derive(Clone)]
struct Known {
    term: TermId,
    width: Width,
    values: Vec<u8>,
}

struct World {
    terms: Terms,
    evaluators: Vec<Evaluator>,
    /// The values of terms that were evaluated already; most of what is built is rewritten to a few.
    evaluated: HashMap<TermId, Vec<u8>>,
    checked: usize,
}

impl World {
    fn check(&mut self, known: &Known, what: impl FnOnce() -> String) {
        assert_eq!(self.terms.width(known.term), known.width, "{}", what());
        let (terms, evaluators) = (&self.terms, &mut self.evaluators);
        let values = self.evaluated.entry(known.term).or_insert_with(|| {
            evaluators.iter_mut().map(|values| values.value(terms, known.term) as u8).collect()
        });
        self.checked += 1;
        assert_eq!(*values, known.values, "{} became {}", what(), self.terms.show(known.term));
    }

    fn constant(&mut self, width: Width, value: u8) -> Known {
        let values = vec![width.mask(value.into()) as u8; self.evaluators.len()];
        Known { term: self.terms.constant(width, value.into()), width, values }
    }

    fn binary(&mut self, op: BinaryOp, a: &Known, b: &Known) -> Known {
        let width = match op {
            BinaryOp::Concat => Width::new(a.width.bits() + b.width.bits()).expect("small widths"),
            _ if op.is_comparison() => Width::BOOL,
            _ => a.width,
        };
        let values = a.values.iter().zip(&b.values);
        let values =
            values.map(|(&x, &y)| semantics::binary(op, b.width, x.into(), y.into()) as u8).collect();
        Known { term: self.terms.binary(op, a.term, b.term), width, values }
    }

    fn unary(&mut self, op: UnaryOp, a: &Known) -> Known {
        let values = a.values.iter().map(|&x| semantics::unary(op, a.width, x.into()) as u8).collect();
        Known { term: self.terms.unary(op, a.term), width: a.width, values }
    }

    fn extend(&mut self, extension: Extension, a: &Known, width: Width) -> Known {
        let values = a.values.iter().map(|&x| semantics::extend(extension, a.width, width, x.into()) as u8);
        let values = values.collect();
        Known { term: self.terms.extend(extension, a.term, width), width, values }
    }

    fn extract(&mut self, a: &Known, high: u32, low: u32) -> Known {
        let values = a.values.iter().map(|&x| semantics::extract(x.into(), high, low) as u8).collect();
        let width = Width::new(high - low + 1).expect("small widths");
        Known { term: self.terms.extract(a.term, high, low), width, values }
    }

    fn ite(&mut self, c: &Known, a: &Known, b: &Known) -> Known {
        let sides = a.values.iter().zip(&b.values);
        let values = c.values.iter().zip(sides).map(|(&c, (&x, &y))| if c == 1 { x } else { y }).collect();
        Known { term: self.terms.ite(c.term, a.term, b.term), width: a.width, values }
    }
}

/// All operations on a term: with all constants on either side, and with the other terms.
fn operations(world: &mut World, a: &Known, others: &[Known], c: &Known) -> Vec<(String, Known)> {
    let mut built = Vec::new();
    let bits = a.width.bits();
    for op in BinaryOp::ALL {
        for k in 0..=a.width.ones().min(15) as u8 {
            let constant = world.constant(a.width, k);
            built.push((format!("{op:?}(a, {k})"), world.binary(op, a, &constant)));
            built.push((format!("{op:?}({k}, a)"), world.binary(op, &constant, a)));
        }
        for other in others.iter().filter(|other| other.width == a.width) {
            built.push((format!("{op:?}(a, {})", other.term), world.binary(op, a, other)));
            built.push((format!("{op:?}({}, a)", other.term), world.binary(op, other, a)));
        }
    }
    for op in [UnaryOp::Not, UnaryOp::Neg] {
        built.push((format!("{op:?}(a)"), world.unary(op, a)));
    }
    for extension in [Extension::Zero, Extension::Sign] {
        if let Some(width) = Width::new(bits + 2).filter(|width| width.bits() <= 8) {
            built.push((format!("{extension:?}(a)"), world.extend(extension, a, width)));
        }
    }
    for high in 0..bits {
        for low in 0..=high {
            built.push((format!("a[{high}:{low}]"), world.extract(a, high, low)));
        }
    }
    for k in 0..=a.width.ones().min(7) as u8 {
        let constant = world.constant(a.width, k);
        built.push((format!("c ? a : {k}"), world.ite(c, a, &constant)));
        built.push((format!("c ? {k} : a"), world.ite(c, &constant, a)));
    }
    if a.width == Width::BOOL {
        for other in others {
            for k in [0, 1, other.width.ones() as u8] {
                let constant = world.constant(other.width, k);
                built.push((format!("a ? {} : {k}", other.term), world.ite(a, other, &constant)));
                built.push((format!("a ? {k} : {}", other.term), world.ite(a, &constant, other)));
            }
        }
    }
    built
}

#[test]
fn two_operations_are_rewritten_rightly_for_all_values() {
    let mut terms = Terms::new();
    let width = Width::new(3).expect("a small width");
    let unknowns =
        [terms.variable(width, None), terms.variable(width, None), terms.variable(Width::BOOL, None)];
    let vars = unknowns.map(|unknown| terms.as_variable(unknown).expect("unknowns are variables"));
    // All values of x and c, and enough of y.
    let situations: Vec<[u128; 3]> = (0..8)
        .flat_map(|x| [0, 1, 3, 4, 5, 7].into_iter().flat_map(move |y| [[x, y, 0], [x, y, 1]]))
        .collect();
    let evaluators = situations
        .iter()
        .map(|values| Evaluator::new(Assignment::from_iter(vars.iter().copied().zip(*values))))
        .collect();
    let column = |at: usize| situations.iter().map(|values| values[at] as u8).collect::<Vec<u8>>();
    let x = Known { term: unknowns[0], width, values: column(0) };
    let y = Known { term: unknowns[1], width, values: column(1) };
    let c = Known { term: unknowns[2], width: Width::BOOL, values: column(2) };
    let mut world = World { terms, evaluators, evaluated: HashMap::new(), checked: 0 };
    let others = [x.clone(), y.clone(), c.clone()];
    for start in [&x, &c] {
        for (inner_text, inner) in operations(&mut world, start, &others, &c) {
            world.check(&inner, || inner_text.clone());
            if inner.width.bits() > 6 {
                continue;
            }
            for (outer_text, outer) in operations(&mut world, &inner, &others, &c) {
                if outer.width.bits() <= 8 {
                    world.check(&outer, || format!("{outer_text} of {inner_text}"));
                }
            }
        }
    }
    assert!(world.checked > 100_000, "{} terms were checked", world.checked);
}
