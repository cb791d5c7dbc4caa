"""Processor time of comparisons: `python -m benchmarks.comparisons STORE FOLDER`.

STORE has a capture of benchmarks.large_trace. Another capture is written to FOLDER and ingested
into a copy of the store.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks import large_trace
from benchmarks.pages import list_runs, measure_act
from benchmarks.report import check, note
from benchmarks.requests import Browser
from benchmarks.serving import ROOT, running

_SEED = 9
_TURNS = 3


def main() -> None:
    """Print the time to compare two large captures, and its ratio to opening a single capture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store", type=Path)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    store = options.folder / "store"
    shutil.copytree(options.store, store)
    large_trace.write(options.folder / "capture", _SEED)
    command = [
        sys.executable,
        "-m",
        "app",
        "ingest",
        str(options.folder / "capture"),
        "--data",
        str(store),
    ]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    base, new = (str(run["run_id"]) for run in list_runs(store)[:2])
    # Measured in turn, because the machine's clock rate varies.
    acts = (
        lambda browser: browser.open_run(base),
        lambda browser: browser.open_comparison(base, new),
    )
    turns = [[_first(store, act) for act in acts] for _ in range(_TURNS)]
    opened, compared = (min(turn[at] for turn in turns) for at in (0, 1))
    note(f"a capture of 1.1 M entries opened {opened:.3f} s, two compared {compared:.3f} s")
    check(
        "two captures of 1.1 M entries compared, over opening one, processor",
        compared / opened,
        1.5,
        "x",
    )


def _first(store: Path, act: Callable[[Browser], None]) -> float:
    """Return the processor seconds of an act on a server without cached runs."""
    with running(store) as server:
        browser = Browser(server.address)
        browser.open_list()
        return measure_act(server, [lambda: act(browser)])


if __name__ == "__main__":
    main()
