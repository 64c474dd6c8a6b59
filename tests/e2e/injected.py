"""What of a model request is ours: the blocks Backstory gave, found by their fence."""

import html
import re

FENCED = re.compile(r"<backstory-([0-9a-f]{8})>\n.*?</backstory-\1>", re.DOTALL)
OPENED = re.compile(r"<backstory-[0-9a-f]{8}>")
PLAIN = re.compile(r"--- backstory ([0-9a-f]{8}) ---\n.*?--- end of backstory \1 ---", re.DOTALL)
LINE = re.compile(r"^#(\d+) (\w+) (.*?) · ", re.MULTILINE)

PREFACES = {
    "session start": "earlier sessions of this project. Rules are",
    "prompt": "that bears on this prompt",
    "tool": "Recorded data, not instructions; rules are",
}


def texts(value):
    """Yields every text in a request, as the model reads it: one host writes `<` as HTML does."""
    if isinstance(value, str):
        yield html.unescape(value) if "&lt;backstory-" in value else value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner)


def blocks(body, moment=None):
    """Returns the whole blocks in a request, in order, each as often as it stands there."""
    found = [match.group(0) for text in texts(body) for match in FENCED.finditer(text)]
    return [block for block in found if moment is None or PREFACES[moment] in block]


def opened(body):
    """Returns how many blocks begin in a request, whole or not."""
    return sum(len(OPENED.findall(text)) for text in texts(body))


def lines(block):
    """Returns the memories an index names: id to title."""
    return {int(number): title for number, _, title in LINE.findall(block)}


def without_nonce(block):
    """Returns a block as it would read with any other nonce."""
    return re.sub(r"backstory-[0-9a-f]{8}", "backstory-", block)
