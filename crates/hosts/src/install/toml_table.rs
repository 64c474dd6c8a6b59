//! One table of ours in a TOML file: put at its end, changed value by value, and taken out again.
//!
//! A change is made in the text, then both texts are read and compared: if anything but our table differs, it is refused.

use super::hooks::is_our_program;
use super::install_error::EditRefusal;
use std::ops::Range;
use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table, Value};

/// A table and what stands in it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TomlTable {
    /// Where it stands: a table in a table.
    pub(crate) path: [&'static str; 2],
    /// Its keys and values.
    pub(crate) entries: Vec<(&'static str, Value)>,
}

impl TomlTable {
    /// Puts the table into a text, or makes it what it should be.
    pub(super) fn put(&self, text: &str) -> Result<String, EditRefusal> {
        let table = parse(text)?;
        let wanted = self.added_to(table.clone())?;
        if table == wanted {
            return Ok(text.to_owned());
        }
        let changed = match self.changed_in_place(text)? {
            Some(changed) => changed,
            None => self.appended(&self.take(text)?),
        };
        match parse(&changed) {
            Ok(read) if read == wanted => Ok(changed),
            _ => Err(EditRefusal::shape(
                &format!("`{}`", self.path[0]),
                "written with a header for each table",
            )),
        }
    }

    /// Takes the table out of a text.
    pub(super) fn take(&self, text: &str) -> Result<String, EditRefusal> {
        let table = parse(text)?;
        if self.found(text)?.is_none() {
            return Ok(text.to_owned());
        }
        let Some(start) = self.start(text)? else { return Ok(text.to_owned()) };
        let wanted = self.taken_from(table);
        let cut = |end: usize| {
            let range = own_lines(text, start..end);
            format!(
                "{}{}",
                text.get(..range.start).unwrap_or_default(),
                text.get(range.end..).unwrap_or_default()
            )
        };
        // Where the table ends only a parser knows: the first end is taken that leaves everything else as it was.
        let is_right = |text: &String| parse(text).is_ok_and(|read| self.taken_from(read) == wanted);
        let mut ends = line_starts(text).filter(|end| *end > start).chain([text.len()]);
        let name = self.path.join(".");
        ends.find_map(|end| Some(cut(end)).filter(is_right))
            .ok_or_else(|| EditRefusal::shape(&format!("`{name}`"), "a table with a header of its own"))
    }

    /// Returns the table as it is in a text. One that runs another program has our name and is somebody else's.
    pub(super) fn found(&self, text: &str) -> Result<Option<Table>, EditRefusal> {
        let table = parse(text)?;
        let found = table.get(self.path[0]).and_then(|it| it.get(self.path[1])).and_then(Value::as_table);
        Ok(found.filter(|own| is_ours(own)).cloned())
    }

    fn added_to(&self, mut table: Table) -> Result<Table, EditRefusal> {
        let [outer, inner] = self.path;
        let wrong = |what: String| EditRefusal::shape(&format!("`{what}`"), "a table");
        let outer_table = table.entry(outer).or_insert_with(|| Value::Table(Table::new()));
        let outer_table = outer_table.as_table_mut().ok_or_else(|| wrong(outer.to_owned()))?;
        let own = outer_table.entry(inner).or_insert_with(|| Value::Table(Table::new()));
        let own = own.as_table_mut().ok_or_else(|| wrong(format!("{outer}.{inner}")))?;
        if !own.is_empty() && !is_ours(own) {
            return Err(EditRefusal::Taken(format!("{outer}.{inner}")));
        }
        own.extend(self.entries.iter().map(|(key, value)| ((*key).to_owned(), value.clone())));
        Ok(table)
    }

    fn taken_from(&self, mut table: Table) -> Table {
        if let Some(outer) = table.get_mut(self.path[0]).and_then(Value::as_table_mut) {
            outer.remove(self.path[1]);
            if outer.is_empty() {
                table.remove(self.path[0]);
            }
        }
        table
    }

    /// Changes only the values that differ, and puts keys that are missing behind them; `None` where nothing of ours is there.
    fn changed_in_place(&self, text: &str) -> Result<Option<String>, EditRefusal> {
        let root = spans(text)?;
        let Some(own) = self.own_table(root.get_ref()) else { return Ok(None) };
        let mut changes: Vec<(Range<usize>, String)> = Vec::new();
        let mut missing = String::new();
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        for (key, value) in &self.entries {
            match own.iter().find(|(name, _)| name.get_ref() == key) {
                Some((_, at)) => changes.push((at.span(), value.to_string())),
                None => missing += &format!("{newline}{key} = {value}"),
            }
        }
        let Some(last) = changes.iter().map(|(span, _)| span.end).max() else { return Ok(None) };
        let rest = text.get(last..).unwrap_or_default();
        let end_of_line = last + rest.find(newline).unwrap_or(rest.len());
        changes.push((end_of_line..end_of_line, missing));
        changes.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
        let mut text = text.to_owned();
        for (span, value) in changes {
            if text.get(span.clone()).is_some() {
                text.replace_range(span, &value);
            }
        }
        Ok(Some(text))
    }

    fn own_table<'t, 'i>(&self, root: &'t DeTable<'i>) -> Option<&'t DeTable<'i>> {
        let step = |table: &'t DeTable<'i>, key: &str| -> Option<&'t DeTable<'i>> {
            table
                .iter()
                .find(|(name, _)| name.get_ref() == key)
                .and_then(|(_, value)| value.get_ref().as_table())
        };
        step(step(root, self.path[0])?, self.path[1])
    }

    /// Returns where the line begins that opens the table.
    fn start(&self, text: &str) -> Result<Option<usize>, EditRefusal> {
        let root = spans(text)?;
        let outer = root.get_ref().iter().find(|(name, _)| name.get_ref() == self.path[0]);
        let Some(DeValue::Table(outer)) = outer.map(|(_, value)| value.get_ref()) else { return Ok(None) };
        let own = outer.iter().find(|(name, _)| name.get_ref() == self.path[1]);
        let line_start =
            |at: usize| text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
        Ok(own.map(|(name, _)| line_start(name.span().start)))
    }

    fn appended(&self, text: &str) -> String {
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let mut lines = vec![format!("[{}]", self.path.join("."))];
        lines.extend(self.entries.iter().map(|(key, value)| format!("{key} = {value}")));
        let end_of_line = if text.is_empty() || text.ends_with('\n') { "" } else { newline };
        let blank = if text.trim().is_empty() { "" } else { newline };
        format!("{text}{end_of_line}{blank}{}{newline}", lines.join(newline))
    }
}

fn is_ours(own: &Table) -> bool {
    own.get("command").and_then(Value::as_str).is_some_and(is_our_program)
}

fn parse(text: &str) -> Result<Table, EditRefusal> {
    text.parse().map_err(|error| unreadable(text, &error))
}

fn spans(text: &str) -> Result<Spanned<DeTable<'_>>, EditRefusal> {
    DeTable::parse(text).map_err(|error| unreadable(text, &error))
}

fn unreadable(text: &str, error: &toml::de::Error) -> EditRefusal {
    let before = text.get(..error.span().map_or(0, |span| span.start)).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    let why = error.message().lines().collect::<Vec<_>>().join("; ");
    EditRefusal::Unreadable { line, column, why }
}

fn line_starts(text: &str) -> impl Iterator<Item = usize> {
    text.match_indices('\n').map(|(at, _)| at + 1)
}

/// Leaves to the next table the comments above it, and takes the blank line that set ours apart.
fn own_lines(text: &str, range: Range<usize>) -> Range<usize> {
    let own = text.get(range.clone()).unwrap_or_default();
    let is_filler = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
    let filler: usize =
        own.split_inclusive('\n').rev().take_while(|line| is_filler(line)).map(str::len).sum();
    let end = range.end - filler;
    let before = text.get(..range.start).unwrap_or_default();
    let after = text.get(end..).unwrap_or_default();
    let newline = |is_there: &dyn Fn(&str) -> bool| {
        ["\r\n", "\n"].into_iter().find(|newline| is_there(newline)).map_or(0, str::len)
    };
    if before.is_empty() {
        return range.start..end + newline(&|newline| after.starts_with(newline));
    }
    range.start - newline(&|newline| before.ends_with(&format!("\n{newline}")))..end
}
