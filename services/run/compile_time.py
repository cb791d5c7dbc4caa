"""Compile time of a run by step, rule and context, the same for page and command line."""

from __future__ import annotations

from typing import Any

from analysis.program.compile_time import CompileTime, compile_time, ranges_by_name
from schema.frames import Frames, empty
from services.run.stored_frames import StoredFrames
from storage.repository import Repository

FRAMES = ("rewrite_steps", "rewrite_matches", "contexts", "tracks", "events")
"""Frames from which it is computed."""


def find_compile_time(repository: Repository, run_id: str) -> CompileTime:
    """Compute the compile time of a run by step, rule and context.

    Raises RunNotFound, and ValueError if the run has no rewrites.
    """
    stored = StoredFrames(repository, run_id)
    if "contexts" not in stored:
        raise ValueError("the run has no rewrites: ingest the rewrites.pkl that VIZ=-1 writes")
    return stored_compile_time(stored)


def stored_compile_time(stored: Frames) -> CompileTime:
    """Compute the compile time from stored frames by name, of which any of FRAMES can be missing
    and then counts as empty.
    """
    return compile_time({name: stored[name] if name in stored else empty(name) for name in FRAMES})


def compile_mapping(compile_time: CompileTime) -> dict[str, Any]:
    """Convert the compile time to JSON types: `total`, `elapsed`, and lists of dicts for steps,
    rules, contexts and ranges; times are in ns, unknown lines `None`.
    """
    # `object`, because a column of type Int64 cannot hold the None of JSON.
    rules = compile_time.rules[["file", "line", "matches", "duration"]].astype({"line": object})
    return {
        "total": compile_time.total,
        "elapsed": compile_time.elapsed,
        "steps": compile_time.steps.to_dict("records"),
        "rules": rules.where(rules.notna(), None).to_dict("records"),
        "contexts": compile_time.contexts.to_dict("records"),
        "ranges": ranges_by_name(compile_time.ranges).to_dict("records"),
    }
