//! Names for places in C text that do not depend on lines, layout or the names of variables.
//!
//! In go places as reports tell them (file, line, column, function), out come **anchors**: which call, which
//! `return`, which assignment of its function the place is, counted from the beginning of the function in the text.
//! Everything is counted whether anybody reports it or not, so repairing one defect does not rename the others.
//!
//! | anchor | the place is |
//! | --- | --- |
//! | `free#2` | the second call of `free` in the function, also as a macro or a member that is called |
//! | `return#3` | the third `return` |
//! | `end` | the closing brace of the function |
//! | `overwritten strdup#2` | an assignment of what the second call of `strdup` gives |
//! | `overwritten#4` | the fourth assignment of the function, when no call is on its right side |
//! | `->next#1` | the first mention of the member `next` |
//! | `statement#9` | in the ninth statement (semicolons are counted) |

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::tokens::{Kind, Token, tokens};

/// Words that look like calls when a parenthesis follows.
const NOT_CALLED: &[&str] = &[
    "if",
    "while",
    "for",
    "switch",
    "return",
    "sizeof",
    "case",
    "do",
    "else",
    "typeof",
    "__typeof__",
    "_Alignof",
    "defined",
    "goto",
    "__attribute__",
    "_Generic",
    "_Static_assert",
];

/// Marks that store.
const STORES: &[&str] = &["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="];

/// The files of a source tree, read when they are asked for.
pub(super) struct Sources {
    tree: PathBuf,
    texts: RefCell<HashMap<String, Option<Rc<Text>>>>,
    /// Every file of the tree by its last name; made when a path does not lead to a file.
    names: RefCell<Option<HashMap<String, Vec<String>>>>,
}

impl Sources {
    /// The files below a directory.
    pub(super) fn new(tree: &Path) -> Sources {
        let tree = tree.canonicalize().unwrap_or_else(|_| tree.to_path_buf());
        Sources { tree, texts: RefCell::default(), names: RefCell::default() }
    }

    /// The path of a reported file from the root of the tree: as it is, without the root, or that of the only file
    /// whose path ends so.
    pub(super) fn relative(&self, file: &str) -> String {
        let path = Path::new(file);
        let inner = match path.strip_prefix(&self.tree) {
            Ok(inner) => inner,
            Err(_) if path.is_absolute() => return file.to_owned(),
            Err(_) => path,
        };
        let plain = plain(inner);
        if self.tree.join(&plain).is_file() {
            return plain;
        }
        let last = plain.rsplit('/').next().unwrap_or(&plain);
        let mut names = self.names.borrow_mut();
        let names = names.get_or_insert_with(|| by_last_name(&self.tree));
        let suffix = plain.trim_start_matches("../");
        let mut found = names.get(last).into_iter().flatten().filter(|path| ends_with(path, suffix));
        match (found.next(), found.next()) {
            (Some(only), None) => only.clone(),
            _ => plain,
        }
    }

    /// The text of a file, named from the root of the tree.
    pub(super) fn text(&self, file: &str) -> Option<Rc<Text>> {
        let read = || Text::read(&self.tree.join(file)).map(Rc::new);
        self.texts.borrow_mut().entry(file.to_owned()).or_insert_with(read).clone()
    }
}

/// A path without `.` and `x/..`, with slashes.
fn plain(path: &Path) -> String {
    let mut parts: Vec<String> = Vec::new();
    for part in path.components() {
        let part = part.as_os_str().to_string_lossy();
        match &*part {
            "." => {}
            ".." if parts.last().is_some_and(|last| last != "..") => {
                parts.pop();
            }
            _ => parts.push(part.into_owned()),
        }
    }
    parts.join("/")
}

fn ends_with(path: &str, suffix: &str) -> bool {
    path.strip_suffix(suffix).is_some_and(|front| front.is_empty() || front.ends_with('/'))
}

fn by_last_name(tree: &Path) -> HashMap<String, Vec<String>> {
    let mut names: HashMap<String, Vec<String>> = HashMap::new();
    let mut open = vec![tree.to_path_buf()];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(&directory).into_iter().flatten().flatten() {
            let path = entry.path();
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                open.push(path);
            } else if let Ok(inner) = path.strip_prefix(tree) {
                let name = entry.file_name().to_string_lossy().into_owned();
                names.entry(name).or_default().push(plain(inner));
            }
        }
    }
    names
}

/// One file.
pub(super) struct Text {
    pub(super) tokens: Vec<Token>,
    pub(super) lines: Vec<String>,
}

impl Text {
    fn read(path: &Path) -> Option<Text> {
        let bytes = std::fs::read(path).ok()?;
        Some(Text::new(&String::from_utf8_lossy(&bytes)))
    }

    /// A text that is at hand.
    pub(super) fn new(text: &str) -> Text {
        Text { tokens: tokens(text), lines: text.lines().map(str::to_owned).collect() }
    }

    /// One line, counted from 1.
    pub(super) fn line(&self, line: u32) -> &str {
        (line as usize).checked_sub(1).and_then(|index| self.lines.get(index)).map_or("", String::as_str)
    }

    /// The anchor of the call at a place, where something is acquired. The name that the report has for it helps
    /// where the text does not say: in an expression with several calls, or behind a macro without arguments.
    pub(super) fn call(
        &self,
        function: &str,
        line: u32,
        column: Option<u32>,
        reported: Option<&str>,
    ) -> String {
        let unknown = || format!("{}#0", reported.unwrap_or("?"));
        let Some(at) = self.at(line, column) else { return unknown() };
        let begin = self.function_begin(function, at);
        let here = column.and_then(|_| self.called_at(at));
        let named = || {
            self.statement(at).filter(|&i| self.is_call(i)).find(|&i| Some(&*self.tokens[i].text) == reported)
        };
        let any = || self.statement(at).find(|&i| self.is_call(i));
        match here.or_else(named).or_else(any) {
            Some(callee) => self.numbered(begin, callee),
            None => unknown(),
        }
    }

    /// The anchor of any place.
    pub(super) fn anchor(&self, function: &str, line: u32, column: Option<u32>) -> String {
        let Some(at) = self.at(line, column) else { return "somewhere".to_owned() };
        let begin = self.function_begin(function, at);
        let token = &self.tokens[at];
        if token.is("return") {
            return self.numbered(begin, at);
        }
        if token.is("}") {
            return if self.closes(begin, at) { "end".to_owned() } else { self.numbered(begin, at) };
        }
        if let Some(callee) = self.called_at(at) {
            return self.numbered(begin, callee);
        }
        let last = self.chain(at);
        let store = [at, last + 1].into_iter().find(|&i| self.is_store(i));
        if let Some(store) = store {
            return match self.statement(store).find(|&i| self.is_call(i)) {
                Some(callee) => format!("overwritten {}", self.numbered(begin, callee)),
                None => format!("overwritten#{}", self.count(begin, store, |i| self.is_store(i))),
            };
        }
        let member = if self.is_member(last) {
            Some(last)
        } else {
            Some(at + 1).filter(|&i| (token.is("->") || token.is(".")) && self.is_member(i))
        };
        if let Some(member) = member {
            let name = &self.tokens[member].text;
            let number = self.count(begin, member, |i| self.is_member(i) && self.tokens[i].text == *name);
            return format!("->{name}#{number}");
        }
        format!("statement#{}", 1 + self.count(begin, at, |i| self.tokens[i].is(";")))
    }

    /// The token at a place: the one that begins there or covers it, else the first of the line, else the next one.
    pub(super) fn at(&self, line: u32, column: Option<u32>) -> Option<usize> {
        let first = self.tokens.partition_point(|token| token.line < line);
        let on_line = || (first..self.tokens.len()).take_while(|&i| self.tokens[i].line == line);
        let covers = |i: &usize| {
            let token = &self.tokens[*i];
            column
                .is_some_and(|c| token.column <= c && (c as usize) < token.column as usize + token.text.len())
        };
        // Without a column the line is asked for what can end a path.
        let telling = |i: &usize| column.is_none() && (self.tokens[*i].is("return") || self.is_call(*i));
        on_line()
            .find(covers)
            .or_else(|| on_line().find(telling))
            .or_else(|| (first < self.tokens.len()).then_some(first))
    }

    /// Where the function around a token begins: at the name in its definition. Where no such definition is in the
    /// text (it comes from a macro, or from a grammar), behind the last brace in the first column.
    pub(super) fn function_begin(&self, function: &str, at: usize) -> usize {
        let name = function.split('.').next().unwrap_or(function);
        (0..=at)
            .rev()
            .find(|&i| self.tokens[i].is(name) && self.is_definition(i))
            .or_else(|| {
                let brace = |i: &usize| {
                    let token = &self.tokens[*i];
                    token.column == 1 && (token.is("{") || token.is("}"))
                };
                (0..at).rev().find(brace)
            })
            .unwrap_or(0)
    }

    /// Whether the name at this token is followed by parameters and a body.
    pub(super) fn is_definition(&self, name: usize) -> bool {
        let Some(close) = self.closing(name + 1, "(", ")") else { return false };
        // Attributes and declarations of parameters in the old style may stand in between.
        let mut at = close + 1;
        let behind = self.tokens.get(at);
        if !behind.is_some_and(|token| token.is("{") || token.kind == Kind::Word) {
            return false;
        }
        let most = at + 200;
        while let Some(token) = self.tokens.get(at).filter(|_| at < most) {
            match &*token.text {
                "{" => return true,
                "}" | "=" | "return" | "if" | "else" | "while" | "for" | "->" | "goto" | "case" | "break" => {
                    return false;
                }
                "(" => match self.closing(at, "(", ")") {
                    Some(close) => at = close,
                    None => return false,
                },
                _ => {}
            }
            at += 1;
        }
        false
    }

    /// The body of the function that is defined at a name.
    pub(super) fn body(&self, name: usize) -> Option<Range<usize>> {
        let close = self.closing(name + 1, "(", ")")?;
        let open = (close..self.tokens.len()).find(|&i| self.tokens[i].is("{"))?;
        Some(open..self.closing(open, "{", "}")? + 1)
    }

    /// The words between the parentheses of a function's definition.
    pub(super) fn parameters(&self, function: &str) -> Vec<String> {
        let named = |&i: &usize| self.tokens[i].is(function) && self.is_definition(i);
        let Some(name) = (0..self.tokens.len()).find(named) else { return Vec::new() };
        let close = self.closing(name + 1, "(", ")").unwrap_or(name);
        let words = self.tokens[name..close].iter().filter(|token| token.kind == Kind::Word).skip(1);
        words.map(|token| token.text.clone()).collect()
    }

    /// The mark that closes the one at a token.
    pub(super) fn closing(&self, open: usize, opens: &str, closes: &str) -> Option<usize> {
        self.tokens.get(open).filter(|token| token.is(opens))?;
        let mut depth = 0usize;
        for (i, token) in self.tokens.iter().enumerate().skip(open).take(20_000) {
            if token.is(opens) {
                depth += 1;
            } else if token.is(closes) {
                depth -= 1;
                if depth == 0 {
                    return Some(i);
                }
            }
        }
        None
    }

    /// Whether a token is the name of something called.
    pub(super) fn is_call(&self, at: usize) -> bool {
        let next_opens = self.tokens.get(at + 1).is_some_and(|next| next.is("("));
        let token = &self.tokens[at];
        token.kind == Kind::Word && next_opens && !NOT_CALLED.contains(&&*token.text)
    }

    fn is_store(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == Kind::Mark && STORES.contains(&&*token.text))
    }

    fn is_member(&self, at: usize) -> bool {
        let after_arrow = at > 0 && (self.tokens[at - 1].is("->") || self.tokens[at - 1].is("."));
        after_arrow && self.tokens.get(at).is_some_and(|token| token.kind == Kind::Word)
    }

    /// The last token of `a->b[i].c` when the first one is given.
    fn chain(&self, at: usize) -> usize {
        let mut last = at;
        loop {
            let next = |n: usize| self.tokens.get(last + n);
            if next(1).is_some_and(|t| t.is("->") || t.is("."))
                && next(2).is_some_and(|t| t.kind == Kind::Word)
            {
                last += 2;
            } else if let Some(close) = self.closing(last + 1, "[", "]") {
                last = close;
            } else {
                return last;
            }
        }
    }

    /// The name that is called by the expression which begins at a token: `f(`, `a->f(`, `(*a->f)(`.
    fn called_at(&self, at: usize) -> Option<usize> {
        let token = &self.tokens[at];
        if token.kind == Kind::Word {
            let last = self.chain(at);
            return Some(last).filter(|&last| self.is_call(last));
        }
        let close = self.closing(at, "(", ")")?;
        self.tokens.get(close + 1).filter(|next| next.is("("))?;
        (at..close).rev().find(|&i| self.tokens[i].kind == Kind::Word)
    }

    /// The tokens from here to the end of the statement.
    fn statement(&self, at: usize) -> impl Iterator<Item = usize> {
        (at..self.tokens.len()).take(500).take_while(|&i| !self.tokens[i].is(";") && !self.tokens[i].is("{"))
    }

    /// Whether a closing brace is that of the function.
    fn closes(&self, begin: usize, at: usize) -> bool {
        if self.tokens[at].column == 1 {
            return true;
        }
        let braces = |text: &str| (begin..=at).filter(|&i| self.tokens[i].is(text)).count();
        braces("{") == braces("}")
    }

    /// Counts the tokens with a property from the beginning of the function up to and with one of them.
    fn count(&self, begin: usize, at: usize, wanted: impl Fn(usize) -> bool) -> usize {
        (begin..=at).filter(|&i| wanted(i)).count()
    }

    /// A token with its number among its equals: among calls, if it is the name of something called.
    pub(super) fn numbered(&self, begin: usize, at: usize) -> String {
        let text = &self.tokens[at].text;
        let call = self.is_call(at);
        // The definition itself looks like a call of the function.
        let counts = |i: usize| i != begin && self.tokens[i].is(text) && (!call || self.is_call(i));
        let number = self.count(begin, at, counts).max(1);
        format!("{text}#{number}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
static char *load(const char *name);

int other(void) { free(0); return 1; }

char *load(const char *name)
{
    /* free(1) */
    char *copy = strdup(name), *more;
    if (!copy)
        return NULL;
    more = strdup("free(2)");
    free(more);
    list->head.next = copy;
    if (list->free(copy))
        return 0;
    (*list->drop)(copy);
    more = name;
    return copy;
}

int old(a, b)
    int a;
    char *b;
{
    if (a) {
        old(a, b);
        return 1;
    }
}
"#;

    /// The place of the n-th occurrence of something in the text.
    fn place(needle: &str, nth: usize) -> (u32, Option<u32>) {
        let (offset, _) = TEXT.match_indices(needle).nth(nth).expect("it is in the text");
        let before = &TEXT[..offset];
        let line = before.matches('\n').count() as u32 + 1;
        let column = offset - before.rfind('\n').map_or(0, |end| end + 1) + 1;
        (line, Some(column as u32))
    }

    fn anchor(function: &str, needle: &str, nth: usize) -> String {
        let (line, column) = place(needle, nth);
        Text::new(TEXT).anchor(function, line, column)
    }

    #[test]
    fn calls_are_counted_within_their_function() {
        let text = Text::new(TEXT);
        let (line, column) = place("strdup(\"", 0);
        assert_eq!(text.call("load", line, column, None), "strdup#2");
        assert_eq!(text.call("load", line, None, Some("strdup")), "strdup#2");
        assert_eq!(text.call("load", 999, None, Some("strdup")), "strdup#0");
        assert_eq!(anchor("load", "free(more)", 0), "free#1");
        assert_eq!(anchor("load", "list->free", 0), "free#2");
        assert_eq!(anchor("load", "(*list", 0), "drop#1");
        assert_eq!(anchor("old", "old(a, b);", 0), "old#1");
    }

    #[test]
    fn ways_out_are_counted() {
        assert_eq!(anchor("load", "return 0", 0), "return#2");
        assert_eq!(anchor("old", "}", 2), "}#1");
        assert_eq!(anchor("old", "}", 3), "end");
        assert_eq!(anchor("load", "= strdup(\"", 0), "overwritten strdup#2");
        assert_eq!(anchor("load", "= name;", 0), "overwritten#4");
        assert_eq!(anchor("load", "list->head.next", 0), "overwritten#3");
        assert_eq!(anchor("load", "copy;\n}", 0), "statement#9");
    }

    #[test]
    fn a_function_without_a_definition_in_sight_begins_behind_the_last_brace() {
        let text = Text::new("a() { x(); }\n{\n x();\n x();\n}\n");
        assert_eq!(text.anchor("made_by_a_macro", 4, Some(2)), "x#2");
    }
}
