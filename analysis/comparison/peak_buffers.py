"""Device memory at the peaks of two profiles: live buffers, grouped by the kernel that wrote them
and by size.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from analysis.comparison.cause import Cause
from analysis.comparison.profile import Profile

_KEYS = ["device", "kernel", "size"]
"""Columns by which buffers are grouped."""
NOBODY = "no kernel"
"""Name of the group of buffers that no kernel wrote."""


def peak_buffers(
    base: Profile, new: Profile, renamed: Sequence[tuple[str, str]] = ()
) -> pd.DataFrame:
    """Count the buffers that are alive at the peak of each device on both sides, a row per device,
    kernel (str) and size (int64, bytes).

    Columns of counts are `count_base` and `count_new` (int64), then `bytes` (int64, new - base) and
    `change` (born, gone, grown, shrunk, same); the largest difference comes first. A buffer belongs
    to the kernel that wrote it first, or to `no kernel`. `renamed` has pairs of kernel names (base,
    new) that match; groups use the new name.
    """
    sides = [_groups(profile) for profile in (base, new)]
    names = dict(renamed)
    # Groups of both sides must have the same name to be counted against each other.
    sides[0]["kernel"] = [names.get(name, name) for name in sides[0]["kernel"]]
    counted = [
        side.groupby(_KEYS, sort=False).size().rename(f"count_{of}")
        for side, of in zip(sides, ("base", "new"), strict=True)
    ]
    groups = pd.concat(counted, axis=1).fillna(0).astype("int64").reset_index()
    more = groups["count_new"] - groups["count_base"]
    groups["bytes"] = more * groups["size"]
    is_so = [groups["count_base"] == 0, groups["count_new"] == 0, more > 0, more < 0]
    groups["change"] = np.select(is_so, ["born", "gone", "grown", "shrunk"], "same")
    return groups.iloc[np.argsort(-groups["bytes"].abs().to_numpy(), kind="stable")].reset_index(
        drop=True
    )


def peak_causes(base: Profile, new: Profile, renamed: Sequence[tuple[str, str]]) -> list[Cause]:
    """List the groups of buffers that change the run's peak memory, on the device with the highest
    peak, largest first; they sum to the change of the peak in bytes.

    [] if another device has the highest peak than before, or either side has no peak.
    """
    highest = [
        max(profile.peaks, key=lambda device: profile.peaks[device], default=None)
        for profile in (base, new)
    ]
    if highest[0] is None or highest[0] != highest[1]:
        return []
    groups = peak_buffers(base, new, renamed)
    changed = groups[(groups["device"] == highest[0]) & (groups["bytes"] != 0)]
    rows = zip(changed["kernel"], changed["change"], changed["bytes"].tolist(), strict=True)
    return [
        Cause("peak_memory", f"buffers {change}", kernel, amount, "bytes")
        for kernel, change, amount in rows
    ]


def _groups(profile: Profile) -> pd.DataFrame:
    """List the buffers alive at the peak of their device, a row each: device (name), kernel that
    wrote it first (`no kernel` if unknown), size (bytes).
    """
    devices = profile.devices[profile.devices["peak_step"].notna()]
    peaks = dict(
        zip(devices["attempt"].astype(int), devices["peak_step"].astype("int64"), strict=True)
    )
    names = dict(zip(devices["attempt"].astype(int), devices["level"].astype("str"), strict=True))
    blocks = profile.buffers
    peak = blocks["attempt"].map(peaks)
    alive = (blocks["start"] <= peak) & (peak < blocks["end"])
    rows = blocks[alive.fillna(value=False).to_numpy(bool)]
    keys = pd.MultiIndex.from_frame(rows[["attempt", "block"]].astype("int64"))
    # If there are no launches at all, the names have type float.
    kernel = profile.writers.reindex(keys).astype("object").fillna(NOBODY).to_numpy()
    return pd.DataFrame(
        {
            "device": rows["attempt"].astype(int).map(names).to_numpy(),
            "kernel": kernel,
            "size": rows["size"].to_numpy(np.int64),
        }
    )
