//! Sorting, searching, and integer arithmetic of `stdlib.h`.

use super::{Answer, Arg, Native, Outcome, arg, word};
use crate::machine::{Machine, Stop};
use crate::trap::TrapKind;
use watertight_ir::Endian;

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "qsort" => |m, a| {
            let context = None;
            sort(m, a, context)
        },
        "qsort_r" => |m, a| sort(m, a, Some(word(a, 4))),
        "bsearch" => bsearch,
        "abs" => |_, a| Answer::int(i64::from(arg(a, 0).int().wrapping_abs())),
        "labs" | "llabs" | "imaxabs" => |_, a| Answer::int(arg(a, 0).signed().wrapping_abs()),
        "div" => |m, a| divide(m, a, 4),
        "ldiv" => |m, a| {
            let bytes = u64::from(m.long_bits() / 8);
            divide(m, a, bytes)
        },
        "lldiv" | "imaxdiv" => |m, a| divide(m, a, 8),
        _ => return None,
    })
}

/// `qsort`, as the merge sort that glibc used for decades: the order of equal elements and the sequence
/// of comparisons are the same. The array stays as it is until all comparisons are done.
fn sort(machine: &mut Machine<'_>, args: &[Arg], context: Option<u64>) -> Outcome {
    let (array, count, size, compare) = (word(args, 0), word(args, 1), word(args, 2), word(args, 3));
    let bytes = count.checked_mul(size).ok_or(TrapKind::Unsupported("an array beyond memory".into()))?;
    if count < 2 || size == 0 {
        return Ok(Answer::None);
    }
    machine.memory.read(array, bytes)?;
    let mut less_or_equal = |machine: &mut Machine<'_>, a: u64, b: u64| -> Result<bool, Stop> {
        let mut operands = vec![array + a * size, array + b * size];
        operands.extend(context);
        Ok(machine.call_back(compare, &operands)? as i32 <= 0)
    };
    let order = merge_sort(machine, 0, count, &mut less_or_equal)?;
    let old = machine.memory.read(array, bytes)?.to_vec();
    let target = machine.memory.write(array, bytes)?;
    for (to, &from) in order.iter().enumerate() {
        let (to, from, size) = (to * size as usize, (from * size) as usize, size as usize);
        target[to..to + size].copy_from_slice(&old[from..from + size]);
    }
    Ok(Answer::None)
}

/// A comparison that calls the program.
type Compare<'c> = dyn FnMut(&mut Machine<'_>, u64, u64) -> Result<bool, Stop> + 'c;

/// The sorted order of the elements `from..to`.
fn merge_sort(
    machine: &mut Machine<'_>,
    from: u64,
    to: u64,
    compare: &mut Compare<'_>,
) -> Result<Vec<u64>, Stop> {
    if to - from <= 1 {
        return Ok((from..to).collect());
    }
    let middle = from + (to - from) / 2;
    let left = merge_sort(machine, from, middle, compare)?;
    let right = merge_sort(machine, middle, to, compare)?;
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    let mut merged = Vec::with_capacity((to - from) as usize);
    while let (Some(&a), Some(&b)) = (left.peek(), right.peek()) {
        if compare(machine, a, b)? {
            merged.extend(left.next());
        } else {
            merged.extend(right.next());
        }
    }
    merged.extend(left);
    merged.extend(right);
    Ok(merged)
}

fn bsearch(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let (key, array, size, compare) = (word(args, 0), word(args, 1), word(args, 3), word(args, 4));
    let (mut low, mut high) = (0, word(args, 2));
    while low < high {
        let middle = low + (high - low) / 2;
        let element = array.wrapping_add(middle.wrapping_mul(size));
        match machine.call_back(compare, &[key, element])? as i32 {
            0 => return Answer::word(element),
            ..0 => high = middle,
            _ => low = middle + 1,
        }
    }
    Answer::word(0)
}

/// Quotient and remainder of numbers of `bytes` bytes, in the way the target returns such a pair: packed
/// into one register, in two, or through a hidden pointer.
fn divide(machine: &mut Machine<'_>, args: &[Arg], bytes: u64) -> Outcome {
    let hidden = args.len() >= 3;
    let first = usize::from(hidden);
    let (dividend, divisor) = (arg(args, first).signed(), arg(args, first + 1).signed());
    let quotient = dividend.checked_div(divisor).ok_or(if divisor == 0 {
        TrapKind::DivisionByZero
    } else {
        TrapKind::DivisionOverflow
    })?;
    let remainder = dividend % divisor;
    if hidden {
        let address = word(args, 0);
        machine.memory.store_int(address, bytes, quotient as u128)?;
        machine.memory.store_int(address + bytes, bytes, remainder as u128)?;
        return Answer::word(address);
    }
    if bytes == 8 {
        return Ok(Answer::Pair([quotient as u64, remainder as u64]));
    }
    let (quotient, remainder) = (u64::from(quotient as u32), u64::from(remainder as u32));
    Answer::word(match machine.memory.endian {
        Endian::Little => quotient | remainder << 32,
        Endian::Big => quotient << 32 | remainder,
    })
}
