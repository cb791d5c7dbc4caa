"""What Hypothesis draws depends on the test alone, in `make fuzz` on chance too."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CONSTANTS = (
    "VALUES = ["
    + ", ".join(f"{number}.125, {number}, 'text {number}'" for number in range(1000, 1100))
    + "]"
)
DRAWS = """
import json
from hypothesis import given, settings, strategies as st
from tests.support.drawn_inputs import register_profiles

{before}
register_profiles()
settings.load_profile({profile!r})
drawn = []


@settings(max_examples=300)
@given(st.tuples(st.floats(allow_nan=False), st.integers(), st.text(max_size=8), st.binary(max_size=8)))
def test(values):
    drawn.append(repr(values))


test()
print(json.dumps(drawn))
"""


@pytest.fixture
def draw(tmp_path):
    """Draw in a process of its own, in a folder that has another module of the project's."""
    (tmp_path / "constants.py").write_text(CONSTANTS)

    def drawn(profile="tilescope", before="", **environment):
        (tmp_path / "draws.py").write_text(DRAWS.format(before=before, profile=profile))
        paths = os.pathsep.join((str(ROOT), str(tmp_path)))
        ran = subprocess.run(
            [sys.executable, "draws.py"],
            check=False,
            cwd=tmp_path,
            env={"PATH": os.environ["PATH"], "PYTHONPATH": paths, **environment},
            capture_output=True,
            text=True,
        )
        assert ran.returncode == 0, ran.stderr
        return json.loads(ran.stdout)

    return drawn


@pytest.mark.slow
def test_nothing_is_drawn_by_chance(draw):
    first = draw(PYTHONHASHSEED="1")
    assert len(first) == 300
    assert draw(PYTHONHASHSEED="2") == first
    assert draw(CI="true") == first
    assert draw(HYPOTHESIS_STORAGE_DIRECTORY="elsewhere") == first


@pytest.mark.slow
def test_modules_that_are_imported_change_no_input(draw):
    assert draw(before="import constants") == draw()


@pytest.mark.slow
@pytest.mark.parametrize("environment", [{}, {"CI": "true"}])
def test_fuzz_draws_others_each_time(draw, environment):
    assert draw("fuzz", **environment) != draw("fuzz", **environment)
