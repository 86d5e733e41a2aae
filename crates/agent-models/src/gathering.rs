//! Collects the parts of a response: text, JSON, tokens, the reason of its end. The readers of all
//! protocols add to it, so limits, the stream to the caller and the final check are the same for
//! all of them.

use base::text;
use net::Secrets;

use crate::accounting::{estimated_input_tokens, estimated_tokens};
use crate::completion::{Completion, StopReason};
use crate::error::{BadResponse, ModelError, ModelFailure, Refuser};
use crate::limits::{
    MAX_MODEL_NAME_CHARACTERS, MAX_MODEL_TEXT_BYTES, MAX_SHOWN_MODEL_CHARACTERS,
    MAX_WORDS_AHEAD_BYTES,
};
use crate::partial::FieldStream;
use crate::request::{ModelRequest, Structure};
use crate::structured::{NoObject, object_behind_thoughts, object_in};
use crate::thinking::{self, Filter, Piece};
use crate::usage::Usage;

/// The end of a response, as the protocol reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResponseEnd {
    /// The response can be used.
    With(StopReason),
    /// The model, or a filter, refused.
    Refused(Refuser),
}

/// The text that contains the object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// The text of the model.
    Text,
    /// The input with which the model calls its one tool.
    Tool,
}

/// A response that is still being received.
pub struct ResponseCollector<'f> {
    text: String,
    tool_json: String,
    refusal: String,
    source: Option<Source>,
    field: Option<FieldStream>,
    structured: bool,
    takes_words: bool,
    thoughts: Filter,
    /// True if the object begins early enough to be the final one and not a draft; `None` while
    /// this is not known.
    begins: Option<bool>,
    /// Bytes of text before the object.
    ahead: usize,
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    ended: Option<ResponseEnd>,
    model: Option<String>,
    /// True if the caller has received some text.
    handed_out: bool,
    /// True if the caller gets no more text, because the text that it got turned out not to be part
    /// of the response.
    muted: bool,
    secrets: &'f Secrets,
    on_text: &'f mut dyn FnMut(&str),
}

impl<'f> ResponseCollector<'f> {
    /// Returns an empty response to a request. `thinks` is true if the endpoint has sent thoughts
    /// before.
    pub fn new(
        request: &ModelRequest,
        secrets: &'f Secrets,
        thinks: bool,
        on_text: &'f mut dyn FnMut(&str),
    ) -> Self {
        let structure = request.structure();
        let field = structure.and_then(|structure| structure.streamed_field());
        Self {
            text: String::new(),
            tool_json: String::new(),
            refusal: String::new(),
            source: None,
            field: field.map(FieldStream::new),
            structured: structure.is_some(),
            takes_words: structure.is_some_and(Structure::takes_words),
            thoughts: Filter::new(thinks),
            begins: None,
            ahead: 0,
            input_tokens: None,
            output_tokens: None,
            ended: None,
            model: None,
            handed_out: false,
            muted: false,
            secrets,
            on_text,
        }
    }

    /// Adds text of the model.
    pub fn add_text(&mut self, piece: &str) -> Result<(), ModelError> {
        if piece.is_empty() {
            return Ok(());
        }
        self.make_room(piece)?;
        self.text.push_str(piece);
        for came in self.thoughts.feed(piece) {
            match came {
                Piece::Text(text) => self.hand_out(Source::Text, &text),
                Piece::Again => self.begin_again(),
            }
        }
        // From now on the request is not sent again.
        self.source.get_or_insert(Source::Text);
        Ok(())
    }

    /// Discards the text until now as a draft. The text that follows is sent to the caller, unless
    /// a part of the draft already was.
    fn begin_again(&mut self) {
        self.muted |= self.handed_out;
        self.begins = None;
        self.ahead = 0;
        if let Some(field) = &mut self.field {
            field.begin_again();
        }
    }

    /// Returns true if the response began with thoughts.
    pub fn has_thought(&self) -> bool {
        self.thoughts.has_closed()
    }

    /// Adds JSON of the call of the tool; it may be empty.
    pub fn add_tool_json(&mut self, piece: &str) -> Result<(), ModelError> {
        self.make_room(piece)?;
        self.tool_json.push_str(piece);
        self.hand_out(Source::Tool, piece);
        Ok(())
    }

    /// Adds text with which the model refuses.
    pub fn add_refusal(&mut self, piece: &str) -> Result<(), ModelError> {
        self.make_room(piece)?;
        self.refusal.push_str(piece);
        Ok(())
    }

    /// Sets the end, as the protocol reports it.
    pub fn end(&mut self, ended: ResponseEnd) {
        self.ended = Some(ended);
    }

    /// Sets the tokens counted until now. `None` keeps the value from before.
    pub fn count(&mut self, input_tokens: Option<u64>, output_tokens: Option<u64>) {
        self.input_tokens = input_tokens.or(self.input_tokens);
        self.output_tokens = output_tokens.or(self.output_tokens);
    }

    /// Sets the name of the model at the provider.
    pub fn name_model(&mut self, name: &str) {
        if self.model.is_none() && !name.is_empty() {
            self.model = Some(text::first(name, MAX_MODEL_NAME_CHARACTERS));
        }
    }

    /// Returns true if the model has written something. From then on the request is not sent again.
    pub fn has_begun(&self) -> bool {
        self.source.is_some() || !self.refusal.is_empty()
    }

    /// Returns true if the protocol has reported the end.
    pub fn has_ended(&self) -> bool {
        self.ended.is_some()
    }

    /// Returns the tokens until now. If the provider has not counted them, they are estimated, but
    /// only if the model has written something.
    pub fn usage(&self, request: &ModelRequest) -> Usage {
        let counted = self.input_tokens.is_some() || self.output_tokens.is_some();
        if !counted && !self.has_begun() {
            return Usage::default();
        }
        let written = [&self.text, &self.tool_json, &self.refusal];
        let estimated_output = || written.into_iter().map(|text| estimated_tokens(text)).sum();
        Usage {
            input_tokens: self
                .input_tokens
                .unwrap_or_else(|| estimated_input_tokens(request)),
            output_tokens: self.output_tokens.unwrap_or_else(estimated_output),
            estimated: self.input_tokens.is_none() || self.output_tokens.is_none(),
        }
    }

    /// Returns the whole response. `model` is the requested model, for a provider that does not
    /// name it.
    pub fn finish(
        mut self,
        request: &ModelRequest,
        model: &str,
    ) -> Result<Completion, ModelFailure> {
        let rest = self.thoughts.finish();
        if !rest.is_empty() && self.source == Some(Source::Text) {
            self.hand_out(Source::Text, &rest);
        }
        let usage = self.usage(request);
        let model = self.model.clone().unwrap_or_else(|| model.to_owned());
        self.judge(usage, model)
            .map_err(|error| ModelFailure { error, usage })
    }

    fn judge(self, usage: Usage, model: String) -> Result<Completion, ModelError> {
        // Events are redacted one by one; a secret may extend over two of them.
        let refusal = self.secrets.strike_out(self.refusal);
        let stop = match self.ended {
            Some(ResponseEnd::Refused(by)) => return Err(refused(by, &refusal)),
            _ if !refusal.is_empty() => return Err(refused(Refuser::Model, &refusal)),
            Some(ResponseEnd::With(stop)) => stop,
            None => StopReason::Other,
        };
        let mut text = match self.source {
            Some(Source::Tool) => self.tool_json,
            _ => self.text,
        };
        text = self.secrets.strike_out(text);
        if self.structured && self.source == Some(Source::Tool) && text.is_empty() {
            text.push_str("{}");
        }
        if text.trim().is_empty() {
            return Err(if stop == StopReason::MaxTokens {
                cut_off()
            } else {
                ModelError::bad(BadResponse::Empty, "is empty")
            });
        }
        let found = match (self.structured, self.source) {
            (false, _) => None,
            (true, Some(Source::Tool)) => Some(object_in(&text)),
            (true, _) => Some(object_behind_thoughts(&text)),
        };
        let object = match found {
            Some(Err(NoObject::None)) if self.takes_words && stop != StopReason::MaxTokens => None,
            Some(found) => Some(found.map_err(|problem| no_object(problem, stop, &text))?),
            None => None,
        };
        if self.source != Some(Source::Tool) {
            text = thinking::response(&text).to_owned();
            if object.is_none() && text.trim().is_empty() {
                return Err(match stop {
                    StopReason::MaxTokens => cut_off(),
                    StopReason::End | StopReason::Other => {
                        ModelError::bad(BadResponse::Empty, "contains thoughts but no text")
                    }
                });
            }
        }
        Ok(Completion {
            text,
            object,
            usage,
            stop,
            model,
        })
    }

    fn make_room(&self, piece: &str) -> Result<(), ModelError> {
        let held = self.text.len() + self.tool_json.len() + self.refusal.len();
        if held.saturating_add(piece.len()) > MAX_MODEL_TEXT_BYTES {
            return Err(ModelError::bad(
                BadResponse::TooLarge,
                format!("is longer than {MAX_MODEL_TEXT_BYTES} bytes"),
            ));
        }
        Ok(())
    }

    /// Returns true if the object begins early. Many sentences before it may be thoughts without an
    /// opening mark, and the object a draft within them.
    fn begins_as_object(&mut self, piece: &str) -> bool {
        if self.begins.is_none() {
            let (ahead, found) = match piece.find('{') {
                Some(at) => (at, true),
                None => (piece.len(), false),
            };
            self.ahead = self.ahead.saturating_add(ahead);
            self.begins = match self.ahead > MAX_WORDS_AHEAD_BYTES {
                true => Some(false),
                false => found.then_some(true),
            };
        }
        self.begins != Some(false)
    }

    /// Sends a piece to the caller if it belongs to the response: the JSON of the tool if there is
    /// any, unless other text was sent before it.
    fn hand_out(&mut self, source: Source, piece: &str) {
        match (self.source, source) {
            (Some(Source::Tool), Source::Text) => return,
            (Some(Source::Text), Source::Tool) => {
                self.muted = self.handed_out;
                if let Some(field) = &mut self.field {
                    field.begin_again();
                }
            }
            _ => {}
        }
        self.source = Some(source);
        if self.muted {
            return;
        }
        if source == Source::Text && self.structured && !self.begins_as_object(piece) {
            return;
        }
        let field = self.field.as_mut().map(|field| field.feed(piece));
        let came = if self.structured {
            field.unwrap_or_default()
        } else {
            piece.to_owned()
        };
        if !came.is_empty() {
            self.handed_out = true;
            (self.on_text)(&came);
        }
    }
}

fn refused(by: Refuser, words: &str) -> ModelError {
    ModelError::Refused {
        by,
        message: shown(words),
    }
}

fn cut_off() -> ModelError {
    ModelError::bad(
        BadResponse::CutOff,
        "ended at the limit of its tokens before it was complete",
    )
}

fn no_object(problem: NoObject, stop: StopReason, text: &str) -> ModelError {
    match problem {
        NoObject::None if stop == StopReason::MaxTokens => cut_off(),
        NoObject::None => ModelError::bad(
            BadResponse::NoObject,
            format!("has no JSON object: {:?}", shown(text)),
        ),
        NoObject::Several => ModelError::bad(
            BadResponse::SeveralObjects,
            format!("has several JSON objects: {:?}", shown(text)),
        ),
    }
}

/// Shortens a text of a provider or a model for an error message.
pub fn shown(words: &str) -> String {
    text::cut(
        text::one_line(text::first(words.trim(), MAX_SHOWN_MODEL_CHARACTERS + 1).as_str()).trim(),
        MAX_SHOWN_MODEL_CHARACTERS,
    )
}
