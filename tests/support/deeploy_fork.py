"""A Deeploy run of which some steps may run in another order."""

from tests.support.deeploy_net import Net, Node, Placed

FORK = Net(
    name="fork",
    nodes=(
        Node("split", "iRelu", ("input_0",), ("x",)),
        Node("left", "iRelu", ("x",), ("big",)),
        Node("right", "iRelu", ("x",), ("wide",)),
        Node("shrink", "iRelu", ("big",), ("small",)),
        Node("join", "Add", ("wide", "small"), ("output_0",)),
    ),
    tensors={
        "input_0": ("int8", (8,)),
        "x": ("int8", (8,)),
        "big": ("int8", (100,)),
        "wide": ("int8", (40,)),
        "small": ("int8", (4,)),
        "output_0": ("int8", (4,)),
    },
    constants={},
    views={},
    inputs=("input_0",),
    outputs=("output_0",),
    levels={
        "L2": Placed(
            512,
            (),
            (
                ("input_0", 0, 0, 200, 208),
                ("x", 0, 2, 180, 188),
                ("big", 1, 3, 0, 100),
                ("wide", 2, 4, 100, 140),
                ("small", 3, 4, 140, 144),
                ("output_0", 4, 4, 0, 4),
            ),
        ),
        "L1": Placed(64, (), (("x", 0, 0, 0, 8),)),
    },
    home="L2",
)
"""Two branches; the peak is lower if the branch that shrinks comes first, since the result of
`right` is needed last.
"""
