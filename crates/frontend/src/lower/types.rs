//! From LLVM types to the types of values.
//!
//! Scalars keep their width, vectors become integers of their total width, and structs and arrays that
//! occur as values (never as memory) are flattened to their scalar leaves.

use super::layout::Layouts;
use crate::bitcode::{Module, Type, TypeId};
use rustc_hash::FxHashMap;
use watertight_ir as ir;
use watertight_ir::{AggId, Aggregate, FloatKind, Table};

/// More leaves than any value in a register has. A larger value is treated as one wide integer.
const MOST_PARTS: u32 = 1024;
/// Deeper nesting than any value in a register has; bounds the recursion over leaves.
const DEEPEST: u32 = 64;
/// The type of values that the IR cannot hold. No verified body contains it.
const UNFIT: ir::Type = ir::Type::Int(u32::MAX);

/// Types of one unit: LLVM's on one side, ours on the other, each converted once.
pub(super) struct Types<'m> {
    pub module: &'m Module<'m>,
    pub layouts: &'m Layouts,
    pub aggregates: Table<AggId, Aggregate>,
    interned: FxHashMap<Aggregate, AggId>,
    converted: Vec<Option<ir::Type>>,
}

impl<'m> Types<'m> {
    pub(super) fn new(module: &'m Module<'m>, layouts: &'m Layouts) -> Types<'m> {
        Types {
            module,
            layouts,
            aggregates: Table::new(),
            interned: FxHashMap::default(),
            converted: vec![None; module.types().len()],
        }
    }

    /// The type of our value for a value of LLVM type `id`.
    #[inline]
    pub(super) fn convert(&mut self, id: TypeId) -> ir::Type {
        match self.converted[id.index()] {
            Some(ty) => ty,
            None => self.convert_first(id),
        }
    }

    #[cold]
    fn convert_first(&mut self, id: TypeId) -> ir::Type {
        let ty = self.convert_new(id);
        self.converted[id.index()] = Some(ty);
        ty
    }

    fn convert_new(&mut self, id: TypeId) -> ir::Type {
        match self.module.ty(id) {
            Type::Struct { .. } | Type::Array { .. } => {
                let bytes = self.layouts.of(id).stride;
                let layout = self.layouts.of(id);
                if layout.leaves <= MOST_PARTS && layout.depth <= DEEPEST {
                    let mut parts = Vec::with_capacity(layout.leaves as usize);
                    self.leaves(id, 0, &mut parts);
                    let aggregate = Aggregate { bytes, parts: parts.into() };
                    if self.is_fit(&aggregate) { ir::Type::Agg(self.intern(aggregate)) } else { UNFIT }
                } else {
                    ir::Type::Int(u32::try_from(bytes.saturating_mul(8)).unwrap_or(u32::MAX))
                }
            }
            _ => self.scalar(id),
        }
    }

    /// Whether the parts are scalars that stand behind one another inside the aggregate. They do not where a
    /// field has no size, or one that the IR does not know (pointers of other address spaces).
    fn is_fit(&self, aggregate: &Aggregate) -> bool {
        let mut end = 0;
        aggregate.parts.iter().all(|&(offset, ty)| {
            let before = std::mem::replace(
                &mut end,
                offset.saturating_add(ty.store_bytes(self.layouts.data.pointer_bits)),
            );
            offset >= before && end <= aggregate.bytes && is_value(ty)
        })
    }

    /// The type of anything but structs and arrays.
    fn scalar(&self, id: TypeId) -> ir::Type {
        match self.module.ty(id) {
            Type::Void | Type::Label | Type::Metadata | Type::Function { .. } => ir::Type::Void,
            Type::Half => ir::Type::Float(FloatKind::Half),
            Type::BFloat => ir::Type::Float(FloatKind::BFloat),
            Type::Float => ir::Type::Float(FloatKind::Single),
            Type::Double => ir::Type::Float(FloatKind::Double),
            Type::X86Fp80 => ir::Type::Float(FloatKind::X87),
            Type::Fp128 => ir::Type::Float(FloatKind::Quad),
            Type::PpcFp128 => ir::Type::Float(FloatKind::PairOfDoubles),
            Type::Integer { bits } => ir::Type::Int(*bits),
            Type::Pointer { .. } => ir::Type::Ptr,
            Type::Token => ir::Type::Int(1),
            Type::TargetExtension { .. } | Type::Opaque { .. } => ir::Type::Int(64),
            _ => ir::Type::Int(u32::try_from(self.layouts.of(id).bits).unwrap_or(u32::MAX).max(1)),
        }
    }

    /// Appends the scalar leaves of a type whose leaves are few and not deep.
    fn leaves(&self, id: TypeId, offset: u64, parts: &mut Vec<(u64, ir::Type)>) {
        if self.layouts.of(id).leaves == 0 {
            return;
        }
        match self.module.ty(id) {
            Type::Struct { fields, .. } => {
                for (index, &field) in fields.iter().enumerate() {
                    self.leaves(field, offset.saturating_add(self.layouts.field(id, index)), parts);
                }
            }
            Type::Array { element, count } => {
                let stride = self.layouts.of(*element).stride;
                for index in 0..*count {
                    self.leaves(*element, offset.saturating_add(stride.saturating_mul(index)), parts);
                }
            }
            _ => parts.push((offset, self.scalar(id))),
        }
    }

    pub(super) fn intern(&mut self, aggregate: Aggregate) -> AggId {
        if let Some(&id) = self.interned.get(&aggregate) {
            return id;
        }
        let id = self.aggregates.push(aggregate.clone());
        self.interned.insert(aggregate, id);
        id
    }

    /// Where the leaves of the element that `path` selects start among the leaves of `id`, and its type.
    pub(super) fn leaf_of(&self, mut id: TypeId, path: &[u32]) -> (usize, TypeId) {
        let mut first = 0;
        for &step in path {
            match self.module.ty(id) {
                Type::Struct { fields, .. } => {
                    let before = fields.iter().take(step as usize);
                    let leaves = before.map(|&field| self.layouts.of(field).leaves as usize);
                    first = leaves.fold(first, usize::saturating_add);
                    match fields.get(step as usize) {
                        Some(&field) => id = field,
                        None => break,
                    }
                }
                Type::Array { element, .. } => {
                    let leaves = self.layouts.of(*element).leaves as usize;
                    first = first.saturating_add(leaves.saturating_mul(step as usize));
                    id = *element;
                }
                _ => break,
            }
        }
        (first, id)
    }

    pub(super) fn is_vector(&self, id: TypeId) -> bool {
        matches!(self.module.ty(id), Type::Vector { .. })
    }
}

/// Whether values of this type exist in the IR.
pub(super) fn is_value(ty: ir::Type) -> bool {
    match ty {
        ir::Type::Void => false,
        ir::Type::Int(bits) => (1..=ir::Type::WIDEST).contains(&bits),
        _ => true,
    }
}
