"""The numbers of operations: the reader's table against the one that captures are written with."""

import pytest

from data_loaders.tinygrad.versions import RELEASES
from samples.tinygrad_operations import OPERATION_NUMBERS, operation_number
from samples.tinygrad_operations import RELEASES as WRITTEN


@pytest.mark.parametrize("release", WRITTEN)
@pytest.mark.parametrize("name", OPERATION_NUMBERS)
def test_reader_and_writer_were_told_the_same_number(name, release):
    try:
        number = operation_number(name, release)
    except ValueError:
        assert name not in RELEASES[release]
    else:
        assert RELEASES[release][number - 1] == name


def test_an_operation_of_another_release_cannot_be_written():
    with pytest.raises(ValueError, match=r"0\.14 has no operation DEFINE_GLOBAL"):
        operation_number("DEFINE_GLOBAL", "0.14")
