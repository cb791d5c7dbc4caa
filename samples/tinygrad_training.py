"""The program of the tinygrad samples: a product of two matrices, then a training of two layers.

It runs with the tinygrad that `make_tinygrad` installs, 0.12 or later, in a separate Python.
"""

from __future__ import annotations

import sys

from tinygrad import Device, Tensor, TinyJit
from tinygrad.helpers import profile_marker

SIDE, BATCH, WIDTH = 256, 64, 32
"""Side of the matrices, samples of a step, and width of the network, in elements."""


def products(runs: int) -> None:
    """Multiply the same two matrices `runs` times."""
    left, right = (Tensor.empty(SIDE, SIDE).realize() for _ in range(2))
    for _ in range(runs):
        (left @ right).realize()
        # On the CPU, 0.14 only times a kernel's last run before each synchronization.
        Device[Device.DEFAULT].synchronize()


def train(steps: int) -> None:
    """Fit two layers by gradient descent.

    The first step runs kernel by kernel; the second is captured as a graph, which later steps
    replay.
    """
    if not steps:
        return
    weights = [Tensor.full((WIDTH, WIDTH), 0.01).contiguous().realize() for _ in range(2)]
    given = Tensor(
        [[(row * column % 7) / 7 for column in range(WIDTH)] for row in range(BATCH)]
    ).realize()
    first, second = weights

    @TinyJit
    def step() -> Tensor:
        loss = ((given @ first).relu() @ second - given).square().mean()
        gradients = loss.gradient(*weights)
        updated = [
            weight.assign(weight - 0.1 * by) for weight, by in zip(weights, gradients, strict=True)
        ]
        return loss.realize(*updated)

    for number in range(steps):
        profile_marker(f"train @ {number}", "#2f7ed8")
        step().item()
    profile_marker("trained")


if __name__ == "__main__":
    products(int(sys.argv[1]))
    train(int(sys.argv[2]))
