//! Functions of C++ by the names that people know.
//!
//! Objects know a function by a name with its types in it: `_Z5countPKc`. In: a text. Out: the text with the plain name in place of each
//! such word that is simple: `count`, `store::put`. Others (operators, templates, destructors) stay as they are.

/// A text with plain names.
#[must_use]
pub(crate) fn plain_names(text: &str) -> Option<String> {
    text.contains("_Z").then(|| {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(is_word) {
            let end = rest[at..].find(|c| !is_word(c)).map_or(rest.len(), |length| at + length);
            let word = &rest[at..end];
            out += &rest[..at];
            out += &plain(word).unwrap_or_else(|| word.to_owned());
            rest = &rest[end..];
        }
        out + rest
    })
}

/// The plain name in a word of an object.
fn plain(word: &str) -> Option<String> {
    let rest = word.strip_prefix("_Z")?;
    let rest = rest.strip_prefix('L').unwrap_or(rest);
    let Some(mut rest) = rest.strip_prefix('N') else {
        return part(rest).filter(|(_, rest)| !rest.starts_with('I')).map(|(name, _)| name.to_owned());
    };
    rest = rest.trim_start_matches(['r', 'V', 'K']);
    let mut names = Vec::new();
    while !rest.starts_with('E') {
        let (name, behind) = part(rest)?;
        names.push(if name.starts_with("_GLOBAL_") { "(anonymous)" } else { name });
        rest = behind;
    }
    (!names.is_empty()).then(|| names.join("::"))
}

/// A name with its length in front, and what stands behind it.
fn part(text: &str) -> Option<(&str, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let length: usize = text[..digits].parse().ok()?;
    let name = text.get(digits..digits.checked_add(length)?)?;
    Some((name, &text[digits + length..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simple_names_are_read() {
        let check =
            |text: &str, expected: &str| assert_eq!(plain_names(text).as_deref().unwrap_or(text), expected);
        check("`_Z5countPKc` leaks", "`count` leaks");
        check("`_ZL5countPKc(...)` is NULL", "`count(...)` is NULL");
        check("`_ZN5store3putEi` and `_ZNK1a1bEv`", "`store::put` and `a::b`");
        check("`_ZN12_GLOBAL__N_11fEv`", "`(anonymous)::f`");
        for same in
            ["count", "`_ZN1aC1Ev`", "`_Z3maxIiET_S0_S0_`", "`x_Z1fv`", "_Z", "`_Z99f`", "`_ZplRK1aS1_`"]
        {
            check(same, same);
        }
    }
}
