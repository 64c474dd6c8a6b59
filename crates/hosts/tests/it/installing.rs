//! Installing into hosts: the files each host gets, what is left alone, and plans that are late or cut short (law 10).

use backstory_hosts::{
    ConnectionState, FileChange, Host, HostConnection, HostPaths, InstallError, InstallPlan, InstallRecords,
};
use insta::{assert_snapshot, with_settings};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Barrier;
use std::thread;
use tempfile::TempDir;

pub(crate) const PROGRAM: &str = "/opt/it's here/backstory";
pub(crate) const GEMINI: &str = ".gemini/settings.json";
pub(crate) const CODEX: &str = ".codex/config.toml";

/// A machine with a home and nothing else.
pub(crate) struct Machine {
    root: TempDir,
    pub(crate) places: HostPaths,
    pub(crate) installs: InstallRecords,
}

impl Machine {
    pub(crate) fn new() -> Machine {
        let root = tempfile::tempdir().unwrap();
        let home = root.path().join("home");
        let places = HostPaths {
            config: home.join(".config"),
            applications: home.join(".config"),
            xdg_config: home.join(".config"),
            home,
            ..HostPaths::default()
        };
        let installs = InstallRecords::at(root.path().join("installs"));
        Machine { root, places, installs }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.places.home.join(path)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        fs::create_dir_all(self.at(path).parent().unwrap()).unwrap();
        fs::write(self.at(path), text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.at(path)).unwrap()
    }

    pub(crate) fn plan(&self, host: Host) -> Result<InstallPlan, InstallError> {
        host.plan_install(&self.places, Path::new(PROGRAM), &self.installs)
    }

    /// Asserts that an install is refused, with these words.
    fn assert_refused(&self, host: Host, why: &str) {
        let refusal = self.plan(host).unwrap_err().to_string();
        assert!(refusal.contains(why), "{host:?}: {refusal}");
    }

    fn connection(&self, host: Host) -> HostConnection {
        host.connection(&self.places, Path::new(PROGRAM)).unwrap()
    }

    pub(crate) fn install(&self, host: Host) {
        self.plan(host).unwrap().apply(&self.installs).unwrap();
    }

    pub(crate) fn uninstall(&self, host: Host) {
        host.plan_uninstall(&self.places, &self.installs).unwrap().apply(&self.installs).unwrap();
    }

    pub(crate) fn is_idle(&self, host: Host) -> bool {
        self.plan(host).unwrap().changes.is_empty()
    }

    /// Installs and uninstalls without the install records, and returns what is left of a file.
    pub(crate) fn uninstall_without_records(&self, host: Host, path: &str) -> String {
        self.install(host);
        fs::remove_dir_all(self.root.path().join("installs")).unwrap();
        self.uninstall(host);
        self.read(path)
    }
}

/// The files are `tests/fixtures/installed/HOST.snap`; `INSTA_UPDATE=always` writes them.
#[test]
fn each_host_gets_the_files_it_reads() {
    let machine = Machine::new();
    for host in Host::ALL {
        let file = |change: &FileChange| {
            let path = change.path.strip_prefix(&machine.places.home).unwrap().display().to_string();
            let text = String::from_utf8(change.after.clone().unwrap()).unwrap();
            // The plugin is a file of its own in the sources.
            let text = if path.ends_with(".js") { "…\n".to_owned() } else { text };
            format!("--- {path} ({})\n{text}", change.what)
        };
        let files: String = machine.plan(host).unwrap().changes.iter().map(file).collect();
        with_settings!({
            snapshot_path => Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/installed"),
            prepend_module_to_snapshot => false,
            omit_expression => true,
        }, {
            assert_snapshot!(host.as_str(), files);
        });
    }
}

#[test]
fn the_guide_names_every_file() {
    let guide =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/hosts.md")).unwrap();
    let machine = Machine::new();
    for host in Host::ALL {
        for change in machine.plan(host).unwrap().changes {
            let path = change.path.strip_prefix(&machine.places.home).unwrap().display().to_string();
            assert!(guide.contains(&format!("`~/{path}`")), "docs/hosts.md does not name `~/{path}`");
        }
    }
}

#[test]
fn uninstalling_removes_everything_of_every_host() {
    let machine = Machine::new();
    fs::create_dir(&machine.places.home).unwrap();
    for host in Host::ALL {
        assert!(!machine.connection(host).is_connected(), "{host:?}");
        machine.install(host);
        assert!(machine.is_idle(host), "{host:?}");
        let connection = machine.connection(host);
        assert!(connection.files.iter().all(|file| file.state == ConnectionState::Current), "{connection:?}");
        assert_eq!(connection.server, Some(vec![PROGRAM.to_owned(), "mcp".to_owned()]), "{host:?}");
        let events: Vec<&str> = connection.hooks.iter().map(|hook| hook.event.as_str()).collect();
        let (mut installed, mut expected) = (events, host.events());
        installed.sort_unstable();
        expected.sort_unstable();
        assert_eq!(installed, expected, "{host:?}");
        let begins = format!(r"'/opt/it'\''s here/backstory' hook --host {}", host.as_str());
        assert!(connection.hooks.iter().all(|hook| hook.line.starts_with(&begins)), "{connection:?}");
        let other = host.connection(&machine.places, Path::new("/elsewhere/backstory")).unwrap();
        assert!(other.files.iter().any(|file| file.state == ConnectionState::Different), "{other:?}");
    }
    Host::ALL.into_iter().rev().for_each(|host| machine.uninstall(host));
    assert_eq!(fs::read_dir(&machine.places.home).unwrap().count(), 0);
}

/// As the hosts themselves write it down when `plugins/` is installed.
#[test]
fn an_enabled_plugin_of_ours_is_detected() {
    let enablement = ".gemini/extensions/extension-enablement.json";
    for (host, path, on, off) in [
        (
            Host::ClaudeCode,
            ".claude/settings.json",
            r#"{"enabledPlugins": {"a@b": false, "backstory@b": true}}"#,
            r#"{"enabledPlugins": {"a@b": true, "backstory@b": false}}"#,
        ),
        (Host::Copilot, ".copilot/settings.json", r#"{"enabledPlugins": {"backstory@b": true}}"#, "{}"),
        (
            Host::Codex,
            CODEX,
            "[plugins.\"backstory@b\"]\nenabled = true\n",
            "[plugins.\"backstory@b\"]\nenabled = false\n",
        ),
        (
            Host::Gemini,
            enablement,
            r#"{"backstory": {"overrides": ["/home/*"]}}"#,
            r#"{"backstory": {"overrides": ["!/home/*"]}}"#,
        ),
    ] {
        let machine = Machine::new();
        assert_eq!(host.plugin(&machine.places), None, "{host:?}");
        machine.write(".gemini/extensions/backstory/gemini-extension.json", "{}");
        machine.write(path, on);
        assert!(host.plugin(&machine.places).is_some_and(|name| name.starts_with("backstory")), "{host:?}");
        machine.write(path, off);
        assert_eq!(host.plugin(&machine.places), None, "{host:?}");
    }
}

#[test]
fn a_file_of_our_name_that_is_not_ours_is_left_alone() {
    for (host, path, theirs) in [
        (Host::OpenCode, ".config/opencode/plugins/backstory.js", "export const Mine = 1\n"),
        (
            Host::OpenCode,
            ".config/opencode/plugins/backstory.js",
            "// around backstory\nexport const Mine = 1\n",
        ),
        (
            Host::Copilot,
            ".copilot/hooks/backstory.json",
            r#"{"hooks": {"sessionEnd": [{"bash": "tidy"}, {"bash": "backstory hook --host copilot-cli"}]}}"#,
        ),
    ] {
        let machine = Machine::new();
        machine.write(path, theirs);
        machine.assert_refused(host, "not one that Backstory wrote");
        machine.uninstall(host);
        assert_eq!(machine.read(path), theirs);
    }
}

#[test]
fn a_server_of_our_name_that_is_not_ours_is_left_alone() {
    for (host, path, theirs) in [
        (
            Host::Gemini,
            GEMINI,
            r#"{"mcpServers": {"backstory": {"command": "docker", "args": ["run", "backstory"]}}}"#,
        ),
        (
            Host::Amp,
            ".config/amp/settings.json",
            r#"{"amp.mcpServers": {"backstory": {"url": "https://a.test/backstory"}}}"#,
        ),
        (
            Host::OpenCode,
            ".config/opencode/opencode.json",
            r#"{"mcp": {"backstory": {"command": ["npx", "backstory"]}}}"#,
        ),
        (Host::Codex, CODEX, "[mcp_servers.backstory]\ncommand = \"docker\"\n"),
    ] {
        let machine = Machine::new();
        machine.write(path, theirs);
        machine.assert_refused(host, "backstory` runs a program of somebody else");
        let connection = machine.connection(host);
        assert_eq!((connection.server.clone(), connection.is_connected()), (None, false), "{connection:?}");
        machine.uninstall(host);
        assert_eq!(machine.read(path), theirs);
    }
}

#[test]
fn a_program_at_an_unusable_path_is_not_installed() {
    let machine = Machine::new();
    for host in Host::ALL {
        for (program, why) in [
            ("/opt/bs", "not called `backstory`"),
            ("/opt/$HOME/backstory", "in the place of `$`"),
            ("/opt/{env:HOME}/backstory", "in the place of `$` and `{`"),
        ] {
            let refused = host.plan_install(&machine.places, Path::new(program), &machine.installs);
            assert!(refused.unwrap_err().to_string().contains(why), "{host:?} {program}");
        }
    }
}

#[test]
fn of_concurrent_installs_one_succeeds_and_can_be_undone() {
    let machine = Machine::new();
    fs::create_dir(&machine.places.home).unwrap();
    for host in Host::ALL {
        let all_planned = Barrier::new(8);
        let install = || {
            let plan = machine.plan(host).unwrap();
            all_planned.wait();
            plan.apply(&machine.installs).is_ok()
        };
        let done = thread::scope(|scope| {
            let running: Vec<_> = (0..8).map(|_| scope.spawn(install)).collect();
            running.into_iter().filter_map(|one| one.join().ok()).filter(|is_done| *is_done).count()
        });
        assert_eq!(done, 1, "{host:?}");
        machine.uninstall(host);
        assert_eq!(fs::read_dir(&machine.places.home).unwrap().count(), 0, "{host:?}");
    }
}

/// Copilot CLI (1.0.102) denies a tool whose hook fails, Gemini CLI (0.61.0) drops the prompt. On Windows no word for it is the same in
/// every shell.
#[cfg(unix)]
#[test]
fn law_1_hosts_that_stop_at_a_failing_hook_go_on_without_our_program() {
    for host in [Host::Copilot, Host::Gemini] {
        let machine = Machine::new();
        machine.install(host);
        let connection = machine.connection(host);
        assert!(!connection.hooks.is_empty());
        for hook in connection.hooks {
            let mut shell = std::process::Command::new("/bin/sh");
            let output = shell.args(["-c", &hook.line]).stdin(std::process::Stdio::null()).output().unwrap();
            assert!(output.status.success() && output.stdout.is_empty(), "{hook:?}: {output:?}");
        }
    }
}

#[test]
fn a_file_that_changed_since_the_plan_was_made_is_not_overwritten() {
    let machine = Machine::new();
    machine.write(".gemini/settings.json", "{}");
    let plan = machine.plan(Host::Gemini).unwrap();
    machine.write(".gemini/settings.json", "{\"theirs\": 1}");
    assert!(plan.apply(&machine.installs).unwrap_err().to_string().contains("in the meantime"));
    assert_eq!(machine.read(".gemini/settings.json"), "{\"theirs\": 1}");
    assert!(!machine.installs.knows(Host::Gemini));
}

#[test]
fn an_install_that_was_cut_short_can_be_undone() {
    let machine = Machine::new();
    machine.write(".codex/hooks.json", "{ }");
    machine.write(".codex/config.toml", "a = 1\n");
    machine.install(Host::Codex);
    // As if the machine had stopped after the record was written, and before the second file was.
    machine.write(".codex/config.toml", "a = 1\n");
    machine.uninstall(Host::Codex);
    assert_eq!(machine.read(".codex/hooks.json"), "{ }");
    assert_eq!(machine.read(".codex/config.toml"), "a = 1\n");
    assert!(!machine.installs.knows(Host::Codex));
}

#[test]
fn files_another_version_changed_are_restored_too() {
    let machine = Machine::new();
    machine.write(".gemini/settings.json", "{ }");
    machine.install(Host::Gemini);
    let record = machine.installs.directory(Host::Gemini).join("record.json");
    let text =
        fs::read_to_string(&record).unwrap().replace("hooks and MCP server", "something of another version");
    fs::write(&record, text).unwrap();
    machine.uninstall(Host::Gemini);
    assert_eq!(machine.read(".gemini/settings.json"), "{ }");
}

#[test]
fn a_host_whose_second_file_cannot_be_written_gets_its_first_one_back() {
    let machine = Machine::new();
    machine.write(".codex/hooks.json", "{}");
    machine.write(".codex/config.toml", "a = 1\n");
    let plan = machine.plan(Host::Codex).unwrap();
    machine.write(".codex/config.toml", "a = 2\n");
    assert!(plan.apply(&machine.installs).is_err());
    assert_eq!(machine.read(".codex/hooks.json"), "{}");
    assert_eq!(machine.read(".codex/config.toml"), "a = 2\n");
}
