//! Writes server-sent events. They are numbered and kept up to a limit, so that a reader whose
//! connection broke can resume after the last event it received. [`super::sse`] reads them.

use std::collections::VecDeque;
use std::rc::Rc;

/// The events of one stream, over all its connections.
#[derive(Debug, Default)]
pub struct EventStream {
    last_id: u64,
    kept: VecDeque<(u64, Rc<[u8]>)>,
    kept_bytes: usize,
    max_kept_bytes: usize,
}

impl EventStream {
    /// Creates a stream that keeps its last events up to this many bytes. A stream that keeps
    /// nothing cannot be resumed.
    pub fn keeping(max_kept_bytes: usize) -> Self {
        Self {
            max_kept_bytes,
            ..Self::default()
        }
    }

    /// Writes an event with the next id, beginning with 1. Line breaks in `data` become line feeds;
    /// a name must not have any.
    pub fn write(&mut self, name: &str, data: &str) -> Rc<[u8]> {
        self.last_id += 1;
        let mut text = format!("id: {}\nevent: {name}\n", self.last_id);
        // A carriage return would also end a line of the stream.
        for line in data.replace("\r\n", "\n").split(['\n', '\r']) {
            text.push_str("data: ");
            text.push_str(line);
            text.push('\n');
        }
        text.push('\n');
        let event: Rc<[u8]> = text.into_bytes().into();
        self.keep(&event);
        event
    }

    fn keep(&mut self, event: &Rc<[u8]>) {
        self.kept_bytes += event.len();
        self.kept.push_back((self.last_id, Rc::clone(event)));
        while self.kept_bytes > self.max_kept_bytes {
            let Some((_, oldest)) = self.kept.pop_front() else {
                return;
            };
            self.kept_bytes -= oldest.len();
        }
    }

    /// Returns the id of the last event; 0 before the first.
    pub fn last_id(&self) -> u64 {
        self.last_id
    }

    /// Returns the events after the one with this id, 0 for all; `None` if some are no longer kept,
    /// or if no event has had that id.
    pub fn after(&self, id: u64) -> Option<Vec<Rc<[u8]>>> {
        let missed = usize::try_from(self.last_id.checked_sub(id)?).ok()?;
        let first = self.kept.len().checked_sub(missed)?;
        let later = self.kept.iter().skip(first);
        Some(later.map(|(_, event)| Rc::clone(event)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::sse::Events;
    use super::EventStream;

    fn read(bytes: &[u8]) -> (Vec<String>, Option<String>) {
        let mut events = Events::default();
        let mut data = Vec::new();
        events.feed(bytes, &mut |message| {
            data.push(String::from_utf8(message).unwrap());
        });
        (data, events.place().last_id.clone())
    }

    #[test]
    fn an_event_has_its_number_name_and_data() {
        let mut stream = EventStream::default();
        assert_eq!(
            &*stream.write("call", r#"{"ok":true}"#),
            b"id: 1\nevent: call\ndata: {\"ok\":true}\n\n"
        );
        assert_eq!(
            &*stream.write("done", ""),
            b"id: 2\nevent: done\ndata: \n\n"
        );
        assert_eq!(stream.last_id(), 2);
    }

    #[test]
    fn data_of_several_lines_cannot_end_an_event_or_begin_another() {
        for (data, arrived) in [
            ("a\nb", "a\nb"),
            ("a\r\nb", "a\nb"),
            ("a\rb\r", "a\nb\n"),
            ("a\n\nevent: forged\n", "a\n\nevent: forged\n"),
            ("\n", "\n"),
        ] {
            let mut stream = EventStream::default();
            let (messages, last_id) = read(&stream.write("message", data));
            assert_eq!(messages, [arrived], "{data:?}");
            assert_eq!(last_id.as_deref(), Some("1"), "{data:?}");
        }
    }

    #[test]
    fn a_reader_goes_on_behind_the_last_event_that_it_has() {
        let mut stream = EventStream::keeping(1_000);
        for number in 1..=5 {
            stream.write("message", &number.to_string());
        }
        let after = |id| {
            let events = stream.after(id)?;
            Some(read(&events.concat()).0)
        };
        assert_eq!(
            after(0),
            Some(["1", "2", "3", "4", "5"].map(str::to_owned).to_vec())
        );
        assert_eq!(after(3), Some(["4", "5"].map(str::to_owned).to_vec()));
        assert_eq!(after(5), Some(vec![]));
        assert_eq!(after(6), None, "no event had that id");
        assert_eq!(after(u64::MAX), None);
    }

    #[test]
    fn what_is_kept_is_bounded_and_a_gap_is_said() {
        let mut stream = EventStream::keeping(100);
        for number in 10..60 {
            stream.write("message", &number.to_string());
            assert!(stream.kept_bytes <= 100);
        }
        assert_eq!(stream.after(0), None);
        let kept = stream.kept.len() as u64;
        assert!((2..5).contains(&kept), "{kept}");
        assert!(stream.after(50 - kept).is_some());
        assert_eq!(stream.after(50 - kept - 1), None);
        stream.write("message", &"long".repeat(100));
        assert!(stream.kept.is_empty() && stream.kept_bytes == 0);
        assert_eq!(stream.after(51), Some(vec![]));
        assert_eq!(stream.after(50), None);
    }
}
