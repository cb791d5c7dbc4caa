"""`allocate`: the blocks of a run placed anew."""

from __future__ import annotations

import json
import math
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from app.cli.common import operator, printable, with_settings
from schema.memory import MOST_BYTES, MOST_SEED

if TYPE_CHECKING:
    from app.settings import Settings
    from services.allocate import Asked, Placed
    from storage.repository import Repository

_SECONDS = 10.0
"""How long an attempt may take that has no other limit."""


class _Duration(click.ParamType[float]):
    """Seconds: a number from 0, and no `nan`."""

    name = "seconds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:  # noqa: ANN401 - click's own
        """Return the number."""
        try:
            seconds = float(value)
        except ValueError:
            seconds = math.nan
        if not 0 <= seconds < math.inf:
            self.fail(f"{value!r} is not a number of seconds from 0", param, ctx)
        return seconds


class _Fixed(click.ParamType[tuple[int, int | None]]):
    """A block, or a block and the address where it must stay."""

    name = "BLOCK[=ADDRESS]"

    def convert(
        self,
        value: Any,  # noqa: ANN401 - click's own
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> tuple[int, int | None]:
        """Return the block and its address, None for where it lies now."""
        block, equals, address = str(value).partition("=")
        texts = [block, address] if equals else [block]
        if not all(text.isascii() and text.isdigit() and len(text) < 20 for text in texts):
            self.fail(f"{value!r} is not of the form BLOCK or BLOCK=ADDRESS, both whole numbers from 0", param, ctx)
        return int(block), int(address) if equals else None


@click.command()
@with_settings
@click.argument("run_id", metavar="RUN", required=False)
@click.option("--list", "as_list", is_flag=True, help="List the strategies.")
@click.option("--attempt", type=click.IntRange(0), help="Attempt or level, by its rank (default: the one shown first).")
@click.option("--all", "every", is_flag=True, help="All attempts or levels, one after the other.")
@click.option("--strategy", metavar="NAME", default="search", show_default=True, help="How to place; see --list.")
@click.option("--capacity", type=click.IntRange(0, MOST_BYTES), metavar="BYTES", help="Find any placement within it.")
@click.option("--seconds", type=_Duration(), help="Time for each attempt (default: 10, without --effort).")
@click.option("--effort", type=click.IntRange(1), help="Placements to try: equal effort, equal answer.")
@click.option("--seed", type=click.IntRange(0, MOST_SEED), default=0, show_default=True, help="Seed of what is random.")
@click.option("--fix", "fixed", type=_Fixed(), multiple=True, help="Block that stays where it lies, or at an address.")
@click.option("--keep", is_flag=True, help="Keep what is found with the run, as an attempt from the lab.")
@click.option("--title", default="", help="Name of what is kept.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with every address.")
def allocate(
    settings: Settings,
    run_id: str | None,
    *,
    as_list: bool,
    as_json: bool,
    **asked: Any,  # noqa: ANN401 - what click has checked
) -> None:
    """Place the blocks of a run anew, as low as can be or within a capacity. RUN is an id or the beginning of one."""
    from services.allocate import listed

    if as_list:
        click.echo(json.dumps({"strategies": listed()}) if as_json else "\n".join(_strategy_lines(listed())))
        return
    if run_id is None:
        raise click.UsageError("Missing argument 'RUN'.")
    if asked["every"] and asked["attempt"] is not None:
        raise click.UsageError("--attempt and --all exclude each other")
    if asked["title"] and not asked["keep"]:
        raise click.UsageError("--title needs --keep")
    names = [one["name"] for one in listed()]
    if asked["strategy"] not in names:
        raise click.UsageError(f"there is no strategy {asked['strategy']!r}: it is one of {', '.join(names)}")
    found = _answers(settings, run_id, asked)
    click.echo(json.dumps({"answers": found}) if as_json else "\n".join(map(_line, found)))


def _answers(settings: Settings, prefix: str, given: dict[str, Any]) -> list[dict[str, Any]]:
    repository = settings.repository()
    run_id = repository.resolve(prefix)
    from analysis.memory.allocators.answer import Question
    from services.allocate import Asked, attempts_of, memory_of, placed, prepare, record
    from services.lab.keeping import check_room
    from services.runs import RunDataCache

    seconds, effort, fixed = given["seconds"], given["effort"], dict(given["fixed"])
    if len(fixed) < len(given["fixed"]):
        raise click.UsageError("a block can be fixed once only")
    seconds = _SECONDS if seconds is None and effort is None else seconds
    asked = Asked(given["strategy"], given["capacity"], Question(None, seconds, effort, given["seed"]), fixed)
    try:
        memory = memory_of(RunDataCache(repository), run_id)
        wanted = attempts_of(memory, run_id, given["attempt"], every=given["every"])
        if given["keep"]:
            check_room(repository.catalogue, run_id, len(wanted))
        prepare(asked.strategy, lambda sentence: click.echo(sentence, err=True))
        keep = partial(_kept, repository, run_id, asked, given["title"])
        each = ((record(run_id, asked, one), one) for one in placed(memory, wanted, asked))
        return [told | keep(one) if given["keep"] else told for told, one in each]
    except (ValueError, RuntimeError) as error:
        raise click.ClickException(str(error)) from error


def _kept(repository: Repository, run_id: str, asked: Asked, title: str, one: Placed) -> dict[str, int | None]:
    """Keep a placement with its run; return the number that it has there, None where there is no placement."""
    from app.views.lab.state import LabState, question_query
    from services.allocate import of_the_lab
    from services.lab.keeping import Found, keep_answer

    if one.answer.address is None:
        return {"kept": None}
    problem, answer = of_the_lab(asked, one)
    question = {"strategy": answer.strategy, "seed": answer.seed, "effort": answer.asked_effort}
    state = LabState(capacity=problem.capacity, fixed=problem.fixed, **question)  # type: ignore[arg-type]
    found = Found(problem, one.problem, answer, question_query(state, one.attempt))
    return {"kept": keep_answer(repository.catalogue, run_id, found, title, operator()).number}


def _strategy_lines(strategies: list[dict[str, Any]]) -> list[str]:
    width = max(len(one["name"]) for one in strategies)
    return [f"{one['name']:<{width}}  {one['help']}{' (default)' if one['default'] else ''}" for one in strategies]


_PROOFS = {"bound": "proved by the bound", "search": "proved by search", None: "not proved"}


def _line(answer: dict[str, Any]) -> str:
    """Return an answer in words."""
    head = f"attempt {answer['attempt']}: {answer['status']}"
    if answer["extent"] is None:
        text = f"{head}, {_PROOFS[answer['proof']]}: at least {answer['bound']} bytes are needed"
    else:
        text = f"{head}, {_PROOFS[answer['proof']]}: {answer['extent']} bytes of at least {answer['bound']}"
    kept = f", kept as number {answer['kept']}" if answer.get("kept") else ""
    spent = f"{answer['seconds']:.2f} s, {answer['effort']} placements, stopped: {answer['stopped']}"
    return printable(f"{text}{_conflicts(answer)}, {spent}{kept}")


def _conflicts(answer: dict[str, Any]) -> str:
    """Return the bank conflicts of an answer and of the file's own placement, empty where they are not known."""
    if answer["bank_conflicts"] is None:
        return ""
    stored = answer["bank_conflicts_stored"]
    before = "" if stored is None else f" ({stored} as stored)"
    return f", bank conflicts: {answer['bank_conflicts']}{before}"
