//! The writer of a thread: the model that the deployment configures, over the platform's network,
//! or the planner.

use std::rc::Rc;

use agent_models::settings::{Hosted, Settings};
use agent_models::{EndpointMemory, HostedModel, Ports};
use serde_json::Value;
use wasm_bindgen::JsValue;

use super::super::addresses::{INDEX, MEMORY, TENANT_HEADER};
use super::super::instance;
use super::super::servers::{Network, Time};
use super::ai::PlatformAi;
use super::asking::ask;
use crate::config::Config;
use ::agent::drive::Writer;
use ::agent::prompt::WriteTask;
use ::agent::spending::{Reservation, ReservationOutcome, Settlement};
use ::agent::state::Values;
use ::agent::tenant::IndexRequest;
use ::agent::turn::WriterOutput;
use ::agent::writer::modelled::{Ledger, ModelWriter};
use ::agent::writer::planned;
use base::{Error, Result};

thread_local! {
    /// The forms of requests that model endpoints accept, remembered for the life of an instance.
    static DIALECTS: Rc<EndpointMemory> = Rc::default();
}

/// The writer for one tenant.
pub struct PlatformWriter {
    config: Rc<Config>,
    env: JsValue,
    tenant: String,
    network: Network,
}

impl PlatformWriter {
    /// Makes the writer for a tenant.
    pub fn new(env: &JsValue, config: &Rc<Config>, tenant: &str) -> Self {
        Self {
            config: Rc::clone(config),
            env: env.clone(),
            tenant: tenant.to_owned(),
            network: Network::of_an_object(tenant),
        }
    }

    fn hosted(&self) -> Option<&Hosted> {
        match &self.config.model {
            Settings::Planner => None,
            Settings::Hosted(hosted) => Some(hosted),
        }
    }
}

/// The token counts of a tenant, kept in its index.
struct TokenCounts<'a>(&'a PlatformWriter);

impl TokenCounts<'_> {
    async fn ask(&self, request: &IndexRequest) -> Result<Value> {
        let writer = self.0;
        let headers = [(TENANT_HEADER, writer.tenant.as_str())];
        ask(
            &writer.env,
            &INDEX,
            &writer.tenant,
            MEMORY,
            &headers,
            &request.to_json(),
        )
        .await
    }
}

impl Ledger for TokenCounts<'_> {
    async fn reserve(&self, reservation: &Reservation) -> Result<ReservationOutcome> {
        let response = self
            .ask(&IndexRequest::Reserve(reservation.clone()))
            .await?;
        serde_json::from_value(response)
            .map_err(|_| Error::internal("the sums of the tenant cannot be read"))
    }

    async fn settle(&self, settlement: &Settlement) {
        if let Err(error) = self.ask(&IndexRequest::Settle(settlement.clone())).await {
            let words = format!("the cost of a model was not written down: {error}");
            web_sys::console::warn_1(&words.into());
        }
    }

    fn now_ms(&self) -> u64 {
        instance::now_ms()
    }
}

/// Does something with the model of a deployment.
macro_rules! with_model {
    ($writer:expr, $hosted:expr, |$modelled:ident| $done:expr) => {{
        let memory = DIALECTS.with(Rc::clone);
        let ports = Ports {
            http: &$writer.network,
            clock: &Time,
        };
        let ai = PlatformAi::new(&$writer.env);
        let model = HostedModel::new(ports, ai.as_ref(), $hosted, &memory)?;
        let sums = TokenCounts($writer);
        let $modelled = ModelWriter {
            model: &model,
            ledger: &sums,
            budget: $hosted.budget,
        };
        $done
    }};
}

impl Writer for PlatformWriter {
    async fn write(
        &self,
        task: &WriteTask<'_>,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<WriterOutput> {
        match self.hosted() {
            None => Ok(planned::write(task)),
            Some(hosted) => {
                with_model!(self, hosted, |model| model.write(task, on_text).await)
            }
        }
    }

    async fn reply(
        &self,
        values: &Values,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<Option<String>> {
        match self.hosted() {
            None => Ok(None),
            Some(hosted) => {
                with_model!(self, hosted, |model| model.reply(values, on_text).await)
            }
        }
    }
}
