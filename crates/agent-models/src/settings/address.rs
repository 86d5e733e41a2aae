//! The field `baseUrl`, to which the path of an API is appended. No error message contains it,
//! because it may contain a key.

use super::Read;
use super::fields::Fields;
use crate::model::Provider;

/// The address of OpenAI itself.
const OPENAI: &str = "https://api.openai.com/v1";

/// The address of Anthropic itself.
const ANTHROPIC: &str = "https://api.anthropic.com";

/// Returns the address without a slash at its end; empty if the provider has none.
pub(super) fn base_url(fields: &Fields, provider: Provider) -> Read<String> {
    let default = match provider {
        Provider::OpenAi => OPENAI,
        Provider::Anthropic => ANTHROPIC,
        Provider::WorkersAi | Provider::Planner => return Ok(String::new()),
    };
    let Some(url) = fields.text("baseUrl")? else {
        return Ok(default.to_owned());
    };
    let url = url.trim_end_matches('/');
    if let Some(problem) = net::address::problem(url) {
        return Err(format!("has a baseUrl that {problem}"));
    }
    if url.contains('?') {
        return Err("has a baseUrl with a query: the path of the API is appended to it".to_owned());
    }
    let appended = match provider {
        Provider::OpenAi => ["/chat/completions", "/completions", "/chat"].as_slice(),
        Provider::Anthropic | Provider::WorkersAi | Provider::Planner => {
            ["/v1/messages", "/messages", "/v1"].as_slice()
        }
    };
    if let Some(end) = appended.iter().find(|end| url.ends_with(**end)) {
        return Err(format!(
            "has a baseUrl that ends with {end}; remove this part, because it is appended"
        ));
    }
    Ok(url.to_owned())
}

/// Returns true if the endpoint requires a key: the providers' own addresses do, but another
/// endpoint may work without one.
pub(super) fn needs_key(fields: &Fields, provider: Provider) -> bool {
    matches!(provider, Provider::OpenAi | Provider::Anthropic) && !fields.has("baseUrl")
}
