//! JSON as models write it when something went wrong: cut off at the limit of tokens, a comma before a bracket, a line break in a string.
//!
//! Not here: where in a text it stands, what it means (`model_answer`).

/// Returns an object, or as much of it as is whole; nothing where nothing is.
pub(super) fn mended(text: &str) -> Option<String> {
    let mut mending = Mending::default();
    for c in text.chars() {
        mending.read(c);
        if mending.open.is_empty() {
            return Some(mending.out);
        }
    }
    let (length, closers) = mending.whole?;
    let head = mending.out.get(..length)?;
    Some(format!("{head}{closers}"))
}

#[derive(Default)]
struct Mending {
    out: String,
    /// What closes each list and object that is open.
    open: Vec<char>,
    string: StringState,
    /// A comma that is written if an entry follows.
    has_comma: bool,
    /// How long the text was when all entries in it were whole, and what closes it there.
    whole: Option<(usize, String)>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum StringState {
    #[default]
    Outside,
    Inside,
    Escaped,
}

impl Mending {
    fn read(&mut self, c: char) {
        match (self.string, c) {
            (StringState::Escaped, _) => self.string = StringState::Inside,
            (StringState::Inside, '\\') => self.string = StringState::Escaped,
            (StringState::Inside, '"') => self.string = StringState::Outside,
            (StringState::Inside, _) if c.is_control() => return self.out.push(' '),
            (StringState::Inside, _) => {}
            (StringState::Outside, _) => return self.read_outside(c),
        }
        self.out.push(c);
    }

    fn read_outside(&mut self, c: char) {
        match c {
            ',' => {
                self.note_whole();
                self.has_comma = true;
                return;
            }
            '}' | ']' => {
                self.has_comma = false;
                self.open.pop();
                self.out.push(c);
                return self.note_whole();
            }
            c if c.is_whitespace() => return,
            _ => {}
        }
        if std::mem::take(&mut self.has_comma) {
            self.out.push(',');
        }
        match c {
            '{' => self.open.push('}'),
            '[' => self.open.push(']'),
            '"' => self.string = StringState::Inside,
            _ => {}
        }
        self.out.push(c);
    }

    /// Notes that nothing is half said here: between the parts of an answer, and between the entries of its lists.
    fn note_whole(&mut self) {
        if matches!(self.open.as_slice(), [_] | [_, ']']) {
            self.whole = Some((self.out.len(), self.open.iter().rev().collect()));
        }
    }
}
