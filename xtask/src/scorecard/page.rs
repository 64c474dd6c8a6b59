//! The page: sections and tables as Markdown, and the files with one line per query.

use crate::TaskResult;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// The page in the making.
pub(crate) struct ScorecardPage {
    text: String,
    per_query: Option<PathBuf>,
}

impl ScorecardPage {
    /// Begins a page about one version of the program.
    pub(crate) fn new(program: &str, per_query: Option<PathBuf>) -> ScorecardPage {
        let text = format!(
            "# Scorecard\n\n\
             Written by `cargo xtask scorecard`, never by hand. Measured: {program}. The data sets are public and not shipped ([eval.md](eval.md) says how each is read); \
             a set that was not there is marked *not run*. Figures are shares in percent unless said otherwise, and do not depend on the machine.\n"
        );
        ScorecardPage { text, per_query }
    }

    /// Begins a section.
    pub(crate) fn section(&mut self, title: &str, about: &str) {
        report_progress(title);
        self.text.push_str(&format!("\n## {title}\n\n{about}\n"));
    }

    /// Writes a table; cells hold no bars.
    pub(crate) fn table(&mut self, heads: &[&str], rows: &[Vec<String>]) {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let heads: Vec<String> = heads.iter().map(|&head| head.to_owned()).collect();
        let mut table = format!("\n{}|{}\n", line(&heads), " --- |".repeat(heads.len()));
        table.extend(rows.iter().map(|row| line(row)));
        self.text.push_str(&table);
    }

    /// Where the lines of one part go, if they are wanted.
    pub(crate) fn per_query_file(&self, name: &str) -> TaskResult<Option<PathBuf>> {
        let Some(dir) = &self.per_query else { return Ok(None) };
        fs::create_dir_all(dir)?;
        Ok(Some(dir.join(format!("{name}.jsonl"))))
    }

    /// Writes the lines of one part, if they are wanted.
    pub(crate) fn per_query(&self, name: &str, lines: &[Value]) -> TaskResult {
        if let Some(file) = self.per_query_file(name)? {
            let lines: String = lines.iter().map(|line| line.to_string() + "\n").collect();
            fs::write(file, lines)?;
        }
        Ok(())
    }

    /// Writes the page.
    pub(crate) fn write(&self, path: &Path) -> TaskResult {
        Ok(fs::write(path, &self.text)?)
    }
}

#[expect(clippy::print_stderr, reason = "a task for developers talks to them")]
fn report_progress(title: &str) {
    eprintln!("scorecard: {}", title.to_lowercase());
}

/// A share in percent, as the page shows it.
pub(crate) fn percent(part: usize, whole: usize) -> String {
    if whole == 0 { "–".to_owned() } else { format!("{:.1}", 100.0 * part as f64 / whole as f64) }
}

/// Whether the figures of a row are as required.
pub(crate) fn verdict(holds: bool) -> String {
    if holds { "yes" } else { "**no**" }.to_owned()
}

/// The row of a set that is not there.
pub(crate) fn not_run(set: &str, cells: usize) -> Vec<String> {
    let mut row = vec![set.to_owned(), "*not run*".to_owned()];
    row.resize(cells, String::new());
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_sections_with_tables() {
        let mut page = ScorecardPage::new("backstory 1.0", None);
        page.section("Finding", "How often.");
        page.table(&["set", "any@1"], &[vec!["one".into(), percent(1, 3)], not_run("two", 2)]);
        let table = "\n## Finding\n\nHow often.\n\n| set | any@1 |\n| --- | --- |\n| one | 33.3 |\n| two | *not run* |\n";
        assert!(page.text.ends_with(table), "{}", page.text);
    }

    #[test]
    fn a_share_of_nothing_is_no_share() {
        assert_eq!(percent(0, 0), "–");
    }
}
