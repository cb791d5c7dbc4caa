"""Parse a rewrites.pkl: contexts (schedules and kernels) of the compiler, and their steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from data_loaders.protocol import LoadError
from data_loaders.reading.safe_pickle import Record
from data_loaders.tinygrad.records import (
    RewriteTrace,
    TracingKey,
    TrackedRewrite,
    UOp,
    list_items,
    record_fields,
    text_field,
)
from data_loaders.tinygrad.stacks import NO_STACK, Stacks

MAX_SECONDS = 10**6
"""Exclusive limit of a match's duration, in seconds."""


class Match(NamedTuple):
    """A match of a pattern: nodes before and after, location of the pattern, and duration."""

    before: object
    after: object
    file: str
    line: int | None
    nanoseconds: int


class Step(NamedTuple):
    """A rewrite of a whole graph: its depth in the tree of steps and its matches.

    If `bottom_up`, all patterns were matched with the initial graph. If `walk`, results of matches
    were not rewritten again. If `enter_calls`, bodies of calls were rewritten too. `walk` and
    `enter_calls` are `None` if the release does not record them.
    """

    name: str
    depth: int
    matches: tuple[Match, ...]
    file: str
    line: int | None
    sink: object
    """Number of the root node of the initial graph."""
    bottom_up: bool
    walk: bool | None
    enter_calls: bool | None

    @property
    def nanoseconds(self) -> int:
        """Total duration of all matches of the step, in nanoseconds; 0 without matches."""
        return sum(match.nanoseconds for match in self.matches)


@dataclass(frozen=True)
class Context:
    """A schedule or kernel that the compiler processed.

    `name` contains colour codes; `made` is the program, up to 0.12. `graphs` are the operations
    among its keys: an equal node in another graph refers to this context.
    """

    name: str
    keys: tuple[str | bytes, ...]
    graphs: tuple[Record, ...]
    made: object
    stack: int
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Rewrites:
    """A rewrites.pkl; `nodes` maps numbers to operation, type, sources, argument and tag."""

    contexts: list[Context]
    nodes: Mapping[object, object]
    skipped: Counter[str] = field(default_factory=Counter)

    def by_key(self) -> dict[str | bytes, int]:
        """Map each text or bytes key of a context to the context's rank (from 0).

        The last context with a key wins.
        """
        return {key: place for place, context in enumerate(self.contexts) for key in context.keys}


def read_rewrites(root: object, stacks: Stacks) -> Rewrites:
    """Parse the contexts of a rewrites.pkl, each with its steps.

    Unreadable contexts are counted in `skipped` and keep their rank. Raises LoadError if `root` is
    not a RewriteTrace.
    """
    fields = record_fields(root, RewriteTrace)
    if fields is None and type(root) is not list:
        raise LoadError(
            "it is neither a list of events (profile.pkl) nor a RewriteTrace (rewrites.pkl)"
        )
    if fields is None:
        raise LoadError("it contains events, not rewrites")
    keys = list_items(fields.get("keys"))
    rewrites = list_items(fields.get("rewrites"))
    nodes = fields.get("uop_fields")
    trace = Rewrites([], nodes if type(nodes) is dict else {})
    for place, key in enumerate(keys):
        traced = record_fields(key, TracingKey)
        # An unreadable context keeps its rank, since events and programs refer to contexts by rank.
        trace.skipped["a context without a name"] += traced is None
        steps = list_items(rewrites[place]) if place < len(rewrites) else ()
        trace.contexts.append(_context(traced or {}, steps, stacks))
    return trace


def _context(fields: Mapping[str, object], rewrites: Sequence[object], stacks: Stacks) -> Context:
    every = list_items(fields.get("keys"))
    keys = tuple(key for key in every if type(key) is str or type(key) is bytes)
    graphs = tuple(key for key in every if isinstance(key, Record) and type(key) is UOp)
    traced = (record_fields(rewrite, TrackedRewrite) for rewrite in rewrites)
    steps = (_step(step) for step in traced if step)
    stack = stacks.number(fields.get("tb")) if fields else NO_STACK
    return Context(
        text_field(fields, "display_name"), keys, graphs, fields.get("ret"), stack, tuple(steps)
    )


def _step(fields: Mapping[str, object]) -> Step:
    depth = fields.get("depth")
    file, line = _place(fields.get("loc"))
    return Step(
        name=text_field(fields, "name"),
        depth=depth if type(depth) is int and 0 <= depth < 10**6 else 0,
        matches=tuple([_match(match) for match in list_items(fields.get("matches"))]),
        file=file,
        line=line,
        sink=fields.get("sink"),
        bottom_up=fields.get("bottom_up") is True,
        walk=_bool_or_none(fields.get("walk")),
        enter_calls=_bool_or_none(fields.get("enter_calls")),
    )


def _bool_or_none(value: object) -> bool | None:
    return value if type(value) is bool else None


def _place(place: object) -> tuple[str, int | None]:
    """Return file and line of a location; "" and `None` if they are missing."""
    if type(place) is not tuple or len(place) != 2:
        return "", None
    file, line = place
    return file if type(file) is str else "", line if type(
        line
    ) is int and 0 <= line < 10**9 else None


def _match(match: object) -> Match:
    """Parse a match of a pattern (before, after, location, seconds).

    A malformed match has no nodes, file "" and 0 ns; a malformed duration counts as 0.
    """
    if type(match) is not tuple or len(match) != 4:
        return _NO_MATCH
    before, after, place, seconds = match
    fits = type(seconds) is float and 0.0 <= seconds < MAX_SECONDS
    return Match(before, after, *_place(place), round(seconds * 1e9) if fits else 0)


_NO_MATCH = Match(None, None, "", None, 0)
