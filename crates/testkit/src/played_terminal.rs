//! A terminal with somebody in front of it: a program that fills the screen is typed to, and what it shows is read.

use crate::screen_grid::ScreenGrid;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::pty::{OpenptFlags, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Starts a program in a session of its own, so that the terminal is its own, too.
const SETSID: &str = "/usr/bin/setsid";
/// A program that shows nothing for this long is stuck.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often the reading thread checks whether the terminal is to be closed.
const LOOKED_AT: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// A program on a terminal.
#[derive(Debug)]
pub struct PlayedTerminal {
    child: Child,
    master: File,
    output: Receiver<Vec<u8>>,
    reader: Option<JoinHandle<()>>,
    is_closing: Arc<AtomicBool>,
    grid: ScreenGrid,
    raw: Vec<u8>,
}

impl PlayedTerminal {
    /// Starts a program that has the terminal as input and for drawing; its standard output is a pipe, as in `$(…)`. None if the system
    /// cannot do that.
    ///
    /// # Panics
    ///
    /// When the terminal or the program cannot be had.
    #[must_use]
    pub fn start(command: &Command, size: (u16, u16)) -> Option<PlayedTerminal> {
        if !Path::new(SETSID).exists() {
            return None;
        }
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        // A child that inherits it would keep the terminal open.
        fcntl_setfd(&master, FdFlags::CLOEXEC).expect("a terminal");
        unlockpt(&master).expect("a terminal");
        let name = ptsname(&master, Vec::new()).expect("the terminal's name");
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let slave = File::from(rustix::fs::open(name, flags, Mode::empty()).expect("the terminal"));
        set_size(&master, size);
        let mut whole = Command::new(SETSID);
        whole.args(["--ctty", "--wait"]).arg(command.get_program()).args(command.get_args()).env_clear();
        whole.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        if let Some(folder) = command.get_current_dir() {
            whole.current_dir(folder);
        }
        let side = || Stdio::from(slave.try_clone().expect("the terminal"));
        let child = whole.stdin(side()).stdout(Stdio::piped()).stderr(side()).spawn().expect("the program");
        let master = File::from(master);
        let (read, output) = channel();
        let mut reading = master.try_clone().expect("the terminal");
        let is_closing = Arc::new(AtomicBool::new(false));
        let closes = Arc::clone(&is_closing);
        let reader = Some(thread::spawn(move || {
            let mut bytes = [0; 4096];
            while !closes.load(Ordering::Relaxed) {
                let ready = poll(&mut [PollFd::new(&reading, PollFlags::IN)], Some(&LOOKED_AT));
                if ready.is_ok_and(|ready| ready == 0) {
                    continue;
                }
                // Reading fails once nobody has the other side open.
                let Ok(count) = reading.read(&mut bytes) else { break };
                if count == 0 || read.send(bytes.get(..count).unwrap_or_default().to_vec()).is_err() {
                    break;
                }
            }
        }));
        let grid = ScreenGrid::new(size);
        Some(PlayedTerminal { child, master, output, reader, is_closing, grid, raw: Vec::new() })
    }

    /// Types.
    ///
    /// # Panics
    ///
    /// When nobody reads.
    pub fn press(&mut self, keys: &str) {
        self.master.write_all(keys.as_bytes()).expect("a terminal somebody reads from");
    }

    /// Makes the window larger or smaller.
    pub fn resize(&mut self, size: (u16, u16)) {
        self.grid.resize(size);
        set_size(&self.master, size);
    }

    /// Returns what is on the screen.
    #[must_use]
    pub fn screen(&self) -> String {
        self.grid.text()
    }

    /// Returns every byte the program has written to the terminal.
    #[must_use]
    pub fn written(&self) -> String {
        String::from_utf8_lossy(&self.raw).into_owned()
    }

    /// Returns the number of the process that was started: the leader of the terminal's session.
    #[must_use]
    pub fn process_id(&self) -> u32 {
        self.child.id()
    }

    /// Whether the terminal edits lines and echoes, as shells need it.
    ///
    /// # Panics
    ///
    /// When the terminal has gone.
    #[must_use]
    pub fn is_cooked(&self) -> bool {
        let modes = tcgetattr(&self.master).expect("the terminal").local_modes;
        modes.contains(LocalModes::ICANON | LocalModes::ECHO)
    }

    /// Whether the program has the whole screen.
    #[must_use]
    pub fn is_full_screen(&self) -> bool {
        self.grid.is_alternate
    }

    /// Waits until these words are on the screen.
    pub fn wait_for(&mut self, words: &str) {
        self.wait_until(words, |screen| screen.contains(words));
    }

    /// Waits until the screen passes a test. `what` names it in the panic if that never happens.
    ///
    /// # Panics
    ///
    /// When that does not happen.
    pub fn wait_until(&mut self, what: &str, is_so: impl Fn(&str) -> bool) {
        let until = Instant::now() + PATIENCE;
        while !is_so(&self.screen()) {
            let rest = until.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(rest) {
                Ok(bytes) => self.take(&bytes),
                Err(_) => panic!("never on the screen: {what}\n{}", self.screen()),
            }
        }
    }

    /// Waits for the end; returns the exit code, and what was written to standard output.
    ///
    /// # Panics
    ///
    /// When the program cannot be waited for.
    pub fn finish(&mut self) -> (Option<i32>, String) {
        let mut text = String::new();
        self.child.stdout.take().expect("a pipe").read_to_string(&mut text).expect("what was printed");
        let status = self.child.wait().expect("the end of the process");
        // The program has closed the other side: the reading thread reads what is left, and ends.
        drop(self.reader.take().map(JoinHandle::join));
        while let Ok(bytes) = self.output.try_recv() {
            self.take(&bytes);
        }
        (status.code(), text)
    }

    /// Closes the terminal, as a window is closed, and waits for the program to end.
    ///
    /// # Panics
    ///
    /// When the program does not end.
    pub fn close(mut self) {
        let mut printed = self.child.stdout.take().expect("a pipe");
        self.is_closing.store(true, Ordering::Relaxed);
        drop(self.reader.take().map(JoinHandle::join));
        // The reading thread is gone, so this was the last handle: dropping it closes the terminal.
        let null = File::open("/dev/null").expect("the null device");
        drop(std::mem::replace(&mut self.master, null));
        let (ended, end) = channel();
        thread::spawn(move || ended.send(printed.read_to_end(&mut Vec::new()).is_ok()));
        end.recv_timeout(PATIENCE).expect("the end of a program whose terminal was closed");
    }

    fn take(&mut self, bytes: &[u8]) {
        self.raw.extend(bytes);
        self.grid.take(bytes);
    }
}

impl Drop for PlayedTerminal {
    /// Ends a program that still runs, when a test has failed.
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn set_size(terminal: &impl std::os::fd::AsFd, (width, height): (u16, u16)) {
    let size = Winsize { ws_col: width, ws_row: height, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(terminal, size).expect("the size of the terminal");
}
