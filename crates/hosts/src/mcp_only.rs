//! Hosts that report nothing to us and take an MCP server: their agents ask for memories themselves.
//!
//! A new host of this sort is one `static` here and its name in `lib.rs`. Such a host also gets a file of rules, where it reads one,
//! which says when to ask.

use crate::host_spec::{ConfigDir, EventSource, HostSpec, no_plugin};
use crate::install::{
    ConfigFile, DesiredContent, InstallTarget, MCP_FILE, YamlServer, config_file, first_existing, rules_file,
    server_file,
};
use serde_json::json;

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
    ..mcp_only("amp", "Amp", ConfigDir::in_xdg_config("amp"), &["amp"])
};

/// VS Code's agent mode. No rules: what it reads for every project needs front matter, which a marked block cannot have.
pub(crate) static VS_CODE: HostSpec = HostSpec {
    config_files: |target| {
        let entry = json!({"type": "stdio", "command": target.program.path, "args": ["mcp"]});
        vec![server_file(target.host, target.directory.join("mcp.json"), "servers", entry)]
    },
    ..mcp_only("vscode", "VS Code", ConfigDir::in_applications("Code/User"), &["code"])
};

/// Continue reads every file of its directories of servers and of rules.
pub(crate) static CONTINUE: HostSpec = HostSpec {
    config_files: |target| {
        vec![
            mcp_server(target, "mcpServers/backstory.json", "mcpServers"),
            rules_file(target.directory.join("rules/backstory.md")),
        ]
    },
    ..mcp_only("continue", "Continue", ConfigDir::in_home(".continue"), &["cn"])
};

/// Roo Code, in VS Code's store of extensions; its rules are in a directory of its own.
pub(crate) static ROO: HostSpec = HostSpec {
    config_files: |target| {
        vec![
            mcp_server(target, "settings/mcp_settings.json", "mcpServers"),
            rules_file(target.paths.home.join(".roo/rules/backstory.md")),
        ]
    },
    ..mcp_only(
        "roo",
        "Roo Code",
        ConfigDir::in_applications("Code/User/globalStorage/rooveterinaryinc.roo-cline"),
        &["roo"],
    )
};

/// Kilo Code: its editors and its command line share one file.
pub(crate) static KILO: HostSpec = HostSpec {
    config_files: |target| {
        let settings = first_existing(&target.directory, "kilo.json", "kilo.jsonc");
        let entry = json!({"type": "local", "command": [target.program.path, "mcp"], "enabled": true});
        vec![server_file(target.host, settings, "mcp", entry), rules_file(target.directory.join("AGENTS.md"))]
    },
    ..mcp_only("kilo", "Kilo Code", ConfigDir::in_xdg_config("kilo"), &["kilo"])
};

/// Kiro reads every file of its directory of steering.
pub(crate) static KIRO: HostSpec = HostSpec {
    config_files: |target| {
        vec![
            mcp_server(target, "settings/mcp.json", "mcpServers"),
            rules_file(target.directory.join("steering/backstory.md")),
        ]
    },
    ..mcp_only("kiro", "Kiro", ConfigDir::in_home(".kiro"), &["kiro", "kiro-cli"])
};

/// Qwen Code.
pub(crate) static QWEN: HostSpec = HostSpec {
    config_files: |target| {
        vec![mcp_server(target, "settings.json", "mcpServers"), rules_file(target.directory.join("QWEN.md"))]
    },
    ..mcp_only("qwen-code", "Qwen Code", ConfigDir::in_home(".qwen"), &["qwen"])
};

/// Factory's Droid.
pub(crate) static DROID: HostSpec = HostSpec {
    config_files: |target| {
        let entry = json!({"type": "stdio", "command": target.program.path, "args": ["mcp"]});
        vec![
            server_file(target.host, target.directory.join("mcp.json"), "mcpServers", entry),
            rules_file(target.directory.join("AGENTS.md")),
        ]
    },
    ..mcp_only("droid", "Droid", ConfigDir::in_home(".factory"), &["droid"])
};

/// Warp. No rules: Warp keeps those of its user in the cloud.
pub(crate) static WARP: HostSpec = HostSpec {
    config_files: |target| vec![mcp_server(target, ".mcp.json", "mcpServers")],
    ..mcp_only("warp", "Warp", ConfigDir::in_home(".warp"), &["warp-terminal", "oz"])
};

/// Goose, the one host that writes its settings in YAML.
pub(crate) static GOOSE: HostSpec = HostSpec {
    config_files: |target| {
        let server = YamlServer { list: "extensions", program: target.program.path.to_owned() };
        let settings = target.directory.join("config.yaml");
        vec![
            config_file(settings, MCP_FILE, DesiredContent::Yaml(server)),
            rules_file(target.directory.join(".goosehints")),
        ]
    },
    ..mcp_only("goose", "Goose", ConfigDir::in_config_of("Block", "goose"), &["goose"])
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
        windows_shells: &[],
        samples: "",
    }
}

fn mcp_server(target: &InstallTarget<'_>, file: &str, list: &'static str) -> ConfigFile {
    server_file(target.host, target.directory.join(file), list, target.program.server())
}
