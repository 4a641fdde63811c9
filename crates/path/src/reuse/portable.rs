//! Results as bytes that another run can read.
//!
//! Places in stories are those of instructions: of the function itself, or of calls in functions that it led to. They are
//! kept as such and not as lines, so a story that is read back names the lines where its places are now.

use crate::context::costs::Costs;
use crate::context::{Context, View};
use crate::reuse::kept::{Find, Kept, Number};
use crate::reuse::key::{Keyed, Keys};
use crate::reuse::symbols::{Sym, Symbols};
use crate::reuse::words::{Reader, Words};
use crate::schedule::analyse::FunctionResult;
use crate::stories::witness::{Stories, Told};
use rustc_hash::FxHashMap;
use watertight_finding::{Place, Story};
use watertight_ir::{FuncId, GlobalId, Id, InstId, PlaceId};
use watertight_summary::property::PropertyId;
use watertight_summary::{CallAt, KindId};

/// What is needed to write and to read.
pub(crate) struct Portable<'p, 'c> {
    pub(crate) keys: &'p Keys,
    pub(crate) context: &'p Context<'c>,
    pub(crate) view: &'p View,
    pub(crate) keyed: &'p Keyed,
    pub(crate) members: &'p [FuncId],
}

/// A place, by what is there.
enum Spot {
    /// A place of the body.
    Own(PlaceId),
    /// A call in another function.
    Call(CallAt),
    /// Somewhere in the unit of a function.
    Unit(FuncId),
}

impl Portable<'_, '_> {
    /// The results of the members as bytes. Nothing if one of them speaks of something that cannot be found again, or
    /// if we failed on it.
    pub(crate) fn write(&self, results: &[(FuncId, FunctionResult<Stories>)]) -> Option<Vec<u8>> {
        let mut words = Words::default();
        words.count(results.len());
        for (member, result) in results {
            if result.mistake.is_some() {
                return None;
            }
            let index = self.members.iter().position(|known| known == member)?;
            words.count(index);
            let number = &mut Writer(self);
            result.summary.write(&mut words, number)?;
            result.facts.write(&mut words, number)?;
            result.given_up.write(&mut words, number)?;
            result.report.taken.write(&mut words, number)?;
            result.report.ended.write(&mut words, number)?;
            words.count(result.report.told.len());
            let places =
                if result.report.told.is_empty() { FxHashMap::default() } else { self.places(*member) };
            for Told { story, unless, witness } in &result.report.told {
                self.story(&mut words, story, &places)?;
                witness.write(&mut words, number)?;
                unless.write(&mut words, number)?;
            }
        }
        Some(words.0)
    }

    /// Every place that a story of a member may name, and what is there.
    fn places(&self, member: FuncId) -> FxHashMap<Place, Spot> {
        let program = self.context.program;
        let mut places: FxHashMap<Place, Spot> = FxHashMap::default();
        // Calls in other functions that summaries name.
        for symbol in self.keyed.symbols.list() {
            let Sym::Func(function) = *symbol else { continue };
            let summary = self.view.summary(self.context, function);
            let fresh =
                summary.into_iter().flat_map(|summary| &summary.outcomes).flat_map(|outcome| &outcome.fresh);
            let breaches = summary.into_iter().flat_map(|summary| &summary.breaches);
            let breaches = breaches.flat_map(|breach| &breach.trail);
            for &call in fresh.flat_map(|fresh| &fresh.trail).chain(breaches) {
                let spot = Spot::Call(call);
                if let Some(place) = self.place(member, &spot) {
                    places.insert(place, spot);
                }
            }
        }
        let body = program.functions[member].body.as_ref().expect("members have a body");
        for place in body.places.ids() {
            let spot = Spot::Own(place);
            if let Some(place) = self.place(member, &spot) {
                // The first of several is the one that is found again in any case.
                places.entry(place).or_insert(spot);
            }
        }
        let spot = Spot::Unit(member);
        if let Some(place) = self.place(member, &spot) {
            places.entry(place).or_insert(spot);
        }
        places
    }

    /// A place as findings name it.
    fn place(&self, member: FuncId, spot: &Spot) -> Option<Place> {
        let program = self.context.program;
        let (function, found) = match *spot {
            Spot::Own(place) => (member, program.source_place(member, place)?),
            Spot::Call(call) => (call.function, program.source_place_of(call.function, call.inst)?),
            Spot::Unit(function) => {
                let unit = &program.units[program.functions[function].unit];
                let name = &*program.functions[function].name;
                return Some(Place::new(&*unit.name, 0, 0).in_function(name));
            }
        };
        let name = &*program.functions[function].name;
        let (file, line, column) = found.outermost();
        Some(Place::new(file, line, column).in_function(name))
    }

    fn story(&self, words: &mut Words, story: &Story, places: &FxHashMap<Place, Spot>) -> Option<()> {
        let mut story = story.clone();
        let mut spots: Option<Vec<&Spot>> = Some(Vec::new());
        let nowhere = Place::new("", 0, 0);
        story.places_mut(&mut |place| {
            match (places.get(place), &mut spots) {
                (Some(spot), Some(spots)) => spots.push(spot),
                _ => spots = None,
            }
            *place = nowhere.clone();
        });
        let spots = spots?;
        words.bytes(&postcard::to_stdvec(&story).ok()?);
        words.count(spots.len());
        for spot in spots {
            match *spot {
                Spot::Own(place) => {
                    words.byte(0);
                    words.count(place.index());
                }
                Spot::Call(call) => {
                    words.byte(1);
                    Writer(self).call(words, call)?;
                }
                Spot::Unit(_) => words.byte(2),
            }
        }
        Some(())
    }

    /// The results that were written.
    pub(crate) fn read(&self, bytes: &[u8]) -> Option<Vec<(FuncId, FunctionResult<Stories>)>> {
        let mut reader = Reader(bytes);
        let results = reader.list(|reader| {
            let member = *self.members.get(usize::try_from(reader.number()?).ok()?)?;
            let find = &Finder(self);
            let (summary, facts, given_up) =
                (Kept::read(reader, find)?, Kept::read(reader, find)?, Kept::read(reader, find)?);
            let (taken, ended) = (Kept::read(reader, find)?, Kept::read(reader, find)?);
            let told = reader.list(|reader| {
                let story = self.read_story(reader, member)?;
                let (witness, unless) = (Kept::read(reader, find)?, Kept::read(reader, find)?);
                Some(Told { story, unless, witness })
            })?;
            let report = Stories { told, taken, ended };
            let costs = Costs::default();
            Some((member, FunctionResult { summary, facts, report, given_up, mistake: None, costs }))
        })?;
        (reader.0.is_empty() && results.len() == self.members.len()).then_some(results)
    }

    fn read_story(&self, reader: &mut Reader<'_>, member: FuncId) -> Option<Story> {
        let mut story: Story = postcard::from_bytes(reader.bytes()?).ok()?;
        let places = reader.list(|reader| {
            let spot = match reader.byte()? {
                0 => Spot::Own(reader.id()?),
                1 => Spot::Call(Finder(self).call(reader)?),
                2 => Spot::Unit(member),
                _ => return None,
            };
            self.place(member, &spot)
        })?;
        let mut places = places.into_iter();
        let mut complete = true;
        story.places_mut(&mut |place| match places.next() {
            Some(found) => *place = found,
            None => complete = false,
        });
        (complete && places.next().is_none()).then_some(story)
    }

    fn symbols(&self) -> &Symbols {
        &self.keyed.symbols
    }
}

struct Writer<'w, 'p, 'c>(&'w Portable<'p, 'c>);

impl Number for Writer<'_, '_, '_> {
    fn function(&mut self, function: FuncId) -> Option<u32> {
        self.0.symbols().number(Sym::Func(function))
    }

    fn global(&mut self, global: GlobalId) -> Option<u32> {
        self.0.symbols().number(Sym::Global(global))
    }

    fn kind(&mut self, words: &mut Words, kind: KindId) {
        words.text(&self.0.context.library.kinds.get(kind).name);
    }

    fn property(&mut self, words: &mut Words, property: PropertyId) {
        words.text(&self.0.context.library.properties.get(property).name);
    }

    fn call(&mut self, words: &mut Words, call: CallAt) -> Option<()> {
        let number = self.function(call.function)?;
        words.number(u64::from(number));
        if self.0.members.contains(&call.function) {
            words.count(call.inst.index());
            return Some(());
        }
        let (name, count) = self.0.keys.calls(self.0.context.program, call.function).name(call.inst)?;
        words.text(name);
        words.number(u64::from(count));
        Some(())
    }
}

struct Finder<'w, 'p, 'c>(&'w Portable<'p, 'c>);

impl Find for Finder<'_, '_, '_> {
    fn function(&self, number: u32) -> Option<FuncId> {
        self.0.symbols().function(number)
    }

    fn global(&self, number: u32) -> Option<GlobalId> {
        self.0.symbols().global(number)
    }

    fn kind(&self, reader: &mut Reader<'_>) -> Option<KindId> {
        self.0.context.library.kinds.named(reader.text()?)
    }

    fn property(&self, reader: &mut Reader<'_>) -> Option<PropertyId> {
        self.0.context.library.properties.named(reader.text()?)
    }

    fn call(&self, reader: &mut Reader<'_>) -> Option<CallAt> {
        let function = self.function(reader.small()?)?;
        if self.0.members.contains(&function) {
            let inst: InstId = reader.id()?;
            let body = self.0.context.program.functions[function].body.as_ref()?;
            return body.insts.get(inst).map(|_| CallAt { function, inst });
        }
        let (name, count) = (reader.text()?, reader.small()?);
        let inst = self.0.keys.calls(self.0.context.program, function).find(name, count)?;
        Some(CallAt { function, inst })
    }
}
