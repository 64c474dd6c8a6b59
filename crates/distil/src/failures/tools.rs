//! Tables: programs that wrap, launch, prepare or only look, and which of them have sub-commands.
//!
//! Not here: how a line is read with them (`command`).

/// A program whose operand is another command.
pub(super) struct WrapperCommand {
    pub(super) name: &'static str,
    /// Its flags that take a value, separated by blanks.
    pub(super) valued_flags: &'static str,
    /// How many of its own words stand before the command, as the seconds of `timeout`.
    pub(super) operands: usize,
}

const fn wrapper(name: &'static str, valued_flags: &'static str, operands: usize) -> WrapperCommand {
    WrapperCommand { name, valued_flags, operands }
}

pub(super) const WRAPPERS: [WrapperCommand; 23] = [
    wrapper("sudo", "-u -g -h -p -C", 0),
    wrapper("doas", "-u", 0),
    wrapper("time", "-f -o", 0),
    wrapper("gtime", "-f -o", 0),
    wrapper("timeout", "-s -k --signal --kill-after", 1),
    wrapper("gtimeout", "-s -k --signal --kill-after", 1),
    wrapper("nice", "-n", 0),
    wrapper("ionice", "-c -n", 0),
    wrapper("nohup", "", 0),
    wrapper("env", "-u -C", 0),
    wrapper("exec", "", 0),
    wrapper("command", "", 0),
    wrapper("stdbuf", "", 0),
    wrapper("xvfb-run", "", 0),
    wrapper("!", "", 0),
    wrapper("unbuffer", "", 0),
    // Words of the shell itself stand before a command in the same way.
    wrapper("if", "", 0),
    wrapper("elif", "", 0),
    wrapper("then", "", 0),
    wrapper("else", "", 0),
    wrapper("while", "", 0),
    wrapper("until", "", 0),
    wrapper("do", "", 0),
];

/// Programs that find and start another one; the second word must follow when it is not empty.
pub(super) const LAUNCHERS: [(&str, &str); 12] = [
    ("npx", ""),
    ("bunx", ""),
    ("pnpx", ""),
    ("pnpm", "exec"),
    ("npm", "exec"),
    ("yarn", "exec"),
    ("uv", "run"),
    ("poetry", "run"),
    ("pipenv", "run"),
    ("pdm", "run"),
    ("hatch", "run"),
    ("bundle", "exec"),
];

/// Commands that set the stage and are never what failed.
pub(super) const SETTERS: [&str; 21] = [
    "cd", "pushd", "popd", "export", "unset", "set", "source", ".", "ulimit", "umask", "true", ":", "echo",
    "printf", "sleep", "wait", "yes", "for", "esac", "fi", "done",
];

/// Flags that change what is printed, and nothing of what is done.
#[rustfmt::skip]
pub(super) const OUTPUT_FLAGS: [&str; 20] = [
    "-q", "--quiet", "-s", "--silent", "-v", "-vv", "-vvv", "--verbose", "--nocapture", "--no-capture", "--show-output", "--color", "--colors",
    "--no-color", "--tb", "--reporter", "--reporters", "--message-format", "--no-progress", "--no-header",
];

/// Commands that only look: with nothing else on the line they are named, but their failing says little.
pub(super) const BYSTANDERS: [&str; 36] = [
    "ls",
    "cat",
    "head",
    "tail",
    "grep",
    "rg",
    "egrep",
    "sed",
    "awk",
    "find",
    "fd",
    "wc",
    "sort",
    "uniq",
    "tee",
    "less",
    "diff",
    "cmp",
    "test",
    "[",
    "which",
    "type",
    "pwd",
    "stat",
    "file",
    "jq",
    "cut",
    "tr",
    "xargs",
    "git log",
    "git show",
    "git diff",
    "git status",
    "git grep",
    "git blame",
    "git branch",
];

/// A program whose next word says what it does.
pub(super) struct KnownTool {
    pub(super) name: &'static str,
    /// Sub-commands that have sub-commands, separated by blanks.
    pub(super) deeper: &'static str,
    /// Flags before the sub-command that take a value.
    pub(super) valued_flags: &'static str,
}

const fn tool(name: &'static str, deeper: &'static str, valued_flags: &'static str) -> KnownTool {
    KnownTool { name, deeper, valued_flags }
}

pub(super) const TOOLS: [KnownTool; 43] = [
    tool("cargo", "nextest xtask run-script hack llvm-cov", "--manifest-path --config --color -Z -C"),
    tool("rustup", "toolchain target component", ""),
    tool("git", "stash remote submodule worktree lfs", "-C -c --git-dir --work-tree"),
    tool("gh", "pr issue run release repo workflow", "-R --repo"),
    tool("npm", "run run-script", "--prefix -w --workspace -C"),
    tool("pnpm", "run", "--filter -F -C --dir"),
    tool("yarn", "run workspace", "--cwd"),
    tool("bun", "run", "--cwd"),
    tool("deno", "task", ""),
    tool("go", "mod tool", "-C"),
    tool("make", "", "-C -f -j --directory --file"),
    tool("gmake", "", "-C -f -j --directory --file"),
    tool("ninja", "", "-C -f -j"),
    tool("just", "", "-f -d --justfile --working-directory"),
    tool("task", "", "-d -t"),
    tool("mvn", "", "-f -pl -P -T --file"),
    tool("gradle", "", "-p -b --project-dir"),
    tool("dotnet", "tool nuget", ""),
    tool("msbuild", "", ""),
    tool("pip", "", ""),
    tool("uv", "pip tool", "--directory --project"),
    tool("poetry", "", "-C --directory"),
    tool("conda", "env", ""),
    tool("bundle", "", ""),
    tool("gem", "", ""),
    tool("rails", "", ""),
    tool("rake", "", "-f"),
    tool("composer", "", "-d"),
    tool("artisan", "", ""),
    tool("mix", "", ""),
    tool("swift", "package", ""),
    tool("docker", "compose image container volume network buildx", "-H --context -f"),
    tool("podman", "compose image container", ""),
    tool("docker-compose", "", "-f -p"),
    tool("kubectl", "", "-n --namespace --context --kubeconfig"),
    tool("helm", "repo", "-n --namespace"),
    tool("terraform", "state workspace", ""),
    tool("systemctl", "", ""),
    tool("apt", "", ""),
    tool("apt-get", "", "-o -t"),
    tool("brew", "services", ""),
    tool("alembic", "", "-c"),
    tool("prisma", "migrate db", ""),
];
