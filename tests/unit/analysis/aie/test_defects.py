"""What the robust method repairs of the reference script's numbers, a test per defect."""

import json

import numpy as np
import pytest

from analysis.derive import derive
from analysis.headline import headline
from data_loaders.aie.trace_entries import read_entries
from data_loaders.reading.json_entries import BLOCK_BYTES
from tests.support.gemm_trace import (
    END,
    LOCK,
    MACS_PER_KERNEL,
    START,
    TILE,
    Core,
    derived,
    entries,
    frames,
    load,
    run_frame,
    settings,
)


def core_rows(made, track="core 2,0"):
    return made["iterations"][made["iterations"]["track"] == track]


def system_rows(made):
    return core_rows(made, "system")


def reports(made, code):
    return code in set(made["diagnostics"]["code"])


def spans(core):
    """Return (first start, last end) of the iterations that ran."""
    return [[done[0][0], done[-1][1]] for done in core.ran]


def measured_spans(made, track="core 2,0"):
    return core_rows(made, track)[["first_start", "last_end"]].to_numpy().tolist()


@pytest.mark.slow
def test_d1_a_lost_end_marker_costs_one_kernel():
    core = Core().run(20, kernels=40)
    for rank in range(40, 800, 100):
        core.lose(END, rank)
    given = settings(kernels=40, iterations=20)
    made, theirs = derived(core, given=given), derived(core, given=given, method="reference")
    lost = 8
    assert theirs["kernels"]["kept"].sum() < 410
    assert made["kernels"]["kept"].sum() == 800 - lost
    assert (made["kernels"]["reason"] == "end marker lost").sum() == lost
    assert (core_rows(made)["kernels"] == 40).all()
    assert core_rows(made)["complete"].all()
    assert measured_spans(made) == spans(core)
    assert reports(made, "markers_lost")


@pytest.mark.parametrize("marker", [START, END])
def test_d1_lost_markers_of_either_kind_leave_the_iterations_whole(marker):
    core = Core().run(4).lose(marker, 3, 12, 20)
    made = derived(core)
    assert core_rows(made)["kernels"].tolist() == [8] * 4
    assert core_rows(made)["measured"].tolist() == [7, 7, 7, 8]
    assert core_rows(made)["complete"].all()


@pytest.mark.slow
def test_d2_a_partial_last_iteration_is_credited_with_its_kernels_and_never_best():
    core = Core().run(4)
    core.cut(core.ran[3][2][1])
    made, theirs = derived(core), derived(core, method="reference")
    assert core_rows(made)["complete"].tolist() == [True, True, True, False]
    assert core_rows(made)["work_macs"].tolist() == [8 * MACS_PER_KERNEL] * 3 + [
        3 * MACS_PER_KERNEL
    ]
    assert headline(made)["gmacs_best"] < 1.01 * headline(made)["gmacs_worst"]
    assert headline(theirs)["gmacs_best"] > 2 * headline(theirs)["gmacs_worst"]
    assert reports(made, "tail_cut")


def test_d3_an_opening_stall_is_no_iteration():
    core = Core().pause(20_000).run(4)
    made, theirs = derived(core), derived(core, method="reference")
    assert core_rows(theirs)["kernels"].tolist() == [0, 8, 8, 8, 8]
    assert core_rows(made)["kernels"].tolist() == [8] * 4
    assert core_rows(made)["phase"].astype("str").tolist() == ["warmup", "perf", "perf", "perf"]
    assert measured_spans(made) == spans(core)
    assert reports(made, "opening_stall")


def test_d4_utilisation_and_expected_kernels_are_there():
    made = derived(Core().run(4))
    rows = core_rows(made)
    assert rows["utilization"].to_numpy() == pytest.approx(
        8 * MACS_PER_KERNEL / (rows["span"] * 64).to_numpy(float)
    )
    assert (rows["expected"] == 8).all()
    assert headline(made)["kernel_utilization"] == pytest.approx(MACS_PER_KERNEL / (100 * 64))


def test_d5_back_to_back_kernels_are_all_kept():
    core = Core().run(4, gap=0)
    made, theirs = derived(core), derived(core, method="reference")
    assert theirs["kernels"]["kept"].sum() < 32
    assert made["kernels"]["kept"].sum() == 32
    assert core_rows(made)["complete"].all()


def test_d6_two_kinds_of_kernels_on_a_core_are_told_apart_and_kept():
    core = Core().run(4, kernels=8, duration=600, gap=40, clear=140, pause=30_000)
    made = derived(core)
    kept = made["kernels"][made["kernels"]["kept"]]
    assert kept["name"].value_counts().to_dict() == {"main": 32, "short": 8}
    assert kept.loc[kept["name"] == "main", "duration"].unique().tolist() == [600]
    assert kept.loc[kept["name"] == "short", "duration"].unique().tolist() == [140]
    assert core_rows(made)["kernels"].tolist() == [8] * 4
    assert measured_spans(made) == spans(core)


def test_d7_a_long_stall_inside_an_iteration_does_not_split_it():
    core = Core()
    for _ in range(4):
        core.iteration(4).pause(4_000)
        first = core.ran.pop()
        core.iteration(4).pause(5_000)
        core.ran[-1] = first + core.ran[-1]
    made, theirs = derived(core), derived(core, method="reference")
    assert len(core_rows(theirs)) == 8
    assert core_rows(made)["kernels"].tolist() == [8] * 4
    assert measured_spans(made) == spans(core)
    assert reports(made, "stall_inside")


@pytest.mark.parametrize("pause", [0, 1_900])
def test_d7_iterations_without_a_long_stall_between_are_split_by_count(pause):
    core = Core()
    for _ in range(4):
        core.iteration().pause(pause, stalled=pause > 0)
    made, theirs = derived(core), derived(core, method="reference")
    assert len(core_rows(theirs)) == 1
    assert measured_spans(made) == spans(core)
    assert reports(made, "boundary_by_count")


@pytest.mark.parametrize("markers", ["none", "starts only"])
def test_d8_a_dead_core_does_not_empty_the_aggregate(markers):
    dead = Core("3,0").pause(60_000)
    if markers == "starts only":
        for rank in range(32):
            dead.span(START, 700 * rank, 700 * rank + 1)
    cores = (Core("2,0").run(4), dead)
    made, theirs = derived(*cores), derived(*cores, method="reference")
    assert len(system_rows(theirs)) == 0
    assert system_rows(made)["cores"].tolist() == [1] * 4
    assert system_rows(made)["work_macs"].tolist() == [8 * MACS_PER_KERNEL] * 4
    assert reports(made, "no_kernels")


def test_d8_the_shortest_core_does_not_cut_the_window_for_all():
    short = Core("3,0").run(4)
    short.cut(short.ran[2][0][0])
    made = derived(Core("2,0").run(4), short)
    assert system_rows(made)["iteration"].tolist() == [0, 1, 2, 3]
    assert system_rows(made)["cores"].tolist() == [2, 2, 1, 1]
    assert headline(made)["gmacs_best"] is not None


@pytest.mark.slow
def test_d9_staggered_cores_are_no_faster_than_they_are():
    late = Core("3,0", now=401).run(4)
    cores = (Core("2,0").run(4), late)
    made, theirs = derived(*cores), derived(*cores, method="reference")
    span = 8 * 100 + 7 * 10
    assert system_rows(made)["span"].tolist() == [span] * 4
    assert system_rows(made)["elapsed"].tolist() == [span + 400] * 4
    assert headline(theirs, "reference")["gmacs_mean"] == pytest.approx(
        headline(made)["gmacs_mean_by_span"]
    )
    assert headline(made)["gmacs_mean"] < headline(made)["gmacs_mean_by_span"]
    assert reports(made, "cores_staggered")


def test_d10_kernels_left_out_are_counted_and_kernel_time_is_summed():
    core = Core().run(2).iteration(slow={3: 400}).pause().run(1)
    made = derived(core)
    rows = core_rows(made)
    assert rows["kernels"].tolist() == [8] * 4
    assert rows["measured"].tolist() == [8, 8, 7, 8]
    assert rows["kernel_ticks"].tolist() == [800, 800, 700, 800]
    assert rows["span"].tolist() == [870, 870, 1170, 870]
    left = made["kernels"][~made["kernels"]["kept"]]
    assert left["reason"].unique().tolist() == ["outside 1/3 to 3 medians"]
    assert reports(made, "kernels_outside")


@pytest.mark.parametrize("slow", [{0: 400}, {3: 400}, {0: 250}, {0: 400, 4: 400}, {7: 190}])
@pytest.mark.parametrize("known", [True, False])
def test_d10_kernels_slow_at_the_same_place_of_every_iteration_count_for_it(slow, known):
    core = Core().run(4, slow=slow)
    given = settings() if known else settings(warmup=None) | {"iterations": "9"}
    made = derived(core, given=given)
    assert core_rows(made)["kernels"].tolist() == [8] * 4
    assert measured_spans(made) == spans(core)
    assert core_rows(made)["complete"].all()


def test_d11_a_lost_stall_end_makes_no_boundary():
    core = Core()
    core.iteration(4)
    core.span(LOCK, core.now, core.now + 1)
    core.extra.append((core.now + 2, True, LOCK))
    first = core.ran.pop()
    core.iteration(4).pause(5_000)
    core.ran[-1] = first + core.ran[-1]
    core.run(3)
    made = derived(core)
    assert core_rows(made)["kernels"].tolist() == [8] * 4
    assert measured_spans(made) == spans(core)


def test_d12_cores_traced_are_compared_with_those_that_share_the_work():
    made = derived(Core().run(4), given=settings(cores=1) | {"rows": "4", "N": str(4 * TILE)})
    assert reports(made, "cores_traced")
    assert system_rows(made)["work_macs"].tolist() == [8 * MACS_PER_KERNEL] * 4
    assert system_rows(made)["cores"].tolist() == [1] * 4


@pytest.mark.parametrize(
    "odd",
    [None, {}, {"ph": "B"}, {"ph": "B", "ts": float("nan")}, 3, {"ph": "B", "ts": "x", "pid": 0}],
)
def test_d13_what_crashed_the_script_costs_one_entry(odd):
    core = Core().run(4)
    loaded = load(json.dumps([odd, *entries(core), odd]), settings())
    made = derive({"run": run_frame(loaded.metadata), **loaded.frames})
    assert measured_spans(made) == spans(core)
    assert sum(f.count for f in loaded.diagnostics) == 2


def test_d15_cores_with_one_name_are_two_cores():
    cores = (Core("2,0").run(4), Core("2,0", now=31).run(4, kernels=8, duration=120))
    made = derived(*cores)
    assert measured_spans(made, "core 2,0") == spans(cores[0])
    assert measured_spans(made, "core 2,0 #2") == spans(cores[1])
    assert system_rows(made)["cores"].tolist() == [2] * 4


@pytest.mark.slow
def test_d16_a_large_file_is_read_in_blocks_and_held_in_few_bytes_per_entry():
    class Endless:
        """A long trace that is never whole in memory."""

        def __init__(self):
            event = '{"name": "LOCK_STALL", "ts": %d, "ph": "B", "pid": 0, "tid": 0, "args": {}},\n'
            self.parts = [
                b"[",
                *(
                    (event * 1000 % tuple(range(i, i + 1000))).encode()
                    for i in range(0, 60_000, 1000)
                ),
            ]
            self.most = 0

        def read(self, size):
            self.most = max(self.most, size)
            return self.parts.pop(0) if self.parts else b""

    stream = Endless()
    read = read_entries(stream)
    assert stream.most == BLOCK_BYTES
    assert read.ts.tolist() == list(range(60_000))
    assert sum(column.nbytes for column in (read.lane, read.begin, read.ts)) == 13 * 60_000


def test_d17_old_names_give_kernels():
    core = Core().run(4)
    made = derived(core, spell={START: "Event0", END: "Event1", LOCK: "LockStall"}.get)
    theirs = derived(
        core, spell={START: "Event0", END: "Event1", LOCK: "LockStall"}.get, method="reference"
    )
    assert len(theirs["kernels"]) == 0
    assert measured_spans(made) == spans(core)
    assert reports(made, "methods_differ")


def test_d18_lost_time_between_iterations_is_found_and_does_not_merge_them():
    core, wrap = Core(), 1 << 18
    for rank in range(5):
        core.iteration().pause(wrap + 3_000 if rank != 2 else 3_000)
    for rank in range(2):
        core.iteration().pause(3_000 if rank else wrap + 3_000)
    given = settings(iterations=7)
    made = derived(core, given=given)
    assert measured_spans(made) == spans(core)
    (found,) = (
        made["diagnostics"].loc[made["diagnostics"]["code"] == "time_lost"].to_dict("records")
    )
    assert found["count"] == 1


def test_d18_iterations_merged_by_lost_time_are_split_by_count():
    core = Core()
    for rank in range(4):
        core.iteration().pause(5_000 if rank != 1 else 900)
    made = derived(core)
    assert measured_spans(made) == spans(core)


def test_d19_a_capture_that_stops_on_the_end_marker_keeps_the_kernel():
    core = Core().run(3).iteration()
    core.cut(core.ran[-1][-1][1] - 1)
    made, theirs = derived(core), derived(core, method="reference")
    assert len(theirs["kernels"]) == 31
    assert len(made["kernels"]) == 32
    assert core_rows(made)["complete"].all()
    assert measured_spans(made) == spans(core)


@pytest.mark.parametrize("seed", range(6))
def test_a_messy_capture_of_many_cores_tells_the_truth(seed):
    """Opening stall, clear kernels, varying durations, repeated markers and a cut tail at once."""
    rng = np.random.default_rng(seed)
    cores = []
    for tile in ("2,0", "3,0", "2,1", "3,1"):
        core = Core(tile, now=int(rng.integers(1, 40))).pause(int(rng.integers(1, 30_000)))
        for _ in range(6):
            slow = {rank: 600 + int(rng.integers(-40, 40)) for rank in range(8)}
            core.iteration(8, clear=150, gap=int(rng.integers(5, 60)), slow=slow).pause(
                int(rng.integers(13_000, 40_000))
            )
        core.repeat(START, *rng.choice(40, 3, replace=False).tolist())
        core.repeat(END, *rng.choice(40, 3, replace=False).tolist())
        cores.append(core.cut(core.ran[5][5][1]))
    made = derived(*cores, given=settings(cores=4, iterations=6))
    for core in cores:
        track = f"core {core.tile}"
        rows = core_rows(made, track)
        assert measured_spans(made, track)[:5] == spans(core)[:5]
        assert rows["kernels"].tolist() == [8, 8, 8, 8, 8, 6]
        assert rows["complete"].tolist() == [True] * 5 + [False]
    assert system_rows(made)["cores"].tolist() == [4] * 6


def test_frames_are_not_changed_by_the_analysis():
    made = frames(Core().run(4))
    before = {name: frame.copy() for name, frame in made.items()}
    derive(made)
    assert all(made[name].equals(before[name]) for name in made)
