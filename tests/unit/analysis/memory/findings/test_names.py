import numpy as np

from analysis.memory.findings.names import attempt_label, block_label, places
from tests.support.memory import attempts


def test_a_level_is_called_by_its_name_an_attempt_by_its_rank():
    frame = attempts(2, level=["L2", None], attempt=[0, 7])
    assert [attempt_label(frame, position) for position in (0, 1)] == ["L2", "attempt 7"]


def test_each_place_is_named_once_and_many_are_cut():
    assert places(attempts(9), np.array([2, 0, 2])) == "attempt 0, attempt 2"
    assert places(attempts(9), np.arange(9)).endswith("attempt 5 and 3 more")


def test_names_are_cut_and_kept_on_one_line():
    assert block_label("a\nb") == "`a b`"
    assert block_label("x" * 99) == f"`{'x' * 59}…`"
