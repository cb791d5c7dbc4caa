"""Processor time of processes that end while it is measured."""

import os
import time
from types import SimpleNamespace

from benchmarks.processor_meter import measure_processor


def test_the_time_of_a_process_that_has_ended_counts():
    running = [os.getpid()]
    with measure_processor(SimpleNamespace(process_ids=lambda: list(running))) as meter:
        until = time.process_time() + 0.05
        while time.process_time() < until or not meter.seconds:
            pass
        running.clear()
    assert meter.seconds > 0
