//! The least that has to fail for a function to give a result of a certain kind.
//!
//! In: a program and the models. Out: for every function and sign of its result, whether it can come about with nothing
//! failing, needs a library call to fail, or needs memory to run out. `vector_insert` that gives -1 only where its own
//! allocation fails needs memory, and so does everybody who fails only with it.
//!
//! A block is reached along that path from the entry on which the least has to fail: of each path the worst branch counts, of all
//! paths the best one. A branch that tests the result of a call needs what the call needs for such a result. No path is
//! enumerated: it is the shortest path of a graph whose lengths are compared instead of added. Functions are visited callees
//! first, and again as long as something changes: everything begins as impossible and only ever gets easier, so it ends.
//!
//! What must hold: what a function does in a run never needs more to fail than is said here, as far as results are decided by
//! calls and constants; anything else is taken to need nothing.

use crate::answer::plain_name;
use crate::failing::failure;
use crate::limits::NEEDS_DEPTH;
use crate::search::Needs;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use watertight_ir::{
    BinaryOp, BitOp, BlockId, Body, Callee, CompareOp, Const, ConvertOp, Def, FuncId, InstId, Op, Program,
    Table, Terminator, Type, ValueId,
};
use watertight_pointer::Calls;
use watertight_summary::model::Models;
use watertight_summary::{Outcome, Relation, Value, Way};

/// The sign of a number; an address that is not NULL is positive.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Sign {
    Negative,
    Zero,
    Positive,
}

const SIGNS: [Sign; 3] = [Sign::Negative, Sign::Zero, Sign::Positive];

impl Sign {
    pub(crate) fn of(word: u64, ty: Type) -> Sign {
        match ty.signed(word) {
            0 => Sign::Zero,
            number if number < 0 && ty != Type::Ptr => Sign::Negative,
            _ => Sign::Positive,
        }
    }
}

/// What each result of a function needs: impossible as far as is known if there is nothing.
type Results = [Option<Needs>; 3];

/// What every function needs for every sign of its result.
pub(crate) struct LeastNeeds<'p> {
    program: &'p Program,
    models: &'p Models,
    calls: &'p Calls,
    results: Table<FuncId, Results>,
}

impl<'p> LeastNeeds<'p> {
    /// Goes through the program, callees first.
    pub(crate) fn new(program: &'p Program, models: &'p Models, calls: &'p Calls) -> LeastNeeds<'p> {
        let results = Table::filled(program.functions.len(), [None; 3]);
        let mut needs = LeastNeeds { program, models, calls, results };
        let components = calls.graph().components();
        // Callees first, so that one round is enough for all but recursion.
        let mut changed = true;
        while changed {
            changed = false;
            for component in 0..components.len() {
                for &id in components.members(component) {
                    let Some(body) = &program.functions[id].body else { continue };
                    let found = Walk::new(&needs, id, body).results();
                    changed |= found != needs.results[id];
                    needs.results[id] = found;
                }
            }
        }
        needs
    }

    /// What a call needs for a result of this sign; nothing is known to be impossible here that is asked about.
    pub(crate) fn of_call(&self, caller: FuncId, body: &Body, call: InstId, sign: Sign) -> Needs {
        self.call(caller, body, call, sign).unwrap_or(Needs::Nothing)
    }

    /// Of a call through a pointer, what the easiest of the functions needs that it may reach. What comes from outside is taken to
    /// be like those in sight: an allocator that a user of a library puts in place of the usual one fails as that does.
    fn call(&self, caller: FuncId, body: &Body, call: InstId, sign: Sign) -> Option<Needs> {
        let targets = self.calls.targets(body, caller, call);
        if targets.iter().next().is_none() {
            return Some(Needs::Nothing);
        }
        // Which function a pointer holds is nothing that fails. One that never gives anything else, such as what stands for an allocator
        // before there is one, says nothing of the others.
        let varies = |callee: &FuncId| self.varies(*callee);
        let all = || targets.iter().map(|callee| self.callee(callee, sign)).fold(None, least);
        match targets.iter().any(|callee| varies(&callee)) {
            true => targets.iter().filter(varies).map(|callee| self.callee(callee, sign)).fold(None, least),
            false => all(),
        }
    }

    /// Whether a function gives results of several signs.
    fn varies(&self, callee: FuncId) -> bool {
        SIGNS.iter().filter(|&&sign| self.callee(callee, sign).is_some()).count() > 1
    }

    /// What a call has to fail for if it goes to this function: nothing, unless it goes through a pointer to one that always
    /// gives the same, and the others that the pointer may hold fail for such a result. A run that finds the one that stands there before
    /// there is an allocator does what one does for which memory runs out.
    pub(crate) fn standing_in(&self, caller: FuncId, call: InstId, callee: FuncId) -> Needs {
        let Some(body) = &self.program.functions[caller].body else { return Needs::Nothing };
        let through_pointer = match &body.insts[call].op {
            Op::Call(call) => matches!(call.callee, Callee::Pointer(_)),
            _ => false,
        };
        if !through_pointer || self.varies(callee) {
            return Needs::Nothing;
        }
        let only = SIGNS.into_iter().find(|&sign| self.callee(callee, sign).is_some());
        only.map_or(Needs::Nothing, |sign| self.of_call(caller, body, call, sign))
    }

    fn callee(&self, callee: FuncId, sign: Sign) -> Option<Needs> {
        let function = &self.program.functions[callee];
        if function.body.is_some() {
            return self.results[callee][sign as usize];
        }
        let functions = &self.models.functions;
        let Some(model) = functions.get(&function.name).or_else(|| functions.get(plain_name(&function.name)))
        else {
            return Some(Needs::Nothing);
        };
        let all: Vec<&Outcome> = model.outcomes.iter().filter(|outcome| outcome.way != Way::Seldom).collect();
        let fitting = all.iter().filter(|outcome| can_be(&outcome.result, sign, function.result));
        let name = plain_name(&function.name);
        fitting.map(|outcome| failure(self.models, name, &all, outcome, function.result)).min()
    }
}

/// Whether a result that a model tells can have this sign.
fn can_be(value: &Value, sign: Sign, ty: Type) -> bool {
    let number = |number: i64| Sign::of(number as u64, Type::Int(64)) == sign;
    match value {
        Value::Number(result) => number(*result) || ty == Type::Ptr && *result != 0 && sign == Sign::Positive,
        Value::Such { relation, number: against } => {
            let tried = [-1, 0, 1, *against - 1, *against, *against + 1];
            let holds = |tried: i64| match relation {
                Relation::Equal => tried == *against,
                Relation::NotEqual => tried != *against,
                Relation::Less => tried < *against,
                Relation::LessEqual => tried <= *against,
                Relation::Greater => tried > *against,
                Relation::GreaterEqual => tried >= *against,
                _ => true,
            };
            tried.into_iter().any(|tried| number(tried) && holds(tried))
        }
        Value::Any => true,
        _ => sign == Sign::Positive,
    }
}

/// One function with what is known of those it calls.
struct Walk<'a> {
    needs: &'a LeastNeeds<'a>,
    function: FuncId,
    body: &'a Body,
    /// What has to fail to come to each block.
    reached: Table<BlockId, Option<Needs>>,
    /// The block of each instruction that merges values.
    merges: FxHashMap<ValueId, BlockId>,
    /// What values need, as far as it is known in this pass; nothing stands for what is being found out.
    known: RefCell<FxHashMap<(ValueId, u8), Option<Needs>>>,
}

impl<'a> Walk<'a> {
    fn new(needs: &'a LeastNeeds<'a>, function: FuncId, body: &'a Body) -> Walk<'a> {
        let reached = Table::filled(body.blocks.len(), None);
        let mut merges = FxHashMap::default();
        for block in body.blocks.ids() {
            for (_, inst) in body.block_insts(block).filter(|(_, inst)| matches!(inst.op, Op::Phi { .. })) {
                merges.extend(inst.result.map(|result| (result, block)));
            }
        }
        let mut walk = Walk { needs, function, body, reached, merges, known: RefCell::default() };
        walk.reached[body.entry()] = Some(Needs::Nothing);
        let mut changed = true;
        while changed {
            changed = false;
            walk.known.borrow_mut().clear();
            for block in body.blocks.ids() {
                let mut successors: Vec<BlockId> = Vec::new();
                body.blocks[block].term.successors(|next| successors.push(next));
                for next in successors {
                    let along = walk.along(block, next, NEEDS_DEPTH);
                    let known = walk.reached[next];
                    if along.is_some_and(|along| known.is_none_or(|known| along < known)) {
                        walk.reached[next] = along;
                        changed = true;
                    }
                }
            }
        }
        walk
    }

    /// The least for each sign of what is returned.
    fn results(&self) -> Results {
        let mut results: Results = [None; 3];
        for (id, block) in self.body.blocks.iter() {
            let (Terminator::Return(returned), Some(here)) = (&block.term, self.reached[id]) else {
                continue;
            };
            for sign in SIGNS {
                let needs = match returned {
                    Some(value) => self.value(*value, sign, NEEDS_DEPTH).map(|needs| needs.max(here)),
                    None => Some(here),
                };
                results[sign as usize] = least(results[sign as usize], needs);
            }
        }
        results
    }

    /// What has to fail to pass from one block to the next.
    fn along(&self, from: BlockId, to: BlockId, depth: u32) -> Option<Needs> {
        let here = self.reached[from]?;
        let needs = match &self.body.blocks[from].term {
            Terminator::Branch { cond, then, other } if then != other => {
                self.value(*cond, if to == *then { Sign::Positive } else { Sign::Zero }, depth)?
            }
            Terminator::Switch { value, cases, default } if to != *default => {
                let ty = self.body.ty(*value);
                let fitting = cases.iter().filter(|case| case.1 == to);
                let signs = fitting.map(|case| Sign::of(case.0 as u64, ty));
                signs.filter_map(|sign| self.value(*value, sign, depth)).min()?
            }
            _ => Needs::Nothing,
        };
        Some(needs.max(here))
    }

    /// What has to fail for a value to have a sign; a truth value that holds is positive.
    fn value(&self, value: ValueId, sign: Sign, depth: u32) -> Option<Needs> {
        if let Some(&known) = self.known.borrow().get(&(value, sign as u8)) {
            return known;
        }
        self.known.borrow_mut().insert((value, sign as u8), None);
        let found = self.found(value, sign, depth);
        self.known.borrow_mut().insert((value, sign as u8), found);
        found
    }

    fn found(&self, value: ValueId, sign: Sign, depth: u32) -> Option<Needs> {
        let ty = self.body.ty(value);
        if let Some(constant) = self.body.constant(value) {
            let fits = match constant {
                // The one bit of a truth value is no sign.
                Const::Bits(bits) if ty == Type::BOOL => (*bits != 0) == (sign == Sign::Positive),
                Const::Bits(bits) => Sign::of(*bits, ty) == sign,
                Const::Zero => sign == Sign::Zero,
                Const::Global { .. } | Const::Func(_) | Const::Label(..) => sign == Sign::Positive,
                Const::Undef | Const::Wide(_) => true,
            };
            return fits.then_some(Needs::Nothing);
        }
        if depth == 0 {
            return Some(Needs::Nothing);
        }
        match self.body.def_op(value) {
            Some(Op::Call(_)) => match self.body.values[value].def {
                Def::Inst(call) => self.needs.call(self.function, self.body, call, sign),
                _ => Some(Needs::Nothing),
            },
            Some(Op::Phi { incoming }) => {
                let block = *self.merges.get(&value)?;
                let sides = incoming.iter().map(|&(from, value)| {
                    let along = self.along(from, block, depth - 1)?;
                    Some(self.value(value, sign, depth - 1)?.max(along))
                });
                sides.fold(None, least)
            }
            Some(Op::Select { cond, then, other }) => {
                let side = |holds: Sign, value: ValueId| {
                    let chosen = self.value(*cond, holds, depth - 1)?;
                    Some(self.value(value, sign, depth - 1)?.max(chosen))
                };
                least(side(Sign::Positive, *then), side(Sign::Zero, *other))
            }
            Some(Op::Convert { op, value }) => match op {
                ConvertOp::SignExtend if self.body.ty(*value) != Type::BOOL => {
                    self.value(*value, sign, depth - 1)
                }
                ConvertOp::ZeroExtend => match sign {
                    Sign::Negative => None,
                    Sign::Zero => self.value(*value, sign, depth - 1),
                    Sign::Positive => least(
                        self.value(*value, Sign::Positive, depth - 1),
                        self.value(*value, Sign::Negative, depth - 1),
                    ),
                },
                _ => Some(Needs::Nothing),
            },
            // Numbers of bytes that do not fit into a word are more than there is memory.
            Some(Op::Extract { aggregate, part: 1 }) if self.overflows(*aggregate) => Some(match sign {
                Sign::Zero => Needs::Nothing,
                _ => Needs::Memory,
            }),
            Some(Op::Compare { op, rhs, .. }) if self.is_beyond_memory(*op, *rhs, sign == Sign::Positive) => {
                Some(Needs::Memory)
            }
            Some(Op::Compare { op, lhs, rhs }) => {
                self.compare(*op, *lhs, *rhs, sign == Sign::Positive, depth)
            }
            Some(Op::Binary { op: BinaryOp::Xor, lhs, rhs })
                if ty == Type::BOOL && self.body.bits(*rhs) == Some(1) =>
            {
                let other = if sign == Sign::Zero { Sign::Positive } else { Sign::Zero };
                self.value(*lhs, other, depth - 1)
            }
            _ => Some(Needs::Nothing),
        }
    }

    /// Whether a value is the result of an unsigned sum or product of words, beside whether it fits into one.
    fn overflows(&self, aggregate: ValueId) -> bool {
        match self.body.def_op(aggregate) {
            Some(Op::Bits { op: BitOp::UMulOverflow | BitOp::UAddOverflow, args }) => {
                args.first().is_some_and(|&arg| self.body.ty(arg) == Type::Int(64))
            }
            _ => false,
        }
    }

    /// Whether a comparison turns out so only for a number of bytes that no memory has: it is more than the largest word
    /// divided by something, or than the room that addresses have.
    fn is_beyond_memory(&self, op: CompareOp, bound: ValueId, holds: bool) -> bool {
        let more = match op {
            CompareOp::Ugt | CompareOp::Uge => holds,
            CompareOp::Ult | CompareOp::Ule => !holds,
            _ => false,
        };
        // The addresses of a process have 47 bits.
        let huge = |value: ValueId| self.body.bits(value).is_some_and(|bits| bits >> 47 != 0);
        more && self.body.ty(bound) == Type::Int(64)
            && match self.body.def_op(bound) {
                Some(&Op::Binary { op: BinaryOp::UDiv | BinaryOp::Sub, lhs, .. }) => huge(lhs),
                _ => huge(bound),
            }
    }

    /// What has to fail for a comparison with a constant to hold, or not to.
    fn compare(&self, op: CompareOp, lhs: ValueId, rhs: ValueId, holds: bool, depth: u32) -> Option<Needs> {
        let ty = self.body.ty(lhs);
        let Some(bits) = self.body.bits(rhs) else { return Some(Needs::Nothing) };
        let against = ty.signed(bits);
        let tried = [-1, 0, 1, against.saturating_sub(1), against, against.saturating_add(1)];
        let result = |tried: i64| match op {
            CompareOp::Eq => Some(tried == against),
            CompareOp::Ne => Some(tried != against),
            CompareOp::Slt => Some(tried < against),
            CompareOp::Sle => Some(tried <= against),
            CompareOp::Sgt => Some(tried > against),
            CompareOp::Sge => Some(tried >= against),
            _ => None,
        };
        let mut needs = None;
        for number in tried {
            match result(number) {
                None => return Some(Needs::Nothing),
                Some(held) if held == holds => {
                    let sign = Sign::of(number as u64, Type::Int(64));
                    needs = least(needs, self.value(lhs, sign, depth - 1));
                }
                Some(_) => {}
            }
        }
        needs
    }
}

/// The better of two ways.
fn least(a: Option<Needs>, b: Option<Needs>) -> Option<Needs> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use watertight_summary::model;

    /// What a function needs for a negative result, for 0 and for a positive one.
    fn needs(text: &str, name: &str) -> Results {
        let text = format!("declare @malloc(i64) -> ptr\ndeclare @open(ptr, i32, ...) -> i32\n{text}");
        let program =
            watertight_ir::parse("needs.ir", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let models = model::shipped();
        let calls = Calls::new(&program, &models);
        let least = LeastNeeds::new(&program, &models, &calls);
        least.results[program.function_named(name).expect("it is there")]
    }

    const WRAPPED: &str = "func @get(%n: i64) -> ptr {
bb0:
  %p: ptr = call @malloc(%n)
  return %p
}
func @put(%n: i64) -> i32 {
bb0:
  %p: ptr = call @get(%n)
  %null = compare eq %p, ptr 0
  branch %null, bb1, bb2
bb1:
  jump bb3
bb2:
  jump bb3
bb3:
  %result: i32 = phi [bb1: i32 -1, bb2: i32 0]
  return %result
}
";

    #[test]
    fn who_fails_only_with_an_allocation_needs_memory() {
        assert_eq!(needs(WRAPPED, "get"), [None, Some(Needs::Memory), Some(Needs::Nothing)]);
        assert_eq!(needs(WRAPPED, "put"), [Some(Needs::Memory), Some(Needs::Nothing), None]);
    }

    #[test]
    fn another_way_to_the_same_result_needs_less() {
        let text = format!(
            "{WRAPPED}func @either(%n: i64, %wrong: i1) -> i32 {{
bb0:
  branch %wrong, bb1, bb2
bb1:
  return i32 -1
bb2:
  %r: i32 = call @put(%n)
  return %r
}}
"
        );
        assert_eq!(needs(&text, "either"), [Some(Needs::Nothing), Some(Needs::Nothing), None]);
    }

    #[test]
    fn who_allocates_through_a_pointer_needs_memory_too() {
        let text = format!(
            "{WRAPPED}global @hook: 8 align 8 = {{ 0: addr8 @get }}
func @through(%n: i64) -> ptr {{
bb0:
  %f: ptr = load ptr @hook
  %p: ptr = call %f(%n)
  return %p
}}
"
        );
        assert_eq!(needs(&text, "through"), [None, Some(Needs::Memory), Some(Needs::Nothing)]);
    }

    #[test]
    fn what_stands_for_an_allocator_fails_like_one() {
        let text = format!(
            "declare @malloc(i64) -> ptr\ndeclare @open(ptr, i32, ...) -> i32\n{WRAPPED}func @none(%n: i64) -> ptr {{
bb0:
  return ptr null
}}
global @hook: 8 align 8 = {{ 0: addr8 @none }}
func @set() {{
bb0:
  store ptr @get to ptr @hook
  return
}}
func @through(%n: i64) -> ptr {{
bb0:
  %f: ptr = load ptr @hook
  %p: ptr = call %f(%n)
  return %p
}}
"
        );
        let program =
            watertight_ir::parse("needs.ir", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let models = model::shipped();
        let calls = Calls::new(&program, &models);
        let least = LeastNeeds::new(&program, &models, &calls);
        let function = |name: &str| program.function_named(name).expect("it is there");
        let body = program.functions[function("through")].body.as_ref().expect("it has one");
        let (call, _) = (body.insts.iter().find(|(_, inst)| matches!(inst.op, Op::Call(_)))).expect("a call");
        let standing_in = |callee: &str| least.standing_in(function("through"), call, function(callee));
        assert_eq!(standing_in("none"), Needs::Memory);
        assert_eq!(standing_in("get"), Needs::Nothing, "it fails by itself");
    }

    #[test]
    fn recursion_comes_to_an_end() {
        let text = format!(
            "{WRAPPED}func @down(%n: i64) -> i32 {{
bb0:
  %done = compare eq %n, i64 0
  branch %done, bb1, bb2
bb1:
  %last: i32 = call @put(%n)
  return %last
bb2:
  %less: i64 = sub %n, i64 1
  %r: i32 = call @down(%less)
  return %r
}}
"
        );
        assert_eq!(needs(&text, "down"), [Some(Needs::Memory), Some(Needs::Nothing), None]);
    }
}
