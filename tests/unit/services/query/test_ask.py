"""Questions to a store, answered by a process."""

import csv
import errno
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

from ingest.files import ingest
from schema.frames import FRAMES
from services.query import ask
from services.query.ask import ask_query
from services.query.errors import (
    QueryFailedError,
    QueryLimitError,
    QueryRefusedError,
    QueryTextError,
)
from services.query.question import FORMATS, MAX_QUERY_CHARACTERS, QueryLimits, QueryQuestion
from services.query.tables import QUERY_TABLES, TILE_NAMES
from services.run.frames import RunFrameFinder, find_frame
from storage.errors import RunNotFound
from storage.repository import Repository
from storage.run_query import RunFilter

LIMITS = QueryLimits(seconds=30, memory_mb=512)


@pytest.fixture(scope="module")
def store(tmp_path_factory, samples):
    """A store with a capture and two problems."""
    folder = tmp_path_factory.mktemp("store")
    repository = Repository(f"sqlite:///{folder / 'catalogue.db'}", str(folder / "frames"))
    ingest(
        repository,
        [samples / "outputs" / "npu1-gemm_64_64_64-1_row_1_col", samples / "minimalloc"],
        {},
    )
    return repository


@pytest.fixture
def query(store):
    """Return what asks a question and gives its record."""

    def record(sql, limits=LIMITS, **asked):
        with ask_query(store, QueryQuestion(sql, **asked), limits) as answer:
            return answer.record()

    return record


def body(store, sql, fmt):
    with ask_query(store, QueryQuestion(sql, format=fmt), LIMITS) as answer:
        stream = io.BytesIO()
        answer.write(stream)
        return stream.getvalue()


@pytest.mark.slow
def test_every_table_has_the_rows_of_its_frames(store, query):
    counts = ", ".join(f'(SELECT count(*) FROM "{name}")' for name in FRAMES)  # noqa: S608 - names of the schema
    [found] = query(f"SELECT {counts}")["rows"]
    finders = [RunFrameFinder(store, stored.run_id) for stored in store.catalogue.each({})]
    wanted = {name: sum(len(one.find(name)) for one in finders if one.has(name)) for name in FRAMES}
    assert dict(zip(FRAMES, found, strict=True)) == wanted


@pytest.mark.parametrize("name", ["kernels", "allocations", "run", "waves"])
def test_columns_have_their_types(query, name):
    found = query(f"FROM {name}", limit=0)
    wanted = {column.name: column.type for column in QUERY_TABLES[name].columns}
    assert {column["name"]: column["type"] for column in found["columns"]} == wanted
    assert found["columns"][0]["name"] == "run_id"


def test_null_is_where_the_frame_has_none(store, query):
    [run] = [stored.run_id for stored in store.catalogue.each({"source": "aie"})]
    frame = find_frame(store, run, "iterations")
    found = query("SELECT * FROM iterations", runs=(run,))
    names = [column["name"] for column in found["columns"]]
    assert names == ["run_id", *frame.columns]
    rows = frame.astype(object).where(frame.notna(), None).to_numpy().tolist()
    assert (
        [row[1:] for row in found["rows"]] == pytest.approx(rows)
        if not rows
        else found["rows"] == [[run, *row] for row in rows]
    )


@pytest.mark.slow
def test_findings_are_those_of_the_frame(store, query):
    wanted = []
    for stored in store.catalogue.each({}):
        frame = find_frame(store, stored.run_id, "diagnostics")
        wanted += [[stored.run_id, *row] for row in frame.astype(object).to_numpy().tolist()]
    for table in ("findings", "diagnostics"):
        assert sorted(query(f"FROM {table}")["rows"]) == sorted(wanted)


def test_runs_have_the_columns_of_the_list(store, query):
    found = query("SELECT * FROM runs")
    record = next(iter(store.catalogue.each({}))).record()
    names = {column["name"]: column["type"] for column in found["columns"]}
    # The headline is made of other columns, so that SQL has it by their names.
    assert {TILE_NAMES.get(name, name) for name in record if name != "headline"} <= set(names)
    assert (names["M"], names["tile_m"], names["gmacs_mean"], names["tags"]) == (
        "BIGINT",
        "BIGINT",
        "DOUBLE",
        "VARCHAR",
    )
    assert found["runs"] == len(found["rows"]) == 3


@pytest.mark.slow
def test_frames_are_the_catalogue_of_frames(store, query):
    found = {
        (run, name): rows
        for run, name, rows in query("SELECT run_id, frame, rows FROM frames")["rows"]
    }
    assert found == {
        (stored.run_id, name): len(find_frame(store, stored.run_id, name))
        for stored in store.catalogue.each({})
        for name in {"run": 1} | stored.frames | stored.derived
    }


@pytest.mark.slow
def test_runs_are_chosen_by_id_and_by_filter(store, query):
    runs = [stored.run_id for stored in store.catalogue.each({"source": "minimalloc"})]
    ids = "SELECT DISTINCT run_id FROM allocations ORDER BY run_id"
    assert query(ids, runs=(runs[0][:8],))["rows"] == [[runs[0]]]
    assert query(ids, fits=RunFilter(source=("minimalloc",)))["rows"] == [
        [run] for run in sorted(runs)
    ]
    assert query(ids, fits=RunFilter(source=("aie",)))["rows"] == []
    with pytest.raises(RunNotFound):
        query("SELECT 1", runs=("nosuchrun",))


def test_values_are_those_of_json(query):
    sql = """SELECT sum(i)::HUGEINT * 1000000000000000000000 AS large, 'nan'::DOUBLE, 'inf'::DOUBLE, NULL, [1, 2],
        {'x': 1.5}, MAP {'a': 1}, DATE '2026-01-02', TIMESTAMP '2026-01-02 03:04:05', 0.25::DECIMAL(5, 2), true
        FROM range(5) t(i)"""
    found = query(sql)
    assert found["rows"] == [
        [
            10**22,
            None,
            None,
            None,
            [1, 2],
            {"x": 1.5},
            {"a": 1},
            "2026-01-02",
            "2026-01-02T03:04:05",
            0.25,
            True,
        ]
    ]
    assert found["columns"][0] == {"name": "large", "type": "HUGEINT"}


@pytest.mark.slow
def test_files_have_the_rows_and_text_that_is_no_formula(store):
    sql = "SELECT run_id, '=1+1' AS formula, sum(M) AS work FROM runs GROUP BY ALL ORDER BY run_id"
    rows = json.loads(body(store, sql, "json"))["rows"]
    parquet = pd.read_parquet(io.BytesIO(body(store, sql, "parquet")))
    arrow = pa.ipc.open_stream(body(store, sql, "arrow")).read_all()
    text = [*csv.reader(io.StringIO(body(store, sql, "csv").decode()))]
    assert [*parquet["run_id"]] == arrow["run_id"].to_pylist() == [row[0] for row in rows]
    assert arrow.schema.field("work").type == pa.int64()
    assert set(parquet["formula"]) == {"=1+1"}
    cells = [[row[0], "'=1+1", "" if row[2] is None else str(row[2])] for row in rows]
    assert text == [["run_id", "formula", "work"], *cells]


@pytest.mark.parametrize("fmt", FORMATS)
def test_a_disk_that_the_rows_fill_is_no_failure_of_the_process(store, fmt, tmp_path, monkeypatch):
    (tmp_path / "rows").symlink_to("/dev/full")
    monkeypatch.setattr(ask, "scratch_folder", lambda: nullcontext(tmp_path))
    question = QueryQuestion("SELECT range FROM range(9)", format=fmt)
    with (
        pytest.raises(OSError, match="No space left") as raised,
        ask_query(store, question, LIMITS),
    ):
        pass
    assert (raised.value.errno, raised.value.filename) == (errno.ENOSPC, str(tmp_path))


def test_cells_and_names_of_columns_that_would_run_have_an_apostrophe(store):
    sql = (
        "SELECT chr(10) || '=1' AS \"=a\", '＝1' AS b, -5 AS c, '-5' AS d, -0.5::DECIMAL(9, 2) AS e"
    )
    text = [*csv.reader(io.StringIO(body(store, sql, "csv").decode(), newline=""))]
    assert text == [["'=a", "b", "c", "d", "e"], ["'\n=1", "'＝1", "-5", "-5", "-0.5"]]


@pytest.mark.parametrize(
    ("sql", "place"),
    [
        ("SELECT run_id,\n  nosuch FROM runs", r"^line 2, column 3: .*nosuch"),
        ("SELECT run_id\nFROM runs\nWHERE WHERE", r"^line 3, column 7: "),
        ("SELECT *\nFROM kernel", r"^line 2, column 6: .*kernel.*kernels"),
        ("SELECT trak FROM tracks", r"^line 1, column 8: .*trak.*track"),
        ("SELECT 'a'::INT", r"^line 1, column 11: "),
        ("SELECT nofunc(1)", r"^line 1, column 8: "),
        ("SELECT 1; SELECT 2", r"^line 1, column "),
        ("-- nothing", r"^line 1, column 1: "),
        ("DROP TABLE runs", r"^line 1, column 1: "),
        ("SELECT * FROM read_csv('/etc/passwd')", r"^line 1, column 15: "),
        ("SELECT error('a\nb')", r"^line 1, column "),
        ("SELECT list_reduce([], lambda x, y: x)", r"^line 1, column 1: cannot perform "),
    ],
)
def test_errors_are_a_sentence_with_its_place(query, sql, place):
    with pytest.raises(QueryRefusedError, match=place) as caught:
        query(sql)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT {'(' * 20_000}1{')' * 20_000}",
        f"SELECT 1 + {'(SELECT ' * 900}1{')' * 900}",
    ],
)
def test_what_is_nested_too_deeply_is_wrong_and_advises_no_setting(query, sql):
    with pytest.raises(QueryRefusedError, match=r"^line 1, column 1: ") as caught:
        query(sql)
    assert "deep" in str(caught.value)
    assert "SET" not in str(caught.value)


def test_rows_beyond_the_limit_are_cut_and_counted(query):
    found = query("SELECT * FROM range(50)", limit=10)
    assert (len(found["rows"]), found["truncated"]) == (10, True)
    assert any("50" in note for note in found["notes"])
    whole = query("SELECT * FROM range(10)", limit=10)
    assert (len(whole["rows"]), whole["truncated"], whole["notes"]) == (10, False, [])
    assert query("SELECT * FROM range(50)", QueryLimits(30, 512, rows=5))["truncated"]


def test_more_rows_than_can_be_counted_are_answered(query):
    found = query("SELECT * FROM range(100000000000)", limit=3)
    assert (found["rows"], found["truncated"]) == ([[0], [1], [2]], True)


@pytest.mark.quick_every(3)
@pytest.mark.parametrize(
    ("sql", "word"),
    [
        ("SELECT count(*) FROM range(1000000) a, range(1000000) b, range(1000000) c", "seconds"),
        ("SELECT list_sort(range(200000000))", "memory"),
        ("SELECT repeat('x', 2000000000)", "memory"),
    ],
)
def test_what_needs_too_much_ends_and_says_what_ran_out(query, sql, word):
    with pytest.raises(QueryLimitError, match=word):
        query(sql, QueryLimits(seconds=5 if word == "seconds" else 60, memory_mb=256))


def test_an_answer_has_a_size(query):
    with pytest.raises(QueryLimitError, match="MiB"):
        query("SELECT repeat('x', 1000000) FROM range(100)")


def test_tables_that_are_too_large_are_refused(query):
    with pytest.raises(QueryLimitError, match="MiB"):
        query("SELECT count(*) FROM events", QueryLimits(load_mb=0))


def test_a_text_has_a_length_and_plain_characters(query):
    with pytest.raises(QueryTextError):
        query(f"SELECT '{'x' * MAX_QUERY_CHARACTERS}'")
    with pytest.raises(QueryTextError):
        query("SELECT \x00 1")


def test_nothing_stays_behind(query, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    query("SELECT 1")
    with pytest.raises(QueryRefusedError):
        query("SELECT")
    assert not [*tmp_path.iterdir()]


KILLED = """
import os, signal, sys
from services.query.ask import ask_query
from services.query.question import QueryLimits, QueryQuestion
from storage.repository import Repository
with ask_query(Repository(sys.argv[1], sys.argv[2]), QueryQuestion("FROM runs"), QueryLimits()):
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.slow
def test_what_a_killed_process_left_behind_is_gone_at_the_next_question(
    store, query, tmp_path, monkeypatch
):
    frames = Path(store.store.url)
    addresses = [f"sqlite:///{frames.parent / 'catalogue.db'}", str(frames)]
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    killed = subprocess.run([sys.executable, "-c", KILLED, *addresses], check=False, env=env)
    assert killed.returncode == -signal.SIGKILL
    assert len([*tmp_path.iterdir()]) == 1
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    query("SELECT 1")
    assert not [*tmp_path.iterdir()]


@pytest.mark.quick_every(4)
@pytest.mark.parametrize("fmt", FORMATS)
@pytest.mark.parametrize(
    "value",
    [
        *(
            "DATE 'infinity'",
            "[DATE '290000-01-01']",
            "TIMESTAMP '-infinity'",
            "TIMESTAMPTZ '0044-03-15 (BC) 00:00:00'",
        ),
        *(
            "[INTERVAL 1 YEAR]",
            "MAP {}",
            "()",
            "[1::UNION(a INT, b VARCHAR)]",
            "'[' * 2",
            "get_type(1)",
        ),
    ],
)
def test_any_value_is_written_or_refused_in_a_sentence(store, value, fmt):
    try:
        assert body(store, f"SELECT {value} AS v", fmt)
    except QueryRefusedError as error:
        assert str(error).startswith("line 1, column ")


def test_intervals_within_lists_are_those_of_iso_8601(query):
    assert query("SELECT [INTERVAL 14 MONTH, INTERVAL 2 DAY] AS v")["rows"] == [
        [["P14M0DT0S", "P0M2DT0S"]]
    ]


def test_a_kind_of_statement_that_the_package_does_not_know_is_refused(query):
    with pytest.raises(QueryRefusedError, match=r"^line 1, column 1: "):
        query("UPDATE EXTENSIONS")


@pytest.mark.parametrize(
    ("script", "kind"),
    [
        ("raise ValueError('a fault')", QueryFailedError),
        ("raise MemoryError", QueryLimitError),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", QueryLimitError),
    ],
)
def test_a_process_that_falls_over_is_told_from_one_that_ran_out_of_memory(
    store, monkeypatch, script, kind
):
    def start(folder, complaints):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": complaints}
        return subprocess.Popen([sys.executable, "-c", script], cwd=folder, **pipes)

    monkeypatch.setattr(ask, "_start", start)
    with pytest.raises(kind), ask_query(store, QueryQuestion("SELECT 1"), QueryLimits()):
        pass
