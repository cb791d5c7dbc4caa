"""Write a tinygrad capture of 1.17 million intervals by repeating the training sample.

`python -m benchmarks.large_profile FOLDER [--events N]`. Every repetition begins when the previous
one has ended. Its buffers, launches and marked steps have numbers of their own, and buffers that it
did not free are freed at its end. Names, call stacks, kernels and rewrites.pkl are the sample's.
"""

from __future__ import annotations

import argparse
import copyreg
import gzip
import io
import pickle
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, Self

from samples.tinygrad_objects import dumps

SAMPLE = Path(__file__).resolve().parent.parent / "samples" / "tinygrad" / "train-0.12-cpu"
EVENTS = 1_170_000
_TIMES = ("st", "en", "ts")
"""Fields of an event with a time."""
_STEP = re.compile(r"(train @ )(\d+)")
"""Name of a marker with its step."""


class _StandIn:
    """An object of tinygrad that is pickled again in the same way.

    It was created by a call with `args` or without a call, and may have a state.
    """

    __slots__ = ("args", "called", "state")
    args: tuple[object, ...]
    called: bool
    state: Mapping[str, Any] | None

    def __new__(cls, *args: object) -> Self:
        stand_in = object.__new__(cls)
        stand_in.args = args
        stand_in.called = False
        stand_in.state = None
        return stand_in

    def __init__(self, *_args: object) -> None:
        self.called = True

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.state = state

    def __reduce__(self) -> tuple[object, ...]:
        if self.called:
            return type(self), self.args
        return copyreg.__newobj__, (type(self), *self.args), self.state  # type: ignore[attr-defined]  # typeshed lacks it

    @property
    def fields(self) -> Mapping[str, Any]:
        """Its state, empty if it has none."""
        return self.state or {}

    def but(self, **fields: object) -> Self:
        """Return a copy with some fields replaced."""
        changed = type(self).__new__(type(self), *self.args)
        changed.state = {**self.fields, **fields}
        return changed


class _Reader(pickle.Unpickler):
    """Unpickler that reads the sample, a file of this project, without tinygrad."""

    def __init__(self, data: bytes) -> None:
        super().__init__(io.BytesIO(data))
        self.classes: dict[str, type] = {}

    def find_class(self, module: str, name: str) -> type:
        """Return a stand-in for a class; only `Decimal`, the type of times, is itself."""
        # Times must be real numbers, because repetitions are shifted in time.
        if (module, name) == ("decimal", "Decimal"):
            return Decimal
        body = {"__module__": module, "__qualname__": name, "__slots__": ()}
        return self.classes.setdefault(f"{module}.{name}", type(name, (_StandIn,), body))


def write(folder: Path, events: int = EVENTS) -> Path:
    """Write a capture of at least `events` events into the folder; return its profile.pkl."""
    reader = _Reader(gzip.decompress((SAMPLE / "profile.pkl.gz").read_bytes()))
    profile = folder / "profile.pkl"
    profile.write_bytes(dumps(_repeat_events(reader.load(), events), *reader.classes.values()))
    (folder / "rewrites.pkl").write_bytes(
        gzip.decompress((SAMPLE / "rewrites.pkl.gz").read_bytes())
    )
    return profile


def _repeat_events(sample: list[_StandIn], events: int) -> list[_StandIn]:
    """Return the sample's events without a time, then its timed events, repeated until enough."""
    once = [event for event in sample if not _times(event)]
    again = [event for event in sample if _times(event)]
    again += _frees(again)
    first = min(min(_times(event)) for event in again)
    last = max(max(_times(event)) for event in again)
    numbers = 1 + max(
        event.fields["key"] for event in again if type(event.fields.get("key")) is int
    )
    steps = sum(event.fields.get("name") == "marker" for event in again)
    turns = -(-events // sum(map(_count, again)))
    return [
        *once,
        *(
            _move_event(event, turn, last - first, numbers, steps)
            for turn in range(turns)
            for event in again
        ),
    ]


def _times(event: _StandIn) -> list[Decimal]:
    """Return the times of an event, empty for events without a time."""
    state = event.fields
    return [
        *state.get("sigs", ()),
        *(state[name] for name in _TIMES if isinstance(state.get(name), Decimal)),
    ]


def _count(event: _StandIn) -> int:
    """Return the number of intervals of an event: a graph also has an interval per kernel."""
    return 0 if "ts" in event.fields else 1 + len(event.fields.get("ents", ()))


def _frees(events: list[_StandIn]) -> Iterator[_StandIn]:
    """Yield a free at the end for every buffer that was not freed."""
    alive: dict[object, _StandIn] = {}
    for event in sorted(
        (event for event in events if "ts" in event.fields), key=lambda event: event.fields["ts"]
    ):
        if event.fields["name"] == "alloc":
            alive[event.fields["key"]] = event
        elif event.fields["name"] == "free":
            alive.pop(event.fields["key"], None)
    end = max(max(_times(event)) for event in events)
    return (event.but(name="free", arg={}, ts=end) for event in alive.values())


def _move_event(event: _StandIn, turn: int, length: Decimal, numbers: int, steps: int) -> _StandIn:
    """Return the event of repetition `turn`, with later times and other numbers."""
    state = event.fields
    later = turn * length
    fields: dict[str, object] = {
        name: state[name] + later for name in _TIMES if isinstance(state.get(name), Decimal)
    }
    if "sigs" in state:
        fields["sigs"] = [at + later for at in state["sigs"]]
    if type(state.get("key")) is int:
        fields["key"] = state["key"] + turn * numbers
    if isinstance(state.get("name"), _StandIn):
        fields["name"] = state["name"].but()
    arg: Any = state.get("arg")
    if type(arg) is dict and "bufs" in arg:
        fields["arg"] = {**arg, "bufs": [number + turn * numbers for number in arg["bufs"]]}
    elif state.get("name") == "marker":
        name = _STEP.sub(lambda match: f"{match[1]}{int(match[2]) + turn * steps}", arg["name"])
        fields["arg"] = {**arg, "name": name}
    return event.but(**fields)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--events", type=int, default=EVENTS)
    options = parser.parse_args()
    print(f"{write(options.folder, options.events).stat().st_size / 1e6:.0f} MB")
