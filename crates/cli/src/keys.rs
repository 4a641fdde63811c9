//! The keys of `watertight.toml`, each with what it means: the one list from which `watertight init`, the reference page
//! (docs/settings.md) and the schema (docs/watertight.schema.json) are made.
//!
//! What must hold: the list has the keys that [`crate::config`] reads, no more and no fewer; a test compares them.

/// What a key takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    /// A text, or one of these texts if there are any.
    Text(&'static [&'static str]),
    /// A list of texts.
    List,
    /// A text or a list of texts.
    TextOrList,
    /// A whole number, at least one.
    Number,
}

/// A key.
#[derive(Debug)]
pub(crate) struct Key {
    pub(crate) name: &'static str,
    #[cfg_attr(not(test), expect(dead_code, reason = "the page and the schema are made by the tests"))]
    pub(crate) takes: Takes,
    /// A value as it is written: the default, or an example if nothing is the default.
    pub(crate) example: &'static str,
    /// Full sentences, a line each.
    pub(crate) help: &'static [&'static str],
    /// The option that has the last word, if there is one.
    #[cfg_attr(not(test), expect(dead_code, reason = "the page is made by the tests"))]
    pub(crate) option: Option<&'static str>,
}

/// Every key, in the order in which people want to set them.
pub(crate) const KEYS: &[Key] = &[
    Key {
        name: "database",
        takes: Takes::Text(&[]),
        example: r#""build/compile_commands.json""#,
        help: &[
            "The compile commands of the build, or the folder that holds them.",
            "Without this the nearest is taken: here, above, or in build/, builddir/ or out/.",
        ],
        option: Some("-p"),
    },
    Key {
        name: "exclude",
        takes: Takes::List,
        example: r#"["tests", "third_party"]"#,
        help: &[
            "Files and folders that are not reported on. They are read, because it matters what their functions do.",
            "Patterns are those of .gitignore: a name matches anywhere, a path from this folder on.",
        ],
        option: Some("--exclude"),
    },
    Key {
        name: "include",
        takes: Takes::List,
        example: r#"["src"]"#,
        help: &["If this is set, only these files and folders are reported on."],
        option: Some("--include"),
    },
    Key {
        name: "rules",
        takes: Takes::TextOrList,
        example: r#""default""#,
        help: &[
            "What to look for; `watertight rules` lists the rules and groups of rules.",
            "`all` is every rule, and a hyphen takes one away: \"all,-leak-at-exit\".",
        ],
        option: Some("--rules"),
    },
    Key {
        name: "confidence",
        takes: Takes::Text(&["high", "medium", "low"]),
        example: r#""medium""#,
        help: &["The least confidence of findings that are shown: high, medium or low."],
        option: Some("--confidence"),
    },
    Key {
        name: "baseline",
        takes: Takes::Text(&[]),
        example: r#""watertight-baseline.json""#,
        help: &[
            "Findings that are known; `watertight baseline` writes the file, and only what is new is reported.",
        ],
        option: Some("--baseline"),
    },
    Key {
        name: "models",
        takes: Takes::List,
        example: r#"["our.model"]"#,
        help: &["What functions without source do to memory and files (docs/models.md)."],
        option: None,
    },
    Key {
        name: "properties",
        takes: Takes::List,
        example: r#"["our.property"]"#,
        help: &["Rules of your own about the order of calls (docs/properties.md)."],
        option: None,
    },
    Key {
        name: "threads",
        takes: Takes::Number,
        example: "4",
        help: &["How many threads and clang processes; one per processor without this."],
        option: Some("--threads"),
    },
    Key {
        name: "cache",
        takes: Takes::Text(&[]),
        example: r#"".watertight""#,
        help: &["Where bitcode and results are kept."],
        option: Some("--cache-dir"),
    },
];

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::fmt::Write as _;
    use std::path::Path;

    /// The reference page.
    fn page() -> String {
        let mut text = String::from(
            "# Settings of a project\n\n<!-- Generated from crates/cli/src/keys.rs; `WATERTIGHT_BLESS=1 cargo test -p \
             watertight-cli keys` writes it. -->\n\n`watertight.toml` is looked for in the working directory and above it; the nearest one \
             holds, and the command line has the last\nword. `watertight init` writes one with comments after a look at the project. Paths \
             are relative to the file and stay in its folder,\nunless `--trust-paths` is typed. A key that does not exist is an error. \
             Editors find the schema in\n[watertight.schema.json](watertight.schema.json).\n\n| Key | Takes | For example | Option | Means |\n| --- | --- | --- | --- | --- |\n",
        );
        for key in KEYS {
            let takes = match key.takes {
                Takes::Text([]) => "a text".to_owned(),
                Takes::Text(words) => {
                    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
                }
                Takes::List => "a list of texts".to_owned(),
                Takes::TextOrList => "a text or a list of texts".to_owned(),
                Takes::Number => "a whole number".to_owned(),
            };
            let option = key.option.map(|option| format!("`{option}`")).unwrap_or_default();
            let help = key.help.join(" ");
            let _ = writeln!(text, "| `{}` | {takes} | `{}` | {option} | {help} |", key.name, key.example);
        }
        text
    }

    /// The schema.
    fn schema() -> String {
        let value = |key: &Key| {
            let text = || serde_json::json!({ "type": "string" });
            let list = || serde_json::json!({ "type": "array", "items": text() });
            let mut value = match key.takes {
                Takes::Text([]) => text(),
                Takes::Text(words) => serde_json::json!({ "enum": words }),
                Takes::List => list(),
                Takes::TextOrList => serde_json::json!({ "anyOf": [text(), list()] }),
                Takes::Number => serde_json::json!({ "type": "integer", "minimum": 1 }),
            };
            value["description"] = key.help.join(" ").into();
            value
        };
        let properties: serde_json::Map<_, _> =
            KEYS.iter().map(|key| (key.name.to_owned(), value(key))).collect();
        let schema = serde_json::json!({
            "$schema": "http://json-schema.org/draft-07/schema#",
            "title": "watertight.toml",
            "type": "object",
            "additionalProperties": false,
            "properties": properties,
        });
        serde_json::to_string_pretty(&schema).unwrap() + "\n"
    }

    /// Compares a file of the repository with what it should be, or writes it.
    pub(crate) fn is_up_to_date(file: &str, expected: &str) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
        if std::env::var_os("WATERTIGHT_BLESS").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, expected).unwrap();
        }
        let written = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(written == expected, "{file} is not up to date; WATERTIGHT_BLESS=1 writes it");
    }

    #[test]
    fn the_page_and_the_schema_are_up_to_date() {
        is_up_to_date("docs/settings.md", &page());
        is_up_to_date("docs/watertight.schema.json", &schema());
    }
}
