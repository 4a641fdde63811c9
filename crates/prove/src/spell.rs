//! Expressions as C programmers write them, as far as they can be written in C.

use crate::expr::{Expr, ExprId, Points, Symbol};
use crate::words::{CALLERS_VALUE, NEW_BLOCK, VALUE};
use crate::world::World;
use watertight_ir::{FuncId, Type, ValueId};

/// An expression in the words of the source.
pub(crate) fn spell(world: &World<'_>, expr: ExprId) -> String {
    match world.exprs.get(expr) {
        Expr::Number(0, Type::Ptr) => "NULL".to_owned(),
        Expr::Number(bits, _) => (bits as i64).to_string(),
        Expr::Address(symbol) => format!("&{}", symbol_name(world, symbol)),
        Expr::Entry(function, index) => param_name(world, function, index),
        Expr::Returned(function) => format!("{}(...)", world.program.functions[function].name),
        Expr::Value(function, value) => value_name(world, function, value),
        Expr::Born(..) => NEW_BLOCK.to_owned(),
        Expr::Ghost(..) | Expr::Above(..) => CALLERS_VALUE.to_owned(),
        Expr::Deref(addr, _) => location(world, addr),
        Expr::Offset(..) | Expr::Index(..) => format!("&{}", location(world, expr)),
        Expr::Binary(op, a, b) => format!("{} {} {}", spell(world, a), op.name(), spell(world, b)),
        Expr::Compare(op, a, b) => {
            let sign = match op.name() {
                "eq" => "==",
                "ne" => "!=",
                "ugt" | "sgt" => ">",
                "uge" | "sge" => ">=",
                "ult" | "slt" => "<",
                _ => "<=",
            };
            // A constant stands on the right, as people write it.
            let is_number = |side| matches!(world.exprs.get(side), Expr::Number(..));
            if is_number(a) && !is_number(b) {
                let mirrored = match sign {
                    ">" => "<",
                    ">=" => "<=",
                    "<" => ">",
                    "<=" => ">=",
                    same => same,
                };
                return format!("{} {mirrored} {}", spell(world, b), spell(world, a));
            }
            format!("{} {sign} {}", spell(world, a), spell(world, b))
        }
        Expr::Convert(_, a, _) => spell(world, a),
    }
}

fn location(world: &World<'_>, addr: ExprId) -> String {
    match world.exprs.get(addr) {
        Expr::Address(symbol) => {
            let name = symbol_name(world, symbol);
            match first_member(world, addr) {
                Some(member) => format!("{name}.{member}"),
                None => name,
            }
        }
        Expr::Offset(base, bytes) => {
            let member = match world.exprs.described(base) {
                Points::In(of, at) => world.types.member_name(of, at + bytes),
                _ => None,
            };
            let Some(member) = member else {
                return format!("{}[byte {bytes}]", spell(world, base));
            };
            match world.exprs.get(base) {
                Expr::Address(symbol) => format!("{}.{member}", symbol_name(world, symbol)),
                _ => format!("{}->{member}", spell(world, base)),
            }
        }
        Expr::Index(base, index, _) => match world.exprs.get(base) {
            Expr::Address(symbol) => format!("{}[{}]", symbol_name(world, symbol), spell(world, index)),
            _ => format!("{}[{}]", spell(world, base), spell(world, index)),
        },
        _ => match first_member(world, addr) {
            Some(member) => format!("{}->{member}", spell(world, addr)),
            None => format!("*{}", spell(world, addr)),
        },
    }
}

/// The member at the beginning of what an address points to.
fn first_member(world: &World<'_>, addr: ExprId) -> Option<String> {
    match world.exprs.described(addr) {
        Points::In(of, 0) => world.types.member_name(of, 0),
        _ => None,
    }
}

fn symbol_name(world: &World<'_>, symbol: Symbol) -> String {
    match symbol {
        Symbol::Local(function, value) => {
            let name = world.body(function).and_then(|body| {
                let variable = body.variables.values().find(|variable| variable.home == Some(value))?;
                Some(world.program.debug(function).names.get(variable.name).to_owned())
            });
            name.unwrap_or_else(|| VALUE.to_owned())
        }
        Symbol::Global(global) => world.program.globals[global].name.to_string(),
        Symbol::Func(function) => world.program.functions[function].name.to_string(),
        Symbol::Outside => "the library".to_owned(),
    }
}

fn param_name(world: &World<'_>, function: FuncId, index: u32) -> String {
    let name = world.body(function).and_then(|body| {
        let variable = body.parameter(index)?;
        Some(world.program.debug(function).names.get(variable.name).to_owned())
    });
    name.unwrap_or_else(|| format!("argument {}", index + 1))
}

fn value_name(world: &World<'_>, function: FuncId, value: ValueId) -> String {
    let callee = world.body(function).and_then(|body| match body.def_op(value)? {
        watertight_ir::Op::Call(call) => watertight_ir::callgraph::direct_callee(body, call),
        _ => None,
    });
    match callee {
        Some(callee) => format!("{}(...)", world.program.functions[callee].name),
        None => VALUE.to_owned(),
    }
}
