from itertools import combinations
from pathlib import Path

import pytest

from components.aie.tile_bars import part_color
from components.contrast import contrast
from components.figure import compact
from components.graph import (
    GRAPH_CONFIG,
    empty_figure,
    figure,
    graph,
    graph_config,
    nothing,
    summary_id,
)
from components.theme import (
    ANSI,
    CATEGORICAL,
    FILLS,
    PALETTES,
    css,
    event_color,
    fade,
    fill_scale,
    kind_color,
    name_color,
    palette,
    phase_color,
    template,
)


def test_the_css_is_up_to_date() -> None:
    sheet = Path(__file__).parents[3] / "assets" / "theme.css"
    assert sheet.read_text(encoding="utf-8") == css(), "run `python -m components.theme`"


@pytest.mark.parametrize("theme", list(PALETTES))
def test_text_reads_on_every_background(theme: str) -> None:
    colours = palette(theme)
    for ground in (colours.page, colours.panel, colours.raised):
        for text in (
            colours.ink,
            colours.muted,
            colours.link,
            colours.trouble,
            colours.caution,
            colours.good,
        ):
            assert contrast(text, ground) >= 4.5, (theme, text, ground)


@pytest.mark.parametrize("theme", list(PALETTES))
def test_coloured_names_read_on_every_background_and_none_looks_like_trouble(theme: str) -> None:
    colours = palette(theme)
    for name, text in ANSI[theme].items():
        assert (
            min(contrast(text, ground) for ground in (colours.page, colours.panel, colours.raised))
            >= 4.5
        ), name
        assert text != colours.trouble
    assert set(ANSI["light"]) == set(ANSI["dark"])


@pytest.mark.parametrize("theme", list(PALETTES))
def test_marks_stand_out_from_the_panel(theme: str) -> None:
    colours = palette(theme)
    for mark in (
        *CATEGORICAL,
        colours.perf,
        colours.lock,
        colours.memory,
        colours.stream,
        colours.cascade,
    ):
        assert contrast(mark, colours.panel) >= 2, (theme, mark)


@pytest.mark.parametrize("theme", list(PALETTES))
def test_the_fuller_the_stronger_against_the_panel(theme: str) -> None:
    panel = palette(theme).panel
    strengths = [contrast(shade, panel) for shade in FILLS[theme]]
    assert strengths == sorted(strengths)
    assert strengths[0] < 1.5
    assert strengths[-1] > 7
    assert fill_scale(theme)[0] == [0.0, panel]
    assert [place for place, _ in fill_scale(theme)] == sorted(
        place for place, _ in fill_scale(theme)
    )


def test_stalls_have_colours_of_their_own() -> None:
    events = ("LOCK_STALL", "MEMORY_STALL", "STREAM_STALL", "CASCADE_STALL", "INSTR_VECTOR")
    for theme in PALETTES:
        found = [event_color(name, theme) for name in events] + [palette(theme).trouble]
        assert all(a != b for a, b in combinations(found, 2))


def test_measured_kernels_have_the_colour_of_measured_work_in_every_view() -> None:
    for theme in PALETTES:
        kinds = [kind_color(kind, theme) for kind in ("main", "short", "long")]
        assert kinds[0] == palette(theme).perf == part_color("kernels", theme)
        assert kinds[0] == phase_color("perf", theme)
        assert len({*kinds}) == len(kinds)
    assert kind_color("short 2", "light") == name_color("short 2")


def test_a_name_has_one_colour_for_ever() -> None:
    assert name_color("main") == CATEGORICAL[6]
    assert name_color("\ud800") in CATEGORICAL
    assert event_color("PORT_RUNNING_0", "light") == event_color("PORT_RUNNING_0", "dark")


def test_an_unknown_theme_is_light() -> None:
    assert palette("sepia") == palette("light")
    assert template("light")["layout"]["separators"] == ".\u202f"


def test_fading_keeps_the_hue() -> None:
    assert fade("#102030", 0.5) == "rgba(16,32,48,0.5)"


def test_no_plot_can_be_sent_to_a_cloud() -> None:
    assert GRAPH_CONFIG["showSendToCloud"] is False
    assert GRAPH_CONFIG["displaylogo"] is False
    wrapped = graph("it", empty_figure("Nothing.", "light"), "Nothing is drawn.").to_plotly_json()[
        "props"
    ]
    plot, caption = wrapped["children"]
    assert plot.config == graph_config()
    assert (caption.id, caption.children) == (summary_id("it"), "Nothing is drawn.")
    assert wrapped["aria-describedby"] == summary_id("it")


def test_a_plot_is_as_high_as_its_figure_and_takes_no_room_with_nothing_on_it() -> None:
    def plot_of(drawn):
        return graph("it", drawn, "").to_plotly_json()["props"]["children"][0]

    high = plot_of(figure([{"type": "bar", "x": [1], "y": [1]}], {"height": 412}, "light"))
    assert high.style["minHeight"] == "412px"
    assert high.responsive
    assert "ts-nothing" not in high.className
    assert "ts-nothing" in plot_of(nothing("light")).className
    assert "ts-nothing" not in plot_of(empty_figure("Why.", "light")).className


def test_numbers_travel_in_a_type_that_browsers_read() -> None:
    import numpy as np

    assert compact(np.array([1, 2])).dtype == np.int32
    assert compact(np.array([1, 2**40])).tolist() == [1.0, 2.0**40]
    assert compact(np.zeros(0, dtype=np.int64)).size == 0
