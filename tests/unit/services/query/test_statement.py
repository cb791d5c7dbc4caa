"""Which statements may be asked, of DuckDB's own trees of them."""

import json

import duckdb
import pytest

from services.query.statement import StatementError, named_tables

KNOWN = dict.fromkeys(["runs", "kernels", "tracks", "kernel_totals"])


def tree(text):
    [(serialized,)] = (
        duckdb.connect().execute("SELECT json_serialize_sql(?::VARCHAR)", [text]).fetchall()
    )
    return json.loads(serialized)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("SELECT 1", []),
        ("FROM runs", ["runs"]),
        ("VALUES (1), (2)", []),
        ("SELECT * FROM Kernels k JOIN main.tracks USING (run_id)", ["kernels", "tracks"]),
        ("SELECT (SELECT count(*) FROM kernels) FROM runs", ["runs", "kernels"]),
        ("WITH a AS (FROM kernels), b AS (FROM a) SELECT * FROM b, tracks", ["kernels", "tracks"]),
        ("WITH kernels AS (SELECT 1) FROM kernels", []),
        ("WITH RECURSIVE t(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM t WHERE i < 9) FROM t", []),
        (
            "WITH RECURSIVE kernels AS (FROM kernels UNION ALL FROM kernels) FROM kernels",
            ["kernels"],
        ),
        (
            "WITH kernels AS (SELECT 1) FROM (WITH RECURSIVE kernels AS (FROM kernels UNION FROM kernels) FROM tracks)",
            ["tracks"],
        ),
        ("WITH RECURSIVE a(x) USING KEY (x) AS (SELECT 1 UNION FROM recurring.a) FROM a", []),
        ("WITH RECURSIVE a AS (SELECT 1 UNION ALL (WITH a AS (FROM a) FROM a)) FROM a", []),
        ("FROM runs UNION ALL FROM runs INTERSECT FROM kernels", ["runs", "kernels"]),
        (
            "FROM runs WHERE EXISTS (FROM tracks) ORDER BY (SELECT max(run_id) FROM kernels)",
            ["tracks", "kernels"],
        ),
        ("SELECT * FROM (PIVOT kernels ON name IN ('a') USING count(*))", ["kernels"]),
        ("SELECT sum(i) OVER (ORDER BY i) FROM range(9) t(i), generate_series(2), unnest([1])", []),
        ("SELECT list_transform([1], lambda x: x + 1), s.a FROM (SELECT {'a': 1} AS s)", []),
    ],
)
def test_a_query_names_its_tables(text, named):
    assert sorted(named_tables(tree(text), KNOWN)) == sorted(
        {*named, *(["runs"] if "FROM runs" in text else [])}
    )


@pytest.mark.parametrize(
    "text",
    [
        "FROM '/etc/passwd'",
        "FROM duckdb_settings",
        "FROM duckdb_settings()",
        "FROM information_schema.tables",
        "FROM pg_catalog.pg_tables",
        "FROM sqlite_master",
        "FROM other.main.runs",
        "FROM read_csv('x')",
        "FROM query('SELECT 1')",
        "FROM query_table(['runs'])",
        "FROM glob('*')",
        "FROM histogram(runs, M)",
        "SELECT current_setting('memory_limit')",
        "SELECT (SELECT list(getvariable('x')))",
        "SELECT sleep_ms(1000)",
        "SELECT version()",
        "SELECT get_block_size('memory')",
        "SELECT pg_postmaster_start_time()",
        "SELECT json_serialize_plan('SELECT 1')",
        "SHOW TABLES",
        "DESCRIBE runs",
        "SUMMARIZE runs",
        "FROM (SHOW TABLES)",
        "WITH x AS (DELETE FROM runs RETURNING *) FROM x",
        "WITH x AS (SELECT 1), y AS (INSERT INTO runs VALUES (1) RETURNING *) FROM x",
        "WITH duckdb_settings AS (FROM duckdb_settings) FROM duckdb_settings",
        "FROM (WITH duckdb_views AS (SELECT 1) FROM duckdb_views), duckdb_views",
        "WITH a AS (FROM b), b AS (SELECT 1) FROM a",
        "WITH RECURSIVE pg_settings AS (FROM pg_settings UNION ALL FROM pg_settings) FROM pg_settings",
        "WITH RECURSIVE a AS (FROM a UNION ALL FROM a) FROM a",
        "WITH RECURSIVE a AS (WITH b AS (FROM a) FROM b UNION ALL FROM a) FROM a",
        "WITH RECURSIVE a AS (WITH b AS (FROM a) SELECT 1 UNION ALL FROM b) FROM a",
        "WITH RECURSIVE a AS ((SELECT 1 UNION ALL FROM a) UNION ALL FROM a) FROM a",
        "WITH RECURSIVE a AS (SELECT 1 UNION ALL FROM a), b AS (FROM c), c AS (SELECT 1) FROM b",
        "WITH RECURSIVE a(x) USING KEY (x) AS (FROM recurring.a UNION FROM recurring.a) FROM a",
        "SELECT (WITH a AS (SELECT 1) SELECT 1) FROM a",
        "WITH a AS (WITH b AS (SELECT 1) FROM b) FROM a, b",
        "(WITH a AS (SELECT 1) FROM a) UNION ALL FROM a",
        "WITH Pg_Class AS (SELECT 1) FROM runs",
        "WITH sqlite_master AS (SELECT 1) FROM sqlite_master",
    ],
)
def test_what_is_not_known_to_be_harmless_is_refused(text):
    with pytest.raises(StatementError):
        named_tables(tree(text), KNOWN)


def test_an_unknown_table_has_a_place_and_near_names():
    with pytest.raises(StatementError, match=r"\bkernel\b.*\bkernels\b") as caught:
        named_tables(tree("SELECT 'é'\nFROM kernel"), KNOWN)
    assert caught.value.offset == len("SELECT 'é'\nFROM ".encode())
