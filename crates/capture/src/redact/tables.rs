//! Finds secrets in the cells of tables: Markdown, psql, mysql, boxes, and comma-separated values.
//!
//! A column whose heading names a credential holds credentials, and so does the cell beside one that names a credential.
//! Not here: names and values in one cell (`named`).

use super::SecretMatch;
use super::names::{NameClass, name_class};
use super::passwords::{CREDENTIAL, is_chosen, is_joined, is_password};
use super::random::{Announcement, is_placeholder, is_random};

/// What separates cells. The first that a line holds decides. Two spaces are as many as there are.
const SEPARATORS: [&str; 7] = ["│", "║", "|", "\t", ";", ",", WIDE];
const WIDE: &str = "  ";
/// More columns than any table a person reads.
const MOST_COLUMNS: usize = 40;

/// A line's cell: where it begins and its text without padding.
#[derive(Clone, Copy)]
struct TableCell<'a> {
    start: usize,
    text: &'a str,
}

/// The columns of a table that hold credentials.
struct TableColumns {
    separator: &'static str,
    count: usize,
    secret: Vec<(usize, NameClass)>,
}

/// Adds a finding for every credential in the table whose heading holds the name at `name_start`, and returns up to where it read.
pub(super) fn find_at(text: &str, name_start: usize, found: &mut Vec<SecretMatch>) -> usize {
    let start = text.get(..name_start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let mut lines = TableLines { text, at: start };
    let Some(heading) = lines.next() else { return start };
    let read = lines.at;
    let Some((separator, cells)) = cells(heading, start) else { return read };
    if is_drawn(separator) {
        found.extend(cells.windows(2).filter_map(beside));
    }
    TableColumns::of_heading(separator, &cells).map_or(read, |columns| columns.read_rows(lines, found))
}

/// The lines of a text from a place on.
struct TableLines<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for TableLines<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
        let line = rest.split_inclusive('\n').next()?;
        self.at += line.len();
        Some(line.trim_end_matches(['\n', '\r']))
    }
}

fn is_drawn(separator: &str) -> bool {
    matches!(separator, "|" | "│" | "║")
}

impl TableColumns {
    fn of_heading(separator: &'static str, cells: &[TableCell<'_>]) -> Option<TableColumns> {
        let is_heading = |cell: &TableCell<'_>| {
            cell.text.len() <= 40
                && cell.text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_- ".contains(&byte))
        };
        // Without lines around it, a table begins with plain names.
        if !is_drawn(separator)
            && !cells.iter().all(|cell| is_heading(cell) && !cell.text.is_empty() && !cell.text.contains(' '))
        {
            return None;
        }
        let secret: Vec<_> = cells
            .iter()
            .enumerate()
            .filter_map(|(column, cell)| Some((column, credential_name(cell.text)?)))
            .collect();
        (!secret.is_empty()).then_some(TableColumns { separator, count: cells.len(), secret })
    }

    /// Reads the rows below the heading, and returns where the table ends.
    fn read_rows(&self, mut lines: TableLines<'_>, found: &mut Vec<SecretMatch>) -> usize {
        loop {
            let start = lines.at;
            let Some(line) = lines.next() else { return start };
            if is_rule(line) {
                continue;
            }
            match cells(line, start) {
                Some((separator, cells)) if separator == self.separator && cells.len() == self.count => {
                    found.extend(self.secrets(&cells));
                    if is_drawn(separator) {
                        found.extend(cells.windows(2).filter_map(beside));
                    }
                }
                _ => return start,
            }
        }
    }

    fn secrets(&self, cells: &[TableCell<'_>]) -> Vec<SecretMatch> {
        let cell = |(column, class): &(usize, NameClass)| secret_in(cells.get(*column)?, *class);
        self.secret.iter().filter_map(cell).collect()
    }
}

/// `| DB_PASSWORD | … |`
fn beside(pair: &[TableCell<'_>]) -> Option<SecretMatch> {
    let [name, value] = pair else { return None };
    secret_in(value, credential_name(name.text)?)
}

fn secret_in(cell: &TableCell<'_>, class: NameClass) -> Option<SecretMatch> {
    let value = cell.text.as_bytes();
    let is_secret = match class {
        // A cell is no code: any word that is no plain name may be one.
        NameClass::Password => {
            let is_name = value.iter().all(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
            is_password(value) || is_random(value, Announcement::Assigned) || (is_chosen(value) && !is_name)
        }
        _ if is_joined(value) && value.iter().any(u8::is_ascii_digit) => true,
        _ => !is_placeholder(value) && is_random(value, Announcement::Assigned),
    };
    is_secret.then(|| SecretMatch { rule: CREDENTIAL, start: cell.start, end: cell.start + value.len() })
}

/// Returns what a cell names, if the name is all it holds.
fn credential_name(cell: &str) -> Option<NameClass> {
    let (class, end) = name_class(cell.as_bytes())?;
    let is_whole = end == cell.len() && !cell.contains(' ');
    matches!(class, NameClass::Password | NameClass::Key).then_some(class).filter(|_| is_whole)
}

/// Returns the cells of a line and what separates them, if it is a line of a table.
fn cells(line: &str, line_start: usize) -> Option<(&'static str, Vec<TableCell<'_>>)> {
    let separator = SEPARATORS.into_iter().find(|separator| line.contains(separator))?;
    let mut cells = Vec::new();
    let mut at = line_start;
    for part in line.split(separator).take(MOST_COLUMNS) {
        if separator == WIDE && part.trim().is_empty() {
            at += part.len() + separator.len();
            continue;
        }
        let text = part.trim_start_matches([' ', '\t', '`', '*', '"', '\'']);
        let start = at + part.len() - text.len();
        cells.push(TableCell { start, text: text.trim_end_matches([' ', '\t', '`', '*', '"', '\'']) });
        at += part.len() + separator.len();
    }
    Some((separator, cells))
}

/// Whether a line only draws one: `|---|---|`, `+----+`, `├──┼──┤`.
fn is_rule(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty()
        && line.chars().all(|char| " -=+:|".contains(char) || ('\u{2500}'..='\u{257f}').contains(&char))
        && line.chars().any(|char| "-=".contains(char) || char == '─' || char == '═')
}
