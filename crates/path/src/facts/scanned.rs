//! Functions that read by a format and allocate where it says so: `%ms` and `%m[...]` of `scanf`.
//!
//! In: a call of a library function whose model has a parameter `format` and says that it modifies its variable
//! arguments, and the text of the format, if it is a constant. Out: a summary of this one call. The result tells how many
//! conversions were assigned, and with that which arguments got memory of their own. Formats that number their
//! arguments are not understood.

use crate::limits::SCANNED_CONVERSIONS;
use rustc_hash::FxHashMap;
use watertight_ir::callgraph::direct_callee;
use watertight_ir::{Body, Call, Const, FuncId, InstId, Op, Program, ValueId};
use watertight_summary::model::Models;
use watertight_summary::{
    Completeness, Effect, Fresh, KindId, Outcome, Path, Relation, Root, Summary, Value, Way, When,
};

/// What models call the text that says what the variable arguments are.
const FORMAT: &str = "format";

/// The calls of a program that allocate because a format says so.
#[derive(Debug, Default)]
pub struct Scans {
    calls: FxHashMap<FuncId, Vec<(InstId, Summary)>>,
}

impl Scans {
    pub fn new(program: &Program, library: &Models) -> Scans {
        let mut scans = Scans::default();
        let scanning = |function: &watertight_ir::Function| {
            let summary = library.functions.get(&function.name);
            function.body.is_none() && function.variadic && summary.is_some_and(fills_rest)
        };
        if !program.functions.values().any(scanning) {
            return scans;
        }
        for (id, function) in program.functions.iter() {
            let Some(body) = &function.body else { continue };
            for (inst, data) in body.insts.iter() {
                if let Op::Call(call) = &data.op
                    && direct_callee(body, call).is_some_and(|callee| scanning(&program.functions[callee]))
                    && let Some(summary) = scanned(program, library, body, call)
                {
                    scans.calls.entry(id).or_default().push((inst, summary));
                }
            }
        }
        scans
    }

    /// What a call does that allocates because its format says so.
    pub fn of_call(&self, function: FuncId, inst: InstId) -> Option<&Summary> {
        self.calls.get(&function)?.iter().find(|call| call.0 == inst).map(|call| &call.1)
    }

    /// Whether a function makes such a call.
    pub fn acquires(&self, function: FuncId) -> bool {
        self.calls.contains_key(&function)
    }
}

/// What a call does that reads by a format, if it allocates.
fn scanned(program: &Program, library: &Models, body: &Body, call: &Call) -> Option<Summary> {
    let callee = &program.functions[direct_callee(body, call)?];
    let fixed = callee.params.len();
    let origin = library.origins.get(&callee.name)?;
    let format = origin.parameters.iter().position(|name| &**name == FORMAT)?;
    let allocated = conversions(text(program, body, *call.args.get(format)?)?)?;
    let given = call.args.len().saturating_sub(fixed);
    (allocated.contains(&true) && allocated.len() <= given).then(|| by_count(&allocated, fixed as u32))
}

/// The text that a value is the address of, if it never changes.
fn text<'p>(program: &'p Program, body: &Body, value: ValueId) -> Option<&'p [u8]> {
    let Some(Const::Global { global, offset }) = body.constant(value) else { return None };
    let global = &program.globals[*global];
    let bytes = &global.image.as_ref().filter(|_| global.constant)?.bytes;
    bytes.get(usize::try_from(*offset).ok()?..)?.split(|&byte| byte == 0).next()
}

fn fills_rest(summary: &Summary) -> bool {
    let mut effects = summary.effects();
    effects.any(|effect| matches!(effect, Effect::Clobber { place } if matches!(place.root, Root::Rest(_))))
}

/// One outcome for each number of conversions that are assigned.
fn by_count(allocated: &[bool], fixed: u32) -> Summary {
    let outcome = |assigned: usize| {
        let mut fresh = Vec::new();
        let mut effects = Vec::new();
        for (number, &own) in (fixed..).zip(allocated).take(assigned) {
            let argument = Path::param(number);
            if own {
                let value = Value::Fresh { index: fresh.len() as u32, plus: 0 };
                effects.push(Effect::Store { place: argument.at(0), value });
                let kind = KindId::HEAP;
                fresh.push(Fresh { kind, zeroed: false, by: None, trail: Vec::new(), blank: false });
            } else {
                effects.push(Effect::Clobber { place: argument });
            }
        }
        let result = match assigned {
            // Nothing was assigned, or the input has ended.
            0 => Value::Such { relation: Relation::LessEqual, number: 0 },
            assigned => Value::Number(assigned as i64),
        };
        Outcome { when: When::always(), result, fresh, effects, way: Way::Returns, invented: false }
    };
    let outcomes = (0..=allocated.len()).map(outcome).collect();
    Summary::new(outcomes, Completeness::Whole)
}

/// For each conversion of a format that is assigned, whether it gets memory of its own.
fn conversions(format: &[u8]) -> Option<Vec<bool>> {
    let mut found = Vec::new();
    let mut rest = format.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            continue;
        }
        let (mut assigned, mut own) = (true, false);
        loop {
            match rest.next()? {
                b'*' => assigned = false,
                b'm' => own = true,
                b'$' => return None,
                b'%' => {
                    assigned = false;
                    break;
                }
                b'[' => {
                    // A bracket that comes first, or first behind the caret, is one of the characters.
                    rest.next_if_eq(&b'^');
                    rest.next_if_eq(&b']');
                    rest.by_ref().find(|&byte| byte == b']')?;
                    break;
                }
                // Counted characters are no conversion that the result tells of.
                b'n' => return None,
                b'0'..=b'9' | b'h' | b'l' | b'j' | b'z' | b't' | b'L' | b'q' | b'\'' => {}
                _ => break,
            }
        }
        if assigned {
            found.push(own);
        }
    }
    (found.len() <= SCANNED_CONVERSIONS).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::conversions;

    #[test]
    fn formats_are_read() {
        assert_eq!(conversions(b"%ms %*d %d"), Some(vec![true, false]));
        assert_eq!(conversions(b"%m[^]x] = %31s%%"), Some(vec![true, false]));
        assert_eq!(conversions(b"%1$ms"), None);
    }
}
