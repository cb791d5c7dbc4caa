"""Process of a list of searches: `python -m services.lab.warm_child` reads the folder of a search
from each line of its input, and writes a line with the exit code of the search to its output.

It loads the strategies once and then forks itself for each search, as to load them takes longer
than most searches. A fork has limits of its own, see `services.lab.child`.
"""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path

from analysis.allocators.compiled import is_compiled
from analysis.allocators.compiler import PLACE, SEARCH, is_cached
from analysis.allocators.placement import Question
from analysis.allocators.search import small_problem, warm_up
from analysis.allocators.strategies import STRATEGIES
from data_loaders.reading.isolated import end_with_starter
from services.lab.child import main as search


def main() -> None:
    """Run the searches of the input one after another until it ends."""
    end_with_starter()
    _load_strategies()
    for line in sys.stdin:
        sys.stdout.write(f"{_search_in_fork(Path(line.rstrip()))}\n")
        sys.stdout.flush()


def _load_strategies() -> None:
    """Load the machine code that is cached; a fork compiles the rest and reports that it does."""
    if not is_compiled():
        return
    if is_cached(PLACE):
        STRATEGIES["best_fit"].allocate(small_problem(), Question(effort=1), None)
    if is_cached(SEARCH):
        warm_up(lambda _: None)


def _search_in_fork(folder: Path) -> int:
    """Return the exit code of the search of a folder, negative for the signal that ended it."""
    fork = os.fork()
    if fork == 0:
        # A fork must not return to the loop, which would read the input of its parent.
        code = 1
        try:
            search(folder)
            code = 0
        except Exception:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(fork, 0)[1])


if __name__ == "__main__":
    main()
