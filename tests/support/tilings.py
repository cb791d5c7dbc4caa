"""A small Deeploy run with a GEMM in two tiles, and an operator whose tiling rules are not known.

The GEMM is 16 x 64 times 64 x 128 in tiles of 16 x 96, as int8 with requantisation; capacity 10,000
bytes.
"""

from onnx import helper, load_model_from_string

from tests.support.deeploy_net import Net, Node, Placed
from tests.support.deeploy_run import write_run

_P = "DeeployNetwork_TILING_CODEGEN_L1"
INTO = 1 << 17
TILED = Net(
    nodes=(
        Node("relu", "Relu", ("input_0",), ("x",), ("data_in", "data_out")),
        Node(
            "gemm",
            "RequantizedGemm",
            ("x", "weight", "add", "mul"),
            ("output_0",),
            ("A", "B", "C", "mul", "data_out"),
        ),
    ),
    tensors={
        "input_0": ("int8", (1, 16, 64)),
        "x": ("int8", (1, 16, 64)),
        "output_0": ("int8", (1, 16, 128)),
    },
    constants={"weight": ("int8", (128, 64)), "add": ("int32", (128,)), "mul": ("int32", (128,))},
    views={},
    inputs=("input_0",),
    outputs=("output_0",),
    home="L2",
    levels={
        "L2": Placed(
            64_000,
            (("weight", 8192), ("add", 512), ("mul", 512)),
            (("input_0", 0, 0, 0, 1024), ("x", 0, 1, 1024, 2048), ("output_0", 1, 2, 2048, 4096)),
        ),
        "L1": Placed(
            10_000,
            (),
            (
                ("input_0", 0, 0, 0, 1024),
                ("x", 0, 0, 1024, 2048),
                ("x", 1, 1, 6144, 7168),
                ("weight", 1, 1, 0, 6144),
                ("add", 1, 1, 8704, 9088),
                ("mul", 1, 1, 9088, 9472),
                ("output_0", 1, 2, 7168, 8704),
            ),
        ),
    },
)


def tiled_code(text):
    """Put the loops over tiles and their transfers in front of the run's code."""
    lines = [
        f"static PI_L1 uint8_t {_P}_relu_numTiles[2] = {{0, 1}};",
        f"static PI_L1 uint8_t {_P}_gemm_numTiles[2] = {{0, 2}};",
    ]
    lines.append(f"static PI_L1 uint16_t {_P}_gemm_O[2] = {{96, 32}};")
    sizes = {"B": (6144, 2048), "C": (384, 128), "mul": (384, 128)}
    lines += [
        _table(f"gemm_{name}_cmd", *(INTO + size for size in pair)) for name, pair in sizes.items()
    ]
    lines.append(_table("gemm_data_out_cmd", 1536, 512))
    words = {"A": str(INTO + 1024)} | {
        name: f"{_P}_gemm_{name}_cmd[TILING_I]" for name in (*sizes, "data_out")
    }
    names = {"A": "x", "B": "weight", "C": "add", "mul": "mul", "data_out": "output_0"}
    lines += [
        f"mchan_transfer_1d({word}, {_P}_gemm_{name}_ref, {_P}_gemm_{names[name]}_ref);"
        for name, word in words.items()
    ]
    return "\n".join([*lines, text])


def _table(name, *values):
    return f"static PI_L1 uint32_t {_P}_{name}[{len(values)}] = {{{', '.join(map(str, values))}}};"


def write_tiled(folder):
    """Write the files of the run into a folder, and return the folder."""
    write_run(folder, TILED)
    code = next(folder.rglob("Network.c"))
    code.write_text(tiled_code(code.read_text()))
    graph = next(folder.rglob("*.onnx"))
    model = load_model_from_string(graph.read_bytes())
    model.graph.node[1].attribute.append(helper.make_attribute("transB", 1))
    graph.write_bytes(model.SerializeToString())
    return folder
