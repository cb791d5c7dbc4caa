import pytest

from analysis.derive import derive
from analysis.headline import headline
from schema.metrics import METRICS
from tests.support.gemm_trace import END, MACS_PER_KERNEL, Core, frames, settings

SPAN = 8 * 100 + 7 * 10


def derived(*cores, method="robust", given=None):
    """Return the stored frames of a capture, and what the analysis makes of them."""
    stored = frames(*cores, given=given)
    return stored | derive(stored, method)


def test_every_metric_of_a_plain_run():
    core = Core().run(4)
    core.span("INSTR_VECTOR", 1, 1001).span("MEMORY_STALL", 5, 105)
    made = headline(derived(core))
    assert list(made) == list(METRICS)
    window = core.now - 11
    rate = 8 * MACS_PER_KERNEL * 1.25 / SPAN
    assert {name: value for name, value in made.items() if value is not None} == {
        "gmacs_mean": pytest.approx(rate),
        "gmacs_mean_by_span": pytest.approx(rate),
        "gmacs_best": pytest.approx(rate),
        "gmacs_worst": pytest.approx(rate),
        "utilization": pytest.approx(8 * MACS_PER_KERNEL / SPAN / 64),
        "kernel_utilization": pytest.approx(MACS_PER_KERNEL / 100 / 64),
        "kernels": 32.0,
        "left_out": 0.0,
        "median_kernel": 100.0,
        "mean_kernel": 100.0,
        "p95_kernel": 100.0,
        "iterations_complete": 4.0,
        "lock_stall_share": 0.0,
        "memory_stall_share": 0.0,
        "slack_share": 0.0,
        "vector_share": pytest.approx(1000 / window),
        "cores_traced": 1.0,
        "findings": 0.0,
    }


def test_an_empty_capture_has_no_numbers_but_counts():
    made = headline(derived(Core(kind="mem").run(1)))
    assert {name for name, value in made.items() if value is not None} == {
        "kernels",
        "left_out",
        "iterations_complete",
        "cores_traced",
        "findings",
    }
    assert made["findings"] == 1.0


def test_the_mean_is_total_work_over_total_time():
    core = (
        Core()
        .iteration()
        .pause()
        .iteration()
        .pause()
        .iteration(duration=190)
        .pause()
        .iteration()
        .pause()
    )
    made, theirs = headline(derived(core)), headline(derived(core, method="reference"), "reference")
    times = [SPAN, 8 * 190 + 70, SPAN]
    work = 8 * MACS_PER_KERNEL
    assert made["gmacs_mean"] == pytest.approx(3 * work * 1.25 / sum(times))
    assert theirs["gmacs_mean"] == pytest.approx(sum(work * 1.25 / time for time in times) / 3)
    assert made["gmacs_best"] == pytest.approx(work * 1.25 / SPAN)
    assert made["gmacs_worst"] == pytest.approx(work * 1.25 / times[1])


def test_only_complete_perf_iterations_with_the_most_cores_are_measured():
    quick = Core("2,0").iteration(duration=70).pause().run(3)
    cut = Core("3,0").run(4)
    made = headline(derived(quick, cut.cut(cut.ran[3][0][1])))
    assert (
        made["gmacs_best"]
        == made["gmacs_worst"]
        == pytest.approx(16 * MACS_PER_KERNEL * 1.25 / (SPAN + 240))
    )


def test_kernels_left_out_and_findings_are_counted():
    made = headline(derived(Core().run(4).lose(END, 3)))
    assert (made["kernels"], made["left_out"], made["findings"]) == (31.0, 1.0, 1.0)


def test_without_sizes_there_are_no_rates():
    made = headline(derived(Core().run(4), given={}))
    assert made["gmacs_mean"] is None
    assert made["utilization"] is None
    assert made["kernel_utilization"] is None
    assert made["median_kernel"] == 100.0


def test_without_perf_iterations_there_is_no_mean():
    made = headline(derived(Core().run(1), given=settings(warmup=3)))
    assert made["gmacs_mean"] is None
    assert made["iterations_complete"] == 1.0
