//! Fitting text into the width of a screen: words are wrapped under an indent and never lost, columns are counted as a terminal counts them.
//!
//! Pure. Not here: how wide the screen is, and colour (`ui`, `palette`); escape sequences in a text are passed through and take no room.

/// Narrower than this, a text is not wrapped any further: it could not be read.
const NARROWEST: usize = 16;

/// Returns how many columns of a terminal a text takes; escape sequences take none.
pub(crate) fn columns(text: &str) -> usize {
    let (mut total, mut in_escape) = (0, false);
    for c in text.chars() {
        match c {
            '\u{1b}' => in_escape = true,
            'm' if in_escape => in_escape = false,
            _ if in_escape => {}
            _ => total += char_columns(c),
        }
    }
    total
}

/// Returns how many columns one character takes: none, one, or two for East Asian writing and emoji.
fn char_columns(c: char) -> usize {
    match u32::from(c) {
        0x0300..=0x036f | 0x200b..=0x200f | 0x20d0..=0x20ff | 0xfe00..=0xfe0f => 0,
        0x1100..=0x115f
        | 0x2e80..=0xa4cf
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff00..=0xff60
        | 0xffe0..=0xffe6
        | 0x1f300..=0x1f64f
        | 0x1f680..=0x1f6ff
        | 0x1f900..=0x1f9ff
        | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

/// Wraps a text under an indent: its first line begins with `first`, the others with as many spaces as `hang`.
pub(crate) fn wrap(text: &str, width: usize, first: &str, hang: usize) -> String {
    let hang = hang.min(width.saturating_sub(NARROWEST));
    let mut lines: Vec<String> = Vec::new();
    let (mut line, mut used, mut is_empty) = (first.to_owned(), columns(first), true);
    for word in text.split_whitespace() {
        for piece in pieces(word, width.saturating_sub(hang).max(NARROWEST)) {
            let needed = columns(&piece) + usize::from(!is_empty);
            if used + needed > width && !is_empty {
                lines.push(std::mem::replace(&mut line, " ".repeat(hang)));
                (used, is_empty) = (hang, true);
            }
            if !is_empty {
                line.push(' ');
            }
            used += columns(&piece) + usize::from(!is_empty);
            line.push_str(&piece);
            is_empty = false;
        }
    }
    lines.push(line);
    let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    lines.join("\n")
}

/// Wraps a text like [`wrap`], and leaves out what does not fit into so many lines.
pub(crate) fn wrap_short(text: &str, width: usize, first: &str, hang: usize, most: usize) -> String {
    let wrapped = wrap(text, width, first, hang);
    let mut lines: Vec<&str> = wrapped.lines().collect();
    if lines.len() <= most {
        return wrapped;
    }
    lines.truncate(most);
    let mut shown = lines.join("\n");
    // Room for the sign that something is missing: the last word gives way to it.
    if lines.last().is_some_and(|last| columns(last) >= width) {
        shown.truncate(shown.rfind(' ').unwrap_or(shown.len()));
    }
    format!("{}…", shown.trim_end_matches('…'))
}

/// Splits a word that no line has room for; every other word is one piece.
fn pieces(word: &str, room: usize) -> Vec<String> {
    if columns(word) <= room {
        return vec![word.to_owned()];
    }
    let (mut all, mut piece, mut used, mut in_escape) = (Vec::new(), String::new(), 0, false);
    for c in word.chars() {
        in_escape |= c == '\u{1b}';
        let needed = if in_escape { 0 } else { char_columns(c) };
        if used + needed > room {
            all.push(std::mem::take(&mut piece));
            used = 0;
        }
        piece.push(c);
        used += needed;
        in_escape &= c != 'm';
    }
    all.push(piece);
    all
}

/// Wraps each line of a text by itself, under the indent it has and `indent` more: lists and code keep their shape.
pub(crate) fn wrap_lines(text: &str, width: usize, indent: usize) -> String {
    let wrapped = text.lines().map(|line| {
        let body = line.trim_start();
        let own = line.len() - body.len();
        // What goes on under a list item stands below its words.
        let bullet = if body.starts_with("- ") || body.starts_with("* ") { 2 } else { 0 };
        let first = " ".repeat((indent + own).min(width.saturating_sub(NARROWEST)));
        let whole = format!("{first}{}", line.trim());
        // A line that fits stays as it was written, with the gaps inside it.
        if columns(&whole) <= width {
            whole.trim_end().to_owned()
        } else {
            wrap(body, width, &first, first.len() + bullet)
        }
    });
    wrapped.collect::<Vec<_>>().join("\n")
}

/// Pads a text with spaces on the right.
pub(crate) fn pad(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(columns(text))))
}

/// Cuts a text without escape sequences to a width, with a sign where something is missing.
pub(crate) fn fit(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let (mut cut, mut used) = (String::new(), 0);
    for c in text.chars() {
        used += char_columns(c);
        if used >= width {
            break;
        }
        cut.push(c);
    }
    format!("{}…", cut.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_wrapped_under_their_indent_and_none_is_lost() {
        let text = "The quick brown fox jumps over the lazy dog";
        assert_eq!(wrap(text, 20, "#7 ", 3), "#7 The quick brown\n   fox jumps over\n   the lazy dog");
        assert_eq!(wrap("", 20, "#7 ", 3), "#7");
        assert_eq!(wrap("abcdefghijklmnopqrstuvwxyz", 16, "", 0), "abcdefghijklmnop\nqrstuvwxyz");
    }

    #[test]
    fn escape_sequences_take_no_room_and_wide_characters_take_two() {
        assert_eq!(columns("\u{1b}[1mbold\u{1b}[0m"), 4);
        assert_eq!(columns("漢字"), 4);
        assert_eq!(columns("e\u{301}"), 1);
        assert_eq!(wrap("漢字漢字漢字漢字漢字", 16, "", 0), "漢字漢字漢字漢字\n漢字");
    }

    #[test]
    fn what_takes_too_many_lines_ends_with_a_sign() {
        let text = "The quick brown fox jumps over the lazy dog";
        assert_eq!(wrap_short(text, 16, "", 0, 2), "The quick brown\nfox jumps over…");
        assert_eq!(wrap_short("abcdef hijklmno pqr", 16, "", 0, 1), "abcdef hijklmno…");
        assert_eq!(wrap_short("abcdef hijklmnop qr", 16, "", 0, 1), "abcdef…");
        assert_eq!(wrap_short(text, 80, "", 0, 2), text);
    }

    #[test]
    fn a_list_keeps_its_shape() {
        assert_eq!(
            wrap_lines("- one item that is long\n    x  =  1", 24, 2),
            "  - one item that is\n    long\n      x  =  1"
        );
    }

    #[test]
    fn what_does_not_fit_is_cut_with_a_sign() {
        assert_eq!(fit("abc", 3), "abc");
        assert_eq!(fit("abcd", 3), "ab…");
        assert_eq!(pad("é", 3), "é  ");
    }
}
