//! A proof as text: the facts at every program point that it went through.
//!
//! In: a walk that ended in contradictions on all ways, in which only plain steps were taken. Out: text that the crate
//! `certificate` reads, which has no code of this one; `docs/certificate.md` describes it. A fact is what is known of the
//! lost cell at one point: where references to it may be (`in`), what refers to it (`hit`), what does not (`miss`), and
//! what else holds (`when`). Names are positions in the IR, so that nothing needs to be looked up by name.

use crate::expr::{Expr, ExprId, Symbol};
use crate::fact::Cell;
use crate::lower::Action;
use crate::region::{Region, RegionId};
use crate::verdict::{Assumed, Probe, ProbeKind};
use crate::walk::{ContextId, Point, Walk};
use crate::words::Why;
use crate::world::World;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use watertight_ir::{Id as _, InstId};
use watertight_summary::{Effect, Outcome, Path, Root, Summary, Value, Way};

/// Whether the checker knows what a call of a model does: it acquires or releases one block, or nothing, and computes.
pub(crate) fn is_plain(model: &Summary) -> bool {
    let whole = |path: &Path| matches!(path.root, Root::Param(_)) && path.steps.is_empty();
    let plain = |outcome: &Outcome| {
        let effects = outcome.effects.iter().all(|effect| match effect {
            Effect::Release { value, certain: true, .. } => whole(value),
            // What is fresh holds no references, and zeros are none.
            Effect::Zero { place, .. } => matches!(place.root, Root::Fresh(_)),
            _ => false,
        });
        let result = match &outcome.result {
            Value::Fresh { index: 0, plus: 0 } => true,
            Value::Number(_) | Value::Any | Value::Such { .. } => outcome.fresh.is_empty(),
            _ => false,
        };
        outcome.way == Way::Jumps || (effects && result && outcome.fresh.len() <= 1)
    };
    model.outcomes.iter().all(plain)
}

/// A statement with the facts of its proof.
pub(crate) fn write(
    walk: &mut Walk<'_, '_>,
    probe: &Probe,
    assumed: &BTreeSet<Assumed>,
) -> Result<String, String> {
    let lost = lost(walk.world, probe).ok_or(Why::NeedsMore)?;
    let mut text = String::new();
    let at = probe.inst.map_or_else(|| "end".to_owned(), |inst| inst.to_string());
    let _ = writeln!(
        text,
        // What the checker reads, not a sentence.
        "statement {} {} {at} {} {} ; `{}` at {}",
        probe.function,
        probe.block,
        probe.kind.name(),
        written(walk.world, lost),
        probe.lost,
        probe.place
    );
    // The checker tells memory apart by declared types where the walk did so by other means.
    let assumed: BTreeSet<Assumed> = assumed.iter().copied().chain([Assumed::TypedMemory]).collect();
    let names: Vec<&str> = assumed.iter().map(|assumed| assumed.name()).collect();
    let _ = writeln!(text, "assuming {}", names.join(" "));
    for (index, context) in walk.contexts.iter().enumerate() {
        // What the checker reads, not a sentence.
        let _ = writeln!(text, "context {} {}", ContextId::new(index).index(), context.function);
        fact(walk.world, &context.cell, &mut text);
        let callers: BTreeSet<_> =
            context.callers.iter().map(|known| (known.context, known.point.function, known.inst)).collect();
        for (outer, function, inst) in callers {
            // What the checker reads, not a sentence.
            let _ = writeln!(text, "called {} {function} {inst}", context_name(outer));
        }
    }
    let mut points: BTreeMap<(Option<ContextId>, Point, Place), BTreeSet<String>> = BTreeMap::new();
    for (context, point, cell) in std::mem::take(&mut walk.seen) {
        for place in places(walk.world, point) {
            let mut lines = String::new();
            fact(walk.world, &cell, &mut lines);
            points.entry((context, point, place)).or_default().insert(lines);
        }
    }
    for ((context, point, place), facts) in points {
        let place = match place {
            Place::Start => "start".to_owned(),
            Place::Before(inst) => inst.to_string(),
            Place::End => "end".to_owned(),
        };
        // What the checker reads, not a sentence.
        let _ = writeln!(text, "at {} {} {} {place}", context_name(context), point.function, point.block);
        text.extend(facts);
    }
    text.push_str("end\n");
    Ok(text)
}

/// The location whose value is lost, if the loss is of a kind that the checker knows.
fn lost(world: &mut World<'_>, probe: &Probe) -> Option<ExprId> {
    let statements = world.statements(probe.function);
    let block = statements.blocks.get(probe.block.index())?;
    let Some(inst) = probe.inst else {
        let local = statements.locals.get(probe.index as usize)?;
        return local.single.then_some(local.addr);
    };
    let action = block.actions.iter().find(|known| known.0 == inst).map(|known| &known.1)?;
    match (action, probe.kind) {
        (Action::Assign { addr, ty: watertight_ir::Type::Ptr, .. }, _) => Some(*addr),
        (Action::Call(call), ProbeKind::Release) => {
            let freed = world.freed(call)?;
            world.members(freed)?.get(probe.index as usize).copied().flatten()
        }
        _ => None,
    }
}

/// Where facts are shown: at the ends of blocks and before what has effects; between those, names are all that changes.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Start,
    Before(InstId),
    End,
}

/// What a point is called. One that nothing lies before and after has several names.
fn places(world: &mut World<'_>, point: Point) -> Vec<Place> {
    let statements = world.statements(point.function);
    let start = (point.at == 0).then_some(Place::Start);
    let other = match statements.blocks[point.block.index()].actions.get(point.at) {
        None => Some(Place::End),
        Some((_, Action::Define { .. })) => None,
        Some((inst, _)) => Some(Place::Before(*inst)),
    };
    start.into_iter().chain(other).collect()
}

fn context_name(context: Option<ContextId>) -> String {
    context.map_or_else(|| "-".to_owned(), |context| context.index().to_string())
}

fn fact(world: &World<'_>, cell: &Cell, text: &mut String) {
    text.push_str("fact\n");
    if cell.born.is_some() {
        text.push_str("  unborn\n");
    }
    if cell.regions.any {
        text.push_str("  in any\n");
    }
    for &(region, tag) in &cell.regions.list {
        let _ = write!(text, "  in {}", region_name(world, region));
        if let Some(Expr::Deref(addr, _)) = tag.map(|tag| world.exprs.get(tag)) {
            let _ = write!(text, " {}", written(world, addr));
        }
        text.push('\n');
    }
    for (word, list) in [("hit", &cell.hits), ("miss", &cell.misses), ("when", &cell.conditions)] {
        let lines: BTreeSet<String> = list.iter().map(|&expr| written(world, expr)).collect();
        for line in lines {
            let _ = writeln!(text, "  {word} {line}");
        }
    }
}

fn region_name(world: &World<'_>, region: RegionId) -> String {
    let ty = |ty| world.types.description(ty).map(|(unit, ty)| format!("{unit} {ty}"));
    let name = match world.region(region) {
        // What the checker reads, not a sentence.
        Region::Local(function, value, offset) => Some(format!("local {function} {value} {offset}")),
        // What the checker reads, not a sentence.
        Region::Global(global, offset) => Some(format!("global {global} {offset}")),
        // What the checker reads, not a sentence.
        Region::Member(record, offset) => ty(record).map(|record| format!("member {record} {offset}")),
        Region::Plain(of) | Region::Pointed(of) => ty(of).map(|of| format!("scalar {of}")),
        Region::Outside => Some("outside".to_owned()),
    };
    name.unwrap_or_else(|| "any".to_owned())
}

/// An expression with its operator in front.
fn written(world: &World<'_>, expr: ExprId) -> String {
    let of = |expr| written(world, expr);
    match world.exprs.get(expr) {
        Expr::Number(bits, ty) => format!("(number {bits} {ty})"),
        Expr::Address(Symbol::Local(function, value)) => format!("(local {function} {value})"),
        Expr::Address(Symbol::Global(global)) => format!("(global {global})"),
        Expr::Address(Symbol::Func(function)) => format!("(function {function})"),
        Expr::Address(Symbol::Outside) => "(outside)".to_owned(),
        Expr::Entry(function, index) => format!("(entry {function} {index})"),
        Expr::Returned(function) => format!("(returned {function})"),
        Expr::Value(function, value) => format!("(value {function} {value})"),
        Expr::Deref(addr, ty) => format!("(load {ty} {})", of(addr)),
        Expr::Offset(base, bytes) => format!("(add {} {bytes})", of(base)),
        Expr::Index(base, index, scale) => format!("(index {} {} {scale})", of(base), of(index)),
        Expr::Binary(op, a, b) => format!("(binary {} {} {})", op.name(), of(a), of(b)),
        Expr::Compare(op, a, b) => format!("(compare {} {} {})", op.name(), of(a), of(b)),
        Expr::Convert(op, a, ty) => format!("(convert {} {} {ty})", op.name(), of(a)),
        // Recursion and what is acquired in between do not occur in plain steps.
        Expr::Born(..) | Expr::Ghost(..) | Expr::Above(..) => "(unknown)".to_owned(),
    }
}
