//! Reads a unit with its files and debug types.

use super::lexer::Kind;
use super::{Fault, Parser};
use crate::debug::{DebugType, Encoding, Member, Qualifier, Record, RecordKind};
use crate::ids::{DebugTypeId, NameId, UnitId};
use crate::program::Unit;

impl Parser<'_> {
    /// `unit unit0 "main.c" { file file0 "/src/main.c" type ty0 = base int 32 signed }`
    pub(super) fn unit(&mut self) -> Result<(), Fault> {
        self.cursor.advance()?;
        self.numbered("unit", self.program.units.len())?;
        let name = self.cursor.text("the unit's name in quotes")?.into();
        let unit = self.program.units.push(Unit { name, ..Unit::default() });
        if !self.cursor.eat_mark("{")? {
            return Ok(());
        }
        while !self.cursor.eat_mark("}")? {
            const EXPECTED: &str = "`file` or `type` at the start of a line, or `}`";
            if !self.cursor.at_line_start() {
                return Err(self.cursor.unexpected(EXPECTED));
            }
            match self.cursor.kind() {
                Kind::Word("file") => {
                    self.cursor.advance()?;
                    self.numbered("file", self.program.units[unit].debug.files.len())?;
                    let path = self.cursor.text("a path in quotes")?.into();
                    self.program.units[unit].debug.files.push(path);
                }
                Kind::Word("type") => {
                    self.cursor.advance()?;
                    self.cursor.word("a name for the type, like `ty0`")?;
                    self.cursor.mark("=")?;
                    let ty = self.debug_type(unit)?;
                    self.program.units[unit].debug.types.push(ty);
                }
                _ => return Err(self.cursor.unexpected(EXPECTED)),
            }
        }
        Ok(())
    }

    /// Takes a reference to a debug type; `void` is none.
    pub(super) fn debug_type_reference(&mut self, unit: UnitId) -> Result<Option<DebugTypeId>, Fault> {
        let ty = match self.cursor.kind() {
            Kind::Word("void") => None,
            Kind::Word(word) => match self.symbols.debug_type(unit, word) {
                Some(ty) => Some(ty),
                None => return Err(self.cursor.unexpected("a type of this unit or `void`")),
            },
            _ => return Err(self.cursor.unexpected("a type of this unit or `void`")),
        };
        self.cursor.advance()?;
        Ok(ty)
    }

    fn interned_name(&mut self, unit: UnitId) -> Result<NameId, Fault> {
        let name = self.cursor.name("a name")?;
        Ok(self.intern(unit, &name))
    }

    /// A name if the next token is not a number.
    fn optional_name(&mut self, unit: UnitId) -> Result<Option<NameId>, Fault> {
        match self.cursor.kind() {
            Kind::Number(_) => Ok(None),
            _ => self.interned_name(unit).map(Some),
        }
    }

    fn debug_type(&mut self, unit: UnitId) -> Result<DebugType, Fault> {
        let at = self.cursor.at();
        let word = self.cursor.word("a kind of type")?;
        Ok(match word {
            "opaque" => DebugType::Opaque,
            "base" => {
                let name = self.interned_name(unit)?;
                let bits = self.cursor.u64("the width in bits")?;
                let Kind::Word(word) = self.cursor.kind() else {
                    return Err(self.cursor.unexpected("an encoding"));
                };
                let Some(encoding) = Encoding::from_name(word) else {
                    return Err(self.cursor.unexpected("an encoding like `signed`"));
                };
                self.cursor.advance()?;
                DebugType::Base { name, bits, encoding }
            }
            "pointer" => DebugType::Pointer { to: self.debug_type_reference(unit)? },
            "typedef" => {
                let name = self.interned_name(unit)?;
                DebugType::Typedef { name, of: self.debug_type_reference(unit)? }
            }
            "array" => {
                let of = self.debug_type_reference(unit)?;
                let mut counts = Vec::new();
                while self.cursor.eat_mark("[")? {
                    let unknown = self.cursor.is_mark("]");
                    counts.push(if unknown { None } else { Some(self.cursor.u64("a count")?) });
                    self.cursor.mark("]")?;
                }
                DebugType::Array { of, counts: counts.into() }
            }
            "enum" => {
                let name = self.optional_name(unit)?;
                let bits = self.cursor.u64("the width in bits")?;
                self.cursor.mark("{")?;
                let mut values = Vec::new();
                while !self.cursor.is_mark("}") {
                    let name = self.interned_name(unit)?;
                    self.cursor.mark("=")?;
                    values.push((name, self.cursor.i64("a number")?));
                    if !self.cursor.eat_mark(",")? {
                        break;
                    }
                }
                self.cursor.mark("}")?;
                DebugType::Enum { name, bits, values: values.into() }
            }
            "function" => {
                let mut params = Vec::new();
                let mut variadic = false;
                self.cursor.mark("(")?;
                while !self.cursor.is_mark(")") {
                    variadic = self.cursor.eat_mark("...")?;
                    if variadic {
                        break;
                    }
                    params.push(self.debug_type_reference(unit)?);
                    if !self.cursor.eat_mark(",")? {
                        break;
                    }
                }
                self.cursor.mark(")")?;
                self.cursor.mark("->")?;
                let result = self.debug_type_reference(unit)?;
                DebugType::Function { result, params: params.into(), variadic }
            }
            _ => match (RecordKind::from_name(word), Qualifier::from_name(word)) {
                (Some(kind), _) => self.record(unit, kind)?,
                (_, Some(qualifier)) => {
                    DebugType::Qualified { qualifier, of: self.debug_type_reference(unit)? }
                }
                _ => {
                    let message = "expected `base`, `pointer`, `const`, `typedef`, `struct`, `union`, \
                                   `array`, `enum`, `function` or `opaque`";
                    return Err(Fault::new(at, message));
                }
            },
        })
    }

    /// `struct conn 16 { next: ty3 at 0 bits 64 }`; offsets and sizes of members are in bits.
    fn record(&mut self, unit: UnitId, kind: RecordKind) -> Result<DebugType, Fault> {
        let name = self.optional_name(unit)?;
        let bytes = self.cursor.u64("the size in bytes")?;
        let mut members = Vec::new();
        self.cursor.mark("{")?;
        while !self.cursor.eat_mark("}")? {
            let name = match self.cursor.eat_word("_")? {
                true => None,
                false => Some(self.interned_name(unit)?),
            };
            self.cursor.mark(":")?;
            let ty = self.debug_type_reference(unit)?;
            self.cursor.keyword("at")?;
            let offset_bits = self.cursor.u64("an offset in bits")?;
            self.cursor.keyword("bits")?;
            let bits = self.cursor.u64("a width in bits")?;
            // A member of that name is told apart by the colon after it.
            let bit_field = self.cursor.is_word("bitfield") && self.cursor.next_kind() != Kind::Mark(":");
            if bit_field {
                self.cursor.advance()?;
            }
            members.push(Member { name, offset_bits, bits, ty, bit_field });
        }
        Ok(DebugType::Record(Record { kind, name, bytes, members: members.into() }))
    }
}
