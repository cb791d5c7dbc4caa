"""Monthly files of narrow frames, on both kinds of store: SQL has the same rows with and without."""

from dataclasses import dataclass

import pytest
from sqlalchemy import update

from ingest.files import ingest
from services.query import compaction, narrow
from services.query.ask import ask_query
from services.query.compaction import clean_months, compact_month, due_months
from services.query.narrow import NARROW_TABLES
from services.query.question import QueryLimits, QueryQuestion
from services.store.packing import pack_run
from storage.annotations import Annotations, Change
from storage.monthly_files import MonthlyFiles, RunMonth
from storage.monthly_tables import MONTHLY_FILES
from storage.orphans import find_orphans
from storage.pending import sweep
from storage.repository import Repository
from storage.run_query import EVERY_RUN, RunFilter
from tests.support.frame_files import unpack
from tests.support.monthly_store import compact, rows_from_packs, rows_of, write_problem

# SQLite is quick, PostgreSQL is slow.
pytestmark = pytest.mark.quick_every(2)

SAMPLES = ("outputs/npu1-gemm_64_64_64-1_row_1_col", "tinygrad", "deeploy")

OWN_TABLES = {"runs", "attempts"}
"""Narrow tables that a problem of allocation has."""


def add_problems(repository, folder):
    """Ingest five problems of two months."""
    for rank in range(5):
        taken_at = f"2026-0{1 + rank % 2}-11T10:00:00Z"
        assert ingest(repository, [write_problem(folder, rank)], {"taken_at": taken_at}).runs
    return repository


@pytest.fixture
def filled(repository, tmp_path):
    """A store with five problems of two months."""
    return add_problems(repository, tmp_path)


@dataclass
class Compacted:
    """A compacted store, with its rows, a query's reply and its due months of before."""

    repository: Repository
    rows: dict
    reply: dict
    due: list
    results: list


@pytest.fixture(scope="module")
def compacted_store(new_repository, samples, tmp_path_factory):
    """A store with runs of all narrow frames, which tests only read: reading these takes seconds."""
    repository = add_problems(new_repository(), tmp_path_factory.mktemp("problems"))
    ingest(repository, [samples / name for name in SAMPLES], {})
    rows, reply, due = rows_from_packs(repository), reply_of(repository), due_months(repository)
    yield Compacted(repository, rows, reply, due, compact(repository))
    repository.catalogue.close()


def reply_of(repository):
    """Return the reply of a process to a query that reads two narrow tables."""
    sql = """SELECT source, count(*) AS n, sum(elapsed) AS elapsed FROM runs LEFT JOIN iterations
        USING (run_id) GROUP BY ALL ORDER BY ALL"""
    with ask_query(repository, QueryQuestion(sql), QueryLimits()) as result:
        return {**result.record(), "seconds": 0}


def ids(repository, **filters):
    return [stored.run_id for stored in repository.catalogue.each(filters)]


def monthly_paths(repository):
    return sorted(
        file.path for file in repository.store.files.walk() if file.path.startswith("monthly/")
    )


def assert_equal_rows(repository, fits=EVERY_RUN):
    tables, monthly = rows_of(repository, fits)
    assert tables == rows_from_packs(repository, fits)
    return tables, monthly


@pytest.mark.slow
def test_each_month_of_a_source_has_a_file_with_the_rows_of_its_runs(compacted_store):
    repository, before = compacted_store.repository, compacted_store.rows
    assert all(before.values())
    assert {month.month for month in compacted_store.due if month.source == "minimalloc"} >= {
        "2026-01",
        "2026-02",
    }
    assert sum(result.read for result in compacted_store.results) == len(before["runs"])
    assert due_months(repository) == []
    files = MonthlyFiles(repository.catalogue).files()
    assert len(files) == len(compacted_store.due)
    tables, monthly = rows_of(repository)
    assert tables == before
    assert monthly == {*NARROW_TABLES}
    counted = {
        name: sum(file.tables.get(name, [0])[0] for file in files.values())
        for name in NARROW_TABLES
    }
    assert counted == {name: len(rows) for name, rows in before.items()}
    assert monthly_paths(repository) == sorted(
        file.path(name) for file in files.values() for name in file.tables
    )
    assert repository.catalogue.pending() == []


def test_a_query_of_a_process_has_the_same_rows(compacted_store):
    assert reply_of(compacted_store.repository) == compacted_store.reply
    assert len(compacted_store.reply["rows"]) == 4


@pytest.mark.slow
def test_late_deleted_and_changed_runs_are_right_before_and_after_the_next_compaction(
    filled, tmp_path
):
    compact(filled)
    problems = ids(filled, source="minimalloc")
    deleted, renamed, tagged = problems[:3]
    filled.delete(deleted)
    path = tmp_path / filled.find_run(renamed).run["file"].rpartition("/")[2]
    assert ingest(filled, [path], {"name": "renamed"}).runs
    Annotations(filled.catalogue).change(tagged, Change(more_tags=("a tag",)), "user")
    late = ingest(filled, [write_problem(tmp_path, 9)], {"taken_at": "2026-01-20T10:00:00Z"})
    for is_compacted in (False, True):
        tables, monthly = assert_equal_rows(filled)
        assert monthly == OWN_TABLES
        for rows in tables.values():
            assert not any(deleted in row for row in rows)
        assert any(late.runs[0].run_id in row for row in tables["attempts"])
        assert any("renamed" in row for row in tables["runs"])
        assert bool(due_months(filled)) is not is_compacted
        compact(filled)
    assert due_months(filled) == []


@pytest.mark.slow
def test_filters_and_ids_choose_the_same_runs(filled):
    compact(filled)
    problems = ids(filled, source="minimalloc")
    filled.delete(problems[0])
    name = filled.find_run(problems[1]).run["name"]
    for fits in (
        RunFilter(source=("minimalloc",)),
        RunFilter(source=("aie",)),
        RunFilter(words=(name.lower(),)),
        RunFilter(source=("none",)),
    ):
        assert_equal_rows(filled, fits)
    tables, monthly = rows_of(filled, run_ids=problems[1:3])
    assert not monthly
    assert len(tables["runs"]) == 2


@pytest.mark.slow
def test_wide_tables_are_read_from_packs_beside_monthly_files(compacted_store):
    names = ("runs", "attempts", "allocations", "frames", "findings")
    tables, monthly = rows_of(compacted_store.repository, names=names)
    assert tables == rows_from_packs(compacted_store.repository, names=names)
    assert monthly == {"runs", "attempts"}


@pytest.mark.slow
def test_only_changed_months_are_written_and_unchanged_rows_are_copied(filled, tmp_path):
    compact(filled)
    before = MonthlyFiles(filled.catalogue).files()
    ingest(filled, [write_problem(tmp_path, 9)], {"taken_at": "2026-01-20T10:00:00Z"})
    [result] = compact(filled)
    assert (result.read, result.copied, result.left_out) == (1, 3, 0)
    after = MonthlyFiles(filled.catalogue).files()
    assert len(after) == len(before)
    assert len(after.keys() & before.keys()) == len(before) - 1
    assert_equal_rows(filled)


@pytest.mark.slow
def test_a_replaced_file_is_removed_after_a_while(filled, tmp_path):
    compact(filled)
    ingest(filled, [write_problem(tmp_path, 9)], {"taken_at": "2026-01-20T10:00:00Z"})
    compact(filled)
    assert len(monthly_paths(filled)) > sum(
        len(file.tables) for file in MonthlyFiles(filled.catalogue).files().values()
    )
    monthly = MonthlyFiles(filled.catalogue)
    assert monthly.remove_retired(filled.store) == 0
    assert monthly.remove_retired(filled.store, after_s=-1) == 1
    assert len(monthly_paths(filled)) == sum(len(file.tables) for file in monthly.files().values())
    assert filled.catalogue.pending() == []


@pytest.mark.slow
def test_the_last_deleted_run_retires_its_file(filled):
    compact(filled)
    for stored in [*filled.catalogue.each()]:
        if stored.run["taken_at"].startswith("2026-01"):
            filled.delete(stored.run_id)
    clean_months(filled)
    files = MonthlyFiles(filled.catalogue).files().values()
    assert {file.month for file in files} == {"2026-02"}
    assert_equal_rows(filled)


@pytest.mark.slow
@pytest.mark.parametrize("step", ["claim", "publish", "release", "put", "retire"])
def test_a_compaction_may_end_at_any_step(filled, tmp_path, monkeypatch, step):
    compact(filled)
    ingest(filled, [write_problem(tmp_path, 9)], {"taken_at": "2026-01-20T10:00:00Z"})
    before = rows_from_packs(filled)

    def end(*_args, **_options):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        if step == "put":
            patch.setattr(compaction, "_put", end)
        else:
            patch.setattr(MonthlyFiles, step, end)
        with pytest.raises(KeyboardInterrupt):
            compact(filled)
    sweep(filled.catalogue, filled.store)
    assert rows_of(filled)[0] == before
    compact(filled)
    assert rows_of(filled)[0] == before
    assert due_months(filled) == []
    MonthlyFiles(filled.catalogue).remove_retired(filled.store, after_s=-1)
    assert len(monthly_paths(filled)) == sum(
        len(file.tables) for file in MonthlyFiles(filled.catalogue).files().values()
    )
    assert filled.catalogue.pending() == []


@pytest.mark.slow
def test_runs_change_while_their_file_is_written(filled, monkeypatch):
    """A run that is deleted or tagged after its rows were read does not enter the file."""
    problems = ids(filled, source="minimalloc")
    put = compaction._put

    def change_and_put(repository, prefix, files):
        if repository.catalogue.get(problems[0]) is not None:
            repository.delete(problems[0])
            Annotations(repository.catalogue).change(problems[1], Change(notes="new"), "user")
        put(repository, prefix, files)

    monkeypatch.setattr(compaction, "_put", change_and_put)
    compact(filled)
    tables, _ = assert_equal_rows(filled)
    assert not any(problems[0] in row for rows in tables.values() for row in rows)
    assert due_months(filled)
    compact(filled)
    assert_equal_rows(filled)
    assert due_months(filled) == []


@pytest.mark.slow
def test_files_of_another_version_are_not_read_and_are_written_again(filled, monkeypatch):
    compact(filled)
    with filled.catalogue.begin() as connection:
        connection.execute(update(MONTHLY_FILES).values(made_by="older"))
    tables, monthly = assert_equal_rows(filled)
    assert not monthly
    results = compact(filled)
    assert [result.copied for result in results] == [0] * len(results)
    assert rows_of(filled) == (tables, OWN_TABLES)


def test_the_version_changes_with_the_analysis(monkeypatch):
    before = narrow.narrow_version()
    narrow.narrow_version.cache_clear()
    monkeypatch.setattr(narrow, "ANALYSIS_VERSION", "another")
    try:
        assert narrow.narrow_version() != before
    finally:
        narrow.narrow_version.cache_clear()


@pytest.mark.slow
def test_a_missing_file_is_made_good_by_packs(filled):
    compact(filled)
    before = rows_from_packs(filled)
    monthly = MonthlyFiles(filled.catalogue)
    file = next(iter(monthly.files().values()))
    filled.store.files.delete(file.path("attempts"))
    assert rows_of(filled) == (before, OWN_TABLES)
    month = RunMonth(file.source, file.month)
    assert compact_month(filled, month, from_packs=True).copied == 0
    assert file.file not in monthly.files()
    assert rows_of(filled) == (before, OWN_TABLES)


@pytest.mark.slow
def test_a_damaged_former_file_is_replaced_from_packs(filled, tmp_path):
    compact(filled)
    file = next(
        file for file in MonthlyFiles(filled.catalogue).files().values() if file.month == "2026-01"
    )
    content = bytearray(filled.store.files.read(file.path("attempts")))
    content[20:60] = bytes(40)
    filled.store.files.write(file.path("attempts"), bytes(content))
    ingest(filled, [write_problem(tmp_path, 9)], {"taken_at": "2026-01-20T10:00:00Z"})
    [result] = compact(filled)
    assert (result.read, result.copied) == (4, 0)
    assert_equal_rows(filled)


@pytest.mark.slow
def test_a_damaged_run_is_left_out_and_does_not_make_its_month_due(filled):
    damaged = ids(filled, source="minimalloc")[0]
    filled.cache.clear()
    filled.store.remove(filled.version(damaged))
    results = compact(filled)
    assert sum(result.left_out for result in results) == 1
    assert due_months(filled) == []
    filled.cache.clear()
    tables, _ = rows_of(filled)
    assert not any(damaged in row for row in tables["attempts"])


@pytest.mark.slow
def test_packing_a_run_takes_it_out_of_its_file(filled):
    run_id = ids(filled, source="minimalloc")[0]
    unpack(filled, run_id)
    compact(filled)
    assert due_months(filled) == []
    pack_run(filled, run_id)
    assert len(due_months(filled)) == 1
    assert_equal_rows(filled)


@pytest.mark.slow
def test_monthly_files_are_no_orphans(filled):
    compact(filled)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("storage.orphans.QUIET_S", -1.0)
        found = find_orphans(filled.catalogue, filled.store, most_files=1000, within_s=60)
        assert found.orphans == ()
        prefix = f"monthly/{'0' * 24}"
        filled.store.files.write(f"{prefix}/runs.parquet", b"left over")
        found = find_orphans(filled.catalogue, filled.store, most_files=1000, within_s=60)
    assert [orphan.prefix for orphan in found.orphans] == [prefix]


@pytest.mark.slow
def test_a_file_is_not_retired_while_it_is_published(filled, monkeypatch):
    """Another server may retire files between the transactions of `publish`."""
    give_runs = MonthlyFiles._batches

    def retire_first(monthly, month, *conditions):
        MonthlyFiles(filled.catalogue).retire()
        return give_runs(monthly, month, *conditions)

    monkeypatch.setattr(MonthlyFiles, "_batches", retire_first)
    month = due_months(filled)[0]
    compact_month(filled, month)
    monkeypatch.undo()
    assert [file.month for file in MonthlyFiles(filled.catalogue).files().values()] == [month.month]
    assert month not in due_months(filled)
