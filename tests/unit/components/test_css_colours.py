from __future__ import annotations

import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.css_colours import css_colour


@pytest.mark.parametrize("text", ["red", "MidnightBlue", "#12f", "#A1b2C3", "LightGoldenrodYellow", "gray"])
def test_colours_of_css_are_taken(text: str) -> None:
    taken = css_colour(text, "gray")
    assert taken.lower() == text.lower()
    go.Scatter(line={"color": taken})


@pytest.mark.parametrize(
    "text", ["", "reddish", "#12", "#12345g", "red;x:url(y)", "rgb(1,2,3)", "url(#a)", None, 7, "red\n"]
)
def test_anything_else_is_not(text: object) -> None:
    assert css_colour(text, "gray") == "gray"


@given(st.text(max_size=12))
def test_plotly_takes_what_comes_out(text: str) -> None:
    go.Scatter(line={"color": css_colour(text, "gray")})
