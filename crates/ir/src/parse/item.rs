//! Reads what stands outside bodies: target, aggregates, globals with their images, headers of
//! functions, aliases.

use super::body::{BodyParser, Places};
use super::lexer::Kind;
use super::symbols::key;
use super::{Fault, Parser};
use crate::function::{Function, FunctionAttrs, Linkage, Param};
use crate::ids::{DebugTypeId, FileId, Id, NameId, UnitId};
use crate::program::{Endian, Global, Image, Relocation, Target};
use crate::quote::unescape_bytes;
use crate::types::{Aggregate, Type};

impl<'t> Parser<'t> {
    /// `target "x86_64-unknown-linux-gnu" pointer 64 little`
    pub(super) fn target(&mut self) -> Result<(), Fault> {
        self.cursor.advance()?;
        let triple = self.cursor.text("the target in quotes")?.into();
        self.cursor.keyword("pointer")?;
        let pointer_bits = self.cursor.fitting("the width of a pointer in bits", |(negative, bits)| {
            u32::try_from(bits).ok().filter(|bits| !negative && (8..=64).contains(bits))
        })?;
        let endian = match self.cursor.kind() {
            Kind::Word("little") => Endian::Little,
            Kind::Word("big") => Endian::Big,
            _ => return Err(self.cursor.unexpected("`little` or `big`")),
        };
        self.cursor.advance()?;
        self.program.target = Target { triple, pointer_bits, endian };
        Ok(())
    }

    /// `agg agg0 = 16 { 0: i64, 8: ptr }`
    pub(super) fn aggregate(&mut self) -> Result<(), Fault> {
        self.cursor.advance()?;
        self.numbered("agg", self.program.aggregates.len())?;
        self.cursor.mark("=")?;
        let bytes = self.cursor.u64("a size in bytes")?;
        self.cursor.mark("{")?;
        let mut parts = Vec::new();
        while !self.cursor.is_mark("}") {
            let offset = self.cursor.u64("an offset in bytes or `}`")?;
            self.cursor.mark(":")?;
            parts.push((offset, self.ty()?));
            if !self.cursor.eat_mark(",")? {
                break;
            }
        }
        self.cursor.mark("}")?;
        self.program.aggregates.push(Aggregate { bytes, parts: parts.into() });
        Ok(())
    }

    /// `alias @other = @name`
    pub(super) fn alias(&mut self) -> Result<(), Fault> {
        self.cursor.advance()?;
        let name = self.defined_name()?;
        self.cursor.mark("=")?;
        let symbol = self.symbol()?;
        self.program.aliases.push((name, symbol));
        Ok(())
    }

    /// Takes the name that an item defines; its tag is dropped.
    fn defined_name(&mut self) -> Result<Box<str>, Fault> {
        let Kind::Symbol(raw) = self.cursor.kind() else {
            return Err(self.cursor.unexpected("a name like `@main`"));
        };
        let (name, _) = key(raw, self.cursor.at())?;
        self.cursor.advance()?;
        Ok(name.into())
    }

    /// `global @table: 24 align 8 internal constant = { ... }`
    pub(super) fn global(&mut self) -> Result<(), Fault> {
        self.cursor.advance()?;
        let name = self.defined_name()?;
        self.cursor.mark(":")?;
        let mut global = Global {
            name,
            unit: UnitId::new(0),
            linkage: Linkage::External,
            bytes: self.cursor.u64("the size in bytes")?,
            align: 1,
            constant: false,
            thread_local: false,
            image: None,
            debug_type: None,
            place: None,
            source_name: None,
        };
        let mut debug_type = None;
        let mut source_name = None;
        while let Kind::Word(word) = self.cursor.kind() {
            if self.cursor.at_line_start() {
                break;
            }
            match word {
                "constant" => global.constant = true,
                "thread_local" => global.thread_local = true,
                "align" => {
                    self.cursor.advance()?;
                    global.align = self.cursor.u32("an alignment in bytes")?;
                    continue;
                }
                "unit" => {
                    self.cursor.advance()?;
                    global.unit = self.unit_reference()?;
                    continue;
                }
                "type" => {
                    self.cursor.advance()?;
                    debug_type = Some((self.cursor.at(), self.cursor.word("a type of the unit")?));
                    continue;
                }
                "named" => {
                    self.cursor.advance()?;
                    source_name = Some(self.cursor.name("a name")?);
                    continue;
                }
                _ => match Linkage::from_name(word) {
                    Some(linkage) => global.linkage = linkage,
                    None => return Err(self.cursor.unexpected("a property of the global, `!` or `=`")),
                },
            }
            self.cursor.advance()?;
        }
        self.check_unit(global.unit)?;
        global.debug_type = self.resolve_debug_type(global.unit, debug_type)?;
        global.source_name = source_name.map(|name| self.intern(global.unit, &name));
        if self.cursor.eat_mark("!")? {
            let file = match self.cursor.kind() {
                Kind::Word(_) => {
                    let file = self.file_reference(global.unit)?;
                    self.cursor.mark(":")?;
                    file
                }
                _ => self.usual_file(global.unit)?,
            };
            global.place = Some((file, self.cursor.u32("a line")?));
        }
        if self.cursor.eat_mark("=")? {
            global.image = Some(self.image(global.bytes)?);
        }
        self.program.globals.push(global);
        Ok(())
    }

    /// Units are defined before what belongs to them, so an unknown one is the default one missing.
    fn check_unit(&self, unit: UnitId) -> Result<(), Fault> {
        if unit.index() < self.program.units.len() {
            return Ok(());
        }
        Err(self.cursor.unexpected("the units to be defined before functions and globals"))
    }

    /// The file that places without file are in.
    pub(super) fn usual_file(&mut self, unit: UnitId) -> Result<FileId, Fault> {
        if self.program.units[unit].debug.files.is_empty() {
            return Err(self.cursor.unexpected("a unit with files, because places are in a file"));
        }
        Ok(FileId::new(0))
    }

    pub(super) fn intern(&mut self, unit: UnitId, name: &str) -> NameId {
        self.program.units[unit].debug.names.intern(name)
    }

    fn resolve_debug_type(
        &self,
        unit: UnitId,
        name: Option<(usize, &str)>,
    ) -> Result<Option<DebugTypeId>, Fault> {
        let Some((at, name)) = name else { return Ok(None) };
        match self.symbols.debug_type(unit, name) {
            Some(ty) => Ok(Some(ty)),
            None => Err(Fault::new(at, format!("there is no type `{name}` in {unit}"))),
        }
    }

    /// `{ 0: "text\00" 8: addr8 @f+4 16: x"0100" }`
    fn image(&mut self, size: u64) -> Result<Image, Fault> {
        self.cursor.mark("{")?;
        let mut image = Image::default();
        while !self.cursor.eat_mark("}")? {
            let at = self.cursor.at();
            let offset = self.cursor.u64("an offset in bytes or `}`")?;
            self.cursor.mark(":")?;
            let piece_at = self.cursor.at();
            let bytes: Vec<u8> = match self.cursor.kind() {
                Kind::Text(raw) => unescape_bytes(raw)
                    .map_err(|position| Fault::new(piece_at + 1 + position, "wrong escape"))?
                    .into(),
                Kind::Hex(digits) => hex_bytes(digits)
                    .ok_or_else(|| Fault::new(piece_at, "expected pairs of hexadecimal digits"))?,
                Kind::Word(word) => {
                    let bytes = super::number_after(word, "addr").and_then(|bytes| u8::try_from(bytes).ok());
                    let Some(bytes) = bytes else {
                        return Err(self.cursor.unexpected("a text, `x\"...\"` or `addr8`"));
                    };
                    self.cursor.advance()?;
                    let target = self.symbol()?;
                    let addend = self.addend()?;
                    let minus = if self.cursor.eat_mark("-")? { Some(self.symbol()?) } else { None };
                    image.relocations.push(Relocation { offset, bytes, target, addend, minus });
                    continue;
                }
                _ => return Err(self.cursor.unexpected("a text, `x\"...\"` or `addr8`")),
            };
            self.cursor.advance()?;
            let end = offset.checked_add(bytes.len() as u64).filter(|&end| end <= size);
            let Some(end) = end else {
                return Err(Fault::new(at, format!("the global has only {size} bytes")));
            };
            let missing = end.saturating_sub(image.bytes.len() as u64);
            self.spend(at, missing)?;
            let (start, end) = (offset as usize, end as usize);
            if image.bytes.len() < end {
                image.bytes.resize(end, 0);
            }
            image.bytes[start..end].copy_from_slice(&bytes);
        }
        Ok(image)
    }

    /// `func @f(%v0: i32) -> ptr internal { ... }` or `declare @f(i32, ...) -> ptr`
    pub(super) fn function(&mut self, defined: bool) -> Result<(), Fault> {
        self.cursor.advance()?;
        let name = self.defined_name()?;
        let mut function = Function {
            name,
            unit: UnitId::new(0),
            linkage: Linkage::External,
            params: Box::default(),
            result: Type::Void,
            variadic: false,
            attrs: FunctionAttrs::default(),
            place: None,
            debug_type: None,
            body: None,
        };
        let names = self.params(&mut function, defined)?;
        if self.cursor.eat_mark("->")? {
            function.result = self.ty()?;
        }
        self.properties(&mut function)?;
        if defined {
            let mut places = Places::default();
            if self.cursor.eat_mark("!")? {
                let place = self.place(&mut places, function.unit, None)?;
                function.place = Some(place);
            }
            let body = BodyParser::new(self, &function, names, places)?.body()?;
            function.body = Some(body);
        }
        self.program.functions.push(function);
        Ok(())
    }

    /// Takes the parameters in parentheses; gives their names with positions.
    fn params(&mut self, function: &mut Function, named: bool) -> Result<Vec<(usize, &'t str)>, Fault> {
        let mut names = Vec::new();
        let mut params = Vec::new();
        self.cursor.mark("(")?;
        while !self.cursor.is_mark(")") {
            if self.cursor.eat_mark("...")? {
                function.variadic = true;
                break;
            }
            if named {
                let Kind::Value(name) = self.cursor.kind() else {
                    return Err(self.cursor.unexpected("a parameter like `%v0: i32`"));
                };
                names.push((self.cursor.at(), name));
                self.cursor.advance()?;
                self.cursor.mark(":")?;
            }
            let mut param = Param::plain(self.ty()?);
            while let Kind::Word(word) = self.cursor.kind() {
                match word {
                    "sret" => param.struct_result = true,
                    "nonnull" => param.non_null = true,
                    "byval" => {
                        self.cursor.advance()?;
                        param.by_value = Some(self.cursor.u64("a size in bytes")?);
                        continue;
                    }
                    _ => return Err(self.cursor.unexpected("`byval`, `sret`, `nonnull`, `,` or `)`")),
                }
                self.cursor.advance()?;
            }
            params.push(param);
            if !self.cursor.eat_mark(",")? {
                break;
            }
        }
        self.cursor.mark(")")?;
        function.params = params.into();
        Ok(names)
    }

    /// Takes linkage, unit, attributes and debug type, in any order.
    fn properties(&mut self, function: &mut Function) -> Result<(), Fault> {
        let mut debug_type = None;
        while let Kind::Word(word) = self.cursor.kind() {
            if self.cursor.at_line_start() {
                break;
            }
            let attrs = &mut function.attrs;
            match word {
                "noreturn" => attrs.no_return = true,
                "returns_twice" => attrs.returns_twice = true,
                "no_memory" => attrs.no_memory = true,
                "read_only" => attrs.read_only = true,
                "cold" => attrs.cold = true,
                "result_noalias" => attrs.result_no_alias = true,
                "result_nonnull" => attrs.result_non_null = true,
                "alloc_size" => {
                    self.cursor.advance()?;
                    self.cursor.mark("(")?;
                    let size = self.cursor.u32("a parameter number")?;
                    let count = match self.cursor.eat_mark(",")? {
                        true => Some(self.cursor.u32("a parameter number")?),
                        false => None,
                    };
                    self.cursor.mark(")")?;
                    attrs.alloc_size = Some((size, count));
                    continue;
                }
                "alloc_kind" => {
                    self.cursor.advance()?;
                    attrs.alloc_kind = self.cursor.u32("the bits of the kind")?;
                    continue;
                }
                "alloc_family" => {
                    self.cursor.advance()?;
                    attrs.alloc_family = Some(self.cursor.name("a name")?.into());
                    continue;
                }
                "unit" => {
                    self.cursor.advance()?;
                    function.unit = self.unit_reference()?;
                    continue;
                }
                "type" => {
                    self.cursor.advance()?;
                    debug_type = Some((self.cursor.at(), self.cursor.word("a type of the unit")?));
                    continue;
                }
                _ => match Linkage::from_name(word) {
                    Some(linkage) => function.linkage = linkage,
                    None => return Err(self.cursor.unexpected("a property of the function")),
                },
            }
            self.cursor.advance()?;
        }
        self.check_unit(function.unit)?;
        function.debug_type = self.resolve_debug_type(function.unit, debug_type)?;
        Ok(())
    }
}

/// Bytes from pairs of hexadecimal digits; blanks between pairs are for the eye.
fn hex_bytes(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 2);
    let mut high = None;
    for c in text.chars() {
        if c == ' ' && high.is_none() {
            continue;
        }
        let digit = c.to_digit(16)? as u8;
        match high.take() {
            None => high = Some(digit),
            Some(high) => bytes.push(high << 4 | digit),
        }
    }
    high.is_none().then_some(bytes)
}
