//! Reads a request's body: as a whole up to a limit, or piece by piece.

use base::CommonError;
use js_sys::Uint8Array;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Request;

use super::bindings::{BodyReader, open_body, read_all, read_body, thrown_text};
use super::received::IncomingRequest;
use base::{Error, Result};

/// The bytes of one read: large enough that a load spends its time in SQLite, small enough to hold
/// beside a chunk of rows.
const READ_BYTES: u32 = 256 * 1024;

/// A body that is being read, and its limit.
pub struct IncomingBody {
    reader: Option<BodyReader>,
    limit_bytes: u64,
    read_bytes: u64,
}

impl IncomingBody {
    /// Opens the body of a request.
    ///
    /// # Errors
    /// [`CommonError::InvalidBody`] if it cannot be read.
    pub fn open(request: &Request, limit_bytes: u64) -> Result<Self> {
        let reader = request.body().map(|stream| open_body(&stream)).transpose();
        let reader = reader.map_err(|thrown| interrupted(&thrown))?;
        Ok(Self {
            reader,
            limit_bytes,
            read_bytes: 0,
        })
    }

    /// Reads the next piece, or `None` at the end of a body that arrived completely.
    ///
    /// # Errors
    /// [`CommonError::PayloadTooLarge`] over the limit, [`CommonError::InvalidBody`] if the client
    /// went away before the end.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>> {
        let Some(reader) = &self.reader else {
            return Ok(None);
        };
        let piece = JsFuture::from(read_body(reader, READ_BYTES))
            .await
            .map_err(|thrown| interrupted(&thrown))?;
        let Some(piece) = piece.dyn_ref::<Uint8Array>() else {
            self.reader = None;
            return Ok(None);
        };
        self.read_bytes += u64::from(piece.length());
        if self.read_bytes > self.limit_bytes {
            return Err(Error::from(CommonError::PayloadTooLarge {
                limit_bytes: self.limit_bytes,
            }));
        }
        Ok(Some(piece.to_vec()))
    }

    /// Returns the number of bytes read so far.
    pub fn read_bytes(&self) -> u64 {
        self.read_bytes
    }
}

/// Reads the whole body as text.
///
/// # Errors
/// As [`IncomingBody::next`], and [`CommonError::InvalidBody`] if it is not UTF-8.
pub async fn read_text(received: &IncomingRequest, limit_bytes: u64) -> Result<String> {
    let bytes = read_bytes(received, limit_bytes).await?;
    String::from_utf8(bytes).map_err(|error| {
        Error::body(format!(
            "the body is not UTF-8: byte {} is invalid",
            error.utf8_error().valid_up_to()
        ))
    })
}

/// Reads the whole body.
///
/// # Errors
/// As [`IncomingBody::next`].
pub async fn read_bytes(received: &IncomingRequest, limit_bytes: u64) -> Result<Vec<u8>> {
    let request = &received.request;
    match received.announced_bytes() {
        Some(length) if length > limit_bytes => {
            Err(Error::from(CommonError::PayloadTooLarge { limit_bytes }))
        }
        // The platform reads a body of known length faster than this code could join its pieces,
        // and refuses one that ends early.
        Some(_) => whole(request).await.map_err(|thrown| interrupted(&thrown)),
        None => collected(IncomingBody::open(request, limit_bytes)?).await,
    }
}

async fn whole(request: &Request) -> Result<Vec<u8>, JsValue> {
    let bytes = JsFuture::from(read_all(request)).await?;
    Ok(bytes.unchecked_into::<Uint8Array>().to_vec())
}

async fn collected(mut body: IncomingBody) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    while let Some(piece) = body.next().await? {
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes)
}

impl Drop for IncomingBody {
    /// Leaves an unread rest to the front Worker, which discards it; see `js/body.js`.
    fn drop(&mut self) {
        if let Some(reader) = self.reader.take() {
            let _pending_read = reader.release_lock();
        }
    }
}

/// Makes the error for a body that could not be read to its end.
pub fn interrupted(thrown: &JsValue) -> Error {
    Error::body(format!("the body ended too early: {}", thrown_text(thrown)))
}
