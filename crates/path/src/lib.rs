//! The path engine.
