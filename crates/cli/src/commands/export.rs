//! `export`: writes memories to a file that `import` takes back. Nobody is locked in.

use crate::app::App;
use crate::commands::import::Format;
use crate::failure::{Exit, Failure};
use crate::lines::{MemoryLine, OneOrMany};
use crate::progress::Progress;
use crate::ui::memories;
use backstory_memory::{Memory, ProjectId, ProjectKey, Relation};
use backstory_store::{Store, StoreError};
use clap::Args;
use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;
use tempfile::NamedTempFile;

/// Arguments of `export`.
#[derive(Args, Debug)]
pub(crate) struct ExportArgs {
    /// The file; `-` is standard output
    #[arg(default_value = "-")]
    pub(crate) file: String,
    /// How to write
    #[arg(long, value_enum, default_value_t = Format::Jsonl)]
    pub(crate) format: Format,
    /// Only this project: its name, its number or a folder in it
    #[arg(long, value_name = "PROJECT")]
    pub(crate) project: Option<String>,
}

/// Exports memories.
pub(crate) fn run(args: &ExportArgs, app: &App) -> Result<Exit, Failure> {
    let store = app.store_to_read()?;
    let only = args.project.as_deref().map(|wanted| app.project_called(&store, wanted)).transpose()?;
    // Lines that run over the screen are progress enough, and a bar would run through them.
    let shows_progress = args.file != "-" || !io::stdout().is_terminal();
    let export = Export { store, only, shows_progress, app };
    let count = if args.file == "-" {
        export.write("to standard output", &mut std::io::stdout().lock())?
    } else {
        export.write_file(Path::new(&args.file))?
    };
    if count == 0 {
        app.ui.say("there is nothing to export");
        return Ok(Exit::No);
    }
    app.ui.say(&format!("exported {}", memories(count)));
    Ok(Exit::Done)
}

struct Export<'a> {
    store: Store,
    only: Option<ProjectId>,
    shows_progress: bool,
    app: &'a App,
}

impl Export<'_> {
    /// Writes where a path leads. A file is either whole or as it was, and nobody else's to read.
    fn write_file(&self, path: &Path) -> Result<u64, Failure> {
        let name = format!("`{}`", path.display());
        let failed = |error: io::Error| self.app.ui.cannot_write(&name, &error);
        match fs::metadata(path) {
            Ok(there) if there.is_dir() => {
                return Err(Failure::user(format!("{name} is a folder")).hint("name a file in it"));
            }
            // A pipe or a device is written to, not replaced.
            Ok(there) if !there.is_file() => {
                let mut open = OpenOptions::new().write(true).open(path).map_err(failed)?;
                return self.write(&name, &mut open);
            }
            _ => {}
        }
        // A link stays a link.
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if !dir.is_dir() {
            return Err(Failure::user(format!("there is no folder `{}`", dir.display()))
                .hint("make it first, or name a file in another"));
        }
        let mut draft = NamedTempFile::new_in(dir).map_err(failed)?;
        let count = self.write(&name, draft.as_file_mut())?;
        if count > 0 {
            draft.persist(&path).map_err(|error| failed(error.error))?;
        }
        Ok(count)
    }

    /// Writes the memories and returns how many.
    fn write(&self, name: &str, out: &mut dyn Write) -> Result<u64, Failure> {
        let mut out = BufWriter::new(out);
        let (mut count, mut failed, mut looked_at) = (0, None, 0);
        let mut progress = Progress::new(self.store.count_memories()?, "memories");
        self.store.each_memory(|memory| {
            looked_at += 1;
            if self.shows_progress {
                progress.at(looked_at);
            }
            if failed.is_none() && self.only.is_none_or(|project| project == memory.project) {
                failed = self.write_line(name, &memory, &mut out).err();
                count += 1;
            }
        })?;
        progress.finish();
        failed.map_or(Ok(()), Err)?;
        out.flush().map_err(|error| self.app.ui.cannot_write(name, &error))?;
        Ok(count)
    }

    fn write_line(&self, name: &str, memory: &Memory, out: &mut dyn Write) -> Result<(), Failure> {
        let line = line(&self.store, memory)?;
        let text = serde_json::to_string(&line)
            .map_err(|error| Failure::internal("cannot write JSON").because(&error))?;
        writeln!(out, "{text}").map_err(|error| self.app.ui.cannot_write(name, &error))
    }
}

fn line(store: &Store, memory: &Memory) -> Result<MemoryLine, StoreError> {
    let mut line = MemoryLine::of(memory);
    if let Some(project) = store.project(memory.project)? {
        // A path means little on another machine; but where there is nothing else, it keeps two projects of one name apart (law 8).
        let is_path = |key: &ProjectKey| matches!(key, ProjectKey::Path(_));
        let known_by_place = project.keys.iter().all(is_path);
        // The name is told anyway.
        let travels = |key: &&ProjectKey| match key {
            ProjectKey::Path(_) => known_by_place,
            ProjectKey::Named(name) => *name != project.name,
            _ => true,
        };
        line.project_keys = project.keys.iter().filter(travels).map(ToString::to_string).collect();
        line.project = Some(project.name);
    }
    if let Some(id) = memory.session
        && let Some(session) = store.session(id)?
    {
        line.host = Some(session.host);
        line.session = Some(session.host_session);
    }
    let mut older = Vec::new();
    for link in store.links(memory.id)? {
        if link.from == memory.id
            && link.relation == Relation::Supersedes
            && let Some(replaced) = store.memory(link.to)?
        {
            older.push(replaced.uid.to_string());
        }
    }
    line.supersedes = (!older.is_empty()).then_some(OneOrMany::Many(older));
    Ok(line)
}
