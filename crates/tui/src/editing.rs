//! Changing the words of a memory, on the screen or in the user's own editor, and what else lies over the screen.

use crate::keys::edit_line;
use crate::requests::{Act, MemoryWords};
use crate::state::{EditTarget, Effect, OpenEditor, Overlay, State};
use crate::text_area::TextArea;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

impl State {
    /// Opens the editor on the screen, with the words as they are.
    pub(crate) fn open_editor(&mut self, target: EditTarget) -> Vec<Effect> {
        let Some(original) = self.current_detail().map(|detail| detail.words.to_text()) else {
            return Vec::new();
        };
        let area = TextArea::new(&original);
        self.overlay = Some(Overlay::Editor(OpenEditor { target, area, original, is_warned: false }));
        Vec::new()
    }

    /// Opens the user's own editor, with the words as they are.
    pub(crate) fn open_own_editor(&mut self, target: EditTarget) -> Vec<Effect> {
        let text = self.current_detail().map(|detail| detail.words.to_text());
        let effect = text.map(|text| Effect::OpenEditor { target, original: text.clone(), text });
        effect.into_iter().collect()
    }

    /// Takes what came out of an editor.
    pub(crate) fn edited(&mut self, target: EditTarget, (original, text): (&str, &str)) -> Vec<Effect> {
        let words = MemoryWords::from_text(text);
        if words.title.is_empty() {
            self.say("nothing changed: the text was empty");
            return Vec::new();
        }
        if words == MemoryWords::from_text(original) {
            self.say("nothing changed");
            return Vec::new();
        }
        vec![self.act(match target {
            EditTarget::Revise(id) => Act::Revise(id, words),
            EditTarget::Supersede(id) => Act::Supersede(id, words),
        })]
    }

    /// Does what a key says while something lies over the screen.
    pub(crate) fn press_overlay(&mut self, key: KeyEvent) -> Vec<Effect> {
        match self.overlay.take() {
            Some(Overlay::Help(from)) => {
                self.overlay = scrolled_help(from, key).map(Overlay::Help);
                Vec::new()
            }
            Some(Overlay::Editor(editor)) => self.press_in_editor(editor, key),
            Some(Overlay::ForgetBeforeQuit(choice)) => match key.code {
                KeyCode::Char('y') => {
                    let due = std::mem::take(&mut self.forgetting);
                    let mut effects: Vec<Effect> =
                        due.into_iter().map(|it| self.act(Act::Forget(it.id))).collect();
                    effects.extend(self.quit(choice));
                    effects
                }
                KeyCode::Char('n') => {
                    self.forgetting.clear();
                    self.quit(choice)
                }
                KeyCode::Esc => Vec::new(),
                _ => {
                    self.overlay = Some(Overlay::ForgetBeforeQuit(choice));
                    Vec::new()
                }
            },
            None => Vec::new(),
        }
    }

    fn press_in_editor(&mut self, mut editor: OpenEditor, key: KeyEvent) -> Vec<Effect> {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let was_warned = std::mem::take(&mut editor.is_warned);
        match (key.code, control) {
            (KeyCode::Char('s'), true) => {
                return self.edited(editor.target, (&editor.original, &editor.area.text()));
            }
            (KeyCode::Char('o'), true) => {
                let OpenEditor { target, area, original, .. } = editor;
                return vec![Effect::OpenEditor { target, original, text: area.text() }];
            }
            (KeyCode::Esc, _) | (KeyCode::Char('c'), true) => {
                if was_warned || editor.area.text() == editor.original {
                    return Vec::new();
                }
                editor.is_warned = true;
            }
            (KeyCode::Enter, _) => editor.area.newline(),
            (KeyCode::Up, _) => editor.area.up(),
            (KeyCode::Down, _) => editor.area.down(),
            (KeyCode::Backspace, _) => editor.area.backspace(),
            _ => {
                if let Some(line) = editor.area.current() {
                    edit_line(line, key);
                }
            }
        }
        self.overlay = Some(Overlay::Editor(editor));
        Vec::new()
    }
}

/// Returns from which line on the help is shown next; nothing closes it.
fn scrolled_help(from: usize, key: KeyEvent) -> Option<usize> {
    match key.code {
        KeyCode::Down | KeyCode::Char('j') => Some(from + 1),
        KeyCode::Up | KeyCode::Char('k') => Some(from.saturating_sub(1)),
        KeyCode::PageDown | KeyCode::Char(' ') => Some(from + 10),
        KeyCode::PageUp => Some(from.saturating_sub(10)),
        _ => None,
    }
}
