"""Findings, headline numbers, answers and tables: what a run says in words and numbers."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.aie.pace.limiters import Limiter
from analysis.aie.pace.pace import Pace
from analysis.aie.tiles import tile_table
from analysis.headline import headline
from analysis.selection import Selection, name_key
from components.aie.captions import (
    durations_caption,
    floorplan_caption,
    health_caption,
    iterations_caption,
    stalls_caption,
)
from components.aie.valued_tiles import all_alike
from components.health import health, worst_first
from components.numbers import DASH
from components.summary import (
    PROFILE_STRIP,
    STRIP,
    metric_strip,
    profile_strip,
    selection_summary,
    selection_words,
)
from components.tables import MAX_SENT, column_defs, records, rows_response, table, table_line
from schema.diagnostics import Diagnostic, diagnostics_frame
from schema.frames import FRAMES, empty
from schema.metrics import METRICS
from tests.support.numbers_in_text import has_numbers, numbers_in, without_numbers

Frames = dict[str, pd.DataFrame]
THIN = "\u202f"


def as_json(component: object) -> str:
    return json.dumps(component, default=lambda part: part.to_plotly_json(), ensure_ascii=False)


def test_findings_are_worst_first_with_words_place_and_link(frames: Frames) -> None:
    assert worst_first(frames["diagnostics"])["severity"].tolist() == ["error", "info"]
    shown = as_json(
        health(
            frames["diagnostics"],
            lambda place: f"?track={place}" if place.startswith("core") else None,
        )
    )
    assert shown.index("✖ error") < shown.index("● info")
    assert "The file ends early." in shown
    assert "×" not in shown
    assert "2 occurrences" in shown
    assert '"href": "?track=core 2,1"' in shown


def test_each_place_of_a_finding_is_a_link_of_its_own() -> None:
    found = diagnostics_frame(
        [Diagnostic("error", "c", "5 blocks", "attempt 0, elsewhere, attempt 2 and 3 more", 5)]
    )
    shown = as_json(
        health(found, lambda place: f"?{place}" if place.startswith("attempt") else None)
    )
    assert re.findall(r'"href": "\?([^"]+)"', shown) == ["attempt 0", "attempt 2"]
    assert "elsewhere" in shown
    assert " and 3 more" in shown
    assert "occurrence" not in shown


def test_many_findings_are_cut_and_no_finding_is_said(frames: Frames) -> None:
    many = diagnostics_frame([Diagnostic("warning", "c", f"m{i}") for i in range(60)])
    assert "20" in numbers_in(as_json(health(many)))
    assert without_numbers(as_json(health(empty("diagnostics")).children))


def test_the_strip_has_a_dash_and_a_reason_where_there_is_no_number() -> None:
    shown = as_json(metric_strip({"gmacs_mean": 604.2, "utilization": 0.47, "findings": 2.0}))
    assert '"604"' in shown
    assert f"47.0{THIN}%" in shown
    assert "ts-trouble" in shown
    assert DASH in shown
    assert set(STRIP) <= set(METRICS)


def test_the_summary_counts_the_main_kernels_kept(frames: Frames) -> None:
    shown = as_json(selection_summary(frames["kernels"], 1e9))
    assert '"16"' in shown
    assert "81 cycles = 81.0" in shown
    assert DASH in as_json(selection_summary(frames["kernels"].iloc[:0], None))


def test_the_selection_is_named_field_by_field() -> None:
    words = selection_words(Selection("core 3,1", 2, (12400, 18900), (560, 580), "main"))
    assert words == {
        "track": "tile core 3,1",
        "iteration": "iteration 2",
        "window": f"12{THIN}400 – 18{THIN}900 cycles",
        "duration": "kernels of 560 – 580 cycles",
        "kind": "kind main",
    }
    assert selection_words(Selection()) == {}


def test_the_selection_of_a_profile_is_named_in_times_and_its_own_words() -> None:
    chosen = Selection("CPU:1", None, (6_240_967_000, 6_240_968_200), (560, 5800), "r_8_8", 3, 17)
    assert selection_words(chosen, "ns") == {
        "track": "track CPU:1",
        "window": f"1.20{THIN}µs from 6.240{THIN}967{THIN}s",
        "duration": f"kernels of 560{THIN}ns – 5.800{THIN}µs",
        "kind": "kernel r_8_8",
        "kernel": "execution 17",
    }


def test_a_program_is_named_where_no_kernel_names_it_and_a_long_name_is_cut() -> None:
    assert selection_words(Selection(program=3), "ns") == {"program": "program 3"}
    assert selection_words(Selection(kind=name_key("")), "ns") == {"kind": "kernel (no name)"}
    words = selection_words(Selection(kind=name_key("x" * 500)), "ns")["kind"]
    assert words.startswith("kernel xxx")
    assert "…" in words
    assert "~" not in words


def test_durations_of_a_profile_are_times_and_exact_in_the_tooltip(frames: Frames) -> None:
    shown = as_json(
        selection_summary(frames["kernels"].assign(duration=2_500_000), float("nan"), "ns")
    )
    assert f"2.50{THIN}ms" in shown
    assert f"2{THIN}500{THIN}000 ns" in shown
    assert "cycles" not in shown


def test_the_strip_of_a_profile_has_the_sum_of_devices_only_where_it_differs() -> None:
    assert set(PROFILE_STRIP) <= set(METRICS)
    one = {"step_time": 81e6, "peak_memory": 80.0, "peak_memory_sum": 80.0}
    two = one | {"peak_memory_sum": 90.0, "peak_reserved": 95.0, "communication_exposed_share": 0.1}
    assert profile_strip(two) == PROFILE_STRIP
    assert set(PROFILE_STRIP) - set(profile_strip(one)) == {
        "peak_memory_sum",
        "peak_reserved",
        "communication_exposed_share",
    }
    assert "communication_exposed_share" not in profile_strip(
        two | {"communication_exposed_share": 0.0}
    )
    shown = as_json(metric_strip({"kernel_time": 61_312_456.0, "flops_total": 35e9}, PROFILE_STRIP))
    assert f'"61.3{THIN}ms"' in shown
    assert f"61{THIN}312{THIN}456 ns." in shown
    assert f"35.0{THIN}GFLOP/s" in shown


def slow(frames: Frames) -> pd.DataFrame:
    """Return four complete perf iterations, the last one 700 ticks longer."""
    row = frames["iterations"].iloc[[0]]
    elapsed = np.array([1000, 1000, 1000, 1700])
    many = pd.concat([row] * 4, ignore_index=True).assign(
        iteration=range(4), phase="perf", complete=True
    )
    first = 2000 * np.arange(4)
    return many.assign(elapsed=elapsed, span=elapsed, first_start=first, last_end=first + elapsed)


def test_a_slow_iteration_is_named_with_the_stall_that_explains_it(frames: Frames) -> None:
    stall = (
        frames["events"][frames["events"]["name"] == "LOCK_STALL"]
        .iloc[:1]
        .assign(start=6100, end=6700)
    )
    answer = iterations_caption(slow(frames), Selection(), stall)
    assert numbers_in(answer)[:4] == ["3", "70.0 %", "4", "600 cycles"]
    small = stall.assign(end=6110)
    assert "stall" not in iterations_caption(slow(frames), Selection(), small)


def test_cores_that_start_apart_are_a_reason(frames: Frames) -> None:
    apart = slow(frames).assign(span=1000)
    assert "700 cycles" in numbers_in(iterations_caption(apart, Selection()))


def test_even_single_and_no_iterations(frames: Frames) -> None:
    even = slow(frames).assign(elapsed=1000)
    assert "none more than" in iterations_caption(even, Selection())
    assert iterations_caption(even.head(1), Selection()) == "1 perf iteration."
    assert iterations_caption(empty("iterations"), Selection()).startswith(
        "No complete perf iteration"
    )


def test_left_out_kernels_are_counted_with_reasons(frames: Frames) -> None:
    answer = durations_caption(frames["kernels"], clock_hz=1e9)
    assert has_numbers(answer, "81 cycles", "81.0 ns", "82", "16", "6")
    assert has_numbers(answer, "2", "24", "1", "3", "3")
    kept = durations_caption(frames["kernels"][frames["kernels"]["kept"]])
    assert numbers_in(kept)[-1] == "22"
    assert without_numbers(durations_caption(empty("kernels")))


def test_header_panel_and_headline_state_one_median(frames: Frames) -> None:
    """Clear kernels are shorter: with them the panel's median was another than the header's."""
    kernels = frames["kernels"]
    kernels = kernels.assign(duration=kernels["duration"].where(kernels["name"] == "main", 7))
    for rows in (kernels, kernels[kernels["track"] == "core 2,1"]):
        median = round(headline(frames | {"kernels": rows})["median_kernel"] or 0)
        assert f"Median {median} cycles" in durations_caption(rows)
        assert f"{median} cycles = " in as_json(selection_summary(rows, 1e9))
    short = kernels[kernels["name"] == "short"]
    assert has_numbers(durations_caption(short), "7 cycles", "7", "6")
    assert "7 cycles = " in as_json(selection_summary(short, 1e9))


def test_the_worst_stall_is_named(frames: Frames) -> None:
    answer = stalls_caption(frames["activity"], Selection())
    assert numbers_in(answer) == ["55.0 %", "2", "3", "1", "60.0 %"]
    assert answer.startswith("Lock stall ") and "core 3,1" in answer
    assert "core 2,1" in stalls_caption(frames["activity"], Selection(track="core 2,1"))
    assert without_numbers(stalls_caption(empty("activity"), Selection()))


def test_the_array_is_counted(frames: Frames) -> None:
    tiles = tile_table(
        *(frames[n] for n in ("tracks", "kernels", "iterations", "activity", "diagnostics"))
    )
    assert numbers_in(floorplan_caption(tiles, (2, 2)))[:2] == ["2", "4"]
    slower = tiles.assign(median_kernel=[80.0, 120.0, np.nan, np.nan])
    assert has_numbers(floorplan_caption(slower), "3", "1", "50.0 %")
    kernels = Limiter("kernels", "core 3,1", 50.0, 0.08, 10.0, 10.0, "core 3,1")
    paced = Pace(1000.0, 9.0, (kernels,), tiles, "")
    assert "50.0" not in floorplan_caption(slower, pace=paced)


def test_a_spread_of_medians_is_the_one_that_the_figure_tells(frames: Frames) -> None:
    tiles = tile_table(
        *(frames[n] for n in ("tracks", "kernels", "iterations", "activity", "diagnostics"))
    )
    medians = [597.5, 599.0, np.nan, np.nan]
    within = (
        all_alike(np.array(medians[:2]), "ticks")
        .removeprefix("all equal within ")
        .removesuffix(" %")
    )
    assert f"differ by {within}{THIN}%" in floorplan_caption(tiles.assign(median_kernel=medians))


def test_findings_are_counted_by_severity(frames: Frames) -> None:
    assert health_caption(frames["diagnostics"]) == "1 error, 1 note."
    assert health_caption(empty("diagnostics")) == "No errors or warnings."


def test_columns_say_their_meaning_and_unit(frames: Frames) -> None:
    columns = {column["field"]: column for column in column_defs("kernels", frames["kernels"])}
    assert list(columns) == FRAMES["kernels"].names
    (duration,) = (column for column in FRAMES["kernels"].columns if column.name == "duration")
    assert columns["duration"]["headerTooltip"] == f"{duration.meaning}, {duration.unit}"


def test_every_formatter_is_registered_in_the_assets() -> None:
    script = (Path(__file__).parents[3] / "assets" / "dashAgGridFunctions.js").read_text(
        encoding="utf-8"
    )
    registered = set(
        re.findall(r"\w+", script.split("dashAgGridFunctions || {}, {")[1].split("}")[0])
    )
    for name in FRAMES:
        for column in column_defs(name, empty(name)):
            assert (
                column.get("valueFormatter", {"function": "tsText("})["function"].split("(")[0]
                in registered
            )


def test_rows_carry_their_position_and_null_for_missing(frames: Frames) -> None:
    frame = frames["kernels"].assign(duration=pd.array([None] * 24, dtype="Int64"))
    first = records(frame)[0]
    assert (first["row"], first["duration"], first["track"]) == ("0", None, "core 2,1")
    json.dumps(records(frames["iterations"]), allow_nan=False)


def test_a_long_table_is_fetched_in_blocks(frames: Frames) -> None:
    long = frames["kernels"].iloc[np.arange(MAX_SENT + 1) % 24]
    grid = table("t", "kernels", long)
    assert grid.rowModelType == "infinite"
    assert getattr(grid, "rowData", None) is None
    assert "fetched 200 at a time" in table_line(long)
    assert len(table("t", "kernels", frames["kernels"]).rowData) == 24


def request(**changes: object) -> dict[str, object]:
    return {"startRow": 0, "endRow": 100, "sortModel": [], "filterModel": {}} | changes


def test_blocks_are_sorted_and_filtered_on_the_server(frames: Frames) -> None:
    kernels = frames["kernels"]
    answer = rows_response(
        kernels, request(sortModel=[{"colId": "duration", "sort": "desc"}], endRow=3)
    )
    assert [row["duration"] for row in answer["rowData"]] == [500, 500, 82]
    assert answer["rowCount"] == 24
    only = {
        "track": {"type": "contains", "filter": "3,1"},
        "duration": {"type": "inRange", "filter": 80, "filterTo": 80},
    }
    found = rows_response(kernels, request(filterModel=only))
    assert {(row["track"], row["duration"]) for row in found["rowData"]} == {("core 3,1", 80)}
    assert (
        rows_response(
            kernels, request(filterModel={"name": {"type": "notEqual", "filter": "main"}})
        )["rowCount"]
        == 6
    )
    assert (
        rows_response(kernels, request(filterModel={"reason": {"type": "blank"}}))["rowCount"] == 22
    )
    assert (
        rows_response(
            kernels, request(filterModel={"name": {"type": "contains", "filter": ".*("}})
        )["rowCount"]
        == 0
    )
    assert (
        rows_response(kernels, request(sortModel=[{"colId": "gone", "sort": "asc"}]))["rowCount"]
        == 24
    )
