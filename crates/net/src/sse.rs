//! Reads server-sent events from bytes, as far as MCP uses them: the data of each event that is a
//! message, and the point from which an interrupted stream can be resumed. Comments are ignored,
//! and so are events with other names, unless [`Events::of_any_name`] is used: some servers name
//! every event, and repeat its type in the data.
//!
//! The reader holds no more than the bytes since the last event; the caller counts and limits them.

use crate::limits::MAX_EVENT_ID_BYTES;

/// The default name of events.
const MESSAGE: &[u8] = b"message";

/// A reader of an event stream, with the parts of the unfinished event.
#[derive(Debug, Default)]
pub struct Events {
    /// The bytes of an unfinished line.
    line: Vec<u8>,
    /// The data of an unfinished event.
    data: Vec<u8>,
    /// True if the event has a data line, which may be empty.
    has_data: bool,
    /// True if the name of the event shows that it is not a message.
    is_other: bool,
    /// The id of the unfinished event. It becomes the last id when the event ends.
    id: Option<String>,
    /// True if a carriage return ended the last line; a following line feed belongs to it.
    after_return: bool,
    /// True after the first line, which may begin with a byte-order mark.
    begun: bool,
    /// True if events of every name are messages.
    any_name: bool,
    place: ResumePoint,
}

/// The point from which a stream can be resumed.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct ResumePoint {
    /// The id of the last event.
    pub last_id: Option<String>,
    /// The wait that the server demands before a resumption.
    pub retry_ms: Option<u64>,
}

impl Events {
    /// Creates a reader for which events of every name are messages.
    pub fn of_any_name() -> Self {
        Self {
            any_name: true,
            ..Self::default()
        }
    }

    /// Returns the point from which the stream can be resumed.
    pub fn place(&self) -> &ResumePoint {
        &self.place
    }

    /// Prepares for a new connection of the same stream. An unfinished event will be sent again.
    pub fn begin_again(&mut self) {
        *self = Self {
            id: self.place.last_id.clone(),
            any_name: self.any_name,
            place: std::mem::take(&mut self.place),
            ..Self::default()
        };
    }

    /// Returns the number of bytes held for the unfinished event.
    pub fn held(&self) -> usize {
        self.line.len() + self.data.len()
    }

    /// Takes bytes, and calls `message` with the data of each message that they complete.
    pub fn feed(&mut self, bytes: &[u8], message: &mut impl FnMut(Vec<u8>)) {
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (line, after) = rest.split_at(end);
            let (ending, after) = after.split_first().unwrap_or((&b'\n', after));
            rest = after;
            let second_half = std::mem::replace(&mut self.after_return, *ending == b'\r')
                && *ending == b'\n'
                && line.is_empty()
                && self.line.is_empty();
            if second_half {
                self.after_return = false;
                continue;
            }
            self.line.extend_from_slice(line);
            let line = std::mem::take(&mut self.line);
            self.end_line(&line, message);
        }
        if !rest.is_empty() {
            self.after_return = false;
            self.line.extend_from_slice(rest);
        }
    }

    fn end_line(&mut self, line: &[u8], message: &mut impl FnMut(Vec<u8>)) {
        let line = if std::mem::replace(&mut self.begun, true) {
            line
        } else {
            line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line)
        };
        if line.is_empty() {
            return self.end_event(message);
        }
        let colon = line.iter().position(|byte| *byte == b':');
        let (field, value) = line.split_at(colon.unwrap_or(line.len()));
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => self.add_data(value),
            b"event" => {
                self.is_other = !self.any_name && !value.is_empty() && value != MESSAGE;
            }
            b"id" => self.id = usable_id(value),
            b"retry" => {
                let digits = std::str::from_utf8(value).ok();
                let retry_ms = digits.and_then(|digits| digits.parse().ok());
                self.place.retry_ms = retry_ms.or(self.place.retry_ms);
            }
            _ => {}
        }
    }

    fn add_data(&mut self, value: &[u8]) {
        if std::mem::replace(&mut self.has_data, true) {
            self.data.push(b'\n');
        }
        if self.data.is_empty() {
            self.data.reserve_exact(value.len());
        }
        self.data.extend_from_slice(value);
    }

    fn end_event(&mut self, message: &mut impl FnMut(Vec<u8>)) {
        if self.place.last_id != self.id {
            self.place.last_id.clone_from(&self.id);
        }
        let data = std::mem::take(&mut self.data);
        let is_message = !std::mem::take(&mut self.is_other);
        if std::mem::take(&mut self.has_data) && is_message {
            message(data);
        }
    }
}

/// Returns an id that a header can carry. With any other id the stream cannot be resumed.
fn usable_id(value: &[u8]) -> Option<String> {
    let usable = !value.is_empty()
        && value.len() <= MAX_EVENT_ID_BYTES
        && value.iter().all(|byte| matches!(byte, b' '..=b'~'));
    usable
        .then(|| String::from_utf8(value.to_vec()).ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pieces: &[&str]) -> Vec<String> {
        let mut events = Events::default();
        let mut seen = Vec::new();
        for piece in pieces {
            events.feed(piece.as_bytes(), &mut |data| {
                seen.push(String::from_utf8(data).unwrap())
            });
        }
        seen
    }

    #[test]
    fn data_of_each_event_comes_out() {
        assert_eq!(
            read(&["event: message\nid: 7\ndata: {\"a\":1}\n\ndata:{}\n\n"]),
            ["{\"a\":1}", "{}"]
        );
    }

    #[test]
    fn lines_of_data_are_joined() {
        assert_eq!(read(&["data: one\ndata:  two\ndata\n\n"]), ["one\n two\n"]);
    }

    #[test]
    fn comments_and_events_without_data_say_nothing() {
        assert!(read(&[": keep alive\n\nevent: x\n\nretry: 5\n\ndatabase: x\n\n"]).is_empty());
    }

    #[test]
    fn events_of_another_name_are_no_messages() {
        assert_eq!(
            read(&[
                "event: ping\ndata: 1700000000\n\n",
                "data: a\nevent:heartbeat\n\nevent:\ndata: b\n\nevent: message\ndata: c\n\n",
                "event: x\n\ndata: d\n\n"
            ]),
            ["b", "c", "d"]
        );
    }

    #[test]
    fn events_of_any_name_are_messages_where_that_is_wanted() {
        let mut events = Events::of_any_name();
        let mut seen = Vec::new();
        events.feed(b"event: ping\ndata: 1\n\ndata: ha", &mut |data| {
            seen.push(data)
        });
        events.begin_again();
        events.feed(b"event: x\ndata: 2\n\nevent: y\n\n", &mut |data| {
            seen.push(data)
        });
        assert_eq!(seen, [b"1", b"2"]);
    }

    fn place(text: &str) -> (Option<String>, Option<u64>) {
        let mut events = Events::default();
        events.feed(text.as_bytes(), &mut |_| {});
        let place = events.place().clone();
        (place.last_id, place.retry_ms)
    }

    #[test]
    fn a_stream_can_be_taken_up_after_the_last_event_that_has_ended() {
        let id = |text: &str| place(text).0;
        assert_eq!(id("id: 1\ndata: \n\n").as_deref(), Some("1"));
        assert_eq!(id("id: 1\n\nid: 2\ndata: x\n").as_deref(), Some("1"));
        assert_eq!(id("id:1\n\ndata: x\n\n").as_deref(), Some("1"));
        for none in [
            "data: x\n\n",
            "id: 1\n\nid\n\n",
            "id: \u{7f}\n\n",
            "id: é\n\n",
        ] {
            assert_eq!(id(none), None, "{none:?}");
        }
        assert_eq!(id(&format!("id: {}\n\n", "x".repeat(10_000))), None);
        assert_eq!(place("retry: 200\n").1, Some(200));
        assert_eq!(place("retry: 200\nretry: soon\nretry\n").1, Some(200));
    }

    #[test]
    fn a_stream_that_is_taken_up_again_begins_with_a_new_line() {
        let mut events = Events::default();
        events.feed(b"id: 1\ndata: a\n\ndata: ha", &mut |_| {});
        assert_eq!(events.held(), "data: ha".len());
        events.begin_again();
        assert_eq!(events.held(), 0);
        assert_eq!(events.place().last_id.as_deref(), Some("1"));
        let mut seen = Vec::new();
        events.feed(b"data: half\n\n", &mut |data| seen.push(data));
        assert_eq!(seen, [b"half"]);
        assert_eq!(events.place().last_id.as_deref(), Some("1"));
    }

    #[test]
    fn what_has_been_handed_out_is_held_no_more() {
        let mut events = Events::default();
        events.feed(b": comment\n\ndata: a\n\n", &mut |_| {});
        assert_eq!(events.held(), 0);
    }

    #[test]
    fn every_kind_of_line_end_ends_a_line() {
        assert_eq!(
            read(&["data: a\r\n\r\ndata: b\r\rdata: c\n\n"]),
            ["a", "b", "c"]
        );
    }

    #[test]
    fn an_event_that_has_not_ended_is_not_one() {
        assert!(read(&["data: a\n"]).is_empty());
    }

    #[test]
    fn the_cuts_between_pieces_do_not_matter() {
        let text = "\u{feff}data: é one\r\ndata: two\r\n\r\n:c\r\rdata: three\n\n";
        let whole = read(&[text]);
        assert_eq!(whole, ["é one\ntwo", "three"]);
        for cut in 0..=text.len() {
            let mut events = Events::default();
            let mut seen = Vec::new();
            for piece in [&text.as_bytes()[..cut], &text.as_bytes()[cut..]] {
                events.feed(piece, &mut |data| {
                    seen.push(String::from_utf8(data).unwrap())
                });
            }
            assert_eq!(seen, whole, "cut at {cut}");
        }
        let mut events = Events::default();
        let mut seen = Vec::new();
        for byte in text.as_bytes() {
            events.feed(&[*byte], &mut |data| {
                seen.push(String::from_utf8(data).unwrap())
            });
        }
        assert_eq!(seen, whole);
    }
}
