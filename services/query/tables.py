"""Tables of SQL: the list of runs, the catalogue of frames, and each frame of the schema over the
selected runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from schema.frames import FRAMES
from schema.metrics import METRICS
from schema.runs import RUN
from schema.spec import Column, FrameSpec

RUNS_TABLE, FRAMES_TABLE, FINDINGS_TABLE = "runs", "frames", "findings"
"""Names of the tables that are not frames under their own names."""
_FINDINGS_FRAME = "diagnostics"
TILE_NAMES: Mapping[str, str] = MappingProxyType({"m": "tile_m", "k": "tile_k", "n": "tile_n"})
"""Names of the tile sizes, which differ from M, K and N: SQL ignores the case of names."""
_TYPES: Mapping[str, str] = MappingProxyType(
    {
        "int64": "BIGINT",
        "Int64": "BIGINT",
        "float64": "DOUBLE",
        "bool": "BOOLEAN",
        "boolean": "BOOLEAN",
    }
)
_OTHER_TYPE = "VARCHAR"
_RUN_ID = "the run; `runs` has a row of each"
"""Meaning of column `run_id`."""
_IMPOSSIBLE = (
    "names of the metrics that no hardware reaches, with spaces between; empty without any"
)


@dataclass(frozen=True)
class QueryColumn:
    """A column: its name, SQL type, unit and meaning; `dtype` and `source` are dtype and name in
    the frame.
    """

    name: str
    type: str
    unit: str
    meaning: str
    dtype: str
    source: str


@dataclass(frozen=True)
class QueryTable:
    """A table: the meaning of a row, the name of its frame ("" for tables of the catalogue), and
    its columns in order.
    """

    name: str
    row: str
    frame: str
    columns: tuple[QueryColumn, ...]


def _column(column: Column, names: Mapping[str, str] = MappingProxyType({})) -> QueryColumn:
    name = names.get(column.name, column.name)
    kind = _TYPES.get(column.dtype, _OTHER_TYPE)
    return QueryColumn(name, kind, column.unit, column.meaning, column.dtype, column.name)


_RUN_ID_COLUMN = QueryColumn("run_id", _OTHER_TYPE, "", _RUN_ID, "category", "run_id")


def _frame_table(spec: FrameSpec, name: str = "") -> QueryTable:
    if spec is RUN:
        columns = tuple(_column(column, TILE_NAMES) for column in RUN.columns)
        return QueryTable(spec.name, spec.row, spec.name, columns)
    return QueryTable(
        name or spec.name, spec.row, spec.name, (_RUN_ID_COLUMN, *map(_column, spec.every))
    )


def _counts(**meanings: str) -> Iterable[QueryColumn]:
    return (
        QueryColumn(name, "BIGINT", "", meaning, "int64", name)
        for name, meaning in meanings.items()
    )


_RUNS = QueryTable(
    RUNS_TABLE,
    "a chosen run, with the numbers of the list of runs",
    "",
    (
        *(_column(column, TILE_NAMES) for column in RUN.columns),
        *(
            QueryColumn(one.name, "DOUBLE", one.unit, one.formula, "float64", one.name)
            for one in METRICS.values()
        ),
        *_counts(
            errors="errors among the findings",
            warnings="warnings among the findings",
            observations="how often the same content was captured",
        ),
        QueryColumn("impossible", _OTHER_TYPE, "", _IMPOSSIBLE, "str", "impossible"),
    ),
)
"""Table `runs`: the row of frame `run`, the metrics, and counts of findings and observations."""
_FRAMES = QueryTable(
    FRAMES_TABLE,
    "a frame of a run",
    "",
    (
        _RUN_ID_COLUMN,
        QueryColumn(
            "frame", _OTHER_TYPE, "", "name of the frame and of its table", "category", "frame"
        ),
        *_counts(rows="rows of the frame in the run"),
    ),
)
"""Table `frames`: the number of rows of each frame of a run."""

QUERY_TABLES: Mapping[str, QueryTable] = MappingProxyType(
    {
        table.name: table
        for table in (
            _RUNS,
            _frame_table(FRAMES[_FINDINGS_FRAME], FINDINGS_TABLE),
            _FRAMES,
            *map(_frame_table, FRAMES.values()),
        )
    }
)
"""All tables by name; the tables of the catalogue come first."""


def tables_record() -> dict[str, list[dict[str, object]]]:
    """Return the tables as JSON types, as `query --tables --json` prints them: `tables` is a list
    of dicts with name, row (its meaning) and columns (name, type, unit, meaning).
    """
    keys = ("name", "type", "unit", "meaning")
    return {
        "tables": [
            {
                "name": table.name,
                "row": table.row,
                "columns": [
                    {key: getattr(column, key) for key in keys} for column in table.columns
                ],
            }
            for table in QUERY_TABLES.values()
        ]
    }
