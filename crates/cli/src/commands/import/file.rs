//! `import FILE`: reads memories from a file, one JSON object a line, or from a folder that `export --format markdown` wrote.
//! Running it again adds only what is new.

use super::arriving::Arriving;
use super::{ImportArgs, embed, tidy_up};
use crate::app::App;
use crate::documents::folder;
use crate::failure::{Exit, Failure};
use crate::lines::MemoryRecord;
use crate::progress::Progress;
use crate::ui::memories;
use serde::Serialize;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// A line longer than this is not a memory.
const LONGEST_LINE: u64 = 16 << 20;
/// How many bad lines are listed; the rest is only counted.
const LISTED: usize = 20;
/// So many lines are read between two looks at how far it is.
const PER_LOOK: u64 = 100;
const WANTED: &str =
    "name a JSONL file, a folder that `backstory export --format markdown` wrote, or `-` for standard input";

/// What became of the lines.
#[derive(Debug, Default, Serialize)]
struct Report {
    version: u32,
    imported: u64,
    known: u64,
    revised: u64,
    forgotten: u64,
    bad: u64,
    bad_lines: Vec<BadLine>,
    seconds: f64,
    #[serde(skip)]
    of: &'static str,
}

#[derive(Debug, Serialize)]
struct BadLine {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    line: u64,
    error: String,
}

/// Imports the memories of a file or a folder.
pub(super) fn run(file: &str, args: &ImportArgs, app: &App) -> Result<Exit, Failure> {
    let source = Source::open(file)?;
    let mut arriving = Arriving::new(app, args.project.as_deref(), &args.provenance)?;
    let of = if matches!(source, Source::Lines { .. }) { "lines" } else { "documents" };
    let mut report = Report { version: 1, of, ..Report::default() };
    let seconds = match source {
        Source::Lines { reader, bytes } => read_lines(reader, bytes, &mut arriving, &mut report)?,
        Source::Folder { root, projects } => read_folder(&root, &projects, &mut arriving, &mut report)?,
    };
    let (arrived, mut store) = arriving.finish()?;
    tidy_up(&mut store, app);
    report.seconds = seconds;
    (report.imported, report.known) = (arrived.imported, arrived.known);
    (report.revised, report.forgotten) = (arrived.revised, arrived.forgotten);
    say(&report, args, app)?;
    embed(&mut store, args, app)?;
    Ok(if report.bad == 0 { Exit::Done } else { Exit::No })
}

impl Report {
    fn bad(&mut self, file: Option<&Path>, line: u64, error: &str) {
        self.bad += 1;
        if self.bad_lines.len() < LISTED {
            let file = file.map(|file| file.display().to_string());
            self.bad_lines.push(BadLine { file, line, error: error.to_owned() });
        }
    }
}

fn say(report: &Report, args: &ImportArgs, app: &App) -> Result<(), Failure> {
    if args.json {
        return app.ui.json(report);
    }
    for bad in &report.bad_lines {
        let file = bad.file.as_ref().map(|file| format!("`{file}`, ")).unwrap_or_default();
        app.ui.say(&format!("{file}line {}: {}", bad.line, bad.error));
    }
    let of = report.of;
    if report.bad > LISTED as u64 {
        app.ui.say(&format!("… and {} more bad {of}", report.bad - LISTED as u64));
    }
    let revised = if report.revised > 0 { format!("{} revised, ", report.revised) } else { String::new() };
    app.ui.line(&format!(
        "imported {} in {:.1} s; {revised}{} known already, {} forgotten before, {} bad {of} skipped",
        memories(report.imported),
        report.seconds,
        report.known,
        report.forgotten,
        report.bad
    ))
}

/// Where memories are read from.
enum Source {
    Lines { reader: Box<dyn BufRead>, bytes: u64 },
    Folder { root: PathBuf, projects: Vec<folder::ProjectFolder> },
}

impl Source {
    fn open(file: &str) -> Result<Source, Failure> {
        if file == "-" {
            return Ok(Source::Lines { reader: Box::new(BufReader::new(io::stdin())), bytes: 0 });
        }
        let failed = |error: io::Error| Failure::user(format!("cannot read `{file}`")).because(&error);
        let opened = File::open(file).map_err(failed).map_err(|failure| failure.hint(WANTED))?;
        let metadata = opened.metadata().map_err(failed)?;
        if metadata.is_dir() {
            let root = PathBuf::from(file);
            let projects = folder::projects(&root).map_err(failed)?;
            if projects.is_empty() {
                return Err(Failure::user(format!("`{file}` is a folder")).hint(WANTED));
            }
            return Ok(Source::Folder { root, projects });
        }
        let reader = Box::new(BufReader::with_capacity(1 << 20, opened));
        Ok(Source::Lines { reader, bytes: metadata.len() })
    }
}

/// Reads lines of JSON to their end; returns how long that took.
fn read_lines(
    mut reader: Box<dyn BufRead>,
    bytes: u64,
    arriving: &mut Arriving<'_>,
    report: &mut Report,
) -> Result<f64, Failure> {
    let mut progress = Progress::new(bytes, if bytes == 0 { "lines" } else { "bytes" });
    let (mut number, mut done) = (0, 0);
    let mut line = Vec::new();
    loop {
        line.clear();
        let failed = |error: io::Error| Failure::user("cannot read on").because(&error);
        let read = reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line).map_err(failed)?;
        if read == 0 {
            return Ok(progress.finish().as_secs_f64());
        }
        number += 1;
        done += read as u64;
        if read as u64 == LONGEST_LINE && line.last() != Some(&b'\n') {
            done += reader.skip_until(b'\n').map_err(failed)? as u64;
            report.bad(None, number, "longer than any memory");
        } else if !line.trim_ascii().is_empty() {
            match parse(&line).and_then(|line| arriving.read(line)) {
                Ok(line) => arriving.take(line)?,
                Err(failure) => report.bad(None, number, &failure.line()),
            }
        }
        if number % PER_LOOK == 0 {
            progress.at(if bytes == 0 { number } else { done });
        }
    }
}

fn parse(line: &[u8]) -> Result<MemoryRecord, Failure> {
    let text = std::str::from_utf8(line).map_err(|error| Failure::user("not UTF-8").because(&error))?;
    MemoryRecord::parse(text.trim_start_matches('\u{feff}'))
}

/// Reads the documents of a folder, in the order of their days; returns how long that took.
fn read_folder(
    root: &Path,
    projects: &[folder::ProjectFolder],
    arriving: &mut Arriving<'_>,
    report: &mut Report,
) -> Result<f64, Failure> {
    let failed = |error: io::Error| Failure::of_path("look into", root, &error);
    let mut documents = Vec::new();
    for project in projects {
        let paths = folder::documents(&project.path).map_err(failed)?;
        documents.extend(paths.into_iter().map(|path| (path, project)));
    }
    // Names begin with the day a memory was written: what came first arrives first.
    let name = |path: &Path| -> OsString { path.file_name().unwrap_or_default().to_owned() };
    documents.sort_by_cached_key(|(path, _)| (name(path), path.clone()));
    let mut progress = Progress::new(documents.len() as u64, "documents");
    for (number, (path, project)) in (1..).zip(&documents) {
        let file = path.strip_prefix(root).unwrap_or(path);
        match folder::document_at(path) {
            Err(bad) => report.bad(Some(file), bad.line, &bad.error),
            Ok(mut document) => {
                document.line = document.line.of_project(&project.project);
                if let Err(failure) = arriving.take_document(document)? {
                    report.bad(Some(file), 1, &failure.line());
                }
            }
        }
        progress.at(number);
    }
    Ok(progress.finish().as_secs_f64())
}
