//! The tools: `list` renders the table of tools for clients, `arguments` and `lenient` parse the
//! arguments of a call, `context` is the context of a call, `call` runs it, with `agent`, `rows`,
//! `program` and `import` for some of the tools.

mod agent;
mod arguments;
mod call;
mod context;
mod import;
mod lenient;
mod list;
mod program;
mod rows;

pub use crate::table::{self, TOOLS, Tool, ToolAction, listed};
pub use arguments::Arguments;
pub use call::call;
pub(crate) use call::{shown, unknown};
pub use context::Call;
pub(crate) use list::input_schema;
pub use list::list;
