#!/usr/bin/env python3
"""Draws the moving picture of the README: what is said in one session, and what the next one is given.

    scripts/moving_picture.py HOOK-REPLY SVG

HOOK-REPLY is the reply of the real hook at the start of the last session of the invented project (tests/browser/invented.mjs); what the
picture says the agent is given stands in it, shortened by whole lines. Run by scripts/screenshots.
"""

import html
import json
import sys
import textwrap
from pathlib import Path

WIDTH, LINE, TOP, CHARACTERS = 860, 21, 62, 96
SECONDS = 15
SAID = "From now on we store money as integer minor units, never as floats."
SHOWN_SECTIONS = ("## Rules of the user", "## Where the work stands")
MOST_OF_A_SECTION = 6


def injected_lines(reply):
    """The lines of the block that the picture has room for."""
    text = json.loads(reply)["hookSpecificOutput"]["additionalContext"]
    lines, section, shown = [], "", 0
    for line in text.split("\n"):
        if line.startswith("## "):
            section, shown = line, 0
        elif shown >= MOST_OF_A_SECTION or not line:
            continue
        shown += 1
        if section in SHOWN_SECTIONS:
            lines.append(("head" if line == section else "rule" if "minor units" in line else "line", line))
    return lines


def scenes(reply):
    """What appears, in order: kind, text, and how many steps to wait before it."""
    yield "title", "Monday, in one session", 0
    yield "typed", f"> {SAID}", 2
    yield "quiet", "● Edit billing/totals.py   ● pytest: 12 passed", 3
    yield "quiet", "the session ends", 2
    yield "quiet", "", 0
    yield "title", "Weeks later, a new session starts. Backstory gives the agent:", 3
    yield "quiet", "", 0
    for kind, line in injected_lines(reply):
        for nth, part in enumerate(textwrap.wrap(line, CHARACTERS, subsequent_indent="    ", initial_indent="" if kind == "head" else "")):
            yield kind, part, 1 if nth == 0 else 0
    yield "quiet", "", 0
    yield "title", "Nothing had to be said twice.", 3


def draw(reply):
    lines = list(scenes(reply))
    steps = sum(wait for _, _, wait in lines) + 8
    height = TOP + LINE * len(lines) + 26
    styles, texts, step = [], [], 0
    for number, (kind, text, wait) in enumerate(lines):
        step += wait
        begin = 92 * step / steps
        styles.append(f"@keyframes k{number}{{0%,{begin:.1f}%{{opacity:0}}{begin + 1.2:.1f}%,97%{{opacity:1}}100%{{opacity:0}}}}.l{number}{{animation:k{number} {SECONDS}s linear infinite}}")
        texts.append(f'<text x="26" y="{TOP + LINE * number}" class="{kind} l{number}" xml:space="preserve">{html.escape(text)}</text>')
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="A rule said in one session is given to the next">',
        "<style>text{font:13.5px ui-monospace,'SF Mono','DejaVu Sans Mono',Menlo,Consolas,monospace;fill:#c9c4ba}.title{fill:#9c978c;font-family:ui-sans-serif,system-ui,sans-serif}.typed{fill:#ebe8e2;font-weight:bold}.quiet{fill:#8f8a80}.head{fill:#e0b466}.rule{fill:#6cc5b2;font-weight:bold}",
        *styles, "@media (prefers-reduced-motion:reduce){text{animation:none!important}}</style>",
        f'<rect width="{WIDTH}" height="{height}" rx="10" fill="#161615"/><circle cx="28" cy="24" r="5.5" fill="#4a4843"/><circle cx="46" cy="24" r="5.5" fill="#4a4843"/><circle cx="64" cy="24" r="5.5" fill="#4a4843"/>',
        *texts, "</svg>", ""])


if __name__ == "__main__":
    reply, picture = map(Path, sys.argv[1:])
    picture.write_text(draw(reply.read_text()))
