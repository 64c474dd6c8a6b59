//! Law 10 on configurations as people have them: each is put back byte for byte, or left alone with a clear message.

use crate::install::hostless;
use crate::support::{at, done, read, rendered, write};
use backstory_testkit::{ProgramOutput, TestEnv};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

/// A host, and one of its files.
type Place = (&'static str, &'static str);

const JSON: [Place; 8] = [
    ("claude-code", ".claude/settings.json"),
    ("gemini-cli", ".gemini/settings.json"),
    ("cursor", ".cursor/hooks.json"),
    ("zed", ".config/zed/settings.json"),
    ("vscode", ".config/Code/User/mcp.json"),
    ("kilo", ".config/kilo/kilo.jsonc"),
    ("qwen-code", ".qwen/settings.json"),
    ("warp", ".warp/.mcp.json"),
];
const YAML: [Place; 1] = [("goose", ".config/goose/config.yaml")];
const TOML: [Place; 1] = [("codex", ".codex/config.toml")];
const TEXT: [Place; 4] = [
    ("amp", ".config/amp/AGENTS.md"),
    ("windsurf", ".codeium/windsurf/memories/global_rules.md"),
    ("droid", ".factory/AGENTS.md"),
    ("goose", ".config/goose/.goosehints"),
];

/// Configurations that are changed and put back.
fn json_that_is_connected() -> Vec<(&'static str, Vec<u8>)> {
    let texts = [
        ("empty", ""),
        ("nothing but an object", "{}"),
        ("an object and a line end", "{}\n"),
        ("an object with a space", "{ }"),
        ("an object over lines", "{\n\n}\n"),
        ("white space only", " \n\t\n "),
        ("comments only", "// to be filled\n/* later */"),
        ("a comment in an empty object", "{\n  // to be filled\n}\n"),
        ("a block comment in an empty object", "{/* later */}"),
        ("no line end at the end", "{\n  \"a\": 1\n}"),
        ("blank lines at the end", "{\n  \"a\": 1\n}\n\n\n"),
        ("Windows line ends", "{\r\n  \"a\": 1,\r\n  \"b\": [\r\n    2\r\n  ]\r\n}\r\n"),
        ("a byte order mark", "\u{feff}{\n  \"a\": 1\n}\n"),
        ("a byte order mark and Windows line ends", "\u{feff}{\r\n\t\"a\": 1\r\n}\r\n"),
        ("a byte order mark alone", "\u{feff}"),
        ("tabs", "{\n\t\"a\": {\n\t\t\"b\": 1\n\t}\n}\n"),
        ("four spaces", "{\n    \"a\": {\n        \"b\": 1\n    }\n}\n"),
        ("no indentation", "{\n\"a\": 1,\n\"b\": 2\n}\n"),
        ("one line", "{\"a\":1,\"b\":{\"c\":[1,2]}}"),
        ("one line with spaces", "{ \"a\": 1, \"b\": { \"c\": [ 1, 2 ] } }\n"),
        ("several keys on a line", "{\n  \"a\": 1, \"b\": 2,\n  \"c\": 3, \"d\": 4\n}\n"),
        (
            "comments everywhere",
            "// head\n{ // open\n  /* k */ \"a\" /* c */ : /* v */ 1 /* e */, // line\n  // own line\n  \"b\": 2 // last\n  // tail\n} // close\n// foot",
        ),
        (
            "a comma behind a comment",
            "{\n  \"a\": 1 /* one */ , /* two */\n  \"b\": 2 // three\n  , // four\n}\n",
        ),
        ("comments that look like content", "{\n  // \"hooks\": {}, }\n  \"a\": 1 /* , \"b\": 2 } */\n}\n"),
        ("trailing commas", "{\n  \"a\": [1, 2,],\n  \"b\": {\"c\": 1,},\n}\n"),
        ("a trailing comma on one line", "{\"a\": 1,}"),
        (
            "strings that look like structure",
            r#"{"a": "}, \"hooks\": {", "b": "// no \\", "c": "/*", "hooks\u0000": "\u00e9"}"#,
        ),
        (
            "every script",
            "{\n  \"κλειδί\": \"値\", \"🙂\": \"\u{2028}\u{200b}\",\n  \"n\": \"\\ud83d\\ude42\"\n}\n",
        ),
        (
            "numbers no machine holds",
            "{\"a\": 12345678901234567890123, \"b\": 1e999, \"c\": -0.0, \"d\": 1E-7}",
        ),
        (
            "the same key twice",
            "{\n  \"a\": 1,\n  \"a\": 2,\n  \"mcpServers\": {\"x\": {}},\n  \"mcpServers\": {\"y\": {}}\n}\n",
        ),
        ("hooks twice", "{\"hooks\": {\"Stop\": []}, \"hooks\": {\"Stop\": [{\"hooks\": []}]}}"),
        ("hooks that are empty", "{\n  \"hooks\": {},\n  \"mcpServers\": {}, \"context_servers\": {}\n}\n"),
        ("an event that is empty", "{\n  \"hooks\": {\n    \"Stop\": [],\n    \"stop\": [ ]\n  }\n}\n"),
        (
            "hooks of others",
            "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"matcher\": \"*\", // all\n        \"hooks\": [{\"type\": \"command\", \"command\": \"say done\"},]\n      },\n      // the second\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"mem hook --host claude-code\"}]}\n    ],\n    \"Unheard\": [{}]\n  },\n  \"mcpServers\": {\"other\": {\"command\": \"x\"}}\n}\n",
        ),
        (
            "hooks of others on one line",
            "{\"hooks\":{\"SessionStart\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"x\"}]}],\"AfterTool\":[]},\"z\":0}",
        ),
        (
            "odd members of lists",
            "{\"hooks\": {\"Stop\": [null, 1, \"x\", [], {\"hooks\": 3}, {\"hooks\": [null]}, {\"command\": 4}]}}",
        ),
        ("a version of the host's own", "{\"version\": 7, \"hooks\": {\"stop\": [{\"command\": \"x\"}]}}"),
    ];
    let mut all: Vec<(&str, Vec<u8>)> = texts.map(|(name, text)| (name, text.as_bytes().to_vec())).into();
    let deep = format!("{{\"deep\": {}1{}, \"z\": 1}}", "[".repeat(200), "]".repeat(200));
    all.push(("deep nesting", deep.into_bytes()));
    all
}

fn toml_that_is_connected() -> Vec<(&'static str, Vec<u8>)> {
    let texts = [
        ("empty", ""),
        ("white space only", " \n\n\t"),
        ("comments only", "# to be filled\n# later"),
        ("no line end at the end", "model = \"x\""),
        ("blank lines at the end", "model = \"x\"\n\n\n"),
        ("Windows line ends", "# mine\r\nmodel = \"x\"\r\n\r\n[a]\r\nb = 1\r\n"),
        ("a byte order mark", "\u{feff}model = \"x\"\n"),
        ("tabs and odd spacing", "\tmodel\t=\t\"x\"   # why\n[ a . \"b c\" ]\n  d   =   1\n"),
        (
            "servers of others",
            "[mcp_servers.other]\ncommand = \"y\" # keep\n\n[mcp_servers.other.env]\nA = \"1\"\n\n# about z\n[z]\nk = 1\n",
        ),
        ("servers written with dots", "mcp_servers.other.command = \"y\"\nmodel = \"x\"\n"),
        ("a header for all servers", "[mcp_servers]\nother = { command = \"y\" }\n"),
        ("a header for all servers that is empty", "[mcp_servers]\n"),
        ("lists of tables", "[[steps]]\nname = \"a\"\n[[steps]]\nname = \"b\"\n[[steps.parts]]\nx = 1\n"),
        (
            "texts that look like headers",
            "a = '''\n[mcp_servers.backstory]\ncommand = \"no\"\n'''\nb = \"\"\"\n[[x]]\\\n\"\"\"\nc = [\n  [1],\n  [2],\n]\n",
        ),
        ("keys that are quoted", "\"mcp_servers\".\"other one\".command = 'y'\n[\"a.b\"]\n'c' = 1\n"),
        (
            "every type",
            "a = 1_000\nb = 0xff\nc = 1e3\nd = inf\ne = 1979-05-27T07:32:00Z\nf = [1, 2,]\ng = {h = true}\n",
        ),
        ("every script", "\"κλειδί\" = \"値 🙂\"\n"),
    ];
    let mut all: Vec<(&str, Vec<u8>)> = texts.map(|(name, text)| (name, text.as_bytes().to_vec())).into();
    let table = |n| {
        format!(
            "# project {n}\n[projects.\"/home/u/{n}\"]\ntrust_level = \"trusted\"\nnote = \"{}\"\n\n",
            "x".repeat(200)
        )
    };
    all.push(("a megabyte", (0..4_000).map(table).collect::<String>().into_bytes()));
    all
}

fn text_that_is_connected() -> Vec<(&'static str, Vec<u8>)> {
    let texts = [
        ("empty", ""),
        ("white space only", " \n\n\t"),
        ("no line end at the end", "# Rules\n\nBe kind."),
        ("blank lines at the end", "# Rules\n\n\n"),
        ("Windows line ends", "# Rules\r\n\r\nBe kind.\r\n"),
        ("a byte order mark", "\u{feff}# Rules\n"),
        ("blocks of others", "<!-- other:begin -->\nx\n<!-- other:end -->\n"),
    ];
    texts.map(|(name, text)| (name, text.as_bytes().to_vec())).into()
}

fn yaml_that_is_connected() -> Vec<(&'static str, Vec<u8>)> {
    let texts = [
        ("empty", ""),
        ("white space only", " \n\n"),
        ("comments only", "# to be filled\n# later"),
        ("no line end at the end", "GOOSE_MODEL: x"),
        ("blank lines at the end", "GOOSE_MODEL: x\n\n\n"),
        ("Windows line ends", "# mine\r\nGOOSE_MODEL: x\r\nextensions:\r\n  other:\r\n    cmd: y\r\n"),
        ("a byte order mark", "\u{feff}GOOSE_MODEL: x\n"),
        ("a list that is empty", "extensions:\nGOOSE_MODEL: x\n"),
        (
            "four spaces and comments",
            "extensions: # mine\n    # first\n    other: # y\n        cmd: y # keep\n\nz: 1\n",
        ),
        (
            "texts that look like entries",
            "note: |\n  extensions:\n    backstory:\n      cmd: no\nextensions:\n  other:\n    description: >\n      backstory:\n        cmd: no\n",
        ),
        ("a document mark", "---\nGOOSE_MODEL: x\n"),
    ];
    texts.map(|(name, text)| (name, text.as_bytes().to_vec())).into()
}

/// A configuration that is left alone, and what is said about it.
type Refused = (&'static [u8], &'static str);

fn all_round_trip(places: &[Place], cases: &[(&str, Vec<u8>)]) {
    for (host, file) in places {
        cases.iter().for_each(|(name, bytes)| round_trip(host, file, name, bytes));
    }
    eprintln!("{} configurations in {} hosts came back byte for byte", cases.len(), places.len());
}

#[test]
fn law_10_json_comes_back_byte_for_byte() {
    all_round_trip(&JSON, &json_that_is_connected());
}

#[test]
fn law_10_five_megabytes_come_back_byte_for_byte() {
    let entry =
        |n| format!("  \"key {n}\": {{\"history\": [\"{}\"], \"n\": {n}}},\n", "lorem ipsum ".repeat(80));
    let big = format!("{{\n{}  \"last\": true\n}}\n", (0..5_300).map(entry).collect::<String>());
    assert!(big.len() > 5 << 20);
    round_trip("gemini-cli", ".gemini/settings.json", "five megabytes", big.as_bytes());
}

#[test]
fn law_10_toml_comes_back_byte_for_byte() {
    all_round_trip(&TOML, &toml_that_is_connected());
}

#[test]
fn law_10_yaml_comes_back_byte_for_byte() {
    all_round_trip(&YAML, &yaml_that_is_connected());
}

#[test]
fn law_10_text_comes_back_byte_for_byte() {
    all_round_trip(&TEXT, &text_that_is_connected());
}

#[test]
fn law_10_a_file_that_cannot_be_parsed_is_left_alone() {
    let of_json: [Refused; 12] = [
        (b"{\n  \"a\": nonsense\n}", "line 2, column "),
        (b"{\"a\": {\"b\": 1", "line 1, column "),
        (b"{\n  \"a\": 1\n  \"b\": 2\n}", "line "),
        (b"{} {}", "line 1, column "),
        (b"{'a': 1}", "line 1, column "),
        (b"{a: 1}", "line 1, column "),
        (b"{} /* oops", "line 1, column "),
        (b"[]", "the file should be an object"),
        (b"\"text\"", "the file should be an object"),
        (b"{\"a\": \"\xff\"}", "not UTF-8"),
        // UTF-16, and what a crash may leave.
        (b"\xff\xfe{\0}\0", "not UTF-8"),
        (b"\0\0\0\0\0\0\0\0", "line 1, column "),
    ];
    JSON.into_iter().for_each(|place| all_refused(place, &of_json));
    let of_hooks: [Refused; 4] = [
        (br#"{"hooks": "none"}"#, "`hooks` should be an object"),
        (br#"{"hooks": []}"#, "`hooks` should be an object"),
        (br#"{"hooks": null}"#, "`hooks` should be an object"),
        (br#"{"hooks": {"Stop": {}}}"#, "`hooks.Stop` should be a list"),
    ];
    all_refused(JSON[0], &of_hooks);
    let of_servers: [Refused; 2] = [
        (br#"{"context_servers": []}"#, "`context_servers` should be an object"),
        (br#"{"context_servers": {"backstory": "on"}}"#, "`context_servers.backstory` should be an object"),
    ];
    all_refused(JSON[3], &of_servers);
    let of_toml: [Refused; 7] = [
        (b"model = \"x\"\nmodel nonsense\n", "line 2, column "),
        (b"a = [1, 2", "line 1, column "),
        (b"a = 1\na = 2\n", "line 2, column "),
        (b"mcp_servers = {other = {command = \"y\"}}\n", "written with a header for each table"),
        (b"mcp_servers = 1\n", "`mcp_servers` should be a table"),
        (b"[[mcp_servers]]\na = 1\n", "`mcp_servers` should be a table"),
        (b"a = \"\xff\"\n", "not UTF-8"),
    ];
    all_refused(TOML[0], &of_toml);
    let of_yaml: [Refused; 3] = [
        (b"extensions: {}\n", "`extensions` should be"),
        (b"extensions:\n- other\n", "`extensions` should be"),
        (b"extensions:\n  backstory:\n    cmd: /usr/bin/other\n", "somebody else"),
    ];
    all_refused(YAML[0], &of_yaml);
    all_refused(TEXT[0], &[(b"<!-- backstory:begin -->\nx", "closed")]);
}

#[test]
fn law_10_links_and_modes_are_kept_and_odd_files_left_alone() {
    for (host, file) in [("claude-code", ".claude/settings.json"), ("codex", ".codex/config.toml")] {
        let text = if host == "codex" { "a = 1" } else { "{\"a\":1}" };
        a_link_stays_a_link(host, file, text);
        a_mode_is_kept(host, file, text);
        let what = |prepare: &dyn Fn(&TestEnv, &Path), word: &str| {
            let env = hostless();
            write(&env, "elsewhere/config", text);
            fs::create_dir_all(at(&env, file).parent().unwrap()).unwrap();
            prepare(&env, &at(&env, file));
            drop(left_alone(&env, host, word));
        };
        what(&|_, path| fs::create_dir(path).unwrap(), "is not a file");
        what(&|_, path| symlink("/nowhere/at/all", path).unwrap(), "is a link that leads nowhere");
        what(&|env, path| symlink(env.project(), path).unwrap(), "is not a file");
        what(&|_, path| drop(std::os::unix::net::UnixListener::bind(path).unwrap()), "is not a file");
        what(&|_, path| fs::File::create(path).unwrap().set_len(65 << 20).unwrap(), "is bigger than 64 MB");
        let protected = |_: &TestEnv, path: &Path| {
            fs::write(path, text).unwrap();
            fs::set_permissions(path, fs::Permissions::from_mode(0o444)).unwrap();
        };
        what(&protected, "is write-protected");
    }
}

#[test]
fn what_an_older_version_installed_is_replaced() {
    let env = hostless();
    let older = |event: &str| {
        format!(
            "\"{event}\": [{{\"hooks\": [{{\"type\": \"command\", \"command\": \"/old/backstory hook --host claude-code\"}}]}}]"
        )
    };
    let shared = "\"Stop\": [{\"hooks\": [{\"command\": \"theirs\"}, {\"command\": \"'/old/backstory' hook --host claude-code\"}]}]";
    let twice = "\"SessionEnd\": [{\"hooks\": [{\"command\": \"backstory hook --host claude-code\"}]}, {\"hooks\": [{\"command\": \"backstory\", \"args\": [\"hook\", \"--host\", \"claude-code\"]}]}]";
    let text = format!(
        "{{\n  {},\n  {},\n  {},\n  {}\n}}",
        "\"keep\": 1, \"hooks\": { // mine",
        older("PreToolUse"),
        older("NoLonger"),
        format_args!("{shared},\n  {twice}}}")
    );
    write(&env, ".claude/settings.json", &text);
    write(
        &env,
        ".claude.json",
        r#"{"mcpServers": {"backstory": {"command": "/old/backstory", "args": ["serve"], "env": {"A": "1"}}}}"#,
    );
    write(
        &env,
        ".codex/config.toml",
        "[mcp_servers.backstory]\ncommand = \"/old/backstory\" # ours\nargs = [\"serve\"]\nstartup_timeout_sec = 5\n\n[z]\nk = 1\n",
    );
    done(&env, &["install", "claude-code", "codex", "--yes"]);

    let settings = read(&env, ".claude/settings.json");
    assert!(
        !settings.contains("/old/") && settings.contains("theirs") && settings.contains("// mine"),
        "{settings}"
    );
    for event in ["PreToolUse", "Stop", "SessionEnd"] {
        let ours = settings.split(&format!("\"{event}\"")).nth(1).unwrap().lines().next().unwrap();
        assert_eq!(ours.matches("hook --host claude-code").count(), 1, "{ours}");
    }
    assert!(read(&env, ".claude.json").contains("\"env\": {\"A\": \"1\"}"), "what its owner added stays");
    let config = read(&env, ".codex/config.toml");
    assert!(config.contains(" # ours\nargs = [\"mcp\"]\nenv_vars = [\"BACKSTORY_HOME\", \"XDG_DATA_HOME\", \"XDG_CONFIG_HOME\"]\nstartup_timeout_sec = 5\n\n[z]"), "{config}");

    let installed = env.files_of_others();
    done(&env, &["install", "claude-code", "codex", "--yes"]);
    assert_eq!(env.files_of_others(), installed);
    done(&env, &["uninstall", "--yes"]);
    for file in [".claude/settings.json", ".claude.json", ".codex/config.toml"] {
        assert!(!read(&env, file).contains("backstory"), "{file}: {}", read(&env, file));
    }
    assert_eq!(read(&env, ".codex/config.toml"), "[z]\nk = 1\n");
    assert!(read(&env, ".claude/settings.json").contains("\"keep\": 1, \"hooks\": { // mine"));
}

#[test]
fn uninstall_keeps_what_a_host_wrote_since() {
    let env = hostless();
    write(&env, ".claude.json", "{\n  \"numStartups\": 1,\n  \"mcpServers\": {\n    \"other\": {}\n  }\n}\n");
    write(&env, ".claude/settings.json", "{\n  \"model\": \"opus\"\n}\n");
    write(&env, ".codex/config.toml", "model = \"x\"\n");
    write(&env, ".config/amp/AGENTS.md", "# Rules\n");
    done(&env, &["install", "--yes"]);
    let change = |file: &str, from: &str, to: &str| {
        let text = read(&env, file);
        assert!(text.contains(from), "{file}: {text}");
        fs::write(at(&env, file), text.replacen(from, to, 1)).unwrap();
    };
    change(".claude.json", "\"numStartups\": 1", "\"numStartups\": 2");
    change(".claude/settings.json", "\"opus\",", "\"sonnet\",\n  \"theme\": \"dark\",");
    let config = read(&env, ".codex/config.toml");
    fs::write(
        at(&env, ".codex/config.toml"),
        format!("{config}\n# provenance\n[projects.\"/p\"]\ntrust_level = \"trusted\"\n"),
    )
    .unwrap();
    change(".config/amp/AGENTS.md", "# Rules\n", "# My rules\n");
    done(&env, &["uninstall", "--yes"]);
    assert_eq!(
        read(&env, ".claude.json"),
        "{\n  \"numStartups\": 2,\n  \"mcpServers\": {\n    \"other\": {}\n  }\n}\n"
    );
    assert_eq!(
        read(&env, ".claude/settings.json"),
        "{\n  \"model\": \"sonnet\",\n  \"theme\": \"dark\"\n}\n"
    );
    assert_eq!(
        read(&env, ".codex/config.toml"),
        "model = \"x\"\n\n# provenance\n[projects.\"/p\"]\ntrust_level = \"trusted\"\n"
    );
    assert_eq!(read(&env, ".config/amp/AGENTS.md"), "# My rules\n");
    assert!(!at(&env, ".codex/hooks.json").exists() && !at(&env, ".config/amp/settings.json").exists());
}

#[test]
fn uninstall_works_without_the_install_record() {
    let env = hostless();
    write(&env, ".gemini/settings.json", "{\n  // mine\n  \"theirs\": 1\n}\n");
    write(&env, ".codex/config.toml", "model = \"x\"\n");
    let theirs = env.files_of_others();
    done(&env, &["install", "--yes"]);
    fs::remove_dir_all(env.home()).unwrap();
    done(&env, &["uninstall", "--yes"]);
    let mut left = env.files_of_others();
    // A file nobody remembers having made is not removed.
    assert_eq!(left.remove(&at(&env, ".codex/hooks.json")).as_deref(), Some(&b"{}\n"[..]));
    assert_eq!(left, theirs);
}

#[test]
fn one_unusable_file_leaves_its_whole_host_unchanged() {
    let env = hostless();
    write(&env, ".claude/settings.json", "{}");
    write(&env, ".claude.json", "{ broken");
    write(&env, ".codex/config.toml", "a = 1\n");
    let outcome = env.run(["install", "--yes"]);
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    assert_eq!(read(&env, ".claude/settings.json"), "{}");
    assert!(read(&env, ".codex/config.toml").contains("backstory"), "others are connected: {outcome:?}");
    assert!(
        outcome.stderr.contains("cannot connect Claude Code: none of its files was touched"),
        "{outcome:?}"
    );
}

/// Connects a host and takes it back: nothing is left different.
fn round_trip(host: &str, file: &str, name: &str, bytes: &[u8]) {
    let env = hostless();
    write(&env, file, bytes);
    let theirs = env.files_of_others();
    let context =
        |what: &str, outcome: &ProgramOutput| format!("{what}: {host}, {name}: {}", rendered(outcome));
    let outcome = env.run(["install", host, "--yes"]);
    assert_eq!(outcome.code, Some(0), "{}", context("install", &outcome));
    let installed = env.files_of_others();
    assert!(
        String::from_utf8_lossy(&installed[&at(&env, file)]).contains("backstory"),
        "{}",
        context("install", &outcome)
    );
    let outcome = env.run(["install", host, "--yes"]);
    assert!(outcome.code == Some(0) && env.files_of_others() == installed, "{}", context("again", &outcome));
    let outcome = env.run(["uninstall", host, "--yes"]);
    assert!(outcome.code == Some(0) && env.files_of_others() == theirs, "{}", context("uninstall", &outcome));
}

fn all_refused((host, file): Place, cases: &[Refused]) {
    for (bytes, word) in cases {
        let env = hostless();
        write(&env, file, bytes);
        let outcome = left_alone(&env, host, word);
        let path = format!("[WORLD]/user/{file}");
        assert!(outcome.stderr.contains(&path), "{}: {}", bytes.escape_ascii(), rendered(&outcome));
    }
}

/// Asserts that connecting is refused with a clear word and a next step, and touches nothing.
fn left_alone(env: &TestEnv, host: &str, word: &str) -> ProgramOutput {
    let theirs = env.files_of_others();
    let outcome = env.run(["install", host, "--yes"]);
    assert_eq!(outcome.code, Some(1), "{}", rendered(&outcome));
    assert!(
        outcome.stderr.contains(word) && outcome.stderr.contains("\nhint: "),
        "{word}: {}",
        rendered(&outcome)
    );
    assert_eq!(env.files_of_others(), theirs, "{}", rendered(&outcome));
    outcome
}

fn a_link_stays_a_link(host: &str, file: &str, text: &str) {
    let env = hostless();
    write(&env, "dotfiles/real", text);
    fs::create_dir_all(at(&env, file).parent().unwrap()).unwrap();
    symlink(at(&env, "dotfiles/real"), at(&env, "dotfiles/link")).unwrap();
    symlink("../dotfiles/link", at(&env, file)).unwrap();
    done(&env, &["install", host, "--yes"]);
    assert!(at(&env, file).is_symlink() && read(&env, "dotfiles/real").contains("backstory"));
    done(&env, &["uninstall", host, "--yes"]);
    assert!(at(&env, file).is_symlink());
    assert_eq!(read(&env, "dotfiles/real"), text);
}

fn a_mode_is_kept(host: &str, file: &str, text: &str) {
    for mode in [0o600, 0o640, 0o644, 0o755] {
        let env = hostless();
        write(&env, file, text);
        fs::set_permissions(at(&env, file), fs::Permissions::from_mode(mode)).unwrap();
        let now = || fs::metadata(at(&env, file)).unwrap().permissions().mode() & 0o7777;
        done(&env, &["install", host, "--yes"]);
        assert_eq!(now(), mode);
        done(&env, &["uninstall", host, "--yes"]);
        assert_eq!(now(), mode);
    }
}
