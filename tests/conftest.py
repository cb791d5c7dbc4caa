"""Settings of every test."""

from pathlib import Path

import pytest
from coverage import Coverage
from hypothesis import settings

# A machine under load is slow, not wrong. What `make test` says of a commit never changes; `make fuzz` explores.
settings.register_profile("tilescope", deadline=None, derandomize=True, max_examples=25)
settings.register_profile("fuzz", deadline=None, max_examples=2000)
settings.load_profile("tilescope")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Measure coverage by the tests that state their inputs: those that draw them do the same lines many times over."""
    coverage = Coverage.current()
    if coverage is None or item.get_closest_marker("hypothesis") is None:
        return (yield)
    coverage.stop()
    try:
        return (yield)
    finally:
        coverage.start()


@pytest.fixture(scope="session")
def samples() -> Path:
    """The folder of the samples of every source."""
    return Path(__file__).resolve().parents[1] / "samples"
