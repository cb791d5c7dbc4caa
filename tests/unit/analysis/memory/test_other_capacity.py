"""Another capacity of memory levels: which levels it is of, and what becomes of their banks."""

import pytest

from analysis.memory.other_capacity import with_capacity, without_capacity
from schema.run_settings import SettingError
from tests.support.memory import attempts


def several(*capacities):
    levels = [f"L{at + 1}" for at in range(len(capacities))]
    return attempts(len(levels), level=levels, capacity=list(capacities))


def test_the_bank_size_stays_and_the_number_of_banks_follows():
    found = with_capacity(attempts(capacity=256, banks=4, bank_bytes=64), "512").iloc[0]
    assert (found["capacity"], found["banks"], found["bank_bytes"]) == (512, 8, 64)


def test_bytes_that_are_no_whole_banks_have_none():
    found = with_capacity(attempts(capacity=256, banks=4, bank_bytes=64), "500B").iloc[0]
    assert found["capacity"] == 500
    assert found[["banks", "bank_bytes"]].isna().all()


def test_of_several_levels_those_of_unknown_size_get_it():
    found = with_capacity(several(64, None, None), "1KiB")
    assert found["capacity"].tolist() == [64, 1024, 1024]
    with pytest.raises(SettingError, match="L1, L2"):
        with_capacity(several(64, 128), "1KiB")


def test_the_rest_of_the_settings_has_no_capacity():
    assert without_capacity({"capacity": "8", "hwid": "x"}) == {"hwid": "x"}
