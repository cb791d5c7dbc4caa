"""What every figure does with a good run, an empty one, one row, and hostile names."""

import json
from collections.abc import Callable, Iterator

import pandas as pd
import pytest

from analysis.aie.tiles import TILE_METRICS
from analysis.selection import Selection
from analysis.timeline.rows import default_rows
from components.aie.floorplan import floorplan
from components.aie.iterations import Peak, iterations
from components.aie.stalls import SHARES, stalls
from components.figure import Figure
from components.kernels.cycle_durations import available_duration_views, durations
from components.timeline.figure import timeline
from components.timeline.overview import overview
from tests.support.array_frames import tiles, timeline_data

Frames = dict[str, pd.DataFrame]
Draw = Callable[[Frames, Selection, str], Figure]
SELECTIONS = (Selection(), Selection("core 3,1", 1, (0, 1500), (70, 90), "main"))


def draw_timeline(frames: Frames, selection: Selection, theme: str) -> Figure:
    data = timeline_data(frames)
    return timeline(data, default_rows(data, selection.track), selection, theme).figure


def draws() -> Iterator[tuple[str, Draw]]:
    yield "timeline", draw_timeline
    yield "overview", lambda f, s, t: overview(timeline_data(f), s, t)
    yield (
        "iterations",
        lambda f, s, t: iterations(f["iterations"], s, t, peak=Peak.of(f["run"], f["iterations"])),
    )
    for view in available_duration_views(True) | available_duration_views(False):
        yield f"durations {view}", lambda f, s, t, v=view: durations(f["kernels"], s, t, view=v)  # type: ignore[misc]
    for share in SHARES:
        yield f"stalls {share}", lambda f, s, t, v=share: stalls(f["activity"], s, t, share=v)  # type: ignore[misc]
    for metric in TILE_METRICS.values():
        yield (
            f"floorplan {metric.name}",
            lambda f, s, t, m=metric: floorplan(tiles(f), m, s, t, shape=(2, 2)),  # type: ignore[misc]
        )


DRAWS = dict(draws())
every_figure = pytest.mark.parametrize("name", list(DRAWS))


@pytest.mark.quick_every(4)
@every_figure
@pytest.mark.parametrize("selection", SELECTIONS)
def test_a_run_is_drawn_in_both_themes(frames: Frames, name: str, selection: Selection) -> None:
    light, dark = (DRAWS[name](frames, selection, theme) for theme in ("light", "dark"))
    assert len(light.data) > 0
    assert light.layout.template.layout.paper_bgcolor != dark.layout.template.layout.paper_bgcolor
    assert light.layout.uirevision == dark.layout.uirevision


@every_figure
@pytest.mark.parametrize("selection", SELECTIONS)
def test_an_empty_run_says_so_in_a_sentence(
    no_frames: Frames, name: str, selection: Selection
) -> None:
    figure = DRAWS[name](no_frames, selection, "light")
    assert len(figure.data) == 0
    assert figure.layout.annotations[0].text.endswith(".")


@pytest.mark.quick_every(4)
@every_figure
def test_one_row_of_each_frame_is_enough(frames: Frames, name: str) -> None:
    single = {key: frame.head(1) for key, frame in frames.items()}
    assert len(DRAWS[name](single, Selection(), "light").data) > 0


@every_figure
def test_hostile_names_reach_no_template_and_no_markup(hostile: Frames, name: str) -> None:
    track = str(hostile["tracks"]["track"].iloc[0])
    figure = json.loads(DRAWS[name](hostile, Selection(track=track), "light").to_json())
    for text in shown_texts(figure):
        assert "</script" not in text
        assert "%{x} &" not in text


def shown_texts(figure: dict[str, object]) -> Iterator[str]:
    """Every text that plotly renders: not customdata, which only clicks read, and not the bars of a
    canvas, whose names are painted and never parsed.
    """
    pending: list[object] = [figure]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            pending += [v for k, v in value.items() if k not in {"customdata", "template", "bars"}]
        elif isinstance(value, list):
            pending += value
        elif isinstance(value, str):
            yield value
