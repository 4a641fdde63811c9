//! What names a finding from one run to the next.
//!
//! A project lives on while a finding waits: lines move, files are renamed, code is reformatted. The identity
//! of a finding must survive all that, so it has no lines, no columns and no file: only the rule, the
//! function, the text of the acquisition without its layout, and a number that tells equal acquisitions in
//! one function apart. A fingerprint is a hash over these (in the report crate).
//!
//! The ordinal counts acquisitions with the same text in the function, in the order of the source, *reported
//! or not*. Repairing the first of two leaks therefore does not rename the second. Two functions of the same
//! name in different files (both `static`) share identities; whoever compares runs counts how often each
//! occurs.
//!
//! ```
//! use watertight_finding::Identity;
//! let a = Identity::new("load", "copy = strdup( name )");
//! let b = Identity::new("load", "copy=strdup(name) /* keep */");
//! assert_eq!(a, b);
//! assert_ne!(a, b.nth(1));
//! ```

use serde::{Deserialize, Serialize};

/// The inputs of a fingerprint, besides the rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Identity {
    /// The function that acquires the resource.
    pub function: String,
    /// The acquisition as text, without its layout; see [`normalise`].
    pub acquisition: String,
    /// Which of the acquisitions with this text in the function it is, counted from zero.
    pub ordinal: u32,
}

impl Identity {
    /// The first acquisition with this text in this function.
    #[must_use]
    pub fn new(function: &str, acquisition: &str) -> Identity {
        Identity { function: function.to_owned(), acquisition: normalise(acquisition), ordinal: 0 }
    }

    /// The same text, the given one in the function, counted from zero.
    #[must_use]
    pub fn nth(mut self, ordinal: u32) -> Identity {
        self.ordinal = ordinal;
        self
    }
}

/// Takes the layout out of a piece of C: comments go, and white space stays only as one blank where it keeps
/// two words apart. String and character constants are left as they are.
#[must_use]
pub fn normalise(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut pending_blank = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c.is_whitespace() {
            pending_blank = true;
            continue;
        }
        if c == '/' && chars.peek() == Some(&'/') {
            for skipped in chars.by_ref() {
                if skipped == '\n' {
                    break;
                }
            }
            pending_blank = true;
            continue;
        }
        if c == '/' && chars.peek() == Some(&'*') {
            chars.next();
            let mut previous = ' ';
            for skipped in chars.by_ref() {
                if previous == '*' && skipped == '/' {
                    break;
                }
                previous = skipped;
            }
            pending_blank = true;
            continue;
        }
        if pending_blank && joins(out.chars().last(), c) {
            out.push(' ');
        }
        pending_blank = false;
        out.push(c);
        if c == '"' || c == '\'' {
            copy_constant(c, &mut chars, &mut out);
        }
    }
    out
}

/// Copies the rest of a string or character constant, with its closing quote.
fn copy_constant(quote: char, chars: &mut impl Iterator<Item = char>, out: &mut String) {
    let mut escaped = false;
    for c in chars {
        out.push(c);
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return,
            _ => {}
        }
    }
}

/// Whether two characters would become one token, or another one, if the blank between them went away.
fn joins(left: Option<char>, right: char) -> bool {
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    match left {
        None => false,
        Some(left) if word(left) => word(right),
        // `a - -b`, `a & &b`, `x / *p` and `a + ++b` must not change their meaning.
        Some(left) => left == right && "+-&|<>=/".contains(left) || (left == '/' && right == '*'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(normalise(text), expected, "{text}");
        assert_eq!(normalise(expected), expected, "normal text stays as it is: {expected}");
    }

    #[test]
    fn layout_goes_and_tokens_stay() {
        check("copy = strdup( name )", "copy=strdup(name)");
        check("  p =\n\tmalloc (sizeof  *p)  ", "p=malloc(sizeof*p)");
        check("unsigned   long x", "unsigned long x");
        check("a - -b", "a- -b");
        check("a + ++b", "a+ ++b");
        check("x / *p", "x/ *p");
        check("a & &b", "a& &b");
        check("", "");
        check("   ", "");
    }

    #[test]
    fn comments_go() {
        check("f(a /* first */, b)", "f(a,b)");
        check("f(a) // why", "f(a)");
        check("int/**/x", "int x");
        check("f(a) /* never closed", "f(a)");
    }

    #[test]
    fn constants_stay() {
        check(r#"f( "a  b /* no */ \" c" )"#, r#"f("a  b /* no */ \" c")"#);
        check("g( ' ' , '\\'' )", "g(' ','\\'')");
        check("g(\"open", "g(\"open");
    }
}
