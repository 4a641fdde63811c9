//! Summaries as bytes: functions and globals by number, kinds of resources by name, calls by what they call.
//!
//! A summary names calls inside other functions (the trail to where something was acquired). Such a call is told as
//! "the second call of `malloc` in `load`", so that it is found again when the body around it has changed.

use crate::context::uses::{Facts, Uses};
use crate::reuse::words::{Reader, Words};
use watertight_ir::{FuncId, GlobalId};
use watertight_summary::property::PropertyId;
use watertight_summary::{
    Breach, CallAt, Completeness, Effect, Fresh, KeepReason, KindId, Latent, Outcome, Path, Piece, PieceOf,
    Relation, Root, Span, Step, Summary, Test, Value, Way, When,
};

/// How the writer numbers what the summary names. Nothing means that it cannot be told.
pub(crate) trait Number {
    fn function(&mut self, function: FuncId) -> Option<u32>;
    fn global(&mut self, global: GlobalId) -> Option<u32>;
    fn kind(&mut self, words: &mut Words, kind: KindId);
    fn property(&mut self, words: &mut Words, property: PropertyId);
    fn call(&mut self, words: &mut Words, call: CallAt) -> Option<()>;
}

/// How the reader finds it again.
pub(crate) trait Find {
    fn function(&self, number: u32) -> Option<FuncId>;
    fn global(&self, number: u32) -> Option<GlobalId>;
    fn kind(&self, reader: &mut Reader<'_>) -> Option<KindId>;
    fn property(&self, reader: &mut Reader<'_>) -> Option<PropertyId>;
    fn call(&self, reader: &mut Reader<'_>) -> Option<CallAt>;
}

const RELATIONS: [Relation; 10] = [
    Relation::Equal,
    Relation::NotEqual,
    Relation::Less,
    Relation::LessEqual,
    Relation::Greater,
    Relation::GreaterEqual,
    Relation::UnsignedLess,
    Relation::UnsignedLessEqual,
    Relation::UnsignedGreater,
    Relation::UnsignedGreaterEqual,
];

/// Writes a summary. Nothing if it names something that has no number.
pub(crate) fn write(words: &mut Words, number: &mut dyn Number, summary: &Summary) -> Option<()> {
    Writer { words, number }.summary(summary)
}

/// Writes a path. Nothing if it names something that has no number.
pub(crate) fn write_path(words: &mut Words, number: &mut dyn Number, path: &Path) -> Option<()> {
    Writer { words, number }.path(path)
}

/// Writes what else callers must know of a function.
pub(crate) fn write_facts(words: &mut Words, facts: &Facts) {
    let Facts { uses, sizes, opaque, vague_states, strays, reads_variable, lists } = facts;
    words.number(uses.bits());
    words.number(sizes.bits());
    words.flag(*opaque);
    words.flag(*vague_states);
    words.flag(*strays);
    words.flag(*reads_variable);
    words.number(lists.bits());
}

/// The facts that were written.
pub(crate) fn read_facts(reader: &mut Reader<'_>) -> Option<Facts> {
    Some(Facts {
        uses: Uses::from_bits(reader.number()?),
        sizes: Uses::from_bits(reader.number()?),
        opaque: reader.flag()?,
        vague_states: reader.flag()?,
        strays: reader.flag()?,
        reads_variable: reader.flag()?,
        lists: Uses::from_bits(reader.number()?),
    })
}

struct Writer<'w> {
    words: &'w mut Words,
    number: &'w mut dyn Number,
}

impl Writer<'_> {
    fn summary(&mut self, summary: &Summary) -> Option<()> {
        self.words.flag(summary.completeness == Completeness::Whole);
        self.words.count(summary.outcomes.len());
        summary.outcomes.iter().try_for_each(|outcome| self.outcome(outcome))?;
        self.words.count(summary.breaches.len());
        for Breach { place, mistake, when, tests, trail } in &summary.breaches {
            self.path(place)?;
            self.words.number(u64::from(*mistake));
            self.when(when)?;
            self.words.count(tests.len());
            for &(relation, number) in tests {
                self.relation(relation);
                self.words.signed(number);
            }
            self.words.count(trail.len());
            trail.iter().try_for_each(|&call| self.number.call(self.words, call))?;
        }
        self.words.count(summary.latent.len());
        for Latent { acquired, through, when } in &summary.latent {
            self.number.call(self.words, *acquired)?;
            self.words.flag(through.is_some());
            through.map_or(Some(()), |call| self.number.call(self.words, call))?;
            self.when(when)?;
        }
        Some(())
    }

    fn when(&mut self, when: &When) -> Option<()> {
        self.words.flag(when.weak);
        self.words.flag(when.unsaid);
        self.words.count(when.any.len());
        for all in &when.any {
            self.words.count(all.len());
            for Test { value, mask, relation, number, other } in all {
                self.path(value)?;
                self.words.maybe(*mask);
                self.relation(*relation);
                self.words.signed(*number);
                self.words.flag(other.is_some());
                other.as_ref().map_or(Some(()), |other| self.path(other))?;
            }
        }
        Some(())
    }

    fn outcome(&mut self, outcome: &Outcome) -> Option<()> {
        let Outcome { when, result, fresh, effects, way, invented } = outcome;
        self.words.flag(*invented);
        self.words.byte(match way {
            Way::Returns => 0,
            Way::Seldom => 1,
            Way::Jumps => 2,
        });
        self.when(when)?;
        self.value(result)?;
        self.words.count(fresh.len());
        for Fresh { kind, zeroed, by, trail, blank } in fresh {
            self.number.kind(self.words, *kind);
            self.words.flag(*zeroed);
            self.words.flag(*blank);
            self.words.flag(by.is_some());
            by.iter().for_each(|by| self.words.text(by));
            self.words.count(trail.len());
            trail.iter().try_for_each(|&call| self.number.call(self.words, call))?;
        }
        self.words.count(effects.len());
        effects.iter().try_for_each(|effect| self.effect(effect))
    }

    fn relation(&mut self, relation: Relation) {
        let index = RELATIONS.iter().position(|&known| known == relation);
        self.words.byte(index.expect("the list has all relations") as u8);
    }

    fn path(&mut self, path: &Path) -> Option<()> {
        let (tag, number) = match path.root {
            Root::Param(index) => (0, index),
            Root::Rest(index) => (1, index),
            Root::Result => (2, 0),
            Root::Global(global) => (3, self.number.global(global)?),
            Root::Fresh(index) => (4, index),
            Root::Function(function) => (5, self.number.function(function)?),
            Root::Process => (6, 0),
        };
        self.words.byte(tag);
        self.words.number(u64::from(number));
        self.words.count(path.steps.len());
        for step in &path.steps {
            match *step {
                Step::At(offset) => {
                    self.words.byte(0);
                    self.words.signed(offset);
                }
                Step::Number { offset, bytes } => {
                    self.words.byte(1);
                    self.words.signed(offset);
                    self.words.number(u64::from(bytes));
                }
                Step::Somewhere => self.words.byte(2),
                Step::Element { offset, index, scale } => {
                    self.words.byte(4);
                    self.words.signed(offset);
                    self.words.number(u64::from(index));
                    self.words.signed(scale);
                }
                Step::Each { link, also: None } => {
                    self.words.byte(5);
                    self.words.signed(link);
                }
                Step::Each { link, also: Some(also) } => {
                    self.words.byte(6);
                    self.words.signed(link);
                    self.words.signed(also);
                }
                Step::State { offset, property } => {
                    self.words.byte(3);
                    self.words.signed(offset);
                    self.number.property(self.words, property);
                }
            }
        }
        Some(())
    }

    fn value(&mut self, value: &Value) -> Option<()> {
        match value {
            Value::Number(number) => {
                self.words.byte(0);
                self.words.signed(*number);
            }
            Value::Entry { path, plus } => {
                self.words.byte(1);
                self.path(path)?;
                self.words.signed(*plus);
            }
            Value::Bits { path, low, mask } => {
                self.words.byte(2);
                self.path(path)?;
                self.words.number(u64::from(*low));
                self.words.number(*mask);
            }
            Value::Inside(path) => {
                self.words.byte(3);
                self.path(path)?;
            }
            Value::Fresh { index, plus } => {
                self.words.byte(4);
                self.words.number(u64::from(*index));
                self.words.signed(*plus);
            }
            Value::Parts(parts) => {
                self.words.byte(5);
                self.words.count(parts.len());
                parts.iter().try_for_each(|part| self.value(part))?;
            }
            Value::Such { relation, number } => {
                self.words.byte(6);
                self.relation(*relation);
                self.words.signed(*number);
            }
            Value::Any => self.words.byte(7),
            Value::Word { of, pieces } => {
                self.words.byte(8 + u8::from(of.is_some()));
                of.as_ref().map_or(Some(()), |path| self.path(path))?;
                self.words.count(pieces.len());
                for piece in pieces {
                    self.words.number(u64::from(piece.bits));
                    let (kind, number) = match piece.of {
                        PieceOf::Number(number) => (0, number),
                        PieceOf::Entry(low) => (1, u64::from(low)),
                        PieceOf::Any => (2, 0),
                        PieceOf::Untold => (3, 0),
                    };
                    self.words.byte(kind);
                    self.words.number(number);
                }
            }
        }
        Some(())
    }

    fn span(&mut self, span: &Span) {
        self.words.signed(span.offset);
        self.words.maybe(span.bytes);
    }

    fn effect(&mut self, effect: &Effect) -> Option<()> {
        match effect {
            Effect::Store { place, value } => {
                self.words.byte(0);
                self.path(place)?;
                self.value(value)?;
            }
            Effect::Release { value, kind, certain } => {
                self.words.byte(1);
                self.path(value)?;
                self.number.kind(self.words, *kind);
                self.words.flag(*certain);
            }
            Effect::Keep { value, reason } => {
                self.words.byte(2);
                self.path(value)?;
                match reason {
                    KeepReason::Stored => self.words.byte(0),
                    KeepReason::Assumed { function } => {
                        self.words.byte(1);
                        self.words.text(function);
                    }
                    KeepReason::Shared => self.words.byte(2),
                }
            }
            Effect::Clobber { place } => {
                self.words.byte(3);
                self.path(place)?;
            }
            Effect::Copy { to, span, from, start } => {
                self.words.byte(4);
                self.path(to)?;
                self.span(span);
                self.path(from)?;
                self.words.signed(*start);
            }
            Effect::Zero { place, span } => {
                self.words.byte(5);
                self.path(place)?;
                self.span(span);
            }
            Effect::Calls { function, arguments, states } => {
                self.words.byte(6);
                self.path(function)?;
                self.words.count(arguments.len());
                arguments.iter().try_for_each(|argument| self.value(argument))?;
                self.words.count(states.len());
                for (place, state) in states {
                    self.path(place)?;
                    self.words.signed(*state);
                }
            }
        }
        Some(())
    }
}

/// Reads a summary.
pub(crate) fn read(reader: &mut Reader<'_>, find: &dyn Find) -> Option<Summary> {
    let completeness = if reader.flag()? { Completeness::Whole } else { Completeness::Partial };
    let outcomes = reader.list(|reader| outcome(reader, find))?;
    let breaches = reader.list(|reader| {
        Some(Breach {
            place: path(reader, find)?,
            mistake: reader.small()?,
            when: when(reader, find)?,
            tests: reader.list(|reader| Some((relation(reader)?, reader.signed()?)))?,
            trail: reader.list(|reader| find.call(reader))?,
        })
    })?;
    let latent = reader.list(|reader| {
        Some(Latent {
            acquired: find.call(reader)?,
            through: if reader.flag()? { Some(find.call(reader)?) } else { None },
            when: when(reader, find)?,
        })
    })?;
    Some(Summary { outcomes, completeness, breaches, latent })
}

fn when(reader: &mut Reader<'_>, find: &dyn Find) -> Option<When> {
    let (weak, unsaid) = (reader.flag()?, reader.flag()?);
    let any = reader.list(|reader| {
        reader.list(|reader| {
            Some(Test {
                value: path(reader, find)?,
                mask: reader.maybe()?,
                relation: relation(reader)?,
                number: reader.signed()?,
                other: match reader.flag()? {
                    true => Some(path(reader, find)?),
                    false => None,
                },
            })
        })
    })?;
    Some(When { any, weak, unsaid })
}

fn outcome(reader: &mut Reader<'_>, find: &dyn Find) -> Option<Outcome> {
    let invented = reader.flag()?;
    let way = match reader.byte()? {
        0 => Way::Returns,
        1 => Way::Seldom,
        2 => Way::Jumps,
        _ => return None,
    };
    let when = when(reader, find)?;
    let result = value(reader, find)?;
    let fresh = reader.list(|reader| {
        let kind = find.kind(reader)?;
        let (zeroed, blank) = (reader.flag()?, reader.flag()?);
        let by = if reader.flag()? { Some(reader.text()?.into()) } else { None };
        let trail = reader.list(|reader| find.call(reader))?;
        Some(Fresh { kind, zeroed, by, trail, blank })
    })?;
    let effects = reader.list(|reader| effect(reader, find))?;
    Some(Outcome { when, result, fresh, effects, way, invented })
}

fn relation(reader: &mut Reader<'_>) -> Option<Relation> {
    RELATIONS.get(usize::from(reader.byte()?)).copied()
}

/// The path that was written.
pub(crate) fn read_path(reader: &mut Reader<'_>, find: &dyn Find) -> Option<Path> {
    path(reader, find)
}

fn path(reader: &mut Reader<'_>, find: &dyn Find) -> Option<Path> {
    let (tag, number) = (reader.byte()?, reader.small()?);
    let root = match tag {
        0 => Root::Param(number),
        1 => Root::Rest(number),
        2 => Root::Result,
        3 => Root::Global(find.global(number)?),
        4 => Root::Fresh(number),
        5 => Root::Function(find.function(number)?),
        6 => Root::Process,
        _ => return None,
    };
    let steps = reader.list(|reader| {
        Some(match reader.byte()? {
            0 => Step::At(reader.signed()?),
            1 => Step::Number { offset: reader.signed()?, bytes: reader.small()? },
            2 => Step::Somewhere,
            4 => Step::Element { offset: reader.signed()?, index: reader.small()?, scale: reader.signed()? },
            5 => Step::Each { link: reader.signed()?, also: None },
            6 => Step::Each { link: reader.signed()?, also: Some(reader.signed()?) },
            3 => Step::State { offset: reader.signed()?, property: find.property(reader)? },
            _ => return None,
        })
    })?;
    Some(Path { root, steps })
}

fn value(reader: &mut Reader<'_>, find: &dyn Find) -> Option<Value> {
    Some(match reader.byte()? {
        0 => Value::Number(reader.signed()?),
        1 => Value::Entry { path: path(reader, find)?, plus: reader.signed()? },
        2 => Value::Bits { path: path(reader, find)?, low: reader.small()?, mask: reader.number()? },
        3 => Value::Inside(path(reader, find)?),
        4 => Value::Fresh { index: reader.small()?, plus: reader.signed()? },
        5 => Value::Parts(reader.list(|reader| value(reader, find))?),
        6 => Value::Such { relation: relation(reader)?, number: reader.signed()? },
        7 => Value::Any,
        kind @ (8 | 9) => {
            let of = if kind == 9 { Some(path(reader, find)?) } else { None };
            Value::Word { of, pieces: reader.list(piece)? }
        }
        _ => return None,
    })
}

fn piece(reader: &mut Reader<'_>) -> Option<Piece> {
    let bits = reader.small()?;
    let of = match (reader.byte()?, reader.number()?) {
        (0, number) => PieceOf::Number(number),
        (1, low) => PieceOf::Entry(u32::try_from(low).ok()?),
        (2, _) => PieceOf::Any,
        (3, _) => PieceOf::Untold,
        _ => return None,
    };
    Some(Piece { bits, of })
}

fn span(reader: &mut Reader<'_>) -> Option<Span> {
    Some(Span { offset: reader.signed()?, bytes: reader.maybe()? })
}

fn effect(reader: &mut Reader<'_>, find: &dyn Find) -> Option<Effect> {
    Some(match reader.byte()? {
        0 => Effect::Store { place: path(reader, find)?, value: value(reader, find)? },
        1 => {
            Effect::Release { value: path(reader, find)?, kind: find.kind(reader)?, certain: reader.flag()? }
        }
        2 => Effect::Keep {
            value: path(reader, find)?,
            reason: match reader.byte()? {
                0 => KeepReason::Stored,
                1 => KeepReason::Assumed { function: reader.text()?.into() },
                2 => KeepReason::Shared,
                _ => return None,
            },
        },
        3 => Effect::Clobber { place: path(reader, find)? },
        4 => Effect::Copy {
            to: path(reader, find)?,
            span: span(reader)?,
            from: path(reader, find)?,
            start: reader.signed()?,
        },
        5 => Effect::Zero { place: path(reader, find)?, span: span(reader)? },
        6 => Effect::Calls {
            function: path(reader, find)?,
            arguments: reader.list(|reader| value(reader, find))?,
            states: reader.list(|reader| Some((path(reader, find)?, reader.signed()?)))?,
        },
        _ => return None,
    })
}
