//! What gcc compiles and clang refuses, and how clang is brought to read it.
//!
//! In: what clang says of a source. Out: definitions with which it is tried once more. They are used only for sources that do
//! not compile without them.

/// `malloc (deallocator, n)` says who releases what a function returns. clang knows the attribute without arguments
/// only. A macro takes them away where there are two. With one it may be a call as well: that becomes the name of a built-in
/// function, which clang reads as a call or passes over as an attribute that it does not know. No declaration of `malloc` is left
/// then, and clang declares it where its address is taken.
const MALLOC: &[&str] = &[
    "-D__malloc__(...)=__malloc__",
    "-D__watertight_pick(one,two,name,...)=name",
    "-D__watertight_attribute(...)=malloc",
    "-D__watertight_call(...)=__builtin_malloc(__VA_ARGS__)",
    "-Dmalloc(...)=__watertight_pick(__VA_ARGS__,__watertight_attribute,__watertight_call,)(__VA_ARGS__)",
];

/// What to define so that a source compiles of which clang says `message`, if anything helps.
pub(crate) fn remedy(message: &str) -> Option<&'static [&'static str]> {
    // What clang says, not a sentence of ours.
    let refused = ["'malloc' attribute takes no arguments", "'__malloc__' attribute takes no arguments"];
    refused.iter().any(|text| message.contains(text)).then_some(MALLOC)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_errors_have_no_remedy() {
        assert!(remedy("a.c:1:2: error: 'malloc' attribute takes no arguments\n").is_some());
        assert!(remedy("a.c:1:2: error: expected expression\n").is_none());
    }
}
