//! Structure types that are the same in different units, and where a member stands in them.
//!
//! In: an offset in a global. Out: the structures around it, each with the offset in it. Types are described once per
//! unit, so two of them are the same if their size and their members agree; typedefs of structures without a name
//! are told apart that way too.

use crate::limits::NESTED_SHAPES;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use watertight_ir::{DebugInfo, DebugType, DebugTypeId, GlobalId, Program, UnitId, ctype};

/// What was found out about structure types so far.
#[derive(Debug, Default)]
pub struct Shapes {
    known: FxHashMap<(UnitId, DebugTypeId), u64>,
    pointer_bits: u32,
}

impl Shapes {
    pub fn new(program: &Program) -> Shapes {
        Shapes { known: FxHashMap::default(), pointer_bits: program.target.pointer_bits }
    }

    /// The structures around a byte of a global, outermost first, and where in them it is.
    pub fn around(&mut self, program: &Program, global: GlobalId, offset: i64) -> Vec<(u64, i64)> {
        let data = &program.globals[global];
        let debug = &program.units[data.unit].debug;
        let mut around = Vec::new();
        let (mut ty, Ok(mut inside)) = (data.debug_type, u64::try_from(offset)) else { return around };
        for _ in 0..NESTED_SHAPES {
            let Some(plain) = ctype::strip(debug, ty) else { break };
            match debug.types.get(plain) {
                Some(DebugType::Record(record)) => {
                    around.push((self.shape(data.unit, debug, plain), inside as i64));
                    let bits = inside.saturating_mul(8);
                    let member = record.members.iter().find(|member| {
                        member.offset_bits <= bits && bits < member.offset_bits.saturating_add(member.bits)
                    });
                    let Some(member) = member else { break };
                    inside -= member.offset_bits / 8;
                    ty = member.ty;
                }
                Some(DebugType::Array { of, .. }) => {
                    let Some(bytes) = ctype::size(debug, *of, self.pointer_bits).filter(|&bytes| bytes > 0)
                    else {
                        break;
                    };
                    inside %= bytes;
                    ty = *of;
                }
                _ => break,
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
