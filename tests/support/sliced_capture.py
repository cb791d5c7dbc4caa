"""A capture of two slices of a trace buffer."""

import pandas as pd

from schema.frames import conform
from tests.support.gemm_trace import Core, frames

SLICES = ("dev_a/s", "dev_b/t")
FAST = {"cores": (Core("2,0").run(4), Core("3,0").run(4))}
SLOW = {"cores": (Core("2,0").run(6, duration=300),)}


def sliced():
    """Return a capture of two slices: first two fast cores, then a slow core at the place of the
    first core.
    """
    parts = [frames(*FAST["cores"]), frames(*SLOW["cores"])]
    renamed = [parts[0], {**parts[1]}]
    for name in ("tracks", "events"):
        renamed[1][name] = parts[1][name].assign(track=parts[1][name]["track"].astype(str) + " #2")
    for own, label in zip(renamed, SLICES, strict=True):
        own["tracks"] = own["tracks"].assign(slice=label)
    joined = {
        name: conform(
            name, pd.concat([own[name].astype({"track": object}) for own in renamed])
        ).reset_index(drop=True)
        for name in ("tracks", "events")
    }
    return {**parts[0], **joined}
