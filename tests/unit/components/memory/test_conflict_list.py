import pandas as pd

from components.memory.conflict_list import conflict_list, conflicts_caption
from tests.support.numbers_in_text import numbers_in


def found(rows):
    return pd.DataFrame(rows, columns=["step", "bank", "compute", "transfer"])


def test_pairs_are_counted_once_however_many_banks_they_share():
    rows = found([(1, 2, "conv", "weight"), (1, 3, "conv", "weight"), (4, 3, "pool", "input")])
    assert numbers_in(conflicts_caption(rows)) == ["2", "2", "3"]


def test_none_is_said():
    assert conflicts_caption(found([])).startswith("No step")


def test_a_long_list_says_how_many_more():
    text = str(conflict_list(found([(i, 0, f"a{i}", "b") for i in range(230)])).to_plotly_json())
    assert "and 30 more candidates" in text
