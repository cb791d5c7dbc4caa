"""Which operator stands on which line of a compiled model: from its bmodel.json, or from the module itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from data_loaders.protocol import LoadError
from data_loaders.tpu_mlir.companion_files import read_json


@dataclass(frozen=True)
class Layer:
    """An operator: its type without the dialect, and the tensor that it makes."""

    op_type: str
    name: str


def read_layers(path: Path) -> dict[int, Layer]:
    """Return line -> operator of a bmodel.json; raise LoadError where it has none."""
    entries = read_json(path)
    found = {
        entry["file-line"]: Layer(str(entry.get("opcode", "")).rpartition(".")[2], _name(entry))
        for entry in (entries if isinstance(entries, list) else [])
        if isinstance(entry, dict) and isinstance(entry.get("file-line"), int)
    }
    if not found:
        raise LoadError(f"{path.name}: names no operator")
    return found


def _name(entry: Mapping[str, object]) -> str:
    """Return the name of the first result that has one, else of the first operand."""
    for side in ("results", "operands"):
        tensors = entry.get(side)
        for tensor in tensors if isinstance(tensors, list) else []:
            if isinstance(tensor, dict) and tensor.get("name"):
                return str(tensor["name"])
    return ""
