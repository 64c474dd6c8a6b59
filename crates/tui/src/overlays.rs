//! Draws what lies over the screen: the help, the editor, the question before the end.

use crate::drawing::{Canvas, row};
use crate::help_lines::help_lines;
use crate::palette::Tone;
use crate::state::{EditTarget, OpenEditor, Overlay};
use crate::styled_lines::{Lines, columns, cut, last_start, span};
use ratatui_core::layout::{Position, Rect};
use ratatui_core::text::Line;
use unicode_width::UnicodeWidthChar;

impl Canvas<'_> {
    /// Draws it, if there is something; returns where the cursor stands then.
    pub(crate) fn overlay(&mut self, area: Rect) -> Option<Option<Position>> {
        match self.state.overlay.clone()? {
            Overlay::Help(from) => {
                let inner = self.frame(area, "Keys", "any other key closes");
                let lines = help_lines(inner.width.into(), self.palette);
                let from = from.min(last_start(lines.len(), inner.height));
                self.state.overlay = Some(Overlay::Help(from));
                self.scrolled(inner, &lines, from);
                Some(None)
            }
            Overlay::Editor(editor) => Some(self.editor(area, &editor)),
            Overlay::ForgetBeforeQuit(_) => {
                let count = self.state.forgetting.len();
                let what = match self.state.forgetting.first() {
                    Some(only) if count == 1 => format!("#{}", only.id),
                    _ => format!("{count} memories"),
                };
                let height = 6.min(area.height);
                let middle = Rect { y: area.y + (area.height - height) / 2, height, ..area };
                let inner = self.frame(middle, "Forget for good?", "");
                let lines: Lines = [
                    format!("{what} would have been forgotten in a moment."),
                    "y forgets now, n keeps, Esc goes back".to_owned(),
                ]
                .into_iter()
                .map(|text| Line::from(span(text, self.palette.tone(Tone::Plain))))
                .collect();
                self.scrolled(inner, &lines, 0);
                Some(None)
            }
        }
    }

    /// Clears an area and draws a frame in it with a name above and a note below. Returns what is inside.
    fn frame(&mut self, area: Rect, name: &str, note: &str) -> Rect {
        let (faint, heading) = (self.palette.tone(Tone::Faint), self.palette.tone(Tone::Heading));
        let width = usize::from(area.width);
        for y in area.y..area.bottom() {
            self.buffer.set_string(area.x, y, " ".repeat(width), ratatui_core::style::Style::reset());
        }
        let rule = "─".repeat(width);
        self.buffer.set_string(area.x, area.y, &rule, faint);
        self.buffer.set_string(area.x + 2, area.y, format!(" {name} "), heading);
        let last = row(area, area.height - 1);
        self.buffer.set_string(last.x, last.y, &rule, faint);
        if !note.is_empty() {
            let note = cut(&format!(" {note} "), width.saturating_sub(4));
            self.buffer.set_string(last.x + 2, last.y, note, faint);
        }
        Rect {
            x: area.x + 2,
            y: area.y + 1,
            width: area.width.saturating_sub(4),
            height: area.height.saturating_sub(2),
        }
    }

    fn editor(&mut self, area: Rect, editor: &OpenEditor) -> Option<Position> {
        let name = match editor.target {
            EditTarget::Revise(id) => format!("Edit #{id}: the first line is its title"),
            EditTarget::Supersede(id) => format!("What holds in place of #{id}? The first line is its title"),
        };
        let note = if editor.is_warned {
            "Esc again throws your changes away"
        } else {
            "Ctrl+S saves · Esc cancels · Ctrl+O opens $EDITOR"
        };
        let inner = self.frame(area, &name, note);
        let width = usize::from(inner.width).max(4);
        let mut lines = Lines::new();
        let mut cursor = (0, 0);
        for (at, field) in editor.area.lines().iter().enumerate() {
            let tone = if at == 0 { Tone::Strong } else { Tone::Plain };
            // A tab takes one column here, so that every letter stays where the cursor looks for it.
            let text = field.text().replace('\t', " ");
            let pieces = soft_lines(&text, width);
            if at == editor.area.row() {
                let (row, column) = place_of(field.halves().0.len(), &pieces);
                cursor = (lines.len() + row, column);
            }
            let style = self.palette.tone(tone);
            lines.extend(pieces.into_iter().map(|text| Line::from(span(text, style))));
        }
        let from = (cursor.0 + 1).saturating_sub(usize::from(inner.height));
        crate::styled_lines::put(self.buffer, inner, &lines, from);
        let (y, x) = (u16::try_from(cursor.0 - from).ok()?, u16::try_from(cursor.1).ok()?);
        Some(Position::new(inner.x + x, inner.y + y))
    }
}

/// Breaks a line that is typed into: behind a space where there is one, and without losing a letter. The space may hang over the edge.
fn soft_lines(text: &str, width: usize) -> Vec<&str> {
    let (mut lines, mut rest) = (Vec::new(), text);
    while columns(rest) > width {
        let mut used = 0;
        let fits = |letter: &(usize, char)| {
            used += letter.1.width().unwrap_or(0);
            used <= width
        };
        let end =
            rest.char_indices().take_while(fits).last().map_or(0, |(at, letter)| at + letter.len_utf8());
        let (room, over) = rest.split_at_checked(end).unwrap_or((rest, ""));
        let end =
            if over.starts_with(' ') { end + 1 } else { room.rfind(' ').map_or(end, |space| space + 1) };
        let Some((line, next)) = rest.split_at_checked(end).filter(|_| end > 0) else { break };
        lines.push(line);
        rest = next;
    }
    lines.push(rest);
    lines
}

/// Returns in which of the lines, and in which column of it, a place in the text lies, counted in bytes.
fn place_of(cursor: usize, lines: &[&str]) -> (usize, usize) {
    let mut start = 0;
    for (row, line) in lines.iter().enumerate() {
        let is_last = row + 1 == lines.len();
        if cursor < start + line.len() || is_last {
            return (row, line.get(..cursor.saturating_sub(start)).map_or(0, columns));
        }
        start += line.len();
    }
    (0, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_edited_breaks_between_words_and_the_cursor_stays_at_its_letter() {
        let text = "one two three fourteenletters 数数数";
        let lines = soft_lines(text, 8);
        assert_eq!(lines, ["one two ", "three ", "fourteen", "letters ", "数数数"]);
        let at = |word: &str| place_of(text.find(word).unwrap(), &lines);
        assert_eq!((at("two"), at("three"), at("letters")), ((0, 4), (1, 0), (3, 0)));
        assert_eq!(place_of(text.len(), &lines), (4, 6));
        assert_eq!((soft_lines("", 8), place_of(0, &[""])), (vec![""], (0, 0)));
    }
}
