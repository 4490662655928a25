//! Texts of words in lines: each word knows its line and column.

use super::error::shortened;
use super::{FormatError, Place, Problem};

/// A word and where it begins, both counted from 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'a> {
    pub(super) text: &'a str,
    pub(super) line: usize,
    pub(super) column: usize,
}

impl Word<'_> {
    pub(super) fn place(&self) -> Place {
        Place::Column(self.line, self.column)
    }

    /// A whole number without a sign.
    pub(super) fn number(&self, expected: &str) -> Result<u64, FormatError> {
        let digits = self.text.bytes().all(|byte| byte.is_ascii_digit());
        let number = self.text.parse().ok().filter(|_| digits);
        number.ok_or_else(|| Problem::unexpected(expected, self.text).at(self.place()))
    }

    /// That something else should stand here.
    pub(super) fn unexpected(&self, expected: impl Into<String>) -> FormatError {
        Problem::unexpected(expected, self.text).at(self.place())
    }

    /// The word, fit for a message.
    pub(super) fn shown(&self) -> String {
        shortened(self.text)
    }
}

/// A file as a text.
pub(super) fn text(bytes: &[u8]) -> Result<&str, FormatError> {
    std::str::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        let start = before.iter().rposition(|&byte| byte == b'\n');
        let column = before.len() - start.map_or(0, |at| at + 1) + 1;
        Problem::NotText.at(Place::Column(line, column))
    })
}

/// The words of one line.
pub(super) fn words(line: &str, number: usize) -> impl Iterator<Item = Word<'_>> {
    let begin = line.as_ptr() as usize;
    line.split_ascii_whitespace().map(move |text| Word {
        text,
        line: number,
        column: text.as_ptr() as usize - begin + 1,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_know_their_place() {
        let found: Vec<_> = words(" ab\tc ", 7).map(|w| (w.text, w.column)).collect();
        assert_eq!(found, [("ab", 2), ("c", 5)]);
        let error = text(b"good\nba\xffd").unwrap_err();
        assert_eq!(error, Problem::NotText.at(Place::Column(2, 3)));
    }

    #[test]
    fn numbers_have_no_sign() {
        for wrong in ["", "-1", "+1", "1x", "99999999999999999999"] {
            let word = Word {
                text: wrong,
                line: 1,
                column: 1,
            };
            assert!(word.number("a number").is_err(), "{wrong}");
        }
    }
}
