//! `mcp`: reads the arguments and starts the MCP server of `backstory_mcp`.

use crate::exit::Exit;
use backstory_app::{AppError, Environment};
use backstory_mcp::{McpAccess, McpOptions};
use clap::Args;

/// Arguments of `mcp`.
#[derive(Args, Debug)]
pub(crate) struct McpArgs {
    /// Serve only the tools that read, whatever `[mcp] write` allows
    #[arg(long)]
    pub(crate) read_only: bool,
}

/// Serves until the host is gone. The server reads the configuration for each call, so that a broken one fails that call only.
pub(crate) fn run(args: &McpArgs, environment: Environment, flags: Vec<String>) -> Result<Exit, AppError> {
    // Inside a call of our own to a model nothing is remembered.
    let is_read_only = args.read_only || environment.is_inside();
    let access = if is_read_only { McpAccess::ReadOnly } else { McpAccess::Configured };
    backstory_mcp::serve(McpOptions { environment, flags, access })?;
    Ok(Exit::Done)
}
