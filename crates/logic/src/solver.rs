//! The solver: can these guards and conditions hold together, and with which values?
//!
//! A question is a list of assumptions, guards or boolean terms, taken together. The cheapest way to an answer goes
//! first: constants and guards that contradict each other need no solver; values found for an earlier question may fit
//! this one too; a contradiction found before may be contained in it; bounds on single values may exclude each other
//! (`facts`); values may be guessed (`guess`). Only then the terms of the cone are bit-blasted
//! and put to the satisfiability solver, under limits that count conflicts and gates.
//!
//! Answers can be trusted. Values are evaluated on the terms before they are returned; if they do not fit, the answer
//! is `Unknown` with a cause that names the bug. "Unsat" means that no values exist, also where products are abstracted.
//! "Unknown" always says why.
//!
//! One solver belongs to the formulas of one function and keeps its circuits. Creating one costs nothing. Terms and
//! guards may be added between questions; [`Formulas`] of another function must not be given to it.
//!
//! ```
//! use watertight_logic::{formulas::Formulas, question::{Answer, QuestionLimits}, solver::Solver, width::Width};
//! let mut formulas = Formulas::new();
//! let mut solver: Solver = Solver::new();
//! let n = formulas.terms.variable(Width::W32, None);
//! let ten = formulas.terms.constant(Width::W32, 10);
//! let square = formulas.terms.mul(n, n);
//! let hundred = formulas.terms.constant(Width::W32, 100);
//! let (small, is_square) = (formulas.terms.ult(n, ten), formulas.terms.eq(square, hundred));
//! let limits = QuestionLimits::default();
//! assert!(solver.ask(&mut formulas, &[small.into(), is_square.into()], limits).is_unsat());
//! let Answer::Sat(model) = solver.ask(&mut formulas, &[is_square.into()], limits) else { panic!() };
//! assert_eq!(model.evaluator().value(&formulas.terms, square), 100);
//! ```

pub use crate::bitblast::Exactness;
use crate::bitblast::{AbstractionId, Blaster, Sharpened, estimate};
use crate::check::check;
use crate::cone::cone;
use crate::eval::{Assignment, Evaluator};
use crate::facts::{Contradiction, Facts, compared};
use crate::formulas::Formulas;
use crate::gates::Bit;
use crate::guard::Guard;
use crate::guess::guess;
use crate::question::{Answer, Assumption, Cause, Core, Model, QuestionLimits};
use crate::sat::{BatSat, SatAnswer, SatLit, SatSolver};
use crate::session::{Session, cone_size};
use crate::term::TermId;
use smallvec::SmallVec;

/// How the solver works; the usual values are good.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SolverOptions {
    /// Up to which size products and quotients of unknowns are exact from the start.
    pub exactness: Exactness,
    /// How often an abstracted product or quotient is sharpened for the values found before it is made exact.
    pub refinements: u32,
    /// How many models and how many contradictions are remembered.
    pub remembered: usize,
    /// Whether remembered answers, bounds and guesses are tried before the satisfiability solver. Tests of the
    /// circuits turn this off.
    pub shortcuts: bool,
}

impl Default for SolverOptions {
    fn default() -> SolverOptions {
        SolverOptions { exactness: Exactness::default(), refinements: 8, remembered: 8, shortcuts: true }
    }
}

/// What the solver has done so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Effort {
    pub questions: u64,
    /// Answered by constants and guards alone.
    pub by_guards: u64,
    /// Answered by the values found for an earlier question.
    pub by_models: u64,
    /// Answered by a contradiction found before.
    pub by_cores: u64,
    /// Answered by bounds that contradict each other.
    pub by_facts: u64,
    /// Answered by guessing values.
    pub by_guesses: u64,
    /// Put to the satisfiability solver.
    pub solved: u64,
    pub conflicts: u64,
    /// Gates built, once each.
    pub gates: u64,
    /// Clauses given to satisfiability solvers.
    pub clauses: u64,
    /// Satisfiability solvers created.
    pub sessions: u64,
    /// Facts added about abstracted products and quotients.
    pub refinements: u64,
}

impl Effort {
    /// The effort as one number, for step budgets: what was built, and conflicts by what they cost beside it.
    pub fn steps(&self) -> u64 {
        self.questions + self.gates + self.clauses + CLAUSES_PER_CONFLICT * self.conflicts
    }
}

/// About how many clauses can be given to the solver in the time one conflict takes.
const CLAUSES_PER_CONFLICT: u64 = 50;

/// A session that knows less than this is never given up.
const SMALL_SESSION: usize = 8000;
/// A larger session is given up for a question that concerns less than one part in so many of it.
const SMALL_SHARE: usize = 8;

/// In guards of up to this size conditions that must hold are looked for everywhere.
const SMALL_GUARD: usize = 24;

/// Steps of making one guard of all assumptions.
const MOST_STEPS_TOGETHER: u64 = 5000;

/// Answers questions about the formulas of one function.
pub struct Solver<S: SatSolver = BatSat> {
    options: SolverOptions,
    pub(crate) blaster: Option<Blaster>,
    pub(crate) session: Option<Session<S>>,
    /// Values found before, the last used first.
    models: Vec<(Model, Evaluator)>,
    /// Guards known to be contradictory, the last used first.
    cores: Vec<Guard>,
    effort: Effort,
}

impl<S: SatSolver> Default for Solver<S> {
    fn default() -> Solver<S> {
        Solver::new()
    }
}

/// A question ready for the satisfiability solver.
pub(crate) struct Prepared {
    /// The literal and the position of each assumption that is not constant.
    pub(crate) literals: SmallVec<[(SatLit, usize); 8]>,
    /// The terms it depends on.
    pub(crate) cone: Vec<TermId>,
    needed: u64,
}

impl<S: SatSolver> Solver<S> {
    pub fn new() -> Solver<S> {
        Solver::with_options(SolverOptions::default())
    }

    pub fn with_options(options: SolverOptions) -> Solver<S> {
        Solver {
            options,
            blaster: None,
            session: None,
            models: Vec::new(),
            cores: Vec::new(),
            effort: Effort::default(),
        }
    }

    /// What has been done so far.
    pub fn effort(&self) -> Effort {
        self.effort
    }

    /// Whether all assumptions can hold together.
    pub fn ask(
        &mut self,
        formulas: &mut Formulas,
        question: &[Assumption],
        limits: QuestionLimits,
    ) -> Answer {
        self.effort.questions += 1;
        let guards = as_guards(formulas, question);
        let all = match together(formulas, &guards) {
            Ok(all) => all,
            Err(core) => {
                self.effort.by_guards += 1;
                return Answer::Unsat(core);
            }
        };
        if all.is_some_and(Guard::is_true) {
            self.effort.by_guards += 1;
            return Answer::Sat(Model::new(Assignment::new()));
        }
        if self.options.shortcuts
            && let Some(all) = all
            && let Some(answer) = self.shortcut(formulas, question, &guards, all)
        {
            return answer;
        }
        match self.prepare(formulas, &guards, limits) {
            Ok(prepared) => self.search(formulas, question, &guards, prepared, limits),
            Err(answer) => answer,
        }
    }

    /// An answer that needs no satisfiability solver.
    fn shortcut(
        &mut self,
        formulas: &mut Formulas,
        question: &[Assumption],
        guards: &[Guard],
        all: Guard,
    ) -> Option<Answer> {
        if let Some(core) = self.known_contradiction(formulas, guards, all) {
            self.effort.by_cores += 1;
            return Some(Answer::Unsat(core));
        }
        if let Some(model) = self.known_model(formulas, question) {
            self.effort.by_models += 1;
            return Some(Answer::Sat(model));
        }
        if let Some(core) = self.facts_contradict(formulas, guards, all) {
            self.effort.by_facts += 1;
            return Some(Answer::Unsat(core));
        }
        if let Some(model) = self.guessed_model(formulas, question, all) {
            self.effort.by_guesses += 1;
            return Some(Answer::Sat(model));
        }
        None
    }

    /// An earlier contradiction that is contained in the question.
    fn known_contradiction(&mut self, formulas: &mut Formulas, guards: &[Guard], all: Guard) -> Option<Core> {
        let at = self.cores.iter().position(|&core| formulas.guards.entails(all, core))?;
        let core = self.cores[at];
        self.cores[..=at].rotate_right(1);
        Some(core_that_entails(formulas, guards, core))
    }

    /// A contradiction between conditions that must hold, each of which compares the same term with a constant.
    fn facts_contradict(&mut self, formulas: &mut Formulas, guards: &[Guard], all: Guard) -> Option<Core> {
        let literals = necessary(formulas, all);
        let mut facts = Facts::default();
        let Contradiction(term) = literals
            .iter()
            .find_map(|&(condition, holds, _)| facts.add(&formulas.terms, condition, holds).err())?;
        // Only the conditions on that term matter, which is worth remembering.
        let on_term =
            literals.iter().filter(|&&(condition, ..)| compared(&formulas.terms, condition) == Some(term));
        let core = formulas.guards.and_all(on_term.map(|&(_, _, literal)| literal));
        self.remember_core(core);
        Some(core_that_entails(formulas, guards, core))
    }

    /// Values found by repairing others. They are checked before they count.
    fn guessed_model(&mut self, formulas: &Formulas, question: &[Assumption], all: Guard) -> Option<Model> {
        let last = self.models.first().map(|(model, _)| model.evaluator());
        for mut values in last.into_iter().chain(std::iter::once(Evaluator::default())) {
            if guess(formulas, all, &mut values) && check(formulas, question, &mut values).is_ok() {
                return Some(self.remember_model(values));
            }
        }
        None
    }

    /// Earlier values that fit the question.
    fn known_model(&mut self, formulas: &Formulas, question: &[Assumption]) -> Option<Model> {
        let at = self.models.iter_mut().position(|(_, values)| check(formulas, question, values).is_ok())?;
        self.models[..=at].rotate_right(1);
        Some(self.models[0].0.clone())
    }

    fn remember_model(&mut self, evaluator: Evaluator) -> Model {
        let model = Model::new(evaluator.assignment().clone());
        self.models.truncate(self.options.remembered.saturating_sub(1));
        self.models.insert(0, (model.clone(), evaluator));
        model
    }

    fn remember_core(&mut self, core: Guard) {
        self.cores.truncate(self.options.remembered.saturating_sub(1));
        self.cores.insert(0, core);
    }

    /// Builds what the question depends on, and gives it to the satisfiability solver.
    pub(crate) fn prepare(
        &mut self,
        formulas: &mut Formulas,
        guards: &[Guard],
        limits: QuestionLimits,
    ) -> Result<Prepared, Answer> {
        let roots: SmallVec<[TermId; 8]> = guards.iter().map(|&guard| formulas.term(guard)).collect();
        let terms = &formulas.terms;
        let cone = cone(terms, roots.iter().copied());
        let needed = estimate(terms, &cone, self.options.exactness);
        if needed > limits.gates {
            return Err(Answer::Unknown(Cause::Gates { needed, limit: limits.gates }));
        }
        let blaster = self.blaster.get_or_insert_with(|| Blaster::new(self.options.exactness));
        let before = blaster.gates.len();
        let bits: SmallVec<[Bit; 8]> = roots.iter().map(|&root| blaster.bit(terms, root)).collect();
        self.effort.gates += (blaster.gates.len() - before) as u64;
        if let Some(position) = bits.iter().position(|&bit| bit == Bit::FALSE) {
            self.remember_core(guards[position]);
            return Err(Answer::Unsat(Core { assumptions: vec![position] }));
        }
        if let Some(session) = &self.session
            && session.known_gates() > SMALL_SESSION
            && session.known_gates() > SMALL_SHARE * cone_size(&blaster.gates, &bits)
        {
            self.session = None;
        }
        let session = self.session.get_or_insert_with(|| {
            self.effort.sessions += 1;
            Session::new()
        });
        let before = session.clauses();
        let literals = bits
            .iter()
            .enumerate()
            .filter(|(_, bit)| !bit.is_constant())
            .map(|(at, &bit)| (session.literal(&blaster.gates, bit), at))
            .collect();
        self.effort.clauses += session.clauses() - before;
        Ok(Prepared { literals, cone, needed })
    }

    /// Asks the satisfiability solver, until values fit the real operations or nothing is left to try.
    fn search(
        &mut self,
        formulas: &mut Formulas,
        question: &[Assumption],
        guards: &[Guard],
        prepared: Prepared,
        limits: QuestionLimits,
    ) -> Answer {
        self.effort.solved += 1;
        let assumed: SmallVec<[SatLit; 8]> = prepared.literals.iter().map(|&(literal, _)| literal).collect();
        let mut conflicts_left = limits.conflicts;
        let mut rounds = 0;
        loop {
            let spent = match self.solve(&assumed, conflicts_left) {
                (SatAnswer::Unknown, _) => {
                    return Answer::Unknown(Cause::Conflicts { limit: limits.conflicts });
                }
                (SatAnswer::Unsat, _) => {
                    return match self.core(formulas, guards, &prepared) {
                        Some(core) => Answer::Unsat(core),
                        None => Answer::Unknown(Cause::Inconsistent),
                    };
                }
                (SatAnswer::Sat, spent) => spent,
            };
            conflicts_left = conflicts_left.saturating_sub(spent);
            let mut evaluator = Evaluator::new(self.values(formulas, &prepared.cone));
            let Err(assumption) = check(formulas, question, &mut evaluator) else {
                return Answer::Sat(self.remember_model(evaluator));
            };
            match self.refine(&prepared, rounds, limits) {
                Ok(0) => return Answer::Unknown(Cause::Disagreement { assumption }),
                Ok(_) => rounds += 1,
                Err(cause) => return Answer::Unknown(cause),
            }
        }
    }

    /// One call of the satisfiability solver; the answer and the conflicts it took.
    pub(crate) fn solve(&mut self, assumed: &[SatLit], conflicts: u64) -> (SatAnswer, u64) {
        let session = self.session.as_mut().expect("a prepared question has a session");
        let before = session.conflicts();
        let answer = session.solve(assumed, conflicts);
        let spent = session.conflicts() - before;
        self.effort.conflicts += spent;
        (answer, spent)
    }

    /// The assumptions that were needed for the refutation. Clauses only describe circuits and can always be satisfied,
    /// so a refutation that needs no assumption shows a bug; the session is given up, or it would refute everything.
    fn core(&mut self, formulas: &mut Formulas, guards: &[Guard], prepared: &Prepared) -> Option<Core> {
        let session = self.session.as_ref().expect("a refuted question has a session");
        let failed = prepared.literals.iter().filter(|&&(literal, _)| session.failed(literal));
        let assumptions: Vec<usize> = failed.map(|&(_, position)| position).collect();
        if assumptions.is_empty() {
            self.session = None;
            return None;
        }
        let core = formulas.guards.and_all(assumptions.iter().map(|&at| guards[at]));
        self.remember_core(core);
        Some(Core { assumptions })
    }

    /// The values of the unknowns of a question in the model of the satisfiability solver.
    pub(crate) fn values(&self, formulas: &Formulas, cone: &[TermId]) -> Assignment {
        let (blaster, session) = self.both();
        let value = |term: TermId| {
            let bits = blaster.known(&formulas.terms, term);
            bits.iter().rev().fold(0, |value, &bit| value << 1 | u128::from(session.value(bit)))
        };
        cone.iter()
            .filter_map(|&term| formulas.terms.as_variable(term).map(|var| (var, value(term))))
            .collect()
    }

    fn both(&self) -> (&Blaster, &Session<S>) {
        (
            self.blaster.as_ref().expect("a prepared question has circuits"),
            self.session.as_ref().expect("a prepared question has a session"),
        )
    }

    /// Adds what the real products and quotients say about the model, first for its values, in the end altogether.
    /// Gives the number of facts added.
    fn refine(&mut self, prepared: &Prepared, rounds: u32, limits: QuestionLimits) -> Result<usize, Cause> {
        let blaster = self.blaster.as_mut().expect("a prepared question has circuits");
        let session = self.session.as_mut().expect("a prepared question has a session");
        let mut abstractions: Vec<AbstractionId> =
            prepared.cone.iter().filter_map(|&term| blaster.abstraction_of(term)).collect();
        abstractions.sort_unstable();
        abstractions.dedup();
        abstractions.retain(|&id| session.uses(blaster.group(id)));
        let mut added = 0;
        let gates = blaster.gates.len();
        if rounds < self.options.refinements {
            for id in abstractions {
                if blaster.sharpen(id, |bit| session.value(bit)) == Sharpened::Added {
                    added += 1;
                }
            }
        } else if rounds == self.options.refinements {
            let needed = prepared.needed + abstractions.iter().map(|&id| blaster.exact_cost(id)).sum::<u64>();
            if needed > limits.gates {
                return Err(Cause::Abstraction { needed, limit: limits.gates });
            }
            added = abstractions.len();
            abstractions.into_iter().for_each(|id| blaster.make_exact(id));
        }
        self.effort.refinements += added as u64;
        self.effort.gates += (blaster.gates.len() - gates) as u64;
        let before = session.clauses();
        session.fulfil(&blaster.gates);
        self.effort.clauses += session.clauses() - before;
        Ok(added)
    }
}

pub(crate) fn as_guards(formulas: &mut Formulas, question: &[Assumption]) -> SmallVec<[Guard; 8]> {
    question
        .iter()
        .map(|assumption| match *assumption {
            Assumption::Guard(guard) => guard,
            Assumption::Term(term) => formulas.guard(term),
        })
        .collect()
}

/// All guards together, or the contradiction that they show by themselves. Nothing when they would make too large a guard
/// together: the satisfiability solver takes them one by one.
fn together(formulas: &mut Formulas, guards: &[Guard]) -> Result<Option<Guard>, Core> {
    let mut all = Guard::TRUE;
    let most = formulas.guards.steps() + MOST_STEPS_TOGETHER;
    for (at, &guard) in guards.iter().enumerate() {
        if formulas.guards.steps() > most {
            return Ok(None);
        }
        all = formulas.guards.and(all, guard);
        if all.is_false() {
            return Err(shrink_core(formulas, &guards[..=at], Guard::TRUE));
        }
    }
    Ok(Some(all))
}

/// The assumptions that are needed to imply a guard known to be contradictory.
fn core_that_entails(formulas: &mut Formulas, guards: &[Guard], contradiction: Guard) -> Core {
    shrink_core(formulas, guards, !contradiction)
}

/// Conditions that must hold, or must not, whenever the guard holds: their terms and their literals. Those at the top
/// of the guard are seen by following it; for others the guard is asked, when it is small.
fn necessary(formulas: &mut Formulas, guard: Guard) -> SmallVec<[(TermId, bool, Guard); 16]> {
    let mut found: SmallVec<[(TermId, bool, Guard); 16]> = SmallVec::new();
    let mut at = guard;
    while let Some((condition, high, low)) = formulas.guards.branch(at) {
        let (holds, next) = match (high.is_false(), low.is_false()) {
            (false, true) => (true, high),
            (true, false) => (false, low),
            _ => break,
        };
        let literal = formulas.guards.literal(condition);
        if let Some(term) = formulas.conditions.term_of(condition) {
            found.push((term, holds, if holds { literal } else { !literal }));
        }
        at = next;
    }
    if !at.is_constant() && formulas.guards.size(at) <= SMALL_GUARD {
        for condition in formulas.guards.support(at) {
            let Some(term) = formulas.conditions.term_of(condition) else { continue };
            let literal = formulas.guards.literal(condition);
            if formulas.guards.entails(at, literal) {
                found.push((term, true, literal));
            } else if formulas.guards.entails(at, !literal) {
                found.push((term, false, !literal));
            }
        }
    }
    found
}

/// Leaves out assumptions that a contradiction with `against` does not need, the last ones first. What all before one make
/// together is made once, so that each is looked at against two guards and not against all the others.
fn shrink_core(formulas: &mut Formulas, guards: &[Guard], against: Guard) -> Core {
    let mut before = vec![against];
    for &guard in guards {
        let all = before.last().copied().unwrap_or(against);
        if all.is_false() {
            break;
        }
        before.push(formulas.guards.and(all, guard));
    }
    let (mut needed, mut kept) = (Guard::TRUE, Vec::new());
    for at in (0..before.len() - 1).rev() {
        if !formulas.guards.disjoint(before[at], needed) {
            needed = formulas.guards.and(needed, guards[at]);
            kept.push(at);
        }
    }
    kept.reverse();
    Core { assumptions: kept }
}
