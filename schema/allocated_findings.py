"""Finding about devices that allocated more than was reserved, of snapshots and of traces."""

from __future__ import annotations

import numpy as np
import pandas as pd

from schema.diagnostics import Diagnostic
from schema.plurals import plural


def allocated_findings(device_memory: pd.DataFrame) -> list[Diagnostic]:
    """Return a list with a finding about the devices on which the peak of allocated bytes exceeds the
    peak of reserved bytes, or []. Allocated bytes are a part of the reserved bytes.

    Memory that an allocator does not reserve, such as that of the host, has 0 reserved bytes.
    """
    allocated, reserved = (
        device_memory[name].to_numpy(np.float64, na_value=np.nan)
        for name in ("peak_allocated", "peak_reserved")
    )
    over = (reserved > 0) & (allocated > reserved)
    if not over.any():
        return []
    worst = int(np.where(over, allocated - reserved, -np.inf).argmax())
    device = str(device_memory["device"].iloc[worst])
    text = (
        f"{plural(int(over.sum()), 'device')} allocated more than was reserved: {device} allocated "
        f"{int(allocated[worst])} of {plural(int(reserved[worst]), 'byte')}, so that entries are wrong or missing"
    )
    return [Diagnostic("warning", "reserved_exceeded", text, device, int(over.sum()))]
