//! The tools: `list` as clients see those of the table, `arguments` what a call gives and `lenient` how hosts write it, `context` a call on its way, `call` what is done,
//! of which `rows`, `program` and `import` do a part.

mod agent;
mod arguments;
mod call;
mod context;
mod import;
mod lenient;
mod list;
mod program;
mod rows;

pub use crate::table::{self, Does, TOOLS, Tool, listed};
pub use arguments::Arguments;
pub use call::call;
pub(crate) use call::{shown, unknown};
pub use context::Call;
pub(crate) use list::input_schema;
pub use list::list;
