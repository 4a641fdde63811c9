//! What is made of the text of one function once, however many of its members are asked about.

use super::Known;
use super::asked::Ways;
use super::derived::Uses;
use crate::facts::types::Members;
use crate::limits::KEPT_SHAPES;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use watertight_ir::callgraph::direct_callee;
use watertight_ir::{BlockId, FuncId, InstId, Op};

/// The shape of a body.
pub(super) struct Shape<'a> {
    pub(super) ways: Ways<'a>,
    pub(super) uses: Uses<'a>,
    pub(super) members: Option<Members<'a>>,
    /// Where it calls each of the functions that it calls by name.
    pub(super) callees: BTreeMap<FuncId, Vec<(BlockId, InstId)>>,
}

/// Shapes that are known already, and how many instructions they have.
#[derive(Default)]
pub(super) struct Shapes<'a>(RefCell<(FxHashMap<FuncId, Rc<Shape<'a>>>, usize)>);

impl<'a> Known<'a> {
    /// The shape of a function with a body.
    pub(super) fn shape(self, function: FuncId) -> Option<Rc<Shape<'a>>> {
        if let Some(known) = self.shapes.0.borrow().0.get(&function) {
            return Some(Rc::clone(known));
        }
        let body = self.program.functions[function].body.as_ref()?;
        let mut callees: BTreeMap<FuncId, Vec<(BlockId, InstId)>> = BTreeMap::new();
        for (block, data) in body.blocks.iter() {
            for &inst in &data.insts {
                let Op::Call(call) = &body.insts[inst].op else { continue };
                if let Some(callee) = direct_callee(body, call) {
                    callees.entry(callee).or_default().push((block, inst));
                }
            }
        }
        let shape = Rc::new(Shape {
            ways: Ways::new(body),
            uses: Uses::new(self, function, body),
            members: Members::new(self.program, function),
            callees,
        });
        let mut shapes = self.shapes.0.borrow_mut();
        if shapes.1 > KEPT_SHAPES {
            *shapes = (FxHashMap::default(), 0);
        }
        shapes.1 += body.insts.len();
        shapes.0.insert(function, Rc::clone(&shape));
        Some(shape)
    }
}
