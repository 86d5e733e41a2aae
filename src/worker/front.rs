//! Requests that the front Worker serves itself, because they need no object.

use serde_json::json;
use wasm_bindgen::JsValue;
use web_sys::Response;

use super::entry::{AdmittedRequest, Caller};
use super::servers::{self, CompletedCall, Servers};
use super::telemetry::Record;
use super::{instance, reply};
use crate::api::routes::Front;
use crate::api::{RequestError, envelope};
use ::oauth::resource;
use base::{Error, Result};
use sandbox::tool_description::Form;
use sandbox::{prompt, runtime};
use tools::gateway::{Connections, PassedHeaders};
use tools::own;
use tools::request::{ProxyRequest, SearchRequest};

impl Caller {
    /// Serves a request; `body` is the part of it that was read already.
    pub(super) async fn serve_here(
        &self,
        task: Front,
        admitted: &AdmittedRequest,
        body: Option<String>,
    ) -> Result<Response, JsValue> {
        let outcome = match task {
            Front::Health => {
                let version = json!({ "version": env!("CARGO_PKG_VERSION") });
                return reply::json(&envelope::success(version), 200);
            }
            Front::OpenApi => return self.serve_description().await,
            Front::ProtectedResource => return self.protected_resource(admitted),
            Front::Helpers => {
                let script = runtime::helpers_script(&admitted.config.session.mappings);
                return reply::text("text/javascript; charset=utf-8", &script);
            }
            Front::Prompt
            | Front::Proxy
            | Front::ServerTools
            | Front::Tools
            | Front::GraphqlCheck => self.logged(task, admitted, body).await,
        };
        match outcome {
            Ok(text) if task == Front::Prompt => reply::text(prompt::CONTENT_TYPE, &text),
            Ok(text) => reply::json(&text, 200),
            Err(error) => reply::failure(&error),
        }
    }

    /// Returns the metadata without an envelope, in the form of RFC 9728.
    fn protected_resource(&self, admitted: &AdmittedRequest) -> Result<Response, JsValue> {
        let address = self.address();
        match &admitted.config.oauth {
            Some(settings) => {
                let metadata = resource::metadata(settings, address.origin, address.path);
                reply::json(&metadata.to_string(), 200)
            }
            None => reply::failure(&Error::from(RequestError::OauthNotConfigured)),
        }
    }

    /// Serves a request that leaves a line in the log.
    async fn logged(
        &self,
        task: Front,
        admitted: &AdmittedRequest,
        body: Option<String>,
    ) -> Result<String> {
        let tenant = admitted.tenant()?;
        let started_ms = instance::now_ms();
        let connections = Connections::default();
        let passed = PassedHeaders::read(
            &admitted.passed,
            &admitted.config.servers,
            tenant,
            connections,
        )?;
        let servers = Servers::without_session(&admitted.config, tenant, passed, &self.context);
        let outcome = self.with_servers(task, &servers, admitted, body).await;
        self.log(admitted, tenant, started_ms, outcome.as_deref());
        outcome
    }

    async fn with_servers(
        &self,
        task: Front,
        servers: &Servers,
        admitted: &AdmittedRequest,
        body: Option<String>,
    ) -> Result<String> {
        match task {
            Front::Prompt => {
                let form = self.parameter("form")?;
                let form = Form::from_parameters(self.parameter("tool")?, form.as_deref())?;
                Ok(form.render(&servers.for_prompt().await))
            }
            Front::Proxy => {
                let call = ProxyRequest::parse(&body.unwrap_or_default())?.without_session()?;
                CompletedCall::fetch(servers, call, &mut |_| {})
                    .await?
                    .answer(None)
            }
            Front::ServerTools => {
                let server = self.parameter("server")?.unwrap_or_default();
                match own::tools_of(&server) {
                    Some(own) => servers::fields(own),
                    None => servers::fields(servers.gateway().tools_of(&server).await?),
                }
            }
            Front::Tools => {
                let request = SearchRequest::from_parameters(|name| self.parameter(name))?;
                servers::fields(servers.gateway().search(&request).await?)
            }
            Front::GraphqlCheck => {
                servers::fields(tools_graphql::check_request(&self.body(admitted).await?)?)
            }
            Front::Health | Front::OpenApi | Front::ProtectedResource | Front::Helpers => {
                Err(Error::internal("a response that needs no servers"))
            }
        }
    }

    /// Writes the line that an object would write, for a request that no object saw.
    fn log(
        &self,
        admitted: &AdmittedRequest,
        tenant: &str,
        started_ms: u64,
        answer: std::result::Result<&str, &Error>,
    ) {
        let record = Record {
            kind: "front",
            tenant: tenant.to_owned(),
            operation: admitted.route.entry.name.to_owned(),
            bytes_in: self.received.announced_bytes().unwrap_or_default(),
            bytes_out: answer.map_or(0, |text| text.len() as u64),
            duration_ms: instance::now_ms().saturating_sub(started_ms),
            code: answer.map_or_else(Error::code, |_| "OK"),
            ..Record::default()
        };
        record.write(&self.env, admitted.config.operation_log);
    }
}
