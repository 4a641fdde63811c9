//! How source files look, and what may be in them.

use super::Text;

/// The most lines of a file, its tests left out.
const LONGEST: usize = 1000;

/// The crates that may read files, the environment or a clock. `capture` runs compilers and keeps a cache, `store` is
/// a file, `analysis` reads bitcode and measures stages; the others are shells and chores.
const WITH_INPUT_AND_OUTPUT: &[&str] = &["capture", "store", "analysis", "lsp", "web", "cli", "xtask"];
/// What reading files, the environment or a clock looks like.
const INPUT_AND_OUTPUT: &[&str] = &[
    "std::fs",
    "std::env",
    "std::process",
    "std::net",
    "Instant::now",
    "SystemTime",
    "fs::read",
    "env::var",
];

/// What opens a file without a look at what it is.
const OPENING: &[&str] = &["fs::read(", "fs::read_to_string(", "File::open("];
/// Where that is right: the module that looks first, and files that nobody but us or the system can have put there.
const OPENS: &[(&str, &str)] = &[
    ("crates/capture/src/plain.rs", ""),
    ("crates/capture/src/patience.rs", "/proc/"),
    ("crates/capture/src/lib.rs", "/proc/"),
    ("crates/analysis/src/stages.rs", "/proc/"),
    ("crates/cli/src/serve.rs", "/dev/urandom"),
    // The user names what the program is to read, be it a device.
    ("crates/cli/src/exec.rs", "read(path)"),
    ("crates/capture/src/compile.rs", "plain::check("),
    ("crates/lsp/src/diagnostics.rs", "is_file()"),
];

/// The crates that may name LLVM in code: the reader of bitcode, those who get it from clang and hand it on, and the
/// interpreter, because lists of constructors keep the names they have in bitcode.
const WITH_LLVM: &[&str] = &["frontend", "capture", "interpret", "analysis", "cli", "xtask"];

/// Checks all files.
pub(super) fn check(texts: &[Text]) -> Vec<String> {
    let mut complaints = Vec::new();
    for text in texts {
        complaints.extend(banned(text));
        if text.is_rust() {
            complaints.extend(module_comment(text));
            complaints.extend(length(text));
            complaints.extend(rooms(text));
        }
    }
    complaints
}

fn module_comment(text: &Text) -> Option<String> {
    // Attributes of the whole file may stand in front.
    let first = text.content.lines().find(|line| !line.trim().is_empty() && !line.starts_with("#!["));
    let has = first.is_some_and(|line| line.strip_prefix("//!").is_some_and(|rest| !rest.trim().is_empty()));
    (!has).then(|| format!("{}: does not begin with a module comment (`//! ...`)", text.path))
}

fn length(text: &Text) -> Option<String> {
    let lines = text.outside_tests().count();
    (lines > LONGEST && !text.is_test())
        .then(|| format!("{}: {lines} lines, at most {LONGEST} are allowed", text.path))
}

/// What only some crates may do. Tests, examples and comments are free.
fn rooms(text: &Text) -> Vec<String> {
    let mut complaints = Vec::new();
    let inside = text.path.strip_prefix("crates/").and_then(|path| path.split_once('/'));
    if !inside.is_some_and(|(_, file)| file.starts_with("src/")) || text.is_test() {
        return complaints;
    }
    for (number, line) in text.outside_tests().enumerate() {
        let code = line.split("//").next().unwrap_or_default();
        let place = || format!("{}:{}", text.path, number + 1);
        let found = INPUT_AND_OUTPUT.iter().find(|word| code.contains(**word));
        if let Some(word) = found.filter(|_| !WITH_INPUT_AND_OUTPUT.contains(&text.room())) {
            complaints.push(format!("{}: `{word}`, but this crate does no input or output", place()));
        }
        let opens = OPENING.iter().find(|word| code.contains(**word) && !code.contains("plain::read"));
        let right = |(path, with): &(&str, &str)| *path == text.path && line.contains(with);
        if let Some(word) = opens.filter(|_| {
            WITH_INPUT_AND_OUTPUT[..WITH_INPUT_AND_OUTPUT.len() - 1].contains(&text.room())
                && !OPENS.iter().any(right)
        }) {
            let word = word.trim_end_matches('(');
            complaints.push(format!(
                "{}: `{word}` waits for a FIFO without end; `watertight_capture::plain` reads plain files",
                place()
            ));
        }
        if code.to_lowercase().contains("llvm") && !WITH_LLVM.contains(&text.room()) {
            complaints.push(format!("{}: names LLVM, which only the front end knows", place()));
        }
    }
    complaints
}

/// What no file may contain, with the reason. In pieces, so that this file does not contain what it looks for.
const BANNED: &[([&str; 2], &str)] = &[
    (["crates", ".io"], "a package registry; that is for the configuration of a machine"),
    (["sparse", "+http"], "a package registry; that is for the configuration of a machine"),
    (["TO", "DO"], "a mark for later; do it, or write an issue"),
    (["FIX", "ME"], "a mark for later; do it, or write an issue"),
    (["language ", "model"], "how the file was made; say what it is for"),
    (["chat", "gpt"], "how the file was made; say what it is for"),
    (["co-authored", "-by"], "how the file was made; say what it is for"),
];

fn banned(text: &Text) -> Vec<String> {
    let mut complaints = Vec::new();
    // Lock files are written by cargo, which names where crates come from.
    if text.path.ends_with("Cargo.lock") {
        return complaints;
    }
    let banned: Vec<(String, &str)> = BANNED.iter().map(|(pieces, why)| (pieces.concat(), *why)).collect();
    for (number, line) in text.content.lines().enumerate() {
        for (word, why) in &banned {
            if line.contains(word) {
                complaints.push(format!("{}:{}: `{word}` names {why}", text.path, number + 1));
            }
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::super::tests::texts_of;
    use super::*;

    fn complaints(path: &str, content: &str) -> Vec<String> {
        check(&texts_of(&[(path, content)]))
    }

    #[test]
    fn files_of_a_project_are_read_with_a_look_at_what_they_are() {
        let text = "//! A.\nfn f() { std::fs::read(path) }\n";
        assert_eq!(
            complaints("crates/cli/src/a.rs", text),
            [
                "crates/cli/src/a.rs:2: `fs::read` waits for a FIFO without end; `watertight_capture::plain` reads plain files"
            ]
        );
        assert!(complaints("crates/capture/src/plain.rs", text).is_empty());
        let looked = "//! A.\nfn f() { watertight_capture::plain::read(path) }\n";
        assert!(complaints("crates/cli/src/a.rs", looked).is_empty());
    }

    #[test]
    fn files_begin_with_a_module_comment() {
        let complaint = "crates/a/src/b.rs: does not begin with a module comment (`//! ...`)";
        for bad in
            ["", "use x;\n", "// Not a module comment.\n", "//!\n", "/// An item.\nfn f() {}\n//! Late.\n"]
        {
            assert_eq!(complaints("crates/a/src/b.rs", bad), [complaint], "{bad}");
        }
        for good in ["//! Text.\n", "\n//! Text.\n", "#![forbid(unsafe_code)]\n//! Text.\n"] {
            assert_eq!(complaints("crates/a/src/b.rs", good), Vec::<String>::new(), "{good}");
        }
        assert_eq!(complaints("tests/c/a.c", "int x;\n"), Vec::<String>::new());
    }

    #[test]
    fn files_are_not_too_long() {
        let long = format!("//! Text.\n{}", "fn f() {}\n".repeat(LONGEST));
        let complaint = "crates/a/src/b.rs: 1001 lines, at most 1000 are allowed";
        assert_eq!(complaints("crates/a/src/b.rs", &long), [complaint]);
        assert_eq!(complaints("crates/a/src/tests.rs", &long), Vec::<String>::new());
        assert_eq!(complaints("crates/a/tests/all.rs", &long), Vec::<String>::new());
        let tests = format!("//! Text.\n#[cfg(test)]\nmod tests {{\n{}}}\n", "fn f() {}\n".repeat(LONGEST));
        assert_eq!(complaints("crates/a/src/b.rs", &tests), Vec::<String>::new());
    }

    #[test]
    fn only_some_crates_do_input_and_output() {
        let reads = "//! Text.\nfn f() { std::fs::write(\"x\"); }\n";
        let complaint = "crates/ir/src/a.rs:2: `std::fs`, but this crate does no input or output";
        assert_eq!(complaints("crates/ir/src/a.rs", reads), [complaint]);
        assert_eq!(complaints("crates/cli/src/a.rs", reads), Vec::<String>::new());
        assert_eq!(complaints("crates/ir/tests/a.rs", reads), Vec::<String>::new());
        assert_eq!(complaints("crates/ir/src/a.rs", "//! Not std::fs.\n"), Vec::<String>::new());
        let tested = "//! Text.\n#[cfg(test)]\nmod tests { use std::fs; }\n";
        assert_eq!(complaints("crates/ir/src/a.rs", tested), Vec::<String>::new());
        let clock = "//! Text.\nfn f() { Instant::now(); }\n";
        assert_eq!(complaints("crates/path/src/a.rs", clock).len(), 1);
    }

    #[test]
    fn only_the_front_names_llvm() {
        let names = "//! Unlike LLVM.\nfn f(module: LlvmModule) {}\n";
        let complaint = "crates/ir/src/a.rs:2: names LLVM, which only the front end knows";
        assert_eq!(complaints("crates/ir/src/a.rs", names), [complaint]);
        assert_eq!(complaints("crates/frontend/src/a.rs", names), Vec::<String>::new());
    }

    #[test]
    fn some_words_are_banned() {
        for (pieces, _) in BANNED {
            let word = pieces.concat();
            let found = complaints("docs/a.md", &format!("\nsee {word} for it\n"));
            assert!(found[0].starts_with(&format!("docs/a.md:2: `{word}` names ")), "{found:?}");
            assert_eq!(complaints("Cargo.lock", &word), Vec::<String>::new());
            assert_eq!(complaints("fuzz/Cargo.lock", &word), Vec::<String>::new());
        }
    }
}
