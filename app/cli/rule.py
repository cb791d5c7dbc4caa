"""Command `baseline rule`: rules that choose the older runs to compare a run with."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from app.cli.common import COUNT, operator, printable, with_settings
from app.cli.records import command_errors
from schema.comparison import MAX_RUNS

if TYPE_CHECKING:
    from app.config.settings import Settings


@click.group()
def rule() -> None:
    """Set, list and delete baseline rules, which apply to all keys."""


@rule.command("set")
@with_settings
@click.argument("name")
@click.option(
    "--last",
    type=click.IntRange(1, MAX_RUNS),
    required=True,
    metavar="COUNT",
    help="Number of older runs to compare with.",
)
@click.option("--branch", default="", help="Compare only with runs of this branch.")
@click.option("--source", default="", help="Only keys of this source, such as aie.")
@click.option("--hwid", default="", help="Only keys of this hardware or layout.")
@click.option("--M", "M", type=COUNT, help="Only GEMMs with this many rows.")
@click.option("--K", "K", type=COUNT, help="Only GEMMs with this reduction length.")
@click.option("--N", "N", type=COUNT, help="Only GEMMs with this many columns.")
def set_command(settings: Settings, name: str, last: int, **scope: str | int | None) -> None:
    """Set a rule: a run is compared with the newest older runs of its key.

    Older runs that regressed by the rule are left out, so that a regression does not become the
    baseline.
    """
    from services.baselines.members import BaselineError
    from services.status.rules import rule_text, set_rule
    from storage.rules import Rule, Rules

    repository = settings.repository()
    before = next(
        (
            existing
            for existing in Rules(repository.catalogue).all()
            if existing.name == name.strip()
        ),
        None,
    )
    with command_errors(BaselineError):
        set_rule(repository, Rule(name.strip(), last, **scope), operator())  # type: ignore[arg-type]
    if before is not None:
        click.echo(printable(f"replaces: {rule_text(before)}"), err=True)


@rule.command("list")
@with_settings
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_command(settings: Settings, *, as_json: bool) -> None:
    """List the rules."""
    from services.status.rules import rule_text
    from storage.rules import Rules

    rules = Rules(settings.repository().catalogue).all()
    if as_json:
        click.echo(json.dumps([item.record() for item in rules], indent=2))
        return
    for item in rules:
        click.echo(printable(f"{item.name}  {rule_text(item)}  {item.changed_at}"))


@rule.command("delete")
@with_settings
@click.argument("name")
def delete_command(settings: Settings, name: str) -> None:
    """Delete a rule and its acknowledgements; runs stay."""
    from services.status.rules import delete_rule

    delete_rule(settings.repository(), name, operator())
