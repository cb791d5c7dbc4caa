"""Method `reference`: reads local-memory logs as the team's notebook does, including its defects.

The notebook reads result lines only. It starts a patch when `allow_bank_conflict` or `shape_secs`
change, but does not record the settings of that line: a patch of a single block extends into the
next, and a last patch of a single block is lost. It stacks failed blocks above all placed blocks
and cuts names. If a log makes the notebook stop, no blocks are shown here either. A truncated last
line stops it only if its block remains in a patch: usually the line has no settings, so it ends the
last patch and begins a new patch, which is dropped.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.memory.attempt_map import NOT_PLACED
from analysis.memory.attempts import utilization, whole, with_numbers
from analysis.memory.lives import MAX_SUM
from analysis.memory.reference_lines import SETTINGS, CutLine, cut_line, parse_fields
from schema.array_types import Bools, Ints
from schema.diagnostics import Diagnostic
from schema.frames import complete, conform, empty
from schema.plurals import plural

_MAX_NAME = 60
"""Maximum number of characters of a name in a finding."""


@dataclass(frozen=True)
class Patches:
    """Patches that the notebook makes of a log's blocks.

    `rows` are rows of `allocations`, in file order. Patch i has rows [starts[i], starts[i + 1]),
    the last patch the rows up to `end`; later rows are dropped. `settled` is the index in `rows` of
    the block that gives the patch its settings. If `cut`, the last entry of `rows` is the truncated
    last line, with the number of blocks as its row.
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
        """Number of the log's blocks that belong to no patch, because a last patch is dropped; the
        truncated line does not count.
        """
        return max(0, len(self.rows) - self.cut - self.end)

    @property
    def keeps_cut(self) -> bool:
        """Whether the log has a truncated last line and it belongs to a patch."""
        return self.cut and self.end == len(self.rows)


@dataclass(frozen=True)
class Notebook:
    """Result of the notebook for a log: `stops` is the reason when it stops and shows no blocks,
    else `None`.

    `attempts` and `allocations` are the frames that it reads, `patches` the patches, `cut` the last
    line if that is truncated.
    """

    attempts: pd.DataFrame
    allocations: pd.DataFrame
    patches: Patches
    cut: CutLine | None
    stops: str | None


def read_as_notebook(
    attempts: pd.DataFrame,
    allocations: pd.DataFrame,
    diagnostics: pd.DataFrame,
    unread: pd.DataFrame,
) -> Notebook:
    """Read a log as the notebook does: attempts without levels from other files, and their patches.

    `diagnostics` come from the loader, `unread` is frame `unread_lines`. If the notebook would
    stop, `stops` has the reason.
    """
    own = attempts[attempts["level"].isna()]
    blocks = allocations[allocations["attempt"].isin(own["attempt"])]
    cut = cut_line(unread)
    if cut is not None and unread["read"].iloc[-1]:
        blocks = blocks.iloc[:-1]
    own_patches = patches(own, blocks, cut)
    return Notebook(own, blocks, own_patches, cut, _stops(blocks, diagnostics, own_patches, cut))


def patches(
    attempts: pd.DataFrame, allocations: pd.DataFrame, cut: CutLine | None = None
) -> Patches:
    """Compute the patches that the notebook makes of the blocks; no patches without blocks.

    `cut` is the last line if that is truncated.
    """
    owner = pd.Index(attempts["attempt"]).get_indexer(allocations["attempt"])
    rows = np.flatnonzero(owner >= 0)
    setting = (
        attempts.groupby(list(SETTINGS), dropna=False).ngroup().to_numpy(np.int64)[owner[rows]]
    )
    if cut is not None:
        setting = np.append(
            setting, _cut_setting(cut, attempts.iloc[owner[rows[-1:]]], setting[-1:])
        )
        rows = np.append(rows, len(allocations))
    if not len(rows):
        return Patches(rows, rows, rows, 0)
    changes = (np.flatnonzero(np.diff(setting)) + 1).tolist()
    starts = [0]
    settled = [0]
    end = len(rows)
    while (place := bisect_right(changes, settled[-1])) < len(changes):
        start = changes[place]
        if start + 1 == len(rows):
            end = start
            break
        starts.append(start)
        # The notebook compares with the settings of the patch's second line, not of its first.
        settled.append(start + 1)
    if cut is not None and settled[-1] == len(rows) - 1 and not cut.settings:
        # A patch without settings is dropped.
        end = starts.pop()
        settled.pop()
    return Patches(
        rows, np.array(starts, np.int64), np.array(settled, np.int64), end, cut is not None
    )


def _cut_setting(cut: CutLine, last: pd.DataFrame, setting: Ints) -> int:
    """Compute the number of a truncated line's settings: `setting` (a single element), the number
    of the block before it, if the settings are equal, else -1.
    """
    before = last[list(SETTINGS)].astype(object).to_dict("records")
    return int(setting[0]) if [cut.settings] == before else -1


def _stops(
    allocations: pd.DataFrame, diagnostics: pd.DataFrame, own_patches: Patches, cut: CutLine | None
) -> str | None:
    """Describe in a clause why the notebook stops before it shows anything; `None` if it does not
    stop.
    """
    lost = diagnostics[diagnostics["code"] == "lines_unreadable"]
    count = int(lost["count"].sum()) - (cut.results if cut else 0)
    if count > 0:
        return f"{plural(count, 'result line')} cut off or interleaved, and it stops at the first"
    for name in allocations["name"].unique():
        if _notebook_name(name) is None:
            shown = " ".join(str(name).split())[:_MAX_NAME]
            return f"it reads the name `{shown}` as a number and stops"
    if cut is not None and cut.fields is None:
        return f"the last line, line {cut.line}, is cut inside a value that it cannot read, and it stops"
    if cut is not None and own_patches.keeps_cut and cut.lacks:
        return f"the last line, line {cut.line}, is cut and has no {cut.lacks} that it can use, and it stops"
    return None


def cut_names(allocations: pd.DataFrame) -> int:
    """Count the distinct names of blocks that the notebook spells differently from the log, or
    cannot read.
    """
    return sum(_notebook_name(name) != name for name in allocations["name"].unique())


def reference_frames(read: Notebook) -> tuple[pd.DataFrame, pd.DataFrame, list[Diagnostic]]:
    """Build frames attempts and allocations as the notebook has them, and a list of at most a
    single finding, about a last line that stops it or cannot be drawn.

    An attempt is a patch. Lower bound, waste and fragmentation are null, since the notebook does
    not compute them. If it stops, or has no patches, both frames are empty.
    """
    if read.stops:
        stopped = Diagnostic(
            "error", "reference_crashes", f"method reference cannot read it: {read.stops}"
        )
        return empty("attempts"), empty("allocations"), [stopped]
    if not len(read.patches):
        return empty("attempts"), empty("allocations"), []
    attempts = read.attempts
    allocations = read.allocations
    findings = []
    if read.cut is not None and read.patches.keeps_cut:
        attempts, allocations = _with_cut(attempts, allocations, read.cut)
        findings = [] if read.cut.is_drawable else [_not_drawn(read.cut)]
    blocks = _blocks(attempts, allocations, read.patches)
    return _attempts(attempts, allocations, read.patches, blocks), blocks, findings


def steps_of_patches(read: Notebook, steps: pd.DataFrame) -> pd.DataFrame:
    """Return frame `steps` with the rows of each patch in place of the rows of the attempts: a
    patch has the rows of the attempt that its settings come from.

    Rows of all attempts (null) and of levels from other files stay as they are, and come first.
    """
    named = read.patches.settled[read.patches.settled < len(read.patches.rows) - read.patches.cut]
    source = read.allocations["attempt"].to_numpy(np.int64)[read.patches.rows[named]]
    owner = steps["attempt"]
    others = steps[owner.isna() | ~owner.isin(read.attempts["attempt"])]
    pairs = pd.DataFrame(
        {"patch": np.arange(len(source)), "attempt": pd.array(source, dtype="Int64")}
    )
    own = pairs.merge(steps, on="attempt").assign(
        attempt=lambda rows: rows["patch"].astype("Int64")
    )
    return conform("steps", pd.concat([others, own[steps.columns]], ignore_index=True))


def _not_drawn(cut: CutLine) -> Diagnostic:
    text = (
        "the notebook lists the last patch but cannot draw it: its last line is cut before one_loop"
    )
    return Diagnostic("warning", "reference_patch_not_drawn", text, f"line {cut.line}")


def _with_cut(
    attempts: pd.DataFrame, allocations: pd.DataFrame, cut: CutLine
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return frames attempts and allocations with the block of the truncated line added, in a new
    attempt with its settings.
    """
    fields = cut.fields or {}
    names = ("allow_bank_conflict", "one_loop")
    settings = {name: fields[name] if isinstance(fields.get(name), int) else None for name in names}
    rank = int(attempts["attempt"].max()) + 1
    values = {"attempt": rank, "shape_secs": str(fields.get("shape_secs", "")), "line": cut.line}
    added = attempts.iloc[-1:].assign(**(values | settings))
    block = complete("allocations", pd.DataFrame([{"attempt": rank, **cut.block()}], dtype=object))
    return (
        conform("attempts", pd.concat([attempts, conform("attempts", added)], ignore_index=True)),
        conform("allocations", pd.concat([allocations, block], ignore_index=True)),
    )


def _notebook_name(name: str) -> str | None:
    """Parse a name as the notebook does, which may cut it; `None` when the notebook stops there."""
    fields = parse_fields(f"; op_name = {name}; addr = 0x0")
    spelled = None if fields is None else fields.get("op_name")
    return None if spelled is None else str(spelled)


def _blocks(
    attempts: pd.DataFrame, allocations: pd.DataFrame, own_patches: Patches
) -> pd.DataFrame:
    """Build frame `allocations` with the blocks of all patches in order, in each patch the placed
    blocks first. `attempt` is the patch, from 0.
    """
    rows = allocations.iloc[own_patches.rows[: own_patches.end]].reset_index(drop=True)
    patch = np.repeat(
        np.arange(len(own_patches)), np.diff(np.append(own_patches.starts, own_patches.end))
    )
    one_loop = (
        attempts.set_index("attempt")["one_loop"]
        .reindex(rows["attempt"])
        .to_numpy(np.int64, na_value=0)
    )
    failed = (rows["status"] == "failed").to_numpy(bool)
    order = np.lexsort((failed, patch))
    spelled = {name: _notebook_name(name) for name in rows["name"].unique()}
    hold = rows["hold"].to_numpy(bool) & (one_loop == 0)
    ordered = rows.assign(attempt=patch, hold=hold, name=rows["name"].map(spelled)).iloc[order]
    ranks = np.arange(len(ordered)) - own_patches.starts[patch[order]]
    address = _stacked_addresses(ordered, failed[order])
    return conform(
        "allocations", ordered.assign(block=ranks, address=address).reset_index(drop=True)
    )


def _stacked_addresses(blocks: pd.DataFrame, failed: Bools) -> pd.api.extensions.ExtensionArray:
    """Compute the address of each block in bytes, as Int64 without nulls: failed blocks are stacked
    above the placed blocks of their patch, in their order; ends are limited to 2^63 - 1.

    A block's patch is in column `attempt`. There must be at least one block.
    """
    patch = blocks["attempt"].to_numpy(np.int64)
    address = blocks["address"].to_numpy(np.int64, na_value=NOT_PLACED)
    size = blocks["size"].to_numpy(np.int64)
    top = np.zeros(int(patch.max()) + 1, dtype=np.int64)
    np.maximum.at(top, patch[~failed], (address + size)[~failed])
    below = pd.Series(np.where(failed, size, 0)).groupby(patch).cumsum().to_numpy(np.int64) - size
    # Sizes below 2^62 may add up to more than int64 holds, which float64 sums detect.
    rough = (
        pd.Series(np.where(failed, size, 0).astype(np.float64)).groupby(patch).cumsum() + top[patch]
    )
    stacked = np.where(rough > MAX_SUM * 0.999, MAX_SUM - size, top[patch] + below)
    return whole(np.where(failed, stacked, address))


def _attempts(
    attempts: pd.DataFrame, allocations: pd.DataFrame, own_patches: Patches, blocks: pd.DataFrame
) -> pd.DataFrame:
    """Build frame `attempts` with a row per patch, which has the settings and the chip of the
    attempt of its block `settled`.
    """
    named = allocations["attempt"].iloc[own_patches.rows[own_patches.settled]]
    source = attempts.set_index("attempt", drop=False).loc[named].reset_index(drop=True)
    by_patch = blocks.groupby("attempt")
    steps = np.maximum(by_patch["end"].max(), by_patch["start"].max() + 1).to_numpy(np.int64)
    failed = (blocks["status"] == "failed").groupby(blocks["attempt"]).any().to_numpy(bool)
    columns_of_source = (
        "shape_secs",
        "allow_bank_conflict",
        "one_loop",
        "capacity",
        "banks",
        "bank_bytes",
        "align_bytes",
        "line",
    )
    columns = {name: source[name] for name in columns_of_source}
    outcome = np.where(failed, "failed", "success")
    frame = complete(
        "attempts",
        columns | {"attempt": range(len(own_patches)), "steps": steps, "outcome": outcome},
    )
    top = blocks["address"].to_numpy(np.int64) + blocks["size"].to_numpy(np.int64)
    extent = pd.Series(top).groupby(blocks["attempt"].to_numpy()).max().to_numpy(np.int64)
    unknown = whole(np.zeros(len(own_patches), dtype=np.int64), True)
    return with_numbers(frame, blocks).assign(
        extent=whole(extent),
        bound=unknown,
        waste=unknown,
        fragmentation=np.nan,
        utilization=utilization(frame, extent),
    )
