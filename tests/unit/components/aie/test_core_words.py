"""Words for timed and traced cores."""

import pandas as pd

from components.aie.core_words import timed_cores_text, traced_cores
from tests.support.numbers_in_text import numbers_in


def test_cores_that_are_left_out_are_counted():
    assert timed_cores_text(4, 4) == "4 cores"
    assert timed_cores_text(1, 1) == "1 core"
    assert numbers_in(timed_cores_text(3, 4)) == ["3", "4"]


def test_only_cores_are_counted():
    tracks = pd.DataFrame({"track": list("abcd"), "kind": ["core", "memtile", "core", "shim"]})
    assert traced_cores(tracks) == 2
