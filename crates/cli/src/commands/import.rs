//! `import`: takes in what is there already. Running it again adds only what is new.

mod file;

use crate::app::App;
use crate::failure::{Exit, Failure};
use backstory_memory::Trust;
use clap::{Args, ValueEnum};

/// Arguments of `import`.
#[derive(Args, Debug)]
pub(crate) struct ImportArgs {
    /// The file; `-` is standard input
    pub(crate) file: String,
    /// What the file holds
    #[arg(long, value_enum, default_value_t = Format::Jsonl)]
    pub(crate) format: Format,
    /// The project of lines that name none (default: the one of this folder)
    #[arg(long, value_name = "PROJECT")]
    pub(crate) project: Option<String>,
    /// Believe no line more than this: user, assistant, tool, import, external. Say `import` for a file somebody else wrote
    #[arg(long, value_name = "TRUST", default_value = "user")]
    pub(crate) trust: Trust,
    /// Make no vectors now; `backstory index --vectors` makes them later
    #[arg(long)]
    pub(crate) no_vectors: bool,
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// A way to write memories down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// One JSON object a line
    Jsonl,
}

/// Imports.
pub(crate) fn run(args: &ImportArgs, app: &App) -> Result<Exit, Failure> {
    file::run(&args.file, args, app)
}
