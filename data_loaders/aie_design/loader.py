"""Loader of the design of an AIE array as a run of its own: a memory map per tile."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from data_loaders.aie_design.files import is_design_text
from data_loaders.aie_design.findings import GENERIC, design_findings
from data_loaders.aie_design.frames import design_frames, memory_frames
from data_loaders.aie_design.placing import traced_kinds
from data_loaders.aie_design.reader import read_design_file
from data_loaders.protocol import LoadedRun, LoadError, Settings, SingleFileLoader
from data_loaders.reading.run_names import known_place, name_columns, with_name
from schema.sources import source_of

_DEVICE = "device"
_SEPARATOR = re.compile(r"[/\\]")


class AieDesignLoader(SingleFileLoader):
    """Loader of MLIR of mlir-aie: physical, with objectfifos, or from before 2024."""

    name = "aie_design"
    reads = "designs of AIE arrays as MLIR of mlir-aie"
    setting_names = source_of("aie_design").settings
    version = "1"

    def sniff(self, path: Path, head: bytes) -> str | None:
        """Return `None` for a text that defines a tile of an AIE array, else the reason for
        rejection.
        """
        return None if is_design_text(head) else "not MLIR with tiles of an AIE array (aie.tile)"

    def load(
        self,
        path: Path,
        settings: Settings,
        origin: str | None = None,
        companions: Sequence[Path] = (),
    ) -> LoadedRun:
        """Load the device with most cores, or the device that setting `device` names.

        Raises LoadError if the text has no such device, or is in MLIR's generic form.
        """
        file = _SEPARATOR.split(origin or path.as_posix())[-1]
        try:
            text = read_design_file(path)
        except LoadError as error:
            raise LoadError(f"{path}: {str(error).removeprefix(f'{path}: ')}") from error
        if text.is_generic:
            raise LoadError(f"{path}: {GENERIC}")
        wanted = settings.get(_DEVICE, "").strip() or None
        device = text.choose(wanted)
        if device is None or not device.tiles:
            raise LoadError(f"{path}: {_missing(wanted, [one.name or '' for one in text.devices])}")
        findings = design_findings(text, device, file)
        traced = traced_kinds(path, text.devices.index(device))
        frames = design_frames(text.devices, device, file, traced) | memory_frames(device)
        own = {key: settings[key] for key in ("hwid", "name", "tags") if settings.get(key)}
        stem = file.removesuffix(".gz").removesuffix(".mlir")
        names = name_columns(known_place(path, origin), stem)
        metadata = with_name(names, {"time_unit": "steps"} | own)
        return LoadedRun(metadata, frames, findings)


def _missing(wanted: str | None, names: Sequence[str]) -> str:
    if wanted is None:
        return "contains no device with a tile"
    known = ", ".join(name for name in names if name)[:200] or "without names"
    return f"{_DEVICE}={wanted[:60]}: the design has no device of this name with a tile; its devices: {known}"
