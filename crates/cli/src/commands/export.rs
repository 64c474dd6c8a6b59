//! `export`: writes memories to a file that `import` takes back. Nobody is locked in.

use crate::app::App;
use crate::commands::import::Format;
use crate::failure::{Exit, Failure};
use crate::lines::{MemoryLine, OneOrMany};
use backstory_memory::{Memory, ProjectKey, Relation};
use backstory_store::{Store, StoreError};
use clap::Args;
use std::io::{BufWriter, Write};
use std::path::Path;

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
    let mut count = 0_u64;
    let mut write = |out: &mut dyn Write| -> Result<(), Failure> {
        let mut failed = None;
        store.each_memory(|memory| {
            if failed.is_none() && only.is_none_or(|project| project == memory.project) {
                failed = write_line(&store, &memory, out).err();
                count += 1;
            }
        })?;
        failed.map_or(Ok(()), Err)
    };
    if args.file == "-" {
        let mut out = BufWriter::new(std::io::stdout().lock());
        write(&mut out)?;
        out.flush().map_err(|error| cannot_write("standard output", &error))?;
    } else {
        write_file(Path::new(&args.file), &mut write)?;
    }
    app.ui.say(&format!("exported {count} memories"));
    Ok(if count == 0 { Exit::No } else { Exit::Done })
}

/// Writes a file that is either whole or not there, and nobody else's to read.
fn write_file(
    path: &Path,
    write: &mut dyn FnMut(&mut dyn Write) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let name = path.display().to_string();
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut draft = tempfile::NamedTempFile::new_in(dir).map_err(|error| cannot_write(&name, &error))?;
    let mut out = BufWriter::new(draft.as_file_mut());
    write(&mut out)?;
    out.flush().map_err(|error| cannot_write(&name, &error))?;
    drop(out);
    draft.persist(path).map(drop).map_err(|error| cannot_write(&name, &error.error))
}

fn write_line(store: &Store, memory: &Memory, out: &mut dyn Write) -> Result<(), Failure> {
    let line = line(store, memory)?;
    let text = serde_json::to_string(&line)
        .map_err(|error| Failure::internal("cannot write JSON").because(&error))?;
    writeln!(out, "{text}").map_err(|error| cannot_write("the export", &error))
}

fn line(store: &Store, memory: &Memory) -> Result<MemoryLine, StoreError> {
    let mut line = MemoryLine::of(memory);
    if let Some(project) = store.project(memory.project)? {
        line.project = Some(project.name);
        // A path means nothing on another machine.
        let travels = project.keys.iter().filter(|key| !matches!(key, ProjectKey::Path(_)));
        line.project_keys = travels.map(ToString::to_string).collect();
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

fn cannot_write(what: &str, error: &std::io::Error) -> Failure {
    Failure::user(format!("cannot write {what}")).because(error)
}
