//! Splitting a command line into words, by the rules of a shell and by the rules of a response file.
//!
//! * [`split`]: POSIX shell quoting, for the `command` field of a compilation database. Nothing is expanded: a
//!   database holds commands after expansion, so `$` and `*` are ordinary characters.
//! * [`split_response`]: the GNU rules of `@file`: blanks separate, both quotes group, and a backslash escapes
//!   the next character everywhere, inside single quotes too.
//! * [`expand_responses`]: replaces `@file` arguments, nested ones included.
//!
//! A file that a compiler could not read either stays a literal argument, as gcc does it.
//!
//! `split("cc -DX='a b' \\\"q")` gives `cc`, `-DX=a b`, `"q`.

use std::fmt;
use std::path::Path;

use crate::messages;
use crate::plain;

/// How deep response files may nest; deeper ones are taken for a file that names itself.
const MAX_DEPTH: usize = 16;

/// How many arguments a command may grow to. A command line of the system holds fewer.
const MAX_ARGUMENTS: usize = 1_000_000;

/// The longest response file, in bytes; no command of a build is longer.
const LONGEST_RESPONSE: u64 = 64 << 20;

/// Why a command line cannot be split.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SplitError {
    UnclosedQuote(char),
    TrailingBackslash,
    TooDeep(String),
    TooLong,
}

impl fmt::Display for SplitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SplitError::UnclosedQuote(quote) => f.write_str(&messages::open_quote(*quote)),
            SplitError::TrailingBackslash => f.write_str(messages::BACKSLASH),
            SplitError::TooDeep(file) => f.write_str(&messages::response_in_itself(file)),
            SplitError::TooLong => f.write_str(messages::RESPONSES_TOO_LONG),
        }
    }
}

/// Splits a line by the quoting rules of a POSIX shell.
pub(crate) fn split(line: &str) -> Result<Vec<String>, SplitError> {
    let mut words = Vec::new();
    // `None` outside a word, so that `''` is an empty word and a blank is none.
    let mut word: Option<String> = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' | '\n' | '\r' => words.extend(word.take()),
            '\\' => match chars.next() {
                Some('\n') => {}
                Some(next) => word.get_or_insert_default().push(next),
                None => return Err(SplitError::TrailingBackslash),
            },
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        Some('\'') => break,
                        Some(next) => word.push(next),
                        None => return Err(SplitError::UnclosedQuote('\'')),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        Some('"') => break,
                        Some('\\') => match chars.next() {
                            Some('\n') => {}
                            Some(next @ ('$' | '`' | '"' | '\\')) => word.push(next),
                            Some(next) => word.extend(['\\', next]),
                            None => return Err(SplitError::UnclosedQuote('"')),
                        },
                        Some(next) => word.push(next),
                        None => return Err(SplitError::UnclosedQuote('"')),
                    }
                }
            }
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

/// Splits the text of a response file. It cannot fail: what is left open is closed by the end, as gcc and clang
/// both have it.
pub(crate) fn split_response(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', _) => {
                let word = word.get_or_insert_default();
                word.extend(chars.next());
            }
            (c, Some(open)) if c == open => quote = None,
            (c, Some(_)) => word.get_or_insert_default().push(c),
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, None) if c.is_ascii_whitespace() => words.extend(word.take()),
            (c, None) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// Writes arguments as the text of a response file, so that [`split_response`] gives them back.
pub(crate) fn join_response(arguments: &[String]) -> String {
    let mut text = String::new();
    for argument in arguments {
        text.push('"');
        for c in argument.chars() {
            if matches!(c, '"' | '\\') {
                text.push('\\');
            }
            text.push(c);
        }
        text.push_str("\"\n");
    }
    text
}

/// Replaces every `@file` by the words in that file, in place, again and again.
///
/// `read` gives the text of a file named as on the command line; `None` leaves the argument as it is.
pub(crate) fn expand_responses(
    arguments: Vec<String>,
    read: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<String>, SplitError> {
    // Most commands have no response file and need no copy.
    if !arguments.iter().any(|argument| argument.starts_with('@')) {
        return Ok(arguments);
    }
    let mut expanded = Vec::new();
    expand_into(arguments, read, 0, &mut expanded)?;
    Ok(expanded)
}

fn expand_into(
    arguments: Vec<String>,
    read: &dyn Fn(&str) -> Option<String>,
    depth: usize,
    expanded: &mut Vec<String>,
) -> Result<(), SplitError> {
    for argument in arguments {
        let text = argument.strip_prefix('@').filter(|name| !name.is_empty()).and_then(read);
        match text {
            Some(_) if depth == MAX_DEPTH => return Err(SplitError::TooDeep(argument)),
            Some(text) => expand_into(split_response(&text), read, depth + 1, expanded)?,
            None if expanded.len() == MAX_ARGUMENTS => return Err(SplitError::TooLong),
            None => expanded.push(argument),
        }
    }
    Ok(())
}

/// Reads response files relative to the directory the compiler ran in.
pub(crate) fn read_below(directory: &Path) -> impl Fn(&str) -> Option<String> {
    move |name| {
        let bytes = plain::read_at_most(directory.join(name), LONGEST_RESPONSE).ok()?;
        String::from_utf8(bytes).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(line: &str, expected: &[&str]) {
        assert_eq!(
            split(line).as_deref(),
            Ok(expected.iter().map(|s| s.to_string()).collect::<Vec<_>>().as_slice())
        );
    }

    #[test]
    fn shell_quoting() {
        check("", &[]);
        check("  \t\n ", &[]);
        check("cc -c a.c", &["cc", "-c", "a.c"]);
        check("cc  -c\ta.c ", &["cc", "-c", "a.c"]);
        check(r#"cc '-DX="a b"'"#, &["cc", r#"-DX="a b""#]);
        check(r#"cc "-DX=\"a b\"""#, &["cc", r#"-DX="a b""#]);
        check(r#"cc -DX=\"a\ b\""#, &["cc", r#"-DX="a b""#]);
        check(r#"a"b"'c'd"#, &["abcd"]);
        check(r#"'' "" x"#, &["", "", "x"]);
        check(r#""\a \$ \` \\ \n""#, &[r#"\a $ ` \ \n"#]);
        check(r"'\a'", &[r"\a"]);
        check("a\\\nb", &["ab"]);
        check("\"a\\\nb\"", &["ab"]);
        check("a\nb", &["a", "b"]);
        check("-DP=$HOME*#x", &["-DP=$HOME*#x"]);
        check("größe 'ü ö'", &["größe", "ü ö"]);
    }

    #[test]
    fn shell_mistakes() {
        assert_eq!(split("cc 'a"), Err(SplitError::UnclosedQuote('\'')));
        assert_eq!(split("cc \"a"), Err(SplitError::UnclosedQuote('"')));
        assert_eq!(split("cc \"a\\"), Err(SplitError::UnclosedQuote('"')));
        assert_eq!(split("cc a\\"), Err(SplitError::TrailingBackslash));
    }

    #[test]
    fn response_quoting() {
        let check = |text: &str, expected: &[&str]| assert_eq!(split_response(text), expected, "{text}");
        check("-c a.c\n-O2\r\n", &["-c", "a.c", "-O2"]);
        check(r#"-DX="a b" 'c d'"#, &["-DX=a b", "c d"]);
        check(r#"-DX=\"a\ b\""#, &[r#"-DX="a b""#]);
        check(r"'it\'s'", &["it's"]);
        check(r#""a\nb""#, &["anb"]);
        check("'open", &["open"]);
        check("''", &[""]);
        check("end\\", &["end"]);
    }

    #[test]
    fn responses_nest_and_missing_ones_stay() {
        let read = |name: &str| match name {
            "a" => Some("1 @b 2".to_owned()),
            "b" => Some("'x y' @missing".to_owned()),
            "self" => Some("@self".to_owned()),
            _ => None,
        };
        let expand = |words: &[&str]| expand_responses(words.iter().map(|s| s.to_string()).collect(), &read);
        assert_eq!(
            expand(&["cc", "@a", "@", "z"]).unwrap(),
            ["cc", "1", "x y", "@missing", "2", "@", "z"].map(String::from)
        );
        assert_eq!(expand(&["cc", "@self"]), Err(SplitError::TooDeep("@self".to_owned())));
    }

    /// Quotes a word so that a shell reads it back, in one of three ways.
    fn quote(word: &str, way: u8) -> String {
        match way % 3 {
            0 => format!("'{}'", word.replace('\'', r"'\''")),
            1 => {
                let escaped: String = word
                    .chars()
                    .flat_map(|c| if "$`\"\\".contains(c) { vec!['\\', c] } else { vec![c] })
                    .collect();
                format!("\"{escaped}\"")
            }
            // A newline cannot be escaped by a backslash, so it goes into quotes.
            _ if word.is_empty() => "''".to_owned(),
            _ => word.chars().map(|c| if c == '\n' { "'\n'".to_owned() } else { format!("\\{c}") }).collect(),
        }
    }

    proptest! {
        #[test]
        fn quoted_words_come_back(words in prop::collection::vec(("[ -~\n\täß]{0,12}", any::<u8>()), 0..8)) {
            let line: Vec<String> = words.iter().map(|(word, way)| quote(word, *way)).collect();
            let expected: Vec<String> = words.into_iter().map(|(word, _)| word).collect();
            prop_assert_eq!(split(&line.join(" ")), Ok(expected));
        }

        #[test]
        fn any_line_splits_or_says_why(line in "[ -~\n]{0,60}") {
            if let Ok(words) = split(&line) {
                let length: usize = words.iter().map(String::len).sum();
                prop_assert!(length <= line.len());
            }
        }

        #[test]
        fn response_files_come_back(words in prop::collection::vec("[ -~\n\tä]{0,12}", 0..8)) {
            prop_assert_eq!(split_response(&join_response(&words)), words);
        }
    }
}
