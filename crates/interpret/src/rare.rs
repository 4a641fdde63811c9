//! The codes that are too seldom or too large for the inner loop.
//!
//! Wide integers, unusual floats, conversions, block copies, atomics: each is evaluated by the pure
//! functions of `arith`, `float` and `words` on numbers gathered from slots.

use crate::arith::{self, Undefined};
use crate::dense::{Dense, Rare, Slot};
use crate::float::{convert, float_binary, float_compare, float_negate};
use crate::hardware;
use crate::memory::Memory;
use crate::trap::{Fault, ObjectKind, TrapKind};
use crate::words;
use watertight_ir::{AtomicOp, BinaryOp, FloatOp, Type};

/// A number of at most 128 bits in one or two slots.
fn get(regs: &[u64], slot: Slot, width: u32) -> u128 {
    let low = u128::from(regs[slot as usize]);
    if width > 64 { low | u128::from(regs[slot as usize + 1]) << 64 } else { low }
}

fn set(regs: &mut [u64], slot: Slot, width: u32, value: u128) {
    regs[slot as usize] = value as u64;
    if width > 64 {
        regs[slot as usize + 1] = (value >> 64) as u64;
    }
}

fn range(slot: Slot, words: usize) -> std::ops::Range<usize> {
    slot as usize..slot as usize + words
}

/// Turns what C leaves undefined into what processors do: a trap for divisions.
fn division_fault(undefined: Undefined) -> Fault {
    Box::new(match undefined {
        Undefined::DivisionOverflow => TrapKind::DivisionOverflow,
        _ => TrapKind::DivisionByZero,
    })
}

/// Runs entry `index` of the rare codes, which stands at `pc`.
pub(crate) fn execute(
    dense: &Dense,
    index: u32,
    pc: usize,
    regs: &mut [u64],
    memory: &mut Memory,
    inexact: &mut bool,
) -> Result<(), Fault> {
    let pointer_bits = memory.pointer_bits;
    match &dense.rares[index as usize] {
        Rare::Binary { op, width, dst, a, b } if *width <= 128 => {
            let (lhs, rhs) = (get(regs, *a, *width), get(regs, *b, *width));
            let result = match arith::binary(*op, *width, lhs, rhs) {
                Ok(result) => result,
                Err(Undefined::ShiftTooWide) => hardware::shift(*op, *width, lhs, rhs),
                Err(undefined) => return Err(division_fault(undefined)),
            };
            set(regs, *dst, *width, result);
        }
        Rare::Binary { op, width, dst, a, b } => {
            let count = words::count(*width);
            let lhs = regs[range(*a, count)].to_vec();
            let rhs = regs[range(*b, count)].to_vec();
            let result = match words::binary(*op, *width, &lhs, &rhs) {
                Ok(result) => result,
                // No processor has such a shift; what is shifted out is gone.
                Err(Undefined::ShiftTooWide) => {
                    let amount = if *op == BinaryOp::AShr { u64::from(*width) - 1 } else { 0 };
                    let zero = vec![0; count];
                    let mut by = zero.clone();
                    by[0] = amount;
                    if *op == BinaryOp::AShr {
                        words::binary(*op, *width, &lhs, &by).map_err(division_fault)?
                    } else {
                        zero
                    }
                }
                Err(undefined) => return Err(division_fault(undefined)),
            };
            regs[range(*dst, count)].copy_from_slice(&result);
        }
        Rare::Compare { op, width, dst, a, b } => {
            let count = words::count(*width);
            let holds = words::compare(*op, *width, &regs[range(*a, count)], &regs[range(*b, count)]);
            regs[*dst as usize] = u64::from(holds);
        }
        Rare::Float { op, kind, dst, a, b } => {
            let width = kind.bits();
            let result = float_binary(*op, *kind, get(regs, *a, width), get(regs, *b, width));
            *inexact |= result.approximate;
            set(regs, *dst, width, result.bits);
        }
        Rare::FloatNegate { kind, dst, src } => {
            let result = float_negate(*kind, get(regs, *src, kind.bits()));
            set(regs, *dst, kind.bits(), result);
        }
        Rare::FloatCompare { op, kind, dst, a, b } => {
            let (lhs, rhs) = (get(regs, *a, kind.bits()), get(regs, *b, kind.bits()));
            regs[*dst as usize] = u64::from(float_compare(*op, *kind, lhs, rhs));
        }
        Rare::Convert { op, from, to, dst, src } => {
            let (from_width, to_width) = (from.bits(pointer_bits), to.bits(pointer_bits));
            let value = get(regs, *src, from_width);
            let result = match (convert(*op, *from, *to, pointer_bits, value), from) {
                (Ok(result), _) => result,
                (Err(_), Type::Float(kind)) => hardware::convert_out_of_range(*op, *kind, to_width, value),
                (Err(_), _) => 0,
            };
            set(regs, *dst, to_width, result);
        }
        Rare::Resize { signed, from, to, dst, src } => {
            let source = regs[range(*src, words::count(*from))].to_vec();
            let result =
                if *signed { words::sign_extend(*from, *to, &source) } else { words::trim(*to, source) };
            regs[range(*dst, words::count(*to))].copy_from_slice(&result);
        }
        Rare::MoveWords { dst, src, words } => {
            regs.copy_within(range(*src, *words as usize), *dst as usize);
        }
        Rare::SelectWords { dst, cond, then, other, words } => {
            let src = if regs[*cond as usize] != 0 { *then } else { *other };
            regs.copy_within(range(src, *words as usize), *dst as usize);
        }
        Rare::Index { dst, base, index, scale, index_unused } => {
            let index = ((regs[*index as usize] << index_unused) as i64) >> index_unused;
            let address = regs[*base as usize].wrapping_add(index.wrapping_mul(*scale) as u64);
            regs[*dst as usize] = memory.wrap(address);
        }
        Rare::Load { addr, parts } => {
            let address = regs[*addr as usize];
            for part in parts {
                let target = &mut regs[range(part.slot, words::count(part.width))];
                let bytes = u64::from(part.width.div_ceil(8));
                memory.load_words(memory.wrap(address.wrapping_add(part.offset)), bytes, target)?;
                if let Some(top) = target.last_mut()
                    && !part.width.is_multiple_of(64)
                {
                    *top &= u64::MAX >> (64 - part.width % 64);
                }
            }
        }
        Rare::Store { addr, parts } => {
            let address = regs[*addr as usize];
            for part in parts {
                let at = memory.wrap(address.wrapping_add(part.offset));
                let bytes = u64::from(part.width.div_ceil(8));
                memory.store_words(at, bytes, &regs[range(part.slot, words::count(part.width))])?;
            }
        }
        Rare::Stack { dst, bytes, count, align } => {
            let count = count.map_or(1, |count| regs[count as usize]);
            let bytes = bytes.checked_mul(count).ok_or_else(|| Box::new(TrapKind::StackOverflow))?;
            let kind = ObjectKind::Stack { function: dense.function, inst: dense.origins[pc] };
            regs[*dst as usize] = memory.push_stack(bytes, u64::from(*align), kind)?;
        }
        Rare::MemCopy { dst, src, len } => {
            memory.copy(regs[*dst as usize], regs[*src as usize], regs[*len as usize])?;
            // Constants stand in the last slots.
            if (*len as usize) < dense.slots - dense.constants.len() {
                memory.note_cut(regs[*src as usize], regs[*len as usize]);
            }
        }
        Rare::MemFill { dst, byte, len } => {
            memory.fill(regs[*dst as usize], regs[*byte as usize] as u8, regs[*len as usize])?;
        }
        Rare::Atomic { op, ty, dst, addr, value } => {
            let width = ty.bits(pointer_bits);
            let (address, value) = (regs[*addr as usize], get(regs, *value, width));
            let bytes = u64::from(width.div_ceil(8));
            let old = memory.load_int(address, bytes)? & arith::mask(width);
            let new = match (arith::atomic(*op, width, old, value), ty) {
                (Some(new), _) => new,
                (None, Type::Float(kind)) => {
                    let float = |op| float_binary(op, *kind, old, value).bits;
                    match op {
                        AtomicOp::FAdd => float(FloatOp::Add),
                        AtomicOp::FSub => float(FloatOp::Sub),
                        _ => extreme(*op, *kind, old, value),
                    }
                }
                (None, _) => return Err(Box::new(TrapKind::Unsupported(op.name().into()))),
            };
            memory.store_int(address, bytes, new)?;
            set(regs, *dst, width, old);
        }
        Rare::CompareExchange { width, dst, addr, expected, new } => {
            let (address, bytes) = (regs[*addr as usize], u64::from(width.div_ceil(8)));
            let old = memory.load_int(address, bytes)? & arith::mask(*width);
            let equal = old == get(regs, *expected, *width);
            if equal {
                memory.store_int(address, bytes, get(regs, *new, *width))?;
            }
            set(regs, *dst, *width, old);
            regs[*dst as usize + words::count(*width)] = u64::from(equal);
        }
        Rare::Bits { op, width, dst, args } => {
            let mut numbers = [0; 3];
            for (number, &slot) in numbers.iter_mut().zip(args) {
                *number = get(regs, slot, *width);
            }
            // The only undefined ones are saturating shifts, which give what shifting all out gives.
            let result = arith::bit_op(*op, *width, &numbers[..args.len()])
                .unwrap_or(arith::BitResult { value: 0, overflow: None });
            set(regs, *dst, *width, result.value);
            if let Some(overflow) = result.overflow {
                regs[*dst as usize + words::count(*width)] = u64::from(overflow);
            }
        }
        Rare::Pack { moves } => {
            for &(dst, src) in moves {
                regs[dst as usize] = regs[src as usize];
            }
        }
        Rare::Trap(kind) => return Err(kind.clone()),
    }
    Ok(())
}

/// Minimum or maximum of two floating-point numbers; the `f…imum` forms prefer what is not a number.
fn extreme(op: AtomicOp, kind: watertight_ir::FloatKind, old: u128, value: u128) -> u128 {
    use watertight_ir::FloatCompareOp as Compare;
    let is_nan = |bits| float_compare(Compare::Uno, kind, bits, bits);
    let prefers_nan = matches!(op, AtomicOp::FMaximum | AtomicOp::FMinimum);
    if is_nan(old) || is_nan(value) {
        return if is_nan(old) == prefers_nan { old } else { value };
    }
    let greater = float_compare(Compare::Ogt, kind, old, value);
    let wants_greater = matches!(op, AtomicOp::FMax | AtomicOp::FMaximum);
    if greater == wants_greater { old } else { value }
}
