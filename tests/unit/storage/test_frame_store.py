"""Frames as files: who frees the memory that they are read from."""

import threading

import numpy as np
import pandas as pd

from schema.frames import LONG
from storage.frame_store import FrameStore

_READS = 50
"""Without a copy, one in ten reads of a long frame was last let go of by a thread of Arrow's."""


def test_no_other_thread_frees_python_memory_of_a_long_frame(tmp_path, monkeypatch):
    store = FrameStore(str(tmp_path))
    numbers = np.arange(LONG + 1)
    edges = pd.DataFrame({"node": numbers, "port": numbers, "source": numbers})
    (file,) = store.write("run", {"graph_edges": edges})
    freed = []

    class Content(bytes):
        def __del__(self):
            freed.append(threading.get_ident())

    read = store.files.read_range
    monkeypatch.setattr(store.files, "read_range", lambda *place: Content(read(*place)))
    for _ in range(_READS):
        assert len(store.read(file)) == len(numbers)
    assert freed == [threading.get_ident()] * _READS
