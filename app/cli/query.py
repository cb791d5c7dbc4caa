"""Command `query`: SQL over the list of runs and all frames."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from app.cli.common import COUNT, output_stream, printable, with_settings
from app.cli.records import command_errors
from app.cli.run_options import check_parquet_output, format_option, output_option
from app.text_table import column_lines

if TYPE_CHECKING:
    from app.config.settings import Settings
    from services.query.question import QueryQuestion

_FORMATS = ("table", "json", "csv", "parquet", "arrow")
_MAX_LIMIT = 2**63 - 1
"""Maximum number of rows that can be requested: the largest signed 64-bit integer."""


def _seconds(
    _context: click.Context, _option: click.Parameter, seconds: float | None
) -> float | None:
    if seconds is not None and not (math.isfinite(seconds) and seconds > 0):
        raise click.BadParameter("expected a number of seconds above 0")
    return seconds


@click.command()
@with_settings
@click.argument("sql", metavar="SQL", required=False)
@click.option(
    "--run",
    "runs",
    metavar="RUN",
    multiple=True,
    help="Only this run: an id or the beginning of one.",
)
@click.option("--source", multiple=True, help="Only runs of this source, such as aie.")
@click.option("--hwid", multiple=True, help="Only runs on this hardware or layout.")
@click.option("--M", "M", type=COUNT, multiple=True, help="Only GEMMs with this many rows.")
@click.option("--K", "K", type=COUNT, multiple=True, help="Only GEMMs with this reduction length.")
@click.option("--N", "N", type=COUNT, multiple=True, help="Only GEMMs with this many columns.")
@click.option("--tag", multiple=True, help="Only runs with this tag.")
@format_option(_FORMATS)
@output_option
@click.option(
    "--limit",
    type=click.IntRange(0, _MAX_LIMIT),
    metavar="ROWS",
    help="Maximum number of rows (default: 10,000).",
)
@click.option(
    "--seconds",
    type=float,
    callback=_seconds,
    help="Time limit of the query (default: setting query_seconds).",
)
@click.option(
    "--tables", is_flag=True, help="List the tables with their columns instead of running a query."
)
@click.option("--examples", is_flag=True, help="List example queries instead of running a query.")
@click.option("--json", "as_json", is_flag=True, help="Print tables or examples as JSON.")
def query(
    settings: Settings,
    sql: str | None,
    *,
    fmt: str,
    output: Path | None,
    tables: bool,
    examples: bool,
    as_json: bool,
    limit: int | None,
    seconds: float | None,
    **chosen: Sequence[str | int],
) -> None:
    """Query the runs and their frames in SQL.

    SQL is the text of one query, or `-` to read it from stdin. Tables are `runs`, `findings`,
    `frames`, and every frame by its name, over all runs or the chosen runs.
    """
    if tables or examples:
        _print_lists(tables=tables, as_json=as_json)
        return
    if sql is None:
        raise click.UsageError("give the text of a query, or --tables or --examples")
    check_parquet_output(fmt, output)
    text = sys.stdin.read() if sql == "-" else sql
    _ask(settings, _question(text, chosen, limit, seconds, fmt), fmt, output)


def _question(
    sql: str,
    chosen: dict[str, Sequence[str | int]],
    limit: int | None,
    seconds: float | None,
    fmt: str,
) -> QueryQuestion:
    from services.query.question import DEFAULT_ROWS, QueryQuestion
    from storage.run_query import RunFilter

    runs = tuple(str(run) for run in chosen.pop("runs"))
    fits = RunFilter(**{name: tuple(map(str, values)) for name, values in chosen.items()})  # type: ignore[arg-type]
    most = DEFAULT_ROWS if limit is None else limit
    # A table for the terminal is made from the JSON result.
    return QueryQuestion(sql, runs, fits, most, seconds, "json" if fmt == "table" else fmt)


def _ask(settings: Settings, question: QueryQuestion, fmt: str, output: Path | None) -> None:
    from services.query.ask import ask_query
    from services.query.errors import QueryError

    with (
        command_errors(QueryError),
        ask_query(settings.repository(), question, settings.query_limits()) as result,
        output_stream(output) as to,
    ):
        if fmt == "table":
            record = result.record()
            to.writelines(f"{line}\n".encode("utf-8", "replace") for line in result_table(record))
        else:
            result.write(to)
        notes = result.notes
    for note in notes:
        click.echo(printable(note), err=True)


def result_table(record: dict[str, Any]) -> list[str]:
    """Format a query result as aligned lines: a heading, then the rows, numbers aligned right, null
    as "".
    """
    rows = [[_cell(value) for value in row] for row in record["rows"]]
    return column_lines(
        (
            [printable(column["name"]), *(row[place] for row in rows)],
            not any(isinstance(row[place], str) for row in record["rows"]),
        )
        for place, column in enumerate(record["columns"])
    )


def _cell(value: object) -> str:
    if value is None:
        return ""
    return printable(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _print_lists(*, tables: bool, as_json: bool) -> None:
    from services.query.examples import EXAMPLES, examples_record
    from services.query.tables import QUERY_TABLES, tables_record

    if as_json:
        click.echo(json.dumps(tables_record() if tables else examples_record()))
    elif tables:
        for table in QUERY_TABLES.values():
            click.echo(f"{table.name}: {table.row}")
            for column in table.columns:
                click.echo(
                    f"  {column.name}  {column.type}{column.unit and f', {column.unit}'}: {column.meaning}"
                )
    else:
        texts = [
            f"-- {example.source or 'any source'}: {example.title}\n{example.sql}"
            for example in EXAMPLES
        ]
        click.echo("\n\n".join(texts))
