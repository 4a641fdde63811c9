//! Memory that nobody has decided: what it holds is decided when it is first read.
//!
//! In: an address and what is read there. Out: bytes in memory. Addresses become NULL, new objects of the caller's, or
//! known objects of the same type; numbers those that the code at hand compares with; texts are short. A variable of the
//! program holds what it held at the start, or what another function may have left there. What must hold: objects of
//! different types are different objects, and chains of links end.

use crate::around::{Around, Named};
use crate::chance::Chance;
use crate::limits::{FAR_BYTES, FILLED_LINKS, NEAR_BYTES};
use crate::types;
use crate::whole::{Functions, Held};
use watertight_interpret::{Address, Hands, ObjectKind};
use watertight_ir::spell::SourceType;
use watertight_ir::{FuncId, Type};
use watertight_summary::{Path, Root, Step};

/// A cell of memory and what is known of it.
struct Cell {
    /// How the function can name the object that it lies in.
    base: Option<Path>,
    offset: i64,
    /// The type of the object.
    object: Option<SourceType>,
    depth: usize,
    /// It is a variable of the program, and has first contents.
    first: First,
}

#[derive(Copy, Clone, PartialEq, Eq)]
enum First {
    /// It holds what it held at the start.
    Stays,
    Changes,
    /// There is no such thing.
    None,
}

impl Cell {
    fn path(&self, step: Step) -> Option<Path> {
        Some(self.base.as_ref()?.then(step))
    }
}

impl Around<'_> {
    /// Decides what lies at an address.
    pub(crate) fn fill(
        &mut self,
        hands: &mut Hands<'_, '_>,
        address: Address,
        bytes: u64,
        ty: Option<Type>,
    ) -> bool {
        let Some(cell) = self.cell(hands, address) else { return false };
        if cell.first == First::Stays {
            let Some((contents, _)) = hands.peek(address, hands.room(address)) else { return false };
            let contents = contents.to_vec();
            return hands.put(address, &contents);
        }
        match ty {
            None if bytes == 1 => self.fill_text(hands, address),
            None => self.fill_range(hands, address, bytes),
            Some(ty) => self.fill_scalar(hands, &cell, address, bytes, ty),
        }
    }

    fn cell(&self, hands: &Hands<'_, '_>, address: Address) -> Option<Cell> {
        let (kind, start, _) = hands.object_at(address)?;
        let offset = address.0.wrapping_sub(start.0) as i64;
        Some(match kind {
            ObjectKind::Given(_) => {
                let (number, offset) = hands.given_at(address)?;
                let named = self.names.get(number as usize)?;
                Cell {
                    base: named.path.clone(),
                    offset,
                    object: named.ty,
                    depth: named.depth,
                    first: First::None,
                }
            }
            ObjectKind::Global(global) => {
                let data = &self.known.program.globals[global];
                let first = match (data.image.is_some(), self.known.may_change(global)) {
                    (false, _) => First::None,
                    (true, false) => First::Stays,
                    (true, true) => First::Changes,
                };
                let object = data.debug_type.map(|ty| SourceType { unit: data.unit, ty });
                Cell { base: Some(Path::root(Root::Global(global))), offset, object, depth: 0, first }
            }
            _ => Cell { base: None, offset, object: None, depth: 1, first: First::None },
        })
    }

    fn fill_scalar(
        &mut self,
        hands: &mut Hands<'_, '_>,
        cell: &Cell,
        address: Address,
        bytes: u64,
        ty: Type,
    ) -> bool {
        let program = self.known.program;
        let inner = cell.object.and_then(|object| types::cell(program, object, cell.offset));
        let is_pointer =
            ty == Type::Ptr || bytes == 8 && inner.is_some_and(|inner| types::is_pointer(program, inner));
        let path = match is_pointer {
            true => cell.path(Step::At(cell.offset)),
            false => cell.path(Step::Number { offset: cell.offset, bytes: bytes as u32 }),
        };
        let wish = self.wished_input(path.as_ref());
        let stored = self.ever_stored(hands, address, cell, bytes).filter(|_| !is_pointer);
        let held = match (&stored, cell.object) {
            (None, Some(object)) => self.known.whole.held(object, cell.offset, bytes),
            _ => None,
        };
        let (ever, bits) = match held {
            Some(Held::Numbers(numbers)) => (Some(numbers), u64::MAX),
            Some(Held::Bits(bits)) => (stored, bits),
            None => (stored, u64::MAX),
        };
        if let Some(ever) = ever {
            let wished = wish.and_then(|wish| ever.iter().position(|&number| number == wish));
            let chosen = match wished {
                Some(wished) => self.chance.led(ever.len(), wished),
                None => self.chance.pick(ever.len()),
            };
            self.disobeyed |= wish.is_some() && wished != Some(chosen);
            let number = ever[chosen];
            return hands.put(address, &number.to_le_bytes()[..bytes.min(8) as usize]);
        }
        let functions = is_pointer.then(|| self.functions_at(hands, address, cell)).flatten();
        if let Some(functions) = functions {
            let word = self.one_of(hands, &functions, wish);
            return hands.put(address, &word.to_le_bytes());
        }
        // What the program started with is the ordinary content of a variable.
        let first = cell.first == First::Changes && wish.is_none() && self.chance.pick(2) == 0;
        if first {
            let Some((contents, _)) = hands.peek(address, bytes) else { return false };
            let contents = contents.to_vec();
            if is_pointer && contents.iter().all(|&byte| byte == 0) {
                self.chance.gave_null(1);
            }
            return hands.put(address, &contents);
        }
        let set = self.written.iter().any(|&(from, to)| (from..to).contains(&address.0));
        self.unset |= is_pointer && cell.base.is_none() && hands.given_at(address).is_none() && !set;
        let value = if is_pointer {
            self.pointer(hands, cell, path, inner, wish)
        } else {
            match wish {
                Some(wish) if wish & !bits == 0 => self.wished_number(bytes, wish),
                wish => {
                    self.disobeyed |= wish.is_some();
                    self.number(hands, bytes, cell.offset) & bits
                }
            }
        };
        // What has failed says why: it is no 0.
        let value = if value == 0 && self.said_why && address == hands.errno() { 1 } else { value };
        let contents: Vec<u8> =
            (0..bytes).map(|byte| if byte < 8 { (value >> (byte * 8)) as u8 } else { 0 }).collect();
        hands.put(address, &contents)
    }

    /// An address for a cell.
    fn pointer(
        &mut self,
        hands: &mut Hands<'_, '_>,
        cell: &Cell,
        path: Option<Path>,
        ty: Option<SourceType>,
        wish: Option<u64>,
    ) -> u64 {
        let program = self.known.program;
        let target = ty.and_then(|ty| types::pointee(program, ty));
        let mut wish = wish;
        if wish == Some(0) {
            if self.chance.wished_null() {
                return 0;
            }
            (self.disobeyed, wish) = (true, Some(u64::MAX));
        }
        if let Some(parameters) = target.and_then(|target| types::parameters(program, target)) {
            return self.guessed_function(hands, parameters, wish.is_some());
        }
        let link = target.is_some() && target == cell.object;
        if let Some(known) =
            wish.zip(target).and_then(|(wish, target)| self.wished_place(hands, wish, target))
            && self.chance.wished_alias()
        {
            return known;
        }
        if wish.is_none() {
            // Chains and arrays of addresses end somewhere.
            let far = link && cell.depth >= 1 || !link && cell.offset >= FAR_BYTES && ty == cell.object;
            if cell.depth >= FILLED_LINKS {
                return 0;
            }
            let unusual = self.chance.seldom(4);
            if unusual != far {
                self.chance.gave_null(u64::from(!unusual));
                return 0;
            }
            let record = target.filter(|&target| types::is_record(program, target));
            if self.may_join && record.is_some() && self.chance.seldom(5) {
                let same: Vec<usize> =
                    (0..self.names.len()).filter(|&number| self.names[number].ty == record).collect();
                if !same.is_empty() {
                    let number = same[self.chance.any(same.len())];
                    self.guessed = true;
                    return self.address_of(hands, number);
                }
            }
        }
        let given = self.give(hands, Named { path, ty: target, depth: cell.depth + 1 });
        self.wished_places.extend(wish.map(|wish| (wish, given)));
        given
    }

    /// Where a known object of the caller's lies if the witness means it by an address: the numbers of addresses that it
    /// does not compare say nothing, so nobody has to follow it there. Something of that type must lie there.
    fn wished_place(&self, hands: &Hands<'_, '_>, wish: u64, target: SourceType) -> Option<u64> {
        let near = self.wished_places.iter().filter(|(start, _)| wish >= *start && wish - start < NEAR_BYTES);
        let &(start, given) = near.max_by_key(|(start, _)| *start)?;
        let (number, _) = hands.given_at(Address(given))?;
        let ty = self.names.get(number as usize)?.ty?;
        types::holds(self.known.program, ty, wish - start, target).then(|| given + (wish - start))
    }

    /// The address of an object of the caller's: addresses are given out in order, so one is found by another.
    fn address_of(&self, hands: &Hands<'_, '_>, number: usize) -> u64 {
        hands.address_of_given(number as u32).map_or(0, |address| address.0)
    }

    /// The numbers that a cell of a variable ever holds, its first one first.
    fn ever_stored(
        &self,
        hands: &Hands<'_, '_>,
        address: Address,
        cell: &Cell,
        bytes: u64,
    ) -> Option<Vec<u64>> {
        let Some(Root::Global(global)) = cell.base.as_ref().map(|base| base.root) else { return None };
        let mut ever = self.known.whole.stored(global, cell.offset, bytes)?;
        if let Some(first) = hands.number(address, bytes)
            && let Some(at) = ever.iter().position(|&number| number == first)
        {
            ever[..=at].rotate_right(1);
        }
        (!ever.is_empty()).then_some(ever)
    }

    /// The functions that may lie in a cell: by the variable that it is a part of, or by the call that reads it.
    fn functions_at(&self, hands: &Hands<'_, '_>, address: Address, cell: &Cell) -> Option<Functions> {
        let whole = self.known.whole;
        let of_variable = match cell.base.as_ref() {
            Some(Path { root: Root::Global(global), steps }) if steps.is_empty() => {
                whole.functions(*global, cell.offset)
            }
            _ => None,
        };
        let mut functions = of_variable.or_else(|| {
            let (function, load) = *hands.stack().last()?;
            self.known.read_to_call(function, load)
        })?;
        // What a variable leads to at first is the ordinary.
        let first = hands.number(address, 8).and_then(|word| hands.function_at(Address(word)));
        if let Some(at) = functions.list.iter().position(|&function| Some(function) == first) {
            functions.list[..=at].rotate_right(1);
        }
        (!functions.list.is_empty()).then_some(functions)
    }

    /// The address of one of these functions, or NULL.
    fn one_of(&mut self, hands: &Hands<'_, '_>, functions: &Functions, wish: Option<u64>) -> u64 {
        if wish == Some(0) && self.chance.wished_null() {
            return 0;
        }
        let null = usize::from(functions.null && wish.is_none());
        let chosen = self.chance.pick(functions.list.len() + null);
        match functions.list.get(chosen) {
            Some(&function) => hands.function_address(function).0,
            None => {
                self.chance.gave_null(0);
                0
            }
        }
    }

    /// A function for a pointer to one with so many parameters, of which nothing is known.
    pub(crate) fn guessed_function(
        &mut self,
        hands: &mut Hands<'_, '_>,
        parameters: usize,
        needed: bool,
    ) -> u64 {
        let program = self.known.program;
        let fits = |id: &&FuncId| program.functions[**id].params.len() == parameters;
        let fitting: Vec<FuncId> = self.known.taken.iter().filter(fits).copied().collect();
        if !needed && self.chance.seldom(4) {
            self.chance.gave_null(0);
            return 0;
        }
        if fitting.is_empty() {
            return self.give(hands, Named { path: None, ty: None, depth: FILLED_LINKS });
        }
        let chosen = fitting[self.chance.any(fitting.len())];
        self.guessed_functions.insert(chosen);
        hands.function_address(chosen).0
    }

    /// A number of so many bytes.
    pub(crate) fn number(&mut self, hands: &Hands<'_, '_>, bytes: u64, offset: i64) -> u64 {
        let at_hand = hands.stack().last().map(|call| call.0).or(self.root);
        let known = at_hand.map(|function| self.known.numbers(function)).unwrap_or_else(|| [].into());
        let plain = self.plain;
        self.chance.number(bytes, |chance| {
            // Texts end.
            if bytes == 1 && offset >= 3 && chance.below(2) == 0 {
                return 0;
            }
            match chance.wildly(8) {
                0 if bytes == 1 => u64::from(b'a'),
                0 => plain,
                1 => 0,
                2 => 1,
                3 => u64::MAX,
                4 => [2, 3, 4, 8, 16, 24, 32, 64][chance.below(8)],
                _ if known.is_empty() => chance.below(6) as u64,
                5 => known[chance.below(known.len())].wrapping_add(1),
                6 => known[chance.below(known.len())].wrapping_sub(1),
                _ => known[chance.below(known.len())],
            }
        })
    }

    /// A short text.
    fn fill_text(&mut self, hands: &mut Hands<'_, '_>, address: Address) -> bool {
        const TEXTS: [&str; 8] = ["a", "", "ab", "1", "-", "a/b", "x=1", "abc d"];
        let excluded = self.excluded.remove(&address.0).unwrap_or_default();
        let letters = self.letters(hands);
        let chosen = self.chance.text(|chance| match chance.wildly(TEXTS.len()) {
            other if other > 0 && chance.below(2) == 0 => packed(&text_of(&letters, chance)),
            other => packed(TEXTS[other].as_bytes()),
        });
        let mut text: Vec<u8> = chosen.to_le_bytes().into_iter().take_while(|&byte| byte != 0).collect();
        let fits = |text: &[u8]| {
            let ended: Vec<u8> = text.iter().copied().chain([0]).collect();
            !excluded.iter().any(|other| ended.starts_with(other))
        };
        if !fits(&text) {
            let other = TEXTS.iter().find(|text| fits(text.as_bytes()));
            text = other.copied().unwrap_or("zz").as_bytes().to_vec();
        }
        self.put_text(hands, address, &text)
    }

    /// Characters that the function or the code at hand asks for.
    fn letters(&self, hands: &Hands<'_, '_>) -> Vec<u8> {
        let at_hand = hands.stack().last().map(|call| call.0);
        let mut letters = vec![b'a', b'1'];
        for function in self.root.into_iter().chain(at_hand) {
            let numbers = self.known.numbers(function);
            letters.extend(numbers.iter().filter_map(|&number| match number {
                9 | 10 | 32..=126 => Some(number as u8),
                _ => None,
            }));
        }
        letters
    }

    /// Writes a text and its end as far as nobody has decided otherwise.
    pub(crate) fn put_text(&mut self, hands: &mut Hands<'_, '_>, address: Address, text: &[u8]) -> bool {
        let wanted = text.len() as u64 + 1;
        let room = hands.room(address).min(wanted);
        let Some((_, decided)) = hands.peek(address, room) else { return false };
        let free = decided.iter().take_while(|&&decided| decided == 0).count();
        if free == 0 {
            return false;
        }
        let mut contents: Vec<u8> = text.iter().copied().take(free).collect();
        if contents.len() < free {
            contents.push(0);
        } else if room < wanted {
            // The object ends here, and so does its text.
            contents[free - 1] = 0;
        }
        hands.put(address, &contents)
    }

    /// Decides cell by cell what is copied as a whole.
    fn fill_range(&mut self, hands: &mut Hands<'_, '_>, address: Address, bytes: u64) -> bool {
        let program = self.known.program;
        let end = address.0 + bytes;
        let mut at = address.0;
        while at < end {
            let Some(cell) = self.cell(hands, Address(at)) else { return false };
            let inner = cell.object.and_then(|object| types::cell(program, object, cell.offset));
            let size =
                inner.and_then(|inner| types::bytes(program, inner)).filter(|size| *size <= 8).unwrap_or(1);
            let size = size.min(end - at);
            let ty = match inner {
                Some(inner) if size == 8 && types::is_pointer(program, inner) => Type::Ptr,
                _ => Type::Int(size as u32 * 8),
            };
            if !hands.is_decided(Address(at), size) {
                // Bytes of which nothing is known are zero: a copy of them decides nothing.
                let done = match inner {
                    Some(_) => self.fill_scalar(hands, &cell, Address(at), size, ty),
                    None => hands.put(Address(at), &vec![0; size as usize]),
                };
                if !done {
                    return false;
                }
            }
            at += size;
        }
        true
    }
}

/// A text of some characters.
fn text_of(letters: &[u8], chance: &mut Chance) -> Vec<u8> {
    let length = 1 + chance.below(4);
    // What is asked for stands first more often than not.
    let first = letters.len() - 1 - chance.below(letters.len().saturating_sub(2).max(1));
    let mut text = vec![letters[first]];
    text.extend((1..length).map(|_| letters[chance.below(letters.len())]));
    text
}

/// A short text as one number.
fn packed(text: &[u8]) -> u64 {
    text.iter().take(7).rev().fold(0, |packed, &byte| packed << 8 | u64::from(byte))
}
