//! A session step by step, as lines: prompts, what was done, changes in colour, what was learnt and injected.

use crate::clock_words::LocalClock;
use crate::palette::{Palette, Tone};
use crate::requests::{ReplayStep, ReplayTurn, SessionReplay};
use crate::styled_lines::{Lines, cut, span, wrapped};
use ratatui_core::text::Line;

/// How many lines of an output are shown: its last ones, where results and errors stand.
const OUTPUT_LINES: usize = 6;
/// How many lines of a change are shown.
const CHANGE_LINES: usize = 24;
/// How many lines of a closing message are shown.
const CLOSING_LINES: usize = 12;

/// How a session is rendered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReplayLook {
    pub(crate) palette: Palette,
    pub(crate) clock: LocalClock,
    pub(crate) width: usize,
    /// Shows outputs and changes whole, whatever their length.
    pub(crate) is_verbose: bool,
}

impl ReplayLook {
    /// Renders a session.
    pub(crate) fn lines(&self, replay: &SessionReplay) -> Lines {
        let mut lines = Lines::new();
        for turn in &replay.turns {
            self.turn(&mut lines, turn);
        }
        lines
    }

    fn turn(&self, lines: &mut Lines, turn: &ReplayTurn) {
        let faint = self.palette.tone(Tone::Faint);
        lines.push(Line::from(span(self.clock.long(turn.at), faint)));
        for injected in &turn.injected {
            lines.push(Line::from(span(
                format!("  injected at {injected}"),
                self.palette.tone(Tone::Heading),
            )));
        }
        if let Some(prompt) = &turn.prompt {
            for (at, line) in
                wrapped(prompt, (self.width, 2), self.palette.tone(Tone::Strong)).into_iter().enumerate()
            {
                lines.push(if at == 0 { mark(&line, self.palette) } else { line });
            }
        }
        for step in &turn.steps {
            self.step(lines, step);
        }
        if let Some(closing) = &turn.closing {
            let said = wrapped(closing.trim(), (self.width, 2), self.palette.tone(Tone::Plain));
            self.some(lines, said, CLOSING_LINES);
        }
        for (id, kind, title) in &turn.learnt {
            lines.push(Line::from(vec![
                span("  + ", self.palette.tone(Tone::Good)),
                span(format!("#{id} "), faint),
                span(format!("{kind} "), self.palette.kind(kind)),
                span(cut(title, self.width.saturating_sub(8 + kind.len())), self.palette.tone(Tone::Plain)),
            ]));
        }
        lines.push(Line::default());
    }

    fn step(&self, lines: &mut Lines, step: &ReplayStep) {
        let tone = if step.failed { Tone::Bad } else { Tone::Faint };
        let room = self.width.saturating_sub(4 + step.what.len().max(8));
        lines.push(Line::from(vec![
            span(format!("  {:<8} ", step.what), self.palette.tone(tone)),
            span(cut(&step.text, room), self.palette.tone(Tone::Plain)),
        ]));
        let Some(detail) = &step.detail else { return };
        let shown: Lines = detail.lines().map(|line| self.detail_line(line, step.is_edit)).collect();
        if step.is_edit {
            self.some(lines, shown, CHANGE_LINES);
        } else if self.is_verbose {
            lines.extend(shown);
        } else {
            let skipped = shown.len().saturating_sub(OUTPUT_LINES);
            if skipped > 0 {
                lines.push(self.note(&format!("… {skipped} lines before")));
            }
            lines.extend(shown.into_iter().skip(skipped));
        }
    }

    fn detail_line(&self, line: &str, is_edit: bool) -> Line<'static> {
        let tone = match (is_edit, line.chars().next()) {
            (true, Some('+')) => Tone::Good,
            (true, Some('-')) => Tone::Bad,
            _ => Tone::Faint,
        };
        let text = cut(&line.replace('\t', "    "), self.width.saturating_sub(6));
        Line::from(span(format!("      {text}"), self.palette.tone(tone)))
    }

    /// Adds the first lines, and says how many are left out.
    fn some(&self, lines: &mut Lines, shown: Lines, most: usize) {
        let most = if self.is_verbose { usize::MAX } else { most };
        let rest = shown.len().saturating_sub(most);
        lines.extend(shown.into_iter().take(most));
        if rest > 0 {
            lines.push(self.note(&format!("… {rest} lines more")));
        }
    }

    fn note(&self, words: &str) -> Line<'static> {
        Line::from(span(format!("      {words}"), self.palette.tone(Tone::Faint)))
    }
}

fn mark(line: &Line<'static>, palette: Palette) -> Line<'static> {
    let style = palette.tone(Tone::Strong);
    let text: String = line.iter().map(|part| part.content.as_ref()).collect();
    Line::from(vec![span("› ", palette.tone(Tone::Accent)), span(text.trim_start().to_owned(), style)])
}
