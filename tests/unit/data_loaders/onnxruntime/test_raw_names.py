"""Names that ONNX Runtime writes as they are."""

import io

import pytest

from data_loaders.onnxruntime.raw_names import EscapedNames

ENTRY = b'{"ph" : "X","name" :"%s","args" : {"op_name" : "Add"}},\n'
RAW = ENTRY % b'say "hi" \\n' + ENTRY % b"plain"
ESCAPED = ENTRY % b'say \\"hi\\" \\\\n' + ENTRY % b"plain"


def read_all(stream, size):
    chunks = iter(lambda: stream.read(size), b"")
    return b"".join(chunks)


@pytest.mark.parametrize("size", [1, 7, 50, 1 << 20])
def test_names_are_escaped_wherever_a_chunk_ends(size):
    stream = EscapedNames(io.BytesIO(RAW))
    assert read_all(stream, size) == ESCAPED
    assert stream.added == len(ESCAPED) - len(RAW)


@pytest.mark.parametrize(
    "text", [b"", b'{"name": "a \\" b", "args": {}}', b'{"name" :"cut', b'"name" :"' * 9]
)
def test_other_layouts_and_cut_names_stay(text):
    assert read_all(EscapedNames(io.BytesIO(text)), 4) == text


def test_a_name_without_an_end_is_not_held_back_for_ever():
    text = b'"name" :"' + b"x" * (3 << 20)
    stream = EscapedNames(io.BytesIO(text))
    assert len(stream.read(2 << 20)) == 2 << 20
