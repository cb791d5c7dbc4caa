"""What an ONNX Runtime profile reports of devices: kernels and copies on their streams."""

from __future__ import annotations

import pandas as pd

from data_loaders.kineto.categories import device_class
from data_loaders.onnxruntime.entries import DEVICE
from data_loaders.onnxruntime.nodes import named_by_operator
from schema.torch_profiler import KERNEL


def read_executions(spans: pd.DataFrame) -> pd.DataFrame:
    """Select the spans on devices, with columns `class`, `device`, the name of their device, and
    `row`, their track, which begins with that name.

    A process without a stream has a track by its thread.
    """
    own = spans[(spans["cat"] == DEVICE).to_numpy(bool)].reset_index(drop=True)
    name = named_by_operator(own)
    classes = {text: device_class(text, KERNEL) for text in name.unique()}
    stream = own["stream"].fillna(own["tid"])
    several = own["pid"].nunique() > 1
    device = "device " + own["pid"].astype("str").fillna("unknown") if several else "device"
    # Profiles number their devices as processes, and the only one is number -1.
    device = pd.Series(device, index=own.index, dtype="str")
    return own.assign(
        name=name,
        stream=stream,
        device=device,
        row=device + " stream " + stream.astype("str").fillna("unknown"),
        **{"class": name.map(classes).astype("str")},
    )
