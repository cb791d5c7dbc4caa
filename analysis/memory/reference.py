"""Method `reference`: local-memory logs as the team's notebook shows them, its defects included.

It reads result lines only and starts a patch where `allow_bank_conflict` or `shape_secs` change, but forgets to note
the settings of the line that it starts with: a patch of one block runs on into the next, one at the very end is lost.
It stacks failed blocks above the others and cuts names short. What makes it stop leaves nothing to show here either.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.memory.attempt_map import NOT_PLACED, Ints
from analysis.memory.attempts import utilization, whole, with_numbers
from analysis.memory.lives import MOST, Bools
from schema.diagnostics import Diagnostic
from schema.frames import complete, conform, empty

_SETTINGS = ("allow_bank_conflict", "shape_secs")
_FIELD = re.compile(r""";\s*([\w/.]+)\s*=\s*(['"]?)([-\s\w:,./"']+)\2""")
_NUMBER = re.compile(r"[-+]?(\d+|\d+\.\d*|\.\d+)([eE][-+]?\d+)?")
_MOST_NAME = 60


@dataclass(frozen=True)
class Patches:
    """The patches that the notebook makes of the log's blocks.

    `rows` are positions of the blocks in `allocations`, in file order; patch i has rows [starts[i], starts[i + 1]),
    the last one up to `end`, behind which nothing is kept. `settled` is the position in `rows` of the block whose
    settings name the patch.
    """

    rows: Ints
    starts: Ints
    settled: Ints
    end: int

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def lost(self) -> int:
        """Return the blocks that belong to no patch."""
        return len(self.rows) - self.end


def of_local_memory(attempts: pd.DataFrame, allocations: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return what the notebook reads: attempts, without a memory level that other files tell of, and their blocks."""
    own = attempts[attempts["level"].isna()]
    return own, allocations[allocations["attempt"].isin(own["attempt"])]


def patches(attempts: pd.DataFrame, allocations: pd.DataFrame) -> Patches:
    """Return where the notebook starts its patches."""
    owner = pd.Index(attempts["attempt"]).get_indexer(allocations["attempt"])
    rows = np.flatnonzero(owner >= 0)
    if not len(rows):
        return Patches(rows, rows, rows, 0)
    setting = attempts.groupby(list(_SETTINGS), dropna=False).ngroup().to_numpy(np.int64)[owner[rows]]
    changes = (np.flatnonzero(np.diff(setting)) + 1).tolist()
    starts, settled, end = [0], [0], len(rows)
    while (place := bisect_right(changes, settled[-1])) < len(changes):
        start = changes[place]
        if start + 1 == len(rows):
            end = start
            break
        starts.append(start)
        # The settings that the next change is told by are those of the second line, whatever the first one had.
        settled.append(start + 1)
    return Patches(rows, np.array(starts, dtype=np.int64), np.array(settled, dtype=np.int64), end)


def crash_of(allocations: pd.DataFrame, diagnostics: pd.DataFrame) -> str | None:
    """Return why the notebook stops before it shows anything, None where it does not."""
    cut = diagnostics[diagnostics["code"] == "lines_unreadable"]
    if len(cut):
        return f"{int(cut['count'].sum())} result lines are cut off or interleaved, and it stops at the first"
    for name in allocations["name"].unique():
        if _spelled(name) is None:
            shown = " ".join(str(name).split())[:_MOST_NAME]
            return f"it takes the name `{shown}` for a number, which it is not, and stops"
    return None


def cut_names(allocations: pd.DataFrame) -> int:
    """Return how many different names the notebook spells in another way than the log."""
    return sum(_spelled(name) != name for name in allocations["name"].unique())


def reference_frames(
    attempts: pd.DataFrame, allocations: pd.DataFrame, diagnostics: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame, list[Diagnostic]]:
    """Return frames attempts and allocations as the notebook has them, and the finding that it stops.

    An attempt is a patch. `diagnostics` are those of the loader. Lower bound, waste and fragmentation are null: the
    notebook knows none of them. Where it stops, both frames are empty.
    """
    attempts, allocations = of_local_memory(attempts, allocations)
    reason = crash_of(allocations, diagnostics)
    if reason:
        stopped = Diagnostic("error", "reference_crashes", f"method reference shows nothing: {reason}")
        return empty("attempts"), empty("allocations"), [stopped]
    found = patches(attempts, allocations)
    if not len(found):
        return empty("attempts"), empty("allocations"), []
    blocks = _blocks(attempts, allocations, found)
    return _attempts(attempts, allocations, found, blocks), blocks, []


def _spelled(name: str) -> str | None:
    """Return a name as the notebook reads it off its line; None where it stops there."""
    fields: dict[str, str] = {}
    for key, _, text in _FIELD.findall(f"; op_name = {name}; addr = 0x0"):
        value = text.strip()
        try:
            number = int(value) if _NUMBER.fullmatch(value) else int(value, 16) if "0x" in value else None
        except ValueError:
            return None
        fields[key] = value if number is None else str(number)
    return fields.get("op_name")


def _blocks(attempts: pd.DataFrame, allocations: pd.DataFrame, found: Patches) -> pd.DataFrame:
    """Return the blocks of all patches, in each the placed ones first."""
    rows = allocations.iloc[found.rows[: found.end]].reset_index(drop=True)
    patch = np.repeat(np.arange(len(found)), np.diff(np.append(found.starts, found.end)))
    one_loop = attempts.set_index("attempt")["one_loop"].reindex(rows["attempt"]).to_numpy(np.int64, na_value=0)
    failed = (rows["status"] == "failed").to_numpy(bool)
    order = np.lexsort((failed, patch))
    spelled = {name: _spelled(name) for name in rows["name"].unique()}
    made = rows.assign(
        attempt=patch, hold=rows["hold"].to_numpy(bool) & (one_loop == 0), name=rows["name"].map(spelled)
    ).iloc[order]
    ranks = np.arange(len(made)) - found.starts[patch[order]]
    address = _stacked(made, failed[order])
    return conform("allocations", made.assign(block=ranks, address=address).reset_index(drop=True))


def _stacked(blocks: pd.DataFrame, failed: Bools) -> pd.api.extensions.ExtensionArray:
    """Return the addresses, those of failed blocks stacked above their patch's others; they stop at 2^63 - 1."""
    patch = blocks["attempt"].to_numpy(np.int64)
    address, size = blocks["address"].to_numpy(np.int64, na_value=NOT_PLACED), blocks["size"].to_numpy(np.int64)
    top = np.zeros(int(patch.max()) + 1, dtype=np.int64)
    np.maximum.at(top, patch[~failed], (address + size)[~failed])
    below = pd.Series(np.where(failed, size, 0)).groupby(patch).cumsum().to_numpy(np.int64) - size
    # Sizes below 2^62 that add up to more than int64 holds are seen in floats.
    rough = pd.Series(np.where(failed, size, 0).astype(np.float64)).groupby(patch).cumsum() + top[patch]
    stacked = np.where(rough > MOST * 0.999, MOST - size, top[patch] + below)
    return whole(np.where(failed, stacked, address))


def _attempts(attempts: pd.DataFrame, allocations: pd.DataFrame, found: Patches, blocks: pd.DataFrame) -> pd.DataFrame:
    """Return a row per patch, with the settings and the chip of the attempt that its settings are taken from."""
    named = allocations["attempt"].iloc[found.rows[found.settled]]
    source = attempts.set_index("attempt", drop=False).loc[named].reset_index(drop=True)
    by_patch = blocks.groupby("attempt")
    steps = np.maximum(by_patch["end"].max(), by_patch["start"].max() + 1).to_numpy(np.int64)
    failed = (blocks["status"] == "failed").groupby(blocks["attempt"]).any().to_numpy(bool)
    kept = ("shape_secs", "allow_bank_conflict", "one_loop", "capacity", "banks", "bank_bytes", "align_bytes", "line")
    columns = {name: source[name] for name in kept}
    outcome = np.where(failed, "failed", "success")
    made = complete("attempts", columns | {"attempt": range(len(found)), "steps": steps, "outcome": outcome})
    top = blocks["address"].to_numpy(np.int64) + blocks["size"].to_numpy(np.int64)
    extent = pd.Series(top).groupby(blocks["attempt"].to_numpy()).max().to_numpy(np.int64)
    unknown = whole(np.zeros(len(found), dtype=np.int64), True)
    return with_numbers(made, blocks).assign(
        extent=whole(extent),
        bound=unknown,
        waste=unknown,
        fragmentation=np.nan,
        utilization=utilization(made, extent),
    )
