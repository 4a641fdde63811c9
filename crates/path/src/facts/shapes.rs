//! Structure types that are the same in different units, and where a member stands in them.
//!
//! In: an offset in a global. Out: the structures around it, each with the offset in it. Types are described once per
//! unit, so two of them are the same if their size and their members agree; typedefs of structures without a name
//! are told apart that way too.

use crate::facts::types::parts;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use watertight_ir::{DebugInfo, DebugType, DebugTypeId, GlobalId, Program, SourceType, UnitId, ctype};

/// What was found out about structure types so far.
#[derive(Debug, Default)]
pub struct Shapes {
    known: FxHashMap<(UnitId, DebugTypeId), u64>,
}

impl Shapes {
    /// The structures around a byte of a global, outermost first, and where in them it is.
    pub fn around(&mut self, program: &Program, global: GlobalId, offset: i64) -> Vec<(u64, i64)> {
        let data = &program.globals[global];
        let debug = &program.units[data.unit].debug;
        let mut around = Vec::new();
        let Some(ty) = data.debug_type else { return around };
        for part in parts(program, SourceType { unit: data.unit, ty }, offset) {
            if let (DebugType::Record(_), Some(plain)) = (part.described, ctype::strip(debug, Some(part.ty)))
            {
                around.push((self.shape(data.unit, debug, plain), part.inside as i64));
            }
        }
        around
    }

    fn shape(&mut self, unit: UnitId, debug: &DebugInfo, ty: DebugTypeId) -> u64 {
        if let Some(&shape) = self.known.get(&(unit, ty)) {
            return shape;
        }
        let mut hasher = FxHasher::default();
        if let Some(DebugType::Record(record)) = debug.types.get(ty) {
            record.bytes.hash(&mut hasher);
            for member in &record.members {
                member.name.map(|name| debug.names.get(name)).hash(&mut hasher);
                member.offset_bits.hash(&mut hasher);
            }
        }
        let shape = hasher.finish();
        self.known.insert((unit, ty), shape);
        shape
    }
}
