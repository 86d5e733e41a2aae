//! The session of a call that names none, so that a model that does not know of sessions keeps its
//! tables.
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

/// The prefix of names that nobody chose.
const PREFIX: &str = "mcp-";
/// The number of hexadecimal digits behind the prefix, enough that no two sessions of a tenant get
/// the same name.
const DIGITS: usize = 16;

/// Returns the name that a host chose, after a check.
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

/// Derives a name from the identity of a client, which is its MCP session or its token. The name
/// does not reveal the identity.
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
