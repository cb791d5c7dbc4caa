"""A profile of a small classifier by ONNX Runtime, written without it.

It has eight runs on a CPU and a GPU. The first run is slower because the arena grows. The main
thread calls the runs with pauses in between.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_PID, _THREAD = 5150, 5150
_RUNS = 8
"""Calls of the model."""
_MIB = 1 << 20
_Shapes = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class _Node:
    """A node: microseconds of its kernel, bytes of its parameters, inputs and outputs, and the
    shapes of its inputs and of its output.
    """

    name: str
    operator: str
    us: int
    parameters: int
    activations: int
    inputs: _Shapes
    output: tuple[int, ...]
    provider: str = "CPUExecutionProvider"


_IMAGE, _FEATURES = (1, 3, 224, 224), (1, 64, 56, 56)
_CUDA = "CUDAExecutionProvider"
_NODES = (
    _Node("stem/Conv", "Conv", 310, 37_632, 602_112, (_IMAGE, (64, 3, 7, 7)), _FEATURES, _CUDA),
    _Node("stem/Relu", "Relu", 42, 0, 802_816, (_FEATURES,), _FEATURES, _CUDA),
    _Node(
        "pool/GlobalAveragePool", "GlobalAveragePool", 85, 0, 802_816, (_FEATURES,), (1, 64, 1, 1)
    ),
    # ONNX Runtime leaves out the shape of the weights, which the kernel packed for itself.
    _Node("head/MatMul", "Gemm", 160, 262_144, 1_024, ((1, 256),), (1, 256)),
    _Node("head/Softmax", "Softmax", 18, 0, 1_024, ((1, 256),), (1, 256)),
)


def write_profile(folder: Path) -> Path:
    """Write the profile into the folder; return its path."""
    lines = ",\n".join(json.dumps(entry) for entry in _entries(random.Random(11)))  # noqa: S311 - a sample, no secret
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "onnxruntime_profile_classifier.json.gz"
    path.write_bytes(gzip.compress(f"[\n{lines}\n]\n".encode(), mtime=0))
    return path


def _entries(chance: random.Random) -> Iterator[dict[str, object]]:
    yield _span("Session", "model_loading_uri", 4, 1_900)
    yield _span("Session", "session_initialization", 2_100, 41_000)
    now = 50_000
    held = _MIB
    for number in range(_RUNS):
        begin = now
        now += 6
        for index, node in enumerate(_NODES):
            took = int(node.us * (2.2 if number == 0 else 1) * chance.uniform(0.96, 1.06))
            held = max(held, _MIB * (2 + index)) if number == 0 else held
            yield _span(
                # The suffix marks kernels: older releases also wrote entries for fences.
                "Node",
                f"{node.name}_kernel_time",
                now,
                took,
                **_arguments(node, index, held),
            )
            now += took + 3
        yield _span("Session", "SequentialExecutor::Execute", begin + 4, now - begin - 2)
        now += 4
        yield _span("Session", "model_run", begin, now - begin)
        now += chance.randrange(150, 260)


def _span(
    category: str, name: str, start: int, took: int, **arguments: object
) -> dict[str, object]:
    return {
        **{
            "cat": category,
            "pid": _PID,
            "tid": _THREAD,
            "dur": took,
            "ts": start,
            "ph": "X",
            "name": name,
        },
        "args": arguments,
    }


def _arguments(node: _Node, index: int, held: int) -> dict[str, object]:
    in_use = node.parameters + 2 * node.activations + 200_000
    return {
        "op_name": node.operator,
        "provider": node.provider,
        # ONNX Runtime writes the values of all arguments as texts.
        "node_index": str(index),
        "output_size": str(node.activations),
        "parameter_size": str(node.parameters),
        "activation_size": str(node.activations),
        "input_type_shape": [{"float": shape} for shape in node.inputs],
        "output_type_shape": [{"float": node.output}],
        "mem_bytes_in_use": str(in_use),
        "mem_in_use_peak": str(2 * 802_816 + 200_000),
        "mem_arena_held": str(held),
    }
