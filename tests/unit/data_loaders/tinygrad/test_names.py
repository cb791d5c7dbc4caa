import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_loaders.tinygrad.names import (
    MAX_CHARACTERS,
    MAX_COLOURS,
    clean,
    colours,
    function_name,
    plain,
    without_folders,
)
from samples.tinygrad_capture import colour_name


def test_colours_are_told_apart_from_the_name():
    name = colour_name("r_32_4")
    assert plain(name) == "r_32_4"
    assert colours(name) == "1-2:BLACK 2-4:blue 4-5:BLACK 5-6:yellow"


def test_a_name_without_colours_has_none():
    assert colours("r_32_4") == ""
    assert plain("r_32_4") == "r_32_4"


@pytest.mark.parametrize(
    ("name", "spans"),
    [
        ("\x1b[33mcopy 4 B\x1b[0m", "0-8:yellow"),
        ("\x1b[33mcopy", "0-4:yellow"),
        ("a\x1b[91mb\x1b[97mc\x1b[0m", "1-2:RED 2-3:WHITE"),
        ("\x1b[33m\x1b[0m", ""),
        ("\x1b[1;31mx\x1b[0m", ""),
        ("\x1b[38mx\x1b[0m", ""),
        ("\x1b[" + "9" * 50 + "mx", ""),
    ],
)
def test_spans(name, spans):
    assert colours(name) == spans


@given(st.text())
def test_any_name_can_be_written_and_marked(name):
    shown = plain(name)
    shown.encode()
    for span in colours(name).split():
        begin, end = map(int, span.split(":")[0].split("-"))
        assert 0 <= begin < end


@given(
    st.lists(st.tuples(st.sampled_from(["", "\x1b[33m", "\x1b[0m", "\x1b[94m"]), st.text("ab_1")))
)
def test_spans_lie_in_the_plain_name(parts):
    name = "".join(colour + text for colour, text in parts)
    for span in colours(name).split():
        assert int(span.split(":")[0].split("-")[1]) <= len(plain(name))


def test_markup_stays_for_the_view_to_escape():
    assert (
        plain("<img src=x onerror=alert(1)>%{x}\n\x00\u202e")
        == "<img src=x onerror=alert(1)>%{x}\n\x00\u202e"
    )


def test_half_characters_are_replaced_and_long_names_cut():
    assert clean("a\ud800b") == "a?b"
    assert clean("配列") == "配列"
    assert len(clean("x" * 20_000)) == MAX_CHARACTERS
    assert clean("x" * MAX_CHARACTERS) == "x" * MAX_CHARACTERS


def test_names_that_differ_after_the_cut_stay_two():
    names = ["x" * 20_000 + end for end in ("a", "b")]
    cut = [plain(name) for name in names]
    assert cut[0] != cut[1]
    assert plain(names[0]) == cut[0]
    assert all("…" in name and len(name) == MAX_CHARACTERS for name in cut)
    assert plain(cut[0]) == cut[0]
    assert colours(f"\x1b[31m{names[0]}") == f"0-{cut[0].index('…')}:red"
    assert len(clean("x" * 300, 200)) == 200


@pytest.mark.parametrize(
    ("name", "without"),
    [
        ("DISK:/home/x/w.bin -> CPU", "DISK:w.bin -> CPU"),
        (
            "\x1b[33mcopy  4 B, CPU <- DISK:/home/x y/w.bin\x1b[0m",
            "\x1b[33mcopy  4 B, CPU <- DISK:w.bin\x1b[0m",
        ),
        ("DISK:/a/b -> DISK:/c/d", "DISK:b -> DISK:d"),
        ("DISK:/h", "DISK:h"),
        ("DISK:", "DISK:"),
        ("r_32/4", "r_32/4"),
    ],
)
def test_folders_of_files_are_left_out_of_names(name, without):
    assert without_folders(name) == without
    assert without_folders(without) == without


def test_function_names_are_as_compiled():
    assert function_name(colour_name("r_32_4")) == "r_32_4"
    assert function_name("r_(n*16)") == "r_28n2A1629"


def test_colours_end_where_the_name_is_cut():
    name = "\x1b[31mx\x1b[34my" * MAX_CHARACTERS
    assert len(plain(name)) == MAX_CHARACTERS
    last = colours(name).split()[-1]
    assert int(last.split(":")[0].split("-")[1]) <= MAX_CHARACTERS
    assert MAX_COLOURS - 20 < len(colours(name)) <= MAX_COLOURS
