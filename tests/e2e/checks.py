"""What was checked: a line each, and how many held."""

import time


class Checks:
    """Prints `ok` or `FAIL` as it goes, and counts."""

    def __init__(self):
        self.passed, self.failed, self.title, self.begun = 0, 0, "", time.monotonic()

    def about(self, title):
        """Begins a part: what follows is about this."""
        self.title = title

    def that(self, holds, what, why=""):
        """Notes whether something holds; `why` is shown where it does not."""
        self.passed += bool(holds)
        self.failed += not holds
        line = f"{'ok  ' if holds else 'FAIL'} {self.title}: {what}"
        print(line if holds or not why else f"{line}\n     {str(why)[:3000]}", flush=True)
        return bool(holds)

    def equal(self, found, expected, what):
        """Notes whether two things are the same."""
        return self.that(found == expected, what, f"found {found!r}\n     expected {expected!r}")

    def broke(self, error):
        """Notes that a scene could not be played to its end."""
        self.that(False, "the scene came to its end", error)

    def conclude(self):
        """Prints the sum, and returns the exit code."""
        seconds = time.monotonic() - self.begun
        print(f"{self.passed} passed, {self.failed} failed, in {seconds:.0f} s")
        return 1 if self.failed or not self.passed else 0
