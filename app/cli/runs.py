"""Commands `runs` and `delete`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from app.cli.common import COUNT, operator, output_stream, printable, with_settings
from app.cli.records import command_errors
from app.text_table import column_lines
from components.numbers import number_text
from schema.decimals import decimals
from schema.peak_rates import has_impossible_rates
from schema.rounding import THIN
from schema.run_columns import GEMM_SIZES, PRINTED_COLUMNS, RunColumn, Topic
from schema.table_columns import Format

if TYPE_CHECKING:
    from app.config.settings import Settings
    from storage.stored_run import StoredRun

_Cell = Callable[[dict[str, Any]], str]
_SEARCHED = ("search", "tile", "grid", "branch", "commit", "since", "until")
"""Options that need the list of runs (`RunList`); the catalogue filters by all other options."""


@click.command()
@with_settings
@click.option("--source", help="Only runs of this source, such as aie.")
@click.option("--hwid", help="Only runs on this hardware or layout.")
@click.option("--M", "M", type=COUNT, help="Only GEMMs with this many rows.")
@click.option("--K", "K", type=COUNT, help="Only GEMMs with this reduction length.")
@click.option("--N", "N", type=COUNT, help="Only GEMMs with this many columns.")
@click.option(
    "--search",
    metavar="WORDS",
    help="Only runs in which every word occurs in tile, grid, commit, branch, file, tag, hwid or name.",
)
@click.option(
    "--tile", metavar="MxKxN", help="Only kernels of this tile, m x k x n, such as 32x64x32."
)
@click.option("--grid", metavar="RxC", help="Only this grid of cores, rows x columns, such as 4x4.")
@click.option("--branch", help="Only captures of this branch.")
@click.option("--commit", metavar="PREFIX", help="Only captures of a commit with this beginning.")
@click.option(
    "--since", metavar="TIME", help="Only captures from this time on; an age such as 7d, or a time."
)
@click.option(
    "--until", metavar="TIME", help="Only captures up to this time; an age such as 7d, or a time."
)
@click.option("--rule", help="Name of a baseline rule whose verdict about each run is printed.")
@click.option("--limit", type=COUNT, metavar="COUNT", help="Maximum number of runs.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list with every column.")
@click.option("--csv", "as_csv", is_flag=True, help="Print the columns of the list of runs as CSV.")
def runs(
    settings: Settings,
    *,
    as_json: bool,
    as_csv: bool,
    limit: int | None,
    rule: str | None,
    **filters: str | int | None,
) -> None:
    """List the runs with their main numbers, the run that was ingested last first.

    With --search, --tile, --grid, --branch, --commit, --since or --until, the run that was captured last comes first,
    as in the list of runs.
    """
    if as_json and as_csv:
        raise click.UsageError("--json and --csv exclude each other")
    verdicts = _verdicts(settings, rule) if rule is not None else None
    stored_runs = _stored_runs(settings, filters, limit)
    if as_csv:
        _print_csv(settings, [*stored_runs], verdicts)
        return
    records = (_record(stored, verdicts) for stored in stored_runs)
    if as_json:
        for piece in _json_list(records):
            click.echo(piece, nl=False)
        click.echo()
    else:
        click.echo("\n".join(runs_table(records)) or "No runs.")


def _stored_runs(
    settings: Settings, filters: Mapping[str, str | int | None], limit: int | None
) -> Iterator[StoredRun]:
    """Yield at most `limit` runs that match, those ingested last first; with an option of _SEARCHED
    those captured last first.

    Raises ClickException if a time or a search is invalid.
    """
    wanted = {name: str(value) for name, value in filters.items() if value is not None}
    searched = {name: wanted.pop(name) for name in _SEARCHED if name in wanted}
    # The embedded catalogue is then read without SQLAlchemy, whose import takes longer.
    if not searched:
        return settings.runs(
            {name: filters[name] for name in ("source", "hwid", "M", "K", "N")}, limit
        )
    from schema.moments import MomentError
    from services.store.search import SearchError, run_filter
    from storage.run_list import RunList

    with command_errors(MomentError, SearchError):
        return RunList(settings.catalogue()).each(run_filter(wanted, **searched), limit)


def _verdicts(settings: Settings, rule: str) -> dict[str, str]:
    """Map each run id to the verdict of a rule about the run at its last date, such as `regressed`;
    runs without a verdict are left out.

    Raises ClickException if there is no such rule.
    """
    from services.baselines.members import BaselineError
    from services.status.status import StatusCache

    with command_errors(BaselineError):
        verdicts = StatusCache(settings.repository()).verdicts(rule)
    # In order of dates, so that the last verdict of a run remains.
    return {
        place.run_id: verdicts[place] for place in sorted(verdicts, key=lambda place: place.date)
    }


def _record(stored: StoredRun, verdicts: Mapping[str, str] | None) -> dict[str, Any]:
    return stored.record() | ({} if verdicts is None else {"verdict": verdicts.get(stored.run_id)})


def _print_csv(
    settings: Settings, stored: Sequence[StoredRun], verdicts: Mapping[str, str] | None
) -> None:
    from services.run.export import write_frame
    from services.store.runs_frame import runs_frame
    from storage.annotations import Annotations

    added = Annotations(settings.catalogue()).of(stored) if stored else {}
    with output_stream(None) as stream:
        frame = runs_frame(stored, added)
        own = (
            {}
            if verdicts is None
            else {"verdict": [verdicts.get(run.run_id, "") for run in stored]}
        )
        write_frame(frame.assign(**own), "csv", stream)


def _json_list(records: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Yield the text of a JSON list of the records in pieces, so that a long list is not held in
    memory.
    """
    yield "["
    for rank, record in enumerate(records):
        yield (", " if rank else "") + json.dumps(record)
    yield "]"


@click.command()
@with_settings
@click.argument("run_ids", metavar="RUN...", nargs=-1, required=True)
def delete(settings: Settings, run_ids: tuple[str, ...]) -> None:
    """Delete runs and their frames. RUN is an id or its beginning."""
    from services.store.deletion import delete_run

    repository = settings.repository()
    for run_id in dict.fromkeys([repository.resolve(prefix) for prefix in run_ids]):
        delete_run(repository, run_id, operator())
        click.echo(f"deleted {run_id}")


def _cell_formatter(column: RunColumn) -> _Cell:
    """Return the function that formats the cell of a column from a record (a dict); it returns `-`
    for a missing value.
    """
    return _health if column.name == "health" else partial(_value_text, column)


def _value_text(column: RunColumn, record: dict[str, Any]) -> str:
    value = record.get(column.name)
    if value is None or value == "":
        return "-"
    if column.format.is_number:
        return _number_text(value, column)
    return (
        str(value)[:16].replace("T", " ") if column.format is Format.DATE else printable(str(value))
    )


def _number_text(value: float, column: RunColumn) -> str:
    """Format a number without the unit that its heading has, a share as per cent: scripts read
    these columns.
    """
    if column.format is Format.SHARE:
        return decimals(100 * value, 1)
    if column.format in _PLACES:
        return decimals(value, _PLACES[column.format])
    return number_text(value, column.format, column.unit).replace(THIN, " ")


_PLACES = {Format.WHOLE: 0, Format.SIGNIFICANT: 1}


def _gemm(record: dict[str, Any]) -> str:
    sizes = [record[key] for key in GEMM_SIZES]
    return (
        "-"
        if sizes == [None] * 3
        else "x".join("?" if length is None else str(length) for length in sizes)
    )


def _health(record: dict[str, Any]) -> str:
    counts = [
        f"{record[name]} {name if record[name] > 1 else name[:-1]}"
        for name in ("errors", "warnings")
        if record[name]
    ]
    if has_impossible_rates(record):
        counts.append("rate above peak")
    return ", ".join(counts) or "ok"


def _heading(column: RunColumn) -> str:
    return f"{column.label} %" if column.format is Format.SHARE else column.label


def _print_column(column: RunColumn) -> tuple[str, bool, _Cell]:
    return _heading(column), column.format.is_number, _cell_formatter(column)


_COLUMNS: Sequence[tuple[str, bool, _Cell]] = (
    ("run", False, lambda record: printable(str(record["run_id"]))),
    *(_print_column(column) for column in PRINTED_COLUMNS if column.topic is Topic.RUN),
    ("MxKxN", False, _gemm),
    *(_print_column(column) for column in PRINTED_COLUMNS if column.topic is not Topic.RUN),
    ("verdict", False, lambda record: record.get("verdict") or "-"),
)
"""Heading of a column, whether it is numeric, and the function that formats its cells."""


def runs_table(records: Iterable[dict[str, Any]]) -> list[str]:
    """Format runs as lines of a table, the first with the headings, without empty columns and with
    numbers aligned right.

    Only the cells are kept in memory, so `records` may be an iterator. Empty if there are no runs.
    """
    rows = [[cell(record) for _, _, cell in _COLUMNS] for record in records]
    # Without rows there are no cells to pair with the columns.
    columns = zip(_COLUMNS, zip(*rows, strict=True), strict=bool(rows))
    return column_lines(
        ([heading, *cells], is_number)
        for (heading, is_number, _), cells in columns
        if set(cells) != {"-"}
    )
