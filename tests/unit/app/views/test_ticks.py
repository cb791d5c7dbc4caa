"""Every axis of every view with ticks of its own: bytes and addresses by powers of two, no number
twice.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

import pytest

from app.views.registry import RUN
from app.views.state import RunState

_BYTES = re.compile(r"0x[0-9a-f]+|[\d.,\u202f]+\u202f([KMGT]i)?B", re.I)
_NUMBER = re.compile(r"[+−-]?[\d.\u202f]+(\u202f\S+)?")


def axes_of(runs) -> Iterator[tuple[str, dict]]:
    """Yield each axis of each plot that has texts of its own as ticks, with the plot's id."""
    for data in runs:
        for plot in RUN.available_plots(data):
            layout = plot.draw(data, RunState(), "light").figure.to_plotly_json()["layout"]
            for name, axis in layout.items():
                if re.fullmatch(r"[xy]axis\d*", name) and len(axis.get("ticktext", ())) > 1:
                    yield f"{data.run_id} {plot.id} {name}", axis


@pytest.mark.slow
def test_ticks_of_bytes_are_multiples_of_a_power_of_two_in_one_unit(sample_runs):
    checked = 0
    for where, axis in axes_of(sample_runs):
        texts = [text for text in axis["ticktext"] if text != "0"]
        if not all(_BYTES.fullmatch(text) for text in texts) or axis.get("type") == "log":
            continue
        checked += 1
        values = list(axis["tickvals"])
        steps = {after - before for before, after in pairwise(values)}
        assert len(steps) == 1, where
        step = int(steps.pop())
        assert step & (step - 1) == 0, where
        assert len(values) <= 7, where
        units = {text.split("\u202f")[-1] for text in texts if not text.startswith("0x")}
        assert len(units) <= 1, where
    assert checked > 20


@pytest.mark.slow
def test_no_number_is_twice_on_an_axis(sample_runs):
    for where, axis in axes_of(sample_runs):
        texts = list(axis["ticktext"])
        if all(_NUMBER.fullmatch(text) for text in texts):
            assert len(set(texts)) == len(texts), where
