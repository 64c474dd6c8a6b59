//! One line that is typed into: the text, and where the cursor is.

/// A line of text with a cursor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TextField {
    text: String,
    /// In bytes, at the beginning of a character.
    cursor: usize,
}

impl TextField {
    pub(crate) fn new(text: &str) -> TextField {
        TextField { text: text.to_owned(), cursor: text.len() }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Returns what stands before the cursor, and after it.
    pub(crate) fn halves(&self) -> (&str, &str) {
        self.text.split_at_checked(self.cursor).unwrap_or((&self.text, ""))
    }

    pub(crate) fn insert(&mut self, typed: char) {
        self.text.insert(self.cursor, typed);
        self.cursor += typed.len_utf8();
    }

    /// Puts in what was pasted, on one line.
    pub(crate) fn paste(&mut self, text: &str) {
        for typed in text.chars() {
            self.insert(if typed.is_control() { ' ' } else { typed });
        }
    }

    /// Removes the character before the cursor. Returns whether there was one.
    pub(crate) fn backspace(&mut self) -> bool {
        let Some(last) = self.halves().0.chars().next_back() else { return false };
        self.cursor -= last.len_utf8();
        self.text.remove(self.cursor);
        true
    }

    pub(crate) fn delete(&mut self) {
        if self.cursor < self.text.len() {
            self.text.remove(self.cursor);
        }
    }

    /// Removes the word before the cursor.
    pub(crate) fn delete_word(&mut self) {
        let start = {
            let before = self.halves().0.trim_end();
            before.rfind(char::is_whitespace).map_or(0, |space| {
                space + before.get(space..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
            })
        };
        self.text.replace_range(start..self.cursor, "");
        self.cursor = start;
    }

    pub(crate) fn clear(&mut self) {
        *self = TextField::default();
    }

    pub(crate) fn left(&mut self) {
        self.cursor -= self.halves().0.chars().next_back().map_or(0, char::len_utf8);
    }

    pub(crate) fn right(&mut self) {
        self.cursor += self.halves().1.chars().next().map_or(0, char::len_utf8);
    }

    pub(crate) fn home(&mut self) {
        self.cursor = 0;
    }

    pub(crate) fn end(&mut self) {
        self.cursor = self.text.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_any_length_are_typed_moved_over_and_removed() {
        let mut field = TextField::new("größe ändern");
        field.delete_word();
        assert_eq!(field.text(), "größe ");
        field.left();
        field.left();
        field.insert('数');
        assert_eq!(field.halves(), ("größ数", "e "));
        assert!(field.backspace());
        field.home();
        assert!(!field.backspace());
        field.delete();
        field.end();
        field.paste("a\nb");
        assert_eq!(field.text(), "röße a b");
        field.delete_word();
        field.delete_word();
        assert_eq!(field.text(), "röße ");
    }
}
