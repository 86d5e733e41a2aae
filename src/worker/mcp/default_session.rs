//! The session of a call that names none, so that a model that never heard of sessions keeps its tables.
//!
//! | client | its session |
//! | --- | --- |
//! | whose host sends the header `x-codemode-session`, or whose URL has `?session=` | that one |
//! | with an MCP session | one for each MCP session |
//! | without | one for each token |

use sha2::{Digest, Sha256};

use base::Result;
use base::names::check_name;

/// The header by which a host names the session of its calls.
pub const HEADER: &str = "x-codemode-session";

/// What the names begin with that nobody chose.
const PREFIX: &str = "mcp-";
/// Hexadecimal digits behind it: nobody finds two of one name among the sessions of one tenant.
const DIGITS: usize = 16;

/// The name that a host chose, checked.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`].
pub fn chosen(header: Option<String>, parameter: Option<String>) -> Result<Option<String>> {
    let name = header.or(parameter);
    if let Some(name) = &name {
        check_name("session", name)?;
    }
    Ok(name)
}

/// The name that belongs to what identifies a client: its MCP session or its token, which is not to be read from it.
pub fn derived(tenant: &str, identity: &str) -> String {
    let digest = Sha256::new()
        .chain_update(tenant)
        .chain_update([0])
        .chain_update(identity)
        .finalize();
    let mut name = PREFIX.to_owned();
    for byte in digest.iter().take(DIGITS / 2) {
        name.push_str(&format!("{byte:02x}"));
    }
    name
}
