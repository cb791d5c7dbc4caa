"""What a query finds when it gets past the check of its statement: nothing."""

import duckdb
import pyarrow as pa
import pytest

from services.query.child import close_doors

TABLE = pa.table({"run_id": ["a"]})


@pytest.fixture
def closed(tmp_path, monkeypatch):
    """A connection whose ways out are closed, and a file beside it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.csv").write_text("a\n1\n")
    connection = duckdb.connect(":memory:", config={"threads": 1})
    connection.register("runs", TABLE)
    close_doors(connection)
    yield connection
    connection.close()


@pytest.mark.parametrize(
    "text",
    [
        "FROM 'x.csv'",
        "FROM read_csv('x.csv')",
        "FROM read_text('x.csv')",
        "FROM read_blob('/proc/self/environ')",
        "FROM read_parquet('x.parquet')",
        "FROM read_csv('http://127.0.0.1:9/x')",
        "FROM glob('*')",
        "FROM sniff_csv('x.csv')",
        "FROM TABLE",
        "FROM connection",
        "COPY (SELECT 1) TO 'y.csv'",
        "COPY runs FROM 'x.csv'",
        "EXPORT DATABASE 'y'",
        "ATTACH 'y.db'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "SET memory_limit = '64GB'",
        "SET lock_configuration = false",
        "SET python_enable_replacements = true",
        "RESET lock_configuration",
        "CREATE SECRET s (TYPE s3, KEY_ID 'a', SECRET 'b')",
    ],
)
def test_the_machine_is_out_of_reach(closed, tmp_path, text):
    with pytest.raises(duckdb.Error):
        closed.execute(text).fetchall()
    assert [path.name for path in tmp_path.iterdir()] == ["x.csv"]


def test_tables_are_within_reach(closed):
    assert closed.execute("FROM runs").fetchall() == [("a",)]
