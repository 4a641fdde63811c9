//! The rules of the paper's Figs. 2 and 3, and those for allocations, releases and conditions.

use super::{Scene, symbol, with};
use crate::closure::Closure;
use crate::expr::{Expr, Points};
use crate::fact::Regions;
use crate::rules::Born;
use watertight_ir::{CompareOp, Id as _, Type};

#[test]
fn filter1_what_the_assignment_does_not_touch_stays() {
    with(|scene| {
        let cell = scene.cell(&["x"], &["y->next"], &["x", "x->next"]);
        let before = scene.assign(&cell, "t", "0");
        assert_eq!(before, "hits {x} misses {y->next} in {t, x, x->next} when {}");
    });
}

#[test]
fn filter2_a_value_that_misses_is_not_what_hits() {
    with(|scene| {
        // `x` and `y` may be the same, but what is written is null, and `x->next` is not.
        let cell = scene.cell(&["x->next"], &[], &["x->next"]);
        let before = scene.assign(&cell, "y->next", "0");
        assert_eq!(before, "hits {x->next} misses {} in {x->next, y->next} when {}");
    });
}

#[test]
fn filter3_a_value_that_hits_is_not_what_misses() {
    with(|scene| {
        let cell = scene.cell(&["t", "y->next"], &["x->next"], &["t", "y->next"]);
        let before = scene.assign(&cell, "y->next", "t");
        assert_eq!(before, "hits {t} misses {x->next} in {t, y->next} when {}");
    });
}

#[test]
fn filter4_what_is_copied_was_there_before() {
    with(|scene| {
        let cell = scene.cell(&["x->next"], &[], &["x->next", "y->next"]);
        let before = scene.assign(&cell, "y->next", "x->next");
        assert_eq!(before, "hits {x->next} misses {} in {x->next, y->next} when {}");
    });
}

#[test]
fn subst1_the_value_stands_for_what_it_is_written_to() {
    with(|scene| {
        let cell = scene.cell(&["t->next"], &[], &["t->next"]);
        let before = scene.assign(&cell, "t", "x");
        assert_eq!(before, "hits {x->next} misses {} in {t, x->next} when {}");
    });
}

#[test]
fn subst2_what_is_written_where_nothing_refers_to_the_cell_misses() {
    with(|scene| {
        // The example of the paper: only `y` refers to the cell, so that `x = y` cannot come before.
        let cell = scene.cell(&["y"], &[], &["y"]);
        assert_eq!(scene.assign(&cell, "x", "y"), "contradiction");
        let other = scene.assign(&cell, "x", "t->next");
        assert_eq!(other, "hits {y} misses {} in {x, y} when {}");
    });
}

#[test]
fn both_cases_are_followed_where_a_hit_may_be_what_is_written() {
    with(|scene| {
        let cell = scene.cell(&["x->next"], &[], &["x->next", "y->next", "t"]);
        let before = scene.assign(&cell, "y->next", "t");
        assert_eq!(
            before,
            "hits {t} misses {} in {t, x->next, y->next} when {x == y}\n\
             hits {x->next} misses {} in {t, x->next, y->next} when {x != y}"
        );
    });
}

#[test]
fn equalities_decide_what_is_written() {
    with(|scene| {
        let mut cell = scene.cell(&["x->next"], &[], &["x->next", "t"]);
        let same = scene.equal(CompareOp::Eq, "x", "y");
        cell.conditions.push(same);
        let before = scene.assign(&cell, "y->next", "t");
        assert_eq!(before, "hits {t} misses {} in {t, x->next, y->next} when {x == y}");
    });
}

#[test]
fn strong_updates_take_locations_away() {
    with(|scene| {
        // Before `t = y`, nothing but `y` can have been the cell, and after it `t` is known to be another.
        let cell = scene.cell(&["x"], &["t"], &["t", "x"]);
        let finished = scene.world.finish(cell);
        assert_eq!(scene.show(finished.as_slice()), "hits {x} misses {} in {x} when {}");
    });
}

#[test]
fn implicit_misses_need_no_record() {
    with(|scene| {
        let none = Regions::default();
        let all = Regions { any: true, list: Vec::new() };
        let (zero, x, next) = (scene.expr("0"), scene.expr("x"), scene.expr("x->next"));
        let address = scene.address("x");
        let member = scene.world.exprs.offset(x, 8);
        let through_null = {
            let addr = scene.world.exprs.offset(zero, 8);
            scene.world.deref(addr, Type::Ptr)
        };
        // Numbers, addresses of variables, what is read through the null pointer, members.
        for expr in [zero, address, through_null, member] {
            assert!(scene.world.implicit_miss(expr, &all));
        }
        // What lies outside of the regions.
        assert!(scene.world.implicit_miss(next, &none));
        assert!(!scene.world.implicit_miss(next, &all));
        let own = scene.cell(&[], &[], &["x"]).regions;
        assert!(!scene.world.implicit_miss(x, &own));
        assert!(scene.world.implicit_miss(next, &own));
    });
}

#[test]
fn infeasible_when_something_hits_and_misses() {
    with(|scene| {
        let cell = scene.cell(&["x"], &["x"], &["x"]);
        assert_eq!(scene.world.finish(cell), None);
        // Also when only what is equal to it does.
        let mut cell = scene.cell(&["x->next"], &["y->next"], &["x->next", "y->next"]);
        let same = scene.equal(CompareOp::Eq, "x", "y");
        cell.conditions.push(same);
        assert_eq!(scene.world.finish(cell), None);
    });
}

#[test]
fn cleanup_drops_implicit_misses() {
    with(|scene| {
        let cell = scene.cell(&["x"], &["0", "y", "y->next"], &["x", "~y->next"]);
        let finished = scene.world.finish(cell);
        assert_eq!(scene.show(finished.as_slice()), "hits {x} misses {y->next} in {x} and 1 whole when {}");
    });
}

fn fresh(scene: &mut Scene<'_>) -> crate::expr::ExprId {
    let name = Expr::Born(scene.function, watertight_ir::InstId::new(0), 0);
    scene.world.exprs.declare(name, Type::Ptr, Points::Anything)
}

#[test]
fn allocation_is_where_the_cell_comes_from_when_it_hits_alone() {
    with(|scene| {
        let name = fresh(scene);
        let mut cell = scene.cell(&[], &[], &["x"]);
        cell.hits.push(name);
        assert!(matches!(scene.world.born(&cell, name, None), Born::Here(Some(_))));
    });
}

#[test]
fn allocation_contradicts_older_references() {
    with(|scene| {
        let name = fresh(scene);
        let mut cell = scene.cell(&["x"], &[], &["x"]);
        cell.hits.push(name);
        cell.hits.sort_unstable();
        assert_eq!(scene.world.born(&cell, name, None), Born::Before(Vec::new()));
        // Nothing in the new block refers to anything.
        let addr = scene.world.exprs.offset(name, 8);
        let member = scene.world.deref(addr, Type::Ptr);
        let mut cell = scene.cell(&[], &[], &["x"]);
        cell.hits.push(member);
        assert_eq!(scene.world.born(&cell, name, None), Born::Before(Vec::new()));
    });
}

#[test]
fn allocation_of_another_cell_is_passed() {
    with(|scene| {
        let name = fresh(scene);
        let cell = scene.cell(&["x"], &[], &["x"]);
        let Born::Before(before) = scene.world.born(&cell, name, None) else { panic!("the cell is older") };
        assert_eq!(scene.show(&before), "hits {x} misses {} in {x} when {}");
        let unknown = scene.cell(&[], &[], &["x->next"]);
        assert_eq!(scene.world.born(&unknown, name, None), Born::Perhaps);
    });
}

#[test]
fn release_contradicts_a_hit_and_else_misses() {
    with(|scene| {
        let x = scene.expr("x");
        let cell = scene.cell(&["x"], &[], &["x"]);
        assert_eq!(scene.world.release(&cell, x), None);
        // What the released cell held was there before.
        let cell = scene.cell(&["y"], &[], &["x", "y"]);
        let before = scene.world.release(&cell, x);
        assert_eq!(scene.show(before.as_slice()), "hits {y} misses {} in {x->next, y} when {}");
    });
}

#[test]
fn conditions_carry_hits_and_misses_over() {
    with(|scene| {
        let cell = scene.cell(&["x"], &["t->next"], &["x", "~y->next"]);
        // e0 hits, so that e1 does; the other way round; and both for misses.
        let hit = "hits {x, y->next} misses {t->next} in {x} and 1 whole when {x == y->next}";
        assert_eq!(scene.require(&cell, CompareOp::Eq, "x", "y->next"), hit);
        assert_eq!(scene.require(&cell, CompareOp::Eq, "y->next", "x"), hit);
        let miss = "hits {x} misses {t->next, y->next} in {x} and 1 whole when {t->next == y->next}";
        assert_eq!(scene.require(&cell, CompareOp::Eq, "t->next", "y->next"), miss);
        assert_eq!(scene.require(&cell, CompareOp::Eq, "y->next", "t->next"), miss);
    });
}

#[test]
fn conditions_of_inequality_make_misses() {
    with(|scene| {
        let cell = scene.cell(&["x"], &[], &["x", "~y->next"]);
        let miss = "hits {x} misses {y->next} in {x} and 1 whole when {x != y->next}";
        assert_eq!(scene.require(&cell, CompareOp::Ne, "x", "y->next"), miss);
        assert_eq!(scene.require(&cell, CompareOp::Ne, "y->next", "x"), miss);
        // The cell is not the null pointer.
        assert_eq!(scene.require(&cell, CompareOp::Eq, "x", "0"), "contradiction");
    });
}

#[test]
fn enter_ends_the_scope_of_variables() {
    with(|scene| {
        let addr = scene.address("t");
        let gone = symbol(&scene.world, addr);
        let cell = scene.cell(&["t"], &[], &["t"]);
        assert_eq!(scene.world.scope(&cell, &|known| known == gone), None);
        let cell = scene.cell(&["x"], &["t->next"], &["x", "t", "y->next"]);
        let before = scene.world.scope(&cell, &|known| known == gone);
        assert_eq!(scene.show(before.as_slice()), "hits {x} misses {} in {x, y->next} when {}");
    });
}

#[test]
fn conclusions_follow_from_equalities() {
    with(|scene| {
        let mut cell = scene.cell(&["x"], &[], &["x"]);
        for (a, b) in [("x", "y"), ("y", "t->next")] {
            let same = scene.equal(CompareOp::Eq, a, b);
            crate::fact::include(&mut cell.conditions, same);
        }
        let (last, link, other) = (scene.expr("t->next"), scene.expr("x->next"), scene.expr("y->next"));
        let closure = Closure::new(&mut scene.world.exprs, &cell, &[link, other], &[]).ok();
        let closure = closure.expect("nothing contradicts");
        assert!(closure.hits(last));
        assert!(closure.same(link, other), "equal objects have equal members");
        assert!(!closure.same(link, last) && !closure.distinct(link, last));
    });
}
