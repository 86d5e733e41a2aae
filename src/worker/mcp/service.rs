//! Makes the product for a caller: what is served, on whose behalf, and with which session where none is named.

use std::rc::Rc;

use super::backend::WorkerBackend;
use crate::config::Config;
use mcp_server::{Product, Profile, Terms};

/// The product.
pub type Served = Product<WorkerBackend>;

/// The product for a caller.
pub fn product(
    backend: WorkerBackend,
    config: &Rc<Config>,
    profile: Profile,
    session: String,
) -> Served {
    Product {
        backend,
        terms: Terms {
            profile,
            session,
            max_tokens: config.mcp.max_result_tokens,
            confirm: config.mcp.confirm,
        },
    }
}

pub use super::backend::WorkerBackend as Backend;
