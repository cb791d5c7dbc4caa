"""Results of bisections of simulated histories: how often the culprit is right, and the effort.

`python -m benchmarks.bisections [--histories 50] [--first-seed 0] [--others 20]`

A history has 5 to 1,000 commits, a step of 2 to 20 %, noise of 1 %, 5 % odd runs, and commits that
give no result. The good and the bad commit count as measured commits. The other kinds of histories
are those of `tests/support/bisections.py`.
"""

from __future__ import annotations

import argparse
from collections import Counter
from statistics import median

from benchmarks.report import check, note
from tests.support.bisections import OTHER_HISTORIES, bisect, draw_history, is_right

_MIN_RIGHT = 0.95


def measure(seeds: range) -> tuple[float, float]:
    """Bisect histories and print what they needed; return the share with a right result within
    ceil(log2 n) + 2 measured commits, and the share that names a wrong commit.
    """
    right = wrong = 0
    runs = []
    for seed in seeds:
        history = draw_history(seed)
        plan = bisect(history)
        within = len(history.values) <= history.limit
        right += is_right(history, plan) and within
        wrong += plan.has_culprit and not is_right(history, plan)
        runs.append(history.runs)
    note(f"runs per history: median {median(runs):.0f}, maximum {max(runs)}")
    return right / len(seeds), wrong / len(seeds)


def main() -> None:
    """Print the results of the usual histories, then how bisections of the others end."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--histories", type=int, default=50)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--others", type=int, default=20, help="histories of each other kind")
    options = parser.parse_args()
    right, wrong = measure(range(options.first_seed, options.first_seed + options.histories))
    check("histories without a right culprit in time", 1 - right, 1 - _MIN_RIGHT, "")
    check("histories with a wrong culprit", wrong, 1 - _MIN_RIGHT, "")
    for name, draw in OTHER_HISTORIES.items():
        states: Counter[str] = Counter()
        for seed in range(options.first_seed, options.first_seed + options.others):
            history = draw(seed)
            plan = bisect(history)
            is_wrong = plan.has_culprit and not is_right(history, plan)
            states["wrong culprit" if is_wrong else plan.state] += 1
        note(f"{name}: {', '.join(f'{count} {state}' for state, count in states.most_common())}")


if __name__ == "__main__":
    main()
