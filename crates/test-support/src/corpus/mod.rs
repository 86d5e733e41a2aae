//! Thousands of statements for tests, the data that they must not harm, and a second parser to
//! compare with. Our statements are in `tests/corpus/`; statements from test suites of others are
//! downloaded into the cache (`tests/corpus/harvest.py`).

pub mod lines;
pub mod second_parser;
pub mod victims;
