//! Whether a person sits in front of this process.

use std::io::{self, IsTerminal, stderr, stdin, stdout};

/// Whether standard input, output or error is a terminal. A program that an agent runs has none.
#[must_use]
pub fn has_terminal() -> bool {
    stdin().is_terminal() || stdout().is_terminal() || stderr().is_terminal()
}

/// Reads one key from the terminal at standard input, without waiting for Enter and without showing it.
#[cfg(unix)]
pub fn read_key() -> io::Result<char> {
    use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, tcgetattr, tcsetattr};
    use std::io::Read;
    let input = stdin();
    let before = tcgetattr(&input)?;
    let mut now = before.clone();
    now.local_modes -= LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG;
    now.special_codes[SpecialCodeIndex::VMIN] = 1;
    now.special_codes[SpecialCodeIndex::VTIME] = 0;
    tcsetattr(&input, OptionalActions::Now, &now)?;
    let mut byte = [0];
    let read = input.lock().read_exact(&mut byte);
    // Put back before anything else: a terminal that shows nothing is of no use to its owner.
    tcsetattr(&input, OptionalActions::Now, &before)?;
    read.map(|()| char::from(byte[0]))
}

/// Reads one key from the terminal, without waiting for Enter and without showing it.
#[cfg(windows)]
pub fn read_key() -> io::Result<char> {
    console::Term::stderr().read_char()
}
