//! Where a function ends, for the eye.
//!
//! The store has the line on which a function begins. Its end is found by its braces, with comments and constants left
//! out. Preprocessor branches can make braces uneven; then the function seems to end too early or too late, and nothing
//! else depends on it.

use watertight_report::SourceFile;

/// The last line of a function that begins on a line, at most so many lines on.
pub(crate) fn last_line(file: &SourceFile, first: u32, most: u32) -> u32 {
    let mut depth = 0_u32;
    let mut in_comment = false;
    let mut number = first;
    while let Some(line) = file.line(number) {
        let mut rest = line;
        loop {
            if in_comment {
                match find(rest, b"*/") {
                    Some(at) => rest = &rest[at + 2..],
                    None => break,
                }
                in_comment = false;
            }
            match rest {
                [] | [b'/', b'/', ..] => break,
                [b'/', b'*', after @ ..] => {
                    in_comment = true;
                    rest = after;
                }
                [quote @ (b'"' | b'\''), after @ ..] => rest = behind_constant(*quote, after),
                [b'{', after @ ..] => {
                    depth += 1;
                    rest = after;
                }
                [b'}', after @ ..] => {
                    if depth <= 1 {
                        return number;
                    }
                    depth -= 1;
                    rest = after;
                }
                // A declaration, or a macro that stands for a whole function.
                [b';', ..] if depth == 0 && number > first => return number,
                [_, after @ ..] => rest = after,
            }
        }
        if number - first >= most {
            break;
        }
        number += 1;
    }
    number.saturating_sub(u32::from(file.line(number).is_none())).max(first)
}

/// What follows a string or character constant; nothing if it does not end on its line.
fn behind_constant(quote: u8, mut rest: &[u8]) -> &[u8] {
    loop {
        match rest {
            [] => return &[],
            [b'\\', _, after @ ..] => rest = after,
            [byte, after @ ..] if *byte == quote => return after,
            [_, after @ ..] => rest = after,
        }
    }
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, first: u32, expected: u32) {
        assert_eq!(last_line(&SourceFile::new(text.into()), first, 100), expected, "{text}");
    }

    #[test]
    fn braces_end_a_function() {
        check("int f(void)\n{\n  if (x) {\n  }\n}\nint g;\n", 1, 5);
        check("int f(void) { return 1; }\nint g(void) {\n}\n", 1, 1);
        check("int f(void) {\n  char c = '}'; char *s = \"}\\\"}\"; // }\n  /* }\n } */\n}\n", 1, 5);
    }

    #[test]
    fn what_never_ends_ends_with_the_file_or_the_limit() {
        check("int f(void) {\n a;\n", 1, 3);
        check("int f(void) {\n/*", 1, 2);
        check("", 7, 7);
        assert_eq!(last_line(&SourceFile::new("{\n".repeat(500).into()), 1, 100), 101);
        assert_eq!(last_line(&SourceFile::new("x".repeat(5 << 20).into()), 1, 100), 1);
    }
}
