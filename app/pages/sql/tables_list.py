"""List the tables that a query may use; each unfolds to its columns with type, unit and meaning."""

from __future__ import annotations

from collections.abc import Iterable

from dash import html

from app.pages.code_words import code_words
from components.aria import aria
from services.query.tables import QueryTable

HEADING = "sql-table"
"""Type of the ids of the headings, whose `n_clicks` is odd while a table is unfolded."""
COLUMNS = "sql-columns"
"""Type of the ids of the elements that receive the columns of a table."""


def tables_list(tables: Iterable[QueryTable]) -> html.Div:
    """Lay out the tables in the given order, each folded and without its columns.

    The columns of all tables are nine tenths of the page's elements, and Dash visits every element
    at each change of the page.
    """
    return html.Div([_table(table) for table in tables], className="ts-sql-tables")


def columns_table(table: QueryTable) -> html.Table:
    """Lay out the columns of a table, a row per column."""
    rows = [
        html.Tr(
            [
                html.Th(column.name, scope="row", className="ts-mono"),
                html.Td(column.type, className="ts-mono"),
                html.Td(column.unit),
                html.Td([*code_words(column.meaning)]),
            ]
        )
        for column in table.columns
    ]
    heads = html.Tr(
        [html.Th(words, scope="col") for words in ("column", "type", "unit", "meaning")]
    )
    return html.Table([html.Thead(heads), html.Tbody(rows)], className="ts-changes")


def _table(table: QueryTable) -> html.Details:
    summary = html.Summary(
        [
            html.Span(table.name, className="ts-mono"),
            html.Small([" a row: ", *code_words(table.row)]),
        ],
        id={"type": HEADING, "name": table.name},
    )
    frame = html.Div(
        html.P("Loading the columns.", className="ts-line ts-muted"),
        id={"type": COLUMNS, "name": table.name},
        className="ts-changes-frame",
        tabIndex=0,
        role="region",
        **aria(label=table.name),
    )
    return html.Details([summary, frame])
