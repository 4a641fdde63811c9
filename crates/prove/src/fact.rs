//! Error cells: what is known of the cell that is assumed to be lost.
//!
//! The paper's triple (S, H, M): the regions where references to the cell may be, expressions that refer to it, and
//! expressions that do not. A region may be tagged with the one expression in it that may refer to the cell (the paper's
//! strong updates). Beside the triple stand conditions that hold whenever the program comes this way, for the solver.
//!
//! More regions, fewer hits, fewer misses and fewer conditions mean more possible cells: that is the order of the
//! lattice, and dropping a hit, a miss or a condition is always sound.

use crate::expr::ExprId;
use crate::limits::REGION_TAGS;
use crate::region::RegionId;

/// Where references to the cell may be. Every location that refers to it is covered by an entry: it is in the region of
/// the entry, and if the entry has a tag, it is the location that the tag names.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Regions {
    /// In all memory that a pointer can reach. The list then holds only memory that no pointer can reach.
    pub any: bool,
    /// In order. An entry without tag is the only one of its region.
    pub list: Vec<(RegionId, Option<ExprId>)>,
}

impl Regions {
    /// Whether a location of a region, or all of it, is covered.
    fn has(&self, region: RegionId, tag: Option<ExprId>) -> bool {
        (self.any && region.is_reachable())
            || self.list.binary_search(&(region, None)).is_ok()
            || self.list.binary_search(&(region, tag)).is_ok()
    }

    /// In all memory that a pointer can reach.
    pub fn everywhere(&mut self) {
        self.any = true;
        self.list.retain(|(region, _)| !region.is_reachable());
    }

    pub fn is_empty(&self) -> bool {
        !self.any && self.list.is_empty()
    }

    /// Adds a location of a region, or all of it.
    pub fn add(&mut self, region: RegionId, tag: Option<ExprId>) {
        if self.has(region, tag) {
            return;
        }
        let many = self.list.iter().filter(|entry| entry.0 == region).count() >= REGION_TAGS;
        let tag = if many { None } else { tag };
        if tag.is_none() {
            self.list.retain(|entry| entry.0 != region);
        }
        if let Err(at) = self.list.binary_search(&(region, tag)) {
            self.list.insert(at, (region, tag));
        }
    }

    /// How many regions there are.
    pub fn count(&self) -> usize {
        let mut regions: Vec<RegionId> = self.list.iter().map(|entry| entry.0).collect();
        regions.dedup();
        regions.len()
    }
}

/// What is known of an error cell at one point.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Cell {
    /// S.
    pub regions: Regions,
    /// H, in order.
    pub hits: Vec<ExprId>,
    /// M, in order.
    pub misses: Vec<ExprId>,
    /// Conditions that hold, in order.
    pub conditions: Vec<ExprId>,
    /// The cell has been acquired further on, so that only the conditions say whether the program comes this way. Which
    /// acquisition it was is known to the walk.
    pub born: Option<u32>,
}

/// Adds to a list that is in order.
pub fn include(list: &mut Vec<ExprId>, expr: ExprId) {
    if let Err(at) = list.binary_search(&expr) {
        list.insert(at, expr);
    }
}

pub fn holds(list: &[ExprId], expr: ExprId) -> bool {
    list.binary_search(&expr).is_ok()
}

fn contains_all(list: &[ExprId], of: &[ExprId]) -> bool {
    of.iter().all(|&expr| holds(list, expr))
}

fn common(a: &[ExprId], b: &[ExprId]) -> Vec<ExprId> {
    a.iter().copied().filter(|&expr| holds(b, expr)).collect()
}

impl Cell {
    /// Whether every cell that this describes is described by the other: ⊑.
    pub fn within(&self, other: &Cell) -> bool {
        let regions = (other.regions.any || !self.regions.any)
            && self.regions.list.iter().all(|&(region, tag)| other.regions.has(region, tag));
        self.born == other.born
            && regions
            && contains_all(&self.hits, &other.hits)
            && contains_all(&self.misses, &other.misses)
            && contains_all(&self.conditions, &other.conditions)
    }

    /// How many hits, and how many misses and conditions, two descriptions have in common.
    pub fn likeness(&self, other: &Cell) -> (usize, usize) {
        let rest =
            common(&self.misses, &other.misses).len() + common(&self.conditions, &other.conditions).len();
        (common(&self.hits, &other.hits).len(), rest)
    }

    /// The least description of both: ⊔.
    pub fn join(&self, other: &Cell) -> Cell {
        let mut regions = self.regions.clone();
        if other.regions.any {
            regions.everywhere();
        }
        for &(region, tag) in &other.regions.list {
            regions.add(region, tag);
        }
        Cell {
            regions,
            hits: common(&self.hits, &other.hits),
            misses: common(&self.misses, &other.misses),
            conditions: common(&self.conditions, &other.conditions),
            born: self.born,
        }
    }
}
