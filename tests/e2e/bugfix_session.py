"""One whole session as a person and an agent have it: a bug is found, fixed and committed, then the user corrects the agent."""

from model import say

FILES = {
    "pager/__init__.py": '"""Splits long lists into pages."""\n',
    "pager/pages.py": '''"""Pages of a list."""


def page_count(items: int, per_page: int) -> int:
    """Returns how many pages `items` need."""
    return items // per_page


def page(items: list, number: int, per_page: int) -> list:
    """Returns one page, counted from 1."""
    start = (number - 1) * per_page
    return items[start:start + per_page]
''',
    "tests/__init__.py": "",
    "tests/test_pages.py": '''import unittest

from pager.pages import page, page_count


class PagesTest(unittest.TestCase):
    def test_full_pages(self):
        self.assertEqual(page_count(20, 10), 2)

    def test_last_page_is_counted(self):
        self.assertEqual(page_count(21, 10), 3)

    def test_page(self):
        self.assertEqual(page([1, 2, 3], 2, 2), [3])


if __name__ == "__main__":
    unittest.main()
''',
}

FIXED = """`page_count` now counts the last, partly filled page, and all three tests pass.

**What was wrong:** `page_count` in `pager/pages.py` used floor division, so 21 items at 10 per page came out as 2 pages \
instead of 3: an off-by-one for every list that does not fill its last page.

**What changed:** it rounds up with `-(-items // per_page)`. I used integer arithmetic rather than `math.ceil` because a \
float loses precision for very large counts. The fix is committed as "Fix off-by-one in page_count"."""

CORRECTED = """Understood: tests here use plain pytest-style `assert` statements, not `assertEqual`.

I changed nothing now, since the existing tests already pass; new tests I write in this repository will use \
`assert page_count(21, 10) == 3` and no `unittest` assertion methods."""


def prepare(host):
    """Puts the package with its bug into the host's project, under git."""
    for name, text in FILES.items():
        path = host.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    host.run("git", "init", "-q", "-b", "main")
    host.run("git", "add", "-A")
    host.run("git", "commit", "-q", "-m", "Split lists into pages")


def turns(host):
    """The prompts, and what the model answers to each."""
    pages = host.project / "pager/pages.py"
    test = host.shell("python3 -m unittest", "Run the tests")
    fix = host.edit(pages, "    return items // per_page", "    return -(-items // per_page)")
    commit = host.shell('git add -A && git commit -m "Fix off-by-one in page_count"', "Commit the fix")
    return [
        (
            "Fix the failing test in tests/test_pages.py",
            [host.look(pages), test, fix, test, commit, say(FIXED)],
        ),
        ("No, we use pytest-style asserts here, not assertEqual.", [say(CORRECTED)]),
    ]


def next_turns(host):
    """A session of the next day, in the same project."""
    edit = host.edit(host.project / "pager/pages.py", '"""Pages of a list."""', '"""Pages of a list, counted from 1."""')
    return [
        ("yes", [say("There is nothing to confirm yet.")]),
        (
            "Why does page_count in pager/pages.py round up, and how do we write asserts in tests?",
            [host.shell("python3 -m unittest", "Run the tests"), edit,
             say("`page_count` rounds up so that the last, partly filled page is counted.")],
        ),
    ]
