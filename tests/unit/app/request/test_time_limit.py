"""Limits of processor time: of a view, of a page around it, none where nobody armed them."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[4]
_CODE = """
import time
from app.request.time_limit import (
    TimeLimitError, arm_time_limits, limit_part, limit_processor_time,
)

def spin():
    while True:
        sum(range(1000))

def ends(seconds, inner=None):
    try:
        with limit_processor_time(seconds):
            if inner is None:
                spin()
            inner()
    except TimeLimitError:
        return True
    return False

with limit_processor_time(0.000001):
    sum(range(10**6))  # nobody armed it
arm_time_limits()
assert ends(0.1)
assert not ends(30, lambda: ends(0.1)), "the outer one is not due yet"
inner = []
assert ends(0.2, lambda: (inner.append(ends(30)), spin())), "the outer one is due although the inner one is not"
assert not ends(0.2, lambda: None)
sum(range(3 * 10**7))  # nothing is left running
stopped = []
def part(seconds):
    begin = time.process_time()
    try:
        with limit_part(seconds):
            spin()
    except TimeLimitError:
        stopped.append(time.process_time() - begin)
assert not ends(4, lambda: [part(30) for _ in range(5)]), "parts leave time for the parts after them"
assert len(stopped) == 5 and stopped == sorted(stopped, reverse=True), stopped
part(0.1)
assert len(stopped) == 6, "a part alone has its own limit"
try:
    with limit_processor_time(0.1):
        try:
            spin()
        except Exception:
            raise SystemExit("a handler of failures took it")
except TimeLimitError:
    print("held")
"""


@pytest.mark.slow
def test_limits_nest_and_pass_handlers_of_failures():
    done = subprocess.run(
        [sys.executable, "-c", _CODE], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "held", done.stderr
