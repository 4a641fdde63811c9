//! Functions that only look give the same answer to the same question.
//!
//! `if (is_dash(name)) f = stdin; else f = fopen(name, "r"); ... if (!is_dash(name)) fclose(f);` asks twice and gets one answer, although
//! nothing is known of the text. Which functions only look is in [`crate::facts::looking`].
//!
//! In: calls of such functions. Out: what the first call gave, wherever arguments and what they lead to are as they were, on paths that passed
//! the first call. Where an argument is one thing or another, each of them is a question of its own.

use crate::assumptions::Supposed;
use crate::context::Known;
use crate::limits::{ANSWERS, ASKED_OBJECTS, EITHER};
use crate::machine::journal::{Answer, Found};
use crate::machine::memory::ObjectId;
use crate::machine::state::{State, Step as Spent};
use crate::machine::value::{Leaf, Leaves, Sym};
use watertight_ir::{FuncId, Id, InstId, Type};
use watertight_logic::guard::Guard;
use watertight_summary::Outcome;

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
        self.assumes(Supposed::QuestionsAnswerAlike)
            && matches!(ty, Type::Int(_))
            && self.context.only_looks(function)
            && match self.component.lookup(self.context, function) {
                Known::Summary(summary) => summary.outcomes.iter().all(Outcome::is_plain),
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
            known.function == function
                && known.arguments == arguments
                && known.found.len() == found.len()
                && known.found.iter().zip(&found).all(|(then, now)| then.has_same(now))
        };
        let known: Vec<Answer> = self.journal.given.iter().filter(same).cloned().collect();
        for known in known {
            if self.formulas.guards.entails(here, known.here) && self.is_unchanged(&known.found) {
                return Ok(Some(known.result));
            }
        }
        let result = self.call_plain(inst, Some(function), args, ty)?;
        if let Some(result) = &result
            && self.journal.given.len() < ANSWERS
        {
            let result = result.clone();
            self.journal.given.push(Answer { function, arguments, found, here, result });
        }
        Ok(result)
    }

    /// Whether nothing has changed these objects on the way here.
    fn is_unchanged(&mut self, found: &[Found]) -> bool {
        let (objects, guards, here) = (&self.objects, &mut self.formulas.guards, self.here);
        let mut since = found.iter().flat_map(|then| &objects[then.object].changes[then.changes..]);
        since.all(|&changed| guards.disjoint(here, changed))
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
                changes: data.changes.len(),
                released: data.released,
                scattered: data.scattered.clone(),
                cells,
            });
        }
        Some(found)
    }
}

impl Found {
    /// Whether both lead to the same, as far as it was written.
    fn has_same(&self, other: &Found) -> bool {
        self.object == other.object
            && self.released == other.released
            && self.scattered == other.scattered
            && self.cells == other.cells
    }
}
