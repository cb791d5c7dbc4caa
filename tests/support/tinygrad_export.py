"""An export of tinygrad's command line for tests."""

import json

from samples.tinygrad_capture import colour_name


def export_lines() -> str:
    """Write the output of `python -m tinygrad.viz.cli --json`: a method, a span, a kernel, a graph,
    a copy and a marker.
    """
    rates = {
        "FLOPS": 1_000_000_000,
        "B/s mem": 2_000_000,
        "B/s lds": 3_000_000,
        "metadata": "__matmul__",
    }
    rows: list[dict[str, object]] = [
        {"device": "SOURCE", "name": "CPU Memory", "st_ms": 0, "ref": None, "ext": None},
        {
            "device": "USER",
            "name": "matmul",
            "dur_ms": 3.5,
            "st_ms": 0.0,
            "fmt": {"loc": "a.py:3 f"},
            "ref": None,
        },
        {"device": "MARKER", "name": "train @ 0", "st_ms": 0.5, "ref": None, "ext": None},
        {
            "device": "TINY",
            "name": "linearize",
            "dur_ms": 0.0023,
            "st_ms": 0.7,
            "fmt": {},
            "ref": None,
            "ext": "",
        },
        {
            "device": "CPU",
            "name": colour_name("r_8_8"),
            "dur_ms": 0.5,
            "st_ms": 1.125,
            "fmt": rates,
            "ref": 4,
            "ext": "",
        },
        {
            "device": "CPU Graph",
            "name": "batched 2",
            "dur_ms": 1.0,
            "st_ms": 2.0,
            "fmt": {},
            "ref": None,
            "ext": "",
        },
        {
            "device": "CPU:COPY",
            "name": "TINY -> CPU",
            "dur_ms": 0.25,
            "st_ms": 2.5,
            "fmt": {"B/s": 4, "B": 64},
            "ref": None,
        },
    ]
    return "".join(json.dumps(row) + "\n" for row in rows)
