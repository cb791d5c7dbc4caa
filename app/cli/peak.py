"""Command `peak`: what the peak of a run's memory is made of, and changes that lower it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from app.cli.records import command_errors, print_record
from app.cli.run_options import attempt_option, with_run
from schema.plurals import plural

if TYPE_CHECKING:
    from storage.repository import Repository


@click.command()
@with_run
@attempt_option("that of the headline, with all levels of its plan")
@click.option(
    "--json", "as_json", is_flag=True, help="Print JSON, sizes in bytes, with every block to free."
)
def peak(repository: Repository, run_id: str, *, attempt: int | None, as_json: bool) -> None:
    """Print the parts of a memory peak, and the changes that lower it, most bytes first.

    RUN is an id or its beginning; it has a memory map. Parts are content (persistent, intermediate,
    scratch), waste (placement, alignment) and unknown; they sum to the peak. Each change was
    replayed on the map, and its gain is the measured one.
    """
    from app.run_records import peaks_record
    from schema.choices import METHODS
    from services.run.data_cache import RunDataCache

    _prepare_search()
    with command_errors():
        record = peaks_record(RunDataCache(repository).get(run_id, METHODS[0], {}), attempt)
    print_record(record, chain.from_iterable(map(_lines, record["peaks"])), as_json=as_json)


def _prepare_search() -> None:
    """Compile the search if a compiler is installed; without it the simple strategies replay."""
    from analysis.allocators.compiler import can_compile, is_prepared

    if not can_compile() or is_prepared():
        return
    from analysis.allocators.listed import DEFAULT
    from analysis.allocators.search import NoCompilerError
    from services.lab.allocate import prepare

    try:
        prepare(DEFAULT, lambda sentence: click.echo(sentence, err=True))
    except NoCompilerError as error:
        click.echo(f"Note: {error}.", err=True)


def _lines(record: dict[str, Any]) -> Iterator[str]:
    from components.memory.peak_words import KIND_LABELS, PART_LABELS
    from components.numbers import percent

    yield f"{record['label']}: peak {plural(record['peak'], 'byte')}"
    for name, part in record["parts"].items():
        if part:
            yield f"  {percent(part / record['peak']):>8}  {part:>15} B  {PART_LABELS[name]}"
    for advice in record["advice"]:
        yield f"  {KIND_LABELS[advice['kind']]}, {plural(advice['gain'], 'byte')}: {advice['sentence']}"
    for note in record["notes"]:
        yield f"  {note}"
