"""Command `db`: maintenance of the catalogue's database."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from app.cli.common import with_settings

if TYPE_CHECKING:
    from app.config.settings import Settings


@click.group()
def db() -> None:
    """Maintain the database of the run catalogue."""


@db.command()
@with_settings
def upgrade(settings: Settings) -> None:
    """Upgrade the catalogue to the tables of this release; the runs stay.

    An embedded catalogue is upgraded automatically when it is opened.
    """
    catalogue = settings.catalogue()
    revisions = catalogue.upgrade()
    if revisions is None:
        click.echo(f"There is no catalogue at {catalogue.address} yet.")
    elif revisions[0] == revisions[1]:
        click.echo(
            f"{catalogue.address} is already at the revision of this release ({revisions[1]})."
        )
    else:
        click.echo(
            f"{catalogue.address} was upgraded from revision {revisions[0]} to {revisions[1]}."
        )
