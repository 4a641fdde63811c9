//! A satisfiability solver together with the part of a circuit it has been told about.
//!
//! Circuits are built once and live as long as the function. Clauses are made of them only where a question needs them:
//! [`Session::literal`] gives the solver the clauses of the cone of a bit, once. Every gate becomes one variable,
//! defined by clauses in both directions.
//!
//! A solver assigns all its variables before it says "satisfiable", also those of earlier questions. So when a question
//! concerns a small part of what a session knows, the caller starts a new session instead.

use crate::gates::{Bit, Gate, GateId, Gates, GroupId};
use crate::sat::{Phase, SatAnswer, SatLit, SatSolver, SatVar};

/// The clauses of a part of a circuit, in a solver.
pub(crate) struct Session<S> {
    solver: S,
    /// The variable of each gate plus one; zero for gates the solver does not know.
    variables: Vec<u32>,
    known: usize,
    clauses: u64,
    /// How many obligations of each group the solver knows, for groups in use.
    groups: Vec<Option<u32>>,
    /// Groups in use, in the order of their first use.
    used_groups: Vec<GroupId>,
    stack: Vec<GateId>,
}

impl<S: SatSolver> Session<S> {
    pub(crate) fn new() -> Session<S> {
        Session {
            solver: S::default(),
            variables: Vec::new(),
            known: 0,
            clauses: 0,
            groups: Vec::new(),
            used_groups: Vec::new(),
            stack: Vec::new(),
        }
    }

    /// The gates the solver knows.
    pub(crate) fn known_gates(&self) -> usize {
        self.known
    }

    /// The clauses given to the solver so far.
    pub(crate) fn clauses(&self) -> u64 {
        self.clauses
    }

    /// The literal of a bit that is not constant. The clauses of its cone are added when they are new.
    pub(crate) fn literal(&mut self, gates: &Gates, bit: Bit) -> SatLit {
        self.load(gates, bit.gate());
        self.fulfil(gates);
        self.existing(bit)
    }

    /// Asks the solver.
    pub(crate) fn solve(&mut self, assumptions: &[SatLit], conflicts: u64) -> SatAnswer {
        self.solver.solve(assumptions, conflicts)
    }

    pub(crate) fn failed(&self, assumption: SatLit) -> bool {
        self.solver.failed(assumption)
    }

    pub(crate) fn conflicts(&self) -> u64 {
        self.solver.conflicts()
    }

    /// Whether the solver knows the gate of a bit.
    pub(crate) fn knows(&self, bit: Bit) -> bool {
        self.variables.get(bit.gate().index()).is_some_and(|&variable| variable != 0)
    }

    /// Whether the solver knows inputs with these obligations.
    pub(crate) fn uses(&self, group: GroupId) -> bool {
        self.groups.get(group.index()).copied().flatten().is_some()
    }

    /// The value of a bit in the model just found; false where the solver does not know the bit.
    pub(crate) fn value(&self, bit: Bit) -> bool {
        if bit.is_constant() {
            return bit == Bit::TRUE;
        }
        let plain = match self.variables.get(bit.gate().index()) {
            None | Some(0) => false,
            Some(&variable) => self.solver.value(SatVar(variable - 1)),
        };
        plain != bit.is_negated()
    }

    /// The literal of a bit whose gate is known.
    fn existing(&self, bit: Bit) -> SatLit {
        let variable = self.variables[bit.gate().index()];
        debug_assert_ne!(variable, 0, "the gate was loaded");
        SatLit::new(SatVar(variable - 1), !bit.is_negated())
    }

    /// Makes the obligations of all groups in use true, also those that were added since.
    pub(crate) fn fulfil(&mut self, gates: &Gates) {
        let mut at = 0;
        // Obligations may bring further groups into use, which are then met later in this loop.
        while at < self.used_groups.len() {
            let group = self.used_groups[at];
            let mut done = self.groups[group.index()].expect("a group in use has a count") as usize;
            while let Some(&bit) = gates.obligations(group).get(done) {
                done += 1;
                self.groups[group.index()] = Some(done as u32);
                if bit == Bit::FALSE {
                    self.clause(&[]);
                } else {
                    self.load(gates, bit.gate());
                    let literal = self.existing(bit);
                    self.clause(&[literal]);
                }
            }
            at += 1;
        }
    }

    fn clause(&mut self, literals: &[SatLit]) {
        self.clauses += 1;
        self.solver.add_clause(literals);
    }

    /// Gives the solver the cone of a gate, operands before users.
    fn load(&mut self, gates: &Gates, root: GateId) {
        if self.variables.len() < gates.len() {
            self.variables.resize(gates.len(), 0);
        }
        self.stack.push(root);
        while let Some(&top) = self.stack.last() {
            if self.variables[top.index()] != 0 {
                self.stack.pop();
                continue;
            }
            let before = self.stack.len();
            for_each_operand(gates, top, |operand| {
                if self.variables[operand.gate().index()] == 0 {
                    self.stack.push(operand.gate());
                }
            });
            if self.stack.len() == before {
                self.stack.pop();
                self.define(gates, top);
            }
        }
    }

    /// The variable and clauses of a gate whose operands are known.
    fn define(&mut self, gates: &Gates, id: GateId) {
        let gate = gates.gate(id);
        let phase = if gate == Gate::Input { Phase::False } else { Phase::Free };
        let variable = self.solver.new_variable(phase);
        self.variables[id.index()] = variable.0 + 1;
        self.known += 1;
        let out = SatLit::new(variable, true);
        match gate {
            Gate::True => self.clause(&[out]),
            Gate::Input => {
                if let Some(group) = gates.group_of(id) {
                    if self.groups.len() <= group.index() {
                        self.groups.resize(group.index() + 1, None);
                    }
                    if self.groups[group.index()].is_none() {
                        self.groups[group.index()] = Some(0);
                        self.used_groups.push(group);
                    }
                }
            }
            Gate::And(a, b) => {
                let (a, b) = (self.existing(a), self.existing(b));
                self.clause(&[!out, a]);
                self.clause(&[!out, b]);
                self.clause(&[out, !a, !b]);
            }
            Gate::AndMany { start, count } => {
                let mut long = vec![out];
                for &bit in gates.many(start, count) {
                    let literal = self.existing(bit);
                    self.clause(&[!out, literal]);
                    long.push(!literal);
                }
                self.clause(&long);
            }
            Gate::Xor(a, b) => {
                let (a, b) = (self.existing(a), self.existing(b));
                self.clause(&[!out, a, b]);
                self.clause(&[!out, !a, !b]);
                self.clause(&[out, !a, b]);
                self.clause(&[out, a, !b]);
            }
            Gate::Mux(c, a, b) => {
                let (c, a, b) = (self.existing(c), self.existing(a), self.existing(b));
                self.clause(&[!out, !c, a]);
                self.clause(&[!out, c, b]);
                self.clause(&[out, !c, !a]);
                self.clause(&[out, c, !b]);
                // When both sides agree the condition does not matter; these follow, but let the solver see it.
                self.clause(&[!out, a, b]);
                self.clause(&[out, !a, !b]);
            }
            Gate::Majority(a, b, c) => {
                let (a, b, c) = (self.existing(a), self.existing(b), self.existing(c));
                for (x, y) in [(a, b), (a, c), (b, c)] {
                    self.clause(&[out, !x, !y]);
                    self.clause(&[!out, x, y]);
                }
            }
        }
    }
}

fn for_each_operand(gates: &Gates, id: GateId, mut visit: impl FnMut(Bit)) {
    match gates.gate(id) {
        Gate::True | Gate::Input => {}
        Gate::And(a, b) | Gate::Xor(a, b) => {
            visit(a);
            visit(b);
        }
        Gate::Mux(a, b, c) | Gate::Majority(a, b, c) => {
            visit(a);
            visit(b);
            visit(c);
        }
        Gate::AndMany { start, count } => gates.many(start, count).iter().for_each(|&bit| visit(bit)),
    }
}

/// The number of gates in the cone of some bits, obligations included.
pub(crate) fn cone_size(gates: &Gates, bits: &[Bit]) -> usize {
    let mut seen = vec![0u64; gates.len().div_ceil(64)];
    let mut groups = vec![false; 0];
    let mut stack: Vec<GateId> = bits.iter().map(|bit| bit.gate()).collect();
    let mut count = 0;
    while let Some(id) = stack.pop() {
        let (word, bit) = (id.index() / 64, 1u64 << (id.index() % 64));
        if seen[word] & bit != 0 {
            continue;
        }
        seen[word] |= bit;
        count += 1;
        for_each_operand(gates, id, |operand| stack.push(operand.gate()));
        if let Some(group) = gates.group_of(id) {
            if groups.len() <= group.index() {
                groups.resize(group.index() + 1, false);
            }
            if !std::mem::replace(&mut groups[group.index()], true) {
                stack.extend(gates.obligations(group).iter().map(|bit| bit.gate()));
            }
        }
    }
    count
}
