"""Command `design`: the design of an array, and what it explains of a trace."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from app.cli.common import printable, with_settings
from schema.plurals import plural

if TYPE_CHECKING:
    from app.config.settings import Settings


@click.command()
@with_settings
@click.argument("run_id", metavar="RUN")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with every buffer and lock.")
def design(settings: Settings, run_id: str, *, as_json: bool) -> None:
    """Print the design of an AIE array: memory of its tiles, locks, DMA channels, flows. RUN is an id or its beginning.

    Of a capture with a design beside it also which buffers share a bank that stalls, and which lock each core waits for.
    """
    repository = settings.repository()
    run_id = repository.resolve(run_id)
    from services.run.design import design_mapping, design_of
    from services.run.stored_frames import StoredFrames

    try:
        mapping = design_mapping(design_of(StoredFrames(repository, run_id)))
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        click.echo(json.dumps({"run_id": run_id, **mapping}, ensure_ascii=False))
        return
    for line in _lines(mapping):
        click.echo(printable(line))


def _lines(mapping: dict[str, Any]) -> Iterator[str]:
    """Yield a line about the device, then a line per tile with memory, lock and DMA channel."""
    fifos = plural(len(mapping["objectfifos"]), "objectfifo")
    lowered = "" if mapping["lowered"] else f", not lowered: {fifos}"
    yield f"{mapping['device'] or 'unknown device'}, {mapping['file']}{lowered}"
    for tile in mapping["tiles"]:
        if tile["bytes"] != 0:
            yield f"{tile['tile']}  {_memory(tile)}"
    for lock in mapping["locks"]:
        takers = ", ".join(use["by"] for use in lock["acquired_by"]) or "-"
        givers = ", ".join(use["by"] for use in lock["released_by"]) or "-"
        yield f"{lock['tile']}  lock {lock['name']}: acquired by {takers}, released by {givers}"
    for channel in mapping["dma"]:
        buffers = ", ".join(one["buffer"] or "unknown" for one in channel["bds"])
        place = f"{channel['tile']} {channel['direction']} {channel['channel']}"
        yield f"{place}: {buffers}{', again from the first' if channel['loop'] else ''}"


def _memory(tile: dict[str, Any]) -> str:
    used = "an unknown number of" if tile["bytes"] is None else tile["bytes"]
    of = "" if tile["memory"] is None else f" of {tile['memory']}"
    banks = tile["bank_bytes"]
    per_bank = f", per bank {' '.join(map(str, banks))}" if banks else ""
    return f"{used}{of} bytes used{per_bank}"
