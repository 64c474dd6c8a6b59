//! Hosts that report nothing to us and take an MCP server: their agents ask for memories themselves.
//!
//! A new host of this sort is one `static` here and its name in `lib.rs`. Such a host also gets a file of rules, where it reads one,
//! which says when to ask.

use crate::host_spec::{ConfigDir, EventSource, HostSpec, no_plugin};
use crate::install::{ConfigFile, InstallTarget, first_existing, rules_file, server_file};

/// Windsurf: none of its hooks takes a reply.
pub(crate) static WINDSURF: HostSpec = HostSpec {
    config_files: |target| {
        vec![
            mcp_server(target, "mcp_config.json", "mcpServers"),
            rules_file(target.directory.join("memories/global_rules.md")),
        ]
    },
    ..mcp_only("windsurf", "Windsurf", ConfigDir::in_home(".codeium/windsurf"), &["windsurf"])
};

/// Cline reads every file of its directory of rules.
pub(crate) static CLINE: HostSpec = HostSpec {
    config_files: |target| {
        vec![
            mcp_server(target, "data/settings/cline_mcp_settings.json", "mcpServers"),
            rules_file(target.directory.join("rules/backstory.md")),
        ]
    },
    ..mcp_only("cline", "Cline", ConfigDir::in_home(".cline"), &["cline"])
};

/// Zed's agent. No rules: Zed keeps those of its user in a database.
pub(crate) static ZED: HostSpec = HostSpec {
    config_files: |target| vec![mcp_server(target, "settings.json", "context_servers")],
    ..mcp_only("zed", "Zed", ConfigDir::in_config("zed"), &["zed", "zeditor"])
};

/// Amp.
pub(crate) static AMP: HostSpec = HostSpec {
    config_files: |target| {
        let settings = first_existing(&target.directory, "settings.jsonc", "settings.json");
        vec![
            server_file(target.host, settings, "amp.mcpServers", target.program.server()),
            rules_file(target.directory.join("AGENTS.md")),
        ]
    },
    ..mcp_only("amp", "Amp", ConfigDir::in_config("amp"), &["amp"])
};

/// Returns the parts that all of them share.
const fn mcp_only(
    name: &'static str,
    title: &'static str,
    config_dir: ConfigDir,
    programs: &'static [&'static str],
) -> HostSpec {
    HostSpec {
        name,
        title,
        project_variable: None,
        events: EventSource::McpOnly,
        config_dir,
        programs,
        instructions_file: None,
        config_files: |_| Vec::new(),
        after_install: None,
        enabled_plugin: no_plugin,
        transcripts: None,
        samples: "",
    }
}

fn mcp_server(target: &InstallTarget<'_>, file: &str, list: &'static str) -> ConfigFile {
    server_file(target.host, target.directory.join(file), list, target.program.server())
}
