//! Reads bodies piece by piece, within limits of size and time: the events of a stream, or a whole
//! JSON text.

use std::pin::pin;

use futures::future::{Either, select};
use net::Secrets;
use net::retry_after;
use net::sse::Events;
use net::transport::{Body, Broken, Clock, Response};
use serde::de::DeserializeOwned;

use super::Wire;
use super::refusal::{broken, failure_of_status, unavailable};
use super::time::Time;
use crate::error::{BadResponse, ModelError};
use crate::gathering::{ResponseCollector, shown};
use crate::limits::{
    MAX_MODEL_FAILURE_BYTES, MAX_MODEL_MESSAGE_BYTES, MAX_MODEL_STREAM_BYTES, MODEL_FAILURE_BODY_MS,
};

/// Bytes of a piece that are read before the limits are checked again, because the platform may
/// return pieces of any size.
const READ_AT_ONCE_BYTES: usize = 64 * 1024;

/// The response to a request.
pub(crate) enum ResponseBody<B> {
    /// A stream of events.
    Events(B),
    /// One JSON text.
    Whole(String),
}

/// The continuation of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    /// More events may follow.
    More,
    /// No event that matters follows.
    Done,
}

/// Checks the head of a response, and reads the body if it is not a stream.
pub(super) async fn open<B: Body, C: Clock>(
    mut response: Response<B>,
    secrets: &Secrets,
    clock: &C,
    time: &Time<'_, C>,
) -> Result<ResponseBody<B>, ModelError> {
    let status = response.status;
    if !(200..300).contains(&status) {
        let retry_after_ms = response
            .retry_after
            .as_deref()
            .and_then(|text| retry_after::parse(text, clock.now_ms()));
        let text = read_failure(&mut response.body, clock).await;
        let text = secrets.strike_out_of_json(text);
        return Err(failure_of_status(status, &text, retry_after_ms, secrets));
    }
    match response.content_type.as_str() {
        "text/event-stream" => Ok(ResponseBody::Events(response.body)),
        "application/json" => {
            let announced = response.length.unwrap_or_default();
            if announced > MAX_MODEL_MESSAGE_BYTES as u64 {
                return Err(too_large_whole());
            }
            let bytes = read_whole(&mut response.body, secrets, time).await?;
            Ok(ResponseBody::Whole(utf8(bytes)?))
        }
        other => Err(ModelError::bad(
            BadResponse::WrongType,
            format!(
                "has the type {:?}, which is neither an event stream nor JSON",
                shown(&secrets.strike_out(other.to_owned()))
            ),
        )),
    }
}

/// Reads the body of a failure for a short time. The status is enough for an error, so a body that
/// does not end or that breaks is only cut.
async fn read_failure<B: Body>(body: &mut B, clock: &impl Clock) -> String {
    let mut bytes = Vec::new();
    let mut moment = pin!(clock.sleep(MODEL_FAILURE_BODY_MS));
    while bytes.len() < MAX_MODEL_FAILURE_BYTES {
        let Either::Left((Ok(Some(piece)), _)) = select(pin!(body.next()), moment.as_mut()).await
        else {
            break;
        };
        let room = MAX_MODEL_FAILURE_BYTES - bytes.len();
        bytes.extend(piece.into_iter().take(room));
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

async fn read_whole<B: Body, C: Clock>(
    body: &mut B,
    secrets: &Secrets,
    time: &Time<'_, C>,
) -> Result<Vec<u8>, ModelError> {
    let mut bytes = Vec::new();
    loop {
        let piece = if bytes.is_empty() {
            time.first_byte(body.next()).await?
        } else {
            time.next_byte(body.next()).await?
        };
        let Some(piece) = piece.map_err(|problem| broken(&problem, secrets))? else {
            return Ok(bytes);
        };
        if bytes.len().saturating_add(piece.len()) > MAX_MODEL_MESSAGE_BYTES {
            return Err(too_large_whole());
        }
        bytes.extend_from_slice(&piece);
        body.holds(bytes.len());
    }
}

/// Reads a stream to its end. After the event that ends the stream, a broken connection does not
/// matter.
pub(super) async fn read_events<C: Clock, W: Wire<C>>(
    wire: &W,
    mut body: W::Body,
    time: &Time<'_, C>,
    gathered: &mut ResponseCollector<'_>,
) -> Result<(), ModelError> {
    let mut stream = Stream {
        wire,
        events: Events::of_any_name(),
        read_bytes: 0,
    };
    loop {
        let came = if stream.read_bytes == 0 {
            time.first_byte(body.next()).await
        } else {
            time.next_byte(body.next()).await
        };
        let problem = match came {
            Ok(Ok(Some(piece))) => {
                if stream.take(&piece, gathered)? == Flow::Done {
                    return Ok(());
                }
                body.holds(stream.events.held());
                continue;
            }
            Ok(Ok(None)) => match stream.finish(gathered) {
                Ok(Flow::Done) => return Ok(()),
                // A broken connection can leave half an event.
                Ok(Flow::More) | Err(_) => unavailable("its response ended in the middle"),
            },
            Ok(Err(problem @ Broken::Off(_))) => broken(&problem, wire.secrets()),
            Ok(Err(Broken::NoRoom)) => return Err(broken(&Broken::NoRoom, wire.secrets())),
            Err(timeout) => timeout,
        };
        return if gathered.has_ended() {
            Ok(())
        } else {
            Err(problem)
        };
    }
}

struct Stream<'a, W> {
    wire: &'a W,
    events: Events,
    read_bytes: u64,
}

impl<W> Stream<'_, W> {
    fn take<C: Clock>(
        &mut self,
        piece: &[u8],
        gathered: &mut ResponseCollector<'_>,
    ) -> Result<Flow, ModelError>
    where
        W: Wire<C>,
    {
        self.read_bytes = self.read_bytes.saturating_add(piece.len() as u64);
        if self.read_bytes > MAX_MODEL_STREAM_BYTES {
            return Err(too_large(MAX_MODEL_STREAM_BYTES));
        }
        for part in piece.chunks(READ_AT_ONCE_BYTES) {
            if self.feed(part, gathered)? == Flow::Done {
                return Ok(Flow::Done);
            }
            if self.events.held() > MAX_MODEL_MESSAGE_BYTES {
                return Err(too_large_whole());
            }
        }
        Ok(Flow::More)
    }

    /// Reads the last event if the empty line after it is missing.
    fn finish<C: Clock>(&mut self, gathered: &mut ResponseCollector<'_>) -> Result<Flow, ModelError>
    where
        W: Wire<C>,
    {
        self.feed(b"\n\n", gathered)
    }

    fn feed<C: Clock>(
        &mut self,
        bytes: &[u8],
        gathered: &mut ResponseCollector<'_>,
    ) -> Result<Flow, ModelError>
    where
        W: Wire<C>,
    {
        let wire = self.wire;
        let mut flow = Ok(Flow::More);
        self.events.feed(bytes, &mut |data| {
            // Events after the end, or after a failure, are ignored.
            if flow == Ok(Flow::More) {
                flow = utf8(data).and_then(|data| {
                    wire.event(&wire.secrets().strike_out_of_json(data), gathered)
                });
            }
        });
        flow
    }
}

fn utf8(bytes: Vec<u8>) -> Result<String, ModelError> {
    String::from_utf8(bytes).map_err(|_| ModelError::bad(BadResponse::Malformed, "is not UTF-8"))
}

/// Returns the error for a JSON text that is longer than the limit.
pub(crate) fn too_large_whole() -> ModelError {
    too_large(MAX_MODEL_MESSAGE_BYTES as u64)
}

fn too_large(limit_bytes: u64) -> ModelError {
    ModelError::bad(
        BadResponse::TooLarge,
        format!("is larger than {limit_bytes} bytes"),
    )
}

/// Parses JSON of a response as a type of the protocol.
pub(crate) fn parse_event<T: DeserializeOwned>(json: &str) -> Result<T, ModelError> {
    serde_json::from_str(json).map_err(|_| not_described(json))
}

/// Returns the error for a response, or a part of one, that does not fit the protocol.
pub(crate) fn not_described(json: &str) -> ModelError {
    ModelError::bad(
        BadResponse::Malformed,
        format!(
            "is not what the API of the provider describes: {:?}",
            shown(json)
        ),
    )
}
