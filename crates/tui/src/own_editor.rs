//! The user's own editor, on a file that nobody else can read and that is gone afterwards.

use backstory_app::{App, AppError};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Lets the user's own editor change a text. The terminal must have been put back before.
pub(crate) fn edit(app: &App, text: &str) -> Result<String, AppError> {
    // An editor may leave copies beside the file: the whole folder goes.
    let folder = tempfile::Builder::new()
        .prefix("edit-")
        .tempdir_in(app.home.root())
        .map_err(|error| AppError::of_path("make a file for the editor in", app.home.root(), &error))?;
    let file = folder.path().join("MEMORY.md");
    let at_file = |act: &str, error: &std::io::Error| AppError::of_path(act, &file, error);
    fs::write(&file, text).map_err(|error| at_file("write", &error))?;
    run_editor(app, &file)?;
    fs::read_to_string(&file).map_err(|error| at_file("read", &error))
}

fn run_editor(app: &App, file: &Path) -> Result<(), AppError> {
    let words = ["VISUAL", "EDITOR"].iter().find_map(|name| app.environment.text(name)).unwrap_or("vi");
    let mut parts = words.split_whitespace();
    let name = parts.next().unwrap_or("vi");
    let cannot = |why: &str| AppError::user(format!("the editor `{words}` {why}")).hint("set EDITOR");
    // A program of the folder we stand in is not the user's editor.
    let path = if Path::new(name).is_absolute() {
        name.into()
    } else {
        backstory_platform::find_program(name, &app.cwd).ok_or_else(|| cannot("is not there"))?.path
    };
    let mut command = Command::new(path);
    command.args(parts).arg(file);
    // Standard output may be a pipe that waits for the choice.
    if let Ok(terminal) = backstory_platform::terminal_output() {
        command.stdout(Stdio::from(terminal));
    }
    let status = command.status().map_err(|error| cannot("cannot be started").because(&error))?;
    if status.success() { Ok(()) } else { Err(cannot("failed, so nothing changed")) }
}
