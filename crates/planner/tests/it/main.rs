//! The planner on real SQLite: questions with their rows, and statements over schemas at random.

mod properties;
mod questions;
mod support;
