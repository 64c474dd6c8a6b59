//! The keys, for the help and for the last line.

use crate::palette::{Palette, Tone};
use crate::state::{Focus, State, View};
use crate::styled_lines::{Lines, fitted, span};
use ratatui_core::text::Line;

const HELP: [(&str, &[(&str, &str)]); 7] = [
    (
        "Everywhere",
        &[
            ("Alt+1 … Alt+4", "memories, review, sessions, injection (in lists also 1 … 4)"),
            ("Tab", "on to the filters: kind, project, time, standing; ← → or a letter changes one"),
            ("Esc", "from typing to the list; from the list out of the program"),
            ("Alt+letter", "what the letter does in a list, while you type"),
            ("F1 or ?", "this help"),
            ("Ctrl+Z, Ctrl+C", "suspend, end"),
        ],
    ),
    (
        "Memories",
        &[
            ("type", "search; every letter searches anew"),
            ("↑ ↓", "select; from then on letters act. / types again"),
            ("Enter", "end, and print the number of the memory"),
            ("→", "read it whole; ← goes back. Ctrl+D and Ctrl+U scroll it"),
            ("o", "replay the session it came from"),
            ("y, Y", "copy its text, its number"),
        ],
    ),
    (
        "Change a memory",
        &[
            ("c, x", "confirm it, retire it"),
            ("p", "pin it, or no longer"),
            ("e, E", "edit it here, or in $EDITOR; the old words stay in its history"),
            ("s, S", "supersede it: write what holds in its place, here or in $EDITOR"),
            ("f", "forget it for good; for six seconds u keeps it, then it is gone"),
            ("u", "undo the last change"),
        ],
    ),
    ("Review", &[("y, n", "it holds, it does not"), ("s", "later")]),
    (
        "Sessions",
        &[("Enter", "replay it"), ("v", "outputs and changes whole, or in short"), ("←", "back to the list")],
    ),
    (
        "Injection",
        &[
            ("type", "a prompt; below stands what the agent would be given with it"),
            ("Tab, then + -", "more or less budget"),
        ],
    ),
    (
        "Signs",
        &[
            ("★", "pinned"),
            ("?", "waits for your word: found by a search, never injected unasked"),
            ("×", "retired or replaced: history"),
        ],
    ),
];

/// Writes the help down.
pub(crate) fn help_lines(width: usize, palette: Palette) -> Lines {
    let mut lines = Lines::new();
    for (name, keys) in HELP {
        if !lines.is_empty() {
            lines.push(Line::default());
        }
        lines.push(Line::from(span(name, palette.tone(Tone::Heading))));
        for (key, words) in keys {
            let text = crate::styled_lines::wrap(words, width.saturating_sub(18));
            for (at, part) in text.into_iter().enumerate() {
                let key = if at == 0 { *key } else { "" };
                let name = span(format!("  {} ", fitted(key, 15)), palette.tone(Tone::Strong));
                lines.push(Line::from(vec![name, span(part, palette.tone(Tone::Plain))]));
            }
        }
    }
    lines
}

/// Returns the keys that count just now, the most useful first.
pub(crate) fn hints(state: &State) -> &'static [(&'static str, &'static str)] {
    match (state.view, state.focus) {
        (View::Memories, Focus::Field) => &[
            ("↑↓", "select"),
            ("Enter", "print"),
            ("Tab", "filter"),
            ("Esc", "list"),
            ("F1", "help"),
            ("Alt+1…4", "screens"),
        ],
        (View::Memories, Focus::Filter(_)) => {
            &[("←→", "change"), ("Tab", "next filter"), ("Enter", "back"), ("F1", "help")]
        }
        (View::Memories, Focus::List) => &[
            ("/", "search"),
            ("→", "read"),
            ("e", "edit"),
            ("p", "pin"),
            ("s", "supersede"),
            ("f", "forget"),
            ("u", "undo"),
            ("?", "help"),
            ("c", "confirm"),
            ("y", "copy"),
            ("q", "end"),
        ],
        (View::Review, Focus::List) => &[
            ("y", "it holds"),
            ("n", "it does not"),
            ("s", "later"),
            ("e", "edit"),
            ("u", "undo"),
            ("→", "read"),
            ("?", "help"),
            ("q", "end"),
        ],
        (View::Memories | View::Review, _) => {
            &[("↑↓", "scroll"), ("←", "back"), ("e", "edit"), ("y", "copy"), ("?", "help")]
        }
        (View::Sessions, Focus::Preview) => {
            &[("↑↓", "scroll"), ("Space", "page"), ("v", "whole outputs"), ("←", "back"), ("?", "help")]
        }
        (View::Sessions, _) => &[("↑↓", "select"), ("Enter", "replay"), ("/", "filter"), ("F1", "help")],
        (View::Injection, Focus::Field) => &[("type", "a prompt"), ("Tab", "to the text"), ("F1", "help")],
        (View::Injection, _) => {
            &[("↑↓", "scroll"), ("+ -", "budget"), ("/", "prompt"), ("?", "help"), ("q", "end")]
        }
    }
}
