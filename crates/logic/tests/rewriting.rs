//! What particular terms become: the forms that engines rely on.

use watertight_logic::term::{TermId, Terms};
use watertight_logic::width::Width;

/// Some unknowns and constants to write examples with.
struct World {
    terms: Terms,
    x: TermId,
    y: TermId,
    byte: TermId,
    c: TermId,
    d: TermId,
}

impl World {
    fn new() -> World {
        let mut terms = Terms::new();
        let (x, y) = (terms.variable(Width::W32, None), terms.variable(Width::W32, None));
        let byte = terms.variable(Width::W8, None);
        let (c, d) = (terms.variable(Width::BOOL, None), terms.variable(Width::BOOL, None));
        World { terms, x, y, byte, c, d }
    }

    fn int(&mut self, value: i64) -> TermId {
        self.terms.constant(Width::W32, value as u128)
    }
}

#[track_caller]
fn check(build: impl FnOnce(&mut World) -> TermId, expected: &str) {
    let mut world = World::new();
    let term = build(&mut world);
    assert_eq!(world.terms.show(term).to_string(), expected);
}

#[test]
fn comparisons_have_one_form() {
    check(
        |w| {
            let k = w.int(5);
            w.terms.ult(w.x, k)
        },
        "(x0 u< 5)",
    );
    check(
        |w| {
            let k = w.int(4);
            w.terms.ule(w.x, k)
        },
        "(x0 u< 5)",
    );
    check(
        |w| {
            let k = w.int(4);
            w.terms.ult(k, w.x)
        },
        "!(x0 u< 5)",
    );
    check(
        |w| {
            let k = w.int(5);
            w.terms.ule(k, w.x)
        },
        "!(x0 u< 5)",
    );
    check(
        |w| {
            let k = w.int(-1);
            w.terms.slt(k, w.x)
        },
        "!(x0 s< 0)",
    );
    check(
        |w| {
            let k = w.int(0);
            w.terms.sle(k, w.x)
        },
        "!(x0 s< 0)",
    );
    check(
        |w| {
            let k = w.int(1);
            w.terms.ult(w.x, k)
        },
        "(x0 == 0)",
    );
    check(
        |w| {
            let k = w.int(0);
            w.terms.ult(w.x, k)
        },
        "false",
    );
    check(|w| w.terms.sle(w.y, w.x), "!(x0 s< x1)");
}

#[test]
fn merged_values_compared_with_constants_are_conditions() {
    // r = c ? 0 : -1;  r == 0
    check(
        |w| {
            let (zero, minus) = (w.int(0), w.int(-1));
            let r = w.terms.ite(w.c, zero, minus);
            w.terms.eq(r, zero)
        },
        "x3",
    );
    // r = c ? 0 : d ? -1 : x;  r < 0
    check(
        |w| {
            let (zero, minus) = (w.int(0), w.int(-1));
            let r = w.terms.ite(w.d, minus, w.x);
            let r = w.terms.ite(w.c, zero, r);
            w.terms.slt(r, zero)
        },
        "(!(!x4 & !(x0 s< 0)) & !x3)",
    );
    // (int)(c) != 0, with all the conversions of C.
    check(
        |w| {
            let wide = w.terms.zext(w.c, Width::W32);
            let zero = w.int(0);
            w.terms.ne(wide, zero)
        },
        "x3",
    );
    // The comparison of a switch on a merged value that cannot be.
    check(
        |w| {
            let (two, three, five) = (w.int(2), w.int(3), w.int(5));
            let r = w.terms.ite(w.c, two, three);
            w.terms.eq(r, five)
        },
        "false",
    );
}

#[test]
fn sums_keep_their_constant_outermost() {
    check(
        |w| {
            let (one, two) = (w.int(1), w.int(2));
            let a = w.terms.add(w.x, one);
            let b = w.terms.add(w.y, two);
            w.terms.add(a, b)
        },
        "((x0 + x1) + 3)",
    );
    check(
        |w| {
            let (one, eight) = (w.int(1), w.int(8));
            let next = w.terms.add(w.x, one);
            let (this, next) = (w.terms.mul(w.x, eight), w.terms.mul(next, eight));
            w.terms.sub(next, this)
        },
        "8",
    );
    check(
        |w| {
            let (one, ten) = (w.int(1), w.int(10));
            let next = w.terms.add(w.x, one);
            w.terms.eq(next, ten)
        },
        "(x0 == 9)",
    );
    check(
        |w| {
            let difference = w.terms.sub(w.x, w.y);
            w.terms.is_zero(difference)
        },
        "(x0 == x1)",
    );
    check(
        |w| {
            let sum = w.terms.add(w.x, w.y);
            w.terms.sub(sum, w.y)
        },
        "x0",
    );
}

#[test]
fn bits_are_found_again() {
    // Stored byte by byte, read back whole.
    check(
        |w| {
            let bytes: Vec<TermId> = (0..4).map(|at| w.terms.extract(w.x, at * 8 + 7, at * 8)).collect();
            let upper = w.terms.concat(bytes[3], bytes[2]);
            let lower = w.terms.concat(bytes[1], bytes[0]);
            w.terms.concat(upper, lower)
        },
        "x0",
    );
    // The same with shifts, as portable C does it.
    check(
        |w| {
            let mut value = w.int(0);
            for at in 0..4 {
                let byte = w.terms.extract(w.x, at * 8 + 7, at * 8);
                let wide = w.terms.zext(byte, Width::W32);
                let by = w.int(i64::from(at) * 8);
                let shifted = w.terms.shl(wide, by);
                value = w.terms.or(value, shifted);
            }
            value
        },
        "x0",
    );
    // Shifted to make room for a flag, and back.
    check(
        |w| {
            let (one, up) = (w.int(1), w.int(1));
            let shifted = w.terms.shl(w.x, up);
            let tagged = w.terms.add(shifted, one);
            let all = w.terms.extract(tagged, 31, 1);
            let same = w.terms.extract(w.x, 30, 0);
            w.terms.eq(all, same)
        },
        "true",
    );
    // A flag test.
    check(
        |w| {
            let four = w.int(4);
            let flag = w.terms.and(w.x, four);
            let zero = w.int(0);
            w.terms.eq(flag, zero)
        },
        "!x0[2:2]",
    );
    // Alignment.
    check(
        |w| {
            let mask = w.int(-8);
            let aligned = w.terms.and(w.x, mask);
            let three = w.int(3);
            w.terms.eq(aligned, three)
        },
        "false",
    );
}

#[test]
fn promoted_values_are_compared_narrow() {
    // (int)byte == 300, (int)byte < 256, (int)byte == 7
    check(
        |w| {
            let (wide, k) = (w.terms.zext(w.byte, Width::W32), w.int(300));
            w.terms.eq(wide, k)
        },
        "false",
    );
    check(
        |w| {
            let (wide, k) = (w.terms.zext(w.byte, Width::W32), w.int(256));
            w.terms.slt(wide, k)
        },
        "true",
    );
    check(
        |w| {
            let (wide, k) = (w.terms.zext(w.byte, Width::W32), w.int(7));
            w.terms.eq(wide, k)
        },
        "(x2 == 7)",
    );
    check(
        |w| {
            let (wide, k) = (w.terms.sext(w.byte, Width::W32), w.int(-1));
            w.terms.eq(wide, k)
        },
        "(x2 == -1)",
    );
    // (char)(a + b) where both were promoted.
    check(
        |w| {
            let wide = w.terms.sext(w.byte, Width::W32);
            let sum = w.terms.mul(wide, wide);
            w.terms.truncate(sum, Width::W8)
        },
        "(x2 * x2)",
    );
}

#[test]
fn booleans_cancel_and_absorb() {
    check(
        |w| {
            let n = w.terms.not(w.c);
            w.terms.or(w.c, n)
        },
        "true",
    );
    check(
        |w| {
            let both = w.terms.and(w.c, w.d);
            w.terms.or(w.c, both)
        },
        "x3",
    );
    check(
        |w| {
            let either = w.terms.or(w.c, w.d);
            w.terms.and(w.c, either)
        },
        "x3",
    );
    check(
        |w| {
            let n = w.terms.not(w.c);
            let n = w.terms.not(n);
            w.terms.eq(n, w.c)
        },
        "true",
    );
    check(
        |w| {
            let (yes, no) = (TermId::TRUE, TermId::FALSE);
            w.terms.ite(w.c, no, yes)
        },
        "!x3",
    );
    check(
        |w| {
            let (one, two) = (w.int(1), w.int(2));
            let (a, b) = (w.terms.eq(w.x, one), w.terms.eq(w.x, two));
            w.terms.and(a, b)
        },
        "false",
    );
}
