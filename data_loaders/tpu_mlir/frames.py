"""Frames `attempts`, `allocations` and `unread_lines` of a TPU-MLIR log."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from pandas.api.types import union_categoricals

from data_loaders.tpu_mlir.attempts import Grouping
from data_loaders.tpu_mlir.lines import LogLines
from data_loaders.tpu_mlir.markers import Finish, Memory, Spec
from data_loaders.tpu_mlir.rows import Rows
from schema.array_types import Ints
from schema.frames import complete, conform, empty

_MAX_LINE_BYTES = 2**16
"""Longest last line, in bytes, that `unread_lines` stores."""
_RESULT = b"; tag = iteration_result"
_OUTCOMES = ("success", "failed", "unfinished")


def lengths(rows: Rows, attempts: Grouping) -> Ints:
    """Return the number of time steps of each attempt, 0 without a result line.

    The number is 1 + the last step in which a lifetime starts or ends. Starts count too: in a few
    attempts the last start is later than the last end, because a lifetime that wraps starts late
    and ends early.
    """
    steps = np.zeros(len(attempts), np.int64)
    np.maximum.at(steps, attempts.of_row, np.maximum(rows.results.start, rows.results.end) + 1)
    return steps


def attempts_frame(
    rows: Rows,
    attempts: Grouping,
    specs: Sequence[Spec],
    finishes: Sequence[Finish],
    otherwise: Memory | None,
) -> pd.DataFrame:
    """Build frame `attempts`, a row per attempt in the order of the file.

    `otherwise` is the chip's memory, used if the log has no `lmem_spec` line; without both, memory
    sizes are null.
    """
    ended = [finishes[rank] if rank >= 0 else None for rank in attempts.finish.tolist()]
    columns = {
        "attempt": np.arange(len(attempts)),
        "outcome": _outcomes(rows, attempts, ended),
        "steps": lengths(rows, attempts),
        "reported_bytes": pd.array(
            [finish and finish.used_bytes for finish in ended], dtype="Int64"
        ),
        "reported_failed": pd.array([finish and finish.failed for finish in ended], dtype="Int64"),
        "line": attempts.line,
    }
    return complete(
        "attempts", columns | _settings(rows, attempts) | _memories(attempts, specs, otherwise)
    )


def _settings(rows: Rows, attempts: Grouping) -> dict[str, object]:
    """Map shape_secs, allow_bank_conflict and one_loop to a value per attempt, from its first
    result line.

    Without a result line, shape_secs is "" and the numbers are null.
    """
    has_rows = attempts.first >= 0
    rank = np.full(len(attempts), len(rows.settings))
    rank[has_rows] = rows.setting[attempts.first[has_rows]]
    loops = pd.array([setting.one_loop for setting in rows.settings] + [None], dtype="Int64")
    conflicts = pd.array(
        [setting.allow_bank_conflict for setting in rows.settings] + [None], dtype="Int64"
    )
    shapes = pd.array([setting.shape_secs for setting in rows.settings] + [""], dtype="str")
    return {
        "shape_secs": shapes[rank],
        "allow_bank_conflict": conflicts[rank],
        "one_loop": loops[rank],
    }


def _outcomes(rows: Rows, attempts: Grouping, ended: Sequence[Finish | None]) -> pd.Categorical:
    """Return how each attempt ended: success, failed or unfinished.

    Without a finish line, an attempt failed if a buffer has no address; otherwise it is unfinished.
    """
    failed = np.zeros(len(attempts), np.bool_)
    failed[attempts.of_row[~rows.placed]] = True
    guesses = ["failed" if lost else "unfinished" for lost in failed.tolist()]
    outcomes = [
        finish.outcome if finish else guess for finish, guess in zip(ended, guesses, strict=True)
    ]
    return pd.Categorical(outcomes, categories=list(_OUTCOMES))


def _memories(
    attempts: Grouping, specs: Sequence[Spec], otherwise: Memory | None
) -> dict[str, pd.Series]:
    """Map align_bytes, capacity, banks and bank_bytes to a value per attempt (Int64), null if the
    memory is unknown.

    It is that of the attempt's own `lmem_spec` line, else of the nearest earlier, else of the
    nearest later line, else `otherwise`.
    """
    names = ("align_bytes", "capacity", "banks", "bank_bytes")
    memories = [spec.memory for spec in specs]
    of_spec = pd.DataFrame(
        {
            name: pd.array([memory and getattr(memory, name) for memory in memories], dtype="Int64")
            for name in names
        }
    )
    of_attempt = of_spec.reindex(attempts.spec).reset_index(drop=True).ffill().bfill()
    if otherwise is not None:
        of_attempt = of_attempt.fillna(vars(otherwise))
    return {name: of_attempt[name] for name in names}


def allocations_frame(rows: Rows, attempts: Grouping) -> pd.DataFrame:
    """Build frame `allocations`: a row per result line, in the order of the file.

    Addresses and sizes are bytes, ends of lifetimes exclusive; the address is null if the buffer
    did not fit.
    """
    results = rows.results
    address = pd.arrays.IntegerArray(results.address, ~rows.placed)
    columns = {
        "attempt": attempts.of_row,
        "block": np.arange(len(rows)) - attempts.first[attempts.of_row],
        "name": pd.Series(rows.names().to_pandas(), dtype="str"),
        "op_type": rows.op_type,
        "kind": rows.kind,
        "address": address,
        "size": results.size,
        "start": results.start,
        # A log's last step is inclusive, the schema's end is exclusive.
        "end": results.end + 1,
        "wraps": results.start > results.end,
        "hold": rows.hold,
        "status": pd.Categorical.from_codes(
            (~rows.placed).astype(np.int8), categories=["placed", "failed"]
        ),
        "mode": rows.mode,
    }
    # `complete` creates nulls singly, which would take a quarter of the time of a large log;
    # reindexing an empty frame creates them at once.
    nulls = empty("allocations").select_dtypes(["category", "Int64"]).reindex(range(len(rows)))
    return conform("allocations", nulls.assign(shape="", gaps="", **columns))


def unread_frame(lines: LogLines, attempts: Grouping) -> pd.DataFrame:
    """Build frame `unread_lines`: one row with the last line if it is cut within a result or a
    character, otherwise no rows.

    Also no rows if it is longer than 64 KiB.
    """
    text = lines.rest
    read = lines.last in lines.rows.results.line
    cut = _settings_cut(lines.rows, attempts) if read else _RESULT in text or _is_split(text)
    if not cut or len(text) > _MAX_LINE_BYTES:
        return empty("unread_lines")
    columns = {"line": [lines.last], "text": [text.decode(errors="replace")], "read": read}
    return complete("unread_lines", columns)


def _settings_cut(rows: Rows, attempts: Grouping) -> bool:
    """Whether the last result differs from its attempt in settings, as when a number is cut."""
    first = attempts.first[attempts.of_row[-1]]
    return bool(rows.setting[-1] != rows.setting[first])


def _is_split(text: bytes) -> bool:
    """Whether the bytes end in the middle of a UTF-8 character."""
    try:
        text.decode()
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data"
    return False


def with_capacity(attempts: pd.DataFrame, capacity: int) -> pd.DataFrame:
    """Return a copy of frame `attempts` with this capacity in bytes, and the number of banks that
    results from their size.

    If the capacity is not a multiple of the bank size, or that is unknown, number and size of banks
    are null.
    """
    banks = attempts["bank_bytes"]
    whole = (capacity % banks == 0).fillna(False)
    size = pd.Series(capacity, index=attempts.index, dtype="Int64")
    return attempts.assign(
        capacity=size, banks=(size // banks).where(whole), bank_bytes=banks.where(whole)
    )


def stack_frames(name: str, *frames: pd.DataFrame) -> pd.DataFrame:
    """Concatenate the rows of frames of the schema's frame `name`, in this order.

    Categories keep their order.
    """
    columns = {
        column: _stack_column([frame[column] for frame in frames]) for column in frames[0].columns
    }
    return complete(name, columns)


def _stack_column(parts: Sequence[pd.Series]) -> object:
    if parts[0].dtype != "category":
        return pd.concat(parts, ignore_index=True)
    # A column that has only nulls has categories of no type.
    return union_categoricals(
        [part.cat.rename_categories(part.cat.categories.astype("str")) for part in parts]
    )
