//! Where something is in the source.
//!
//! A place names a file as the user would write it, because it is read by people and opened by editors.
//! Lines and columns count from one, as compilers print them; zero means unknown, which happens for code
//! that a compiler made up. Columns count bytes, as Clang does: formats that count otherwise convert.
//!
//! File and function are shared text: a trace repeats the same two names in every step.
//!
//! ```
//! use watertight_finding::Place;
//! let place = Place::new("src/a.c", 14, 18).to_column(30).in_function("load");
//! assert_eq!(place.to_string(), "src/a.c:14:18");
//! assert_eq!(Place::new("src/a.c", 14, 0).to_string(), "src/a.c:14");
//! assert_eq!(Place::new("src/a.c", 0, 0).to_string(), "src/a.c");
//! ```

use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// A place in a source file. Ordered by file, line and column.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Place {
    /// The path as the user would write it.
    pub file: Arc<str>,
    /// Counts from one; zero if unknown.
    pub line: u32,
    /// Counts bytes from one; zero if unknown.
    pub column: u32,
    /// The column after the last byte, on the same line, if known.
    pub end_column: Option<u32>,
    /// The function around the place; empty outside of functions.
    pub function: Arc<str>,
}

impl Place {
    /// A place outside of any function, or in one that is added with [`Place::in_function`].
    #[must_use]
    pub fn new(file: impl Into<Arc<str>>, line: u32, column: u32) -> Place {
        Place { file: file.into(), line, column, end_column: None, function: Arc::from("") }
    }

    /// The same place, in a function.
    #[must_use]
    pub fn in_function(mut self, function: impl Into<Arc<str>>) -> Place {
        self.function = function.into();
        self
    }

    /// The same place, ending before the given column.
    #[must_use]
    pub fn to_column(mut self, end_column: u32) -> Place {
        self.end_column = Some(end_column);
        self
    }

    /// Whether the line is known.
    #[must_use]
    pub fn has_line(&self) -> bool {
        self.line != 0
    }

    /// What two engines agree on when they mean the same place: they may know its extent and its function
    /// more or less well.
    #[must_use]
    pub fn point(&self) -> (&str, u32, u32) {
        (&self.file, self.line, self.column)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if self.line != 0 {
            write!(f, ":{}", self.line)?;
            if self.column != 0 {
                write!(f, ":{}", self.column)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_ordered_by_file_line_and_column() {
        let mut places = [
            Place::new("b.c", 1, 1),
            Place::new("a.c", 10, 1),
            Place::new("a.c", 9, 7),
            Place::new("a.c", 9, 2).in_function("z"),
        ];
        places.sort();
        let shown: Vec<String> = places.iter().map(Place::to_string).collect();
        assert_eq!(shown, ["a.c:9:2", "a.c:9:7", "a.c:10:1", "b.c:1:1"]);
    }
}
