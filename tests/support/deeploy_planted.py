"""Deeploy runs of drawn tensors: a plot with one level, and the graph whose nodes use the tensors."""

from analysis.allocators.packing import pack_map
from tests.support.deeploy_net import Net, Node, Placed
from tests.support.deeploy_plot import plot_html
from tests.support.deeploy_run import graph_bytes
from tests.support.memory import amap, block

INPUT, INPUT_SIZE = "input_0", 16


def write_deeploy(folder, tensors):
    """Write plot and graph of a network with a node per tensor; unread tensors are outputs."""
    lives = [(t.name, t.made, t.last, t.size) for t in tensors] + [(INPUT, 0, 0, INPUT_SIZE)]
    rows = [block(name, made, last + 1, None, size) for name, made, last, size in lives]
    packed = pack_map(amap(rows, length=len(tensors)), "best_fit").blocks
    offsets = dict(zip(packed["name"], packed["address"].astype(int), strict=True))
    placed = [
        (name, made, last, offsets[name], offsets[name] + size) for name, made, last, size in lives
    ]
    nodes = []
    for t in tensors:
        read = tuple(other.name for other in tensors if t.made in other.read)
        nodes.append(Node(f"node_{t.made}", "Add", read or (INPUT,), (t.name,)))
    net = Net(
        nodes=tuple(nodes),
        tensors={name: ("int8", (size,)) for name, _, _, size in lives},
        constants={},
        views={},
        inputs=(INPUT,),
        outputs=tuple(t.name for t in tensors if not t.read),
        levels={"L2": Placed(1_000_000, (), tuple(placed))},
        home="L2",
    )
    (folder / "memory_alloc.html").write_text(plot_html(net))
    (folder / "backend_post_parsing.onnx").write_bytes(graph_bytes(net))
