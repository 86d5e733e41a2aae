//! Server-sent events from bytes, as far as the protocol uses them: the data of each event. Comments, names and ids are passed over.
//!
//! Bounded: whoever feeds it counts the bytes; it holds no more than what was fed since the last event.

/// An event stream that is being read.
#[derive(Debug, Default)]
pub struct Events {
    /// Bytes of a line that has not ended.
    line: Vec<u8>,
    /// Data of an event that has not ended.
    data: Vec<u8>,
    /// Whether the event has a data line, which may be empty.
    has_data: bool,
    /// A carriage return ended the last line; a line feed after it belongs to it.
    after_return: bool,
    /// Whether the first line has been seen, which may begin with a byte-order mark.
    begun: bool,
}

impl Events {
    /// Takes bytes, and hands out the data of each event that they complete.
    pub fn feed(&mut self, bytes: &[u8], event: &mut impl FnMut(Vec<u8>)) {
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
            self.end_line(&line, event);
        }
        if !rest.is_empty() {
            self.after_return = false;
            self.line.extend_from_slice(rest);
        }
    }

    fn end_line(&mut self, line: &[u8], event: &mut impl FnMut(Vec<u8>)) {
        let line = if std::mem::replace(&mut self.begun, true) {
            line
        } else {
            line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line)
        };
        if line.is_empty() {
            if std::mem::take(&mut self.has_data) {
                event(std::mem::take(&mut self.data));
            }
            return;
        }
        let value = match line.strip_prefix(b"data") {
            Some([]) => &[],
            Some([b':', value @ ..]) => value.strip_prefix(b" ").unwrap_or(value),
            _ => return,
        };
        if std::mem::replace(&mut self.has_data, true) {
            self.data.push(b'\n');
        }
        if self.data.is_empty() {
            self.data.reserve_exact(value.len());
        }
        self.data.extend_from_slice(value);
    }
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
