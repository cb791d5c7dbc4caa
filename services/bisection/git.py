"""Commits of a range from a git repository.

git gets full hashes only, after it has resolved the user's names; a name is never an option.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from services.bisection.commits import MAX_COMMITS, check_commit
from services.bisection.errors import BisectionError

_TIMEOUT_S = 30.0
_HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_CALM = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    # A partial clone would otherwise fetch missing commits from its server.
    "GIT_NO_LAZY_FETCH": "1",
    "LC_ALL": "C",
}
_OPTIONS = ("--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")


def read_range(folder: Path, good: str, bad: str) -> list[str]:
    """List the commits from the good to the bad commit of a repository, both included, as full
    hashes; of merged branches only the merge.

    Raises BisectionError if git fails, a commit does not exist, or the bad commit does not follow
    the good one.
    """
    first, last = (_resolve(folder, name) for name in (good, bad))
    if first == last:
        raise BisectionError("the good and the bad commit are the same commit")
    wanted = f"--max-count={MAX_COMMITS + 1}"
    lines = _git(folder, "rev-list", "--first-parent", wanted, f"{first}..{last}", "--").split()
    if len(lines) > MAX_COMMITS:
        raise BisectionError(f"{folder}: more than {MAX_COMMITS} commits from {good} to {bad}")
    if not lines:
        raise BisectionError(f"{folder}: {bad} is not a later commit than {good}; swap them")
    parents = _git(folder, "rev-list", "--first-parent", "--max-count=2", lines[-1], "--").split()
    if parents[-1] != first:
        raise BisectionError(
            f"{folder}: {good} is not on the first-parent history of {bad}; give --commits FILE"
        )
    return [first, *reversed(lines)]


def _resolve(folder: Path, name: str) -> str:
    check_commit(name, "commit")
    # `--end-of-options` makes git read a name such as --output=x as a name.
    arguments = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    text = _git(folder, *arguments, error=f"{folder}: git has no commit {name}").strip()
    if not _HASH.fullmatch(text):
        raise BisectionError(f"{folder}: git has no commit {name}")
    return text


def _git(folder: Path, *arguments: str, error: str = "") -> str:
    """Run git in a folder and return its output; `error` replaces git's own words if it fails."""
    try:
        done = subprocess.run(  # noqa: S603 - fixed options and resolved hashes
            ["git", *_OPTIONS, "-C", str(folder.absolute()), *arguments],  # noqa: S607 - the user's git
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT_S,
            env=os.environ | _CALM,
            check=False,
        )
    except FileNotFoundError as missing:
        raise BisectionError("git is not installed; give --commits FILE") from missing
    except subprocess.TimeoutExpired as late:
        raise BisectionError(f"{folder}: git took more than {_TIMEOUT_S:.0f} s") from late
    if done.returncode:
        words = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise BisectionError(words[0] if words and not error else error or f"{folder}: git failed")
    return done.stdout.decode("utf-8", "replace")
