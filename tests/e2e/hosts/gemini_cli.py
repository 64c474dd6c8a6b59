"""Gemini CLI."""

from hosts.one_shot import OneShot
from model import tool


class GeminiCli(OneShot):
    """Gemini CLI in a world."""

    name = "gemini-cli"
    path = "gemini/node_modules/@google/gemini-cli/bundle/gemini.js"
    search = "mcp_backstory_search"

    def configure(self):
        """Writes what a user has: settings with remarks, and a hook of their own."""
        folder = self.world.home / ".gemini"
        folder.mkdir()
        (folder / "settings.json").write_text("""{
  // how I like it
  "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}},
  "privacy": {"usageStatisticsEnabled": false},
  "telemetry": {"enabled": false},
  "general": {"enableAutoUpdate": false},
  "hooks": {
    "SessionStart": [{"hooks": [{"type": "command", "name": "mine", "command": "true", "timeout": 5000}]}]
  }
}
""")

    def environment(self):
        return self.world.environment(GOOGLE_GEMINI_BASE_URL=self.model.url, GEMINI_API_KEY="none")

    def command(self, prompt, goes_on):
        resumed = ["--resume", "latest"] if goes_on else []
        return ["node", self.program, "--yolo", "-m", "gemini-2.5-flash", *resumed, "-p", prompt], ""

    @staticmethod
    def shell(command, description):
        return tool("run_shell_command", command=command, description=description)

    @staticmethod
    def look(file):
        return tool("read_file", file_path=str(file))

    @staticmethod
    def edit(file, old, new):
        return tool("replace", file_path=str(file), old_string=old, new_string=new, instruction="Count the last page")
