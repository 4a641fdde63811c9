//! Elements that iterations which were left out have passed.
//!
//! A loop that gives every element of an array to the same call, up or down (`while (n--) free(v[n])`), does so in the iterations
//! that are not evaluated one by one as well. So where such a loop comes to the iteration that stands for a later one, the call
//! is carried out for each element whose number lies between the last one evaluated and the one at hand.
//!
//! In: a loop at the start of that iteration, whose counter has moved on (`last_pass.rs`). Out: the state in which these calls
//! have been made, each on the paths on which the counter has passed its element. Only calls count that every path
//! to the next iteration comes by, and only elements that memory knows.

use crate::limits::LEFT_OUT_ELEMENTS;
use crate::machine::last_pass::LastPass;
use crate::machine::memory::ObjectId;
use crate::machine::state::{State, Step};
use crate::machine::value::{Leaf, Leaves, Offset, Sym};
use watertight_ir::{BinaryOp, BlockId, Call, Callee, Def, InstId, Op, Type, ValueId};
use watertight_logic::guard::Guard;
use watertight_logic::term::TermId;

/// A call that gets one element of an array in each iteration.
struct Each<'b> {
    inst: InstId,
    call: &'b Call,
    /// Which of its arguments is the element.
    argument: usize,
    element: Element,
}

/// Where an element lies: `base + (counter + plus) * scale + offset`.
#[derive(Copy, Clone)]
struct Element {
    base: ValueId,
    counter: ValueId,
    plus: i64,
    scale: i64,
    offset: i64,
    /// The instruction that computes its address.
    index: InstId,
}

/// The values of a counter before and after the iterations that were left out.
struct Passed {
    first: TermId,
    end: TermId,
    up: bool,
}

impl<'a> State<'a> {
    /// Carries out what iterations that were left out do to each element.
    pub(crate) fn elements_left_out(&mut self, pass: LastPass) -> Step<()> {
        let header = self.unrolled.nodes[self.node].block;
        for each in self.calls_with_each(header) {
            if let Some(passed) = self.passed(header, each.element.counter) {
                self.each_indices.insert(each.element.index);
                self.call_with_passed(pass, &each, &passed)?;
            }
        }
        Ok(())
    }

    /// The calls in a loop that get an element whose number its counter says.
    fn calls_with_each(&self, header: BlockId) -> Vec<Each<'a>> {
        let body = self.body;
        let Some(id) = self.loops.innermost(header) else { return Vec::new() };
        let mut found = Vec::new();
        for &block in self.loops.blocks(id) {
            if self.loops.innermost(block) != Some(id) {
                continue;
            }
            for (inst, data) in body.block_insts(block) {
                let Op::Call(call) = &data.op else { continue };
                if !matches!(call.callee, Callee::Direct(_)) {
                    continue;
                }
                let element = |&arg: &ValueId| match self.body.def_op(arg)? {
                    Op::Load { addr, .. } if self.body.ty(arg) == Type::Ptr => self.element(header, *addr),
                    _ => None,
                };
                let mut elements = call.args.iter().map(element).enumerate();
                if let Some((argument, element)) = elements.find_map(|(at, element)| Some((at, element?))) {
                    found.push(Each { inst, call, argument, element });
                }
            }
        }
        found
    }

    /// An address as that of an element.
    fn element(&self, header: BlockId, addr: ValueId) -> Option<Element> {
        let (mut at, mut offset) = (addr, 0i64);
        loop {
            let Def::Inst(inst) = self.body.values[at].def else { return None };
            match self.body.insts[inst].op {
                Op::Offset { base, bytes } => (at, offset) = (base, offset.checked_add(bytes)?),
                Op::Index { base, index, scale } if scale > 0 => {
                    let (counter, plus) = self.counter_and_plus(header, index)?;
                    return Some(Element { base, counter, plus, scale, offset, index: inst });
                }
                _ => return None,
            }
        }
    }

    /// A number as a variable of the loop and a constant.
    fn counter_and_plus(&self, header: BlockId, number: ValueId) -> Option<(ValueId, i64)> {
        let (mut at, mut plus) = (number, 0i64);
        loop {
            let Def::Inst(inst) = self.body.values[at].def else { return None };
            match &self.body.insts[inst].op {
                Op::Phi { .. } if self.context.block_of(self.id, inst) == header => return Some((at, plus)),
                Op::Convert { value, .. } => at = *value,
                Op::Binary { op: op @ (BinaryOp::Add | BinaryOp::Sub), lhs, rhs } => {
                    let bits = self.body.bits(*rhs)?;
                    let more = i64::try_from(self.width(self.body.ty(*rhs)).signed(bits.into())).ok()?;
                    at = *lhs;
                    plus =
                        if *op == BinaryOp::Add { plus.checked_add(more)? } else { plus.checked_sub(more)? };
                }
                _ => return None,
            }
        }
    }

    /// What a variable of the loop that goes in steps of one has passed.
    fn passed(&mut self, header: BlockId, counter: ValueId) -> Option<Passed> {
        let Some(Op::Phi { incoming }) = self.body.def_op(counter) else { return None };
        let id = self.loops.innermost(header)?;
        let mut steps = incoming
            .iter()
            .filter(|(from, _)| self.loops.contains(id, *from))
            .map(|&(_, next)| self.counter_and_plus(header, next));
        let first = steps.next()??;
        let up = match first {
            (variable, step @ (1 | -1)) if variable == counter && steps.all(|step| step == Some(first)) => {
                step == 1
            }
            _ => return None,
        };
        let ty = self.body.ty(counter);
        let width = self.width(ty);
        let (now, later) = (self.phi(incoming, ty), self.value(counter));
        let (now, later) = (self.leaves(&now, width), self.leaves(&later, width));
        let is_number = |leaves: &Leaves| leaves.iter().all(|entry| matches!(entry.1, Leaf::Number(_)));
        (is_number(&now) && is_number(&later)).then(|| Passed {
            first: self.merged(&now, width),
            end: self.merged(&later, width),
            up,
        })
    }

    /// Makes a call once for each element that was passed.
    fn call_with_passed(&mut self, pass: LastPass, each: &Each<'_>, passed: &Passed) -> Step<()> {
        let (block, before) = (self.context.block_of(self.id, each.inst), pass.before());
        let (context, depth) = (self.unrolled.nodes[before].context, self.loops.depth(block));
        let Some(node) = self.unrolled.copy_in(block, context, depth) else { return Ok(()) };
        // A call that only some iterations make says nothing of the others.
        if !self.formulas.guards.entails(self.here, self.left[node]) {
            return Ok(());
        }
        let Callee::Direct(function) = each.call.callee else { return Ok(()) };
        let base = self.value_at(before, self.here, each.element.base);
        let base = self.leaves(&base, self.pointer_width());
        let mut elements: Vec<(Guard, Leaves)> = Vec::new();
        for (when, leaf) in base {
            if let Leaf::Address(array, Offset::At(start)) = leaf {
                for (number, held) in self.elements_of(array, start, each.element) {
                    let there = self.has_passed(passed, number - each.element.plus);
                    elements.push((self.and(when, there), held));
                }
            }
        }
        let args: Vec<(Sym, Type)> = each
            .call
            .args
            .iter()
            .map(|&arg| (self.value_at(node, self.here, arg), self.body.ty(arg)))
            .collect();
        let (entered, inst) = (self.here, std::mem::replace(&mut self.inst, each.inst));
        let ty = self.body.insts[each.inst].result.map_or(Type::Void, |value| self.body.ty(value));
        for (there, held) in elements.into_iter().take(LEFT_OUT_ELEMENTS) {
            let before = self.here;
            self.here = self.and(before, there);
            if !self.here.is_false() {
                let mut args = args.clone();
                args[each.argument].0 = Sym::Leaves(held);
                self.call_one(each.inst, Some(function), &args, ty)?;
            }
            let rest = self.formulas.guards.and_not(before, there);
            self.here = self.or(self.here, rest);
        }
        self.here = self.and(self.here, entered);
        self.inst = inst;
        Ok(())
    }

    /// The elements of an array that memory knows, with their numbers.
    fn elements_of(&self, array: ObjectId, start: i64, element: Element) -> Vec<(i64, Leaves)> {
        let bytes = u64::from(self.context.program.target.pointer_bits / 8);
        let cells = self.objects[array].cells.iter().filter(|cell| {
            cell.bytes == bytes && cell.leaves.iter().any(|entry| matches!(entry.1, Leaf::Address(..)))
        });
        let found = cells.filter_map(|cell| {
            let distance = cell.offset.checked_sub(start)?.checked_sub(element.offset)?;
            (distance >= 0 && distance % element.scale == 0)
                .then(|| (distance / element.scale, cell.leaves.clone()))
        });
        found.collect()
    }

    /// When a counter has passed a number.
    fn has_passed(&mut self, passed: &Passed, number: i64) -> Guard {
        let width = self.formulas.terms.width(passed.first);
        let number = self.constant(width, number.into());
        let terms = &mut self.formulas.terms;
        let (reached, left) = match passed.up {
            true => (terms.sle(passed.first, number), terms.slt(number, passed.end)),
            false => (terms.sle(number, passed.first), terms.slt(passed.end, number)),
        };
        let (reached, left) = (self.formulas.guard(reached), self.formulas.guard(left));
        // Where the loop is left says how far the counter has come.
        self.grant(reached);
        self.grant(left);
        self.and(reached, left)
    }
}
