//! Draws the state: tabs, field and filters on top, a list and the text beside or below it, the keys on the last line.
//!
//! Drawing also stops scrolling at the end of a text, because only here it is known how many lines that has.

use crate::detail_lines::detail_lines;
use crate::filters::FilterName;
use crate::help_lines::hints;
use crate::palette::{Palette, Tone};
use crate::replay_lines::ReplayLook;
use crate::requests::MemoryLine;
use crate::state::{Focus, State, View};
use crate::styled_lines::{Lines, columns, cut, last_start, put, put_sides, span, wrapped};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::{Position, Rect};
use ratatui_core::style::Modifier;
use ratatui_core::text::{Line, Span};

/// From this width on the text stands beside the list.
const SIDE_BY_SIDE: u16 = 110;
/// On a smaller screen nothing can be read.
const LEAST: (u16, u16) = (30, 8);

/// Draws everything. Returns where the cursor stands, if something is typed into.
pub(crate) fn draw(state: &mut State, palette: Palette, buffer: &mut Buffer) -> Option<Position> {
    let area = *buffer.area();
    state.size = (area.width, area.height);
    if area.width < LEAST.0 || area.height < LEAST.1 {
        put(buffer, area, &[Line::from("make this window larger")], 0);
        return None;
    }
    let mut canvas = Canvas { state, palette, buffer };
    let cursor = canvas.screen(area);
    let over = canvas.overlay(area);
    over.unwrap_or(cursor)
}

/// What is drawn on, with what.
pub(crate) struct Canvas<'a> {
    pub(crate) state: &'a mut State,
    pub(crate) palette: Palette,
    pub(crate) buffer: &'a mut Buffer,
}

/// Returns one row of an area.
pub(crate) fn row(area: Rect, at: u16) -> Rect {
    Rect { y: area.y + at.min(area.height.saturating_sub(1)), height: 1, ..area }
}

impl Canvas<'_> {
    fn screen(&mut self, area: Rect) -> Option<Position> {
        self.tabs(row(area, 0));
        self.footer(row(area, area.height - 1));
        let inner = Rect { x: area.x + 1, width: area.width - 2, ..area };
        let cursor = match self.state.view {
            View::Memories => self.field(row(inner, 1)),
            View::Sessions if self.state.sessions.replay.is_none() => self.field(row(inner, 1)),
            View::Injection => self.field(row(inner, 1)),
            _ => None,
        };
        let body = |top: u16| Rect { y: area.y + top, height: area.height - top - 1, ..inner };
        match self.state.view {
            View::Memories => {
                self.filters(row(inner, 2));
                self.memories(body(3));
            }
            View::Review => self.memories(body(1)),
            View::Sessions => self.sessions(body(if self.state.sessions.replay.is_none() { 2 } else { 1 })),
            View::Injection => self.injection(body(2)),
        }
        cursor
    }

    fn tabs(&mut self, area: Rect) {
        let waiting = self.state.review.rows.len();
        let mut parts: Vec<Span<'static>> = Vec::new();
        for (at, view) in View::ALL.into_iter().enumerate() {
            let name = match view {
                View::Memories => "Memories".to_owned(),
                View::Review if waiting > 0 => format!("Review {waiting}"),
                View::Review => "Review".to_owned(),
                View::Sessions => "Sessions".to_owned(),
                View::Injection => "Injection".to_owned(),
            };
            let style = if view == self.state.view {
                self.palette.tone(Tone::Accent).add_modifier(Modifier::UNDERLINED)
            } else {
                self.palette.tone(Tone::Faint)
            };
            let gap = if parts.is_empty() { " " } else { "  " };
            parts.push(span(format!("{gap}{} ", at + 1), self.palette.tone(Tone::Faint)));
            parts.push(span(name, style));
        }
        let project = self.state.filters.words(FilterName::Project);
        let project = span(format!("{} ", cut(&project, 24)), self.palette.tone(Tone::Faint));
        put_sides(self.buffer, area, &Line::from(parts), &Line::from(project));
    }

    fn field(&mut self, area: Rect) -> Option<Position> {
        let has_keys = self.state.focus == Focus::Field;
        let (field, empty) = match self.state.view {
            View::Sessions => (&self.state.sessions.field, "type to filter sessions"),
            View::Injection => (&self.state.injection.field, "type a prompt; empty is a session's start"),
            View::Memories | View::Review => (&self.state.search.field, "type to search"),
        };
        let (before, after) = field.halves();
        let room = usize::from(area.width).saturating_sub(18);
        // A long text is shown from where its end, at the cursor, fits.
        let skipped = columns(before).saturating_sub(room);
        let shown: String = before.chars().skip(skipped).collect();
        let tone = self.palette.tone(if has_keys { Tone::Accent } else { Tone::Faint });
        let text = if field.is_empty() {
            span(empty, self.palette.tone(Tone::Faint))
        } else {
            span(cut(&format!("{shown}{after}"), room.max(1) + 8), self.palette.tone(Tone::Plain))
        };
        let left = Line::from(vec![span("› ", tone), text]);
        let right = self.field_note();
        put_sides(self.buffer, area, &left, &Line::from(span(right, self.palette.tone(Tone::Faint))));
        let column = area.x + 2 + u16::try_from(columns(&shown)).unwrap_or(0);
        has_keys.then_some(Position::new(column.min(area.right().saturating_sub(1)), area.y))
    }

    fn field_note(&self) -> String {
        let ms = |tenths: u32| format!("{}.{} ms", tenths / 10, tenths % 10);
        match self.state.view {
            View::Memories if self.state.search.answered > 0 => {
                let count = self.state.search.list.rows.len();
                let count = if count >= 100 { "100+".to_owned() } else { count.to_string() };
                format!("{count} · {}", ms(self.state.search.tenths_ms))
            }
            View::Injection => {
                self.state.injection.preview.as_ref().map_or_else(String::new, |it| ms(it.tenths_ms))
            }
            View::Sessions => self.state.sessions.list.rows.len().to_string(),
            _ => String::new(),
        }
    }

    fn filters(&mut self, area: Rect) {
        let mut parts = vec![Span::raw("  ")];
        for name in FilterName::ALL {
            if parts.len() > 1 {
                parts.push(span(" · ", self.palette.tone(Tone::Faint)));
            }
            let words = cut(&self.state.filters.words(name), 20);
            if self.state.focus == Focus::Filter(name) {
                let style = self.palette.tone(Tone::Accent).add_modifier(Modifier::REVERSED);
                parts.push(span(format!("‹ {words} ›"), style));
            } else {
                let tone = if self.state.filters.is_set(name) { Tone::Heading } else { Tone::Faint };
                parts.push(span(words, self.palette.tone(tone)));
            }
        }
        self.buffer.set_line(area.x, area.y, &Line::from(parts), area.width);
    }

    fn memories(&mut self, area: Rect) {
        if self.state.is_zoomed {
            self.preview(area);
            return;
        }
        let (list, text) = split(area);
        self.line_between(list, text);
        self.memory_list(list);
        self.preview(text);
    }

    /// Draws the line between a list and its text.
    fn line_between(&mut self, list: Rect, text: Rect) {
        let style = self.palette.tone(Tone::Faint);
        if list.y == text.y {
            for y in list.y..list.bottom() {
                self.buffer.set_string(list.right() + 1, y, "│", style);
            }
        } else {
            let line = "─".repeat(usize::from(list.width));
            self.buffer.set_string(list.x, list.bottom(), line, style);
        }
    }

    fn memory_list(&mut self, area: Rect) {
        let (rows, selected, note) = match self.state.view {
            View::Review => (&self.state.review.rows, self.state.review.selected, None),
            _ => {
                let search = &self.state.search;
                (&search.list.rows, search.list.selected, search.note.clone())
            }
        };
        let mut area = area;
        if let Some(note) = note {
            let line = Line::from(span(cut(&note, area.width.into()), self.palette.tone(Tone::Warn)));
            put(self.buffer, row(area, 0), &[line], 0);
            area = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
        }
        if rows.is_empty() {
            let lines = self.nothing(area.width.into());
            put(self.buffer, area, &lines, 0);
            return;
        }
        let shape = ListShape::fit(rows, (area.width, self.state.filters.is_everywhere()));
        let from = first_shown(selected, rows.len(), area.height);
        let lines: Lines = (from..rows.len())
            .take(area.height.into())
            .filter_map(|at| rows.get(at).map(|line| self.memory_row(line, at == selected, &shape)))
            .collect();
        put(self.buffer, area, &lines, 0);
    }

    /// Says why a list is empty, and what to do about it.
    fn nothing(&self, width: usize) -> Lines {
        let search = &self.state.search;
        let words = match self.state.view {
            View::Review if !self.state.review.is_loaded => "",
            View::Review => "Nothing waits for your word.",
            _ if search.answered == 0 => "",
            _ if !search.field.is_empty() => {
                "Nothing fits. Try other words, or Tab to widen kind, project, time or standing."
            }
            _ => "No memories here yet. Tab, then Tab again and → looks at another project.",
        };
        wrapped(words, (width, 2), self.palette.tone(Tone::Faint))
    }

    fn memory_row(&self, line: &MemoryLine, is_selected: bool, shape: &ListShape) -> Line<'static> {
        let (faint, plain) = (self.palette.tone(Tone::Faint), self.palette.tone(Tone::Plain));
        let is_forgetting = self.state.is_forgetting(line.id);
        let title_style = match (is_forgetting, is_selected, line.standing.is_live()) {
            (true, ..) => self.palette.tone(Tone::Bad).add_modifier(Modifier::CROSSED_OUT),
            (_, true, _) => self.palette.tone(Tone::Strong),
            (_, _, false) => faint,
            _ => plain,
        };
        let (sign, sign_tone) = match (line.pinned, line.standing.as_str()) {
            (true, _) => ("★", Tone::Accent),
            (_, "proposed") => ("?", Tone::Warn),
            (_, "retired") => ("×", Tone::Faint),
            _ => (" ", Tone::Plain),
        };
        let marker = if is_selected { "▸ " } else { "  " };
        let mut parts = vec![
            span(marker, self.palette.tone(Tone::Accent)),
            span(format!("{:>width$} ", format!("#{}", line.id), width = shape.number), faint),
            span(format!("{:<10}", line.kind), self.palette.kind(line.kind)),
            span(format!("{sign} "), self.palette.tone(sign_tone)),
            span(crate::styled_lines::fitted(&line.title, shape.title), title_style),
        ];
        if shape.project > 0 {
            let project = crate::styled_lines::fitted(&line.project, shape.project);
            parts.push(span(format!(" {project}"), faint));
        }
        let time = self.state.clock.short(line.at);
        parts.push(span(format!(" {time:>width$}", width = shape.time), faint));
        Line::from(parts)
    }

    fn preview(&mut self, area: Rect) {
        let look = (self.palette, self.state.clock);
        let Some(detail) = self.state.current_detail() else { return };
        let lines = detail_lines(detail, area.width.into(), look);
        self.state.detail_scroll = self.state.detail_scroll.min(last_start(lines.len(), area.height));
        self.scrolled(area, &lines, self.state.detail_scroll);
    }

    /// Draws a text from a line on, and says at its last line that there is more.
    pub(crate) fn scrolled(&mut self, area: Rect, lines: &[Line<'static>], from: usize) {
        put(self.buffer, area, lines, from);
        let rest = last_start(lines.len(), area.height).saturating_sub(from);
        if rest > 0 && area.width > 12 {
            let more = span(format!(" ↓ {rest}"), self.palette.tone(Tone::Faint));
            let x = area.right() - u16::try_from(more.width()).unwrap_or(0);
            self.buffer.set_span(x, area.bottom() - 1, &more, area.width);
        }
    }

    fn sessions(&mut self, area: Rect) {
        if let Some(replay) = &self.state.sessions.replay {
            let line = &replay.line;
            let took = crate::clock_words::LocalClock::duration(line.started_at, line.last_event_at);
            let head = format!(
                "{} · {} · {took} · {} events",
                self.state.clock.long(line.started_at),
                line.host,
                line.events
            );
            let look = ReplayLook {
                palette: self.palette,
                clock: self.state.clock,
                width: area.width.into(),
                is_verbose: self.state.sessions.is_verbose,
            };
            let mut lines = vec![
                Line::from(span(cut(&line.title, area.width.into()), self.palette.tone(Tone::Strong))),
                Line::from(span(head, self.palette.tone(Tone::Faint))),
                Line::default(),
            ];
            lines.extend(look.lines(replay));
            let from = self.state.sessions.scroll.min(last_start(lines.len(), area.height));
            self.state.sessions.scroll = from;
            self.scrolled(area, &lines, from);
            return;
        }
        let list = &self.state.sessions.list;
        if list.rows.is_empty() && list.is_loaded {
            let lines = wrapped("No sessions here.", (area.width.into(), 2), self.palette.tone(Tone::Faint));
            put(self.buffer, area, &lines, 0);
        }
        let from = first_shown(list.selected, list.rows.len(), area.height);
        let lines: Lines = (from..list.rows.len())
            .take(area.height.into())
            .filter_map(|at| self.session_row(at, at == list.selected, area.width.into()))
            .collect();
        put(self.buffer, area, &lines, 0);
    }

    fn session_row(&self, at: usize, is_selected: bool, width: usize) -> Option<Line<'static>> {
        let line = self.state.sessions.list.rows.get(at)?;
        let faint = self.palette.tone(Tone::Faint);
        let when = self.state.clock.long(line.started_at);
        let took = crate::clock_words::LocalClock::duration(line.started_at, line.last_event_at);
        // What is less needed goes first where there is little room.
        let (host, learnt) = if width >= 90 { (12, 12) } else { (0, 0) };
        let title_room = width.saturating_sub(2 + 17 + 9 + host + learnt);
        let title = if is_selected { Tone::Strong } else { Tone::Plain };
        let mut parts = vec![
            span(if is_selected { "▸ " } else { "  " }, self.palette.tone(Tone::Accent)),
            span(crate::styled_lines::fitted(&when, 16) + " ", faint),
            span(crate::styled_lines::fitted(&line.title, title_room), self.palette.tone(title)),
        ];
        if host > 0 {
            let host = crate::styled_lines::fitted(&line.host, 11);
            parts.push(span(format!(" {host}"), faint));
            parts.push(span(format!(" {:>3} learnt ", line.memories), faint));
        }
        parts.push(span(format!(" {took:>8}"), faint));
        Some(Line::from(parts))
    }

    fn injection(&mut self, area: Rect) {
        let Some(preview) = self.state.injection.preview.clone() else { return };
        let faint = self.palette.tone(Tone::Faint);
        let cost = format!("{} of {} tokens, {} bytes", preview.tokens, preview.budget, preview.bytes);
        let bar = budget_bar((preview.tokens, preview.budget), 20);
        let tone = self.palette.tone(Tone::Heading);
        put(
            self.buffer,
            row(area, 0),
            &[Line::from(vec![span(bar, tone), span(format!(" {cost}"), faint)])],
            0,
        );
        let text = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
        let width = usize::from(area.width);
        let mut lines = vec![Line::default()];
        if preview.text.is_empty() {
            let why = if preview.budget == 0 {
                "Nothing: this moment is turned off in `[inject]`."
            } else {
                "Nothing would be injected: nothing known is relevant to it."
            };
            lines.extend(wrapped(why, (width, 0), faint));
        }
        lines.extend(wrapped(preview.text.trim_end(), (width, 0), self.palette.tone(Tone::Plain)));
        if !preview.sections.is_empty() {
            lines.push(Line::default());
            lines.push(Line::from(span("What it costs", tone)));
        }
        for (section, tokens, count) in &preview.sections {
            lines.push(Line::from(span(format!("{tokens:>6}  {section} ({count})"), faint)));
        }
        for skipped in &preview.skipped {
            lines.extend(wrapped(&format!("skipped: {skipped}"), (width, 8), faint));
        }
        let from = self.state.injection.scroll.min(last_start(lines.len(), text.height));
        self.state.injection.scroll = from;
        self.scrolled(text, &lines, from);
    }

    fn footer(&mut self, area: Rect) {
        let width = usize::from(area.width);
        if let Some(due) = self.state.forgetting.last() {
            let seconds = due.due.saturating_sub(self.state.ticks).div_ceil(1000);
            let more = self.state.forgetting.len() - 1;
            let more = if more > 0 { format!(" (and {more} more)") } else { String::new() };
            let words = format!(" #{} will be forgotten in {seconds} s{more} · u keeps it", due.id);
            self.buffer.set_span(area.x, area.y, &span(words, self.palette.tone(Tone::Bad)), area.width);
            return;
        }
        if let Some(message) = &self.state.message {
            let tone = if message.is_error { Tone::Bad } else { Tone::Good };
            let words = cut(&format!(" {}", message.words), width);
            self.buffer.set_span(area.x, area.y, &span(words, self.palette.tone(tone)), area.width);
            return;
        }
        let mut parts = Vec::new();
        let mut used = 0;
        for (key, words) in hints(self.state) {
            used += columns(key) + columns(words) + 3;
            if used > width {
                break;
            }
            parts.push(span(format!(" {key}"), self.palette.tone(Tone::Strong)));
            parts.push(span(format!(" {words} "), self.palette.tone(Tone::Faint)));
        }
        self.buffer.set_line(area.x, area.y, &Line::from(parts), area.width);
    }
}

/// How wide the columns of a list are.
struct ListShape {
    number: usize,
    title: usize,
    project: usize,
    time: usize,
}

impl ListShape {
    fn fit(rows: &[MemoryLine], (width, is_everywhere): (u16, bool)) -> ListShape {
        let longest = rows.iter().map(|line| line.id.0).max().unwrap_or(0);
        let number = longest.to_string().len() + 1;
        let project = if is_everywhere && width >= 70 { 14 } else { 0 };
        let time = 6;
        let taken = 2 + number + 1 + 10 + 2 + project + usize::from(project > 0) + time + 1;
        ListShape { number, title: usize::from(width).saturating_sub(taken), project, time }
    }
}

/// Divides an area into list and text: side by side where there is room, else one above the other.
fn split(area: Rect) -> (Rect, Rect) {
    if area.width + 2 >= SIDE_BY_SIDE {
        let left = area.width / 2;
        let text = Rect { x: area.x + left + 3, width: area.width - left - 3, ..area };
        (Rect { width: left, ..area }, text)
    } else {
        let above = area.height * 2 / 5;
        let text = Rect { y: area.y + above + 1, height: area.height - above - 1, ..area };
        (Rect { height: above, ..area }, text)
    }
}

/// Returns the first row that is shown: the selected one stands in the middle where it can.
fn first_shown(selected: usize, rows: usize, height: u16) -> usize {
    selected.saturating_sub(usize::from(height) / 2).min(last_start(rows, height))
}

fn budget_bar((tokens, budget): (u32, u32), width: u32) -> String {
    let full = if budget == 0 { 0 } else { (tokens * width).div_ceil(budget).min(width) };
    "█".repeat(full as usize) + &"░".repeat((width - full) as usize)
}
