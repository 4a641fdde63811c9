//! How far an engine goes is in one table.
//!
//! A number that cuts something off trades truth for time. Each engine lists such numbers in its `limits.rs`, with what they
//! trade; anywhere else in an engine a constant that is a number, or a loop that is repeated a number of times, is a complaint. A constant that trades
//! nothing (the width of a type, an index, a layout) says *not a limit* in the comment above it, and what it is.

use super::Text;

/// The crates that have a table: the engines, and what is asked around them.
pub(super) const ENGINES: &[&str] = &["path", "flow", "prove", "replay", "analysis"];

/// The types of numbers.
const NUMBERS: &[&str] =
    &["u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize"];

/// Checks all files.
pub(super) fn check(texts: &[Text]) -> Vec<String> {
    let mut complaints = Vec::new();
    for engine in ENGINES {
        let source = format!("crates/{engine}/src/");
        for text in texts.iter().filter(|text| text.is_rust() && text.path.starts_with(&source)) {
            if text.path != format!("{source}limits.rs") && !text.is_test() {
                complaints.extend(outside(text, engine));
            }
        }
    }
    complaints
}

/// The limits of a file that has no table.
fn outside(text: &Text, engine: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut excused = false;
    for (number, line) in text.outside_tests().enumerate() {
        let line = line.trim();
        if line.starts_with("//") {
            excused |= line.to_lowercase().contains("not a limit");
            continue;
        }
        if !excused && (is_numeric_constant(line) || is_counted_loop(line)) {
            let place = format!("{}:{}", text.path, number + 1);
            complaints.push(format!("{place}: a limit outside of crates/{engine}/src/limits.rs: `{line}`"));
        }
        excused = false;
    }
    complaints
}

/// Whether a line is a constant that is given as a number, or as limits that are.
fn is_numeric_constant(line: &str) -> bool {
    let line = line.strip_prefix("pub(crate) ").or_else(|| line.strip_prefix("pub ")).unwrap_or(line);
    let Some((_, rest)) = line.strip_prefix("const ").and_then(|rest| rest.split_once(": ")) else {
        return false;
    };
    let Some((ty, value)) = rest.split_once(" = ") else { return false };
    (NUMBERS.contains(&ty) || ty.ends_with("Limits")) && has_number(value)
}

/// Whether a line repeats something a fixed number of times.
fn is_counted_loop(line: &str) -> bool {
    line.strip_prefix("for _ in 0..").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Whether a number stands somewhere in a text, and not only in a name such as `u32`.
fn has_number(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.any(|word| word.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::super::tests::texts_of;
    use super::*;

    fn complaints(path: &str, code: &str) -> Vec<String> {
        check(&texts_of(&[(path, code)]))
    }

    #[test]
    fn a_limit_belongs_into_the_table() {
        let path = "crates/path/src/loops/unroll.rs";
        let expected = |line: usize, code: &str| {
            vec![format!("{path}:{line}: a limit outside of crates/path/src/limits.rs: `{code}`")]
        };
        for code in [
            "const MOST: usize = 12;",
            "pub const MOST: u64 = 1 << 20;",
            "pub(crate) const MOST: i64 = 2 * OTHER;",
            "const SOLVER: QuestionLimits = QuestionLimits { conflicts: 200, gates: GATES };",
            "for _ in 0..16 {",
        ] {
            assert_eq!(complaints(path, &format!("//! A file.\n{code}\n")), expected(2, code));
        }
    }

    #[test]
    fn what_trades_nothing_is_no_limit() {
        let none = Vec::<String>::new();
        for code in [
            "const NONE: u32 = u32::MAX;",
            "const NAMES: [&str; 2] = [\"a\", \"b\"];",
            "const SOLVER: QuestionLimits = QuestionLimits { conflicts: CONFLICTS };",
            "/// The size of a page; not a limit.\nconst PAGE: u64 = 4096;",
            "for index in 0..16 {",
            "for _ in 0..PASSES {",
            "#[cfg(test)]\nmod tests {\n    const MOST: usize = 12;\n}",
        ] {
            assert_eq!(complaints("crates/flow/src/terms.rs", code), none, "{code}");
        }
        assert_eq!(complaints("crates/path/src/limits.rs", "const MOST: usize = 12;"), none);
        assert_eq!(complaints("crates/path/src/tests/mod.rs", "const MOST: usize = 12;"), none);
        assert_eq!(complaints("crates/report/src/text.rs", "const MOST: usize = 12;"), none);
    }
}
