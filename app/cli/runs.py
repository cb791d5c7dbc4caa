"""`runs` and `delete`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from app.cli.common import operator, printable, with_settings
from components.numbers import THIN, duration_text, rate_text, size

if TYPE_CHECKING:
    from app.settings import Settings

_Cell = Callable[[dict[str, Any]], str]


@click.command()
@with_settings
@click.option("--source", help="Only runs of this source, such as aie.")
@click.option("--hwid", help="Only runs on this hardware or layout.")
@click.option("--M", "M", type=int, help="Only GEMMs with this many rows.")
@click.option("--K", "K", type=int, help="Only GEMMs with this reduction length.")
@click.option("--N", "N", type=int, help="Only GEMMs with this many columns.")
@click.option("--limit", type=click.IntRange(1), metavar="COUNT", help="Only so many, the newest.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list with every column.")
def runs(settings: Settings, as_json: bool, limit: int | None, **filters: str | int | None) -> None:
    """List the runs, newest first, with the numbers people come for."""
    records = (stored.record() for stored in settings.runs(filters, limit))
    if as_json:
        for piece in _json_list(records):
            click.echo(piece, nl=False)
        click.echo()
    else:
        click.echo("\n".join(runs_table(records)) or "No runs.")


def _json_list(records: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Give the text of a JSON list piece by piece."""
    yield "["
    for rank, record in enumerate(records):
        yield (", " if rank else "") + json.dumps(record)
    yield "]"


@click.command()
@with_settings
@click.argument("run_ids", metavar="RUN...", nargs=-1, required=True)
def delete(settings: Settings, run_ids: tuple[str, ...]) -> None:
    """Delete runs and their frames. RUN is an id or the beginning of one."""
    from services.deletion import delete_run

    repository = settings.repository()
    for run_id in dict.fromkeys([repository.resolve(prefix) for prefix in run_ids]):
        delete_run(repository, run_id, operator())
        click.echo(f"deleted {run_id}")


def _number(name: str, fmt: str = ".3g", scale: float = 1.0) -> _Cell:
    def cell(record: dict[str, Any]) -> str:
        value = record.get(name)
        return "-" if value is None else format(value * scale, fmt)

    return cell


def _text(name: str) -> _Cell:
    return lambda record: printable(str(record.get(name) or "-"))


def _gemm(record: dict[str, Any]) -> str:
    sizes = [record[key] for key in ("M", "K", "N")]
    return "-" if sizes == [None] * 3 else "x".join("?" if length is None else str(length) for length in sizes)


def _health(record: dict[str, Any]) -> str:
    counts = [
        f"{record[name]} {name if record[name] > 1 else name[:-1]}" for name in ("errors", "warnings") if record[name]
    ]
    return ", ".join(counts) or "ok"


def _shown(name: str, form: Callable[[float], str]) -> _Cell:
    return lambda record: "-" if record.get(name) is None else form(record[name]).replace(THIN, " ")


_COLUMNS: Sequence[tuple[str, bool, _Cell]] = (
    ("run", False, _text("run_id")),
    ("name", False, _text("name")),
    ("source", False, _text("source")),
    ("hwid", False, _text("hwid")),
    ("MxKxN", False, _gemm),
    ("GMAC/s", True, _number("gmacs_mean", ".1f")),
    ("best", True, _number("gmacs_best", ".1f")),
    ("util %", True, _number("utilization", ".1f", 100)),
    ("kernels", True, _number("kernels", ".0f")),
    ("median", True, _number("median_kernel", ".0f")),
    ("lock stall %", True, _number("lock_stall_share", ".1f", 100)),
    ("busy %", True, _number("busy_share", ".1f", 100)),
    ("kernel time", True, _shown("kernel_time", duration_text)),
    ("FLOP/s", True, _shown("flops_total", partial(rate_text, unit="FLOP/s"))),
    ("peak mem", True, _shown("peak_memory", size)),
    ("cap %", True, _number("capacity_use", ".1f", 100)),
    ("failed", True, _number("failed_blocks", ".0f")),
    ("waste", True, _shown("memory_waste", size)),
    ("health", False, _health),
    ("ingested", False, lambda record: str(record["created_at"])[:16].replace("T", " ")),
)
"""Heading, whether it is a number, and the text of a cell."""


def runs_table(records: Iterable[dict[str, Any]]) -> list[str]:
    """Return the lines of a table: the columns that have a value, text on the left, numbers on the right of them.

    Of the records, which may come one by one, only the cells are kept. Without a record there is no line.
    """
    rows = [[cell(record) for _, _, cell in _COLUMNS] for record in records]
    columns = zip(_COLUMNS, zip(*rows, strict=True), strict=bool(rows))
    padded = [_column(heading, cells, right) for (heading, right, _), cells in columns if set(cells) != {"-"}]
    return ["  ".join(row).rstrip() for row in zip(*padded, strict=True)]


def _column(heading: str, cells: Sequence[str], right: bool) -> list[str]:
    """Return heading and cells, all as wide as the widest."""
    width = max(map(len, [heading, *cells]))
    return [text.rjust(width) if right else text.ljust(width) for text in [heading, *cells]]
