"""The view state of the comparison page; the declarations of its fields define its address."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from app.views.address.fields import choices_param, param, record_param, selections_param
from app.views.address.kind import Address, Kind, Pair
from app.views.address.kinds import Flag, Numbers, OneOf, Pattern, Text, Whole
from app.views.address.ranges import Span
from app.views.address.run_ids import RUN_ID, RunIds
from app.views.address.selections import ViewSelections
from app.views.address.view_state import ViewState
from app.views.state import MAX_MARKED_TRACKS, OVERRIDES, valid_setting
from schema.comparison import MAX_RUNS
from services.comparison.data import Given, Question
from services.comparison.thresholds import MAX_PERCENT, has_threshold

_MAX_SHOWN = 60
_MAX_LENGTH = 400
_PERCENT = re.compile(r"[0-9]{1,7}(\.[0-9]{1,6})?", re.ASCII)
SIDES = ("base", "new")
_THRESHOLD = "threshold"


class _Settings(Kind[tuple[Given, Given]]):
    """The settings of both sides, as `base.clock_hz` and `new.clock_hz`."""

    def find(self, name: str, address: Address) -> tuple[Given, Given]:
        return self._of(SIDES[0], address), self._of(SIDES[1], address)

    def _of(self, side: str, address: Address) -> Given:
        named = ((key, address.text(f"{side}.{key}")) for key in OVERRIDES)
        return tuple((key, text) for key, text in named if valid_setting(key, text))

    def pairs(self, name: str, value: tuple[Given, Given]) -> Iterable[Pair]:
        return [
            (f"{side}.{key}", text)
            for side, settings in zip(SIDES, value, strict=True)
            for key, text in settings
        ]


class _Thresholds(Kind[tuple[tuple[str, float], ...]]):
    """Metric -> percent, each as `threshold=gmacs_mean:3.5`."""

    def find(self, name: str, address: Address) -> tuple[tuple[str, float], ...]:
        thresholds = {}
        for text in address.texts(_THRESHOLD):
            metric, _, percent = text.rpartition(":")
            if (
                has_threshold(metric)
                and _PERCENT.fullmatch(percent)
                and float(percent) <= MAX_PERCENT
            ):
                thresholds[metric] = float(percent)
        # Sorted, so that equal states have equal addresses.
        return tuple(sorted(thresholds.items()))

    def pairs(self, name: str, value: tuple[tuple[str, float], ...]) -> Iterable[Pair]:
        return [(_THRESHOLD, f"{metric}:{_decimal(percent)}") for metric, percent in value]


class _Refused(Kind[tuple[str, ...]]):
    """Invalid runs, settings and thresholds of an address, for an error message.

    They are never written to an address.
    """

    def find(self, name: str, address: Address) -> tuple[str, ...]:
        bad = [
            f"{key}={text[:_MAX_SHOWN]}" for key, text in address.pairs if not _is_part(key, text)
        ]
        both = (
            ["base beside baseline"]
            if {"base", "baseline"} <= {key for key, _ in address.pairs}
            else []
        )
        return (*bad, *both)

    def pairs(self, name: str, value: tuple[str, ...]) -> Iterable[Pair]:
        return ()


def _is_part(key: str, text: str) -> bool:
    """Return whether a pair of an address is valid as run, threshold or setting of the comparison,
    or is about something else.
    """
    if key in SIDES:
        return bool(RUN_ID.fullmatch(text))
    if key == _THRESHOLD:
        return bool(_Thresholds().find(key, Address([(key, text)])))
    side, dot, name = key.partition(".")
    return not dot or side not in SIDES or (name in OVERRIDES and valid_setting(name, text))


def _decimal(percent: float) -> str:
    """Format a percentage so that `_PERCENT` accepts it: all digits, no exponent."""
    return f"{percent:.6f}".rstrip("0").rstrip(".")


@dataclass(frozen=True)
class Chosen:
    """The selection: a tile, an iteration, a kernel (by its name in the new run), an attempt or
    level by its key, a changed block by its row, a window of aligned ticks, a span of steps.
    """

    track: str = param(Text(_MAX_LENGTH), "")
    iteration: int | None = param(Whole())
    kernel: str = param(Text(_MAX_LENGTH), "")
    attempt: str = param(Text(_MAX_LENGTH), "")
    block: int | None = param(Whole())
    window: tuple[int, int] | None = param(Span())
    span: tuple[int, int] | None = param(Span())


@dataclass(frozen=True)
class CompareState(ViewState):
    """The view state of the comparison page.

    Every field is canonical, so that equal states have equal queries. `base` is empty if `baseline`
    names the runs. If several new runs have the same base, the page shows details of the run
    `shown`, unless `together` makes a group of them; several runs of a base make groups of both
    sides. `settings` are the settings of both sides as the user wrote them, `thresholds` metric ->
    percent. `refused` are the invalid parts of an address as written. `view_selections` has the
    selections that single views define. `folded` and `pinned` are numbers of tracks of both
    timelines.
    """

    safe = ",:"

    base: tuple[str, ...] = param(RunIds(MAX_RUNS), (), unless="baseline")
    baseline: str = param(Text(_MAX_LENGTH), "")
    new: tuple[str, ...] = param(RunIds(MAX_RUNS), ())
    against: str = param(OneOf(("previous", "baseline")), "")
    shown: str = param(Pattern(RUN_ID), "")
    together: bool = param(Flag(), default=False)
    settings: tuple[Given, Given] = param(_Settings(), ((), ()))
    thresholds: tuple[tuple[str, float], ...] = param(_Thresholds(), ())
    selection: Chosen = record_param(Chosen)
    view_selections: ViewSelections = selections_param()
    folded: tuple[int, ...] = param(Numbers(MAX_MARKED_TRACKS, 4), ())
    pinned: tuple[int, ...] = param(Numbers(MAX_MARKED_TRACKS, 4), ())
    chosen: Mapping[str, str] = choices_param()
    # Excluded from comparisons, because no address is written with it.
    refused: tuple[str, ...] = param(_Refused(), (), compare=False)

    @property
    def selects_nothing(self) -> bool:
        """Whether the selection of the comparison is empty, apart from selections that views
        define.
        """
        return self.selection == Chosen()

    @property
    def each(self) -> bool:
        """Whether each new run is compared with the base separately.

        The base is a single run or a baseline then.
        """
        return len(self.new) > 1 and not self.together and len(self.base) <= 1

    @property
    def focus(self) -> str:
        """The id of the new run that the details are about if the runs are compared separately: the
        chosen run, or the first.
        """
        return self.shown if self.shown in self.new else self.new[0]

    @property
    def question(self) -> Question:
        """The runs, settings and thresholds to compare, thresholds as shares (0.05 for 5 %)."""
        return Question(
            self.base, self.new, self.settings, tuple((n, p / 100) for n, p in self.thresholds)
        )

    def selecting(self, **parts: object) -> CompareState:
        """Return the state with these parts of the selection changed, by name."""
        return replace(self, selection=replace(self.selection, **parts))  # type: ignore[arg-type]


def toggle_part(state: CompareState, part: str, value: object) -> CompareState:
    """Return the state with a part of the selection set to `value`, or cleared if it already has
    it.
    """
    default = getattr(Chosen(), part)
    return state.selecting(**{part: default if getattr(state.selection, part) == value else value})


def clear_part(state: CompareState, part: str) -> CompareState:
    """Return the state with a part of the selection cleared, or all of it if `part` is `all`."""
    if part == "all":
        return replace(state, selection=Chosen(), view_selections=ViewSelections())
    if part in Chosen.__dataclass_fields__:
        return state.selecting(**{part: getattr(Chosen(), part)})
    return state.without(part)
