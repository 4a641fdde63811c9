//! States of properties: the hidden cells of objects, what calls do to them, and what is wrong at the end.
//!
//! A property (`docs/properties.md`) gives objects a state that no store changes, only calls of the functions it names.
//! The state is a hidden cell at (object, offset, property): guards, aliases, outcomes of summaries and conditions on
//! results work for it as they do for memory.
//! - [`cells`]: reading and writing hidden cells;
//! - [`events`]: calls that a property names;
//! - [`applied`]: what summaries say of states;
//! - [`broken`]: mistakes: what a function does wrong whatever the state at entry is, and what it demands of callers;
//! - [`ways_out`]: what ways out leave behind, and whether the caller can tell;
//! - [`seen`]: what the caller sees of a way out;
//! - [`slots`]: elements of arrays at indices that are not known.

// ASSUME-34: code that is not known changes no states.
pub mod applied;
pub mod broken;
pub mod events;
pub mod seen;
pub mod slots;
pub mod ways_out;
