"""Words of a trace buffer as an array of numpy."""

import io

import numpy as np
import pytest

from data_loaders.aie.numpy_header import parse_header
from data_loaders.aie.raw import AieWordsLoader
from data_loaders.aie.words import read_words
from data_loaders.protocol import LoadError
from samples.trace_words import trace_words

WORDS = np.array(trace_words({("core", 2, 1): bytes([0xF0, *bytes(7)]) + b"\x09\x1f"}), np.uint32)


def saved(array, version=None):
    file = io.BytesIO()
    np.lib.format.write_array(file, array, version)
    return file.getvalue()


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
@pytest.mark.parametrize(
    "array",
    [
        WORDS,
        WORDS.view(np.int32),
        WORDS.view(np.uint8),
        WORDS[:72].reshape(9, 8),
        WORDS[:72].reshape(-1, 1),
    ],
)
def test_arrays_of_words_are_read_in_order(tmp_path, array, version):
    path = tmp_path / "trace.npy"
    path.write_bytes(saved(array, version))
    assert AieWordsLoader().sniff(path, path.read_bytes()) is None
    found = read_words(path)
    assert found.words.tolist() == WORDS[: array.nbytes // 4].tolist()
    assert not found.cut


@pytest.mark.parametrize(
    ("array", "reason"),
    [
        (WORDS.astype(np.float64), "float|f8"),
        (WORDS.astype(">u4"), ">u4"),
        (WORDS.astype(np.uint16), "u2"),
        (np.asfortranarray(WORDS[:72].reshape(9, 8)), "Fortran"),
        (WORDS[:72].reshape(3, 3, 8), "dimensions"),
        (np.array(7, np.uint32), "dimensions"),
        (np.zeros(3, [("a", "<u4")]), "objects or records"),
    ],
)
def test_other_arrays_are_refused_in_a_line(tmp_path, array, reason):
    path = tmp_path / "trace.npy"
    path.write_bytes(saved(array))
    assert "NumPy array" in AieWordsLoader().sniff(path, path.read_bytes())
    with pytest.raises(LoadError, match=reason):
        AieWordsLoader().load(path, {})


def test_a_header_is_never_executed():
    head = (
        b"\x93NUMPY\x01\x00"
        + (60).to_bytes(2, "little")
        + b"{'descr': __import__('os').abort()}".ljust(60)
    )
    assert "objects or records" in parse_header(head)
    assert "cut off" in parse_header(head[:20])
    assert "version" in parse_header(b"\x93NUMPY\x09\x00" + head[8:])


def test_a_cut_array_is_read_up_to_the_cut(tmp_path):
    path = tmp_path / "trace.npy"
    path.write_bytes(saved(WORDS)[:-6])
    found = read_words(path)
    assert found.cut
    assert len(found.words) == len(WORDS) - 2
