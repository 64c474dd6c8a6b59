//! The last stage: a title as a person would write it, on one line without markup or a first person.
//!
//! Not here: cutting to length (`backstory_memory::title_from`).

use super::cues::reason;
use super::patterns::find;
use super::tokens::Token;
use backstory_memory::{Kind, title_from};

/// Openings a title is better without. What is left begins with the thing itself.
const OPENINGS: &[&str] = &[
    "^ ~no no|nope|wrong|actually ,|.|:",
    "^ i|we ~have decided ~that we|i are going to",
    "^ i|we ~have decided to|that|on",
    "^ decided to|that",
    "^ we talked about it and",
    "^ we|i|they agreed ~:|to|on|that",
    "^ agreed :|to|on|that",
    "^ decision ~made ~:|on",
    "^ one thing to watch|note|know|remember :",
    "^ i want to",
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
];

/// Makes the title of a statement from its first sentence.
pub(super) fn title(sentence: &str, tokens: &[Token], kind: Kind) -> String {
    let tokens = without_opening(tokens);
    let start = tokens.first().map_or(0, |token| token.start);
    // A rule is known by what it asks; a failure or a learning is nothing without its reason.
    let is_rule = matches!(kind, Kind::Decision | Kind::Pattern | Kind::Goal);
    let end =
        reason(tokens).filter(|_| is_rule).and_then(|at| tokens.get(at)).map_or(sentence.len(), |t| t.start);
    let said = sentence.get(start..end).or_else(|| sentence.get(start..)).unwrap_or(sentence);
    let title = title_from(&plain(said));
    let trimmed = title
        .trim_end_matches(['.', ',', ';', ':', ' ', '!', '—', '–', '('])
        .trim_start_matches([',', ':', ' ', '—']);
    capitalised(trimmed)
}

fn without_opening(tokens: &[Token]) -> &[Token] {
    let mut rest = tokens;
    for _ in 0..3 {
        let Some(found) = OPENINGS.iter().find_map(|opening| find(opening, rest)) else {
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

/// One line without what Markdown marks words with; the text of a link stays, its address goes.
fn plain(said: &str) -> String {
    let mut out = String::with_capacity(said.len());
    let mut rest = said;
    while let Some((before, after)) = rest.split_once("](") {
        let address_end = after.find(')').map_or(after.len(), |end| end + 1);
        let text_start = before.rfind('[').unwrap_or(0);
        out.push_str(before.get(..text_start).unwrap_or_default());
        out.push_str(before.get(text_start..).unwrap_or_default().trim_start_matches('['));
        rest = after.get(address_end..).unwrap_or_default();
    }
    out.push_str(rest);
    let words: Vec<&str> = out.split_whitespace().collect();
    words.join(" ").replace(['`', '*'], "")
}

fn capitalised(title: &str) -> String {
    let mut chars = title.chars();
    match chars.next() {
        // A name such as `runMigration` or `user_id` keeps its spelling.
        Some(first)
            if title
                .split(' ')
                .next()
                .is_some_and(|word| word.chars().all(|c| c.is_lowercase() || c == '\'')) =>
        {
            first.to_uppercase().chain(chars).collect()
        }
        _ => title.to_owned(),
    }
}
