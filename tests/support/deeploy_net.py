"""A placed network, from which the files of a Deeploy run are written."""

from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class Node:
    """An operator and its tensors; `operands` are their names in the generated code, () for an
    operator without tiles.
    """

    name: str
    op: str
    inputs: tuple
    outputs: tuple
    operands: tuple = ()
    operations: int = 0


@dataclass(frozen=True)
class Placed:
    """A memory level: constants (name, size) from the bottom, and blocks of the arena (name, first
    step, last step, low, high).
    """

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
    """A network: nodes, tensors and constants (name -> type, shape), views (name -> source), levels
    (name -> `Placed`).
    """

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
    """Return a copy of the net with changed fields of one level: `capacity`, `constants`, `blocks`."""
    return replace(net, levels=net.levels | {level: replace(net.levels[level], **changes)})
