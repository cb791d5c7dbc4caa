import re

import pytest

from analysis.tiling.deeploy.capacity_note import capacity_note
from analysis.tiling.deeploy.network import plan_levels
from tests.unit.analysis.tiling.deeploy.test_choices import own
from tests.unit.analysis.tiling.deeploy.test_network import planned

NEED = own().bytes


def note(added, **known):
    known["added_static"] = added
    (level,) = plan_levels([planned(**known), planned(step=1, op_type="Relu", **known)])
    return re.findall(r"\d+", capacity_note(level))


@pytest.mark.parametrize(("capacity", "added"), [(None, 9), (NEED, 0), (NEED + 9, 9)])
def test_a_capacity_that_is_large_enough_has_no_note(capacity, added):
    assert note(capacity=capacity, added=added) == []


def test_static_bytes_of_the_code_may_not_fit():
    numbers = note(capacity=NEED + 4, added=9)
    assert [int(number) for number in numbers if int(number) > 2] == [NEED + 9, 5, NEED + 4, 9]


def test_operators_that_do_not_fit_are_named_first():
    numbers = note(capacity=NEED - 1, added=9)
    assert numbers[:3] == ["2", "2", str(NEED - 1)]
    assert str(NEED) in numbers
