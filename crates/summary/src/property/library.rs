//! All properties of a run: the shipped ones that apply, and users' files on top of them.

use super::parse::parse;
use super::{Event, Property, PropertyId};
use rustc_hash::FxHashMap;

/// The files that come with the program, with their names.
pub const PACKS: &[(&str, &str)] = &[
    ("pthread-mutex", include_str!("../../../../properties/pthread-mutex.property")),
    ("pthread-rwlock", include_str!("../../../../properties/pthread-rwlock.property")),
    ("posix-semaphore", include_str!("../../../../properties/posix-semaphore.property")),
    ("linux-spinlock", include_str!("../../../../properties/linux-spinlock.property")),
    ("linux-mutex", include_str!("../../../../properties/linux-mutex.property")),
    ("linux-rwlock", include_str!("../../../../properties/linux-rwlock.property")),
    ("linux-semaphore", include_str!("../../../../properties/linux-semaphore.property")),
    ("linux-rcu", include_str!("../../../../properties/linux-rcu.property")),
    ("linux-srcu", include_str!("../../../../properties/linux-srcu.property")),
    ("linux-seqlock", include_str!("../../../../properties/linux-seqlock.property")),
    ("stream", include_str!("../../../../properties/stream.property")),
    ("descriptor", include_str!("../../../../properties/descriptor.property")),
    ("thread", include_str!("../../../../properties/thread.property")),
    ("privilege", include_str!("../../../../properties/privilege.property")),
];

/// All properties, in the order in which they were added, and what they say of functions.
#[derive(Clone, Debug, Default)]
pub struct Properties {
    list: Vec<Property>,
    by_function: FxHashMap<Box<str>, Vec<(PropertyId, usize)>>,
}

impl Properties {
    /// Adds a property; it replaces one of the same name.
    pub fn add(&mut self, property: Property) {
        match self.list.iter().position(|known| known.name == property.name) {
            Some(index) => self.list[index] = property,
            None => self.list.push(property),
        }
        self.index();
    }

    /// Keeps some properties only.
    pub fn retain(&mut self, keep: impl Fn(&Property) -> bool) {
        self.list.retain(keep);
        self.index();
    }

    fn index(&mut self) {
        self.by_function.clear();
        for (index, property) in self.list.iter().enumerate() {
            for (event, (function, _)) in property.events.iter().enumerate() {
                let entry = (PropertyId::new(index), event);
                self.by_function.entry(function.clone()).or_default().push(entry);
            }
        }
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub fn get(&self, id: PropertyId) -> &Property {
        &self.list[id.index()]
    }

    /// All properties with their ids.
    pub fn iter(&self) -> impl Iterator<Item = (PropertyId, &Property)> {
        self.list.iter().enumerate().map(|(index, property)| (PropertyId::new(index), property))
    }

    /// The property of a name.
    pub fn named(&self, name: &str) -> Option<PropertyId> {
        self.list.iter().position(|property| &*property.name == name).map(PropertyId::new)
    }

    /// Whether some property speaks of calls of this function.
    pub fn mentions(&self, function: &str) -> bool {
        self.by_function.contains_key(function)
    }

    /// What calls of a function do.
    pub fn events(&self, function: &str) -> impl Iterator<Item = (PropertyId, &[Event])> {
        let all = self.by_function.get(function).into_iter().flatten();
        all.map(|&(id, event)| (id, &*self.list[id.index()].events[event].1))
    }
}

/// All shipped properties.
pub fn shipped() -> Properties {
    shipped_for(&|_| true)
}

/// The shipped properties for a program. `has` tells whether the program defines or calls a function of that name;
/// properties that say nothing about any of its functions are left out.
pub fn shipped_for(has: &dyn Fn(&str) -> bool) -> Properties {
    let mut properties = Properties::default();
    for (name, text) in PACKS {
        let property = parse(name, text).expect("a test parses every shipped property");
        if applies(&property, has) {
            properties.add(property);
        }
    }
    properties
}

/// Whether a property is about a program.
pub(crate) fn applies(property: &Property, has: &dyn Fn(&str) -> bool) -> bool {
    let named = property.only_with.is_empty() || property.only_with.iter().any(|name| has(name));
    named && property.events.iter().any(|(function, _)| has(function))
}
