"""Parser of `compiler_profile_<core>.txt`: commands of a core's engines, in cycles.

The file has a column per engine. A cell is `layer|command|s:start|b:..|g:..|e:end|t:cycles`, with
`|dr:direction` for transfers. The suffix of a layer such as `Conv2D_35` is a line of the compiled
module (`file-line` of its bmodel.json).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from data_loaders.protocol import LoadError
from data_loaders.tpu_mlir.companion_files import read_text
from schema.frames import complete

FILE_NAME = re.compile(r"compiler_profile_([0-9]{1,4})\.txt(?:\.gz)?")
_HEADER = re.compile(r"^ENGINE_\w.*$", re.MULTILINE)
# A cell begins after a blank or a bar and its parts are bounded, so that a search reads each
# character only a few times.
_CELL = re.compile(
    r"(?<![^\s|])([^\s|]{0,300})\|(\w{1,100})\|s:([0-9]{1,15})"
    r"\|(?:[a-su-z]\w{0,20}:[^\s|]{0,40}\|){0,20}+t:([0-9]{1,15})(?:\|dr:([0-3]))?"
)
_TOTAL = re.compile(r"^API_END total_cycle:([0-9]{1,15})", re.MULTILINE)
_RUNTIME = re.compile(r"runtime: ([0-9]{1,12}\.[0-9]{1,12})ms")
_LAYER = re.compile(r"(\w{1,300})_([0-9]{1,9})")
_DIRECTIONS = ("S2L", "L2S", "S2S", "L2L")
_ENOUGH_CYCLES = 1000
"""Minimum cycles of a program whose clock is computed: the runtime has six decimals, too few for
shorter programs.
"""


@dataclass(frozen=True)
class Cell:
    """A command of an engine, from `start` for `cycles`; `layer` is "" if there is none."""

    engine: str
    layer: str
    command: str
    direction: str
    start: int
    cycles: int


@dataclass(frozen=True)
class Profile:
    """Profile of a core.

    `clock_hz` is `None` if the file does not determine it. `whole` is False if the end of the file
    is missing; `unreadable` counts the cells that were skipped.
    """

    core: int
    engines: Sequence[str]
    cells: Sequence[Cell]
    clock_hz: float | None
    whole: bool
    unreadable: int


def is_profile(head: bytes) -> bool:
    """Whether `head`, the first bytes of a file, contains the line of engine names of a compiler
    profile.
    """
    return re.search(rb"(?m)^ENGINE_\w+ {2,}ENGINE_GDMA", head[:4096]) is not None


def read_profile(path: Path) -> Profile:
    """Parse a profile, plain or gzip.

    Raises LoadError if the file has no line of engine names or is unreadable. The core is the
    number in the file's name, 0 without.
    """
    text = read_text(path)
    header = _HEADER.search(text)
    if header is None:
        raise LoadError(f"{path.name}: has no line that names engines (ENGINE_BD ...)")
    columns = [
        (match.start(), match[1].lower()) for match in re.finditer(r"ENGINE_(\w+)", header[0])
    ]
    cells = list(_cells(text, columns, header.end()))
    total = _TOTAL.search(text)
    runtime = _RUNTIME.search(text)
    named = FILE_NAME.fullmatch(path.name)
    lost = text.count("|s:", header.end()) - len(cells)
    core = int(named[1]) if named else 0
    engines = [engine for _, engine in columns]
    whole = None not in (total, runtime)
    return Profile(core, engines, cells, _clock(total, runtime), whole, lost)


def _cells(text: str, columns: Sequence[tuple[int, str]], begin: int) -> Iterator[Cell]:
    line = begin
    for match in _CELL.finditer(text, begin):
        line = max(line, text.rfind("\n", line, match.start()) + 1)
        yield _cell(columns, match, match.start() - line)


def _cell(columns: Sequence[tuple[int, str]], match: re.Match[str], place: int) -> Cell:
    layer, command, start, cycles, direction = match.groups()
    engine = next((name for begin, name in reversed(columns) if begin <= place), columns[0][1])
    return Cell(
        engine,
        layer,
        command,
        _DIRECTIONS[int(direction)] if direction else "",
        int(start),
        int(cycles),
    )


def _clock(total: re.Match[str] | None, runtime: re.Match[str] | None) -> float | None:
    """Compute total_cycle / runtime in Hz, to three digits.

    `None` if a number is missing or the program has fewer than 1,000 cycles.
    """
    if not total or not runtime or int(total[1]) < _ENOUGH_CYCLES or not float(runtime[1]):
        return None
    return float(f"{int(total[1]) / float(runtime[1]) * 1000:.3g}")


def known_layers(profile: Profile, types: Mapping[int, str]) -> int:
    """Count the cells of a profile whose layer, such as `Conv2D_35`, is the type and line of an
    operator.

    `types` maps lines to operator types without dialect.
    """
    parts = (_LAYER.fullmatch(cell.layer) for cell in profile.cells)
    return sum(types.get(int(part[2])) == part[1] for part in parts if part)


def profile_frames(
    profiles: Sequence[Profile], names: Mapping[int, str]
) -> dict[str, pd.DataFrame]:
    """Build frames `events`, a row per command in cycles, and `tracks`, a track per core and engine
    with commands.

    `names` maps lines to tensor names; without a name, an event has that of its layer or command.
    """
    rows = [
        (
            _track(profile.core, cell.engine),
            _lane(cell),
            _name(cell, names),
            cell.start,
            cell.start + cell.cycles,
        )
        for profile in profiles
        for cell in profile.cells
    ]
    events = pd.DataFrame(rows, columns=["track", "lane", "name", "start", "end"])
    tracks = [_track(profile.core, engine) for profile in profiles for engine in profile.engines]
    used = set(events["track"])
    lanes = sorted(set(events["lane"]))
    typed = events.assign(
        track=pd.Categorical(
            events["track"], categories=[track for track in dict.fromkeys(tracks) if track in used]
        ),
        lane=pd.Categorical(events["lane"], categories=lanes),
        name=events["name"].astype("category"),
        opened=True,
        closed=True,
    )
    ordered = typed.sort_values(["track", "lane", "start"], kind="stable", ignore_index=True)
    return {"events": complete("events", ordered), "tracks": _tracks(ordered)}


def _track(core: int, engine: str) -> str:
    return f"core {core} {engine}"


def _lane(cell: Cell) -> str:
    return f"{cell.command} {cell.direction}".rstrip()


def _name(cell: Cell, names: Mapping[int, str]) -> str:
    part = _LAYER.fullmatch(cell.layer)
    return (names.get(int(part[2])) if part else None) or cell.layer or cell.command


def _tracks(events: pd.DataFrame) -> pd.DataFrame:
    by_track = events.groupby("track", observed=True)
    names = events["track"].cat.categories
    columns = {
        "track": pd.Categorical(names, categories=names),
        "kind": pd.Categorical(["engine"] * len(names)),
        "process": "compiler profile",
        "order": np.arange(len(names)),
        "first": by_track["start"].min().to_numpy(),
        "last": by_track["end"].max().to_numpy(),
        "entries": 2 * by_track.size().to_numpy(),
    }
    return complete("tracks", columns)
