"""Read `steady_state_trace.json` of stream: the planned schedule as complete trace events."""

from __future__ import annotations

from dataclasses import dataclass

from data_loaders.aie_model.terms import parse_cycles

MAX_EVENTS = 200_000
"""Most events of a schedule that are read."""


@dataclass(frozen=True)
class PlannedEvent:
    """An event of a plan on a resource; times in cycles from the begin of the plan."""

    resource: str
    name: str
    category: str
    start: float
    end: float


def read_schedule(content: object) -> list[PlannedEvent]:
    """Read the complete (`X`) events in the order of the file; other entries are passed over."""
    entries = content.get("traceEvents") if isinstance(content, dict) else content
    if not isinstance(entries, list):
        return []
    names: dict[tuple[str, str], str] = {}
    for entry in entries:
        if isinstance(entry, dict) and entry.get("name") == "thread_name":
            arguments = entry.get("args")
            if isinstance(arguments, dict):
                names[_lane(entry)] = str(arguments.get("name"))[:200]
    events: list[PlannedEvent] = []
    for entry in entries:
        if isinstance(entry, dict) and entry.get("ph") == "X" and len(events) < MAX_EVENTS:
            start = parse_cycles(entry.get("ts"))
            duration = parse_cycles(entry.get("dur"))
            if start is not None and duration is not None:
                lane = _lane(entry)
                resource = names.get(lane, " ".join(lane))
                name = str(entry.get("name", ""))[:200]
                category = str(entry.get("cat", ""))[:200]
                events.append(PlannedEvent(resource, name, category, start, start + duration))
    return events


def _lane(entry: dict[object, object]) -> tuple[str, str]:
    return str(entry.get("pid"))[:100], str(entry.get("tid"))[:100]
