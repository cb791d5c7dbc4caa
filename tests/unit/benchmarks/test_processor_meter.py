"""Processor time of processes of which some end while it is metered."""

import os
import time
from types import SimpleNamespace

from benchmarks.processor_meter import metered


def test_the_time_of_a_process_that_has_ended_counts():
    running = [os.getpid()]
    with metered(SimpleNamespace(process_ids=lambda: list(running))) as meter:
        until = time.process_time() + 0.05
        while time.process_time() < until or not meter.seconds:
            pass
        running.clear()
    assert meter.seconds > 0
