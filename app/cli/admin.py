"""Command `admin`: overview of the store for operators."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from app.cli.common import operator, printable, with_settings

if TYPE_CHECKING:
    from app.config.settings import Settings
    from services.store.overview import Overview


@click.command()
@with_settings
@click.option(
    "--orphans",
    "is_looking",
    is_flag=True,
    help="Search the stored files for files that no run, upload or process refers to.",
)
@click.option("--clean-up", "is_cleaning", is_flag=True, help="Remove the files that it finds.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def admin(settings: Settings, *, is_looking: bool, is_cleaning: bool, as_json: bool) -> None:
    """Print the state of the store: size and growth, orphans, backups, uploads, jobs, tokens,
    settings, and problems.

    The first line names the problems that need attention; the exit code is 1 if there are any.
    `--orphans` lists the files of the store, which takes a while for object storage; without it the
    result of the last search is printed with its age.
    """
    from app.overview.record import load_overview, overview_record
    from services.store.attention import needs_attention
    from services.store.orphans import look_for_orphans, record_look

    repository = settings.repository()
    if is_looking or is_cleaning:
        repository.catalogue.create()
        orphans = look_for_orphans(repository, operator(), remove=is_cleaning)
        record_look(repository.catalogue, operator(), orphans)
    overview = load_overview(settings, repository)
    if as_json:
        click.echo(json.dumps(overview_record(overview), indent=2))
    else:
        click.echo("\n".join(map(printable, _lines(overview))))
    click.get_current_context().exit(1 if needs_attention(overview) else 0)


def _lines(overview: Overview) -> Iterator[str]:
    from app.overview.attention_words import attention_words, store_sentence
    from app.overview.parts import overview_parts
    from app.text_table import table_lines
    from services.store.attention import needs_attention

    attention = needs_attention(overview)
    yield store_sentence(overview, attention)
    yield from (f"- {attention_words(item)}" for item in attention)
    for part in overview_parts(overview):
        yield ""
        yield f"{part.title}: {part.sentence}"
        for table in part.tables:
            yield ""
            yield from (f"  {line}" for line in table_lines(table))
