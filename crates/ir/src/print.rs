//! Writes a program in its text form.
//!
//! In: a [`Program`]. Out: text that `parse` reads back. `docs/ir.md` explains the form by example.
//!
//! What must hold: `print(parse(print(p))) == print(p)`, byte for byte, for every program that the
//! verifier accepts; and equal programs print equally on every run. Constants are written where they are
//! used (`i32 5`), so they have no number of their own in the text; parameters and results of
//! instructions keep theirs, which therefore are the numbers in [`crate::ValueId`]. Places are written
//! where they are used (`!12:5`). Two functions or globals of one name get a tag (`@helper#fn3`).
//!
//! Programs that break the invariants print too, so that they can be looked at, but may not read back.
//!
//! ```
//! let text = "declare @malloc(i64) -> ptr";
//! let program = watertight_ir::parse("example.ir", text).expect("the example is well formed");
//! assert!(watertight_ir::print(&program).contains(text));
//! ```

mod body;
mod debug;

use crate::function::{Body, Const, Function, FunctionAttrs, Linkage, Param};
use crate::ids::{FuncId, GlobalId, Id, InstId, Table, UnitId, ValueId};
use crate::inst::Terminator;
use crate::program::{Endian, Global, Image, Program, Relocation, Symbol};
use crate::quote::{write_name, write_quoted, write_quoted_bytes, write_symbol};
use crate::types::{FloatKind, Type};
use rustc_hash::FxHashMap;
use std::fmt::{self, Write};

/// The whole program as text.
pub fn print(program: &Program) -> String {
    let mut out = String::new();
    Printer::new(program).program(&mut out).expect("writing to a string cannot fail");
    out
}

/// Writes parts of one program. Knows which names need a tag, so keep it when writing many parts.
#[derive(Debug)]
pub struct Printer<'p> {
    program: &'p Program,
    tagged_functions: Table<FuncId, bool>,
    tagged_globals: Table<GlobalId, bool>,
}

impl<'p> Printer<'p> {
    pub fn new(program: &'p Program) -> Printer<'p> {
        let mut uses: FxHashMap<&str, u32> = FxHashMap::default();
        let function_names = program.functions.values().map(|function| &*function.name);
        let global_names = program.globals.values().map(|global| &*global.name);
        for name in function_names.clone().chain(global_names.clone()) {
            *uses.entry(name).or_default() += 1;
        }
        let tagged_functions = function_names.map(|name| uses[name] > 1).collect();
        let tagged_globals = global_names.map(|name| uses[name] > 1).collect();
        Printer { program, tagged_functions, tagged_globals }
    }

    /// Writes everything.
    pub fn program(&self, out: &mut dyn Write) -> fmt::Result {
        let target = &self.program.target;
        out.write_str("target ")?;
        write_quoted(out, &target.triple)?;
        let endian = match target.endian {
            Endian::Little => "little",
            Endian::Big => "big",
        };
        writeln!(out, " pointer {} {endian}", target.pointer_bits)?;
        for (id, unit) in self.program.units.iter() {
            debug::unit(out, id, unit)?;
        }
        for (id, aggregate) in self.program.aggregates.iter() {
            write!(out, "agg {id} = {} {{", aggregate.bytes)?;
            let parts = &aggregate.parts;
            for (index, (offset, ty)) in parts.iter().enumerate() {
                write!(out, "{} {offset}: {ty}", if index == 0 { "" } else { "," })?;
            }
            writeln!(out, " }}")?;
        }
        if !self.program.globals.is_empty() {
            writeln!(out)?;
        }
        for id in self.program.globals.ids() {
            self.global(out, id)?;
        }
        for id in self.program.functions.ids() {
            self.function(out, id)?;
        }
        for (name, symbol) in &self.program.aliases {
            out.write_str("alias @")?;
            write_symbol(out, name)?;
            out.write_str(" = ")?;
            self.symbol(out, *symbol)?;
            writeln!(out)?;
        }
        for problem in &self.program.problems {
            out.write_str("problem ")?;
            write_quoted(out, &problem.subject)?;
            out.write_char(' ')?;
            write_quoted(out, &problem.message)?;
            writeln!(out)?;
        }
        Ok(())
    }

    /// Writes one function: a definition with its body, or a declaration.
    pub fn function(&self, out: &mut dyn Write, id: FuncId) -> fmt::Result {
        let function = &self.program.functions[id];
        match &function.body {
            Some(body) => {
                out.write_str("\nfunc ")?;
                self.header(out, id, function, true)?;
                self.body(out, id, body)
            }
            None => {
                out.write_str("declare ")?;
                self.header(out, id, function, false)?;
                writeln!(out)
            }
        }
    }

    /// One instruction, without line end: `%v2: ptr = call @malloc(i64 16)`.
    pub fn inst(&self, body: &Body, inst: InstId) -> String {
        let mut out = String::new();
        self.write_inst(&mut out, body, inst).expect("writing to a string cannot fail");
        out
    }

    /// A terminator, without line end: `branch %v3, bb1, bb2`.
    pub fn terminator(&self, body: &Body, term: &Terminator) -> String {
        let mut out = String::new();
        self.write_terminator(&mut out, body, term).expect("writing to a string cannot fail");
        out
    }

    /// A value where it is used: `%v2`, `i64 16`, `ptr @table+8`.
    pub fn operand(&self, body: &Body, value: ValueId) -> String {
        let mut out = String::new();
        self.write_operand(&mut out, body, value).expect("writing to a string cannot fail");
        out
    }

    /// The name of a function: `@main`, or `@helper#fn3` when another symbol has the same name.
    pub fn function_name(&self, id: FuncId) -> String {
        let mut out = String::new();
        self.write_function_name(&mut out, id).expect("writing to a string cannot fail");
        out
    }

    /// The name of a global, as for functions.
    pub fn global_name(&self, id: GlobalId) -> String {
        let mut out = String::new();
        self.symbol(&mut out, Symbol::Global(id)).expect("writing to a string cannot fail");
        out
    }

    fn header(&self, out: &mut dyn Write, id: FuncId, function: &Function, named: bool) -> fmt::Result {
        self.write_function_name(out, id)?;
        out.write_char('(')?;
        for (index, param) in function.params.iter().enumerate() {
            out.write_str(if index == 0 { "" } else { ", " })?;
            if named {
                write!(out, "{}: ", ValueId::new(index))?;
            }
            write_param(out, param)?;
        }
        if function.variadic {
            out.write_str(if function.params.is_empty() { "..." } else { ", ..." })?;
        }
        out.write_char(')')?;
        if function.result != Type::Void {
            write!(out, " -> {}", function.result)?;
        }
        write_linkage(out, function.linkage)?;
        write_unit(out, function.unit)?;
        write_attrs(out, &function.attrs)?;
        if let Some(ty) = function.debug_type {
            write!(out, " type {ty}")?;
        }
        if let (Some(place), Some(body)) = (function.place, &function.body) {
            self.write_place(out, id, body, place, None)?;
        }
        Ok(())
    }

    fn global(&self, out: &mut dyn Write, id: GlobalId) -> fmt::Result {
        let global: &Global = &self.program.globals[id];
        out.write_str("global ")?;
        self.symbol(out, Symbol::Global(id))?;
        write!(out, ": {} align {}", global.bytes, global.align)?;
        write_linkage(out, global.linkage)?;
        write_flag(out, global.constant, "constant")?;
        write_flag(out, global.thread_local, "thread_local")?;
        write_unit(out, global.unit)?;
        if let Some(ty) = global.debug_type {
            write!(out, " type {ty}")?;
        }
        if let Some(name) = global.source_name {
            out.write_str(" named ")?;
            let names = self.program.units.get(global.unit).map(|unit| &unit.debug.names);
            write_name(out, names.filter(|names| name.index() < names.len()).map_or("", |n| n.get(name)))?;
        }
        if let Some((file, line)) = global.place {
            out.write_str(" !")?;
            if file.index() != 0 {
                write!(out, "{file}:")?;
            }
            write!(out, "{line}")?;
        }
        match &global.image {
            None => writeln!(out),
            Some(image) => self.image(out, image),
        }
    }

    /// Bytes and relocations, merged by offset, one piece per line.
    fn image(&self, out: &mut dyn Write, image: &Image) -> fmt::Result {
        let pieces = pieces(&image.bytes);
        if pieces.is_empty() && image.relocations.is_empty() {
            return writeln!(out, " = {{ }}");
        }
        writeln!(out, " = {{")?;
        let mut relocations = image.relocations.iter().peekable();
        for &(start, end) in &pieces {
            while let Some(relocation) = relocations.next_if(|next| next.offset < start as u64) {
                self.relocation(out, relocation)?;
            }
            write!(out, "  {start}: ")?;
            write_piece(out, &image.bytes[start..end])?;
        }
        for relocation in relocations {
            self.relocation(out, relocation)?;
        }
        writeln!(out, "}}")
    }

    fn relocation(&self, out: &mut dyn Write, relocation: &Relocation) -> fmt::Result {
        write!(out, "  {}: addr{} ", relocation.offset, relocation.bytes)?;
        self.symbol(out, relocation.target)?;
        if relocation.addend != 0 {
            write!(out, "{:+}", relocation.addend)?;
        }
        if let Some(minus) = relocation.minus {
            out.write_str(" - ")?;
            self.symbol(out, minus)?;
        }
        writeln!(out)
    }

    fn symbol(&self, out: &mut dyn Write, symbol: Symbol) -> fmt::Result {
        match symbol {
            Symbol::Func(id) => self.write_function_name(out, id),
            Symbol::Global(id) => {
                out.write_char('@')?;
                match self.program.globals.get(id) {
                    Some(global) => write_symbol(out, &global.name)?,
                    None => write_symbol(out, "?")?,
                }
                if self.tagged_globals.get(id).is_none_or(|&tagged| tagged) {
                    write!(out, "#{id}")?;
                }
                Ok(())
            }
            Symbol::Label(function, block) => {
                out.write_str("label ")?;
                self.write_function_name(out, function)?;
                write!(out, " {block}")
            }
        }
    }

    fn write_function_name(&self, out: &mut dyn Write, id: FuncId) -> fmt::Result {
        out.write_char('@')?;
        match self.program.functions.get(id) {
            Some(function) => write_symbol(out, &function.name)?,
            None => write_symbol(out, "?")?,
        }
        if self.tagged_functions.get(id).is_none_or(|&tagged| tagged) {
            write!(out, "#{id}")?;
        }
        Ok(())
    }

    /// A constant with its type: `i32 -1`, `ptr null`, `f64 1.5`, `agg0 zero`.
    fn constant(&self, out: &mut dyn Write, ty: Type, constant: &Const) -> fmt::Result {
        write!(out, "{ty} ")?;
        match constant {
            Const::Bits(bits) => write_bits(out, ty, *bits),
            Const::Wide(words) => write_words(out, words),
            Const::Undef => out.write_str("undef"),
            Const::Zero => out.write_str("zero"),
            Const::Global { global, offset } => {
                self.symbol(out, Symbol::Global(*global))?;
                if *offset != 0 {
                    write!(out, "{offset:+}")?;
                }
                Ok(())
            }
            Const::Func(function) => self.symbol(out, Symbol::Func(*function)),
            Const::Label(function, block) => self.symbol(out, Symbol::Label(*function, *block)),
        }
    }
}

fn write_param(out: &mut dyn Write, param: &Param) -> fmt::Result {
    write!(out, "{}", param.ty)?;
    if let Some(bytes) = param.by_value {
        write!(out, " byval {bytes}")?;
    }
    write_flag(out, param.struct_result, "sret")?;
    write_flag(out, param.non_null, "nonnull")
}

fn write_flag(out: &mut dyn Write, set: bool, name: &str) -> fmt::Result {
    if set { write!(out, " {name}") } else { Ok(()) }
}

fn write_linkage(out: &mut dyn Write, linkage: Linkage) -> fmt::Result {
    match linkage {
        Linkage::External => Ok(()),
        other => write!(out, " {}", other.name()),
    }
}

fn write_unit(out: &mut dyn Write, unit: UnitId) -> fmt::Result {
    if unit.index() == 0 { Ok(()) } else { write!(out, " unit {unit}") }
}

fn write_attrs(out: &mut dyn Write, attrs: &FunctionAttrs) -> fmt::Result {
    write_flag(out, attrs.no_return, "noreturn")?;
    write_flag(out, attrs.returns_twice, "returns_twice")?;
    write_flag(out, attrs.no_memory, "no_memory")?;
    write_flag(out, attrs.read_only, "read_only")?;
    write_flag(out, attrs.cold, "cold")?;
    write_flag(out, attrs.result_no_alias, "result_noalias")?;
    write_flag(out, attrs.result_non_null, "result_nonnull")?;
    match attrs.alloc_size {
        Some((size, Some(count))) => write!(out, " alloc_size({size}, {count})")?,
        Some((size, None)) => write!(out, " alloc_size({size})")?,
        None => {}
    }
    if attrs.alloc_kind != 0 {
        write!(out, " alloc_kind {}", attrs.alloc_kind)?;
    }
    if let Some(family) = &attrs.alloc_family {
        out.write_str(" alloc_family ")?;
        write_name(out, family)?;
    }
    Ok(())
}

fn write_bits(out: &mut dyn Write, ty: Type, bits: u64) -> fmt::Result {
    match ty {
        Type::Int(width) if (2..=64).contains(&width) && bits >> (width - 1) == 1 => {
            // The sign bit is set and nothing above it: read as a negative number.
            let shift = 64 - width;
            write!(out, "{}", ((bits << shift) as i64) >> shift)
        }
        Type::Int(width) if width <= 64 => write!(out, "{bits}"),
        Type::Ptr if bits == 0 => out.write_str("null"),
        Type::Float(FloatKind::Double) if f64::from_bits(bits).is_finite() => {
            write!(out, "{:?}", f64::from_bits(bits))
        }
        Type::Float(FloatKind::Single) if bits >> 32 == 0 && f32::from_bits(bits as u32).is_finite() => {
            write!(out, "{:?}", f32::from_bits(bits as u32))
        }
        _ => write!(out, "{bits:#x}"),
    }
}

/// A number in hexadecimal without leading zeros, from its words, least significant first.
fn write_words(out: &mut dyn Write, words: &[u64]) -> fmt::Result {
    let used = words.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1);
    match &words[..used] {
        [] => out.write_str("0x0"),
        [lower @ .., top] => {
            write!(out, "{top:#x}")?;
            lower.iter().rev().try_for_each(|word| write!(out, "{word:016x}"))
        }
    }
}

/// Longest piece of an image on one line.
const PIECE_BYTES: usize = 48;
/// So many zeros in a row are left out instead of written.
const ZERO_RUN: usize = 8;

/// The ranges of `bytes` that are written; everything between them is zero.
fn pieces(bytes: &[u8]) -> Vec<(usize, usize)> {
    let mut result = Vec::new();
    let mut at = 0;
    while let Some(skip) = bytes[at..].iter().position(|&byte| byte != 0) {
        // A piece begins at a multiple of the pointer size, so that tables line up.
        let start = at.max((at + skip) & !7);
        let mut end = at + skip + 1;
        let mut zeros = 0;
        while end < bytes.len() && end - start < PIECE_BYTES && zeros < ZERO_RUN {
            zeros = if bytes[end] == 0 { zeros + 1 } else { 0 };
            end += 1;
        }
        result.push((start, end - zeros));
        at = end;
    }
    result
}

fn write_piece(out: &mut dyn Write, bytes: &[u8]) -> fmt::Result {
    let is_text = |byte: &&u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
    if bytes.iter().filter(is_text).count() * 4 >= bytes.len() * 3 {
        write_quoted_bytes(out, bytes)?;
    } else {
        out.write_str("x\"")?;
        for (index, byte) in bytes.iter().enumerate() {
            let gap = if index > 0 && index % 4 == 0 { " " } else { "" };
            write!(out, "{gap}{byte:02x}")?;
        }
        out.write_char('"')?;
    }
    writeln!(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_everything_but_long_runs_of_zeros() {
        let mut bytes = vec![0; 200];
        bytes[3] = 1;
        bytes[100] = 2;
        bytes[101..160].fill(3);
        let pieces = pieces(&bytes);
        assert_eq!(pieces, [(0, 4), (96, 144), (144, 160)]);
    }

    #[test]
    fn integers_print_signed_and_wide_ones_in_hexadecimal() {
        let shown = |width, bits| {
            let mut out = String::new();
            write_bits(&mut out, Type::Int(width), bits).unwrap();
            out
        };
        assert_eq!(shown(32, 0xffff_ffff), "-1");
        assert_eq!(shown(1, 1), "1");
        assert_eq!(shown(64, 1 << 63), i64::MIN.to_string());
        assert_eq!(shown(8, 0x7f), "127");
        let mut out = String::new();
        write_words(&mut out, &[5, 1, 0]).unwrap();
        assert_eq!(out, "0x10000000000000005");
    }
}
