"""Commands `baseline` and `check`: the gate of a build system."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from app.cli.common import GATE_ERROR, CannotDecideError, operator, printable, with_settings
from app.cli.records import command_errors
from app.cli.rule import rule
from app.cli.run_options import format_option, thresholds_option
from schema.choices import GATE_FORMATS
from schema.comparison import MAX_RUNS

if TYPE_CHECKING:
    from app.config.settings import Settings


@click.group()
def baseline() -> None:
    """Name runs as baselines with which other runs are compared."""


baseline.add_command(rule)


@baseline.command("set")
@with_settings
@click.argument("name")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@click.option(
    "--last",
    type=click.IntRange(1, MAX_RUNS),
    metavar="COUNT",
    help="Number of newest runs with the key of RUN.",
)
def set_command(settings: Settings, name: str, runs: tuple[str, ...], last: int | None) -> None:
    """Set a baseline: NAME is the name for runs of one source, hwid, GEMM size, grid and tags.

    With --last the baseline is rolling: a run is compared with the newest older runs of the key of RUN, except runs
    for which `check` reported a regression.
    """
    from services.baselines.baselines import set_baseline
    from services.baselines.members import BaselineError

    repository = settings.repository()
    with command_errors(BaselineError):
        set_baseline(
            repository, name, [repository.resolve(run) for run in runs], last, user=operator()
        )


@baseline.command("list")
@with_settings
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_command(settings: Settings, *, as_json: bool) -> None:
    """List the baselines: fixed or rolling, the properties that their runs share, their runs, and
    their deleted runs.

    For a rolling baseline, the runs are listed with which a new run would be compared.
    """
    from services.baselines.baselines import describe_baselines

    baselines = describe_baselines(settings.repository())
    if as_json:
        click.echo(json.dumps([item.record() for item in baselines], indent=2))
        return
    for item in baselines:
        kind = item.kind if item.last is None else f"{item.kind} (last {item.last})"
        gone = f"deleted: {' '.join(item.deleted)}" if item.deleted else ""
        parts = (
            item.name,
            kind,
            item.changed_at,
            item.key_text,
            " ".join(item.runs) or "no runs",
            gone,
        )
        click.echo(printable("  ".join(filter(None, parts))))


@baseline.command("delete")
@with_settings
@click.argument("name")
def delete_command(settings: Settings, name: str) -> None:
    """Delete a baseline; its runs stay."""
    from services.baselines.baselines import delete_baseline

    delete_baseline(settings.repository(), name, operator())


@click.command()
@with_settings
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@click.option("--baseline", "name", required=True, help="Name of the baseline.")
@thresholds_option
@format_option(GATE_FORMATS)
@click.option(
    "--undecided",
    type=click.Choice(("fail", "pass")),
    default="fail",
    show_default=True,
    help="Exit code if the verdict is undecided: 2 or 0.",
)
def check(
    settings: Settings,
    runs: tuple[str, ...],
    *,
    name: str,
    thresholds: tuple[str, ...],
    fmt: str,
    undecided: str,
) -> None:
    """Check runs against a baseline.

    The exit code is 0 if no gating metric regressed, 1 if one did, 2 if that cannot be decided, and
    3 for errors.
    """
    from app.gate_formats import FORMATS, comparison_url
    from services.baselines.members import NoOlderRunError
    from services.comparison.compare import CompareError
    from services.comparison.thresholds import parse_thresholds
    from services.gate.gate import check as checked

    repository = settings.repository()
    try:
        limits = parse_thresholds(thresholds)
        verdict = checked(repository, [repository.resolve(run) for run in runs], name, limits)
    # The first run of a key has no base: it is undecided, and passes if undecided runs do.
    except NoOlderRunError as error:
        if undecided == "fail":
            raise CannotDecideError(str(error)) from error
        click.echo(printable(str(error)), err=True)
        return
    except CompareError as error:
        raise CannotDecideError(str(error)) from error
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    text = FORMATS[fmt](verdict, comparison_url(verdict.comparison, limits, settings.public_url))
    # Line by line, as `printable` replaces line ends too.
    click.echo("\n".join(map(printable, text.splitlines())))
    click.get_current_context().exit(verdict.code(undecided_passes=undecided == "pass"))


# 1 and 2 are verdicts of the gate, so that an error needs a code of its own.
check.error_code = GATE_ERROR  # type: ignore[attr-defined]
