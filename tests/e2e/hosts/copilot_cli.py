"""Copilot CLI, which talks to a model of one's own without a login."""

from hosts.one_shot import OneShot
from model import tool


class CopilotCli(OneShot):
    """Copilot CLI in a world."""

    name = "copilot-cli"
    path = "copilot/node_modules/@github/copilot-linux-x64/copilot"
    search = "backstory-search"

    def configure(self):
        """Writes what a user has: an MCP server that is switched off, and a hook of their own."""
        folder = self.world.home / ".copilot"
        (folder / "hooks").mkdir(parents=True)
        (folder / "mcp-config.json").write_text('{\n  "mcpServers": {}\n}\n')
        (folder / "hooks/mine.json").write_text(
            '{"version": 1, "hooks": {"sessionEnd": [{"type": "command", "bash": "true", "timeoutSec": 5}]}}\n')

    def environment(self):
        return self.world.environment(
            COPILOT_HOME=str(self.world.home / ".copilot"),
            COPILOT_OFFLINE="true",
            COPILOT_ALLOW_ALL="true",
            COPILOT_PROVIDER_BASE_URL=f"{self.model.url}/v1",
            COPILOT_PROVIDER_TYPE="openai",
            COPILOT_PROVIDER_API_KEY="none",
            COPILOT_MODEL="scripted",
        )

    def command(self, prompt, goes_on):
        return [self.program, *(["--continue"] if goes_on else []), "-p", prompt, "--allow-all-tools"], ""

    @staticmethod
    def shell(command, description):
        return tool("bash", command=command, description=description)

    @staticmethod
    def look(file):
        return tool("view", path=str(file))

    @staticmethod
    def edit(file, old, new):
        return tool("edit", path=str(file), old_str=old, new_str=new)
