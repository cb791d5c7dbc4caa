"""What a TPU-MLIR run is called and which chip it is for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from data_loaders.tpu_mlir.chips import chip_name_in, chip_names_with, clock_of, memory_of
from data_loaders.tpu_mlir.markers import Memory
from data_loaders.tpu_mlir.module import Module
from data_loaders.tpu_mlir.profile import Profile
from schema.diagnostics import Diagnostic

_SUFFIX = re.compile(r"(?:[._]final)?\.(?:log|txt|mlir|json)(?:\.gz)?$|\.gz$")
_GENERIC = re.compile(
    r"(?:compiler_profile_\d+|lmem|lmem_?assign|lmem_assign_result|log|output|out|debug|compile|run|stdout|final)?"
)


@dataclass(frozen=True)
class KnownChip:
    """The chip as far as it is known: its name, or several joined by ` or `, or empty, and its memory."""

    hwid: str
    memory: Memory | None


def chip_of(
    known: Mapping[str, str | int], module: Module | None, memories: Sequence[Memory], place: str
) -> tuple[KnownChip, list[Diagnostic]]:
    """Return the chip: as the user says, else the module, else the file's path, else by the memory in the log."""
    memory = memories[0] if memories else None
    said = str(known.get("hwid") or "")
    compiled = module.chip if module and memory in (None, memory_of(module.chip)) else None
    hwid = said or compiled or chip_name_in(place, memory) or (chip_names_with(memory) if memory else "")
    findings = []
    if memory and said and memory_of(said) not in (None, memory):
        text = f"the log's local memory of {memory.capacity} bytes is not that of {said}: the log's is used"
        findings.append(Diagnostic("warning", "chip_contradicted", text))
    if module and memory and compiled is None:
        text = f"the module was compiled for {module.chip}, which has another local memory: another compile's file"
        findings.append(Diagnostic("warning", "module_of_another_chip", text))
    if " or " in hwid and not said:
        text = f"the log fits {hwid}: name the chip with --set hwid="
        findings.append(Diagnostic("info", "chip_ambiguous", text))
    return KnownChip(hwid, memory or memory_of(hwid)), findings


def metadata_of(
    known: Mapping[str, str | int], chip: KnownChip, profiles: Sequence[Profile], place: str, model: str = ""
) -> dict[str, object]:
    """Return the columns of frame `run`; `model` names the run where its file does not."""
    clocks = [profile.clock_hz for profile in profiles if profile.clock_hz]
    clock = clocks[0] if clocks else clock_of(chip.hwid)
    metadata: dict[str, object] = {"name": known.get("name") or _name(place, model), "time_unit": "cycles"}
    metadata |= {"hwid": chip.hwid} if chip.hwid else {}
    metadata |= {"clock_hz": clock} if clock else {}
    return metadata | ({"tags": known["tags"]} if known.get("tags") else {})


def _name(place: str, model: str) -> str:
    """Return the file's name without what every such file is called, else the model's, else the folder's."""
    *folders, file = re.split(r"[/\\]", place)
    stem = _SUFFIX.sub("", file)
    if not _GENERIC.fullmatch(stem.lower()):
        return stem
    return model or next((folder for folder in reversed(folders) if folder.strip(". ")), file)
