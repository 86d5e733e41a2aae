//! The gate against corpora: statements that it must be able to read, statements that it must
//! refuse, and the proof that no statement it allows harms a table that is not the user's. The
//! statements are in `tests/corpus/`, the harvested ones in the cache (`tests/corpus/harvest.py`).

mod allowed;
mod harvested;
mod hostile;
mod second_opinion;
