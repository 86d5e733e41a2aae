//! The writers of statements and replies: `modelled` asks a language model, `planned` the embedded
//! planner.

pub mod modelled;
pub mod planned;
