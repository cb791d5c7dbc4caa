"""Command `design`: the design of an array, and what it explains of a trace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from app.cli.common import with_settings
from app.cli.records import command_errors, print_record
from schema.plurals import plural

if TYPE_CHECKING:
    import pandas as pd

    from app.config.settings import Settings


@click.command()
@with_settings
@click.argument("run_id", metavar="RUN")
@click.option(
    "--design",
    "file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Read the design from this file; the run stays as it is.",
)
@click.option("--device", help="Name of the device in the file (default: the one with most cores).")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with every buffer and lock.")
def design(
    settings: Settings, run_id: str, *, file: Path | None, device: str | None, as_json: bool
) -> None:
    """Print the design of an AIE array: memory of its tiles, locks, DMA channels, flows. RUN is an
    id or its beginning.

    For a capture with a design next to it, also print the buffers that share a bank that stalls,
    and the lock that each core waits for.
    """
    repository = settings.repository()
    run_id = repository.resolve(run_id)
    from services.run.design import design_frames
    from services.run.design_record import design_record
    from services.run.stored_frames import StoredFrames

    with command_errors():
        stored = StoredFrames(repository, run_id)
        frames = design_frames(
            stored if file is None else _read_file(settings, file, device, stored)
        )
        mapping = design_record(run_id, frames, stored)
    print_record(mapping, _lines(mapping), as_json=as_json)


def _read_file(
    settings: Settings, file: Path, device: str | None, stored: Mapping[str, pd.DataFrame]
) -> dict[str, pd.DataFrame]:
    """Read the design of a file in a process with limits, at the columns of the run's trace.

    Raises ClickException if it cannot be read, ValueError if it does not fit the trace.
    """
    from app.cli.ingest import open_readers
    from data_loaders.reading.scratch import scratch_folder
    from ingest.files import ingest
    from services.run.design import place_other_design
    from services.run.stored_frames import StoredFrames
    from storage.repository import Repository

    given = {"device": device} if device else {}
    with open_readers(settings) as readers, scratch_folder() as folder:
        # A store of its own, so that the file is read as any other and nothing is kept.
        other = Repository(f"sqlite:///{folder}/catalogue.db", f"{folder}/frames")
        try:
            result = ingest(
                other,
                [file],
                given,
                loader="aie_design",
                max_content_bytes=settings.max_content_bytes,
                limits=settings.reader_limits(),
                source=readers,
            )
            if not result.runs:
                reasons = [skipped.reason for skipped in result.skipped]
                raise click.ClickException(f"{file}: {'; '.join(reasons) or 'it cannot be read'}")
            read = StoredFrames(other, result.runs[0].run_id)
            return place_other_design({name: read[name] for name in read}, stored)
        finally:
            other.catalogue.close()


def _lines(mapping: dict[str, Any]) -> Iterator[str]:
    """Yield a line about the device, a sentence per stalled core, then a line per tile with
    memory, per lock and per DMA channel.
    """
    from components.numbers import grouped_digits

    fifos = plural(len(mapping["objectfifos"]), "objectfifo")
    lowered = "" if mapping["lowered"] else f", not lowered: {fifos}"
    yield f"{mapping['device'] or 'unknown device'}, {mapping['file']}{lowered}"
    for stall in (*mapping["memory_stalls"], *mapping["lock_stalls"]):
        yield grouped_digits(stall["sentence"])
    for tile in mapping["tiles"]:
        if tile["bytes"] != 0:
            yield f"{tile['tile']}  {grouped_digits(_memory(tile))}"
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
    # The last number decides between byte and bytes.
    count = tile["bytes"] if tile["memory"] is None else tile["memory"]
    noun = "byte" if count == 1 else "bytes"
    of = "" if tile["memory"] is None else f" of {tile['memory']}"
    banks = tile["bank_bytes"]
    per_bank = f", per bank {' '.join(map(str, banks))}" if banks else ""
    return f"{used}{of} {noun} used{per_bank}"
