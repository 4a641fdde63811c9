//! Macros that stand for attributes.
//!
//! In: texts of C files. Out: the macros of theirs that have an attribute about ownership in them, or another such macro,
//! and declarations with these macros replaced by what they stand for. Conditions are not evaluated: of several
//! definitions those without an attribute are for compilers that know none. Where two files mean different things by a name,
//! each means its own, and others mean neither.

use super::lex::{Kind, Token, matching, split, tokens};
use std::collections::BTreeMap;

use crate::limits::MACRO_TOKENS;

/// What a name stands for.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Definition {
    /// The parameters, if it takes any.
    pub(super) parameters: Option<Vec<Box<str>>>,
    pub(super) body: Box<str>,
}

/// The macros of a program that matter, by name, each with the number of the file that defines it.
#[derive(Default, Debug)]
pub(super) struct Macros(BTreeMap<Box<str>, Vec<(usize, Definition)>>);

impl Macros {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(|name| &**name)
    }

    pub(super) fn add(&mut self, file: usize, name: Box<str>, definition: Definition) {
        let known = self.0.entry(name).or_default();
        if !known.iter().any(|entry| entry.0 == file && entry.1 == definition) {
            known.push((file, definition));
            known.sort_by_key(|entry| entry.0);
        }
    }

    /// What a name means in a file.
    fn meaning(&self, file: usize, name: &str) -> Option<&Definition> {
        let all = self.0.get(name)?;
        // Several definitions in one file are for several compilers; the first is as good as any.
        if let Some((_, own)) = all.iter().find(|entry| entry.0 == file) {
            return Some(own);
        }
        let mut firsts = all.chunk_by(|one, other| one.0 == other.0).filter_map(<[_]>::first);
        let (_, first) = firsts.next()?;
        firsts.all(|other| other.1 == *first).then_some(first)
    }

    /// The tokens of a declaration with its macros replaced.
    pub(super) fn expand<'t>(&'t self, file: usize, tokens: &[Token<'t>]) -> Vec<Token<'t>> {
        let mut out = Vec::with_capacity(tokens.len());
        self.expand_into(file, tokens, &mut Vec::new(), &mut out);
        out
    }

    fn expand_into<'t>(
        &'t self,
        file: usize,
        from: &[Token<'t>],
        within: &mut Vec<&'t str>,
        out: &mut Vec<Token<'t>>,
    ) {
        let mut at = 0;
        while at < from.len() {
            let token = from[at];
            at += 1;
            // As in C, a name stands for itself in what it stands for.
            let stands =
                token.kind == Kind::Name && !within.contains(&token.text) && out.len() < MACRO_TOKENS;
            let Some(definition) = stands.then(|| self.meaning(file, token.text)).flatten() else {
                out.push(token);
                continue;
            };
            let mut arguments = Vec::new();
            if definition.parameters.is_some() {
                if from.get(at).is_none_or(|next| next.kind != Kind::Sign(b'(')) {
                    out.push(token);
                    continue;
                }
                let end = matching(from, at);
                arguments = split(&from[(at + 1).min(end)..end]);
                at = end + 1;
            }
            let parameters = definition.parameters.as_deref().unwrap_or_default();
            let mut replaced = Vec::new();
            for word in tokens_of(&definition.body, token) {
                let number = parameters.iter().position(|parameter| **parameter == *word.text);
                match number {
                    Some(number) if word.kind == Kind::Name => {
                        replaced.extend_from_slice(arguments.get(number).copied().unwrap_or_default());
                    }
                    _ => replaced.push(word),
                }
            }
            within.push(token.text);
            self.expand_into(file, &replaced, within, out);
            within.pop();
        }
    }
}

/// The tokens of a macro, as if they stood where it is used.
fn tokens_of<'t>(body: &'t str, place: Token<'_>) -> Vec<Token<'t>> {
    let mut all = tokens(body);
    for token in &mut all {
        (token.start, token.line, token.column) = (place.start, place.line, place.column);
    }
    all
}

/// The macros of a text of which `wanted` says so by their body.
pub(super) fn definitions(text: &str, wanted: impl Fn(&str) -> bool) -> Vec<(Box<str>, Definition)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("define") {
        let (before, after) = (&rest[..at], &rest[at + "define".len()..]);
        let length = logical_line(after);
        let (line, next) = after.split_at(length);
        let directive = before.rsplit('\n').next().is_some_and(hash_only);
        rest = next;
        if !directive || !wanted(line) {
            continue;
        }
        let line = line.replace("\\\r\n", " ").replace("\\\n", " ");
        if let Some((name, definition)) = definition(&line)
            && wanted(&definition.body)
        {
            found.push((name, definition));
        }
    }
    found
}

/// A hash and blanks.
fn hash_only(start: &str) -> bool {
    start.trim_start().strip_prefix('#').is_some_and(|rest| rest.trim().is_empty())
}

/// The length of the rest of a line, with those that it goes on in.
fn logical_line(text: &str) -> usize {
    let mut length = 0;
    for line in text.split_inclusive('\n') {
        length += line.len();
        if !line.trim_end_matches(['\n', '\r']).ends_with('\\') {
            break;
        }
    }
    length
}

/// The name and the meaning in what follows `#define`.
fn definition(line: &str) -> Option<(Box<str>, Definition)> {
    let line = line.trim_start();
    let end =
        line.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').unwrap_or(line.len());
    let (name, rest) = line.split_at(end);
    if name.is_empty() {
        return None;
    }
    let (parameters, body) = match rest.strip_prefix('(') {
        Some(inside) => {
            let (parameters, body) = inside.split_once(')')?;
            let all = parameters.split(',').map(str::trim).filter(|name| !name.is_empty());
            // All further arguments have a name of their own in the body.
            let name = |name: &str| if name == "..." { "__VA_ARGS__".into() } else { name.into() };
            (Some(all.map(name).collect()), body)
        }
        None => (None, rest),
    };
    Some((name.into(), Definition { parameters, body: body.trim().into() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_are_read_and_replaced() {
        let text = "\
#if NEW
# define DEALLOC(f, i) \\
    __attribute__ ((__malloc__ (f, i)))
#else
# define DEALLOC(f, i)
#endif
#define UNRELATED malloc
 #  define FREED DEALLOC (free, 1)
";
        let mut macros = Macros::default();
        for (name, definition) in definitions(text, |body| body.contains("__malloc__")) {
            macros.add(0, name, definition);
        }
        for (name, definition) in definitions(text, |body| body.contains("DEALLOC")) {
            macros.add(0, name, definition);
        }
        let declaration = "char *give (int, int) FREED DEALLOC (give_back, 2)";
        let expanded = macros.expand(1, &tokens(declaration));
        let words: Vec<&str> = expanded.iter().map(|token| token.text).collect();
        assert_eq!(
            words.join(" "),
            "char * give ( int , int ) __attribute__ ( ( __malloc__ ( free , 1 ) ) ) \
             __attribute__ ( ( __malloc__ ( give_back , 2 ) ) )"
        );
    }

    #[test]
    fn a_macro_that_means_itself_ends() {
        let mut macros = Macros::default();
        for (name, definition) in definitions("#define A(x) A(x) A(x)\n#define B(\n#define", |_| true) {
            macros.add(0, name, definition);
        }
        assert_eq!(macros.len(), 1);
        assert!(macros.expand(0, &tokens("A(1) A")).len() < 5000);
    }
}
