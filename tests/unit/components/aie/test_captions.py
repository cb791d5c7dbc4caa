"""Captions of a capture agree with the sentence about its pace."""

import pandas as pd
import pytest

from analysis.aie.pace.limiters import Limiter
from analysis.aie.pace.pace import Pace
from analysis.selection import Selection
from components.aie.captions import floorplan_caption, stalls_caption
from tests.support.numbers_in_text import has_numbers

TILES = pd.DataFrame(
    {"track": ["core 2,1", "core 3,1"], "kind": "core", "median_kernel": [100.0, 100.0]}
)


def pace(*limiters):
    return Pace(1000.0, None, limiters, pd.DataFrame(), "")


def limiter(what, where, *, track=None, together=()):
    return Limiter(what, where, 50.0, 0.05, None, None, track=track, together=together)


FIRST = limiter("gap", "core 2,1", track="core 2,1")
PAIR = (
    limiter("kernels", "core 2,1", track="core 2,1", together=(2,)),
    limiter("kernels", "core 3,1", track="core 3,1", together=(1,)),
)
ITERATIONS = tuple(limiter("iteration", f"iteration {number}") for number in range(2))


@pytest.mark.parametrize(
    ("limiters", "expected"),
    [
        ((FIRST,), "core 2,1 sets the pace"),
        ((ITERATIONS[0], FIRST), "core 2,1 comes next"),
        ((*ITERATIONS, FIRST), "core 2,1 is limiter 3"),
        (PAIR, "core 2,1 and core 3,1 set the pace"),
    ],
)
def test_the_floor_plan_ranks_a_limiter_as_the_pace_does(limiters, expected):
    assert expected in floorplan_caption(TILES, pace=pace(*limiters))


def test_a_stall_that_is_open_at_the_end_is_named():
    rows = pd.DataFrame(
        {
            "track": ["core 2,1", "core 3,1"],
            "name": "LOCK_STALL",
            "busy": [0, 10],
            "window": [100, 100],
            "share": [0.0, 0.1],
            "open": [True, False],
        }
    )
    sentence = stalls_caption(rows, Selection())
    assert has_numbers(sentence, "2", "1")
    assert "open" not in stalls_caption(rows.assign(open=False), Selection())
