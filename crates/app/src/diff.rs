//! What a change does to a text, line by line, for people to read: a host's file we would edit, a step of a session.
//!
//! Such changes are a few lines in a text that stays: looking a little ahead finds what stayed, and no more is needed.

/// How far ahead a line is looked for.
const AHEAD: usize = 400;
/// How many lines that stay are shown around a change.
const AROUND: usize = 2;
/// How much of a line is shown: a file may be one line.
const WIDEST: usize = 400;

/// Whether a line stays, goes or comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The line is in both texts.
    Stays,
    /// The line is only in the text of before.
    Goes,
    /// The line is only in the text of after.
    Comes,
}

/// Returns the lines of a change and what is around them; `None` stands for lines left out.
#[must_use]
pub fn diff(before: &str, after: &str) -> Vec<Option<(Fate, String)>> {
    let lines = compared(before, after);
    let changes: Vec<usize> =
        lines.iter().enumerate().filter(|(_, (fate, _))| *fate != Fate::Stays).map(|(at, _)| at).collect();
    let is_near = |at: usize| {
        let next = changes.partition_point(|change| *change < at);
        let near = |change: Option<&usize>| change.is_some_and(|change| change.abs_diff(at) <= AROUND);
        near(changes.get(next)) || next.checked_sub(1).is_some_and(|last| near(changes.get(last)))
    };
    let mut shown: Vec<Option<(Fate, String)>> = Vec::new();
    for (at, (fate, line)) in lines.iter().enumerate() {
        if is_near(at) {
            shown.push(Some((*fate, cut(line))));
        } else if shown.last().is_none_or(Option::is_some) {
            shown.push(None);
        }
    }
    shown
}

fn compared<'a>(before: &'a str, after: &'a str) -> Vec<(Fate, &'a str)> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let (mut old, mut new) = (old.as_slice(), new.as_slice());
    let mut lines = Vec::new();
    loop {
        match (old.split_first(), new.split_first()) {
            (Some((a, rest)), Some((b, others))) if a == b => {
                lines.push((Fate::Stays, *a));
                (old, new) = (rest, others);
            }
            // What comes is passed over until the line that stays; a line that is found nowhere goes.
            (Some((a, rest)), Some((b, others))) => {
                if new.iter().take(AHEAD).any(|line| line == a) {
                    lines.push((Fate::Comes, *b));
                    new = others;
                } else {
                    lines.push((Fate::Goes, *a));
                    old = rest;
                }
            }
            (Some((a, rest)), None) => {
                lines.push((Fate::Goes, *a));
                old = rest;
            }
            (None, Some((b, others))) => {
                lines.push((Fate::Comes, *b));
                new = others;
            }
            (None, None) => return lines,
        }
    }
}

fn cut(line: &str) -> String {
    let mut characters = line.chars();
    let head: String = characters.by_ref().take(WIDEST).collect();
    match characters.count() {
        0 => head,
        more => format!("{head} … {more} more characters"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(before: &str, after: &str) -> String {
        let sign = |fate| match fate {
            Fate::Stays => ' ',
            Fate::Goes => '-',
            Fate::Comes => '+',
        };
        let line = |line: Option<(Fate, String)>| match line {
            Some((fate, text)) => format!("{}{text}\n", sign(fate)),
            None => "...\n".to_owned(),
        };
        diff(before, after).into_iter().map(line).collect()
    }

    #[test]
    fn what_comes_and_goes_is_shown_with_a_little_around_it() {
        assert_eq!(shown("1\n2\n3\n4\n5\n6\n", "1\n2\n3\nx\n4\n5\n6\n"), "...\n 2\n 3\n+x\n 4\n 5\n...\n");
        assert_eq!(shown("a\nb\n", "a,\nb\n"), "-a\n+a,\n b\n");
        assert_eq!(shown("", "a\n"), "+a\n");
        assert_eq!(shown("a\n", ""), "-a\n");
        assert_eq!(shown("a\n", "a\n"), "...\n");
        assert!(shown("", &"x".repeat(1000)).contains("600 more characters"));
    }
}
