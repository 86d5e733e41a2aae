//! Thousands of statements, the data that they must not harm, and the reading of another parser.
//! They are in `tests/corpus/`; those that others have published are in the cache
//! (`tests/corpus/harvest.py`).

pub mod lines;
pub mod second_parser;
pub mod victims;
