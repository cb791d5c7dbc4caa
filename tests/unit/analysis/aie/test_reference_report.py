import json
import re

import pytest

from analysis.aie.reference_report import _file_stems, report_files
from tests.support.gemm_trace import (
    MACS_PER_KERNEL,
    TILE,
    Core,
    entries,
    frames,
    load,
    run_frame,
    settings,
)


def reported(*cores, **given):
    files = report_files(frames(*cores, given=settings(max(1, len(cores))) | given))
    return {
        name: json.loads(text) if name.endswith(".json") else text for name, text in files.items()
    }


def renamed(process, hwid="npu"):
    """Return the report of a capture whose core process has that name."""
    found = entries(Core().run(4))
    found[0]["args"]["name"] = process
    loaded = load(json.dumps(found), settings(hwid=hwid))
    return report_files({"run": run_frame(loaded.metadata), **loaded.frames})


def test_a_core_has_a_file_of_its_own_in_the_scripts_layout():
    files = reported(Core("2,1").run(4), hwid="npu2")
    assert list(files) == ["tile2,1.json", "details.md", "index.json", "aggregate_perf.json"]
    core = files["tile2,1.json"]
    assert list(core) == [
        "pid",
        "tile_name",
        "median_kernel_duration_cycles",
        "lock_stall_boundary_count",
        "detected_total_iterations",
        "expected_total_iterations",
        "mismatch_note",
        "iterations",
        "performance_window",
    ]
    assert (core["pid"], core["tile_name"], core["median_kernel_duration_cycles"]) == (
        0,
        "tile2,1",
        100,
    )
    assert core["lock_stall_boundary_count"] == 4
    assert core["mismatch_note"] is None
    assert core["performance_window"] == [1, 2, 3]
    assert core["iterations"][1] == {
        "num_kernels": 8,
        "avg_duration_cycles": 100.0,
        "min_duration_cycles": 100,
        "max_duration_cycles": 100,
        "total_span_cycles": 870,
        "first_start": 5891,
        "last_end": 6761,
        "gmacs_per_second": pytest.approx(8 * MACS_PER_KERNEL * 1.25 / 870),
        "iteration_index": 1,
        "phase": "perf",
    }


def test_files_have_two_spaces_and_no_newline_at_the_end():
    files = report_files(frames(Core().run(4)))
    assert files["index.json"].startswith('{\n  "hwid"')
    assert not files["index.json"].endswith("\n")
    assert files["details.md"].endswith("</details>\n")


def test_the_aggregate_rests_on_iterations_that_every_core_has():
    slow = Core("3,0")
    for duration in (100, 100, 150, 120):
        slow.iteration(duration=duration).pause()
    aggregate = reported(Core("2,0").run(4), slow)["aggregate_perf.json"]
    assert aggregate["iterations_considered"] == [1, 2, 3]
    assert [row["runtime_cycles"] for row in aggregate["per_iteration"]] == [870, 1270, 1030]
    rates = [row["gmacs_per_second"] for row in aggregate["per_iteration"]]
    assert rates[0] == pytest.approx(16 * MACS_PER_KERNEL * 1.25 / 870)
    assert aggregate["average"]["gmacs_per_second"] == pytest.approx(sum(rates) / 3)
    assert aggregate["best"] == aggregate["per_iteration"][0]
    assert aggregate["worst"] == aggregate["per_iteration"][1]


def test_the_first_of_equal_iterations_is_best_and_worst():
    aggregate = reported(Core("2,0").run(4))["aggregate_perf.json"]
    assert aggregate["best"]["iteration_index"] == aggregate["worst"]["iteration_index"] == 1


@pytest.mark.parametrize(
    ("asked", "note"),
    [
        (
            2,
            "Detected 4 iterations but expected 3. Truncating to first 3 iterations for phase labeling.",
        ),
        (5, "Detected 4 iterations but expected 6. Proceeding with available iterations."),
    ],
)
def test_an_unexpected_number_of_iterations_is_noted(asked, note):
    files = reported(Core().run(4), iterations=str(asked))
    assert files["tile2,0.json"]["mismatch_note"] == note
    assert files["index.json"]["notes"] == [note]


def test_a_core_without_pairs_has_a_file_and_leaves_no_aggregate():
    files = reported(Core("2,0").run(4), Core("3,0").pause())
    assert list(files["tile3,0.json"]) == [
        "pid",
        "tile_name",
        "detected_total_iterations",
        "expected_total_iterations",
        "mismatch_note",
        "iterations",
        "performance_window",
    ]
    assert (
        files["tile3,0.json"]["mismatch_note"]
        == "No valid kernel pairs detected after robust filtering."
    )
    assert files["aggregate_perf.json"] == {"note": "No common perf iterations across all cores."}


def test_no_core_at_all_leaves_notes_only():
    made = frames(Core(kind="mem").run(1))
    files = report_files(made)
    assert set(files) == {"index.json", "aggregate_perf.json"}
    assert json.loads(files["aggregate_perf.json"]) == {"note": "No cores to aggregate."}
    assert json.loads(files["index.json"])["details_md"] is None


def test_an_empty_first_iteration_has_zeros_and_nulls():
    files = reported(Core().pause(20_000).run(4))
    first = files["tile2,0.json"]["iterations"][0]
    assert (first["num_kernels"], first["avg_duration_cycles"], first["total_span_cycles"]) == (
        0,
        0.0,
        0,
    )
    assert first["first_start"] is None
    assert first["last_end"] is None
    assert "| tile2,0 | 0 | warmup | 0 | 0.000 | 0 | 0 | 0 | 0.000 |" in files["details.md"]


HOSTILE = [
    "core_trace for ../../escaped",
    "core_trace for /etc/passwd",
    "core_trace for ..\\..\\escaped",
    "core_trace for </strong><script>alert(1)</script>",
    "core_trace for a|b`c*d[e](f)",
    "core_trace for \x00\n\t",
    "core_trace for .",
    "core_trace for ..",
    "core_trace for " + "x" * 5_000,
    "core_trace for ünïcode",
    "core_trace for ",
    "core_trace",
]


@pytest.mark.parametrize("process", HOSTILE)
def test_d14_names_from_the_trace_are_plain_file_names_and_escaped(process):
    files = renamed(process, hwid="<img src=x>")
    assert len(files) == 4
    for name in files:
        assert not re.search(r"[/\\\x00-\x1f]", name)
        assert not name.startswith(".")
        assert len(name.encode()) < 255
    assert "<script" not in files["details.md"]
    assert "<img" not in files["details.md"]
    assert "a|b" not in files["details.md"]
    table = [line for line in files["details.md"].splitlines() if line.startswith("| ")]
    assert len(table) == 5


@pytest.mark.parametrize(
    "tile",
    [
        "column 1, row 2",
        "tile(2, 1)",
        "core [3] {x}",
        "Kern 1 & 2 #3",
        "ünï cödé",
        "x" * 195,
        "tile2,1.",
    ],
)
def test_a_tile_whose_name_is_a_legal_file_name_has_a_file_of_that_name(tile):
    assert f"{tile}.json" in renamed(f"core_trace for {tile}")


@pytest.mark.parametrize(
    "tile", ["a/b", "a\\b", ".hidden", "a\nb", "\x7f", "\u202egnp", "é" * 120, "x" * 300]
)
def test_a_tile_whose_name_is_no_legal_file_name_has_a_plain_one(tile):
    (name,) = set(renamed(f"core_trace for {tile}")) - {
        "details.md",
        "index.json",
        "aggregate_perf.json",
    }
    assert name != f"{tile}.json"
    assert re.fullmatch(r"[\w,\-][\w,.\-]*\.json", name)


def test_d14_the_report_itself_keeps_the_name_as_it_is():
    files = renamed("core_trace for ../../escaped")
    (name,) = [
        name for name in files if name not in ("details.md", "index.json", "aggregate_perf.json")
    ]
    assert json.loads(files[name])["tile_name"] == "../../escaped"


def test_d15_units_that_share_a_tile_name_share_a_file_and_the_last_counts_for_all():
    late = Core("2,0", now=50).run(4, duration=200)
    files = reported(Core("2,0").run(4), late)
    assert [name for name in files if name.startswith("tile")] == ["tile2,0.json"]
    assert files["tile2,0.json"]["pid"] == 1
    assert [row["runtime_cycles"] for row in files["aggregate_perf.json"]["per_iteration"]] == [
        1670
    ] * 3
    assert files["details.md"].count("| tile2,0 |") == 8


def test_missing_settings_are_named():
    made = frames(Core().run(4), given={"M": "16", "K": "16"})
    with pytest.raises(
        ValueError, match=r"the report needs N, rows, cols, warmup, iterations: .* --set N="
    ):
        report_files(made)


def test_the_index_tells_what_was_run():
    index = reported(Core().run(4), hwid="npu2", clock_hz="1.8GHz")["index.json"]
    assert (index["hwid"], index["M"], index["k"], index["clock_GHz"]) == (
        "npu2",
        8 * TILE,
        TILE,
        1.8,
    )
    assert index["details_md"].endswith("/details.md")
    assert index["input_path"].endswith(f"/trace_mm_{8 * TILE}_{TILE}_{TILE}.json")


def test_no_two_tiles_share_a_file_and_none_takes_the_indexs():
    stems = _file_stems(["a/b", "a?b", "index", "Index", "aggregate_perf", "../.."])
    assert (
        len({stem.lower() for stem in stems.values()} | {"index", "aggregate_perf"})
        == len(stems) + 2
    )
