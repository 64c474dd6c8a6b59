//! `mcp`: the tools an agent asks, over standard input and output. What they do stands in `crate::mcp`.

use crate::env_vars::Environment;
use crate::failure::{Exit, Failure};
use crate::mcp::{self, McpOptions};
use clap::Args;

/// Arguments of `mcp`.
#[derive(Args, Debug)]
pub(crate) struct McpArgs {
    /// Serve only the tools that read: no remember, no forget
    #[arg(long)]
    pub(crate) read_only: bool,
}

/// Serves until the host is gone. The configuration is read for each call, so that a wrong one is an answer and not the end.
pub(crate) fn run(args: &McpArgs, environment: Environment, flags: Vec<String>) -> Result<Exit, Failure> {
    // Inside a call of our own to a model nothing is to be remembered.
    let may_write = !args.read_only && !environment.is_inside();
    mcp::serve(McpOptions { environment, flags, may_write })?;
    Ok(Exit::Done)
}
