//! What names say of functions that are not in sight. Never enough by itself: it supports what the program does.
//!
//! In: names of functions or of variables that hold functions. Out: whether a name says that something is released,
//! whether two names belong together as maker and releaser of one thing, and whether a name and its parameters are those
//! of an allocator of the C library with something put before it (`xmalloc`).

use watertight_ir::Type;

/// Words for giving something up for good. They may be run together with what it is: `freeaddrinfo`, `memfree`.
const RELEASES: [&str; 8] =
    ["free", "dealloc", "deallocate", "destroy", "dispose", "release", "unref", "close"];

/// Words that mean it only beside the name of the thing that was made: a key is deleted from a table, too.
const ENDS: [&str; 8] = ["delete", "drop", "finish", "fini", "cleanup", "kill", "put", "disconnect"];

/// Words for making something.
const MAKES: [&str; 17] = [
    "new", "create", "alloc", "allocate", "make", "open", "dup", "copy", "clone", "malloc", "calloc",
    "strdup", "build", "get", "acquire", "connect", "ref",
];

/// Allocators of the C library: `p` is an address, `n` a number.
const ALLOCATORS: [(&str, &str); 8] = [
    ("malloc", "n"),
    ("calloc", "nn"),
    ("realloc", "pn"),
    ("reallocarray", "pnn"),
    ("strdup", "p"),
    ("strndup", "pn"),
    ("memdup", "pn"),
    ("alloc", "n"),
];

/// Words for memory that is given up all at once, or by a collector.
const POOLS: [&str; 9] = ["gc", "pool", "arena", "tmp", "temp", "stack", "region", "obstack", "scratch"];

/// The words of a name, in small letters: `evBufferNew_x` is ev, buffer, new, x.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut small = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() || (letter.is_uppercase() && small) {
            words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
        }
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        }
        small = letter.is_lowercase();
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

/// Whether a name says that something is released.
pub(super) fn releases(name: &str) -> bool {
    words(name)
        .iter()
        .any(|word| RELEASES.iter().any(|said| word.strip_prefix(said).or(word.strip_suffix(said)).is_some()))
}

/// What is left of a name without the word that says what is done.
fn thing(name: &str, said: &[&str]) -> Option<Vec<String>> {
    let mut words = words(name);
    if let Some(at) = words.iter().position(|word| said.contains(&&**word)) {
        words.remove(at);
        return Some(words);
    }
    let run_together = words.iter().enumerate().find_map(|(at, word)| {
        let rest = said.iter().find_map(|said| word.strip_prefix(said).or(word.strip_suffix(said)));
        rest.map(|rest| (at, rest.to_owned()))
    });
    let (at, rest) = run_together?;
    words[at] = rest;
    Some(words)
}

/// Whether two names are those of the maker and the releaser of one thing: `list_new` and `list_free`.
pub(super) fn pair(maker: &str, releaser: &str) -> bool {
    let released = thing(releaser, &RELEASES).or_else(|| thing(releaser, &ENDS));
    let made = thing(maker, &MAKES);
    matches!((made, released), (Some(made), Some(released)) if made == released && !made.is_empty())
}

/// Whether a name alone says that something is made. `x_get(x, which)` looks something up as often as it makes something, and
/// `x_ref` gives what it was given: they need somebody who releases what they give.
pub(super) fn is_maker(name: &str) -> bool {
    !words(name).iter().any(|word| matches!(&**word, "get" | "ref"))
}

/// Whether a name says that something ends, and speaks of a thing that the name of its maker speaks of.
pub(super) fn ends_what(maker: &str, releaser: &str) -> bool {
    let Some(released) = thing(releaser, &RELEASES).or_else(|| thing(releaser, &ENDS)) else { return false };
    let made = words(maker);
    released.iter().any(|word| word.len() > 1 && made.contains(word))
}

/// What stands before the name of an allocator of the C library in a name, and that allocator, if the parameters are its
/// own too.
pub(super) fn allocator<'n>(name: &'n str, params: &[Type]) -> Option<(&'n str, &'static str)> {
    let shape: String = params.iter().map(|ty| if *ty == Type::Ptr { 'p' } else { 'n' }).collect();
    let (before, known) = ALLOCATORS.iter().find_map(|&(known, own)| {
        let before = name.strip_suffix(known).filter(|before| !before.is_empty())?;
        (own == shape).then_some((before, known))
    })?;
    let pooled = words(before).iter().any(|word| POOLS.contains(&&**word));
    (!pooled).then_some((before, known))
}

/// Whether what stands before the name of an allocator is what everybody puts before one that never fails.
pub(super) fn is_customary(before: &str) -> bool {
    before == "x"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        assert_eq!(words("evBufferNew_x2"), ["ev", "buffer", "new", "x2"]);
        assert!(releases("freeaddrinfo") && releases("memfree") && releases("session_close"));
        assert!(!releases("puts") && !releases("list_clear"));
    }

    #[test]
    fn makers_have_their_releasers() {
        assert!(
            pair("list_new", "list_free") && pair("alloc_page", "free_page") && pair("BN_dup", "BN_free")
        );
        assert!(!pair("list_new", "page_free") && !pair("get", "free"));
        assert!(is_maker("list_new") && !is_maker("chain_get") && !is_maker("event_elem_get_name"));
        assert!(ends_what("session_start", "session_finish") && !ends_what("lookup", "db_delete"));
    }

    #[test]
    fn families_keep_to_the_parameters() {
        let number = Type::Int(64);
        assert_eq!(allocator("xmalloc", &[number]), Some(("x", "malloc")));
        assert_eq!(allocator("safe_strdup", &[Type::Ptr]), Some(("safe_", "strdup")));
        assert_eq!(allocator("pool_strdup", &[Type::Ptr, Type::Ptr]), None);
        assert_eq!(allocator("gc_malloc", &[number]), None);
    }
}
