//! Attributes that say who owns what a function is given or gives.
//!
//! In: the text of a C file, and the macros that stand for attributes. Out: what is said of functions that somebody wants
//! to know about: `malloc(release, 1)` of GCC, `ownership_returns`, `ownership_takes` and `ownership_holds` of Clang, in
//! `__attribute__((...))` or `[[gnu::...]]`. A plain `malloc` only says that nothing else points to the result, which is
//! true of pools too, so it says nothing here.

use super::declarations::parts;
use super::lex::{Kind, Token, matching, split, tokens};
use super::macros::Macros;

/// One attribute.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Word {
    /// What the function returns is to be released by this function, by its parameter of this number.
    ReleasedBy { function: Box<str>, parameter: u32 },
    /// It returns something of this family.
    Returns { family: Box<str> },
    /// It releases its parameter of this number, which is of this family.
    Takes { family: Box<str>, parameter: u32 },
    /// It keeps its parameter of this number.
    Holds { parameter: u32 },
}

/// What the attributes of a declaration say of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Said {
    pub(super) function: Box<str>,
    pub(super) words: Vec<Word>,
}

/// Whether a text has such an attribute, or what looks like one.
pub(super) fn may_be_in(text: &str) -> bool {
    text.contains("ownership_") || text.match_indices("malloc").any(|(at, word)| in_attribute(text, at, word))
}

/// Whether `malloc` stands where an attribute does: after a bracket, a comma or a colon, and with arguments. That is true of
/// few calls, since what they give is assigned.
fn in_attribute(text: &str, at: usize, word: &str) -> bool {
    let before = text[..at].trim_end_matches('_').trim_end().as_bytes();
    let after = text[at + word.len()..].trim_start_matches('_').trim_start();
    after.starts_with('(') && matches!(before, [.., b'(' | b',' | b':'])
}

/// What a text says of functions that are wanted.
pub(super) fn said(text: &str, file: usize, macros: &Macros, wanted: impl Fn(&str) -> bool) -> Vec<Said> {
    let tokens = tokens(text);
    let mut found = Vec::new();
    for parts in parts(&tokens) {
        let head = macros.expand(file, &tokens[parts.head]);
        let (mut function, mut words) = (None, Vec::new());
        let mut at = 0;
        while at < head.len() {
            let token = head[at];
            let next = head.get(at + 1).map(|next| next.kind);
            match token.kind {
                Kind::Name if next == Some(Kind::Sign(b'(')) => {
                    let end = matching(&head, at + 1);
                    if matches!(token.text, "__attribute__" | "__attribute") {
                        attributes(&head[(at + 2).min(end)..end], &mut words);
                    } else if function.is_none() && wanted(token.text) {
                        function = Some(token.text);
                    }
                    at = end;
                }
                Kind::Sign(b'[') if next == Some(Kind::Sign(b'[')) => {
                    let end = matching(&head, at);
                    attributes(&head[(at + 2).min(end)..end], &mut words);
                    at = end;
                }
                _ => {}
            }
            at += 1;
        }
        if let Some(function) = function
            && !words.is_empty()
        {
            found.push(Said { function: function.into(), words });
        }
    }
    found
}

/// The attributes in a list of them.
fn attributes(tokens: &[Token<'_>], words: &mut Vec<Word>) {
    let mut at = 0;
    while at < tokens.len() {
        let opens = tokens.get(at + 1).is_some_and(|next| next.kind == Kind::Sign(b'('));
        if tokens[at].kind == Kind::Name && opens {
            let end = matching(tokens, at + 1);
            attribute(tokens[at].text, &split(&tokens[(at + 2).min(end)..end]), words);
            at = end;
        }
        at += 1;
    }
}

/// What one attribute says.
fn attribute(name: &str, arguments: &[&[Token<'_>]], words: &mut Vec<Word>) {
    let name = name.strip_prefix("__").and_then(|name| name.strip_suffix("__")).unwrap_or(name);
    let Some((&[first], rest)) = arguments.split_first() else { return };
    let numbers = || rest.iter().filter_map(|argument| number(argument));
    let plain = |name: &str| -> Box<str> { name.strip_prefix("__builtin_").unwrap_or(name).into() };
    match name {
        "malloc" if first.kind == Kind::Name => {
            let parameter = if rest.is_empty() { Some(1) } else { numbers().next() };
            let released = |parameter| Word::ReleasedBy { function: plain(first.text), parameter };
            words.extend(parameter.map(released));
        }
        "ownership_returns" => words.push(Word::Returns { family: first.text.into() }),
        "ownership_takes" => {
            words.extend(numbers().map(|parameter| Word::Takes { family: first.text.into(), parameter }));
        }
        "ownership_holds" => words.extend(numbers().map(|parameter| Word::Holds { parameter })),
        _ => {}
    }
}

/// The number of a parameter, counted from one.
fn number(argument: &[Token<'_>]) -> Option<u32> {
    let [one] = argument else { return None };
    one.text.parse().ok().filter(|&number| number > 0)
}

#[cfg(test)]
mod tests {
    use super::super::macros::definitions;
    use super::*;

    const TEXT: &str = "\
#define OWNED(f) __attribute__((malloc(f, 1)))
struct conn *conn_open(const char *host) OWNED(conn_close);
EXPORT(int) conn_take(struct conn *conn, void *data) __attribute__((ownership_holds(malloc, 1, 2)));
[[gnu::malloc(pool_put, 2), nodiscard]] void *pool_get(struct pool *pool);
extern void *make(int) __attribute__((__malloc__, __malloc__(__builtin_free)))
    __attribute__((ownership_returns(bag)));
void unmake(int, void *) __attribute__((ownership_takes(bag, 2)));
void *plain(int) __attribute__((malloc));
int other(void) { return f(malloc(3)); }
";

    fn all() -> Vec<(String, String)> {
        let mut macros = Macros::default();
        definitions(TEXT, may_be_in).into_iter().for_each(|(name, meaning)| macros.add(0, name, meaning));
        let said = said(TEXT, 0, &macros, |name| name != "EXPORT");
        said.iter().map(|one| (one.function.to_string(), format!("{:?}", one.words))).collect()
    }

    #[test]
    fn attributes_are_read() {
        let expected = [
            ("conn_open", "[ReleasedBy { function: \"conn_close\", parameter: 1 }]"),
            ("conn_take", "[Holds { parameter: 1 }, Holds { parameter: 2 }]"),
            ("pool_get", "[ReleasedBy { function: \"pool_put\", parameter: 2 }]"),
            ("make", "[ReleasedBy { function: \"free\", parameter: 1 }, Returns { family: \"bag\" }]"),
            ("unmake", "[Takes { family: \"bag\", parameter: 2 }]"),
        ];
        let expected = expected.map(|(name, words)| (name.to_owned(), words.to_owned()));
        assert_eq!(all(), expected);
    }

    #[test]
    fn most_texts_are_passed_over() {
        assert!(may_be_in("void *f(int) __attribute__ ((__malloc__ (g)));"));
        assert!(may_be_in("[[gnu::malloc(g, 1)]] void *f(int);"));
        assert!(!may_be_in("p = malloc(3); if (!(q = malloc (4))) return f(p);"));
        assert!(!may_be_in("void *f(int) __attribute__((malloc, nonnull));"));
    }

    #[test]
    fn no_text_makes_it_stumble() {
        for end in (0..TEXT.len()).filter(|&end| TEXT.is_char_boundary(end)) {
            let _ = (may_be_in(&TEXT[end..]), said(&TEXT[..end], 0, &Macros::default(), |_| true));
            let _ = said(&TEXT[end..], 0, &Macros::default(), |_| true);
        }
    }
}
