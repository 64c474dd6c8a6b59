"""Counts what emulated tests printed, by crate, and compares what failed with a list of known failures.

    judge_tests.py LIST TARGET LOG CRATE…

Ends with 1 at a failure that is not in the list, at a line of the list whose test passed or is gone, at a program that ended before its
last test, and at a crate of which no test ran.
"""

import collections
import pathlib
import re
import sys

# What scripts/run-emulated prints before it starts a program, and what the program prints.
PROGRAM = re.compile(r"^tests of (\S+)$")
BEGIN = re.compile(r"^running (\d+) tests?$")
TEST = re.compile(r"^test (\S+)(?: - should panic)? \.\.\. (ok|FAILED|ignored)")
END = re.compile(r"^test result: .* finished in ([0-9.]+)s")


def read_known(path, target):
    """Returns the crate and test of each line for this target."""
    known = set()
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            place, _, reason = line.partition(": ")
            system, crate, test = place.split(" ")
            if not reason.strip():
                sys.exit(f"{path}: {test} has no reason")
            if system == target:
                known.add((crate, test))
    return known


class Log:
    """What programs printed: the outcome of each test, the seconds of each crate, and the crates whose program ended too early."""

    def __init__(self):
        self.outcomes, self.seconds, self.cut = {}, collections.Counter(), []

    def read(self, lines):
        crate, left = None, 0
        for line in lines:
            if found := PROGRAM.match(line):
                self.close(crate, left)
                # Where it does not even begin, one is left.
                crate, left = found[1], 1
            elif found := BEGIN.match(line):
                left = int(found[1])
            elif found := TEST.match(line):
                self.outcomes[crate, found[1]] = found[2]
                left -= 1
            elif found := END.match(line):
                self.seconds[crate] += float(found[1])
                left = 0
        self.close(crate, left)

    def close(self, crate, left):
        if left:
            self.cut.append(crate)


def main(known, target, path, wanted):
    known = read_known(pathlib.Path(known), target)
    log = Log()
    log.read(pathlib.Path(path).read_text(errors="replace").splitlines())
    failed = {test for test, outcome in log.outcomes.items() if outcome == "FAILED"}
    crates = {crate for crate, _ in log.outcomes}
    print(f"{target:<12}{'':14}passed failed  known ignored  seconds")
    for crate in sorted(crates):
        counts = collections.Counter(outcome for (owner, _), outcome in log.outcomes.items() if owner == crate)
        listed = sum(owner == crate for owner, _ in failed & known)
        print(f"{crate:<26}{counts['ok']:>6}{counts['FAILED']:>7}{listed:>7}{counts['ignored']:>8}{log.seconds[crate]:>9.1f}")
    problems = [f"{crate}: its tests ended too early" for crate in log.cut]
    problems += [f"{crate} {test} failed" for crate, test in sorted(failed - known)]
    # Only of crates that ran.
    problems += [f"{crate} {test} is in the list and did not fail" for crate, test in sorted(known - failed) if crate in crates]
    problems += [f"no test of {crate} ran" for crate in wanted if crate not in crates]
    for problem in problems:
        print(f"FAILED: {problem}")
    if problems:
        sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:])
