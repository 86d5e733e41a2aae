//! Unpacks a body that arrives with `content-encoding: gzip`, in bounded memory.
//!
//! The output is passed on in pieces of some 32 KiB. So a small body that unpacks to a huge one is
//! stopped by the limit of the load, and never held. A file with several members, as bgzip and pigz
//! write, is one body.

use base::CommonError;
use std::io::Write as _;

use flate2::write::MultiGzDecoder;

use base::{Error, Result};

/// A body that is being unpacked.
#[derive(Debug)]
pub(super) struct Inflate(MultiGzDecoder<Vec<u8>>);

impl Inflate {
    /// Makes an unpacker at the beginning of a body.
    pub(super) fn new() -> Self {
        Self(MultiGzDecoder::new(Vec::new()))
    }

    /// Takes a piece of the body and passes on its output.
    ///
    /// # Errors
    /// [`CommonError::InvalidBody`] if it is not gzip; any error of `take`.
    pub(super) fn feed(
        &mut self,
        mut packed: &[u8],
        take: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        while !packed.is_empty() {
            // One step takes some of the input and leaves at most a buffer of output.
            let taken = self.0.write(packed).map_err(|_| broken())?;
            packed = packed.get(taken..).unwrap_or_default();
            self.pass_on(take)?;
            if taken == 0 {
                return Err(broken());
            }
        }
        Ok(())
    }

    /// Ends the body.
    ///
    /// # Errors
    /// [`CommonError::InvalidBody`] if it was cut off or damaged; any error of `take`.
    pub(super) fn finish(&mut self, take: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        self.0.try_finish().map_err(|_| broken())?;
        self.pass_on(take)
    }

    fn pass_on(&mut self, take: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let output = self.0.get_mut();
        if output.is_empty() {
            return Ok(());
        }
        let outcome = take(output);
        output.clear();
        outcome
    }
}

fn broken() -> Error {
    Error::from(CommonError::InvalidBody {
        message: "the body is not gzip, or it is damaged or cut off".to_owned(),
        hint: Some("pack it with gzip, or leave content-encoding out".to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn packed(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn unpacked(body: &[u8], piece_bytes: usize) -> Result<Vec<u8>> {
        let (mut inflate, mut output) = (Inflate::new(), Vec::new());
        let mut take = |piece: &[u8]| {
            assert!(piece.len() <= 256 * 1024, "{} bytes at once", piece.len());
            output.extend_from_slice(piece);
            Ok(())
        };
        for piece in body.chunks(piece_bytes) {
            inflate.feed(piece, &mut take)?;
        }
        inflate.finish(&mut take)?;
        Ok(output)
    }

    #[test]
    fn a_body_of_one_member_or_several_is_unpacked_whatever_the_pieces() {
        let long: Vec<u8> = (0..300_000_u32).flat_map(u32::to_le_bytes).collect();
        for text in [&b""[..], b"a,b\n1,2\n", &long, &vec![b'x'; 5_000_000]] {
            let body = packed(text);
            assert_eq!(unpacked(&body, usize::MAX).unwrap(), text);
            assert_eq!(unpacked(&body, 1_000).unwrap(), text);
            let twice = [body.as_slice(), &body].concat();
            assert_eq!(unpacked(&twice, 7_777).unwrap(), [text, text].concat());
        }
        assert_eq!(unpacked(&packed(b"a,b\n1,2\n"), 1).unwrap(), b"a,b\n1,2\n");
    }

    #[test]
    fn a_body_that_is_damaged_or_cut_off_is_rejected() {
        let body = packed(b"a,b\n1,2\n3,4\n");
        let mut wrong_sum = body.clone();
        let at = body.len() - 6;
        wrong_sum[at] ^= 1;
        for bad in [
            &b""[..],
            b"a,b\n1,2\n",
            &body[..body.len() - 1],
            &body[..12],
            &wrong_sum,
            &[body.as_slice(), b"rest"].concat(),
        ] {
            for pieces in [usize::MAX, 1] {
                let error = unpacked(bad, pieces).unwrap_err();
                assert_eq!(error.code(), "INVALID_BODY", "{bad:?}");
            }
        }
    }
}
