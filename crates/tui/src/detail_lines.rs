//! All there is of a memory, as lines: the words, what it rests on, what it said before, where it was injected.

use crate::clock_words::LocalClock;
use crate::palette::{Palette, Tone};
use crate::requests::MemoryDetail;
use crate::styled_lines::{Lines, columns, span, wrap, wrapped};
use ratatui_core::text::Line;

/// Writes a memory down for a column of this width.
pub(crate) fn detail_lines(detail: &MemoryDetail, width: usize, look: (Palette, LocalClock)) -> Lines {
    let mut page = DetailPage { lines: Lines::new(), width, palette: look.0, clock: look.1 };
    page.head(detail);
    page.words(detail);
    page.evidence(detail);
    page.history(detail);
    page.injected(detail);
    page.lines
}

struct DetailPage {
    lines: Lines,
    width: usize,
    palette: Palette,
    clock: LocalClock,
}

impl DetailPage {
    fn head(&mut self, detail: &MemoryDetail) {
        let line = &detail.line;
        self.text(&detail.words.title, 0, Tone::Strong);
        let faint = self.palette.tone(Tone::Faint);
        let pinned = if line.pinned { " · pinned" } else { "" };
        let facts = format!(" · {} · {}{pinned}", self.clock.long(line.at), line.project);
        let head = vec![span(format!("#{} ", line.id), faint), span(line.kind, self.palette.kind(line.kind))];
        self.lines.push(Line::from([head, vec![span(facts, faint)]].concat()));
        for about in &detail.about {
            self.text(about, 0, Tone::Faint);
        }
    }

    fn words(&mut self, detail: &MemoryDetail) {
        let words = &detail.words;
        if words.body.trim() != words.title.trim() {
            self.blank();
            self.text(words.body.trim_end(), 0, Tone::Plain);
        }
        for (name, items) in &detail.lists {
            self.heading(name);
            for item in items {
                self.item("·", item, Tone::Plain);
            }
        }
    }

    fn evidence(&mut self, detail: &MemoryDetail) {
        if detail.evidence.is_empty() && detail.more_evidence == 0 {
            return;
        }
        self.heading("Rests on");
        for (at, what, text) in &detail.evidence {
            let when = self.clock.long(*at);
            self.item("·", &format!("{what} {text} ({when})"), Tone::Plain);
        }
        match detail.more_evidence {
            0 => {}
            more if detail.evidence.is_empty() => {
                self.text(&format!("{more} events that are not kept any more"), 2, Tone::Faint);
            }
            more => self.text(&format!("and {more} more"), 2, Tone::Faint),
        }
        if detail.session.is_some() {
            self.text("o replays its session", 2, Tone::Faint);
        }
    }

    fn history(&mut self, detail: &MemoryDetail) {
        if detail.history.is_empty() {
            return;
        }
        self.heading("History");
        for (at, words) in &detail.history {
            let when = at.map(|at| format!("{}, ", self.clock.long(at))).unwrap_or_default();
            self.item("·", &format!("{when}{words}"), Tone::Plain);
        }
    }

    fn injected(&mut self, detail: &MemoryDetail) {
        self.heading("Where it was injected");
        if detail.injected.is_empty() {
            self.text("nowhere yet", 2, Tone::Faint);
        }
        for it in &detail.injected {
            let used = it.used.as_ref().map_or_else(String::new, |how| format!(" · used: {how}"));
            self.item("·", &format!("{}: {}{used}", self.clock.long(it.at), it.words), Tone::Plain);
            if !it.reasons.is_empty() {
                self.text(&format!("because {}", it.reasons), 4, Tone::Faint);
            }
        }
    }

    fn heading(&mut self, name: &str) {
        self.blank();
        self.lines.push(Line::from(span(name, self.palette.tone(Tone::Heading))));
    }

    fn item(&mut self, sign: &str, text: &str, tone: Tone) {
        let style = self.palette.tone(tone);
        let indent = columns(sign) + 3;
        for (at, line) in wrap(text, self.width.saturating_sub(indent)).into_iter().enumerate() {
            let begin = if at == 0 { format!("  {sign} ") } else { " ".repeat(indent) };
            self.lines.push(Line::from(vec![span(begin, self.palette.tone(Tone::Faint)), span(line, style)]));
        }
    }

    fn text(&mut self, text: &str, indent: usize, tone: Tone) {
        self.lines.extend(wrapped(text, (self.width, indent), self.palette.tone(tone)));
    }

    fn blank(&mut self) {
        self.lines.push(Line::default());
    }
}
