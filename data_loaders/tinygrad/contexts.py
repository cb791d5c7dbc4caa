"""A rewrites.pkl: what tinygrad's compiler worked on, one context at a time, and by which rewrites."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from data_loaders.protocol import LoadError
from data_loaders.tinygrad.records import RewriteTrace, TracingKey, TrackedRewrite, fields_of, items_of, text_of
from data_loaders.tinygrad.stacks import NO_STACK, Stacks

MOST_SECONDS = 10**6


class Step(NamedTuple):
    """One rewrite of a whole graph: its place in the tree of steps, its matches and what they took."""

    name: str
    depth: int
    matches: int
    nanoseconds: int
    file: str
    line: int | None
    sink: object
    """Number of the node that it began with."""


@dataclass(frozen=True)
class Context:
    """What the compiler worked on: a schedule or a kernel. `name` has colours; `made` is the program, up to 0.12."""

    name: str
    keys: tuple[str | bytes, ...]
    made: object
    stack: int
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Rewrites:
    """A rewrites.pkl. `nodes` maps a node's number to its operation, type, sources, argument and tag."""

    contexts: list[Context]
    nodes: Mapping[object, object]
    skipped: Counter[str] = field(default_factory=Counter)

    def by_key(self) -> dict[str | bytes, int]:
        """Return name or key -> context; of several with the same one the last."""
        return {key: place for place, context in enumerate(self.contexts) for key in context.keys}


def read_rewrites(root: object, stacks: Stacks) -> Rewrites:
    """Return the contexts of a rewrites.pkl; raises LoadError where it is none."""
    said = fields_of(root, RewriteTrace)
    if said is None and type(root) is not list:
        raise LoadError("it is neither a list of events (profile.pkl) nor a RewriteTrace (rewrites.pkl)")
    if said is None:
        raise LoadError("it holds events, not rewrites")
    keys, rewrites, nodes = items_of(said.get("keys")), items_of(said.get("rewrites")), said.get("uop_fields")
    found = Rewrites([], nodes if type(nodes) is dict else {})
    for place, key in enumerate(keys):
        traced = fields_of(key, TracingKey)
        # a context that cannot be read keeps its place: events and programs name contexts by it
        found.skipped["a context without a name"] += traced is None
        steps = items_of(rewrites[place]) if place < len(rewrites) else ()
        found.contexts.append(_context(traced or {}, steps, stacks))
    return found


def _context(said: Mapping[str, object], rewrites: Sequence[object], stacks: Stacks) -> Context:
    keys = tuple(key for key in items_of(said.get("keys")) if type(key) is str or type(key) is bytes)
    steps = (_step(found) for found in (fields_of(rewrite, TrackedRewrite) for rewrite in rewrites) if found)
    stack = stacks.number(said.get("tb")) if said else NO_STACK
    return Context(text_of(said, "display_name"), keys, said.get("ret"), stack, tuple(steps))


def _step(said: Mapping[str, object]) -> Step:
    place, depth, matches = items_of(said.get("loc")), said.get("depth"), items_of(said.get("matches"))
    file, line = (place[0], place[1]) if len(place) == 2 else ("", None)
    return Step(
        name=text_of(said, "name"),
        depth=depth if type(depth) is int and 0 <= depth < 10**6 else 0,
        matches=len(matches),
        nanoseconds=sum(_nanoseconds(match) for match in matches),
        file=file if type(file) is str else "",
        line=line if type(line) is int and 0 <= line < 10**9 else None,
        sink=said.get("sink"),
    )


def _nanoseconds(match: object) -> int:
    """Return what a match (before, after, place of its pattern, seconds) took."""
    seconds = match[3] if type(match) is tuple and len(match) == 4 else 0.0
    return round(seconds * 1e9) if type(seconds) is float and 0.0 <= seconds < MOST_SECONDS else 0
