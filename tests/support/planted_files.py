"""Files of plans and recordings, drawn from a seed, in which a buffer is freed long after its last use.

Without the late free, each buffer ends with its last use. The late buffer is alone in the first steps, so that all
peaks come after its last use.
"""

from dataclasses import dataclass

import numpy as np

from analysis.allocators.packing import pack_map
from samples.tinygrad_capture import START
from samples.tinygrad_writer import Maker
from tests.support.memory import amap, block
from tests.support.profile_data import write_capture

_TICK = 1_000
"""Ticks of tinygrad's clock (us) between two steps."""


@dataclass(frozen=True)
class Tensor:
    """A buffer that step `made` writes and the steps in `read` use; alive to the end of step `last`."""

    name: str
    made: int
    read: list
    last: int
    size: int


def drawn_tensors(seed, *, late):
    """Return a tensor for each of 10 to 29 steps; the first is used last by step 1."""
    random = np.random.default_rng(seed)
    steps = int(random.integers(10, 30))
    tensors = []
    for made in range(steps):
        later = np.arange(made + 1, min(made + 5, steps))
        count = min(len(later), int(random.integers(1, 3)))
        read = sorted(random.choice(later, count, replace=False).tolist()) if count else []
        size = 16 * int(random.integers(4, 40))
        if made < 2:
            read, size = [made + 1], [800, 16][made]
        tensors.append(Tensor(f"t{made}", made, read, max([made, *read]), size))
    if late:
        first = tensors[0]
        tensors[0] = Tensor(first.name, 0, first.read, steps - 1, first.size)
    return tensors


def write_xla(folder, tensors):
    """Write a module of XLA as three texts: assignment with offsets, live ranges, values with their uses."""
    rows = [block(t.name, t.made, t.last + 1, None, t.size) for t in tensors]
    packed = pack_map(amap(rows, length=len(tensors)), "best_fit").blocks
    offsets = dict(zip(packed["name"], packed["address"].astype(int), strict=True))
    extent = max(offsets[t.name] + t.size for t in tensors)
    assignment = ["BufferAssignment:", f"allocation 0: size {extent}, preallocated-temp:"]
    ranges = [f"HloLiveRange (max {len(tensors)}):", "  InstructionSequence:"]
    ranges += [f"    {t.made}:{t.name}" for t in tensors]
    ranges.append("  BufferLiveRange:")
    values = ["", f"Total bytes used: {extent} (1KiB)", "", "Used values:"]
    for t in tensors:
        place = f"(size={t.size},offset={offsets[t.name]}): f32[{t.size // 4}]"
        assignment.append(f" value: <{t.made} {t.name} @0> {place}")
        ranges.append(f"    {t.name}{{}}:{t.made}-{t.last}")
        users = [f"  t{step}, operand 0" for step in t.read] or ["  (none)"]
        values += [f"<{t.made} {t.name} @0>", " positions:", f"  {t.name}", " uses:", *users]
        values.append(f" from instruction: %{t.name}")
    stem = "module_0001.jit_drawn.cpu_after_optimizations"
    texts = {"buffer-assignment": assignment, "live-range": ranges}
    texts["buffer-assignment-values"] = values
    for name, lines in texts.items():
        (folder / f"{stem}-{name}.txt").write_text("\n".join(lines) + "\n")


def write_tinygrad(folder, tensors):
    """Write a profile of tinygrad: a kernel per step, and the buffers that it writes and reads."""
    maker = Maker("0.13").device("CPU")
    for step, made in enumerate(tensors):
        at = START + step * _TICK
        maker.alloc("CPU", step, made.size, at)
        read = [t.made for t in tensors if step in t.read]
        maker.launch("CPU", step, f"r_{step}", at + 100, buffers=(step, *read))
        maker.range("CPU", f"r_{step}", at + 100, at + 200)
        for t in tensors:
            # The last buffers are not freed: what a recording does not see freed is not advised.
            if t.last == step and t.last < len(tensors) - 1:
                maker.free("CPU", t.made, at + 300)
    if tensors[0].last == len(tensors) - 1:
        maker.free("CPU", 0, START + len(tensors) * _TICK)
    write_capture(folder, maker)
