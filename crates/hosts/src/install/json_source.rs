//! A JSON text as lines, commas and comments, which a parser of values does not keep.

use std::ops::Range;

/// A text that is JSON with comments.
#[derive(Clone, Copy)]
pub(super) struct JsonSource<'a>(pub(super) &'a str);

impl<'a> JsonSource<'a> {
    /// Returns where the comma stands between two places, comments skipped.
    pub(super) fn comma_between(self, from: usize, until: usize) -> Option<usize> {
        let mut at = from;
        while at < until {
            let rest = self.slice(&(at..until));
            if let Some(length) = comment_length(rest) {
                at += length;
            } else if rest.starts_with(',') {
                return Some(at);
            } else {
                at += rest.chars().next().map_or(1, char::len_utf8);
            }
        }
        None
    }

    /// Returns where the comments that begin on this line end, if they end on it.
    pub(super) fn end_of_comments_on_line(self, from: usize) -> usize {
        let mut end = from;
        loop {
            let start = self.blank_behind(end);
            let rest = self.slice(&(start..self.0.len()));
            match comment_length(rest) {
                Some(length) if !rest.get(..length).unwrap_or_default().contains('\n') => {
                    end = start + length;
                }
                _ => return end,
            }
        }
    }

    pub(super) fn slice(self, range: &Range<usize>) -> &'a str {
        self.0.get(range.clone()).unwrap_or_default()
    }

    pub(super) fn blank_before(self, at: usize) -> usize {
        self.slice(&(0..at)).trim_end_matches([' ', '\t']).len()
    }

    pub(super) fn blank_behind(self, at: usize) -> usize {
        let rest = self.slice(&(at..self.0.len()));
        self.0.len() - rest.trim_start_matches([' ', '\t']).len()
    }

    pub(super) fn begins_line(self, at: usize) -> bool {
        self.slice(&(0..self.blank_before(at))).ends_with('\n')
    }

    pub(super) fn ends_line(self, at: usize) -> bool {
        let rest = self.slice(&(at..self.0.len()));
        rest.starts_with('\n') || rest.starts_with("\r\n")
    }

    pub(super) fn newline_before(self, at: usize) -> usize {
        let before = self.slice(&(0..at));
        let before = before.strip_suffix('\n').unwrap_or(before);
        before.strip_suffix('\r').unwrap_or(before).len()
    }

    /// Returns the white space a line begins with.
    pub(super) fn indent_at(self, at: usize) -> String {
        let start = self.slice(&(0..at)).rfind('\n').map_or(0, |newline| newline + 1);
        let line = self.slice(&(start..at));
        line.chars().take_while(|c| matches!(c, ' ' | '\t')).collect()
    }
}

/// Returns how long the comment is that a text begins with. The end of a line is not part of it.
fn comment_length(text: &str) -> Option<usize> {
    if let Some(inside) = text.strip_prefix("/*") {
        return Some(inside.find("*/").map_or(text.len(), |end| end + 4));
    }
    let end = || text.find(['\n', '\r']).unwrap_or(text.len());
    text.starts_with("//").then(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comma_in_a_comment_does_not_count() {
        for (text, comma) in
            [(" /*/ , */ , ", Some(10)), ("// ,\r\n,", Some(6)), ("/**/,", Some(4)), ("/* , ", None)]
        {
            assert_eq!(JsonSource(text).comma_between(0, text.len()), comma, "{text}");
        }
    }

    #[test]
    fn a_line_begins_and_ends_behind_white_space() {
        let source = JsonSource("a\r\n \tb \r\n");
        assert!(source.begins_line(5) && !source.begins_line(0), "the first line has no line end before it");
        assert_eq!((source.newline_before(3), source.blank_before(5), source.blank_behind(6)), (1, 3, 7));
        assert!(source.ends_line(7));
        assert_eq!(source.indent_at(6), " \t");
    }
}
