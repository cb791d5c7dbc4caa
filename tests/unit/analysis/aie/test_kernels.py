import pandas as pd
import pytest

from schema.frames import FRAMES
from tests.support.gemm_trace import END, START, Core, derived, settings


def kernels(*cores, **more):
    return derived(*cores, **more)["kernels"]


def test_every_kernel_is_a_row_with_its_iteration_and_phase():
    made = kernels(Core("2,0").run(4), Core("3,0", now=6).run(4))
    assert list(made.columns) == FRAMES["kernels"].names
    assert made["track"].astype("str").value_counts().to_dict() == {"core 2,0": 32, "core 3,0": 32}
    own = made[made["track"] == "core 3,0"]
    assert own["kernel"].tolist() == list(range(32))
    assert own["iteration"].tolist() == [rank // 8 for rank in range(32)]
    assert own["phase"].astype("str").tolist() == ["warmup"] * 8 + ["perf"] * 24
    assert own["start"].iloc[0] == 6
    assert (own["duration"] == 100).all()
    assert own["kept"].all()
    assert (own["reason"] == "").all()


def test_a_clear_kernel_belongs_to_the_iteration_of_the_kernel_behind_it():
    made = kernels(Core().run(4, duration=600, clear=140, pause=30_000))
    assert made["iteration"].tolist() == [rank // 10 for rank in range(40)]
    assert made["name"].astype("str").tolist() == (["short", "main", "main", "main", "main"] * 8)


@pytest.mark.parametrize(
    ("marker", "known", "lacking", "reason"),
    [(END, "start", "end", "end marker lost"), (START, "end", "start", "start marker lost")],
)
def test_a_kernel_that_lost_a_marker_has_the_other_and_no_duration(marker, known, lacking, reason):
    made = kernels(Core().run(4).lose(marker, 11))
    (row,) = made[~made["kept"]].to_dict("records")
    assert pd.notna(row[known])
    assert pd.isna(row[lacking])
    assert pd.isna(row["duration"])
    assert (row["reason"], row["iteration"], row["kernel"]) == (reason, 1, 11)


def test_kernels_that_markers_merged_are_left_out_and_counted_twice():
    made = derived(Core().run(4).lose(END, 3, 14).lose(START, 4))
    (row,) = made["kernels"][made["kernels"]["reason"] == "markers between kernels lost"].to_dict(
        "records"
    )
    assert (row["duration"], row["kept"], row["iteration"]) == (210, False, 0)
    assert made["iterations"]["kernels"].tolist() == [8] * 8
    assert made["iterations"]["complete"].all()


def test_the_kernel_that_the_capture_ended_in_is_told():
    core = Core().run(4)
    made = kernels(core.cut(core.ran[3][7][0] + 50))
    (row,) = made[~made["kept"]].to_dict("records")
    assert row["reason"] == "capture ended inside it"
    assert len(made) == 32


def test_a_phantom_start_does_not_stretch_the_capture():
    core = Core().run(4)
    made = kernels(core.cut(core.ran[3][7][0] + 50).phantom())
    assert made["reason"].tolist()[-1] == "capture ended inside it"


def test_a_phantom_start_that_is_the_only_entry_is_no_kernel():
    core = Core().span("LOCK_STALL", 1, 5)
    core.extra.append((900, True, START))
    made = derived(core)
    assert not made["kernels"]["kept"].any()
    assert len(made["iterations"]) == 0


def test_lost_markers_without_one_whole_kernel_are_no_iteration():
    core = Core().run(4).lose(END, *range(32))
    made = derived(core)
    assert len(made["iterations"]) == 0
    assert not made["kernels"]["kept"].any()
    assert made["kernels"]["iteration"].isna().all()


def test_a_marker_whose_begin_was_lost_is_a_tick_wide():
    core = Core()
    core.extra = [entry for entry in Core().run(4).times() if entry != (1, True, START)]
    made = kernels(core)
    assert made[["start", "end"]].iloc[0].tolist() == [1, 101]
    assert made["kept"].sum() == 32


def test_iterations_of_cores_are_counted_each_for_itself():
    made = kernels(Core("2,0").run(2), Core("3,0").run(3), given=settings(2, iterations=3))
    assert made.groupby("track", observed=True)["iteration"].max().to_dict() == {
        "core 2,0": 1,
        "core 3,0": 2,
    }


def test_an_unnamed_process_with_markers_is_a_core():
    made = derived(Core().run(4), unit="")
    assert made["kernels"]["track"].astype("str").unique().tolist() == ["pid 0"]
    assert made["iterations"]["complete"].all()


def test_no_core_no_kernels():
    assert len(kernels(Core(kind="shim").run(1))) == 0
