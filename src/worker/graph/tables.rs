//! Copies between the graph and the tables of a session. Rows arrive as a stream from the session's
//! object, and tables are sent there in one request.

use std::rc::Rc;

use js_sys::Uint8Array;
use serde_json::{Value, json};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Response;

use super::super::addresses::{OBJECT_HOST, SESSION, SESSION_HEADER, TABLES, TENANT_HEADER};
use super::super::bindings::{
    detach, header_lines, open_body, read_some, send_to, text_of, thrown_text,
};
use super::super::object::Object;
use super::Graph;
use super::call::Call;
use super::serve::OperationOutcome;
use crate::api::status::{codes, status_of};
use ::graph::from_rows::RowsRequest;
use ::graph::tables::ExportToSession;
use base::names::object_name;
use base::{Error, Result};

/// The bytes of one read of a stream.
const READ_BYTES: u32 = 256 * 1024;

/// The status of a failure whose code is not in our list.
const FAILED: u16 = 500;

impl Object<Graph> {
    /// Runs `importFromQuery`. The graph may change while the rows arrive; they are imported into
    /// the graph in the state that it has when the last row has arrived.
    pub(super) async fn import_from_query(
        self: &Rc<Self>,
        call: &Call,
        arguments: &str,
    ) -> Result<OperationOutcome> {
        let request = RowsRequest::parse(arguments)?;
        self.prepare().await?;
        let url = format!(
            "{OBJECT_HOST}/api/codemode/sessions/{}/stream",
            request.session
        );
        let response = self
            .ask(call, &request.session, &url, &request.body)
            .await?;
        if response.status() != 200 {
            return refused(&response).await;
        }
        let mut reader = request.reader();
        let body = response
            .body()
            .ok_or_else(|| Error::internal("the rows of the session have no body"))?;
        let stream = open_body(&body).map_err(|thrown| Error::internal(thrown_text(&thrown)))?;
        loop {
            let piece = JsFuture::from(read_some(&stream, READ_BYTES))
                .await
                .map_err(|thrown| Error::internal(thrown_text(&thrown)))?;
            let Some(piece) = piece.dyn_ref::<Uint8Array>() else {
                break;
            };
            if let Err(error) = reader.feed(&piece.to_vec()) {
                detach(stream.cancel());
                return Err(error);
            }
        }
        match reader.finish()? {
            Ok(mapped) => self.change(call, |call| request.import(&call.graph(), mapped)),
            Err(error) => Ok(failure(error)),
        }
    }

    /// Runs exportToSession.
    pub(super) async fn export_to_session(
        self: &Rc<Self>,
        call: &Call,
        arguments: &str,
    ) -> Result<OperationOutcome> {
        let request = ExportToSession::of_request(arguments)?;
        let body = request.body(&call.graph())?;
        let response = self.ask(call, &request.session, TABLES, &body).await?;
        if response.status() != 200 {
            return refused(&response).await;
        }
        let mut fields: Value = serde_json::from_str(&text_of(&response).await?)
            .map_err(|_| Error::internal("the response of the session cannot be read"))?;
        if let Some(fields) = fields.as_object_mut() {
            fields.insert("session".to_owned(), request.session.into());
        }
        Ok(OperationOutcome::new(fields.to_string()))
    }

    async fn ask(&self, call: &Call, session: &str, url: &str, body: &str) -> Result<Response> {
        let stub = SESSION.stub(&self.env, &object_name(&call.tenant, session))?;
        let headers = header_lines(&[
            (TENANT_HEADER, &call.tenant),
            (SESSION_HEADER, session),
            ("content-type", "application/json"),
        ]);
        let failed = |thrown: JsValue| SESSION.stopped(&thrown);
        let body = Uint8Array::from(body.as_bytes());
        let sent = send_to(&stub, "POST", url, &headers, &body.into()).map_err(failed)?;
        JsFuture::from(sent)
            .await
            .and_then(JsCast::dyn_into)
            .map_err(failed)
    }
}

/// Returns the failure of the session, with its own text.
async fn refused(response: &Response) -> Result<OperationOutcome> {
    let status = response.status();
    text_of(response)
        .await
        .map(|text| OperationOutcome::refused(text, status))
}

/// Makes the outcome of a failure that followed the first rows.
fn failure(error: Value) -> OperationOutcome {
    let code = error
        .get("code")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let known = codes().find(|known| known.name == code);
    let status = known.map_or(FAILED, |known| status_of(known.kind));
    let body = json!({ "success": false, "error": error });
    OperationOutcome::refused(body.to_string(), status)
}
