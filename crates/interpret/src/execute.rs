//! The inner loop: runs the codes of one frame until it calls, returns or stops.
//!
//! In: a flat body, the position to go on from, the slots of the frame, the memory. Out: what the
//! machine has to do next. The loop touches nothing else, which keeps its state in registers; every
//! index is checked, so a mistake in the translation is a panic in a test and never a wrong answer.
//!
//! Steps are counted one per code; phis, names and fences are not codes. The limit is looked at where
//! control leaves a block, which every endless run does endlessly often.

use crate::dense::{Code, Dense};
use crate::float;
use crate::hardware::shift_amount;
use crate::memory::Memory;
use crate::outcome::Absent;
use crate::rare;
use crate::trap::{Address, Fault, ObjectKind, TrapKind};
use std::collections::BTreeSet;
use watertight_ir::BlockId;

/// Why the inner loop came back.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Event {
    /// At a call: an entry of the body's calls. The position is still that of the call.
    Call(u32),
    /// At an entry of the body's operations on variable arguments, likewise.
    VaOp(u32),
    /// The result stands in so many words from this slot on.
    Return { src: u32, words: u32 },
    /// Control entered a block; only when tracing.
    Enter(BlockId),
    /// A code other than a jump was done, and the position is that of the next; only when stepping.
    Step,
    /// The budget is used up.
    StepLimit,
}

/// Counters of a run that the inner loop keeps.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) steps: u64,
    pub(crate) max_steps: u64,
    /// Some result is only close to what the target computes.
    pub(crate) inexact: bool,
    /// What the program asked for that is not there.
    pub(crate) absent: BTreeSet<Absent>,
    /// Whether comparisons are written down; only when tracing.
    pub(crate) watch: bool,
    /// What was compared since somebody looked: words of both sides, and cases of switches.
    pub(crate) compared: Vec<(u64, u64)>,
}

/// The most cases of a switch that are told.
const MOST_CASES: usize = 32;

/// Runs from `pc` on. On a fault, `pc` is the position of the faulting code.
pub(crate) fn execute<const TRACE: bool, const STEP: bool>(
    dense: &Dense,
    pc: &mut usize,
    regs: &mut [u64],
    memory: &mut Memory,
    counters: &mut Counters,
) -> Result<Event, Fault> {
    let codes = &dense.codes[..];
    let mut at = *pc;
    let mut steps = counters.steps;
    macro_rules! r {
        ($slot:expr) => {
            regs[$slot as usize]
        };
    }
    macro_rules! leave {
        ($result:expr) => {{
            *pc = at;
            counters.steps = steps;
            return $result;
        }};
    }
    macro_rules! attempt {
        ($result:expr) => {
            match $result {
                Ok(value) => value,
                Err(fault) => leave!(Err(fault)),
            }
        };
    }
    macro_rules! jump {
        ($edge:expr) => {{
            let edge = &dense.edges[$edge as usize];
            for &(dst, src) in &dense.moves[edge.moves.0 as usize..edge.moves.1 as usize] {
                r!(dst) = r!(src);
            }
            at = edge.target as usize;
            if steps >= counters.max_steps {
                leave!(Ok(Event::StepLimit));
            }
            if TRACE {
                leave!(Ok(Event::Enter(edge.block)));
            }
            continue;
        }};
    }
    macro_rules! compared {
        ($a:expr, $b:expr) => {
            if TRACE && counters.watch {
                counters.compared.push((r!($a), r!($b)));
            }
        };
    }
    macro_rules! signed {
        ($slot:expr, $unused:expr) => {
            ((r!($slot) << $unused) as i64) >> $unused
        };
    }
    loop {
        steps += 1;
        match codes[at] {
            Code::Move { dst, src } => r!(dst) = r!(src),
            Code::Mask { dst, src, unused } => r!(dst) = r!(src) & (u64::MAX >> unused),
            Code::SignExtend { dst, src, from_unused, to_unused } => {
                r!(dst) = signed!(src, from_unused) as u64 & (u64::MAX >> to_unused);
            }
            Code::Add { dst, a, b, unused } => r!(dst) = r!(a).wrapping_add(r!(b)) & (u64::MAX >> unused),
            Code::Sub { dst, a, b, unused } => r!(dst) = r!(a).wrapping_sub(r!(b)) & (u64::MAX >> unused),
            Code::Mul { dst, a, b, unused } => r!(dst) = r!(a).wrapping_mul(r!(b)) & (u64::MAX >> unused),
            Code::UDiv { dst, a, b } => {
                let Some(quotient) = r!(a).checked_div(r!(b)) else {
                    leave!(Err(Box::new(TrapKind::DivisionByZero)))
                };
                r!(dst) = quotient;
            }
            Code::URem { dst, a, b } => {
                let Some(remainder) = r!(a).checked_rem(r!(b)) else {
                    leave!(Err(Box::new(TrapKind::DivisionByZero)))
                };
                r!(dst) = remainder;
            }
            Code::SDiv { dst, a, b, unused } => {
                let (dividend, divisor) = (signed!(a, unused), signed!(b, unused));
                attempt!(divisible(dividend, divisor, unused));
                r!(dst) = (dividend / divisor) as u64 & (u64::MAX >> unused);
            }
            Code::SRem { dst, a, b, unused } => {
                let (dividend, divisor) = (signed!(a, unused), signed!(b, unused));
                attempt!(divisible(dividend, divisor, unused));
                r!(dst) = (dividend % divisor) as u64 & (u64::MAX >> unused);
            }
            Code::Shl { dst, a, b, unused } => {
                let amount = shift_amount(64 - u32::from(unused), r!(b));
                r!(dst) = r!(a) << amount & (u64::MAX >> unused);
            }
            Code::LShr { dst, a, b, unused } => {
                let amount = shift_amount(64 - u32::from(unused), r!(b));
                r!(dst) = r!(a) >> amount;
            }
            Code::AShr { dst, a, b, unused } => {
                let amount = shift_amount(64 - u32::from(unused), r!(b));
                r!(dst) = (signed!(a, unused) >> amount) as u64 & (u64::MAX >> unused);
            }
            Code::And { dst, a, b } => r!(dst) = r!(a) & r!(b),
            Code::Or { dst, a, b } => r!(dst) = r!(a) | r!(b),
            Code::Xor { dst, a, b } => r!(dst) = r!(a) ^ r!(b),
            Code::AddConst { dst, src, value, unused } => {
                r!(dst) = r!(src).wrapping_add(i64::from(value) as u64) & (u64::MAX >> unused);
            }
            Code::Index { dst, base, index, scale, index_unused, unused } => {
                let bytes = signed!(index, index_unused).wrapping_mul(i64::from(scale));
                r!(dst) = r!(base).wrapping_add(bytes as u64) & (u64::MAX >> unused);
            }
            Code::Eq { dst, a, b } => {
                compared!(a, b);
                r!(dst) = u64::from(r!(a) == r!(b));
            }
            Code::Ne { dst, a, b } => {
                compared!(a, b);
                r!(dst) = u64::from(r!(a) != r!(b));
            }
            Code::Ult { dst, a, b } => {
                compared!(a, b);
                r!(dst) = u64::from(r!(a) < r!(b));
            }
            Code::Ule { dst, a, b } => {
                compared!(a, b);
                r!(dst) = u64::from(r!(a) <= r!(b));
            }
            Code::Slt { dst, a, b, unused } => {
                compared!(a, b);
                r!(dst) = u64::from(((r!(a) << unused) as i64) < ((r!(b) << unused) as i64));
            }
            Code::Sle { dst, a, b, unused } => {
                compared!(a, b);
                r!(dst) = u64::from(((r!(a) << unused) as i64) <= ((r!(b) << unused) as i64));
            }
            Code::Float64 { op, dst, a, b } => {
                r!(dst) = float::double(op, f64::from_bits(r!(a)), f64::from_bits(r!(b))).to_bits();
            }
            Code::Float32 { op, dst, a, b } => {
                let (a, b) = (f32::from_bits(r!(a) as u32), f32::from_bits(r!(b) as u32));
                r!(dst) = u64::from(float::single(op, a, b).to_bits());
            }
            Code::FloatCompare64 { op, dst, a, b } => {
                let order = f64::from_bits(r!(a)).partial_cmp(&f64::from_bits(r!(b)));
                r!(dst) = u64::from(float::holds(op, order));
            }
            Code::FloatCompare32 { op, dst, a, b } => {
                let order = f32::from_bits(r!(a) as u32).partial_cmp(&f32::from_bits(r!(b) as u32));
                r!(dst) = u64::from(float::holds(op, order));
            }
            Code::Select { dst, cond, then, other } => {
                r!(dst) = if r!(cond) != 0 { r!(then) } else { r!(other) };
            }
            Code::Load1 { dst, addr } => r!(dst) = attempt!(memory.load::<1>(r!(addr))),
            Code::Load2 { dst, addr } => r!(dst) = attempt!(memory.load::<2>(r!(addr))),
            Code::Load4 { dst, addr } => r!(dst) = attempt!(memory.load::<4>(r!(addr))),
            Code::Load8 { dst, addr } => r!(dst) = attempt!(memory.load::<8>(r!(addr))),
            Code::LoadNarrow { dst, addr, bytes, unused } => {
                let loaded = attempt!(memory.load_int(r!(addr), bytes.into()));
                r!(dst) = loaded as u64 & (u64::MAX >> unused);
            }
            Code::Store1 { addr, value } => attempt!(memory.store::<1>(r!(addr), r!(value))),
            Code::Store2 { addr, value } => attempt!(memory.store::<2>(r!(addr), r!(value))),
            Code::Store4 { addr, value } => attempt!(memory.store::<4>(r!(addr), r!(value))),
            Code::Store8 { addr, value } => attempt!(memory.store::<8>(r!(addr), r!(value))),
            Code::StoreNarrow { addr, value, bytes } => {
                attempt!(memory.store_int(r!(addr), bytes.into(), r!(value).into()));
            }
            Code::Stack { dst, bytes, align } => {
                let kind = ObjectKind::Stack { function: dense.function, inst: dense.origins[at] };
                r!(dst) = attempt!(memory.push_stack(bytes.into(), align.into(), kind));
            }
            Code::Rare(index) => {
                attempt!(rare::execute(dense, index, at, regs, memory, &mut counters.inexact));
            }
            Code::Call(index) => leave!(Ok(Event::Call(index))),
            Code::VaOp(index) => leave!(Ok(Event::VaOp(index))),
            Code::Jump(edge) => jump!(edge),
            Code::Branch { cond, then, other } => jump!(if r!(cond) != 0 { then } else { other }),
            Code::Switch { value, table } => {
                let switch = &dense.switches[table as usize];
                let low = r!(value);
                if TRACE && counters.watch {
                    let cases = switch.cases.iter().take(MOST_CASES);
                    counters.compared.extend(cases.map(|&(case, _)| (low, case as u64)));
                }
                let edge = if let Some((least, table)) = &switch.table {
                    table.get(low.wrapping_sub(*least) as usize).copied().or(switch.default)
                } else {
                    let high = if switch.words == 2 { r!(value + 1) } else { 0 };
                    let key = u128::from(high) << 64 | u128::from(low);
                    let found = switch.cases.binary_search_by_key(&key, |&(case, _)| case);
                    found.map_or(switch.default, |case| Some(switch.cases[case].1))
                };
                let Some(edge) = edge else {
                    leave!(Err(Box::new(TrapKind::InvalidJump { address: Address(low) })))
                };
                jump!(edge);
            }
            Code::Return { src, words } => leave!(Ok(Event::Return { src, words })),
        }
        at += 1;
        if STEP {
            leave!(Ok(Event::Step));
        }
    }
}

/// Refuses the divisions that trap on processors.
#[inline]
fn divisible(dividend: i64, divisor: i64, unused: u8) -> Result<(), Fault> {
    match divisor {
        0 => Err(Box::new(TrapKind::DivisionByZero)),
        -1 if dividend == i64::MIN >> unused => Err(Box::new(TrapKind::DivisionOverflow)),
        _ => Ok(()),
    }
}
