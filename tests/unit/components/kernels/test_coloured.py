import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.kernels.coloured import AXES, coloured_spans, styled_pieces
from tests.support.components import words

GEMM = "r_8_16_4", "1-2:BLACK 2-3:blue 3-4:BLACK 4-6:red 6-7:BLACK 7-8:yellow"


def test_parts_of_a_name_have_their_colours_and_say_what_axis_they_are():
    spans = coloured_spans(*GEMM)
    assert words(spans) == "r_8_16_4"
    said = {words(span): getattr(span, "title", None) for span in spans}
    assert said == {
        "r": None,
        "_": None,
        "8": "global axis",
        "16": "reduce axis",
        "4": "upcast axis",
    }
    assert spans[2].className == "ts-ansi ts-ansi-blue"


def test_a_bright_colour_is_another_axis_than_a_dark_one():
    spans = coloured_spans("r_4_4", "2-3:red 4-5:RED")
    assert [span.title for span in spans if getattr(span, "className", None)] == [
        "reduce axis",
        "group reduce axis",
    ]
    assert "ts-ansi-bright" in spans[-1].className


def test_a_copy_that_is_all_one_colour_has_no_axes():
    (span,) = coloured_spans("copy 4 kB, CPU <- DISK", "0-22:yellow")
    assert "ts-ansi-yellow" in span.className
    assert getattr(span, "title", None) is None


@pytest.mark.parametrize(
    "colours",
    [
        "",
        "x",
        "1-",
        "5-2:red",
        "2-99:red",
        "0-1:red;background:url(x)",
        "1-2:expression",
        "3-4:red 1-2:blue",
    ],
)
def test_colours_that_are_none_cost_nothing(colours):
    spans = coloured_spans("r_8_16", colours)
    assert words(spans) == "r_8_16"
    assert all(
        set(getattr(span, "className", "").replace("-", "").replace(" ", ""))
        <= set("abcdefghijklmnopqrstuvwxyz")
        for span in spans
        if getattr(span, "className", None)
    )


@given(
    st.text(max_size=300),
    st.lists(st.tuples(st.integers(0, 400), st.integers(0, 400), st.sampled_from([*AXES]))),
)
def test_whatever_the_colours_the_name_is_whole_or_cut_in_its_middle(name, spans):
    colours = " ".join(f"{begin}-{end}:{colour}" for begin, end, colour in spans)
    plain = words(coloured_spans(name, "", limit=40))
    assert words(coloured_spans(name, colours, limit=40)) == plain
    assert "".join(text for text, _ in styled_pieces(name, colours, limit=40)) == plain
    assert len(plain) <= 40 or not name


def test_a_long_name_keeps_both_ends_and_their_colours():
    name = "r_" + "8" * 400 + "_16"
    spans = coloured_spans(name, f"2-402:blue 403-{len(name)}:red", limit=60)
    assert words(spans).startswith("r_888") and words(spans).endswith("8_16")
    assert "ts-ansi-red" in spans[-1].className


def test_direction_characters_go_and_markup_stays_text():
    assert words(coloured_spans("a\u202eb\nc", "")) == "ab c"
    assert (
        words(coloured_spans("<img src=x onerror=alert(1)>", "")) == "<img src=x onerror=alert(1)>"
    )
    assert "dangerously" not in json.dumps(
        [span.to_plotly_json() for span in coloured_spans("<b>", "")]
    )
    assert words(coloured_spans("", "")) == "(no name)"
