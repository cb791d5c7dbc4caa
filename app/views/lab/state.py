"""The view state of the lab: the problem, and the displayed part of its result."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from analysis.allocators.listed import DEFAULT, LISTED
from analysis.allocators.what_if import APART, POSSIBLE, STORED, Changes
from analysis.memory.step_order import MAX_STEPS
from app.views.address.codec import parse_query
from app.views.address.fields import choices_param, param, selections_param
from app.views.address.kind import TextKind
from app.views.address.kinds import NumberPairs, Numbers, OneOf, Whole, Words
from app.views.address.ranges import Span, covering
from app.views.address.selections import ViewSelections
from app.views.address.view_state import ViewState
from schema.memory import MAX_SEED
from services.run.placement_question import EFFORTS, MAX_EFFORT, LabProblem
from services.run.saved_placements import SaveError

ALIASES = (STORED, APART)
IN_PLACE = (APART, STORED, POSSIBLE)
"""Values of the switches, the default first."""
_MAX_LENGTH, _MAX_CHANGES = 200, 200
_SEED_DIGITS = 19
_MAX_ALIGNMENT = 1 << 30
_RUN = re.compile(r"([0-9]{1,6})(?:-([0-9]{1,6}))?", re.ASCII)
_PAIRS = NumberPairs(_MAX_CHANGES, key_digits=15)


class _Order(TextKind[tuple[int, ...]]):
    """An order of all steps: `0-3,5,4`; no value for the order of the file."""

    def read(self, text: str) -> tuple[int, ...] | None:
        order: list[int] = []
        for part in text.split(","):
            match = _RUN.fullmatch(part)
            first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, -1)
            # Without the limits a short address could expand to a huge order.
            if not first <= last < MAX_STEPS or len(order) >= MAX_STEPS:
                return None
            order += range(first, last + 1)
        steps = list(range(len(order)))
        return None if order == steps or sorted(order) != steps else tuple(order)

    def write(self, value: tuple[int, ...]) -> str:
        return order_text(value)


def order_text(order: tuple[int, ...]) -> str:
    """Format an order of steps for an address: `0-3,5,4`; consecutive steps become a range."""
    runs: list[list[int]] = []
    for step in order:
        if runs and runs[-1][1] + 1 == step:
            runs[-1][1] = step
        else:
            runs.append([step, step])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def _is_alignment(number: int) -> bool:
    """Return whether a number is a power of two up to 2^30 (_MAX_ALIGNMENT)."""
    return 0 < number <= _MAX_ALIGNMENT and not number & (number - 1)


@dataclass(frozen=True)
class LabState(ViewState):
    """The view state of the lab.

    Every field is canonical, so that equal states have equal queries. Blocks are numbers: `fixed`
    and `sizes` are pairs of a block with an address and with bytes. `order` lists the steps in the
    order in which they run; empty for the order of the file. `attempt` is None for the attempt that
    the run's page shows first. `moved` picks the placement of least disturbance by the bytes that
    it moves. `block` and `step` (its number in the file) are selected; `span` (steps) and
    `addresses` are the zoomed ranges.
    """

    safe = ",="

    attempt: int | None = param(Whole())
    strategy: str = param(OneOf(LISTED, otherwise=next(iter(LISTED))), DEFAULT)
    seed: int = param(Whole(_SEED_DIGITS, accepts=lambda seed: seed <= MAX_SEED), 0)
    effort: int = param(Whole(least=1, most=MAX_EFFORT), EFFORTS[0])
    capacity: int | None = param(Whole())
    fixed: tuple[tuple[int, int], ...] = param(_PAIRS, ())
    alignment: int | None = param(Whole(accepts=_is_alignment))
    aliases: str = param(OneOf(ALIASES), ALIASES[0])
    in_place: str = param(OneOf(IN_PLACE), IN_PLACE[0])
    dropped: tuple[int, ...] = param(Numbers(_MAX_CHANGES), ())
    sizes: tuple[tuple[int, int], ...] = param(_PAIRS, ())
    spilled: tuple[int, ...] = param(Numbers(_MAX_CHANGES), ())
    order: tuple[int, ...] = param(_Order(), ())
    moved: int | None = param(Whole())
    block: int | None = param(Whole())
    step: int | None = param(Whole())
    span: tuple[int, int] | None = param(Span())
    addresses: tuple[int, int] | None = param(Span())
    find: str = param(Words(_MAX_LENGTH), "")
    view_selections: ViewSelections = selections_param()
    chosen: Mapping[str, str] = choices_param()

    @property
    def selects_nothing(self) -> bool:
        """Whether no block or step is selected and the search is empty."""
        return self.block is None and self.step is None and not self.find

    @property
    def changes(self) -> Changes:
        """The changes to the attempt: alignment, aliases, in_place, dropped, sizes, spilled, order."""
        return Changes(
            self.alignment,
            self.aliases,
            self.in_place,
            self.dropped,
            self.sizes,
            self.spilled,
            self.order,
        )

    @property
    def lab_problem(self) -> LabProblem:
        """The problem without the run's content; the number of the attempt is not yet resolved."""
        return LabProblem("", -1, self.changes, self.fixed, self.capacity)


def apply_zoom(state: LabState, zoom: Mapping[str, Any]) -> LabState:
    """Return the state with the ranges that the picture was zoomed to: `span` in steps, `addresses`
    in bytes.

    A value of None shows the whole range; a missing key leaves the range as it is.
    """
    span, addresses = (
        covering(zoom[name]) if name in zoom else getattr(state, name)
        for name in ("span", "addresses")
    )
    return replace(state, span=span, addresses=addresses)


def clear_selection(state: LabState) -> LabState:
    """Return the state of the same problem without selection, search words and zoom; `moved` and
    the chosen options are kept.
    """
    return replace(
        state,
        block=None,
        step=None,
        find="",
        span=None,
        addresses=None,
        view_selections=ViewSelections(),
    )


def with_order(state: LabState, order: tuple[int, ...]) -> LabState:
    """Return the state with the steps in another order; the order of the file becomes the default
    ().
    """
    # The order of the file is the default and is left out of the address.
    return replace(state, order=() if order == tuple(range(len(order))) else order)


def question_query(state: LabState, attempt: int) -> str:
    """Return the query of an address that opens the problem of `state`, with the number of its
    attempt and without selection.

    The number is explicit, because another attempt may be shown first later. Raises SaveError if
    the address cannot represent the problem, since a link to it would open another problem.
    """
    question = replace(clear_selection(state), attempt=attempt, chosen={})
    query = question.query()
    if parse_query(LabState, query) != question:
        raise SaveError(
            f"an address holds at most {_MAX_CHANGES} fixed blocks, and numbers of at most 18 digits"
        )
    return query


def with_pair(
    pairs: tuple[tuple[int, int], ...], block: int, value: int | None
) -> tuple[tuple[int, int], ...]:
    """Return the (block, value) pairs, sorted, with another value for a block, or without it if
    `value` is None.

    They are unchanged if there would be more than 200 pairs (_MAX_CHANGES).
    """
    others = {other: own for other, own in pairs if other != block}
    changed = tuple(sorted((others if value is None else others | {block: value}).items()))
    return changed if len(changed) <= _MAX_CHANGES else pairs


def with_number(numbers: tuple[int, ...], block: int, *, there: bool) -> tuple[int, ...]:
    """Return the numbers, sorted, with a block added (`there`) or removed; unchanged if there would
    be more than 200 (_MAX_CHANGES).
    """
    others = {*numbers} - {block}
    changed = tuple(sorted(others | {block} if there else others))
    return changed if len(changed) <= _MAX_CHANGES else numbers
