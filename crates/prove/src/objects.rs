//! Regions from the pointer analysis, for whole programs.
//!
//! When a program has a `main` and calls nothing but itself and functions with models, every address in it comes from
//! somewhere in sight. Then the objects that an expression may point to are known from the least solution of the pointer
//! analysis, and two addresses with no object in common are not the same, whatever their types. For libraries and
//! programs with unknown functions there are only the regions by type: what is given to the outside may come back.

use crate::expr::{Expr, ExprId, Symbol};
use crate::limits::{LOCATIONS, LOCATIONS_FOUND};
use crate::verdict::Assumed;
use crate::world::World;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use watertight_ir::{Callee, Def, Op, Program};
use watertight_pointer::PointsTo;
use watertight_pointer::object::{Location, Origin};
use watertight_summary::model::Models;

/// What an expression may point to; none when that is not known.
type Places = Option<Rc<Vec<Location>>>;

/// The least solution, and what has been asked of it.
pub(crate) struct Objects<'p> {
    points_to: PointsTo<'p>,
    known: FxHashMap<ExprId, Places>,
}

impl<'p> Objects<'p> {
    /// For a whole program, unless it is too large for the pointer analysis.
    pub(crate) fn of_whole(program: &'p Program, models: &Models) -> Option<Objects<'p>> {
        if !is_whole(program, models) {
            return None;
        }
        let points_to = PointsTo::new(program, models);
        points_to.complete.then(|| Objects { points_to, known: FxHashMap::default() })
    }

    /// Forgets what expressions mean, because they are made anew.
    pub(crate) fn clear(&mut self) {
        self.known.clear();
    }
}

/// Whether a program has a `main` and calls nothing that is not known, by name.
fn is_whole(program: &Program, models: &Models) -> bool {
    let main = program.function_named("main");
    if main.is_none_or(|main| program.functions[main].body.is_none()) {
        return false;
    }
    program.defined().all(|id| {
        let body = program.functions[id].body.as_ref();
        body.into_iter().flat_map(|body| body.insts.values()).all(|inst| match &inst.op {
            Op::Call(call) => match call.callee {
                Callee::Direct(callee) => {
                    let data = &program.functions[callee];
                    data.body.is_some() || data.attrs.no_memory || models.functions.contains_key(&*data.name)
                }
                _ => false,
            },
            Op::Unknown(_) => false,
            _ => true,
        })
    })
}

impl World<'_> {
    /// Whether two addresses are in different objects, as far as the pointer analysis knows.
    pub(crate) fn are_apart_by_objects(&mut self, a: ExprId, b: ExprId) -> bool {
        if self.objects.is_none() || self.lowering {
            return false;
        }
        let (Some(one), Some(other)) = (self.places(a), self.places(b)) else { return false };
        let apart = !one.iter().any(|a| other.iter().any(|b| a.object == b.object));
        if apart {
            self.used.insert(Assumed::Models);
        }
        apart
    }

    fn places(&mut self, expr: ExprId) -> Places {
        if let Some(known) = self.objects.as_ref()?.known.get(&expr) {
            return known.clone();
        }
        let found = self.find_places(expr).filter(|found| {
            let known = |place: &Location| {
                let origin = self.objects.as_ref().map(|known| known.points_to.object(place.object).origin);
                !matches!(
                    origin,
                    None | Some(Origin::Outside(_) | Origin::Merged(_) | Origin::Hub | Origin::World)
                )
            };
            !found.is_empty() && found.len() <= LOCATIONS && found.iter().all(known)
        });
        let found = found.map(Rc::new);
        self.objects.as_mut()?.known.insert(expr, found.clone());
        found
    }

    fn find_places(&mut self, expr: ExprId) -> Option<Vec<Location>> {
        match self.exprs.get(expr) {
            Expr::Address(Symbol::Local(function, value)) | Expr::Value(function, value) => {
                let points_to = &self.objects.as_ref()?.points_to;
                Some(
                    points_to.locations(points_to.of(function, value)).copied().take(LOCATIONS + 1).collect(),
                )
            }
            Expr::Address(Symbol::Global(global)) => {
                let points_to = &self.objects.as_ref()?.points_to;
                let object = points_to.memory().known(Origin::Global(global))?;
                Some(vec![Location { object, offset: 0, stride: 0 }])
            }
            Expr::Entry(function, param) => {
                let body = self.body(function)?;
                let (value, _) = body.values.iter().find(|(_, value)| value.def == Def::Param(param))?;
                let points_to = &self.objects.as_ref()?.points_to;
                Some(
                    points_to.locations(points_to.of(function, value)).copied().take(LOCATIONS + 1).collect(),
                )
            }
            Expr::Offset(base, bytes) => {
                let mut places = self.places(base)?.to_vec();
                places.iter_mut().for_each(|place| place.offset = place.offset.wrapping_add(bytes));
                Some(places)
            }
            Expr::Index(base, ..) => {
                let mut places = self.places(base)?.to_vec();
                places.iter_mut().for_each(|place| place.stride = 1);
                Some(places)
            }
            Expr::Deref(addr, _) => {
                let places = self.places(addr)?;
                let points_to = &self.objects.as_ref()?.points_to;
                let mut found: Vec<Location> = Vec::new();
                for place in places.iter() {
                    let all = place.stride != 0 || !points_to.object(place.object).has_cells();
                    let at = if all { 0 } else { points_to.cell_offset(place) };
                    for (offset, set) in points_to.contents(place.object) {
                        if all || offset == at {
                            found.extend(points_to.locations(set).copied().take(LOCATIONS + 1));
                        }
                    }
                    if found.len() > LOCATIONS_FOUND {
                        return None;
                    }
                }
                found.sort_unstable_by_key(|place| (place.object, place.offset, place.stride));
                found.dedup();
                Some(found)
            }
            _ => None,
        }
    }
}
