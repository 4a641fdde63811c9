//! What memory a pointer may really lead to, whatever it is declared as.
//!
//! Regions come from declared types. `unsigned char *p = (unsigned char *)x` makes a pointer that is declared as one to
//! bytes and leads to a record with pointers in it: a store through it is no store into bytes. This follows the values of
//! pointers through the whole program, blind to the order of statements, until nothing is new: from each expression to the
//! objects it may lead to. Out: which addresses are disguised ([`World::is_disguised`]), and which memory of numbers holds
//! pointers all the same ([`World::hits_pointers`]). What must hold: a number that is written at an address which does not
//! hit pointers changes no reference, as long as those who are not in sight use memory as they declare it.

use crate::expr::{Expr, ExprId, Points, Symbol};
use crate::limits::{VIEW_PASSES, VIEWED_OBJECTS};
use crate::lower::{Action, CallAction, End};
use crate::region::{Reach, Region};
use crate::types::{Shape, TypeId};
use crate::world::World;
use rustc_hash::{FxHashMap, FxHashSet};
use watertight_ir::{ConvertOp, FuncId, InstId, Type};
use watertight_summary::{Effect, Path, Root, Step, Value};

/// Some memory.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Object {
    /// Memory that comes from outside, as it is declared.
    Typed(TypeId),
    /// Memory that somebody outside passes for a parameter, as it is declared.
    Given(FuncId, u32, TypeId),
    /// Memory that comes from outside, declared as nothing in particular.
    Unknown,
    /// What a call acquires.
    Site(FuncId, InstId),
    Variable(Symbol),
}

/// A place for pointers. Regions overlap: what is stored through a pointer to a scalar type may be in any member of that
/// type, and what is read through one may come from there.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
enum Node {
    Region(Region),
    Name(Expr),
    /// Stored through a pointer to a scalar of this type, and all that is read through one.
    Through(TypeId),
    ReadThrough(TypeId),
    /// Stored through pointers to scalars, of whatever type.
    ThroughAny,
    /// Stored into unions.
    Overlaid,
    /// Stored at addresses that may be anywhere, and all that is read from there.
    Anywhere,
    ReadAnywhere,
}

/// What is known of all pointers of a program.
#[derive(Default)]
pub(crate) struct Views {
    sets: FxHashMap<Node, FxHashSet<Object>>,
    /// Objects that hold pointers although they are not declared so.
    holding: FxHashSet<Object>,
    /// What objects are declared as where pointers to them are.
    uses: FxHashMap<Object, FxHashSet<TypeId>>,
    /// Types behind objects of which the program keeps something else.
    tails: FxHashSet<TypeId>,
    /// Records among whose numbers the program keeps pointers: `*(void **)buffer->bytes = p`.
    mixed: FxHashSet<TypeId>,
    /// Regions of numbers that addresses are stored into; all of them when the flag is set.
    addresses: FxHashSet<Region>,
    addresses_anywhere: bool,
    /// Something is declared as what it is not.
    found: bool,
    hopeless: bool,
    /// What has been added, in all.
    size: usize,
    disguises: FxHashMap<ExprId, bool>,
}

impl Views {
    fn add(&mut self, node: Node, objects: &[Object]) {
        let set = self.sets.entry(node).or_default();
        let before = set.len();
        set.extend(objects);
        if set.len() > VIEWED_OBJECTS {
            set.retain(|object| matches!(object, Object::Typed(_) | Object::Given(..)));
            set.insert(Object::Unknown);
        }
        let after = set.len().max(before);
        self.size += after - before;
    }

    fn hold(&mut self, object: Object) {
        self.size += usize::from(self.holding.insert(object));
    }

    fn read(&self, node: Node, into: &mut Vec<Object>) {
        into.extend(self.sets.get(&node).into_iter().flatten());
    }
}

impl World<'_> {
    /// Finds them for the whole program. Statements are made anew whenever more is known, since what a statement is
    /// depends on which memory may be the same.
    pub(crate) fn find_views(&mut self) {
        let functions: Vec<FuncId> = self.program.defined().collect();
        let mut passes = 0;
        loop {
            let start = self.views.size;
            loop {
                let before = self.views.size;
                functions.iter().for_each(|&function| self.view_function(function));
                self.views.disguises.clear();
                self.reaches.clear();
                passes += 1;
                self.views.hopeless |= passes > VIEW_PASSES;
                if self.views.size == before || self.views.hopeless {
                    break;
                }
            }
            let settled = self.views.size == start && passes > 1;
            if settled || (!self.views.hopeless && !self.views.found && self.views.holding.is_empty()) {
                break;
            }
            self.forget_statements();
            if self.views.hopeless {
                break;
            }
        }
        self.views.disguises.clear();
        self.start_over();
    }

    fn view_function(&mut self, function: FuncId) {
        let statements = self.statements(function);
        if self.is_root(function) {
            let params = self.program.functions[function].params.len();
            for index in 0..params {
                let entry = self.exprs.intern(Expr::Entry(function, index as u32), Points::Anything);
                let given = match self.declared(self.exprs.points(entry)) {
                    Object::Typed(of) => Object::Given(function, index as u32, of),
                    other => other,
                };
                self.enter_name(entry, &[given]);
            }
        }
        for block in &statements.blocks {
            for (name, ways) in &block.merged {
                for &(_, way) in ways {
                    self.flow_to_name(way, *name);
                }
            }
            for (inst, action) in &block.actions {
                match action {
                    Action::Assign { addr, value, ty: Type::Ptr } => {
                        self.pointer_at(*addr);
                        self.flow_to(*value, *addr);
                    }
                    Action::Assign { addr, value, .. } => self.number_at(*value, *addr),
                    Action::Exchange { addr, value, name, ty } => {
                        if *ty == Type::Ptr {
                            self.pointer_at(*addr);
                            if let Some(value) = value {
                                self.flow_to(*value, *addr);
                            }
                        }
                        if let Some(name) = name {
                            let old = self.read_at(*addr);
                            self.enter_name(*name, &old);
                        }
                    }
                    Action::Define { name, by: Some(by) } => self.flow_to_name(*by, *name),
                    Action::Define { name, by: None } => {
                        let declared = self.declared(self.exprs.points(*name));
                        self.enter_name(*name, &[declared]);
                    }
                    Action::Copy { to, from, .. } => self.copy_view(*to, *from),
                    Action::Fill { .. } | Action::Unmodelled(_) => {}
                    Action::Call(call) => self.call_view(function, *inst, call),
                }
            }
            if let End::Return(Some(value)) = block.end {
                if self.exprs.ty(value) != Type::Ptr {
                    self.views.addresses_anywhere |= self.is_address_number(value);
                }
                let objects = self.objects(value);
                self.views.add(Node::Name(Expr::Returned(function)), &objects);
            }
        }
    }

    /// What memory from outside is that something is declared to point to.
    fn declared(&self, points: Points) -> Object {
        match points {
            Points::In(of, offset) => Object::Typed(self.part(of, offset)),
            _ => Object::Unknown,
        }
    }

    /// What lies at an offset; the whole when that is not known.
    fn part(&self, of: TypeId, offset: i64) -> TypeId {
        let whole = self.types.element(of);
        if offset == 0 {
            return whole;
        }
        match self.types.shape(whole) {
            Shape::Record { .. } => self.types.part_at(whole, offset).unwrap_or(whole),
            _ => whole,
        }
    }

    /// The objects that a pointer may lead to.
    pub(crate) fn objects(&mut self, expr: ExprId) -> Vec<Object> {
        let mut found = Vec::new();
        match self.exprs.get(expr) {
            Expr::Number(..) | Expr::Compare(..) => {}
            Expr::Address(symbol @ (Symbol::Local(..) | Symbol::Global(_))) => {
                found.push(Object::Variable(symbol))
            }
            Expr::Address(_) => {}
            Expr::Offset(base, _) => return self.objects_inside(expr, base),
            Expr::Index(base, ..) => {
                let moved = self.objects(base);
                return self.moved(moved, self.exprs.points(base));
            }
            Expr::Deref(addr, Type::Ptr) => found = self.read_at(addr),
            Expr::Entry(..) | Expr::Returned(_) | Expr::Value(..) => {
                self.views.read(Node::Name(self.exprs.get(expr)), &mut found)
            }
            Expr::Born(function, inst, _) => found.push(Object::Site(function, inst)),
            Expr::Ghost(..) | Expr::Above(..) => found.push(self.declared(self.exprs.points(expr))),
            Expr::Deref(..) | Expr::Binary(..) | Expr::Convert(..) => {
                let mut pointers = Vec::new();
                self.exprs.any(expr, &mut |_, part| {
                    if let Expr::Convert(ConvertOp::PtrToInt, pointer, _) = part {
                        pointers.push(pointer);
                    }
                    false
                });
                if pointers.is_empty() {
                    found.push(Object::Unknown);
                }
                for pointer in pointers {
                    found.extend(self.objects(pointer));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The objects of an address in the middle of a record: the member, as long as the record is what it is declared as.
    fn objects_inside(&mut self, expr: ExprId, base: ExprId) -> Vec<Object> {
        let mut found = self.objects(base);
        let Points::In(of, offset) = self.exprs.points(expr) else {
            return self.moved(found, Points::Anything);
        };
        let whole = self.types.element(of);
        if !matches!(self.types.shape(whole), Shape::Record { .. }) || offset == 0 {
            return self.moved(found, Points::In(of, offset));
        }
        let size = i64::try_from(self.types.size(whole)).unwrap_or(0);
        let part = self.types.part_at(whole, offset);
        match part {
            Some(part) if (0..size).contains(&offset) || !self.types.fits(part, whole) => {
                found.retain(|&object| self.is_bad(object, Some(whole)));
                found.push(Object::Typed(part));
            }
            _ => {}
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Objects of a pointer to numbers that was led on: where in an object with pointers it is then is not known.
    fn moved(&mut self, mut objects: Vec<Object>, declared: Points) -> Vec<Object> {
        let of = match declared {
            Points::In(of, offset) => Some(self.part(of, offset)),
            _ => None,
        };
        if of.is_none_or(|of| matches!(self.types.shape(of), Shape::Number { .. }))
            && objects.iter().any(|&object| self.holds(object))
        {
            objects.push(Object::Unknown);
        }
        objects
    }

    /// What is in memory at an address.
    fn read_at(&mut self, addr: ExprId) -> Vec<Object> {
        let Reach { any, regions } = self.reach(addr, Type::Ptr);
        let mut found = Vec::new();
        if any {
            self.views.read(Node::ReadAnywhere, &mut found);
            if !self.closed {
                found.push(Object::Unknown);
            }
        }
        for (region, scalar) in regions {
            match (self.region(region), scalar) {
                (Region::Pointed(of), _) => {
                    self.views.read(Node::ReadThrough(self.types.class(of)), &mut found);
                    self.views.read(Node::Overlaid, &mut found);
                }
                (own, scalar) => {
                    self.views.read(Node::Region(own), &mut found);
                    if region.is_reachable() {
                        let through = match scalar {
                            Some(scalar) => Node::Through(self.types.class(scalar)),
                            None => Node::ThroughAny,
                        };
                        self.views.read(through, &mut found);
                    }
                }
            }
            if region.is_reachable() {
                self.views.read(Node::Anywhere, &mut found);
                if !self.closed {
                    let declared = self.declared(self.pointee(scalar));
                    found.push(declared);
                }
            }
        }
        found
    }

    /// A pointer is stored at an address.
    fn store_at(&mut self, addr: ExprId, objects: &[Object]) {
        let Reach { any, regions } = self.reach(addr, Type::Ptr);
        if any {
            self.views.add(Node::Anywhere, objects);
            self.views.add(Node::ReadAnywhere, objects);
        }
        for (region, scalar) in regions {
            if region.is_reachable() {
                self.views.add(Node::ReadAnywhere, objects);
            }
            match (self.region(region), scalar) {
                (Region::Pointed(of), _) => {
                    let class = self.types.class(of);
                    self.views.add(Node::Through(class), objects);
                    self.views.add(Node::ReadThrough(class), objects);
                    self.views.add(Node::ThroughAny, objects);
                }
                (own, scalar) => {
                    self.views.add(Node::Region(own), objects);
                    match scalar {
                        Some(scalar) if region.is_reachable() => {
                            self.views.add(Node::ReadThrough(self.types.class(scalar)), objects);
                        }
                        None if region.is_reachable() => self.views.add(Node::Overlaid, objects),
                        _ => {}
                    }
                }
            }
        }
    }

    /// The objects of a value that goes where it is declared as something: what it was declared as before counts, too.
    fn cast(&mut self, value: ExprId, to: Points) -> Vec<Object> {
        let mut objects = self.objects(value);
        let Points::In(to, 0) = to else { return objects };
        if let Points::In(of, offset) = self.exprs.points(value) {
            let part = self.part(of, offset);
            if !self.types.fits(part, to) {
                objects.push(Object::Typed(part));
            }
            let size = i64::try_from(self.types.size(of)).unwrap_or(0);
            if !(0..size.max(1)).contains(&offset) && !self.types.fits(part, to) {
                self.views.tails.insert(self.types.class(of));
            }
        }
        self.mark(&objects, to);
        objects
    }

    /// Objects are used as something.
    fn mark(&mut self, objects: &[Object], to: TypeId) {
        let pointers = self.types.has_pointers(to);
        for &object in objects {
            if pointers && !self.holds(object) {
                self.views.hold(object);
            }
            if matches!(object, Object::Site(..) | Object::Typed(_) | Object::Given(..)) {
                self.views.size += usize::from(self.views.uses.entry(object).or_default().insert(to));
            }
            self.views.found |= self.is_bad(object, Some(to));
        }
    }

    fn flow_to(&mut self, value: ExprId, addr: ExprId) {
        let held = self.deref(addr, Type::Ptr);
        let objects = self.cast(value, self.exprs.points(held));
        self.store_at(addr, &objects);
    }

    fn flow_to_name(&mut self, value: ExprId, name: ExprId) {
        if self.exprs.ty(value) == Type::Ptr {
            let objects = self.cast(value, self.exprs.points(name));
            self.views.add(Node::Name(self.exprs.get(name)), &objects);
        } else if self.is_address_number(value) {
            self.views.addresses_anywhere = true;
        }
    }

    fn enter_name(&mut self, name: ExprId, objects: &[Object]) {
        if self.exprs.ty(name) == Type::Ptr {
            self.views.add(Node::Name(self.exprs.get(name)), objects);
        }
    }

    /// A pointer is written at an address: where that is not declared as one, the memory holds pointers all the same.
    fn pointer_at(&mut self, addr: ExprId) {
        let declared = match self.exprs.points(addr) {
            Points::In(of, offset) => self.types.scalar_at(of, offset).is_some_and(|scalar| {
                scalar.overlaid || matches!(self.types.shape(scalar.ty), Shape::Pointer { .. })
            }),
            _ => false,
        };
        if !declared {
            let mut objects = self.objects(addr);
            objects.extend(self.symbol(addr).map(Object::Variable));
            for object in objects {
                self.views.hold(object);
            }
            self.mix(addr);
        }
    }

    /// A pointer is put among the numbers of what an address is declared to lead to.
    fn mix(&mut self, addr: ExprId) {
        if let Points::In(of, _) = self.exprs.points(addr) {
            let class = self.types.class(self.types.element(of));
            self.views.size += usize::from(self.views.mixed.insert(class));
        }
    }

    /// Whether the program keeps pointers among the numbers of a record, or of one inside it: it puts some into such records, or
    /// through pointers to such numbers.
    pub(crate) fn is_mixed(&self, of: TypeId) -> bool {
        let number = |ty| matches!(self.types.shape(ty), Shape::Number { .. });
        if !matches!(self.types.shape(self.types.element(of)), Shape::Record { .. }) {
            return false;
        }
        let records = self.views.mixed.iter().copied().filter(|&known| !number(known));
        let numbers = self.views.holding.iter().filter_map(|object| match object {
            Object::Typed(of) | Object::Given(_, _, of) => Some(*of).filter(|&of| number(of)),
            _ => None,
        });
        records.chain(numbers).any(|part| self.types.contains(of, part))
    }

    /// A number is written at an address: it may be an address itself.
    fn number_at(&mut self, value: ExprId, addr: ExprId) {
        if !self.is_address_number(value) {
            return;
        }
        let reach = self.reach(addr, self.exprs.ty(value));
        self.views.addresses_anywhere |= reach.any;
        for (region, _) in reach.regions {
            self.views.size += usize::from(self.views.addresses.insert(self.region(region)));
        }
    }

    /// Whether a number is made of an address, other than the distance of two or the answer to a comparison.
    fn is_address_number(&mut self, value: ExprId) -> bool {
        if self.exprs.ty(value).bits(64) < self.program.target.pointer_bits {
            return false;
        }
        match self.exprs.get(value) {
            Expr::Convert(ConvertOp::PtrToInt, inner, _) => {
                !matches!(self.exprs.get(inner), Expr::Number(..))
            }
            Expr::Convert(_, inner, _) => self.is_address_number(inner),
            Expr::Binary(watertight_ir::BinaryOp::Sub, a, b) => {
                self.is_address_number(a) && !self.is_address_number(b)
            }
            Expr::Binary(_, a, b) => self.is_address_number(a) || self.is_address_number(b),
            Expr::Deref(addr, ty) => {
                let reach = self.reach(addr, ty);
                reach.regions.iter().any(|known| self.views.addresses.contains(&self.region(known.0)))
            }
            // What it is was named elsewhere.
            Expr::Value(..) => self.views.addresses_anywhere,
            _ => false,
        }
    }

    /// What is in one object is copied into another.
    fn copy_view(&mut self, to: ExprId, from: ExprId) {
        let source = self.whole(from);
        let target = self.whole(to);
        let pointers = match self.exprs.points(from) {
            Points::In(of, offset) => {
                let part = self.part(of, offset);
                self.types.has_pointers(part) || self.is_mixed(part) || self.is_disguised(from)
            }
            _ => self.objects(from).into_iter().any(|object| self.holds(object)),
        };
        if !pointers {
            return;
        }
        let declared = match self.exprs.points(to) {
            Points::In(of, offset) => self.types.has_pointers(self.part(of, offset)),
            _ => false,
        };
        if !declared {
            let mut objects = self.objects(to);
            objects.extend(self.symbol(to).map(Object::Variable));
            objects.into_iter().for_each(|object| self.views.hold(object));
            self.mix(to);
        }
        let mut moved = Vec::new();
        if source.any {
            self.views.read(Node::ReadAnywhere, &mut moved);
        }
        for (region, scalar) in source.regions {
            self.views.read(Node::Region(self.region(region)), &mut moved);
            if region.is_reachable() && !self.closed && scalar.is_some_and(|ty| self.is_pointer(Some(ty))) {
                moved.push(self.declared(self.pointee(scalar)));
            }
        }
        if target.any {
            self.views.add(Node::Anywhere, &moved);
        }
        for (region, scalar) in target.regions {
            if self.is_pointer(scalar) {
                self.views.add(Node::Region(self.region(region)), &moved);
            }
        }
        self.views.add(Node::ReadAnywhere, &moved);
    }

    fn call_view(&mut self, function: FuncId, inst: InstId, call: &CallAction) {
        if call.args.iter().any(|&arg| self.exprs.ty(arg) != Type::Ptr && self.is_address_number(arg)) {
            self.views.addresses_anywhere = true;
        }
        let Some(callee) = call.callee else { return self.foreign_result(call) };
        let data = &self.program.functions[callee];
        if data.body.is_some() {
            for (index, &arg) in call.args.iter().enumerate() {
                let entry = self.exprs.intern(Expr::Entry(callee, index as u32), Points::Anything);
                self.flow_to_name(arg, entry);
            }
            let Some(result) = call.result else { return };
            let returned = self.exprs.intern(Expr::Returned(callee), Points::Anything);
            let mut objects = Vec::new();
            for object in self.objects(returned) {
                match object {
                    // What a function acquires and hands out is another block for each call of it.
                    Object::Site(..) => {
                        objects.push(Object::Site(function, inst));
                        if self.views.holding.contains(&object) {
                            objects.push(object);
                        }
                    }
                    _ => objects.push(object),
                }
            }
            if let Points::In(to, 0) = self.exprs.points(result) {
                self.mark(&objects, to);
            }
            return self.enter_name(result, &objects);
        }
        let models = self.models;
        let Some(model) = models.functions.get(&*data.name) else { return self.foreign_result(call) };
        let argument = |path: &Path| match path.root {
            Root::Param(index) if path.steps.is_empty() => call.args.get(index as usize).copied(),
            _ => None,
        };
        for outcome in &model.outcomes {
            for effect in &outcome.effects {
                match effect {
                    Effect::Copy { to, from, .. } => match (argument(to), argument(from), to.root) {
                        (Some(to), Some(from), _) => self.copy_view(to, from),
                        (None, Some(from), Root::Fresh(_)) => {
                            let holding = match self.exprs.points(from) {
                                Points::In(of, _) => self.types.has_pointers(of) || self.is_disguised(from),
                                _ => self.objects(from).into_iter().any(|object| self.holds(object)),
                            };
                            if holding {
                                self.views.hold(Object::Site(function, inst));
                            }
                        }
                        _ => {}
                    },
                    Effect::Store { place, value } => {
                        let Some((Step::At(offset), steps)) = place.steps.split_last() else { continue };
                        let base = argument(&Path { root: place.root, steps: steps.to_vec() });
                        let Some(base) = base else { continue };
                        let addr = self.exprs.offset(base, *offset);
                        self.pointer_at(addr);
                        let held = self.deref(addr, Type::Ptr);
                        let declared = self.declared(self.exprs.points(held));
                        let objects = match value {
                            Value::Fresh { .. } => vec![Object::Site(function, inst)],
                            Value::Number(_) => continue,
                            Value::Entry { path, .. } | Value::Inside(path) => match argument(path) {
                                Some(arg) => self.objects(arg),
                                None => vec![declared],
                            },
                            _ => vec![declared],
                        };
                        if let Points::In(to, 0) = self.exprs.points(held) {
                            self.mark(&objects, to);
                        }
                        self.store_at(addr, &objects);
                    }
                    _ => {}
                }
            }
            let Some(result) = call.result else { continue };
            let objects = match &outcome.result {
                Value::Fresh { .. } => vec![Object::Site(function, inst)],
                Value::Number(_) | Value::Such { .. } => continue,
                Value::Entry { path, .. } | Value::Inside(path) => match argument(path) {
                    Some(arg) => self.objects(arg),
                    None => vec![self.declared(self.exprs.points(result))],
                },
                _ => vec![self.declared(self.exprs.points(result))],
            };
            self.enter_name(result, &objects);
        }
    }

    /// What a function that nothing is known about returns: what it is declared as, or what it was given.
    fn foreign_result(&mut self, call: &CallAction) {
        let Some(result) = call.result.filter(|&result| self.exprs.ty(result) == Type::Ptr) else { return };
        let mut objects = vec![self.declared(self.exprs.points(result))];
        for &arg in &call.args {
            if self.exprs.ty(arg) == Type::Ptr {
                objects.extend(self.objects(arg));
            }
        }
        self.enter_name(result, &objects);
    }

    fn is_declared_holding(&self, object: Object) -> bool {
        match object {
            Object::Typed(of) | Object::Given(_, _, of) => self.types.has_pointers(of),
            Object::Unknown => true,
            Object::Site(..) | Object::Variable(_) => false,
        }
    }

    /// Whether an object may hold pointers.
    fn holds(&mut self, object: Object) -> bool {
        if self.views.hopeless || self.views.holding.contains(&object) || self.is_declared_holding(object) {
            return true;
        }
        let Object::Variable(symbol) = object else { return false };
        let addr = self.exprs.intern(Expr::Address(symbol), Points::Anything);
        match self.exprs.points(addr) {
            Points::In(of, _) => self.types.has_pointers(of),
            _ => true,
        }
    }

    /// Whether an object is not what a pointer that is declared so should lead to.
    fn is_bad(&mut self, object: Object, declared: Option<TypeId>) -> bool {
        let record = declared.map(|of| self.types.element(of));
        match record {
            Some(of) if !matches!(self.types.shape(of), Shape::Number { .. }) => match object {
                Object::Typed(real) | Object::Given(_, _, real) => !self.types.fits(real, of),
                _ => false,
            },
            _ => self.holds(object),
        }
    }

    /// Whether an address leads to memory of another kind than it is declared to.
    pub(crate) fn is_disguised(&mut self, addr: ExprId) -> bool {
        if self.views.hopeless {
            return true;
        }
        let base = self.base(addr);
        if let Some(&known) = self.views.disguises.get(&base) {
            return known;
        }
        let declared = match self.exprs.points(base) {
            Points::NoObject => return false,
            Points::In(of, offset) => Some(self.part(of, offset)),
            Points::Anything => None,
        };
        let disguised = match self.exprs.get(base) {
            Expr::Address(_) | Expr::Number(..) => false,
            Expr::Ghost(..) | Expr::Above(..) if self.views.found => {
                declared.is_none_or(|of| matches!(self.types.shape(of), Shape::Number { .. }))
            }
            _ => self.objects(base).into_iter().any(|object| self.is_bad(object, declared)),
        };
        self.views.disguises.insert(base, disguised);
        disguised
    }

    /// What the block is declared as that an expression refers to, wherever something refers to it.
    pub(crate) fn declarations(&mut self, target: ExprId) -> Vec<TypeId> {
        let Points::In(of, 0) = self.exprs.points(target) else { return Vec::new() };
        let mut found = vec![of];
        for object in self.objects(target) {
            found.extend(self.views.uses.get(&object).into_iter().flatten());
            if let Object::Typed(real) | Object::Given(_, _, real) = object {
                found.push(real);
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Whether an object that is declared as a record may be a longer one, with pointers behind what is declared: the program
    /// itself uses it as one.
    pub(crate) fn may_be_longer(&mut self, addr: ExprId, of: TypeId) -> bool {
        let mut longer: Vec<TypeId> = Vec::new();
        for object in self.objects(addr) {
            longer.extend(self.views.uses.get(&object).into_iter().flatten());
            if let Object::Typed(real) | Object::Given(_, _, real) = object {
                longer.push(real);
            }
        }
        let size = self.types.size(of);
        longer.into_iter().any(|record| {
            self.types.size(record) > size
                && self.types.begins_with(record, of)
                && (size..self.types.size(record))
                    .any(|at| self.types.may_be_pointer_at(record, i64::try_from(at).unwrap_or(i64::MAX)))
        })
    }

    /// Whether a variable holds pointers where it is declared as numbers.
    pub(crate) fn is_holding(&self, symbol: Symbol) -> bool {
        self.views.hopeless || self.views.holding.contains(&Object::Variable(symbol))
    }

    /// Whether something else may lie behind an object of a type, in the same block.
    pub(crate) fn has_tail(&self, of: TypeId) -> bool {
        let class = self.types.class(of);
        self.views.tails.iter().any(|&known| self.types.class(known) == class)
    }

    /// Whether a write of a type at an address may change a pointer.
    pub(crate) fn hits_pointers(&mut self, addr: ExprId, ty: Type) -> bool {
        if ty == Type::Ptr {
            return true;
        }
        let bits = self.program.target.pointer_bits;
        if ty.bits(bits) >= bits && self.holds_addresses(addr, ty) {
            return true;
        }
        match self.exprs.points(addr) {
            Points::NoObject => false,
            Points::Anything => match self.symbol(addr) {
                Some(symbol) => self.is_holding(symbol) || self.holds(Object::Variable(symbol)),
                None => self.is_disguised(addr) && !self.is_before_pointers(addr, ty),
            },
            Points::In(of, offset) => {
                let bytes = i64::try_from(ty.store_bytes(bits).max(1)).unwrap_or(1);
                (offset..offset + bytes).any(|at| self.types.may_be_pointer_at(of, at))
                    || self.symbol(addr).is_some_and(|symbol| self.is_holding(symbol))
                    || (self.is_disguised(addr) && !self.is_before_pointers(addr, ty))
            }
        }
    }

    /// Whether all that a pointer may really lead to begins with numbers, as far as a write of a type goes: `&x->count`,
    /// where the count comes first, is the address of a record.
    fn is_before_pointers(&mut self, addr: ExprId, ty: Type) -> bool {
        if self.base(addr) != addr || self.views.hopeless {
            return false;
        }
        let bytes = i64::try_from(ty.store_bytes(self.program.target.pointer_bits)).unwrap_or(i64::MAX);
        let objects = self.objects(addr);
        objects.into_iter().all(|object| {
            let of = match object {
                Object::Typed(of) | Object::Given(_, _, of) => Some(of),
                Object::Variable(symbol) => {
                    let variable = self.exprs.intern(Expr::Address(symbol), Points::Anything);
                    match self.exprs.points(variable) {
                        Points::In(of, 0) => Some(of),
                        _ => None,
                    }
                }
                Object::Site(..) | Object::Unknown => return !self.holds(object),
            };
            !self.views.holding.contains(&object)
                && of.is_some_and(|of| !(0..bytes).any(|at| self.types.may_be_pointer_at(of, at)))
        })
    }

    /// Whether a number at an address may be an address itself.
    fn holds_addresses(&mut self, addr: ExprId, ty: Type) -> bool {
        let reach = self.reach(addr, ty);
        let own = self.symbol(addr).is_some() && reach.regions.iter().all(|known| !known.0.is_reachable());
        (self.views.addresses_anywhere && !own)
            || reach.regions.iter().any(|known| self.views.addresses.contains(&self.region(known.0)))
    }

    /// Whether a number of a variable is an address somewhere in the program.
    pub(crate) fn is_address_home(&mut self, addr: ExprId) -> bool {
        let number = Type::Int(self.program.target.pointer_bits);
        let declared = match self.exprs.points(addr) {
            Points::In(of, offset) => self.types.scalar_at(of, offset),
            _ => None,
        };
        let bytes = u64::from(self.program.target.pointer_bits / 8);
        declared.is_some_and(|scalar| {
            !scalar.overlaid
                && matches!(self.types.shape(scalar.ty), Shape::Number { bytes: wide } if *wide >= bytes)
        }) && self
            .reach(addr, number)
            .regions
            .iter()
            .any(|known| self.views.addresses.contains(&self.region(known.0)))
    }

    /// Whether the program puts addresses into numbers anywhere.
    pub(crate) fn has_address_numbers(&self) -> bool {
        self.views.addresses_anywhere || !self.views.addresses.is_empty()
    }
}
