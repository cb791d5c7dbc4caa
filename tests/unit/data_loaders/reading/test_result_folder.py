"""Results of reading processes: frames of many rows come back equal, in little memory."""

import numpy as np
import pandas as pd
import pytest

from data_loaders.reading import result_folder
from data_loaders.reading.result_folder import Reading, read_result, write_result
from schema.frames import build_frame, conform

ROWS = 200_000


def long_steps():
    """Return a frame `steps` with a few texts, a category and nulls in many rows."""
    rank = np.arange(ROWS)
    words = np.array(["alloc", "free ü", ""], object)
    columns = {
        "attempt": pd.arrays.IntegerArray(rank % 3, rank % 7 == 0),
        "step": rank,
        "name": pd.array(words[rank % 3], dtype="str"),
        "op_type": pd.Categorical.from_codes(rank % 3 - 1, categories=["b", "a"]),
    }
    return build_frame("steps", columns)


@pytest.fixture
def written(tmp_path):
    write_result(tmp_path, Reading({}, {"steps": long_steps()}), 10**9)
    return tmp_path


@pytest.mark.slow
def test_large_file_is_read_as_a_small_one(written, monkeypatch):
    by_column = read_result(written).frames["steps"]
    monkeypatch.setattr(result_folder, "_MAX_WHOLE_BYTES", 10**9)
    pd.testing.assert_frame_equal(by_column, read_result(written).frames["steps"])
    pd.testing.assert_frame_equal(by_column, conform("steps", long_steps()))


@pytest.mark.slow
def test_null_texts_stay_null(tmp_path):
    frame = pd.DataFrame({"name": pd.array(["a", None] * ROWS, dtype="str"), "n": 1})
    path = tmp_path / "any.arrow"
    table = result_folder.pa.Table.from_pandas(frame, preserve_index=False)
    with (
        result_folder.pa.OSFile(str(path), "wb") as sink,
        result_folder.pa.ipc.new_file(sink, table.schema) as writer,
    ):
        writer.write_table(table)
    assert path.stat().st_size > result_folder._MAX_WHOLE_BYTES
    pd.testing.assert_frame_equal(result_folder._frame(path), frame)


def test_equal_texts_are_one_object(written):
    names = read_result(written).frames["steps"]["name"].to_numpy(object)
    assert len({id(name) for name in names}) == 3
