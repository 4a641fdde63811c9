//! The sentences of a crate are in one file.
//!
//! What users read is read as a whole, so it stands together: engines say by name what happens, and the sentences are in `finding`; `prove`
//! and `capture` have one file each for what only they can say. Anywhere else in these crates a text of three words or more is a complaint.
//! Texts for developers (assertions, lints, `dump.rs`) and tables of limits do not count; a text that no user reads says *not a sentence* in the
//! comment above it, and what it is.

use super::Text;

/// The crates, and the file of each that holds its sentences.
const HOMES: &[(&str, &str)] =
    &[("path", ""), ("flow", ""), ("replay", ""), ("prove", "words.rs"), ("capture", "messages.rs")];

/// Files whose texts are for developers, or tables that other rules look after.
const OTHERS: &[&str] = &["limits.rs", "dump.rs", "kept_flags.rs"];

/// Lines whose texts are for developers.
const ASIDE: &[&str] = &["expect(", "assert", "panic!", "unreachable!", "reason = ", "#[doc"];

/// How many words make a sentence.
const SENTENCE: usize = 3;

/// Checks all files.
pub(super) fn check(texts: &[Text]) -> Vec<String> {
    let mut complaints = Vec::new();
    for (room, home) in HOMES {
        let source = format!("crates/{room}/src/");
        for text in texts.iter().filter(|text| text.is_rust() && !text.is_test()) {
            let Some(name) = text.path.strip_prefix(&source) else { continue };
            if name != *home && !OTHERS.contains(&name) {
                let place = if home.is_empty() { "crates/finding/src/said.rs" } else { home };
                complaints.extend(outside(text, place));
            }
        }
    }
    complaints
}

/// The sentences of a file that is not their home.
fn outside(text: &Text, home: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut excused = false;
    for (number, line) in text.outside_tests().enumerate() {
        let line = line.trim();
        if line.starts_with("//") {
            excused |= line.contains("not a sentence");
            continue;
        }
        if !excused && !ASIDE.iter().any(|aside| line.contains(aside)) {
            for found in literals(line).filter(|literal| is_sentence(literal)) {
                let place = format!("{}:{}", text.path, number + 1);
                complaints.push(format!("{place}: a sentence outside of {home}: \"{found}\""));
            }
        }
        excused = false;
    }
    complaints
}

/// The texts in quotes on a line.
fn literals(line: &str) -> impl Iterator<Item = &str> {
    let code = line.split(" // ").next().unwrap_or(line);
    code.split('"').skip(1).step_by(2)
}

/// Whether a text has as many plain words in a row as a sentence.
fn is_sentence(literal: &str) -> bool {
    let is_word = |word: &str| {
        let word = word.trim_end_matches([',', ';', ':', '.']);
        !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase())
    };
    let mut row = 0;
    literal.split(' ').any(|word| {
        row = if is_word(word) || word.contains(['`', '{']) && row > 0 { row + 1 } else { 0 };
        row >= SENTENCE
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::texts_of;
    use super::*;

    fn complaints(path: &str, line: &str) -> usize {
        check(&texts_of(&[(path, &format!("//! Text.\nfn f() {{\n{line}\n}}\n"))])).len()
    }

    #[test]
    fn an_engine_knows_no_sentence() {
        for line in [
            "let text = \"it has been lost\";",
            "format!(\"`{by}` releases it here\")",
            "format!(\"nothing is known about `{name}`\")",
        ] {
            assert_eq!(complaints("crates/path/src/stories/a.rs", line), 1, "{line}");
        }
        assert_eq!(complaints("crates/prove/src/walk.rs", "let why = \"it is not modelled\";"), 1);
        assert_eq!(complaints("crates/capture/src/plan.rs", "fail(\"the file is empty\")"), 1);
    }

    #[test]
    fn other_texts_are_no_sentences() {
        for line in [
            "let name = \"memory\";",
            "names.join(\" or \")",
            "let body = body.expect(\"only bodies have a shape\");",
            "// He said \"it is not modelled\".",
            "// This is not a sentence but a key.\nlet key = \"command, all functions\";",
            "if any(&[\"next\", \"nxt\", \"succ\"]) {}",
        ] {
            assert_eq!(complaints("crates/path/src/a.rs", line), 0, "{line}");
        }
        assert_eq!(complaints("crates/prove/src/words.rs", "let why = \"it is not modelled\";"), 0);
        assert_eq!(complaints("crates/path/src/dump.rs", "let why = \"it is not modelled\";"), 0);
    }
}
