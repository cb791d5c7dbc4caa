"""Loader of ONNX Runtime profiles: JSON of spans, plain or gzip, as a session writes them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from data_loaders.protocol import LoadedRun, Settings, SingleFileLoader
from data_loaders.reading.json_entries import entries_offset
from schema.sources import source_of

_CATEGORIES = re.compile(rb'"cat"\s{0,9}:\s{0,9}"(?:Session|Node)"\s{0,9},')


class OnnxRuntimeLoader(SingleFileLoader):
    """Loader of profiles of ONNX Runtime sessions, for any execution provider."""

    name = "onnxruntime"
    reads = "profiles of ONNX Runtime, JSON of the session's and its nodes' spans"
    setting_names = source_of("onnxruntime").settings
    version = "5"

    def sniff(self, path: Path, head: bytes) -> str | None:
        """Return `None` for an array of entries of category Session or Node, else the reason for
        rejection.
        """
        if entries_offset(head) < 0:
            return "not a JSON array of trace entries"
        return (
            None
            if _CATEGORIES.search(head)
            else "trace entries, but none of the categories Session and Node"
        )

    def load(
        self,
        path: Path,
        settings: Settings,
        origin: str | None = None,
        companions: Sequence[Path] = (),
    ) -> LoadedRun:
        """Load a profile, with times in ns.

        Raises LoadError if it has no spans of a session or of nodes, or a setting is invalid.
        """
        # An ingest looks at a file with the loaders of its suffix, most of which do not load it.
        from data_loaders.onnxruntime.run import load_profile  # noqa: PLC0415

        return load_profile(path, settings, origin)
