//! Functions that only look give the same answer to the same question.
//!
//! `if (is_dash(name)) f = stdin; else f = fopen(name, "r"); ... if (!is_dash(name)) fclose(f);` asks twice and gets one answer, although
//! nothing is known of the text. A function *only looks* if it stores nothing but in variables of its own, calls only functions that look
//! only, and reads nothing but what its arguments lead to and what never changes; of library functions the declaration says so (`pure`).
//!
//! In: calls of such functions. Out: what the first call gave, wherever arguments and what they lead to are as they were, on paths that passed
//! the first call. Where an argument is one thing or another, each of them is a question of its own.

use crate::evaluate::memory::ObjectId;
use crate::evaluate::state::{Precision, State, Step as Spent};
use crate::evaluate::value::{Leaf, Leaves, Sym};
use crate::turns::analyse::is_plain;
use crate::turns::budgets::{ANSWERS, ASKED_OBJECTS, EITHER};
use crate::turns::context::Known;
use watertight_ir::callgraph::CallGraph;
use watertight_ir::{
    Access, Body, Callee, Const, Def, FuncId, Id, InstId, Op, Program, Table, Type, ValueId,
};
use watertight_logic::guard::Guard;

/// What a call gave.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    function: FuncId,
    arguments: Vec<Leaf>,
    found: Vec<Found>,
    /// The paths on which it was asked.
    here: Guard,
    result: Sym,
}

/// What an argument leads to, as far as it was written.
#[derive(Clone, PartialEq, Debug)]
struct Found {
    object: ObjectId,
    clobbered: Guard,
    released: Guard,
    scattered: Leaves,
    cells: Vec<(i64, u64, Leaves)>,
}

impl State<'_> {
    /// Calls a function, or gives the answer that it gave before.
    pub(crate) fn call_or_answer(
        &mut self,
        inst: InstId,
        target: Option<FuncId>,
        args: &[(Sym, Type)],
        ty: Type,
    ) -> Spent<Option<Sym>> {
        let Some(function) = target.filter(|&function| self.is_question(function, ty)) else {
            return self.call_plain(inst, target, args, ty);
        };
        let alternatives = |sym: &Sym| match sym {
            Sym::Leaves(leaves) => leaves.len(),
            Sym::Truth(_) | Sym::Parts(_) => usize::MAX,
        };
        let mut several = (0..args.len()).filter(|&index| alternatives(&args[index].0) != 1);
        match (several.next(), several.next()) {
            (None, _) => self.ask_again(inst, function, args, ty),
            (Some(index), None) if alternatives(&args[index].0) <= EITHER => {
                self.ask_each(inst, function, args, index, ty)
            }
            _ => self.call_plain(inst, target, args, ty),
        }
    }

    /// Whether a call does nothing but look, and gives something.
    fn is_question(&self, function: FuncId, ty: Type) -> bool {
        self.precision == Precision::Exact
            && matches!(ty, Type::Int(_))
            && self.context.only_looks(function)
            && match self.component.lookup(self.context, function) {
                Known::Summary(summary) => summary.outcomes.iter().all(is_plain),
                Known::Pending | Known::Nothing => false,
            }
    }

    /// A question with one argument that is one thing or another.
    fn ask_each(
        &mut self,
        inst: InstId,
        function: FuncId,
        args: &[(Sym, Type)],
        index: usize,
        ty: Type,
    ) -> Spent<Option<Sym>> {
        let Sym::Leaves(leaves) = &args[index].0 else {
            return self.call_plain(inst, Some(function), args, ty);
        };
        let before = self.here;
        let width = self.width(ty);
        let (mut after, mut truth, mut results) = (Guard::FALSE, Guard::FALSE, Leaves::new());
        for &(when, leaf) in leaves {
            self.here = self.and(before, when);
            if self.here.is_false() {
                continue;
            }
            let mut args = args.to_vec();
            args[index].0 = Sym::one(leaf);
            let result = self.ask_again(inst, function, &args, ty)?;
            after = self.or(after, self.here);
            match result {
                Some(Sym::Truth(holds)) if ty == Type::BOOL => {
                    let holds = self.and(when, holds);
                    truth = self.or(truth, holds);
                }
                Some(result) => {
                    for (guard, leaf) in self.leaves(&result, width) {
                        results.push((self.and(when, guard), leaf));
                    }
                }
                None => {}
            }
        }
        self.here = after;
        let results = self.tidy(results);
        Ok(match ty {
            _ if after.is_false() => None,
            Type::BOOL if results.is_empty() => Some(Sym::Truth(truth)),
            _ => Some(Sym::Leaves(results)),
        })
    }

    /// A question of which each argument is one thing.
    // ASSUME-57: nobody out of sight changes what a function that only looks is given.
    fn ask_again(
        &mut self,
        inst: InstId,
        function: FuncId,
        args: &[(Sym, Type)],
        ty: Type,
    ) -> Spent<Option<Sym>> {
        let one = |(sym, _): &(Sym, Type)| match sym {
            Sym::Leaves(leaves) => leaves.first().map(|entry| entry.1),
            Sym::Truth(_) | Sym::Parts(_) => None,
        };
        let arguments: Option<Vec<Leaf>> = args.iter().map(one).collect();
        let question = arguments.and_then(|arguments| Some((self.found(&arguments)?, arguments)));
        let Some((found, arguments)) = question else {
            return self.call_plain(inst, Some(function), args, ty);
        };
        let here = self.here;
        let same = |known: &&Answer| {
            known.function == function && known.arguments == arguments && known.found == found
        };
        let known: Vec<(Guard, Sym)> =
            self.given_answers.iter().filter(same).map(|known| (known.here, known.result.clone())).collect();
        for (before, result) in known {
            if self.formulas.guards.entails(here, before) {
                return Ok(Some(result));
            }
        }
        let result = self.call_plain(inst, Some(function), args, ty)?;
        if let Some(result) = &result
            && self.given_answers.len() < ANSWERS
        {
            let result = result.clone();
            self.given_answers.push(Answer { function, arguments, found, here, result });
        }
        Ok(result)
    }

    /// What arguments lead to, if that is not too much.
    fn found(&self, arguments: &[Leaf]) -> Option<Vec<Found>> {
        let mut objects: Vec<ObjectId> = Vec::new();
        let lead = |objects: &mut Vec<ObjectId>, leaf: Leaf| {
            if let Leaf::Address(object, _) = leaf
                && !objects.contains(&object)
            {
                objects.push(object);
            }
        };
        arguments.iter().for_each(|&leaf| lead(&mut objects, leaf));
        let mut found = Vec::new();
        while let Some(&object) = objects.get(found.len()) {
            if objects.len() > ASKED_OBJECTS {
                return None;
            }
            let data = &self.objects[object];
            let mut cells = Vec::new();
            for cell in &data.cells {
                cell.leaves.iter().for_each(|entry| lead(&mut objects, entry.1));
                // What was only read is as it was.
                let read = cell.written.index() == 0
                    && matches!(cell.leaves[..], [(Guard::TRUE, Leaf::Number(term))]
                        if self.formulas.terms.as_variable(term).is_some());
                if !read {
                    cells.push((cell.offset, cell.bytes, cell.leaves.clone()));
                }
            }
            data.scattered.iter().for_each(|entry| lead(&mut objects, entry.1));
            found.push(Found {
                object,
                clobbered: data.clobbered,
                released: data.released,
                scattered: data.scattered.clone(),
                cells,
            });
        }
        Some(found)
    }
}

/// Which functions of a program only look.
pub(crate) fn looking(program: &Program, graph: &CallGraph) -> Table<FuncId, bool> {
    let mut looking = Table::filled(program.functions.len(), false);
    // Callees come first.
    for component in graph.components().iter() {
        let &[id] = component else { continue };
        let function = &program.functions[id];
        let given = !function.params.is_empty() && !function.variadic;
        looking[id] = given
            && match &function.body {
                None => function.attrs.read_only || function.attrs.no_memory,
                Some(body) => !graph.is_recursive(id) && body_looks(program, body, &looking),
            };
    }
    looking
}

fn body_looks(program: &Program, body: &Body, looking: &Table<FuncId, bool>) -> bool {
    let fixed = |value: &watertight_ir::Value| match &value.def {
        Def::Const(Const::Global { global, .. }) => program.globals[*global].constant,
        Def::Const(Const::Func(_)) => false,
        _ => true,
    };
    body.values.values().all(fixed)
        && body.insts.values().all(|inst| match &inst.op {
            Op::Load { access: Access::Plain, .. } | Op::Stack { count: None, .. } => true,
            Op::Store { addr, access: Access::Plain, .. } => is_own(body, *addr),
            Op::Call(call) => {
                matches!(call.callee, Callee::Direct(callee) if looking[callee]) && !call.args.is_empty()
            }
            Op::Offset { .. } | Op::Index { .. } | Op::Binary { .. } | Op::Compare { .. } => true,
            Op::Float { .. } | Op::FloatNegate { .. } | Op::FloatCompare { .. } => true,
            Op::Convert { .. } | Op::Select { .. } | Op::Phi { .. } | Op::Bits { .. } => true,
            Op::Pack { .. } | Op::Extract { .. } | Op::Name { .. } => true,
            _ => false,
        })
}

/// Whether an address is one of a variable of the function.
fn is_own(body: &Body, address: ValueId) -> bool {
    let mut base = address;
    loop {
        match body.def_op(base) {
            Some(Op::Stack { .. }) => return true,
            Some(Op::Offset { base: inner, .. } | Op::Index { base: inner, .. }) => base = *inner,
            _ => return false,
        }
    }
}
