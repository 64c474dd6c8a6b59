//! Lines of styled text: wrapped to a width, cut to one, put on the screen.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Lines that own their text.
pub(crate) type Lines = Vec<Line<'static>>;

/// How wide a tab is.
const TAB: &str = "    ";

/// Makes a span.
pub(crate) fn span(text: impl Into<String>, style: Style) -> Span<'static> {
    Span::styled(text.into(), style)
}

/// Returns how many columns a text takes.
pub(crate) fn columns(text: &str) -> usize {
    text.width()
}

/// Breaks a text into lines of at most so many columns, between words where that is possible. Further lines of a paragraph are indented
/// as its first one.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(4);
    let mut lines = Vec::new();
    for paragraph in text.replace('\t', TAB).lines() {
        let indent: String = paragraph.chars().take_while(|c| *c == ' ').take(width / 2).collect();
        let mut line = indent.clone();
        for word in paragraph.split_whitespace() {
            let gap = usize::from(line.len() > indent.len());
            if columns(&line) + gap + columns(word) <= width {
                line.push_str(if gap > 0 { " " } else { "" });
                line.push_str(word);
                continue;
            }
            if gap > 0 {
                lines.push(std::mem::replace(&mut line, indent.clone()));
            }
            for letter in word.chars() {
                if columns(&line) + letter.width().unwrap_or(0) > width {
                    lines.push(std::mem::replace(&mut line, indent.clone()));
                }
                line.push(letter);
            }
        }
        lines.push(if line.trim().is_empty() { String::new() } else { line });
    }
    lines
}

/// Wraps a text in one style, each line begun with `indent` spaces.
pub(crate) fn wrapped(text: &str, (width, indent): (usize, usize), style: Style) -> Lines {
    let pad = " ".repeat(indent);
    let lines = wrap(text, width.saturating_sub(indent)).into_iter();
    lines.map(|line| Line::from(span(format!("{pad}{line}"), style))).collect()
}

/// Cuts a text to a width; what is cut off shows as an ellipsis.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let mut shown = String::new();
    let mut used = 0;
    for letter in text.chars() {
        let wide = letter.width().unwrap_or(0);
        if used + wide + 1 > width {
            break;
        }
        used += wide;
        shown.push(letter);
    }
    shown.trim_end().to_owned() + if width > 0 { "…" } else { "" }
}

/// Cuts a text to a width and fills it up with spaces.
pub(crate) fn fitted(text: &str, width: usize) -> String {
    let mut shown = cut(text, width);
    shown.push_str(&" ".repeat(width.saturating_sub(columns(&shown))));
    shown
}

/// Puts lines on the screen from the `from`-th on.
pub(crate) fn put(buffer: &mut Buffer, area: Rect, lines: &[Line<'_>], from: usize) {
    for (row, line) in (area.y..area.bottom()).zip(lines.iter().skip(from)) {
        buffer.set_line(area.x, row, line, area.width);
    }
}

/// Returns from which line on a text can be shown at most, so that its end is still on the screen.
pub(crate) fn last_start(lines: usize, height: u16) -> usize {
    lines.saturating_sub(usize::from(height))
}

/// Puts one line on the screen: a part at the left, and one at the right if there is room for it.
pub(crate) fn put_sides(buffer: &mut Buffer, area: Rect, left: &Line<'_>, right: &Line<'_>) {
    buffer.set_line(area.x, area.y, left, area.width);
    let (left, right_width) = (left.width(), right.width());
    if left + right_width < usize::from(area.width) {
        let x = area.right() - u16::try_from(right_width).unwrap_or(0);
        buffer.set_line(x, area.y, right, area.width);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_broken_between_words_and_keeps_its_indent() {
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap("  - one two three\n\nx", 9), ["  - one", "  two", "  three", "", "x"]);
        assert_eq!(wrap("abcdefghij k", 4), ["abcd", "efgh", "ij k"]);
        assert_eq!(wrap("数数数数", 5), ["数数", "数数"]);
        assert_eq!(wrap("", 5), Vec::<String>::new());
    }

    #[test]
    fn a_text_is_cut_by_columns_not_by_letters() {
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut("abcd", 4), "abcd");
        assert_eq!(cut("数数数", 4), "数…");
        assert_eq!(fitted("数数数", 4), "数… ");
        assert_eq!(cut("abc", 0), "");
    }
}
