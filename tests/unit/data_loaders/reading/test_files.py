import gzip
import hashlib
import zlib
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_loaders.protocol import LoadError
from data_loaders.reading import files
from data_loaders.reading.files import content_name, describe, is_gzip, open_content, read_head
from tests.support.numbers_in_text import numbers_in


@pytest.fixture
def content():
    return b"".join(b"entry %d\n" % i for i in range(200_000))


def sha(data):
    return hashlib.sha256(data).hexdigest()


@pytest.mark.slow
def test_plain_and_gzip_have_the_same_content(tmp_path, content):
    plain, packed = tmp_path / "a.json", tmp_path / "a.json.gz"
    plain.write_bytes(content)
    packed.write_bytes(gzip.compress(content))
    assert describe(plain) == describe(packed)
    assert describe(packed) == files.Content(sha(content), len(content), None)
    with open_content(packed) as stream:
        assert stream.read() == content


def test_gzip_is_told_by_content_not_by_name(tmp_path):
    packed, plain = tmp_path / "a.json", tmp_path / "b.gz"
    packed.write_bytes(gzip.compress(b"hello"))
    plain.write_bytes(b"hello")
    assert is_gzip(packed)
    assert not is_gzip(plain)
    assert read_head(packed) == read_head(plain) == b"hello"


def test_head_is_bounded(tmp_path, content):
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(content))
    assert read_head(path) == content[: files.HEAD_BYTES]
    assert read_head(path, 7) == content[:7]


def test_members_and_zero_padding_are_read_through(tmp_path):
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"one ") + gzip.compress(b"two") + b"\0" * 100)
    assert describe(path) == files.Content(sha(b"one two"), 7, None)


def test_empty_members_are_passed_over_up_to_a_number(tmp_path):
    path, empty = tmp_path / "a.gz", gzip.compress(b"")
    path.write_bytes(
        gzip.compress(b"one ") + empty * files.MAX_EMPTY_MEMBERS + gzip.compress(b"two")
    )
    assert describe(path) == files.Content(sha(b"one two"), 7, None)
    path.write_bytes(
        gzip.compress(b"one ") + empty * (files.MAX_EMPTY_MEMBERS + 1) + gzip.compress(b"two")
    )
    with pytest.raises(LoadError, match=r"a\.gz: .* 5000 .*members"):
        describe(path)


def test_what_is_left_of_a_member_is_copied_a_piece_at_a_time(tmp_path, monkeypatch):
    given_to_zlib = []

    class Counting:
        def __init__(self, window):
            self._decoder = zlib.decompressobj(window)

        def decompress(self, piece, room):
            given_to_zlib.append(len(piece))
            return self._decoder.decompress(piece, room)

        def __getattr__(self, name):
            return getattr(self._decoder, name)

    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"x") * 4000)
    monkeypatch.setattr(files, "zlib", SimpleNamespace(decompressobj=Counting, error=zlib.error))
    assert describe(path).size == 4000
    assert max(given_to_zlib) <= path.stat().st_size / 5


@given(
    parts=st.lists(st.binary(max_size=40_000), min_size=1, max_size=6), zeros=st.integers(0, 40_000)
)
def test_any_members_and_padding_are_read_through(tmp_path_factory, parts, zeros):
    path = tmp_path_factory.mktemp("members") / "a"
    path.write_bytes((b"\0" * zeros).join(gzip.compress(part) for part in parts))
    with open_content(path) as stream:
        assert stream.read() == b"".join(parts)


@pytest.mark.parametrize("keep", [0.3, 0.9, 0.9999])
def test_a_cut_gzip_ends_early_and_says_so(tmp_path, content, keep):
    packed = gzip.compress(content)
    path = tmp_path / "a.gz"
    path.write_bytes(packed[: int(len(packed) * keep)])
    with open_content(path) as stream:
        got = stream.read()
    assert content.startswith(got)
    assert "ends early" in describe(path).damage


def test_a_damaged_gzip_ends_at_the_damage(tmp_path):
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"good") + b"not gzip")
    content = describe(path)
    assert (content.sha256, content.size) == (sha(b"good"), 4)
    assert numbers_in(content.damage) == ["4 bytes"]


def test_noise_behind_the_gzip_magic_is_empty_content(tmp_path):
    path = tmp_path / "noise"
    path.write_bytes(b"\x1f\x8b" + b"".join(hashlib.sha256(b"%d" % i).digest() for i in range(150)))
    assert read_head(path) == b""
    assert describe(path).damage


@pytest.mark.slow
def test_a_gzip_bomb_is_refused(tmp_path):
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(b"\0" * (files.RATIO_FLOOR_BYTES + 4_000_000)))
    with pytest.raises(LoadError, match=r"bomb\.gz: .* 250 times"):
        describe(path)


def test_the_size_limit_holds_for_content(tmp_path):
    path = tmp_path / "big.gz"
    path.write_bytes(gzip.compress(b"x" * 5_000))
    assert describe(path, max_bytes=5_000).size == 5_000
    with pytest.raises(LoadError, match="limit of 4999 bytes"):
        describe(path, max_bytes=4_999)


def test_what_cannot_be_opened_is_said(tmp_path):
    with pytest.raises(LoadError, match="cannot be opened: No such file"):
        describe(tmp_path / "none")
    with pytest.raises(LoadError, match="cannot be opened"), open_content(tmp_path):
        pass


def test_content_name_drops_the_packing(tmp_path):
    assert (
        content_name(tmp_path / "trace.json.gz")
        == content_name(tmp_path / "trace.json")
        == "trace.json"
    )


@given(data=st.binary(max_size=5_000), sizes=st.lists(st.integers(1, 700), min_size=1, max_size=5))
def test_any_content_survives_packing_at_any_read_size(tmp_path_factory, data, sizes):
    path = tmp_path_factory.mktemp("packed") / "a"
    path.write_bytes(gzip.compress(data))
    got = b""
    with open_content(path) as stream:
        while chunk := stream.read(sizes[len(got) % len(sizes)]):
            got += chunk
    assert got == data
