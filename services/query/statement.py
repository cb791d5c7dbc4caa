"""Check of a query's syntax tree: a single query, with known tables, and only functions that reveal
nothing of the server.

The tree is that of DuckDB's `json_serialize_sql`. A node that is not known to be harmless is
refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from services.query.place import near_names

Node = Mapping[str, Any]
"""A node of the syntax tree."""
_QUERIES = frozenset({"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"})
_SOURCES = frozenset(
    {
        "BASE_TABLE",
        "SUBQUERY",
        "JOIN",
        "TABLE_FUNCTION",
        "EXPRESSION_LIST",
        "EMPTY",
        "EMPTY_FROM",
        "PIVOT",
    }
)
TABLE_FUNCTIONS = frozenset(
    {
        "range",
        "generate_series",
        "unnest",
        "repeat",
        "repeat_row",
        "json_each",
        "json_tree",
        "generate_subscripts",
    }
)
"""Functions that are allowed after FROM."""
_REFUSED_FUNCTIONS = frozenset(
    {
        *(
            "current_setting",
            "getenv",
            "getvariable",
            "sleep_ms",
            "pg_sleep",
            "write_log",
            "which_secret",
        ),
        *(
            "json_serialize_plan",
            "json_execute_serialized_sql",
            "query",
            "query_table",
            "setval",
            "nextval",
            "currval",
        ),
        *(
            "in_search_path",
            "current_schemas",
            "stats",
            "pg_get_viewdef",
            "pg_get_constraintdef",
            "setseed",
        ),
        *("version", "get_block_size", "current_connection_id", "parse_duckdb_log_message"),
        *("pg_conf_load_time", "pg_postmaster_start_time"),
    }
)
"""Functions that reveal settings or the environment, run text as SQL, or keep state."""
_REFUSED_BEGINNINGS = (
    "__internal",
    "read_",
    "duckdb_",
    "pragma_",
    "inet_",
    "pg_read",
    "add_parquet",
)
"""Beginnings of the names of refused functions."""
_CATALOG_BEGINNINGS = ("duckdb_", "pg_", "pragma_", "sqlite_")
"""Beginnings of DuckDB's own views, which are found without a schema and show its settings."""
_NOWHERE = 2**64 - 1
"""Value of `query_location` for nodes without a position."""


class StatementError(ValueError):
    """A statement is not allowed; `offset` is the position in bytes of its text."""

    def __init__(self, sentence: str, offset: int) -> None:
        super().__init__(sentence)
        self.offset = offset


@dataclass(frozen=True)
class _Place:
    """A part of the tree, the names of WITH queries that it may use as tables, and its position in
    the text (bytes).
    """

    node: object
    queries: frozenset[str]
    offset: int = 0


def named_tables(tree: Node, known_tables: Mapping[str, object]) -> list[str]:
    """Return the known tables that a query names, in lower case, each once in order of appearance;
    empty if it names no table.

    Raises StatementError if the query is not allowed, for example because it names an unknown
    table.
    """
    table_names: dict[str, None] = {}
    todo = [_Place(tree, frozenset())]
    while todo:
        place = todo.pop()
        if isinstance(place.node, Mapping):
            name = _check(place, known_tables)
            if name is not None:
                table_names[name] = None
            # a stack in place of recursion: the depth of a hostile tree does not matter
            todo.extend(reversed([*_parts(place)]))
        elif isinstance(place.node, list):
            todo.extend(_Place(part, place.queries, place.offset) for part in reversed(place.node))
    return [*table_names]


def _check(place: _Place, known_tables: Mapping[str, object]) -> str | None:
    """Return the known table that a node names, `None` if it names no table.

    Raises StatementError if the node is not allowed.
    """
    node: Node = place.node  # type: ignore[assignment]
    kind = node.get("type")
    offset = _offset(place)
    if "cte_map" in node and kind not in _QUERIES:
        raise StatementError("only a read-only query is allowed", offset)
    if (
        "class" not in node
        and {"alias", "sample", "query_location"} <= node.keys()
        and kind not in _SOURCES
    ):
        raise StatementError("only tables, queries and listed functions may follow FROM", offset)
    if "function_name" in node:
        _check_function(str(node["function_name"]).lower(), offset)
    if kind == "TABLE_FUNCTION" and "class" not in node:
        _check_table_function(node, offset)
    return _known_table(node, place.queries, known_tables, offset) if kind == "BASE_TABLE" else None


def _check_function(name: str, offset: int) -> None:
    if name in _REFUSED_FUNCTIONS or name.startswith(_REFUSED_BEGINNINGS):
        raise StatementError(f"function {name} is not allowed", offset)


def _check_table_function(node: Node, offset: int) -> None:
    function = node.get("function")
    name = str(function.get("function_name", "")).lower() if isinstance(function, Mapping) else ""
    if name not in TABLE_FUNCTIONS:
        allowed = ", ".join(sorted(TABLE_FUNCTIONS))
        raise StatementError(
            f"function {name} cannot be used as a table; allowed are {allowed}", offset
        )


def _known_table(
    node: Node, queries: frozenset[str], known_tables: Mapping[str, object], offset: int
) -> str | None:
    """Return the name of the known table of a node in lower case; `None` for a WITH query of this
    statement.

    Raises StatementError for other names.
    """
    name = str(node.get("table_name", ""))
    schema = str(node.get("schema_name", "")).lower()
    if name.lower() in queries and schema in ("", "recurring"):
        return None
    if (
        name.lower() in known_tables
        and schema in ("", "main")
        and str(node.get("catalog_name", "")).lower() in ("", "memory")
    ):
        return name.lower()
    shown = f"{schema}.{name}" if schema else name
    raise StatementError(
        f"there is no table {shown[:80]}{near_names(name[:80], known_tables)}", offset
    )


def _parts(place: _Place) -> Iterator[_Place]:
    """Yield the parts of a node, each with the WITH queries that it may use as tables.

    A query of WITH can use the queries before it. Its own name refers to itself only in the right
    side of a recursive query: in the left side, and in a WITH inside it, DuckDB looks the name up
    in the enclosing scope and finally in its catalog. Raises StatementError if a query has a name
    of the catalog.
    """
    node: Node = place.node  # type: ignore[assignment]
    queries = place.queries
    offset = _offset(place)
    for entry in (node.get("cte_map") or {}).get("map", ()):
        yield _Place(entry.get("value"), queries, offset)
        queries |= {_query_name(entry.get("key"), offset)}
    for name, part in node.items():
        if name == "cte_map" or not isinstance(part, (Mapping, list)):
            continue
        is_recursion = node.get("type") == "RECURSIVE_CTE_NODE" and name == "right"
        inner = queries | {_query_name(node.get("cte_name"), offset)} if is_recursion else queries
        yield _Place(part, inner, offset)


def _query_name(written: object, offset: int) -> str:
    """Return the name of a query of WITH in lower case.

    Raises StatementError if it begins like the views of DuckDB's catalog.
    """
    name = str(written).lower()
    if name.startswith(_CATALOG_BEGINNINGS):
        raise StatementError(
            f"a query of WITH cannot have the name {name[:80]}: DuckDB has a view of this name",
            offset,
        )
    return name


def _offset(place: _Place) -> int:
    node: Node = place.node  # type: ignore[assignment]
    location = node.get("query_location")
    return location if isinstance(location, int) and location < _NOWHERE else place.offset
