//! What each key does, by what has the keys.
//!
//! In a field letters are typed, and Alt with a letter acts; in a list the letters act. Not here: the editor (`editing`).

use crate::filters::FilterName;
use crate::requests::{Act, Request};
use crate::state::{BUDGET_STEP, DueForget, EditTarget, Effect, Focus, GRACE_MS, Overlay, State, View};
use crate::text_field::TextField;
use backstory_store::Verdict;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// A page of a list or a text, in lines.
const PAGE: isize = 10;

impl State {
    /// Does what a key says.
    pub(crate) fn press(&mut self, key: KeyEvent) -> Vec<Effect> {
        if self.quit_when_done.is_some() {
            return Vec::new();
        }
        self.wanted = None;
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match (key.code, control) {
            (KeyCode::Char('z'), true) => return vec![Effect::Suspend],
            (KeyCode::Char('l'), true) => return vec![Effect::Redraw],
            _ => {}
        }
        if self.overlay.is_some() {
            return self.press_overlay(key);
        }
        match (key.code, control) {
            (KeyCode::Char('c'), true) => return self.quit(None),
            (KeyCode::F(1), _) => {
                self.overlay = Some(Overlay::Help(0));
                return Vec::new();
            }
            _ => {}
        }
        if key.modifiers.contains(KeyModifiers::ALT)
            && let KeyCode::Char(letter) = key.code
        {
            return self.command(letter);
        }
        match self.focus {
            Focus::Field => self.press_in_field(key),
            Focus::Filter(name) => self.press_in_filter(name, key),
            Focus::List => self.press_in_list(key),
            Focus::Preview => self.press_in_preview(key),
        }
    }

    /// Puts in what was pasted: it is never taken for keys.
    pub(crate) fn paste(&mut self, text: &str) -> Vec<Effect> {
        if let Some(Overlay::Editor(editor)) = &mut self.overlay {
            editor.area.paste(text);
            return Vec::new();
        }
        if self.overlay.is_some() || self.view == View::Review {
            return Vec::new();
        }
        self.focus = Focus::Field;
        self.field().paste(text);
        self.field_changed()
    }

    fn field(&mut self) -> &mut TextField {
        match self.view {
            View::Memories | View::Review => &mut self.search.field,
            View::Sessions => &mut self.sessions.field,
            View::Injection => &mut self.injection.field,
        }
    }

    fn field_changed(&mut self) -> Vec<Effect> {
        match self.view {
            View::Memories => self.ask_search(),
            View::Injection => self.ask_injection(),
            View::Sessions => {
                self.filter_sessions();
                Vec::new()
            }
            View::Review => Vec::new(),
        }
    }

    fn press_in_field(&mut self, key: KeyEvent) -> Vec<Effect> {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match (key.code, control) {
            (KeyCode::Enter, _) => return self.enter(),
            (KeyCode::Esc, _) => return self.escape_field(),
            (KeyCode::Tab, _) if self.view == View::Memories => {
                self.focus = Focus::Filter(FilterName::Kind);
            }
            (KeyCode::BackTab, _) if self.view == View::Memories => {
                self.focus = Focus::Filter(FilterName::Standing);
            }
            (KeyCode::Tab | KeyCode::Down, _) if self.view == View::Injection => self.focus = Focus::Preview,
            (KeyCode::Tab, _) => self.focus = Focus::List,
            // Whoever moves in the list goes on with keys of the list.
            (KeyCode::Down | KeyCode::Up | KeyCode::PageDown | KeyCode::PageUp, _) => {
                self.focus = Focus::List;
                return self.press_in_list(key);
            }
            (KeyCode::Char('n'), true) => return self.move_selection(1),
            (KeyCode::Char('p'), true) => return self.move_selection(-1),
            (KeyCode::Char('?'), false) if self.field().is_empty() => {
                self.overlay = Some(Overlay::Help(0));
            }
            _ => {
                if edit_line(self.field(), key) {
                    return self.field_changed();
                }
            }
        }
        Vec::new()
    }

    fn escape_field(&mut self) -> Vec<Effect> {
        self.focus = if self.view == View::Injection { Focus::Preview } else { Focus::List };
        Vec::new()
    }

    fn press_in_filter(&mut self, name: FilterName, key: KeyEvent) -> Vec<Effect> {
        let step = match key.code {
            KeyCode::Tab => {
                self.focus = name.neighbour(1).map_or(Focus::Field, Focus::Filter);
                return Vec::new();
            }
            KeyCode::BackTab => {
                self.focus = name.neighbour(-1).map_or(Focus::Field, Focus::Filter);
                return Vec::new();
            }
            KeyCode::Enter | KeyCode::Esc => {
                self.focus = Focus::Field;
                return Vec::new();
            }
            KeyCode::Right | KeyCode::Down | KeyCode::Char(' ') => 1,
            KeyCode::Left | KeyCode::Up => -1,
            KeyCode::Char(letter) => {
                return if self.filters.jump(name, letter) { self.filter_changed() } else { Vec::new() };
            }
            _ => return Vec::new(),
        };
        self.filters.turn(name, step);
        self.filter_changed()
    }

    fn filter_changed(&mut self) -> Vec<Effect> {
        let mut effects = self.ask_search();
        effects.push(Effect::Ask(Request::Inbox(self.filters.projects())));
        effects
    }

    fn press_in_list(&mut self, key: KeyEvent) -> Vec<Effect> {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match (key.code, control) {
            (KeyCode::Up, _) | (KeyCode::Char('k'), false) => self.move_selection(-1),
            (KeyCode::Down, _) | (KeyCode::Char('j'), false) => self.move_selection(1),
            (KeyCode::PageUp, _) => self.move_selection(-PAGE),
            (KeyCode::PageDown, _) => self.move_selection(PAGE),
            (KeyCode::Home, _) | (KeyCode::Char('g'), false) => self.move_selection(isize::MIN),
            (KeyCode::End, _) | (KeyCode::Char('G'), false) => self.move_selection(isize::MAX),
            (KeyCode::Char('d'), true) => self.scroll(PAGE),
            (KeyCode::Char('u'), true) => self.scroll(-PAGE),
            (KeyCode::Enter, _) => self.enter(),
            (KeyCode::Right, _) => self.zoom(),
            (KeyCode::Tab, _) if self.view == View::Memories => {
                self.focus = Focus::Filter(FilterName::Kind);
                Vec::new()
            }
            (KeyCode::Tab | KeyCode::BackTab | KeyCode::Backspace, _) if self.view != View::Review => {
                self.focus = Focus::Field;
                Vec::new()
            }
            (KeyCode::Esc | KeyCode::Char('q'), _) => self.quit(None),
            (KeyCode::Char(letter), false) => self.command(letter),
            _ => Vec::new(),
        }
    }

    fn press_in_preview(&mut self, key: KeyEvent) -> Vec<Effect> {
        match key.code {
            KeyCode::Up | KeyCode::Char('k') => self.scroll(-1),
            KeyCode::Down | KeyCode::Char('j') => self.scroll(1),
            KeyCode::PageUp => self.scroll(-PAGE),
            KeyCode::PageDown | KeyCode::Char(' ') => self.scroll(PAGE),
            KeyCode::Home | KeyCode::Char('g') => self.scroll(isize::MIN),
            KeyCode::Left | KeyCode::Esc | KeyCode::Backspace => self.step_back(),
            KeyCode::Char('q') if self.sessions.replay.is_some() && self.view == View::Sessions => {
                self.step_back()
            }
            KeyCode::Char('q') => self.quit(None),
            KeyCode::Tab | KeyCode::BackTab if self.view == View::Injection => self.step_back(),
            KeyCode::Enter => self.enter(),
            KeyCode::Char('+' | '-') if self.view == View::Injection => {
                self.change_budget(key.code == KeyCode::Char('+'))
            }
            KeyCode::Char('v') if self.view == View::Sessions => {
                self.sessions.is_verbose = !self.sessions.is_verbose;
                Vec::new()
            }
            KeyCode::Char(letter) => self.command(letter),
            _ => Vec::new(),
        }
    }

    /// Goes back to where the preview was opened.
    fn step_back(&mut self) -> Vec<Effect> {
        self.is_zoomed = false;
        self.focus = if self.view == View::Injection { Focus::Field } else { Focus::List };
        if self.view == View::Sessions {
            self.sessions.replay = None;
        }
        Vec::new()
    }

    fn zoom(&mut self) -> Vec<Effect> {
        match self.view {
            View::Sessions => self.enter(),
            _ if self.current_memory().is_some() => {
                self.is_zoomed = true;
                self.focus = Focus::Preview;
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    /// Takes what is selected: a memory is the choice of the program, a session is replayed.
    fn enter(&mut self) -> Vec<Effect> {
        match self.view {
            View::Memories | View::Review => match self.current_memory().map(|line| line.id) {
                Some(id) => self.quit(Some(id)),
                None => Vec::new(),
            },
            View::Sessions if self.sessions.replay.is_none() => {
                let id = self.sessions.list.current().map(|line| line.id);
                id.map(|id| Effect::Ask(Request::Replay(id))).into_iter().collect()
            }
            View::Sessions | View::Injection => Vec::new(),
        }
    }

    fn move_selection(&mut self, by: isize) -> Vec<Effect> {
        let has_moved = match self.view {
            View::Memories => self.search.list.step(by),
            View::Review => self.review.step(by),
            View::Sessions => {
                self.sessions.list.step(by);
                false
            }
            View::Injection => return self.scroll(by),
        };
        if has_moved { self.ask_detail() } else { Vec::new() }
    }

    fn scroll(&mut self, by: isize) -> Vec<Effect> {
        let place = match self.view {
            View::Memories | View::Review => &mut self.detail_scroll,
            View::Sessions => &mut self.sessions.scroll,
            View::Injection => &mut self.injection.scroll,
        };
        // The end is known to the drawing, which stops there.
        *place = place.saturating_add_signed(by);
        Vec::new()
    }

    fn change_budget(&mut self, is_more: bool) -> Vec<Effect> {
        let now = self.injection.preview.as_ref().map_or(BUDGET_STEP, |preview| preview.budget);
        let next = if is_more { now + BUDGET_STEP } else { now.saturating_sub(BUDGET_STEP).max(BUDGET_STEP) };
        self.injection.budget = Some(next);
        self.ask_injection()
    }

    /// Does what a letter stands for outside of fields.
    fn command(&mut self, letter: char) -> Vec<Effect> {
        match letter {
            '1'..='4' => {
                let at = letter.to_digit(10).map_or(0, |digit| digit as usize - 1);
                View::ALL.get(at).map_or_else(Vec::new, |view| self.show(*view))
            }
            '?' => {
                self.overlay = Some(Overlay::Help(0));
                Vec::new()
            }
            '/' | 'i' if self.view != View::Review => {
                self.is_zoomed = false;
                self.focus = Focus::Field;
                Vec::new()
            }
            'u' => self.undo_last(),
            'q' => self.quit(None),
            _ => self.command_on_memory(letter),
        }
    }

    fn command_on_memory(&mut self, letter: char) -> Vec<Effect> {
        let Some(id) = self.current_memory().map(|line| line.id) else { return Vec::new() };
        let is_review = self.view == View::Review;
        match letter {
            'c' => vec![self.act(Act::Judge(id, Verdict::Confirm))],
            'y' if is_review => vec![self.act(Act::Judge(id, Verdict::Confirm))],
            'x' => vec![self.act(Act::Judge(id, Verdict::Retire))],
            'n' if is_review => vec![self.act(Act::Judge(id, Verdict::Retire))],
            's' | ' ' if is_review => self.move_selection(1),
            'p' => vec![self.act(Act::TogglePin(id))],
            'f' => {
                if !self.is_forgetting(id) {
                    self.forgetting.push(DueForget { id, due: self.ticks + GRACE_MS });
                }
                Vec::new()
            }
            'e' => self.open_editor(EditTarget::Revise(id)),
            's' => self.open_editor(EditTarget::Supersede(id)),
            'E' => self.open_own_editor(EditTarget::Revise(id)),
            'S' => self.open_own_editor(EditTarget::Supersede(id)),
            'y' => self.copy_words(),
            'Y' => {
                self.say(format!("copied #{id}"));
                vec![Effect::Copy(id.to_string())]
            }
            'o' => self.open_session(),
            _ => Vec::new(),
        }
    }

    fn copy_words(&mut self) -> Vec<Effect> {
        let Some(detail) = self.current_detail() else { return Vec::new() };
        let (id, text) = (detail.line.id, detail.words.to_text());
        self.say(format!("copied the text of #{id}, if your terminal lets programs copy"));
        vec![Effect::Copy(text)]
    }

    /// Replays the session the memory came from.
    fn open_session(&mut self) -> Vec<Effect> {
        let Some(session) = self.current_detail().map(|detail| detail.session) else { return Vec::new() };
        let Some(session) = session else {
            self.say("this memory came from no session");
            return Vec::new();
        };
        let mut effects = self.show(View::Sessions);
        effects.push(Effect::Ask(Request::Replay(session)));
        effects
    }

    fn undo_last(&mut self) -> Vec<Effect> {
        if let Some(kept) = self.forgetting.pop() {
            self.say(format!("#{} is kept", kept.id));
            return Vec::new();
        }
        match self.undo.pop() {
            Some(step) => vec![self.act(Act::Undo(Box::new(step)))],
            None => {
                self.say("nothing to undo");
                Vec::new()
            }
        }
    }
}

/// Edits a line with the keys shells have. Returns whether its text may have changed.
pub(crate) fn edit_line(field: &mut TextField, key: KeyEvent) -> bool {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    match (key.code, control) {
        (KeyCode::Char('u'), true) => field.clear(),
        (KeyCode::Char('w'), true) => field.delete_word(),
        (KeyCode::Char('a'), true) | (KeyCode::Home, _) => field.home(),
        (KeyCode::Char('e'), true) | (KeyCode::End, _) => field.end(),
        (KeyCode::Left, _) => field.left(),
        (KeyCode::Right, _) => field.right(),
        (KeyCode::Char('h'), true) => return field.backspace(),
        (KeyCode::Char(_), true) => return false,
        (KeyCode::Char(letter), false) => field.insert(letter),
        (KeyCode::Backspace, _) => return field.backspace(),
        (KeyCode::Delete, _) => field.delete(),
        _ => return false,
    }
    !matches!(key.code, KeyCode::Left | KeyCode::Right | KeyCode::Home | KeyCode::End)
}
