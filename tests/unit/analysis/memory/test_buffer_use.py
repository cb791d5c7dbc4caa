import pandas as pd
import pytest

from analysis.memory.buffer_use import UseSpan, untimed_launches, use_span


def executions(*rows):
    return pd.DataFrame(rows, columns=["start", "end", "launch"]).astype({"launch": "Int64"})


def launched(*rows):
    return pd.DataFrame(rows, columns=["kernel", "start"])


NOBODY = (executions(), launched())


def test_use_goes_from_the_first_kernel_to_the_end_of_the_last():
    kernels = executions((20, 30, 0), (50, 70, 1))
    assert use_span((10, 100), kernels, launched((0, 15), (1, 40))) == UseSpan(20, 70, 10, 30)


def test_a_launch_that_was_not_timed_is_a_moment():
    kernels, launches = executions((20, 30, 0)), launched((0, 15), (7, 80))
    assert untimed_launches(launches, kernels)["kernel"].tolist() == [7]
    assert use_span((10, 100), kernels, launches) == UseSpan(20, 80, 10, 20)


@pytest.mark.parametrize(
    ("life", "span"), [((25, 100), UseSpan(25, 30, 0, 70)), ((0, 22), UseSpan(20, 22, 20, 0))]
)
def test_use_outside_of_the_life_counts_as_its_border(life, span):
    assert use_span(life, executions((20, 30, 0)), launched()) == span


def test_a_buffer_that_nobody_uses_has_no_span():
    assert use_span((0, 10), *NOBODY) is None
