//! Statements by the thousand, what they must not harm, and another parser's opinion of them. They are in `tests/corpus/`, those that others have
//! published in the cache (`tests/corpus/harvest.py`).

pub mod lines;
pub mod second_parser;
pub mod victims;
