"""A big store: a year of made-up work on a network of parcel lockers, the same each time.

Ages end on the half hour, so that a text built twice within minutes says the same.
"""

import datetime
import itertools
import json
import random

PARTS = """locker-gateway door-controller courier-app recipient-app label-printer route-planner billing-export
tariff-engine sms-sender mail-sender push-sender pin-generator photo-store returns-desk customs-forms address-book
postcode-lookup capacity-forecast heartbeat-monitor firmware-updater battery-alarm temperature-log audit-trail
operator-console support-inbox refund-worker invoice-renderer webhook-relay partner-api session-cache feature-flags
search-index import-worker report-builder clock-sync map-tiles translation-sync queue-drainer archive-job
login-service""".split()

ASPECTS = """retry-after-timeout duplicate-requests daylight-saving-change empty-batches oversized-parcels lost-connections
slow-queries partial-deliveries expired-pins unknown-postcodes rounding-of-cents missing-translations stale-caches
out-of-order-events clock-drift full-disks broken-uploads renamed-fields rate-limits long-addresses
leap-days concurrent-openings power-cuts unpaid-invoices revoked-tokens""".split()

SAYINGS = {
    "decision": ("{part} settles {aspect} with one row per parcel", "A list in JSON could not be locked row by row, so {part} writes one row per parcel for {aspect}."),
    "learning": ("{part}: {aspect} show up only behind the proxy", "The proxy cuts idle connections after 55 seconds; {aspect} in {part} were seen there and nowhere else."),
    "pattern": ("Check {aspect} before {part} opens a door", "Every path into {part} asks the guard for {aspect} first; a door that opened cannot be closed from here."),
    "failure": ("{part} test: {aspect} fail on the second run", "`make test-{part}-{word}` failed: expected 1 row of {aspect}, got 2"),
    "feature": ("{part} handles {aspect}", "Added a handler for {aspect} to {part}, with a counter on the operator page."),
    "bugfix": ("{part} no longer trips over {aspect}", "The guard in {part} compared local time with UTC; {aspect} made it visible."),
    "refactor": ("{part}: moved {aspect} into a module of its own", "Nothing behaves differently; {aspect} in {part} are tested alone now."),
    "change": ("{part} logs {aspect} at warn", "They were errors and woke people at night. {part} counts {aspect} instead."),
    "discovery": ("Where {part} learns of {aspect}", "From the nightly file of the carrier, read by {part} at 02:10; {aspect} are column 14."),
    "summary": ("Worked on {aspect} in {part}", "Request: look into {aspect}\nCompleted: {part} covers them\nNext steps: measure a week"),
}


def memories(count, now):
    """Yields the lines of an import file, oldest first."""
    draw = random.Random(7)
    subjects = list(itertools.product(SAYINGS, PARTS, ASPECTS))
    draw.shuffle(subjects)
    now = now.replace(minute=0, second=0, microsecond=0) - datetime.timedelta(minutes=30)
    for number, (kind, part, aspect) in enumerate(subjects[:count]):
        # The newest is a day old: what a test writes itself is newer.
        created = now - datetime.timedelta(hours=24 + (count - number) * 350 * 24 // count)
        word = aspect.split("-")[0]
        words = {"part": part, "aspect": aspect.replace("-", " "), "word": word}
        title, body = (text.format(**words) for text in SAYINGS[kind])
        yield {
            "kind": kind,
            "title": title,
            "body": body,
            "files": [f"src/{part}/{word}.ts"],
            "concepts": [part, aspect],
            "facts": [f"Fixed by running `make reset-{part}-{word}`"] if kind == "failure" else [],
            "details": failure(part, word, body) if kind == "failure" else None,
            "importance": draw.randint(1, 5),
            "created_at": created.isoformat(),
            "session": f"day-{number // 12}",
        }


def failure(part, word, body):
    """Returns what a failure knows beside its words, as the program exports it."""
    return {
        "type": "failure",
        "command": f"make test-{part}-{word}",
        "signature": f"make test-{part}-{word}",
        "error_line": body.split("failed: ")[1],
        "fix": {"files": [], "commands": [f"make reset-{part}-{word}"]},
        "is_flaky": False,
    }


def write(file, count, project):
    """Writes `count` memories of one project to an import file."""
    now = datetime.datetime.now(datetime.timezone.utc)
    with open(file, "w") as lines:
        for memory in memories(count, now):
            lines.write(json.dumps(memory | {"project_path": str(project)}) + "\n")
