//! What a program needs that fills the terminal: the terminal itself, being stopped and being ended.

#[cfg(unix)]
use rustix::process::{Signal, kill_current_process_group};
use std::fs::File;
use std::io::{self, IsTerminal, Write, stderr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// As long a program that is to end may take to put its terminal back.
const TIME_TO_END: Duration = Duration::from_secs(5);
/// As often is looked whether it was.
const LOOKED_AT: Duration = Duration::from_millis(250);

/// Opens the terminal of this process to draw on, so that standard output stays free for data; without one, standard error if that is a
/// terminal.
pub fn open_terminal() -> io::Result<Box<dyn Write + Send>> {
    match terminal_output() {
        Ok(terminal) => Ok(Box::new(terminal)),
        Err(_) if stderr().is_terminal() => Ok(Box::new(stderr())),
        Err(error) => Err(error),
    }
}

/// Opens the terminal of this process as the output of another program.
pub fn terminal_output() -> io::Result<File> {
    File::options().write(true).open(if cfg!(windows) { "CONOUT$" } else { "/dev/tty" })
}

/// Stops this process and what was started with it, as Ctrl+Z does; returns when it goes on.
#[cfg(unix)]
pub fn stop_until_continued() -> io::Result<()> {
    Ok(kill_current_process_group(Signal::TSTP)?)
}

/// Windows stops no program at a key.
#[cfg(windows)]
pub fn stop_until_continued() -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Notes in a flag that somebody wants this process to end, instead of ending at once: the terminal must be put back first.
///
/// A process that has not ended a while after is ended: waiting for a key at a terminal that was closed never returns.
pub fn note_end_signals() -> io::Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    #[cfg(unix)]
    for signal in [signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP, signal_hook::consts::SIGINT] {
        signal_hook::flag::register(signal, Arc::clone(&flag))?;
    }
    let ends = Arc::clone(&flag);
    thread::spawn(move || end_late(&ends));
    Ok(flag)
}

#[expect(clippy::exit, reason = "the thread that could end the process is stuck")]
fn end_late(ends: &AtomicBool) {
    while !ends.load(Ordering::Relaxed) {
        thread::park_timeout(LOOKED_AT);
    }
    let until = Instant::now() + TIME_TO_END;
    while let Some(left) = until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) {
        thread::park_timeout(left);
    }
    std::process::exit(1);
}
