//! An event stream, read until the event that responses. What cannot be read is passed over: the response may still come. Where the connection
//! ends before it, the stream is taken up again if that is possible.

use super::expected::Expected;
use super::failure::Failure;
use super::message::{Notice, find_answer};
use net::limits::MAX_UPSTREAM_ANSWER_BYTES;
use net::sse::{Events, ResumePoint};
use net::transport::{Body, Broken};

/// Who can take up a stream again whose connection ended.
pub(super) trait Resume<B> {
    /// What follows in the stream, if its server says so.
    async fn resume(&mut self, place: &ResumePoint) -> Option<B>;
}

/// Nobody: the protocol version, or what was asked, has no such thing.
pub(super) struct Never;

impl<B> Resume<B> for Never {
    async fn resume(&mut self, _place: &ResumePoint) -> Option<B> {
        None
    }
}

/// What is known of a stream, over all its connections.
#[derive(Default)]
struct Stream {
    events: Events,
    /// What comes with the response counts: a stream may not go on for ever.
    received: usize,
    /// Why the first event that cannot be read cannot be.
    unreadable: Option<Failure>,
    resumed: bool,
}

/// Reads a stream until its response.
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
        // Its connection is closed before there is another one.
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
    /// How the connection ended.
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
