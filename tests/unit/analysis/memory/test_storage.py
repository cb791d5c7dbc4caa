"""Operands whose bytes an output takes over."""

import numpy as np
import pytest

from analysis.memory.storage import in_place_pairs
from tests.support.memory import block, blocks, failed


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([block("a", 0, 2, 64), block("b", 1, 3, 64)], True),
        ([block("a", 0, 2, 64), block("b", 1, 3, 128)], False),
        ([block("a", 0, 2, 64), block("b", 0, 3, 64)], False),
        ([block("a", 0, 2, 64, hold=True), block("b", 1, 3, 64)], False),
        ([failed("a", 0, 2), failed("b", 1, 3)], False),
        ([block("a", 0, 2), block("b", 1, 3)], False),
    ],
)
def test_an_output_takes_over_the_bytes_at_its_own_address(rows, expected):
    rows = [row | {"kind": "activation"} for row in rows]
    pairs = in_place_pairs(blocks(rows), np.array([0]), np.array([1]))
    assert pairs.tolist() == [expected]
