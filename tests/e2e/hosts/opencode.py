"""OpenCode. At its start it has npm install the plugin package into its folders, and waits: the package lies there already."""

import json

from hosts.one_shot import OneShot
from model import tool


class OpenCode(OneShot):
    """OpenCode in a world."""

    name = "opencode"
    path = "opencode/node_modules/opencode-linux-x64/bin/opencode"
    search = "backstory_search"

    def configure(self):
        """Writes what a user has: a provider, and remarks."""
        packages = self.program.parents[2]
        needed = {"@opencode-ai/plugin": "*"}
        for folder in (self.world.home / ".config/opencode", self.world.home / ".opencode"):
            folder.mkdir(parents=True)
            (folder / "node_modules").symlink_to(packages)
            (folder / "package.json").write_text(json.dumps({"dependencies": needed}))
            lock = {"lockfileVersion": 3, "packages": {"": {"dependencies": needed}}}
            (folder / "package-lock.json").write_text(json.dumps(lock))
        (self.world.home / ".config/opencode/opencode.jsonc").write_text(f"""{{
  // how I like it
  "$schema": "https://opencode.ai/config.json",
  "autoupdate": false,
  "share": "disabled",
  "model": "loopback/scripted",
  "small_model": "loopback/scripted", // titles too
  "provider": {{
    "loopback": {{
      "npm": "@ai-sdk/openai-compatible",
      "name": "Loopback",
      "options": {{"baseURL": "{self.model.url}/v1", "apiKey": "none"}},
      "models": {{"scripted": {{"name": "Scripted", "tool_call": true, "limit": {{"context": 50000, "output": 4096}}}}}},
    }},
  }},
  "permission": {{"bash": "allow", "edit": "allow"}},
}}
""")

    def environment(self):
        switches = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS")
        return self.world.environment(**{f"OPENCODE_DISABLE_{name}": "1" for name in switches})

    def command(self, prompt, goes_on):
        # OpenCode quotes its arguments once more, so a prompt goes to standard input.
        return [self.program, "run", *(["--continue"] if goes_on else []), "--format", "json"], prompt

    @staticmethod
    def shell(command, description):
        return tool("bash", command=command, description=description)

    @staticmethod
    def look(file):
        return tool("read", filePath=str(file))

    @staticmethod
    def edit(file, old, new):
        return tool("edit", filePath=str(file), oldString=old, newString=new)
