"""The first day: sessions three hosts have kept by themselves, before Backstory was installed, are imported; the next
session knows of them.
"""

import json

from hosts.claude_code import ClaudeCode
from hosts.codex import Codex
from hosts.opencode import OpenCode
from injected import blocks
from model import say
from world import World

HOSTS = [ClaudeCode, Codex, OpenCode]
PROJECTS = ["ferry", "kiosk", "loom"]

# What the user says in each session, and the words in it that no other session has.
SAID = [
    ("Prices are stored in integer cents, never in floats", "cents"),
    ("We use Postgres advisory locks for the sailing queue, not Redis", "advisory locks"),
    ("Departure times are kept in UTC because two refunds went out twice", "UTC"),
    ("Passenger names are never written to the log", "Passenger names"),
    ("Migrations are plain SQL files here, not generated ones", "plain SQL"),
    ("We chose Vitest over Jest because Jest cannot load the PDF library", "Vitest"),
    ("The seat map is loaded in one query because one per deck took two seconds", "seat map"),
    ("Feature flags live in the database, not in environment variables", "Feature flags"),
    ("Every call to the harbour API needs a timeout of four seconds", "harbour"),
    ("Vehicle lengths are always centimetres, never metres", "centimetres"),
    ("We use CUPS to print receipts, not a raw socket", "CUPS"),
    ("Card readers are polled every 300 ms because their interrupts get lost", "polled"),
    ("Touch targets must be at least 48 pixels wide", "48 pixels"),
    ("Translations come from the spreadsheet and must not be edited by hand", "come from the spreadsheet"),
    ("Idle screens must go back to the start after ninety seconds", "ninety seconds"),
    ("We use SQLite with WAL on the kiosks because power is cut at night", "power is cut"),
    ("We read paper sensors upside down because a one means empty", "upside down"),
    ("Updates are installed at 04:10, never during opening hours", "04:10"),
    ("The barcode library must stay on version 3 because version 4 drops Aztec", "Aztec"),
    ("Logs must rotate at 20 megabytes because the cards are small", "20 megabytes"),
    ("Warp and weft are indexed from the left edge, not from the middle", "left edge"),
    ("The loom simulator uses fixed point numbers because the machine does", "fixed point"),
    ("Patterns are validated before they are sent, never on the machine", "validated before"),
    ("Thread colours are named by the mill's own codes, not by hex values", "mill's own codes"),
    ("The serial port must use hardware flow control or rows get lost", "flow control"),
    ("Unit tests must not open the serial port", "serial port"),
    ("We keep recordings of each weave as CSV because the designers open them in a spreadsheet program", "CSV"),
    ("Tension must be measured in centinewtons everywhere", "centinewtons"),
    ("The preview is drawn on a canvas, not with SVG, because of ten thousand threads", "canvas"),
    ("Errors of the drive must be retried three times before they are reported", "retried three times"),
]

# Imported directives wait for the user's review; what describes the project is history.
PROMPT = "How are thread colours named, and what is the preview drawn on?"


def play(setting, checks):
    """Plays thirty sessions, takes them in, and asks about them in a new one."""
    world = World("day-one", [setting.node])
    try:
        hosts = [setting.host(sort, world) for sort in HOSTS]
        for host in hosts:
            host.configure()
        for name in PROJECTS:
            prepare(world, world.root / name)
        for number, (said, _) in enumerate(SAID):
            session(hosts[number % len(hosts)], world.root / PROJECTS[number // 10], number, said)
        check_imported(setting, checks, world)
        known(setting, checks, world)
        again(setting, checks, world)
        check_injected(setting, checks, world, hosts[0])
    finally:
        world.close(setting.keep)


def prepare(world, folder):
    """Makes a project under git."""
    folder.mkdir()
    world.project = folder
    (folder / "check.sh").write_text("! grep -l open rule-*.txt\n")
    world.run("git", "init", "-q", "-b", "main")
    world.run("git", "add", "-A")
    world.run("git", "commit", "-q", "-m", f"Begin the {folder.name}")


def session(host, folder, number, said):
    """Plays one session: the user says how it is to be, the agent does it."""
    host.project = host.world.project = folder
    rule = folder / f"rule-{number}.txt"
    rule.write_text("open\n")
    host.play([(f"{said}. Please write that down as rule {number}.", [
        host.look(rule),
        host.edit(rule, "open", f"rule {number}: {said}"),
        host.shell("sh check.sh", "Check the rules"),
        say(f"Rule {number} is written down in `{rule.name}`, and the check passes."),
    ])])


def imported(setting, world, *arguments):
    return json.loads(setting.backstory(world, "import", "--all", "--no-vectors", *arguments, "--json"))


def check_imported(setting, checks, world):
    checks.about("day one")
    shown = imported(setting, world, "--dry-run")["found"]
    sessions = {it["source"]: it["count"] for it in shown if it["what"] == "sessions"}
    checks.equal(sessions, {host.name: 10 for host in HOSTS}, "a dry run counts ten sessions of each host")
    checks.that(not (world.home / ".local/share/backstory/backstory.db").exists(), "a dry run writes nothing")
    learnt = imported(setting, world)
    checks.equal(learnt["sessions"], len(SAID), "thirty sessions are imported")
    checks.equal(learnt["refused"], [], "nothing is refused")
    checks.equal(sorted(it["project"] for it in learnt["projects"]), PROJECTS, "they belong to three projects")


def known(setting, checks, world):
    """Looks at what is known of each project."""
    listed = setting.ask(world, "sessions", "--all-projects", "--limit", "100")["sessions"]
    counts = {host.name: sum(it["host"] == host.name for it in listed) for host in HOSTS}
    checks.equal(counts, {host.name: 10 for host in HOSTS}, "each host has ten sessions")
    for at, name in enumerate(PROJECTS):
        world.project = world.root / name
        hits = [json.loads(line) for line in setting.backstory(world, "export", "--project", ".").splitlines()]
        texts = " ".join(hit["title"] + " " + hit.get("body", "") for hit in hits)
        of_project = SAID[at * 10:at * 10 + 10]
        missing = [said for said, words in of_project if words not in texts]
        checks.that(not missing, f"what was said in the {name} is known", (missing, [hit["title"] for hit in hits]))
        others = [words for other, (_, words) in enumerate(SAID) if other // 10 != at and words in texts]
        checks.equal(others, [], f"and nothing of another project (law 8)")
        work = {number for number in range(at * 10, at * 10 + 10) if f"Rule {number} is written down" in texts}
        checks.equal(len(work), 10, f"and what was done in each session of it")
        provenances = {hit["provenance"] for hit in hits}
        # Commits without the user's address, and what the repository carries, are its own words.
        checks.equal(provenances - {"repository"}, {"import"}, "every hit is an import or the repository's")


def again(setting, checks, world):
    learnt = imported(setting, world)
    checks.equal((learnt["memories"], learnt["events"]), (0, 0), "importing again adds nothing")


def check_injected(setting, checks, world, host):
    """Connects Claude Code, and prompts it about sessions of Codex and OpenCode."""
    host.project = world.project = world.root / "loom"
    setting.backstory(world, "install", host.name, "--yes", environment=host.environment())
    before = len(host.model.requests())
    host.play([(PROMPT, [say("By the mill's codes; on a canvas.")])])
    injected = "\n".join(block for request in host.model.requests()[before:] for block in blocks(request))
    missing = [words for words in ("mill's own codes", "canvas") if words not in injected]
    checks.that(not missing, "a new session gets what earlier ones of other hosts learnt", (missing, injected))
