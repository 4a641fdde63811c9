//! Source positions as people see them: file, line, column, and the calls that were inlined.
//!
//! In: a function and the id of one of its places. Out: paths and names instead of ids. A place in
//! inlined code comes with the chain of calls that led there, innermost first.

use crate::debug::{DebugInfo, Place};
use crate::ids::{FuncId, Id, InstId, NameId, PlaceId};
use crate::program::Program;

/// Longer chains of inlining are cut.
const MAX_INLINING: usize = 64;

/// A position in the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourcePlace<'p> {
    pub file: &'p str,
    /// Counted from 1; 0 when the compiler made the code up.
    pub line: u32,
    /// Counted from 1; 0 when unknown.
    pub column: u32,
    /// The inlined function this code belongs to; `None` when it belongs to the function itself.
    pub function: Option<&'p str>,
    /// Where that function was inlined, and where that code was, and so on.
    pub inlined: Vec<InlinedCall<'p>>,
}

/// A call that was replaced by the code of the called function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InlinedCall<'p> {
    pub file: &'p str,
    pub line: u32,
    pub column: u32,
    /// The inlined function that contains the call; `None` for the function itself.
    pub function: Option<&'p str>,
}

impl<'p> SourcePlace<'p> {
    /// File, line and column in the text of the function that has the place: for inlined code the call.
    pub fn outermost(&self) -> (&'p str, u32, u32) {
        match self.inlined.last() {
            Some(call) => (call.file, call.line, call.column),
            None => (self.file, self.line, self.column),
        }
    }
}

impl Program {
    /// What a place of `function` means.
    pub fn source_place(&self, function: FuncId, place: PlaceId) -> Option<SourcePlace<'_>> {
        let body = self.functions.get(function)?.body.as_ref()?;
        let debug = &self.units.get(self.functions[function].unit)?.debug;
        let place = body.places.get(place)?;
        let mut inlined = Vec::new();
        let mut next = place.inlined_at;
        while let Some(outer) = next.and_then(|outer| body.places.get(outer))
            && inlined.len() < MAX_INLINING
        {
            inlined.push(InlinedCall {
                file: file(debug, outer),
                line: outer.line,
                column: outer.column,
                function: outer.inlined_function.map(|name| text(debug, name)),
            });
            next = outer.inlined_at;
        }
        Some(SourcePlace {
            file: file(debug, place),
            line: place.line,
            column: place.column,
            function: place.inlined_function.map(|name| text(debug, name)),
            inlined,
        })
    }

    /// Where an instruction comes from.
    pub fn source_place_of(&self, function: FuncId, inst: InstId) -> Option<SourcePlace<'_>> {
        let body = self.functions.get(function)?.body.as_ref()?;
        self.source_place(function, body.insts.get(inst)?.place?)
    }
}

fn file<'p>(debug: &'p DebugInfo, place: &Place) -> &'p str {
    debug.files.get(place.file).map_or("", |file| file)
}

fn text(debug: &DebugInfo, name: NameId) -> &str {
    if name.index() < debug.names.len() { debug.names.get(name) } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;

    #[test]
    fn inlined_places_tell_the_whole_chain() {
        let text = "
unit unit0 \"a.c\" {
  file file0 \"/src/a.c\"
  file file1 \"/src/a.h\"
}
func @f() !10:6 {
bb0:
  unknown \"x\"() !file1:3:4 in get from 12:7 in mid from 20:1
  return !21:1
}
";
        let program = parse("a.ir", text).unwrap();
        let f = program.function_named("f").unwrap();
        let place = program.source_place_of(f, InstId::new(0)).unwrap();
        assert_eq!((place.file, place.line, place.column), ("/src/a.h", 3, 4));
        assert_eq!(place.function, Some("get"));
        let call = |line, column, function| InlinedCall { file: "/src/a.c", line, column, function };
        assert_eq!(place.inlined, [call(12, 7, Some("mid")), call(20, 1, None)]);
        assert_eq!(place.outermost(), ("/src/a.c", 20, 1));
        assert_eq!(program.source_place(f, PlaceId::new(99)), None);
    }
}
