"""Cycles of each tile of the sample network, as Deeploy's generated code prints them."""

from __future__ import annotations

from collections.abc import Iterator

from samples.deeploy_network import NETWORK, Node

_LEVEL = "L2"
_OPERATIONS_PER_CYCLE = 3.1
"""Rate of all kernels."""
_BYTES_PER_CYCLE = 8
"""Rate of all transfers."""
_BEGIN = 160
"""Cycles to begin a transfer."""
_HIDDEN = 0.85
"""Share of a transfer that the kernel of the previous tile hides."""


def tile_profile() -> list[str]:
    """Return the lines of all operators that are cut into tiles."""
    lines: list[str] = []
    for node in NETWORK:
        if node.tiles > 1:
            lines += _operator(node)
    return lines


def _operator(node: Node) -> Iterator[str]:
    label = f"{node.name}_{_LEVEL}"
    yield f"===== Profiling {label} ====="
    moved_in = (
        sum(tensor.size for tensor in (*node.inputs, *node.constants))
        / node.tiles
        / _BYTES_PER_CYCLE
    )
    moved_out = node.output.size / node.tiles / _BYTES_PER_CYCLE
    for tile in range(node.tiles):
        is_first = tile == 0
        is_last = tile == node.tiles - 1
        pre = int(_BEGIN + moved_in * (1 if is_first else 1 - _HIDDEN))
        kernel = int(
            node.operations / node.tiles / _OPERATIONS_PER_CYCLE * (1.06 if is_first else 1)
        )
        post = int(_BEGIN / 4 + moved_out * (1 if is_last else 1 - _HIDDEN))
        head = f"[{label}][DB][{node.operations} ops][Tile {tile}] "
        outside = pre + post
        total = kernel + outside
        yield f"{head}Pre-Kernel : {pre:5} cycles"
        yield f"{head}Kernel     : {kernel:5} cycles"
        yield f"{head}Post-Kernel: {post:5} cycles"
        # "Overhad" is the spelling of the tool.
        yield (
            f"{head}Total      : {total:5} cycles ({100 * kernel / total:.1f}% Kernel + {100 * outside / total:.1f}% "
            f"Overhad, {kernel} + {outside})"
        )
