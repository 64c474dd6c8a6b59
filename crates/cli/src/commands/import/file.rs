//! `import FILE`: reads memories from a file, one JSON object a line. Running it again adds only what is new.

use super::{ImportArgs, embed};
use crate::app::App;
use crate::failure::{Exit, Failure};
use crate::lines::MemoryLine;
use crate::progress::Progress;
use crate::ui::memories;
use backstory_capture::{Redactor, prepare, safe_sighting};
use backstory_memory::{
    Checksum, Draft, ProjectId, ProjectKey, SessionId, Sighting, Timestamp, Trust, Uid, digest,
};
use backstory_store::{Kept, NewMemory, Origin, Past, Store};
use serde::Serialize;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};

/// A line longer than this is not a memory.
const LONGEST_LINE: u64 = 16 << 20;
/// How many memories are written in one transaction: hooks wait for it.
const PER_TRANSACTION: usize = 250;
/// How many bad lines are listed; the rest is only counted.
const LISTED: usize = 20;

/// What became of the lines.
#[derive(Debug, Default, Serialize)]
struct Report {
    version: u32,
    imported: u64,
    known: u64,
    forgotten: u64,
    bad: u64,
    bad_lines: Vec<BadLine>,
    seconds: f64,
}

#[derive(Debug, Serialize)]
struct BadLine {
    line: u64,
    error: String,
}

/// Imports the memories of a file.
pub(super) fn run(file: &str, args: &ImportArgs, app: &App) -> Result<Exit, Failure> {
    let (reader, bytes) = open(file)?;
    let mut importer = Importer::new(args, app)?;
    let mut progress = Progress::new(bytes, if bytes == 0 { "lines" } else { "bytes" });
    importer.read_all(reader, |lines, read| progress.at(if bytes == 0 { lines } else { read }))?;
    let (mut report, mut store) = importer.finish()?;
    report.version = 1;
    report.seconds = progress.finish().as_secs_f64();
    say(&report, args, app)?;
    embed(&mut store, args, app)?;
    Ok(if report.bad == 0 { Exit::Done } else { Exit::No })
}

fn say(report: &Report, args: &ImportArgs, app: &App) -> Result<(), Failure> {
    if args.json {
        return app.ui.json(report);
    }
    for bad in &report.bad_lines {
        app.ui.say(&format!("line {}: {}", bad.line, bad.error));
    }
    if report.bad > LISTED as u64 {
        app.ui.say(&format!("… and {} more bad lines", report.bad - LISTED as u64));
    }
    app.ui.line(&format!(
        "imported {} in {:.1} s; {} known already, {} forgotten before, {} bad lines skipped",
        memories(report.imported),
        report.seconds,
        report.known,
        report.forgotten,
        report.bad
    ))
}

fn open(file: &str) -> Result<(Box<dyn BufRead>, u64), Failure> {
    if file == "-" {
        return Ok((Box::new(BufReader::new(std::io::stdin())), 0));
    }
    let failed = |error: std::io::Error| Failure::user(format!("cannot read `{file}`")).because(&error);
    let hint = "name a JSONL file, or `-` for standard input";
    let opened = File::open(file).map_err(failed).map_err(|failure| failure.hint(hint))?;
    let metadata = opened.metadata().map_err(failed)?;
    if metadata.is_dir() {
        return Err(Failure::user(format!("`{file}` is a folder")).hint(hint));
    }
    Ok((Box::new(BufReader::with_capacity(1 << 20, opened)), metadata.len()))
}

/// Reads lines, writes them in batches, and remembers what it has resolved.
struct Importer<'a> {
    app: &'a App,
    args: &'a ImportArgs,
    store: Store,
    redactor: Redactor,
    projects: HashMap<String, ProjectId>,
    sessions: HashMap<(String, String), SessionId>,
    batch: Vec<NewMemory>,
    superseded: Vec<(Uid, Vec<String>)>,
    report: Report,
}

impl<'a> Importer<'a> {
    fn new(args: &'a ImportArgs, app: &'a App) -> Result<Self, Failure> {
        Ok(Importer {
            app,
            args,
            store: app.store()?,
            redactor: app.redactor(),
            projects: HashMap::new(),
            sessions: HashMap::new(),
            batch: Vec::new(),
            superseded: Vec::new(),
            report: Report::default(),
        })
    }

    fn read_all(
        &mut self,
        mut reader: Box<dyn BufRead>,
        mut progress: impl FnMut(u64, u64),
    ) -> Result<(), Failure> {
        let (mut number, mut bytes) = (0, 0);
        let mut line = Vec::new();
        loop {
            line.clear();
            let failed = |error: std::io::Error| Failure::user("cannot read on").because(&error);
            let read = reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line).map_err(failed)?;
            if read == 0 {
                return Ok(());
            }
            number += 1;
            bytes += read as u64;
            if read as u64 == LONGEST_LINE && line.last() != Some(&b'\n') {
                bytes += skip_line(&mut reader).map_err(failed)?;
                self.bad(number, "longer than any memory");
            } else if !line.trim_ascii().is_empty() {
                match self.read(&line) {
                    Ok(line) => self.take(line)?,
                    Err(failure) => self.bad(number, &failure.line()),
                }
            }
            if self.batch.len() >= PER_TRANSACTION {
                self.write()?;
                progress(number, bytes);
            }
        }
    }

    /// Understands one line, or says why not. What it says is fit to be stored from here on.
    fn read(&self, line: &[u8]) -> Result<ReadLine, Failure> {
        let text = std::str::from_utf8(line).map_err(|error| Failure::user("not UTF-8").because(&error))?;
        let mut line = MemoryLine::parse(text.trim_start_matches('\u{feff}'))?;
        line.scrub_names(&self.redactor)?;
        let now = self.app.now;
        let draft = line.draft(Trust::Import, now)?;
        let trust = draft.trust.clone().min(self.args.trust.clone());
        let content = prepare(Draft { trust, ..draft }, &self.redactor);
        let (created_at, past) = (line.created_at(now)?, line.past(now)?);
        let uid = line.uid()?.unwrap_or_else(|| uid_of(&line, &content, created_at));
        Ok(ReadLine { line, content, uid, created_at, past })
    }

    /// Takes a line into the batch. What fails now is not the line's fault.
    fn take(&mut self, read: ReadLine) -> Result<(), Failure> {
        let ReadLine { line, content, uid, created_at, past } = read;
        let project = self.project(&line)?;
        let session = match &line.session {
            Some(name) => {
                Some(self.session(project, line.host.as_deref().unwrap_or("import"), name, created_at)?)
            }
            None => None,
        };
        let origin = Origin { session, past: Some(past), ..Origin::default() };
        if let Some(older) = line.supersedes {
            self.superseded.push((uid.clone(), older.into_vec()));
        }
        self.batch.push(NewMemory { uid: Some(uid), project, origin, content, created_at });
        Ok(())
    }

    /// Finds or makes the project a line belongs to: by folder, by what it is recognised by, by name, else the one given.
    fn project(&mut self, line: &MemoryLine) -> Result<ProjectId, Failure> {
        let wanted = (&line.project_path, &line.project_keys, &line.project);
        let known_as = format!("{wanted:?}");
        if let Some(id) = self.projects.get(&known_as) {
            return Ok(*id);
        }
        let mut keys: Vec<ProjectKey> = line.project_keys.iter().filter_map(|key| key.parse().ok()).collect();
        // A place belongs to whoever stands there: a file must not move it to a project that is known by something else.
        let is_path = |key: &ProjectKey| matches!(key, ProjectKey::Path(_));
        if !keys.iter().all(is_path) {
            keys.retain(|key| !is_path(key));
        }
        let named =
            |name: &str, keys| Sighting { keys, name: name.to_owned(), root: String::new(), parent: None };
        let now = self.app.now;
        let id = match (&line.project_path, &line.project) {
            (Some(path), _) => self.store.project_at(&safe_sighting(path.as_ref(), &self.redactor), now)?,
            (None, Some(name)) if !keys.is_empty() => self.store.project_at(&named(name, keys), now)?,
            (None, Some(name)) => match self.store.projects_named(name)?.as_slice() {
                [only] => only.id,
                _ => self.store.project_at(&named(name, vec![ProjectKey::Named(name.clone())]), now)?,
            },
            (None, None) => self.app.project_to_write(&mut self.store, self.args.project.as_deref())?,
        };
        self.projects.insert(known_as, id);
        Ok(id)
    }

    fn session(
        &mut self,
        project: ProjectId,
        host: &str,
        name: &str,
        at: Timestamp,
    ) -> Result<SessionId, Failure> {
        let known_as = (host.to_owned(), name.to_owned());
        if let Some(id) = self.sessions.get(&known_as) {
            return Ok(*id);
        }
        let id = self.store.session_named(project, host, name, at)?;
        self.sessions.insert(known_as, id);
        Ok(id)
    }

    fn write(&mut self) -> Result<(), Failure> {
        for kept in self.store.remember_all(&self.batch)? {
            match kept {
                Kept::Written(_) => self.report.imported += 1,
                Kept::Known(_) => self.report.known += 1,
                Kept::Forgotten => self.report.forgotten += 1,
            }
        }
        self.batch.clear();
        Ok(())
    }

    /// Writes the rest, and notes which memories replace which: both had to be there first.
    fn finish(mut self) -> Result<(Report, Store), Failure> {
        self.write()?;
        for (uid, older) in std::mem::take(&mut self.superseded) {
            let Some(newer) = self.store.memory_by_uid(&uid)? else { continue };
            for uid in older.iter().filter_map(|uid| Uid::parse(uid).ok()) {
                if let Some(old) = self.store.memory_by_uid(&uid)? {
                    self.store.note_superseded(old.id, newer.id, newer.created_at)?;
                }
            }
        }
        Ok((self.report, self.store))
    }

    fn bad(&mut self, line: u64, error: &str) {
        self.report.bad += 1;
        if self.report.bad_lines.len() < LISTED {
            self.report.bad_lines.push(BadLine { line, error: error.to_owned() });
        }
    }
}

/// A line that was understood.
struct ReadLine {
    line: MemoryLine,
    content: Draft,
    uid: Uid,
    created_at: Timestamp,
    past: Past,
}

/// Names a line that has no uid by what it says, so that importing it again adds nothing.
fn uid_of(line: &MemoryLine, content: &Draft, created_at: Timestamp) -> Uid {
    let place =
        format!("{:?}", (&line.project_path, &line.project_keys, &line.project, &line.host, &line.session));
    // Without a time of its own a line would be another one every time.
    let time = if line.created_at.is_some() { created_at.0 } else { 0 };
    let said = digest([Checksum::of(content).0.0.as_slice(), place.as_bytes(), &time.to_le_bytes()]);
    let [name @ .., _, _, _, _, _, _] = said.0;
    Uid::from_parts(time, name)
}

fn skip_line(reader: &mut Box<dyn BufRead>) -> std::io::Result<u64> {
    reader.skip_until(b'\n').map(|bytes| bytes as u64)
}
