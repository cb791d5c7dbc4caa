"""Lists of commits of a bisection: from a file or text, and commits that are named by a prefix."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from schema.plurals import plural
from services.bisection.errors import BisectionError
from storage.text import is_plain

MAX_COMMITS = 10_000
"""Maximum number of commits of a bisection."""
MAX_BYTES = 4 * 1024 * 1024
"""Maximum bytes of a list of commits."""
MAX_NAME = 100
"""Maximum characters of the name of a commit."""
_MIN_PREFIX = 7
"""Minimum characters of a prefix that stands for a commit: the length of git's own prefixes."""


def read_commits(file: Path) -> list[str]:
    """Read a list of commits from a file, see `parse_commits`.

    Raises BisectionError if the file is too large or invalid, and OSError.
    """
    if file.stat().st_size > MAX_BYTES:
        raise BisectionError(f"{file}: more than {MAX_BYTES // 1024**2} MiB")
    return parse_commits(file.read_bytes().decode("utf-8", "replace"), str(file))


def parse_commits(text: str, where: str) -> list[str]:
    """Parse a list of commits: the first word of each line, without empty lines and comments (#).

    `where` names the text in errors. Raises BisectionError.
    """
    if len(text) > MAX_BYTES:
        raise BisectionError(f"{where}: more than {MAX_BYTES // 1024**2} MiB")
    commits: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        check_commit(words[0], f"{where}, line {number}")
        commits.append(words[0])
        if len(commits) > MAX_COMMITS + 1:
            raise BisectionError(f"{where}: more than {MAX_COMMITS} commits")
    return commits


def check_commit(commit: str, where: str) -> None:
    """Raise BisectionError if a text cannot be the name of a commit."""
    if not commit or len(commit) > MAX_NAME or not is_plain(commit) or not commit.isprintable():
        raise BisectionError(f"{where}: a commit must have 1 to {MAX_NAME} printable characters")


def order_commits(commits: Sequence[str], good: str, bad: str) -> list[str]:
    """Return the commits from the good to the bad commit, both included, from a list whose oldest
    commit comes first; a good commit that is not in the list comes before it.

    Raises BisectionError if the list does not fit.
    """
    repeated = next((commit for commit, count in Counter(commits).items() if count > 1), None)
    if repeated is not None:
        raise BisectionError(f"the list of commits has commit {repeated} twice")
    index = CommitIndex(commits)
    at_bad = index.find(bad)
    if at_bad is None:
        raise BisectionError(f"the list of commits has no bad commit {bad}")
    at_good = index.find(good)
    begin = 0 if at_good is None else at_good
    if at_good == at_bad:
        raise BisectionError("the good and the bad commit are the same commit")
    if begin > at_bad or (at_good is None and at_bad == 0 and len(commits) > 1):
        raise BisectionError(
            "the bad commit comes before the good one: list the oldest commit first"
            " (git rev-list --reverse), or swap --good and --bad"
        )
    chosen = [*([good] if at_good is None else []), *commits[begin : at_bad + 1]]
    if len(chosen) > MAX_COMMITS + 1:
        raise BisectionError(f"a bisection has at most {plural(MAX_COMMITS, 'commit')}")
    return chosen


class CommitIndex:
    """Finds commits of a list by their names, or by prefixes of at least 7 characters."""

    def __init__(self, commits: Sequence[str]) -> None:
        self._places = {commit.lower(): at for at, commit in enumerate(commits)}
        self._sorted = sorted(self._places)
        self._lengths = sorted({len(name) for name in self._sorted if len(name) >= _MIN_PREFIX})

    def find(self, commit: str) -> int | None:
        """Return the position of a commit in the list; None if it has none, or several begin so.

        Either name may be a prefix of the other.
        """
        name = commit.lower()
        if name in self._places:
            return self._places[name]
        if len(name) < _MIN_PREFIX:
            return None
        at = bisect_left(self._sorted, name)
        longer = [other for other in self._sorted[at : at + 2] if other.startswith(name)]
        if longer:
            return self._places[longer[0]] if len(longer) == 1 else None
        shorter = (name[:length] for length in reversed(self._lengths) if length < len(name))
        return next((self._places[part] for part in shorter if part in self._places), None)

    def find_all(self, commits: Iterable[str]) -> list[int]:
        """Return the positions of commits, ascending; raises BisectionError for a commit that the
        list does not have.
        """
        places = {commit: self.find(commit) for commit in commits}
        missing = next((commit for commit, place in places.items() if place is None), None)
        if missing is not None:
            raise BisectionError(f"commit {missing} is not one of the commits of the bisection")
        return sorted({place for place in places.values() if place is not None})
