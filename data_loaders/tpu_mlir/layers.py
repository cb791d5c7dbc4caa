"""Map lines of a compiled model to operators, from its bmodel.json or its module."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from data_loaders.protocol import LoadError
from data_loaders.tpu_mlir.companion_files import read_json


@dataclass(frozen=True)
class Layer:
    """An operator: its type without the dialect, and the name of the tensor that it produces."""

    op_type: str
    name: str


def read_layers(path: Path) -> dict[int, Layer]:
    """Map line numbers of the compiled module to operators, from a bmodel.json.

    Raises LoadError if the file names no operator or is not JSON.
    """
    entries = read_json(path)
    layers = {
        entry["file-line"]: Layer(str(entry.get("opcode", "")).rpartition(".")[2], _name(entry))
        for entry in (entries if isinstance(entries, list) else [])
        if isinstance(entry, dict) and isinstance(entry.get("file-line"), int)
    }
    if not layers:
        raise LoadError(f"{path.name}: names no operator")
    return layers


def _name(entry: Mapping[str, object]) -> str:
    """Return the first name of a result, else the first name of an operand, else ""."""
    for side in ("results", "operands"):
        tensors = entry.get(side)
        for tensor in tensors if isinstance(tensors, list) else []:
            if isinstance(tensor, dict) and tensor.get("name"):
                return str(tensor["name"])
    return ""
