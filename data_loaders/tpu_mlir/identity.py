"""Name and chip of a TPU-MLIR run."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from data_loaders.reading.run_names import name_columns, with_name
from data_loaders.tpu_mlir.chips import chip_clock, chip_memory, find_chip_name, matching_chip_names
from data_loaders.tpu_mlir.markers import Memory
from data_loaders.tpu_mlir.module import Module
from data_loaders.tpu_mlir.profile import Profile
from schema.diagnostics import Diagnostic
from schema.plurals import plural

_SUFFIX = re.compile(r"(?:[._]final)?\.(?:log|txt|mlir|json)(?:\.gz)?$|\.gz$")
_TOOL_STEMS = re.compile(
    r"(?:compiler_profile_\d+|lmem|lmem_?assign|lmem_assign_result|log|output|out|debug|compile|run|stdout|final)?"
)


@dataclass(frozen=True)
class KnownChip:
    """Memory and name of a chip; several names are joined by ` or `, an unknown name is ""."""

    hwid: str
    memory: Memory | None


def identify_chip(
    settings: Mapping[str, str | int], module: Module | None, memories: Sequence[Memory], place: str
) -> tuple[KnownChip, list[Diagnostic]]:
    """Determine the chip from the user's setting, the module, the file's path or the memory.

    These are tried in this order. `memories` are those of the `lmem_spec` lines; they decide the
    memory even if the chip's name contradicts them. An unknown chip has the name "". Also returns
    findings about contradictions and ambiguity.
    """
    memory = memories[0] if memories else None
    user_hwid = str(settings.get("hwid") or "")
    compiled = module.chip if module and memory in (None, chip_memory(module.chip)) else None
    hwid = (
        user_hwid
        or compiled
        or find_chip_name(place, memory)
        or (matching_chip_names(memory) if memory else "")
    )
    findings = []
    if memory and user_hwid and chip_memory(user_hwid) not in (None, memory):
        text = f"the log's local memory of {plural(memory.capacity, 'byte')} differs "
        text += f"from that of {user_hwid}: the size in the log is used"
        findings.append(Diagnostic("warning", "chip_contradicted", text))
    if module and memory and compiled is None:
        text = f"the module was compiled for {module.chip}, whose local memory differs: the file is from another compilation"
        findings.append(Diagnostic("warning", "module_of_another_chip", text))
    if " or " in hwid and not user_hwid:
        text = f"the log matches {hwid}: set the chip with --set hwid="
        findings.append(Diagnostic("info", "chip_ambiguous", text))
    return KnownChip(hwid, memory or chip_memory(hwid)), findings


def run_metadata(
    settings: Mapping[str, str | int],
    chip: KnownChip,
    profiles: Sequence[Profile],
    place: str,
    model: str = "",
) -> dict[str, object]:
    """Build the columns name, time_unit, hwid, clock_hz and tags of frame `run`.

    The last three are missing if unknown. `model` names the run if the file's name in `place` is
    generic. The clock is that of a profile, else of the chip.
    """
    clocks = [profile.clock_hz for profile in profiles if profile.clock_hz]
    clock = clocks[0] if clocks else chip_clock(chip.hwid)
    given = {"name": settings["name"]} if settings.get("name") else {}
    metadata = with_name(_names(place, model), {"time_unit": "cycles", **given})
    metadata |= {"hwid": chip.hwid} if chip.hwid else {}
    metadata |= {"clock_hz": clock} if clock else {}
    return metadata | ({"tags": settings["tags"]} if settings.get("tags") else {})


def _names(place: str, model: str) -> dict[str, str]:
    """Return the columns `name` and `stem`: the file's name in the path `place`, without suffixes.

    If it is generic ("lmem.log"), the model's name, else the nearest folder's name, else the
    file's.
    """
    *folders, file = re.split(r"[/\\]", place)
    stem = _SUFFIX.sub("", file)
    if not _TOOL_STEMS.fullmatch(stem.lower()):
        return name_columns(place, stem)
    named = next((folder for folder in reversed(folders) if folder.strip(". ")), file)
    return {"name": model or named}
