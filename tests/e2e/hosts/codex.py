"""Codex CLI. It runs no hook the user has not approved, and asks for that on its screen: here it is started without that question."""

from hosts.one_shot import OneShot
from model import tool


class Codex(OneShot):
    """Codex in a world."""

    name = "codex"
    path = "codex/node_modules/@openai/codex-linux-x64/vendor/*/bin/codex"
    search = "mcp__backstory/search"

    def configure(self):
        """Writes what a user has: a model, and remarks."""
        folder = self.world.home / ".codex"
        folder.mkdir()
        (folder / "config.toml").write_text(f"""# How I like it
model = "gpt-5.5"             # the one that patches files by a tool of its own
model_provider = "loopback"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.loopback]
name = "loopback"
base_url = "{self.model.url}/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"

# [mcp_servers.old]
# command = "gone"
""")

    def environment(self):
        return self.world.environment(CODEX_HOME=str(self.world.home / ".codex"), OPENAI_API_KEY="none")

    def command(self, prompt, goes_on):
        options = ["--dangerously-bypass-hook-trust", "--skip-git-repo-check", "--json"]
        return [self.program, "exec", *(["resume", "--last"] if goes_on else []), *options, prompt], ""

    @staticmethod
    def shell(command, description):
        return tool("exec_command", cmd=command)

    @staticmethod
    def look(file):
        return tool("exec_command", cmd=f"cat '{file}'")

    @staticmethod
    def edit(file, old, new):
        patch = f"*** Begin Patch\n*** Update File: {file}\n@@\n-{old}\n+{new}\n*** End Patch\n"
        return tool("apply_patch", free_text=patch)
