//! The program of a statement as EXPLAIN shows it.

pub mod code;
pub mod cursors;
pub mod opcode;
pub mod program;
pub mod returns;
