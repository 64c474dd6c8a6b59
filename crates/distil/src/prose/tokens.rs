//! A sentence as folded words.
//!
//! Folding lowers case, opens contractions ("don't" is "do not") and puts [`HIDDEN`] where inline code or a quotation
//! stands: what is quoted is nobody's statement. Not here: how they are matched (`patterns`).

/// Stands for inline code and quotations.
pub(crate) const HIDDEN: &str = "§";

/// A folded word or mark, and which bytes of the sentence it stands on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) word: String,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The word's [`bit`], so that most patterns are passed over without comparing words.
    pub(crate) bit: u128,
}

impl Token {
    pub(crate) fn new(word: String, start: usize, end: usize) -> Self {
        let bit = bit(&word);
        Token { word, start, end, bit }
    }
}

/// One of 128 bits for a word: words whose bits differ are different.
pub(crate) fn bit(word: &str) -> u128 {
    let sum = word.bytes().fold(7_u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(u32::from(byte)));
    1 << ((sum ^ (sum >> 11)) % 128)
}

/// Folds a sentence into tokens.
pub(crate) fn fold(sentence: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = sentence.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = sentence.get(at..).unwrap_or_default();
        let follows_word =
            sentence.get(..at).and_then(|b| b.chars().next_back()).is_some_and(char::is_alphanumeric);
        let end = if let Some(length) = hidden_length(rest, follows_word) {
            tokens.push(Token::new(HIDDEN.to_owned(), at, at + length));
            at + length
        } else if is_word(c) {
            let end = at + word_length(rest);
            push_word(&mut tokens, sentence.get(at..end).unwrap_or_default(), at);
            end
        } else {
            let end = at + c.len_utf8();
            if let Some(mark) = mark(c, rest) {
                tokens.push(Token::new(mark.to_owned(), at, end));
            }
            end
        };
        at = end;
    }
    tokens
}

/// How long the code or quotation is that `rest` begins with, if it does.
fn hidden_length(rest: &str, follows_word: bool) -> Option<usize> {
    let open = rest.chars().next()?;
    let close = match open {
        '`' | '"' => open,
        '“' => '”',
        '‘' => '’',
        '\'' if !follows_word => '\'',
        _ => return None,
    };
    let inner = rest.get(open.len_utf8()..)?;
    let end = inner.match_indices(close).map(|(at, _)| at).find(|at| {
        let after = inner.get(at + close.len_utf8()..).and_then(|after| after.chars().next());
        close == '`' || !after.is_some_and(char::is_alphanumeric)
    })?;
    (end > 0).then_some(open.len_utf8() + end + close.len_utf8())
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '@' | '/' | '%')
}

fn word_length(rest: &str) -> usize {
    let mut chars = rest.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let joins = matches!(c, '-' | '_' | '\'' | '’' | '.' | ':' | '#' | '+' | '=' | '~' | ',');
        let goes_on = chars.peek().is_some_and(|(_, next)| is_word(*next));
        let is_number_comma = c != ',' || chars.peek().is_some_and(|(_, next)| next.is_ascii_digit());
        if !(is_word(c) || (joins && goes_on && is_number_comma)) {
            return at;
        }
    }
    rest.len()
}

/// The mark a character counts as: every dash and bracket parts a sentence like a comma.
fn mark(c: char, rest: &str) -> Option<&'static str> {
    match c {
        ',' | '—' | '–' | '(' | ')' | '→' => Some(","),
        '-' if rest.starts_with("- ") || rest.starts_with("--") => Some(","),
        ';' => Some(";"),
        ':' => Some(":"),
        '?' => Some("?"),
        '!' | '.' => Some("."),
        _ => None,
    }
}

const CONTRACTIONS: &[(&str, &str, &str)] = &[
    ("cannot", "can", "not"),
    ("can't", "can", "not"),
    ("cant", "can", "not"),
    ("won't", "will", "not"),
    ("wont", "will", "not"),
    ("dont", "do", "not"),
    ("doesnt", "does", "not"),
    ("didnt", "did", "not"),
    ("isnt", "is", "not"),
    ("it's", "it", "is"),
    ("that's", "that", "is"),
    ("there's", "there", "is"),
    ("here's", "here", "is"),
    ("what's", "what", "is"),
    ("he's", "he", "is"),
    ("she's", "she", "is"),
];

const CONTRACTED_ENDS: &[(&str, &str)] =
    &[("n't", "not"), ("'re", "are"), ("'ve", "have"), ("'ll", "will"), ("'d", "would"), ("'m", "am")];

fn push_word(tokens: &mut Vec<Token>, word: &str, start: usize) {
    let end = start + word.len();
    let folded = word.to_lowercase().replace('’', "'");
    let halves = CONTRACTIONS
        .iter()
        .find(|(whole, ..)| *whole == folded)
        .map(|(_, first, second)| ((*first).to_owned(), *second))
        .or_else(|| {
            CONTRACTED_ENDS.iter().find_map(|(ending, second)| {
                folded
                    .strip_suffix(ending)
                    .filter(|first| !first.is_empty())
                    .map(|first| (first.to_owned(), *second))
            })
        });
    match halves {
        Some((first, second)) => {
            tokens.push(Token::new(first, start, end));
            tokens.push(Token::new(second.to_owned(), start, end));
        }
        None => tokens.push(Token::new(folded, start, end)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(sentence: &str) -> Vec<String> {
        fold(sentence).into_iter().map(|token| token.word).collect()
    }

    #[test]
    fn folding_opens_contractions_and_hides_code_and_quotations() {
        let check = |sentence, expected: &str| assert_eq!(words(sentence).join(" "), expected);
        check("Don't use `never` here.", "do not use § here .");
        check("We’re on v1.2, \"always do X\" — fine", "we are on v1.2 , § , fine");
        check("It cost 1,000 ms", "it cost 1,000 ms");
        check("Saela's 'soft' voice", "saela's § voice");
    }
}
