import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.contrast import blend, choose_ink, contrast

COLOURS = st.integers(0, 0xFFFFFF).map("#{:06x}".format)


def test_contrast_is_that_of_wcag():
    assert contrast("#000000", "#ffffff") == 21
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@given(COLOURS, COLOURS, st.floats(0, 1))
def test_ink_reads_on_every_colour_of_every_opacity(colour, ground, opacity):
    assert contrast(choose_ink(colour, ground, opacity), blend(colour, ground, opacity)) >= 4.5


def test_colours_of_scales_are_known_too():
    assert choose_ink("rgb(254, 232, 56)") == choose_ink("#fee838") == "#000000"
    assert choose_ink("rgb(0, 34, 78)") == "#ffffff"
    assert choose_ink("#00224e", "#ffffff", 0.2) == "#000000"
