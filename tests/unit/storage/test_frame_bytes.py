"""The memory of a frame, told by a sample where it is long."""

import pandas as pd
import pytest

from storage.frame_bytes import OBJECT_BYTES, frame_bytes


def exact(frame):
    data = int(frame.memory_usage(index=False, deep=True).sum())
    return data + OBJECT_BYTES * len(frame.columns)


@pytest.mark.parametrize("rows", [0, 1, 1_000])
def test_a_short_frame_is_told_exactly(rows):
    frame = pd.DataFrame(
        {"name": pd.Series(["x" * at for at in range(rows)], dtype="str"), "start": range(rows)}
    )
    assert frame_bytes(frame) == exact(frame)


@pytest.mark.slow
def test_long_texts_are_told_nearly():
    texts = pd.Series([None if at % 3 else "x" * (at % 700) for at in range(100_000)], dtype="str")
    frame = pd.DataFrame(
        {"name": texts, "kind": pd.Categorical(["a", "b"] * 50_000), "size": range(100_000)}
    )
    assert frame_bytes(frame) == pytest.approx(exact(frame), rel=0.05)


def test_a_column_without_rows_counts():
    assert frame_bytes(pd.DataFrame({"start": [], "end": []})) == 2 * OBJECT_BYTES
