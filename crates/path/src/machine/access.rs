//! Reading and writing memory through guarded addresses.

use crate::limits::{
    LONGEST_PATH, MOST_BRIEF_ADDRESSES, MOST_BRIEF_NUMBERS, MOST_OVERWRITES, MOST_SCATTERED,
};
use crate::machine::journal::Overwrite;
use crate::machine::memory::{Cell, ObjectId, Origin};
use crate::machine::provenance::Provenance;
use crate::machine::state::{Detail, State};
use crate::machine::value::{Leaf, Leaves, Offset, Sym};
use crate::plan::unroll::NodeId;
use watertight_finding::Doubt;
use watertight_ir::{Endian, Id, Type};
use watertight_logic::guard::Guard;
use watertight_logic::term::TermId;
use watertight_logic::width::Width;
use watertight_summary::Path;

impl State<'_> {
    pub fn load(&mut self, address: &Leaves, ty: Type) -> Sym {
        let bytes = ty.store_bytes(self.context.program.target.pointer_bits);
        let mut result = Vec::new();
        for &(guard, leaf) in address {
            let both = self.and(guard, self.here);
            if both.is_false() {
                continue;
            }
            let read = match leaf {
                Leaf::Address(object, Offset::At(offset)) => self.read(object, offset, bytes, ty, both),
                Leaf::Address(object, Offset::Somewhere) => self.read_somewhere(object, bytes, ty),
                Leaf::Number(address) => match self.place_at(address) {
                    Some((object, offset)) => self.read(object, offset, bytes, ty, both),
                    // Nothing is read through the null pointer on a path that goes on.
                    None => continue,
                },
                Leaf::Function(_) => self.any_leaves(ty),
            };
            for (when, leaf) in read {
                let when = self.and(guard, when);
                result.push((when, leaf));
            }
        }
        let result = self.tidy(result);
        if ty == Type::BOOL {
            return Sym::Truth(self.truth(&Sym::Leaves(result)));
        }
        if result.is_empty() { self.any(ty) } else { Sym::Leaves(result) }
    }

    /// What a cell holds on the paths of `care`.
    pub fn read(&mut self, object: ObjectId, offset: i64, bytes: u64, ty: Type, care: Guard) -> Leaves {
        // A cell of our own that only a store at an unknown index can have filled holds what was stored.
        if ty == Type::Ptr
            && !matches!(
                self.objects[object].origin,
                Origin::Entry(_) | Origin::Global(_) | Origin::Elsewhere
            )
            && self.objects[object].overlapping(offset, bytes).is_empty()
            && let [(guard, leaf)] = self.objects[object].scattered[..]
        {
            let guard = self.within(guard, care);
            let rest = Leaf::Number(self.unknown_number(self.pointer_width()));
            let leaves = vec![(guard, leaf), (!guard, rest)];
            return leaves.into_iter().filter(|entry| !entry.0.is_false()).collect();
        }
        let stored = match self.objects[object].cell(offset, bytes) {
            Some(index) => {
                self.refresh(object, index);
                let cell = &self.objects[object].cells[index];
                cell.found.as_ref().unwrap_or(&cell.leaves).clone()
            }
            None => self.first_read(object, offset, bytes, ty),
        };
        let mut leaves: Leaves = Vec::with_capacity(stored.len());
        for (guard, leaf) in stored {
            let guard = self.within(guard, care);
            if !guard.is_false() {
                leaves.push((guard, leaf));
            }
        }
        let scattered = self.objects[object].scattered.clone();
        if scattered.is_empty() || ty != Type::Ptr {
            return leaves;
        }
        let mut rest = Guard::TRUE;
        let mut mixed = Vec::new();
        for (guard, leaf) in scattered.into_iter().take(MOST_SCATTERED) {
            let guard = self.within(guard, care);
            // Whether it was stored here is decided by an index that was not followed.
            let choice = self.invented_choice(Doubt::ElementUnknown);
            let taken = self.formulas.guards.and_all([rest, guard, choice]);
            if !taken.is_false() {
                mixed.push((taken, leaf));
                rest = self.formulas.guards.and_not(rest, taken);
            }
        }
        for (guard, leaf) in leaves {
            mixed.push((self.and(rest, guard), leaf));
        }
        mixed
    }

    fn first_read(&mut self, object: ObjectId, offset: i64, bytes: u64, ty: Type) -> Leaves {
        let overlapping = self.objects[object].overlapping(offset, bytes);
        if let Some(leaves) = self.part_of_cell(object, &overlapping, offset, bytes) {
            return leaves;
        }
        if let Some(leaves) = self.joined_cells(object, &overlapping, offset, bytes, ty) {
            return leaves;
        }
        let leaves = if overlapping.is_empty() {
            self.initial(object, offset, bytes, ty)
        } else {
            // Cells that are cut elsewhere hold it, in a way that is not followed.
            let any = self.any(ty);
            self.invent(&any, Doubt::ElementUnknown);
            let width = self.width(ty);
            return self.leaves(&any, width);
        };
        let (written, seen) = (NodeId::new(0), self.outside_changes);
        self.objects[object].cells.push(Cell::new(offset, bytes, leaves.clone(), written, seen));
        leaves
    }

    /// Bytes out of the middle of a wider number.
    fn part_of_cell(&mut self, object: ObjectId, cells: &[usize], offset: i64, bytes: u64) -> Option<Leaves> {
        let [index] = cells[..] else { return None };
        let cell = self.objects[object].cells[index].clone();
        let inside = cell.offset <= offset
            && offset.checked_add_unsigned(bytes)? <= cell.offset.checked_add_unsigned(cell.bytes)?;
        if !inside || cell.bytes > 16 {
            return None;
        }
        let skipped = offset.abs_diff(cell.offset);
        let low = match self.context.program.target.endian {
            Endian::Little => skipped,
            Endian::Big => cell.bytes - skipped - bytes,
        } as u32
            * 8;
        let width = Width::new(cell.bytes as u32 * 8)?;
        let mut leaves = Vec::new();
        for (guard, leaf) in cell.leaves {
            let whole = self.leaf_term(leaf, width);
            let part = self.formulas.terms.extract(whole, low + bytes as u32 * 8 - 1, low);
            leaves.push((guard, Leaf::Number(part)));
        }
        Some(leaves)
    }

    /// A number put together from cells that hold parts of it. What lies between them is as it was.
    fn joined_cells(
        &mut self,
        object: ObjectId,
        cells: &[usize],
        offset: i64,
        bytes: u64,
        ty: Type,
    ) -> Option<Leaves> {
        if cells.is_empty()
            || ty == Type::Ptr
            || bytes > 16
            || self.context.program.target.endian == Endian::Big
        {
            return None;
        }
        let mut parts: Vec<Cell> =
            cells.iter().map(|&index| self.objects[object].cells[index].clone()).collect();
        parts.sort_by_key(|cell| cell.offset);
        let end = offset.checked_add_unsigned(bytes)?;
        let mut at = offset;
        let mut whole = None;
        for cell in parts {
            let last = cell.offset.checked_add_unsigned(cell.bytes)?;
            // Bytes of a wider number than that, or of one that begins before it, are not cut out.
            if cell.offset < at || last > end {
                return None;
            }
            if at < cell.offset {
                let between = self.between(object, at, cell.offset.abs_diff(at))?;
                whole = Some(self.above(whole, between));
            }
            let width = Width::new(u32::try_from(cell.bytes).ok()? * 8)?;
            let term = self.merged(&cell.leaves, width);
            whole = Some(self.above(whole, term));
            at = last;
        }
        if at < end {
            let between = self.between(object, at, end.abs_diff(at))?;
            whole = Some(self.above(whole, between));
        }
        Some(vec![(Guard::TRUE, Leaf::Number(whole?))])
    }

    /// A number with this one in its lower bits.
    fn above(&mut self, low: Option<TermId>, term: TermId) -> TermId {
        match low {
            None => term,
            Some(low) => self.formulas.terms.concat(term, low),
        }
    }

    /// The bytes between two cells, which nothing has written by itself.
    fn between(&mut self, object: ObjectId, offset: i64, bytes: u64) -> Option<TermId> {
        let bits = u32::try_from(bytes).ok()? * 8;
        let leaves = self.first_read(object, offset, bytes, Type::Int(bits));
        Some(self.merged(&leaves, Width::new(bits)?))
    }

    /// What a cell holds before anything here writes it by itself.
    fn initial(&mut self, object: ObjectId, offset: i64, bytes: u64, ty: Type) -> Leaves {
        if self.objects[object].links.is_empty() {
            return self.original(object, offset, bytes, ty);
        }
        let (mut leaves, rest) = self.linked(object, offset, bytes, ty);
        if !rest.is_false() {
            for (when, leaf) in self.original(object, offset, bytes, ty) {
                leaves.push((self.and(rest, when), leaf));
            }
        }
        self.tidy(leaves)
    }

    /// What a cell held at entry, or when its object came into being.
    fn original(&mut self, object: ObjectId, offset: i64, bytes: u64, ty: Type) -> Leaves {
        let width = self.width(ty);
        let clobbered = !self.objects[object].clobbered.is_false();
        let leaf = match self.objects[object].origin.clone() {
            Origin::Stack(_) | Origin::Fresh(_) if self.objects[object].zeroed => {
                Leaf::Number(self.constant(width, 0))
            }
            Origin::Stack(_) | Origin::Fresh(_) if self.objects[object].is_blank() => {
                Leaf::Number(self.undefined_number(width))
            }
            // What a function of the program put there, and its summary does not tell.
            Origin::Fresh(site) if !site.trail.is_empty() => {
                let number = self.unknown_number(width);
                self.unknowns.note(number, Provenance::Untold);
                Leaf::Number(number)
            }
            Origin::Stack(_) | Origin::Fresh(_) if !clobbered => Leaf::Number(self.unknown_number(width)),
            Origin::Global(global) => {
                if let Some(leaf) = self.constant_global(global, offset, bytes, ty) {
                    leaf
                } else if ty == Type::Ptr
                    && let Some(functions) = self.functions_in(global, offset)
                {
                    return functions;
                } else if clobbered {
                    return self.doubtful_leaves(ty);
                } else {
                    self.entry_leaf(&Path::root(watertight_summary::Root::Global(global)), offset, bytes, ty)
                }
            }
            Origin::Entry(path) if !clobbered => match ty {
                Type::Ptr if let Some(leaf) = self.back_pointer(&path, offset) => leaf,
                _ => self.entry_leaf(&path, offset, bytes, ty),
            },
            _ if clobbered => return self.doubtful_leaves(ty),
            _ => return self.any_leaves(ty),
        };
        vec![(Guard::TRUE, leaf)]
    }

    fn doubtful_leaves(&mut self, ty: Type) -> Leaves {
        let any = self.doubtful(ty);
        let width = self.width(ty);
        self.leaves(&any, width)
    }

    pub fn any_leaves(&mut self, ty: Type) -> Leaves {
        let any = self.any(ty);
        let width = self.width(ty);
        self.leaves(&any, width)
    }

    /// What the caller knows by the name `base`, then a cell.
    fn entry_leaf(&mut self, base: &Path, offset: i64, bytes: u64, ty: Type) -> Leaf {
        let width = self.width(ty);
        if base.cells() >= LONGEST_PATH {
            let unnamed = self.unknown_number(width);
            self.beyond.insert(unnamed, base.then(entry_step(offset, bytes, ty)));
            return Leaf::Number(unnamed);
        }
        if ty == Type::Ptr {
            let object = self.object(Origin::Entry(base.at(offset)));
            Leaf::Address(object, Offset::At(0))
        } else {
            Leaf::Number(self.input(width, base.then(entry_step(offset, bytes, ty))))
        }
    }

    /// The value of a cell of a global that is never written.
    fn constant_global(
        &mut self,
        global: watertight_ir::GlobalId,
        offset: i64,
        bytes: u64,
        ty: Type,
    ) -> Option<Leaf> {
        if !self.context.is_constant(global) {
            return None;
        }
        let data = &self.context.program.globals[global];
        let image = data.image.as_ref()?;
        let offset = u64::try_from(offset).ok()?;
        if offset.checked_add(bytes)? > data.bytes || bytes > 16 {
            return None;
        }
        let width = self.width(ty);
        let touching = |relocation: &&watertight_ir::Relocation| {
            relocation.offset < offset + bytes && offset < relocation.offset + u64::from(relocation.bytes)
        };
        if let Some(relocation) = image.relocations.iter().find(touching) {
            if relocation.offset != offset
                || u64::from(relocation.bytes) != bytes
                || relocation.minus.is_some()
            {
                return None;
            }
            return Some(match relocation.target {
                watertight_ir::Symbol::Func(function) => Leaf::Function(function),
                watertight_ir::Symbol::Global(target) => {
                    let object = self.global_object(target);
                    Leaf::Address(object, Offset::At(relocation.addend))
                }
                watertight_ir::Symbol::Label(..) => return None,
            });
        }
        let byte = |index: u64| u128::from(image.bytes.get((offset + index) as usize).copied().unwrap_or(0));
        let value = match self.context.program.target.endian {
            Endian::Little => (0..bytes).rev().fold(0, |value, index| value << 8 | byte(index)),
            Endian::Big => (0..bytes).fold(0, |value, index| value << 8 | byte(index)),
        };
        Some(Leaf::Number(self.formulas.terms.constant(width, width.mask(value))))
    }

    /// Some element of an object.
    fn read_somewhere(&mut self, object: ObjectId, bytes: u64, ty: Type) -> Leaves {
        // Neither an address nor a descriptor fits into less than an `int`.
        if bytes < 4 {
            return self.any_leaves(ty);
        }
        let mut candidates: Vec<(Guard, Leaf)> = Vec::new();
        for cell in &self.objects[object].cells {
            if cell.bytes == bytes {
                candidates.extend(cell.leaves.iter().filter(|entry| matches!(entry.1, Leaf::Address(..))));
            }
        }
        candidates.extend(self.objects[object].scattered.iter().copied());
        candidates.truncate(MOST_SCATTERED);
        if ty != Type::Ptr && candidates.is_empty() {
            return self.any_leaves(ty);
        }
        let mut rest = Guard::TRUE;
        let mut leaves = Vec::new();
        for (guard, leaf) in candidates {
            // Whether it was stored here is decided by an index that was not followed.
            let choice = self.invented_choice(Doubt::ElementUnknown);
            let taken = self.formulas.guards.and_all([rest, guard, choice]);
            if !taken.is_false() {
                leaves.push((taken, leaf));
                rest = self.formulas.guards.and_not(rest, taken);
                // Which element it is nobody knows, so what happens to it says nothing about one alone.
                if let Leaf::Address(held, _) = leaf {
                    self.objects[held].several = true;
                }
            }
        }
        let other = match self.objects[object].origin.clone() {
            _ if ty != Type::Ptr => Leaf::Number(self.unknown_number(self.width(ty))),
            Origin::Entry(path) if path.cells() < LONGEST_PATH => {
                let path = path.then(watertight_summary::Step::Somewhere);
                Leaf::Address(self.object(Origin::Entry(path)), Offset::At(0))
            }
            Origin::Global(global) if !self.context.is_constant(global) => {
                let path = Path::root(watertight_summary::Root::Global(global));
                let path = path.then(watertight_summary::Step::Somewhere);
                Leaf::Address(self.object(Origin::Entry(path)), Offset::At(0))
            }
            _ if self.objects[object].is_blank() => Leaf::Number(self.undefined_number(self.pointer_width())),
            _ => self.elsewhere(),
        };
        if let Leaf::Address(held, _) = other {
            self.objects[held].several = true;
        }
        leaves.push((rest, other));
        leaves
    }

    pub fn store(&mut self, address: &Leaves, value: &Sym, ty: Type, guard: Guard) {
        let bytes = ty.store_bytes(self.context.program.target.pointer_bits);
        let width = self.width(ty);
        let leaves = self.leaves(value, width);
        for &(when, leaf) in address {
            let when = self.and(guard, when);
            if when.is_false() {
                continue;
            }
            match leaf {
                Leaf::Address(object, Offset::At(offset)) => {
                    // Who writes to what was released on some of the paths means another object there: two names were
                    // taken for one.
                    let released = self.and(self.objects[object].released, when);
                    if !released.is_false() && released != when {
                        self.keep_leaves(&leaves, released);
                    }
                    self.write(object, offset, bytes, &leaves, ty, when)
                }
                Leaf::Address(object, Offset::Somewhere) => {
                    // A descriptor that the caller gave is not found again there, but whoever has the array can close it.
                    if !matches!(self.objects[object].origin, Origin::Stack(_)) {
                        let numbers = leaves.iter().filter(|entry| matches!(entry.1, Leaf::Number(_)));
                        self.keep_leaves(&numbers.copied().collect(), when);
                    }
                    self.scatter(object, &leaves, when);
                }
                Leaf::Number(address) if self.unknowns.is(address, Provenance::Undefined) => {}
                Leaf::Number(address) => {
                    // Whoever owns that memory answers for what is stored there.
                    if let Some((object, offset)) = self.place_at(address) {
                        self.write(object, offset, bytes, &leaves, ty, when);
                        self.keep_leaves(&leaves, when);
                    }
                }
                Leaf::Function(_) => self.keep_leaves(&leaves, when),
            }
        }
    }

    /// Replaces what a cell holds on the paths of `guard`.
    pub fn write(
        &mut self,
        object: ObjectId,
        offset: i64,
        bytes: u64,
        value: &Leaves,
        ty: Type,
        guard: Guard,
    ) {
        if self.objects[object].cell(offset, bytes).is_none() {
            self.make_room(object, offset, bytes, ty, guard);
        }
        let Some(index) = self.objects[object].cell(offset, bytes) else { return };
        if ty == Type::Ptr {
            self.doubt_aliases(object, offset);
            self.put_before_threads(object, value, guard);
        }
        let seen = self.outside_changes;
        let written = self.stand_in.unwrap_or(self.node);
        let cell = &mut self.objects[object].cells[index];
        cell.written = written;
        let doubted = cell.found.take().is_some();
        if guard == self.here {
            (cell.stale, cell.unlinked, cell.seen) = (false, false, seen);
        } else {
            cell.stale |= doubted;
        }
        let old = std::mem::take(&mut self.objects[object].cells[index].leaves);
        if self.detail == Detail::Brief
            && !guard.is_true()
            && let Some(leaves) = self.forgotten(object, &old, value, ty, guard)
        {
            self.objects[object].cells[index].leaves = leaves;
            return;
        }
        let mut leaves = Vec::with_capacity(old.len() + value.len());
        for &(when, leaf) in value {
            leaves.push((self.and(guard, when), leaf));
        }
        self.note_overwritten(&old, guard);
        if !guard.is_true() {
            for (when, leaf) in old {
                leaves.push((self.formulas.guards.and_not(when, guard), leaf));
            }
        }
        let leaves = self.tidy(leaves);
        self.objects[object].cells[index].leaves = leaves;
    }

    /// Notes that addresses of things acquired here are overwritten, to tell later where that was.
    fn note_overwritten(&mut self, old: &Leaves, guard: Guard) {
        for &(when, leaf) in old {
            if let Leaf::Address(object, _) = leaf
                && self.objects[object].is_fresh()
                && self.journal.overwrites.len() < MOST_OVERWRITES
            {
                let guard = self.and(when, guard);
                if !guard.is_false() {
                    self.journal.overwrites.push(Overwrite {
                        node: self.node,
                        inst: self.inst,
                        object,
                        guard,
                    });
                }
            }
        }
    }

    /// Where details are left out, a cell of others' that holds one thing or another is forgotten, on all paths, which
    /// takes no guards: what it held and gets is somebody else's, and what is read there is not known.
    fn forgotten(
        &mut self,
        object: ObjectId,
        old: &Leaves,
        value: &Leaves,
        ty: Type,
        guard: Guard,
    ) -> Option<Leaves> {
        let outside = match self.objects[object].origin {
            Origin::Entry(_) | Origin::Global(_) | Origin::Elsewhere | Origin::Process => true,
            Origin::Stack(_) | Origin::Fresh(_) => false,
        };
        let unknown = |leaf: Leaf| match leaf {
            Leaf::Number(term) => {
                self.formulas.terms.as_variable(term).is_some() && self.input_path(term).is_none()
            }
            _ => false,
        };
        let most = if ty == Type::Ptr { MOST_BRIEF_ADDRESSES } else { MOST_BRIEF_NUMBERS };
        let many = old.len() + value.len() > most || value.iter().all(|entry| unknown(entry.1));
        if !outside || !many {
            return None;
        }
        let addresses = |leaves: &Leaves| -> Leaves {
            leaves.iter().filter(|entry| matches!(entry.1, Leaf::Address(..))).copied().collect()
        };
        self.keep_leaves(&addresses(old), Guard::TRUE);
        self.keep_leaves(&addresses(value), guard);
        let any = self.doubtful(ty);
        self.invent(&any, Doubt::InBrief);
        let width = self.width(ty);
        Some(self.leaves(&any, width))
    }

    fn add_cell(&mut self, object: ObjectId, offset: i64, bytes: u64, leaves: Leaves) {
        let (written, seen) = (self.stand_in.unwrap_or(self.node), self.outside_changes);
        self.objects[object].cells.push(Cell::new(offset, bytes, leaves, written, seen));
    }

    /// Makes a cell of exactly this range, whatever ranges were used before.
    fn make_room(&mut self, object: ObjectId, offset: i64, bytes: u64, ty: Type, guard: Guard) {
        let overlapping = self.objects[object].overlapping(offset, bytes);
        if overlapping.is_empty() {
            self.before_write(object, offset, bytes, ty);
            let replaced = guard.is_true();
            let leaves = if replaced { Vec::new() } else { self.initial(object, offset, bytes, ty) };
            self.add_cell(object, offset, bytes, leaves);
            return;
        }
        let before = match self.part_of_cell(object, &overlapping, offset, bytes) {
            None if !guard.is_true() => self.joined_cells(object, &overlapping, offset, bytes, ty),
            part => part,
        };
        // A word of which a part is written keeps its other bytes.
        let kept = self.other_bytes(object, &overlapping, offset, bytes);
        // The old cells go; addresses in them that may survive on other paths stay held.
        let mut survivors = Vec::new();
        let overlapping = self.objects[object].overlapping(offset, bytes);
        for &index in overlapping.iter().rev() {
            let cell = self.objects[object].cells.remove(index);
            self.note_overwritten(&cell.leaves, guard);
            for (when, leaf) in cell.leaves {
                let covered = cell.offset >= offset
                    && cell.offset.saturating_add_unsigned(cell.bytes)
                        <= offset.saturating_add_unsigned(bytes);
                let rest = if covered { self.formulas.guards.and_not(when, guard) } else { when };
                if matches!(leaf, Leaf::Address(..)) && !rest.is_false() {
                    survivors.push((rest, leaf));
                }
            }
        }
        self.objects[object].scattered.extend(survivors);
        let leaves = match before {
            _ if guard.is_true() => Vec::new(),
            Some(leaves) => leaves,
            None => {
                let width = self.width(ty);
                vec![(Guard::TRUE, Leaf::Number(self.unknown_number(width)))]
            }
        };
        self.add_cell(object, offset, bytes, leaves);
        for (offset, bytes, leaves) in kept {
            self.add_cell(object, offset, bytes, leaves);
        }
    }

    /// The bytes of numbers that reach into a range and lie outside of it, as cells of their own.
    fn other_bytes(
        &mut self,
        object: ObjectId,
        overlapping: &[usize],
        offset: i64,
        bytes: u64,
    ) -> Vec<(i64, u64, Leaves)> {
        let end = offset.saturating_add_unsigned(bytes);
        let mut kept = Vec::new();
        for &index in overlapping {
            let cell = &self.objects[object].cells[index];
            let last = cell.offset.saturating_add_unsigned(cell.bytes);
            let rest = [(cell.offset, offset), (end, last)];
            if cell.leaves.iter().any(|entry| !matches!(entry.1, Leaf::Number(_))) {
                continue;
            }
            for (from, to) in rest.into_iter().filter(|(from, to)| from < to) {
                let bytes = to.abs_diff(from);
                if let Some(leaves) = self.part_of_cell(object, &[index], from, bytes) {
                    kept.push((from, bytes, leaves));
                }
            }
        }
        kept
    }

    /// A write at an unknown offset: what was there may still be there.
    pub fn scatter(&mut self, object: ObjectId, value: &Leaves, guard: Guard) {
        for &(when, leaf) in value {
            if let Leaf::Address(held, _) = leaf {
                self.objects[held].several = true;
                let when = self.and(guard, when);
                let scattered = &mut self.objects[object].scattered;
                match scattered.iter().position(|entry| entry.1 == leaf) {
                    Some(index) => {
                        let all = self.formulas.guards.or(self.objects[object].scattered[index].0, when);
                        self.objects[object].scattered[index].0 = all;
                    }
                    None => scattered.push((when, leaf)),
                }
            }
        }
    }

    /// Someone else answers for what these addresses lead to.
    pub fn keep_leaves(&mut self, leaves: &Leaves, guard: Guard) {
        for &(when, leaf) in leaves {
            if let Some(object) = self.resource(leaf) {
                let when = self.and(guard, when);
                let kept = self.objects[object].kept;
                self.objects[object].kept = self.or(kept, when);
            }
        }
    }
}

/// The step that reads a cell of a type.
fn entry_step(offset: i64, bytes: u64, ty: Type) -> watertight_summary::Step {
    match ty {
        Type::Ptr => watertight_summary::Step::At(offset),
        _ => watertight_summary::Step::Number { offset, bytes: bytes as u32 },
    }
}
