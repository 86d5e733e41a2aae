//! An event stream, read up to the event with the response. Events that cannot be read are skipped,
//! because the response may still come. If the connection ends first, the stream is resumed if
//! possible.

use super::expected::Expected;
use super::failure::Failure;
use super::message::{Notice, find_answer};
use net::limits::MAX_UPSTREAM_ANSWER_BYTES;
use net::sse::{Events, ResumePoint};
use net::transport::{Body, Broken};

/// A way to resume a stream whose connection has ended.
pub(super) trait Resume<B> {
    /// Returns the rest of the stream, if the server has it.
    async fn resume(&mut self, place: &ResumePoint) -> Option<B>;
}

/// A [`Resume`] for a protocol version or a request that has no resumption.
pub(super) struct NoResumption;

impl<B> Resume<B> for NoResumption {
    async fn resume(&mut self, _place: &ResumePoint) -> Option<B> {
        None
    }
}

/// The state of a stream over all its connections.
#[derive(Default)]
struct Stream {
    events: Events,
    /// The bytes received so far; they are limited, because a stream might never end.
    received: usize,
    /// The failure of the first event that cannot be read.
    unreadable: Option<Failure>,
    resumed: bool,
}

/// Reads a stream up to its response.
///
/// # Errors
/// [`Failure`].
pub(super) async fn read_events<B: Body, C>(
    mut body: B,
    expected: &Expected<'_, C>,
    notice: &mut impl FnMut(Notice),
    resume: &mut impl Resume<B>,
) -> Result<Vec<u8>, Failure> {
    let mut stream = Stream::default();
    loop {
        let end = match stream.read(&mut body, expected, notice).await? {
            Piece::Answer(answer) => return Ok(answer),
            Piece::End(end) => end,
        };
        // Close the connection before another one is opened.
        drop(body);
        body = match resume.resume(stream.events.place()).await {
            Some(body) => body,
            None => return Err(stream.failure(&end)),
        };
        stream.resumed = true;
        stream.events.begin_again();
    }
}

enum Piece {
    Answer(Vec<u8>),
    /// The reason for which the connection ended.
    End(String),
}

impl Stream {
    async fn read<B: Body, C>(
        &mut self,
        body: &mut B,
        expected: &Expected<'_, C>,
        notice: &mut impl FnMut(Notice),
    ) -> Result<Piece, Failure> {
        loop {
            let piece = match body.next().await {
                Ok(Some(piece)) => piece,
                Ok(None) => return Ok(Piece::End("it ended".to_owned())),
                Err(Broken::Off(how)) => return Ok(Piece::End(how)),
                Err(broken @ Broken::NoRoom) => return Err(broken.into()),
            };
            self.received += piece.len();
            if self.received > MAX_UPSTREAM_ANSWER_BYTES {
                return Err(Failure::TooLarge);
            }
            let mut answer = None;
            let unreadable = &mut self.unreadable;
            self.events.feed(&piece, &mut |data| {
                if answer.is_some() || data.iter().all(u8::is_ascii_whitespace) {
                    return;
                }
                match find_answer(data, expected.id, expected.batches, notice) {
                    Ok(found) => answer = found,
                    Err(failure) => {
                        unreadable.get_or_insert(failure);
                    }
                }
            });
            if let Some(answer) = answer {
                return Ok(Piece::Answer(answer));
            }
            body.holds(self.events.held());
        }
    }

    fn failure(self, end: &str) -> Failure {
        if let Some(failure) = self.unreadable {
            return failure;
        }
        let text = format!("the event stream broke off before the response: {end}");
        if self.resumed {
            Failure::Lost(text)
        } else {
            Failure::Connection(text)
        }
    }
}
