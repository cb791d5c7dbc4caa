"""Find and read the files of a performance model beside a trace, or in the folder above it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from data_loaders.aie_model.estimate import read_estimate
from data_loaders.aie_model.schedule import PlannedEvent, read_schedule
from data_loaders.aie_model.slots import read_slots
from data_loaders.aie_model.terms import Prediction
from data_loaders.protocol import LoadError
from data_loaders.reading.files import open_content
from data_loaders.reading.json_damage import text_damage
from schema.diagnostics import Diagnostic
from schema.frames import build_frame

SLOTS = "slot_latency_breakdown.yaml"
ESTIMATE = "estimate.json"
SCHEDULE = "steady_state_trace.json"
NAMES = (SLOTS, ESTIMATE, SCHEDULE)
MAX_BYTES = 32 * 1024**2
"""Largest file of a model in bytes."""
_TRACES = "traces"


def find_model_files(folder: Path) -> list[Path]:
    """List the model's files of a folder, each from the folder above if it is called `traces` and
    lacks the file.
    """
    places = (folder, folder.parent) if folder.name == _TRACES else (folder,)
    found = []
    for name in NAMES:
        files = [place / name for place in places if (place / name).is_file()]
        found += files[:1]
    return found


def read_model(files: Sequence[Path]) -> tuple[dict[str, pd.DataFrame], list[Diagnostic]]:
    """Read frames `predictions` and `planned_events`, as far as the files have them, and findings.

    Stream's file comes before IRON's if both have predictions. An unreadable file is reported and
    left out.
    """
    predictions: list[Prediction] = []
    source = ""
    planned: list[PlannedEvent] = []
    findings = []
    for path in sorted(files, key=lambda file: NAMES.index(file.name)):
        try:
            text = _read_text(path)
            if path.name == SCHEDULE:
                planned = read_schedule(_parse(text))
                is_empty = not planned
            else:
                own = read_slots(text) if path.name == SLOTS else read_estimate(_parse(text))
                is_empty = not own
                source = source or (path.name if own else "")
                predictions = predictions or own
        except (LoadError, OSError) as error:
            message = f"{path.name} cannot be read and is ignored: {error}"
            findings.append(Diagnostic("warning", "companion_unreadable", message, path.name))
            continue
        if is_empty:
            message = f"{path.name} has no prediction that can be read, and is left out"
            findings.append(Diagnostic("warning", "prediction_unread", message, path.name))
    return _frames(predictions, source, planned), findings


def _read_text(path: Path) -> str:
    with open_content(path) as stream:
        content = stream.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise LoadError(f"it is larger than {MAX_BYTES} bytes")
    return content.decode("utf-8", "replace")


def _parse(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise LoadError(text_damage(text.encode()) or "it is not valid JSON") from error


def _frames(
    predictions: Sequence[Prediction], file: str, planned: Sequence[PlannedEvent]
) -> dict[str, pd.DataFrame]:
    frames = {}
    if predictions:
        frames["predictions"] = build_frame(
            "predictions",
            {
                "term": [one.term for one in predictions],
                "predicted": [one.cycles for one in predictions],
                "predicted_from": [one.source for one in predictions],
                "file": [file] * len(predictions),
            },
        )
    if planned:
        frames["planned_events"] = build_frame(
            "planned_events",
            {
                "resource": [one.resource for one in planned],
                "name": [one.name for one in planned],
                "category": [one.category for one in planned],
                "start": [one.start for one in planned],
                "end": [one.end for one in planned],
            },
        )
    return frames
