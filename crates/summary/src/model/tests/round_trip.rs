//! What is printed parses back to the same summary.

use super::super::{Models, PACKS, Spelling, parse, print};
use super::{printed, read};
use crate::effect::{
    Completeness, Effect, Fresh, KeepReason, Outcome, Relation, Span, Summary, Test, Value, Way, When,
};
use crate::kind::{Kind, KindId, Kinds};
use crate::path::{Path, Root, Step};

#[test]
fn shipped_models_survive_printing() {
    let mut all = Models::default();
    for (name, text) in PACKS {
        let file = parse(name, text).unwrap();
        let declarations: String = file
            .kinds()
            .iter()
            .map(|(_, kind)| {
                let memory = if kind.memory { " memory" } else { "" };
                let number = kind.number.map_or(String::new(), |least| format!(" number from {least}"));
                let releaser =
                    kind.releaser.as_ref().map_or(String::new(), |name| format!(" released by {name}"));
                format!("kind {} \"{}\"{memory}{number}{releaser}\n", kind.name, kind.noun)
            })
            .collect();
        let again = read(&(declarations + &printed(&file)));
        assert_eq!(file.models.len(), again.models.len());
        for (before, after) in file.models.iter().zip(&again.models) {
            assert_eq!(before.name, after.name);
            assert_eq!(before.parameters, after.parameters, "{}", before.name);
            assert_eq!(before.variadic, after.variadic, "{}", before.name);
            assert_eq!(before.returns_address, after.returns_address, "{}", before.name);
            assert_eq!(before.summary, after.summary, "{}", before.name);
        }
        all.add(again).unwrap();
    }
    assert_eq!(all.functions, super::super::shipped().functions);
}

/// Random summaries, as an engine could infer them.
struct Maker(u64);

impl Maker {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    fn number(&mut self) -> i64 {
        [0, 1, -1, 4, 4096, i64::MAX, i64::MIN][self.roll(7) as usize]
    }

    fn relation(&mut self) -> Relation {
        [
            Relation::NotEqual,
            Relation::Less,
            Relation::LessEqual,
            Relation::Greater,
            Relation::GreaterEqual,
            Relation::Equal,
            Relation::UnsignedLess,
            Relation::UnsignedLessEqual,
            Relation::UnsignedGreater,
            Relation::UnsignedGreaterEqual,
        ][self.roll(10) as usize]
    }

    fn path(&mut self, fresh: u64, cell: bool) -> Path {
        let mut path = match self.roll(3) {
            0 if fresh > 0 => Path::root(Root::Fresh(self.roll(fresh) as u32)),
            1 => Path::param(0),
            _ => Path::param(self.roll(4) as u32),
        };
        let steps = self.roll(3) + u64::from(cell);
        for index in 0..steps {
            let last = index + 1 == steps;
            path.steps.push(match self.roll(4) {
                0 => Step::Somewhere,
                1 if last => Step::Number { offset: self.number() % 64, bytes: 4 },
                _ => Step::At(self.number() % 64),
            });
        }
        path
    }

    fn entry(&mut self) -> Path {
        self.path(0, false)
    }

    fn value(&mut self, fresh: u64) -> Value {
        match self.roll(6) {
            0 => Value::Number(self.number()),
            1 => Value::Entry { path: self.entry(), plus: self.number() % 100 },
            2 => Value::Inside(self.entry()),
            3 if fresh > 0 => Value::Fresh { index: self.roll(fresh) as u32, plus: self.number() % 100 },
            4 => match self.relation() {
                Relation::Equal => Value::Any,
                relation => Value::Such { relation, number: self.number() },
            },
            _ => Value::Any,
        }
    }

    fn effect(&mut self, fresh: u64) -> Effect {
        match self.roll(8) {
            0 | 1 => Effect::Store { place: self.path(fresh, true), value: self.value(fresh) },
            2 => Effect::Release {
                value: self.entry(),
                kind: if self.roll(2) == 0 { KindId::HEAP } else { self.kind() },
                certain: self.roll(4) != 0,
            },
            3 => {
                let reason = match self.roll(2) {
                    0 => KeepReason::Stored,
                    _ => KeepReason::Assumed { function: "a function pointer".into() },
                };
                Effect::Keep { value: self.path(fresh, false), reason }
            }
            4 => Effect::Clobber { place: self.path(fresh, false) },
            5 => {
                let start = self.offset();
                Effect::Copy { to: self.path(fresh, false), span: self.span(), from: self.entry(), start }
            }
            6 => Effect::Zero { place: self.path(fresh, false), span: self.span() },
            _ => Effect::Calls {
                function: self.entry(),
                arguments: (0..self.roll(3)).map(|_| self.value(fresh)).collect(),
                states: Vec::new(),
            },
        }
    }

    fn offset(&mut self) -> i64 {
        if self.roll(2) == 0 { 0 } else { self.number() % 100 }
    }

    fn span(&mut self) -> Span {
        let bytes = if self.roll(2) == 0 { None } else { Some(self.roll(100)) };
        Span { offset: self.offset(), bytes }
    }

    fn kind(&mut self) -> KindId {
        kinds().named("fd").unwrap()
    }

    fn when(&mut self) -> When {
        if self.roll(3) == 0 {
            return When::always();
        }
        let test = |maker: &mut Maker| {
            let (value, number) = (maker.entry(), maker.number());
            if maker.roll(4) == 0 {
                let relation = maker.relation();
                return Test { value, mask: None, relation, number, other: Some(maker.entry()) };
            }
            let mask = (maker.roll(3) == 0).then(|| maker.roll(256) | u64::MAX << 40);
            Test { value, mask, relation: maker.relation(), number, other: None }
        };
        let all = |maker: &mut Maker| (0..=maker.roll(2)).map(|_| test(maker)).collect();
        When::any((0..=self.roll(2)).map(|_| all(self)).collect())
    }

    fn summary(&mut self) -> Summary {
        let outcomes = (0..self.roll(4))
            .map(|_| {
                let fresh = self.roll(4);
                Outcome {
                    when: self.when(),
                    result: self.value(fresh),
                    fresh: (0..fresh)
                        .map(|_| Fresh {
                            kind: if self.roll(2) == 0 { KindId::HEAP } else { self.kind() },
                            zeroed: self.roll(2) == 0,
                            by: (self.roll(3) == 0).then(|| "strdup".into()),
                            trail: Vec::new(),
                            blank: false,
                        })
                        .collect(),
                    effects: (0..self.roll(5)).map(|_| self.effect(fresh)).collect(),
                    way: [Way::Returns, Way::Returns, Way::Seldom, Way::Jumps][self.roll(4) as usize],
                    invented: false,
                }
            })
            .collect();
        let completeness = if self.roll(2) == 0 { Completeness::Whole } else { Completeness::Partial };
        Summary::new(outcomes, completeness)
    }
}

fn kinds() -> Kinds {
    let mut kinds = Kinds::default();
    kinds.declare(Kind {
        name: "fd".into(),
        noun: "file descriptor".into(),
        releaser: Some("close".into()),
        lost_from: None,
        number: Some(0),
        memory: false,
        with_contents: false,
    });
    kinds
}

#[test]
fn any_summary_survives_printing() {
    let mut maker = Maker(0x2545_f491_4f6c_dd1d);
    let kinds = kinds();
    for round in 0..3000 {
        let summary = maker.summary();
        let spelling = Spelling {
            kinds: &kinds,
            properties: None,
            parameters: &[],
            variadic: false,
            address: maker.roll(2) == 0,
            global: &|_| unreachable!(),
        };
        let text = print("f", &summary, spelling);
        let file = read(&format!("kind fd \"file descriptor\" number released by close\n{text}"));
        let again = &file.models[0].summary;
        // Fresh objects may come back under other numbers; the text cannot.
        let spelling = Spelling { parameters: &file.models[0].parameters, ..spelling };
        assert_eq!(print("f", again, spelling), text, "round {round}");
        assert_eq!(renumbered(&summary), renumbered(again), "round {round}\n{text}");
        // What comes from a text is in the order of the text already.
        assert_eq!(*again, renumbered(again), "round {round}\n{text}");
    }
}

/// The same summary with fresh objects numbered in the order in which the printer mentions them.
fn renumbered(summary: &Summary) -> Summary {
    let mut summary = summary.clone();
    for outcome in &mut summary.outcomes {
        let mut order: Vec<u32> = Vec::new();
        let see = |index: u32, order: &mut Vec<u32>| {
            if !order.contains(&index) {
                order.push(index);
            }
        };
        let see_value = |value: &Value, order: &mut Vec<u32>| {
            if let Value::Fresh { index, .. } = value {
                see(*index, order);
            }
        };
        let see_path = |path: &Path, order: &mut Vec<u32>| {
            if let Root::Fresh(index) = path.root {
                see(index, order);
            }
        };
        see_value(&outcome.result, &mut order);
        for effect in &outcome.effects {
            match effect {
                Effect::Store { place, value } => {
                    see_path(place, &mut order);
                    see_value(value, &mut order);
                }
                Effect::Release { value, .. } | Effect::Keep { value, .. } => see_path(value, &mut order),
                Effect::Clobber { place } | Effect::Zero { place, .. } => see_path(place, &mut order),
                Effect::Copy { to, from, .. } => {
                    see_path(from, &mut order);
                    see_path(to, &mut order);
                }
                Effect::Calls { arguments, .. } => {
                    for argument in arguments {
                        see_value(argument, &mut order);
                    }
                }
            }
        }
        for index in 0..outcome.fresh.len() as u32 {
            see(index, &mut order);
        }
        let new = |index: u32| order.iter().position(|&old| old == index).unwrap() as u32;
        let fix_value = |value: &mut Value| {
            if let Value::Fresh { index, .. } = value {
                *index = new(*index);
            }
        };
        let fix_path = |path: &mut Path| {
            if let Root::Fresh(index) = path.root {
                path.root = Root::Fresh(new(index));
            }
        };
        fix_value(&mut outcome.result);
        for effect in &mut outcome.effects {
            match effect {
                Effect::Store { place, value } => {
                    fix_path(place);
                    fix_value(value);
                }
                Effect::Release { value, .. } | Effect::Keep { value, .. } => fix_path(value),
                Effect::Clobber { place } | Effect::Zero { place, .. } => fix_path(place),
                Effect::Copy { to, from, .. } => {
                    fix_path(to);
                    fix_path(from);
                }
                Effect::Calls { arguments, .. } => arguments.iter_mut().for_each(fix_value),
            }
        }
        outcome.fresh = order.iter().map(|&old| outcome.fresh[old as usize].clone()).collect();
    }
    summary
}
