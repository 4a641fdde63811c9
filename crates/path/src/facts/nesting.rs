//! Objects that may be brought into a state twice: recursive mutexes.
//!
//! `pthread_mutex_init(&l->lock, &attributes)` can make a mutex that its holder may lock again, and nothing at the places that lock it
//! says so. A property names the functions that can (`nested by`): what is given to one of them with a last argument other than
//! 0 may nest, wherever in the program that is. In: a program and its properties. Out: the variables and members that may nest. Where
//! the argument has no name of that sort, because the call stands in a function that gets the object from its callers, all may.

use crate::facts::types::Members;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use watertight_ir::callgraph::direct_callee;
use watertight_ir::{Body, Call, Const, FuncId, GlobalId, InstId, Op, Program, ValueId};
use watertight_summary::model::Models;
use watertight_summary::property::PropertyId;

/// A variable or a member of a structure type, and where in it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Place {
    Variable(GlobalId, i64),
    Member { record: Box<str>, bytes: u64, offset: i64 },
}

/// What may nest, by property; none where it may be anything.
#[derive(Debug, Default)]
pub struct Nesting {
    places: FxHashMap<PropertyId, Option<BTreeSet<Place>>>,
    words: String,
}

impl Nesting {
    pub fn new(program: &Program, library: &Models) -> Nesting {
        let mut nesting = Nesting::default();
        for (property, rule) in library.properties.iter().filter(|(_, rule)| !rule.nested_by.is_empty()) {
            for function in program.functions.ids() {
                let Some(body) = &program.functions[function].body else { continue };
                for call in body.insts.values().filter_map(|inst| match &inst.op {
                    Op::Call(call) => Some(call),
                    _ => None,
                }) {
                    let callee = direct_callee(body, call).map(|callee| &*program.functions[callee].name);
                    if callee.is_some_and(|name| rule.nested_by.iter().any(|known| **known == *name)) {
                        nesting.given(program, property, function, body, call);
                    }
                }
            }
        }
        nesting.words = words(program, &nesting.places);
        nesting
    }

    fn given(&mut self, program: &Program, property: PropertyId, function: FuncId, body: &Body, call: &Call) {
        let (Some(&object), Some(&attributes)) = (call.args.first(), call.args.last()) else { return };
        if body.bits(attributes) == Some(0) {
            return;
        }
        let places = self.places.entry(property).or_insert_with(|| Some(BTreeSet::new()));
        match place(program, function, body, object) {
            Some(place) => {
                places.iter_mut().for_each(|places| {
                    places.insert(place.clone());
                });
            }
            None => *places = None,
        }
    }

    /// Whether the object that a call is given first may nest.
    pub(crate) fn of_call(
        &self,
        program: &Program,
        property: PropertyId,
        function: FuncId,
        inst: InstId,
    ) -> bool {
        let Some(places) = self.places.get(&property) else { return false };
        let Some(places) = places else { return true };
        let body = program.functions[function].body.as_ref();
        let object = body.and_then(|body| match &body.insts[inst].op {
            Op::Call(call) => place(program, function, body, *call.args.first()?),
            _ => None,
        });
        // What has no name may be any of them.
        object.map_or(!places.is_empty(), |object| places.contains(&object))
    }

    /// Everything that is known, as text that is the same for the same facts.
    pub(crate) fn words(&self) -> &str {
        &self.words
    }
}

fn words(program: &Program, places: &FxHashMap<PropertyId, Option<BTreeSet<Place>>>) -> String {
    let name = |place: &Place| match place {
        Place::Variable(global, offset) => format!("{}+{offset}", program.globals[*global].name),
        Place::Member { record, bytes, offset } => format!("{record}:{bytes}+{offset}"),
    };
    let mut all: Vec<(usize, Option<Vec<String>>)> = Vec::new();
    for (property, places) in places {
        let places = places.as_ref().map(|places| {
            let mut names: Vec<String> = places.iter().map(name).collect();
            names.sort_unstable();
            names
        });
        all.push((property.index(), places));
    }
    all.sort_unstable();
    if all.is_empty() { String::new() } else { format!("{all:?}") }
}

/// The variable or the member that an address is that of, if the source names one.
fn place(program: &Program, function: FuncId, body: &Body, address: ValueId) -> Option<Place> {
    let (mut base, mut offset) = (address, 0i64);
    loop {
        match body.def_op(base) {
            Some(Op::Offset { base: inner, bytes }) => (base, offset) = (*inner, offset.wrapping_add(*bytes)),
            // Elements of one array are made alike.
            Some(Op::Index { base: inner, .. }) => base = *inner,
            _ => break,
        }
    }
    match body.constant(base) {
        Some(Const::Global { global, offset: inside }) => {
            Some(Place::Variable(*global, offset.wrapping_add(*inside)))
        }
        Some(_) => None,
        None => {
            let members = Members::new(program, function)?;
            let (record, bytes) = members.pointed_record(base)?;
            // A pointer to the object itself, which libraries declare as a union, says nothing of where it is.
            let itself = base == address && members.points_to_union(base);
            (!itself).then_some(Place::Member { record, bytes, offset })
        }
    }
}
