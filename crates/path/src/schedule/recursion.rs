//! Functions that call each other: summarised together, round by round, until nothing changes.
//!
//! In: the members of a strongly connected component of the call graph. Out: a summary of each. Members are taken
//! callees first, as far as a circle allows it, so that what one learns reaches its callers in the same round; a
//! member takes part in a round only if the summary of one of its callees changed since its last turn. A call of a
//! member that has no summary yet does not return, so what the first round finds is true of the paths without
//! recursion, and later rounds add to it. In large components some members would have to wait for many rounds before
//! they learn that a callee returns. Those alone go on, and what can return by its shape but still does not is taken
//! to do anything: a caller that believes it would find the rest of its own code dead, and everything lost in it.
//!
//! Members that do not call each other are evaluated in parallel. A turn waits for those before it, and only for those,
//! whose news it hears, so the result does not depend on the number of threads.

use crate::context::Known;
use crate::context::costs::Costs;
use crate::context::uses::Uses;
use crate::context::{Component, Context, Learned};
use crate::facts::returning::Back;
use crate::facts::returning::Shapes;
use crate::limits::MEMBERS_OF_MANY_ROUNDS;
use crate::schedule::analyse::{Effort, FunctionResult, Options, anything, attempt};
use crate::schedule::induction::{confirms, guess};
use crate::schedule::parallel::in_turn;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Arc, OnceLock};
use watertight_ir::Body;
use watertight_ir::Call;
use watertight_ir::FuncId;
use watertight_ir::InstId;
use watertight_ir::callgraph::CallGraph;
use watertight_ir::callgraph::direct_callee;
use watertight_summary::{Completeness, Summary, Way};

/// What the rounds gave.
pub struct Fixpoint {
    pub component: Component,
    /// The members, callees first.
    pub order: Vec<FuncId>,
    /// For each of them those before it, by their place in the order, that it calls.
    pub waits: Vec<Vec<usize>>,
    /// Members of which only the shape says that they return.
    pub assumed: FxHashSet<FuncId>,
    /// Failures of ours on the way.
    pub mistakes: Vec<(FuncId, String)>,
    /// Members that were given up in their last round.
    pub given_up: FxHashSet<FuncId>,
    pub costs: Costs,
}

/// Summarises the members, which stand in ascending order.
pub fn summarise(context: &Context<'_>, component: Component, options: &Options) -> Fixpoint {
    let graph = &context.order;
    let members = &component.members.clone()[..];
    let order = callees_first(graph, members);
    let mut rounds = Rounds {
        context,
        graph,
        options,
        fixpoint: Fixpoint {
            component,
            waits: callees_before(graph, &order),
            order,
            assumed: FxHashSet::default(),
            mistakes: Vec::new(),
            given_up: FxHashSet::default(),
            costs: Costs::default(),
        },
        due: members.iter().copied().collect(),
    };
    let count = if members.len() > MEMBERS_OF_MANY_ROUNDS { options.rounds.min(1) } else { options.rounds };
    for _ in 0..count {
        rounds.round(&|_| true);
        if rounds.due.is_empty() {
            break;
        }
    }
    // Each of these rounds teaches at least one member that it returns, or is the last.
    while rounds.round(&|known| !known.is_some_and(returns)) {}
    rounds.induction();
    let shapes = may_return(context, &rounds.fixpoint.component);
    for &member in members {
        if shapes.contains(&member) && !rounds.fixpoint.component.summary(member).is_some_and(returns) {
            rounds.learn(member, Arc::new(Learned::new(anything(context, member), Uses::NONE)));
            rounds.due.extend(rounds.callers(member));
            rounds.fixpoint.assumed.insert(member);
        }
    }
    while rounds.round(&|known| !known.is_some_and(returns)) {}
    rounds.fixpoint
}

/// The rounds so far.
struct Rounds<'r, 'c> {
    context: &'r Context<'c>,
    graph: &'r CallGraph,
    options: &'r Options,
    fixpoint: Fixpoint,
    /// Members with a callee whose summary is newer than their own.
    due: FxHashSet<FuncId>,
}

/// What came of a member's turn in a round.
struct Turned {
    result: FunctionResult<()>,
    learned: Arc<Learned>,
    /// Its summary is another one than before.
    changed: bool,
}

impl Rounds<'_, '_> {
    /// Gives a turn to each member that is due and of whose summary `which` says so. Tells whether one of them
    /// was found to return that was not known to.
    fn round(&mut self, which: &(dyn Fn(Option<&Summary>) -> bool + Sync)) -> bool {
        let turns = in_turn(&self.fixpoint.waits, |place, earlier| self.turn(place, earlier, which));
        let mut news = false;
        // Those who had no turn although something they call has changed, or had it before that changed.
        let places: FxHashMap<FuncId, usize> =
            self.fixpoint.order.iter().enumerate().map(|(place, &member)| (member, place)).collect();
        let mut due: FxHashSet<FuncId> = FxHashSet::default();
        for (index, turned) in turns.iter().enumerate() {
            let member = self.fixpoint.order[index];
            match turned {
                Some(Turned { changed: true, .. }) => due.extend(self.callers(member).filter(|caller| {
                    let caller = places[caller];
                    caller <= index || turns[caller].is_none()
                })),
                Some(_) => {}
                None if self.due.contains(&member) => {
                    due.insert(member);
                }
                None => {}
            }
        }
        self.due = due;
        for (index, turned) in turns.into_iter().enumerate() {
            let member = self.fixpoint.order[index];
            let Some(Turned { result, learned, .. }) = turned else { continue };
            self.fixpoint.costs += result.costs;
            self.fixpoint.mistakes.extend(result.mistake.map(|message| (member, message)));
            match result.given_up {
                true => self.fixpoint.given_up.insert(member),
                false => self.fixpoint.given_up.remove(&member),
            };
            news |= self.learn(member, learned);
        }
        news
    }

    /// The turn of a member in a round, if it takes part in it.
    fn turn(
        &self,
        place: usize,
        earlier: &[OnceLock<Option<Turned>>],
        which: &(dyn Fn(Option<&Summary>) -> bool + Sync),
    ) -> Option<Turned> {
        let member = self.fixpoint.order[place];
        let known = self.fixpoint.component.summary(member);
        let mut component = self.fixpoint.component.clone();
        let mut due = self.due.contains(&member);
        for &other in &self.fixpoint.waits[place] {
            if let Some(Some(turned)) = earlier[other].get() {
                due |= turned.changed;
                component.hear(self.fixpoint.order[other], turned.learned.clone());
            }
        }
        // What a member that is too large does was told as well as it can be.
        let told = self.fixpoint.given_up.contains(&member) && known.is_some_and(returns);
        if !due || told || !which(known) {
            return None;
        }
        let mut result = attempt(self.context, &component, member, self.options, Effort::Quick, &|_, _| ());
        let nothing = Summary::new(Vec::new(), Completeness::Whole);
        let summary = std::mem::replace(&mut result.summary, nothing);
        let changed = known != Some(&summary);
        let learned = Arc::new(Learned::new(summary, result.facts.sizes));
        Some(Turned { result, learned, changed })
    }

    /// Replaces what the rounds have found of a function that calls itself by what holds for however many nodes it is given,
    /// if that can be shown.
    fn induction(&mut self) {
        let &[member] = &self.fixpoint.order[..] else { return };
        let function = &self.context.program.functions[member];
        let (Some(body), Some(known)) = (&function.body, self.fixpoint.component.known(member).cloned())
        else {
            return;
        };
        let Some(guess) = guess(body, member, function.result, &known.summary) else { return };
        let guessed = Arc::new(Learned::shown(guess.clone(), known.sizes));
        self.fixpoint.component.learn(member, guessed);
        let result =
            attempt(self.context, &self.fixpoint.component, member, self.options, Effort::Quick, &|_, _| ());
        self.fixpoint.costs += result.costs;
        if result.mistake.is_some() || !confirms(&result.summary, &guess) {
            self.fixpoint.component.learn(member, known);
        }
    }

    /// Notes what is known of a member. Tells whether it returns and was not known to.
    fn learn(&mut self, member: FuncId, learned: Arc<Learned>) -> bool {
        let returned = self.fixpoint.component.summary(member).is_some_and(returns);
        let news = returns(&learned.summary) && !returned;
        self.fixpoint.component.learn(member, learned);
        news
    }

    /// The members that call a member.
    fn callers(&self, member: FuncId) -> impl Iterator<Item = FuncId> + use<> {
        let members = self.fixpoint.component.members.clone();
        let callers = self.graph.callers(member).to_vec().into_iter();
        callers.filter(move |caller| members.binary_search(caller).is_ok())
    }
}

/// Whether a call may come back.
pub(crate) fn returns(summary: &Summary) -> bool {
    summary.outcomes.iter().any(|outcome| outcome.way != Way::Jumps)
}

/// For each function those before it that it calls, by their places.
fn callees_before(graph: &CallGraph, order: &[FuncId]) -> Vec<Vec<usize>> {
    let places: FxHashMap<FuncId, usize> =
        order.iter().enumerate().map(|(place, &member)| (member, place)).collect();
    let before = |(place, &member): (usize, &FuncId)| {
        let callees = graph.callees(member).iter().filter_map(|callee| places.get(callee).copied());
        let mut earlier: Vec<usize> = callees.filter(|&other| other < place).collect();
        earlier.sort_unstable();
        earlier.dedup();
        earlier
    };
    order.iter().enumerate().map(before).collect()
}

/// The members in the order in which a depth-first walk along calls leaves them.
fn callees_first(graph: &CallGraph, members: &[FuncId]) -> Vec<FuncId> {
    let mut order = Vec::with_capacity(members.len());
    // How many callees of a member were followed; members not reached yet have no entry.
    let mut followed: FxHashMap<FuncId, usize> = FxHashMap::default();
    for &root in members {
        let mut path = vec![root];
        while let Some(&member) = path.last() {
            let seen = followed.entry(member).or_insert(0);
            let Some(&callee) = graph.callees(member).get(*seen) else {
                path.pop();
                order.push(member);
                continue;
            };
            *seen += 1;
            if members.binary_search(&callee).is_ok() && !followed.contains_key(&callee) {
                path.push(callee);
            }
        }
    }
    // A root that an earlier walk has left is walked again, at once.
    let mut known = FxHashSet::default();
    order.retain(|&member| known.insert(member));
    order
}

/// The members that may come back.
pub(crate) fn may_return(context: &Context<'_>, component: &Component) -> FxHashSet<FuncId> {
    let mut known: FxHashSet<FuncId> = FxHashSet::default();
    loop {
        let before = known.len();
        for &member in component.members.iter() {
            if known.contains(&member) {
                continue;
            }
            let back =
                |body: &Body, caller: FuncId, inst: InstId, call: &Call| match direct_callee(body, call) {
                    Some(callee) if component.members.binary_search(&callee).is_ok() => {
                        if known.contains(&callee) { Back::AsShaped(callee) } else { Back::Never }
                    }
                    Some(callee) => match component.lookup(context, callee) {
                        Known::Summary(summary) => Back::perhaps(returns(summary)),
                        Known::Pending | Known::Nothing => {
                            Back::perhaps(!context.program.functions[callee].attrs.no_return)
                        }
                    },
                    None => Back::perhaps(context.endings.of_call(caller, inst).is_none()),
                };
            if (Shapes { program: context.program, back: &back }).reaches_return(member, &[], 0) {
                known.insert(member);
            }
        }
        if known.len() == before {
            return known;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::callees_first;
    use watertight_ir::callgraph::CallGraph;

    #[test]
    fn callees_come_before_their_callers_where_they_can() {
        let text = "func @a() {\nbb0:\n  call @b()\n  return\n}\nfunc @b() {\nbb0:\n  call @c()\n  return\n}\n\
                    func @c() {\nbb0:\n  call @a()\n  return\n}\n";
        let program = watertight_ir::parse("circle.ir", text).expect("the text is well formed");
        let graph = CallGraph::new(&program);
        let members: Vec<_> = program.functions.ids().collect();
        let names = callees_first(&graph, &members).into_iter().map(|id| &*program.functions[id].name);
        assert_eq!(names.collect::<Vec<_>>(), ["c", "b", "a"]);
    }
}
