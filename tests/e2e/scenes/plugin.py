"""Claude Code connected by our plugin instead of our command, with the directory of the plugin as it is."""

import bugfix_session
from hosts.claude_code import ClaudeCode
from scenes import round_trip
from setting import ROOT
from world import World


class WithPlugin(ClaudeCode):
    """Claude Code, where an MCP server of a plugin is named after the plugin too."""

    search = "mcp__plugin_backstory_backstory__search"


def play(setting, checks):
    """Judges the plugin, installs it from the marketplace beside it, and plays the two sessions."""
    world = World("plugin")
    try:
        # Where the plugin looks for the program, which it does not bring along.
        folder = world.home / ".local/bin"
        folder.mkdir(parents=True)
        (folder / "backstory").symlink_to(setting.binary)
        host = setting.host(WithPlugin, world)
        host.configure()
        bugfix_session.prepare(host)
        checks.about("claude-code's plugin")
        for folder in (ROOT, ROOT / "plugins/claude-code"):
            run(checks, host, "validate", str(folder), "--strict")
        run(checks, host, "marketplace", "add", str(ROOT))
        run(checks, host, "install", "backstory@backstory")
        round_trip.check_captured(setting, checks, host)
        round_trip.check_injected(checks, host)
        settings = (host.config / "settings.json").read_bytes()
        twice = world.run(setting.binary, "install", host.name, "--yes", environment=host.environment(), check=False)
        checks.that("plugin" in twice.stderr, "`backstory install` says that the plugin connects it", twice)
        checks.equal((host.config / "settings.json").read_bytes(), settings, "and does not connect it a second time")
        run(checks, host, "uninstall", "backstory@backstory")
        left = world.left_behind()
        checks.that(not left, "no process is left", left)
    finally:
        world.close(setting.keep)


def run(checks, host, *arguments):
    done = host.world.run(host.program, "plugin", *arguments, environment=host.environment(), check=False)
    said = [argument.replace(str(ROOT), ".") for argument in arguments]
    checks.that(done.returncode == 0, f"`claude plugin {' '.join(said)}`", done)
