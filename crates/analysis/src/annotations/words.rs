//! The names of annotations, and what they promise.

use watertight_summary::annotation::Promise;

/// How the arguments of an annotation are read.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    /// Each argument is a lock.
    Locks(Promise),
    /// The first argument is the result on success, the others are locks.
    Result,
    /// A lock, and how often it is held before and after: `context(lock, 0, 1)`.
    Context,
}

const ACQUIRES: Shape = Shape::Locks(Promise::Acquires);
const RELEASES: Shape = Shape::Locks(Promise::Releases);
const MUST_HOLD: Shape = Shape::Locks(Promise::MustHold);
const TRIES: Shape = Shape::Locks(Promise::Tries { success: true });

/// Macros that stand behind the parameters of a function, by name: those of the Linux kernel for sparse, and those that
/// Clang's documentation has and many projects have copied.
const MACROS: &[(&str, Shape)] = &[
    ("ACQUIRE", ACQUIRES),
    ("ACQUIRE_SHARED", ACQUIRES),
    ("EXCLUSIVE_LOCKS_REQUIRED", MUST_HOLD),
    ("EXCLUSIVE_LOCK_FUNCTION", ACQUIRES),
    ("EXCLUSIVE_TRYLOCK_FUNCTION", Shape::Result),
    ("RELEASE", RELEASES),
    ("RELEASE_GENERIC", RELEASES),
    ("RELEASE_SHARED", RELEASES),
    ("REQUIRES", MUST_HOLD),
    ("REQUIRES_SHARED", MUST_HOLD),
    ("SHARED_LOCKS_REQUIRED", MUST_HOLD),
    ("SHARED_LOCK_FUNCTION", ACQUIRES),
    ("SHARED_TRYLOCK_FUNCTION", Shape::Result),
    ("TRY_ACQUIRE", Shape::Result),
    ("TRY_ACQUIRE_SHARED", Shape::Result),
    ("UNLOCK_FUNCTION", RELEASES),
    ("__acquires", ACQUIRES),
    ("__acquires_shared", ACQUIRES),
    ("__cond_acquires", TRIES),
    ("__must_hold", MUST_HOLD),
    ("__must_hold_shared", MUST_HOLD),
    ("__releases", RELEASES),
    ("__releases_shared", RELEASES),
];

/// Attributes.
const ATTRIBUTES: &[(&str, Shape)] = &[
    ("acquire_capability", ACQUIRES),
    ("acquire_shared_capability", ACQUIRES),
    ("context", Shape::Context),
    ("exclusive_lock_function", ACQUIRES),
    ("exclusive_locks_required", MUST_HOLD),
    ("exclusive_trylock_function", Shape::Result),
    ("release_capability", RELEASES),
    ("release_generic_capability", RELEASES),
    ("release_shared_capability", RELEASES),
    ("requires_capability", MUST_HOLD),
    ("requires_shared_capability", MUST_HOLD),
    ("shared_lock_function", ACQUIRES),
    ("shared_locks_required", MUST_HOLD),
    ("shared_trylock_function", Shape::Result),
    ("try_acquire_capability", Shape::Result),
    ("try_acquire_shared_capability", Shape::Result),
    ("unlock_function", RELEASES),
];

fn find(table: &[(&'static str, Shape)], word: &str) -> Option<Shape> {
    table.iter().find(|entry| entry.0 == word).map(|entry| entry.1)
}

pub(super) fn of_macro(word: &str) -> Option<Shape> {
    find(MACROS, word)
}

pub(super) fn of_attribute(word: &str) -> Option<Shape> {
    let word = word.strip_prefix("__").and_then(|word| word.strip_suffix("__")).unwrap_or(word);
    find(ATTRIBUTES, word)
}

/// Whether a text has one of the words at all: most have none.
pub(super) fn may_be_in(text: &str) -> bool {
    [
        "__acquires",
        "__releases",
        "__must_hold",
        "__cond_acquires",
        "capability",
        "_function",
        "_required",
        "context(",
    ]
    .iter()
    .any(|word| text.contains(word))
        || ["ACQUIRE", "RELEASE", "REQUIRE", "LOCK_FUNCTION"].iter().any(|word| text.contains(word))
}
