//! The terminal: entered, drawn on, and put back however the program ends.
//!
//! A backend of our own, eighty lines over `crossterm`: the published one brings macros of several crates along that we do not need.

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::style::{Attribute, Print, ResetColor, SetAttribute};
use crossterm::terminal::{self, Clear, EnterAlternateScreen, LeaveAlternateScreen};
use crossterm::{execute, queue};
use ratatui_core::backend::{Backend, ClearType, WindowSize};
use ratatui_core::buffer::Cell;
use ratatui_core::layout::{Position, Size};
use ratatui_core::style::{Color, Modifier};
use std::io::{self, BufWriter, Write};
use std::panic;
use std::sync::Once;

/// A terminal in the state we need; dropped, it is as it was.
pub(crate) struct TerminalScreen {
    out: BufWriter<Box<dyn Write + Send>>,
}

impl TerminalScreen {
    /// Takes the terminal over.
    pub(crate) fn enter() -> io::Result<TerminalScreen> {
        restore_on_panic();
        let mut screen = TerminalScreen { out: BufWriter::new(backstory_platform::open_terminal()?) };
        screen.resume()?;
        Ok(screen)
    }

    /// Takes the terminal over again, after [`Self::pause`].
    pub(crate) fn resume(&mut self) -> io::Result<()> {
        terminal::enable_raw_mode()?;
        execute!(self.out, EnterAlternateScreen, EnableBracketedPaste, Hide)
    }

    /// Puts the terminal back for another program.
    pub(crate) fn pause(&mut self) -> io::Result<()> {
        execute!(self.out, ResetColor, DisableBracketedPaste, LeaveAlternateScreen, Show)?;
        terminal::disable_raw_mode()
    }

    /// Writes what only the terminal understands.
    pub(crate) fn write_raw(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())?;
        self.out.flush()
    }
}

impl Drop for TerminalScreen {
    fn drop(&mut self) {
        // A terminal that has gone needs nothing put back.
        drop(self.pause());
    }
}

/// Puts the terminal back before a panic is reported, else the report is drawn over and the shell is of no use.
fn restore_on_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let report = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if let Ok(mut out) = backstory_platform::open_terminal() {
                drop(execute!(out, ResetColor, DisableBracketedPaste, LeaveAlternateScreen, Show));
            }
            drop(terminal::disable_raw_mode());
            report(info);
        }));
    });
}

impl Backend for TerminalScreen {
    type Error = io::Error;

    fn draw<'a, I: Iterator<Item = (u16, u16, &'a Cell)>>(&mut self, content: I) -> io::Result<()> {
        let mut next = None;
        let mut look = (Color::Reset, Modifier::empty());
        for (x, y, cell) in content {
            if next != Some((x, y)) {
                queue!(self.out, MoveTo(x, y))?;
            }
            if look != (cell.fg, cell.modifier) {
                look = (cell.fg, cell.modifier);
                queue!(self.out, SetAttribute(Attribute::Reset), ResetColor)?;
                for (modifier, attribute) in ATTRIBUTES {
                    if cell.modifier.contains(modifier) {
                        queue!(self.out, SetAttribute(attribute))?;
                    }
                }
                if cell.fg != Color::Reset {
                    queue!(self.out, Print(ink(cell.fg)))?;
                }
            }
            queue!(self.out, Print(cell.symbol()))?;
            // What is wider than a column moves the cursor further than that.
            next = cell.symbol().is_ascii().then_some((x + 1, y));
        }
        queue!(self.out, SetAttribute(Attribute::Reset), ResetColor)
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        execute!(self.out, Hide)
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        execute!(self.out, Show)
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        Ok(Position::ORIGIN)
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        let Position { x, y } = position.into();
        execute!(self.out, MoveTo(x, y))
    }

    fn clear(&mut self) -> io::Result<()> {
        execute!(self.out, Clear(terminal::ClearType::All))
    }

    fn clear_region(&mut self, _: ClearType) -> io::Result<()> {
        self.clear()
    }

    fn size(&self) -> io::Result<Size> {
        let (width, height) = terminal::size()?;
        Ok(Size::new(width, height))
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        Ok(WindowSize { columns_rows: self.size()?, pixels: Size::default() })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

const ATTRIBUTES: [(Modifier, Attribute); 5] = [
    (Modifier::BOLD, Attribute::Bold),
    (Modifier::DIM, Attribute::Dim),
    (Modifier::UNDERLINED, Attribute::Underlined),
    (Modifier::REVERSED, Attribute::Reverse),
    (Modifier::CROSSED_OUT, Attribute::CrossedOut),
];

/// Returns what sets a colour: of the sixteen by the codes that every terminal knows.
fn ink(colour: Color) -> String {
    let basic = |code: u8| format!("\u{1b}[{code}m");
    match colour {
        Color::Red => basic(31),
        Color::Green => basic(32),
        Color::Yellow => basic(33),
        // Dark blue cannot be read on black.
        Color::Blue => basic(94),
        Color::Magenta => basic(35),
        Color::Cyan => basic(36),
        Color::Indexed(index) => format!("\u{1b}[38;5;{index}m"),
        Color::Rgb(r, g, b) => format!("\u{1b}[38;2;{r};{g};{b}m"),
        _ => basic(39),
    }
}
