"""A small training as tinygrad captures it, and the sample of it from December 2025."""

from __future__ import annotations

import gzip
from pathlib import Path

from samples.tinygrad_objects import Called
from samples.tinygrad_writer import Maker

START = 1_594_154_372_618
"""Time of the capture in microseconds, as of a machine that has run for some weeks."""
_STEPS, _SIDE = 6, 64


def write_capture(folder: Path) -> Path:
    """Write the profile.pkl and rewrites.pkl of a small training.

    Return the path of the profile.
    """
    maker = training("2025", steps=_STEPS, size=_SIDE)
    folder.mkdir(parents=True, exist_ok=True)
    profile = folder / "profile.pkl.gz"
    profile.write_bytes(gzip.compress(maker.profile(), 9, mtime=0))
    (folder / "rewrites.pkl.gz").write_bytes(gzip.compress(maker.rewrites(), 9, mtime=0))
    return profile


def training(generation: str = "0.12", steps: int = 3, size: int = 8) -> Maker:
    """Create the capture of a small training in the format of a generation.

    It has a copy, `steps` steps of two kernels and a graph, allocations, frees and markers. `size`
    is the side of the matrices.
    """
    maker = Maker(generation)
    names = {"r_8_8": colour_name("r_8_8"), "E_8": colour_name("E_8")}
    stack = (
        ("/home/someone/tinygrad/tensor.py", 12, "_wrapper", "ret = fn()"),
        ("train.py", 3, "<module>", "step(x)"),
    )
    keys = {"r_8_8": b"\x01" * 32, "E_8": b"\x02" * 32}
    maker.device("CPU").alloc("CPU", 0, size * size, START).alloc("NPY", 1, size * size, START + 1)
    maker.launch("CPU", 10, "\x1b[33mcopy  256 B, CPU <- NPY\x1b[0m", START + 2, buffers=(0, 1))
    row = "CPU" if maker.old else "CPU:COPY"
    maker.range(row, "TINY -> CPU", f"{START + 3}.25", f"{START + 4}.5", copy=True).free(
        "NPY", 1, START + 5
    )
    for step in range(steps):
        at = START + 100 * (step + 1)
        maker.marker(f"train @ {step}", at, "blue").alloc("CPU", 2 + step, size * size, at + 1)
        maker.range("USER", maker.tracing_key("matmul", stack=stack), at + 2, at + 60).range(
            "TINY", "linearize", at + 3, at + 9
        )
        for place, name in enumerate(("r_8_8", "E_8")):
            begin = at + 10 + 20 * place
            maker.launch("CPU", 20 + 2 * step + place, names[name], begin, buffers=(2 + step, 0))
            # tinygrad writes decimal microseconds, so that a reader must not round them.
            maker.range("CPU", name, f"{begin}.5", f"{begin + 10}.75", key=keys[name])
        entries = [("CPU", "r_8_8", 0, 1), ("CPU", "E_8", 2, 3)]
        maker.graph(entries, [at + 70, at + 75, at + 76, at + 80], keys.values())
        maker.free("CPU", 2 + step, at + 90)
    estimates = {"ops": 2 * size**3, "lds": 8 * size**3, "mem": 12 * size * size}
    uops = gemm_uops(maker, size) if maker.old else ()
    maker.kernel(
        names["r_8_8"],
        "r_8_8",
        estimates,
        uops,
        source="void r_8_8(float* a) {}",
        key=keys["r_8_8"],
    )
    estimates = {"ops": size, "lds": 8 * size, "mem": 8 * size}
    maker.kernel(names["E_8"], "E_8", estimates, source="void E_8() {}", key=keys["E_8"])
    maker.context(
        "Schedule 2 Kernels n1",
        ("Schedule 2 Kernels n1",),
        [maker.rewrite("view", 1), maker.rewrite("in", 3, 1)],
    )
    return maker


def gemm_uops(maker: Maker, n: int) -> list[Called]:
    """Return the operations of a plain N x N x N matrix product.

    It runs N threads, each with a loop over columns around a loop over K.
    """
    real = maker.dtype("float")
    size = maker.uop("CONST", (), n)
    c, a, b = (maker.uop("DEFINE_GLOBAL", (), place, maker.pointer(n * n)) for place in range(3))
    register = maker.uop("DEFINE_REG", (), 0, maker.pointer(1, space=3))
    zero = maker.uop("CONST", (), 0)
    row = maker.uop("SPECIAL", (size,), "gidx0")
    column = maker.uop("RANGE", (size,), 0)
    k = maker.uop("RANGE", (size,), 1)
    row_begin = maker.uop("MUL", (row, size))
    a_place = maker.uop("ADD", (row_begin, k))
    b_row = maker.uop("MUL", (k, size))
    b_place = maker.uop("ADD", (b_row, column))
    c_place = maker.uop("ADD", (row_begin, column))
    pointers = [
        maker.uop("INDEX", (base, place), None, maker.pointer(n * n))
        for base, place in ((a, a_place), (b, b_place), (c, c_place))
    ]
    total = maker.uop("INDEX", (register, zero), None, maker.pointer(1, space=3))
    before = maker.uop("LOAD", (total,), None, real)
    left = maker.uop("LOAD", (pointers[0],), None, real)
    right = maker.uop("LOAD", (pointers[1],), None, real)
    product = maker.uop("MUL", (left, right), None, real)
    summed = maker.uop("ADD", (before, product), None, real)
    accumulated = maker.uop("STORE", (total, summed))
    result = maker.uop("LOAD", (total,), None, real)
    stored = maker.uop("STORE", (pointers[2], result))
    address = [size, zero, c, a, b, register, row, column, row_begin, c_place, pointers[2]]
    loop = [
        k,
        a_place,
        b_row,
        b_place,
        *pointers[:2],
        total,
        before,
        left,
        right,
        product,
        summed,
        accumulated,
    ]
    return [
        *address,
        *loop,
        maker.uop("END", (accumulated, k)),
        result,
        stored,
        maker.uop("END", (stored, column)),
    ]


def colour_name(name: str) -> str:
    """Return a kernel's name with tinygrad's colours: `r_32_4` has a blue 32 and a yellow 4."""
    first, *numbers = name.split("_")
    codes = ["34", "33", "31", "36", "35"]
    axes = [
        f"\x1b[{code}m{number}\x1b[0m"
        for code, number in zip(codes * len(numbers), numbers, strict=False)
    ]
    return "\x1b[90m_\x1b[0m".join([first, *axes])
