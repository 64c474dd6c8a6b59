//! A terminal for programs under test: a program without one takes its caller for an agent.

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, tcgetattr, tcsetattr};
use std::fs::File;
use std::os::fd::OwnedFd;
use std::process::Stdio;
use std::sync::LazyLock;

/// The other end of the terminal, at which nobody types. The terminal lives as long as this is open.
static MASTER: LazyLock<Option<OwnedFd>> = LazyLock::new(|| {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).ok()?;
    unlockpt(&master).ok()?;
    Some(master)
});

/// Returns a terminal to give to a program; the null device if the system has no terminals.
#[must_use]
pub fn terminal() -> Stdio {
    let slave = || {
        let name = ptsname(MASTER.as_ref()?, Vec::new()).ok()?;
        // Without this flag it could become the terminal of the whole test run.
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let slave = rustix::fs::open(name, flags, Mode::empty()).ok()?;
        // Nobody types: a program that reads is at the end at once, and does not wait for ever.
        let mut modes = tcgetattr(&slave).ok()?;
        modes.local_modes -= LocalModes::ICANON;
        modes.special_codes[SpecialCodeIndex::VMIN] = 0;
        modes.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(&slave, OptionalActions::Now, &modes).ok()?;
        Some(slave)
    };
    slave().map_or_else(Stdio::null, |slave| Stdio::from(File::from(slave)))
}

/// A terminal of its own at which somebody types: as long as this is there, what was typed can be read.
#[derive(Debug)]
pub struct TypedTerminal {
    slave: File,
    /// Kept open: without it, a reader of the other end would be at the end of the input.
    _master: OwnedFd,
}

impl TypedTerminal {
    /// Opens a terminal and types some text; none if the system has no terminals.
    #[must_use]
    pub fn with(text: &str) -> Option<TypedTerminal> {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).ok()?;
        unlockpt(&master).ok()?;
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let slave = rustix::fs::open(ptsname(&master, Vec::new()).ok()?, flags, Mode::empty()).ok()?;
        rustix::io::write(&master, text.as_bytes()).ok()?;
        Some(TypedTerminal { slave: File::from(slave), _master: master })
    }

    /// Returns its other end, for a stream of a program.
    ///
    /// # Errors
    ///
    /// When this process has too many open files.
    pub fn stream(&self) -> std::io::Result<Stdio> {
        self.slave.try_clone().map(Stdio::from)
    }
}
