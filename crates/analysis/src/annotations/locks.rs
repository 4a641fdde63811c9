//! Finding annotations about locks in the text of a C file.
//!
//! In: a text, of which nothing is expected. Out: the functions that it declares or defines with annotations. Comments,
//! strings and preprocessor lines are passed over; what stands between two declarations at the top level is looked at as a
//! whole. A text that is no C gives nothing of use, and never more than it has words.

use super::declarations::{Parts, parts};
use super::lex::{Kind, Token, matching, split, tokens};
use super::words::{Shape, of_attribute, of_macro};
use std::collections::BTreeMap;
use watertight_summary::annotation::{Arguments, Claim, Claims, Promise};

/// A function with annotations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Annotated {
    pub(super) name: Box<str>,
    pub(super) defined: bool,
    pub(super) claims: Claims,
}

/// The annotated functions of a file.
pub(super) fn scan(text: &str) -> Vec<Annotated> {
    let mut found = declarations(text);
    found.retain(|one| !one.claims.all.is_empty());
    found
}

/// What calls in the functions that a file defines are given first.
pub(super) fn bodies(text: &str) -> BTreeMap<Box<str>, Arguments> {
    let defined = declarations(text).into_iter().filter(|one| one.defined);
    defined.map(|one| (one.name, one.claims.arguments)).collect()
}

/// The functions that a file declares or defines.
fn declarations(text: &str) -> Vec<Annotated> {
    let tokens = tokens(text);
    let one = |parts: &Parts| {
        let body = parts.body.clone().map_or(&[][..], |body| &tokens[body]);
        let mut found = declaration(text, &tokens[parts.head.clone()], body)?;
        found.defined = parts.body.is_some();
        Some(found)
    };
    parts(&tokens).iter().filter_map(one).collect()
}

/// What a declaration says, if it is one of a function.
fn declaration(text: &str, tokens: &[Token<'_>], body: &[Token<'_>]) -> Option<Annotated> {
    let mut name: Option<&str> = None;
    let mut all: Vec<Claim> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let token = tokens[at];
        let opens = tokens.get(at + 1).is_some_and(|next| next.kind == Kind::Sign(b'('));
        if token.kind != Kind::Name || !opens {
            at += 1;
            continue;
        }
        let end = matching(tokens, at + 1);
        let inside = &tokens[(at + 2).min(end)..end];
        if let Some(shape) = of_macro(token.text) {
            all.extend(claims(text, token, shape, inside));
        } else if matches!(token.text, "__attribute__" | "__attribute") {
            attributes(text, inside, &mut all);
        } else if name.is_none() && !matches!(token.text, "__declspec" | "_Alignas" | "typeof" | "__typeof__")
        {
            name = Some(token.text);
        }
        at = end + 1;
    }
    let name = name?;
    let claims = Claims { all, arguments: arguments(body) };
    Some(Annotated { name: name.into(), defined: false, claims })
}

/// The attributes in `__attribute__((...))`.
fn attributes(text: &str, tokens: &[Token<'_>], all: &mut Vec<Claim>) {
    let mut at = 0;
    while at < tokens.len() {
        let opens = tokens.get(at + 1).is_some_and(|next| next.kind == Kind::Sign(b'('));
        if tokens[at].kind == Kind::Name && opens {
            let end = matching(tokens, at + 1);
            if let Some(shape) = of_attribute(tokens[at].text) {
                all.extend(claims(text, tokens[at], shape, &tokens[(at + 2).min(end)..end]));
            }
            at = end;
        }
        at += 1;
    }
}

/// What one annotation says.
fn claims(text: &str, word: Token<'_>, shape: Shape, inside: &[Token<'_>]) -> Vec<Claim> {
    let arguments = split(inside);
    let claim = |promise: Promise, argument: &[Token<'_>]| {
        let object = last_name(argument)?;
        let (first, last) = (argument.first()?, argument.last()?);
        let written = text.get(first.start..last.start + last.text.len())?;
        let spelled = format!("{}({})", word.text, written.split_whitespace().collect::<Vec<_>>().join(" "));
        Some(Claim { promise, object: object.into(), text: spelled.into(), file: "".into(), line: word.line })
    };
    let only = |argument: &[Token<'_>]| match argument {
        [one] => Some(one.text.to_owned()),
        _ => None,
    };
    match shape {
        Shape::Locks(promise) => arguments.iter().filter_map(|one| claim(promise, one)).collect(),
        Shape::Result => {
            let Some((first, rest)) = arguments.split_first() else { return Vec::new() };
            let success = match only(first).as_deref() {
                Some("0" | "false") => false,
                Some("1" | "true") => true,
                _ => return Vec::new(),
            };
            rest.iter().filter_map(|one| claim(Promise::Tries { success }, one)).collect()
        }
        Shape::Context => {
            let [lock, before, after] = &arguments[..] else { return Vec::new() };
            let promise = match (only(before).as_deref(), only(after).as_deref()) {
                (Some("0"), Some("1")) => Promise::Acquires,
                (Some("1"), Some("0")) => Promise::Releases,
                (Some("1"), Some("1")) => Promise::MustHold,
                _ => return Vec::new(),
            };
            claim(promise, lock).into_iter().collect()
        }
    }
}

/// The last name in an expression that is outside of brackets and calls.
fn last_name<'t>(tokens: &[Token<'t>]) -> Option<&'t str> {
    let mut depth = 0i32;
    let mut last = None;
    for token in tokens {
        match token.kind {
            Kind::Sign(b'(' | b'[') => depth += 1,
            Kind::Sign(b')' | b']') => depth -= 1,
            Kind::Name if depth == 0 => last = Some(token.text),
            _ => {}
        }
    }
    last
}

/// The last name of the first argument of each call.
fn arguments(body: &[Token<'_>]) -> Arguments {
    let mut found = Vec::new();
    for (index, token) in body.iter().enumerate() {
        let opens = body.get(index + 1).is_some_and(|next| next.kind == Kind::Sign(b'('));
        if token.kind == Kind::Name && opens {
            let end = matching(body, index + 1);
            let inside = &body[(index + 2).min(end)..end];
            if let Some(name) = split(inside).first().and_then(|first| last_name(first)) {
                found.push((token.line, token.column, name.into()));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
/* __acquires(nothing) */
#define LOCKED __acquires(x) \\
    __releases(y)
static const char *text = \"f(x) __acquires(z);\";
extern \"C\" {
void taken(struct files *files) __acquires(&files->file_lock);
}
struct a { int (*f)(int) ; };
static int put(struct files *files, int fd)
    __releases(&files->file_lock) // and nothing else
{
    if (fd) { spin_unlock(&files->file_lock); }
    return g(h(fd));
}
int try_it(struct mutex *m) __attribute__((nonnull(1), try_acquire_capability(true, m->inner)));
void both(void) REQUIRES(a, b.c[3]) ACQUIRE(locks[i].lock);
void old(int *x) __attribute__((context(*x,1,0)));
int none(int x);
";

    type Found = (String, bool, Vec<(Promise, String)>);

    fn found() -> Vec<Found> {
        let claims = |claims: &Claims| {
            claims.all.iter().map(|claim| (claim.promise, claim.object.to_string())).collect::<Vec<_>>()
        };
        scan(TEXT).iter().map(|one| (one.name.to_string(), one.defined, claims(&one.claims))).collect()
    }

    #[test]
    fn annotations_are_found() {
        use Promise::{Acquires, MustHold, Releases, Tries};
        let claim = |promise, name: &str| (promise, name.to_owned());
        assert_eq!(
            found(),
            [
                ("taken".to_owned(), false, vec![claim(Acquires, "file_lock")]),
                ("put".to_owned(), true, vec![claim(Releases, "file_lock")]),
                ("try_it".to_owned(), false, vec![claim(Tries { success: true }, "inner")]),
                (
                    "both".to_owned(),
                    false,
                    vec![claim(MustHold, "a"), claim(MustHold, "c"), claim(Acquires, "lock")]
                ),
                ("old".to_owned(), false, vec![claim(Releases, "x")]),
            ]
        );
    }

    #[test]
    fn places_are_those_of_the_source() {
        let put = scan(TEXT).into_iter().find(|one| &*one.name == "put").expect("it is there");
        assert_eq!((put.claims.all[0].line, &*put.claims.all[0].text), (10, "__releases(&files->file_lock)"));
        assert_eq!(put.claims.argument_at(12, 15), Some("file_lock"));
        assert_eq!(put.claims.argument_at(12, 16), None);
    }

    #[test]
    fn no_text_makes_the_scan_stumble() {
        for end in (0..TEXT.len()).filter(|&end| TEXT.is_char_boundary(end)) {
            let _ = (scan(&TEXT[..end]), scan(&TEXT[end..]));
        }
        // A generator of texts out of the pieces that matter, the same ones each time.
        let pieces = [
            "(",
            ")",
            "{",
            "}",
            ";",
            ",",
            "__acquires",
            "f",
            "__attribute__",
            "context",
            "1",
            "0",
            "\"",
            "'",
            "/*",
            "*/",
            "//",
            "\n",
            "#",
            "\\",
            "\\\n",
            "é",
            "TRY_ACQUIRE",
            "true",
            "&",
            "->",
            "[",
            "]",
            "extern",
            " ",
        ];
        let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..4000 {
            let mut text = String::new();
            for _ in 0..30 {
                seed ^= seed << 13;
                seed ^= seed >> 7;
                seed ^= seed << 17;
                text.push_str(pieces[(seed % pieces.len() as u64) as usize]);
            }
            let _ = scan(&text);
        }
    }
}
