"""SQL over the API: run queries, list the tables, and manage saved queries."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, BinaryIO, Literal

from flask import Response, jsonify
from pydantic import BaseModel, Field

from app.request.errors import RequestError, request_errors
from app.request.user import current_user
from app.server.api.operation import ApiServer, Body, Operation
from schema.choices import MIME_TYPES
from schema.roles import Role
from services.query.ask import ask_query
from services.query.errors import QueryError, QueryFailedError, QueryLengthError, QueryLimitError
from services.query.question import DEFAULT_ROWS, QueryQuestion
from services.query.saved import SavedQueryError, delete_query, save_query
from services.query.tables import tables_record
from storage.run_query import RunFilter
from storage.saved_texts import SavedQueries, SavedQuery

_FACETS = ("source", "hwid", "M", "K", "N", "tag")
Values = list[str | int]


class Query(Body):
    """An SQL query, and the runs that it covers: all runs if none is chosen."""

    sql: str
    runs: list[str] = Field(
        default_factory=list, max_length=10_000, description="Run ids or their beginnings."
    )
    source: Values = Field(default_factory=list)
    hwid: Values = Field(default_factory=list)
    M: Values = Field(default_factory=list)
    K: Values = Field(default_factory=list)
    N: Values = Field(default_factory=list)
    tag: Values = Field(default_factory=list)
    limit: int = Field(DEFAULT_ROWS, ge=0, le=2**31, description="Maximum number of rows.")
    seconds: float | None = Field(
        None, gt=0, allow_inf_nan=False, description="Time limit below setting query_seconds."
    )
    format: Literal["json", "csv", "parquet", "arrow"] = "json"


class QueryColumn(BaseModel):
    """A column of a result."""

    name: str
    type: str


class QueryRows(BaseModel):
    """Result of a query as JSON; other formats contain only the rows."""

    columns: list[QueryColumn]
    rows: list[list[Any]]
    truncated: bool = Field(description="Whether there are more rows.")
    seconds: float
    runs: int = Field(description="Number of runs that were queried.")
    notes: list[str]


class QueryTables(BaseModel):
    """The tables with their columns: name, type, unit, meaning."""

    tables: list[dict[str, Any]]


class NewQuery(Body):
    """Name and SQL of a query to save."""

    name: str
    sql: str


class SavedQueryRecord(BaseModel):
    """A saved query."""

    id: str
    name: str
    sql: str
    created_at: str
    created_by: str


class SavedQueryList(BaseModel):
    """The saved queries by name."""

    queries: list[SavedQueryRecord]


def _ask(server: ApiServer, body: Query) -> Response:
    limits = server.context.settings.query_limits()
    facets = {name: tuple(map(str, getattr(body, name))) for name in _FACETS}
    seconds = limits.seconds if body.seconds is None else min(body.seconds, limits.seconds)
    fits = RunFilter(**facets)  # type: ignore[arg-type]
    question = QueryQuestion(body.sql, tuple(body.runs), fits, body.limit, seconds, body.format)

    def write(stream: BinaryIO) -> str:
        try:
            with ask_query(server.context.repository, question, limits) as result:
                result.write(stream)
        except QueryError as error:
            raise RequestError(str(error), failure_status(error)) from error
        return f"query.{body.format}"

    return server.downloads.respond(write, MIME_TYPES[body.format], waits=True)


def failure_status(error: QueryError) -> int:
    """Return the HTTP status of a query that failed: 413 too long, 422 beyond a limit, 500 process
    failed, else 400.
    """
    if isinstance(error, QueryLengthError):
        return 413
    if isinstance(error, QueryFailedError):
        return 500
    return 422 if isinstance(error, QueryLimitError) else 400


ASK_QUERY = Operation(
    "POST",
    "/query",
    "query",
    "Query runs and their frames in SQL: JSON, or the rows as CSV, Parquet or an Arrow stream.",
    _ask,
    {200: QueryRows},
    body=Query,
    role=Role.VIEWER,
)
LIST_TABLES = Operation(
    "GET",
    "/query/tables",
    "listQueryTables",
    "List the tables of SQL with their columns.",
    lambda _server: jsonify(tables_record()),
    {200: QueryTables},
)


def _list_queries(server: ApiServer) -> Response:
    queries = SavedQueries(server.context.repository.catalogue).all()
    return jsonify({"queries": [query_record(query) for query in queries]})


def _save_query(server: ApiServer, body: NewQuery) -> Response:
    with request_errors(422, SavedQueryError):
        query = save_query(
            server.context.repository.catalogue, body.name, body.sql, current_user().name
        )
    response = jsonify(query_record(query))
    response.status_code = 201
    return response


def _delete_query(server: ApiServer, query_id: str) -> Response:
    if not delete_query(server.context.repository.catalogue, query_id, current_user().name):
        raise RequestError("There is no such query.", 404)
    return Response(status=204)


LIST_QUERIES = Operation(
    "GET",
    "/queries",
    "listQueries",
    "List the saved queries.",
    _list_queries,
    {200: SavedQueryList},
)
SAVE_QUERY = Operation(
    "POST",
    "/queries",
    "saveQuery",
    "Save a query.",
    _save_query,
    {201: SavedQueryRecord},
    body=NewQuery,
)
DELETE_QUERY = Operation(
    "DELETE",
    "/queries/<query_id>",
    "deleteQuery",
    "Delete a saved query.",
    _delete_query,
    {204: None},
)


def query_record(query: SavedQuery) -> dict[str, Any]:
    """Convert a saved query to JSON types: `id`, name, sql, created_at, created_by."""
    own = asdict(query)
    return {"id": own.pop("query_id"), **own}
