"""Measure views of a profile: the timeline at every zoom, and device memory of 100,000 buffers.

`python -m benchmarks.profile_views STORE`: the only run of STORE is the large capture. The small
capture for comparison and the buffers are generated.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np
import pandas as pd
from plotly.io.json import to_json_plotly

from app.config.settings import load_settings
from app.views.registry import RUN, parse
from app.views.view import ContentView
from benchmarks import large_profile
from benchmarks.measure import seconds, times
from benchmarks.memory_views import draw, rectangles
from benchmarks.report import check, note, spread_text
from benchmarks.server import FramesInMemory, stored_frames
from ingest.files import ingest
from samples.tinygrad_capture import START
from samples.tinygrad_writer import Maker
from services.run.data import RunData
from services.run.data_cache import RunDataCache

Frames = Mapping[str, pd.DataFrame]
SMALL = 1_000
"""Events of the small capture."""
BUFFERS = 100_000
"""Buffers of the generated run."""
_ZOOMS = 10
"""Number of windows."""
_CLOSEST_NS = 20_000
"""Width of the smallest window."""
_TURNS = 3
"""Repetitions of each measurement."""
_LIVES = (3, 20_000)
"""Minimum and maximum lifetime of a buffer in microseconds."""


def run(store: Path) -> None:
    """Print the times of the timeline at both sizes, then of the views of many buffers."""
    large = _timeline("1.17 M events", stored_frames(store))
    with tempfile.TemporaryDirectory(prefix="tilescope-benchmark-") as folder:
        small = _timeline(f"{SMALL} events", _small(Path(folder)))
        check("timeline of 1.17 M events, slowest zoom", 1e3 * max(large), 150.0, "ms")
        note(
            f"timeline of 1.17 M events against {SMALL}, medians of all zooms: {median(large) / median(small):.2f} x"
        )
        _memory(_buffers(Path(folder)))


def _timeline(what: str, frames: Frames) -> list[float]:
    """Return the median seconds to draw the timeline at each zoom."""
    data = _load(what, frames)
    states = [parse(f"window={window}") for window in _windows(data)]
    timeline = next(view for view in RUN.available_plots(data) if view.id == "timeline")
    took = [median(times(partial(draw, timeline, data, state), _TURNS)) for state in states]
    note(
        f"timeline of {what}: "
        + ", ".join(f"{1e3 * s:.0f}" for s in took)
        + " ms from all of it to 20 µs"
    )
    return took


def _windows(data: RunData) -> list[str]:
    """Return windows from the whole run to a few kernels, around a kernel at 37 % of the run."""
    first = int(data.tracks["first"].min())
    last = int(data.tracks["last"].max())
    middle = int(data.kernels["start"].iloc[int(0.37 * len(data.kernels))])
    widths = np.geomspace(last - first, _CLOSEST_NS, _ZOOMS).astype(np.int64).tolist()
    begins = [min(max(first, middle - width // 2), last - width) for width in widths]
    return [f"{begin}-{begin + width}" for begin, width in zip(begins, widths, strict=True)]


def _memory(frames: Frames) -> None:
    """Draw every memory panel and part of many buffers: the whole run first, then windows."""
    what = f"{BUFFERS} buffers"
    data = _load(what, frames)
    windows = ["", *_windows(data)]
    for spec in (view for view in RUN.available_plots(data) if view.group == "memory"):
        # Before `times`, which discards its first run.
        first = seconds(partial(draw, spec, data, parse("")))
        took = [
            median(times(partial(draw, spec, data, parse(f"window={window}")), _TURNS))
            for window in windows
        ]
        note(
            f"{what}, {spec.id}: first {1e3 * first:.0f} ms, then {spread_text([1e3 * s for s in took], 'ms', 0)}"
        )
        check(f"{what}, {spec.id}, slowest zoom", 1e3 * max(took), 300.0, "ms")
        note(f"    {rectangles(spec.draw(data, parse(''), 'light').figure)} rectangles")
    for view in RUN.available_views(data):
        if not isinstance(view, ContentView) or view.group != "memory":
            continue
        took = times(partial(_make, view, data), _TURNS)
        note(f"{what}, {view.id}: {spread_text([1e3 * s for s in took], 'ms', 0)}")


def _make(view: ContentView, data: RunData) -> None:
    to_json_plotly(view.make(data, parse("block=77")).body)


def _load(what: str, frames: Frames) -> RunData:
    begin = time.perf_counter()
    data = RunDataCache(FramesInMemory(frames)).get("benchmark", "robust", {})
    note(
        f"{what}: {len(frames['events'])} intervals, analysed and indexed in {time.perf_counter() - begin:.2f} s"
    )
    return data


def _small(folder: Path) -> Frames:
    large_profile.write(folder, SMALL)
    return _ingest_frames(folder)


def _buffers(folder: Path) -> Frames:
    """Return a run of a device: buffers of all lifetimes, a kernel for every hundredth buffer."""
    random = np.random.default_rng(7)
    # Uniform in the logarithm, so that each order of magnitude has as many lifetimes.
    shortest, longest = np.log(_LIVES)
    lives = np.exp(random.uniform(shortest, longest, BUFFERS)).round().astype(np.int64).tolist()
    elements = (64 * random.integers(1, 4096, BUFFERS)).tolist()
    maker = Maker("0.12")
    for number, (life, size) in enumerate(zip(lives, elements, strict=True)):
        maker.alloc("CPU", number, size, START + number).free("CPU", number, START + number + life)
        if number % 100 == 0:
            maker.launch("CPU", number, "r_8", START + number, buffers=(number, max(0, number - 1)))
            maker.range("CPU", "r_8", START + number + 1, START + number + 40)
    own = folder / "buffers"
    own.mkdir()
    (own / "profile.pkl").write_bytes(maker.profile())
    return _ingest_frames(own)


def _ingest_frames(folder: Path) -> Frames:
    store = folder / "store"
    result = ingest(load_settings(data=store).repository(), [folder / "profile.pkl"], {})
    if not result.ok:
        raise RuntimeError(f"{folder} was not ingested: {result.as_json()}")
    return stored_frames(store)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("store", type=Path)
    run(parser.parse_args().store)
