//! `export`: writes memories to a file or a folder that `import` takes back, or to a folder a team shares. Nobody is locked in.

mod folder;
mod git_export;
mod outgoing_lines;

use crate::app::App;
use crate::failure::{Exit, Failure};
use crate::progress::Progress;
use crate::times;
use crate::ui::memories;
use backstory_memory::{Memory, ProjectId, Timestamp};
use backstory_store::Store;
use clap::{Args, ValueEnum};
use outgoing_lines::OutgoingLines;
use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;
use tempfile::NamedTempFile;

/// Arguments of `export`.
#[derive(Args, Debug)]
pub(crate) struct ExportArgs {
    /// The file; `-` is standard output. For Markdown: the folder
    #[arg(default_value = "-")]
    pub(crate) file: String,
    /// How to write
    #[arg(long, value_enum, default_value_t = Format::Jsonl)]
    pub(crate) format: Format,
    /// Only this project: its name, its number or a folder in it
    #[arg(long, value_name = "PROJECT")]
    pub(crate) project: Option<String>,
    /// Only what was written or changed since: 2026-05-01, 36h, 7d, 2w
    #[arg(long, value_name = "WHEN")]
    pub(crate) since: Option<String>,
    /// Share the project through a folder that git carries: add what is new to it, and remove what was forgotten
    #[arg(long, value_name = "DIR", conflicts_with_all = ["file", "format", "since"])]
    pub(crate) git: Option<String>,
    /// Who says it, for `--git` (default: `git config user.name`)
    #[arg(long = "as", value_name = "NAME", requires = "git")]
    pub(crate) r#as: Option<String>,
    /// Show what `--git` would push, and write nothing
    #[arg(long, requires = "git")]
    pub(crate) dry_run: bool,
    /// Answer `--git` in JSON
    #[arg(long, requires = "git")]
    pub(crate) json: bool,
}

/// A way to write memories down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// One JSON object a line
    Jsonl,
    /// One folder a project, one document a memory
    Markdown,
}

/// Exports memories.
pub(crate) fn run(args: &ExportArgs, app: &App) -> Result<Exit, Failure> {
    if let Some(dir) = &args.git {
        return git_export::run(dir, args, app);
    }
    let store = app.store_to_read()?;
    let only = args.project.as_deref().map(|wanted| app.project_called(&store, wanted)).transpose()?;
    let since = args.since.as_deref().map(|text| times::typed(text, app.now)).transpose()?;
    // Lines that run over the screen are progress enough, and a bar would run through them.
    let shows_progress = args.file != "-" || !io::stdout().is_terminal();
    let export = Export { store, only, since, shows_progress, app };
    if args.format == Format::Markdown {
        return folder::run(&export, &args.file);
    }
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
    since: Option<Timestamp>,
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
                return Err(Failure::user(format!("{name} is a folder"))
                    .hint("name a file in it, or say `--format markdown`"));
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

    /// Writes the memories as lines and returns how many.
    fn write(&self, name: &str, out: &mut dyn Write) -> Result<u64, Failure> {
        let mut out = BufWriter::new(out);
        let mut lines = OutgoingLines::new(&self.store);
        let failed = |error: io::Error| self.app.ui.cannot_write(name, &error);
        let count = self.each(|memory| {
            let text = serde_json::to_string(&lines.line(memory)?)
                .map_err(|error| Failure::internal("cannot write JSON").because(&error))?;
            writeln!(out, "{text}").map_err(failed)
        })?;
        out.flush().map_err(failed)?;
        Ok(count)
    }

    /// Does something with each wanted memory, oldest first, and returns how many there were.
    fn each(&self, mut each: impl FnMut(&Memory) -> Result<(), Failure>) -> Result<u64, Failure> {
        let (mut count, mut failed, mut looked_at) = (0, None, 0);
        let mut progress = Progress::new(self.store.count_memories()?, "memories");
        self.store.each_memory(|memory| {
            looked_at += 1;
            if self.shows_progress {
                progress.at(looked_at);
            }
            if failed.is_none() && self.wants(&memory) {
                failed = each(&memory).err();
                count += 1;
            }
        })?;
        progress.finish();
        failed.map_or(Ok(count), Err)
    }

    fn wants(&self, memory: &Memory) -> bool {
        self.only.is_none_or(|project| project == memory.project)
            && self.since.is_none_or(|since| memory.updated_at >= since)
    }
}
