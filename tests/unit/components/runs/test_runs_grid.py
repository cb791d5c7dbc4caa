import json

import pytest

from components.runs.default_columns import Filled
from components.runs.run_records import health, runs_records
from components.runs.runs_grid import (
    COLUMN_NAMES,
    choosable_columns,
    column_defs,
    runs_grid,
    visible_columns,
)
from schema.headlines import NO_HEADLINE
from schema.metrics import METRICS
from schema.run_columns import AGAINST, LISTED_COLUMNS
from storage.annotation import Annotation
from tests.support.runs import record_of, records_of


def shown(records, *added):
    """Return what the grid is given of runs to which people added something or nothing."""
    return runs_records(records, added or [Annotation()] * len(records))


def test_a_record_has_numbers_to_sort_by_and_text_to_show():
    record = shown(records_of({"gmacs_mean": 604.2, "utilization": 0.4731, "kernels": 118922.0}))[0]
    assert record["gmacs_mean"] == 604.2
    assert record["gmacs_mean_text"] == "604"
    assert record["utilization_text"] == "47.3\u202f%"
    assert record["kernels_text"] == "118\u202f922"
    assert record["date"] == record["created_at"] == "2026-11-01 10:00"


def test_a_missing_number_is_a_dash():
    record = shown(
        records_of({"M": None, "gmacs_mean": float("nan"), "gmacs_worst": float("inf")})
    )[0]
    assert record["M"] is None
    assert not {"gmacs_best", "gmacs_best_text", "gmacs_mean", "gmacs_mean_text"} & set(record)
    (column,) = [column for column in column_defs("", None) if column["field"] == "gmacs_best"]
    assert "gmacs_best_text == null ? '–'" in column["valueFormatter"]["function"]


def test_names_are_tame():
    assert shown(records_of({"name": "a\u202eb\x00c"}))[0]["name"] == "ab c"


def test_records_are_plain_json():
    json.dumps(shown(records_of({}, {"hwid": "npu2", "gmacs_mean": 1.0})), allow_nan=False)


@pytest.mark.parametrize(
    ("errors", "warnings", "said"),
    [
        (0, 0, "✓ sound"),
        (0, 1, "▲ 1 finding"),
        (0, 2, "▲ 2 findings"),
        (1, 5, "✕ 1 error"),
        (2, 0, "✕ 2 errors"),
    ],
)
def test_health_is_a_symbol_and_words(errors: int, warnings: int, said: str):
    assert health(errors, warnings) == said


@pytest.mark.parametrize(
    ("sort", "field", "order"), [("-gmacs_mean", "gmacs_mean", "desc"), ("name", "name", "asc")]
)
def test_the_grid_opens_sorted(sort: str, field: str, order: str):
    columns = column_defs(sort, Filled(1, {"M": 1}))
    assert [(c["field"], c["initialSort"]) for c in columns if "initialSort" in c] == [
        (field, order)
    ]


def test_an_unknown_sorting_is_none():
    assert not any("initialSort" in column for column in column_defs("-nonsense", None))


def test_every_column_has_its_field():
    (record,) = shown([record_of(**dict.fromkeys(METRICS, 1.0))])
    assert {column["field"] for column in column_defs("", None)} <= set(record)


def test_the_name_is_pinned_and_rows_are_selected_by_boxes():
    grid = runs_grid("g", shown(records_of({})), column_defs("name", None))
    assert [c["field"] for c in grid.columnDefs if c.get("pinned")] == ["name"]
    assert grid.dashGridOptions["rowSelection"]["mode"] == "multiRow"
    assert "run_id" in grid.getRowId


MEMORY = {
    "M": None,
    "K": None,
    "N": None,
    "source": "tpu_mlir",
    "file": "net.log",
    "peak_memory": 128624.0,
} | {
    "capacity_use": 0.9813,
    "failed_blocks": 0.0,
    "memory_waste": 0.0,
}


def test_memory_is_shown_in_short_and_to_the_byte():
    record = shown(records_of(MEMORY))[0]
    assert (record["peak_memory_text"], record["peak_memory_exact"]) == (
        "126\u202fKiB",
        "128\u202f624\u202fB",
    )
    assert (record["capacity_use_text"], record["failed_blocks_text"]) == ("98.1\u202f%", "0")
    assert "peak_memory_exact" not in shown(records_of({}))[0]


def test_a_profile_is_shown_in_units_that_fit():
    profile = {"busy_share": 0.0081, "kernel_time": 61_312_456.0, "flops_total": 3_503_000.0}
    record = shown(records_of(profile))[0]
    assert record["busy_share_text"] == "0.8\u202f%"
    assert (record["kernel_time_text"], record["kernel_time_exact"]) == (
        "61.3\u202fms",
        "61\u202f312\u202f456\u202fns",
    )
    assert record["flops_total_text"] == "3.50\u202fMFLOP/s"


def test_a_row_has_tile_grid_and_how_often_it_was_captured():
    given = {
        "m": 32,
        "k": 64,
        "n": 16,
        "rows": 4,
        "cols": 2,
        "commit": "4f2a9c1",
        "observations": 3,
    }
    record = shown(records_of(given))[0]
    names = ("m", "k", "n", "grid", "commit", "observations")
    assert [record[name] for name in names] == [32, 64, 16, "4x2", "4f2a9c1", 3]


def hidden(*rows: dict[str, object], chosen: tuple[str, ...] = ()) -> set[str]:
    return {
        column["field"] for column in column_defs("name", valued(*rows), chosen) if column["hide"]
    }


def valued(*rows: dict[str, object]) -> Filled:
    """Count the rows with a value in each column, for a list whose runs have hwid and headline."""
    records = records_of(*rows)
    counts = {
        column.name: sum(record.get(column.name) not in (None, "") for record in records)
        for column in LISTED_COLUMNS
        if column.bit is not None
    }
    return Filled(len(rows), counts | {"created_at": 0, "headline": len(rows)})


MEMORY_COLUMNS = {"peak_memory", "capacity_use", "failed_blocks", "memory_waste"}
GEMM = {"gmacs_mean": 604.2, "gmacs_best": 700.0, "utilization": 0.4, "kernels": 10.0}
PROFILE = {"step_time": 81e6, "busy_share": 0.5, "kernel_time": 61_312_456.0, "flops_total": 3.5e9}


def test_columns_without_a_value_are_hidden():
    shape = {"m", "k", "n", "grid", "mac_dtype"}
    captured = {"branch", "commit", "observations"}
    always_empty = {*PROFILE, *shape, *captured, "tags", "created_at"}
    assert {*always_empty, *MEMORY_COLUMNS, "file"} <= hidden(GEMM)
    assert {*always_empty, "M", "K", "N", *GEMM} <= hidden(MEMORY)
    assert not {"M", "K", "N", "gmacs_mean", "headline"} & hidden(GEMM)
    assert not {"peak_memory", "failed_blocks", "headline"} & hidden(MEMORY)
    assert "tags" not in hidden(GEMM | {"tags": "nightly"})


def test_of_all_sources_the_columns_that_people_need_most_fit_on_the_screen():
    mixed = (MEMORY | {"tags": "a"}, GEMM, PROFILE)
    shown = [c for c in column_defs("name", valued(*mixed)) if not c["hide"]]
    assert sum(c.get("width") or c["minWidth"] for c in shown) <= 1_440 - 190 - 3 * 12 - 36 - 20
    fields = {c["field"] for c in shown}
    assert {"name", "headline", "date", "health", "hwid", "tags"} <= fields
    # A number of a single source is a dash in the other rows.
    assert len({"gmacs_mean", "peak_memory", "busy_share"} & fields) <= 1


def test_headline_and_tags_fit_beside_a_baseline_and_the_sizes_of_a_gemm_come_together():
    for rows in ((MEMORY | {"tags": "a"}, GEMM, PROFILE), (GEMM | {"tags": "a"},)):
        definitions = column_defs("name", valued(*rows), against=True)
        shown = {column["field"]: column for column in definitions if not column["hide"]}
        assert {AGAINST, "headline", "tags"} <= set(shown)
        assert len({"M", "K", "N"} & set(shown)) in (0, 3)
        assert sum(column.get("width") or column["minWidth"] for column in shown.values()) <= 1_155


def test_chosen_columns_are_shown_whatever_they_hold():
    chosen = ("kernels", "created_at")
    assert hidden(MEMORY, chosen=chosen) == set(COLUMN_NAMES) - {AGAINST, *chosen}
    definitions = column_defs("-M", valued(MEMORY), chosen)
    assert visible_columns(definitions) == ["M", "kernels", "created_at"]


@pytest.mark.parametrize("against", [True, False])
def test_verdicts_have_a_column_where_there_is_a_baseline(against: bool):
    columns = column_defs("-against", valued(GEMM), against=against)
    assert (AGAINST in visible_columns(columns)) == against
    assert (AGAINST in {option["value"] for option in choosable_columns(columns)}) == against
    assert {"name", "headline", "date", "health"} <= {
        column["field"] for column in columns if not column["hide"]
    }


def test_the_date_is_the_captures_where_it_is_known():
    record = shown(records_of({"taken_at": "2025-02-03T04:05:06+00:00"}))[0]
    assert record["date"] == "2025-02-03 04:05"
    assert "2025-02-03 04:05" in record["date_told"]
    assert "2026-11-01 10:00" in record["date_told"]
    assert "created_at" in visible_columns(column_defs("", Filled(1, {"created_at": 1})))
    assert "created_at" not in visible_columns(column_defs("", Filled(1, {"file": 1})))


def test_the_column_that_sorts_is_never_hidden():
    columns = column_defs("-gmacs_mean", valued(MEMORY))
    assert not [column for column in columns if column["field"] == "gmacs_mean" and column["hide"]]


def test_runs_of_one_name_differ_by_file_and_id():
    (column,) = [column for column in column_defs("", None) if column["field"] == "file"]
    assert "params.data.run_id" in column["tooltipValueGetter"]["function"]
    assert shown(records_of(MEMORY))[0]["file"] == "net.log"


def test_what_people_added_is_marked():
    notes = "\n  \n# Slower\u202e since *Tuesday*\n\nmore"
    records = shown(records_of({}, {}), Annotation(notes, ("golden", "x"), True), Annotation())
    assert [(r["tags"], r["pinned"], r["note"]) for r in records] == [
        ("golden x", True, "Slower since *Tuesday"),
        ("", False, ""),
    ]
    assert len(shown(records_of({}), Annotation("x" * 5_000))[0]["note"]) < 200


def test_a_row_has_its_headline_and_what_explains_it():
    rate, none = shown(records_of({"gmacs_mean": 237.92, "utilization": 0.5}, {}))
    assert (rate["headline"], rate["headline_kind"]) == (
        "238 GMAC/s · 50.0\u202f% of peak",
        "rate",
    )
    assert METRICS["gmacs_mean"].formula in rate["headline_help"]
    assert (none["headline"], none["headline_kind"]) == ("–", "")
    assert none["headline_help"] == NO_HEADLINE


def test_a_long_name_keeps_what_tells_it_from_others():
    names = ["npu2 · gemm 128x256x128 · 2x2", "npu2 · gemm 256x64x128 · 2x2"]
    records = shown(records_of(*({"name": name} for name in names)))
    kept = [record["name"][-record["name_tail"] :] for record in records]
    assert kept == ["128x256x128 · 2x2", "256x64x128 · 2x2"]


def test_every_column_that_can_lack_a_value_explains_its_dash():
    explained = {
        column["field"]
        for column in column_defs("", None, against=True)
        if "tooltipValueGetter" in column or column["field"] == "headline"
    }
    # A run without tags lacks nothing, and the others have a value in every row.
    never_empty = {"name", "source", "health", "date", "created_at", "tags"}
    assert {column.name for column in LISTED_COLUMNS} - never_empty <= explained
    reasons = {column.name: column.why_missing for column in LISTED_COLUMNS}
    assert reasons["commit"] != reasons["peak_memory"] != reasons["gmacs_mean"]
    for column in column_defs("", None, against=True):
        if column["field"] in explained - {"headline", "file", "tags"}:
            assert reasons[column["field"]] in column["tooltipValueGetter"]["function"]
