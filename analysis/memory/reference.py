"""Method `reference`: local-memory logs as the team's notebook shows them, its defects included.

It reads result lines only and starts a patch where `allow_bank_conflict` or `shape_secs` change, but forgets to note
the settings of the line that it starts with: a patch of one block runs on into the next, one at the very end is lost.
It stacks failed blocks above the others and cuts names short. What makes it stop leaves nothing to show here either.
A last line that is cut stops it only where its block stays in a patch: in general the line, without settings, closes
the last patch and begins one that is dropped.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.memory.attempt_map import NOT_PLACED
from analysis.memory.attempts import utilization, whole, with_numbers
from analysis.memory.lives import MOST
from analysis.memory.reference_lines import SETTINGS, CutLine, cut_line, fields_of
from schema.array_types import Bools, Ints
from schema.diagnostics import Diagnostic
from schema.frames import complete, conform, empty

_MOST_NAME = 60


@dataclass(frozen=True)
class Patches:
    """The patches that the notebook makes of the log's blocks.

    `rows` are positions of the blocks in `allocations`, in file order; patch i has rows [starts[i], starts[i + 1]),
    the last one up to `end`, behind which nothing is kept. `settled` is the position in `rows` of the block whose
    settings name the patch. A last line that is cut is the last of the rows where `cut`, one behind all blocks.
    """

    rows: Ints
    starts: Ints
    settled: Ints
    end: int
    cut: bool = False

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def lost_blocks(self) -> int:
        """Return the blocks that belong to no patch; a line that is cut is none."""
        return max(0, len(self.rows) - self.cut - self.end)

    @property
    def keeps_cut(self) -> bool:
        """Return whether the line that is cut belongs to a patch."""
        return self.cut and self.end == len(self.rows)


@dataclass(frozen=True)
class Notebook:
    """What the notebook makes of a log: `stops` says why it shows nothing, None where it does not stop.

    `attempts` and `allocations` are what it reads, `cut` the last line where it is cut.
    """

    attempts: pd.DataFrame
    allocations: pd.DataFrame
    found: Patches
    cut: CutLine | None
    stops: str | None


def read_as_notebook(
    attempts: pd.DataFrame, allocations: pd.DataFrame, diagnostics: pd.DataFrame, unread: pd.DataFrame
) -> Notebook:
    """Return what the notebook reads of a log: attempts without levels that come from other files, and their patches.

    `diagnostics` are those of the loader, `unread` is frame `unread_lines`.
    """
    own = attempts[attempts["level"].isna()]
    blocks = allocations[allocations["attempt"].isin(own["attempt"])]
    cut = cut_line(unread)
    if cut is not None and unread["read"].iloc[-1]:
        blocks = blocks.iloc[:-1]
    found = patches(own, blocks, cut)
    return Notebook(own, blocks, found, cut, _stops(blocks, diagnostics, found, cut))


def patches(attempts: pd.DataFrame, allocations: pd.DataFrame, cut: CutLine | None = None) -> Patches:
    """Return where the notebook starts its patches; `cut` is a last line that is cut."""
    owner = pd.Index(attempts["attempt"]).get_indexer(allocations["attempt"])
    rows = np.flatnonzero(owner >= 0)
    setting = attempts.groupby(list(SETTINGS), dropna=False).ngroup().to_numpy(np.int64)[owner[rows]]
    if cut is not None:
        setting = np.append(setting, _setting_of(cut, attempts.iloc[owner[rows[-1:]]], setting[-1:]))
        rows = np.append(rows, len(allocations))
    if not len(rows):
        return Patches(rows, rows, rows, 0)
    changes = (np.flatnonzero(np.diff(setting)) + 1).tolist()
    starts, settled, end = [0], [0], len(rows)
    while (place := bisect_right(changes, settled[-1])) < len(changes):
        start = changes[place]
        if start + 1 == len(rows):
            end = start
            break
        starts.append(start)
        # The next change is found by comparing with the settings of the second line, not of the first.
        settled.append(start + 1)
    if cut is not None and settled[-1] == len(rows) - 1 and not cut.settings:
        # A patch that is never given settings is not one.
        end = starts.pop()
        settled.pop()
    return Patches(rows, np.array(starts, np.int64), np.array(settled, np.int64), end, cut is not None)


def _setting_of(cut: CutLine, last: pd.DataFrame, setting: Ints) -> int:
    """Return the rank of a cut line's settings: that of the block before it where they are the same, else another."""
    before = last[list(SETTINGS)].astype(object).to_dict("records")
    return int(setting[0]) if [cut.settings] == before else -1


def _stops(allocations: pd.DataFrame, diagnostics: pd.DataFrame, found: Patches, cut: CutLine | None) -> str | None:
    """Return why the notebook stops before it shows anything, None where it does not."""
    lost = diagnostics[diagnostics["code"] == "lines_unreadable"]
    count = int(lost["count"].sum()) - (cut.results if cut else 0)
    if count > 0:
        return f"{count} result lines are cut off or interleaved, and it stops at the first"
    for name in allocations["name"].unique():
        if _notebook_name(name) is None:
            shown = " ".join(str(name).split())[:_MOST_NAME]
            return f"it takes the name `{shown}` for a number, which it is not, and stops"
    if cut is not None and cut.fields is None:
        return f"the last line, line {cut.line}, is cut inside a value that it cannot read, and it stops"
    if cut is not None and found.keeps_cut and cut.lacks:
        return f"the last line, line {cut.line}, is cut and has no {cut.lacks} that it can use, and it stops"
    return None


def cut_names(allocations: pd.DataFrame) -> int:
    """Return how many different names the notebook spells in another way than the log."""
    return sum(_notebook_name(name) != name for name in allocations["name"].unique())


def reference_frames(read: Notebook) -> tuple[pd.DataFrame, pd.DataFrame, list[Diagnostic]]:
    """Return frames attempts and allocations as the notebook has them, and the finding that it stops.

    An attempt is a patch. Lower bound, waste and fragmentation are null: the notebook does not have them. Where it
    stops, both frames are empty.
    """
    if read.stops:
        stopped = Diagnostic("error", "reference_crashes", f"method reference shows nothing: {read.stops}")
        return empty("attempts"), empty("allocations"), [stopped]
    if not len(read.found):
        return empty("attempts"), empty("allocations"), []
    attempts, allocations, findings = read.attempts, read.allocations, []
    if read.cut is not None and read.found.keeps_cut:
        attempts, allocations = _with_cut(attempts, allocations, read.cut)
        findings = [] if read.cut.is_drawable else [_not_drawn(read.cut)]
    blocks = _blocks(attempts, allocations, read.found)
    return _attempts(attempts, allocations, read.found, blocks), blocks, findings


def steps_of_patches(read: Notebook, steps: pd.DataFrame) -> pd.DataFrame:
    """Return frame `steps` with the rows of each patch: those of the attempt that its settings are of.

    Rows of all attempts (null) and of levels from other files stay as they are.
    """
    named = read.found.settled[read.found.settled < len(read.found.rows) - read.found.cut]
    source = read.allocations["attempt"].to_numpy(np.int64)[read.found.rows[named]]
    owner = steps["attempt"]
    others = steps[owner.isna() | ~owner.isin(read.attempts["attempt"])]
    pairs = pd.DataFrame({"patch": np.arange(len(source)), "attempt": pd.array(source, dtype="Int64")})
    own = pairs.merge(steps, on="attempt").assign(attempt=lambda rows: rows["patch"].astype("Int64"))
    return conform("steps", pd.concat([others, own[steps.columns]], ignore_index=True))


def _not_drawn(cut: CutLine) -> Diagnostic:
    text = "the notebook lists the last patch but cannot draw it: its last line is cut before one_loop"
    return Diagnostic("warning", "reference_patch_not_drawn", text, f"line {cut.line}")


def _with_cut(attempts: pd.DataFrame, allocations: pd.DataFrame, cut: CutLine) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return both frames with the block of a line that is cut, in an attempt that has its settings."""
    fields = cut.fields or {}
    names = ("allow_bank_conflict", "one_loop")
    known = {name: fields[name] if isinstance(fields.get(name), int) else None for name in names}
    rank = int(attempts["attempt"].max()) + 1
    said = {"attempt": rank, "shape_secs": str(fields.get("shape_secs", "")), "line": cut.line}
    added = attempts.iloc[-1:].assign(**(said | known))
    block = complete("allocations", pd.DataFrame([{"attempt": rank, **cut.block()}], dtype=object))
    return (
        conform("attempts", pd.concat([attempts, conform("attempts", added)], ignore_index=True)),
        conform("allocations", pd.concat([allocations, block], ignore_index=True)),
    )


def _notebook_name(name: str) -> str | None:
    """Return a name as the notebook reads it off its line; None where it stops there."""
    fields = fields_of(f"; op_name = {name}; addr = 0x0")
    spelled = None if fields is None else fields.get("op_name")
    return None if spelled is None else str(spelled)


def _blocks(attempts: pd.DataFrame, allocations: pd.DataFrame, found: Patches) -> pd.DataFrame:
    """Return the blocks of all patches, in each the placed ones first."""
    rows = allocations.iloc[found.rows[: found.end]].reset_index(drop=True)
    patch = np.repeat(np.arange(len(found)), np.diff(np.append(found.starts, found.end)))
    one_loop = attempts.set_index("attempt")["one_loop"].reindex(rows["attempt"]).to_numpy(np.int64, na_value=0)
    failed = (rows["status"] == "failed").to_numpy(bool)
    order = np.lexsort((failed, patch))
    spelled = {name: _notebook_name(name) for name in rows["name"].unique()}
    made = rows.assign(
        attempt=patch, hold=rows["hold"].to_numpy(bool) & (one_loop == 0), name=rows["name"].map(spelled)
    ).iloc[order]
    ranks = np.arange(len(made)) - found.starts[patch[order]]
    address = _stacked_addresses(made, failed[order])
    return conform("allocations", made.assign(block=ranks, address=address).reset_index(drop=True))


def _stacked_addresses(blocks: pd.DataFrame, failed: Bools) -> pd.api.extensions.ExtensionArray:
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
