//! Estimates what a text costs an agent to read.
//!
//! One estimate for every host, made without a vocabulary: the text is cut the way tokenizers cut it, into words,
//! numbers, punctuation and white space, and each piece is priced by what such pieces cost on average in the o200k and
//! cl100k vocabularies, whichever is dearer. A test compares it with both.
//!
//! Parts never cost less apart than together, so a block whose parts were added up is within its budget.

mod pairs;
mod scripts;
#[cfg(test)]
mod tests;

use pairs::pair_cost;
use scripts::{ScriptClass, class_of};
use std::iter::Sum;
use std::ops::Add;

/// A number of tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tokens(pub u32);

impl Add for Tokens {
    type Output = Tokens;

    fn add(self, other: Tokens) -> Tokens {
        Tokens(self.0.saturating_add(other.0))
    }
}

impl Sum for Tokens {
    fn sum<I: Iterator<Item = Tokens>>(items: I) -> Tokens {
        items.fold(Tokens(0), Add::add)
    }
}

/// Estimates what a text costs.
///
/// An empty text costs nothing. `estimate(a + b)` is never more than `estimate(a) + estimate(b)`.
#[must_use]
pub fn estimate(text: &str) -> Tokens {
    let mut meter = Meter::default();
    for c in text.chars() {
        meter.read(c);
    }
    meter.end_run(None);
    Tokens(u32::try_from(meter.hundredths.div_ceil(100)).unwrap_or(u32::MAX))
}

// Prices in hundredths of a token. One rule holds them together, and the property test checks it: a piece that is dearer in some
// context must cost at least as much when it stands alone.

/// A word, or what looks like the beginning of one. Must be at least `WORD_SLACK` plus the dearest pair.
const WORD: u32 = 100;
/// A word inside a word, as in `camelCase`.
const INNER_WORD: u32 = 75;
/// Less than for a word, but enough that `INNER_WORD` less this is at most `WORD` less `WORD_SLACK`.
const INNER_WORD_SLACK: u32 = 12;
/// What the pairs of a word may cost before they are charged: most words are one token.
const WORD_SLACK: u32 = 37;
/// The least a pair of capitals costs.
const CAPITAL_PAIR: u32 = 15;
/// Up to three digits.
const DIGITS: u32 = 110;
const PUNCTUATION: u32 = 80;
/// A mark between two words, as in `snake_case`: mostly the first character of a token.
const JOINING_MARK: u32 = 22;
/// A further mark of a run such as `();`. At most `JOINING_MARK`.
const FURTHER_MARK: u32 = 20;
/// A further mark like the one before, as in `-----`.
const REPEATED_MARK: u32 = 5;
/// A symbol like the one before, as in a drawn line.
const REPEATED_SYMBOL: u32 = 30;
/// More than one space, or a tab; the last space usually goes with what follows.
const INDENTATION: u32 = 105;
/// White space at the end of the text: text that is added later may have to pay for it.
const TRAILING_SPACE: u32 = 170;
const SPACE_BEFORE_DIGITS: u32 = 80;
const SPACE_BEFORE_IDEOGRAPH: u32 = 60;
/// Charged for each space in addition, so that a long run is not free.
const EACH_SPACE: u32 = 1;
const LINE_BREAK: u32 = 80;
/// Tokens such as `;\n` and `{\n` are in every vocabulary.
const LINE_BREAK_AFTER_MARK: u32 = 5;
/// A further line break of a run.
const FURTHER_BREAK: u32 = 4;

#[derive(Default)]
struct Meter {
    hundredths: u64,
    run: Option<ScriptClass>,
    /// The run before this one.
    before: Option<ScriptClass>,
    /// How many characters this run has so far; not kept for words.
    length: u32,
    last: char,
    /// What the pairs of this word may still cost without being charged.
    slack: u32,
    /// How many capitals the word ends with so far.
    capitals: u32,
    /// What the marks of this run cost beyond the first.
    further: u32,
}

impl Meter {
    #[inline]
    fn read(&mut self, c: char) {
        // The most frequent case: a small letter after a small letter.
        if c.is_ascii_lowercase() && self.last.is_ascii_lowercase() {
            self.continue_pair(pair_cost(self.last, c));
            self.last = c;
            return;
        }
        let (class, price) = class_of(c);
        if self.run == Some(class) {
            self.length += 1;
            self.continue_run(class, c, price);
        } else {
            self.end_run(Some(class));
            self.before = self.run.replace(class);
            self.length = 1;
            self.begin_run(class, c, price);
        }
        self.last = c;
    }

    fn charge(&mut self, hundredths: u32) {
        self.hundredths += u64::from(hundredths);
    }

    fn begin_run(&mut self, class: ScriptClass, c: char, price: u32) {
        match class {
            ScriptClass::Letter => {
                self.begin_word(WORD, WORD_SLACK, c);
                self.charge(price);
            }
            ScriptClass::Digit => self.charge(DIGITS),
            ScriptClass::Break if self.before == Some(ScriptClass::Mark) => {
                self.charge(LINE_BREAK_AFTER_MARK);
            }
            ScriptClass::Break => self.charge(LINE_BREAK),
            ScriptClass::Mark => self.further = 0,
            ScriptClass::Ideograph | ScriptClass::Symbol => self.charge(price),
            ScriptClass::Space => self.charge(EACH_SPACE),
        }
    }

    fn continue_run(&mut self, class: ScriptClass, c: char, price: u32) {
        match class {
            ScriptClass::Letter if c.is_ascii() => self.continue_word(c),
            ScriptClass::Letter => {
                self.capitals = 0;
                self.charge(price);
            }
            ScriptClass::Digit if self.length % 3 == 1 => self.charge(DIGITS),
            ScriptClass::Digit => {}
            ScriptClass::Break => self.charge(FURTHER_BREAK),
            ScriptClass::Mark => self.further += if c == self.last { REPEATED_MARK } else { FURTHER_MARK },
            ScriptClass::Symbol if c == self.last => self.charge(price.min(REPEATED_SYMBOL)),
            ScriptClass::Ideograph | ScriptClass::Symbol => self.charge(price),
            ScriptClass::Space => self.charge(EACH_SPACE),
        }
    }

    /// Charges what depends on what follows: another run, or the end of the text.
    fn end_run(&mut self, next: Option<ScriptClass>) {
        match (self.run, next) {
            (Some(ScriptClass::Space), _) => self.end_spaces(next),
            // A mark after a space belongs to the same token as the space.
            (Some(ScriptClass::Mark), Some(ScriptClass::Letter))
                if self.length == 1 && self.before != Some(ScriptClass::Space) =>
            {
                self.charge(JOINING_MARK);
            }
            (Some(ScriptClass::Mark), _) => self.charge(PUNCTUATION + self.further),
            _ => {}
        }
    }

    fn end_spaces(&mut self, next: Option<ScriptClass>) {
        let single = self.length == 1 && self.last == ' ';
        match next {
            None => self.charge(TRAILING_SPACE),
            Some(ScriptClass::Break) => {}
            Some(ScriptClass::Digit) if single => self.charge(SPACE_BEFORE_DIGITS),
            Some(ScriptClass::Ideograph) if single => self.charge(SPACE_BEFORE_IDEOGRAPH),
            Some(_) if single => {}
            Some(_) => self.charge(INDENTATION),
        }
    }

    fn begin_word(&mut self, cost: u32, slack: u32, c: char) {
        self.slack = slack;
        self.capitals = u32::from(c.is_ascii_uppercase());
        self.charge(cost);
    }

    /// Prices an ASCII letter by the one before it. After a letter of another script there is no pair to look up.
    fn continue_word(&mut self, c: char) {
        if c.is_ascii_uppercase() && self.last.is_ascii_lowercase() {
            return self.begin_word(INNER_WORD, INNER_WORD_SLACK, c);
        }
        let shouted = c.is_ascii_uppercase() || self.capitals > 1;
        self.capitals = if c.is_ascii_uppercase() { self.capitals + 1 } else { 0 };
        if !self.last.is_ascii() {
            return;
        }
        let pair = pair_cost(self.last, c);
        // Vocabularies hold far fewer words in capitals: common pairs help less.
        let cost = if shouted { pair / 2 + CAPITAL_PAIR } else { pair };
        self.continue_pair(cost);
    }

    #[inline]
    fn continue_pair(&mut self, cost: u32) {
        self.charge(cost.saturating_sub(self.slack));
        self.slack = self.slack.saturating_sub(cost);
    }
}
