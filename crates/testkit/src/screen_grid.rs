//! What a terminal shows, as far as our own programs write to it: text, cursor moves, clearing. Looks are ignored.

/// The letters on a screen.
#[derive(Clone, Debug)]
pub(crate) struct ScreenGrid {
    size: (usize, usize),
    rows: Vec<Vec<char>>,
    cursor: (usize, usize),
    /// The beginning of a sequence whose end has not been read.
    pending: String,
    /// Whether the program has the screen for itself.
    pub(crate) is_alternate: bool,
}

impl ScreenGrid {
    pub(crate) fn new((width, height): (u16, u16)) -> ScreenGrid {
        ScreenGrid::sized((usize::from(width), usize::from(height)))
    }

    /// Returns what is on the screen, without spaces at the ends of lines.
    pub(crate) fn text(&self) -> String {
        let lines: Vec<String> =
            self.rows.iter().map(|row| row.iter().collect::<String>().trim_end().to_owned()).collect();
        lines.join("\n")
    }

    /// Takes what a program wrote.
    pub(crate) fn take(&mut self, bytes: &[u8]) {
        let text = std::mem::take(&mut self.pending) + &String::from_utf8_lossy(bytes);
        let mut letters = text.chars().peekable();
        while let Some(letter) = letters.next() {
            match letter {
                '\u{1b}' => {
                    let mut sequence = String::from(letter);
                    let mut is_whole = false;
                    for next in letters.by_ref() {
                        sequence.push(next);
                        is_whole = match sequence.chars().nth(1) {
                            Some('[') => sequence.len() > 2 && ('@'..='~').contains(&next),
                            Some(']') => next == '\u{7}',
                            _ => true,
                        };
                        if is_whole {
                            break;
                        }
                    }
                    if is_whole { self.obey(&sequence) } else { self.pending = sequence }
                }
                '\r' => self.cursor.0 = 0,
                '\n' => self.cursor.1 += 1,
                letter if letter.is_control() => {}
                letter => self.print(letter),
            }
        }
    }

    fn print(&mut self, letter: char) {
        let (x, y) = self.cursor;
        if let Some(cell) = self.rows.get_mut(y).and_then(|row| row.get_mut(x)) {
            *cell = letter;
        }
        self.cursor.0 += 1;
    }

    fn obey(&mut self, sequence: &str) {
        let Some(body) = sequence.strip_prefix("\u{1b}[") else { return };
        let (numbers, end) = body.split_at(body.len() - 1);
        match (end, numbers) {
            ("H", place) => {
                let mut parts = place.split(';').map(|part| part.parse().unwrap_or(1_usize));
                let (y, x) = (parts.next().unwrap_or(1), parts.next().unwrap_or(1));
                self.cursor = (x.saturating_sub(1), y.saturating_sub(1));
            }
            ("J", _) => self.rows = vec![vec![' '; self.size.0]; self.size.1],
            ("h", "?1049") => *self = ScreenGrid { is_alternate: true, ..ScreenGrid::sized(self.size) },
            ("l", "?1049") => *self = ScreenGrid::sized(self.size),
            _ => {}
        }
    }

    fn sized(size: (usize, usize)) -> ScreenGrid {
        let rows = vec![vec![' '; size.0]; size.1];
        ScreenGrid { size, rows, cursor: (0, 0), pending: String::new(), is_alternate: false }
    }

    /// Takes another size; the program draws anew.
    pub(crate) fn resize(&mut self, (width, height): (u16, u16)) {
        let is_alternate = self.is_alternate;
        *self = ScreenGrid { is_alternate, ..ScreenGrid::new((width, height)) };
    }
}
