//! What an answer of the store changes on the screen.

use crate::requests::{ActReport, Answer, FoundMemories};
use crate::state::{Effect, Focus, State, View};

impl State {
    /// Takes an answer.
    pub(crate) fn take(&mut self, answer: Answer) -> Vec<Effect> {
        match answer {
            Answer::Projects(projects) => {
                self.filters.take_projects(projects, &self.wanted_project.clone());
                return self.refresh();
            }
            Answer::Found(found) => return self.take_found(found),
            Answer::Detail(detail) => self.detail = Some(*detail),
            Answer::NoDetail(id) => {
                if self.detail.as_ref().is_some_and(|detail| detail.line.id == id) {
                    self.detail = None;
                }
            }
            Answer::Inbox(rows) => {
                let before = self.review.current().map(|line| line.id);
                self.review.replace(rows, |one, other| one.id == other.id);
                self.review.select(|row| Some(row.id) == self.wanted);
                if self.view == View::Review && self.review.current().map(|line| line.id) != before {
                    return self.ask_detail();
                }
            }
            Answer::Sessions(rows) => {
                self.sessions.all = rows;
                self.filter_sessions();
            }
            Answer::Replay(replay) => {
                self.sessions.replay = Some(*replay);
                self.sessions.scroll = 0;
                if self.view == View::Sessions {
                    self.focus = Focus::Preview;
                }
            }
            Answer::Injection(preview) => {
                let is_newer =
                    self.injection.preview.as_ref().is_none_or(|it| it.generation <= preview.generation);
                if is_newer {
                    self.injection.preview = Some(*preview);
                }
            }
            Answer::Done(report) => return self.take_report(*report),
            Answer::Changed => return self.refresh(),
            Answer::Failed { is_act, words, hint } => return self.take_failure(is_act, (words, hint)),
        }
        Vec::new()
    }

    fn take_found(&mut self, found: FoundMemories) -> Vec<Effect> {
        // An older answer may still arrive, but never after a newer one has been shown.
        if found.generation < self.search.answered {
            return Vec::new();
        }
        self.search.answered = found.generation;
        self.search.tenths_ms = found.tenths_ms;
        self.search.note = found.note;
        if self.search.is_refresh {
            self.search.list.replace(found.rows, |one, other| one.id == other.id);
            self.search.list.select(|row| Some(row.id) == self.wanted);
        } else {
            self.search.list.replace(found.rows, |_, _| false);
            self.search.list.selected = 0;
        }
        self.search.is_refresh = false;
        if self.view == View::Memories { self.ask_detail() } else { Vec::new() }
    }

    fn take_report(&mut self, report: ActReport) -> Vec<Effect> {
        let ActReport { words, undo, shows } = report;
        self.say(if undo.is_some() { format!("{words} · u undoes it") } else { words });
        self.undo.extend(undo);
        self.wanted = shows;
        self.search.list.select(|row| Some(row.id) == shows);
        self.act_answered(true)
    }

    fn take_failure(&mut self, is_act: bool, (words, hint): (String, Option<String>)) -> Vec<Effect> {
        self.fail(match hint {
            Some(hint) => format!("{words} ({hint})"),
            None => words,
        });
        if is_act {
            // What could not be done is said before the program ends, so it does not end now.
            self.quit_when_done = None;
            return self.act_answered(false);
        }
        Vec::new()
    }

    fn act_answered(&mut self, refreshes: bool) -> Vec<Effect> {
        self.acts_under_way = self.acts_under_way.saturating_sub(1);
        match self.quit_when_done {
            Some(choice) if self.acts_under_way == 0 => vec![Effect::Quit(choice)],
            _ if refreshes => self.refresh(),
            _ => Vec::new(),
        }
    }
}
