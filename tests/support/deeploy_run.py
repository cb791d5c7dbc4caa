"""Small Deeploy runs, written as Deeploy writes them: a plot per memory level, a graph, generated
code, a log.

`Net` and `Placed` describe a network and its placement; `TOY` has four steps with a view, a
transient, constants of two types and three memory levels. `write_run(folder)` writes all files of a
run.
"""

from onnx import TensorProto, helper

from tests.support.deeploy_net import TOY
from tests.support.deeploy_plot import plot_html

ELEMENTS = {
    "int8": TensorProto.INT8,
    "uint8": TensorProto.UINT8,
    "int32": TensorProto.INT32,
    "int64": TensorProto.INT64,
}
RULE = "[Deeploy] " + "=" * 80


def graph_bytes(net=TOY):
    """Build the content of backend_post_parsing.onnx."""

    def value(name):
        dtype, shape = net.tensors[name]
        made = helper.make_tensor_value_info(name, ELEMENTS[dtype], shape)
        made.doc_string = f"Biased: True, nLevels: 256, Deeploy: True, Type: {dtype}_t*, Reference Type: {dtype}_t"
        return made

    nodes = [
        helper.make_node(
            n.op, list(n.inputs), list(n.outputs), name=n.name, mapping="Deeploy.Targets.Template"
        )
        for n in net.nodes
    ]
    # The weights themselves lie in a file of their own, which nobody looks for.
    constants = []
    for name, (dtype, shape) in net.constants.items():
        weight = TensorProto(
            name=name, data_type=ELEMENTS[dtype], dims=shape, data_location=TensorProto.EXTERNAL
        )
        weight.external_data.add(key="location", value="backend_post_parsing.onnx.data")
        constants.append(weight)
    inner = [name for name in net.tensors if name not in (*net.inputs, *net.outputs)]
    graph = helper.make_graph(
        nodes,
        "net",
        [value(n) for n in net.inputs],
        [value(n) for n in net.outputs],
        constants,
        value_info=[value(n) for n in inner],
    )
    return helper.make_model(graph).SerializeToString()


def _pointer(name, dtype, level, offset, declare=False):
    star = f"{dtype} " if declare else ""
    return f"         {star}DeeployNetwork_{name} = ({dtype}) ((char*)DeeployNetwork_MEMORYARENA_{level} + {offset});"


def _tiles(net, step, node):
    """Yield the C statements that set the tile pointers of one step."""
    names = dict(zip((*node.inputs, *node.outputs), node.operands, strict=False))
    for level, placed in net.levels.items():
        if level == net.home:
            continue
        for name, first, _, low, _ in placed.blocks:
            if first != step:
                continue
            if name in net.transients:
                yield _pointer(name, "void*", level, low, declare=True)
            elif name in names:
                dtype = (net.tensors | net.constants)[name][0]
                label = f"TILING_CODEGEN_{level}_{node.name}_{names[name]}_ref"
                yield _pointer(label, f"{dtype}_t*", level, low, declare=True)


def network_c(net=TOY):
    """Write the text of Network.c: constants, a closure per tiled operator, RunNetwork,
    InitNetwork.
    """
    home = {name: low for name, _, _, low, _ in net.levels[net.home].blocks}
    arenas = [level for level, placed in net.levels.items() if placed.arena]
    lines = [
        '#include "pmsis.h"',
        '#include "mchan_siracusa.h"',
        '#include "mchan_v7.h"',
        '#include "Network.h"',
        "",
    ]
    lines += [f"int8_t* DeeployNetwork_MEMORYARENA_{level};" for level in arenas]
    lines += [
        f"static PI_L2 {t}_t DeeployNetwork_{name}[{s[0]}] = {{0}};"
        for name, (t, s) in net.constants.items()
    ]
    for step, node in enumerate(net.nodes):
        if node.operands:
            lines += [
                f"static void _{node.name}_closure(void* args){{",
                f"// {node.op} (Name: {node.name}, Op: {node.op})",
            ]
            lines += [*_tiles(net, step, node), "}"]
    lines += ["        void RunNetwork(){"]
    inner = [name for name in net.tensors if name not in (*net.inputs, *net.outputs)]
    lines += [f"{net.tensors[name][0]}_t* DeeployNetwork_{name};" for name in inner]
    for node in net.nodes:
        lines.append("{")
        for name in node.outputs:
            if name in net.views:
                lines.append(f"// View (Name: {node.name}, Op: {node.op})")
                lines.append(f"DeeployNetwork_{name} = DeeployNetwork_{net.views[name]};")
            elif name not in net.outputs:
                lines.append(_pointer(name, f"{net.tensors[name][0]}_t*", net.home, home[name]))
        if node.operands:
            lines += [
                f"// _{node.name}_closure_L3 CLOSURE CALL",
                f"_{node.name}_closure_L3(&args);",
            ]
        lines.append("}")
    lines += ["        }", "        void InitNetwork(){"]
    lines += [
        f"DeeployNetwork_MEMORYARENA_{level} = (int8_t*) pi_malloc(sizeof(int8_t) * {net.levels[level].arena});"
        for level in arenas
    ]
    lines += [
        _pointer(n, f"{net.tensors[n][0]}_t*", net.home, home[n])
        for n in (*net.inputs, *net.outputs)
    ]
    return "\n".join([*lines, "    }", "    "])


def network_h(net=TOY):
    """Write the text of Network.h."""
    lines = [
        "    #ifndef __DEEPLOY_HEADER__",
        "    #define __DEEPLOY_HEADER__",
        "        void RunNetwork();",
    ]
    for level, placed in net.levels.items():
        if placed.arena:
            lines.append(f"extern int8_t* DeeployNetwork_MEMORYARENA_{level};")
            lines.append(
                f"static const uint32_t DeeployNetwork_MEMORYARENA_{level}_len = {placed.arena};"
            )
    lines += [
        f"extern {net.tensors[n][0]}_t* DeeployNetwork_{n};" for n in (*net.inputs, *net.outputs)
    ]
    return "\n".join([*lines, "    #endif", "    "])


def run_log(net=TOY, more=()):
    """Write the log of a run with `-v`; `more` are further lines in its middle."""
    lines = [RULE, "[Deeploy] Deeploy FrontEnd", RULE]
    lines += [
        f"[Deeploy]  ✔ Parsed network with {net.steps} layers after 1 iterations in 8.073 ms",
        *more,
    ]
    lines += ["[Deeploy]  ✔ Memory allocation successful!"]
    lines += ["[Deeploy]  > Export Memory Allocation Visualization to build/toy/deeployStates"]
    for node in net.nodes:
        lines += [
            f"[Deeploy] Layer '{node.name}'",
            f"[Deeploy]   Number of Operations        : {node.operations}",
        ]
    lines += ["[Deeploy] ", "[Deeploy] Memory Usage Report:"]
    lines += [
        "[Deeploy]   Level          Capacity (bytes)      Total (    Static + Dynamic   ) (Usage )"
    ]
    for level, p in net.levels.items():
        total = p.static + p.arena
        usage = f"{p.capacity:>22,} {total:>10,} ({p.static:>10,} + {p.arena:>10,}) ({100 * total / p.capacity:5.1f}%)"
        lines.append(f"[Deeploy]   {level:<10}{usage}")
    return "\n".join([*lines, ""])


def failed_log(level="L2", capacity=100):
    """Write the log of a run whose allocation of `level` failed."""
    lines = [RULE, "[Deeploy] Deeploy FrontEnd"]
    lines += ["[Deeploy]  ✔ Parsed network with 4 layers after 1 iterations in 8.073 ms"]
    failure = f"Memory allocator failed with return code 1 at memory level {level} with capacity of {capacity} bytes!"
    lines += [
        f"[Deeploy] {failure}",
        "Traceback (most recent call last):",
        '  File "TilerExtension.py", line 445',
    ]
    lines += [
        "subprocess.CalledProcessError: Command 'minimalloc' returned non-zero exit status 1."
    ]
    return "\n".join([*lines, ""])


def profile(net=TOY, old=False):
    """Write the output of the profiled code: two tiles per tiled operator, in the spelling of `old`
    or new releases.
    """
    parts = (
        ("Input DMA took", "Kernel took", "Output DMA took")
        if old
        else ("Pre-Kernel :", "Kernel     :", "Post-Kernel:")
    )
    return "".join(
        f"[{node.name}][SB][{node.operations} ops][Tile {tile}] {part} {cycles:>6} cycles\n"
        for node in net.nodes
        if node.operands
        for tile in (0, 1)
        for part, cycles in zip(parts, (10, 100, 20), strict=True)
    )


def problem_csv(net=TOY, level="L2", solved=False, step=None):
    """Write the CSV of a level (of `step`, if given) that Deeploy passes to MiniMalloc, or the
    solution that it gets back if `solved`.
    """
    blocks = [b for b in net.levels[level].blocks if step is None or b[1] == step]
    header = "id,lower,upper,size" + (",offset" if solved else "")
    rows = [
        f"{n},{first},{last + 1},{high - low}" + (f",{low}" if solved else "")
        for n, first, last, low, high in blocks
    ]
    return "\n".join([header, *rows, ""])


def write_run(folder, net=TOY, *, nested=False, without=()):
    """Write the files of a run, except those named in `without`; if `nested`, plot, graph and
    pickles are in `deeployStates/`.
    """
    states = folder / "deeployStates" if nested else folder
    digest, last = "0123456789abcdef", net.steps - 1
    files = {
        states / "memory_alloc.html": plot_html(net),
        states / "backend_post_parsing.onnx": graph_bytes(net),
        states / "backend_post_parsing.pkl": b"\x80\x04.",
        folder / "Network.c": network_c(net),
        folder / "Network.h": network_h(net),
        folder / "run.log": run_log(net),
        folder / f"input_minimalloc_{digest}.csv": problem_csv(net, "L1", step=last),
        folder / f"output_minimalloc_{digest}.csv": problem_csv(net, "L1", solved=True, step=last),
        folder / "minimalloc_calls" / "000-L2-cap1144-input.csv": problem_csv(net),
    }
    for path, content in files.items():
        if path.name not in without:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder
