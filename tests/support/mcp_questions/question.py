"""A question of the tutorials, with the tool that answers it and the same number by another way.

The other way is a command's JSON or a stored frame: an answer is right if both agree.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

SAMPLES_OF = {
    "gemm": "outputs/npu2-gemm_256_256_256-4_row_4_col",
    "small": "outputs/npu1-gemm_64_64_64-1_row_1_col",
    "stalls": "aie_design/stalls",
    "log": "tpu_mlir",
    "network": "deeploy",
    "solution": "minimalloc/harbour.81920.solved.csv",
    "module": "xla",
    "snapshot": "torch_snapshot",
    "newer": "tinygrad/train-0.13-cpu",
    "older": "tinygrad/train-0.12-cpu",
    "torch": "kineto",
    "onnx": "onnxruntime",
}
"""Name of a run -> the sample that it is read from."""
BASELINE = "profiles"
"""Name of the baseline that the older profile is."""
Ways = Any
"""Other ways to a number: `json(command, run, *arguments)` and `frame(run, name)`."""


@dataclass(frozen=True)
class Question:
    """A question, the call of a tool, and where the answer and the truth are.

    `run` is a name of SAMPLES_OF, "" if the tool is not about a run; arguments may name runs too.
    """

    text: str
    run: str
    tool: str
    find: Callable[[Mapping[str, Any]], object]
    truth: Callable[[Ways], object]
    arguments: Mapping[str, object] = field(default_factory=dict)


def ask(call, text, find, truth="", **arguments):
    """A question; `call` names a run and a tool ("gemm hotspots"), with a kind ("gemm analyse pace"), or a tool ("status").

    `find` is the path of the answer, such as "hotspots.0.what", or a function that returns it. `truth` is a command and
    such a path, as "peak: peaks.0.attempt", or a function of the ways; by default it is the same path in the JSON of
    the command of the kind.
    """
    run, tool, *kinds = call.split() if " " in call else ("", call)
    for kind in kinds:
        arguments["kind"] = kind
        truth = truth or f"{kind.replace('_', '-')}: {find}"
    find = _at(find) if isinstance(find, str) else find
    truth = _printed(run, *truth.split(": ")) if isinstance(truth, str) else truth
    return Question(text, run, tool, find, truth, arguments)


def _printed(run, command, path):
    name, *options = command.split()
    return lambda ways: _at(path)(ways.json(name, run, *options))


def _at(path):
    def read(record):
        for part in path.split("."):
            record = record[int(part) if part.isdigit() else part]
        return record

    return read
