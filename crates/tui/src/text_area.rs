//! Some lines that are typed into: the editor on the screen for those who have no other.

use crate::text_field::TextField;

/// Lines of text with a cursor in one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TextArea {
    lines: Vec<TextField>,
    at: usize,
}

impl TextArea {
    /// Begins with a text, the cursor at its end.
    pub(crate) fn new(text: &str) -> TextArea {
        let lines: Vec<TextField> = text.split('\n').map(TextField::new).collect();
        TextArea { at: lines.len() - 1, lines }
    }

    pub(crate) fn text(&self) -> String {
        self.lines.iter().map(TextField::text).collect::<Vec<_>>().join("\n")
    }

    pub(crate) fn lines(&self) -> &[TextField] {
        &self.lines
    }

    /// Returns the number of the line with the cursor.
    pub(crate) fn row(&self) -> usize {
        self.at
    }

    /// Returns the line with the cursor.
    pub(crate) fn current(&mut self) -> Option<&mut TextField> {
        self.lines.get_mut(self.at)
    }

    /// Breaks the line at the cursor.
    pub(crate) fn newline(&mut self) {
        let Some(current) = self.lines.get_mut(self.at) else { return };
        let (before, after) = current.halves();
        let (before, after) = (TextField::new(before), after.to_owned());
        *current = before;
        let mut next = TextField::new(&after);
        next.home();
        self.at += 1;
        self.lines.insert(self.at, next);
    }

    /// Removes the character before the cursor, or the break before the line.
    pub(crate) fn backspace(&mut self) {
        if self.current().is_none_or(TextField::backspace) || self.at == 0 {
            return;
        }
        let rest = self.lines.remove(self.at);
        self.at -= 1;
        if let Some(line) = self.lines.get_mut(self.at) {
            let joined = line.text().to_owned() + rest.text();
            let cursor = line.text().chars().count();
            *line = TextField::new(&joined);
            line.home();
            (0..cursor).for_each(|_| line.right());
        }
    }

    pub(crate) fn paste(&mut self, text: &str) {
        for (at, line) in text.lines().enumerate() {
            if at > 0 {
                self.newline();
            }
            if let Some(current) = self.current() {
                current.paste(line);
            }
        }
    }

    pub(crate) fn up(&mut self) {
        self.at = self.at.saturating_sub(1);
    }

    pub(crate) fn down(&mut self) {
        self.at = (self.at + 1).min(self.lines.len() - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_and_joined_where_the_cursor_is() {
        let mut area = TextArea::new("one\ntwo");
        area.up();
        area.newline();
        area.paste("and\na half");
        assert_eq!(area.text(), "one\nand\na half\ntwo");
        area.down();
        area.current().unwrap().home();
        area.backspace();
        assert_eq!(area.text(), "one\nand\na halftwo");
        area.current().unwrap().insert(' ');
        assert_eq!(area.text(), "one\nand\na half two");
        (0..40).for_each(|_| area.backspace());
        assert_eq!(area.text(), "two");
    }
}
