"""Command `allocate`: searches for a new placement of a run's blocks."""

from __future__ import annotations

import json
import math
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from app.cli.allocate_variants import CSV, JSON, TEXT, build_search, print_front, print_matrix
from app.cli.common import COUNT, INDEX, ByteSize, operator, printable, with_settings
from app.cli.records import command_errors
from app.cli.run_options import attempt_option
from schema.digits import is_whole, real
from schema.memory import MAX_SEED, SAVED_RANK_BASE
from schema.plurals import plural

if TYPE_CHECKING:
    from app.config.settings import Settings
    from services.lab.allocate import Asked, Placed
    from storage.repository import Repository


_WITHOUT_COMPILER = "best_fit"
"""Default strategy if numba is not installed, so that the search cannot be compiled."""


class _Duration(click.ParamType[float]):
    """Command line type of a number of seconds: finite and at least 0."""

    name = "seconds"

    def convert(
        self,
        value: Any,  # noqa: ANN401
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> float:
        """Parse the number; fails with a usage error if it is out of range."""
        seconds = real(str(value))
        if not 0 <= seconds < math.inf:
            self.fail(f"{value!r} is not a number of seconds from 0", param, ctx)
        return seconds


class _Fixed(click.ParamType[tuple[int, int | None]]):
    """Command line type of a block number, with or without the address where it must stay."""

    name = "BLOCK[=ADDRESS]"

    def convert(
        self,
        value: Any,  # noqa: ANN401 - click's own
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> tuple[int, int | None]:
        """Parse (block, address); the address is None if the block stays at its present address.
        Fails with a usage error unless both are whole numbers from 0.
        """
        block, equals, address = str(value).partition("=")
        texts = [block, address] if equals else [block]
        # Addresses are signed 64-bit integers, which have at most 19 digits.
        if not all(is_whole(text, 19) for text in texts):
            self.fail(
                f"{value!r} is not of the form BLOCK or BLOCK=ADDRESS, both whole numbers from 0",
                param,
                ctx,
            )
        return int(block), int(address) if equals else None


@click.command()
@with_settings
@click.argument("runs", metavar="RUN...", nargs=-1)
@click.option("--list", "as_list", is_flag=True, help="List the strategies.")
@attempt_option()
@click.option(
    "--all", "every", is_flag=True, help="Place all attempts or levels, one after another."
)
@click.option("--strategy", metavar="NAME", help="Strategy; see --list (default: search).")
@click.option(
    "--all-strategies",
    is_flag=True,
    help="Run every strategy on every RUN; the only option that accepts several runs.",
)
@click.option(
    "--keep-most",
    is_flag=True,
    help="Print the trade-off between moved bytes and extent, from no moved block to the least extent.",
)
@click.option(
    "--capacity",
    type=ByteSize(),
    metavar="BYTES",
    help="Find any placement within this size, such as 256KiB.",
)
@click.option(
    "--seconds",
    type=_Duration(),
    help="Time limit for each attempt (default: 10, without --effort).",
)
@click.option(
    "--effort",
    type=COUNT,
    help="Number of placements to try; makes the result reproducible.",
)
@click.option(
    "--seed", type=click.IntRange(0, MAX_SEED), default=0, show_default=True, help="Random seed."
)
@click.option(
    "--fix",
    "fixed",
    type=_Fixed(),
    multiple=True,
    help="Block that stays at its address, or at the given address.",
)
@click.option(
    "--keep", is_flag=True, help="Save the placement with the run, as an attempt from the lab."
)
@click.option("--title", default="", help="Title of the saved placement.")
@click.option(
    "--format",
    "form",
    type=click.Choice([TEXT, JSON, CSV]),
    help="Output format of --all-strategies.",
)
@click.option(
    "--why",
    type=INDEX,
    metavar="BLOCK",
    help="Explain why the block with this number cannot be placed, instead of placing.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with every address.")
def allocate(
    settings: Settings,
    runs: tuple[str, ...],
    *,
    as_list: bool,
    all_strategies: bool,
    keep_most: bool,
    form: str | None,
    as_json: bool,
    **options: Any,  # noqa: ANN401 - what click has checked
) -> None:
    """Search for a new placement of a run's blocks: as low as possible, or within a capacity.

    RUN is an id or its beginning. The result states which bounds are proved. The exit code
    is also 0 if no placement fits.
    """
    from services.lab.allocate import list_strategies

    if as_list:
        click.echo(
            json.dumps({"strategies": list_strategies()})
            if as_json
            else "\n".join(_strategy_lines(list_strategies()))
        )
        return
    if not runs:
        raise click.UsageError("Missing argument 'RUN'.")
    _check_options(runs, options, all_strategies=all_strategies, keep_most=keep_most, form=form)
    if all_strategies:
        print_matrix(settings, runs, options, JSON if as_json else form or TEXT)
    elif keep_most:
        print_front(settings, runs[0], options, as_json=as_json)
    elif options["why"] is not None:
        _print_obstacles(settings, runs[0], options, as_json=as_json)
    else:
        names = [strategy["name"] for strategy in list_strategies()]
        options["strategy"] = options["strategy"] or _default_strategy()
        if options["strategy"] not in names:
            raise click.UsageError(
                f"there is no strategy {options['strategy']!r}; strategies are {', '.join(names)}"
            )
        results = _place(settings, runs[0], options)
        click.echo(json.dumps({"answers": results}) if as_json else "\n".join(map(_line, results)))


def _default_strategy() -> str:
    """Return `search`; if numba is missing, `best_fit`, with a note on stderr."""
    from analysis.allocators.compiler import NO_COMPILER, can_compile

    if can_compile():
        return "search"
    click.echo(f"Note: {NO_COMPILER}. The blocks are placed by {_WITHOUT_COMPILER}.", err=True)
    return _WITHOUT_COMPILER


def _check_options(
    runs: tuple[str, ...],
    options: dict[str, Any],
    *,
    all_strategies: bool,
    keep_most: bool,
    form: str | None,
) -> None:
    """Raise UsageError if options of `allocate` exclude each other."""
    if all_strategies and keep_most:
        raise click.UsageError("--all-strategies and --keep-most exclude each other")
    if len(runs) > 1 and not all_strategies:
        raise click.UsageError("several runs need --all-strategies")
    if form and not all_strategies:
        raise click.UsageError("--format needs --all-strategies")
    if options["every"] and options["attempt"] is not None:
        raise click.UsageError("--attempt and --all exclude each other")
    if options["title"] and not options["keep"]:
        raise click.UsageError("--title needs --keep")
    if options["why"] is not None and (all_strategies or keep_most):
        raise click.UsageError("--why excludes --all-strategies and --keep-most")


def _print_obstacles(
    settings: Settings, prefix: str, options: dict[str, Any], *, as_json: bool
) -> None:
    """Print the obstacles that keep a block from a place, as sentences or JSON.

    Raises UsageError for options of a search, which have no effect here, and ClickException if the
    block does not exist.
    """
    if options["every"] or options["keep"] or options["fixed"] or options["capacity"] is not None:
        raise click.UsageError("--why excludes --all, --keep, --fix and --capacity")
    repository = settings.repository()
    run_id = repository.resolve(prefix)
    from services.lab.allocate import memory_of
    from services.lab.why import find_block_obstacles, obstacle_lines, why_mapping
    from services.run.data_cache import RunDataCache

    with command_errors():
        memory = memory_of(RunDataCache(repository), run_id)
        obstacles = find_block_obstacles(memory, run_id, options["attempt"], options["why"])
    click.echo(
        json.dumps(why_mapping(obstacles))
        if as_json
        else "\n".join(map(printable, obstacle_lines(obstacles)))
    )


def _place(settings: Settings, prefix: str, options: dict[str, Any]) -> list[dict[str, Any]]:
    repository = settings.repository()
    run_id = repository.resolve(prefix)
    from services.lab.allocate import choose_attempts, memory_of, place_attempts, prepare, record
    from services.run.data_cache import RunDataCache
    from services.run.saved_placements import check_room

    search = build_search(options, options["strategy"])
    with command_errors(ValueError, RuntimeError):
        memory = memory_of(RunDataCache(repository), run_id)
        wanted = choose_attempts(memory, run_id, options["attempt"], every=options["every"])
        if options["keep"]:
            # Checked before the search, so that its result is not lost for lack of room.
            check_room(repository.catalogue, run_id, len(wanted))
        prepare(search.strategy, lambda sentence: click.echo(sentence, err=True))
        keep = partial(_keep_placement, repository, run_id, search, options["title"])
        each = (
            (record(run_id, search, placed), placed)
            for placed in place_attempts(memory, wanted, search)
        )
        return [result | keep(placed) if options["keep"] else result for result, placed in each]


def _keep_placement(
    repository: Repository, run_id: str, search: Asked, title: str, placed: Placed
) -> dict[str, int | None]:
    """Save a placement with its run and return `{"kept": number}`; the number is None if the search
    found no placement.
    """
    from app.views.lab.state import LabState, question_query
    from services.lab.allocate import of_the_lab
    from services.run.saved_placements import SolvedQuestion, save_placement

    if placed.placement.address is None:
        return {"kept": None}
    problem, placement = of_the_lab(search, placed)
    question = {
        "strategy": placement.strategy,
        "seed": placement.seed,
        "effort": placement.asked_effort,
    }
    state = LabState(capacity=problem.capacity, fixed=problem.fixed, **question)  # type: ignore[arg-type]
    solved = SolvedQuestion(
        problem, placed.problem, placement, question_query(state, placed.attempt)
    )
    return {"kept": save_placement(repository.catalogue, run_id, solved, title, operator()).number}


def _strategy_lines(strategies: list[dict[str, Any]]) -> list[str]:
    width = max(len(strategy["name"]) for strategy in strategies)
    lines = []
    for strategy in strategies:
        default = " (default)" if strategy["default"] else ""
        lines.append(f"{strategy['name']:<{width}}  {strategy['help']}{default}")
    return lines


_PROOFS = {"bound": "proved by the bound", "search": "proved by search", None: "not proved"}


def _line(result: dict[str, Any]) -> str:
    """Format the result for an attempt as a line of text: status, proof, bytes, conflicts, effort,
    and the number of a saved placement.
    """
    head = f"attempt {result['attempt']}: {result['status']}"
    if result["extent"] is None:
        text = (
            f"{head}, {_PROOFS[result['proof']]}: needs at least {plural(result['bound'], 'byte')}"
        )
    else:
        text = f"{head}, {_PROOFS[result['proof']]}: {plural(result['extent'], 'byte')} of at least {result['bound']}"
    saved = (
        f", kept as number {result['kept']} (attempt {SAVED_RANK_BASE + result['kept']})"
        if result.get("kept")
        else ""
    )
    spent = f"{result['seconds']:.2f} s, {plural(result['effort'], 'placement')}, stopped: {result['stopped']}"
    return printable(f"{text}{_conflicts(result)}, {spent}{saved}")


def _conflicts(result: dict[str, Any]) -> str:
    """Format the bank conflicts of a placement, and of the file's own placement if known, as the
    end of a sentence; "" if unknown.
    """
    if result["bank_conflicts"] is None:
        return ""
    stored = result["bank_conflicts_stored"]
    before = "" if stored is None else f" ({stored} as stored)"
    return f", bank conflicts: {result['bank_conflicts']}{before}"
