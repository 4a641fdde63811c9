//! C types as C programmers write them, and what they are made of.
//!
//! In: the debug information of a unit and one of its types. Out: `struct conn *`, `const char *`,
//! `int (*)(void *, size_t)`; or the size, the pointee, the type behind typedefs and qualifiers.
//!
//! Debug information comes from outside and may be cyclic where C types cannot be, so every walk is
//! bounded: what lies beyond is shown as `...`.
//!
//! ```
//! use watertight_ir::{DebugInfo, DebugType, Encoding, ctype};
//! let mut debug = DebugInfo::default();
//! let name = debug.names.intern("char");
//! let char = debug.types.push(DebugType::Base { name, bits: 8, encoding: Encoding::SignedChar });
//! let pointer = debug.types.push(DebugType::Pointer { to: Some(char) });
//! assert_eq!(ctype::name(&debug, Some(pointer)), "char *");
//! assert_eq!(ctype::declaration(&debug, Some(pointer), "text"), "char *text");
//! ```

use crate::debug::{DebugInfo, DebugType, Member, Qualifier};
use crate::ids::{DebugTypeId, Id, NameId};

/// Types passed through on the way to what a type really is.
const MAX_LAYERS: usize = 64;
/// Types visited for one spelling; a function type with many parameters needs some.
const MAX_VISITS: usize = 200;

/// The type as it is written in a cast. No type is `void`.
pub fn name(debug: &DebugInfo, ty: Option<DebugTypeId>) -> String {
    declaration(debug, ty, "")
}

/// The type with a declared name in the middle: `int (*handler)(int)`.
pub fn declaration(debug: &DebugInfo, ty: Option<DebugTypeId>, name: &str) -> String {
    Writer { debug, visits: MAX_VISITS }.declare(ty, String::new(), name.to_string())
}

/// The type behind typedefs and qualifiers; `None` for `void` and what is not known.
pub fn strip(debug: &DebugInfo, ty: Option<DebugTypeId>) -> Option<DebugTypeId> {
    let mut ty = ty;
    for _ in 0..MAX_LAYERS {
        match debug.types.get(ty?)? {
            DebugType::Typedef { of, .. } | DebugType::Qualified { of, .. } => ty = *of,
            _ => return ty,
        }
    }
    None
}

/// The description of the type behind typedefs and qualifiers.
pub fn described(debug: &DebugInfo, ty: Option<DebugTypeId>) -> Option<&DebugType> {
    debug.types.get(strip(debug, ty)?)
}

/// What a pointer type points to: `None` if it is no pointer, `Some(None)` for `void *`.
pub fn pointee(debug: &DebugInfo, ty: Option<DebugTypeId>) -> Option<Option<DebugTypeId>> {
    match described(debug, ty)? {
        DebugType::Pointer { to } => Some(*to),
        _ => None,
    }
}

/// Size in bytes; `None` for incomplete types, functions and what is not known.
pub fn size(debug: &DebugInfo, ty: Option<DebugTypeId>, pointer_bits: u32) -> Option<u64> {
    let mut ty = ty;
    let mut factor: u64 = 1;
    for _ in 0..MAX_LAYERS {
        let bytes = match described(debug, ty)? {
            DebugType::Base { bits, .. } | DebugType::Enum { bits, .. } => bits.div_ceil(8),
            DebugType::Pointer { .. } => u64::from(pointer_bits / 8),
            DebugType::Record(record) if record.bytes > 0 || !record.members.is_empty() => record.bytes,
            DebugType::Array { of, counts } => {
                for count in counts {
                    factor = factor.checked_mul((*count)?)?;
                }
                ty = *of;
                continue;
            }
            _ => return None,
        };
        return bytes.checked_mul(factor);
    }
    None
}

/// A type on the way down to one byte of another.
#[derive(Copy, Clone, Debug)]
pub struct Part<'d> {
    /// As it is named there, with typedefs and qualifiers.
    pub ty: DebugTypeId,
    pub described: &'d DebugType,
    /// Which byte of this type it is.
    pub inside: u64,
    /// The member of a structure or union that the byte lies in; of a union, the first.
    pub member: Option<&'d Member>,
}

/// The types on the way from a type down to one of its bytes, outermost first: structures, their members there, elements of arrays. The last
/// one is neither structure nor array, or one in which the byte lies nowhere.
pub fn parts(
    debug: &DebugInfo,
    ty: DebugTypeId,
    byte: u64,
    pointer_bits: u32,
) -> impl Iterator<Item = Part<'_>> {
    let mut next = Some((ty, byte));
    let part = move || {
        let (ty, inside) = next.take()?;
        let described = described(debug, Some(ty))?;
        let mut member = None;
        match described {
            DebugType::Record(record) => {
                member = record.members.iter().find(|member| member.covers(inside));
                next = member.and_then(|member| Some((member.ty?, inside - member.offset_bits / 8)));
            }
            DebugType::Array { of, .. } => {
                let bytes = size(debug, *of, pointer_bits).filter(|&bytes| bytes > 0);
                next = of.zip(bytes.map(|bytes| inside % bytes));
            }
            _ => {}
        }
        Some(Part { ty, described, inside, member })
    };
    std::iter::from_fn(part).take(MAX_LAYERS)
}

struct Writer<'d> {
    debug: &'d DebugInfo,
    visits: usize,
}

impl Writer<'_> {
    /// Wraps `inner`, the declarator so far, into the type. `qualifiers` belong to this type.
    fn declare(&mut self, ty: Option<DebugTypeId>, qualifiers: String, inner: String) -> String {
        let Some(left) = self.visits.checked_sub(1) else { return join("...", inner) };
        self.visits = left;
        let Some(ty) = ty else { return join(&format!("{qualifiers}void"), inner) };
        let Some(described) = self.debug.types.get(ty) else { return join("...", inner) };
        match described {
            DebugType::Opaque => join(&format!("{qualifiers}..."), inner),
            DebugType::Base { name, .. } | DebugType::Typedef { name, .. } => {
                join(&format!("{qualifiers}{}", self.text(*name)), inner)
            }
            DebugType::Qualified { qualifier, of } => {
                let word = match qualifier {
                    Qualifier::Const => "const ",
                    Qualifier::Volatile => "volatile ",
                    Qualifier::Restrict => "restrict ",
                    Qualifier::Atomic => "_Atomic ",
                };
                self.declare(*of, format!("{qualifiers}{word}"), inner)
            }
            DebugType::Pointer { to } => {
                // Qualifiers of the pointer itself stand right of the star.
                let separator = if inner.is_empty() { qualifiers.trim_end() } else { &qualifiers };
                let starred = format!("*{separator}{inner}");
                let of_suffix = matches!(
                    self.debug.types.get(skip_qualifiers(self.debug, *to)),
                    Some(DebugType::Array { .. } | DebugType::Function { .. })
                );
                self.declare(*to, String::new(), if of_suffix { format!("({starred})") } else { starred })
            }
            DebugType::Record(record) => match record.name {
                Some(name) => join(&format!("{qualifiers}{} {}", record.kind.name(), self.text(name)), inner),
                None => join(&format!("{qualifiers}{} {{...}}", record.kind.name()), inner),
            },
            DebugType::Enum { name, .. } => match name {
                Some(name) => join(&format!("{qualifiers}enum {}", self.text(*name)), inner),
                None => join(&format!("{qualifiers}enum {{...}}"), inner),
            },
            DebugType::Array { of, counts } => {
                let mut inner = inner;
                for count in counts {
                    match count {
                        Some(count) => inner.push_str(&format!("[{count}]")),
                        None => inner.push_str("[]"),
                    }
                }
                self.declare(*of, qualifiers, inner)
            }
            DebugType::Function { result, params, variadic } => {
                let mut list: Vec<String> =
                    params.iter().map(|&param| self.declare(param, String::new(), String::new())).collect();
                match (variadic, list.is_empty()) {
                    (true, false) => list.push("...".into()),
                    (false, true) => list.push("void".into()),
                    _ => {}
                }
                self.declare(*result, String::new(), format!("{inner}({})", list.join(", ")))
            }
        }
    }

    fn text(&self, name: NameId) -> &str {
        if name.index() < self.debug.names.len() { self.debug.names.get(name) } else { "..." }
    }
}

/// Like [`strip`] for qualifiers only; an id that leads nowhere when there is none.
fn skip_qualifiers(debug: &DebugInfo, ty: Option<DebugTypeId>) -> DebugTypeId {
    let mut ty = ty;
    for _ in 0..MAX_LAYERS {
        match ty.and_then(|ty| debug.types.get(ty)) {
            Some(DebugType::Qualified { of, .. }) => ty = *of,
            _ => break,
        }
    }
    ty.unwrap_or_else(|| debug.types.next_id())
}

/// The specifier before the declarator: `char *x`, `int[3]`, `void (*)(int)`.
fn join(specifier: &str, declarator: String) -> String {
    match declarator.chars().next() {
        None => specifier.to_string(),
        Some('[') => format!("{specifier}{declarator}"),
        Some(_) => format!("{specifier} {declarator}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;

    const UNIT: &str = r#"
unit unit0 "types.c" {
  type int = base int 32 signed
  type char = base char 8 signed_char
  type const_char = const char
  type text = pointer const_char
  type const_text = const text
  type size = typedef size_t int
  type conn = struct conn 24 {
    next: conn_ptr at 0 bits 64
  }
  type conn_ptr = pointer conn
  type anonymous = union 8 { }
  type color = enum color 32 { }
  type row = array int [3] [4]
  type row_ptr = pointer row
  type open = array int []
  type texts = array text [2]
  type main = function (int, text, ...) -> int
  type callback = pointer main
  type const_callback = const callback
  type table = array callback [8]
  type nothing = function () -> void
  type old = function (...) -> callback
  type void_ptr = pointer void
  type cycle = pointer cycle
  type loop = typedef loop loop
  type volatile_const = volatile const_char
}
"#;

    #[test]
    fn types_read_as_in_c() {
        let program = parse("types.ir", UNIT).unwrap();
        let debug = &program.units.values().next().unwrap().debug;
        let names: Vec<&str> = UNIT.lines().filter_map(|line| line.trim().strip_prefix("type ")).collect();
        let id = |wanted: &str| {
            let index = names.iter().position(|line| line.split(' ').next() == Some(wanted)).unwrap();
            Some(DebugTypeId::new(index))
        };
        let shown = |wanted: &str| name(debug, id(wanted));
        assert_eq!(shown("text"), "const char *");
        assert_eq!(shown("const_text"), "const char *const");
        assert_eq!(declaration(debug, id("const_text"), "p"), "const char *const p");
        assert_eq!(shown("size"), "size_t");
        assert_eq!(shown("conn_ptr"), "struct conn *");
        assert_eq!(shown("anonymous"), "union {...}");
        assert_eq!(shown("color"), "enum color");
        assert_eq!(shown("row"), "int[3][4]");
        assert_eq!(shown("row_ptr"), "int (*)[3][4]");
        assert_eq!(shown("open"), "int[]");
        assert_eq!(declaration(debug, id("texts"), "names"), "const char *names[2]");
        assert_eq!(shown("main"), "int (int, const char *, ...)");
        assert_eq!(shown("callback"), "int (*)(int, const char *, ...)");
        assert_eq!(shown("const_callback"), "int (*const)(int, const char *, ...)");
        assert_eq!(declaration(debug, id("table"), "t"), "int (*t[8])(int, const char *, ...)");
        assert_eq!(shown("nothing"), "void (void)");
        assert_eq!(shown("old"), "int (*())(int, const char *, ...)");
        assert_eq!(shown("void_ptr"), "void *");
        assert_eq!(shown("volatile_const"), "volatile const char");
        assert_eq!(name(debug, None), "void");
        assert!(shown("cycle").starts_with("... **"));
        assert_eq!(strip(debug, id("loop")), None);
        assert_eq!(size(debug, id("row"), 64), Some(48));
        assert_eq!(size(debug, id("texts"), 32), Some(8));
        assert_eq!(size(debug, id("open"), 64), None);
        assert_eq!(pointee(debug, id("const_text")), Some(id("const_char")));
        assert_eq!(pointee(debug, id("void_ptr")), Some(None));
        let down = |wanted: &str, byte| -> Vec<(String, u64)> {
            let parts = parts(debug, id(wanted).unwrap(), byte, 64);
            parts.map(|part| (name(debug, Some(part.ty)), part.inside)).collect()
        };
        assert_eq!(down("conn", 3), [("struct conn".to_owned(), 3), ("struct conn *".to_owned(), 3)]);
        assert_eq!(down("row", 21), [("int[3][4]".to_owned(), 21), ("int".to_owned(), 1)]);
        assert_eq!(down("conn", 9), [("struct conn".to_owned(), 9)]);
    }
}
