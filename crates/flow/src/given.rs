//! What a call gives its callee to write to.
//!
//! Points-to knows no calling contexts: where a function stores through a parameter, it sees the variables of all its callers,
//! and, in a library, memory of the outside world. Of those one call can only mean what its arguments lead to, or
//! what the program keeps somewhere for everybody to find.

use crate::facts::{CellId, Facts};
use crate::limits::{GIVEN_OBJECTS, GIVEN_STEPS};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use watertight_ir::{Body, Def, FuncId, InstId, Op, ValueId};
use watertight_pointer::object::{ObjectId, Origin};

type Objects = Rc<FxHashSet<ObjectId>>;
/// By the call, and by the parameter if it is about one only; nothing where there are too many objects.
type Known = FxHashMap<(FuncId, InstId, Option<u32>), Option<Objects>>;

/// What was asked for.
#[derive(Default)]
pub(crate) struct Given {
    at: RefCell<Known>,
    /// Objects whose addresses are in memory that is no variable of a function.
    exposed: OnceCell<FxHashSet<ObjectId>>,
}

impl Facts<'_> {
    /// Whether a callee may have written a cell of somebody else on behalf of a call.
    pub(crate) fn is_given(&self, caller: FuncId, inst: InstId, cell: CellId) -> bool {
        let (object, _) = self.place(cell);
        match self.points_to.object(object).origin {
            Origin::Stack(owner, _) | Origin::Parameter(owner, _) if owner != caller => {}
            _ => return true,
        }
        let Some(given) = self.given_at(caller, inst, None) else { return true };
        given.contains(&object) || self.exposed().contains(&object)
    }

    /// Whether an argument of a call may lead to a cell of the outside world that the callee writes.
    pub(crate) fn is_given_by(&self, caller: FuncId, inst: InstId, param: u32, cell: CellId) -> bool {
        let (object, _) = self.place(cell);
        self.given_at(caller, inst, Some(param)).is_none_or(|given| given.contains(&object))
    }

    /// The objects that an argument of a call leads to, or all of them; nothing if there are too many.
    fn given_at(&self, caller: FuncId, inst: InstId, param: Option<u32>) -> Option<Objects> {
        if let Some(known) = self.given.at.borrow().get(&(caller, inst, param)) {
            return known.clone();
        }
        let found = self.find_given(caller, inst, param).map(Rc::new);
        self.given.at.borrow_mut().insert((caller, inst, param), found.clone());
        found
    }

    fn find_given(&self, caller: FuncId, inst: InstId, param: Option<u32>) -> Option<FxHashSet<ObjectId>> {
        let body = self.program.functions[caller].body.as_ref()?;
        let Op::Call(call) = &body.insts[inst].op else { return None };
        let mut found: FxHashSet<ObjectId> = FxHashSet::default();
        let args = call.args.iter().enumerate();
        let args = args.filter(|arg| param.is_none_or(|param| arg.0 == param as usize));
        let mut open: Vec<ObjectId> = args.flat_map(|arg| self.objects(caller, *arg.1)).collect();
        while let Some(object) = open.pop() {
            if !found.insert(object) {
                continue;
            }
            if found.len() > GIVEN_OBJECTS {
                return None;
            }
            for (_, held) in self.points_to.contents(object) {
                open.extend(self.points_to.locations(held).map(|location| location.object));
            }
        }
        Some(found)
    }

    fn exposed(&self) -> &FxHashSet<ObjectId> {
        self.given.exposed.get_or_init(|| {
            let mut found: FxHashSet<ObjectId> = FxHashSet::default();
            for (object, data) in self.points_to.memory().objects.iter() {
                if !matches!(data.origin, Origin::Stack(..) | Origin::Parameter(..) | Origin::Copy(_)) {
                    for (_, held) in self.points_to.contents(object) {
                        found.extend(self.points_to.locations(held).map(|location| location.object));
                    }
                }
            }
            found
        })
    }
}

/// The parameter that an address is in, or that leads to the memory that it is in.
pub(crate) fn parameter_of(body: &Body, addr: ValueId) -> Option<u32> {
    let mut at = addr;
    for _ in 0..GIVEN_STEPS {
        at = match (&body.values[at].def, body.def_op(at)) {
            (Def::Param(param), _) => return Some(*param),
            (_, Some(Op::Offset { base, .. } | Op::Index { base, .. })) => *base,
            (_, Some(Op::Convert { value, .. })) => *value,
            (_, Some(Op::Load { addr, .. })) => *addr,
            _ => return None,
        };
    }
    None
}
