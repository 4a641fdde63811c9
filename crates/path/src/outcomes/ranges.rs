//! Copied and zeroed ranges in a summary.
//!
//! In: the links that an object of the caller's or a fresh one has at the exits. Out: effects that do the same to
//! the caller's memory. A link to a variable of the function is followed to where its bytes come from in the
//! end; what a range has of its own beside links is told cell by cell, elsewhere.

use crate::limits::{MOST_RANGES, RANGE_DEPTH};
use crate::machine::memory::{Link, LinkFrom, ObjectId, Origin};
use crate::outcomes::outcome::Writer;
use watertight_logic::guard::Guard;
use watertight_summary::{Effect, Path, Root, Span, Step, Value};

impl Writer<'_, '_> {
    /// Tells of one link of the object at `place`, on the paths of `class`.
    pub(crate) fn range(&mut self, place: &Path, link: &Link, class: Guard, effects: &mut Vec<Effect>) {
        self.follow(place, link.span, link.from, link.guard, class, 0, effects);
    }

    #[allow(clippy::too_many_arguments, reason = "one step of a recursion that changes half of them")]
    fn follow(
        &mut self,
        place: &Path,
        span: Span,
        from: LinkFrom,
        guard: Guard,
        class: Guard,
        depth: u32,
        effects: &mut Vec<Effect>,
    ) {
        if self.state.formulas.guards.disjoint(class, guard) {
            return;
        }
        // Of a text in a structure it is enough to say that it may begin otherwise.
        let clobber = match self.state.is_in_text(place, span) {
            true => {
                let begin = Step::Number { offset: span.offset, bytes: 1 };
                Effect::Store { place: place.then(begin), value: Value::Any }
            }
            false => Effect::Clobber { place: place.clone() },
        };
        if !self.state.formulas.guards.entails(class, guard)
            || depth > RANGE_DEPTH
            || effects.len() >= MOST_RANGES
        {
            if !effects.contains(&clobber) {
                effects.push(clobber);
            }
            return;
        }
        let place = place.clone();
        match from {
            LinkFrom::Zero => effects.push(Effect::Zero { place, span }),
            LinkFrom::Unknown | LinkFrom::Untold => effects.push(clobber),
            LinkFrom::Object(source, start) => {
                match self.outer_path(source) {
                    Some(from) => effects.push(Effect::Copy { to: place.clone(), span, from, start }),
                    None if matches!(self.state.objects[source].origin, Origin::Elsewhere) => {
                        effects.push(clobber);
                    }
                    None => {}
                }
                for link in self.state.objects[source].links.clone() {
                    let Some(part) = intersection(link.span, Span { offset: start, bytes: span.bytes })
                    else {
                        continue;
                    };
                    let offset = span.offset.wrapping_add(part.offset.wrapping_sub(start));
                    let target = Span { offset, bytes: part.bytes };
                    let from = match link.from {
                        LinkFrom::Object(source, at) => {
                            let skipped = part.offset.wrapping_sub(link.span.offset);
                            LinkFrom::Object(source, at.wrapping_add(skipped))
                        }
                        other => other,
                    };
                    self.follow(&place, target, from, link.guard, class, depth + 1, effects);
                }
            }
        }
    }

    /// What the caller calls an object.
    fn outer_path(&self, object: ObjectId) -> Option<Path> {
        match &self.state.objects[object].origin {
            Origin::Entry(path) => Some(path.clone()),
            Origin::Global(global) => Some(Path::root(Root::Global(*global))),
            _ => None,
        }
    }
}

/// The bytes that two spans share.
fn intersection(a: Span, b: Span) -> Option<Span> {
    let end = |span: Span| span.bytes.map(|bytes| span.offset.saturating_add_unsigned(bytes));
    let offset = a.offset.max(b.offset);
    let end = match (end(a), end(b)) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
    match end {
        Some(end) if end <= offset => None,
        Some(end) => Some(Span { offset, bytes: Some(end.abs_diff(offset)) }),
        None => Some(Span { offset, bytes: None }),
    }
}
