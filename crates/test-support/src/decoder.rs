//! Decoders of text encodings for tests. They follow the same standard as those of the platform.

use encoding_rs::{Decoder, DecoderResult, Encoding};
use session::bulk::Decode;

struct HostDecoder(Decoder);

/// Returns the decoder of an encoding.
pub fn text_decoder(encoding: &str) -> Option<Box<dyn Decode>> {
    let decoder = Encoding::for_label(encoding.as_bytes())?.new_decoder_with_bom_removal();
    Some(Box::new(HostDecoder(decoder)))
}

impl Decode for HostDecoder {
    fn decode(&mut self, bytes: &[u8], end: bool) -> Option<String> {
        let room = self
            .0
            .max_utf8_buffer_length_without_replacement(bytes.len())?;
        let mut text = String::with_capacity(room);
        let (result, read) = self
            .0
            .decode_to_string_without_replacement(bytes, &mut text, end);
        (result == DecoderResult::InputEmpty && read == bytes.len()).then_some(text)
    }
}
