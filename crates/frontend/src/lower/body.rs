//! One function body: blocks in reverse post-order, so that every operand is lowered before its use; phis
//! are completed at the end, when all values exist.
//!
//! Block numbers are those of LLVM. Unreachable blocks stay empty; SSA construction removes them.

use super::debug::Debug;
use super::intrinsics::{Intrinsic, Intrinsics};
use super::linear::Constants;
use super::symbols::Symbols;
use super::types::Types;
use crate::bitcode::{
    self as llvm, DebugRecordKind, DebugValue, FunctionBody, InstructionKind, List, LocationId, Metadata,
    MetadataId, PhiIncoming, TypeId, ValueId,
};
use rustc_hash::FxHashMap;
use watertight_ir::{
    self as ir, Access, BlockId, Body, BodyBuilder, Const, Id, InstId, Op, Place, PlaceId, Terminator, Type,
    VarId,
};

/// What bodies of a unit share.
pub(super) struct Shared<'m> {
    pub symbols: &'m Symbols<'m>,
    pub types: Types<'m>,
    pub debug: Debug,
    pub intrinsics: Intrinsics,
}

/// The state of lowering one body.
pub(super) struct Lowering<'s, 'm> {
    pub shared: &'s mut Shared<'m>,
    pub llvm: &'s FunctionBody<'s>,
    pub out: BodyBuilder,
    /// Our value for each value of the function's own.
    values: Vec<Option<ir::ValueId>>,
    /// Our value for constants of the module, as far as used here.
    pub module_constants: FxHashMap<ValueId, ir::ValueId>,
    /// Where instructions are appended.
    pub block: BlockId,
    pub place: Option<PlaceId>,
    places: Vec<Option<PlaceId>>,
    inlined_places: FxHashMap<MetadataId, Option<PlaceId>>,
    variables: FxHashMap<(MetadataId, Option<MetadataId>), Option<VarId>>,
    open_phis: Vec<(InstId, List<PhiIncoming>)>,
    /// More instructions than this are no translation any more, but a bomb.
    most_instructions: usize,
    /// Where the instruction at hand was inlined.
    current_inlined_at: Option<MetadataId>,
}

/// No call is inlined deeper; a cycle in hostile metadata ends here.
const DEEPEST_INLINING: usize = 64;

/// How many instructions of ours may stand for one of LLVM's, on the average of a body. Only accesses to
/// large aggregates and expressions in constants make more than a few.
const MOST_PER_INSTRUCTION: usize = 64;
/// What a small body may use beyond that.
const SMALL_BODY: usize = 1 << 16;

/// Lowers the body of a function with these parameters, and says where the function stands. None if the body
/// grows out of all proportion.
pub(super) fn lower_body(
    shared: &mut Shared<'_>,
    llvm: &FunctionBody<'_>,
    params: &[ir::Param],
) -> Option<(Body, Option<PlaceId>)> {
    let own = llvm.instructions.len() + params.len() + 16;
    let mut lowering = Lowering {
        shared,
        llvm,
        out: BodyBuilder::new(params),
        values: Vec::with_capacity(own),
        module_constants: FxHashMap::default(),
        block: BlockId::new(0),
        place: None,
        places: Vec::new(),
        inlined_places: FxHashMap::default(),
        variables: FxHashMap::default(),
        open_phis: Vec::new(),
        most_instructions: llvm.instructions.len().saturating_mul(MOST_PER_INSTRUCTION) + SMALL_BODY,
        current_inlined_at: None,
    };
    let place = lowering.function_place();
    lowering.run();
    (!lowering.is_overgrown()).then(|| (lowering.out.finish(), place))
}

impl<'s> Lowering<'s, '_> {
    fn run(&mut self) {
        self.shared.debug.next_function();
        let count = self.llvm.blocks().len();
        for _ in 0..count {
            self.out.block();
        }
        let order = reverse_post_order(self.llvm, count);
        let mut reachable = vec![false; count];
        for &block in &order {
            reachable[block.index()] = true;
        }
        for &block in &order {
            self.block = BlockId::new(block.index());
            self.lower_block(block);
        }
        self.complete_phis(&reachable);
    }

    fn lower_block(&mut self, block: llvm::BlockId) {
        let llvm = self.llvm;
        for (id, instruction) in llvm.instructions_of(llvm.block(block)) {
            if !llvm.debug_records.is_empty() {
                for record in llvm.debug_records_before(id) {
                    self.debug_record(record);
                }
            }
            if self.is_overgrown() {
                return;
            }
            self.place = instruction.location.and_then(|location| self.location(location));
            self.current_inlined_at =
                instruction.location.and_then(|location| llvm.location(location).inlined_at);
            let ty = self.shared.types.convert(instruction.result_type);
            let result = self.instruction(&instruction.kind, instruction.result_type, ty);
            if let (Some(number), Some(value)) = (instruction.result, result) {
                self.set(number, value);
            }
        }
    }

    pub(super) fn is_overgrown(&self) -> bool {
        self.out.body.insts.len() > self.most_instructions
    }

    /// Appends an operation with a result. One that LLVM's own verifier rejects may have none; the body then
    /// does not pass ours either.
    pub(super) fn emit(&mut self, op: Op, ty: Type) -> ir::ValueId {
        if ty == Type::Void {
            self.effect(op);
            return self.undef(ty);
        }
        self.out.value(self.block, op, ty, self.place)
    }

    /// Appends an operation without result.
    pub(super) fn effect(&mut self, op: Op) {
        self.out.effect(self.block, op, self.place);
    }

    pub(super) fn end(&mut self, term: Terminator) {
        self.out.terminate(self.block, term, self.place);
    }

    /// An operation that is not modelled, with all its operands.
    pub(super) fn unknown(
        &mut self,
        what: impl Into<Box<str>>,
        args: Vec<ir::ValueId>,
        ty: Type,
    ) -> Option<ir::ValueId> {
        let op = Op::Unknown(Box::new(ir::Unknown { what: what.into(), args: args.into() }));
        if ty == Type::Void {
            self.effect(op);
            None
        } else {
            Some(self.emit(op, ty))
        }
    }

    pub(super) fn undef(&mut self, ty: Type) -> ir::ValueId {
        self.out.constant(ty, Const::Undef)
    }

    fn set(&mut self, number: ValueId, value: ir::ValueId) {
        let index = number.index() - self.llvm.module.value_count();
        if self.values.len() <= index {
            self.values.resize(index + 1, None);
        }
        self.values[index] = Some(value);
    }

    /// Our value for an operand. A value that is not there (used before its definition, in code that
    /// LLVM's own verifier rejects) is undefined.
    pub(super) fn value(&mut self, id: ValueId) -> ir::ValueId {
        match id.index().checked_sub(self.llvm.module.value_count()) {
            Some(index) => {
                if let Some(&Some(value)) = self.values.get(index) {
                    return value;
                }
                match self.llvm.value(id) {
                    llvm::Value::Argument(position) => self.out.param(position as usize),
                    llvm::Value::Constant(_) => {
                        let (value, shareable) = self.constant(id);
                        if shareable {
                            self.set(id, value);
                        }
                        value
                    }
                    _ => {
                        let ty = self.shared.types.convert(self.llvm.value_type(id));
                        self.undef(ty)
                    }
                }
            }
            None => {
                if let Some(&value) = self.module_constants.get(&id) {
                    return value;
                }
                let (value, shareable) = self.constant(id);
                if shareable {
                    self.module_constants.insert(id, value);
                }
                value
            }
        }
    }

    pub(super) fn type_of(&mut self, id: ValueId) -> Type {
        self.shared.types.convert(self.llvm.value_type(id))
    }

    pub(super) fn is_vector(&self, id: ValueId) -> bool {
        self.shared.types.is_vector(self.llvm.value_type(id))
    }

    // Phis.

    pub(super) fn phi(&mut self, incoming: List<PhiIncoming>, ty: Type) -> ir::ValueId {
        let (inst, result) = self.out.detached(Op::Phi { incoming: Box::default() }, ty, self.place);
        self.out.body.blocks[self.block].insts.push(inst);
        self.open_phis.push((inst, incoming));
        result.unwrap_or_else(|| self.undef(ty))
    }

    /// Fills in the phis: one entry per reachable predecessor, however many edges come from it.
    fn complete_phis(&mut self, reachable: &[bool]) {
        // The number of the phi that last had an entry from each block.
        let mut served_by = vec![0; reachable.len()];
        for (number, (inst, list)) in (1..).zip(std::mem::take(&mut self.open_phis)) {
            let mut incoming: Vec<(BlockId, ir::ValueId)> = Vec::with_capacity(list.len());
            let llvm = self.llvm;
            for edge in llvm.incoming(list) {
                let from = BlockId::new(edge.block.index());
                if reachable[edge.block.index()] && served_by[edge.block.index()] != number {
                    served_by[edge.block.index()] = number;
                    // A constant that needs code is computed where control comes from.
                    self.block = from;
                    self.place = self.out.body.insts[inst].place;
                    let value = self.value(edge.value);
                    incoming.push((from, value));
                }
            }
            self.out.body.insts[inst].op = Op::Phi { incoming: incoming.into() };
        }
    }

    // Places and variables.

    fn location(&mut self, id: LocationId) -> Option<PlaceId> {
        if self.places.len() <= id.index() {
            self.places.resize(id.index() + 1, None);
        }
        if self.places[id.index()].is_none() {
            let location = self.llvm.location(id);
            self.places[id.index()] = self.place_of(&location, 0);
        }
        self.places[id.index()]
    }

    fn place_of(&mut self, location: &llvm::Location, depth: usize) -> Option<PlaceId> {
        let scope = self.shared.debug.scope(self.llvm, location.scope);
        let inlined_at = location.inlined_at.and_then(|id| self.inlined_place(id, depth));
        Some(self.out.place(Place {
            file: scope.file,
            line: location.line,
            column: location.column,
            inlined_function: inlined_at.and(scope.function),
            inlined_at,
        }))
    }

    fn inlined_place(&mut self, id: MetadataId, depth: usize) -> Option<PlaceId> {
        if let Some(&place) = self.inlined_places.get(&id) {
            return place;
        }
        if depth >= DEEPEST_INLINING {
            return None;
        }
        let place = match self.llvm.metadata(id) {
            Some(Metadata::Location(location)) => self.place_of(&location.clone(), depth + 1),
            _ => None,
        };
        self.inlined_places.insert(id, place);
        place
    }

    fn function_place(&mut self) -> Option<PlaceId> {
        let Some(Metadata::Subprogram(subprogram)) = self.llvm.metadata(self.llvm.subprogram?) else {
            return None;
        };
        let (line, file) = (subprogram.line, subprogram.file);
        let file = self.shared.debug.file(self.llvm, file);
        Some(self.out.place(Place { file, line, column: 0, inlined_function: None, inlined_at: None }))
    }

    /// The variable of a `DILocalVariable`, one per inlined copy.
    fn variable(&mut self, id: MetadataId, location: Option<MetadataId>) -> Option<VarId> {
        let inlined_at = match location.and_then(|id| self.llvm.metadata(id)) {
            Some(Metadata::Location(location)) => location.inlined_at,
            _ => None,
        };
        self.variable_at(id, inlined_at)
    }

    fn variable_at(&mut self, id: MetadataId, inlined_at: Option<MetadataId>) -> Option<VarId> {
        if let Some(&variable) = self.variables.get(&(id, inlined_at)) {
            return variable;
        }
        let variable = self.shared.debug.variable(self.llvm, id).map(|(mut variable, line, scope)| {
            let scope = self.shared.debug.scope(self.llvm, scope);
            let inlined_at = inlined_at.and_then(|id| self.inlined_place(id, 0));
            if inlined_at.is_some() {
                variable.parameter = None;
            }
            let place = Place {
                file: scope.file,
                line,
                column: 0,
                inlined_function: inlined_at.and(scope.function),
                inlined_at,
            };
            variable.place = Some(self.out.place(place));
            self.out.variable(variable)
        });
        self.variables.insert((id, inlined_at), variable);
        variable
    }

    fn debug_record(&mut self, record: &llvm::DebugRecord) {
        let (variable, expression, value, is_address) = match record.kind {
            DebugRecordKind::Declare { variable, expression, address } => {
                (variable, expression, address, true)
            }
            DebugRecordKind::Value { variable, expression, value }
            | DebugRecordKind::DeclareValue { variable, expression, value } => {
                (variable, expression, value, false)
            }
            DebugRecordKind::Assign { .. } | DebugRecordKind::Label { .. } => return,
        };
        let value = match value {
            DebugValue::Value(value) => Some(value),
            DebugValue::Metadata(id) => self.wrapped_value(id),
        };
        let variable = self.variable(variable, Some(record.location));
        self.describe(variable, Some(expression), value, is_address);
    }

    fn wrapped_value(&self, id: MetadataId) -> Option<ValueId> {
        match self.llvm.metadata(id)? {
            Metadata::Value { value, .. } => Some(*value),
            _ => None,
        }
    }

    /// Notes that a variable lives at, or has, a value. Only plain descriptions help to spell names.
    fn describe(
        &mut self,
        variable: Option<VarId>,
        expression: Option<MetadataId>,
        value: Option<ValueId>,
        is_address: bool,
    ) {
        let (Some(variable), Some(value)) = (variable, value) else { return };
        let plain = match expression.and_then(|id| self.llvm.metadata(id)) {
            Some(Metadata::Expression(operations)) => operations.is_empty(),
            _ => true,
        };
        if !plain {
            return;
        }
        let value = self.value(value);
        if is_address {
            self.out.body.variables[variable].home = Some(value);
        } else {
            self.effect(Op::Name { variable, value });
        }
    }

    /// `llvm.dbg.declare` and `llvm.dbg.value` of LLVM 18 and before.
    pub(super) fn debug_call(&mut self, intrinsic: Intrinsic, call: &llvm::CallSite) {
        let node = |position: usize| match self.llvm.operands(call.arguments).get(position) {
            Some(&llvm::Operand::Metadata(id)) => Some(id),
            _ => None,
        };
        let (value, variable, expression) = (node(0), node(1), node(2));
        let Some(variable) = variable else { return };
        let value = value.and_then(|id| self.wrapped_value(id));
        let inlined_at = self.current_inlined_at;
        let variable = self.variable_at(variable, inlined_at);
        self.describe(variable, expression, value, intrinsic == Intrinsic::DebugDeclare);
    }
}

impl Constants for FunctionBody<'_> {
    fn value(&self, id: ValueId) -> Option<llvm::Value<'_>> {
        Some(FunctionBody::value(self, id))
    }
    fn type_of(&self, id: ValueId) -> Option<TypeId> {
        Some(self.value_type(id))
    }
}

/// How an LLVM access touches memory.
pub(super) fn access_of(access: llvm::Access) -> Access {
    if access.ordering != llvm::AtomicOrdering::NotAtomic {
        Access::Atomic
    } else if access.volatile {
        Access::Volatile
    } else {
        Access::Plain
    }
}

/// Blocks reachable from the entry, each after its dominators.
fn reverse_post_order(body: &FunctionBody<'_>, count: usize) -> Vec<llvm::BlockId> {
    let mut seen = vec![false; count];
    let mut order = Vec::with_capacity(count);
    let mut stack: Vec<(llvm::BlockId, Vec<llvm::BlockId>)> = Vec::new();
    if count > 0 {
        let entry = llvm::BlockId::new(0);
        seen[0] = true;
        stack.push((entry, successors(body, entry)));
    }
    while let Some((block, open)) = stack.last_mut() {
        match open.pop() {
            Some(next) if !seen[next.index()] => {
                seen[next.index()] = true;
                let following = successors(body, next);
                stack.push((next, following));
            }
            Some(_) => {}
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

/// Successors in reverse, so that popping visits them in order.
fn successors(body: &FunctionBody<'_>, block: llvm::BlockId) -> Vec<llvm::BlockId> {
    let Some((_, last)) = body.instructions_of(body.block(block)).last() else { return Vec::new() };
    let mut next = match last.kind {
        InstructionKind::Branch { target } => vec![target],
        InstructionKind::ConditionalBranch { if_true, if_false, .. } => vec![if_true, if_false],
        InstructionKind::Switch { default, cases, .. } => {
            let mut next: Vec<_> = body.cases(cases).iter().map(|case| case.target).collect();
            next.push(default);
            next
        }
        InstructionKind::IndirectBranch { targets, .. } => body.targets(targets).to_vec(),
        InstructionKind::Invoke { normal, unwind, .. } => vec![normal, unwind],
        InstructionKind::CallBranch { fallthrough, indirect, .. } => {
            let mut next = vec![fallthrough];
            next.extend_from_slice(body.targets(indirect));
            next
        }
        InstructionKind::CatchSwitch { handlers, unwind, .. } => {
            let mut next = body.targets(handlers).to_vec();
            next.extend(unwind);
            next
        }
        InstructionKind::CatchReturn { target, .. } => vec![target],
        InstructionKind::CleanupReturn { unwind, .. } => unwind.into_iter().collect(),
        _ => Vec::new(),
    };
    next.reverse();
    next
}
