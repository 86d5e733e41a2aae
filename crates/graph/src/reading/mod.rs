//! What operations read: pages of a version (`state`), of the difference of two (`diff`), what is
//! near a node (`neighbors`), and the whole graph for exports (`export`). `page` takes rows until a
//! page is full, `cursor` says where the next one begins.

pub(crate) mod cursor;
pub(crate) mod diff;
pub(crate) mod export;
pub(crate) mod neighbors;
pub(crate) mod page;
pub(crate) mod state;
