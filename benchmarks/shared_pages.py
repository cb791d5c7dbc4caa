"""Processor time of pages for the first reader, and for a reader on another server of the store.

`python -m benchmarks.shared_pages STORE [--runs N]`; STORE has captures, such as those of
`benchmarks.small_captures`.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from app.config.settings import load_settings
from benchmarks.report import check
from benchmarks.requests import Browser
from benchmarks.serving import Served, running

_PAGES_MB = 256
_FIRST_S = 0.25
"""Budget of processor seconds of a page that a server draws."""
_SHARED_S = 0.05
"""Budget of processor seconds of a page that another server has drawn."""
_SELECTION = "iteration=2&durations=ecdf"


def run(store: Path, count: int) -> None:
    """Open runs, selections and comparisons on two servers, one after the other, and print the
    processor time of each act with its budget.
    """
    shutil.rmtree(store / "pages", ignore_errors=True)
    catalogue = load_settings(data=store).catalogue()
    runs = [stored.run_id for stored in catalogue.runs({})][: count + 2]
    catalogue.close()
    for reader, limit in (("first reader", _FIRST_S), ("reader on another server", _SHARED_S)):
        with running(store, pages_mb=_PAGES_MB) as server:
            browser = Browser(server.address)
            # What a process does once, such as importing modules, is not part of a page.
            browser.open_comparison(runs[-1], runs[-2])
            browser.open_run(runs[-1])
            browser.select("iteration=1")
            for what, seconds in _measure(server, browser, runs[:-2]).items():
                check(f"{what}, {reader}, processor", seconds, limit, "s")
            browser.close()


def _measure(server: Served, browser: Browser, runs: Sequence[str]) -> dict[str, float]:
    """Return the mean processor seconds of all processes of a server for each kind of act."""

    def mean_of(act: Callable[[int], None]) -> float:
        before = server.processor_s()
        for at in range(len(runs)):
            act(at)
        return (server.processor_s() - before) / len(runs)

    return {
        "page of a run": mean_of(lambda at: browser.open_run(runs[at])),
        "page of a run at a selection": mean_of(lambda at: browser.open_run(runs[at], _SELECTION)),
        "comparison": mean_of(lambda at: browser.open_comparison(runs[at - 1], runs[at])),
    }


def main() -> None:
    """Measure a copy of the store, so that its pages stay."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store", type=Path)
    parser.add_argument("--runs", type=int, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tilescope-benchmark-") as folder:
        copy = shutil.copytree(options.store, Path(folder) / "store")
        run(Path(copy), options.runs)


if __name__ == "__main__":
    main()
