import pandas as pd
import pytest

from components.program.match_bars import match_bars


def matches(*durations: int) -> pd.DataFrame:
    """Return the matches of a step that took so many nanoseconds."""
    frame = pd.DataFrame({"match": range(1, len(durations) + 1), "duration": durations})
    return frame.assign(file="rules.py", line=7)


@pytest.mark.parametrize(
    ("longest", "unit"), [(700, "ns"), (50_000, "µs"), (2_000_000, "ms"), (3_000_000_000, "s")]
)
def test_times_are_told_in_the_unit_that_suits_them(longest: int, unit: str) -> None:
    figure = match_bars(matches(longest // 3, longest), 1, "light")
    axis = figure.layout.yaxis
    assert list(figure.data[0].y) == [longest // 3, longest]
    assert axis.range[0] == 0
    assert axis.range[1] > longest
    assert {text.split("\u202f")[-1] for text in axis.ticktext} == {"0", unit}


def test_matches_that_took_no_time_have_an_axis_too() -> None:
    assert len(match_bars(matches(0, 0), 1, "light").layout.yaxis.ticktext)
