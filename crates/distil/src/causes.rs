//! What was behind something, in the agent's own words: sentences of a closing message that name a cause and the thing it lies in.
//!
//! A claim, not a proof: it stands beside work that was really done, or a failure that was mended. Not here: what failed (`failures`).

use crate::phrases::{FoldedSentence, PhraseGroup};
use crate::plain::{LineShape, lines};
use crate::sentences::sentences;
use backstory_memory::words;

const LEAST_CHARS: usize = 40;
const MOST_CHARS: usize = 260;

/// Returns the sentences of a message that name a cause.
pub(super) fn causes(message: &str) -> Vec<String> {
    let lines = lines(message);
    let spoken = lines.iter().filter(|line| line.shape != LineShape::Heading);
    spoken
        .flat_map(|line| sentences(&line.text))
        .filter(|sentence| names_cause(sentence))
        .map(str::to_owned)
        .collect()
}

fn names_cause(sentence: &str) -> bool {
    let length = sentence.chars().count();
    let folded = FoldedSentence::new(sentence);
    let is_own = words(sentence).any(|word| matches!(word.as_str(), "i" | "you" | "your" | "let"));
    (LEAST_CHARS..=MOST_CHARS).contains(&length)
        && folded.has(PhraseGroup::Cause)
        && !is_own
        && !sentence.ends_with('?')
        && names_thing(sentence)
}

/// Whether a sentence names something of the code: a path, a symbol, a number with a unit, a name with an inner capital.
pub(super) fn names_thing(sentence: &str) -> bool {
    sentence.split_whitespace().any(|token| {
        let token = token.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '/' | '.' | '-'));
        let has_inner_capital =
            token.chars().skip(1).any(char::is_uppercase) && token.chars().any(char::is_lowercase);
        let is_path = token.contains('/')
            || token.contains('_')
            || token.trim_end_matches('.').contains('.')
            || token.contains("::");
        (has_inner_capital || is_path || token.chars().any(|c| c.is_ascii_digit())) && token.len() > 2
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_names_the_thing_it_lies_in() {
        let message = "Fixed it.\n\nThe upload hung because `flush_all()` waited for a lock that nobody released. I changed it because you asked.\nIt is slow because of things.";
        assert_eq!(
            causes(message),
            ["The upload hung because flush_all() waited for a lock that nobody released."]
        );
    }
}
