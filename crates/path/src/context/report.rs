//! What a run makes of evaluated functions.

/// What the caller of the engine makes of an evaluated function.
pub trait Report: Default {
    /// This report of a whole function, with what a closer look had said of a part of it before its steps were spent.
    #[must_use]
    fn with_earlier(self, earlier: Self) -> Self;
}

impl Report for () {
    fn with_earlier(self, (): ()) {}
}
