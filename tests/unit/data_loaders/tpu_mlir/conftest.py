"""A log of TPU-MLIR is written with the files beside it, and read."""

import pandas as pd
import pytest

from data_loaders.tpu_mlir.log import TpuMlirLoader
from schema.frames import conform


@pytest.fixture
def load(tmp_path):
    """Write a log under a name, and files beside it, and read them as a run."""

    def write_and_read(text, name="net.log", origin=None, beside=None, **chosen):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        for other, content in (beside or {}).items():
            path.with_name(other).write_text(content)
        bundle = TpuMlirLoader().bundle(path)
        run = TpuMlirLoader().load(path, chosen, origin, bundle.companions)
        for frame_name, frame in run.frames.items():
            pd.testing.assert_frame_equal(conform(frame_name, frame), frame)
        return run

    return write_and_read
