"""A world of its own for a host and for Backstory: a temporary home, an empty environment, a dead proxy.

Nothing of this machine reaches what runs in it, nothing of it leaves this machine, and what it started can be found again.
"""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

DEADLINE = 120


class World:
    """Where one host runs, with one project."""

    def __init__(self, name, path=()):
        self.root = Path(tempfile.mkdtemp(prefix=f"e2e-{name}-")).resolve()
        self.home, self.project = self.root / "home", self.root / "project"
        for folder in (self.home, self.project, self.root / "tmp"):
            folder.mkdir()
        self.path = [str(folder) for folder in path] + ["/usr/local/bin", "/usr/bin", "/bin"]

    def environment(self, **more):
        """Everything a program in this world may know."""
        dead = {name: "http://127.0.0.1:9" for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY")}
        day = {name: "2026-05-01T12:00:00Z" for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE")}
        who = {f"GIT_{role}_{part}": value for role in ("AUTHOR", "COMMITTER")
               for part, value in (("NAME", "Dev"), ("EMAIL", "dev@example.com"))}
        # Where things lie follows from the home alone: hosts keep other variables from what they start.
        return dead | day | who | {
            "PATH": ":".join(self.path),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "HOME": str(self.home),
            "TMPDIR": str(self.root / "tmp"),
            "no_proxy": "127.0.0.1,localhost",
            "NO_PROXY": "127.0.0.1,localhost",
            "PYTHONDONTWRITEBYTECODE": "1",
        } | more

    def start(self, *command, environment=None, **options):
        """Starts a program of the project, in a process group of its own."""
        options = {"cwd": self.project, "text": True, "start_new_session": True} | options
        return subprocess.Popen([str(part) for part in command], env=environment or self.environment(), **options)

    def run(self, *command, environment=None, deadline=DEADLINE, check=True, said="", terminal=None):
        """Runs a program of the project to its end, and returns what it wrote; at a terminal if there is one: without it is an agent."""
        said = None if terminal is not None else said
        pipes = {"stdin": subprocess.PIPE if terminal is None else terminal, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = self.start(*command, environment=environment, **pipes)
        try:
            out, err = process.communicate(said, deadline)
        except subprocess.TimeoutExpired:
            end(process)
            out, err = process.communicate()
            err += f"\nended after {deadline} s"
        if check and process.returncode:
            raise RuntimeError(f"{' '.join(map(str, command))[:200]} ended with {process.returncode}: {(err or out)[-2000:]}")
        return subprocess.CompletedProcess(command, process.returncode, out, err)

    def left_behind(self, patience=5):
        """Returns the processes of this world that still run once they had time to end."""
        until = time.monotonic() + patience
        while (running := self.processes()) and time.monotonic() < until:
            time.sleep(0.05)
        return running

    def processes(self):
        """Returns the id and the command of each process whose environment is this world's."""
        mark, found = f"HOME={self.home}\0".encode(), {}
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                if mark in (entry / "environ").read_bytes():
                    found[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
        return found

    def close(self, keep=False):
        """Ends what is left of it, and takes it away unless it is to be looked at."""
        for process in self.processes():
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        if not keep:
            shutil.rmtree(self.root, ignore_errors=True)


def end(process):
    """Ends a process we started, and those of its group."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def wait_for(condition, what, patience=60):
    """Waits until a condition holds."""
    until = time.monotonic() + patience
    while not condition():
        if time.monotonic() > until:
            raise RuntimeError(f"it took more than {patience} s: {what}")
        time.sleep(0.02)
