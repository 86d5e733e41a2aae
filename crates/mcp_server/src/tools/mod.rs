//! The tools: `table` what there is, `list` as clients see them, `arguments` what a call gives, `call` what is done.

mod arguments;
mod call;
mod list;
pub mod table;

pub use arguments::Arguments;
pub use call::{Call, call};
pub use list::{list, listed};
pub use table::{Does, TOOLS, Tool};
