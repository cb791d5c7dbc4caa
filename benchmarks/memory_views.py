"""Times of memory maps: numbers of thousands of attempts, and the largest views.

`python -m benchmarks.memory_views`; all is measured in this process, on generated frames.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial
from statistics import median

import pandas as pd
from plotly.io.json import to_json_plotly

from analysis.memory.occupancy import occupancy
from app.views.memory.shown import drawn_maps
from app.views.registry import RUN, parse
from app.views.state import RunState
from app.views.view import ContentView, Part, Plot
from benchmarks import large_maps
from benchmarks.measure import seconds, times
from benchmarks.report import check, note, spread_text
from benchmarks.server import FramesInMemory
from components.figure import Figure
from components.memory.memory_map import memory_map
from services.run.data import RunData
from services.run.data_cache import RunDataCache

ATTEMPTS = 3_829
BLOCKS_PER_ATTEMPT = 49
MAX_BLOCKS = 62_185
"""Blocks of the largest problem."""
STEPS = 289
"""Steps of the deployment."""
STEP_BLOCKS = 2_080
"""Blocks of the deployment."""
_MAX_RECTANGLES = 6_000
"""Budget of rectangles that a browser draws for a map."""


def main() -> None:
    """Run all measurements."""
    _gantt()
    _attempts()
    _views(f"{MAX_BLOCKS} blocks", large_maps.problem(MAX_BLOCKS, 4_000, 311))
    _views(f"{STEPS} steps, {STEP_BLOCKS} blocks", large_maps.deployment(STEPS, STEP_BLOCKS))


def _gantt() -> None:
    """Build the figure of a map of 2,000 blocks, each drawn, as the page does."""
    data = _load(large_maps.problem(2_000, 300, 40))
    state = parse("")
    maps = drawn_maps(data, state)
    took = times(partial(memory_map, maps, state.memory, "light"), 15)
    note(
        f"memory map of 2000 blocks, figure built: {spread_text([1e3 * s for s in took], 'ms', 0)}"
    )
    check("memory map of 2000 blocks, figure built", 1e3 * median(took), 60.0, "ms")
    note(f"    {rectangles(memory_map(maps, state.memory, 'light').figure)} rectangles")


def _attempts() -> None:
    """Compute the occupancy of all attempts of a compile, then show some attempts in turn."""
    frames = large_maps.compile_log(ATTEMPTS, BLOCKS_PER_ATTEMPT)
    took = times(partial(occupancy, frames["allocations"], frames["attempts"]), 3)
    rows = len(occupancy(frames["allocations"], frames["attempts"]))
    note(f"occupancy of {ATTEMPTS} attempts, {rows} rows: {spread_text(took, 's')}")
    check(f"occupancy of {ATTEMPTS} attempts", median(took), 2.0, "s")
    data = _load(frames)
    shown = [parse(f"attempt={number}") for number in range(0, ATTEMPTS, ATTEMPTS // 12)]
    _draw_all(data, shown[0])
    took = [seconds(partial(_draw_all, data, state)) for state in shown[1:]]
    note(
        f"another of {ATTEMPTS} attempts, all panels and parts: {spread_text([1e3 * s for s in took], 'ms', 0)}"
    )
    check(f"another of {ATTEMPTS} attempts", 1e3 * median(took), 300.0, "ms")
    attempts = RUN.find_content_view(data, "attempts")
    if attempts is None:
        raise RuntimeError("many attempts are not listed")
    took = times(lambda: _part_json(attempts.make(data, shown[0])), 3)
    note(f"    the list of attempts, made once: {spread_text([1e3 * s for s in took], 'ms', 0)}")


def _views(what: str, frames: Mapping[str, pd.DataFrame]) -> None:
    """Draw every panel of a large run, and print the size of its figure."""
    data = _load(frames, what)
    state = parse("")
    for spec in RUN.available_plots(data):
        took = times(partial(draw, spec, data, state), 3)
        figure = spec.draw(data, state, "light").figure
        size = len(figure.to_json()) / 2**20
        note(f"{what}, {spec.id}: {spread_text([1e3 * s for s in took], 'ms', 0)}, {size:.1f} MiB")
        if spec.id == "map":
            check(f"{what}, rectangles of the map", rectangles(figure), _MAX_RECTANGLES, "")


def _load(frames: Mapping[str, pd.DataFrame], what: str = "") -> RunData:
    begin = time.perf_counter()
    data = RunDataCache(FramesInMemory(frames)).get("benchmark", "robust", {})
    if what:
        note(f"{what}: analysed and indexed in {time.perf_counter() - begin:.2f} s")
    return data


def draw(spec: Plot, data: RunData, state: RunState) -> None:
    spec.draw(data, state, "light").figure.to_json()


def _draw_all(data: RunData, state: RunState) -> None:
    for spec in RUN.available_plots(data):
        draw(spec, data, state)
    for view in RUN.available_views(data):
        if isinstance(view, ContentView):
            _part_json(view.make(data, state))


def _part_json(part: Part) -> str:
    """Return the JSON of a part as it is sent to the browser."""
    return str(to_json_plotly(part.body))


def rectangles(figure: Figure) -> int:
    """Count the rectangles that a browser draws for a figure: bars and shapes."""
    bars: int = sum(
        len(trace.y) for trace in figure.data if trace.type == "bar" and trace.y is not None
    )
    return bars + sum(bool(shape.type == "rect") for shape in figure.layout.shapes)


if __name__ == "__main__":
    main()
