//! The state of evaluating one function: formulas, objects, values, and the steps spent.

use crate::assumptions::Supposed;
use crate::context::{Component, Context};
use crate::limits::{MOST_BRIEF_LEAVES, MOST_LEAVES};
use crate::machine::elements::Chosen;
use crate::machine::journal::Journal;
use crate::machine::memory::{Object, ObjectId, Origin};
use crate::machine::provenance::{Provenance, Unknowns};
use crate::machine::shares::Shares;
use crate::machine::spending::Patience;
use crate::machine::value::{Leaf, Leaves, Offset, Sym};
use crate::plan::unroll::{NodeId, Plan, Unrolled, common_depth};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::rc::Rc;
use watertight_ir::loops::Loops;
use watertight_ir::spell::SourceType;
use watertight_ir::{Body, Const, Def, FuncId, Function, GlobalId, Id, InstId, Table, Type, ValueId};
use watertight_logic::budget::{Budget, Exhausted};
use watertight_logic::formulas::Formulas;
use watertight_logic::guard::{Condition, Guard, GuardLimits};
use watertight_logic::solver::Effort;
use watertight_logic::term::{BinaryOp, Tag, Term, TermId};
use watertight_logic::width::Width;
use watertight_summary::property::PropertyId;
use watertight_summary::{CallAt, Path, Root};

/// What assembly asks that jumps: its text and its operands.
pub type Question = (Box<str>, Vec<Leaf>);

/// Everything known while one function is evaluated.
pub struct State<'a> {
    pub context: &'a Context<'a>,
    pub component: &'a Component,
    pub id: FuncId,
    pub function: &'a Function,
    pub body: &'a Body,
    pub loops: &'a Loops,
    pub unrolled: &'a Unrolled,
    pub plan: &'a Plan,
    pub formulas: Formulas,
    pub objects: Table<ObjectId, Object>,
    /// What the caller calls the unknowns that come from it, by tag.
    pub inputs: Vec<Path>,
    /// What cells of the caller's held at entry that are too far away to have names, and which cells.
    pub beyond: FxHashMap<TermId, Path>,
    /// What happened, for those who come after evaluation.
    pub journal: Journal,
    /// Where unknowns come from.
    pub unknowns: Unknowns,
    /// Signed ranges of unknowns that are known to have one.
    pub ranges: FxHashMap<TermId, (i128, i128)>,
    /// Numbers that unknowns are known not to be.
    pub excluded: FxHashMap<TermId, Vec<i128>>,
    pub values: Table<ValueId, Vec<(NodeId, Sym)>>,
    /// Values of parameters and constants.
    pub fixed: Table<ValueId, Option<Sym>>,
    /// When each node runs, and how far control gets through it.
    pub entered: Table<NodeId, Guard>,
    pub left: Table<NodeId, Guard>,
    pub edges: Table<NodeId, Vec<(NodeId, Guard)>>,
    pub(crate) shares: Shares,
    pub returns: Vec<(NodeId, Guard, Option<Sym>)>,
    /// The types of what names of the caller's lead to, as they are asked for.
    pub pointees: FxHashMap<Path, Option<SourceType>>,
    /// Paths that so seldom happen that nothing rests on them.
    pub seldom: Guard,
    pub assumptions: Vec<Box<str>>,
    /// The instruction at hand.
    pub inst: InstId,
    pub budget: Budget,
    /// Guards that were given names because they were too large, before this made an end of evaluation.
    pub(crate) accepted_names: usize,
    pub(crate) patience: Patience,
    pub node: NodeId,
    /// When control is at the instruction at hand.
    pub here: Guard,
    pub incomplete: bool,
    pub detail: Detail,
    /// Loops were followed through few turns, and there are some: the turn that stands for later ones has the addresses of the
    /// last one followed, which is too early to say that two addresses are one.
    pub(crate) few_turns: bool,
    /// What functions gave that are declared to read no memory and take nothing: where `errno` lives is one place.
    pub constant_results: FxHashMap<FuncId, Sym>,
    /// Values that something looks at; found when first asked for.
    pub used: Table<ValueId, bool>,
    pub copies_followed: u32,
    /// How often code that is not known may have changed the memory of others.
    pub outside_changes: u32,
    /// Something was called that may change memory in ways that are not known.
    pub opaque: bool,
    /// Addresses were stored through addresses of which nothing is known.
    pub strays: bool,
    /// What was effort of the solver.
    pub effort: Effort,
    /// How many iterations of a loop were left out before the one that starts at a node, as a number of some width.
    pub(crate) left_out_turns: Vec<((NodeId, Width), TermId)>,
    /// Instructions that compute the address of each element in turn, in loops that have come to an iteration which stands for a
    /// later one.
    pub(crate) each_indices: FxHashSet<InstId>,
    /// When values are equal that were compared, where that is not seen from what they are.
    pub compared: FxHashMap<(ValueId, ValueId), Guard>,
    /// Those choices that decide whether a callee releases an object.
    pub release_unsaid: FxHashMap<ObjectId, Vec<Condition>>,
    /// What assembly with constant operands decided, for each target.
    pub answers: Vec<(Question, usize, Guard)>,
    /// Elements of arrays that arguments choose.
    pub chosen: Vec<Chosen>,
    /// The call in a callee whose function, one that it was given, is being applied.
    pub called_back: Option<CallAt>,
    /// The node with the call, while a callee is followed.
    pub(crate) stand_in: Option<NodeId>,
    /// How many calls were followed for that call.
    pub(crate) frames: u32,
    pub(crate) process: Option<ObjectId>,
    /// Paths on which a callee was called that may have moved states in ways that are not told.
    pub(crate) doubtful_states: Guard,
    /// Properties of which something was moved.
    pub(crate) moved_properties: FxHashSet<PropertyId>,
    /// The function that says where `errno` is, once that was looked for.
    pub(crate) errno_at: Option<Option<FuncId>>,
    /// Something was handed to another thread.
    pub(crate) threads: bool,
    /// Numbers that other threads have set to what nobody knows.
    pub(crate) theirs: FxHashSet<TermId>,
    /// Paths on which control has come back to where a jump was prepared.
    pub(crate) come_back: Guard,
    /// Whether states are followed.
    pub follow_states: bool,
    /// The paths on which something was called that is not known, with an object whose state has changed.
    pub(crate) called_with_states: Guard,
    /// The unknowns of conditions, as they are asked for.
    pub(crate) variables_of: RefCell<FxHashMap<Condition, Rc<[TermId]>>>,
    /// Where objects count the references to them, as it is asked for.
    pub(crate) counted: FxHashMap<ObjectId, Vec<i64>>,
    globals: FxHashMap<GlobalId, ObjectId>,
    homes: FxHashMap<TermId, ObjectId>,
}

/// How much of what is known about callees is used.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Detail {
    All,
    /// What they do to resources; see `brief.rs`.
    Brief,
}

pub type Step<T> = Result<T, Exhausted>;

impl<'a> State<'a> {
    #[allow(clippy::too_many_arguments, reason = "the parts of one state, put together in one place")]
    pub fn new(
        context: &'a Context<'a>,
        component: &'a Component,
        id: FuncId,
        body: &'a Body,
        loops: &'a Loops,
        unrolled: &'a Unrolled,
        plan: &'a Plan,
        budget: Budget,
        limits: GuardLimits,
    ) -> State<'a> {
        let nodes = unrolled.nodes.len();
        State {
            context,
            component,
            id,
            function: &context.program.functions[id],
            body,
            loops,
            unrolled,
            plan,
            formulas: Formulas::with_limits(limits),
            objects: Table::new(),
            inputs: Vec::new(),
            beyond: FxHashMap::default(),
            journal: Journal::default(),
            unknowns: Unknowns::default(),
            ranges: FxHashMap::default(),
            excluded: FxHashMap::default(),
            values: Table::filled(body.values.len(), Vec::new()),
            fixed: Table::filled(body.values.len(), None),
            entered: Table::filled(nodes, Guard::FALSE),
            left: Table::filled(nodes, Guard::FALSE),
            edges: Table::filled(nodes, Vec::new()),
            shares: Shares::new(nodes),
            returns: Vec::new(),
            pointees: FxHashMap::default(),
            seldom: Guard::FALSE,
            assumptions: Vec::new(),
            inst: InstId::new(0),
            budget,
            accepted_names: 0,
            patience: Patience::Ends,
            node: NodeId::new(0),
            here: Guard::TRUE,
            incomplete: false,
            detail: Detail::All,
            few_turns: false,
            constant_results: FxHashMap::default(),
            used: Table::new(),
            copies_followed: 0,
            outside_changes: 0,
            opaque: false,
            strays: false,
            effort: Effort::default(),
            chosen: Vec::new(),
            compared: FxHashMap::default(),
            release_unsaid: FxHashMap::default(),
            answers: Vec::new(),
            left_out_turns: Vec::new(),
            each_indices: FxHashSet::default(),
            called_back: None,
            stand_in: None,
            frames: 0,
            process: None,
            doubtful_states: Guard::FALSE,
            moved_properties: FxHashSet::default(),
            errno_at: None,
            threads: false,
            theirs: FxHashSet::default(),
            come_back: Guard::FALSE,
            follow_states: true,
            called_with_states: Guard::FALSE,
            counted: FxHashMap::default(),
            variables_of: RefCell::default(),
            globals: FxHashMap::default(),
            homes: FxHashMap::default(),
        }
    }

    /// Whether this run makes an assumption.
    pub(crate) fn assumes(&self, assumption: Supposed) -> bool {
        self.context.assumptions.make(assumption)
    }

    // Guards.

    pub fn and(&mut self, a: Guard, b: Guard) -> Guard {
        self.formulas.guards.and(a, b)
    }
    pub fn or(&mut self, a: Guard, b: Guard) -> Guard {
        self.formulas.guards.or(a, b)
    }
    /// What `guard` says on the paths of `care`, said as simply as possible.
    pub fn within(&mut self, guard: Guard, care: Guard) -> Guard {
        if care.is_true() || guard.is_constant() {
            return guard;
        }
        // Questions stop at the first path that answers them; a conjunction would be made of all.
        if self.formulas.guards.disjoint(guard, care) {
            return Guard::FALSE;
        }
        if self.formulas.guards.entails(care, guard) {
            return Guard::TRUE;
        }
        self.formulas.guards.simplify(guard, care)
    }
    /// A choice that nothing decides.
    pub fn choice(&mut self) -> Guard {
        let term = self.formulas.terms.variable(Width::BOOL, None);
        self.formulas.guard(term)
    }

    // Numbers.

    pub fn width(&self, ty: Type) -> Width {
        let bits = ty.bits(self.context.program.target.pointer_bits).clamp(1, 128);
        Width::new(bits).expect("clamped to the widths there are")
    }
    pub fn pointer_width(&self) -> Width {
        self.width(Type::Ptr)
    }
    pub fn constant(&mut self, width: Width, value: i128) -> TermId {
        self.formulas.terms.constant(width, width.mask(value as u128))
    }
    /// A number of which code that is not looked at knows more.
    pub fn doubtful_number(&mut self, width: Width) -> TermId {
        let term = self.unknown_number(width);
        self.unknowns.note(term, Provenance::Changed);
        term
    }
    /// A number that is not known.
    pub fn unknown_number(&mut self, width: Width) -> TermId {
        self.formulas.terms.variable(width, None)
    }
    /// A number that nothing has set (ASSUME-11).
    pub fn undefined_number(&mut self, width: Width) -> TermId {
        let term = self.unknown_number(width);
        // Where one iteration stands for any, an earlier one may have set it.
        if !self.plan.havocked.values().any(|&havocked| havocked) {
            self.unknowns.note(term, Provenance::Undefined);
        }
        term
    }
    /// An unknown that the caller has a name for.
    pub fn input(&mut self, width: Width, path: Path) -> TermId {
        let tag = Tag(self.inputs.len() as u32);
        self.inputs.push(path);
        self.formulas.terms.variable(width, Some(tag))
    }
    /// The name that the caller has for an unknown.
    pub fn input_path(&self, term: TermId) -> Option<&Path> {
        let var = self.formulas.terms.as_variable(term)?;
        self.inputs.get(self.formulas.terms.tag(var)?.0 as usize)
    }

    // Objects.

    // ASSUME-1: different names of the caller's lead to different objects.
    pub fn object(&mut self, origin: Origin) -> ObjectId {
        self.objects.push(Object::new(origin))
    }
    pub fn global_object(&mut self, global: GlobalId) -> ObjectId {
        if let Some(&object) = self.globals.get(&global) {
            return object;
        }
        let object = self.object(Origin::Global(global));
        self.globals.insert(global, object);
        object
    }
    /// An address that leads nowhere the caller or this function can name: a number until it is used.
    pub fn elsewhere(&mut self) -> Leaf {
        let width = self.pointer_width();
        Leaf::Number(self.unknown_number(width))
    }
    /// The object that an unknown address leads to, the same one each time. None for the null pointer
    /// and other numbers that are no addresses.
    pub fn object_at(&mut self, address: TermId) -> Option<ObjectId> {
        if self.formulas.terms.is_const(address) {
            return None;
        }
        if let Some(&object) = self.homes.get(&address) {
            return Some(object);
        }
        let object = self.object(Origin::Elsewhere);
        self.objects[object].address = Some(address);
        self.homes.insert(address, object);
        Some(object)
    }

    /// The object that an unknown address leads into, and where: a member of what an unknown address leads to is in
    /// the same object as the other members, whoever was given the address of the whole.
    pub fn place_at(&mut self, address: TermId) -> Option<(ObjectId, i64)> {
        match self.base_and_plus(address) {
            (Some(base), plus) => self.object_at(base).map(|object| (object, plus)),
            (None, _) => None,
        }
    }

    /// The object that an unknown address is known to lead to, if anyone asked before.
    pub fn known_object_at(&self, address: TermId) -> Option<ObjectId> {
        if let Some(&object) = self.homes.get(&address) {
            return Some(object);
        }
        // A member of what an unknown address leads to.
        let Term::Binary(BinaryOp::Add, a, b) = self.formulas.terms.view(address) else { return None };
        let base = if self.formulas.terms.is_const(b) { a } else { b };
        self.homes.get(&base).copied()
    }

    /// What a leaf stands for. A number that came from the caller may be a resource such as a descriptor.
    pub fn resource(&mut self, leaf: Leaf) -> Option<ObjectId> {
        let term = match leaf {
            Leaf::Address(object, _) => return Some(object),
            Leaf::Number(term) => term,
            Leaf::Function(_) => return None,
        };
        // Neither an address nor a descriptor fits into less than an `int`.
        if self.formulas.terms.width(term).bits() < 32 {
            return None;
        }
        let path = self.input_path(term)?.clone();
        if let Some(&object) = self.homes.get(&term) {
            return Some(object);
        }
        let object = self.object(Origin::Entry(path));
        self.set_number(object, term);
        Some(object)
    }

    /// Makes an object a resource that is a number, such as a descriptor.
    pub(crate) fn set_number(&mut self, object: ObjectId, term: TermId) {
        self.objects[object].address = Some(term);
        self.objects[object].is_number = true;
        self.homes.insert(term, object);
    }

    /// The resource acquired here that is this number.
    pub(crate) fn acquired_as(&self, number: TermId) -> Option<ObjectId> {
        let object = *self.homes.get(&number)?;
        (self.objects[object].is_number && self.objects[object].is_fresh()).then_some(object)
    }

    /// The number of an address.
    pub fn address_term(&mut self, object: ObjectId, offset: Offset) -> TermId {
        let base = match self.objects[object].address {
            Some(term) => term,
            None => {
                let width = self.pointer_width();
                let term = match self.objects[object].origin.clone() {
                    Origin::Entry(path) => self.input(width, path),
                    _ => self.unknown_number(width),
                };
                if self.objects[object].has_address() {
                    // Objects lie neither in the first page nor in the upper half of the address space.
                    self.ranges.insert(term, (4096, (1 << 47) - 1));
                }
                self.objects[object].address = Some(term);
                term
            }
        };
        match offset {
            Offset::At(0) => base,
            Offset::At(bytes) => {
                let width = self.formulas.terms.width(base);
                let bytes = self.constant(width, bytes.into());
                self.formulas.terms.add(base, bytes)
            }
            Offset::Somewhere => {
                let width = self.formulas.terms.width(base);
                self.unknown_number(width)
            }
        }
    }

    /// A leaf as a number of this width.
    pub fn leaf_term(&mut self, leaf: Leaf, width: Width) -> TermId {
        let term = match leaf {
            Leaf::Number(term) => term,
            Leaf::Address(object, offset) => self.address_term(object, offset),
            Leaf::Function(_) => {
                let term = self.unknown_number(width);
                self.ranges.insert(term, (4096, (1 << 47) - 1));
                term
            }
        };
        let from = self.formulas.terms.width(term);
        if from == width {
            term
        } else if from.bits() > width.bits() {
            self.formulas.terms.truncate(term, width)
        } else {
            self.formulas.terms.sext(term, width)
        }
    }

    /// A value as one number, its alternatives merged.
    pub fn merged(&mut self, leaves: &[(Guard, Leaf)], width: Width) -> TermId {
        let mut result = None;
        for &(guard, leaf) in leaves.iter().rev() {
            let term = self.leaf_term(leaf, width);
            result = Some(match result {
                None => term,
                Some(other) => self.formulas.choose(guard, term, other),
            });
        }
        match result {
            Some(term) => term,
            None => self.unknown_number(width),
        }
    }

    // Values.

    /// A value as alternatives.
    pub fn leaves(&mut self, sym: &Sym, width: Width) -> Leaves {
        match sym {
            Sym::Leaves(leaves) => leaves.clone(),
            Sym::Truth(guard) => {
                let (one, zero) = (self.constant(width, 1), self.constant(width, 0));
                let mut leaves = Vec::new();
                if !guard.is_false() {
                    leaves.push((*guard, Leaf::Number(one)));
                }
                if !guard.is_true() {
                    leaves.push((!*guard, Leaf::Number(zero)));
                }
                leaves
            }
            Sym::Parts(_) => vec![(Guard::TRUE, Leaf::Number(self.unknown_number(width)))],
        }
    }

    /// A one-bit value as a guard.
    pub fn truth(&mut self, sym: &Sym) -> Guard {
        match sym {
            Sym::Truth(guard) => *guard,
            Sym::Leaves(leaves) => {
                let mut result = Guard::FALSE;
                for &(guard, leaf) in leaves {
                    let term = self.leaf_term(leaf, Width::BOOL);
                    let holds = self.formulas.guard(term);
                    let both = self.and(guard, holds);
                    result = self.or(result, both);
                }
                result
            }
            Sym::Parts(_) => self.choice(),
        }
    }

    /// Any value of a type, of which code that is not looked at knows more.
    pub fn doubtful(&mut self, ty: Type) -> Sym {
        match ty {
            Type::Int(1) => {
                let term = self.doubtful_number(Width::BOOL);
                Sym::Truth(self.formulas.guard(term))
            }
            Type::Agg(_) => self.any(ty),
            _ => {
                let width = self.width(ty);
                Sym::number(self.doubtful_number(width))
            }
        }
    }

    /// Any value of a type: owns nothing.
    pub fn any(&mut self, ty: Type) -> Sym {
        match ty {
            Type::Int(1) => Sym::Truth(self.choice()),
            Type::Ptr => Sym::one(self.elsewhere()),
            Type::Agg(id) => {
                let parts = self.context.program.aggregates[id].parts.clone();
                Sym::Parts(parts.iter().map(|part| self.any(part.1)).collect())
            }
            _ => {
                let width = self.width(ty);
                Sym::number(self.unknown_number(width))
            }
        }
    }

    /// Puts alternatives with equal leaves together and bounds their number.
    pub fn tidy(&mut self, leaves: Leaves) -> Leaves {
        let mut result: Leaves = Vec::with_capacity(leaves.len());
        for (guard, leaf) in leaves {
            if guard.is_false() {
                continue;
            }
            match result.iter().position(|entry| entry.1 == leaf) {
                Some(index) => result[index].0 = self.or(result[index].0, guard),
                None => result.push((guard, leaf)),
            }
        }
        let most = match self.detail {
            Detail::Brief => MOST_BRIEF_LEAVES,
            Detail::All => MOST_LEAVES,
        };
        if result.len() > most { self.shrink(result, most) } else { result }
    }

    /// Gives up telling numbers apart; addresses beyond the limit are given up and count as kept.
    fn shrink(&mut self, leaves: Leaves, most: usize) -> Leaves {
        let (numbers, mut rest): (Leaves, Leaves) =
            leaves.into_iter().partition(|entry| matches!(entry.1, Leaf::Number(_)));
        if numbers.len() > 1 {
            let width = self.formulas.terms.width(match numbers[0].1 {
                Leaf::Number(term) => term,
                _ => TermId::FALSE,
            });
            let guard = numbers.iter().fold(Guard::FALSE, |all, entry| self.formulas.guards.or(all, entry.0));
            // A choice between so many numbers would make every formula it occurs in a large one.
            let term = self.unknown_number(width);
            rest.push((guard, Leaf::Number(term)));
        } else {
            rest.extend(numbers);
        }
        if rest.len() > most {
            rest = self.one_each(rest);
        }
        if rest.len() > most {
            self.incomplete = true;
            let given_up = rest.split_off(most - 1);
            let mut guard = Guard::FALSE;
            for &(when, leaf) in &given_up {
                guard = self.or(guard, when);
                if let Leaf::Address(object, _) = leaf {
                    let kept = self.objects[object].kept;
                    self.objects[object].kept = self.or(kept, when);
                }
            }
            let leaf = self.elsewhere();
            rest.push((guard, leaf));
        }
        rest
    }

    /// An address that may be in several places of one object is somewhere in it: a cursor that moves through a text is
    /// one alternative, however far it has come.
    fn one_each(&mut self, leaves: Leaves) -> Leaves {
        let mut result: Leaves = Vec::new();
        for (guard, leaf) in leaves {
            let same = result.iter().position(|entry| match (entry.1, leaf) {
                (Leaf::Address(one, _), Leaf::Address(other, _)) => one == other,
                _ => false,
            });
            match (same, leaf) {
                (Some(index), Leaf::Address(object, _)) => {
                    let guard = self.or(result[index].0, guard);
                    result[index] = (guard, Leaf::Address(object, Offset::Somewhere));
                }
                _ => result.push((guard, leaf)),
            }
        }
        result
    }

    /// The value of an operand as of another node, on the paths of `here`.
    pub fn value_at(&mut self, node: NodeId, here: Guard, value: ValueId) -> Sym {
        let before = (std::mem::replace(&mut self.node, node), std::mem::replace(&mut self.here, here));
        let sym = self.value(value);
        (self.node, self.here) = before;
        sym
    }

    /// When an object exists and is not released, on the paths of `when`.
    pub fn live(&mut self, object: ObjectId, when: Guard) -> Guard {
        let (exists, released) = (self.objects[object].exists, self.objects[object].released);
        let there = self.and(exists, when);
        self.formulas.guards.and_not(there, released)
    }

    /// When the address of an object is null, or the number that stands for a resource is zero.
    pub fn is_null(&mut self, object: ObjectId) -> Guard {
        let term = self.address_term(object, Offset::At(0));
        let zero = self.constant(self.formulas.terms.width(term), 0);
        let null = self.formulas.terms.eq(term, zero);
        self.formulas.guard(null)
    }

    /// The value of an operand at the node at hand.
    pub fn value(&mut self, value: ValueId) -> Sym {
        let block = match &self.body.values[value].def {
            Def::Inst(inst) => self.context_block(*inst),
            _ => return self.fixed_value(value),
        };
        let node = &self.unrolled.nodes[self.node];
        let depth = self.loops.depth(block);
        let common = common_depth(self.loops, block, node.block);
        if common == depth
            && let Some(copy) = self.unrolled.copy_in(block, node.context, depth)
            && let Some((_, sym)) = self.values[value].iter().rev().find(|entry| entry.0 == copy)
        {
            return sym.clone();
        }
        self.last_value(value, common)
    }

    /// A value defined in a loop and used after it: that of the last iteration that ran.
    fn last_value(&mut self, value: ValueId, common: u32) -> Sym {
        let context = self.unrolled.nodes[self.node].context;
        let prefix = self.unrolled.contexts[context][..common as usize].to_vec();
        let candidates: Vec<(NodeId, Sym)> = self.values[value]
            .iter()
            .filter(|(copy, _)| {
                let other = self.unrolled.nodes[*copy].context;
                self.unrolled.contexts[other].get(..common as usize) == Some(&prefix[..])
            })
            .cloned()
            .collect();
        let ty = self.body.ty(value);
        let mut result: Option<Sym> = None;
        for (copy, sym) in candidates {
            let ran = self.left[copy];
            let care = self.here;
            let ran = self.within(ran, care);
            if ran.is_false() {
                continue;
            }
            result = Some(match result {
                None => sym,
                Some(before) => self.choose(ran, &sym, &before, ty),
            });
        }
        match result {
            Some(sym) => sym,
            None => self.any(ty),
        }
    }

    /// `then` where the guard holds, else `other`.
    pub fn choose(&mut self, guard: Guard, then: &Sym, other: &Sym, ty: Type) -> Sym {
        if guard.is_true() {
            return then.clone();
        }
        if guard.is_false() {
            return other.clone();
        }
        match (then, other) {
            (Sym::Truth(a), Sym::Truth(b)) => Sym::Truth(self.formulas.guards.ite(guard, *a, *b)),
            (Sym::Parts(a), Sym::Parts(b)) if a.len() == b.len() => {
                let types: Vec<Type> = match ty {
                    Type::Agg(id) => {
                        self.context.program.aggregates[id].parts.iter().map(|part| part.1).collect()
                    }
                    _ => vec![Type::Ptr; a.len()],
                };
                let parts = a.iter().zip(b).zip(types);
                Sym::Parts(parts.map(|((a, b), ty)| self.choose(guard, a, b, ty)).collect())
            }
            _ => {
                let width = self.width(ty);
                let mut leaves = Vec::new();
                for (when, leaf) in self.leaves(then, width) {
                    leaves.push((self.and(guard, when), leaf));
                }
                for (when, leaf) in self.leaves(other, width) {
                    leaves.push((self.and(!guard, when), leaf));
                }
                Sym::Leaves(self.tidy(leaves))
            }
        }
    }

    fn context_block(&self, inst: InstId) -> watertight_ir::BlockId {
        self.context.block_of(self.id, inst)
    }

    fn fixed_value(&mut self, value: ValueId) -> Sym {
        if let Some(sym) = &self.fixed[value] {
            return sym.clone();
        }
        let ty = self.body.ty(value);
        let sym = match self.body.values[value].def.clone() {
            Def::Param(index) => self.parameter(index, ty),
            Def::Const(constant) => self.constant_value(&constant, ty),
            Def::Inst(_) => self.any(ty),
        };
        self.fixed[value] = Some(sym.clone());
        sym
    }

    fn parameter(&mut self, index: u32, ty: Type) -> Sym {
        let path = Path::root(Root::Param(index));
        match ty {
            Type::Ptr => {
                let mut object = self.object(Origin::Entry(path));
                if self.function.params.get(index as usize).is_some_and(|param| param.by_value.is_some()) {
                    object = self.own_copy(object);
                }
                if self.function.params.get(index as usize).is_some_and(|param| param.non_null) {
                    let term = self.address_term(object, Offset::At(0));
                    self.ranges.insert(term, (4096, (1 << 47) - 1));
                }
                Sym::one(Leaf::Address(object, Offset::At(0)))
            }
            Type::Agg(_) => self.any(ty),
            _ => {
                let width = self.width(ty);
                let term = self.input(width, path);
                if let Some(range) = self.enumeration(index) {
                    self.ranges.insert(term, range);
                }
                if ty == Type::BOOL { Sym::Truth(self.formulas.guard(term)) } else { Sym::number(term) }
            }
        }
    }

    fn constant_value(&mut self, constant: &Const, ty: Type) -> Sym {
        let width = self.width(ty);
        match constant {
            Const::Bits(bits) if ty == Type::BOOL => Sym::Truth(Guard::truth(*bits & 1 == 1)),
            Const::Bits(bits) => Sym::number(self.formulas.terms.constant(width, width.mask((*bits).into()))),
            Const::Wide(words) => {
                let word = |index| u128::from(words.get(index).copied().unwrap_or(0));
                Sym::number(self.formulas.terms.constant(width, width.mask(word(0) | word(1) << 64)))
            }
            Const::Global { global, offset } => {
                let object = self.global_object(*global);
                Sym::one(Leaf::Address(object, Offset::At(*offset)))
            }
            Const::Func(function) => Sym::one(Leaf::Function(*function)),
            Const::Zero => match ty {
                Type::Agg(id) => {
                    let parts = self.context.program.aggregates[id].parts.clone();
                    let zero = Const::Bits(0);
                    Sym::Parts(parts.iter().map(|part| self.constant_value(&zero, part.1)).collect())
                }
                _ => Sym::number(self.constant(width, 0)),
            },
            // An undefined address points to nothing.
            Const::Undef if ty == Type::Ptr => Sym::number(self.undefined_number(width)),
            Const::Undef | Const::Label(..) => self.any(ty),
        }
    }
}
