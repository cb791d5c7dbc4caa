"""Chips of what is selected: one for each part, and one for all of several."""

import pytest

from app.pages.chips import EVERY_PART, selection_chips
from app.views.comparison.registry import COMPARE
from app.views.registry import RUN


@pytest.mark.parametrize("screen", [RUN, COMPARE], ids=lambda screen: screen.name)
@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ({}, []),
        ({"track": "core"}, ["track"]),
        ({"track": "core", "a": "b"}, ["track", "a", EVERY_PART]),
    ],
)
def test_each_part_has_a_chip_and_several_have_one_for_all(screen, words, parts):
    ids = [chip.id for chip in selection_chips(screen, words)]
    assert ids == [{"type": f"{screen.name}-clear", "part": part} for part in parts]
