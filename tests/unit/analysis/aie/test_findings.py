import pytest

from analysis.aie.gemm import read_gemm
from tests.support.gemm_trace import END, LOCK, START, Core, derived, settings
from tests.support.numbers_in_text import has_numbers, numbers_in, without_numbers


def found(*cores, **more):
    """Return the analysis' findings of a capture by code."""
    made = derived(*cores, given=more.pop("given", None), **more)
    return {row["code"]: row for row in made["diagnostics"].to_dict("records")}


def test_a_clean_capture_has_no_finding():
    assert found(Core("2,0").run(4), Core("3,0").run(4)) == {}


def test_no_core_at_all():
    finding = found(Core(kind="mem").run(1))["no_cores"]
    assert finding["severity"] == "error"
    assert without_numbers(finding["message"])


def test_no_kernel_on_any_core_is_an_error_and_on_one_a_warning():
    dead = Core("3,0").pause()
    assert found(dead)["no_kernels"]["severity"] == "error"
    finding = found(Core("2,0").run(4), dead)["no_kernels"]
    assert (finding["severity"], finding["location"], finding["count"]) == (
        "warning",
        "core 3,0",
        1,
    )
    assert numbers_in(finding["message"])[:2] == ["1", "2"]


def test_cores_traced_against_those_that_share_the_work():
    finding = found(Core().run(4), given=settings(1) | {"rows": "2", "cols": "2", "N": "64"})[
        "cores_traced"
    ]
    assert numbers_in(finding["message"])[:4] == ["1", "2", "2", "4"]


@pytest.mark.parametrize(("marker", "ends", "starts"), [(END, "2", "0"), (START, "0", "2")])
def test_lost_markers_are_counted(marker, ends, starts):
    finding = found(Core("2,0").run(4), Core("3,0").run(4).lose(marker, 3, 17))["markers_lost"]
    assert has_numbers(finding["message"], ends, starts)
    assert (finding["severity"], finding["location"], finding["count"]) == (
        "warning",
        "core 3,0",
        2,
    )


def test_an_end_and_the_next_start_lost_together_merge_two_kernels():
    finding = found(Core().run(4).lose(END, 3, 14).lose(START, 4))["markers_lost"]
    assert numbers_in(finding["message"])[:3] == ["1", "0", "1"]
    assert finding["count"] == 2


def test_repeated_markers_are_counted():
    finding = found(Core().run(4).repeat(START, 3).repeat(END, 7, 9))["markers_repeated"]
    assert numbers_in(finding["message"]) == ["3"]


def test_kernels_outside_are_counted():
    finding = found(Core().run(3).iteration(slow={3: 900}).pause())["kernels_outside"]
    assert finding["count"] == 1
    assert numbers_in(finding["message"])[:2] == ["1", "32"]


def test_a_cut_tail_names_core_iteration_and_kernels():
    whole, cut = Core("2,0").run(4), Core("3,0").run(4)
    finding = found(whole, cut.cut(cut.ran[3][4][1]))["tail_cut"]
    assert "1 of 2 cores" in finding["message"]
    assert has_numbers(finding["message"], "3", "0", "5", "8", "3")


def test_one_iteration_of_unknown_size_is_said():
    finding = found(Core().iteration(), given={})["iteration_unknown"]
    assert "m, k and n" in finding["message"]


def test_a_phantom_start_at_the_very_end_is_told_and_is_no_kernel():
    made = derived(Core().run(4).phantom())
    assert made["diagnostics"]["code"].tolist() == ["phantom_tail"]
    assert made["iterations"]["kernels"].tolist() == [8] * 8


def test_an_opening_stall_is_told():
    assert (
        found(Core("2,0").pause(9_000).run(4), Core("3,0").run(4))["opening_stall"]["location"]
        == "core 2,0"
    )
    assert "opening_stall" not in found(Core().pause(1_000).run(4))


def test_boundaries_by_count_and_stalls_inside_are_told():
    core = Core()
    for _ in range(4):
        core.iteration(4).pause(4_000).iteration(4).pause(100)
    told = found(core)
    assert told["boundary_by_count"]["count"] == 3
    assert told["stall_inside"]["count"] == 4


def test_an_unexpected_number_of_kernels_points_at_the_settings():
    finding = found(Core().run(4, kernels=6))["kernels_unexpected"]
    assert numbers_in(finding["message"])[:2] == ["6", "8"]
    assert finding["severity"] == "warning"


@pytest.mark.parametrize("wraps", [1, 2])
def test_lost_time_is_found_by_its_signature(wraps):
    sync = 1 << 18
    core = Core()
    for rank in range(6):
        core.iteration().pause(3 * sync - (wraps * sync if rank == 2 else 0))
    finding = found(core, given=settings(iterations=6))["time_lost"]
    assert (finding["count"], finding["location"]) == (wraps, "core 2,0")
    assert f"{wraps} x 262144 cycles" in finding["message"]


def test_pauses_that_differ_otherwise_are_no_lost_time():
    core = Core()
    for rank in range(6):
        core.iteration().pause(400_000 + 100_000 * rank)
    assert "time_lost" not in found(core, given=settings(iterations=6))


def test_unknown_settings_are_named():
    finding = found(Core().run(4), given={"M": "64", "warmup": "1"})["settings_unknown"]
    assert finding["message"].endswith("K, N, m, k, n, rows, cols, iterations")
    assert (finding["severity"], finding["count"]) == ("warning", 8)


@pytest.mark.parametrize("known", [("m", "k", "n"), ("M", "K", "N", "rows", "cols")])
def test_unknown_settings_are_no_warning_where_they_do_not_cost_the_rate(known):
    run = Core().run(4)
    given = dict.fromkeys(known, "1")
    finding = found(run, given=given)["settings_unknown"]
    assert (finding["severity"], finding["count"]) == ("info", 10 - len(known))


def test_tiles_that_do_not_divide_evenly_are_said():
    assert "tiles_uneven" in found(Core("2,0").run(4), given=settings(1) | {"rows": "3", "N": "16"})


@pytest.mark.parametrize(("asked", "severity"), [(6, "warning"), (3, "info")])
def test_an_unexpected_number_of_iterations_is_told(asked, severity):
    finding = found(Core().run(4), given=settings(iterations=asked))["iterations_unexpected"]
    assert (finding["severity"], finding["count"]) == (severity, 4)


def test_cores_with_fewer_iterations_are_named():
    finding = found(Core("2,0").run(4), Core("3,0").run(3), Core("4,0").pause())["iterations_fewer"]
    assert (finding["location"], finding["count"]) == ("core 3,0", 1)
    assert numbers_in(finding["message"])[:4] == ["1", "3", "3", "4"]


def test_staggered_cores_are_told():
    finding = found(Core("2,0").run(4), Core("3,0", now=200).run(4))["cores_staggered"]
    assert "in 4 iterations" in finding["message"]
    assert "1.23 times" in finding["message"]
    assert "cores_staggered" not in found(Core("2,0").run(4), Core("3,0", now=20).run(4))


def test_rates_above_the_peak_point_at_the_settings():
    finding = found(Core().run(4), given=settings(peak_macs_per_cycle=10))["above_peak"]
    share, peak, _, taken, work, _, least = [
        float(number.split()[0]) for number in numbers_in(finding["message"])[:7]
    ]
    assert peak == 10
    assert least == pytest.approx(work / peak, abs=0.5)
    assert least / taken == pytest.approx(share / 100, rel=0.01)
    assert all(name in finding["message"] for name in ("M, K, N, rows, cols", "peak"))


def test_many_places_are_shortened():
    cores = [Core(f"{row},{col}").run(4).lose(END, 3) for row in range(2, 5) for col in range(3)]
    assert found(*cores)["markers_lost"]["location"].endswith("core 3,2 and 3 more")


def test_a_capture_with_everything_wrong_is_told_everything():
    core = (
        Core("2,0")
        .pause(9_000)
        .run(2)
        .lose(END, 2)
        .repeat(START, 5)
        .iteration(slow={2: 900})
        .pause()
        .phantom()
    )
    codes = set(found(core, Core("3,0").pause(), given=settings(4, iterations=9)))
    assert {
        "opening_stall",
        "markers_lost",
        "markers_repeated",
        "kernels_outside",
        "phantom_tail",
    } <= codes
    assert {"no_kernels", "cores_traced", "iterations_unexpected", "methods_differ"} <= codes


def test_a_stall_lane_that_is_missing_changes_nothing():
    core = Core().run(4)
    core.spans = [span for span in core.spans if span[0] != LOCK]
    made = derived(core)
    assert made["iterations"]["complete"].all()
    assert read_gemm(made["run"].iloc[0].to_dict()).kernels_per_iteration == 8
