//! Bit-vector terms, guards and satisfiability.
