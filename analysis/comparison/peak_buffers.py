"""Device memory at the peaks of two profiles: buffers alive there, grouped by who wrote them and their size."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from analysis.comparison.cause import Cause
from analysis.comparison.profile import Profile

_KEYS = ["device", "kernel", "size"]
NOBODY = "no kernel"


def peak_buffers(base: Profile, new: Profile, renamed: Sequence[tuple[str, str]] = ()) -> pd.DataFrame:
    """Return a row per group of buffers alive at a peak: device, kernel (str), size (int64), and of both sides count.

    `count_base`, `count_new` (int64), `bytes` (int64, new - base) and `change` (born, gone, grown, shrunk, same),
    those first that make most of the difference. A buffer belongs to the kernel that wrote it first. `renamed` has the
    names of kernels in the base and in the new run that belong together: groups go by the latter.
    """
    sides = [_groups(profile) for profile in (base, new)]
    names = dict(renamed)
    sides[0]["kernel"] = [names.get(name, name) for name in sides[0]["kernel"]]
    counted = [
        side.groupby(_KEYS, sort=False).size().rename(f"count_{of}")
        for side, of in zip(sides, ("base", "new"), strict=True)
    ]
    found = pd.concat(counted, axis=1).fillna(0).astype("int64").reset_index()
    more = found["count_new"] - found["count_base"]
    found["bytes"] = more * found["size"]
    is_so = [found["count_base"] == 0, found["count_new"] == 0, more > 0, more < 0]
    found["change"] = np.select(is_so, ["born", "gone", "grown", "shrunk"], "same")
    return found.iloc[np.argsort(-found["bytes"].abs().to_numpy(), kind="stable")].reset_index(drop=True)


def peak_causes(base: Profile, new: Profile, renamed: Sequence[tuple[str, str]]) -> list[Cause]:
    """Return the groups of buffers that change the peak of the run: those of the device with the highest one.

    They sum to the change of the peak, in bytes. None where another device has it than before.
    """
    highest = [max(profile.peaks, key=lambda device: profile.peaks[device], default=None) for profile in (base, new)]
    if highest[0] is None or highest[0] != highest[1]:
        return []
    found = peak_buffers(base, new, renamed)
    changed = found[(found["device"] == highest[0]) & (found["bytes"] != 0)]
    rows = zip(changed["kernel"], changed["change"], changed["bytes"].tolist(), strict=True)
    return [Cause("peak_memory", f"buffers {change}", kernel, amount, "bytes") for kernel, change, amount in rows]


def _groups(profile: Profile) -> pd.DataFrame:
    """Return a row per buffer alive at the peak of its device: device, kernel, size."""
    devices = profile.devices[profile.devices["peak_step"].notna()]
    peaks = dict(zip(devices["attempt"].astype(int), devices["peak_step"].astype("int64"), strict=True))
    names = dict(zip(devices["attempt"].astype(int), devices["level"].astype("str"), strict=True))
    blocks = profile.buffers
    peak = blocks["attempt"].map(peaks)
    alive = (blocks["start"] <= peak) & (peak < blocks["end"])
    rows = blocks[alive.fillna(value=False).to_numpy(bool)]
    keys = pd.MultiIndex.from_frame(rows[["attempt", "block"]].astype("int64"))
    # names of no launch at all are floats
    kernel = profile.writers.reindex(keys).astype("object").fillna(NOBODY).to_numpy()
    return pd.DataFrame(
        {
            "device": rows["attempt"].astype(int).map(names).to_numpy(),
            "kernel": kernel,
            "size": rows["size"].to_numpy(np.int64),
        }
    )
