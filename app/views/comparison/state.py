"""The view state of the page of a comparison as a query string, both ways."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from urllib.parse import parse_qsl, urlencode

from app.views.state import OVERRIDES, Choices, range_of, range_text, valid_setting
from schema.comparison import COMPARED
from services.baselines import MOST_RUNS
from services.comparisons import Given, Question
from services.thresholds import MOST_PERCENT

_TOLD = 60
_LONGEST = 400
_RUN = re.compile(r"[0-9A-Za-z_-]{1,64}", re.ASCII)
_PERCENT = re.compile(r"[0-9]{1,7}(\.[0-9]{1,6})?", re.ASCII)
_NUMBER = re.compile(r"[0-9]{1,18}", re.ASCII)
SIDES = ("base", "new")


@dataclass(frozen=True)
class Chosen:
    """What is selected: a tile, an iteration, a kernel (as it is called in the new run), an attempt or level by its
    key, a changed block by its row, a window of aligned ticks, a span of steps.
    """

    track: str = ""
    iteration: int | None = None
    kernel: str = ""
    attempt: str = ""
    block: int | None = None
    window: tuple[int, int] | None = None
    span: tuple[int, int] | None = None


@dataclass(frozen=True)
class CompareState:
    """What the page shows; every field is canonical, so that equal states have equal queries.

    `base` is empty where `baseline` names the runs. Of several new runs with one base `shown` is the one whose details
    are shown, unless `together` makes a group of them; several runs of a base make groups of both sides. `settings` are
    those of either side as the user wrote them, `thresholds` metric -> percent. `refused` are the parts of an address
    that ask for another question and are none, as they stand in it.
    """

    base: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    baseline: str = ""
    against: str = ""
    shown: str = ""
    together: bool = False
    settings: tuple[Given, Given] = ((), ())
    thresholds: tuple[tuple[str, float], ...] = ()
    selection: Chosen = field(default_factory=Chosen)
    chosen: Mapping[str, str] = field(default_factory=dict)
    refused: tuple[str, ...] = field(default=(), compare=False)

    def query(self) -> str:
        """Return the canonical query string, without `?`; defaults are left out."""
        pairs: list[tuple[str, object]] = [("base", run) for run in self.base]
        pairs += [("baseline", self.baseline), *(("new", run) for run in self.new)]
        pairs += [("against", self.against), ("shown", self.shown), ("together", "1" if self.together else "")]
        for side, given in zip(SIDES, self.settings, strict=True):
            pairs += [(f"{side}.{key}", text) for key, text in given]
        pairs += [("threshold", f"{name}:{_decimal(percent)}") for name, percent in self.thresholds]
        chosen = self.selection
        pairs += [(name, getattr(chosen, name)) for name in ("track", "iteration", "kernel", "attempt", "block")]
        pairs += [
            ("window", range_text(chosen.window)),
            ("span", range_text(chosen.span)),
            *sorted(self.chosen.items()),
        ]
        return urlencode([(key, value) for key, value in pairs if value not in (None, "")], safe=",:")

    @property
    def selects_nothing(self) -> bool:
        """Return whether nothing is selected."""
        return self.selection == Chosen()

    @property
    def each(self) -> bool:
        """Return whether the new runs are shown side by side, each against the base: one run, or a baseline."""
        return len(self.new) > 1 and not self.together and len(self.base) <= 1

    @property
    def focus(self) -> str:
        """Return the new run whose details are shown where they are side by side."""
        return self.shown if self.shown in self.new else self.new[0]

    @property
    def question(self) -> Question:
        """Return what is compared."""
        return Question(self.base, self.new, self.settings, tuple((n, p / 100) for n, p in self.thresholds))

    def selecting(self, **parts: object) -> CompareState:
        """Return the state with other parts of the selection."""
        return replace(self, selection=replace(self.selection, **parts))  # type: ignore[arg-type]


def parse(query: str, choices: Choices = MappingProxyType({})) -> CompareState:
    """Return the state that a query string names; what is unknown or malformed is passed over."""
    text = query.removeprefix("?").encode("utf-8", "replace").decode()
    pairs = parse_qsl(text)
    last = dict(pairs)
    name = last.get("baseline", "")[:_LONGEST]
    return CompareState(
        base=() if name else _runs(pairs, "base"),
        new=_runs(pairs, "new"),
        baseline=name,
        against=last["against"] if last.get("against") in ("previous", "baseline") else "",
        shown=last["shown"] if _RUN.fullmatch(last.get("shown", "")) else "",
        together=last.get("together") == "1",
        settings=(_settings(last, "base"), _settings(last, "new")),
        thresholds=_thresholds(value for key, value in pairs if key == "threshold"),
        selection=_selection(last),
        refused=_refused(pairs),
        chosen={key: last[key] for key, known in sorted(choices.items()) if last.get(key) in known[1:]},
    )


def _refused(pairs: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Return what names runs, settings or thresholds and is none of them."""
    counts = {side: sum(key == side for key, _ in pairs) for side in SIDES}
    bad = [f"{key}={value[:_TOLD]}" for key, value in pairs if not _is_part(key, value)]
    beyond = {side: count - MOST_RUNS for side, count in counts.items() if count > MOST_RUNS}
    more = [f"{count} runs of {side} beyond {MOST_RUNS}" for side, count in beyond.items()]
    both = ["base beside baseline"] if counts["base"] and any(key == "baseline" for key, _ in pairs) else []
    return (*bad, *more, *both)


def _is_part(key: str, text: str) -> bool:
    """Return whether a pair of an address is a part of the question, or none that it could be."""
    if key in SIDES:
        return bool(_RUN.fullmatch(text))
    if key == "threshold":
        return bool(_thresholds([text]))
    side, dot, name = key.partition(".")
    return not dot or side not in SIDES or (name in OVERRIDES and valid_setting(name, text))


def _decimal(percent: float) -> str:
    """Return a percentage as `_PERCENT` takes it, with all of its digits and no exponent."""
    return f"{percent:.6f}".rstrip("0").rstrip(".")


def _runs(pairs: Sequence[tuple[str, str]], side: str) -> tuple[str, ...]:
    found = dict.fromkeys(value for key, value in pairs if key == side and _RUN.fullmatch(value))
    return tuple(found)[:MOST_RUNS]


def _settings(values: Mapping[str, str], side: str) -> Given:
    named = ((key, values.get(f"{side}.{key}", "")) for key in OVERRIDES)
    return tuple((key, text) for key, text in named if valid_setting(key, text))


def _thresholds(given: Iterable[str]) -> tuple[tuple[str, float], ...]:
    found = {}
    for text in given:
        name, _, percent = text.partition(":")
        if name in COMPARED and _PERCENT.fullmatch(percent) and float(percent) <= MOST_PERCENT:
            found[name] = float(percent)
    return tuple(sorted(found.items()))


def _selection(values: Mapping[str, str]) -> Chosen:
    whole = {key: int(values[key]) for key in ("iteration", "block") if _NUMBER.fullmatch(values.get(key, ""))}
    track, kernel, attempt = (values.get(key, "")[:_LONGEST] for key in ("track", "kernel", "attempt"))
    ranges = range_of(values.get("window", "")), range_of(values.get("span", ""))
    return Chosen(track, whole.get("iteration"), kernel, attempt, whole.get("block"), *ranges)


def toggled(state: CompareState, part: str, value: object) -> CompareState:
    """Return the state with one part of the selection set, or cleared where it was that already."""
    default = getattr(Chosen(), part)
    return state.selecting(**{part: default if getattr(state.selection, part) == value else value})


def cleared(state: CompareState, part: str) -> CompareState:
    """Return the state without one part of the selection, or without `all` of it."""
    return replace(state, selection=Chosen()) if part == "all" else state.selecting(**{part: getattr(Chosen(), part)})
