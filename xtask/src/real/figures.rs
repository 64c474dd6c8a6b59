//! The numbers of a run: a row a figure, a cell a project, the sum in all; as table, as JSON, and against an earlier run.

use crate::{TaskResult, say};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// How a cell is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FigureStyle {
    /// A number.
    Count,
    /// So many of so many.
    Share,
    /// So many for each.
    Average,
}

/// One row.
#[derive(Debug, Serialize, Deserialize)]
struct FigureRow {
    name: String,
    style: FigureStyle,
    /// Part and whole by project.
    cells: BTreeMap<String, (f64, f64)>,
}

/// All rows, in the order they were first added.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct RunFigures {
    /// What was measured.
    program: String,
    rows: Vec<FigureRow>,
}

const NAME_WIDTH: usize = 42;
const CELL_WIDTH: usize = 10;

impl RunFigures {
    /// Starts without a row.
    pub(crate) fn new(program: String) -> RunFigures {
        RunFigures { program, rows: Vec::new() }
    }

    /// Adds to a count.
    pub(crate) fn count(&mut self, project: &str, name: &str, part: usize) {
        self.add(FigureStyle::Count, project, name, (part, 0));
    }

    /// Adds to a share: part and whole.
    pub(crate) fn share(&mut self, project: &str, name: &str, of: (usize, usize)) {
        self.add(FigureStyle::Share, project, name, of);
    }

    /// Adds to an average: sum and number.
    pub(crate) fn average(&mut self, project: &str, name: &str, of: (usize, usize)) {
        self.add(FigureStyle::Average, project, name, of);
    }

    #[expect(clippy::cast_precision_loss, reason = "counts are small")]
    fn add(&mut self, style: FigureStyle, project: &str, name: &str, (part, whole): (usize, usize)) {
        if !self.rows.iter().any(|row| row.name == name) {
            self.rows.push(FigureRow { name: name.to_owned(), style, cells: BTreeMap::new() });
        }
        for row in self.rows.iter_mut().filter(|row| row.name == name) {
            let cell = row.cells.entry(project.to_owned()).or_default();
            *cell = (cell.0 + part as f64, cell.1 + whole as f64);
        }
    }

    /// Returns the table: projects in columns, all of them in the last.
    pub(crate) fn table(&self) -> String {
        let mut projects: Vec<&String> = self.rows.iter().flat_map(|row| row.cells.keys()).collect();
        projects.sort();
        projects.dedup();
        let mut table = format!("{:NAME_WIDTH$}", "");
        for project in &projects {
            put(&mut table, format_args!("{project:>CELL_WIDTH$}"));
        }
        put(&mut table, format_args!("  all"));
        for row in &self.rows {
            put(&mut table, format_args!("\n{:NAME_WIDTH$}", row.name));
            for project in &projects {
                let cell =
                    row.cells.get(*project).map_or_else(|| "·".to_owned(), |cell| row.style.cell(*cell));
                put(&mut table, format_args!("{cell:>CELL_WIDTH$}"));
            }
            put(&mut table, format_args!("  {}", row.style.sum(row.all())));
        }
        table
    }

    /// Returns the rows whose sum differs from an earlier run's.
    pub(crate) fn differences(&self, earlier: &RunFigures) -> String {
        let mut table = format!("{:NAME_WIDTH$}{:>18}{:>18}", "", "before", "now");
        let names = earlier.rows.iter().map(|row| (&row.name, row.style));
        let new = self.rows.iter().filter(|row| earlier.row(&row.name).is_none());
        for (name, style) in names.chain(new.map(|row| (&row.name, row.style))) {
            let sums = [earlier, self].map(|run| run.row(name).map_or((0.0, 0.0), FigureRow::all));
            let [before, now] = sums.map(|sum| style.sum(sum));
            if before != now {
                put(&mut table, format_args!("\n{name:NAME_WIDTH$}{before:>18}{now:>18}"));
            }
        }
        table
    }

    fn row(&self, name: &str) -> Option<&FigureRow> {
        self.rows.iter().find(|row| row.name == name)
    }

    /// Writes the numbers as JSON.
    pub(crate) fn write(&self, path: &Path) -> TaskResult {
        fs::write(path, serde_json::to_string_pretty(self)?)?;
        say(&format!("numbers: {}", path.display()));
        Ok(())
    }

    /// Reads numbers that were written.
    pub(crate) fn read(path: &Path) -> TaskResult<RunFigures> {
        let text =
            fs::read_to_string(path).map_err(|error| format!("reading {}: {error}", path.display()))?;
        Ok(serde_json::from_str(&text)?)
    }
}

impl FigureRow {
    fn all(&self) -> (f64, f64) {
        self.cells.values().fold((0.0, 0.0), |sum, cell| (sum.0 + cell.0, sum.1 + cell.1))
    }
}

impl FigureStyle {
    fn cell(self, (part, whole): (f64, f64)) -> String {
        match self {
            FigureStyle::Count => format!("{part}"),
            FigureStyle::Share => format!("{part}/{whole}"),
            FigureStyle::Average if whole == 0.0 => "·".to_owned(),
            FigureStyle::Average => format!("{:.1}", part / whole),
        }
    }

    fn sum(self, (part, whole): (f64, f64)) -> String {
        match self {
            FigureStyle::Share if whole > 0.0 => format!("{part}/{whole} {:.0} %", 100.0 * part / whole),
            _ => self.cell((part, whole)),
        }
    }
}

/// Appends to a text.
pub(crate) fn put(text: &mut String, more: std::fmt::Arguments<'_>) {
    text.push_str(&more.to_string());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_add_up_and_only_changes_are_compared() {
        let mut before = RunFigures::default();
        before.share("a", "titles cut", (1, 4));
        before.share("b", "titles cut", (2, 4));
        before.average("a", "memories a session", (9, 2));
        let mut now = RunFigures::default();
        now.share("a", "titles cut", (0, 4));
        now.average("a", "memories a session", (9, 2));
        now.count("a", "new", 3);
        let table = before.table();
        assert!(table.contains("3/8 38 %") && table.contains("4.5"), "{table}");
        let differences = now.differences(&before);
        let lines: Vec<String> = differences
            .lines()
            .skip(1)
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        assert_eq!(lines, ["titles cut 3/8 38 % 0/4 0 %", "new 0 3"]);
    }
}
