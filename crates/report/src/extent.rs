//! How far the thing at a column goes.
//!
//! Debug information says where an expression starts, not where it ends. To underline more than one
//! character, this looks at the line: a word goes to its end and on through its members, a call to its
//! closing parenthesis on the same line, an operator goes over its characters, `!` over what it negates. It is a guess for the eye
//! only; nothing else may depend on it.
//!
//! Input is one line as bytes and an offset in it; output is the offset after the end.

/// Nothing that is longer than this need be underlined whole; lines may have megabytes.
const LONGEST: usize = 512;
/// Longer calls are better shown by their names alone.
const LONGEST_CALL: usize = 120;

/// Signs of several characters, the longest first.
const OPERATORS: [&[u8]; 23] = [
    b"<<=", b">>=", b"...", b"->", b"++", b"--", b"<<", b">>", b"<=", b">=", b"==", b"!=", b"&&", b"||",
    b"+=", b"-=", b"*=", b"/=", b"%=", b"&=", b"|=", b"^=", b"##",
];

/// The offset after the end of what starts at `start`. At or beyond the end of the line it is `start` itself.
pub(crate) fn end_of(line: &[u8], start: usize) -> usize {
    let line = &line[..line.len().min(start.saturating_add(LONGEST))];
    let Some(&first) = line.get(start) else { return start };
    if is_word(first) {
        let word_end = start + line[start..].iter().take_while(|&&byte| is_word(byte)).count();
        if is_keyword(&line[start..word_end]) {
            return word_end;
        }
        let chain_end = member_end(line, word_end);
        return call_end(line, chain_end).unwrap_or(chain_end);
    }
    if first == b'\'' {
        let rest = line[start + 1..].iter().enumerate();
        let close =
            rest.into_iter().find(|&(at, &byte)| byte == b'\'' && (at != 1 || line[start + 1] != b'\\'));
        return close.map_or(start + 1, |(at, _)| start + at + 2);
    }
    // What is negated decides, and `!` alone is hard to see.
    if first == b'!' && line.get(start + 1) != Some(&b'=') {
        let operand = start + 1 + line[start + 1..].iter().take_while(|&&byte| byte == b' ').count();
        return if operand < line.len() { end_of(line, operand) } else { start + 1 };
    }
    match OPERATORS.iter().find(|operator| line[start..].starts_with(operator)) {
        Some(operator) => start + operator.len(),
        None => start + 1,
    }
}

/// Bytes of a word. Everything outside ASCII counts, so that a name in another script stays whole.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

fn is_keyword(word: &[u8]) -> bool {
    const KEYWORDS: [&[u8]; 10] =
        [b"if", b"for", b"while", b"switch", b"return", b"sizeof", b"case", b"else", b"do", b"goto"];
    KEYWORDS.contains(&word)
}

/// Where a chain of members ends (`a->b.c`) whose first name ends at `name_end`.
fn member_end(line: &[u8], name_end: usize) -> usize {
    let mut end = name_end;
    loop {
        let rest = &line[end..];
        let link = match rest {
            [b'-', b'>', ..] => 2,
            [b'.', ..] => 1,
            [b'[', ..] => match matching(line, end) {
                Some(close) => {
                    end = close + 1;
                    continue;
                }
                None => return end,
            },
            _ => return end,
        };
        let name = rest[link..].iter().take_while(|&&byte| is_word(byte)).count();
        if name == 0 {
            return end;
        }
        end += link + name;
    }
}

/// The bracket that closes the one at an offset, if it is near.
fn matching(line: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0_u32;
    for (at, &byte) in line.iter().enumerate().skip(open).take(LONGEST_CALL) {
        match byte {
            b'[' | b'(' => depth += 1,
            b']' | b')' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// A comparison in a line, by offsets: its start, its operator, where the right operand begins, and its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Comparison {
    pub(crate) start: usize,
    pub(crate) operator: (usize, usize),
    pub(crate) right: usize,
    pub(crate) end: usize,
}

/// A comparison as a whole, `x + y > MAX` where the place is that of `>`. Nothing if no comparison stands there, or if an operand is on
/// another line.
pub(crate) fn comparison(line: &[u8], at: usize) -> Option<Comparison> {
    let line = &line[..line.len().min(at.saturating_add(LONGEST))];
    let tokens = tokens(line, at.saturating_sub(LONGEST));
    let index = tokens.iter().position(|token| token.start == at)?;
    let operator = tokens[index];
    if !matches!(operator.text(line), b"==" | b"!=" | b"<=" | b">=" | b"<" | b">") {
        return None;
    }
    let start = tokens[left_operand(&tokens, line, index)?].start;
    let last = right_operand(&tokens, line, index + 1)?;
    let (right, end) = (tokens[index + 1].start, tokens[last].end);
    Some(Comparison { start, operator: (operator.start, operator.end), right, end })
}

/// What is asked without a comparison, where the place is that of its beginning: `!p->next`, `*s`, `isalpha(c)`. Gives the offsets of what
/// stands behind the negations, and whether these turn its truth. Nothing if it is part of something larger.
pub(crate) fn asked(line: &[u8], at: usize) -> Option<(usize, usize, bool)> {
    let line = &line[..line.len().min(at.saturating_add(LONGEST))];
    let tokens = tokens(line, at.saturating_sub(LONGEST));
    let mut index = tokens.iter().position(|token| token.start == at)?;
    let before = index.checked_sub(1).map(|before| tokens[before].text(line));
    if !matches!(before, None | Some(b"(" | b"!" | b"&&" | b"||" | b";" | b"=" | b"return")) {
        return None;
    }
    let first = index;
    while tokens.get(index)?.text(line) == b"!" {
        index += 1;
    }
    let begin = index;
    while tokens.get(index)?.text(line) == b"*" {
        index += 1;
    }
    let last = primary(&tokens, line, index).filter(|_| tokens[index].kind == Kind::Word)?;
    let behind = tokens.get(last + 1).map(|token| token.text(line));
    let whole = matches!(behind, None | Some(b")" | b"&&" | b"||" | b"?" | b";" | b"{"));
    (whole && !is_keyword(tokens[index].text(line)))
        .then(|| (tokens[begin].start, tokens[last].end, (begin - first) % 2 == 1))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A name, a keyword or a number.
    Word,
    /// A character or a string.
    Literal,
    Sign,
}

#[derive(Debug, Clone, Copy)]
struct Token {
    start: usize,
    end: usize,
    kind: Kind,
}

impl Token {
    fn text<'l>(&self, line: &'l [u8]) -> &'l [u8] {
        &line[self.start..self.end]
    }

    /// Whether an operand can end with it.
    fn ends_operand(&self, line: &[u8]) -> bool {
        match self.kind {
            Kind::Word => !is_keyword(self.text(line)),
            Kind::Literal => true,
            Kind::Sign => matches!(self.text(line), b")" | b"]"),
        }
    }
}

/// The words and signs of a line from an offset on, without comments.
fn tokens(line: &[u8], from: usize) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = from.min(line.len());
    while let Some(&byte) = line.get(at) {
        let start = at;
        let kind = match byte {
            _ if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'/' if line.get(at + 1) == Some(&b'/') => break,
            b'/' if line.get(at + 1) == Some(&b'*') => {
                let close = line[at + 2..].windows(2).position(|two| two == b"*/");
                at = close.map_or(line.len(), |close| at + 2 + close + 2);
                continue;
            }
            b'"' | b'\'' => {
                at += 1;
                while line.get(at).is_some_and(|&inside| inside != byte) {
                    at += if line[at] == b'\\' { 2 } else { 1 };
                }
                at = (at + 1).min(line.len());
                Kind::Literal
            }
            _ if is_word(byte) => {
                // A number may have a point and a sign of its exponent; neither is compared often.
                at += line[at..].iter().take_while(|&&byte| is_word(byte)).count();
                Kind::Word
            }
            _ => {
                let long = OPERATORS.iter().find(|operator| line[at..].starts_with(operator));
                at += long.map_or(1, |operator| operator.len());
                Kind::Sign
            }
        };
        tokens.push(Token { start, end: at, kind });
    }
    tokens
}

/// Signs that bind more tightly than a comparison.
fn is_arithmetic(sign: &[u8]) -> bool {
    matches!(sign, b"+" | b"-" | b"*" | b"/" | b"%" | b"<<" | b">>")
}

/// The first token of the operand before an operator.
fn left_operand(tokens: &[Token], line: &[u8], operator: usize) -> Option<usize> {
    let mut first = None;
    let mut at = operator;
    while let Some(index) = at.checked_sub(1) {
        let token = tokens[index];
        let before = index.checked_sub(1).map(|before| tokens[before]);
        let follows_operand = before.is_some_and(|before| before.ends_operand(line));
        let text = token.text(line);
        let joined = first.is_none() || matches!(tokens[at].kind, Kind::Sign);
        at = match text {
            b")" | b"]" if joined => {
                let open = opening(tokens, line, index)?;
                let called = open.checked_sub(1).map(|before| tokens[before].text(line));
                if called.is_some_and(|word| matches!(word, b"if" | b"while" | b"for" | b"switch")) {
                    break;
                }
                open
            }
            b"." | b"->" => index,
            _ if is_arithmetic(text) && follows_operand && first.is_some() => index,
            // What stands before an operand and behind no other belongs to the operand.
            b"!" | b"~" | b"-" | b"*" | b"&" | b"+" if !follows_operand && first.is_some() => index,
            _ if token.kind != Kind::Sign && token.ends_operand(line) && joined => index,
            // A cast, or what is called: `f(x)`, `(int)x`.
            _ => break,
        };
        first = Some(at);
    }
    first
}

/// The last token of the operand that begins at a token.
fn right_operand(tokens: &[Token], line: &[u8], from: usize) -> Option<usize> {
    let mut last = unary(tokens, line, from)?;
    while tokens.get(last + 1).is_some_and(|token| is_arithmetic(token.text(line))) {
        let Some(next) = unary(tokens, line, last + 2) else { break };
        last = next;
    }
    Some(last)
}

/// The last token of an operand with what stands before it: `-1`, `*p`, `(int)n`.
fn unary(tokens: &[Token], line: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        let token = tokens.get(at)?;
        match token.text(line) {
            b"-" | b"+" | b"!" | b"~" | b"*" | b"&" | b"++" | b"--" | b"sizeof" => at += 1,
            b"(" => {
                let close = closing(tokens, line, at)?;
                let next = tokens.get(close + 1);
                // An operand directly behind it: it is a cast.
                let is_cast = next.is_some_and(|next| next.kind != Kind::Sign || next.text(line) == b"(");
                if !is_cast {
                    return Some(close);
                }
                at = close + 1;
            }
            _ => return primary(tokens, line, at),
        }
    }
}

/// The last token of a name, a number or a literal with its members, indices and arguments.
fn primary(tokens: &[Token], line: &[u8], from: usize) -> Option<usize> {
    let mut last = from;
    match tokens.get(from)?.text(line) {
        b"(" => last = closing(tokens, line, from)?,
        _ if tokens[from].kind == Kind::Sign => return None,
        _ => {}
    }
    loop {
        match tokens.get(last + 1).map(|token| token.text(line)) {
            Some(b"(" | b"[") => last = closing(tokens, line, last + 1)?,
            Some(b"." | b"->") if tokens.get(last + 2).is_some_and(|next| next.kind == Kind::Word) => {
                last += 2
            }
            Some(b"++" | b"--") => last += 1,
            _ => return Some(last),
        }
    }
}

fn closing(tokens: &[Token], line: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0_u32;
    (open..tokens.len()).find(|&at| {
        match tokens[at].text(line) {
            b"(" | b"[" => depth += 1,
            b")" | b"]" => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    })
}

fn opening(tokens: &[Token], line: &[u8], close: usize) -> Option<usize> {
    let mut depth = 0_u32;
    (0..=close).rev().find(|&at| {
        match tokens[at].text(line) {
            b")" | b"]" => depth += 1,
            b"(" | b"[" => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    })
}

/// An expression with `...` for the arguments of calls. Nothing is called that has only blanks in its parentheses.
pub(crate) fn without_arguments(text: &str) -> String {
    let line = text.as_bytes();
    let tokens = tokens(line, 0);
    let mut out = String::new();
    let (mut from, mut index) = (0, 0);
    while index < tokens.len() {
        let called = tokens[index].kind == Kind::Word
            && !is_keyword(tokens[index].text(line))
            && tokens.get(index + 1).is_some_and(|next| next.text(line) == b"(");
        match closing(&tokens, line, index + 1).filter(|&close| called && close > index + 2) {
            Some(close) => {
                out += &text[from..tokens[index + 1].end];
                out += "...";
                from = tokens[close].start;
                index = close;
            }
            None => index += 1,
        }
    }
    out + &text[from..]
}

/// Where the call ends whose name ends at `name_end`, if it is a call that ends in this line.
fn call_end(line: &[u8], name_end: usize) -> Option<usize> {
    let open = name_end + line[name_end..].iter().take_while(|&&byte| byte == b' ').count();
    if line.get(open) != Some(&b'(') {
        return None;
    }
    let mut depth = 0_u32;
    let mut at = open;
    while let Some(&byte) = line.get(at) {
        match byte {
            b'(' => depth += 1,
            b')' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            b'"' | b'\'' => {
                at += 1;
                while let Some(&inside) = line.get(at) {
                    if inside == byte {
                        break;
                    }
                    at += if inside == b'\\' { 2 } else { 1 };
                }
            }
            _ => {}
        }
        // A call that fills the screen is better shown by its name alone.
        if at - name_end > LONGEST_CALL {
            return None;
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text that would be underlined from the first `expected` character of the marker `@` on.
    fn check(marked: &str, expected: &str) {
        let start = marked.find('@').expect("a marker");
        let line = marked.replacen('@', "", 1);
        let end = end_of(line.as_bytes(), start);
        assert_eq!(&line[start..end], expected, "{marked}");
    }

    #[test]
    fn a_comparison_is_pointed_at_as_a_whole() {
        let whole = |marked: &str| {
            let at = marked.find('@').expect("a marker");
            let line = marked.replacen('@', "", 1);
            comparison(line.as_bytes(), at).map(|found| line[found.start..found.end].to_owned())
        };
        assert_eq!(whole("if (p == NULL || n @== 3)").as_deref(), Some("n == 3"));
        assert_eq!(whole("if (s->at[i + 1].x @< -1)").as_deref(), Some("s->at[i + 1].x < -1"));
        assert_eq!(
            whole("while (fread(b, 1, 9, f) @!= size_of(b))").as_deref(),
            Some("fread(b, 1, 9, f) != size_of(b)")
        );
        assert_eq!(whole("if (*p @== 'x')").as_deref(), Some("*p == 'x'"));
        assert_eq!(whole(r"if (c @!= '\'')").as_deref(), Some(r"c != '\''"));
        assert_eq!(whole("return x + y @> MAX;").as_deref(), Some("x + y > MAX"));
        assert_eq!(whole("while (i + 1 @< argc && n)").as_deref(), Some("i + 1 < argc"));
        assert_eq!(
            whole("if (n @!= (ssize_t)strlen(text) - 1)").as_deref(),
            Some("n != (ssize_t)strlen(text) - 1")
        );
        assert_eq!(whole("if ((c = getc(f)) @== EOF)").as_deref(), Some("(c = getc(f)) == EOF"));
        assert_eq!(whole("if (a & b @== c | d)").as_deref(), Some("b == c"));
        assert_eq!(whole("x = -1 @< *p ? y : z;").as_deref(), Some("-1 < *p"));
        assert_eq!(whole("int m = \"a)\"[0] /* ( */ @== 'a';").as_deref(), Some("\"a)\"[0] /* ( */ == 'a'"));
        assert_eq!(whole("if (p) q @== 3;").as_deref(), Some("q == 3"));
        assert_eq!(whole("if (sizeof x @< n)").as_deref(), Some("x < n"));
        assert_eq!(whole("    @== 3"), None);
        assert_eq!(whole("x @<< 3"), None);
        assert_eq!(whole("p@->next"), None);
    }

    #[test]
    fn what_is_asked_is_a_whole_operand() {
        let whole = |marked: &str| {
            let at = marked.find('@').expect("a marker");
            let line = marked.replacen('@', "", 1);
            asked(line.as_bytes(), at).map(|(start, end, turned)| (line[start..end].to_owned(), turned))
        };
        let is = |text: &str, turned| Some((text.to_owned(), turned));
        assert_eq!(whole("if (@p->next)"), is("p->next", false));
        assert_eq!(whole("if (!@parts[n])"), is("parts[n]", false));
        assert_eq!(whole("if (@!parts[n])"), is("parts[n]", true));
        assert_eq!(whole("while (@**s && n)"), is("**s", false));
        assert_eq!(whole("x = @isalpha(c) ? 1 : 2;"), is("isalpha(c)", false));
        for no in ["if (@a & b)", "if (-@a)", "f(@a, b)", "if (@(p = f()))", "@if (p)", "if (@a == b)"] {
            assert_eq!(whole(no), None, "{no}");
        }
    }

    #[test]
    fn arguments_are_left_out() {
        let check = |text: &str, short: &str| assert_eq!(without_arguments(text), short);
        check("f(a, g(b)) != h()", "f(...) != h()");
        check("p->f(x)[i] + sizeof(int) < (a + b)", "p->f(...)[i] + sizeof(int) < (a + b)");
        check("n == 3", "n == 3");
    }

    #[test]
    fn words_calls_and_operators_are_underlined_whole() {
        check("char *copy = @strdup(name);", "strdup(name)");
        check("x = @f (g(1), \")\", ')') + 2;", "f (g(1), \")\", ')')");
        check("@copy = x;", "copy");
        check("if (@!p)", "!p");
        check("if (@!parse(a, b) && c)", "!parse(a, b)");
        check("if (@!!p->q)", "!!p->q");
        check("if (p @!= q)", "!=");
        check("if (@!", "!");
        check("@if (p)", "if");
        check("@return (p);", "return");
        check("p @= q", "=");
        check("p @== q", "==");
        check("p @<<= q", "<<=");
        check("@größe(1)", "größe(1)");
        check("if (@a->b.c == 0)", "a->b.c");
        check("@a->ops.close(a);", "a->ops.close(a)");
        check("@a-- > b", "a");
        check("f(@a...);", "a");
    }

    #[test]
    fn calls_over_several_lines_are_shown_by_name() {
        check("x = @f(a,", "f");
        check("x = @f(\"open", "f");
        check("x = @f(\"open\\", "f");
    }

    #[test]
    fn nothing_is_there_beyond_the_line() {
        assert_eq!(end_of(b"ab", 2), 2);
        assert_eq!(end_of(b"ab", 9), 9);
    }
}
