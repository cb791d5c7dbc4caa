"""Small Deeploy runs, written as Deeploy writes them: a plot per memory level, a graph, generated code, a log.

`Net` and `Placed` describe a network and where its buffers lie; `TOY` is one of four steps with a view, a transient,
constants of two types and three memory levels. `write_run(folder)` leaves everything that a run would.
"""

import base64
import json
import struct
from dataclasses import dataclass, field, replace

from onnx import TensorProto, helper

PAGE = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
                <title>Deeploy Memory Allocation - Provided By PULP Platform</title>
                <script src="https://cdn.plot.ly/plotly-latest.min.js"></script>
            </head>
            <body>
{figures}
            </body>
            </html>
"""
FIGURE = """        <div class="plot" id="plot-{level}"></div>
        <script>
            (function() {{
                var fig = {figure};
                Plotly.newPlot("plot-{level}", fig.data, fig.layout);
            }})();
        </script>
"""
LAYOUT = {
    "template": {"data": {"bar": [{"type": "bar"}, {"type": "bar"}]}},
    "title": {"text": "Memory Allocation"},
}
ELEMENTS = {
    "int8": TensorProto.INT8,
    "uint8": TensorProto.UINT8,
    "int32": TensorProto.INT32,
    "int64": TensorProto.INT64,
}
RULE = "[Deeploy] " + "=" * 80


@dataclass(frozen=True)
class Node:
    """An operator and its tensors; `operands` are the names of the same in the code (empty: it has no tiles)."""

    name: str
    op: str
    inputs: tuple
    outputs: tuple
    operands: tuple = ()
    operations: int = 0


@dataclass(frozen=True)
class Placed:
    """A level: constants (name, size) from the bottom, blocks (name, first, last step, low, high) in the arena."""

    capacity: int
    constants: tuple = ()
    blocks: tuple = ()

    @property
    def static(self):
        return sum(size for _, size in self.constants)

    @property
    def arena(self):
        return max((high for *_, high in self.blocks), default=0)


@dataclass(frozen=True)
class Net:
    """A network, its tensors and constants (name -> type, shape), views (name -> source) and its levels."""

    nodes: tuple
    tensors: dict
    constants: dict
    views: dict
    inputs: tuple
    outputs: tuple
    levels: dict
    home: str
    transients: tuple = ()
    name: str = field(default="toy")

    @property
    def steps(self):
        return len(self.nodes)


TOY = Net(
    nodes=(
        Node(
            "_GEMM",
            "RequantizedGemm",
            ("input_0", "w0", "mul0"),
            ("t0",),
            ("A", "B", "mul", "data_out"),
            4096,
        ),
        Node("Reshape_1", "Reshape", ("t0", "shape"), ("t1",)),
        Node("_GEMM_t1_relu", "iRelu", ("t1",), ("t2",), ("data_in", "data_out"), 64),
        Node("Gemm_3", "Gemm", ("t2", "w3"), ("output_0",), ("A", "B", "data_out"), 1280),
    ),
    tensors={
        "input_0": ("uint8", (1, 32)),
        "t0": ("int8", (1, 64)),
        "t1": ("int8", (64,)),
        "t2": ("int8", (64,)),
        "output_0": ("int8", (1, 10)),
    },
    constants={
        "w0": ("int8", (32, 64)),
        "mul0": ("int32", (64,)),
        "shape": ("int64", (1,)),
        "w3": ("int8", (64, 10)),
    },
    views={"t1": "t0"},
    inputs=("input_0",),
    outputs=("output_0",),
    levels={
        "L3": Placed(64_000_000),
        "L2": Placed(
            4096,
            (("w0", 2048), ("mul0", 256), ("shape", 8), ("w3", 640)),
            (
                ("input_0", 0, 0, 64, 96),
                ("t0", 0, 2, 0, 64),
                ("t1", 1, 2, 96, 160),
                ("t2", 2, 3, 160, 224),
                ("output_0", 3, 4, 0, 10),
            ),
        ),
        "L1": Placed(
            4000,
            (),
            (
                ("input_0", 0, 0, 0, 32),
                ("w0", 0, 0, 32, 2080),
                ("mul0", 0, 0, 2080, 2336),
                ("t0", 0, 0, 2336, 2400),
                ("_GEMM_buffer", 0, 0, 2400, 2464),
                ("t0", 1, 1, 0, 64),
                ("t1", 1, 1, 64, 128),
                ("t1", 2, 2, 0, 64),
                ("t2", 2, 2, 64, 128),
                ("t2", 3, 3, 0, 64),
                ("w3", 3, 3, 64, 704),
                ("output_0", 3, 4, 704, 714),
            ),
        ),
    },
    home="L2",
    transients=("_GEMM_buffer",),
)


def moved(net, level, **changes):
    """Return the net with one level changed: `capacity`, `constants`, `blocks`."""
    return replace(net, levels=net.levels | {level: replace(net.levels[level], **changes)})


def packed(values):
    """Return numbers as plotly packs an array."""
    return {
        "dtype": "f8",
        "bdata": base64.b64encode(struct.pack(f"<{len(values)}d", *values)).decode(),
    }


def traces(level, placed, steps):
    """Return the traces of one level as Deeploy draws them."""

    def closed(name, first, last, low, high):
        x, y = [first - 0.5, first - 0.5, last + 0.5, last + 0.5], [low, high, high, low]
        style = {"fill": "toself", "hoverinfo": "text", "line": {"width": 2}, "mode": "lines"}
        return style | {"name": name, "text": name, "x": x, "y": y, "type": "scatter"}

    drawn, top = [], 0
    for name, size in placed.constants:
        drawn.append(closed(name, 0, steps + 1, top, top + size))
        top += size
    drawn += [
        closed(name, first, last, top + low, top + high)
        for name, first, last, low, high in placed.blocks
    ]
    line = {
        "mode": "lines",
        "name": f"{level} Memory Size",
        "x": [-0.5, steps - 0.5],
        "y": [placed.capacity] * 2,
    }
    return [*drawn, line | {"type": "scatter", "line": {"color": "red", "dash": "dash"}}]


def page(figures):
    """Return the page of (level, figure as JSON text) pairs."""
    return PAGE.format(
        figures="".join(FIGURE.format(level=level, figure=figure) for level, figure in figures)
    )


def plot_html(net=TOY, pack=False):
    """Return memory_alloc.html; `pack` writes coordinates as binary arrays."""
    figures = []
    for level, placed in net.levels.items():
        data = traces(level, placed, net.steps)
        if pack:
            data = [trace | {"x": packed(trace["x"]), "y": packed(trace["y"])} for trace in data]
        figures.append((level, json.dumps({"data": data, "layout": LAYOUT}, separators=(",", ":"))))
    return page(figures)


def graph_bytes(net=TOY):
    """Return backend_post_parsing.onnx."""

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
    """Return the statements that set the tiles of one step."""
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
    """Return Network.c: constants, a closure per tiled operator, RunNetwork, InitNetwork."""
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
    """Return Network.h."""
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


def run_log(net=TOY, folder="build/toy", more=()):
    """Return the log of a run with `-v`; `more` are lines of its middle."""
    lines = [RULE, "[Deeploy] Deeploy FrontEnd", RULE]
    lines += [
        f"[Deeploy]  ✔ Parsed network with {net.steps} layers after 1 iterations in 8.073 ms",
        *more,
    ]
    lines += ["[Deeploy]  ✔ Memory allocation successful!"]
    lines += [f"[Deeploy]  > Export Memory Allocation Visualization to {folder}/deeployStates"]
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


def failed_log(level="L2", capacity=100, layers=4):
    """Return the log of a run whose allocation failed."""
    lines = [RULE, "[Deeploy] Deeploy FrontEnd"]
    lines += [f"[Deeploy]  ✔ Parsed network with {layers} layers after 1 iterations in 8.073 ms"]
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
    """Return what the profiled code prints: two tiles per tiled operator, in either spelling."""
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
    """Return what Deeploy hands to MiniMalloc for a level (of inner ones: for a step), or gets back."""
    blocks = [b for b in net.levels[level].blocks if step is None or b[1] == step]
    header = "id,lower,upper,size" + (",offset" if solved else "")
    rows = [
        f"{n},{first},{last + 1},{high - low}" + (f",{low}" if solved else "")
        for n, first, last, low, high in blocks
    ]
    return "\n".join([header, *rows, ""])


def write_run(folder, net=TOY, *, nested=False, without=()):
    """Write a run's files but those named in `without`; `nested`: plot, graph and pickles in `deeployStates/`."""
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
