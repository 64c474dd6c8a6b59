//! The last stage: a title as a person would write it, on one line without markup or a first person.
//!
//! Not here: cutting to length (`backstory_memory::title_from`).

use super::classifier::reason;
use crate::prose::{Patterns, Token, plain, titled};
use backstory_memory::{Kind, title_from};

/// Openings a title is better without. What is left begins with the thing itself.
static OPENINGS: Patterns = Patterns::new(&[
    "^ , ~but|and|so",
    "^ ~no no|nope|wrong|actually ,|.|:",
    "^ i|we ~have decided ~that we|i are going to",
    "^ i|we ~have decided to|that|on",
    "^ decided to|that",
    "^ we talked about it and",
    "^ we|i|they agreed ~:|to|on|that",
    "^ agreed :|to|on|that",
    "^ decision ~made ~:|on",
    "^ one thing to watch|note|know|remember :",
    "^ i want|need ~you|us to",
    "^ i would like ~you|us to",
    "^ i want",
    "^ i would like",
    "^ i am|will|have|would",
    "^ i",
    "^ ~just|also confirmed|verified ~:|that",
    "^ ~quick|two|one|three fact|facts ~for|worth ~the|filing ~file :",
    "^ it|this turns|turned out ~that|to ~be",
    "^ turns|turned out ~that",
    "^ the ~actual|real|underlying root|problem|issue ~cause was|is that",
    "^ ~inspection|testing confirmed|found ~that",
    "^ gotcha|caveat|lesson|learning|takeaway|til|insight|finding|preference|convention|rule|fact|goal|note|important|warning :",
    "^ ~please remember|note ~that|to|:",
    "^ we should|must always|never",
    "^ ~be aware|keep in mind that",
    "^ ~very important :",
    "^ the goal is to",
    "^ let's",
]);

/// What would say something else without its opening.
static WHOLE: Patterns = Patterns::new(&["^ i would rather", "^ i want|would ~like it|this|that|them"]);

/// Makes the title of a statement from its first sentence.
pub(super) fn title(sentence: &str, tokens: &[Token], kind: Kind) -> String {
    let tokens = without_opening(tokens);
    let start = tokens.first().map_or(0, |token| token.start);
    // A rule is known by what it asks; a failure or a learning is nothing without its reason.
    let is_rule = matches!(kind, Kind::Decision | Kind::Rule | Kind::Goal);
    let end =
        reason(tokens).filter(|_| is_rule).and_then(|at| tokens.get(at)).map_or(sentence.len(), |t| t.start);
    let said = sentence.get(start..end).or_else(|| sentence.get(start..)).unwrap_or(sentence);
    let title = title_from(&plain(said));
    let trimmed = title
        .trim_end_matches(['.', ',', ';', ':', ' ', '!', '—', '–', '('])
        .trim_start_matches([',', ':', ' ', '—']);
    titled(said, trimmed)
}

fn without_opening(tokens: &[Token]) -> &[Token] {
    let mut rest = tokens;
    for _ in 0..3 {
        let Some(found) = OPENINGS.find(rest).filter(|_| !WHOLE.are_in(rest)) else {
            break;
        };
        // Two folded words of one contraction share their bytes: a title must not begin inside "we're".
        let cut = rest.get(found.end..).filter(|cut| cut.len() > 2);
        let Some(cut) = cut else {
            break;
        };
        rest = cut;
    }
    rest
}
