"""A design's frames from MLIR text, and a capture's frames from intervals by unit and event."""

import pandas as pd

from data_loaders.aie_design.frames import design_frames
from data_loaders.aie_design.reader import read_design_text
from schema.designs import DESIGN_FRAMES
from schema.frames import complete, empty


def design_of(text):
    """Read a design from MLIR text and return its frames `design_*` by name, including empty
    frames.
    """
    read = read_design_text(text)
    device = read.choose()
    frames = design_frames(read.devices, device, "aie.mlir", {})
    return {spec.name: frames.get(spec.name, empty(spec.name)) for spec in DESIGN_FRAMES}


def capture_of(units):
    """Build frames `tracks` and `events` of {unit: {event: [(start, end)]}}.

    An interval may have a third member False: the capture ended within it.
    """
    tracks = {
        "track": list(units),
        "kind": [name.split()[0] for name in units],
        "traced": [" ".join(events) for events in units.values()],
    }
    rows = [
        (unit, event, span[0], span[1], True, span[2] if len(span) > 2 else True)
        for unit, events in units.items()
        for event, spans in events.items()
        for span in spans
    ]
    columns = ["track", "name", "start", "end", "opened", "closed"]
    events = pd.DataFrame(rows, columns=columns)
    events["lane"] = events["name"]
    return complete("tracks", tracks), complete("events", dict(events.items()))
