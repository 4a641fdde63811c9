//! Guarded symbolic evaluation of one function: every node once, in topological order.
//!
//! In: a loop-free graph. Out: a [`State`] with the values, objects and events of all paths at once. The guard
//! of a node is the disjunction of its incoming edges; merging needs nothing else, because stores replace cells
//! only where their guard holds. No path is ever enumerated.

use crate::assumptions::Supposed;
use crate::facts::cells::base_of;
use crate::limits::NODE_STEPS;
use crate::machine::journal::Binding;
use crate::machine::journal::{Cut, How};
use crate::machine::last_pass::LastPass;
use crate::machine::memory::{Object, Origin};
use crate::machine::provenance::Provenance;
use crate::machine::state::{Question, State, Step};
use crate::machine::value::{Leaf, Offset, Sym};
use crate::plan::unroll::NodeId;
use watertight_ir::{AtomicOp, BlockId, CompareOp, Def, Id, Inst, InstId, Op, Terminator, Type, ValueId};
use watertight_logic::cone::support;
use watertight_logic::guard::Guard;

/// Nothing lies below this address (ASSUME-13); not a limit, but the size of a page.
const FIRST_ADDRESS: u128 = 4096;

/// Evaluates every node. Stops when the budget is spent.
pub fn evaluate(state: &mut State<'_>) -> Step<()> {
    state.unrolled.nodes.ids().try_for_each(|node| enter(state, node))
}

/// Evaluates one node, with the edges into it that are known.
pub(crate) fn enter(state: &mut State<'_>, node: NodeId) -> Step<()> {
    state.spend(NODE_STEPS)?;
    state.walk(node, Guard::TRUE)
}

impl State<'_> {
    /// Evaluates a node of a body that is entered with a guard.
    pub(crate) fn walk(&mut self, node: NodeId, start: Guard) -> Step<()> {
        let entered = match (node.index(), self.shares.known(node)) {
            (0, _) => start,
            (_, Some(known)) => known,
            (_, None) => {
                let edges = self.edges[node].clone();
                edges.into_iter().fold(Guard::FALSE, |all, (_, guard)| self.or(all, guard))
            }
        };
        self.entered[node] = entered;
        if entered.is_false() {
            return Ok(());
        }
        (self.node, self.here) = (node, entered);
        self.block()
    }

    fn block(&mut self) -> Step<()> {
        let body = self.body;
        let block = self.unrolled.nodes[self.node].block;
        // ASSUME-25: assertions hold.
        if self.assumes(Supposed::AssertionsHold) && self.context.failed_assertions(self.id)[block] {
            self.seldom = self.or(self.seldom, self.here);
        }
        let pass = self.last_pass();
        match pass {
            Some(pass) => self.last_numbers(pass),
            None if self.enters_havocked_loop() => self.havoc_numbers(),
            None => {}
        }
        let mut passed = pass;
        for (id, inst) in body.block_insts(block) {
            self.spend(1)?;
            if !matches!(inst.op, Op::Phi { .. })
                && let Some(pass) = passed.take()
            {
                self.elements_left_out(pass)?;
            }
            self.inst = id;
            if let Some(sym) = self.instruction(id, inst, pass)?
                && let Some(result) = inst.result
            {
                self.values[result].push((self.node, sym));
            }
            if self.here.is_false() {
                break;
            }
        }
        self.left[self.node] = self.here;
        if !self.here.is_false() {
            self.shares.leave(self.node, self.entered[self.node], self.here);
            self.terminator(&body.blocks[block].term);
            self.shares.parted();
        }
        Ok(())
    }

    fn result_type(&self, inst: &Inst) -> Type {
        inst.result.map_or(Type::Void, |value| self.body.ty(value))
    }

    fn instruction(&mut self, id: InstId, inst: &Inst, pass: Option<LastPass>) -> Step<Option<Sym>> {
        let ty = self.result_type(inst);
        let steps_before = self.formulas.guards.steps();
        let result = match &inst.op {
            Op::Stack { .. } => {
                let object = self.stack_object(id);
                Some(Sym::one(Leaf::Address(object, Offset::At(0))))
            }
            Op::Load { addr, .. } => {
                let address = self.accessed(id, *addr);
                Some(self.load(&address, ty))
            }
            Op::Store { addr, value, .. } => {
                let address = self.accessed(id, *addr);
                let stored = self.value(*value);
                let ty = self.body.ty(*value);
                self.store(&address, &stored, ty, self.here);
                None
            }
            Op::Offset { base, bytes } => {
                let base = self.address(*base);
                let moved = base.into_iter().map(|(guard, leaf)| (guard, self.moved(leaf, *bytes))).collect();
                Some(Sym::Leaves(moved))
            }
            Op::Index { base, index, scale } => Some(self.index(*base, *index, *scale)),
            Op::Binary { op, lhs, rhs } => {
                let (a, b) = (self.value(*lhs), self.value(*rhs));
                Some(self.binary(*op, &a, &b, ty))
            }
            Op::Compare { op, lhs, rhs } => {
                let (a, b) = (self.value(*lhs), self.value(*rhs));
                let operands = self.body.ty(*lhs);
                if self.is_slip(*lhs, &a, *rhs, &b) {
                    return Ok(Some(Sym::Truth(self.choice())));
                }
                let holds = match (op, self.is_asked_again(*lhs, &a, *rhs, &b)) {
                    (CompareOp::Eq | CompareOp::Ne, true) => {
                        let known = self.compared.get(&(*lhs, *rhs)).copied();
                        let equal = known.unwrap_or_else(|| self.compare(CompareOp::Eq, &a, &b, operands));
                        self.compared.insert((*lhs, *rhs), equal);
                        if *op == CompareOp::Eq { equal } else { !equal }
                    }
                    _ => match self.compare_with_end(*op, *lhs, *rhs) {
                        Some(holds) => holds,
                        None => self.compare(*op, &a, &b, operands),
                    },
                };
                if !self.is_one_of_several(&a) && !self.is_one_of_several(&b) {
                    self.note_asked(holds);
                }
                let few = self.is_one_of_few(&a) && self.is_one_of_few(&b);
                self.note_told_apart(holds, few);
                Some(Sym::Truth(holds))
            }
            Op::Convert { op, value } => {
                let sym = self.value(*value);
                let from = self.body.ty(*value);
                Some(self.convert(*op, &sym, from, ty))
            }
            Op::Select { cond, then, other } => {
                let cond = self.value(*cond);
                let cond = self.truth(&cond);
                let (then, other) = (self.value(*then), self.value(*other));
                Some(self.choose(cond, &then, &other, ty))
            }
            Op::Phi { incoming } => Some(match pass {
                Some(pass) => {
                    let sym = self.phi(incoming, ty);
                    self.last_phi(pass, inst.result, sym, ty)
                }
                None if self.enters_havocked_loop() => self.havocked_phi(inst.result, incoming, ty),
                None => self.phi(incoming, ty),
            }),
            Op::Call(call) => self.call(id, call, ty)?,
            Op::MemCopy { dst, src, len, .. } => {
                let (to, from) = (self.accessed(id, *dst), self.accessed(id, *src));
                let bytes = self.body.bits(*len);
                self.copy(&to, &from, bytes, self.here);
                None
            }
            Op::MemFill { dst, byte, len } => {
                let to = self.accessed(id, *dst);
                let (byte, bytes) = (self.body.bits(*byte).map(|byte| byte as u8), self.body.bits(*len));
                self.fill(&to, byte, bytes, self.here);
                None
            }
            Op::Atomic { op, addr, value } => {
                let address = self.accessed(id, *addr);
                let old = self.load(&address, ty);
                let operand = self.value(*value);
                let new = match op {
                    AtomicOp::Exchange => operand,
                    AtomicOp::Add => self.binary(watertight_ir::BinaryOp::Add, &old, &operand, ty),
                    AtomicOp::Sub => self.binary(watertight_ir::BinaryOp::Sub, &old, &operand, ty),
                    AtomicOp::And => self.binary(watertight_ir::BinaryOp::And, &old, &operand, ty),
                    AtomicOp::Or => self.binary(watertight_ir::BinaryOp::Or, &old, &operand, ty),
                    AtomicOp::Xor => self.binary(watertight_ir::BinaryOp::Xor, &old, &operand, ty),
                    _ => self.any(ty),
                };
                self.store(&address, &new, ty, self.here);
                Some(old)
            }
            Op::CompareExchange { addr, expected, new } => {
                let address = self.accessed(id, *addr);
                let ty = self.body.ty(*new);
                let old = self.load(&address, ty);
                let (expected, new) = (self.value(*expected), self.value(*new));
                // Another thread may have come first, so equality is needed and not enough.
                let equal = self.compare(CompareOp::Eq, &old, &expected, ty);
                let first = self.choice();
                let other = self.left_by_another(&expected, ty);
                // What another thread has left there is not what was expected.
                let same = self.compare(CompareOp::Eq, &other, &expected, ty);
                let first = self.or(first, same);
                let stored = self.and(equal, first);
                let guard = self.and(self.here, stored);
                self.store(&address, &new, ty, guard);
                let taken = self.formulas.guards.and_not(equal, first);
                let old = self.choose(taken, &other, &old, ty);
                Some(Sym::Parts(vec![old, Sym::Truth(stored)]))
            }
            Op::Pack { parts } => Some(Sym::Parts(parts.iter().map(|&part| self.value(part)).collect())),
            Op::Extract { aggregate, part } => match self.value(*aggregate) {
                Sym::Parts(parts) => match parts.get(*part as usize) {
                    Some(part) => Some(part.clone()),
                    None => Some(self.any(ty)),
                },
                _ => Some(self.any(ty)),
            },
            Op::Name { value, .. } => {
                if self.body.ty(*value) == Type::Ptr || self.is_acquired_number(*value) {
                    self.journal.bindings.push(Binding { node: self.node, inst: id, guard: self.here });
                }
                None
            }
            Op::Fence | Op::VaEnd { .. } => None,
            Op::VaStart { list } | Op::VaCopy { dst: list, .. } => {
                let list = self.address(*list);
                self.fill(&list, None, None, self.here);
                None
            }
            Op::Unknown(unknown) => {
                let args: Vec<Sym> = unknown.args.iter().map(|&arg| self.value(arg)).collect();
                self.unknown_effects(&args, &unknown.what, How::Given);
                (ty != Type::Void).then(|| self.any(ty))
            }
            Op::Float { .. }
            | Op::FloatNegate { .. }
            | Op::FloatCompare { .. }
            | Op::Bits { .. }
            | Op::VaArg { .. } => Some(self.any(ty)),
        };
        self.stop_if_overflowed()?;
        // Large guards cost what they cost.
        self.spend((self.formulas.guards.steps() - steps_before) / 8)?;
        Ok(result)
    }

    /// Whether a value has alternatives, as the result of a call has that gives its argument back or something else. To ask
    /// about it is not to ask about any one of them, unless all are contents of what callees made and do not tell of.
    fn is_one_of_several(&self, sym: &Sym) -> bool {
        let untold = |leaf: Leaf| match leaf {
            Leaf::Number(term) => {
                let terms = &self.formulas.terms;
                let mut unknowns = support(terms, [term]).into_iter().map(|var| terms.variable_term(var));
                unknowns.all(|unknown| self.unknowns.is(unknown, Provenance::Untold))
            }
            _ => false,
        };
        matches!(sym, Sym::Leaves(leaves) if leaves.len() > 1 && !leaves.iter().all(|entry| untold(entry.1)))
    }

    /// Whether all that a value may be is known: constants and addresses.
    fn is_one_of_few(&self, sym: &Sym) -> bool {
        let known = |leaf: Leaf| !matches!(leaf, Leaf::Number(term) if !self.formulas.terms.is_const(term));
        matches!(sym, Sym::Leaves(leaves) if leaves.iter().all(|entry| known(entry.1)))
    }

    /// A variable has one object for all its copies, unless a loop makes new ones.
    fn stack_object(&mut self, inst: InstId) -> crate::machine::memory::ObjectId {
        // No instruction of ours made a variable of a callee that is followed.
        let made = if self.stand_in.is_some() { InstId::new(u32::MAX as usize - 1) } else { inst };
        self.objects.push(Object::new(Origin::Stack(made)))
    }

    /// An operand as addresses, restricted to the paths that get here.
    pub fn address(&mut self, value: ValueId) -> crate::machine::value::Leaves {
        let sym = self.value(value);
        let width = self.pointer_width();
        let care = self.here;
        let mut leaves = Vec::new();
        for (guard, leaf) in self.leaves(&sym, width) {
            let guard = self.within(guard, care);
            if !guard.is_false() {
                leaves.push((guard, leaf));
            }
        }
        leaves
    }

    /// An operand as addresses of memory that is read or written here. Where it is null, the program ends. An
    /// address that is null on all paths was more likely set by something that we do not see.
    fn accessed(&mut self, inst: InstId, value: ValueId) -> crate::machine::value::Leaves {
        let leaves = self.accessible(value);
        self.note_use(inst, &leaves);
        leaves
    }

    fn accessible(&mut self, value: ValueId) -> crate::machine::value::Leaves {
        let leaves = self.address(value);
        let null = self.null_guard(&leaves);
        if null.is_false() || null.is_true() && !self.changes_in_loop(value) {
            return leaves;
        }
        self.here = self.formulas.guards.and_not(self.here, null);
        self.address(value)
    }

    /// Whether an address is a variable that a loop changes, or lies in what it points to: then null in one iteration is
    /// not null on all paths.
    fn changes_in_loop(&self, value: ValueId) -> bool {
        let Def::Inst(inst) = self.body.values[base_of(self.body, value)].def else { return false };
        let merges = matches!(self.body.insts[inst].op, Op::Phi { .. });
        merges && self.loops.depth(self.context.block_of(self.id, inst)) > 0
    }

    /// Whether two values are compared of which one lies somewhere in an object, and it is the same each time that they are
    /// compared: neither belongs to a loop.
    fn is_asked_again(&self, lhs: ValueId, a: &Sym, rhs: ValueId, b: &Sym) -> bool {
        let somewhere = |sym: &Sym| match sym {
            Sym::Leaves(leaves) => {
                leaves.iter().any(|entry| matches!(entry.1, Leaf::Address(_, Offset::Somewhere)))
            }
            _ => false,
        };
        let once = |value: ValueId| match self.body.values[value].def {
            Def::Inst(inst) => self.loops.depth(self.context.block_of(self.id, inst)) == 0,
            _ => true,
        };
        (somewhere(a) || somewhere(b)) && once(lhs) && once(rhs)
    }

    /// Whether the address of a block is compared with a small number, such as a character: it can never be
    /// equal, so what stands there is hardly what was meant (`*p == '\n'` for `**p`), and both ways count. 1 is
    /// a usual mark for addresses that are none.
    fn is_slip(&mut self, lhs: ValueId, a: &Sym, rhs: ValueId, b: &Sym) -> bool {
        if self.body.ty(lhs) != Type::Ptr {
            return false;
        }
        let small =
            |value| self.body.bits(value).is_some_and(|bits| (2..FIRST_ADDRESS as u64).contains(&bits));
        let sym = if small(rhs) {
            a
        } else if small(lhs) {
            b
        } else {
            return false;
        };
        let Sym::Leaves(leaves) = sym else { return false };
        leaves.iter().all(|entry| match entry.1 {
            Leaf::Address(object, _) => self.objects[object].is_fresh(),
            Leaf::Number(term) => self.formulas.terms.const_value(term) == Some(0),
            Leaf::Function(_) => false,
        })
    }

    /// When an address is null, or an offset from null: paths that read or write there end (ASSUME-14).
    pub fn null_guard(&mut self, address: &crate::machine::value::Leaves) -> Guard {
        let mut null = Guard::FALSE;
        for &(guard, leaf) in address {
            if let Leaf::Number(term) = leaf
                && self.formulas.terms.const_value(term).is_some_and(|value| value < FIRST_ADDRESS)
            {
                null = self.or(null, guard);
            }
        }
        null
    }

    /// What an exchange finds that came second. Where nothing was expected, or where only the caller knows what was,
    /// another thread has put something: cells are filled by an exchange more often than emptied (ASSUME-58).
    fn left_by_another(&mut self, expected: &Sym, ty: Type) -> Sym {
        let other = self.any(ty);
        let may_be_nothing = |leaf: Leaf| match leaf {
            Leaf::Number(term) => {
                self.formulas.terms.const_value(term).map_or(ty == Type::Ptr, |value| value == 0)
            }
            Leaf::Address(object, _) => matches!(self.objects[object].origin, Origin::Entry(_)),
            Leaf::Function(_) => false,
        };
        if self.assumes(Supposed::ExchangeFindsSomething)
            && matches!(expected, Sym::Leaves(leaves) if leaves.iter().all(|entry| may_be_nothing(entry.1)))
            && let Sym::Leaves(leaves) = &other
            && let [(_, Leaf::Number(term))] = leaves[..]
        {
            self.ranges.insert(term, (1, (1 << (self.width(ty).bits() - 1).min(47)) - 1));
        }
        other
    }

    pub(crate) fn moved(&mut self, leaf: Leaf, bytes: i64) -> Leaf {
        match leaf {
            Leaf::Address(object, offset) => Leaf::Address(object, offset.plus(bytes)),
            Leaf::Number(term) => {
                let width = self.formulas.terms.width(term);
                let bytes = self.constant(width, bytes.into());
                let moved = self.formulas.terms.add(term, bytes);
                // Two moves may lead back to where nothing is known.
                if moved != term && self.formulas.terms.as_variable(moved).is_none() {
                    self.unknowns.note(moved, Provenance::Member);
                }
                if self.unknowns.is(term, Provenance::Undefined) {
                    self.unknowns.note(moved, Provenance::Undefined);
                }
                Leaf::Number(moved)
            }
            Leaf::Function(_) => leaf,
        }
    }

    fn index(&mut self, base: ValueId, index: ValueId, scale: i64) -> Sym {
        let base = self.address(base);
        let ty = self.body.ty(index);
        let width = self.width(ty);
        let index = self.value(index);
        let indices = self.leaves(&index, width);
        Sym::Leaves(self.indexed(&base, &indices, scale))
    }

    pub fn phi(&mut self, incoming: &[(BlockId, ValueId)], ty: Type) -> Sym {
        let node = self.node;
        let edges = self.edges[node].clone();
        let care = self.entered[node];
        let mut result: Option<Sym> = None;
        // The value of each edge is looked up as of the predecessor: a value defined in the same block is
        // there that of the iteration before.
        for (from, guard) in edges {
            let block = self.unrolled.nodes[from].block;
            let Some(&(_, value)) = incoming.iter().find(|entry| entry.0 == block) else { continue };
            let sym = self.value_at(from, guard, value);
            let guard = self.within(guard, care);
            result = Some(match result {
                None => sym,
                Some(before) => self.choose(guard, &sym, &before, ty),
            });
        }
        match result {
            Some(sym) => sym,
            None => self.any(ty),
        }
    }

    fn terminator(&mut self, term: &Terminator) {
        match term {
            Terminator::Jump(target) => self.edge(*target, Guard::TRUE),
            Terminator::Branch { cond, then, other } => {
                let cond = self.value(*cond);
                let cond = self.truth(&cond);
                self.grant_branch(term, cond);
                self.edge(*then, cond);
                self.edge(*other, !cond);
            }
            Terminator::Switch { value, cases, default } => {
                let ty = self.body.ty(*value);
                let width = self.width(ty);
                let sym = self.value(*value);
                // Conditions are decided in the order in which they are made. That of the first case comes last, so that each case adds
                // one decision on top of those before it, and not one below each of their paths.
                let mut equals: Vec<Guard> = Vec::with_capacity(cases.len());
                for &(number, _) in cases.iter().rev() {
                    let number = self.formulas.terms.constant(width, width.mask(number));
                    equals.push(self.compare(CompareOp::Eq, &sym, &Sym::number(number), ty));
                }
                let mut rest = Guard::TRUE;
                for (&(_, target), equal) in cases.iter().zip(equals.into_iter().rev()) {
                    let taken = self.and(rest, equal);
                    self.grant_branch(term, equal);
                    self.edge(target, taken);
                    rest = self.formulas.guards.and_not(rest, equal);
                }
                self.edge(*default, rest);
            }
            Terminator::Indirect { targets, .. } | Terminator::Choose { targets } => {
                let mut rest = Guard::TRUE;
                let asked = self.asked_by_assembly();
                for (index, &target) in targets.iter().enumerate() {
                    let choice = match &asked {
                        _ if index + 1 == targets.len() => Guard::TRUE,
                        Some(question) => self.same_choice(question, index),
                        None => self.choice(),
                    };
                    let taken = self.and(rest, choice);
                    self.edge(target, taken);
                    rest = self.formulas.guards.and_not(rest, taken);
                }
            }
            // C code does not throw.
            Terminator::Invoke { normal, .. } => self.edge(*normal, Guard::TRUE),
            Terminator::Return(value) => {
                let sym = value.map(|value| self.value(value));
                self.returns.push((self.node, self.here, sym));
            }
            Terminator::Resume | Terminator::Unreachable => self.left[self.node] = Guard::FALSE,
        }
    }

    /// What assembly at the end of this block asks that jumps: its text and its operands, if these are constants. A
    /// switch that is patched into the code (a static key of the Linux kernel) has the same position wherever it is looked at.
    fn asked_by_assembly(&mut self) -> Option<Question> {
        let block = self.unrolled.nodes[self.node].block;
        let body = self.body;
        let Op::Unknown(unknown) = &body.insts[*body.blocks[block].insts.last()?].op else { return None };
        let mut operands = Vec::with_capacity(unknown.args.len());
        for &arg in &unknown.args {
            let width = self.width(body.ty(arg));
            let sym = self.value(arg);
            let [(Guard::TRUE, leaf)] = self.leaves(&sym, width)[..] else { return None };
            let constant = match leaf {
                Leaf::Number(term) => self.formulas.terms.is_const(term),
                Leaf::Address(object, Offset::At(_)) => {
                    matches!(self.objects[object].origin, Origin::Global(_))
                }
                Leaf::Address(..) => false,
                Leaf::Function(_) => true,
            };
            if !constant {
                return None;
            }
            operands.push(leaf);
        }
        Some((unknown.what.clone(), operands))
    }

    /// The answer to a question that was perhaps asked before.
    fn same_choice(&mut self, question: &Question, target: usize) -> Guard {
        let known = self.answers.iter().find(|known| known.0 == *question && known.1 == target);
        if let Some(known) = known {
            return known.2;
        }
        let choice = self.choice();
        self.answers.push((question.clone(), target, choice));
        choice
    }

    fn edge(&mut self, to: BlockId, condition: Guard) {
        let guard = self.and(self.here, condition);
        let earliest = self.at_the_earliest(to, guard);
        if earliest != guard {
            self.shares.lose();
        }
        let guard = earliest;
        if guard.is_false() {
            return;
        }
        match self.unrolled.target(self.loops, self.plan, self.node, to) {
            Some(target) => {
                self.shares.part(target);
                let edges = &mut self.edges[target];
                match edges.iter().position(|edge| edge.0 == self.node) {
                    Some(index) => {
                        let all = self.formulas.guards.or(self.edges[target][index].1, guard);
                        self.edges[target][index].1 = all;
                    }
                    None => edges.push((self.node, guard)),
                }
            }
            None => {
                self.shares.lose();
                self.journal.cuts.push(Cut { node: self.node, to, guard });
            }
        }
    }

    /// Whether a number may be a resource that the function acquired, such as a descriptor.
    fn is_acquired_number(&mut self, value: ValueId) -> bool {
        if !matches!(self.body.ty(value), Type::Int(32 | 64)) {
            return false;
        }
        let sym = self.value(value);
        let acquired =
            |leaf: &Leaf| matches!(*leaf, Leaf::Address(object, _) if self.objects[object].is_fresh());
        matches!(&sym, Sym::Leaves(leaves) if leaves.iter().any(|(_, leaf)| acquired(leaf)))
    }
}
