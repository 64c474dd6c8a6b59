//! Text in, token ids out: the uncased WordPiece tokenizer the model was trained with.
//!
//! It answers as the reference does, with one deliberate difference: `[SEP]` and the like inside a text are
//! ordinary text here, never control tokens, because what we embed was written by strangers.
//!
//! Performance: linear in the text. A word is looked up through a hash table that lies ready in the model
//! file, so there is nothing to build at start.

mod characters;
mod tables;
mod vocabulary;

pub(crate) use vocabulary::WordPieces;

use characters::{Character, classify};

/// Stands for a word the vocabulary cannot spell.
pub(crate) const UNKNOWN: u16 = 100;
/// Opens every sequence the model reads.
pub(crate) const OPENING: u16 = 101;
/// Closes every sequence the model reads.
pub(crate) const CLOSING: u16 = 102;

/// A word longer than this is unknown, whatever it is made of.
const LONGEST_WORD_CHARS: usize = 100;
/// A run without blanks may be cut here and there once it has this many tokens, or a minified file or a
/// Chinese page would be one word that fits no chunk.
const LONGEST_UNIT_TOKENS: usize = 32;

/// A text as token ids, with the places where it may be cut.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct TokenIds {
    /// The ids, without the opening and closing tokens.
    pub(crate) ids: Vec<u16>,
    /// Where each unit begins in `ids`: a unit is a word between blanks, or a part of a very long one.
    pub(crate) units: Vec<usize>,
}

/// Tokenizes a text, stopping soon after `limit` tokens.
pub(crate) fn tokenize(vocabulary: &WordPieces, text: &str, limit: usize) -> TokenIds {
    let mut reader = TokenReader {
        vocabulary,
        word: String::new(),
        chars: 0,
        unit_open: false,
        tokens: TokenIds::default(),
    };
    for character in text.chars() {
        if reader.tokens.ids.len() > limit {
            break;
        }
        classify(character, |class| reader.take(class));
    }
    reader.end_word();
    reader.tokens
}

/// Collects characters into words and words into tokens.
struct TokenReader<'a> {
    vocabulary: &'a WordPieces,
    word: String,
    /// Characters of the current word, counted on past what `word` keeps.
    chars: usize,
    unit_open: bool,
    tokens: TokenIds,
}

impl TokenReader<'_> {
    fn take(&mut self, class: Character) {
        match class {
            Character::Blank => {
                self.end_word();
                self.unit_open = false;
            }
            Character::Alone(character) => {
                self.end_word();
                self.push(character);
                self.end_word();
            }
            Character::InWord(character) => self.push(character),
        }
    }

    fn push(&mut self, character: char) {
        self.chars += 1;
        // An overlong word is unknown as a whole: keeping it would only cost memory.
        if self.chars <= LONGEST_WORD_CHARS {
            self.word.push(character);
        }
    }

    fn end_word(&mut self) {
        if self.chars == 0 {
            return;
        }
        let start = self.tokens.ids.len();
        let unit_is_long = self.tokens.units.last().is_some_and(|unit| start - unit >= LONGEST_UNIT_TOKENS);
        if !self.unit_open || unit_is_long {
            self.tokens.units.push(start);
            self.unit_open = true;
        }
        let known =
            self.chars <= LONGEST_WORD_CHARS && self.vocabulary.spell(&self.word, &mut self.tokens.ids);
        if !known {
            self.tokens.ids.truncate(start);
            self.tokens.ids.push(UNKNOWN);
        }
        self.word.clear();
        self.chars = 0;
    }
}

#[cfg(test)]
mod tests;
