//! Deliberate approximations are written down.
//!
//! Where the analysis assumes something that C does not promise, the code carries a tag `ASSUME-12`, and
//! `docs/assumptions.md` has a heading with the same tag that says what is assumed and which rules it affects. A tag
//! without an entry is an approximation nobody can look up; an entry without a tag describes code that is gone.

use std::collections::BTreeMap;

use super::Text;

const DOCUMENT: &str = "docs/assumptions.md";

/// Checks tags against entries, both ways.
pub(super) fn check(texts: &[Text]) -> Vec<String> {
    let mut tags: BTreeMap<u32, String> = BTreeMap::new();
    let mut entries: BTreeMap<u32, String> = BTreeMap::new();
    let mut complaints = Vec::new();
    for text in texts {
        for (number, line) in text.content.lines().enumerate() {
            let place = format!("{}:{}", text.path, number + 1);
            // The chores talk about tags without being tagged.
            if text.is_rust() && text.path.starts_with("crates/") {
                for tag in find(line) {
                    tags.entry(tag).or_insert_with(|| place.clone());
                }
            } else if text.path == DOCUMENT && line.starts_with('#') {
                for tag in find(line) {
                    if let Some(first) = entries.insert(tag, place.clone()) {
                        complaints.push(format!("{place}: ASSUME-{tag} has an entry already, at {first}"));
                    }
                }
            }
        }
    }
    let missing = tags.iter().filter(|(tag, _)| !entries.contains_key(tag));
    complaints
        .extend(missing.map(|(tag, place)| format!("{place}: ASSUME-{tag} has no entry in {DOCUMENT}")));
    let unused = entries.iter().filter(|(tag, _)| !tags.contains_key(tag));
    complaints.extend(unused.map(|(tag, place)| format!("{place}: no code is tagged ASSUME-{tag}")));
    complaints
}

/// The numbers of the tags in a line.
fn find(line: &str) -> Vec<u32> {
    let after = line.split("ASSUME-").skip(1);
    let digits = |text: &str| text.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default().parse();
    after.filter_map(|text| digits(text).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::texts_of;
    use super::*;

    fn complaints(code: &str, document: &str) -> Vec<String> {
        check(&texts_of(&[("crates/a/src/b.rs", code), (DOCUMENT, document)]))
    }

    #[test]
    fn tags_and_entries_match_both_ways() {
        let none = Vec::<String>::new();
        assert_eq!(complaints("", ""), none);
        assert_eq!(complaints("// ASSUME-3: a reason.\n// ASSUME-3 again.\n", "## ASSUME-3: what\n"), none);
        assert_eq!(
            complaints("// ASSUME-3\n", ""),
            ["crates/a/src/b.rs:1: ASSUME-3 has no entry in docs/assumptions.md"]
        );
        assert_eq!(
            complaints("", "\n## ASSUME-4: what\n"),
            ["docs/assumptions.md:2: no code is tagged ASSUME-4"]
        );
        assert_eq!(complaints("", "Tags look like ASSUME-4.\n"), none);
        assert_eq!(
            complaints("// ASSUME-1, ASSUME-2\n", "## ASSUME-1\n## ASSUME-2\n## ASSUME-1\n"),
            ["docs/assumptions.md:3: ASSUME-1 has an entry already, at docs/assumptions.md:1"]
        );
    }
}
