//! The operations that read the graph: pages of a version (`state`), the differences of two
//! versions (`diff`), the neighbours of a node (`neighbors`), and the whole graph for exports
//! (`export`). `page` reads rows until a page is full, and `cursor` is the position of the next
//! page.

pub(crate) mod cursor;
pub(crate) mod diff;
pub(crate) mod export;
pub(crate) mod neighbors;
pub(crate) mod page;
pub(crate) mod state;
