//! Who owns what members hold, learned from the whole program, and who loses it.
//!
//! In: a program, the summaries of its functions, and what is told already. Out: stories. A member of a structure type, or a variable of
//! the program, that holds an address or a number that stands for something (a descriptor), *owns* what it holds if everything that is ever put there is new, or moved there from
//! another one that owns, and nobody who fills it puts the same elsewhere too. That is decided without regard to paths, by type and offset, from
//! all stores ([`accesses`], [`sources`]). It needs no function that releases what the member holds: what is only ever reached through a member is lost
//! with it. Where what it holds is handed out and kept by somebody, some function has to release it through the member, which shows whose it is.
//!
//! Six things lose what an owning member holds (ASSUME-42): releasing the structure without it ([`destroyed`]), clearing all of it ([`wiped`]), putting something else there where it is
//! known to hold something ([`cleared`]), filling it again whatever it holds ([`replaced`]), releasing an array without its elements ([`elements`]), and releasing what the other members hold but not this ([`contents`]). A structure itself is lost where what it holds is released, and it is not ([`left`]). None is told if the function, something that it calls, or a caller does anything with the member by
//! which it could be taken care of ([`care`]). How sure it is says [`sure`].

mod accesses;
mod asked;
mod care;
mod chains;
mod cleared;
mod contents;
mod derived;
mod destroyed;
mod elements;
mod left;
mod lenders;
mod owned;
mod reached;
mod replaced;
mod shape;
mod sources;
mod sure;
mod tell;
mod wiped;

use crate::facts::types::Field;
use accesses::Accesses;
use care::Care;
use destroyed::{How, Lost};
use elements::Arrays;
use owned::Owned;
use replaced::Initialised;
use rustc_hash::{FxHashMap, FxHashSet};
use shape::Shapes;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use watertight_finding::{Place, Story};
use watertight_ir::callgraph::CallGraph;
use watertight_ir::{FuncId, Program, Table, ValueId};
use watertight_summary::Summary;
use watertight_summary::model::Models;

/// A program with all that is known of its functions.
#[derive(Copy, Clone)]
pub(crate) struct Known<'a> {
    pub(crate) program: &'a Program,
    pub(crate) library: &'a Models,
    pub(crate) summaries: &'a Table<FuncId, Option<Summary>>,
    pub(crate) graph: &'a CallGraph,
    /// Functions whose results stay whose they were.
    lenders: &'a FxHashSet<FuncId>,
    shapes: &'a Shapes<'a>,
}

impl<'a> Known<'a> {
    /// What a function does: its summary, or the model of one without a body.
    fn summary(&self, function: FuncId) -> Option<&'a Summary> {
        let data = &self.program.functions[function];
        match data.body.is_some() {
            true => self.summaries[function].as_ref(),
            false => self.library.functions.get(&data.name),
        }
    }

    /// Whether nothing at all is known of a function. A body that was not looked at touches no resource.
    fn is_unknown(&self, function: FuncId) -> bool {
        let data = &self.program.functions[function];
        data.body.is_none() && !self.library.functions.contains_key(&data.name)
    }
}

/// What owning members lose, in the order of functions. `told` are the places at which something is told already.
pub fn losses(
    program: &Program,
    library: &Models,
    summaries: &Table<FuncId, Option<Summary>>,
    graph: &CallGraph,
    told: &[&Place],
) -> Vec<(FuncId, Story)> {
    let lenders = lenders::lenders(program, library, summaries, graph);
    let shapes = Shapes::default();
    let known = Known { program, library, summaries, graph, lenders: &lenders, shapes: &shapes };
    let accesses = Accesses::new(known);
    let owned = Owned::new(known, &accesses);
    let care = Care::new(known, &accesses, &owned);
    let arrays = Arrays::new(known, &accesses);
    let told: FxHashSet<&Place> = told.iter().copied().collect();
    let look = Look {
        known,
        accesses: &accesses,
        owned: &owned,
        care: &care,
        arrays: &arrays,
        told,
        replaced: RefCell::default(),
        initialised: RefCell::default(),
        never_ended: OnceCell::new(),
    };
    let mut all: Vec<(FuncId, Lost)> = Vec::new();
    for function in program.defined() {
        let mut found = look.destroyed(function);
        let mut lost_fields: FxHashSet<Field> = found.iter().flat_map(|lost| lost.fields.clone()).collect();
        let more = [
            look.wiped(function),
            look.cleared(function),
            look.replaced(function),
            look.arrays(function),
            look.contents(function),
        ];
        for lost in more.into_iter().flatten() {
            if !lost.fields.iter().any(|field| lost_fields.contains(field)) {
                lost_fields.extend(lost.fields.iter().cloned());
                found.push(lost);
            }
        }
        if found.is_empty() {
            found = look.left(function);
        }
        all.extend(found.into_iter().map(|lost| (function, lost)));
    }
    // Who releases the structure afterwards is told of it.
    let ended: FxHashSet<Field> = all
        .iter()
        .filter(|(_, lost)| lost.how == How::Released)
        .flat_map(|(_, lost)| lost.fields.clone())
        .collect();
    for (_, lost) in &mut all {
        if lost.how == How::LeftOut {
            lost.fields.retain(|field| !ended.contains(field));
        }
    }
    all.iter().filter_map(|(function, lost)| Some((*function, look.tell(*function, lost)?))).collect()
}

/// Everything that is needed to look for losses.
struct Look<'a> {
    known: Known<'a>,
    accesses: &'a Accesses,
    owned: &'a Owned,
    care: &'a Care<'a>,
    arrays: &'a Arrays,
    told: FxHashSet<&'a Place>,
    /// Whether some function releases what a member holds and fills it again, as far as that was asked.
    replaced: RefCell<FxHashMap<usize, bool>>,
    /// What functions put into structures first, as far as that was asked.
    initialised: RefCell<FxHashMap<(FuncId, ValueId), Rc<Initialised>>>,
    /// Types whose structures nobody releases, once they are asked for.
    never_ended: OnceCell<FxHashSet<(Box<str>, u64)>>,
}
