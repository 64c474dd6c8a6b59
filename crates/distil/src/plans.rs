//! Why a piece of work was done, in the words of its plan: how the section begins that says what is wrong or missing today.
//!
//! Not here: what a plan is called (`titles`), how far it is carried out (`tasks`).

use crate::phrases::{FoldedSentence, PhraseGroup};
use crate::plain::{LineShape, lines};
use crate::sentences::sentences;
use crate::titles::weight;

/// More of the reason is in the plan.
const MOST_CHARS: usize = 320;

/// Returns the reason a plan gives, in one or two of its sentences.
pub(super) fn why_of_plan(plan: &str) -> Option<String> {
    let lines = lines(plan);
    let is_reason =
        |heading: &str| weight(heading) <= 2 && FoldedSentence::new(heading).has(PhraseGroup::Reason);
    let at = lines.iter().position(|line| line.shape == LineShape::Heading && is_reason(&line.text))?;
    let said = lines.iter().skip(at + 1).take_while(|line| line.shape == LineShape::Text);
    let mut why = String::new();
    // What ends with a colon leads to a list, which stands elsewhere.
    for sentence in said.flat_map(|line| sentences(&line.text)).filter(|sentence| !sentence.ends_with(':')) {
        if why.chars().count() + sentence.chars().count() > MOST_CHARS {
            break;
        }
        why = format!("{why} {sentence}");
    }
    Some(why.trim().to_owned()).filter(|why| weight(why) >= 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_says_why_in_the_section_that_describes_how_things_are() {
        let plan = "# Plan: Bounded queue\n\n## Context\n\nThe mailer keeps every letter in memory, so a slow server ends in a crash. We need three things:\n\n1. a bound\n\n## Steps\nText";
        let why = "The mailer keeps every letter in memory, so a slow server ends in a crash.";
        assert_eq!(why_of_plan(plan).as_deref(), Some(why));
        assert_eq!(
            why_of_plan("# Plan: Bounded queue\n\n## Steps\n\nAdd a bound to the queue of letters."),
            None
        );
    }
}
