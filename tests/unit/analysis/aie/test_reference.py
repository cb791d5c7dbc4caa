import pytest

from schema.frames import FRAMES
from tests.support.gemm_trace import LOCK, MACS_PER_KERNEL, START, Core, derived, settings


def rows(made, track="core 2,0"):
    return made["iterations"][made["iterations"]["track"] == track].reset_index(drop=True)


def reference(*cores, **more):
    return derived(*cores, method="reference", **more)


def test_kernels_are_its_pairs_and_the_outliers_among_them():
    made = reference(Core().run(3).iteration(slow={3: 301}).pause())
    assert list(made["kernels"].columns) == FRAMES["kernels"].names
    (row,) = made["kernels"][~made["kernels"]["kept"]].to_dict("records")
    assert (row["duration"], row["reason"], row["kernel"]) == (301, "outside 1/3 to 3 medians", 27)
    kept = made["kernels"][made["kernels"]["kept"]]
    assert kept["iteration"].tolist() == [0] * 8 + [1] * 8 + [2] * 8 + [3] * 7
    assert kept["phase"].astype("str").unique().tolist() == ["warmup", "perf"]


@pytest.mark.parametrize(("stall", "iterations"), [(1_999, 1), (2_000, 2)])
def test_a_stall_of_the_boundary_factor_splits(stall, iterations):
    made = reference(Core().iteration().pause(stall).iteration())
    assert len(rows(made)) == iterations


def test_a_kernel_that_starts_where_the_stall_ends_stays_in_the_iteration_before():
    core = Core().iteration()
    core.span(LOCK, core.now, core.now + 5_000)
    core.now += 5_000
    assert rows(reference(core.iteration()))["kernels"].tolist() == [9, 7]


def test_boundaries_behind_the_last_kernel_add_nothing():
    assert len(rows(reference(Core().iteration().pause().pause().pause()))) == 1


def test_two_boundaries_in_a_row_make_an_empty_iteration():
    made = reference(Core().iteration().pause().pause().iteration())
    assert rows(made)["kernels"].tolist() == [8, 0, 8]
    empty = rows(made).iloc[1]
    assert (empty["span"], empty["gmacs_per_s"], empty["average"], empty["minimum"]) == (
        0,
        0.0,
        0.0,
        0,
    )
    assert empty[["first_start", "last_end"]].isna().all()


def test_the_system_has_the_perf_iterations_that_every_core_has():
    made = reference(Core("2,0").run(4), Core("3,0", now=31).run(3))
    system = rows(made, "system")
    assert system["iteration"].tolist() == [1, 2]
    assert system["cores"].tolist() == [2, 2]
    assert (system["span"] == 870).all()
    assert (system["elapsed"] == 900).all()
    assert system["gmacs_per_s"].tolist() == pytest.approx([16 * MACS_PER_KERNEL * 1.25 / 870] * 2)


def test_an_empty_iteration_on_every_core_has_a_row_without_a_rate():
    made = reference(Core().pause(9_000).run(3), given=settings(warmup=0))
    first = rows(made, "system").iloc[0]
    assert (first["kernels"], first["span"], first["elapsed"], first["gmacs_per_s"]) == (
        0,
        0,
        0,
        0.0,
    )


def test_units_that_are_no_cores_by_name_are_none():
    assert len(reference(Core().run(4), unit="")["kernels"]) == 0
    assert len(reference(Core(kind="mem").run(4))["iterations"]) == 0


def test_marks_without_a_begin_or_end_are_what_the_file_has_of_them():
    core = Core().run(4)
    core.extra.append((core.now + 500, True, START))
    assert len(reference(core)["kernels"]) == 32


def test_without_sizes_there_is_no_rate():
    made = reference(Core().run(4), given={})
    assert rows(made)["gmacs_per_s"].isna().all()
    assert rows(made, "system")["utilization"].isna().all()
