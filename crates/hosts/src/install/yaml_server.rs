//! One entry of ours in a YAML file's list of servers: put in line by line, and taken out again.
//!
//! Only the form hosts write is read: a list at the left edge, its entries indented below it. Anything else is left alone. What stands
//! in the entries of others is never looked at. Not here: reading YAML (`exchange`). A reader gives values, and loses the comments, quotes
//! and indentation that an undo has to leave as they are; so this edits lines, and knows of YAML only where one list begins and ends.

use super::desired_content::SERVER;
use super::hooks::is_our_program;
use super::install_error::EditRefusal;
use serde_json::Value;
use std::ops::Range;

/// Our server in a list of servers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct YamlServer {
    /// The list.
    pub(crate) list: &'static str,
    /// Our program.
    pub(crate) program: String,
}

/// A text, line by line, each with its end.
struct Lines<'a> {
    lines: Vec<&'a str>,
    /// The line that opens the list.
    list: Option<usize>,
    /// How far the entries of the list are indented.
    indent: usize,
    /// The lines of our entry.
    own: Option<Range<usize>>,
}

impl YamlServer {
    /// Puts our entry into a text, or makes the one that is there run our program.
    pub(super) fn put(&self, text: &str) -> Result<String, EditRefusal> {
        let read = Lines::read(text, self.list)?;
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let Some(own) = read.own.clone() else { return Ok(self.added(text, &read, newline)) };
        let words = read.words(&own);
        if !words.first().is_some_and(|program| is_our_program(program)) {
            return Err(EditRefusal::Taken(format!("{}.{SERVER}", self.list)));
        }
        if words == [self.program.as_str(), "mcp"] {
            return Ok(text.to_owned());
        }
        Ok(read.replaced(own, &self.entry(read.indent, newline)))
    }

    /// Takes our entry out of a text, and the list with it if nothing else stands in it.
    pub(super) fn take(&self, text: &str) -> Result<String, EditRefusal> {
        let read = Lines::read(text, self.list)?;
        let (Some(list), Some(own)) = (read.list, read.own.clone()) else { return Ok(text.to_owned()) };
        if !read.words(&own).first().is_some_and(|program| is_our_program(program)) {
            return Ok(text.to_owned());
        }
        let others = read.lines.iter().skip(list + 1).zip(list + 1..).filter(|(_, at)| !own.contains(at));
        let is_last = !others.take_while(|(line, _)| !is_at_the_edge(line)).any(|(line, _)| !is_filler(line));
        // Comments between the two are not ours to take.
        let own = if is_last && own.start == list + 1 { list..own.end } else { own };
        Ok(read.replaced(own, ""))
    }

    /// Returns the program and the arguments of our entry.
    pub(super) fn words(&self, text: &str) -> Result<Option<Vec<String>>, EditRefusal> {
        let read = Lines::read(text, self.list)?;
        let words = read.own.as_ref().map(|own| read.words(own));
        Ok(words.filter(|words| words.first().is_some_and(|program| is_our_program(program))))
    }

    fn added(&self, text: &str, read: &Lines<'_>, newline: &str) -> String {
        let entry = self.entry(read.indent, newline);
        match read.list {
            Some(list) => read.replaced(list + 1..list + 1, &entry),
            None => {
                let end_of_line = if text.is_empty() || text.ends_with('\n') { "" } else { newline };
                format!("{text}{end_of_line}{}:{newline}{entry}", self.list)
            }
        }
    }

    fn entry(&self, indent: usize, newline: &str) -> String {
        let program = Value::from(self.program.as_str());
        let (outer, inner) = (" ".repeat(indent), " ".repeat(indent * 2));
        let fields = [
            "type: stdio".to_owned(),
            format!("name: {SERVER}"),
            format!("cmd: {program}"),
            "args: [mcp]".to_owned(),
            "enabled: true".to_owned(),
            "timeout: 60".to_owned(),
        ];
        let fields: String = fields.iter().map(|field| format!("{inner}{field}{newline}")).collect();
        format!("{outer}{SERVER}:{newline}{fields}")
    }
}

impl<'a> Lines<'a> {
    fn read(text: &'a str, list: &str) -> Result<Lines<'a>, EditRefusal> {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let opens = |line: &&str| line.strip_prefix(list).is_some_and(|rest| rest.starts_with(':'));
        let mut found = lines.iter().enumerate().filter(|(_, line)| opens(line));
        let wrong =
            || EditRefusal::shape(&format!("`{list}`"), "written once, with an entry a line below it");
        let Some((at, line)) = found.next() else {
            // A document whose first line is not a key, such as a list or `{…}`, has no place for a key.
            let first = lines.iter().find(|line| !is_filler(line) && !line.starts_with("---"));
            let is_mapping = first.is_none_or(|line| {
                is_at_the_edge(line) && line.contains(':') && !line.starts_with(['{', '[', '-', '"', '\''])
            });
            return if is_mapping {
                Ok(Lines { lines, list: None, indent: 2, own: None })
            } else {
                Err(EditRefusal::shape("the file", "a list of keys"))
            };
        };
        let rest = line.get(list.len() + 1..).unwrap_or_default().trim();
        if found.next().is_some() || !(rest.is_empty() || rest.starts_with('#')) {
            return Err(wrong());
        }
        // A list of items may stand at the edge itself.
        let next = lines.iter().skip(at + 1).find(|line| !is_filler(line));
        if next.is_some_and(|line| line.starts_with("- ")) {
            return Err(wrong());
        }
        let below = || lines.iter().enumerate().skip(at + 1).take_while(|(_, line)| !is_at_the_edge(line));
        let Some((_, first)) = below().find(|(_, line)| !is_filler(line)) else {
            return Ok(Lines { lines, list: Some(at), indent: 2, own: None });
        };
        let indent = indent_of(first);
        if first.trim_start().starts_with(['-', '?', '\t']) || indent == 0 {
            return Err(wrong());
        }
        let is_own = |line: &str| indent_of(line) == indent && line.trim() == format!("{SERVER}:");
        let start = below().find(|(_, line)| is_own(line)).map(|(at, _)| at);
        let own = start.map(|start| {
            let inside = lines.iter().skip(start + 1);
            let inside = inside.take_while(|line| !is_filler(line) && indent_of(line) > indent);
            start..start + 1 + inside.count()
        });
        Ok(Lines { lines, list: Some(at), indent, own })
    }

    /// The program and its arguments, as an entry names them.
    fn words(&self, own: &Range<usize>) -> Vec<String> {
        let mut words = Vec::new();
        let mut arguments = Vec::new();
        let mut in_arguments = false;
        for line in self.lines.get(own.start + 1..own.end).unwrap_or_default() {
            let line = line.trim();
            if let Some(program) = line.strip_prefix("cmd:") {
                words.push(scalar(program));
            }
            if let Some(rest) = line.strip_prefix("args:") {
                let inner = rest.trim().trim_start_matches('[').trim_end_matches(']');
                arguments.extend(inner.split(',').map(scalar).filter(|word| !word.is_empty()));
                in_arguments = true;
            } else if let Some(word) = line.strip_prefix("- ").filter(|_| in_arguments) {
                arguments.push(scalar(word));
            } else {
                in_arguments = false;
            }
        }
        words.extend(arguments);
        words
    }

    fn replaced(&self, range: Range<usize>, with: &str) -> String {
        let part = |range: Range<usize>| self.lines.get(range).unwrap_or_default().concat();
        format!("{}{with}{}", part(0..range.start), part(range.end..self.lines.len()))
    }
}

/// A plain or quoted word.
fn scalar(text: &str) -> String {
    let text = text.trim();
    if let Ok(Value::String(word)) = serde_json::from_str(text) {
        return word;
    }
    let quoted = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
    quoted.map_or_else(|| text.to_owned(), |text| text.replace("''", "'"))
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Whether a line is blank or a comment.
fn is_filler(line: &str) -> bool {
    line.trim().is_empty() || line.trim_start().starts_with('#')
}

/// Whether a line ends what was indented above it.
fn is_at_the_edge(line: &str) -> bool {
    !is_filler(line) && indent_of(line) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(program: &str) -> YamlServer {
        YamlServer { list: "extensions", program: program.to_owned() }
    }

    #[test]
    fn an_entry_is_put_in_and_taken_out_and_every_other_byte_stays() {
        for text in [
            "",
            "# mine\n",
            "GOOSE_MODEL: x\n",
            "GOOSE_MODEL: x\r\nextensions: # all\r\n    other:\r\n        cmd: y\r\n",
            "extensions:\n  # first\n  other:\n    type: stdio\n    cmd: y\n\nz: 1\n",
            "extensions:\nz: |\n  extensions:\n",
        ] {
            let ours = server("/opt/it's here/backstory");
            let put = ours.put(text).unwrap();
            assert_eq!(ours.put(&put).unwrap(), put);
            let words = vec!["/opt/it's here/backstory".to_owned(), "mcp".to_owned()];
            assert_eq!(ours.words(&put).unwrap(), Some(words), "{put}");
            let again = ours.take(&put).unwrap();
            // A list that stood there empty goes with the entry, unless the copy of before is there.
            let kept = again == text || text.starts_with("extensions:\nz");
            assert!(kept, "{text:?} {put:?} {again:?}");
        }
    }

    #[test]
    fn what_the_host_wrote_anew_is_still_ours_and_what_runs_another_program_is_not() {
        let rewritten = "extensions:\n  backstory:\n    args:\n    - mcp\n    cmd: /old/backstory\n    enabled: false\n  other:\n    cmd: y\n";
        assert_eq!(server("/old/backstory").put(rewritten).unwrap(), rewritten);
        let moved = server("/new/backstory").put(rewritten).unwrap();
        assert!(moved.contains("cmd: \"/new/backstory\"") && moved.ends_with("  other:\n    cmd: y\n"));
        assert_eq!(server("/x/backstory").take(&moved).unwrap(), "extensions:\n  other:\n    cmd: y\n");
        let theirs = "extensions:\n  backstory:\n    cmd: /usr/bin/other\n";
        assert!(matches!(server("/x/backstory").put(theirs), Err(EditRefusal::Taken(_))));
        assert_eq!(server("/x/backstory").take(theirs).unwrap(), theirs);
    }

    #[test]
    fn a_form_that_no_host_writes_is_left_alone() {
        for text in [
            "extensions: {}\n",
            "extensions:\n- a\n",
            "extensions:\n  - a\n",
            "extensions:\n  a: 1\nextensions:\n  b: 1\n",
            "{}\n",
            "- a\n",
        ] {
            assert!(server("/x/backstory").put(text).is_err(), "{text}");
        }
    }
}
