"""The key of a run is the same however the caller represents missing values and numbers."""

import numpy as np
import pandas as pd
import pytest

from schema.likeness import likeness, run_key

RUN = {"source": "minimalloc", "hwid": "", "M": 64, "K": None, "N": None, "tags": "b a problem-1"}


@pytest.mark.parametrize("missing", [np.nan, float("nan"), pd.NA, pd.NaT, np.float64("nan")])
def test_all_missing_values_are_one_key(missing):
    other = RUN | dict.fromkeys(("K", "N", "rows", "cols"), missing)
    assert run_key(other) == run_key(RUN)
    assert likeness(run_key(other)) == likeness(run_key(RUN))


@pytest.mark.parametrize("size", [64.0, np.float64(64), np.int64(64)])
def test_a_size_has_one_text_in_every_number_type(size):
    assert run_key(RUN | {"M": size})["M"] == run_key(RUN)["M"]


def test_rows_of_a_frame_with_missing_sizes_have_the_keys_of_their_records():
    records = [RUN, RUN | {"M": None, "tags": None}]
    rows = pd.DataFrame(records).to_dict("records")
    assert [run_key(row) for row in rows] == [run_key(record) for record in records]


def test_texts_are_not_missing_values():
    assert run_key(RUN | {"hwid": "nan"})["hwid"] != run_key(RUN | {"hwid": None})["hwid"]


def test_tags_are_sorted_without_the_tag_of_the_problem():
    assert run_key(RUN)["tags"] == "a b"
    assert run_key(RUN | {"tags": pd.NA})["tags"] == ""
