//! Two spellings of the same number, such as `1.1` and `1.10`: they are different as versions or
//! section numbers, but equal as numbers.

/// The number of different texts that are compared. A column of measurements soon has more, and is
/// not a list of versions.
const TEXTS: usize = 64;

/// The maximum length of a compared text, in characters.
const TEXT_CHARACTERS: usize = 12;

/// The texts of a column that consist of digits, one separator and digits, until there are too
/// many.
#[derive(Debug, Clone, Default)]
pub(super) struct Spellings {
    texts: Vec<String>,
    pair: Option<(String, String)>,
    ended: bool,
}

impl Spellings {
    pub(super) fn add(&mut self, field: &str) {
        if self.ended || field.len() > TEXT_CHARACTERS || !has_one_separator(field) {
            return;
        }
        if self.texts.iter().any(|known| known == field) {
            return;
        }
        let same = |known: &&String| without_zeros(known) == without_zeros(field);
        if let Some(known) = self.texts.iter().find(same) {
            let shorter_first = known.len() <= field.len();
            let (one, other) = if shorter_first {
                (known.as_str(), field)
            } else {
                (field, known.as_str())
            };
            self.pair = Some((one.to_owned(), other.to_owned()));
            self.end();
        } else if self.texts.len() < TEXTS {
            self.texts.push(field.to_owned());
        } else {
            self.end();
        }
    }

    fn end(&mut self) {
        self.ended = true;
        self.texts = Vec::new();
    }

    /// Returns two different texts that are the same number, the shorter one first.
    pub(super) fn pair(&self) -> Option<[&str; 2]> {
        self.pair
            .as_ref()
            .map(|(one, other)| [one.as_str(), other.as_str()])
    }
}

fn without_zeros(text: &str) -> &str {
    text.trim_end_matches('0')
}

/// Returns true for digits, a point or comma, and digits.
fn has_one_separator(field: &str) -> bool {
    let Some((whole, fraction)) = field.split_once(['.', ',']) else {
        return false;
    };
    let are_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    are_digits(whole) && are_digits(fraction)
}
