"""Threads that are made late: those of the background, in the steps of the mode."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CODE = """
import sys
import threading
from tests.support import late_threads

delays = []
late_threads._sleep = delays.append
late_threads.install(sys.argv[1], is_child=False)
begun = []
threading.Event().set()
print(len(delays))
thread = threading.Thread(target=lambda: begun.append(len(delays)))
thread.start()
thread.join()
print(begun[0], len(delays))
"""


@pytest.mark.parametrize(("mode", "at_begin", "at_end"), [("before", 1, 1), ("after", 1, 2)])
def test_a_thread_is_late_before_or_after_its_steps_and_the_main_thread_never(
    mode, at_begin, at_end
):
    done = subprocess.run(
        [sys.executable, "-c", CODE, mode], cwd=ROOT, check=True, capture_output=True, text=True
    )
    # one step that `after` delays tells that the thread has started
    assert [*map(int, done.stdout.split())] == [0, at_begin, at_end]
