"""Loader for tinygrad's captures: profile.pkl with its rewrites.pkl, or an export (JSON lines).

To unpickle is to run code, so this process only examines the first bytes, and `child` reads the
file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from data_loaders.profile_settings import read_settings
from data_loaders.protocol import Bundle, LoadedRun, LoadError, Settings
from data_loaders.reading.files import read_head
from data_loaders.reading.isolated import KilledError, run_isolated
from data_loaders.reading.limits import Limits
from data_loaders.reading.result_folder import Reading, read_result
from data_loaders.reading.run_names import known_place, name_columns, with_name
from data_loaders.reading.scratch import scratch_folder
from data_loaders.tinygrad.decoding import decoder_limits
from data_loaders.tinygrad.disassembly import add_disassembly
from data_loaders.tinygrad.sniff import is_readable, refusal, rewrites_unread
from data_loaders.tinygrad.traced_waves import add_waves
from schema.devices import with_peaks
from schema.sources import source_of

_ALWAYS = ("tracks", "events", "kernels")
"""Frames that are stored even when they are empty."""


class TinygradLoader:
    """Loads profiler captures of tinygrad 0.12 to 0.14 without executing their content."""

    name = "tinygrad"
    reads = (
        "tinygrad profiles: profile.pkl with rewrites.pkl, or the JSON lines of tinygrad.viz.cli"
    )
    setting_names = source_of("tinygrad").settings
    version = "9"

    def __init__(self, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()

    def with_limits(self, limits: Limits) -> TinygradLoader:
        """Return a loader with these limits for its child processes."""
        return TinygradLoader(limits)

    def sniff(self, path: Path, head: bytes) -> str | None:
        """Return `None` if the file is a pickle with tinygrad's profiler classes, or an export.

        Otherwise return the reason of the rejection.
        """
        return refusal(head)

    def bundle(self, path: Path) -> Bundle:
        """Return the profile.pkl with the rewrites.pkl of its name, or the only pair in the folder.

        Without a counterpart the bundle has the file only.
        """
        profile = (
            _counterpart(path, "rewrites.pkl", "profile.pkl")
            if "rewrites.pkl" in path.name
            else path
        )
        if profile is None:
            return Bundle(path)
        rewrites = _counterpart(profile, "profile.pkl", "rewrites.pkl")
        return Bundle(profile, (rewrites,) if rewrites else ())

    def load(
        self,
        path: Path,
        settings: Settings,
        origin: str | None = None,
        companions: Sequence[Path] = (),
    ) -> LoadedRun:
        """Load a capture in a child process.

        Raise LoadError if it is refused or has no readable content. `strip_tracebacks=true` leaves
        out source lines and paths. `peak_flops` and `peak_bytes_per_s` are the peak rates of the
        device; `device` selects a known device, as the capture itself may.
        """
        options = read_settings(settings)
        head = read_head(path)
        if not is_readable(head):
            raise LoadError(f"{path}: {refusal(head)}")
        try:
            reading = self._read_with_companions(path, companions[:1], options.strip)
        except LoadError as error:
            raise LoadError(f"{path}: {error}") from error
        reading.frames = {
            name: frame for name, frame in reading.frames.items() if len(frame) or name in _ALWAYS
        }
        add_disassembly(reading, decoder_limits(self._limits))
        add_waves(reading, decoder_limits(self._limits))
        names = _run_names(known_place(path, origin))
        metadata = with_name(names, {**reading.metadata, **options.run})
        return LoadedRun(
            metadata | with_peaks(metadata, options.run), reading.frames, reading.findings
        )

    def _read_with_companions(self, path: Path, companions: Sequence[Path], strip: bool) -> Reading:
        """Read the files in a child process.

        If that fails, reads the profile without its companion and reports the companion. Raises
        LoadError if that fails as well.
        """
        try:
            return self._read(path, companions, strip)
        except KilledError as error:
            if not companions:
                raise LoadError(
                    f"reading it {error}, which exceeds the limits of a capture"
                ) from error
            lost = rewrites_unread(f"reading it {error}")
        except LoadError as error:
            if not companions:
                raise
            # Both files share the limits of the process, so only a second attempt with the profile
            # shows which file exceeds them.
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
            return read_result(folder)


def _counterpart(path: Path, own: str, other: str) -> Path | None:
    """Return the file in the folder with `other` instead of `own` in its name.

    Without such a file, return the only `other` file when `path` is the only `own` file in the
    folder, else `None`.
    """
    named = path.with_name(path.name.replace(own, other))
    if own in path.name and named.is_file():
        return named
    owns, others = (
        sorted(filter(Path.is_file, path.parent.glob(f"*{kind}*"))) for kind in (own, other)
    )
    return others[0] if len(others) == 1 and owns == [path] else None


def _run_names(place: str) -> dict[str, str]:
    """Return the columns `name` and `stem`: the file's name before `profile.pkl` or `rewrites.pkl`,
    or if it is empty or generic, the folder's name, or `tinygrad profile`.
    """
    file = re.split(r"[/\\]", place)[-1]
    own = (
        re.split(r"[._-]?(?:profile|rewrites)\.pkl", file)[0]
        .removesuffix(".gz")
        .removesuffix(".jsonl")
    )
    names = name_columns(place, own, is_keyed=not own)
    return names if names["name"] else {"name": "tinygrad profile"}
