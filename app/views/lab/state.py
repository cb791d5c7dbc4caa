"""The view state of the lab as a query string, both ways: the question, and what of the answer is looked at."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qsl, urlencode

from analysis.memory.allocators.listed import DEFAULT, LISTED
from analysis.memory.allocators.what_if import APART, POSSIBLE, STORED, Changes
from analysis.memory.step_order import MOST_STEPS
from app.views.state import Choices, covering, range_of, range_text
from schema.memory import MOST_SEED
from services.lab.keeping import KeepError
from services.lab.question import EFFORTS, MOST_EFFORT, LabProblem

ALIASES, IN_PLACE = (STORED, APART), (APART, STORED, POSSIBLE)
"""Values of the switches, the default first."""
_LONGEST, _MOST = 200, 200
_NUMBER = re.compile(r"[0-9]{1,18}", re.ASCII)
_SEED = re.compile(r"[0-9]{1,19}", re.ASCII)
_RUN = re.compile(r"([0-9]{1,6})(?:-([0-9]{1,6}))?", re.ASCII)
_PAIR = re.compile(r"([0-9]{1,15})=([0-9]{1,18})", re.ASCII)
_WHOLE = ("attempt", "effort", "capacity", "alignment", "block", "step")


@dataclass(frozen=True)
class LabState:
    """What the page shows; every field is canonical, so that equal states have equal queries.

    Blocks are numbers: `fixed` and `sizes` are pairs with an address and with bytes. `order` has the steps in the
    order in which they run, empty: that of the file. `attempt` is None for the one that the run's page shows first.
    `block` and `step` (its number in the file) are the selected ones, `span` (steps) and `addresses` are in view.
    """

    attempt: int | None = None
    strategy: str = DEFAULT
    seed: int = 0
    effort: int = EFFORTS[0]
    capacity: int | None = None
    fixed: tuple[tuple[int, int], ...] = ()
    alignment: int | None = None
    aliases: str = STORED
    in_place: str = APART
    dropped: tuple[int, ...] = ()
    sizes: tuple[tuple[int, int], ...] = ()
    spilled: tuple[int, ...] = ()
    order: tuple[int, ...] = ()
    block: int | None = None
    step: int | None = None
    span: tuple[int, int] | None = None
    addresses: tuple[int, int] | None = None
    find: str = ""
    chosen: Mapping[str, str] = field(default_factory=dict)

    def query(self) -> str:
        """Return the canonical query string, without `?`; defaults are left out."""
        pairs: list[tuple[str, object]] = [
            ("attempt", self.attempt),
            ("strategy", None if self.strategy == DEFAULT else self.strategy),
            ("seed", self.seed or None),
            ("effort", None if self.effort == EFFORTS[0] else self.effort),
            ("capacity", self.capacity),
            ("fixed", _pairs_text(self.fixed)),
            ("alignment", self.alignment),
            ("aliases", None if self.aliases == ALIASES[0] else self.aliases),
            ("in_place", None if self.in_place == IN_PLACE[0] else self.in_place),
            ("dropped", ",".join(map(str, self.dropped)) or None),
            ("sizes", _pairs_text(self.sizes)),
            ("spilled", ",".join(map(str, self.spilled)) or None),
            ("order", order_text(self.order)),
            ("block", self.block),
            ("step", self.step),
            ("span", range_text(self.span)),
            ("addresses", range_text(self.addresses)),
            ("find", self.find or None),
            *sorted(self.chosen.items()),
        ]
        return urlencode([(key, value) for key, value in pairs if value is not None], safe=",=")

    @property
    def selects_nothing(self) -> bool:
        """Return whether no block is selected or looked for."""
        return self.block is None and self.step is None and not self.find

    @property
    def changes(self) -> Changes:
        """Return the changes to the attempt."""
        return Changes(self.alignment, self.aliases, self.in_place, self.dropped, self.sizes, self.spilled, self.order)

    @property
    def asked(self) -> LabProblem:
        """Return the problem, without the run's content and for an attempt that is still to be found."""
        return LabProblem("", -1, self.changes, self.fixed, self.capacity)


def parse(query: str, choices: Choices = MappingProxyType({})) -> LabState:
    """Return the state that a query string names; what is unknown or malformed is passed over."""
    text = query.removeprefix("?").encode("utf-8", "replace").decode()
    values = dict(parse_qsl(text))
    whole = {key: int(values[key]) for key in _WHOLE if _NUMBER.fullmatch(values.get(key, ""))}
    alignment = whole.get("alignment", 0)
    return LabState(
        attempt=whole.get("attempt"),
        strategy=_one_of(values, "strategy", tuple(LISTED)) if "strategy" in values else DEFAULT,
        seed=_seed(values.get("seed", "")),
        effort=min(max(whole.get("effort", EFFORTS[0]), 1), MOST_EFFORT),
        capacity=whole.get("capacity"),
        fixed=_pairs(values.get("fixed", "")),
        alignment=alignment if alignment > 0 and not alignment & (alignment - 1) and alignment <= 1 << 30 else None,
        aliases=_one_of(values, "aliases", ALIASES),
        in_place=_one_of(values, "in_place", IN_PLACE),
        dropped=_numbers(values.get("dropped", "")),
        sizes=_pairs(values.get("sizes", "")),
        spilled=_numbers(values.get("spilled", "")),
        order=_order(values.get("order", "")),
        block=whole.get("block"),
        step=whole.get("step"),
        span=range_of(values.get("span", "")),
        addresses=range_of(values.get("addresses", "")),
        find=" ".join(values.get("find", "").split())[:_LONGEST].strip(),
        chosen={name: values[name] for name, known in sorted(choices.items()) if values.get(name) in known[1:]},
    )


def zoomed(state: LabState, zoom: Mapping[str, Any]) -> LabState:
    """Take the ranges that the picture was zoomed to; None shows everything, what is not named stays."""
    span, addresses = (covering(zoom[name]) if name in zoom else getattr(state, name) for name in ("span", "addresses"))
    return replace(state, span=span, addresses=addresses)


def cleared(state: LabState) -> LabState:
    """Return the state of the same question without selection, words and zoom."""
    return replace(state, block=None, step=None, find="", span=None, addresses=None)


def with_order(state: LabState, order: tuple[int, ...]) -> LabState:
    """Return the state with the steps in another order."""
    return replace(state, order=() if order == tuple(range(len(order))) else order)


def question_query(state: LabState, attempt: int) -> str:
    """Return the query of a question alone, with the number of its attempt, whichever is shown first tomorrow.

    Raises KeepError for what an address cannot say: who followed it would find another question.
    """
    asked = replace(cleared(state), attempt=attempt, chosen={})
    query = asked.query()
    if parse(query) != asked:
        raise KeepError(f"an address holds at most {_MOST} fixed blocks, and numbers of at most 18 digits")
    return query


def with_pair(pairs: tuple[tuple[int, int], ...], block: int, value: int | None) -> tuple[tuple[int, int], ...]:
    """Return pairs with another value for a block, without it for None; the same where there are too many."""
    others = {one: kept for one, kept in pairs if one != block}
    made = tuple(sorted((others if value is None else others | {block: value}).items()))
    return made if len(made) <= _MOST else pairs


def with_number(numbers: tuple[int, ...], block: int, *, there: bool) -> tuple[int, ...]:
    """Return numbers with a block among them, or without it; the same where there are too many."""
    others = {*numbers} - {block}
    made = tuple(sorted(others | {block} if there else others))
    return made if len(made) <= _MOST else numbers


def _one_of(values: Mapping[str, str], key: str, known: tuple[str, ...]) -> str:
    return values[key] if values.get(key) in known else known[0]


def _seed(text: str) -> int:
    seed = int(text) if _SEED.fullmatch(text) else 0
    return seed if seed <= MOST_SEED else 0


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(sorted({int(part) for part in text.split(",") if _NUMBER.fullmatch(part)}))[:_MOST]


def _pairs(text: str) -> tuple[tuple[int, int], ...]:
    found = (match for part in text.split(",") if (match := _PAIR.fullmatch(part)))
    return tuple(sorted({int(match[1]): int(match[2]) for match in found}.items()))[:_MOST]


def _pairs_text(pairs: tuple[tuple[int, int], ...]) -> str | None:
    return ",".join(f"{block}={value}" for block, value in pairs) or None


def _order(text: str) -> tuple[int, ...]:
    """Return the steps of a text as `0-3,5,4`; none where it is no order of all steps, or that of the file."""
    found: list[int] = []
    for part in text.split(","):
        match = _RUN.fullmatch(part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, -1)
        if not first <= last < MOST_STEPS or len(found) >= MOST_STEPS:
            return ()
        found += range(first, last + 1)
    steps = list(range(len(found)))
    return () if found == steps or sorted(found) != steps else tuple(found)


def order_text(order: tuple[int, ...]) -> str | None:
    """Return the order of steps as it stands in an address, `0-3,5,4`; None for that of the file."""
    runs: list[list[int]] = []
    for step in order:
        if runs and runs[-1][1] + 1 == step:
            runs[-1][1] = step
        else:
            runs.append([step, step])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs) or None
