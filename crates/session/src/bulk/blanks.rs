//! Reads columns that are aligned with spaces: a run of spaces is one delimiter, and spaces at the
//! ends of a line are ignored.

/// A filter that rewrites runs of spaces outside quotes as single spaces, in the pieces of a body.
#[derive(Debug, Default)]
pub(super) struct BlankRuns {
    /// True after a space, until it is known if a field follows.
    is_pending: bool,
    is_quoted: bool,
    is_in_line: bool,
}

impl BlankRuns {
    /// Returns the piece with single spaces.
    pub(super) fn single(&mut self, piece: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(piece.len());
        for &byte in piece {
            match byte {
                b' ' if !self.is_quoted => {
                    self.is_pending = self.is_in_line;
                    continue;
                }
                b'\r' | b'\n' if !self.is_quoted => {
                    (self.is_pending, self.is_in_line) = (false, false);
                    out.push(byte);
                    continue;
                }
                b'"' => self.is_quoted = !self.is_quoted,
                _ => {}
            }
            if std::mem::take(&mut self.is_pending) {
                out.push(b' ');
            }
            self.is_in_line = true;
            out.push(byte);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::BlankRuns;

    #[test]
    fn runs_outside_quotes_are_single() {
        for (text, wanted) in [
            ("a  b   c\n", "a b c\n"),
            ("  a b  \r\n 1   2\n", "a b\r\n1 2\n"),
            ("\"x  y\"   z", "\"x  y\" z"),
            ("a b   ", "a b"),
            ("\n  \n", "\n\n"),
        ] {
            for piece_bytes in [1, 3, 100] {
                let mut runs = BlankRuns::default();
                let pieces = text.as_bytes().chunks(piece_bytes);
                let out: Vec<u8> = pieces.flat_map(|piece| runs.single(piece)).collect();
                assert_eq!(String::from_utf8(out).unwrap(), wanted, "{text:?}");
            }
        }
    }
}
