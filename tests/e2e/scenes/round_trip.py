"""Every host: installed by our command, it captures a session, injects its memories into the next one, and uninstalling
restores its files.
"""

import re
import shutil

import bugfix_session
from injected import blocks, opened, texts
from model import say, tool
from world import World

PROMPT = "What did we find out about page_count, and how do we write tests here?"
INDEXED = re.compile(r"#\d+ rule We use pytest-style asserts here")
# Memories of the first session as the second one reads them: what the user corrected when it begins, the work when the prompt asks for it,
# because git tells what was committed. The failure is over: an edit fixed it.
AT_START, AT_PROMPT = "pytest-style asserts", "Fix off-by-one in page_count"


def scene_for(sort):
    """Returns the scene for a host."""

    def play(setting, checks):
        world = World(sort.name, [setting.node])
        try:
            host = setting.host(sort, world)
            host.configure()
            bugfix_session.prepare(host)
            installation = Installation(setting, checks, host)
            installation.check_round_trip()
            installation.install()
            checks.about(sort.name)
            check_captured(setting, checks, host)
            check_injected(checks, host)
            installation.check_doctor()
            installation.uninstall()
            installation.check_without_program()
        finally:
            world.close(setting.keep)

    return play


def check_captured(setting, checks, host):
    """Plays a session in which a test fails, is fixed, and the user corrects the agent."""
    host.play(bugfix_session.turns(host))
    hits = setting.ask(host.world, "search")["hits"]
    kinds = {hit["kind"] for hit in hits}
    wanted = {"bugfix", "failure", "rule"}
    checks.that(wanted <= kinds, "a session leaves the work, what failed and what the user said", hits)
    sessions = setting.ask(host.world, "sessions")["sessions"]
    checks.equal([it["host"] for it in sessions], [host.name], "both prompts are of one session of this host")
    steps = setting.ask(host.world, "sessions", "show", "last")["steps"]
    talk = [step["text"].split()[:3] for step in steps if step["what"] in ("prompted", "said")]
    wanted = [words.split()[:3] for prompt, answers in bugfix_session.turns(host) for words in (prompt, answers[-1]["say"])]
    checks.equal(talk, wanted, "each prompt is followed by what the agent answered")


def check_injected(checks, host):
    """Plays the next session, and checks the requests of its model."""
    before = len(host.model.requests())
    looked_up = tool(host.search, query="assertEqual")
    tested = host.shell("python3 -m unittest", "Run the tests")
    host.play([(PROMPT, [tested, looked_up, say("It rounds up.")]), ("Thanks, go on.", [say("Nothing is left to do.")])])
    requests = host.model.requests()[before:]
    for number, request in enumerate(requests, 1):
        start = blocks(request, "session start")
        if not checks.equal(len(start), 1, f"the next session's request {number} holds what is known, once"):
            continue
        is_said = AT_START in start[0] and AT_PROMPT in "\n".join(blocks(request))
        checks.that(is_said, f"request {number} says what the first session left", blocks(request))
        checks.equal(opened(request), len(blocks(request)), f"request {number} holds nothing in part")
    checks.equal(len(requests), 4, "two tools and a second prompt make four requests")
    # The rule may stand beside the test command, too; what was searched for says how it was found.
    found = [text for text in texts(requests[2]) if INDEXED.search(text) and "best first" in text]
    checks.equal(len(found), 1, "its agent calls `search` over MCP, and gets an answer")


class Installation:
    """The files of a host, before and after an install."""

    def __init__(self, setting, checks, host):
        self.setting, self.checks, self.host = setting, checks, host
        self.before = self.files()

    def files(self):
        """Returns what lies in the home, folders too, but for what is ours."""
        home = self.host.world.home
        paths = [path for path in home.rglob("*") if "node_modules" not in path.parts and not is_ours(path.relative_to(home))]
        return {str(path.relative_to(home)): path.read_bytes() if path.is_file() else None for path in paths}

    def run(self, command):
        done = self.host.world.run(self.setting.binary, command, self.host.name, "--yes",
                                   environment=self.host.environment(), check=False)
        self.checks.that(done.returncode == 0, f"`backstory {command} {self.host.name} --yes`", done)

    def check_round_trip(self):
        """Installs and uninstalls before the host has seen any of it."""
        self.checks.about(f"{self.host.name}, install")
        self.run("install")
        changed = self.files()
        self.checks.that(changed != self.before, "its configuration is changed")
        self.run("install")
        self.checks.equal(differing(changed, self.files()), [], "installing again changes nothing")
        self.run("uninstall")
        self.checks.equal(differing(self.before, self.files()), [], "uninstalling leaves every byte as it was")

    def install(self):
        """Installs for the next sessions, and notes which files that changes."""
        self.run("install")
        self.installed = self.files()
        self.touched = differing(self.before, self.installed)

    def check_doctor(self):
        """Runs `backstory doctor`, which runs the hook as the host would."""
        done = self.host.world.run(self.setting.binary, "doctor", "--host", self.host.name,
                                   environment=self.host.environment(), check=False)
        self.checks.that(done.returncode == 0, f"`backstory doctor --host {self.host.name}`", done.stdout + done.stderr)

    def uninstall(self):
        """Uninstalls after them. What the host itself wrote into a file meanwhile stays, and nothing of ours does."""
        self.checks.about(f"{self.host.name}, uninstall")
        meanwhile = self.files()
        self.run("uninstall")
        now = self.files()
        for name in self.touched:
            if meanwhile.get(name, "none") == self.installed.get(name, "none"):
                self.checks.equal(now.get(name, "none"), self.before.get(name, "none"), f"{name} is as it was")
            else:
                self.checks.that(b"backstory" not in (now.get(name) or b""), f"{name} holds nothing of ours", now.get(name))
        left = self.host.world.left_behind()
        self.checks.that(not left, "no process is left", left)

    def check_without_program(self):
        """Removes our program behind the back of a connected host: its user must be able to go on (law 1)."""
        self.checks.about(f"{self.host.name}, without the program")
        program = self.host.world.root / "backstory"
        shutil.copy(self.setting.binary, program)
        self.host.world.run(program, "install", self.host.name, "--yes", environment=self.host.environment())
        program.unlink()
        before = len(self.host.model.requests())
        self.host.play([("Count.", [self.host.shell("printf counted-%s 42", "Count"), say("Done.")])])
        requests = self.host.model.requests()[before:]
        if self.checks.equal(len(requests), 2, "a prompt is taken"):
            self.checks.that(any("counted-42" in text for text in texts(requests[-1])), "a tool runs", requests[-1])
        self.run("uninstall")


def is_ours(path):
    """Whether it is our store, or a folder on the way to it."""
    store = (".local", "share", "backstory")
    return store[:len(path.parts)] == path.parts[:len(store)]


def differing(one, other):
    """Returns the names of the files and folders that are not the same in both."""
    return sorted(name for name in one.keys() | other.keys() if one.get(name, "none") != other.get(name, "none"))
