//! The program of a statement, as EXPLAIN shows it.

pub mod code;
pub mod cursors;
pub mod facts;
pub mod opcode;
pub mod program;
pub mod ranges;
pub mod reach;
pub mod returns;
pub mod ways;
