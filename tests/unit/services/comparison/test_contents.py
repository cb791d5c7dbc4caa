"""Runs without numbers to compare."""

from types import SimpleNamespace

import pytest

from services.comparison.compare import CompareError, compare_loaded
from services.run.capabilities import Capability


def run_with(*capabilities):
    contents = SimpleNamespace(can=lambda *needs: {*needs} <= {*capabilities})
    return SimpleNamespace(
        stored=SimpleNamespace(run_id="f" * 64), run_frames=SimpleNamespace(contents=contents)
    )


@pytest.mark.parametrize("capabilities", [(), (Capability.TIMELINE,)])
def test_a_run_without_numbers_is_refused_in_a_sentence(capabilities):
    run = run_with(*capabilities)
    with pytest.raises(CompareError, match="f" * 12):
        compare_loaded([run], [run], {})
