//! A concrete interpreter of the IR.
