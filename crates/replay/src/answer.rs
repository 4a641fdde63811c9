//! Calls that leave the program: what comes of them.
//!
//! In: a call of a function without a body. Out: an answer. Functions on texts and bytes have one meaning, and the small
//! library of the interpreter knows it exactly. Everything else is done as its model says, the same that the engines read:
//! one of the outcomes that fit the arguments is chosen, by the witness if it speaks of this call. A function of which
//! nothing is known gives anything and keeps nothing, and what it was shown is in doubt from then on.

use crate::around::{Around, Handle, Named};
use crate::failing::{fails, failure};
use crate::limits::{LARGEST_BLOCK, UNTOLD_BYTES, WRITTEN_BYTES};
use crate::search::Needs;
use crate::types;
use watertight_interpret::{Access, Address, Hands, HeapId, ObjectKind, Outside, Reply, TrapKind};
use watertight_ir::{FuncId, Type};
use watertight_summary::{
    Effect, Got, KeepReason, Kind, Outcome, Path, PieceOf, Relation, Root, Step, Summary, Test, Value, Way,
    When,
};

/// Functions that acquire or fail; what they acquire the small library makes with the right size and contents.
const SIZED: &[&str] = &[
    "malloc",
    "calloc",
    "realloc",
    "reallocarray",
    "aligned_alloc",
    "memalign",
    "posix_memalign",
    "valloc",
    "strdup",
    "strndup",
    "__strdup",
    "__strndup",
];

/// Functions that register others for the end of the process; nobody calls them now.
const LATER: &[&str] = &["atexit", "at_quick_exit", "on_exit", "__cxa_atexit"];

/// The least number that is handed out for a resource that is one; few numbers of a program look like it. Not a limit.
const FIRST_HANDLE: u32 = 700;

/// A call while it is answered.
struct Call<'c> {
    function: FuncId,
    outside: &'c Outside<'c>,
    fresh: Vec<u64>,
    word: u64,
    calls: Vec<(Address, Vec<u64>)>,
}

impl Around<'_> {
    /// What comes of a call.
    pub(crate) fn answer(&mut self, hands: &mut Hands<'_, '_>, outside: &Outside<'_>) -> Reply {
        let wish = self.wished_result(outside);
        if self.strict
            && let Some(trap) = self.shows_released(hands, outside)
        {
            return Reply::Fails(trap);
        }
        let Some(function) = outside.function else { return self.unknown(hands, outside, wish) };
        let data = &self.known.program.functions[function];
        let name = plain_name(&data.name);
        if hands.is_intrinsic(function) {
            return Reply::Library;
        }
        if ["longjmp", "_longjmp", "siglongjmp", "__longjmp_chk"].contains(&name) {
            let buffer = Address(outside.args.first().copied().unwrap_or(0));
            return if hands.is_decided(buffer, 4) { Reply::Library } else { Reply::JumpsOut };
        }
        let models = self.known.models;
        let model = models.functions.get(&data.name).or_else(|| models.functions.get(name));
        if hands.is_computed(name) && !model.is_some_and(moves_resources) {
            return self.steer(hands, name, outside, wish).unwrap_or(Reply::Library);
        }
        match model {
            Some(summary) => self.modelled(hands, function, name, summary, outside, wish),
            None if data.attrs.no_return => Reply::Exits,
            None => self.unknown(hands, outside, wish),
        }
    }

    /// The mistake of showing something released to the library, unless it is to be released once more.
    fn shows_released(&self, hands: &Hands<'_, '_>, outside: &Outside<'_>) -> Option<TrapKind> {
        let models = self.known.models;
        let summary =
            outside.function.and_then(|id| models.functions.get(&self.known.program.functions[id].name));
        let effects = summary.into_iter().flat_map(|summary| &summary.outcomes).flat_map(|one| &one.effects);
        let releases: Vec<Root> = effects
            .filter_map(|effect| match effect {
                Effect::Release { value, .. } => Some(value.root),
                _ => None,
            })
            .collect();
        for (index, &arg) in outside.args.iter().enumerate() {
            if releases.contains(&Root::Param(index as u32)) {
                continue;
            }
            if let Some((ObjectKind::Heap(block), ..)) = hands.object_at(Address(arg))
                && hands.block_at(Address(arg)).is_none()
            {
                return Some(TrapKind::UseAfterFree { block, access: Access::Read });
            }
            let gone = hands.given_at(Address(arg)).is_some() && hands.peek(Address(arg), 1).is_none();
            let is = |handle: &&Handle| handle.number == arg as u32 && handle.number >= FIRST_HANDLE;
            let closed = self.handles.iter().rfind(is).is_some_and(|handle| handle.released);
            if gone || closed {
                return Some(TrapKind::UseAfterFree { block: HeapId(u32::MAX), access: Access::Read });
            }
        }
        None
    }

    /// A function of which nothing is known.
    fn unknown(&mut self, hands: &mut Hands<'_, '_>, outside: &Outside<'_>, wish: Option<Got>) -> Reply {
        self.unknown = true;
        for block in hands.led_to(outside.args) {
            self.doubted.insert(block);
        }
        for handle in &mut self.handles {
            handle.doubted |= outside.args.iter().any(|&arg| arg as u32 == handle.number);
        }
        for &arg in outside.args {
            // A number that it was given the address of may be another now.
            let address = Address(arg);
            if hands.object_at(address).is_some_and(|(_, start, size)| start == address && size <= 8)
                && hands.led_to(&[arg]).is_empty()
            {
                self.rewrite(hands, address, 8);
            }
        }
        let ty = outside.function.and_then(|function| self.result_type(function));
        let functions = &self.known.program.functions;
        let never_null = outside.function.is_some_and(|function| functions[function].attrs.result_non_null);
        let wish = if never_null { Some(Got::Address) } else { wish };
        let word = self.any_result(hands, outside.result, wish, ty);
        Reply::Returns { word, calls: Vec::new() }
    }

    /// What a pointer that a function returns points to.
    fn result_type(&self, function: FuncId) -> Option<watertight_ir::spell::SourceType> {
        let program = self.known.program;
        let data = &program.functions[function];
        let debug = &program.units[data.unit].debug;
        match watertight_ir::ctype::described(debug, data.debug_type)? {
            watertight_ir::DebugType::Function { result, .. } => {
                let ty = watertight_ir::spell::SourceType { unit: data.unit, ty: (*result)? };
                types::pointee(program, ty)
            }
            _ => None,
        }
    }

    /// Any result of a type.
    pub(crate) fn any_result(
        &mut self,
        hands: &mut Hands<'_, '_>,
        ty: Type,
        wish: Option<Got>,
        pointee: Option<watertight_ir::spell::SourceType>,
    ) -> u64 {
        match (ty, wish) {
            (Type::Void, _) => 0,
            (Type::Ptr, Some(Got::Number(0))) => 0,
            (Type::Ptr, None) if self.chance.seldom(3) => 0,
            (Type::Ptr, _) => self.give(hands, Named { path: None, ty: pointee, depth: 1 }),
            (_, Some(Got::Number(number))) => number,
            (Type::Int(bits), _) => self.number(hands, u64::from(bits.div_ceil(8)).min(8), 0),
            _ => 0,
        }
    }

    /// A function that has a model.
    fn modelled(
        &mut self,
        hands: &mut Hands<'_, '_>,
        function: FuncId,
        name: &str,
        summary: &Summary,
        outside: &Outside<'_>,
        wish: Option<Got>,
    ) -> Reply {
        self.threads_go_on(hands);
        let mut call = Call { function, outside, fresh: Vec::new(), word: 0, calls: Vec::new() };
        let fitting: Vec<&Outcome> =
            summary.outcomes.iter().filter(|outcome| self.fits(hands, &call, &outcome.when)).collect();
        if fitting.is_empty() {
            return Reply::Exits;
        }
        let usual: Vec<&Outcome> =
            fitting.iter().copied().filter(|outcome| outcome.way != Way::Seldom).collect();
        let usual = if usual.is_empty() { fitting } else { usual };
        let ty = outside.result;
        let bearable: Vec<&Outcome> = usual
            .iter()
            .copied()
            .filter(|outcome| failure(self.known.models, name, &usual, outcome, ty) <= self.spared)
            .collect();
        let among = if bearable.is_empty() { &usual } else { &bearable };
        let wished: Vec<&Outcome> = match wish {
            Some(wish) => among.iter().copied().filter(|outcome| gives(&outcome.result, wish)).collect(),
            None => Vec::new(),
        };
        let among = if wished.is_empty() { among } else { &wished };
        let outcome = among[self.chance.outcome(among.len())];
        // What could have acquired something and did not, failed.
        self.starved |= outcome.fresh.is_empty() && usual.iter().any(|other| !other.fresh.is_empty());
        let failure = failure(self.known.models, name, &usual, outcome, ty);
        if outcome.way == Way::Jumps {
            return Reply::JumpsOut;
        }
        if !outcome.fresh.is_empty() && SIZED.contains(&name) && !is_huge(name, outside.args) {
            return Reply::Library;
        }
        for fresh in &outcome.fresh {
            let kind = self.known.models.kinds.get(fresh.kind);
            let word = if kind.number.is_some() {
                let number = self.handle_number(kind, wish);
                self.handles.push(Handle {
                    number,
                    kind: fresh.kind,
                    released: false,
                    kept: false,
                    doubted: false,
                    origin: hands.stack(),
                });
                u64::from(number)
            } else {
                let Some(address) = hands.acquire(UNTOLD_BYTES, fresh.zeroed) else {
                    // The cause of a run without a verdict, not a sentence.
                    return Reply::Fails(TrapKind::Unsupported("more memory than a run may have".into()));
                };
                if let Some(block) = hands.block_at(address) {
                    self.kinds.insert(block, fresh.kind);
                }
                // The library has filled it.
                self.written.push((address.0, address.0 + UNTOLD_BYTES));
                address.0
            };
            call.fresh.push(word);
        }
        call.word = self.result(hands, &call, &outcome.result, wish);
        // What effects speak of is what was there before any of them.
        let words: Vec<Vec<u64>> =
            outcome.effects.iter().map(|effect| self.meant(hands, &call, effect)).collect();
        for (effect, words) in outcome.effects.iter().zip(words) {
            if let Err(trap) = self.apply(hands, &mut call, name, effect, &words) {
                return Reply::Fails(trap);
            }
        }
        let lists = &self.known.models.lists;
        let says_why = fails(call.word, ty) && lists.errno_after.contains(name);
        let failure = match outcome.result {
            // Of any number only those say that something failed that `errno` explains: `strcmp` gives negative ones too.
            Value::Any if says_why => failure.max(Needs::Call),
            _ => failure,
        };
        if failure > Needs::Nothing {
            self.failed = self.failed.max(failure);
            let takes = |effect: &Effect| matches!(effect, Effect::Keep { .. } | Effect::Release { .. });
            let could_take = summary.outcomes.iter().flat_map(|outcome| &outcome.effects).any(takes);
            self.tell_failed(hands, (function, call.word), outside.args, could_take);
        }
        // The library sets it to no 0; the program may.
        let errno = hands.errno();
        let is_zero = hands.is_decided(errno, 4)
            && hands.peek(errno, 4).is_some_and(|(bytes, _)| bytes.iter().all(|&byte| byte == 0));
        self.said_why &= !is_zero;
        self.said_why |= says_why;
        hands.forget(errno, 4);
        Reply::Returns { word: call.word, calls: call.calls }
    }

    /// What another thread can reach by now it may have taken, whatever becomes of the place where it was found.
    fn threads_go_on(&mut self, hands: &Hands<'_, '_>) {
        if !self.threaded.is_empty() {
            self.doubted.extend(hands.led_to(&self.threaded));
        }
    }

    /// The number of a new resource. What the witness says counts if it is a standard stream; any other number is as good
    /// as one that is easily told from others in memory.
    fn handle_number(&self, kind: &Kind, wish: Option<Got>) -> u32 {
        match (wish, kind.lost_from) {
            (Some(Got::Number(wished)), Some(first)) if (wished as i64) < first && wished as i64 >= 0 => {
                wished as u32
            }
            (Some(Got::Number(wished @ 3..64)), _) if self.small => wished as u32,
            _ => FIRST_HANDLE + self.handles.len() as u32,
        }
    }

    fn result(
        &mut self,
        hands: &mut Hands<'_, '_>,
        call: &Call<'_>,
        value: &Value,
        wish: Option<Got>,
    ) -> u64 {
        match value {
            Value::Any => {
                let ty = self.result_type(call.function);
                self.any_result(hands, call.outside.result, wish, ty)
            }
            Value::Such { relation, number } => match wish {
                Some(Got::Number(wished))
                    if holds(*relation, call.outside.result.signed(wished), *number) =>
                {
                    wished
                }
                _ => self.such(*relation, *number),
            },
            other => self.value(hands, call, other),
        }
    }

    /// A number that stands in a relation to another.
    fn such(&mut self, relation: Relation, number: i64) -> u64 {
        let candidates = [number, number + 1, number - 1, 0, 1, 97, -1, number + 10, number - 10];
        let fitting: Vec<u64> = candidates
            .into_iter()
            .filter(|&candidate| holds(relation, candidate, number))
            .map(|candidate| candidate as u64)
            .collect();
        let plain = fitting.first().copied().unwrap_or(number as u64);
        let chosen = self.chance.number(8, |chance| match chance.wildly(fitting.len()) {
            0 => plain,
            other => fitting[other],
        });
        if holds(relation, chosen as i64, number) { chosen } else { plain }
    }

    fn value(&mut self, hands: &mut Hands<'_, '_>, call: &Call<'_>, value: &Value) -> u64 {
        match value {
            Value::Number(number) => *number as u64,
            Value::Entry { path, plus } => {
                self.entry(hands, call, path).unwrap_or(0).wrapping_add(*plus as u64)
            }
            Value::Bits { path, low, mask } => self.entry(hands, call, path).unwrap_or(0) >> low & mask,
            Value::Word { of, pieces } => {
                let entry = of.as_ref().and_then(|path| self.entry(hands, call, path)).unwrap_or(0);
                let (mut word, mut at) = (0u64, 0u32);
                for piece in pieces {
                    let bits = match piece.of {
                        PieceOf::Number(number) => number,
                        PieceOf::Entry(low) => entry.checked_shr(low).unwrap_or(0),
                        PieceOf::Any | PieceOf::Untold => self.number(hands, 8, 0),
                    };
                    let mask = u64::MAX.checked_shr(64 - piece.bits.clamp(1, 64)).unwrap_or(0);
                    word |= (bits & mask).checked_shl(at).unwrap_or(0);
                    at += piece.bits;
                }
                word
            }
            Value::Inside(path) => self.entry(hands, call, path).unwrap_or(0),
            Value::Fresh { index, plus } => {
                call.fresh.get(*index as usize).copied().unwrap_or(0).wrapping_add(*plus as u64)
            }
            Value::Parts(parts) => parts.first().map_or(0, |part| self.value(hands, call, part)),
            Value::Such { relation, number } => self.such(*relation, *number),
            Value::Any => self.number(hands, 8, 0),
        }
    }

    /// The value of a path when the function was called.
    fn entry(&mut self, hands: &mut Hands<'_, '_>, call: &Call<'_>, path: &Path) -> Option<u64> {
        let Some((last, before)) = path.steps.split_last() else { return self.root(hands, call, path.root) };
        let address = self.walk(hands, call, path.root, before)?;
        self.step(hands, call, address, last)
    }

    fn root(&mut self, hands: &Hands<'_, '_>, call: &Call<'_>, root: Root) -> Option<u64> {
        match root {
            Root::Param(index) | Root::Rest(index) => {
                let word = call.outside.args.get(index as usize).copied()?;
                let params = &self.known.program.functions[call.function].params;
                Some(params.get(index as usize).map_or(word, |param| param.ty.signed(word) as u64))
            }
            Root::Result => Some(call.word),
            Root::Global(global) => Some(hands.global_address(global).0),
            Root::Fresh(index) => call.fresh.get(index as usize).copied(),
            Root::Function(function) => Some(hands.function_address(function).0),
            Root::Process => None,
        }
    }

    fn walk(
        &mut self,
        hands: &mut Hands<'_, '_>,
        call: &Call<'_>,
        root: Root,
        steps: &[Step],
    ) -> Option<u64> {
        let mut address = self.root(hands, call, root)?;
        for step in steps {
            address = self.step(hands, call, address, step)?;
        }
        Some(address)
    }

    /// What one step from an address leads to.
    fn step(&mut self, hands: &mut Hands<'_, '_>, call: &Call<'_>, address: u64, step: &Step) -> Option<u64> {
        match *step {
            Step::At(offset) => self.read(hands, address.wrapping_add(offset as u64), 8, Type::Ptr),
            Step::Number { offset, bytes } => {
                let ty = Type::Int(bytes * 8);
                let word = self.read(hands, address.wrapping_add(offset as u64), u64::from(bytes), ty)?;
                Some(ty.signed(word) as u64)
            }
            Step::Element { offset, index, scale } => {
                let index = call.outside.args.get(index as usize).copied()? as i64;
                Some(address.wrapping_add(offset.wrapping_add(index.wrapping_mul(scale)) as u64))
            }
            Step::Somewhere | Step::Each { .. } | Step::State { .. } => None,
        }
    }

    fn read(&mut self, hands: &mut Hands<'_, '_>, address: u64, bytes: u64, ty: Type) -> Option<u64> {
        let address = Address(address);
        hands.peek(address, bytes)?;
        if !hands.is_decided(address, bytes) && !self.fill(hands, address, bytes, Some(ty)) {
            return None;
        }
        hands.number(address, bytes)
    }

    /// Whether entry values meet a condition. What cannot be read does not stand in the way.
    fn fits(&mut self, hands: &mut Hands<'_, '_>, call: &Call<'_>, when: &When) -> bool {
        let mut meets = |test: &Test| {
            let Some(mut value) = self.entry(hands, call, &test.value) else { return true };
            if let Some(mask) = test.mask {
                value &= mask;
            }
            let mut number = test.number;
            if let Some(other) = &test.other {
                match self.entry(hands, call, other) {
                    Some(other) => number = number.wrapping_add(other as i64),
                    None => return true,
                }
            }
            holds(test.relation, value as i64, number)
        };
        when.any.iter().any(|tests| tests.iter().all(&mut meets))
    }

    /// The entry values of what an effect releases, keeps or changes.
    fn meant(&mut self, hands: &mut Hands<'_, '_>, call: &Call<'_>, effect: &Effect) -> Vec<u64> {
        let path = match effect {
            Effect::Release { value, .. } | Effect::Keep { value, .. } => value,
            Effect::Clobber { place } => place,
            _ => return Vec::new(),
        };
        match (path.root, &path.steps[..]) {
            (Root::Rest(from), []) => call.outside.args.iter().copied().skip(from as usize).collect(),
            _ => self.entry(hands, call, path).into_iter().collect(),
        }
    }

    fn apply(
        &mut self,
        hands: &mut Hands<'_, '_>,
        call: &mut Call<'_>,
        name: &str,
        effect: &Effect,
        words: &[u64],
    ) -> Result<(), TrapKind> {
        match effect {
            Effect::Store { place, value } => {
                let word = match value {
                    Value::Any => None,
                    value => Some(self.value(hands, call, value)),
                };
                let Some((last, before)) = place.steps.split_last() else { return Ok(()) };
                let Some(base) = self.walk(hands, call, place.root, before) else { return Ok(()) };
                let (offset, bytes) = match *last {
                    Step::At(offset) => (offset, 8),
                    Step::Number { offset, bytes } => (offset, u64::from(bytes)),
                    _ => return Ok(()),
                };
                let address = Address(base.wrapping_add(offset as u64));
                match word {
                    // An optional result that is not asked for.
                    _ if base < 4096 => {}
                    Some(word) => {
                        hands.put(address, &word.to_le_bytes()[..bytes.min(8) as usize]);
                    }
                    None => self.rewrite(hands, address, bytes),
                }
            }
            Effect::Release { kind, .. } => {
                let Some(&word) = words.first() else { return Ok(()) };
                if self.known.models.kinds.get(*kind).number.is_some() {
                    let handle = self.handles.iter_mut().rfind(|handle| handle.number == word as u32);
                    if let Some(handle) = handle {
                        if handle.released {
                            return Err(TrapKind::DoubleFree { block: HeapId(u32::MAX) });
                        }
                        handle.released = true;
                    }
                } else if word != 0 {
                    if self.known.models.kinds.get(*kind).with_contents {
                        self.kept.extend(hands.led_to(&[word]));
                    }
                    hands.release(Address(word))?;
                }
            }
            Effect::Keep { reason, .. } => {
                let doubtful = matches!(reason, KeepReason::Assumed { .. });
                if *reason == KeepReason::Shared {
                    self.threaded.extend(words);
                }
                for block in hands.led_to(words) {
                    if doubtful {
                        self.doubted.insert(block)
                    } else {
                        self.kept.insert(block)
                    };
                }
                for handle in &mut self.handles {
                    let meant = words.iter().any(|&word| word as u32 == handle.number);
                    handle.kept |= meant && !doubtful;
                    handle.doubted |= meant && doubtful;
                }
            }
            Effect::Clobber { .. } => words.iter().for_each(|&word| self.clobber(hands, Address(word))),
            Effect::Copy { to, span, from, start } => {
                let (Some(to), Some(from)) = (self.entry(hands, call, to), self.entry(hands, call, from))
                else {
                    return Ok(());
                };
                let from = Address(from.wrapping_add(*start as u64));
                let to = Address(to.wrapping_add(span.offset as u64));
                let room = hands.room(from).min(hands.room(to)).min(span.bytes.unwrap_or(u64::MAX));
                if let Some((contents, decided)) = hands.peek(from, room) {
                    let until = decided.iter().rposition(|&decided| decided != 0).map_or(0, |last| last + 1);
                    let contents = contents[..until].to_vec();
                    hands.put(to, &contents);
                    self.are_other_texts(to, room);
                }
            }
            Effect::Zero { place, span } => {
                let Some(at) = self.entry(hands, call, place) else { return Ok(()) };
                let at = Address(at.wrapping_add(span.offset as u64));
                let room = hands.room(at).min(span.bytes.unwrap_or(u64::MAX));
                hands.put(at, &vec![0; room as usize]);
            }
            Effect::Calls { function, arguments, .. } => {
                let Some(address) = self.entry(hands, call, function) else { return Ok(()) };
                let known = hands.function_at(Address(address));
                if known.is_some_and(|id| self.known.program.functions[id].body.is_some())
                    && !LATER.contains(&name)
                {
                    let arguments = arguments.iter().map(|value| self.value(hands, call, value)).collect();
                    call.calls.push((Address(address), arguments));
                }
            }
        }
        Ok(())
    }

    /// Somebody outside has written something there.
    fn rewrite(&mut self, hands: &mut Hands<'_, '_>, address: Address, bytes: u64) {
        if bytes == 0 {
            return;
        }
        hands.forget(address, bytes);
        self.are_other_texts(address, bytes);
        match self.written.last_mut() {
            Some((_, end)) if *end == address.0 => *end += bytes,
            _ => self.written.push((address.0, address.0 + bytes)),
        }
    }

    /// What was found out of texts by comparing them does not hold for what stands in their place now.
    fn are_other_texts(&mut self, address: Address, bytes: u64) {
        let written = address.0..address.0.saturating_add(bytes);
        self.excluded.retain(|text, _| !written.contains(text));
        self.wished_texts.retain(|text| !written.contains(text));
    }

    /// Numbers and texts in what an address leads to may have changed; what is owned stays where it was.
    fn clobber(&mut self, hands: &mut Hands<'_, '_>, address: Address) {
        let room = hands.room(address).min(WRITTEN_BYTES);
        let Some((contents, decided)) = hands.peek(address, room) else { return };
        let (contents, decided) = (contents.to_vec(), decided.to_vec());
        let (mut from, mut at) = (0, 0);
        while at < room {
            let step = (8 - (address.0 + at) % 8).min(room - at);
            let here = at as usize..(at + step) as usize;
            let word = contents[here.clone()].iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
            let owned = step == 8
                && word != 0
                && decided[here].contains(&1)
                && (hands.block_at(Address(word)).is_some() || hands.given_at(Address(word)).is_some());
            if owned {
                self.rewrite(hands, Address(address.0 + from), at - from);
                from = at + step;
            }
            at += step;
        }
        self.rewrite(hands, Address(address.0 + from), room - from);
    }
}

/// Whether a function acquires or releases something.
fn moves_resources(summary: &Summary) -> bool {
    summary.outcomes.iter().any(|outcome| {
        let releases = |effect: &Effect| matches!(effect, Effect::Release { .. });
        !outcome.fresh.is_empty() || outcome.effects.iter().any(releases)
    })
}

/// Whether more is asked for than a run may have. A witness says any number where none matters; then a small block is as
/// good.
fn is_huge(name: &str, args: &[u64]) -> bool {
    let arg = |index: usize| args.get(index).copied().unwrap_or(0);
    let bytes = match name {
        "malloc" | "valloc" => arg(0),
        "calloc" => arg(0).saturating_mul(arg(1)),
        "realloc" | "aligned_alloc" | "memalign" => arg(1),
        "reallocarray" => arg(1).saturating_mul(arg(2)),
        _ => 0,
    };
    bytes > LARGEST_BLOCK
}

/// The name of a function without what headers put before it.
pub(crate) fn plain_name(name: &str) -> &str {
    let name = name.strip_prefix('\u{1}').unwrap_or(name);
    name.strip_prefix("__isoc99_").or_else(|| name.strip_prefix("__isoc23_")).unwrap_or(name)
}

fn holds(relation: Relation, value: i64, number: i64) -> bool {
    let (unsigned, against) = (value as u64, number as u64);
    match relation {
        Relation::Equal => value == number,
        Relation::NotEqual => value != number,
        Relation::Less => value < number,
        Relation::LessEqual => value <= number,
        Relation::Greater => value > number,
        Relation::GreaterEqual => value >= number,
        Relation::UnsignedLess => unsigned < against,
        Relation::UnsignedLessEqual => unsigned <= against,
        Relation::UnsignedGreater => unsigned > against,
        Relation::UnsignedGreaterEqual => unsigned >= against,
    }
}

/// Whether an outcome can give what a witness says.
pub(crate) fn gives(value: &Value, wish: Got) -> bool {
    match (value, wish) {
        (Value::Any, _) => true,
        (Value::Number(number), Got::Number(wished)) => *number as u32 == wished as u32,
        (Value::Number(number), Got::Address) => *number != 0 && *number != -1,
        (Value::Such { relation, number }, Got::Number(wished)) => {
            holds(*relation, wished as i64, *number) || holds(*relation, i64::from(wished as i32), *number)
        }
        (_, Got::Number(wished)) => wished != 0 && wished as i32 != -1,
        (_, Got::Address) => true,
    }
}
