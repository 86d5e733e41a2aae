//! The cost of a request, from the configuration to the sum.

use serde_json::json;

use super::world::{events, hosted, request, world};
use crate::openai::OpenAi;
use crate::{HostedModel, LanguageModel as _};

#[test]
fn a_configured_budget_counts_what_the_provider_counted() {
    let hosted = hosted(&json!({
        "provider": "openai", "model": "m", "baseUrl": "https://models.example.com/v1/", "maxOutputTokens": 100,
        "inputPricePerMillion": 0.25, "outputPricePerMillion": 2, "budgetPerDay": 0.0005,
    }));
    let budget = hosted.budget.unwrap();
    assert_eq!(budget.per_day, 500);
    let reserved = hosted.prices.reservation(&request());
    let now_ms = 86_400_000;
    budget.check(0, 500, now_ms).unwrap();
    // 256 output tokens may cost 512 microdollars.
    let error = base::Error::from(budget.check(0, reserved, now_ms).unwrap_err());
    assert_eq!(error.code(), "MODEL_BUDGET_EXCEEDED");
    assert_eq!(error.details()["resetsAtMs"], 2 * 86_400_000);

    let stream = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi\"},\"finish_reason\":\"stop\"}]}\n\ndata: {\"choices\":[],\"usage\":{\"prompt_tokens\":1000,\"completion_tokens\":50}}\n\n";
    let world = world(vec![events(stream)]);
    let model = HostedModel::<_, _, super::world::World>::OpenAi(OpenAi::new(
        world.ports(),
        &hosted,
        &world.memory,
    ));
    let completion = super::world::ask(&model, &request()).0.unwrap();
    assert_eq!(hosted.prices.cost(&completion.usage), 350);
    // The request contains the smaller of both limits.
    assert_eq!(world.body(0)["max_tokens"], 100);
    let description = model.describe();
    assert_eq!(
        description.origin.as_deref(),
        Some("https://models.example.com")
    );
    assert_eq!(
        world.sent.borrow()[0].url,
        "https://models.example.com/v1/chat/completions"
    );
}
