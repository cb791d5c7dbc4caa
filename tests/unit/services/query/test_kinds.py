"""Every kind of statement of DuckDB but a query is refused in one sentence, with its place."""

import re

import duckdb
import pytest

from services.query.child import connect, tables_named
from services.query.refusals import Refusal
from services.query.tables import QUERY_TABLES

TABLES = {name: [column.name for column in table.columns] for name, table in QUERY_TABLES.items()}
NOT_OF_A_TEXT = {"INVALID", "CREATE_FUNC", "LOGICAL_PLAN", "RELATION", "EXTENSION"}
OF_OTHER_KINDS = {"ANALYZE", "COPY_DATABASE", "VARIABLE_SET"}
"""Kinds whose statements the parser gives as VACUUM, COPY or PRAGMA, and SET."""
STATEMENTS = {
    "ALTER": ["ALTER TABLE runs ADD COLUMN x INT", "COMMENT ON TABLE runs IS 'x'"],
    "ATTACH": ["ATTACH 'x.db'", "ATTACH ':memory:' AS x"],
    "CALL": ["CALL duckdb_settings()", "CALL pragma_version()"],
    "COPY": [
        "COPY runs TO 'x.csv'",
        "COPY (SELECT 1) TO 'x.csv'",
        "COPY runs FROM 'x.csv'",
        "COPY FROM DATABASE memory TO x",
    ],
    "CREATE": [
        "CREATE TABLE x (y INT)",
        "CREATE VIEW x AS SELECT 1",
        "CREATE MACRO x() AS 1",
        "CREATE SECRET (TYPE s3)",
    ],
    "DELETE": ["DELETE FROM runs", "TRUNCATE runs"],
    "DETACH": ["DETACH memory"],
    "DROP": ["DROP TABLE runs", "DROP SECRET x", "DEALLOCATE x"],
    "EXECUTE": ["EXECUTE x"],
    "EXPLAIN": ["EXPLAIN SELECT 1", "EXPLAIN ANALYZE SELECT 1", "EXPLAIN (FORMAT json) FROM runs"],
    "EXPORT": ["EXPORT DATABASE 'x'"],
    "INSERT": ["INSERT INTO runs VALUES (1)", "INSERT INTO runs BY NAME SELECT 1"],
    "LOAD": ["LOAD httpfs", "INSTALL httpfs", "FORCE INSTALL httpfs FROM 'x'"],
    "MERGE_INTO": ["MERGE INTO runs USING runs AS x ON true WHEN MATCHED THEN DELETE"],
    "MULTI": [
        "PIVOT runs ON source",
        "PIVOT pg_settings ON name",
        "WITH x AS (PIVOT runs ON source) FROM x",
    ],
    "PRAGMA": [
        "PRAGMA database_list",
        "PRAGMA table_info('runs')",
        "IMPORT DATABASE 'x'",
        "PRAGMA nonsense",
    ],
    "PREPARE": ["PREPARE x AS SELECT 1"],
    "SET": [
        "SET threads = 3",
        "RESET threads",
        "USE memory",
        "SET GLOBAL TimeZone = 'UTC'",
        "SET VARIABLE x = 1",
    ],
    "TRANSACTION": ["BEGIN", "COMMIT", "ROLLBACK"],
    "UPDATE": ["UPDATE runs SET source = 'x'"],
    "VACUUM": ["VACUUM", "ANALYZE"],
    "": ["UPDATE EXTENSIONS", "UPDATE EXTENSIONS (httpfs)"],
}
"""Kind -> statements of it; "" for kinds that the package for Python does not know."""
ODD = [
    *(
        "SHOW TABLES",
        "SHOW ALL TABLES",
        "SHOW threads",
        "DESCRIBE runs",
        "DESC SELECT 1",
        "SUMMARIZE runs",
    ),
    *(
        "CHECKPOINT",
        "FORCE CHECKPOINT",
        "SELECT 1; SELECT 2",
        "SELECT 1; UPDATE EXTENSIONS",
        ";",
        "--",
        "/* x",
        "/* x */",
    ),
    *(
        "'",
        '"',
        "$$",
        "$a$ x",
        ".tables",
        "KILL 1",
        "GRANT ALL ON runs TO x",
        "SELECT 1 INTO x",
        "FROM runs FOR UPDATE",
    ),
    *(
        "WITH x AS (DELETE FROM runs) SELECT 1",
        "EXPLAIN UPDATE EXTENSIONS",
        "FROM a.b.c.d.runs",
        "MATCH (a)",
        "\x00",
    ),
]


@pytest.fixture
def connection():
    """The database of a question before its doors are closed."""
    connection = connect({"memory_mb": 64})
    yield connection
    connection.close()


def kind_of(connection, text):
    """Return the name of the kind of a text's first statement, "" for one that the package does not know."""
    try:
        return connection.extract_statements(text)[0].type.name
    except ValueError:
        return ""


def test_there_is_a_statement_of_every_kind(connection):
    known = (
        {name for name in dir(duckdb.StatementType) if name.isupper()}
        - NOT_OF_A_TEXT
        - OF_OTHER_KINDS
    )
    assert known - {"SELECT"} == set(STATEMENTS) - {""}
    found = {kind_of(connection, text) for texts in STATEMENTS.values() for text in texts}
    assert set(STATEMENTS) <= found


@pytest.mark.parametrize("text", [*(text for texts in STATEMENTS.values() for text in texts), *ODD])
def test_a_statement_that_is_no_query_is_a_sentence(connection, text):
    with pytest.raises(Refusal) as caught:
        tables_named(connection, {"sql": text, "tables": TABLES})
    assert caught.value.kind == "refused"
    assert re.match(r"line \d+, column \d+: \S", str(caught.value))
