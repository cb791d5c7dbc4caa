"""Loader of the words of AMD AIE trace buffers, before a parser makes JSON of them.

Format: mlir-aie's `trace.txt`, a word of eight hexadecimal digits per line, or the same words as
bytes or as an array of numpy. The events of the slots are configured in the design's MLIR in the
same folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from data_loaders.aie.captures import Capture, divide
from data_loaders.aie.configuration import Design, read_design, shared_layout
from data_loaders.aie.frames import MAX_UNITS, capture_frames
from data_loaders.aie.host_times import find_host_log, read_host_times
from data_loaders.aie.joined_slices import collect_units, traced_slices, with_slices
from data_loaders.aie.matched_design import best_design, configuration_findings
from data_loaders.aie.numpy_header import is_numpy, numpy_refusal
from data_loaders.aie.settings import gemm_metadata, index_settings, named_design, run_name
from data_loaders.aie.word_findings import (
    capture_findings,
    cut_finding,
    no_packet_reason,
    packet_findings,
    unread_slices,
)
from data_loaders.aie.words import is_binary, is_text, read_words
from data_loaders.aie_design.companion import read_companions
from data_loaders.aie_design.files import SUFFIX, find_designs
from data_loaders.aie_model.companion import NAMES as MODEL_FILES
from data_loaders.aie_model.companion import find_model_files, read_model
from data_loaders.protocol import Bundle, LoadedRun, LoadError, Settings
from data_loaders.reading.run_names import known_place
from schema.diagnostics import Diagnostic
from schema.plurals import plural
from schema.sources import source_of

_INDEX = "index.json"
_SHIFT = "colshift"
_SHIFT_TEXT = re.compile(r"[+-]?\d{1,3}")


@dataclass(frozen=True)
class _Companions:
    """The files beside the words, by what they are read for."""

    indexes: list[Path]
    designs: list[Path]
    models: list[Path]
    logs: list[Path]

    @classmethod
    def of(cls, files: Sequence[Path]) -> _Companions:
        indexes = [file for file in files if file.name == _INDEX]
        designs = [file for file in files if file.suffix == SUFFIX]
        models = [file for file in files if file.name in MODEL_FILES]
        logs = [file for file in files if file not in (*indexes, *designs, *models)]
        return cls(indexes, designs, models, logs)


class AieWordsLoader:
    """Loader of raw trace words of AIE arrays, with the MLIR that configured the trace."""

    name = "aie_words"
    reads = "raw trace words of AIE arrays, as text of hexadecimal words, as bytes or as an array of numpy"
    setting_names = source_of("aie_words").settings
    version = "6"

    def sniff(self, path: Path, head: bytes) -> str | None:
        """Return `None` for hexadecimal words, packets as bytes and arrays of words, else the
        reason for rejection.
        """
        if is_numpy(head):
            return numpy_refusal(head)
        if is_text(head) or is_binary(head):
            return None
        return "neither a trace word of eight hexadecimal digits per line nor the packets of a trace as bytes"

    def bundle(self, path: Path) -> Bundle:
        """Return a bundle of the words with the designs, `index.json` and host log of the same
        folder, if they exist.

        If the buffer holds several captures that are runs of their own, `parts` has their names,
        otherwise it is empty.
        """
        designs = find_designs(path.parent)
        index = path.parent / _INDEX
        logs = [log for log in find_host_log(path.parent) if log != path]
        indexed = (index,) if index.is_file() else ()
        companions = (*designs, *indexed, *logs, *find_model_files(path.parent))
        return Bundle(path, companions, _part_names(path, designs))

    def load(
        self,
        path: Path,
        settings: Settings,
        origin: str | None = None,
        companions: Sequence[Path] = (),
    ) -> LoadedRun:
        """Load the first capture; raises LoadError if the words have no packet or too many units."""
        return self.load_part(path, settings, origin, companions, "")

    def load_part(
        self,
        path: Path,
        settings: Settings,
        origin: str | None,
        companions: Sequence[Path],
        part: str,
    ) -> LoadedRun:
        """Load the capture called `part`, or the first one if no capture has that name; if one run
        has all slices of the buffer, load them all.

        Raises LoadError if the words contain no packet or too many units.
        """
        files = _Companions.of(companions)
        indexed, unread = index_settings(files.indexes)
        own = {key: text for key, text in settings.items() if key != _SHIFT}
        times, timed = read_host_times(files.logs)
        metadata = times | gemm_metadata(origin or path.as_posix(), indexed, own)
        shift = _given_shift(settings)
        buffer = read_words(path)
        designs, skipped = _read_designs(files.designs)
        captures = divide(buffer.words, shared_layout(designs, 4 * len(buffer.words)))
        own_captures = captures.of_run(part)
        if not own_captures:
            raise LoadError(f"{path}: {no_packet_reason(buffer.words)}")
        _check_units(own_captures, path)
        chosen = [best_design(designs, capture, shift) for capture in own_captures]
        units = [configuration.units for configuration in chosen]
        collected, ranks = collect_units(own_captures, units, path)
        frames, findings = capture_frames(collected.entries(), path)
        frames["tracks"] = with_slices(frames["tracks"], own_captures, ranks)
        name = str(metadata.setdefault("name", run_name(known_place(path, origin), metadata)))
        first = own_captures[0]
        if first.name and len(own_captures) == 1 and "name" not in own:
            metadata["name"] = f"{name} · {first.name}"
        is_only = len(own_captures) == 1 and part != first.name
        findings = [
            *unread,
            *timed,
            *skipped,
            *capture_findings(captures, first, path.name, is_only=is_only),
            *(found for capture in own_captures for found in packet_findings(capture, path.name)),
            *findings,
            *configuration_findings(chosen, own_captures),
            *collected.findings(path.name),
            *cut_finding(path.name, cut=buffer.cut),
        ]
        predicted, unpredicted = read_model(files.models)
        # A design is of a single device, so that each slice has its own design.
        slices = traced_slices(frames["tracks"], own_captures, ranks)
        beside = read_companions(files.designs, slices, named_design(files.indexes), shift)
        return LoadedRun(
            metadata | {"time_unit": "cycles"},
            frames | (beside.frames or {}) | predicted,
            [*findings, *beside.findings, *unpredicted],
        )


def _check_units(captures: Sequence[Capture], path: Path) -> None:
    count = sum(len(capture.packets.streams) for capture in captures)
    if count > MAX_UNITS:
        raise LoadError(
            f"{path}: packets of {plural(count, 'unit')} exceed the limit of an array ({MAX_UNITS})"
        )


def _given_shift(settings: Settings) -> int | None:
    """Parse setting `colshift`, a shift in columns; `None` if it is missing or empty.

    Raises LoadError if it is not a whole number of at most three digits.
    """
    text = settings.get(_SHIFT, "").strip()
    if not text:
        return None
    if not _SHIFT_TEXT.fullmatch(text):
        raise LoadError(f"{_SHIFT}={text[:20]}: expected a whole number of columns such as 1 or -2")
    return int(text)


def _part_names(path: Path, designs: Iterable[Path]) -> tuple[str, ...]:
    """List the names of the captures of a buffer that holds several, or a slice.

    Empty if it holds one capture or is unreadable.
    """
    try:
        words = read_words(path).words
    except (LoadError, OSError):
        return ()  # the reading of the run reports it
    return divide(words, shared_layout(_read_designs(designs)[0], 4 * len(words))).names


def _read_designs(files: Iterable[Path]) -> tuple[list[Design], list[Diagnostic]]:
    """Read the designs in the order of the files.

    A warning names each file that is unreadable and left out.
    """
    designs = []
    findings = []
    for file in files:
        try:
            designs.append(read_design(file))
        except (LoadError, OSError) as error:
            text = f"{file.name} cannot be read and is ignored: {error}"
            findings.append(Diagnostic("warning", "companion_unreadable", text, file.name))
            continue
        findings += unread_slices(designs[-1].unread_slices, file.name)
    return designs, findings
