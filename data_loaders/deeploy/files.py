"""Find the files of a Deeploy run in its folders, and choose the primary file.

Layout: the dump folder holds Network.c, Network.h, the log and MiniMalloc's tables; its folder
`deeployStates/` holds the plot, the graphs and the pickles. All files in a single folder are
accepted as well.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from data_loaders.deeploy.code import is_code
from data_loaders.deeploy.graph import is_graph
from data_loaders.deeploy.log import is_log, is_profile
from data_loaders.deeploy.plot import is_plot
from data_loaders.minimalloc.run import DEEPLOY_TABLE
from data_loaders.minimalloc.table import has_header
from data_loaders.protocol import Bundle, LoadError
from data_loaders.reading.files import content_name, read_head

STATES = "deeployStates"
"""Folder of plot, graphs and pickles within the dump folder."""
CALLS = "minimalloc_calls"
"""Folder of the MiniMalloc problems of each step."""
_PACKED_CALLS = f"{CALLS}.tar.gz"
_USUAL = {"plot": "memory_alloc.html", "log": "run.log"}
_USUAL_NAME = re.compile(
    r"memory_alloc\.html|run\.log|Network\.[ch]|(?:backend|middleware)_\w+\.onnx"
)
_MAX_ALIKE = 50
"""If a folder has more files of a suffix, only files with Deeploy's usual names are inspected."""
_KINDS = {".html": "plot", ".htm": "plot", ".onnx": "graph", ".c": "code", ".h": "header"}
_PRINTED = {".log", ".txt"}
_RANKS = (
    "plot",
    "problem",
    "log",
    "code",
    "graph",
    "header",
    "solution",
    "solved problem",
    "profile",
)
"""Kinds of files in order of preference for the primary file."""


def file_kind(head: bytes) -> str | None:
    """Recognise a file by its first bytes (uncompressed): plot, graph, code, header, log, profile
    or table.

    Returns `None` for any other file.
    """
    if is_plot(head):
        return "plot"
    if is_graph(head):
        return "graph"
    if (
        is_code(head) and b"\0" not in head
    ):  # compiled files have the text of code among their constants
        return "header" if b"__DEEPLOY_HEADER__" in head else "code"
    if is_log(head):
        return "log"
    if is_profile(head):
        return "profile"
    return "table" if has_header(head) else None


def is_pickle(path: Path) -> bool:
    """Whether the file's suffix is `.pkl`. Pickles are never opened, since that runs their code."""
    return path.suffix == ".pkl"


def is_call(path: Path) -> bool:
    """Whether the file is the MiniMalloc problem of a single step (in folder `minimalloc_calls`) or
    the archive of these.
    """
    return path.parent.name == CALLS or path.name == _PACKED_CALLS


def run_bundle(path: Path) -> Bundle:
    """Find the run that a file belongs to: its primary file (plot, else unsolved problem, log,
    code, graph ...) and all its other files.

    A file that is not part of its folder's run is a bundle without companions.
    """
    folders = _folders(path.parent)
    files = [file for folder in folders for file in sorted(folder.iterdir()) if _is_seen(file)]
    kinds = _kinds(files)
    if path not in kinds:
        return Bundle(path)
    primary = min(kinds, key=lambda file: (_RANKS.index(kinds[file]), _preference(file)))
    others = [
        file for file in files if file in kinds or is_pickle(file) or file.name == _PACKED_CALLS
    ]
    calls = sorted(
        file for folder in folders for file in (folder / CALLS).glob("*.csv") if _is_seen(file)
    )
    return Bundle(primary, tuple(file for file in [*others, *calls] if file != primary))


def _is_seen(file: Path) -> bool:
    return not file.name.startswith(".") and file.is_file()


def _folders(folder: Path) -> Sequence[Path]:
    """Return the folders of the run with a file in this folder: the dump folder, then
    `deeployStates` within it if it exists.
    """
    if folder.name == STATES:
        return folder.parent, folder
    return (folder, folder / STATES) if (folder / STATES).is_dir() else (folder,)


def _kinds(files: Sequence[Path]) -> dict[Path, str]:
    """Map the files that belong to the folder's run to their kinds; all other files are left out.

    At most one plot, one log and one profile remain.
    """
    alike = Counter(Path(content_name(file)).suffix for file in files)
    kinds: dict[Path, str] = {}
    for file in files:
        usual = _USUAL_NAME.fullmatch(content_name(file)) or DEEPLOY_TABLE.fullmatch(file.name)
        if usual or alike[Path(content_name(file)).suffix] <= _MAX_ALIKE:
            kinds |= {file: kind} if (kind := _kind(file, files)) else {}
    for kind in ("plot", "log", "profile"):
        _keep_one(kinds, kind)
    return kinds


def _kind(file: Path, files: Sequence[Path]) -> str | None:
    """Return a file's kind if its name and its content agree, otherwise `None`.

    Also `None` if it is unreadable.
    """
    name = Path(content_name(file))
    # Other C files of the folder, such as testinputs.h, hold vectors and no memory facts.
    if name.suffix in {".c", ".h"} and name.stem != "Network":
        return None
    table = DEEPLOY_TABLE.fullmatch(file.name) is not None
    if not table and name.suffix not in _PRINTED and name.suffix not in _KINDS:
        return None
    try:
        kind = file_kind(read_head(file))
    except (LoadError, OSError):
        return None
    if table:
        return _table_kind(content_name(file), files) if kind == "table" else None
    fits = kind in {"log", "profile"} if name.suffix in _PRINTED else kind == _KINDS[name.suffix]
    return kind if fits else None


def _table_kind(name: str, files: Iterable[Path]) -> str:
    """Return the kind of a table by its name: solution, solved problem or problem.

    A problem is solved if its solution is among the files.
    """
    if name.startswith("output_"):
        return "solution"
    solution = name.replace("input_", "output_", 1)
    return "solved problem" if any(content_name(file) == solution for file in files) else "problem"


def _keep_one(kinds: dict[Path, str], kind: str) -> None:
    """Delete from `kinds` all files of a kind except the file with the usual name, or else the only
    file.

    If there are several and none has the usual name, all are deleted: several plots or logs without
    the usual name cannot be assigned to the run.
    """
    files = [file for file, other in kinds.items() if other == kind]
    usual = [file for file in files if content_name(file) == _USUAL.get(kind)]
    chosen = usual[:1] or (files if len(files) == 1 else [])
    for file in files:
        if file not in chosen:
            del kinds[file]


def _preference(file: Path) -> tuple[bool, bool, str]:
    """Sort key among files of a kind: False if the name begins with `backend_post_parsing`, False
    if with `backend_`, name.

    So the graph in the order of the schedule is first.
    """
    name = content_name(file)
    return not name.startswith("backend_post_parsing"), not name.startswith("backend_"), name
