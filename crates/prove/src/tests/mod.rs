//! One test for each rule: what is known of the error cell after a statement, and what follows before it.
//!
//! The scene is a function with variables `x`, `y` and `t` of type `struct list *`. Expressions are written as in C; a cell
//! is written as its hits, misses, regions and conditions.

mod rules;
mod walks;

use crate::assign::Write;
use crate::expr::{Expr, ExprId, Symbol};
use crate::fact::{Cell, include};
use crate::spell::spell;
use crate::world::World;
use watertight_ir::{CompareOp, FuncId, Program, Type};
use watertight_summary::model::Models;

const SCENE: &str = include_str!("scene.ir");

fn program() -> Program {
    watertight_ir::parse("scene.ir", SCENE).expect("the scene is well formed")
}

/// The models of the two functions that the scene calls.
fn models() -> Models {
    watertight_summary::model::shipped_for(&|name| matches!(name, "malloc" | "free"))
}

struct Scene<'p> {
    world: World<'p>,
    function: FuncId,
}

impl<'p> Scene<'p> {
    fn new(program: &'p Program, models: &'p Models) -> Scene<'p> {
        let function = program.function_named("scene").expect("it is there");
        let mut world = World::new(program, models, false);
        world.statements(function);
        Scene { world, function }
    }

    /// An expression: `x`, `x->next`, `x->next->next`, `0`.
    fn expr(&mut self, text: &str) -> ExprId {
        if text == "0" {
            return self.world.exprs.null();
        }
        if let Some(base) = text.strip_suffix("->next") {
            let base = self.expr(base);
            let addr = self.world.exprs.offset(base, 8);
            return self.world.deref(addr, Type::Ptr);
        }
        let addr = self.address(text);
        self.world.deref(addr, Type::Ptr)
    }

    /// `&x`.
    fn address(&mut self, variable: &str) -> ExprId {
        let statements = self.world.statements(self.function);
        let named = statements.locals.iter().map(|local| local.addr);
        let named: Vec<ExprId> = named.collect();
        let found = named.into_iter().find(|&addr| spell(&self.world, addr) == format!("&{variable}"));
        found.expect("it is a variable")
    }

    /// What is known: hits, misses, and locations that may refer to the cell. `~x->next` is any location of the region.
    fn cell(&mut self, hits: &[&str], misses: &[&str], tags: &[&str]) -> Cell {
        let mut cell = Cell::default();
        for hit in hits {
            let hit = self.expr(hit);
            include(&mut cell.hits, hit);
        }
        for miss in misses {
            let miss = self.expr(miss);
            include(&mut cell.misses, miss);
        }
        for text in tags {
            let tag = self.expr(text.trim_start_matches('~'));
            let Expr::Deref(addr, ty) = self.world.exprs.get(tag) else { panic!("it is no location") };
            for (region, _) in self.world.reach(addr, ty).regions {
                cell.regions.add(region, (!text.starts_with('~')).then_some(tag));
            }
        }
        cell
    }

    /// Before `to = value`.
    fn assign(&mut self, cell: &Cell, to: &str, value: &str) -> String {
        let to = self.expr(to);
        let Expr::Deref(addr, ty) = self.world.exprs.get(to) else { panic!("it is no location") };
        let value = self.expr(value);
        let cells = self.world.assign(cell, Write::new(addr, ty, Some(value)));
        self.show(&cells)
    }

    fn equal(&mut self, op: CompareOp, a: &str, b: &str) -> ExprId {
        let (a, b) = (self.expr(a), self.expr(b));
        self.world.exprs.compare(op, a, b)
    }

    /// Before a condition.
    fn require(&mut self, cell: &Cell, op: CompareOp, a: &str, b: &str) -> String {
        let condition = self.equal(op, a, b);
        let before = self.world.require(cell, condition);
        self.show(before.as_slice())
    }

    fn show(&self, cells: &[Cell]) -> String {
        if cells.is_empty() {
            return "contradiction".to_owned();
        }
        let list = |exprs: &[ExprId]| {
            let mut texts: Vec<String> = exprs.iter().map(|&expr| spell(&self.world, expr)).collect();
            texts.sort();
            texts.join(", ")
        };
        let mut shown: Vec<String> = cells
            .iter()
            .map(|cell| {
                let tags: Vec<ExprId> = cell.regions.list.iter().filter_map(|entry| entry.1).collect();
                let whole = cell.regions.list.iter().filter(|entry| entry.1.is_none()).count();
                let whole = if whole > 0 { format!(" and {whole} whole") } else { String::new() };
                let born = if cell.born.is_some() { "born; " } else { "" };
                format!(
                    "{born}hits {{{}}} misses {{{}}} in {{{}}}{whole} when {{{}}}",
                    list(&cell.hits),
                    list(&cell.misses),
                    list(&tags),
                    list(&cell.conditions)
                )
            })
            .collect();
        shown.sort();
        shown.join("\n")
    }
}

/// Runs a test on a scene of its own.
fn with(test: impl FnOnce(&mut Scene<'_>)) {
    let (program, models) = (program(), models());
    test(&mut Scene::new(&program, &models));
}

/// A variable of the scene as a symbol.
fn symbol(world: &World<'_>, addr: ExprId) -> Symbol {
    world.symbol(addr).expect("it is a variable")
}
