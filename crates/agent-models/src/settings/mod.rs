//! The model of a deployment: the environment variable `MODEL`, and the secret `MODEL_API_KEY`.
//!
//! `{"provider":"openai","model":"gpt-5-mini","baseUrl":"https://api.openai.com/v1",
//! "maxOutputTokens":2048,"timeoutMs":60000,"inputPricePerMillion":0.25,
//! "outputPricePerMillion":2,"budgetPerDay":5}`
//!
//! Without `MODEL`, the deployment uses the planner. The key is only in [`ApiKey`]: no message, log
//! line or debug output contains it. Messages also contain no value of `MODEL`, because a key may
//! have been written in the wrong place; the exception is a value that is similar to a known word.
//! Contents: `fields` reads the object, `address` checks `baseUrl`.

mod address;
mod fields;

use base::{CommonError, Error, Result, nearest};
use net::Secrets;
use net::address::Url;
use net::secrets::is_long_enough;

use crate::accounting::{Budget, Prices};
use crate::exchange::TimeLimits;
use crate::limits::{
    DEFAULT_MODEL_FIRST_BYTE_MS, DEFAULT_MODEL_OUTPUT_TOKENS, DEFAULT_MODEL_STALL_MS,
    DEFAULT_MODEL_TIMEOUT_MS, MAX_MODEL_API_KEY_BYTES, MAX_MODEL_NAME_CHARACTERS,
    MAX_MODEL_OUTPUT_TOKENS, MAX_MODEL_TIMEOUT_MS, MIN_MODEL_TIMEOUT_MS,
};
use crate::model::{Description, Provider};
use crate::request::ModelRequest;
use fields::Fields;
pub use fields::NAMES as FIELDS;

/// The name of the environment variable.
pub const MODEL: &str = "MODEL";

/// The name of the secret.
pub const MODEL_API_KEY: &str = "MODEL_API_KEY";

/// The API key that a provider demands.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// Returns the key, for the header of a request.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for ApiKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("ApiKey(…)")
    }
}

/// A model that a provider runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hosted {
    /// The provider.
    pub provider: Provider,
    /// The address to which the path of the API is appended, without a slash at its end; empty for
    /// Workers AI.
    pub base_url: String,
    /// The name of the model at the provider.
    pub model: String,
    /// The key, if the endpoint needs one.
    pub api_key: Option<ApiKey>,
    /// The secrets to redact from responses.
    pub secrets: Secrets,
    /// The maximum number of tokens of one response.
    pub max_output_tokens: u32,
    /// The time limits of a response.
    pub patience: TimeLimits,
    /// The prices of the model.
    pub prices: Prices,
    /// The budget of each tenant; `None` if there is no limit.
    pub budget: Option<Budget>,
}

impl Hosted {
    /// Returns the description of the model.
    pub fn describe(&self) -> Description {
        Description {
            provider: self.provider,
            model: self.model.clone(),
            origin: Url::parse(&self.base_url).map(|url| url.origin.to_owned()),
            prices: self.prices,
        }
    }

    /// Returns the maximum number of tokens of the response to a request.
    pub(crate) fn tokens_for(&self, request: &ModelRequest) -> u32 {
        request.max_output_tokens().min(self.max_output_tokens)
    }
}

/// The model of a deployment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settings {
    /// The planner: rules of our own, without a model.
    Planner,
    /// A model that a provider runs.
    Hosted(Box<Hosted>),
}

impl Settings {
    /// Parses the variables. `text` returns the value of a variable, or nothing if it is absent or
    /// blank.
    ///
    /// # Errors
    /// [`CommonError::Misconfigured`] with the variable, the field, and the mistake.
    pub fn parse(text: impl Fn(&str) -> Option<String>) -> Result<Self> {
        let key = text(MODEL_API_KEY);
        let Some(model) = text(MODEL) else {
            return match key {
                Some(_) => Err(misconfigured(
                    MODEL_API_KEY,
                    format_args!(
                        "has no effect without {MODEL}: set {MODEL} or remove {MODEL_API_KEY}"
                    ),
                )),
                None => Ok(Self::Planner),
            };
        };
        let in_model = |problem: String| misconfigured(MODEL, problem);
        let fields = Fields::read(&model).map_err(in_model)?;
        let provider = provider(&fields).map_err(in_model)?;
        check_used(&fields, provider).map_err(in_model)?;
        if matches!(provider, Provider::Planner | Provider::WorkersAi) && key.is_some() {
            return Err(misconfigured(
                MODEL_API_KEY,
                format_args!(
                    "has no effect with the provider {}: remove it",
                    provider.name()
                ),
            ));
        }
        if provider == Provider::Planner {
            return Ok(Self::Planner);
        }
        let key = key.map(parse_key).transpose()?;
        let base_url = address::base_url(&fields, provider).map_err(in_model)?;
        if key.is_none() && address::needs_key(&fields, provider) {
            return Err(misconfigured(
                MODEL_API_KEY,
                format_args!(
                    "is not set, and the provider {} demands a key",
                    provider.name()
                ),
            ));
        }
        let hosted = hosted(&fields, provider, base_url, key).map_err(in_model)?;
        Ok(Self::Hosted(Box::new(hosted)))
    }
}

fn misconfigured(name: &str, problem: impl std::fmt::Display) -> Error {
    Error::from(CommonError::Misconfigured {
        message: format!("the environment variable {name} {problem}"),
    })
}

type Read<T> = std::result::Result<T, String>;

fn provider(fields: &Fields) -> Read<Provider> {
    let names = Provider::ALL.map(Provider::name);
    let Some(name) = fields.text("provider")? else {
        return Err(format!(
            "has no field provider; the providers are {}",
            names.join(", ")
        ));
    };
    let found = Provider::ALL
        .into_iter()
        .find(|provider| provider.name() == name);
    found.ok_or_else(|| match nearest(&name, names.into_iter()).first() {
        Some(near) => {
            format!("has an unknown provider; did you mean `{near}`?")
        }
        None => format!(
            "has an unknown provider; the providers are {}",
            names.join(", ")
        ),
    })
}

/// Rejects fields that have no effect with the provider, because the operator expects an effect.
fn check_used(fields: &Fields, provider: Provider) -> Read<()> {
    let used = |name: &str| match provider {
        Provider::OpenAi | Provider::Anthropic => true,
        Provider::WorkersAi => name != "baseUrl",
        Provider::Planner => name == "provider",
    };
    match fields.names().find(|name| !used(name)) {
        Some(name) => Err(format!(
            "has the field {name}, which has no effect with the provider {}",
            provider.name()
        )),
        None => Ok(()),
    }
}

/// Parses a key: it must fit into a header, and be distinct enough to be redacted from responses.
fn parse_key(key: String) -> Result<ApiKey> {
    let key = key.trim().to_owned();
    if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(misconfigured(
            MODEL_API_KEY,
            "contains blanks or characters that a key cannot have",
        ));
    }
    if key.len() > MAX_MODEL_API_KEY_BYTES {
        return Err(misconfigured(
            MODEL_API_KEY,
            format_args!("has more than {MAX_MODEL_API_KEY_BYTES} bytes"),
        ));
    }
    if !is_long_enough(&key) {
        return Err(misconfigured(
            MODEL_API_KEY,
            "is too short to be redacted: a key has at least 6 characters; remove it for an endpoint that needs none",
        ));
    }
    Ok(ApiKey(key))
}

fn hosted(
    fields: &Fields,
    provider: Provider,
    base_url: String,
    api_key: Option<ApiKey>,
) -> Read<Hosted> {
    let milliseconds = |name: &str, default_ms| {
        let bounds = MIN_MODEL_TIMEOUT_MS..=MAX_MODEL_TIMEOUT_MS;
        fields
            .whole_number(name, bounds)
            .map(|given| given.unwrap_or(default_ms))
    };
    let output_tokens =
        fields.whole_number("maxOutputTokens", 1..=u64::from(MAX_MODEL_OUTPUT_TOKENS))?;
    let prices = prices(fields)?;
    let budget = fields.dollars("budgetPerDay")?;
    if budget == Some(0) {
        return Err(
            "has the budgetPerDay 0, which allows no request; without the field there is no limit"
                .to_owned(),
        );
    }
    if budget.is_some() && prices.is_none() {
        return Err(
            "has a budgetPerDay without prices: set inputPricePerMillion and outputPricePerMillion, too".to_owned(),
        );
    }
    let secrets = api_key.iter().map(|key| key.reveal().to_owned()).collect();
    Ok(Hosted {
        provider,
        base_url,
        model: model_name(fields)?,
        secrets: Secrets::new(secrets),
        api_key,
        max_output_tokens: output_tokens
            .and_then(|tokens| u32::try_from(tokens).ok())
            .unwrap_or(DEFAULT_MODEL_OUTPUT_TOKENS),
        patience: TimeLimits {
            timeout_ms: milliseconds("timeoutMs", DEFAULT_MODEL_TIMEOUT_MS)?,
            first_byte_ms: milliseconds("firstByteMs", DEFAULT_MODEL_FIRST_BYTE_MS)?,
            stall_ms: milliseconds("stallMs", DEFAULT_MODEL_STALL_MS)?,
        },
        prices: prices.unwrap_or_default(),
        budget: budget.map(|per_day| Budget { per_day }),
    })
}

fn prices(fields: &Fields) -> Read<Option<Prices>> {
    let input = fields.dollars("inputPricePerMillion")?;
    let output = fields.dollars("outputPricePerMillion")?;
    match (input, output) {
        (None, None) => Ok(None),
        (Some(input_per_million), Some(output_per_million)) => Ok(Some(Prices {
            input_per_million,
            output_per_million,
        })),
        _ => Err(
            "has only one of inputPricePerMillion and outputPricePerMillion; set both".to_owned(),
        ),
    }
}

fn model_name(fields: &Fields) -> Read<String> {
    let Some(name) = fields.text("model")? else {
        return Err("has no field model, the name of the model at its provider".to_owned());
    };
    let is_name = (1..=MAX_MODEL_NAME_CHARACTERS).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_graphic());
    if is_name {
        Ok(name)
    } else {
        Err(format!(
            "must have in the field model a name of 1 to {MAX_MODEL_NAME_CHARACTERS} ASCII characters without blanks"
        ))
    }
}

#[cfg(test)]
mod tests;
