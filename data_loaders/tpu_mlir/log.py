"""Loader for TPU-MLIR: the local-memory log of its LayerGroup pass and the files that the same
compile left in its folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from data_loaders.memory_settings import memory_settings
from data_loaders.protocol import Bundle, LoadedRun, LoadError, Settings
from data_loaders.reading.files import read_head
from data_loaders.tpu_mlir.bundle import content_kind, find_bundle
from data_loaders.tpu_mlir.letsvis_format import is_letsvis
from schema.sources import source_of


class TpuMlirLoader:
    """Loads TPU-MLIR's local-memory logs, or compiler profiles and modules without a log."""

    name = "tpu_mlir"
    reads = (
        "TPU-MLIR logs with --debug-only=lmem_assign, LetsVis' lmem.json, "
        "compiler_profile_<core>.txt and final.mlir"
    )
    setting_names = source_of("tpu_mlir").settings
    version = "5"

    def sniff(self, path: Path, head: bytes) -> str | None:
        """Return `None` if the file is a log with attempts or results, LetsVis' file, a compiler
        profile, or a module with addresses; else return why it is rejected.
        """
        if is_letsvis(head) or content_kind(path, head) is not None:
            return None
        return "no lmem_spec or iteration_result line, no compiler profile and no module with addresses of TPU-MLIR"

    def bundle(self, path: Path) -> Bundle:
        """Return the log that a file belongs to, with its companions from the same folder.

        Without a log, the primary file is a module or a profile.
        """
        return find_bundle(path)

    def load(
        self,
        path: Path,
        settings: Settings,
        origin: str | None = None,
        companions: Sequence[Path] = (),
    ) -> LoadedRun:
        """Load a log, profile or module with its companions.

        Raises LoadError if it contains no attempt, command or address, or a setting is invalid.
        """
        # An ingest looks at a file with the loaders of its suffix, most of which do not load it.
        from data_loaders.tpu_mlir import runs  # noqa: PLC0415
        from data_loaders.tpu_mlir.companions import read_companions  # noqa: PLC0415

        options = memory_settings(settings)
        place = origin or path.as_posix()
        companion_data = read_companions(companions)
        try:
            head = read_head(path)
            kind = "letsvis" if is_letsvis(head) else content_kind(path, head)
        except OSError as error:
            raise LoadError(f"{path}: cannot be read: {error.strerror or error}") from error
        if kind == "log":
            return runs.log_run(path, options, place, companion_data)
        if kind == "letsvis":
            return runs.letsvis_run(path, options, place)
        if kind is None:
            raise LoadError(
                f"{path}: contains no lmem_spec and no iteration_result line of TPU-MLIR"
            )
        companion_data.read(path, kind)
        return runs.compiled_run(path, options, place, companion_data)
