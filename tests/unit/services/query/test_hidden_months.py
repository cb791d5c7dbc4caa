"""Monthly files of a query have rows of runs that were deleted or not chosen: no text reaches them."""

import pytest

from ingest.files import ingest
from services.query.ask import ask_query
from services.query.errors import QueryError
from services.query.question import QueryLimits, QueryQuestion
from storage.monthly_files import MonthlyFiles
from storage.repository import Repository
from storage.run_query import RunFilter
from tests.support.monthly_store import compact, rows_of, write_problem


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store with two runs in a monthly file, and the file of a third run, which was deleted."""
    folder = tmp_path_factory.mktemp("store")
    opened = Repository(f"sqlite:///{folder / 'catalogue.db'}", str(folder / "frames"))
    runs = [
        ingest(opened, [write_problem(folder, rank)], {"hwid": f"npu{rank}"}).runs[0]
        for rank in range(3)
    ]
    compact(opened)
    opened.delete(runs[2].run_id)
    yield opened
    opened.catalogue.close()


CHOSEN = RunFilter(hwid=("npu0",))


def ask(store, sql):
    with ask_query(store, QueryQuestion(sql, fits=CHOSEN), QueryLimits()) as result:
        return result.record()["rows"]


@pytest.mark.slow
def test_only_rows_of_chosen_runs_are_seen(store):
    assert rows_of(store, CHOSEN)[1] == {"runs", "attempts"}
    assert ask(store, "SELECT hwid FROM runs") == [["npu0"]]
    sql = (
        "SELECT count(DISTINCT run_id) FROM attempts WHERE run_id NOT IN (SELECT run_id FROM runs)"
    )
    assert ask(store, sql) == [[0]]


@pytest.mark.parametrize(
    "table",
    [
        '"month 0 of runs"',
        '"runs of month 0 of runs"',
        '"months of runs"',
        '"rows of runs"',
        "'{path}'",
        '"{path}"',
        "read_parquet('{path}')",
        "parquet_scan('{path}')",
        "parquet_metadata('{path}')",
        "glob('{folder}/*')",
        "query_table('month 0 of runs')",
    ],
)
def test_no_text_names_a_monthly_file(store, table):
    [file] = MonthlyFiles(store.catalogue).files().values()
    path = f"{store.store.url}/{file.path('runs')}"
    source = table.format(path=path, folder=store.store.url)
    with pytest.raises(QueryError) as refused:
        ask(store, f"SELECT * FROM {source}, runs")  # noqa: S608 - an attack
    assert "npu1" not in str(refused.value)
    assert "npu2" not in str(refused.value)
