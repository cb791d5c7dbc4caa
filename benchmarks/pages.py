"""Processor time of a server's pages: `python -m benchmarks.pages STORE [--large WHAT]`.

Each page is requested like a browser does: the page, its layout, its table. A selection is the
request that computes the next view state and the request that draws it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median

from benchmarks.report import check, note
from benchmarks.requests import Browser
from benchmarks.serving import ROOT, Served, running

_AGAIN = 25
"""Repetitions of a page that was opened before."""
_OF_ARRAYS = (
    "iteration=1",
    "iteration=2",
    "iteration=2&window=1000-90000",
    "iteration=3&durations=ecdf",
)
_OF_BLOCKS = ("block=3", "block=4", "block=4&step=5", "block=4&step=6")
_OF_KERNELS = ("kernel=3", "kernel=4", "kernel=4&program=1", "block=2")
_OF_SOURCE = dict.fromkeys(("aie", "aie_words"), _OF_ARRAYS)
_OF_SOURCE |= dict.fromkeys(("tinygrad", "kineto", "onnxruntime"), _OF_KERNELS)
"""Source -> query strings of successive selections; other sources select blocks."""
_SMALL = {"first": 0.30, "again": 0.01, "selection": 0.12}
"""Budgets in processor seconds of a sample's page."""
_LARGE = {"first": 0.60, "again": 0.01, "selection": 0.20}
"""Budgets in processor seconds of a large run's page."""


def selections(run: dict[str, object]) -> tuple[str, ...]:
    """Return the query strings of successive selections of a run."""
    return _OF_SOURCE.get(str(run["source"]), _OF_BLOCKS)


def list_runs(store: Path) -> list[dict[str, object]]:
    """Return the runs of a store as the command `runs --json` prints them."""
    command = [sys.executable, "-m", "app", "runs", "--data", str(store), "--json"]
    runs: list[dict[str, object]] = json.loads(
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout
    )
    return runs


def measure(store: Path) -> dict[str, dict[str, float]]:
    """Return the processor seconds of each run's page, first and again, and of a selection."""
    runs = list_runs(store)
    # A single render process, so that its one-time work is done before the first measurement.
    with running(store, render_processes=1) as server:
        browser = Browser(server.address)
        browser.open_list()
        if len(runs) > 1:
            browser.open_run(str(runs[-1]["run_id"]))  # does the one-time work
            browser.select("")
        # Without the last run, which was opened above.
        return {
            f"{run['source']} {run['name']}": _page(server, browser, run)
            for run in runs[: max(1, len(runs) - 1)]
        }


def _page(server: Served, browser: Browser, run: dict[str, object]) -> dict[str, float]:
    run_id = str(run["run_id"])
    first = measure_act(server, [lambda: browser.open_run(run_id)])
    again = measure_act(server, [lambda: browser.open_run(run_id)] * _AGAIN)
    queries = selections(run)
    selection = measure_act(server, [partial(browser.select, query) for query in queries])
    return {"first": first, "again": again, "selection": selection}


def measure_act(server: Served, acts: Sequence[Callable[[], None]]) -> float:
    """Return the mean processor seconds of the acts."""
    before = server.processor_s()
    for act in acts:
        act()
    return (server.processor_s() - before) / len(acts)


def main() -> None:
    """Print the measurements with their budgets."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store", type=Path)
    parser.add_argument("--large", metavar="WHAT", help="the store has one large run, called so")
    options = parser.parse_args()
    measured = measure(options.store)
    what = options.large or "sample runs"
    budgets = _LARGE if options.large else _SMALL
    for name, numbers in measured.items():
        note(
            f"{name}: " + ", ".join(f"{part} {seconds:.3f} s" for part, seconds in numbers.items())
        )
    for part, budget in budgets.items():
        seconds = [numbers[part] for numbers in measured.values()]
        if not options.large:
            note(f"run page, {what}, {part}, median: {median(seconds):.3g} s")
        check(f"run page, {what}, {part}, processor", max(seconds), budget, "s")


if __name__ == "__main__":
    main()
