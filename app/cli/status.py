"""Command `status`: the latest run of each key against a baseline rule, and acknowledgements."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from app.cli.common import GATE_ERROR, operator, output_stream, printable, with_settings
from app.cli.records import command_errors

if TYPE_CHECKING:
    from app.config.settings import Settings
    from services.status.status import StatusCache

_RULE = "Name of the baseline rule; optional if there is only one rule."


@click.group(invoke_without_command=True)
@with_settings
@click.option("--rule", default="", help=_RULE)
@click.option(
    "--since", default="", metavar="AGE|TIME", help="Only keys with a run since then, such as 7d."
)
@click.option("--as-of", default="", metavar="TIME", help="Ignore later runs.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
def status(
    settings: Settings, *, rule: str, since: str, as_of: str, as_json: bool, as_csv: bool
) -> None:
    """Print the latest run of every key with its verdict against a baseline rule, regressions
    first.

    The exit code is 1 if a key is regressed and not acknowledged, 3 for errors, else 0.
    """
    context = click.get_current_context()
    # A group also runs before its subcommands.
    if context.invoked_subcommand:
        return
    if as_json and as_csv:
        raise click.UsageError("--json and --csv exclude each other")
    from components.comparison.status_words import status_lines
    from schema.moments import MomentError, parse_since, parse_time
    from services.baselines.members import BaselineError
    from services.run.export import write_frame
    from services.status.status_frame import status_frame

    with command_errors(BaselineError, MomentError):
        then = parse_time("--as-of", as_of)
        result = _open_status(settings).status(rule, parse_since("--since", since, then), then)
    if as_csv:
        with output_stream(None) as stream:
            write_frame(status_frame(result), "csv", stream)
    else:
        text = (
            json.dumps(result.record(), indent=2)
            if as_json
            else "\n".join(map(printable, status_lines(result)))
        )
        click.echo(text)
    context.exit(1 if result.has_news else 0)


status.error_code = GATE_ERROR  # type: ignore[attr-defined]


@status.command("ack")
@with_settings
@click.argument("run", metavar="RUN")
@click.option("--rule", default="", help=_RULE)
@click.option("--note", default="", help="Note about the regression.")
def ack_command(settings: Settings, run: str, rule: str, note: str) -> None:
    """Acknowledge the regression of RUN.

    It counts as known until it ends or becomes worse; another regression after a recovery is not
    acknowledged.
    """
    from services.baselines.members import BaselineError
    from services.status.acknowledge import acknowledge

    statuses = _open_status(settings)
    with command_errors(BaselineError):
        acknowledge(
            statuses, statuses.repository.resolve(run), rule=rule, note=note, user=operator()
        )


@status.command("unack")
@with_settings
@click.argument("run", metavar="RUN")
@click.option("--rule", default="", help=_RULE)
def unack_command(settings: Settings, run: str, rule: str) -> None:
    """Withdraw the acknowledgement of the regression of RUN's key."""
    from services.baselines.members import BaselineError
    from services.status.acknowledge import withdraw_acknowledgement

    statuses = _open_status(settings)
    with command_errors(BaselineError):
        withdraw_acknowledgement(
            statuses, statuses.repository.resolve(run), rule=rule, user=operator()
        )


def _open_status(settings: Settings) -> StatusCache:
    from services.status.status import StatusCache

    return StatusCache(settings.repository(), commit_url=settings.commit_url)
