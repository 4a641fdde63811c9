//! The intermediate representation of a C program.
