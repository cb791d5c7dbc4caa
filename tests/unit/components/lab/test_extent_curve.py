import numpy as np
import pytest

from analysis.allocators.placement import Improvement
from components.lab.extent_curve import Curve, ExtentLine, extent_curve


def curve(*times: float) -> Curve:
    """Return the curve of a strategy that found something at these times (s)."""
    trace = [
        Improvement(extent=1_000 - rank, effort=rank, seconds=at) for rank, at in enumerate(times)
    ]
    return Curve("search", trace, times[-1], strong=True)


@pytest.mark.parametrize(
    ("last", "unit", "per_second"),
    [(5e-5, "µs", 1e6), (0.04, "ms", 1e3), (3.0, "s", 1), (4e-7, "ns", 1e9)],
)
def test_times_are_told_in_the_unit_that_suits_them(
    last: float, unit: str, per_second: float
) -> None:
    figure = extent_curve([curve(0.0, last / 2, last)], [ExtentLine("bound", 900, "dot")], "light")
    axis = figure.layout.xaxis
    assert axis.range[0] == 0
    assert axis.range[1] >= max(figure.data[0].x)
    texts = [text.split("\u202f") for text in axis.ticktext if text != "0"]
    assert len(texts) > 2
    assert {text[-1] for text in texts} == {unit}
    shown = [float("".join(text[:-1])) / per_second for text in texts]
    assert np.asarray(axis.tickvals)[1:].tolist() == pytest.approx([at * 1e9 for at in shown])
    assert unit in figure.data[0].hovertext[-1]
