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
    let operators: [&[u8]; 23] = [
        b"<<=", b">>=", b"...", b"->", b"++", b"--", b"<<", b">>", b"<=", b">=", b"==", b"!=", b"&&", b"||",
        b"+=", b"-=", b"*=", b"/=", b"%=", b"&=", b"|=", b"^=", b"##",
    ];
    match operators.iter().find(|operator| line[start..].starts_with(operator)) {
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

/// A comparison as a whole, `n == 3` where the place is that of `==`: the offsets of its start and after its end. Nothing if no comparison
/// stands there, or if an operand is on another line.
pub(crate) fn comparison(line: &[u8], at: usize) -> Option<(usize, usize)> {
    let rest = line.get(at..)?;
    let operator =
        [&b"=="[..], b"!=", b"<=", b">=", b"<", b">"].into_iter().find(|word| rest.starts_with(word))?;
    let is_shift = |byte: Option<&u8>| matches!(byte, Some(b'<' | b'>' | b'-'));
    if operator.len() == 1 && (is_shift(rest.get(1)) || at > 0 && is_shift(line.get(at - 1))) {
        return None;
    }
    let right = at + operator.len() + rest[operator.len()..].iter().take_while(|&&byte| byte == b' ').count();
    let prefix = line.get(right..)?.iter().take_while(|byte| b"-!*&~".contains(byte)).count();
    let operand = right + prefix;
    let end = end_of(line, operand);
    let start = operand_start(line, at)?;
    (end > operand).then_some((start, end))
}

/// Where the operand begins that ends before an offset: a name with its members, indices and arguments.
fn operand_start(line: &[u8], end: usize) -> Option<usize> {
    let blanks = line[..end].iter().rev().take_while(|&&byte| byte == b' ').count();
    let stop = end - blanks;
    let mut at = stop;
    loop {
        match line[..at] {
            [.., b')' | b']'] => {
                let mut depth = 0_u32;
                let open = line[..at].iter().rposition(|byte| {
                    match byte {
                        b')' | b']' => depth += 1,
                        b'(' | b'[' => depth = depth.saturating_sub(1),
                        _ => {}
                    }
                    depth == 0
                })?;
                at = open;
            }
            [.., b'-', b'>'] => at -= 2,
            [.., b'.'] => at -= 1,
            [.., byte] if is_word(byte) => at -= 1,
            _ => break,
        }
    }
    while at > 0 && b"*!~".contains(&line[at - 1]) {
        at -= 1;
    }
    (at < stop).then_some(at)
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
            comparison(line.as_bytes(), at).map(|(start, end)| line[start..end].to_owned())
        };
        assert_eq!(whole("if (p == NULL || n @== 3)").as_deref(), Some("n == 3"));
        assert_eq!(whole("if (s->at[i + 1].x @< -1)").as_deref(), Some("s->at[i + 1].x < -1"));
        assert_eq!(
            whole("while (fread(b, 1, 9, f) @!= size_of(b))").as_deref(),
            Some("fread(b, 1, 9, f) != size_of(b)")
        );
        assert_eq!(whole("if (*p @== 'x')").as_deref(), Some("*p == 'x'"));
        assert_eq!(whole(r"if (c @!= '\'')").as_deref(), Some(r"c != '\''"));
        assert_eq!(whole("    @== 3"), None);
        assert_eq!(whole("x @<< 3"), None);
        assert_eq!(whole("p@->next"), None);
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
