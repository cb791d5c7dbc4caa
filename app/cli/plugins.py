"""Command `plugins`: loaders and views of other packages."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from app.cli.common import printable, with_settings
from schema.plurals import plural

if TYPE_CHECKING:
    from app.config.settings import Settings


@click.command()
@with_settings
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def plugins(settings: Settings, *, as_json: bool) -> None:
    """List the loaders and views of other packages, those that fail with the reason, and sources
    whose plugin is missing.
    """
    from app.plugins import list_plugins
    from schema.plugin_api import API_VERSION

    listed = list_plugins(settings.catalogue())
    if as_json:
        click.echo(
            json.dumps(
                {"api_version": API_VERSION, "plugins": [asdict(plugin) for plugin in listed]},
                indent=2,
            )
        )
        return
    for plugin in listed:
        package = f"{plugin.package} {plugin.version}".strip()
        runs = plural(plugin.runs, "run")
        parts = (plugin.kind, plugin.name, plugin.state, package, runs, plugin.error, *plugin.docs)
        click.echo(printable("  ".join(filter(None, parts))))
    if not listed:
        click.echo("No plugins.")
