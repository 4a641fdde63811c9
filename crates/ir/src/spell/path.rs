//! From a variable or pointer to the member at an offset: `list` and 8 bytes become `list.tail`.
//!
//! An [`Object`] is a piece of memory with a text and a C type. Walking applies offsets and indices in
//! order; each index needs an array (or a pointer) whose elements have the scale as their size. At the end
//! the object descends to the member or element that is accessed.

use super::{Expression, Speller};
use crate::ctype;
use crate::debug::{DebugType, Member};
use crate::ids::{DebugTypeId, Id, NameId, UnitId, ValueId};

/// One step of forming an address.
#[derive(Copy, Clone, Debug)]
pub(super) enum Step {
    Bytes(i64),
    Index { index: ValueId, scale: i64 },
}

/// What is done with the memory in the end.
#[derive(Copy, Clone, Debug)]
pub(super) enum Wanted {
    /// A number of bytes is read or written, perhaps as a pointer.
    Access { bytes: u64, pointer: bool },
    /// Only the address is used: the outermost thing that begins there is meant.
    Address,
}

/// Memory with a text and a type.
#[derive(Clone, Debug)]
pub(super) struct Object {
    text: String,
    /// The text is a pointer, and the object is what it points to.
    pointed: bool,
    unit: UnitId,
    view: View,
}

/// A type, or what is left of an array type after some of its dimensions were indexed.
#[derive(Copy, Clone, PartialEq, Debug)]
struct View {
    ty: Option<DebugTypeId>,
    indexed: usize,
}

impl View {
    fn of(ty: Option<DebugTypeId>) -> View {
        View { ty, indexed: 0 }
    }
}

/// A step down inside an object.
#[derive(Clone, Debug)]
enum Part {
    /// A member; an anonymous one adds nothing to the text.
    Member {
        name: Option<NameId>,
        ty: Option<DebugTypeId>,
    },
    Element(i64),
}

/// How well something at the wanted offset fits the access.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Fit {
    OffsetOnly,
    Size,
    SizeAndKind,
}

impl Object {
    pub(super) fn variable(text: &str, unit: UnitId, ty: Option<DebugTypeId>) -> Object {
        Object { text: text.into(), pointed: false, unit, view: View::of(ty) }
    }

    /// What a pointer points to.
    pub(super) fn pointed(speller: &Speller<'_>, pointer: Expression) -> Object {
        let debug = speller.debug(pointer.unit);
        let ty = match ctype::described(debug, pointer.ty) {
            Some(DebugType::Pointer { to }) => *to,
            // An array that was used as a pointer to its first element.
            Some(DebugType::Array { of, counts }) if counts.len() == 1 => *of,
            _ => None,
        };
        Object { text: pointer.wrapped(), pointed: true, unit: pointer.unit, view: View::of(ty) }
    }

    pub(super) fn ty(&self) -> Option<DebugTypeId> {
        if self.view.indexed == 0 { self.view.ty } else { None }
    }

    /// The object as an expression: `list.head`, `*out`.
    pub(super) fn content(self) -> Expression {
        let ty = self.ty();
        match self.pointed {
            true => Expression { text: format!("*{}", self.text), postfix: false, unit: self.unit, ty },
            false => Expression { text: self.text, postfix: true, unit: self.unit, ty },
        }
    }

    /// The address of the object: `&list.head`, `out`, or the bare name of an array.
    pub(super) fn address(self, speller: &Speller<'_>) -> Option<Expression> {
        let unit = self.unit;
        let is_array = speller.element(unit, self.view).is_some();
        Some(match (self.pointed, is_array) {
            (true, _) => Expression { text: self.text, postfix: true, unit, ty: None },
            // The name of an array is the address of its first element.
            (false, true) => Expression { ty: self.ty(), text: self.text, postfix: true, unit },
            (false, false) => Expression { text: format!("&{}", self.text), postfix: false, unit, ty: None },
        })
    }

    /// Applies the steps in order, then descends to what is wanted.
    pub(super) fn walk(
        mut self,
        speller: &Speller<'_>,
        steps: &[Step],
        wanted: Wanted,
        depth: u32,
    ) -> Option<Object> {
        let mut steps = steps.iter().peekable();
        let mut offset: i64 = 0;
        loop {
            while let Some(Step::Bytes(bytes)) = steps.peek() {
                offset = offset.checked_add(*bytes)?;
                steps.next();
            }
            let Some(Step::Index { index, scale }) = steps.next() else { break };
            // Constant offsets after an index may belong to it: `a[i + 1]`.
            while let Some(Step::Bytes(bytes)) = steps.peek() {
                offset = offset.checked_add(*bytes)?;
                steps.next();
            }
            let index = speller.expression(*index, depth + 1)?.text;
            (self, offset) = self.index(speller, &index, *scale, offset)?;
        }
        self.descend(speller, offset, wanted)
    }

    /// Indexes the array at `offset` whose elements are `scale` bytes long; gives the rest of the offset.
    fn index(self, speller: &Speller<'_>, index: &str, scale: i64, offset: i64) -> Option<(Object, i64)> {
        if scale <= 0 {
            return None;
        }
        if self.pointed && speller.view_size(self.unit, self.view) == Some(scale as u64) {
            let (skipped, rest) = (offset.div_euclid(scale), offset.rem_euclid(scale));
            let text = format!("{}[{}]", self.text, plus(index, skipped));
            return Some((Object { text, pointed: false, ..self }, rest));
        }
        // An offset may reach past the first element; the array is looked for where the others begin.
        let (array, inside) = speller.find_array(self.unit, self.view, offset, scale as u64, 0)?;
        let (skipped, rest) = (inside.div_euclid(scale), inside.rem_euclid(scale));
        let mut object = self;
        for part in array {
            object = object.part(speller, part)?;
        }
        let (view, _) = speller.element(object.unit, object.view)?;
        let text = format!("{}[{}]", object.place(), plus(index, skipped));
        Some((Object { text, pointed: false, unit: object.unit, view }, rest))
    }

    /// The member or element at `offset` that fits what is wanted.
    pub(super) fn descend(self, speller: &Speller<'_>, offset: i64, wanted: Wanted) -> Option<Object> {
        let mut object = self;
        let mut offset = offset;
        let in_open_array = speller.members(object.unit, object.view).is_some()
            && speller.find(object.unit, object.view, offset, wanted, 0).is_some();
        if object.pointed
            && !in_open_array
            && let Some(size) = speller.view_size(object.unit, object.view).filter(|&size| size > 0)
        {
            // Beyond the first object a pointer points to come the next ones: `argv[1]`.
            let size = i64::try_from(size).ok()?;
            let skipped = offset.div_euclid(size);
            if skipped != 0 {
                object.text = format!("{}[{skipped}]", object.text);
                object.pointed = false;
                offset = offset.rem_euclid(size);
            }
        }
        let (_, parts) = speller.find(object.unit, object.view, offset, wanted, 0)?;
        for part in parts {
            object = object.part(speller, part)?;
        }
        Some(object)
    }

    /// The text to which `[i]` is appended.
    fn place(&self) -> String {
        if self.pointed { format!("(*{})", self.text) } else { self.text.clone() }
    }

    fn part(self, speller: &Speller<'_>, part: Part) -> Option<Object> {
        let Object { unit, view, .. } = self;
        match part {
            Part::Element(number) => {
                let (view, _) = speller.element(unit, view)?;
                Some(Object { text: format!("{}[{number}]", self.place()), pointed: false, unit, view })
            }
            Part::Member { name: None, ty } => Some(Object { view: View::of(ty), ..self }),
            Part::Member { name: Some(name), ty } => {
                let names = &speller.debug(unit).names;
                let name = (name.index() < names.len()).then(|| names.get(name))?;
                let sign = if self.pointed { "->" } else { "." };
                let text = format!("{}{sign}{name}", self.text);
                Some(Object { text, pointed: false, unit, view: View::of(ty) })
            }
        }
    }
}

/// `i + 1`, `i - 1`, or `i` alone.
fn plus(index: &str, number: i64) -> String {
    match number {
        0 => index.to_string(),
        1.. => format!("{index} + {number}"),
        _ => format!("{index} - {}", number.unsigned_abs()),
    }
}

impl Speller<'_> {
    fn view_size(&self, unit: UnitId, view: View) -> Option<u64> {
        let debug = self.debug(unit);
        let pointer_bits = self.program.target.pointer_bits;
        match ctype::described(debug, view.ty) {
            Some(DebugType::Array { of, counts }) if view.indexed > 0 => {
                let element = ctype::size(debug, *of, pointer_bits)?;
                counts.iter().skip(view.indexed).try_fold(element, |size, count| size.checked_mul((*count)?))
            }
            _ => ctype::size(debug, view.ty, pointer_bits),
        }
    }

    /// The elements of an array with their size in bytes.
    fn element(&self, unit: UnitId, view: View) -> Option<(View, u64)> {
        let Some(DebugType::Array { of, counts }) = ctype::described(self.debug(unit), view.ty) else {
            return None;
        };
        let element = match view.indexed + 1 < counts.len() {
            true => View { ty: view.ty, indexed: view.indexed + 1 },
            false => View::of(*of),
        };
        let size = self.view_size(unit, element)?;
        (size > 0).then_some((element, size))
    }

    fn members(&self, unit: UnitId, view: View) -> Option<&[Member]> {
        match ctype::described(self.debug(unit), view.ty) {
            Some(DebugType::Record(record)) => Some(&record.members),
            _ => None,
        }
    }

    /// The members that cover `offset`, and the offset inside each.
    fn covering(&self, unit: UnitId, view: View, offset: i64) -> impl Iterator<Item = (Part, View, i64)> {
        let members = self.members(unit, view).unwrap_or_default();
        members.iter().filter(|member| !member.bit_field).filter_map(move |member| {
            let inside = offset.checked_sub(i64::try_from(member.offset_bits / 8).ok()?)?;
            let bytes = i64::try_from(member.bits.div_ceil(8)).unwrap_or(i64::MAX);
            // An array of unknown size at the end goes on as far as the memory does.
            let covers = inside >= 0 && (inside < bytes || bytes == 0);
            let part = Part::Member { name: member.name, ty: member.ty };
            covers.then_some((part, View::of(member.ty), inside))
        })
    }

    /// The way to what best fits `wanted` at `offset`.
    fn find(
        &self,
        unit: UnitId,
        view: View,
        offset: i64,
        wanted: Wanted,
        depth: u32,
    ) -> Option<(Fit, Vec<Part>)> {
        self.step(depth)?;
        if matches!(wanted, Wanted::Address) && offset == 0 {
            return Some((Fit::OffsetOnly, Vec::new()));
        }
        if let Some((element, size)) = self.element(unit, view) {
            let size = i64::try_from(size).ok()?;
            let (number, inside) = (offset.div_euclid(size), offset.rem_euclid(size));
            let (fit, mut parts) = self.find(unit, element, inside, wanted, depth + 1)?;
            parts.insert(0, Part::Element(number));
            return (number >= 0).then_some((fit, parts));
        }
        if self.members(unit, view).is_none_or(<[_]>::is_empty) {
            return (offset == 0).then(|| (self.fit(unit, view, wanted), Vec::new()));
        }
        self.find_member(unit, view, offset, wanted, depth)
    }

    /// The same for a struct or union, of which a member is meant in any case.
    fn find_member(
        &self,
        unit: UnitId,
        view: View,
        offset: i64,
        wanted: Wanted,
        depth: u32,
    ) -> Option<(Fit, Vec<Part>)> {
        self.step(depth)?;
        let mut best: Option<(Fit, Vec<Part>)> = None;
        for (part, member, inside) in self.covering(unit, view, offset) {
            let anonymous = matches!(part, Part::Member { name: None, .. });
            let found = match anonymous {
                true => self.find_member(unit, member, inside, wanted, depth + 1),
                false => self.find(unit, member, inside, wanted, depth + 1),
            };
            // The first of equally good members wins.
            if let Some((fit, mut parts)) = found
                && best.as_ref().is_none_or(|(least, _)| fit > *least)
            {
                parts.insert(0, part);
                best = Some((fit, parts));
            }
        }
        best
    }

    fn fit(&self, unit: UnitId, view: View, wanted: Wanted) -> Fit {
        let Wanted::Access { bytes, pointer } = wanted else { return Fit::OffsetOnly };
        let is_pointer =
            matches!(ctype::described(self.debug(unit), view.ty), Some(DebugType::Pointer { .. }));
        match (self.view_size(unit, view) == Some(bytes), is_pointer == pointer) {
            (true, true) => Fit::SizeAndKind,
            (true, false) => Fit::Size,
            (false, _) => Fit::OffsetOnly,
        }
    }

    /// The way to an array with elements of `scale` bytes at `offset`, and the offset inside it.
    fn find_array(
        &self,
        unit: UnitId,
        view: View,
        offset: i64,
        scale: u64,
        depth: u32,
    ) -> Option<(Vec<Part>, i64)> {
        self.step(depth)?;
        if let Some((element, size)) = self.element(unit, view) {
            if size == scale {
                return Some((Vec::new(), offset));
            }
            let size = i64::try_from(size).ok()?;
            let (number, inside) = (offset.div_euclid(size), offset.rem_euclid(size));
            let (mut parts, inside) = self.find_array(unit, element, inside, scale, depth + 1)?;
            parts.insert(0, Part::Element(number));
            return (number >= 0).then_some((parts, inside));
        }
        for (part, member, inside) in self.covering(unit, view, offset) {
            if let Some((mut parts, inside)) = self.find_array(unit, member, inside, scale, depth + 1) {
                parts.insert(0, part);
                return Some((parts, inside));
            }
        }
        None
    }
}
