import pandas as pd
import pytest

from analysis.derive import derive
from analysis.headline import headline
from analysis.kernels.breakdown import device_breakdown
from analysis.kernels.device_spans import device_spans
from analysis.kernels.headline import profile_headline
from analysis.kernels.steps import find_steps
from data_loaders.tinygrad.run import read_run
from samples.tinygrad_capture import START, training
from samples.tinygrad_writer import Maker
from schema.diagnostics import diagnostics_frame
from schema.frames import FRAMES
from schema.metrics import METRICS
from tests.support.kineto_trace import kernel, load_trace, two_steps
from tests.support.profiles import kernels, run, tracks


def numbers_of(maker, rewrites=None):
    """Return the headline of a capture as the catalogue keeps it, without what there is no number of."""
    reading = read_run(maker.profile(), rewrites, strip=False)
    row = (
        {column.name: None for column in FRAMES["run"].columns}
        | reading.metadata
        | {"source": "tinygrad"}
    )
    stored = {
        **reading.frames,
        "run": pd.DataFrame([row]),
        "diagnostics": diagnostics_frame(reading.findings),
    }
    made = headline({**stored, **derive(stored)})
    assert list(made) == list(METRICS)
    return {name: value for name, value in made.items() if value is not None}


def test_the_busiest_device_counts_and_copies_do_not():
    runs = [
        run(start=0, duration=10),
        run(start=5, duration=10),
        run(track="B", start=20, duration=40),
    ]
    runs.append(run("copy", 0, 90, track="C", copy=True))
    made = profile_headline({"kernels": kernels(*runs), "tracks": tracks("CPU", "B", "C")})
    assert made == {"kernels": 3, "busy_share": 0.4, "kernel_time": 60, "flops_total": None}


def test_operations_are_taken_over_the_time_of_the_kernels_whose_are_known():
    runs = [
        run(duration=1000, operations=2000),
        run(start=5000, duration=3000, operations=1000),
        run(start=9000),
    ]
    assert profile_headline({"kernels": kernels(*runs), "tracks": tracks("CPU")})[
        "flops_total"
    ] == pytest.approx(3000 / 4e-6)


def test_a_profile_without_timed_kernels_says_none_and_not_nothing():
    assert profile_headline({"kernels": kernels(), "tracks": tracks("USER")}) == {"kernels": 0}


def test_devices_have_a_peak_each_and_one_together():
    maker = Maker().alloc("A", 0, 100, START).alloc("B", 1, 50, START + 1).free("A", 0, START + 10)
    maker.alloc("B", 2, 30, START + 20).range("A", "k", START + 2, START + 30)
    made = numbers_of(maker)
    assert (made["peak_memory"], made["peak_memory_sum"]) == (400, 600)


def test_what_is_freed_makes_way_at_the_same_moment():
    maker = (
        Maker().alloc("A", 0, 100, START).free("A", 0, START + 10).alloc("B", 1, 100, START + 10)
    )
    made = numbers_of(maker.range("A", "k", START, START + 20))
    assert (made["peak_memory"], made["peak_memory_sum"]) == (400, 400)


@pytest.mark.slow
def test_a_training_run_has_the_numbers_of_a_profile_alone():
    maker = training(steps=3, size=8)
    made = numbers_of(maker, maker.rewrites())
    assert set(made) == {
        *(
            "kernels",
            "busy_share",
            "kernel_time",
            "flops_total",
            "peak_memory",
            "peak_memory_sum",
            "findings",
        ),
        "step_time",
    }
    # per step two kernels of 10.25 us each by themselves, then 5 us and 4 us in a graph
    assert made["kernels"] == 12
    assert made["kernel_time"] == 3 * (2 * 10_250 + 5_000 + 4_000)
    assert 0 < made["busy_share"] < 1


def test_without_rewrites_there_are_no_operations():
    assert "flops_total" not in numbers_of(training(steps=1))


def test_shares_of_a_device_are_those_of_its_breakdown(tmp_path):
    frames = load_trace(tmp_path, two_steps()).frames
    made = profile_headline(frames)
    names = ("busy", "compute", "idle", "communication_exposed")
    shares = {name: made[f"{name}_share"] for name in names}
    (spans,) = device_spans(frames["kernels"], frames["tracks"])
    split = device_breakdown(spans, find_steps(frames).windows).counted
    assert shares == {name: split.share(name) for name in shares}
    assert shares == {"busy": 0.4, "compute": 0.3, "idle": 0.6, "communication_exposed": 0.1}


def test_copies_alone_keep_a_device_busy(tmp_path):
    entries = [kernel("Memcpy HtoD", 0, 30, cat="gpu_memcpy")]
    entries.append(kernel("Memcpy HtoD", 70, 30, cat="gpu_memcpy"))
    made = profile_headline(load_trace(tmp_path, entries).frames)
    assert (made["kernels"], made["busy_share"]) == (0, 0.6)
