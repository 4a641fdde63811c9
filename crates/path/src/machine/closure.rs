//! Back pointers of what the caller handed in: in a doubly linked list `p->next->prev` is `p`, in a tree
//! `p->left->parent` is `p`.
//!
//! What the caller's arguments lead to appears when it is first read, and different names are different objects. For
//! structures that point back this is wrong: the name `p->next->prev` stands for an object that has a shorter one. The
//! members along a name are found in the debug information. A pointer points back when it leads to a record of the type
//! that the pointer before it stands in, and their names are opposites: `next` and `prev`, or a child and `parent`. Types
//! alone do not tell a list from a tree, so the names are needed (ASSUME-2).

use crate::assumptions::Supposed;
use crate::facts::types::parts;
use crate::machine::memory::{ObjectId, Origin};
use crate::machine::state::State;
use crate::machine::value::{Leaf, Offset};
use watertight_ir::spell::SourceType;
use watertight_ir::{DebugInfo, DebugType, DebugTypeId, Program, ctype};
use watertight_summary::{Path, Root, Step};

/// A pointer member found at an offset.
struct Pointer {
    name: Box<str>,
    to: SourceType,
    /// The records that it stands in, outermost first, and where each begins.
    around: Vec<(DebugTypeId, i64)>,
}

/// What a pointer is called says where it leads.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Way {
    Forward,
    Back,
    Up,
    Other,
}

fn way(name: &str) -> Way {
    let name = name.to_ascii_lowercase();
    let any = |words: &[&str]| words.iter().any(|word| name.contains(word));
    if any(&["parent", "father"]) || name == "up" {
        Way::Up
    } else if any(&["next", "nxt", "succ", "flink", "forw"]) {
        Way::Forward
    } else if any(&["prev", "prv", "pred", "blink", "back"]) {
        Way::Back
    } else if any(&["sibl"]) || name == "link" || name.ends_with("_link") {
        // What stands beside has the same parent, and is no child.
        Way::Forward
    } else {
        Way::Other
    }
}

impl State<'_> {
    /// The address that a cell of what `path` leads to holds at entry, if it is a back pointer.
    pub fn back_pointer(&mut self, path: &Path, offset: i64) -> Option<Leaf> {
        if !self.assumes(Supposed::ListsPointBack) {
            return None;
        }
        let (&Step::At(at), before) = path.steps.split_last()? else { return None };
        let before = Path { root: path.root, steps: before.to_vec() };
        let owner = self.pointee(&before)?;
        let there = pointer_at(self.context.program, owner, at)?;
        let record = self.pointee(path)?;
        let back = pointer_at(self.context.program, record, offset)?;
        let opposite = matches!(
            (way(&there.name), way(&back.name)),
            (Way::Forward, Way::Back) | (Way::Back, Way::Forward) | (Way::Other, Way::Up)
        );
        if !opposite || back.to.unit != owner.unit {
            return None;
        }
        let target = ctype::strip(self.debug(back.to), Some(back.to.ty))?;
        let &(_, begin) = there.around.iter().find(|entry| entry.0 == target)?;
        let object = self.object_named(&before)?;
        Some(Leaf::Address(object, Offset::At(begin)))
    }

    fn debug(&self, ty: SourceType) -> &DebugInfo {
        &self.context.program.units[ty.unit].debug
    }

    /// The object that a name leads to.
    fn object_named(&mut self, path: &Path) -> Option<ObjectId> {
        if let (Root::Global(global), []) = (path.root, &path.steps[..]) {
            return Some(self.global_object(global));
        }
        self.objects
            .iter()
            .find(|(_, object)| object.origin == Origin::Entry(path.clone()))
            .map(|entry| entry.0)
    }

    /// The type of what a name leads to.
    pub(crate) fn pointee(&mut self, path: &Path) -> Option<SourceType> {
        if let Some(&known) = self.pointees.get(path) {
            return known;
        }
        let found = self.find_pointee(path);
        self.pointees.insert(path.clone(), found);
        found
    }

    fn find_pointee(&mut self, path: &Path) -> Option<SourceType> {
        let Some((&last, before)) = path.steps.split_last() else { return self.root_type(path.root) };
        let Step::At(offset) = last else { return None };
        let before = Path { root: path.root, steps: before.to_vec() };
        let record = self.pointee(&before)?;
        Some(pointer_at(self.context.program, record, offset)?.to)
    }

    fn root_type(&self, root: Root) -> Option<SourceType> {
        match root {
            Root::Param(index) => {
                let unit = self.function.unit;
                // The numbers of parameters agree with those of the prototype where nothing is passed in memory.
                let variable = self.body.parameter(index)?;
                let plain =
                    self.function.params.iter().all(|param| !param.struct_result && param.by_value.is_none());
                if !plain {
                    return None;
                }
                let ty = ctype::pointee(&self.context.program.units[unit].debug, variable.ty)??;
                Some(SourceType { unit, ty })
            }
            Root::Global(global) => {
                let global = &self.context.program.globals[global];
                Some(SourceType { unit: global.unit, ty: global.debug_type? })
            }
            _ => None,
        }
    }
}

/// The pointer member at an offset of a record.
fn pointer_at(program: &Program, record: SourceType, offset: i64) -> Option<Pointer> {
    let debug = &program.units[record.unit].debug;
    let mut around = Vec::new();
    let mut member = None;
    for part in parts(program, record, offset) {
        match part.described {
            DebugType::Record(_) => {
                around.push((ctype::strip(debug, Some(part.ty))?, offset.checked_sub_unsigned(part.inside)?));
                member = part.member;
            }
            DebugType::Pointer { to } if part.inside == 0 => {
                let to = SourceType { unit: record.unit, ty: (*to)? };
                return Some(Pointer { name: debug.names.get(member?.name?).into(), to, around });
            }
            _ => return None,
        }
    }
    None
}
