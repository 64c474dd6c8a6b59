//! The MCP door: five tools over standard input and output, in both protocol eras, for as long as the host is there.
//!
//! One request is answered after the other, each with a store of its own: nothing is held between them. No async, no SDK: lines of
//! JSON are all there is. Not here: what the tools find and write; they call `app`, as the commands do.

mod answers;
mod arguments;
mod calls;
mod eras;
mod roots;
mod session;
mod tools;
mod wire;

use backstory_app::{AppError, Environment};
use backstory_platform::parent_process_id;
use session::Session;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

/// How often a waiting server looks whether its host still lives.
const LOOK_FOR_THE_HOST: Duration = Duration::from_secs(1);

/// What a server is started with.
#[derive(Debug)]
pub(crate) struct McpOptions {
    pub(crate) environment: Environment,
    pub(crate) flags: Vec<String>,
    pub(crate) may_write: bool,
}

/// Serves until standard input ends or the host is gone.
pub(crate) fn serve(options: McpOptions) -> Result<(), AppError> {
    let host = parent_process_id();
    let lines = wire::listen()?;
    let mut session = Session::new(options);
    loop {
        let line = match lines.recv_timeout(LOOK_FOR_THE_HOST) {
            Ok(line) => line,
            // A killed host may leave the pipe open in another of its children (claude-mem#1351): its end is seen by whose child we are.
            Err(RecvTimeoutError::Timeout) if parent_process_id() == host => continue,
            Err(_) => return Ok(()),
        };
        if let Some(message) = session.hear(&line)
            && wire::say(&message).is_err()
        {
            return Ok(());
        }
        session.follow_up();
    }
}
