//! Grammar that several crates need for sentences with words from models and properties.
//!
//! In: nouns and texts that files declare. Out: parts of English sentences. Nouns are one or more words, the last of which decides.

/// A noun with its article: "a stream", "an event source"; of what has no number, the noun alone: "aligned memory", "privileges".
#[must_use]
pub fn with_article(noun: &str) -> String {
    let last = noun.rsplit(' ').next().unwrap_or(noun);
    if last == "memory" || is_plural(last) {
        return noun.to_owned();
    }
    // "a user", "a unit", but "an undo log".
    let vowel = noun.starts_with(['a', 'e', 'i', 'o'])
        || noun.starts_with('u') && !["us", "uni"].iter().any(|start| noun.starts_with(start));
    format!("{} {noun}", if vowel { "an" } else { "a" })
}

/// The verb that goes with a noun.
#[must_use]
pub fn is_or_are(noun: &str) -> &'static str {
    if is_plural(noun) { "are" } else { "is" }
}

fn is_plural(word: &str) -> bool {
    word.ends_with('s') && !["ss", "us", "is"].iter().any(|end| word.ends_with(end))
}

/// The sentence about a broken property. The text of the property says it of the object ("is locked twice"), or is a whole sentence in
/// which `{object}`, `{function}` and `{call}` stand for the object, the function that breaks it and the call where it does.
#[must_use]
pub fn broken_sentence(text: &str, object: &str, function: &str, call: &str) -> String {
    if ["{object}", "{function}", "{call}"].iter().any(|blank| text.contains(blank)) {
        return text.replace("{object}", object).replace("{function}", function).replace("{call}", call);
    }
    format!("{object} {text}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_get_the_article_that_they_have() {
        for (noun, expected) in [
            ("stream", "a stream"),
            ("event source", "an event source"),
            ("my memory", "my memory"),
            ("aligned memory", "aligned memory"),
            ("memory slice", "a memory slice"),
            ("privileges", "privileges"),
            ("address", "an address"),
            ("user entry", "a user entry"),
            ("URL handle", "a URL handle"),
        ] {
            assert_eq!(with_article(noun), expected);
        }
        assert_eq!((is_or_are("mutex"), is_or_are("privileges"), is_or_are("bus")), ("is", "are", "is"));
    }

    #[test]
    fn a_text_is_said_of_the_object_or_is_a_sentence_with_blanks() {
        let say = |text: &str| broken_sentence(text, "mutex `m`", "`f`", "`lock`");
        assert_eq!(say("is locked twice"), "mutex `m` is locked twice");
        assert_eq!(
            say("{function} can return without unlocking {object}"),
            "`f` can return without unlocking mutex `m`"
        );
        assert_eq!(say("{call} has no effect"), "`lock` has no effect");
    }
}
