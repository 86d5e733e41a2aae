//! Reads the named events of our own event streams. [`super::event_stream`] writes them; streams of
//! other servers are read by [`super::sse`].

/// A reader, with the bytes of the event that is not complete yet.
#[derive(Debug, Default)]
pub struct NamedEvents {
    buffer: Vec<u8>,
}

/// A complete event: its name and its data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedEvent {
    /// Its name.
    pub name: String,
    /// Its data.
    pub data: String,
}

/// The end of an event.
const END: &[u8] = b"\n\n";

impl NamedEvents {
    /// Takes the next piece and returns the events that it completes. Comments are ignored.
    pub fn feed(&mut self, piece: &[u8]) -> Vec<NamedEvent> {
        // Only the last byte is searched again, because the end of an event may span two pieces.
        let mut searched = self.buffer.len().saturating_sub(END.len() - 1);
        self.buffer.extend_from_slice(piece);
        let mut events = Vec::new();
        let mut begin = 0;
        while let Some(at) = position(&self.buffer, searched) {
            let event = self.buffer.get(begin..at).unwrap_or_default();
            events.extend(read(&String::from_utf8_lossy(event)));
            begin = at + END.len();
            searched = begin;
        }
        self.buffer.drain(..begin);
        events
    }

    /// Returns the number of bytes that wait for the end of their event.
    pub fn held(&self) -> usize {
        self.buffer.len()
    }
}

fn position(bytes: &[u8], from: usize) -> Option<usize> {
    let rest = bytes.get(from..)?;
    let found = rest.windows(END.len()).position(|window| window == END)?;
    Some(from + found)
}

fn read(text: &str) -> Option<NamedEvent> {
    let mut event = NamedEvent {
        name: String::new(),
        data: String::new(),
    };
    for line in text.lines() {
        match line.split_once(": ") {
            Some(("event", name)) => name.clone_into(&mut event.name),
            Some(("data", data)) => {
                if !event.data.is_empty() {
                    event.data.push('\n');
                }
                event.data.push_str(data);
            }
            _ => {}
        }
    }
    (!event.name.is_empty()).then_some(event)
}

#[cfg(test)]
mod tests {
    use super::super::event_stream::EventStream;
    use super::*;

    #[test]
    fn what_we_write_is_read_again_wherever_it_is_cut() {
        let mut stream = EventStream::default();
        let mut bytes = b": accepted\n\n".to_vec();
        bytes.extend_from_slice(&stream.write("console", r#"{"text":"a"}"#));
        bytes.extend_from_slice(b": still running\n\n");
        bytes.extend_from_slice(&stream.write("result", "{\"a\":\n1}"));
        let wanted = [("console", r#"{"text":"a"}"#), ("result", "{\"a\":\n1}")];
        for cut in 0..bytes.len() {
            let (first, second) = bytes.split_at(cut);
            let mut events = NamedEvents::default();
            let mut seen = events.feed(first);
            seen.extend(events.feed(second));
            let seen: Vec<(&str, &str)> = seen
                .iter()
                .map(|event| (event.name.as_str(), event.data.as_str()))
                .collect();
            assert_eq!(seen, wanted, "cut at {cut}");
            assert_eq!(events.held(), 0);
        }
    }
}
