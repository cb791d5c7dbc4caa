import pytest

from schema.frames import FRAMES
from tests.support.gemm_trace import MACS_PER_KERNEL, Core, derived, settings

SPAN = 8 * 100 + 7 * 10


def rows(made, track="system"):
    return made["iterations"][made["iterations"]["track"] == track].reset_index(drop=True)


def test_a_core_has_a_row_per_iteration_and_the_system_one_for_all():
    made = derived(Core("2,0").run(4), Core("3,0").run(4))
    assert list(made["iterations"].columns) == FRAMES["iterations"].names
    assert (
        made["iterations"]["track"].astype("str").tolist()
        == ["core 2,0"] * 4 + ["core 3,0"] * 4 + ["system"] * 4
    )
    first = rows(made, "core 3,0").iloc[1].to_dict()
    assert first == {
        "track": "core 3,0",
        "iteration": 1,
        "phase": "perf",
        "kernels": 8,
        "measured": 8,
        "expected": 8,
        "average": 100.0,
        "minimum": 100,
        "maximum": 100,
        "kernel_ticks": 800,
        "span": SPAN,
        "elapsed": SPAN,
        "first_start": 5891,
        "last_end": 5891 + SPAN,
        "complete": True,
        "work_macs": 8.0 * MACS_PER_KERNEL,
        "gmacs_per_s": pytest.approx(8 * MACS_PER_KERNEL * 1.25 / SPAN),
        "utilization": pytest.approx(8 * MACS_PER_KERNEL / SPAN / 64),
        "cores": 1,
        "slice": "",
    }


def test_the_system_adds_work_and_takes_from_the_earliest_start_to_the_latest_end():
    made = derived(Core("2,0").run(4), Core("3,0", now=101).run(4, duration=120))
    row = rows(made).iloc[0].to_dict()
    assert (row["kernels"], row["measured"], row["expected"], row["cores"]) == (16, 16, 16, 2)
    assert (row["minimum"], row["maximum"], row["average"], row["kernel_ticks"]) == (
        100,
        120,
        110.0,
        1760,
    )
    assert (row["first_start"], row["last_end"]) == (1, 101 + 8 * 120 + 70)
    assert (row["span"], row["elapsed"]) == (8 * 120 + 70, 100 + 8 * 120 + 70)
    assert row["work_macs"] == 16 * MACS_PER_KERNEL
    assert row["gmacs_per_s"] == pytest.approx(16 * MACS_PER_KERNEL * 1.25 / row["elapsed"])
    assert row["utilization"] == pytest.approx(16 * MACS_PER_KERNEL / (row["elapsed"] * 64 * 2))


def test_phases_follow_the_settings():
    made = derived(Core().run(6), given=settings(iterations=4))
    assert rows(made)["phase"].astype("str").tolist() == [
        "warmup",
        "perf",
        "perf",
        "perf",
        "extra",
        "extra",
    ]


def test_a_partial_iteration_is_credited_with_its_kernels_and_is_not_complete():
    core = Core().run(4)
    made = derived(core.cut(core.ran[3][2][1]))
    last = rows(made, "core 2,0").iloc[3]
    assert (last["complete"], last["kernels"], last["work_macs"]) == (False, 3, 3 * MACS_PER_KERNEL)
    assert last["gmacs_per_s"] == pytest.approx(3 * MACS_PER_KERNEL * 1.25 / last["span"])
    assert not rows(made)["complete"].iloc[3]


def test_an_iteration_whole_on_some_cores_rests_on_those():
    cut = Core("3,0").run(4)
    made = derived(Core("2,0").run(4), cut.cut(cut.ran[3][2][1]))
    last = rows(made).iloc[3]
    assert (last["complete"], last["cores"], last["work_macs"]) == (True, 1, 8 * MACS_PER_KERNEL)


def test_without_sizes_there_are_times_and_no_rates():
    made = derived(Core().run(4), given={})
    assert rows(made)["span"].tolist() == [SPAN] * 4
    assert rows(made)[["work_macs", "gmacs_per_s", "utilization"]].isna().all().all()
    assert rows(made)["expected"].tolist() == [8] * 4
    assert rows(made)["phase"].astype("str").unique().tolist() == ["perf"]


def test_without_a_tiling_a_partial_iteration_is_credited_by_the_kernels_of_a_whole_one():
    core = Core().run(4)
    made = derived(core.cut(core.ran[3][2][1]), given=settings(m=None, k=None, n=None))
    work = rows(made, "core 2,0")["work_macs"]
    assert work.tolist()[:3] == [8 * MACS_PER_KERNEL] * 3
    assert 0 < work.iloc[3] < 8 * MACS_PER_KERNEL
    assert work.iloc[3] % MACS_PER_KERNEL == 0


def test_a_lost_marker_leaves_its_kernel_in_the_count_but_not_in_the_durations():
    made = derived(Core().run(4).lose("INSTR_EVENT_1", 7))
    first = rows(made, "core 2,0").iloc[0]
    assert (first["kernels"], first["measured"], first["kernel_ticks"], first["complete"]) == (
        8,
        7,
        700,
        True,
    )
    assert (first["first_start"], first["last_end"]) == (1, 871)


def test_an_iteration_whose_kernels_all_lost_a_marker_has_no_average():
    core = Core().run(4, kernels=2).lose("INSTR_EVENT_1", 2, 3)
    made = derived(core, given=settings(kernels=2))
    row = rows(made, "core 2,0").iloc[1]
    assert (row["kernels"], row["measured"]) == (2, 0)
    assert row[["average", "minimum", "maximum"]].isna().all()
    assert rows(made)["average"].isna().tolist() == [False, True, False, False]


def test_clock_and_peak_scale_rates():
    slow = derived(Core().run(4))
    quick = derived(Core().run(4), given=settings(clock_hz="2.5GHz", peak_macs_per_cycle=128))
    assert rows(quick)["gmacs_per_s"].tolist() == pytest.approx(
        (2 * rows(slow)["gmacs_per_s"]).tolist()
    )
    assert rows(quick)["utilization"].tolist() == pytest.approx(
        (rows(slow)["utilization"] / 2).tolist()
    )


def test_no_core_no_iterations():
    assert len(derived(Core(kind="mem").run(2))["iterations"]) == 0
