//! The hub: what pointers without a type have in common when they point to too much.
//!
//! In a large program every `void *` of a container, and every `char *` of a text function, points to thousands of
//! objects, and all of them to much the same. Such a pointer is given up: it points to the hub, one place that stands for
//! every object that ever came there. What is in those objects is then told apart by type only: all records of one type
//! that came to the hub are one object (the one that stands for blocks of unknown type that are seen as that type, see
//! [`crate::view`]), and a pointer to a record sees the hub as that object. Pointers in them, other than those to
//! functions, may hold whatever of their class was stored through the hub.
//!
//! Functions, text and the outside world do not go into the hub: whom calls reach is always told apart. Nor are functions
//! stored through pointers to it, unless they are pointers to pointers to functions.
//!
//! In the solution that others see, whatever is in the hub is the hub ([`crate::PointsTo::of`]).

use crate::graph::{Graph, NodeId};
use crate::layout::{Kind, Target, TypeRef};
use crate::object::{LocId, ObjectId, Origin};
use crate::set::Set;
use rustc_hash::FxHashMap;
use watertight_ir::Id;

/// Places that a pointer without a type points to before it is given up.
const MOST_PLACES: usize = 100;

/// What has come to the hub.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hub {
    /// The hub itself, once there is one.
    at: Option<LocId>,
    /// What is stored through pointers to it: the cell of the hub.
    contents: Option<NodeId>,
    /// Objects that are in it, or will be as soon as [`Graph::fill_hub`] has its turn.
    objects: Vec<bool>,
    pending: Vec<ObjectId>,
    /// Locations of those objects that were seen to come, as bits.
    known: Vec<u64>,
    /// Locations that do not go in, as bits.
    kept: Vec<u64>,
    /// Those of them that are functions, as bits.
    functions: Vec<u64>,
    /// From where bytes were copied to blocks of unknown type.
    sources: FxHashMap<ObjectId, Vec<ObjectId>>,
    /// All has been worked out; no further pointer is given up.
    pub(crate) closed: bool,
}

impl Hub {
    pub(crate) fn is_in(&self, object: ObjectId) -> bool {
        self.objects.get(object.index()).copied().unwrap_or(false)
    }

    pub(crate) fn is_settled(&self) -> bool {
        self.pending.is_empty()
    }

    fn put(&mut self, object: ObjectId) {
        if self.objects.len() <= object.index() {
            self.objects.resize(object.index() + 1, false);
        }
        if !std::mem::replace(&mut self.objects[object.index()], true) {
            self.pending.push(object);
        }
    }

    /// A location that pointers to the hub still tell apart.
    pub(crate) fn keep(&mut self, location: LocId, is_function: bool) {
        let word = location.index() / 64;
        if self.kept.len() <= word {
            self.kept.resize(word + 1, 0);
            self.functions.resize(word + 1, 0);
        }
        self.kept[word] |= 1 << (location.index() % 64);
        if is_function {
            self.functions[word] |= 1 << (location.index() % 64);
        }
    }

    /// Whether a node is the cell of the hub. It holds no functions, so it is not made one with others.
    pub(crate) fn is_cell(&self, node: NodeId) -> bool {
        self.contents == Some(node)
    }
}

impl Graph<'_> {
    /// Whether pointers of a node may be given up: those that declare no type, or one that everything is cast to.
    pub(crate) fn may_widen(&self, node: NodeId) -> bool {
        match self.classes[node].map(|class| self.masks.kinds[class]) {
            None => true,
            Some(kind) => kind.is_plain() || kind == Kind::Pointer(Target::Any),
        }
    }

    /// Gives a pointer up if it points to too much. The set of a node has grown.
    pub(crate) fn widen_if_large(&mut self, node: NodeId) {
        if !self.hub.closed
            && !self.is_wide[node]
            && self.sets[node].is_above(MOST_PLACES)
            && self.may_widen(node)
        {
            self.is_wide[node] = true;
            self.widen(node);
        }
    }

    /// Puts what a pointer that is given up points to into the hub.
    pub(crate) fn widen(&mut self, node: NodeId) {
        let set = std::mem::take(&mut self.sets[node]);
        let mut words = Vec::new();
        let came = self.sort_out(set.words(), &mut words);
        self.sets[node].unite_words(&words);
        if came {
            let hub = self.hub_location();
            self.sets[node].insert(hub.index() as u32);
        }
        self.done[node] = self.done[node].common(&self.sets[node]);
    }

    /// A pointer that is given up takes some words. Says whether any was new.
    pub(crate) fn take_wide(&mut self, node: NodeId, arrived: &[(u32, u64)]) -> bool {
        let mut words = std::mem::take(&mut self.room);
        let came = self.sort_out(arrived, &mut words);
        if self.hub.is_cell(node) {
            for (key, bits) in &mut words {
                *bits &= !self.hub.functions.get(*key as usize).copied().unwrap_or(0);
            }
            words.retain(|word| word.1 != 0);
        }
        let mut changed = self.sets[node].unite_words(&words);
        words.clear();
        self.room = words;
        if came {
            let hub = self.hub_location();
            changed |= self.sets[node].insert(hub.index() as u32);
        }
        changed
    }

    /// Puts what goes into the hub there, and the rest into `words`. Says whether anything went in.
    fn sort_out(&mut self, arrived: &[(u32, u64)], words: &mut Vec<(u32, u64)>) -> bool {
        let mut came = false;
        for &(key, bits) in arrived {
            let kept = bits & self.hub.kept.get(key as usize).copied().unwrap_or(0);
            if kept != 0 {
                words.push((key, kept));
            }
            let going = bits & !kept;
            if going == 0 {
                continue;
            }
            came = true;
            if self.hub.known.len() <= key as usize {
                self.hub.known.resize(key as usize + 1, 0);
            }
            let mut new = going & !self.hub.known[key as usize];
            self.hub.known[key as usize] |= new;
            while new != 0 {
                let location = LocId::new((key * 64 + new.trailing_zeros()) as usize);
                new &= new - 1;
                self.hub.put(self.memory.locations[location].object);
            }
        }
        came
    }

    /// The hub.
    fn hub_location(&mut self) -> LocId {
        if let Some(at) = self.hub.at {
            return at;
        }
        let object = self.memory.object(Origin::Hub, None, None, false);
        // An object without a type always has a place at its beginning.
        let at = self.memory.at(object, 0).unwrap_or(LocId::new(0));
        self.classify();
        self.hub.keep(at, false);
        self.hub.at = Some(at);
        self.hub.contents = self.cell(at);
        if let Some(contents) = self.hub.contents {
            self.is_wide[contents] = true;
        }
        at
    }

    pub(crate) fn is_hub(&self, location: LocId) -> bool {
        self.hub.at == Some(location)
    }

    /// Bytes are copied between an object and the hub, or what is in it.
    pub(crate) fn put_in_hub(&mut self, object: ObjectId) {
        if self.memory.objects[object].has_cells() && self.memory.objects[object].origin != Origin::Hub {
            self.hub.put(object);
        }
    }

    /// Bytes are copied to a block of unknown type. If that is in the hub, so is where they come from, and the other way
    /// around.
    pub(crate) fn copied_raw(&mut self, from: ObjectId, to: ObjectId) {
        if self.memory.objects[to].ty.is_none() {
            if self.hub.is_in(to) {
                self.put_in_hub(from);
            } else {
                self.hub.sources.entry(to).or_default().push(from);
            }
        }
        if self.memory.objects[from].ty.is_none() && self.hub.is_in(from) {
            self.put_in_hub(to);
        }
    }

    /// Works out what follows from objects being in the hub.
    pub(crate) fn fill_hub(&mut self) {
        if self.hub.pending.is_empty() {
            return;
        }
        self.cells.forget();
        while let Some(object) = self.hub.pending.pop() {
            self.enter_hub(object);
        }
    }

    fn enter_hub(&mut self, object: ObjectId) {
        let data = &self.memory.objects[object];
        if !data.has_cells() || data.origin == Origin::Hub {
            return;
        }
        let shared = matches!(data.origin, Origin::Merged(_));
        let kind = data.ty.and_then(|ty| self.memory.layouts.kind(ty));
        for view in self.memory.views_of(object) {
            self.hub.put(view);
        }
        match kind {
            _ if shared => self.enter_type(object),
            Some(kind) if kind.is_viewed() => {
                let class = self.masks.class(kind);
                let ty = self.masks.types[class].or(self.memory.objects[object].ty);
                let sized = ty.filter(|&ty| self.memory.layouts.size(ty).is_some_and(|bytes| bytes > 0));
                match sized {
                    Some(ty) => self.become_shared(object, kind, ty),
                    None => self.open_cells(object),
                }
            }
            _ => {
                self.open_cells(object);
                self.nested(object, None);
            }
        }
        if self.memory.objects[object].ty.is_none() {
            for source in self.hub.sources.remove(&object).unwrap_or_default() {
                self.put_in_hub(source);
            }
            for target in self.copied_to(object) {
                self.put_in_hub(target);
            }
        }
    }

    /// From now on the contents of an object are those of the one that stands for all of its kind.
    fn become_shared(&mut self, object: ObjectId, kind: Kind, ty: TypeRef) {
        let shared = self.memory.shared(kind, ty);
        self.hub.put(shared);
        if shared == object {
            return;
        }
        self.all_outside_contents(object);
        self.cells.make_alias(object, shared);
        for (offset, node) in self.cells.of_itself(object).to_vec() {
            let normal = self.memory.layouts.normal(&self.memory.objects[shared], offset);
            let target = self.memory.at(shared, normal).and_then(|at| self.cell(at));
            if let Some(target) = target {
                self.unite(target, node);
            }
        }
        self.move_copies(object, shared);
    }

    /// The first time that a type comes to the hub.
    fn enter_type(&mut self, shared: ObjectId) {
        self.open_cells(shared);
        let Some(ty) = self.memory.objects[shared].ty else { return };
        let kind = self.memory.layouts.kind(ty);
        self.nested(shared, kind);
        // The program casts it to others.
        let Some(kind) = kind else { return };
        let class = self.masks.class(kind);
        for taker in self.masks.takers(class).to_vec() {
            let other = self.masks.kinds[taker];
            if other.is_viewed() && kind.passes_for(other, false) {
                self.join(shared, 0, other);
            }
        }
    }

    /// Records inside of an object are seen as objects of their own.
    fn nested(&mut self, object: ObjectId, own: Option<Kind>) {
        let Some(ty) = self.memory.objects[object].ty else { return };
        for (offset, kind) in self.memory.layouts.kinds_in(ty).iter().copied() {
            let itself = offset == 0 && Some(kind) == own;
            if matches!(kind, Kind::Record(_)) && !itself {
                self.join(object, offset, kind);
            }
        }
    }

    /// What is at an offset of an object and the object that stands for a kind hold the same.
    fn join(&mut self, object: ObjectId, offset: i64, kind: Kind) {
        let class = self.masks.class(kind);
        let ty = match kind {
            Kind::Record(record) => Some(record),
            _ => self.masks.types[class],
        };
        let ty = ty.filter(|&ty| self.memory.layouts.size(ty).is_some_and(|bytes| bytes > 0));
        let Some(ty) = ty else { return };
        let shared = self.memory.shared(kind, ty);
        self.hub.put(shared);
        if let (Some(one), Some(other)) = (self.memory.at(object, offset), self.memory.at(shared, 0)) {
            self.link(one, other);
            self.link(other, one);
        }
    }

    /// Pointers in an object may be read and written through the hub.
    fn open_cells(&mut self, object: ObjectId) {
        for (_, node) in self.cells.of_itself(object).to_vec() {
            self.open_cell(node);
        }
    }

    /// The same for one pointer, when it comes into being.
    pub(crate) fn open_new_cell(&mut self, object: ObjectId, node: NodeId) {
        if self.hub.is_in(object) {
            self.open_cell(node);
        }
    }

    fn open_cell(&mut self, node: NodeId) {
        let node = self.shorten(node);
        let is_function = self.classes[node].is_some_and(|class| self.masks.kinds[class] == Kind::Function);
        let hub = self.hub_location();
        if is_function {
            return;
        }
        if let Some(contents) = self.cell(hub) {
            self.flow(node, contents);
            self.flow(contents, node);
        }
    }

    /// The object that pointers to a kind see in the hub.
    pub(crate) fn hub_as(&mut self, kind: Kind, ty: TypeRef) -> ObjectId {
        let shared = self.memory.shared(kind, ty);
        self.hub.put(shared);
        shared
    }

    pub(crate) fn hub_has(&self, object: ObjectId) -> bool {
        self.hub.is_in(object)
    }

    /// Lets the hub stand for what is in it, in all sets. Gives the sets that were changed as they were.
    pub(crate) fn stand_for_hub(&mut self) -> FxHashMap<NodeId, Set> {
        let mut before = FxHashMap::default();
        let Some(hub) = self.hub.at else { return before };
        let mut inside = vec![0u64; self.memory.locations.len().div_ceil(64)];
        for (location, _) in self.memory.locations.iter().filter(|(_, at)| self.hub.is_in(at.object)) {
            inside[location.index() / 64] |= 1 << (location.index() % 64);
        }
        for node in self.sets.ids() {
            let words = self.sets[node].words();
            if words.iter().any(|&(key, bits)| bits & inside[key as usize] != 0) {
                let mut seen = self.sets[node].without(&inside);
                seen.insert(hub.index() as u32);
                before.insert(node, std::mem::replace(&mut self.sets[node], seen));
            }
        }
        before
    }
}

#[cfg(test)]
mod tests {
    use crate::PointsTo;
    use crate::object::Origin;
    use std::fmt::Write;
    use watertight_ir::{Id, Op};

    /// A pointer to so many globals, through which something is stored; then two of the globals are read, of which the
    /// pointer leads to the first only.
    fn program(count: usize) -> String {
        let mut text = String::from("global @a: 4 align 4 = { }\nglobal @far: 8 align 8 = { }\n");
        for number in 0..count {
            writeln!(text, "global @g{number}: 8 align 8 = {{ }}").expect("text grows");
        }
        text.push_str("func @f(%v0: i1) {\nbb0:\n  %v1: ptr = select %v0, ptr @g0, ptr @f\n");
        for number in 1..count {
            let value = number + 1;
            writeln!(text, "  %v{value}: ptr = select %v0, %v{number}, ptr @g{number}").expect("text grows");
        }
        let one = count + 1;
        let other = count + 2;
        write!(
            text,
            "  store ptr @a to %v{count}\n  call %v{count}(i1 1)\n  %v{one}: ptr = load ptr @g3\n  %v{other}: ptr = load ptr @far\n  return\n}}\n"
        )
        .expect("text grows");
        text
    }

    #[test]
    fn what_is_stored_through_the_hub_is_read_from_what_came_to_it() {
        for count in [20, 200] {
            let program = watertight_ir::parse("hub.ir", &program(count)).expect("the test is well formed");
            let points_to = PointsTo::new(&program, &Default::default());
            assert!(points_to.complete);
            let f = program.function_named("f").expect("f is there");
            let value = |number: usize| points_to.of(f, Id::new(number));
            let hub = |number: usize| {
                points_to.locations(value(number)).any(|at| points_to.object(at.object).origin == Origin::Hub)
            };
            assert_eq!(hub(count), count > 100, "{count} places");
            assert_eq!(value(count + 1).count(), 1, "the address of `a` arrives");
            assert_eq!(value(count + 2).count(), 0, "and in nothing else");
            // Every global that came is foreseen, and the function is still told apart.
            let global = program.globals.ids().nth(5).expect("there are more");
            assert!(points_to.includes(f, Id::new(count), Origin::Global(global), 0));
            let far = program.globals.ids().nth(1).expect("there are more");
            assert!(!points_to.includes(f, Id::new(count), Origin::Global(far), 0));
            let body = program.functions[f].body.as_ref().expect("f has a body");
            let call = body.insts.iter().find(|(_, inst)| matches!(inst.op, Op::Call(_))).expect("a call");
            assert_eq!(points_to.callees(f, call.0), [f]);
        }
    }
}
