"""tinygrad's captures: profile.pkl with the rewrites.pkl beside it, and the JSON lines of its command line.

They are pickles, which are programs: this process looks at their first bytes and leaves the rest to `child`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from data_loaders.profile_settings import read_settings
from data_loaders.protocol import Bundle, LoadedRun, LoadError, Settings
from data_loaders.reading.answer import Reading, read_answer
from data_loaders.reading.files import read_head
from data_loaders.reading.isolated import KilledError, run_isolated
from data_loaders.reading.limits import Limits
from data_loaders.reading.scratch import scratch_folder
from data_loaders.tinygrad.decoding import decoder_limits
from data_loaders.tinygrad.disassembly import add_disassembly
from data_loaders.tinygrad.sniff import may_be_read, refusal, rewrites_unread
from data_loaders.tinygrad.traced_waves import add_waves
from schema.devices import with_peaks
from schema.sources import source_of

_ALWAYS = ("tracks", "events", "kernels")
"""Frames that a capture has even where nothing is in them."""


class TinygradLoader:
    """Reads tinygrad's profiler captures, versions 0.12 to 0.14, without running anything that is in them."""

    name = "tinygrad"
    reads = "tinygrad profiles: profile.pkl with rewrites.pkl, or the JSON lines of tinygrad.viz.cli"
    setting_names = source_of("tinygrad").settings
    version = "8"

    def __init__(self, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()

    def with_limits(self, limits: Limits) -> TinygradLoader:
        """Return a loader whose reading processes keep to these limits."""
        return TinygradLoader(limits)

    def sniff(self, path: Path, head: bytes) -> str | None:
        """Return None for a pickle that names tinygrad's profiler classes, and for the JSON lines of its tool."""
        return refusal(head)

    def bundle(self, path: Path) -> Bundle:
        """Return the profile.pkl with the rewrites.pkl of the same name otherwise, or where there is one of each."""
        profile = _counterpart(path, "rewrites.pkl", "profile.pkl") if "rewrites.pkl" in path.name else path
        if profile is None:
            return Bundle(path)
        rewrites = _counterpart(profile, "profile.pkl", "rewrites.pkl")
        return Bundle(profile, (rewrites,) if rewrites else ())

    def load(
        self, path: Path, settings: Settings, origin: str | None = None, companions: Sequence[Path] = ()
    ) -> LoadedRun:
        """Read a capture in a process of its own; raises LoadError where it is refused or nothing is in it.

        `strip_tracebacks=true` leaves out source lines and paths; `peak_flops` and `peak_bytes_per_s` are the most that
        the device can do, `device` names a known one, which the capture may as well.
        """
        asked = read_settings(settings)
        head = read_head(path)
        if not may_be_read(head):
            raise LoadError(f"{path}: {refusal(head)}")
        try:
            reading = self._read_with_companions(path, companions[:1], asked.strip)
        except LoadError as error:
            raise LoadError(f"{path}: {error}") from error
        reading.frames = {name: frame for name, frame in reading.frames.items() if len(frame) or name in _ALWAYS}
        add_disassembly(reading, decoder_limits(self._limits))
        add_waves(reading, decoder_limits(self._limits))
        name = {"name": _run_name(origin or path.as_posix())}
        metadata = name | reading.metadata | dict(asked.run)
        return LoadedRun(metadata | with_peaks(metadata, asked.run), reading.frames, reading.findings)

    def _read_with_companions(self, path: Path, companions: Sequence[Path], strip: bool) -> Reading:
        """Return what the reader found; a companion that makes it fail is skipped."""
        try:
            return self._read(path, companions, strip)
        except KilledError as error:
            if not companions:
                raise LoadError(f"reading it {error}, as no capture does") from error
            lost = rewrites_unread(f"reading it {error}")
        except LoadError as error:
            if not companions:
                raise
            # memory and room are those of both files, so only reading the profile alone shows which of them is at fault
            lost = rewrites_unread(str(error))
        reading = self._read_with_companions(path, (), strip)
        reading.findings.append(lost)
        return reading

    def _read(self, path: Path, companions: Sequence[Path], strip: bool) -> Reading:
        files = [str(file.absolute()) for file in (path, *companions)]
        seconds = self._limits.clock(sum(file.stat().st_size for file in (path, *companions)))
        with scratch_folder() as folder:
            arguments = [str(folder), "1" if strip else "0", self._limits.text(), *files]
            run_isolated("data_loaders.tinygrad.child", arguments, seconds)
            return read_answer(folder)


def _counterpart(path: Path, own: str, other: str) -> Path | None:
    """Return the file beside it that is called the same but for `other` in the place of `own`.

    Without such a file, the only one of its kind beside the only one of this kind.
    """
    named = path.with_name(path.name.replace(own, other))
    if own in path.name and named.is_file():
        return named
    owns, others = (sorted(filter(Path.is_file, path.parent.glob(f"*{kind}*"))) for kind in (own, other))
    return others[0] if len(others) == 1 and owns == [path] else None


def _run_name(origin: str) -> str:
    """Return the folder's name, or what comes before `profile.pkl` where the file has a name of its own."""
    *folders, file = re.split(r"[/\\]", origin)
    own = re.split(r"[._-]?(?:profile|rewrites)\.pkl", file)[0].removesuffix(".gz").removesuffix(".jsonl")
    return own or (folders[-1] if folders and folders[-1] else "tinygrad profile")
