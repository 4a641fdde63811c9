//! Writes the body of a function: variables, blocks, instructions, terminators and places.

use super::Printer;
use super::debug::{reference, write_interned};
use crate::function::{Body, Def};
use crate::ids::{FileId, FuncId, Id, InstId, PlaceId, ValueId};
use crate::inst::{Access, Call, Callee, Op, Terminator};
use crate::quote::write_quoted;
use crate::types::Type;
use std::fmt::{self, Write};

/// Chains of inlining longer than this are cut: they only occur when places form a cycle.
const MAX_INLINING: usize = 256;

impl Printer<'_> {
    pub(super) fn body(&self, out: &mut dyn Write, id: FuncId, body: &Body) -> fmt::Result {
        writeln!(out, " {{")?;
        for (var, variable) in body.variables.iter() {
            write!(out, "  var {var} = ")?;
            self.interned(out, id, variable.name)?;
            out.write_str(": ")?;
            reference(out, variable.ty)?;
            if let Some(parameter) = variable.parameter {
                write!(out, " param {parameter}")?;
            }
            if let Some(home) = variable.home {
                out.write_str(" home ")?;
                self.write_operand(out, body, home)?;
            }
            self.write_place_after(out, id, body, variable.place)?;
            writeln!(out)?;
        }
        for (block_id, block) in body.blocks.iter() {
            writeln!(out, "{block_id}:")?;
            for &inst in &block.insts {
                out.write_str("  ")?;
                self.write_inst(out, body, inst)?;
                let place = body.insts.get(inst).and_then(|inst| inst.place);
                self.write_place_after(out, id, body, place)?;
                writeln!(out)?;
            }
            out.write_str("  ")?;
            self.write_terminator(out, body, &block.term)?;
            self.write_place_after(out, id, body, block.term_place)?;
            writeln!(out)?;
        }
        writeln!(out, "}}")
    }

    fn interned(&self, out: &mut dyn Write, function: FuncId, name: crate::NameId) -> fmt::Result {
        let unit = self.program.units.get(self.program.functions[function].unit);
        match unit {
            Some(unit) => write_interned(out, &unit.debug, name),
            None => out.write_str("\"\""),
        }
    }

    pub(super) fn write_operand(&self, out: &mut dyn Write, body: &Body, value: ValueId) -> fmt::Result {
        match body.values.get(value) {
            Some(entry) => match &entry.def {
                Def::Const(constant) => self.constant(out, entry.ty, constant),
                Def::Param(_) | Def::Inst(_) => write!(out, "{value}"),
            },
            None => write!(out, "{value}"),
        }
    }

    /// Operands separated by commas.
    fn operands(&self, out: &mut dyn Write, body: &Body, values: &[ValueId]) -> fmt::Result {
        for (index, &value) in values.iter().enumerate() {
            out.write_str(if index == 0 { "" } else { ", " })?;
            self.write_operand(out, body, value)?;
        }
        Ok(())
    }

    pub(super) fn write_inst(&self, out: &mut dyn Write, body: &Body, inst: InstId) -> fmt::Result {
        let Some(inst) = body.insts.get(inst) else { return write!(out, "; {inst} is missing") };
        if let Some(result) = inst.result {
            write!(out, "{result}")?;
            let ty = body.values.get(result).map_or(Type::Void, |value| value.ty);
            if inst.op.fixed_result() != Some(ty) {
                write!(out, ": {ty}")?;
            }
            out.write_str(" = ")?;
        }
        let list = |out: &mut dyn Write, values: &[ValueId]| self.operands(out, body, values);
        out.write_str(inst.op.name())?;
        let bare = match &inst.op {
            Op::Fence => true,
            Op::Bits { args, .. } | Op::Pack { parts: args } => args.is_empty(),
            _ => false,
        };
        if !bare {
            out.write_char(' ')?;
        }
        match &inst.op {
            Op::Stack { bytes, count, align } => {
                write!(out, "{bytes}")?;
                if let Some(count) = count {
                    out.write_str(" x ")?;
                    self.write_operand(out, body, *count)?;
                }
                write!(out, " align {align}")
            }
            Op::Load { addr, access } => {
                out.write_str(access_prefix(*access))?;
                list(out, &[*addr])
            }
            Op::Store { addr, value, access } => {
                out.write_str(access_prefix(*access))?;
                list(out, &[*value])?;
                out.write_str(" to ")?;
                list(out, &[*addr])
            }
            Op::Offset { base, bytes } => {
                list(out, &[*base])?;
                write!(out, ", {bytes}")
            }
            Op::Index { base, index, scale } => {
                list(out, &[*base, *index])?;
                write!(out, ", {scale}")
            }
            Op::Binary { lhs, rhs, .. } | Op::Float { lhs, rhs, .. } => list(out, &[*lhs, *rhs]),
            Op::Compare { op, lhs, rhs } => {
                write!(out, "{} ", op.name())?;
                list(out, &[*lhs, *rhs])
            }
            Op::FloatCompare { op, lhs, rhs } => {
                write!(out, "{} ", op.name())?;
                list(out, &[*lhs, *rhs])
            }
            Op::FloatNegate { value } | Op::Convert { value, .. } => list(out, &[*value]),
            Op::Select { cond, then, other } => list(out, &[*cond, *then, *other]),
            Op::Phi { incoming } => {
                out.write_char('[')?;
                for (index, (block, value)) in incoming.iter().enumerate() {
                    write!(out, "{}{block}: ", if index == 0 { "" } else { ", " })?;
                    self.write_operand(out, body, *value)?;
                }
                out.write_char(']')
            }
            Op::Call(call) => self.call(out, body, call),
            Op::MemCopy { dst, src, len, .. } => list(out, &[*dst, *src, *len]),
            Op::MemFill { dst, byte, len } => list(out, &[*dst, *byte, *len]),
            Op::Atomic { op, addr, value } => {
                write!(out, "{} ", op.name())?;
                list(out, &[*addr, *value])
            }
            Op::CompareExchange { addr, expected, new } => list(out, &[*addr, *expected, *new]),
            Op::Fence => Ok(()),
            Op::Bits { args, .. } | Op::Pack { parts: args } => list(out, args),
            Op::Extract { aggregate, part } => {
                list(out, &[*aggregate])?;
                write!(out, ", {part}")
            }
            Op::VaStart { list: value } | Op::VaEnd { list: value } | Op::VaArg { list: value } => {
                list(out, &[*value])
            }
            Op::VaCopy { dst, src } => list(out, &[*dst, *src]),
            Op::Name { variable, value } => {
                write!(out, "{variable}, ")?;
                list(out, &[*value])
            }
            Op::Unknown(unknown) => {
                write_quoted(out, &unknown.what)?;
                out.write_char('(')?;
                list(out, &unknown.args)?;
                out.write_char(')')
            }
        }
    }

    fn call(&self, out: &mut dyn Write, body: &Body, call: &Call) -> fmt::Result {
        match call.callee {
            Callee::Direct(function) => self.write_function_name(out, function)?,
            Callee::Pointer(value) => self.write_operand(out, body, value)?,
        }
        out.write_char('(')?;
        let mut separator = "";
        // `...` stands where the arguments named by the prototype end.
        let ellipsis = call.variadic.then_some(call.fixed_args as usize);
        for (index, &arg) in call.args.iter().enumerate() {
            if ellipsis == Some(index) {
                write!(out, "{separator}...")?;
                separator = ", ";
            }
            out.write_str(separator)?;
            separator = ", ";
            self.write_operand(out, body, arg)?;
            if let Some((_, bytes)) = call.by_value.iter().find(|(which, _)| *which as usize == index) {
                write!(out, " byval {bytes}")?;
            }
        }
        if ellipsis.is_some_and(|fixed| fixed >= call.args.len()) {
            write!(out, "{separator}...")?;
        }
        out.write_char(')')?;
        if call.no_return {
            out.write_str(" noreturn")?;
        }
        if call.returns_twice {
            out.write_str(" returns_twice")?;
        }
        Ok(())
    }

    pub(super) fn write_terminator(
        &self,
        out: &mut dyn Write,
        body: &Body,
        term: &Terminator,
    ) -> fmt::Result {
        out.write_str(term.name())?;
        match term {
            Terminator::Jump(target) => write!(out, " {target}"),
            Terminator::Branch { cond, then, other } => {
                out.write_char(' ')?;
                self.write_operand(out, body, *cond)?;
                write!(out, ", {then}, {other}")
            }
            Terminator::Switch { value, cases, default } => {
                out.write_char(' ')?;
                self.write_operand(out, body, *value)?;
                out.write_str(" [")?;
                let ty = body.values.get(*value).map(|value| value.ty);
                for (index, (case, target)) in cases.iter().enumerate() {
                    out.write_str(if index == 0 { "" } else { ", " })?;
                    write_case(out, ty, *case)?;
                    write!(out, ": {target}")?;
                }
                write!(out, "] else {default}")
            }
            Terminator::Indirect { addr, targets } => {
                out.write_char(' ')?;
                self.write_operand(out, body, *addr)?;
                out.write_char(' ')?;
                write_targets(out, targets)
            }
            Terminator::Choose { targets } => {
                out.write_char(' ')?;
                write_targets(out, targets)
            }
            Terminator::Invoke { normal, unwind } => write!(out, " {normal} unwind {unwind}"),
            Terminator::Return(None) | Terminator::Resume | Terminator::Unreachable => Ok(()),
            Terminator::Return(Some(value)) => {
                out.write_char(' ')?;
                self.write_operand(out, body, *value)
            }
        }
    }

    fn write_place_after(
        &self,
        out: &mut dyn Write,
        id: FuncId,
        body: &Body,
        place: Option<PlaceId>,
    ) -> fmt::Result {
        let Some(place) = place else { return Ok(()) };
        let own = self.program.functions[id].place.and_then(|own| body.places.get(own));
        self.write_place(out, id, body, place, own.map(|own| own.file))
    }

    /// ` !12:5`, with the file where it is not `usual`, and the chain of inlining.
    pub(super) fn write_place(
        &self,
        out: &mut dyn Write,
        id: FuncId,
        body: &Body,
        place: PlaceId,
        usual: Option<FileId>,
    ) -> fmt::Result {
        let usual = usual.unwrap_or(FileId::new(0));
        let mut next = Some(place);
        let mut separator = " !";
        for _ in 0..MAX_INLINING {
            let Some(place) = next.and_then(|place| body.places.get(place)) else { break };
            out.write_str(separator)?;
            if place.file != usual {
                write!(out, "{}:", place.file)?;
            }
            write!(out, "{}:{}", place.line, place.column)?;
            if let Some(name) = place.inlined_function {
                out.write_str(" in ")?;
                self.interned(out, id, name)?;
            }
            separator = " from ";
            next = place.inlined_at;
        }
        Ok(())
    }
}

fn access_prefix(access: Access) -> &'static str {
    match access {
        Access::Plain => "",
        Access::Volatile => "volatile ",
        Access::Atomic => "atomic ",
    }
}

/// Case values read as signed numbers of the width of the switched value.
fn write_case(out: &mut dyn Write, ty: Option<Type>, case: u128) -> fmt::Result {
    match ty {
        Some(Type::Int(width)) if (2..=128).contains(&width) && case >> (width - 1) == 1 => {
            let shift = 128 - width;
            write!(out, "{}", ((case << shift) as i128) >> shift)
        }
        _ => write!(out, "{case}"),
    }
}

fn write_targets(out: &mut dyn Write, targets: &[crate::BlockId]) -> fmt::Result {
    out.write_char('[')?;
    for (index, target) in targets.iter().enumerate() {
        write!(out, "{}{target}", if index == 0 { "" } else { ", " })?;
    }
    out.write_char(']')
}
