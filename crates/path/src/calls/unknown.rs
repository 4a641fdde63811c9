//! What nobody knows about a call: who may have kept, changed or dropped what it was given.
//!
//! In: the arguments of a call of something that is not known, or not known completely. Out: marks on objects: kept, by
//! assumption or for certain, and changed in unknown ways.

use crate::calls::apply::Arguments;
use crate::limits::{MOST_CLOBBERED, MOST_KEEPERS};
use crate::machine::journal::{How, Keeper};
use crate::machine::memory::{LinkFrom, ObjectId};
use crate::machine::state::State;
use crate::machine::value::{Leaf, Leaves, Offset, Sym};
use watertight_finding::{Doubt, UNKNOWN_CODE};
use watertight_ir::Type;
use watertight_logic::guard::Guard;
use watertight_logic::term::TermId;
use watertight_logic::width::Width;
use watertight_summary::{Path, Root};

/// Who may have changed memory.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Clobbered {
    /// A function whose model says so.
    AsTold,
    /// A function of which nothing is known.
    Perhaps,
    /// A function of the program, whose summary does not tell what it wrote on which of its ways.
    Untold,
}

impl State<'_> {
    /// A callee may answer for these objects from now on, by assumption only. What they lead to follows when the exits are
    /// looked at.
    pub(crate) fn keep_perhaps(&mut self, leaves: &Leaves, guard: Guard, callee: &str, how: How) {
        self.assume(callee);
        self.keep_untold(leaves, guard, callee, how);
    }

    /// The same where it is nothing to tell people: the callee does not get it by its name.
    pub(crate) fn keep_untold(&mut self, leaves: &Leaves, guard: Guard, callee: &str, how: How) {
        for &(when, leaf) in leaves {
            if let Some(object) = self.resource(leaf) {
                let when = self.and(guard, when);
                self.assume_kept(object, when, callee, how);
                self.hand_on(object);
            }
        }
    }

    /// The same for one object. Notes who it is where the object was acquired here.
    pub(crate) fn assume_kept(&mut self, object: ObjectId, guard: Guard, callee: &str, how: How) {
        let kept = self.objects[object].assumed_kept;
        self.objects[object].assumed_kept = self.or(kept, guard);
        if self.objects[object].is_fresh() && !guard.is_false() && self.journal.keepers.len() < MOST_KEEPERS {
            let (inst, node, callee) = (self.inst, self.node, callee.into());
            self.journal.keepers.push(Keeper { inst, node, guard, object, callee, how });
        }
    }

    /// Objects that addresses lead to in a few steps, whatever the path.
    pub(crate) fn nearby(&self, leaves: &Leaves) -> Vec<ObjectId> {
        let mut found: Vec<ObjectId> = Vec::new();
        for (_, leaf) in leaves {
            if let Leaf::Address(object, _) = leaf
                && !found.contains(object)
            {
                found.push(*object);
            }
        }
        let mut next = 0;
        while next < found.len() && found.len() < MOST_CLOBBERED {
            let held = self.objects[found[next]].held().map(|entry| entry.1);
            for led in held.chain(self.chosen_of(found[next])) {
                if !found.contains(&led) {
                    found.push(led);
                }
            }
            next += 1;
        }
        found.truncate(MOST_CLOBBERED);
        found
    }

    /// Numbers in what these addresses lead to may have changed; addresses stay where they were, because
    /// an unknown function rarely drops what its caller owns, and to say so would be a false alarm. If no one says
    /// what they are, that is an invention.
    pub(crate) fn clobber(&mut self, leaves: &Leaves, guard: Guard, by: Clobbered) {
        let texts: Vec<(ObjectId, i64, u64)> =
            leaves.iter().filter_map(|entry| self.text_at(entry.1)).collect();
        let beside = |leaf: Leaf| {
            let Leaf::Address(object, Offset::At(offset)) = leaf else { return true };
            !texts.iter().any(|text| (text.0, text.1) == (object, offset))
        };
        let others: Leaves = leaves.iter().copied().filter(|entry| beside(entry.1)).collect();
        for (object, offset, bytes) in texts {
            self.clobber_text(object, offset, bytes, guard);
        }
        let leaves = &others;
        let when = leaves.iter().fold(Guard::FALSE, |all, entry| self.formulas.guards.or(all, entry.0));
        let when = self.and(when, guard);
        for &(_, leaf) in leaves {
            if let Leaf::Address(object, _) = leaf {
                self.doubt_unlinked(object);
            }
        }
        for object in self.nearby(leaves) {
            self.doubt_cells(object);
            let begin = if by == Clobbered::AsTold { written_from(leaves, object) } else { i64::MIN };
            let from = if by == Clobbered::Untold { LinkFrom::Untold } else { LinkFrom::Unknown };
            self.forget_zeros(object, begin, from, when);
            let cells = self.objects[object].cells.clone();
            for cell in
                cells.into_iter().filter(|cell| cell.offset.saturating_add_unsigned(cell.bytes) > begin)
            {
                if cell.leaves.iter().all(|entry| matches!(entry.1, Leaf::Number(_)))
                    && let Some(width) = Width::new((cell.bytes as u32).saturating_mul(8))
                {
                    // ASSUME-66: who refers to it as well has counted that, and gives it up itself.
                    if by == Clobbered::Perhaps && self.is_count(object, cell.offset) {
                        continue;
                    }
                    // What is there afterwards may be what was there before.
                    if by != Clobbered::AsTold {
                        let mut held = cell.leaves.clone();
                        held.retain(|entry| self.may_be_held(entry.1));
                        self.keep_untold(&held, when, UNKNOWN_CODE, How::Found);
                    }
                    let ty = Type::Int(width.bits());
                    let pointer = cell.bytes == u64::from(self.context.program.target.pointer_bits / 8);
                    let leaf =
                        if pointer { self.elsewhere() } else { Leaf::Number(self.doubtful_number(width)) };
                    let place = vec![(Guard::TRUE, Leaf::Address(object, Offset::At(cell.offset)))];
                    let invented = match by {
                        Clobbered::AsTold => false,
                        // What was zero was there to be set.
                        Clobbered::Perhaps => {
                            self.is_known(&place, &cell.leaves) && !self.is_zero(&cell.leaves)
                        }
                        Clobbered::Untold => true,
                    };
                    if invented {
                        self.invent(&Sym::one(leaf), Doubt::CalleeWrote);
                    }
                    self.write(object, cell.offset, cell.bytes, &vec![(Guard::TRUE, leaf)], ty, when);
                }
            }
            let clobbered = self.objects[object].clobbered;
            self.objects[object].clobbered = self.or(clobbered, when);
            self.objects[object].changes.push(when);
        }
    }

    /// Whether a cell that holds this may hold a resource: something with an address, what was acquired here, or a number that was
    /// passed and is as wide as a descriptor. Any other number is just a number.
    pub(crate) fn may_be_held(&self, leaf: Leaf) -> bool {
        match leaf {
            Leaf::Address(..) => true,
            Leaf::Number(term) => self.passed_descriptor(term).is_some(),
            Leaf::Function(_) => false,
        }
    }

    /// The parameter that a number is, if it may be a descriptor.
    pub(crate) fn passed_descriptor(&self, term: TermId) -> Option<&Path> {
        let wide = self.formulas.terms.width(term) == Width::W32;
        self.input_path(term)
            .filter(|path| wide && matches!(path.root, Root::Param(_)) && path.steps.is_empty())
    }

    fn is_zero(&self, leaves: &Leaves) -> bool {
        let zero = |leaf: Leaf| matches!(leaf, Leaf::Number(term) if self.formulas.terms.const_value(term) == Some(0));
        leaves.iter().all(|entry| zero(entry.1))
    }

    /// The text that an address leads into, if it is one inside of something larger.
    fn text_at(&mut self, leaf: Leaf) -> Option<(ObjectId, i64, u64)> {
        let Leaf::Address(object, Offset::At(offset)) = leaf else { return None };
        Some((object, offset, self.rest_of_text(object, offset)?))
    }

    /// The cells of a text may have changed.
    fn clobber_text(&mut self, object: ObjectId, offset: i64, bytes: u64, guard: Guard) {
        let end = offset.saturating_add_unsigned(bytes);
        self.objects[object].changes.push(guard);
        for cell in self.objects[object].cells.clone() {
            if cell.offset < offset || cell.offset >= end {
                continue;
            }
            if let Some(width) = Width::new((cell.bytes as u32).saturating_mul(8)) {
                let leaf = Leaf::Number(self.unknown_number(width));
                let ty = Type::Int(width.bits());
                self.write(object, cell.offset, cell.bytes, &vec![(Guard::TRUE, leaf)], ty, guard);
            }
        }
    }

    /// A call of something nothing is known about.
    pub(crate) fn unknown_call(&mut self, args: &[(Sym, Type)], name: &str, how: How) {
        // ASSUME-6: globals stay as they are, but for what callees have left there.
        let belief = self.context.beliefs.of_call(self.id, self.inst);
        let mut kept: Vec<Sym> = Vec::with_capacity(args.len());
        for ((sym, _), number) in args.iter().zip(0u32..) {
            match belief {
                Some(belief) if belief.fills == Some(number) || belief.releases.contains(&number) => {}
                Some(belief) if belief.borrows.contains(&number) => self.lend(sym, name),
                _ => kept.push(sym.clone()),
            }
        }
        self.unknown_effects(&kept, name, how);
        self.forget_args(args);
    }

    /// Something is given to code out of sight that is believed to give it back.
    fn lend(&mut self, sym: &Sym, name: &str) {
        let leaves = self.leaves(sym, self.pointer_width());
        for &(guard, leaf) in &leaves {
            if let Some(object) = self.resource(leaf)
                && self.objects[object].is_fresh()
                && self.journal.keepers.len() < MOST_KEEPERS
            {
                let (inst, node, callee) = (self.inst, self.node, name.into());
                self.journal.keepers.push(Keeper { inst, node, guard, object, callee, how: How::Given });
            }
        }
        let lent = self.nearby(&leaves);
        let guard = self.here;
        self.journal.lent.extend(lent.into_iter().map(|object| (object, guard)));
        self.clobber(&leaves, self.here, Clobbered::Perhaps);
    }

    /// What the arguments of a call lead to may have been changed.
    pub(crate) fn forget_args(&mut self, args: &Arguments<'_>) {
        self.opaque = true;
        self.doubt_globals();
        let given: Vec<Leaves> = args.iter().map(|(sym, ty)| self.leaves(sym, self.width(*ty))).collect();
        self.doubt_reached(&given);
    }

    /// Code that is not known may take from globals what callees have left there.
    pub(crate) fn doubt_globals(&mut self) {
        for object in self.objects.ids() {
            if self.objects[object].left_in_global {
                self.assume_kept(object, self.here, UNKNOWN_CODE, How::Found);
            }
        }
    }

    // ASSUME-4: it may keep what it is given, and does not drop what its caller owns.
    pub(crate) fn unknown_effects(&mut self, args: &[Sym], name: &str, how: How) {
        let width = self.pointer_width();
        let guard = self.here;
        for arg in args {
            let leaves = match arg {
                Sym::Parts(parts) => {
                    let parts = parts.clone();
                    self.unknown_effects(&parts, name, how);
                    continue;
                }
                other => self.leaves(other, width),
            };
            let mut known = false;
            for &(_, leaf) in &leaves {
                known |= self.resource(leaf).is_some();
            }
            if known {
                self.keep_perhaps(&leaves, guard, name, how);
                self.clobber(&leaves, guard, Clobbered::Perhaps);
            }
        }
    }
}

/// The first byte of an object that a function of the library may write when it is given these addresses: it writes
/// from there on, and what stands before, such as a header of the program's own, stays as it is. An object that only
/// others lead to may change anywhere.
fn written_from(leaves: &Leaves, object: ObjectId) -> i64 {
    let mut first = None;
    for (_, leaf) in leaves {
        match *leaf {
            Leaf::Address(given, Offset::At(offset)) if given == object => {
                first = Some(first.map_or(offset, |known: i64| known.min(offset)));
            }
            Leaf::Address(given, _) if given == object => return i64::MIN,
            _ => {}
        }
    }
    first.unwrap_or(i64::MIN)
}
