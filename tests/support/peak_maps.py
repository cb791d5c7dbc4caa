"""Plans of a chain of operators, drawn from a seed, of which a late free can be planted.

A plan frees each tensor after its last use, so that a clean plan has nothing to free earlier.
"""

from dataclasses import dataclass, replace

import numpy as np

from analysis.allocators.packing import pack_map
from analysis.memory.attempt_map import AttemptMap, MapFacts
from tests.support.memory import amap, block, uses

STEPS = 12
DEVICE = MapFacts(unit="ns", addressed=False, devices=True)


@dataclass(frozen=True)
class Plan:
    """A map, and the block that is freed late in it (None in a clean plan) with its last use."""

    shown: AttemptMap
    planted: int | None
    last_use: int | None


def drawn_plan(seed, *, late=False, placed=True):
    """Generate the plan of a seed: blocks placed by best fit, or without `placed` the buffers of a
    device.

    A `late` block is alive to step STEPS although its last use is in step 1, before all peaks.
    """
    random = np.random.default_rng(seed)
    # The peak comes after the last use of the planted tensor, which is alone in the first steps.
    tensors = [
        _tensor(random, made) for made in range(2, STEPS) for _ in range(random.integers(1, 3))
    ]
    planted = len(tensors)
    tensors.append((0, [1], int(random.integers(200, 400))))
    ends = [read[-1] + 1 for _, read, _ in tensors]
    if late:
        ends[planted] = STEPS
    rows = [
        block(f"t{at}", made, end, None, size)
        for at, ((made, _, size), end) in enumerate(zip(tensors, ends, strict=True))
    ]
    used = [(0, at, made, "w") for at, (made, _, _) in enumerate(tensors)]
    used += [(0, at, step, "r") for at, (_, read, _) in enumerate(tensors) for step in read]
    shown = amap(rows, uses=uses(used), length=STEPS + 1)
    shown = pack_map(shown, "best_fit") if placed else replace(shown, facts=DEVICE)
    return Plan(shown, planted if late else None, 1 if late else None)


def _tensor(random, made):
    """Draw a tensor that step `made` writes: (writing step, reading steps, bytes)."""
    later = np.arange(made + 1, min(made + 5, STEPS))
    count = min(len(later), int(random.integers(1, 3)))
    read = sorted(random.choice(later, count, replace=False).tolist()) if count else [made]
    return made, read, int(random.integers(64, 512))
