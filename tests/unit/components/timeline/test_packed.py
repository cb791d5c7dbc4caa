import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.timeline.packed import pack_flags, pack_numbers
from tests.support.timeline_bars import flags, numbers

WHOLE = st.lists(st.integers(0, 2**62))


@given(WHOLE)
def test_numbers_come_back(values):
    assert numbers(pack_numbers(np.array(values, np.int64))) == values


def test_a_small_number_takes_a_byte():
    assert len(pack_numbers(np.full(300, 127))) == 400
    assert len(pack_numbers(np.full(300, 128))) == 800


def test_the_bytes_are_leb128():
    assert pack_numbers(np.array([0, 127, 128, 16_383, 16_384, 300])) == "AH+AAf9/gIABrAI="


def test_a_negative_number_is_refused():
    with pytest.raises(ValueError, match="0 or more"):
        pack_numbers(np.array([3, -1]))


@given(st.lists(st.booleans()))
def test_flags_come_back(values):
    assert flags(pack_flags(np.array(values, bool)), len(values)) == values


def test_flags_that_are_all_unset_take_nothing():
    assert pack_flags(np.zeros(9, bool)) == ""
