"""Output of command `memory` for a buffer assignment of XLA."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from app.cli.common import printable

if TYPE_CHECKING:
    from analysis.memory.allocation_totals import AllocationTotals


def print_allocation_totals(totals: AllocationTotals, *, as_json: bool) -> None:
    """Print the bytes of a module's allocations by kind and memory space, as text or as JSON."""
    from components.memory.allocation_words import allocations_sentence
    from services.run.allocation_totals import allocation_totals_mapping

    sentence = allocations_sentence(totals)
    if as_json:
        mapping = allocation_totals_mapping(totals) | {"sentence": sentence}
        click.echo(json.dumps(mapping, ensure_ascii=False))
        return
    for line in (sentence, *_lines(totals)):
        click.echo(printable(line))


def _lines(totals: AllocationTotals) -> Iterator[str]:
    from components.memory.allocation_words import KIND_LABELS

    for kind, part in totals.by_kind.items():
        yield f"{part:>20}  bytes of {KIND_LABELS[kind]}"
    for color, part in totals.by_memory.items():
        yield f"{part:>20}  bytes in memory space {color}"
    yield f"{totals.total:>20}  bytes of all allocations"
    if totals.stated is None:
        yield "No file states a total of its own."
    else:
        yield f"{totals.stated:>20}  bytes as XLA states them"
