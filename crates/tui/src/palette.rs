//! Colours: one for each kind, as in the viewer, in as many shades as the terminal has, or none.
//!
//! Text itself keeps the terminal's own colours, so that it is readable on light and on dark ground. Meaning never hangs on colour alone.

use backstory_app::Environment;
use ratatui_core::style::{Color, Modifier, Style};

/// How many colours the terminal shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColourDepth {
    /// None are wanted (`NO_COLOR`).
    None,
    /// The sixteen that every terminal has.
    Sixteen,
    /// The 256 of the usual table.
    Indexed,
    /// Any.
    True,
}

impl ColourDepth {
    /// Finds out what the terminal shows by what it says of itself.
    pub(crate) fn detect(environment: &Environment) -> ColourDepth {
        let says = |name: &str, words: &[&str]| {
            environment.text(name).is_some_and(|value| words.iter().any(|word| value.contains(word)))
        };
        if environment.no_color() {
            ColourDepth::None
        } else if says("COLORTERM", &["truecolor", "24bit"]) || says("TERM", &["direct"]) {
            ColourDepth::True
        } else if says("TERM", &["256color"]) {
            ColourDepth::Indexed
        } else {
            ColourDepth::Sixteen
        }
    }
}

/// What a piece of text is, for its look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    /// As the terminal writes.
    Plain,
    /// A title, or what is selected.
    Strong,
    /// What steps back: times, numbers, labels.
    Faint,
    /// What has the keys.
    Accent,
    /// Done, added, in force.
    Good,
    /// Waits for a word.
    Warn,
    /// Failed, removed, going.
    Bad,
    /// A heading inside a text.
    Heading,
}

/// One colour in three depths: red, green and blue; its place among the 256; the nearest of the sixteen.
type Shade = (u32, u8, Color);

const ACCENT: Shade = (0x2f_a5_94, 36, Color::Cyan);
const GOOD: Shade = (0x55_a8_6a, 71, Color::Green);
const WARN: Shade = (0xc0_8c_2c, 136, Color::Yellow);
const BAD: Shade = (0xe0_6c_63, 167, Color::Red);

/// The colours of the kinds: the viewer's hues at a lightness that is readable on both grounds.
const KINDS: [(&str, Shade); 13] = [
    ("rule", (0xb8_7b_d0, 140, Color::Magenta)),
    ("decision", (0x7b_8f_e0, 104, Color::Blue)),
    ("fact", (0x4a_9d_d6, 74, Color::Cyan)),
    ("failure", (0xe0_6c_63, 167, Color::Red)),
    ("goal", (0xd6_74_a8, 169, Color::Magenta)),
    ("note", (0x96_91_85, 245, Color::Gray)),
    ("feature", (0x4f_a8_6a, 71, Color::Green)),
    ("bugfix", (0xd4_7c_4a, 173, Color::Yellow)),
    ("refactor", (0x2f_a3_b5, 37, Color::Cyan)),
    ("change", (0x56_a3_9b, 73, Color::Cyan)),
    ("discovery", (0x62_9d_c0, 110, Color::Blue)),
    ("summary", (0x8f_99_5a, 107, Color::Green)),
    ("handoff", (0xbf_90_30, 136, Color::Yellow)),
];

/// The looks of one terminal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Palette {
    depth: ColourDepth,
}

impl Palette {
    pub(crate) fn new(depth: ColourDepth) -> Palette {
        Palette { depth }
    }

    /// Returns the look of a piece of text.
    pub(crate) fn tone(self, tone: Tone) -> Style {
        let plain = Style::new();
        match tone {
            Tone::Plain => plain,
            Tone::Strong => plain.add_modifier(Modifier::BOLD),
            Tone::Faint => plain.add_modifier(Modifier::DIM),
            Tone::Accent => self.shade(ACCENT).add_modifier(Modifier::BOLD),
            Tone::Good => self.shade(GOOD),
            Tone::Warn => self.shade(WARN),
            Tone::Bad => self.shade(BAD),
            Tone::Heading => self.shade(ACCENT),
        }
    }

    /// Returns the look of a kind's name.
    pub(crate) fn kind(self, name: &str) -> Style {
        let known = KINDS.iter().find(|(kind, _)| *kind == name);
        known.map_or_else(Style::new, |(_, shade)| self.shade(*shade))
    }

    fn shade(self, (rgb, indexed, basic): Shade) -> Style {
        let style = Style::new();
        match self.depth {
            ColourDepth::None => style,
            ColourDepth::Sixteen => style.fg(basic),
            ColourDepth::Indexed => style.fg(Color::Indexed(indexed)),
            ColourDepth::True => style.fg(Color::from_u32(rgb)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use backstory_memory::Kind;

    #[test]
    fn every_kind_has_a_colour_of_its_own() {
        for kind in Kind::ALL {
            assert!(KINDS.iter().any(|(name, _)| *name == kind.as_str()), "{kind} has no colour");
        }
    }

    #[test]
    fn no_colour_leaves_weight_and_nothing_else() {
        let palette = Palette::new(ColourDepth::None);
        for (kind, _) in KINDS {
            assert_eq!(palette.kind(kind), Style::new());
        }
        assert_eq!(palette.tone(Tone::Accent).fg, None);
        assert!(palette.tone(Tone::Accent).add_modifier.contains(Modifier::BOLD));
    }
}
