//! Splits a shell line into simple commands: words without quotes and redirections, and what joins them.
//!
//! Not here: what a command means (`command`), and expansion of any sort.

/// One simple command and how it hangs on the one before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SimpleCommand {
    pub(super) words: Vec<String>,
    /// After `|`.
    pub(super) is_piped_into: bool,
    /// After `||`.
    pub(super) is_alternative: bool,
    /// After `;`, `&` or a line break: runs whatever became of the one before.
    pub(super) follows_regardless: bool,
}

/// Splits a line. Never fails: an unclosed quote ends with the line.
pub(super) fn split(command: &str) -> Vec<SimpleCommand> {
    let mut splitter = Splitter::default();
    let mut rest = command.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
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
}

impl Splitter {
    fn push(&mut self, c: char) {
        self.word.get_or_insert_default().push(c);
    }

    fn quoted(&mut self, quote: char, rest: &mut Rest<'_>) {
        let word = self.word.get_or_insert_default();
        while let Some(c) = rest.next() {
            match c {
                c if c == quote => return,
                '\\' if quote == '"' => word.extend(rest.next()),
                c => word.push(c),
            }
        }
    }

    /// Drops `2>&1`, `> file`, `>> file`, `< file`; the number before belongs to it.
    fn redirection(&mut self, sign: char, rest: &mut Rest<'_>) {
        if self.word.as_ref().is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit())) {
            self.word = None;
        }
        self.end_word();
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
        self.here_document = Some(end);
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
