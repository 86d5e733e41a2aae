//! Removes the thoughts that reasoning models write before their response.
//!
//! Endpoints leave thoughts in the text, between marks. The first mark is often missing, because it
//! belongs to the prompt. All text up to the last closing mark is a draft, and so is all text after
//! an opening mark that is never closed.

/// Marks that open thoughts, in lower case.
const OPENING: &[&str] = &[
    "<think>",
    "<thinking>",
    "<thought>",
    "<reasoning>",
    "<reflection>",
    "[think]",
    "◁think▷",
    "<|channel|>analysis",
    "<|begin_of_thought|>",
];

/// Marks that close thoughts.
const CLOSING: &[&str] = &[
    "</think>",
    "</thinking>",
    "</thought>",
    "</reasoning>",
    "</reflection>",
    "[/think]",
    "◁/think▷",
    "<|channel|>final<|message|>",
    "<|end_of_thought|>",
];

/// Returns the position after the last closing mark.
pub(crate) fn end_of_thoughts(text: &str) -> Option<usize> {
    // Only ASCII letters change, so positions stay the same.
    let lower = text.to_ascii_lowercase();
    let ends = CLOSING
        .iter()
        .filter_map(|mark| Some(lower.rfind(mark)? + mark.len()));
    ends.max()
}

/// Returns the text without thoughts.
pub(crate) fn response(text: &str) -> &str {
    let behind = end_of_thoughts(text)
        .and_then(|at| text.get(at..))
        .unwrap_or(text);
    match opens(behind) {
        Some(_) => "",
        None => behind,
    }
}

fn opens(text: &str) -> Option<&'static str> {
    let lower = text.trim_start().to_ascii_lowercase();
    OPENING.iter().copied().find(|mark| lower.starts_with(mark))
}

/// A piece of the response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Text of the response, as far as is known.
    Text(String),
    /// The text until now was a draft.
    Again,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The text so far is blank, or the beginning of a mark.
    Start,
    Thoughts,
    Response,
}

/// A filter that removes thoughts from a text that arrives in pieces.
#[derive(Debug)]
pub(crate) struct Filter {
    place: Place,
    /// The end of the text so far, which may be the beginning of a mark.
    held: String,
    has_closed: bool,
}

impl Filter {
    /// Returns a filter. `thinks` is true if the endpoint is known to begin with thoughts without
    /// an opening mark.
    pub(crate) fn new(thinks: bool) -> Self {
        Self {
            place: if thinks {
                Place::Thoughts
            } else {
                Place::Start
            },
            held: String::new(),
            has_closed: false,
        }
    }

    /// Returns true if a closing mark was found.
    pub(crate) fn has_closed(&self) -> bool {
        self.has_closed
    }

    /// Takes the next piece. Returns the pieces that are known to be outside of thoughts.
    pub(crate) fn feed(&mut self, piece: &str) -> Vec<Piece> {
        self.held.push_str(piece);
        let mut came = Vec::new();
        if let Some(end) = end_of_thoughts(&self.held) {
            self.held.drain(..end);
            self.has_closed = true;
            self.place = Place::Start;
            came.push(Piece::Again);
        }
        if self.place == Place::Start {
            if opens(&self.held).is_some() {
                self.place = Place::Thoughts;
            } else if !may_begin(OPENING, self.held.trim_start()) {
                self.place = Place::Response;
            } else {
                return came;
            }
        }
        let kept = self
            .held
            .char_indices()
            .rev()
            .take(LONGEST_MARK)
            .map(|(at, _)| at);
        let from = kept
            .filter(|at| {
                self.held
                    .get(*at..)
                    .is_some_and(|end| may_begin(CLOSING, end))
            })
            .last()
            .unwrap_or(self.held.len());
        let out: String = self.held.drain(..from).collect();
        if self.place == Place::Response && !out.is_empty() {
            came.push(Piece::Text(out));
        }
        came
    }

    /// Returns the rest of the text after its end.
    pub(crate) fn finish(&mut self) -> String {
        match self.place {
            Place::Thoughts => String::new(),
            Place::Start | Place::Response => std::mem::take(&mut self.held),
        }
    }
}

/// Characters of the longest mark.
const LONGEST_MARK: usize = 32;

/// Returns true if a text is empty or the beginning of a mark.
fn may_begin(marks: &[&str], text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    marks.iter().any(|mark| mark.starts_with(&lower))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(pieces: &[&str], thinks: bool) -> String {
        let mut filter = Filter::new(thinks);
        let mut text = String::new();
        for piece in pieces {
            for came in filter.feed(piece) {
                match came {
                    Piece::Text(more) => text.push_str(&more),
                    Piece::Again => text.clear(),
                }
            }
        }
        text + &filter.finish()
    }

    #[test]
    fn thoughts_are_no_part_of_a_response_wherever_it_is_cut() {
        for (text, expected) in [
            ("<think>a draft</think>yes", "yes"),
            (" \n<THINK>a</Think>\nyes", "\nyes"),
            ("a draft without its opening mark</think>yes", "yes"),
            ("one</think>two</think>yes", "yes"),
            ("<think>a</think><think>b</think>yes", "yes"),
            ("<think>never closed {\"a\":1}", ""),
            ("a</think><think>never closed", ""),
            ("[THINK]a[/THINK]yes", "yes"),
            ("◁think▷é◁/think▷yes", "yes"),
            (
                "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>yes",
                "yes",
            ),
            ("a < b and </b> </thin", "a < b and </b> </thin"),
            ("<", "<"),
            ("", ""),
        ] {
            assert_eq!(response(text), expected, "{text}");
            assert_eq!(stream(&[text], false), expected, "{text}");
            let letters: Vec<String> = text.chars().map(String::from).collect();
            let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
            assert_eq!(stream(&letters, false), expected, "{text} letter by letter");
        }
        assert_eq!(stream(&["a draft", "</thi", "nk>yes"], true), "yes");
        assert_eq!(stream(&["all of it"], true), "");
    }

    #[test]
    fn nothing_grows_with_thoughts() {
        let mut filter = Filter::new(false);
        for _ in 0..1_000 {
            filter.feed("<think>a long thought <");
        }
        assert!(filter.held.len() < 100 && LONGEST_MARK >= 27);
    }
}
