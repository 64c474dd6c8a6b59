//! Splits a shell line into simple commands: words without quotes and redirections, and what joins them.
//!
//! Not here: what a command means (`distil`, `hosts`), and expansion of any sort.

/// One simple command and how it hangs on the one before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SimpleCommand {
    /// The program and its arguments.
    pub words: Vec<String>,
    /// After `|`.
    pub is_piped_into: bool,
    /// After `||`.
    pub is_alternative: bool,
    /// After `;`, `&` or a line break: runs whatever became of the one before.
    pub follows_regardless: bool,
}

/// How text that may be a script inside a script is read: `$(…)`, backticks, `<(…)`, `(…)` and here-documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Nesting {
    /// As words, to name what the line itself is about. A here-document is skipped: a script that is written to a file is not run.
    #[default]
    Words,
    /// As commands of their own, to miss nothing that may run.
    Commands,
}

/// Splits a line. Never fails: an unclosed quote ends with the line.
#[must_use]
pub fn simple_commands(line: &str, nesting: Nesting) -> Vec<SimpleCommand> {
    let mut splitter = Splitter { nesting, ..Splitter::default() };
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '`' | '$' | '(' | ')' if splitter.nests(c, None, &mut rest) => {}
            '\'' | '"' => splitter.quoted(c, &mut rest),
            '\\' => match rest.next() {
                Some('\n') | None => {}
                Some(escaped) => splitter.push(escaped),
            },
            '>' | '<' => splitter.redirection(c, &mut rest),
            '#' if splitter.word.is_none() => while rest.next_if(|c| *c != '\n').is_some() {},
            '&' if rest.peek() == Some(&'>') => splitter.end_word(),
            '&' if rest.next_if_eq(&'&').is_some() => splitter.end_command(SimpleCommand::default()),
            '|' if rest.next_if_eq(&'|').is_some() => {
                splitter.end_command(SimpleCommand { is_alternative: true, ..SimpleCommand::default() });
            }
            '|' => {
                rest.next_if_eq(&'&');
                splitter.end_command(SimpleCommand { is_piped_into: true, ..SimpleCommand::default() });
            }
            ';' | '&' | '\n' => {
                splitter.end_command(SimpleCommand { follows_regardless: true, ..SimpleCommand::default() });
                if c == '\n' {
                    splitter.skip_here_document(&mut rest);
                }
            }
            '(' | '{' | '}' if splitter.word.is_none() => {}
            ')' => splitter.end_word(),
            c if c.is_whitespace() => splitter.end_word(),
            c => splitter.push(c),
        }
    }
    splitter.end_command(SimpleCommand::default());
    splitter.done
}

type Rest<'a> = std::iter::Peekable<std::str::Chars<'a>>;

#[derive(Default)]
struct Splitter {
    done: Vec<SimpleCommand>,
    current: SimpleCommand,
    word: Option<String>,
    /// Whether the next word is a file redirected to, not an argument.
    drops_next: bool,
    /// The word that ends the here-document begun on this line.
    here_document: Option<String>,
    nesting: Nesting,
    /// What opened each script inside a script, and the quote it stands in.
    openers: Vec<(char, Option<char>)>,
}

impl Splitter {
    fn push(&mut self, c: char) {
        self.word.get_or_insert_default().push(c);
    }

    fn quoted(&mut self, quote: char, rest: &mut Rest<'_>) {
        self.word.get_or_insert_default();
        while let Some(c) = rest.next() {
            match c {
                c if c == quote => return,
                '`' | '$' if quote == '"' && self.nests(c, Some(quote), rest) => return,
                '\\' if quote == '"' => self.word.get_or_insert_default().extend(rest.next()),
                c => self.push(c),
            }
        }
    }

    /// Enters or leaves a script inside this one, where those are read as commands. Behind it, the quote around it goes on.
    fn nests(&mut self, c: char, quote: Option<char>, rest: &mut Rest<'_>) -> bool {
        if self.nesting == Nesting::Words {
            return false;
        }
        let is_closing = match c {
            ')' => true,
            '`' => self.openers.last().is_some_and(|(opener, _)| *opener == '`'),
            '$' if rest.next_if_eq(&'(').is_none() => return false,
            _ => false,
        };
        self.end_command(SimpleCommand { follows_regardless: true, ..SimpleCommand::default() });
        if is_closing {
            if let Some((_, Some(quote))) = self.openers.pop() {
                self.quoted(quote, rest);
            }
        } else {
            self.openers.push((if c == '`' { '`' } else { '(' }, quote));
        }
        true
    }

    /// Drops `2>&1`, `> file`, `>> file`, `< file`; the number before belongs to it.
    fn redirection(&mut self, sign: char, rest: &mut Rest<'_>) {
        if self.word.as_ref().is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit())) {
            self.word = None;
        }
        self.end_word();
        if self.nesting == Nesting::Commands && rest.peek() == Some(&'(') {
            return;
        }
        if sign == '<' && rest.next_if_eq(&'<').is_some() && rest.peek() != Some(&'<') {
            self.begin_here_document(rest);
            return;
        }
        while rest.next_if(|c| matches!(c, '>' | '<' | '|')).is_some() {}
        if rest.next_if_eq(&'&').is_some() {
            while rest.next_if(|c| c.is_ascii_digit() || *c == '-').is_some() {}
        } else {
            self.drops_next = true;
        }
    }

    fn begin_here_document(&mut self, rest: &mut Rest<'_>) {
        while rest.next_if(|c| matches!(c, '-' | ' ')).is_some() {}
        let mut end = String::new();
        while let Some(c) = rest.next_if(|c| c.is_alphanumeric() || matches!(c, '_' | '\'' | '"' | '\\')) {
            if c.is_alphanumeric() || c == '_' {
                end.push(c);
            }
        }
        self.here_document = Some(end).filter(|_| self.nesting == Nesting::Words);
    }

    /// Skips the lines of a here-document: a script written to a file is not run.
    fn skip_here_document(&mut self, rest: &mut Rest<'_>) {
        let Some(end) = self.here_document.take() else { return };
        loop {
            let mut line = String::new();
            while let Some(c) = rest.next_if(|c| *c != '\n') {
                line.push(c);
            }
            if rest.next().is_none() || line.trim() == end {
                return;
            }
        }
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        if !std::mem::take(&mut self.drops_next) {
            self.current.words.push(word);
        }
    }

    fn end_command(&mut self, next: SimpleCommand) {
        self.end_word();
        self.drops_next = false;
        let ended = std::mem::replace(&mut self.current, next);
        if ended.words.is_empty() {
            // `a ;; b` and `a |\n b`: an empty command hangs nothing on anything; keep the stronger joint.
            self.current.is_piped_into |= ended.is_piped_into;
            self.current.is_alternative |= ended.is_alternative;
        } else {
            self.done.push(ended);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_inside_a_script_is_read_as_words_or_as_commands() {
        let split = |nesting| -> Vec<String> {
            let line = "echo \"$(date) x\" > log; cat <<END | sh\ncurl y\nEND";
            simple_commands(line, nesting).iter().map(|command| command.words.join(" ")).collect()
        };
        assert_eq!(split(Nesting::Words), ["echo $(date) x", "cat", "sh"]);
        assert_eq!(split(Nesting::Commands), ["echo ", "date", " x", "cat", "sh", "curl y", "END"]);
    }
}
