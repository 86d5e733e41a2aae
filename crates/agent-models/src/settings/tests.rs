//! The environment variables as operators write them, with and without mistakes.

use super::*;

const KEY: &str = "sk-very-secret";

fn parse(model: Option<&str>, key: Option<&str>) -> Result<Settings> {
    Settings::parse(|name| match name {
        MODEL => model.map(str::to_owned),
        MODEL_API_KEY => key.map(str::to_owned),
        other => panic!("{other} is asked for"),
    })
}

fn hosted(model: &str, key: Option<&str>) -> Hosted {
    match parse(Some(model), key).unwrap() {
        Settings::Hosted(hosted) => *hosted,
        Settings::Planner => panic!("{model} is a model"),
    }
}

#[track_caller]
fn refused(model: Option<&str>, key: Option<&str>, expected: &str) {
    let error = parse(model, key).unwrap_err();
    assert_eq!(error.code(), "MISCONFIGURED");
    assert_eq!(
        error.to_string(),
        format!("the environment variable {expected}")
    );
    assert!(!error.to_string().contains(KEY));
}

#[test]
fn without_a_model_there_is_the_planner() {
    assert_eq!(parse(None, None).unwrap(), Settings::Planner);
    assert_eq!(
        parse(Some(r#"{"provider":"planner"}"#), None).unwrap(),
        Settings::Planner
    );
}

#[test]
fn a_name_and_a_key_are_enough() {
    for (provider, base_url) in [
        ("openai", "https://api.openai.com/v1"),
        ("anthropic", "https://api.anthropic.com"),
    ] {
        let hosted = hosted(
            &format!(r#"{{"provider":"{provider}","model":"m"}}"#),
            Some(KEY),
        );
        assert_eq!(
            (hosted.provider.name(), hosted.base_url.as_str()),
            (provider, base_url)
        );
        assert_eq!(
            (hosted.model.as_str(), hosted.max_output_tokens),
            ("m", 2_048)
        );
        assert_eq!(hosted.patience, TimeLimits::default());
        assert_eq!((hosted.prices, hosted.budget), (Prices::default(), None));
        assert_eq!(hosted.api_key.unwrap().reveal(), KEY);
    }
    let platform = hosted(
        r#"{"provider":"workers-ai","model":"@cf/meta/llama-3.3-70b-instruct-fp8-fast"}"#,
        None,
    );
    assert_eq!((platform.base_url.as_str(), platform.api_key), ("", None));
}

#[test]
fn every_field_is_read() {
    let hosted = hosted(
        r#"{"provider":"openai","model":" llama ","baseUrl":"http://localhost:11434/v1/","maxOutputTokens":65536,"timeoutMs":300000,
            "firstByteMs":120000,"stallMs":1000,"inputPricePerMillion":0.15,"outputPricePerMillion":0,"budgetPerDay":2.5}"#,
        None,
    );
    assert_eq!(
        (hosted.model.as_str(), hosted.base_url.as_str()),
        ("llama", "http://localhost:11434/v1")
    );
    assert_eq!(hosted.max_output_tokens, 65_536);
    let patience = TimeLimits {
        timeout_ms: 300_000,
        first_byte_ms: 120_000,
        stall_ms: 1_000,
    };
    assert_eq!(hosted.patience, patience);
    assert_eq!(
        hosted.prices,
        Prices {
            input_per_million: 150_000,
            output_per_million: 0
        }
    );
    assert_eq!(hosted.budget, Some(Budget { per_day: 2_500_000 }));
    assert_eq!(hosted.api_key, None);
}

#[test]
fn debug_prints_have_no_key() {
    let settings = parse(Some(r#"{"provider":"openai","model":"m"}"#), Some(KEY)).unwrap();
    let printed = format!("{settings:?}");
    assert!(
        !printed.contains(KEY) && printed.contains("ApiKey(…)"),
        "{printed}"
    );
}

/// Checks the error for a value of `MODEL`, with the key that the provider demands.
#[track_caller]
fn refused_in_model(model: &str, expected: &str) {
    let key = (!model.contains("planner") && !model.contains("workers")).then_some(KEY);
    refused(Some(model), key, expected);
}

#[test]
fn mistakes_in_the_object_are_told_exactly() {
    for (model, expected) in [
        (
            "{",
            "MODEL is not JSON: EOF while parsing an object at line 1 column 1; it must be a JSON object such as {\"provider\":\"openai\",\"model\":\"gpt-5-mini\"}",
        ),
        (
            "[]",
            "MODEL is a list; it must be a JSON object such as {\"provider\":\"openai\",\"model\":\"gpt-5-mini\"}",
        ),
        (
            "{}",
            "MODEL has no field provider; the providers are openai, anthropic, workers-ai, planner",
        ),
        (
            r#"{"provider":5}"#,
            "MODEL must have in the field provider a text, not 5",
        ),
        (
            r#"{"provider":"opnai","model":"m"}"#,
            "MODEL has an unknown provider; did you mean `openai`?",
        ),
        (
            r#"{"provider":"sk-very-secret"}"#,
            "MODEL has an unknown provider; the providers are openai, anthropic, workers-ai, planner",
        ),
        (
            r#"{"provider":"openai"}"#,
            "MODEL has no field model, the name of the model at its provider",
        ),
        (
            r#"{"provider":"openai","model":"two words"}"#,
            "MODEL must have in the field model a name of 1 to 128 ASCII characters without blanks",
        ),
        (
            r#"{"provider":"openai","model":"a","model":"b"}"#,
            "MODEL has the field model twice",
        ),
        (
            r#"{"provider":"openai","modle":"m"}"#,
            "MODEL has the unknown field \"modle\"; did you mean `model`?",
        ),
        (
            r#"{"provider":"openai","model":"m","maxTokens":5}"#,
            "MODEL has the unknown field \"maxTokens\"; did you mean `maxOutputTokens`?",
        ),
        (
            r#"{"provider":"openai","model":"m","apiKey":"sk-very-secret"}"#,
            "MODEL has a field for a key, field 3: put the key into the secret MODEL_API_KEY",
        ),
        (
            r#"{"provider":"openai","sk-very-secret":"m"}"#,
            "MODEL has a field for a key, field 2: put the key into the secret MODEL_API_KEY",
        ),
        (
            r#"{"provider":"openai","x":1}"#,
            "MODEL has an unknown field, field 2; the fields are provider, baseUrl, model, maxOutputTokens, timeoutMs, firstByteMs, stallMs, inputPricePerMillion, outputPricePerMillion, budgetPerDay",
        ),
    ] {
        refused_in_model(model, expected);
    }
}

#[test]
fn mistakes_in_numbers_and_fields_without_effect_are_told_exactly() {
    for (model, expected) in [
        (
            r#"{"provider":"openai","model":"m","timeoutMs":10}"#,
            "MODEL must have in the field timeoutMs a whole number from 1000 to 300000, not 10",
        ),
        (
            r#"{"provider":"openai","model":"m","maxOutputTokens":1.5}"#,
            "MODEL must have in the field maxOutputTokens a whole number from 1 to 65536, not 1.5",
        ),
        (
            r#"{"provider":"openai","model":"m","stallMs":"5"}"#,
            "MODEL must have in the field stallMs a whole number from 1000 to 300000, not a text",
        ),
        (
            r#"{"provider":"openai","model":"m","inputPricePerMillion":-1,"outputPricePerMillion":1}"#,
            "MODEL must have in the field inputPricePerMillion a number of dollars from 0 to 1000000, not -1",
        ),
        (
            r#"{"provider":"openai","model":"m","inputPricePerMillion":1}"#,
            "MODEL has only one of inputPricePerMillion and outputPricePerMillion; set both",
        ),
        (
            r#"{"provider":"openai","model":"m","budgetPerDay":1}"#,
            "MODEL has a budgetPerDay without prices: set inputPricePerMillion and outputPricePerMillion, too",
        ),
        (
            r#"{"provider":"openai","model":"m","budgetPerDay":0,"inputPricePerMillion":1,"outputPricePerMillion":1}"#,
            "MODEL has the budgetPerDay 0, which allows no request; without the field there is no limit",
        ),
        (
            r#"{"provider":"planner","model":"m"}"#,
            "MODEL has the field model, which has no effect with the provider planner",
        ),
        (
            r#"{"provider":"workers-ai","model":"m","baseUrl":"https://x.example"}"#,
            "MODEL has the field baseUrl, which has no effect with the provider workers-ai",
        ),
    ] {
        refused_in_model(model, expected);
    }
}

#[test]
fn addresses_that_cannot_be_called_are_told_without_themselves() {
    let with = |provider: &str, url: &str| {
        format!(r#"{{"provider":"{provider}","model":"m","baseUrl":"{url}"}}"#)
    };
    for (provider, url, problem) in [
        (
            "openai",
            "http://models.example.com/v1",
            "that is not encrypted: use https (http is for this machine only)",
        ),
        (
            "openai",
            "models.example.com",
            "that does not begin with https://",
        ),
        (
            "openai",
            "https://user:sk-very-secret@models.example.com",
            "that has a user or password in it: use headers with a secret",
        ),
        (
            "openai",
            "https://models.example.com/v1?key=sk-very-secret",
            "with a query: the path of the API is appended to it",
        ),
        (
            "openai",
            "https://models.example.com/v1/chat/completions",
            "that ends with /chat/completions; remove this part, because it is appended",
        ),
        (
            "anthropic",
            "https://models.example.com/v1/",
            "that ends with /v1; remove this part, because it is appended",
        ),
    ] {
        refused(
            Some(&with(provider, url)),
            Some(KEY),
            &format!("MODEL has a baseUrl {problem}"),
        );
    }
}

#[test]
fn keys_without_effect_and_missing_keys_are_told() {
    let model = |provider: &str| format!(r#"{{"provider":"{provider}","model":"m"}}"#);
    refused(
        None,
        Some(KEY),
        "MODEL_API_KEY has no effect without MODEL: set MODEL or remove MODEL_API_KEY",
    );
    refused(
        Some(r#"{"provider":"planner"}"#),
        Some(KEY),
        "MODEL_API_KEY has no effect with the provider planner: remove it",
    );
    refused(
        Some(&model("workers-ai")),
        Some(KEY),
        "MODEL_API_KEY has no effect with the provider workers-ai: remove it",
    );
    for provider in ["openai", "anthropic"] {
        refused(
            Some(&model(provider)),
            None,
            &format!("MODEL_API_KEY is not set, and the provider {provider} demands a key"),
        );
    }
    let openai = model("openai");
    refused(
        Some(&openai),
        Some("sk very"),
        "MODEL_API_KEY contains blanks or characters that a key cannot have",
    );
    refused(
        Some(&openai),
        Some("short"),
        "MODEL_API_KEY is too short to be redacted: a key has at least 6 characters; remove it for an endpoint that needs none",
    );
    refused(
        Some(&openai),
        Some(&"k".repeat(9_000)),
        "MODEL_API_KEY has more than 8192 bytes",
    );
}
