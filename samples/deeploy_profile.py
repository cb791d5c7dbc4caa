"""What each tile of the network took, as the tool's generated code prints it when it is profiled."""

from __future__ import annotations

from collections.abc import Iterator

from samples.deeploy_network import NETWORK, Node

_LEVEL = "L2"
_OPERATIONS_PER_CYCLE = 3.1
_BYTES_PER_CYCLE = 8
_BEGIN = 160
_HIDDEN = 0.85
"""Part of a transfer that the kernel of the tile before covers."""


def tile_profile() -> list[str]:
    """Return the lines of all operators that are cut into tiles."""
    return [line for node in NETWORK if node.tiles > 1 for line in _operator(node)]


def _operator(node: Node) -> Iterator[str]:
    label = f"{node.name}_{_LEVEL}"
    yield f"===== Profiling {label} ====="
    moved_in = sum(tensor.size for tensor in (*node.inputs, *node.constants)) / node.tiles / _BYTES_PER_CYCLE
    moved_out = node.output.size / node.tiles / _BYTES_PER_CYCLE
    for tile in range(node.tiles):
        is_first, is_last = tile == 0, tile == node.tiles - 1
        pre = int(_BEGIN + moved_in * (1 if is_first else 1 - _HIDDEN))
        kernel = int(node.operations / node.tiles / _OPERATIONS_PER_CYCLE * (1.06 if is_first else 1))
        post = int(_BEGIN / 4 + moved_out * (1 if is_last else 1 - _HIDDEN))
        head = f"[{label}][DB][{node.operations} ops][Tile {tile}] "
        total, outside = pre + kernel + post, pre + post
        yield f"{head}Pre-Kernel : {pre:5} cycles"
        yield f"{head}Kernel     : {kernel:5} cycles"
        yield f"{head}Post-Kernel: {post:5} cycles"
        # the tool's own spelling
        yield (
            f"{head}Total      : {total:5} cycles ({100 * kernel / total:.1f}% Kernel + {100 * outside / total:.1f}% "
            f"Overhad, {kernel} + {outside})"
        )
