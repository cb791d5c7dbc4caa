"""Named spans of the user's program (`external_annotations`), joined with the trace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from data_loaders.torch_snapshot.call_stacks import clean
from data_loaders.torch_snapshot.left_out import LeftOut
from data_loaders.torch_snapshot.traces import Trace
from data_loaders.torch_snapshot.values import MAX_DEVICES, MAX_TIME_US, UNKNOWN, number
from schema.array_types import Ints


@dataclass(frozen=True)
class Annotation:
    """Begin or end of a named span on a device, at a time in microseconds since 1970."""

    name: str
    begins: bool
    device: int
    time: int


@dataclass(frozen=True)
class Span:
    """A named span of a device from step `start` to step `end`.

    `closed` if the snapshot contains its end.
    """

    device: int
    start: int
    end: int
    closed: bool
    name: str


def read_annotations(entries: object, left_out: LeftOut) -> list[Annotation]:
    """Return the readable entries of `external_annotations`.

    Empty without this list, as in files of torch 2.1. `left_out` counts the entries that cannot be
    read.
    """
    if entries is not None and type(entries) is not list:
        left_out.add(None, "list of annotations", "ignored: not a list")
    annotations = []
    for entry in entries if type(entries) is list else ():
        annotation = _annotation(entry)
        if annotation is None:
            left_out.add(
                None, "annotation", "ignored: stage, name, device or time is missing or invalid"
            )
        else:
            annotations.append(annotation)
    return annotations


def _annotation(entry: object) -> Annotation | None:
    if type(entry) is not dict:
        return None
    stage = entry.get("stage")
    name = entry.get("name")
    device = number(entry.get("device"), MAX_DEVICES)
    time = number(entry.get("time_us"), MAX_TIME_US)
    if type(name) is not str or stage not in ("START", "END") or UNKNOWN in (device, time):
        return None
    return Annotation(clean(name), stage == "START", device, time)


def match_steps(annotations: Sequence[Annotation], traces: Mapping[int, Trace]) -> Ints:
    """Return for each annotation the step (index of the trace entry, int64) of its device that is
    the first at or after its time.

    The step is UNKNOWN (-1) if the device has no entries with times, and the number of entries if
    all are earlier.
    """
    steps = np.full(len(annotations), UNKNOWN)
    device = np.array([annotation.device for annotation in annotations], np.int64)
    time = np.array([annotation.time for annotation in annotations], np.int64)
    for number_of_device, trace in traces.items():
        if (trace.time != UNKNOWN).any():
            own = np.flatnonzero(device == number_of_device)
            # An entry without a time counts as simultaneous with the entry before it.
            steps[own] = np.searchsorted(np.maximum.accumulate(trace.time), time[own])
    return steps


def pair_spans(
    annotations: Sequence[Annotation], steps: Ints, lengths: Mapping[int, int]
) -> list[Span]:
    """Pair begins and ends of equal name and device into spans, innermost first.

    Annotations without a step are left out. `lengths` has the number of steps per device. A span
    without an end lasts to the last step of its device. An end without a begin is ignored.
    """
    opened: dict[tuple[int, str], list[int]] = {}
    spans = []
    # At equal times begins are handled before ends, so that a span of zero length is paired.
    in_time = sorted(
        zip(annotations, steps.tolist(), strict=True),
        key=lambda row: (row[0].time, not row[0].begins),
    )
    for annotation, step in in_time:
        if step == UNKNOWN:
            continue
        begins = opened.setdefault((annotation.device, annotation.name), [])
        if annotation.begins:
            begins.append(step)
        elif begins:
            spans.append(Span(annotation.device, begins.pop(), step, True, annotation.name))
    for (device, name), begins in opened.items():
        spans += [Span(device, step, lengths[device], False, name) for step in begins]
    return spans
