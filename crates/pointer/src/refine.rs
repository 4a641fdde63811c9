//! Order within a function: what a load gives when the stores before it are looked at. (Saber, section 2.4.)
//!
//! The solution is blind to the order of statements. Variables that are not in memory are in SSA form, so their order is
//! known already. A load from one exact place is followed backwards here: a store that surely writes that place ends
//! the search (a strong update), one that may write it adds to what is found, and calls are looked at for what they may
//! write. Where the search comes to the start of the function in a variable of another one, or is too long, the answer
//! is that of the solution. Only what is asked for is worked out.

use crate::PointsTo;
use crate::object::{Location, ObjectId, Origin};
use crate::set::Set;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use watertight_ir::cfg::Cfg;
use watertight_ir::{BlockId, Body, FuncId, Id, InstId, Op, Program, Type, ValueId};

/// Instructions that one question looks at.
const MOST_STEPS: u32 = 5000;
/// Loads that depend on other loads.
const DEEPEST: u32 = 4;

/// Answers with the order of statements in mind.
pub struct Refined<'p, 'a> {
    program: &'p Program,
    points_to: &'p PointsTo<'a>,
    /// The objects that each function, with what it calls, may write; worked out when first needed.
    writes: OnceCell<Vec<BTreeSet<ObjectId>>>,
    /// Whom each function may call, likewise.
    callees: OnceCell<Vec<Vec<FuncId>>>,
}

impl<'p, 'a> Refined<'p, 'a> {
    pub fn new(program: &'p Program, points_to: &'p PointsTo<'a>) -> Refined<'p, 'a> {
        Refined { program, points_to, writes: OnceCell::new(), callees: OnceCell::new() }
    }

    /// The locations that a value may point to.
    pub fn of(&self, function: FuncId, value: ValueId) -> Set {
        self.look(function, value, DEEPEST)
    }

    /// Whether two values may be the same address.
    pub fn may_alias(&self, function: FuncId, a: ValueId, b: ValueId) -> bool {
        let (a, b) = (self.of(function, a), self.of(function, b));
        let points_to = self.points_to;
        points_to.locations(&a).any(|one| points_to.locations(&b).any(|other| one.meets(other)))
    }

    fn look(&self, function: FuncId, value: ValueId, depth: u32) -> Set {
        let all = self.points_to.of(function, value);
        let found = self.load(function, value, depth).map(|found| found.common(all));
        found.unwrap_or_else(|| all.clone())
    }

    /// What a load gives, if it is from one exact place.
    fn load(&self, function: FuncId, value: ValueId, depth: u32) -> Option<Set> {
        let depth = depth.checked_sub(1)?;
        let body = self.program.functions[function].body.as_ref()?;
        let Some(Op::Load { addr, .. }) = body.def_op(value) else { return None };
        let place = self.exact(function, *addr)?;
        let (block, index) = position(body, value)?;
        let cfg = Cfg::new(body);
        let mut found = Set::new();
        let mut seen: BTreeSet<BlockId> = BTreeSet::new();
        let mut open = vec![(block, index)];
        let mut steps = 0;
        while let Some((block, end)) = open.pop() {
            let mut covered = false;
            for &inst in body.blocks[block].insts[..end].iter().rev() {
                steps += 1;
                if steps > MOST_STEPS {
                    return None;
                }
                match self.writes_to(function, body, inst, &place)? {
                    Write::Nothing => {}
                    Write::Maybe(value) => {
                        found.unite(&self.look(function, value, depth));
                    }
                    Write::Surely(value) => {
                        found.unite(&self.look(function, value, depth));
                        covered = true;
                        break;
                    }
                }
            }
            if covered {
                continue;
            }
            let before = cfg.predecessors(block);
            if before.is_empty() || block.index() == 0 {
                // A variable of the function holds nothing at its start; others hold what anybody stored there.
                match self.points_to.object(place.object).origin {
                    Origin::Stack(owner, _) if owner == function => {}
                    _ => return None,
                }
            }
            for &block in before {
                if seen.insert(block) {
                    open.push((block, body.blocks[block].insts.len()));
                }
            }
        }
        Some(found)
    }

    /// The one place that an address is, if there is but one and it exists once.
    fn exact(&self, function: FuncId, addr: ValueId) -> Option<Location> {
        let set = self.points_to.of(function, addr);
        let mut locations = self.points_to.locations(set);
        let (Some(&location), None) = (locations.next(), locations.next()) else { return None };
        let object = self.points_to.object(location.object);
        let once = match object.origin {
            Origin::Global(_) => true,
            // A variable of a function that may call itself exists more than once.
            Origin::Stack(owner, _) => owner == function && !self.calls_itself(function),
            _ => false,
        };
        let whole = self.points_to.memory().layouts.period(object, location.offset) == 0;
        let told = object.bytes.is_some() && (object.ty.is_some() || object.bytes == Some(8));
        (once && told && whole && location.stride == 0).then_some(location)
    }

    fn writes_to(&self, function: FuncId, body: &Body, inst: InstId, place: &Location) -> Option<Write> {
        let object = place.object;
        let may = |addr: ValueId| {
            let set = self.points_to.of(function, addr);
            self.points_to
                .locations(set)
                .any(|at| at.object == object && (at.stride != 0 || at.offset == place.offset))
        };
        let anywhere = |addr: ValueId| {
            let set = self.points_to.of(function, addr);
            self.points_to.locations(set).any(|at| at.object == object)
        };
        match &body.insts[inst].op {
            Op::Store { addr, value, .. } if may(*addr) => {
                if body.ty(*value) != Type::Ptr {
                    return None;
                }
                let surely = self.exact(function, *addr).is_some_and(|at| at == *place);
                Some(if surely { Write::Surely(*value) } else { Write::Maybe(*value) })
            }
            Op::Store { addr, value, .. } => {
                // A wide store may reach over several members.
                let wide = body.ty(*value) != Type::Ptr && anywhere(*addr);
                if wide { None } else { Some(Write::Nothing) }
            }
            Op::MemCopy { dst, .. } | Op::MemFill { dst, .. } if anywhere(*dst) => None,
            Op::VaStart { list: addr } | Op::VaCopy { dst: addr, .. } if anywhere(*addr) => None,
            Op::Atomic { addr, .. } | Op::CompareExchange { addr, .. } if anywhere(*addr) => None,
            Op::Unknown(_) => None,
            Op::Call(call) => {
                let points_to = self.points_to;
                let made =
                    points_to.calls_by_models().filter(|made| made.caller == function && made.inst == inst);
                let made = made.flat_map(|made| &made.targets);
                let callees: Vec<FuncId> =
                    points_to.callees(function, inst).iter().chain(made).copied().collect();
                let outside = callees.iter().any(|&callee| self.program.functions[callee].body.is_none());
                // Library functions store only in what they are given.
                let given = outside && call.args.iter().any(|&arg| anywhere(arg));
                let written = callees.iter().any(|&callee| self.writes()[callee.index()].contains(&object));
                if given || written || callees.is_empty() { None } else { Some(Write::Nothing) }
            }
            _ => Some(Write::Nothing),
        }
    }

    fn calls_itself(&self, function: FuncId) -> bool {
        let mut seen: BTreeSet<FuncId> = BTreeSet::new();
        let mut open = self.callees(function).to_vec();
        while let Some(callee) = open.pop() {
            if callee == function {
                return true;
            }
            if seen.insert(callee) {
                open.extend(self.callees(callee));
            }
        }
        false
    }

    /// Whom a function may call, also through library functions.
    fn callees(&self, function: FuncId) -> &[FuncId] {
        let all = self.callees.get_or_init(|| {
            let mut all: Vec<Vec<FuncId>> = vec![Vec::new(); self.program.functions.len()];
            for call in self.points_to.calls.values() {
                all[call.caller.index()].extend(&call.targets);
            }
            for callees in &mut all {
                callees.sort_unstable();
                callees.dedup();
            }
            all
        });
        &all[function.index()]
    }

    /// The objects that each function, with what it calls, may write.
    fn writes(&self) -> &[BTreeSet<ObjectId>] {
        self.writes.get_or_init(|| {
            let points_to = self.points_to;
            let functions = &self.program.functions;
            let own = functions.iter().map(|(id, function)| {
                let mut objects = BTreeSet::new();
                for inst in function.body.iter().flat_map(|body| body.insts.values()) {
                    // Library functions store only in what they are given.
                    if let Op::Call(call) = &inst.op {
                        for &arg in &call.args {
                            objects.extend(points_to.locations(points_to.of(id, arg)).map(|at| at.object));
                        }
                    }
                    let (Op::Store { addr, .. }
                    | Op::MemCopy { dst: addr, .. }
                    | Op::MemFill { dst: addr, .. }
                    | Op::Atomic { addr, .. }
                    | Op::CompareExchange { addr, .. }) = &inst.op
                    else {
                        continue;
                    };
                    objects.extend(points_to.locations(points_to.of(id, *addr)).map(|at| at.object));
                }
                objects
            });
            let mut all: Vec<BTreeSet<ObjectId>> = own.collect();
            loop {
                let mut changed = false;
                for id in functions.ids() {
                    for &callee in self.callees(id) {
                        let theirs = all[callee.index()].clone();
                        let mine = &mut all[id.index()];
                        let before = mine.len();
                        mine.extend(theirs);
                        changed |= mine.len() != before;
                    }
                }
                if !changed {
                    return all;
                }
            }
        })
    }
}

/// What an instruction does to a place.
enum Write {
    Nothing,
    /// It may store this.
    Maybe(ValueId),
    /// It stores this, whatever was there before.
    Surely(ValueId),
}

fn position(body: &Body, value: ValueId) -> Option<(BlockId, usize)> {
    let defines = |inst: &InstId| body.insts[*inst].result == Some(value);
    body.blocks.iter().find_map(|(id, block)| block.insts.iter().position(defines).map(|index| (id, index)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the last load of `@f` gives, with and without order: how many places.
    fn counts(text: &str) -> (usize, usize) {
        let globals = "global @a: 4 align 4 = { }\nglobal @b: 4 align 4 = { }\n";
        let program =
            watertight_ir::parse("t.ir", &format!("{globals}{text}")).expect("the test is well formed");
        let points_to = PointsTo::new(&program, &Default::default());
        let refined = Refined::new(&program, &points_to);
        let f = program.function_named("f").expect("f");
        let body = program.functions[f].body.as_ref().expect("f has a body");
        let value = (0..body.values.len())
            .map(ValueId::new)
            .rfind(|&value| matches!(body.def_op(value), Some(Op::Load { .. })))
            .expect("a load");
        (refined.of(f, value).count(), points_to.of(f, value).count())
    }

    #[test]
    fn a_store_hides_the_one_before() {
        let text = "func @f() {\nbb0:\n  %v0 = stack 8 align 8\n  store ptr @a to %v0\n  store ptr @b to %v0\n  \
                    %v1: ptr = load %v0\n  return\n}\n";
        assert_eq!(counts(text), (1, 2));
    }

    #[test]
    fn a_store_on_one_way_only_adds() {
        let text = "func @f(%v0: i1) {\nbb0:\n  %v1 = stack 8 align 8\n  store ptr @a to %v1\n  branch %v0, bb1, bb2\n\
                    bb1:\n  store ptr @b to %v1\n  jump bb2\nbb2:\n  %v2: ptr = load %v1\n  return\n}\n";
        assert_eq!(counts(text), (2, 2));
    }

    #[test]
    fn a_call_that_writes_the_variable_ends_the_search() {
        let text = "func @set(%v0: ptr) internal {\nbb0:\n  store ptr @a to %v0\n  return\n}\n\
                    func @f() {\nbb0:\n  %v0 = stack 8 align 8\n  store ptr @b to %v0\n  call @set(%v0)\n  \
                    %v1: ptr = load %v0\n  return\n}\n";
        assert_eq!(counts(text), (2, 2));
    }

    #[test]
    fn a_call_that_does_not_is_passed() {
        let text = "func @other(%v0: ptr) internal {\nbb0:\n  return\n}\n\
                    func @f() {\nbb0:\n  %v0 = stack 8 align 8\n  store ptr @a to %v0\n  store ptr @b to %v0\n  \
                    call @other(%v0)\n  %v1: ptr = load %v0\n  return\n}\n";
        assert_eq!(counts(text), (1, 2));
    }
}
