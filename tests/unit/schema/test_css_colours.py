import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schema.css_colours import WORDS, css_colour


def test_css_has_148_words():
    assert len(WORDS) == 148


@pytest.mark.parametrize(
    ("said", "colour"),
    [("gray", "gray"), ("DarkBlue", "darkblue"), ("#fff", "#fff"), ("#12abEF", "#12abEF")],
)
def test_a_marker_may_be_a_word_or_a_number(said, colour):
    assert css_colour(said) == colour


@pytest.mark.parametrize(
    "said",
    [
        *(
            "red;background:url(http://x)",
            "#ff",
            "#12345",
            "#gggggg",
            "rgb(1,2,3)",
            "",
            "x" * 21,
            "expression",
            "inherit",
        ),
        *("gray\n", " gray", "var(--x)", "\x1b[31m", None, 3, b"gray", ("gray",)),
    ],
)
def test_a_marker_may_be_nothing_else(said):
    assert css_colour(said) is None


@given(
    st.one_of(
        st.sampled_from(sorted(WORDS)),
        st.from_regex(r"#?[0-9a-fA-F]{3,6}", fullmatch=True),
        st.text(),
    )
)
def test_plotly_takes_what_comes_out(text):
    go.Scatter(line={"color": css_colour(text) or "gray"})
