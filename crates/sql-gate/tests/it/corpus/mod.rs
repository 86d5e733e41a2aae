//! The gate against corpora: what it must read, what it must refuse, and that nothing it lets through harms a table that is not the
//! user's. The statements are in `tests/corpus/`, the harvested ones in the cache (`tests/corpus/harvest.py`).

mod allowed;
mod harvested;
mod hostile;
mod second_opinion;
