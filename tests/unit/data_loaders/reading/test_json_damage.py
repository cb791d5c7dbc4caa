"""The byte at which a JSON text ends or is damaged, in plain, gzip and other texts."""

import gzip
import json
import re

import pytest

from data_loaders.reading.json_damage import MAX_EXAMINED_BYTES, file_damage, text_damage
from data_loaders.registry import NoLoaderError, choose

WHOLE = json.dumps({"é": [1.5e3, True, None, "a\\n", {"b": []}], "n": -12}, ensure_ascii=False)
BYTES = WHOLE.encode()


def byte_of(text):
    """Return the byte that a description has."""
    return int(re.search(r"byte (\d+)", text)[1])


@pytest.mark.parametrize("size", range(1, len(BYTES)))
def test_every_cut_is_found_at_its_byte(size):
    damage = text_damage(BYTES[:size])
    assert byte_of(damage) == size
    assert "ends" in damage


def test_a_whole_text_has_no_damage():
    assert text_damage(BYTES) == ""
    assert text_damage(b'{"a": 1}\n{"b": 2}\n') == "", "lines of JSON"


def test_damage_inside_is_at_its_own_byte():
    at = BYTES.index(b"true")
    damage = text_damage(BYTES[:at] + b"@@" + BYTES[at:])
    assert byte_of(damage) == at
    assert "ends" not in damage


def test_deep_nesting_is_no_traceback():
    assert text_damage(b"[" * 200_000)


@pytest.mark.parametrize("packed", [False, True])
def test_bytes_are_those_of_the_uncompressed_text(tmp_path, packed):
    path = tmp_path / "x.json"
    path.write_bytes(gzip.compress(BYTES[:20]) if packed else BYTES[:20])
    assert byte_of(file_damage(path)) == 20
    assert ("uncompressed" in file_damage(path)) == packed
    with pytest.raises(NoLoaderError) as error:
        choose(path)
    assert byte_of(str(error.value)) == 20


def test_other_and_large_texts_are_not_examined(tmp_path):
    for content in (b"not JSON", b"[" + b" " * MAX_EXAMINED_BYTES):
        path = tmp_path / "x.json"
        path.write_bytes(content)
        assert file_damage(path) == ""
