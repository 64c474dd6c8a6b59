//! The MCP server: eight tools over standard input and output, in every protocol version that hosts speak.
//!
//! Requests are handled one after the other, and each opens a store of its own: a host that stays open for days holds no lock. No
//! async and no SDK; JSON-RPC is one JSON object a line. Not here: searching and writing, which are requests of `app`, as for the
//! commands; arguments of the command line and the environment, which `cli` reads.

mod client_roots;
mod connection;
mod grouping;
mod json_rpc;
mod protocol_versions;
mod reply_text;
mod tool_arguments;
mod tool_calls;
mod tool_schemas;

use backstory_app::{AppError, Environment};
use backstory_platform::parent_process_id;
use connection::McpConnection;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

/// How often an idle server checks that its host still runs.
const HOST_CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Whether the tools that write are served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum McpAccess {
    /// Only `search`, `about`, `timeline` and `get`.
    ReadOnly,
    /// Also those that `[mcp] write` allows.
    Configured,
}

/// How to start a server.
#[derive(Debug)]
pub struct McpOptions {
    /// The environment of the process, which names the home and perhaps the project.
    pub environment: Environment,
    /// Settings of the command line (`--set`), which override the configuration.
    pub flags: Vec<String>,
    /// Which tools are served.
    pub access: McpAccess,
}

/// Serves until standard input ends or the host is gone.
pub fn serve(options: McpOptions) -> Result<(), AppError> {
    let host = parent_process_id();
    let lines = json_rpc::read_lines()?;
    let mut connection = McpConnection::new(options);
    loop {
        let line = match lines.recv_timeout(HOST_CHECK_INTERVAL) {
            Ok(line) => line,
            // A killed host may leave the pipe open in another of its children (claude-mem#1351). Our parent process changes then.
            Err(RecvTimeoutError::Timeout) if parent_process_id() == host => continue,
            Err(_) => return Ok(()),
        };
        if let Some(message) = connection.handle_line(&line)
            && json_rpc::send(&message).is_err()
        {
            return Ok(());
        }
        connection.embed_written();
    }
}
