"""Frames of locations in a tinygrad capture: call stacks, contexts and rewrite steps."""

from __future__ import annotations

import numpy as np
import pandas as pd

from data_loaders.tinygrad.capture import Capture
from data_loaders.tinygrad.columns import integers, nullable_integers, numbers, texts
from data_loaders.tinygrad.contexts import Rewrites
from data_loaders.tinygrad.graph.frames import Graphs, step_columns
from data_loaders.tinygrad.labels import Labels
from data_loaders.tinygrad.names import clean, colours, plain, without_folders
from data_loaders.tinygrad.stacks import Stacks
from data_loaders.tinygrad.timeline import Timeline
from schema.arrays import category


def calls_frame(stacks: Stacks) -> pd.DataFrame:
    """Build columns stack, depth (0 is innermost), file, line, function and text (source line).

    A row per call. No rows without stacks.
    """
    rows = list(stacks.rows())
    stack, depth, file, line, function, text = zip(*rows, strict=True) if rows else ((),) * 6
    frame = {"stack": integers(stack), "depth": integers(depth), "file": pd.Categorical(list(file))}
    frame |= {
        "line": numbers(line),
        "function": pd.Categorical(list(function)),
        "text": texts(text),
    }
    return pd.DataFrame(frame)


def event_links_frame(capture: Capture, line: Timeline, labels: Labels) -> pd.DataFrame:
    """Build a row per event with a context or stack: track, start, end, context, stack.

    Track, start and end are as in frame `events`; context (rank) and stack (number) are Int64, null
    if the event has only the other of them.
    """
    stack = capture.spans.stack[line.span]
    context = integers(labels.contexts)[capture.spans.label[line.span]]
    rows = np.flatnonzero((stack >= 0) | (context >= 0))
    columns = {
        "track": category(line.row[rows], line.rows),
        "start": line.start[rows],
        "end": line.end[rows],
    }
    links = {"context": nullable_integers(context[rows]), "stack": nullable_integers(stack[rows])}
    return pd.DataFrame(columns | links)


def contexts_frame(rewrites: Rewrites, strip: bool) -> pd.DataFrame:
    """Build a row per context: context (rank), name, colours, steps, matches, duration, stack.

    The duration is the sum of all matches, in ns. `steps` and `matches` are counts. `stack` is the
    number of the call stack, null without a stack. If `strip`, folders of files are removed from
    names.
    """
    contexts = rewrites.contexts
    names = [without_folders(context.name) if strip else context.name for context in contexts]
    columns = {
        "context": np.arange(len(contexts)),
        "name": texts(map(plain, names)),
        "colours": texts(map(colours, names)),
        "steps": integers(len(context.steps) for context in contexts),
        "matches": integers(
            sum(len(step.matches) for step in context.steps) for context in contexts
        ),
        "duration": integers(
            sum(step.nanoseconds for step in context.steps) for context in contexts
        ),
        "stack": nullable_integers(integers(context.stack for context in contexts)),
    }
    return pd.DataFrame(columns)


def rewrite_steps_frame(rewrites: Rewrites, graphs: Graphs, strip: bool) -> pd.DataFrame:
    """Build a row per rewrite step: context, step (rank), name, depth (in the tree of steps),
    matches, duration, file, line.

    Context and step count from 0; `matches` is a count. The duration is the sum of its matches, in
    ns; the location is that of the call. `step_columns` adds columns about graphs. If `strip`, file
    is "", line null, and the folders in names are removed.
    """
    rows = [
        (place, rank, step)
        for place, context in enumerate(rewrites.contexts)
        for rank, step in enumerate(context.steps)
    ]
    columns = {
        "context": integers(place for place, _, _ in rows),
        "step": integers(rank for _, rank, _ in rows),
        "name": pd.Categorical(
            [plain(without_folders(step.name) if strip else step.name) for *_, step in rows]
        ),
        "depth": integers(step.depth for *_, step in rows),
        "matches": integers(len(step.matches) for *_, step in rows),
        "duration": integers(step.nanoseconds for *_, step in rows),
        "file": pd.Categorical(["" if strip else clean(step.file) for *_, step in rows]),
        "line": numbers(None if strip else step.line for *_, step in rows),
    }
    return pd.DataFrame(columns | step_columns(graphs, [step for *_, step in rows]))
