"""C code of the sample network in the style of Deeploy, reduced to buffers and operator calls.

Names are put together from parts, so that a loader does not take this module for such code.
"""

from __future__ import annotations

from collections.abc import Iterator

from samples.deeploy_network import (
    CONSTANTS,
    HOME,
    INPUT,
    NETWORK,
    OUTPUT,
    TENSORS,
    TILED,
    VIEWS,
    Node,
)
from samples.deeploy_plan import PlannedBuffer, arena

_PREFIX = "DeeployNetwork"
_ARENA = f"{_PREFIX}_MEMORYARENA"
_INCLUDES = ("pmsis.h", "pulp_nn_kernels.h", "mchan_siracusa.h", "Network.h")
_GUARD = "__DEEPLOY" + "_HEADER__"


def header(plan: dict[str, list[PlannedBuffer]]) -> str:
    """Return the text of Network.h."""
    lines = [
        f"    #ifndef {_GUARD}",
        f"    #define {_GUARD}",
        "        void RunNetwork();",
        "        void InitNetwork();",
    ]
    for level, blocks in plan.items():
        lines.append(f"extern int8_t* {_ARENA}_{level};")
        lines.append(f"static const uint32_t {_ARENA}_{level}_len = {arena(blocks)};")
    for tensor in (INPUT, OUTPUT):
        lines.append(f"extern {tensor.dtype}_t* {_PREFIX}_{tensor.name};")
        lines.append(f"static const uint32_t {_PREFIX}_{tensor.name}_len = {tensor.size};")
    return "\n".join([*lines, "    #endif", ""])


def code(plan: dict[str, list[PlannedBuffer]]) -> str:
    """Return the text of Network.c."""
    home = {block.name: block.low for block in plan[HOME]}
    lines = [f'#include "{name}"' for name in _INCLUDES]
    lines += [f"int8_t* {_ARENA}_{level};" for level in plan]
    lines += [
        f"{tensor.dtype}_t* {_PREFIX}_{tensor.name};" for tensor in (INPUT, OUTPUT, *CONSTANTS)
    ]
    for step, node in enumerate(NETWORK):
        if node.operands:
            # The tool's table begins with a 0; its last entry is the number of tiles.
            lines += [_table("uint8_t", node, "numTiles", [0, node.tiles])]
            lines += [_table("uint16_t", node, *node.cut)] if node.cut else []
            lines += [
                f"static void _{node.name}_closure(void* args){{",
                _who(node),
                *_tiles(plan, step, node),
                "}",
            ]
    lines += ["        void RunNetwork(){"]
    lines += [
        f"{tensor.dtype}_t* {_PREFIX}_{tensor.name};"
        for tensor in TENSORS
        if tensor not in (INPUT, OUTPUT)
    ]
    for node in NETWORK:
        lines += ["{", *_call(node, home), "}"]
    lines += ["        }", "        void InitNetwork(){"]
    lines += [
        f"{_ARENA}_{level} = (int8_t*) pi_malloc(sizeof(int8_t) * {arena(b)});"
        for level, b in plan.items()
    ]
    lines += [_pointer(t.name, f"{t.dtype}_t*", HOME, home[t.name]) for t in (INPUT, OUTPUT)]
    return "\n".join([*lines, "    }", ""])


def _table(dtype: str, node: Node, name: str, values: list[int]) -> str:
    """Return a C table in L1 with a value per tile, or with counts of tiles."""
    text = ", ".join(map(str, values))
    return f"static PI_L1 {dtype} {_PREFIX}_TILING_CODEGEN_L1_{node.name}_{name}[{len(values)}] = {{{text}}};"


def _who(node: Node) -> str:
    return f"// {node.op_type} (Name: {node.name}, Op: {node.op_type})"


def _pointer(name: str, dtype: str, level: str, low: int) -> str:
    return f"{_PREFIX}_{name} = ({dtype}) ((char*){_ARENA}_{level} + {low});"


def _tiles(plan: dict[str, list[PlannedBuffer]], step: int, node: Node) -> Iterator[str]:
    """Yield the lines that set the pointers of a step to its tiles."""
    tensors = (*node.inputs, *node.constants, node.output)
    operands = {
        tensor.name: (role, tensor.dtype)
        for tensor, role in zip(tensors, node.operands, strict=True)
    }
    for level in TILED:
        for block in plan[level]:
            if block.first == step and block.name in operands:
                role, dtype = operands[block.name]
                label = f"TILING_CODEGEN_{level}_{node.name}_{role}_ref"
                yield f"{dtype}_t* {_pointer(label, f'{dtype}_t*', level, block.low)}"
            elif block.first == step:
                yield f"void* {_pointer(block.name, 'void*', level, block.low)}"


def _call(node: Node, home: dict[str, int]) -> Iterator[str]:
    """Yield the lines that run an operator: the pointer to its output, then the call."""
    name = node.output.name
    if node.output in VIEWS:
        yield _who(node)
        # The plan has memory for a view, but the tool's code uses the bytes of the source.
        yield f"{_PREFIX}_{name} = {_PREFIX}_{VIEWS[node.output].name};"
    elif node.output is not OUTPUT:
        yield _pointer(name, f"{node.output.dtype}_t*", HOME, home[name])
    if node.operands:
        yield f"// _{node.name}_closure_L3 CLOSURE CALL"
        yield f"_{node.name}_closure_L3(&args);"
