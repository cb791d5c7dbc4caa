import pytest

from analysis.tiling.findings import tiling_findings
from schema.frames import complete


def frames(moved, copies):
    block = {
        "attempt": [0],
        "block": [0],
        "level": ["L1"],
        "kind": ["variable"],
        "status": ["placed"],
    }
    transfer = {
        "attempt": [0],
        "step": [3],
        "operand": ["data_in"],
        "name": ["x"],
        "direction": ["in"],
    }
    return {
        "attempts": complete("attempts", {"attempt": [0]}),
        "allocations": complete(
            "allocations", block | {"name": ["x"], "size": [576], "start": [3], "end": [4]}
        ),
        "tiles": complete("tiles", {"attempt": [0], "block": [0], "step": [3], "copies": [copies]}),
        "transfers": complete(
            "transfers", transfer | {"tile": [0], "tiles": [2], "bytes": [moved], "commands": [1]}
        ),
    }


@pytest.mark.parametrize(("moved", "copies"), [(637, 1), (349, 2), (637, None)])
def test_a_transfer_that_runs_over_its_block_is_found(moved, copies):
    (found,) = tiling_findings(frames(moved, copies))
    assert (found.severity, found.code, found.location, found.count) == (
        "error",
        "transfer_too_large",
        "level L1",
        1,
    )
    assert "61 bytes" in found.message


@pytest.mark.parametrize(("moved", "copies"), [(576, 1), (288, 2), (576, None)])
def test_a_transfer_that_fits_is_none(moved, copies):
    assert tiling_findings(frames(moved, copies)) == []
    assert tiling_findings({}) == []
