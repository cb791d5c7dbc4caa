"""Steps between markers: which of them count, and where they end."""

import numpy as np
import pandas as pd
import pytest

from analysis.kernels.marked_steps import marked_steps


def steps_of(*starts, work, length=80):
    """Compute steps of `length` from markers at `starts`, with `work` begins of work in each."""
    spans = pd.DataFrame(
        {
            "name": [f"ProfilerStep#{rank}" for rank in range(len(starts))],
            "start": starts,
            "end": [start + length for start in starts],
        }
    )
    begins = [start + 1 for start, count in zip(starts, work, strict=True) for _ in range(count)]
    return marked_steps(spans, np.array(begins, np.int64))


@pytest.mark.parametrize(("last", "reason", "end"), [(4, "tail", 180), (5, "", 200)])
def test_a_last_step_with_less_than_half_of_the_median_work_is_a_tail(last, reason, end):
    found = steps_of(0, 100, 200, work=(10, 10, last))
    assert found["left_out"].tolist() == ["", "", reason]
    assert found["counted"].tolist() == [True, True, not reason]
    assert found["end"].tolist() == [100, end, 280]


@pytest.mark.parametrize(("begin", "reason"), [(-101, "warm_up"), (-100, "")])
def test_a_first_step_above_twice_the_median_is_a_warm_up(begin, reason):
    found = steps_of(begin, 100, 200, 300, work=(1, 1, 1, 1), length=100)
    assert found["duration"].tolist() == [100 - begin, 100, 100, 100]
    assert found["left_out"].tolist() == [reason, "", "", ""]
