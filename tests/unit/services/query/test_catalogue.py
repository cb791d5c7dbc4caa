"""Views and functions of the installed DuckDB that tell of the server, by every spelling of their names."""

import json

import duckdb
import pytest

from services.query.child import close_doors, connect
from services.query.statement import TABLE_FUNCTIONS, StatementError, named_tables
from services.query.tables import QUERY_TABLES

VIEWS = duckdb.sql(
    "SELECT DISTINCT schema_name, view_name FROM duckdb_views() WHERE internal ORDER BY ALL"
).fetchall()
FUNCTIONS = duckdb.sql(
    "SELECT DISTINCT function_name FROM duckdb_functions() "
    "WHERE function_type IN ('table', 'table_macro', 'pragma') ORDER BY ALL"
).fetchall()
OUTSIDE_OF_A_SCHEMA = ("main", "pg_catalog")
"""Schemas whose views DuckDB finds by their names alone."""


@pytest.fixture(scope="module")
def parser():
    """A connection that turns texts into trees."""
    connection = duckdb.connect()
    yield connection
    connection.close()


def is_refused(parser, text):
    """Return whether a text is refused: by the parser of queries, or by the check of its tree."""
    [(serialized,)] = parser.execute("SELECT json_serialize_sql(?::VARCHAR)", [text]).fetchall()
    tree = json.loads(serialized)
    if tree.get("error"):
        return True
    try:
        named_tables(tree, QUERY_TABLES)
    except StatementError:
        return True
    return False


ALONE = """WITH RECURSIVE NAME AS (FROM NAME UNION ALL FROM NAME) FROM NAME
WITH RECURSIVE NAME AS (WITH a AS (FROM NAME) FROM a UNION ALL FROM NAME) FROM NAME
WITH NAME AS (FROM NAME) FROM NAME
FROM (WITH NAME AS (SELECT 1) FROM NAME), NAME
WITH NAME AS (SELECT 1) FROM runs"""
WITHIN = """FROM NAME
TABLE NAME
SELECT (SELECT count(*) FROM NAME AS runs) FROM runs
FROM runs WHERE EXISTS (FROM NAME)
SELECT 1 LIMIT (SELECT count(*) FROM NAME)
FROM range(1), LATERAL (FROM NAME)
FROM (FROM NAME) PIVOT (count(*) FOR name IN ('a'))
WITH a AS (FROM NAME) FROM a
FROM json_each((SELECT to_json(list(x)) FROM NAME AS x))"""


def spellings(schema, name):
    """Return texts that read the view."""
    texts, alone = [], []
    own = [
        f"{schema}.{name}",
        f"system.{schema}.{name}",
        f'"{schema}"."{name}"',
        f"memory.{schema}.{name}",
    ]
    if schema in OUTSIDE_OF_A_SCHEMA:
        own += [
            name,
            name.upper(),
            f'"{name}"',
            f"'{name}'",
            f"main.{name}",
            f"temp.{name}",
            f"memory.main.{name}",
        ]
        alone = [name, name.upper(), f'"{name}"']
    for template in WITHIN.splitlines():
        texts += [template.replace("NAME", spelling) for spelling in own]
    for template in ALONE.splitlines():
        texts += [template.replace("NAME", spelling) for spelling in alone]
    return texts


@pytest.mark.quick_every(12)
@pytest.mark.parametrize(("schema", "name"), VIEWS)
def test_no_view_of_the_catalogue_is_read(parser, schema, name):
    assert [text for text in spellings(schema, name) if not is_refused(parser, text)] == []


@pytest.mark.quick_every(4)
@pytest.mark.parametrize("name", [name for (name,) in FUNCTIONS if name not in TABLE_FUNCTIONS])
def test_no_function_of_the_catalogue_is_a_table(parser, name):
    calls = [
        f"{name}()",
        f'"{name}"()',
        f"{name.upper()}('runs')",
        f"main.{name}()",
        f"system.main.{name}()",
    ]
    texts = [
        text
        for call in calls
        for text in (f"FROM {call}", f"SELECT (FROM {call})", f"FROM runs, LATERAL {call}")
    ]
    texts += [f"WITH {name} AS (FROM {name}()) FROM {name}", f"CALL {name}()", f"PRAGMA {name}"]
    assert [text for text in texts if not is_refused(parser, text)] == []


def test_settings_have_no_path_to_tell(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    connection = connect({"memory_mb": 64})
    close_doors(connection)
    told = connection.execute(
        "SELECT name, value FROM duckdb_settings() WHERE contains(value, '/')"
    ).fetchall()
    paths = connection.execute("SELECT path FROM duckdb_databases()").fetchall()
    connection.close()
    assert [
        name for name, value in told if str(tmp_path) in value or name.endswith("_directory")
    ] == []
    assert {path for (path,) in paths} == {None}
