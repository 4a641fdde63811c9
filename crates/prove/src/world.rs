//! Everything that all probes of a program share: types, expressions, regions, and the statements of functions.
//!
//! Functions are brought into statements when a probe first comes to them. Before that, one pass over the program finds
//! which addresses are taken and between which types pointers are cast, since both decide what the regions are; and others
//! find where pointers lead that are declared as something else.

use crate::descent::Descent;
use crate::effects::Effects;
use crate::expr::{ExprId, Exprs};
use crate::homes::Homes;
use crate::lower::Statements;
use crate::objects::Objects;
use crate::region::{Reach, Region, RegionId};
use crate::types::{TypeId, Types};
use crate::verdict::Assumed;
use crate::views::Views;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::rc::Rc;
use watertight_ir::{
    Body, CallGraph, Const, Def, FuncId, GlobalId, Linkage, Op, Program, Symbol, Table, Type, ValueId,
};
use watertight_summary::model::Models;

/// How much is kept of the conditions on the way.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Detail {
    /// Only which pointers are the same, as far as it matters to the cell: close to the paper, and soon at a fixpoint.
    Shape,
    /// All of them.
    All,
}

/// What all probes share.
pub(crate) struct World<'p> {
    pub(crate) program: &'p Program,
    pub(crate) models: &'p Models,
    pub(crate) graph: CallGraph,
    pub(crate) types: Types<'p>,
    pub(crate) exprs: Exprs,
    pub(crate) region_list: Vec<(Region, Option<TypeId>)>,
    pub(crate) region_ids: FxHashMap<Region, RegionId>,
    pub(crate) reaches: FxHashMap<(ExprId, Type), Reach>,
    pub(crate) globals_taken: Table<GlobalId, bool>,
    locals_taken: Table<FuncId, FxHashSet<ValueId>>,
    statements: FxHashMap<FuncId, Rc<Statements>>,
    pub(crate) effects: FxHashMap<FuncId, Effects>,
    pub(crate) descents: FxHashMap<FuncId, Option<Rc<Descent>>>,
    pub(crate) homes: FxHashMap<(FuncId, ValueId), Homes>,
    /// What the pointer analysis knows, if the program is whole.
    pub(crate) objects: Option<Objects<'p>>,
    /// What pointers really lead to.
    pub(crate) views: Views,
    /// Functions that may end in a jump, once they have been looked for.
    pub(crate) jumpers: Option<Vec<FuncId>>,
    /// Statements of a function are being made, so that nothing may be asked that needs them.
    pub(crate) lowering: bool,
    /// What the cell of the current probe is declared as.
    pub(crate) cell_type: Option<TypeId>,
    /// What it is declared as elsewhere, the same included.
    pub(crate) cell_types: Vec<TypeId>,
    /// Values of variables that are the only reference to something acquired, at the current statement.
    pub(crate) fresh_now: Vec<ExprId>,
    /// The function whose descending parameter is still in its variable, at the current statement.
    pub(crate) still_now: Option<FuncId>,
    /// What the current walk keeps of conditions.
    pub(crate) detail: Detail,
    /// Only steps that a certificate can show.
    pub(crate) plain: bool,
    /// What the current probe has relied on so far.
    pub(crate) used: BTreeSet<Assumed>,
    /// Whether the program has a `main`, so that nobody else calls its functions.
    pub(crate) closed: bool,
}

impl<'p> World<'p> {
    pub(crate) fn new(program: &'p Program, models: &'p Models, plain: bool) -> World<'p> {
        let main = program.function_named("main");
        let mut world = World {
            program,
            models,
            graph: CallGraph::new(program),
            types: Types::new(program),
            exprs: Exprs::default(),
            region_list: Vec::new(),
            region_ids: FxHashMap::default(),
            reaches: FxHashMap::default(),
            globals_taken: Table::filled(program.globals.len(), false),
            locals_taken: Table::filled(program.functions.len(), FxHashSet::default()),
            statements: FxHashMap::default(),
            effects: FxHashMap::default(),
            descents: FxHashMap::default(),
            homes: FxHashMap::default(),
            objects: if plain { None } else { Objects::of_whole(program, models) },
            views: Views::default(),
            jumpers: None,
            lowering: false,
            cell_type: None,
            cell_types: Vec::new(),
            fresh_now: Vec::new(),
            still_now: None,
            detail: Detail::All,
            plain,
            used: BTreeSet::new(),
            closed: main.is_some_and(|main| program.functions[main].body.is_some()),
        };
        world.find_taken();
        world.find_casts();
        world.find_views();
        world
    }

    pub(crate) fn is_taken(&self, function: FuncId, local: ValueId) -> bool {
        self.locals_taken[function].contains(&local)
    }

    /// Which variables have addresses that go anywhere but into loads and stores.
    fn find_taken(&mut self) {
        for (id, global) in self.program.globals.iter() {
            // Other units may take the address of what they can see.
            self.globals_taken[id] =
                !self.closed && global.linkage != Linkage::Internal || global.image.is_none();
            for relocation in global.image.iter().flat_map(|image| &image.relocations) {
                if let Symbol::Global(target) = relocation.target {
                    self.globals_taken[target] = true;
                }
            }
        }
        for (function, data) in self.program.functions.iter() {
            let Some(body) = &data.body else { continue };
            let mut taken = FxHashSet::default();
            let globals = &mut self.globals_taken;
            for block in body.blocks.values() {
                let mut take = |value: ValueId| match root(body, value) {
                    Some(Root::Local(local)) => {
                        taken.insert(local);
                    }
                    Some(Root::Global(global)) => globals[global] = true,
                    None => {}
                };
                for &inst in &block.insts {
                    match &body.insts[inst].op {
                        Op::Load { .. } | Op::Offset { .. } | Op::Name { .. } => {}
                        Op::Index { index, .. } => take(*index),
                        Op::Store { value, .. } => take(*value),
                        Op::MemCopy { len, .. } => take(*len),
                        Op::MemFill { byte, len, .. } => {
                            take(*byte);
                            take(*len);
                        }
                        // Lifetime marks and the like say nothing of an address.
                        other => other.operands(&mut take),
                    }
                }
                block.term.operands(&mut take);
            }
            self.locals_taken[function] = taken;
        }
    }

    /// Unites the types that pointers are cast between, then forgets what was made of types before.
    fn find_casts(&mut self) {
        let program = self.program;
        for function in program.defined() {
            self.statements(function);
        }
        // From here on no type is new, so that ids do not depend on what is asked first.
        self.types.records();
        self.start_over();
    }

    /// Forgets every expression and region, so that an answer does not depend on what was looked at before.
    pub(crate) fn start_over(&mut self) {
        self.forget_statements();
        self.exprs = Exprs::default();
        self.region_list.clear();
        self.region_ids.clear();
        if let Some(objects) = &mut self.objects {
            objects.clear();
        }
        self.used.clear();
    }

    /// Forgets what was made of functions, because more is known of memory.
    pub(crate) fn forget_statements(&mut self) {
        self.statements.clear();
        self.reaches.clear();
        self.effects.clear();
        self.descents.clear();
        self.homes.clear();
    }

    /// The statements of a function that has a body.
    pub(crate) fn statements(&mut self, function: FuncId) -> Rc<Statements> {
        if let Some(known) = self.statements.get(&function) {
            return Rc::clone(known);
        }
        let outer = std::mem::replace(&mut self.lowering, true);
        let made = Rc::new(self.lower(function));
        self.lowering = outer;
        self.statements.insert(function, Rc::clone(&made));
        made
    }

    /// Whether somebody may call a function whom the program does not show.
    pub(crate) fn is_root(&self, function: FuncId) -> bool {
        let data = &self.program.functions[function];
        let visible = data.linkage != Linkage::Internal;
        (visible && !self.closed)
            || &*data.name == "main"
            || self.graph.call_sites(function).is_empty()
            || self.graph.address_taken().binary_search(&function).is_ok()
    }

    pub(crate) fn body(&self, function: FuncId) -> Option<&'p Body> {
        self.program.functions[function].body.as_ref()
    }
}

enum Root {
    Local(ValueId),
    Global(GlobalId),
}

/// The variable that an address is in.
fn root(body: &Body, value: ValueId) -> Option<Root> {
    let mut at = value;
    loop {
        match &body.values[at].def {
            Def::Const(Const::Global { global, .. }) => return Some(Root::Global(*global)),
            Def::Inst(inst) => match &body.insts[*inst].op {
                Op::Stack { .. } => return Some(Root::Local(at)),
                Op::Offset { base, .. } | Op::Index { base, .. } => at = *base,
                _ => return None,
            },
            _ => return None,
        }
    }
}
