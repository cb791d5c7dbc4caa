"""What tests alone need of tinygrad captures: an export of the command line, a training of any length. The rest is the
samples' writer, handed on.
"""

import json

from samples.tinygrad_capture import START, colour_name, gemm_uops, training
from samples.tinygrad_objects import (
    AddrSpace,
    DType,
    Estimates,
    GraphEvent,
    Metadata,
    Ops,
    ParamArg,
    PtrDType,
    TracingKey,
    call_class,
    dumps,
    fields_class,
    micros,
)
from samples.tinygrad_writer import GENERATIONS, Maker

__all__ = (
    "GENERATIONS",
    "START",
    "AddrSpace",
    "DType",
    "Estimates",
    "Maker",
    "Metadata",
    "Ops",
    "ParamArg",
    "PtrDType",
    "TracingKey",
    "call_class",
    "colour_name",
    "dumps",
    "export_lines",
    "fields_class",
    "gemm_uops",
    "long_training",
    "micros",
    "training",
)


def export_lines() -> str:
    """Return what `python -m tinygrad.viz.cli --json` prints: a method, a span, a kernel, a copy and a marker."""
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


def long_training(steps: int, generation: str = "0.12", kernels: int = 28) -> Maker:
    """Return a training run with 35 events a step, one of them a graph; 33,400 steps are 1.17 million events."""
    maker = Maker(generation).device("CPU", "-1.59725")
    names = [f"r_{place}_8" for place in range(kernels)]
    file = "/home/someone/model.py"
    outer = (file, 3, "<module>", "step()")
    stacks = [((file, line, "forward", f"x = self.layer{line}(x)"), outer) for line in range(12)]
    replayed = (
        Maker(generation)
        .graph([("CPU", name, 2 * k, 2 * k + 1) for k, name in enumerate(names)], ())
        .events[0]
    )
    for step in range(steps):
        at = START + 1000 * step
        maker.marker(f"train @ {step}", at)
        for place, stack in enumerate(stacks):
            maker.range(
                "USER",
                maker.tracing_key(f"method{place}", stack=stack),
                f"{at + place}.125",
                f"{at + place + 3}.5",
            )
        for place in range(10):
            maker.range(
                "TINY", f"rewrite {place}", f"{at + 40 + place}.001", f"{at + 41 + place}.998"
            )
        for place in range(4):
            maker.alloc("CPU", 4 * step + place, 1000 + place, f"{at + 60 + place}.5")
        for place in range(3):
            number = 3 * step + place
            maker.launch(
                "CPU",
                number,
                colour_name(names[place]),
                f"{at + 70 + place}.25",
                buffers=(4 * step, 4 * step + 1),
            )
        times = [micros(f"{at + 100 + 2 * place}.375") for place in range(2 * kernels)]
        maker.add(GraphEvent(**{**vars(replayed), "sigs": times}))
        for place in range(4):
            maker.free("CPU", 4 * step + place, f"{at + 900 + place}.5")
    return maker
