//! Writes a unit with its files and debug types.

use crate::debug::{DebugInfo, DebugType, Member, Record};
use crate::ids::{DebugTypeId, Id, NameId, UnitId};
use crate::program::Unit;
use crate::quote::{write_name, write_quoted};
use std::fmt::{self, Write};

pub(super) fn unit(out: &mut dyn Write, id: UnitId, unit: &Unit) -> fmt::Result {
    write!(out, "unit {id} ")?;
    write_quoted(out, &unit.name)?;
    let debug = &unit.debug;
    if debug.files.is_empty() && debug.types.is_empty() {
        return writeln!(out);
    }
    writeln!(out, " {{")?;
    for (id, file) in debug.files.iter() {
        write!(out, "  file {id} ")?;
        write_quoted(out, file)?;
        writeln!(out)?;
    }
    for (id, ty) in debug.types.iter() {
        write!(out, "  type {id} = ")?;
        debug_type(out, debug, ty)?;
        writeln!(out)?;
    }
    writeln!(out, "}}")
}

fn debug_type(out: &mut dyn Write, debug: &DebugInfo, ty: &DebugType) -> fmt::Result {
    match ty {
        DebugType::Opaque => out.write_str("opaque"),
        DebugType::Base { name, bits, encoding } => {
            out.write_str("base ")?;
            write_interned(out, debug, *name)?;
            write!(out, " {bits} {}", encoding.name())
        }
        DebugType::Pointer { to } => {
            out.write_str("pointer ")?;
            reference(out, *to)
        }
        DebugType::Qualified { qualifier, of } => {
            write!(out, "{} ", qualifier.name())?;
            reference(out, *of)
        }
        DebugType::Typedef { name, of } => {
            out.write_str("typedef ")?;
            write_interned(out, debug, *name)?;
            out.write_char(' ')?;
            reference(out, *of)
        }
        DebugType::Record(record) => write_record(out, debug, record),
        DebugType::Array { of, counts } => {
            out.write_str("array ")?;
            reference(out, *of)?;
            for count in counts {
                match count {
                    Some(count) => write!(out, " [{count}]")?,
                    None => out.write_str(" []")?,
                }
            }
            Ok(())
        }
        DebugType::Enum { name, bits, values } => {
            out.write_str("enum ")?;
            if let Some(name) = name {
                write_interned(out, debug, *name)?;
                out.write_char(' ')?;
            }
            write!(out, "{bits} {{")?;
            for (index, (name, value)) in values.iter().enumerate() {
                out.write_str(if index == 0 { " " } else { ", " })?;
                write_interned(out, debug, *name)?;
                write!(out, " = {value}")?;
            }
            out.write_str(" }")
        }
        DebugType::Function { result, params, variadic } => {
            out.write_str("function (")?;
            for (index, param) in params.iter().enumerate() {
                out.write_str(if index == 0 { "" } else { ", " })?;
                reference(out, *param)?;
            }
            if *variadic {
                out.write_str(if params.is_empty() { "..." } else { ", ..." })?;
            }
            out.write_str(") -> ")?;
            reference(out, *result)
        }
    }
}

fn write_record(out: &mut dyn Write, debug: &DebugInfo, record: &Record) -> fmt::Result {
    write!(out, "{} ", record.kind.name())?;
    if let Some(name) = record.name {
        write_interned(out, debug, name)?;
        out.write_char(' ')?;
    }
    write!(out, "{}", record.bytes)?;
    if record.members.is_empty() {
        return out.write_str(" { }");
    }
    writeln!(out, " {{")?;
    for Member { name, offset_bits, bits, ty, bit_field } in &record.members {
        out.write_str("    ")?;
        match name {
            Some(name) => write_interned(out, debug, *name)?,
            None => out.write_char('_')?,
        }
        out.write_str(": ")?;
        reference(out, *ty)?;
        write!(out, " at {offset_bits} bits {bits}")?;
        writeln!(out, "{}", if *bit_field { " bitfield" } else { "" })?;
    }
    out.write_str("  }")
}

/// A type by its number; `void` where there is none.
pub(super) fn reference(out: &mut dyn Write, ty: Option<DebugTypeId>) -> fmt::Result {
    match ty {
        Some(ty) => write!(out, "{ty}"),
        None => out.write_str("void"),
    }
}

/// An interned name; a wrong number prints as an empty name.
pub(super) fn write_interned(out: &mut dyn Write, debug: &DebugInfo, name: NameId) -> fmt::Result {
    let known = name.index() < debug.names.len();
    write_name(out, if known { debug.names.get(name) } else { "" })
}
