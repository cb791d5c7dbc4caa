"""`runs` and `delete`."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import click

from app.cli_common import printable, with_settings
from app.settings import Settings

_Cell = Callable[[dict[str, Any]], str]


@click.command()
@with_settings
@click.option("--source", help="Only runs of this source, such as aie.")
@click.option("--hwid", help="Only runs on this hardware or layout.")
@click.option("--M", "M", type=int, help="Only GEMMs with this many rows.")
@click.option("--K", "K", type=int, help="Only GEMMs with this reduction length.")
@click.option("--N", "N", type=int, help="Only GEMMs with this many columns.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list with every column.")
def runs(settings: Settings, as_json: bool, **filters: str | int | None) -> None:
    """List the runs, newest first, with the numbers people come for."""
    records = [stored.record() for stored in settings.catalogue().runs(filters)]
    if as_json:
        click.echo(json.dumps(records))
    elif records:
        click.echo("\n".join(_table(records)))
    else:
        click.echo("No runs.")


@click.command()
@with_settings
@click.argument("run_ids", metavar="RUN...", nargs=-1, required=True)
def delete(settings: Settings, run_ids: tuple[str, ...]) -> None:
    """Delete runs and their frames. RUN is an id or the beginning of one."""
    repository = settings.repository()
    for run_id in dict.fromkeys([repository.resolve(prefix) for prefix in run_ids]):
        repository.delete(run_id)
        click.echo(f"deleted {run_id}")


def _number(name: str, fmt: str = ".3g", scale: float = 1.0) -> _Cell:
    def cell(record: dict[str, Any]) -> str:
        value = record.get(name)
        return "-" if value is None else format(value * scale, fmt)

    return cell


def _text(name: str) -> _Cell:
    return lambda record: printable(str(record.get(name) or "-"))


def _size(record: dict[str, Any]) -> str:
    return "x".join("?" if record[key] is None else str(record[key]) for key in ("M", "K", "N"))


def _health(record: dict[str, Any]) -> str:
    counts = [
        f"{record[name]} {name if record[name] > 1 else name[:-1]}" for name in ("errors", "warnings") if record[name]
    ]
    return ", ".join(counts) or "ok"


_COLUMNS: Sequence[tuple[str, bool, _Cell]] = (
    ("run", False, _text("run_id")),
    ("name", False, _text("name")),
    ("source", False, _text("source")),
    ("hwid", False, _text("hwid")),
    ("MxKxN", False, _size),
    ("GMAC/s", True, _number("gmacs_mean", ".1f")),
    ("best", True, _number("gmacs_best", ".1f")),
    ("util %", True, _number("utilization", ".1f", 100)),
    ("kernels", True, _number("kernels", ".0f")),
    ("median", True, _number("median_kernel", ".0f")),
    ("lock stall %", True, _number("lock_stall_share", ".1f", 100)),
    ("health", False, _health),
    ("taken in", False, lambda record: str(record["created_at"])[:16].replace("T", " ")),
)
"""Heading, whether it is a number, and the text of a cell."""


def _table(records: list[dict[str, Any]]) -> list[str]:
    """Return the lines of a table, text on the left and numbers on the right of their columns."""
    rows = [[heading for heading, _, _ in _COLUMNS]] + [[cell(r) for _, _, cell in _COLUMNS] for r in records]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    numeric = [is_number for _, is_number, _ in _COLUMNS]
    return [
        "  ".join(
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(row, widths, numeric, strict=True)
        ).rstrip()
        for row in rows
    ]
