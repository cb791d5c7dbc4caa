"""The design of a run and what it explains of the trace, as command, API and tool print it."""

from __future__ import annotations

from typing import Any

from schema.frames import Frames
from services.run.design import design_frames, design_mapping
from services.run.design_stalls import stalls_mapping
from services.run.stored_frames import StoredFrames
from storage.repository import Repository


def design_record(run_id: str, design: Frames, stored: Frames) -> dict[str, Any]:
    """Convert a design and its joins with the stored trace to JSON types.

    Raises ValueError if a memory has too many buffers to compare in pairs.
    """
    return {"run_id": run_id, **design_mapping(design), **stalls_mapping(design, stored)}


def find_design_record(repository: Repository, run_id: str) -> dict[str, Any]:
    """Convert the design of a run to JSON types; raises RunNotFound, and ValueError if the run has
    no design.
    """
    stored = StoredFrames(repository, run_id)
    return design_record(run_id, design_frames(stored), stored)
