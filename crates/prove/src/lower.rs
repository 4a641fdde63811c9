//! From instructions to the statements of the paper.
//!
//! In: a body whose variables live in memory. Out: for each block its [`Action`]s in order. A load whose memory does not
//! change before the value is used becomes part of the expression that uses it, so that `x->next = y` is one assignment
//! `*(*a_x + 8) ← *a_y`. Where something may change in between, the value keeps a name of its own, and the load becomes
//! an action that says what the name stands for.

use crate::expr::{Expr, ExprId, Points, Symbol};
use crate::fresh::FreshLocal;
use crate::region::Overlap;
use crate::types::{Shape, TypeId};
use crate::words::{AGGREGATE_STORED, Why};
use crate::world::World;
use rustc_hash::{FxHashMap, FxHashSet};
use watertight_ir::callgraph::direct_callee;
use watertight_ir::{
    BlockId, Body, Cfg, Const, DebugType, Def, FuncId, Id as _, InstId, Op, Terminator, Type, ValueId, ctype,
};

/// A statement.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    /// `*addr ← value`.
    Assign {
        addr: ExprId,
        value: ExprId,
        ty: Type,
    },
    /// A name stands for an expression from here on, or for something that is not known.
    Define {
        name: ExprId,
        by: Option<ExprId>,
    },
    /// `name = *addr; *addr ← value`; the value is not known when absent.
    Exchange {
        addr: ExprId,
        value: Option<ExprId>,
        name: Option<ExprId>,
        ty: Type,
    },
    /// Bytes are copied; all of them when the length is not known.
    Copy {
        to: ExprId,
        from: ExprId,
        bytes: Option<u64>,
    },
    /// Bytes become zero, or something else that is no address.
    Fill {
        to: ExprId,
        bytes: Option<u64>,
    },
    Call(Box<CallAction>),
    /// Something that is not modelled.
    Unmodelled(Box<str>),
}

/// A call.
#[derive(Clone, Debug)]
pub(crate) struct CallAction {
    pub(crate) callee: Option<FuncId>,
    pub(crate) args: Vec<ExprId>,
    pub(crate) result: Option<ExprId>,
    /// Arguments that the callee gets a copy of.
    pub(crate) by_value: Vec<u32>,
    pub(crate) no_return: bool,
}

/// A scalar of a local variable, which goes out of scope at the end.
#[derive(Clone, Debug)]
pub(crate) struct LocalScalar {
    pub(crate) addr: ExprId,
    pub(crate) ty: Option<TypeId>,
    /// The address stands for this scalar alone, not for the elements of an array.
    pub(crate) single: bool,
    /// Whether it is asked about when it goes out of scope: variables of the source, and places that the compiler made
    /// for what may hold a pointer. The place of the result is none: what is there is returned.
    pub(crate) is_asked: bool,
}

/// How a block ends.
#[derive(Clone, Debug)]
pub(crate) enum End {
    Goto,
    /// The condition under which control goes to the block; the other successor has the opposite one.
    Branch(ExprId, BlockId),
    Switch(ExprId, Vec<(u64, BlockId)>, BlockId),
    Return(Option<ExprId>),
}

/// The name of a merged value, and what it is by predecessor.
pub(crate) type Merged = (ExprId, Vec<(BlockId, ExprId)>);

/// A block.
#[derive(Clone, Debug)]
pub(crate) struct BlockStatements {
    pub(crate) actions: Vec<(InstId, Action)>,
    pub(crate) end: End,
    pub(crate) merged: Vec<Merged>,
}

/// The statements of a function.
#[derive(Debug)]
pub(crate) struct Statements {
    pub(crate) blocks: Vec<BlockStatements>,
    pub(crate) cfg: Cfg,
    pub(crate) locals: Vec<LocalScalar>,
    /// Variables that hold something acquired.
    pub(crate) fresh: Vec<FreshLocal>,
    /// Why nothing can be said about it.
    pub(crate) odd: Option<String>,
}

impl World<'_> {
    pub(crate) fn lower(&mut self, function: FuncId) -> Statements {
        let body = self.body(function).expect("only functions with bodies are brought into statements");
        let types = self.local_types(function, body);
        let mut lower = Lower {
            function,
            body,
            types,
            loads: FxHashMap::default(),
            named: FxHashSet::default(),
            block: body.entry(),
            odd: None,
        };
        lower.declare_params(self);
        let mut blocks = Vec::with_capacity(body.blocks.len());
        for block in body.blocks.ids() {
            blocks.push(lower.block(self, block));
        }
        // Names that nothing uses need no definition.
        let named = std::mem::take(&mut lower.named);
        for block in &mut blocks {
            block.actions.retain(|(_, action)| match action {
                Action::Define { name, .. } => named.contains(name),
                _ => true,
            });
        }
        let locals = lower.locals(self);
        let cfg = Cfg::new(body);
        let fresh = self.fresh_locals(function, &blocks, &cfg);
        Statements { blocks, cfg, locals, fresh, odd: lower.odd }
    }

    /// The declared types of the objects on the stack.
    fn local_types(&mut self, function: FuncId, body: &Body) -> FxHashMap<ValueId, (TypeId, Option<String>)> {
        let unit = self.program.functions[function].unit;
        let debug = &self.program.units[unit].debug;
        let mut types = FxHashMap::default();
        for variable in body.variables.values() {
            if let Some(home) = variable.home
                && let Some(ty) = self.types.of(unit, variable.ty)
            {
                types.entry(home).or_insert((ty, Some(debug.names.get(variable.name).to_owned())));
            }
        }
        // The place of the returned value has no name; it has the type of the result.
        if let Some(result) = self.result_type(function) {
            for block in body.blocks.values() {
                if let Terminator::Return(Some(value)) = block.term
                    && let Some(Op::Load { addr, .. }) = body.def_op(value)
                    && matches!(body.def_op(*addr), Some(Op::Stack { .. }))
                {
                    types.entry(*addr).or_insert((result, None));
                }
            }
        }
        types
    }

    fn result_type(&mut self, function: FuncId) -> Option<TypeId> {
        let data = &self.program.functions[function];
        match ctype::described(&self.program.units[data.unit].debug, data.debug_type)? {
            DebugType::Function { result, .. } => {
                let result = *result;
                self.types.of(data.unit, result)
            }
            _ => None,
        }
    }

    /// What a value of a type points to.
    pub(crate) fn pointee(&self, ty: Option<TypeId>) -> Points {
        match ty.map(|ty| self.types.shape(ty)) {
            Some(Shape::Pointer { to: Some(to) }) => match self.types.shape(*to) {
                Shape::Function => Points::NoObject,
                Shape::Opaque => Points::Anything,
                _ => Points::In(*to, 0),
            },
            Some(Shape::Pointer { to: None }) | None | Some(Shape::Opaque) => Points::Anything,
            Some(_) => Points::Anything,
        }
    }

    /// `*addr`, of a type.
    pub(crate) fn deref(&mut self, addr: ExprId, ty: Type) -> ExprId {
        let points = match (ty, self.exprs.points(addr)) {
            (Type::Ptr, Points::In(of, offset)) => match self.types.scalar_at(of, offset) {
                Some(scalar) if !scalar.overlaid => self.pointee(Some(scalar.ty)),
                _ => Points::Anything,
            },
            _ => Points::Anything,
        };
        self.exprs.intern(Expr::Deref(addr, ty), points)
    }

    /// A pointer of one declared type is stored where another is declared.
    fn note_cast(&mut self, from: Points, to: Points) {
        if let (Points::In(a, 0), Points::In(b, 0)) = (from, to) {
            let records = |shape: &Shape| matches!(shape, Shape::Record { .. } | Shape::Pointer { .. });
            if records(self.types.shape(a)) && records(self.types.shape(b)) {
                self.types.unite(a, b);
            }
        }
    }
}

/// What an instruction writes.
#[derive(Copy, Clone)]
enum Written {
    At(ExprId, Type),
    /// Somewhere in the object of an address, or anything that pointers lead to.
    Object(ExprId),
    /// Anything that another function can reach.
    ByCall,
}

struct Lower<'b> {
    function: FuncId,
    body: &'b Body,
    types: FxHashMap<ValueId, (TypeId, Option<String>)>,
    /// Loads of the current block that are still what memory holds, as expressions.
    loads: FxHashMap<ValueId, Option<ExprId>>,
    /// Names that are used.
    named: FxHashSet<ExprId>,
    block: BlockId,
    odd: Option<String>,
}

impl Lower<'_> {
    /// What parameters are is declared at the variables that they are stored into.
    fn declare_params(&mut self, world: &mut World<'_>) {
        let params = world.program.functions[self.function].params.len();
        let mut points = vec![Points::Anything; params];
        for inst in self.body.insts.values() {
            if let Op::Store { addr, value, .. } = inst.op
                && let Def::Param(index) = self.body.values[value].def
                && let Some((ty, _)) = self.types.get(&addr)
                && let Some(known) = points.get_mut(index as usize)
            {
                *known = match world.types.scalar_at(*ty, 0) {
                    Some(scalar) if !scalar.overlaid => world.pointee(Some(scalar.ty)),
                    _ => Points::Anything,
                };
            }
        }
        for (index, points) in points.into_iter().enumerate() {
            let ty = world.program.functions[self.function].params[index].ty;
            world.exprs.declare(Expr::Entry(self.function, index as u32), ty, points);
        }
    }

    fn block(&mut self, world: &mut World<'_>, block: BlockId) -> BlockStatements {
        self.block = block;
        self.loads.clear();
        let data = &self.body.blocks[block];
        let mut made = BlockStatements { actions: Vec::new(), end: End::Goto, merged: Vec::new() };
        for &inst in &data.insts {
            if let Op::Phi { incoming } = &self.body.insts[inst].op {
                let Some(result) = self.body.insts[inst].result else { continue };
                let mut ways = Vec::new();
                let mut points = None;
                for &(from, value) in incoming {
                    let way = self.across(world, value);
                    let here = world.exprs.points(way);
                    let null = matches!(world.exprs.get(way), Expr::Number(..));
                    points = match points {
                        _ if null => points,
                        None => Some(here),
                        Some(known) if known == here => points,
                        Some(_) => Some(Points::Anything),
                    };
                    ways.push((from, way));
                }
                let ty = self.body.ty(result);
                let name = Expr::Value(self.function, result);
                let name = world.exprs.declare(name, ty, points.unwrap_or_default());
                made.merged.push((name, ways));
                continue;
            }
            if let Some(action) = self.action(world, inst) {
                made.actions.push((inst, action));
            }
        }
        made.end = match &data.term {
            Terminator::Branch { cond, then, other } if then != other => {
                End::Branch(self.expr(world, *cond), *then)
            }
            Terminator::Switch { value, cases, default } => {
                let value = self.expr(world, *value);
                let cases = cases.iter().map(|&(case, to)| (case as u64, to)).collect();
                End::Switch(value, cases, *default)
            }
            Terminator::Return(value) => {
                let value = value.map(|value| self.expr(world, value));
                if let Some(value) = value
                    && let Some(result) = world.result_type(self.function)
                {
                    let declared = world.pointee(Some(result));
                    world.note_cast(world.exprs.points(value), declared);
                }
                End::Return(value)
            }
            Terminator::Resume | Terminator::Invoke { .. } => {
                self.odd = Some(Why::Exceptions.into());
                End::Goto
            }
            _ => End::Goto,
        };
        made
    }

    /// The expression for a value that comes from another block or from the end of one: its name, unless it is made of
    /// what does not change.
    fn across(&mut self, world: &mut World<'_>, value: ValueId) -> ExprId {
        let block = self.block;
        // No block: every load is elsewhere.
        self.block = BlockId::new(u32::MAX as usize - 2);
        let made = self.expr(world, value);
        self.block = block;
        made
    }

    fn name(&mut self, world: &mut World<'_>, value: ValueId, points: Points) -> ExprId {
        let ty = self.body.ty(value);
        let name = world.exprs.declare(Expr::Value(self.function, value), ty, points);
        self.named.insert(name);
        name
    }

    /// What a value is, in terms of memory as it is at this point of the block.
    fn expr(&mut self, world: &mut World<'_>, value: ValueId) -> ExprId {
        let ty = self.body.ty(value);
        match &self.body.values[value].def {
            Def::Param(index) => world.exprs.intern(Expr::Entry(self.function, *index), Points::Anything),
            Def::Const(constant) => match constant {
                Const::Bits(bits) => world.exprs.number(*bits, ty),
                Const::Global { global, offset } => {
                    let data = &world.program.globals[*global];
                    let points = world.types.of(data.unit, data.debug_type);
                    let points = points.map_or(Points::Anything, |ty| Points::In(ty, 0));
                    let base = world.exprs.intern(Expr::Address(Symbol::Global(*global)), points);
                    world.exprs.offset(base, *offset)
                }
                Const::Func(function) => {
                    world.exprs.intern(Expr::Address(Symbol::Func(*function)), Points::NoObject)
                }
                _ => self.name(world, value, Points::Anything),
            },
            Def::Inst(inst) => {
                let inst = *inst;
                match &self.body.insts[inst].op {
                    Op::Stack { .. } => {
                        let points =
                            self.types.get(&value).map_or(Points::Anything, |known| Points::In(known.0, 0));
                        world.exprs.intern(Expr::Address(Symbol::Local(self.function, value)), points)
                    }
                    Op::Offset { base, bytes } => {
                        let base = self.expr(world, *base);
                        if let Points::In(of, at) = world.exprs.points(base)
                            && !(0..i64::try_from(world.types.size(of)).unwrap_or(0)).contains(&(at + *bytes))
                        {
                            world.types.repeat(of);
                            if at + *bytes < 0 {
                                world.types.lead_back(of);
                            }
                        }
                        world.exprs.offset(base, *bytes)
                    }
                    Op::Index { base, index, scale } => {
                        let (base, index) = (self.expr(world, *base), self.expr(world, *index));
                        if let Points::In(of, at) = world.exprs.points(base)
                            && !world.types.is_array_at(of, at, scale.unsigned_abs())
                        {
                            world.types.repeat(of);
                        }
                        world.exprs.index(base, index, *scale)
                    }
                    Op::Binary { op, lhs, rhs } => {
                        let (a, b) = (self.expr(world, *lhs), self.expr(world, *rhs));
                        world.exprs.binary(*op, a, b)
                    }
                    Op::Compare { op, lhs, rhs } => {
                        let (a, b) = (self.expr(world, *lhs), self.expr(world, *rhs));
                        world.exprs.compare(*op, a, b)
                    }
                    Op::Convert { op, value: inner } => {
                        let inner = self.expr(world, *inner);
                        world.exprs.convert(*op, inner, ty)
                    }
                    Op::Load { .. } => match self.loads.get(&value).copied().flatten() {
                        Some(expr) if self.body.blocks.get(self.block).is_some() => expr,
                        _ => {
                            let points = match world.exprs.get_value(self.function, value) {
                                Some(known) => world.exprs.points(known),
                                None => Points::Anything,
                            };
                            self.name(world, value, points)
                        }
                    },
                    Op::Call(call) => {
                        let points = match direct_callee(self.body, call) {
                            Some(callee) => {
                                let result = world.result_type(callee);
                                world.pointee(result)
                            }
                            None => Points::Anything,
                        };
                        self.name(world, value, points)
                    }
                    _ => self.name(world, value, Points::Anything),
                }
            }
        }
    }

    fn action(&mut self, world: &mut World<'_>, inst: InstId) -> Option<Action> {
        let data = &self.body.insts[inst];
        match &data.op {
            Op::Load { addr, .. } => {
                let value = data.result?;
                let ty = self.body.ty(value);
                let addr = self.expr(world, *addr);
                let by = world.deref(addr, ty);
                let points = world.exprs.points(by);
                let name = world.exprs.declare(Expr::Value(self.function, value), ty, points);
                self.loads.insert(value, Some(by));
                Some(Action::Define { name, by: Some(by) })
            }
            Op::Store { addr, value, .. } => {
                let ty = self.body.ty(*value);
                let (addr, value) = (self.expr(world, *addr), self.expr(world, *value));
                if ty == Type::Ptr {
                    let held = world.deref(addr, ty);
                    world.note_cast(world.exprs.points(value), world.exprs.points(held));
                }
                self.written(world, Written::At(addr, ty));
                if ty.is_scalar() {
                    return Some(Action::Assign { addr, value, ty });
                }
                Some(Action::Unmodelled(AGGREGATE_STORED.into()))
            }
            Op::Atomic { op, addr, value } => {
                let ty = self.body.ty(*value);
                let (addr, value) = (self.expr(world, *addr), self.expr(world, *value));
                self.written(world, Written::At(addr, ty));
                let value = (*op == watertight_ir::AtomicOp::Exchange).then_some(value);
                let name = data.result.map(|result| self.name(world, result, Points::Anything));
                Some(Action::Exchange { addr, value, name, ty })
            }
            Op::CompareExchange { addr, new, .. } => {
                let ty = self.body.ty(*new);
                let addr = self.expr(world, *addr);
                self.written(world, Written::At(addr, ty));
                // The result is a pair, which has no expression; the old value may stay.
                Some(Action::Exchange { addr, value: None, name: None, ty })
            }
            Op::MemCopy { dst, src, len, .. } => {
                let (to, from) = (self.expr(world, *dst), self.expr(world, *src));
                let bytes = self.body.bits(*len);
                self.written(world, Written::Object(to));
                Some(Action::Copy { to, from, bytes })
            }
            Op::MemFill { dst, len, .. } => {
                let to = self.expr(world, *dst);
                let bytes = self.body.bits(*len);
                self.written(world, Written::Object(to));
                Some(Action::Fill { to, bytes })
            }
            Op::Call(call) => {
                let callee = direct_callee(self.body, call);
                if call.returns_twice {
                    self.odd = Some(Why::Setjmp.into());
                }
                let args: Vec<ExprId> = call.args.iter().map(|&arg| self.expr(world, arg)).collect();
                if let Some(callee) = callee
                    && world.program.functions[callee].body.is_some()
                    && callee != self.function
                {
                    for (index, &arg) in args.iter().enumerate() {
                        let declared =
                            world.exprs.intern(Expr::Entry(callee, index as u32), Points::Anything);
                        let declared = world.exprs.points(declared);
                        world.note_cast(world.exprs.points(arg), declared);
                    }
                }
                self.written(world, Written::ByCall);
                let result = data.result.map(|result| self.expr(world, result));
                let by_value = call.by_value.iter().map(|by_value| by_value.0).collect();
                let no_return = call.no_return
                    || callee.is_some_and(|callee| world.program.functions[callee].attrs.no_return);
                Some(Action::Call(Box::new(CallAction { callee, args, result, by_value, no_return })))
            }
            // What gets no addresses changes no memory, except for assembly, which may know some.
            Op::Unknown(unknown)
                if !unknown.what.starts_with("asm")
                    && unknown.args.iter().all(|&arg| self.body.ty(arg) != Type::Ptr) =>
            {
                let value = data.result?;
                let ty = self.body.ty(value);
                let name = world.exprs.declare(Expr::Value(self.function, value), ty, Points::Anything);
                Some(Action::Define { name, by: None })
            }
            Op::Unknown(unknown) => Some(Action::Unmodelled(unknown.what.clone())),
            Op::VaStart { .. } | Op::VaCopy { .. } | Op::VaArg { .. } => {
                self.odd = Some(Why::VariableArguments.into());
                None
            }
            _ => {
                let value = data.result?;
                let pure = matches!(
                    data.op,
                    Op::Stack { .. }
                        | Op::Offset { .. }
                        | Op::Index { .. }
                        | Op::Binary { .. }
                        | Op::Compare { .. }
                        | Op::Convert { .. }
                );
                if pure {
                    return None;
                }
                let ty = self.body.ty(value);
                let name = world.exprs.declare(Expr::Value(self.function, value), ty, Points::Anything);
                Some(Action::Define { name, by: None })
            }
        }
    }

    /// Memory changes: loads that are affected keep what they had under their name.
    fn written(&mut self, world: &mut World<'_>, what: Written) {
        let mut changed = Vec::new();
        for (&value, &expr) in &self.loads {
            let Some(expr) = expr else { continue };
            let mut derefs = Vec::new();
            world.exprs.any(expr, &mut |_, part| {
                if let Expr::Deref(addr, ty) = part {
                    derefs.push((addr, ty));
                }
                false
            });
            let own = |world: &World<'_>, addr| match world.symbol(addr) {
                Some(Symbol::Local(function, local)) => !world.is_taken(function, local),
                _ => false,
            };
            let affected = derefs.into_iter().any(|(addr, ty)| match what {
                Written::At(at, width) => world.overlap((addr, ty), (at, width)) != Overlap::Never,
                Written::Object(to) => !own(world, addr) || world.symbol(addr) == world.symbol(to),
                Written::ByCall => !own(world, addr),
            });
            if affected {
                changed.push(value);
            }
        }
        for value in changed {
            self.loads.insert(value, None);
        }
    }

    /// The scalars of all objects on the stack.
    fn locals(&mut self, world: &mut World<'_>) -> Vec<LocalScalar> {
        let mut found = Vec::new();
        for inst in self.body.blocks.values().flat_map(|block| &block.insts) {
            let Op::Stack { count, .. } = self.body.insts[*inst].op else { continue };
            let Some(value) = self.body.insts[*inst].result else { continue };
            let base = self.expr(world, value);
            let known = self.types.get(&value).cloned();
            let scalars = known.as_ref().and_then(|(ty, _)| world.types.scalars(*ty));
            let named = known.as_ref().is_some_and(|known| known.1.is_some());
            let result = known.as_ref().is_some_and(|known| known.1.is_none());
            match (known, scalars) {
                (Some(_), Some(scalars)) => {
                    for (offset, scalar, single) in scalars {
                        let addr = world.exprs.offset(base, offset);
                        let ty = (!scalar.overlaid).then_some(scalar.ty);
                        found.push(LocalScalar {
                            addr,
                            ty,
                            single: single && count.is_none(),
                            is_asked: named,
                        });
                    }
                }
                _ => {
                    let is_asked = named || (!result && self.may_hold_pointer(value));
                    found.push(LocalScalar { addr: base, ty: None, single: false, is_asked });
                }
            }
        }
        found
    }

    /// Whether a place on the stack that the compiler made may hold a pointer: something other than small numbers is
    /// written there, or somebody else may write there.
    fn may_hold_pointer(&self, place: ValueId) -> bool {
        let within = |value: ValueId| {
            let mut at = value;
            loop {
                if at == place {
                    return true;
                }
                match self.body.def_op(at) {
                    Some(Op::Offset { base, .. } | Op::Index { base, .. }) => at = *base,
                    _ => return false,
                }
            }
        };
        let small = |value: ValueId| match self.body.ty(value) {
            Type::Int(bits) => bits < 64,
            ty => ty.is_scalar() && ty != Type::Ptr,
        };
        self.body.insts.values().any(|inst| match &inst.op {
            Op::Store { addr, value, .. } => (within(*addr) && !small(*value)) || within(*value),
            Op::MemCopy { dst, src, .. } => within(*dst) || within(*src),
            Op::Load { .. } | Op::Offset { .. } | Op::Index { .. } | Op::Name { .. } | Op::MemFill { .. } => {
                false
            }
            Op::Call(call) => call.args.iter().any(|&arg| within(arg)),
            other => {
                let mut used = false;
                other.operands(|value| used |= within(value));
                used
            }
        })
    }
}
