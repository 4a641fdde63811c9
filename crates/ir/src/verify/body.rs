//! The rules of a body: its tables, its graph, and where values may be used.
//!
//! The order matters: ids are checked before anything follows them, so that a broken body is told about
//! and never makes the verifier itself fail.

use super::op::{check_constant, check_inst, check_terminator};
use super::{Function, Verifier};
use crate::cfg::Cfg;
use crate::dominators::Dominators;
use crate::function::{Body, Def};
use crate::ids::{BlockId, FuncId, Id, InstId, PlaceId, ValueId};
use crate::inst::{Inst, Op};
use crate::types::Type;

/// Where an instruction stands.
#[derive(Copy, Clone)]
struct Position {
    block: BlockId,
    /// Number among all instructions of the body in order of blocks.
    order: u32,
}

struct BodyChecker<'v, 'p, 'f> {
    verifier: &'v mut Verifier<'p>,
    function: &'f Function,
    id: Option<FuncId>,
    body: &'f Body,
    positions: Vec<Option<Position>>,
}

/// Reports every rule that `body` breaks.
pub(super) fn check(verifier: &mut Verifier<'_>, function: &Function, id: Option<FuncId>, body: &Body) {
    let positions = vec![None; body.insts.len()];
    let mut checker = BodyChecker { verifier, function, id, body, positions };
    if body.blocks.is_empty() {
        checker.report_function("the body has no blocks");
        return;
    }
    // Each step relies on the ones before it.
    let steps = [
        BodyChecker::check_places,
        BodyChecker::check_blocks,
        BodyChecker::check_values,
        BodyChecker::check_operands,
        BodyChecker::check_types,
        BodyChecker::check_flow,
    ];
    let before = checker.verifier.violations.len();
    for step in steps {
        step(&mut checker);
        if checker.verifier.violations.len() > before {
            return;
        }
    }
}

impl BodyChecker<'_, '_, '_> {
    fn name(&self) -> String {
        self.verifier.name_of(self.function, self.id)
    }

    fn report_function(&mut self, message: impl Into<String>) {
        let name = self.name();
        self.verifier.report(name.clone(), format!("func {name}"), message);
    }

    fn report_block(&mut self, block: BlockId, message: impl Into<String>) {
        let name = self.name();
        self.verifier.report(name, format!("{block}:"), message);
    }

    fn report_inst(&mut self, inst: InstId, message: impl Into<String>) {
        let (name, subject) = (self.name(), self.verifier.printer().inst(self.body, inst));
        self.verifier.report(name, subject, message);
    }

    fn report_terminator(&mut self, block: BlockId, message: impl Into<String>) {
        let term = &self.body.blocks[block].term;
        let (name, subject) = (self.name(), self.verifier.printer().terminator(self.body, term));
        self.verifier.report(name, subject, message);
    }

    /// Places and variables refer to existing files, names, types and values.
    fn check_places(&mut self) {
        let body = self.body;
        let Some(debug) = self.verifier.unit(self.function.unit) else { return };
        // Chains of inlining that were followed to their end without meeting themselves.
        let mut settled = vec![false; body.places.len()];
        let mut chain = Vec::new();
        for (id, place) in body.places.iter() {
            if place.file.index() >= debug.files.len() {
                self.report_function(format!("place {id} is in {}, which does not exist", place.file));
            }
            if place.inlined_function.is_some_and(|name| name.index() >= debug.names.len()) {
                self.report_function(format!("the inlined function of place {id} has no name"));
            }
            let mut next = Some(id);
            while let Some(at) = next.filter(|at| !settled.get(at.index()).is_none_or(|settled| *settled)) {
                if chain.len() > body.places.len() {
                    self.report_function(format!("place {id} is inlined into itself"));
                    break;
                }
                chain.push(at);
                next = body.places[at].inlined_at;
            }
            if next.is_some_and(|at| at.index() >= body.places.len()) {
                self.report_function(format!("place {id} is inlined at a place that does not exist"));
            }
            chain.drain(..).for_each(|at: PlaceId| settled[at.index()] = true);
        }
        let has_place = |place: Option<PlaceId>| place.is_none_or(|place| place.index() < body.places.len());
        if !has_place(self.function.place) {
            self.report_function("its place does not exist");
        }
        for (id, variable) in body.variables.iter() {
            let named = variable.name.index() < debug.names.len();
            let typed = variable.ty.is_none_or(|ty| ty.index() < debug.types.len());
            if !named || !typed || !has_place(variable.place) {
                self.report_function(format!("the name, type or place of {id} does not exist"));
            }
            if variable.home.is_some_and(|home| body.values.get(home).is_none_or(|home| home.ty != Type::Ptr))
            {
                self.report_function(format!("the home of {id} is not a pointer"));
            }
        }
        for (id, inst) in body.insts.iter() {
            if !has_place(inst.place) {
                self.report_inst(id, "its place does not exist");
            }
        }
        for (id, block) in body.blocks.iter() {
            if !has_place(block.term_place) {
                self.report_terminator(id, "its place does not exist");
            }
        }
    }

    /// Instructions stand in one block each, phis first; targets exist; the entry has no predecessors.
    fn check_blocks(&mut self) {
        let body = self.body;
        let mut order = 0;
        for (id, block) in body.blocks.iter() {
            let mut phis_may_stand = true;
            for &inst in &block.insts {
                match self.positions.get_mut(inst.index()) {
                    None => self.report_block(id, format!("{inst} does not exist")),
                    Some(Some(_)) => self.report_inst(inst, "it stands in blocks twice"),
                    Some(position) => {
                        *position = Some(Position { block: id, order });
                        order += 1;
                        let is_phi = matches!(body.insts[inst].op, Op::Phi { .. });
                        if is_phi && !phis_may_stand {
                            self.report_inst(inst, "phis stand first in their block");
                        }
                        phis_may_stand &= is_phi;
                    }
                }
            }
            let mut missing = None;
            let mut to_entry = false;
            block.term.successors(|target| {
                if target.index() >= body.blocks.len() {
                    missing = Some(target);
                }
                to_entry |= target == body.entry();
            });
            if let Some(target) = missing {
                self.report_terminator(id, format!("{target} does not exist"));
            }
            if to_entry {
                self.report_terminator(id, "the entry cannot have predecessors");
            }
        }
    }

    /// Parameters come first; results and instructions name each other; constants fit their types.
    fn check_values(&mut self) {
        let body = self.body;
        let params = &self.function.params;
        if body.values.len() < params.len() {
            self.report_function("the first values are not its parameters");
        }
        for (id, value) in body.values.iter() {
            if value.ty == Type::Void || !self.verifier.has_type(value.ty) {
                self.report_function(format!("{id} has the type {}", value.ty));
                continue;
            }
            match &value.def {
                Def::Param(number) => {
                    let param = params.get(id.index()).filter(|_| *number as usize == id.index());
                    if param.is_none_or(|param| param.ty != value.ty) {
                        let message = format!("{id} is not the parameter {number} of that type");
                        self.report_function(message);
                    }
                }
                _ if id.index() < params.len() => {
                    self.report_function(format!("{id} is not parameter {}", id.index()));
                }
                Def::Inst(inst) => {
                    if body.insts.get(*inst).is_none_or(|inst| inst.result != Some(id)) {
                        self.report_function(format!("{id} is not the result of {inst}"));
                    }
                }
                Def::Const(constant) => {
                    if let Err(message) = check_constant(self.verifier, value.ty, constant) {
                        let name = self.verifier.printer().operand(body, id);
                        self.report_function(format!("{name}: {message}"));
                    }
                }
            }
        }
        for (id, inst) in body.insts.iter() {
            if self.positions[id.index()].is_none() {
                continue;
            }
            let Some(result) = inst.result else { continue };
            if body.values.get(result).is_none_or(|value| value.def != Def::Inst(id)) {
                self.report_inst(id, format!("{result} is defined elsewhere"));
            }
        }
    }

    /// Operands exist and are defined by something that stands in the body.
    fn check_operands(&mut self) {
        let body = self.body;
        for (id, block) in body.blocks.iter() {
            for &inst in &block.insts {
                let mut fault = None;
                body.insts[inst].op.operands(|operand| fault = self.operand_fault(operand).or(fault.take()));
                if let Some(fault) = fault {
                    self.report_inst(inst, fault);
                }
            }
            let mut fault = None;
            block.term.operands(|operand| fault = self.operand_fault(operand).or(fault.take()));
            if let Some(fault) = fault {
                self.report_terminator(id, fault);
            }
        }
    }

    fn operand_fault(&self, operand: ValueId) -> Option<String> {
        match self.body.values.get(operand).map(|value| &value.def) {
            None => Some(format!("{operand} does not exist")),
            Some(Def::Inst(inst)) if self.positions[inst.index()].is_none() => {
                Some(format!("the definition of {operand} stands in no block"))
            }
            Some(_) => None,
        }
    }

    fn check_types(&mut self) {
        let body = self.body;
        for (id, block) in body.blocks.iter() {
            for &inst in &block.insts {
                if let Err(message) = check_inst(self.verifier, body, &body.insts[inst]) {
                    self.report_inst(inst, message);
                }
            }
            if let Err(message) = check_terminator(self.function, body, &block.term) {
                self.report_terminator(id, message);
            }
        }
    }

    /// Phis agree with the predecessors, and definitions dominate uses.
    fn check_flow(&mut self) {
        let body = self.body;
        let cfg = Cfg::new(body);
        let dominators = Dominators::new(&cfg);
        // The phi that last named each block as a source.
        let mut named_by: Vec<Option<InstId>> = vec![None; body.blocks.len()];
        for (block, entry) in body.blocks.iter() {
            for &id in &entry.insts {
                let inst: &Inst = &body.insts[id];
                if let Op::Phi { incoming } = &inst.op {
                    self.check_sources(id, incoming, cfg.predecessors(block), &mut named_by);
                    for &(source, value) in incoming {
                        if source.index() < body.blocks.len()
                            && !self.available(&cfg, &dominators, value, source, u32::MAX)
                        {
                            self.report_inst(id, format!("{value} is not defined on every way to {source}"));
                        }
                    }
                    continue;
                }
                let order = self.positions[id.index()].map_or(0, |position| position.order);
                let mut missing = None;
                inst.op.operands(|operand| {
                    if !self.available(&cfg, &dominators, operand, block, order) {
                        missing = Some(operand);
                    }
                });
                if let Some(operand) = missing {
                    self.report_inst(id, format!("{operand} is not defined on every way to here"));
                }
            }
            let mut missing = None;
            entry.term.operands(|operand| {
                if !self.available(&cfg, &dominators, operand, block, u32::MAX) {
                    missing = Some(operand);
                }
            });
            if let Some(operand) = missing {
                self.report_terminator(block, format!("{operand} is not defined on every way to here"));
            }
        }
    }

    /// The sources of a phi are the predecessors of its block, each once.
    fn check_sources(
        &mut self,
        phi: InstId,
        incoming: &[(BlockId, ValueId)],
        predecessors: &[BlockId],
        named_by: &mut [Option<InstId>],
    ) {
        for &(source, _) in incoming {
            match named_by.get_mut(source.index()) {
                None => self.report_inst(phi, format!("{source} does not exist")),
                Some(last) if *last == Some(phi) => {
                    self.report_inst(phi, format!("it names {source} twice"));
                }
                Some(last) => *last = Some(phi),
            }
        }
        for source in predecessors {
            if named_by[source.index()] != Some(phi) {
                self.report_inst(phi, format!("it has no value from {source}"));
            }
            named_by[source.index()] = None;
        }
        // What is still marked is no predecessor.
        for &(source, _) in incoming {
            if named_by.get(source.index()) == Some(&Some(phi)) {
                self.report_inst(phi, format!("{source} is not a predecessor"));
            }
        }
    }

    /// Whether `value` is defined whenever control is before the instruction `order` of `block`.
    fn available(
        &self,
        cfg: &Cfg,
        dominators: &Dominators,
        value: ValueId,
        block: BlockId,
        order: u32,
    ) -> bool {
        let Def::Inst(inst) = self.body.values[value].def else { return true };
        let Some(position) = self.positions[inst.index()] else { return false };
        if !cfg.is_reachable(block) {
            return true;
        }
        if position.block == block {
            return position.order < order;
        }
        dominators.dominates(position.block, block)
    }
}
