"""Operators as the frames of a run have them: views in place, constants, and what the code adds."""

import pytest

from analysis.tiling.deeploy.operators import operators
from tests.support.deeploy_loading import load
from tests.support.deeploy_net import TOY, moved
from tests.support.deeploy_run import run_log, write_run

REPORT = f"({0:>10,} + {TOY.levels['L1'].arena:>10,})"
_FRAMES = ("tilings", "tiles", "transfers", "attempts", "allocations", "steps")


def reshape(tmp_path, net=TOY, log=None):
    """Return the operator of step 1, a view of 64 bytes, at L1."""
    folder = write_run(tmp_path / "toy", net)
    if log is not None:
        (folder / "run.log").write_text(log)
    run = load(folder)
    found = operators({name: run.frames[name] for name in _FRAMES})
    return next(one for one in found if (one.level, one.step) == ("L1", 1))


@pytest.mark.parametrize(("place", "used"), [((64, 128), 128), ((0, 64), 64), ((32, 96), 128)])
def test_a_view_in_the_bytes_of_its_source_takes_none(tmp_path, place, used):
    blocks = tuple(
        (name, first, last, *place)
        if (name, first) == ("t1", 1)
        else (name, first, last, low, high)
        for name, first, last, low, high in TOY.levels["L1"].blocks
    )
    operator = reshape(tmp_path, moved(TOY, "L1", blocks=blocks))
    assert (operator.bytes, operator.held_bytes) == (used, 128)


@pytest.mark.slow
def test_static_bytes_of_the_report_are_apart_from_the_constants(tmp_path):
    assert REPORT in run_log()
    log = run_log().replace(REPORT, f"({86:>10,} + {TOY.levels['L1'].arena:>10,})")
    operator = reshape(tmp_path, log=log)
    assert (operator.static, operator.added_static) == (0, 86)


@pytest.mark.slow
def test_constants_of_a_level_count(tmp_path):
    operator = reshape(tmp_path, moved(TOY, "L1", constants=(("w3", 640),)))
    assert (operator.static, operator.added_static) == (640, 0)
