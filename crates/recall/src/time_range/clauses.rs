//! A question cut into clauses and words, without what it quotes: "the `last week` button" does not ask about last week.

/// One word of a clause.
#[derive(Clone, Debug)]
pub(super) struct ClauseWord<'q> {
    /// As it was written, without the marks around it.
    pub(super) said: &'q str,
    /// In lower case, without a possessive ending.
    pub(super) low: String,
}

/// Stands where something was left out, so that what is around it does not meet.
const GAP: &str = "\u{0}";

/// Returns the clauses of a question, each a list of words.
pub(super) fn clauses(question: &str) -> Vec<Vec<ClauseWord<'_>>> {
    let mut clauses = vec![Vec::new()];
    let mut closing = None;
    let mut tokens = question.split_whitespace().peekable();
    while let Some(token) = tokens.next() {
        if let Some(mark) = closing {
            if ends_quote(token, mark) {
                closing = None;
            }
            continue;
        }
        let said = token.trim_matches(|c: char| !c.is_alphanumeric());
        let Some(clause) = clauses.last_mut() else { break };
        if let Some(mark) = quote_of(token) {
            closing = (!ends_quote(token.strip_prefix(mark).unwrap_or(token), mark)).then_some(mark);
            clause.push(ClauseWord { said, low: GAP.to_owned() });
        } else {
            let low = said.to_lowercase();
            let low = low.strip_suffix("'s").or_else(|| low.strip_suffix("’s")).unwrap_or(&low).to_owned();
            let is_day_before_year = token.ends_with(',')
                && said.len() <= 4
                && said.starts_with(|c: char| c.is_ascii_digit())
                && tokens.peek().is_some_and(|next| next.starts_with("20"));
            clause.push(ClauseWord { said, low });
            if !is_day_before_year && token.ends_with(|c: char| !c.is_alphanumeric()) {
                clauses.push(Vec::new());
            }
        }
    }
    clauses
}

fn quote_of(token: &str) -> Option<char> {
    let token = token.trim_start_matches(['(', '[']);
    token.chars().next().filter(|first| matches!(first, '"' | '`' | '\'' | '“' | '‘')).map(
        |first| match first {
            '“' => '”',
            '‘' => '’',
            same => same,
        },
    )
}

fn ends_quote(token: &str, mark: char) -> bool {
    token.trim_end_matches(|c: char| c != mark && !c.is_alphanumeric()).ends_with(mark)
}
