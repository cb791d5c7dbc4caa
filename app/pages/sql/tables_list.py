"""List the tables that a query may use; each unfolds to its columns with type, unit and meaning."""

from __future__ import annotations

from collections.abc import Iterable

from dash import html

from app.pages.code_words import code_words
from components.aria import aria
from services.query.tables import QueryTable


def tables_list(tables: Iterable[QueryTable]) -> html.Div:
    """Lay out the tables with their columns in the given order, each folded."""
    return html.Div([_table(table) for table in tables], className="ts-sql-tables")


def _table(table: QueryTable) -> html.Details:
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
    columns = html.Table([html.Thead(heads), html.Tbody(rows)], className="ts-changes")
    summary = html.Summary(
        [
            html.Span(table.name, className="ts-mono"),
            html.Small([" a row: ", *code_words(table.row)]),
        ]
    )
    frame = html.Div(
        columns, className="ts-changes-frame", tabIndex=0, role="region", **aria(label=table.name)
    )
    return html.Details([summary, frame])
