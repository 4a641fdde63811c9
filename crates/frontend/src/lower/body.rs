//! One function body: blocks in reverse post-order, so that every operand is lowered before its use; phis
//! are completed at the end, when all values exist.
//!
//! Block numbers are those of LLVM. Unreachable blocks stay empty; SSA construction removes them.

use super::call::CallFacts;
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
    self as ir, Access, BlockId, BodyBuilder, Const, Id, InstId, Op, Place, PlaceId, Terminator, Type, VarId,
};

/// What bodies of a unit share.
pub(super) struct Shared<'m> {
    pub symbols: &'m Symbols<'m>,
    pub types: Types<'m>,
    pub debug: Debug,
    pub intrinsics: Intrinsics,
    pub call_facts: CallFacts,
}

/// The state of lowering one body.
pub(super) struct Lowering<'s, 'm> {
    pub shared: &'s mut Shared<'m>,
    pub llvm: &'s FunctionBody<'s>,
    pub out: &'s mut BodyBuilder,
    work: &'s mut Work,
    /// Where instructions are appended.
    pub block: BlockId,
    pub place: Option<PlaceId>,
    /// The location of the instruction at hand.
    location: Option<LocationId>,
    /// More instructions than this are no translation any more, but a bomb.
    most_instructions: usize,
}

/// Tables that go from body to body of a unit, so that a body costs few allocations.
#[derive(Default)]
pub(super) struct Work {
    /// Our value for each of LLVM's: those of the module, as far as used here, then the function's own.
    values: Vec<Option<ir::ValueId>>,
    /// The values of the module that have an entry.
    module_values: Vec<ValueId>,
    places: Vec<Option<PlaceId>>,
    inlined_places: FxHashMap<MetadataId, Option<PlaceId>>,
    variables: FxHashMap<(MetadataId, Option<MetadataId>), Option<VarId>>,
    open_phis: Vec<(InstId, List<PhiIncoming>)>,
    order: BlockOrder,
}

impl Work {
    fn clear(&mut self, llvm: &FunctionBody<'_>) {
        for id in self.module_values.drain(..) {
            self.values[id.index()] = None;
        }
        let module_count = llvm.module.value_count();
        self.values.truncate(module_count);
        self.values.resize(module_count + llvm.local_count(), None);
        self.places.clear();
        self.places.resize(llvm.location_count(), None);
        self.inlined_places.clear();
        self.variables.clear();
        self.open_phis.clear();
    }
}

/// No call is inlined deeper; a cycle in hostile metadata ends here.
const DEEPEST_INLINING: usize = 64;

/// How many instructions of ours may stand for one of LLVM's, on the average of a body. Only accesses to
/// large aggregates and expressions in constants make more than a few.
const MOST_PER_INSTRUCTION: usize = 64;
/// What a small body may use beyond that.
const SMALL_BODY: usize = 1 << 16;

/// A body that grows out of all proportion: no translation, but a bomb.
pub(super) struct Overgrown;

/// Lowers a body into `out`, which has the parameters already. The result is the place of the function itself.
pub(super) fn lower_body(
    shared: &mut Shared<'_>,
    llvm: &FunctionBody<'_>,
    out: &mut BodyBuilder,
    work: &mut Work,
) -> Result<Option<PlaceId>, Overgrown> {
    work.clear(llvm);
    out.body.insts.reserve(llvm.instructions.len());
    out.body.values.reserve(llvm.local_count());
    out.body.places.reserve(llvm.location_count());
    let most_instructions = llvm.instructions.len().saturating_mul(MOST_PER_INSTRUCTION) + SMALL_BODY;
    let mut lowering = Lowering {
        shared,
        llvm,
        out,
        work,
        block: BlockId::new(0),
        place: None,
        location: None,
        most_instructions,
    };
    let place = lowering.function_place();
    lowering.run();
    if lowering.is_overgrown() { Err(Overgrown) } else { Ok(place) }
}

impl<'s> Lowering<'s, '_> {
    fn run(&mut self) {
        self.shared.debug.next_function();
        for (_, block) in self.llvm.blocks() {
            // Most instructions become one of ours; the terminator stands apart.
            let block_id = self.out.block();
            self.out.body.blocks[block_id].insts.reserve_exact(block.len() - 1);
        }
        let mut order = std::mem::take(&mut self.work.order);
        order.find(self.llvm);
        for &block in order.blocks.iter().rev() {
            self.block = BlockId::new(block.index());
            self.lower_block(block);
        }
        self.complete_phis(&order.reached);
        self.work.order = order;
    }

    fn lower_block(&mut self, block: llvm::BlockId) {
        let llvm = self.llvm;
        let block = llvm.block(block);
        let mut records = llvm.debug_records_of(block).iter().peekable();
        for (id, instruction) in llvm.instructions_of(block) {
            while let Some(record) = records.next_if(|record| record.before == id) {
                self.debug_record(record);
            }
            if self.is_overgrown() {
                return;
            }
            self.location = instruction.location;
            self.place = instruction.location.and_then(|location| self.location(location));
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

    #[inline]
    fn set(&mut self, number: ValueId, value: ir::ValueId) {
        self.work.values[number.index()] = Some(value);
    }

    /// Our value for an operand. A value that is not there (used before its definition, in code that
    /// LLVM's own verifier rejects) is undefined.
    #[inline]
    pub(super) fn value(&mut self, id: ValueId) -> ir::ValueId {
        match self.work.values[id.index()] {
            Some(value) => value,
            None => self.first_use(id),
        }
    }

    fn first_use(&mut self, id: ValueId) -> ir::ValueId {
        let of_module = id.index() < self.llvm.module.value_count();
        match self.llvm.value(id) {
            llvm::Value::Argument(position) => self.out.param(position as usize),
            llvm::Value::Instruction(_) => {
                let ty = self.shared.types.convert(self.llvm.value_type(id));
                self.undef(ty)
            }
            _ => {
                let (value, shareable) = self.constant(id);
                if shareable {
                    self.set(id, value);
                    if of_module {
                        self.work.module_values.push(id);
                    }
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
        self.work.open_phis.push((inst, incoming));
        result.unwrap_or_else(|| self.undef(ty))
    }

    /// Fills in the phis: one entry per reachable predecessor, however many edges come from it.
    fn complete_phis(&mut self, reachable: &[bool]) {
        // The number of the phi that last had an entry from each block, counted from 1.
        let mut served_by = vec![0; reachable.len()];
        for index in 0..self.work.open_phis.len() {
            let (inst, list) = self.work.open_phis[index];
            let number = index + 1;
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

    #[inline]
    fn location(&mut self, id: LocationId) -> Option<PlaceId> {
        if self.work.places[id.index()].is_none() {
            let location = self.llvm.location(id);
            self.work.places[id.index()] = self.place_of(&location, 0);
        }
        self.work.places[id.index()]
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
        if let Some(&place) = self.work.inlined_places.get(&id) {
            return place;
        }
        if depth >= DEEPEST_INLINING {
            return None;
        }
        let place = match self.llvm.metadata(id) {
            Some(Metadata::Location(location)) => self.place_of(&location.clone(), depth + 1),
            _ => None,
        };
        self.work.inlined_places.insert(id, place);
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
        if let Some(&variable) = self.work.variables.get(&(id, inlined_at)) {
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
        self.work.variables.insert((id, inlined_at), variable);
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
        let inlined_at = self.location.and_then(|location| self.llvm.location(location).inlined_at);
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

/// The blocks reachable from the entry, each after its dominators.
#[derive(Default)]
struct BlockOrder {
    /// In post-order: to be walked backwards.
    blocks: Vec<llvm::BlockId>,
    /// By block.
    reached: Vec<bool>,
    /// Blocks on the way from the entry, with the number of successors that were followed.
    path: Vec<(llvm::BlockId, usize)>,
}

impl BlockOrder {
    fn find(&mut self, body: &FunctionBody<'_>) {
        let count = body.blocks().len();
        self.blocks.clear();
        self.reached.clear();
        self.reached.resize(count, false);
        if count > 0 {
            self.reached[0] = true;
            self.path.push((llvm::BlockId::new(0), 0));
        }
        while let Some((block, followed)) = self.path.last_mut() {
            match successor(body, *block, *followed) {
                Some(next) => {
                    *followed += 1;
                    if !std::mem::replace(&mut self.reached[next.index()], true) {
                        self.path.push((next, 0));
                    }
                }
                None => {
                    self.blocks.push(*block);
                    self.path.pop();
                }
            }
        }
    }
}

/// The successor of a block at a position, in the order of its terminator.
fn successor(body: &FunctionBody<'_>, block: llvm::BlockId, position: usize) -> Option<llvm::BlockId> {
    let pick =
        |targets: &[llvm::BlockId], last: Option<llvm::BlockId>| match position.checked_sub(targets.len()) {
            None => Some(targets[position]),
            Some(0) => last,
            Some(_) => None,
        };
    match body.terminator(block).kind {
        InstructionKind::Branch { target } => pick(&[target], None),
        InstructionKind::ConditionalBranch { if_true, if_false, .. } => pick(&[if_true, if_false], None),
        InstructionKind::Switch { default, cases, .. } => {
            let cases = body.cases(cases);
            match cases.get(position) {
                Some(case) => Some(case.target),
                None => (position == cases.len()).then_some(default),
            }
        }
        InstructionKind::IndirectBranch { targets, .. } => pick(body.targets(targets), None),
        InstructionKind::Invoke { normal, unwind, .. } => pick(&[normal, unwind], None),
        InstructionKind::CallBranch { fallthrough, indirect, .. } => match position.checked_sub(1) {
            None => Some(fallthrough),
            Some(position) => body.targets(indirect).get(position).copied(),
        },
        InstructionKind::CatchSwitch { handlers, unwind, .. } => pick(body.targets(handlers), unwind),
        InstructionKind::CatchReturn { target, .. } => pick(&[target], None),
        InstructionKind::CleanupReturn { unwind, .. } => pick(&[], unwind),
        _ => None,
    }
}
