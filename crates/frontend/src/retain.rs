//! Symbols taken out of a program, and the others numbered again.
//!
//! In: for each symbol the one that stands for it from now on. Out: the program with only those that stand for
//! themselves, in their order.

use crate::join::{IdMap, rewrite_body, rewrite_image};
use rayon::prelude::*;
use watertight_ir::{AggId, FuncId, GlobalId, Id, Program, Table};

/// For each symbol, the one that stands for it: itself, an earlier one that stands for itself, or none if nothing that
/// is left refers to it.
pub(crate) struct Standing {
    pub(crate) functions: Table<FuncId, Option<FuncId>>,
    pub(crate) globals: Table<GlobalId, Option<GlobalId>>,
}

/// Leaves the symbols that stand for themselves.
pub(crate) fn retain(program: &mut Program, standing: &Standing) {
    program.functions = kept(std::mem::take(&mut program.functions), &standing.functions);
    program.globals = kept(std::mem::take(&mut program.globals), &standing.globals);
    let map = IdMap {
        functions: numbers(&standing.functions),
        globals: numbers(&standing.globals),
        aggregates: (0..program.aggregates.len()).map(AggId::new).collect(),
    };
    let all = program.functions.values_mut().into_slice();
    all.par_iter_mut().with_min_len(64).for_each(|function| {
        if let Some(body) = &mut function.body {
            rewrite_body(body, &map);
        }
    });
    for image in program.globals.values_mut().filter_map(|global| global.image.as_mut()) {
        rewrite_image(image, &map);
    }
    for (_, symbol) in &mut program.aliases {
        *symbol = map.symbol(*symbol);
    }
}

fn kept<T: Id, D>(all: Table<T, D>, standing: &Table<T, Option<T>>) -> Table<T, D> {
    let stands = standing.iter().map(|(id, other)| other.is_some_and(|other| other.index() == id.index()));
    all.into_values().zip(stands).filter_map(|(data, stands)| stands.then_some(data)).collect()
}

/// New ids without gaps.
fn numbers<T: Id>(standing: &Table<T, Option<T>>) -> Vec<T> {
    let mut new: Vec<T> = Vec::with_capacity(standing.len());
    let mut next = 0;
    for (id, other) in standing.iter() {
        let number = match other {
            Some(other) if other.index() == id.index() => {
                next += 1;
                next - 1
            }
            // What stands for others comes before them.
            Some(other) => new[other.index()].index(),
            // Nobody asks.
            None => 0,
        };
        new.push(T::new(number));
    }
    new
}
