//! The parsing of requests to the path of a table, from their headers and parameters.

use super::super::addresses::ENCODING_HEADER;
use super::call::Call;
use crate::api::routes::SessionTask;
use base::{Error, Result};
use session::bulk::{Decode, LoadRequest};
use web_sys::{TextDecodeOptions, TextDecoder, TextDecoderOptions};

/// Parses a PUT of rows.
///
/// # Errors
/// As [`LoadRequest::read`].
pub(super) fn load_request(call: &Call) -> Result<LoadRequest> {
    let header = |name: &str| {
        let name = if name == "content-encoding" {
            ENCODING_HEADER
        } else {
            name
        };
        call.received.header(name)
    };
    Ok(LoadRequest {
        decoders: text_decoder,
        ..LoadRequest::read(&call.table, header, |name| call.parameter(name))?
    })
}

/// A decoder of the platform.
struct PlatformDecoder(TextDecoder);

/// Finds the platform's decoder for an encoding.
fn text_decoder(encoding: &str) -> Option<Box<dyn Decode>> {
    let options = TextDecoderOptions::new();
    options.set_fatal(true);
    let decoder = TextDecoder::new_with_label_and_options(encoding, &options).ok()?;
    Some(Box::new(PlatformDecoder(decoder)))
}

impl Decode for PlatformDecoder {
    fn decode(&mut self, bytes: &[u8], end: bool) -> Option<String> {
        let options = TextDecodeOptions::new();
        options.set_stream(!end);
        self.0
            .decode_with_u8_array_and_options(bytes, &options)
            .ok()
    }
}

/// Returns the operation of a DELETE of a table.
///
/// # Errors
/// `INVALID_ARGUMENT` for a parameter.
pub(super) fn drop_request(call: &Call) -> Result<String> {
    let if_exists = match call.parameter("ifExists")?.as_deref() {
        None | Some("false") => false,
        Some("" | "true") => true,
        Some(other) => {
            return Err(Error::invalid(format!(
                "ifExists must be true or false, not {other:?}"
            )));
        }
    };
    let target = if call.task == SessionTask::Unpersist {
        Some("persistent".to_owned())
    } else {
        call.parameter("target")?
    };
    Ok(serde_json::json!({
        "operation": "dropTable",
        "table": call.table,
        "ifExists": if_exists,
        "target": target,
    })
    .to_string())
}
