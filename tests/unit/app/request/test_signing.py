import stat
import time

import pytest

from app.request.signing import KEY_FILE, is_signed, sign, signing_key

KEY = b"k" * 32
# A fixed time, as the names of tests must not depend on the day: the year 2100.
SOON = 4_102_444_800
PATH = sign(KEY, "/embed/run/abc/map/-", SOON)


def test_an_address_has_its_end_and_its_signature_last():
    *_, view, state, until, signature = PATH.split("/")
    assert (view, state, until) == ("map", "-", str(SOON))
    assert len(signature) == 64
    assert is_signed(KEY, PATH)


@pytest.mark.parametrize("at", [10, 15, 19, 21, 25, -70, -64, -32, -1])
def test_any_change_is_refused(at):
    changed = list(PATH)
    changed[at] = "1" if changed[at] != "1" else "2"
    assert not is_signed(KEY, "".join(changed))


@pytest.mark.parametrize(
    "path", ["", "/", "/embed/", PATH[:-1], PATH + "0", PATH.upper(), PATH + "/x", PATH + "\u00e9"]
)
def test_other_texts_are_refused(path):
    assert not is_signed(KEY, path)


def test_another_key_is_refused():
    assert not is_signed(b"x" * 32, PATH)


def test_an_address_ends():
    over = sign(KEY, "/embed/run/abc/map/-", int(time.time()) - 1)
    assert not is_signed(KEY, over)


@pytest.mark.parametrize("base", ["/run/abc", "/api/v1/runs", "/embedded/x", ""])
def test_no_other_address_is_signed(base):
    with pytest.raises(ValueError, match="below"):
        sign(KEY, base, SOON)


def test_servers_with_one_secret_have_one_key(tmp_path):
    assert signing_key("s" * 32, tmp_path / "a") == signing_key("s" * 32, tmp_path / "b")
    assert signing_key("s" * 32, tmp_path) != signing_key("t" * 32, tmp_path)
    assert not (tmp_path / KEY_FILE).exists()


def test_without_a_secret_the_key_is_in_a_file_of_its_owner(tmp_path):
    key = signing_key("", tmp_path / "data")
    path = tmp_path / "data" / KEY_FILE
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    signing_key.cache_clear()
    assert signing_key("", tmp_path / "data") == key
    assert [p.name for p in path.parent.iterdir()] == [KEY_FILE]
    assert signing_key("", tmp_path / "other") != key
