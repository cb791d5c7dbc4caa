"""Capture the tinygrad samples: `python -m samples.make_tinygrad [FOLDER]`, on Linux with clang.

A maintainer runs this; every capture has other times. It installs each release from PyPI into a
folder of its own, separate from the application, and runs `tinygrad_training.py` with it. Captures
contain the file names of all calls, so tinygrad, script and Python's library are in a folder whose
name reveals nothing about the machine.
"""

from __future__ import annotations

import gzip
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
NEUTRAL = Path("/tmp/sample")  # noqa: S108 - made anew and removed; its name is in the captures
"""Folder whose name is in the captures."""
USER = "sample"
"""User name that is in the captures."""
_CLANG = "/usr/lib/llvm-19/bin"
"""Folder of Debian's clang, in which it has no version suffix."""
_SOURCE = re.compile(rb"/[!-.0-~][!-~]{0,300}?\.py")
"""A path of a Python file in a capture."""
_SKIPPED = shutil.ignore_patterns("site-packages", "test", "__pycache__", "config-*")
"""Parts of Python's library that tinygrad does not need."""


@dataclass(frozen=True)
class Recording:
    """A capture: its release, the variables that choose the device, and the amount of work.

    The work is `products` matrix products and `steps` training steps. `export` also writes the JSON
    export of tinygrad's viewer.
    """

    release: str
    device: dict[str, str]
    products: int
    steps: int
    export: bool = False


RECORDINGS = {
    "train-0.12-cpu": Recording("0.12.0", {"CPU": "1"}, 4, 6),
    "train-0.13-cpu": Recording("0.13.0", {"DEV": "CPU"}, 4, 6, export=True),
    "gemm-0.14-cpu": Recording("0.14.0", {"DEV": "CPU", "HCQ2": "1"}, 4, 0),
}
"""Folder -> capture.

The capture of 0.14 has no training: that release also compiles the commands of graphs, which would
make its rewrites large.
"""


def record(name: str, recording: Recording, root: Path) -> None:
    """Make a capture and write its files, and its export if requested, below `root`."""
    library = NEUTRAL / "lib"
    files = NEUTRAL / "tmp"
    folder = root / name
    shutil.rmtree(NEUTRAL, ignore_errors=True)
    files.mkdir(parents=True)
    standard = Path(sysconfig.get_path("stdlib"))
    shutil.copytree(standard, NEUTRAL / "python" / "lib" / standard.name, ignore=_SKIPPED)
    install = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--target",
        str(library),
        f"tinygrad=={recording.release}",
    ]
    subprocess.run([sys.executable, *install], check=True)  # noqa: S603 - the command is our own
    shutil.copy(HERE / "tinygrad_training.py", NEUTRAL / "training.py")
    surroundings = _surroundings(library, files)
    _run(
        ["training.py", str(recording.products), str(recording.steps)],
        surroundings | recording.device,
    )
    folder.mkdir(parents=True, exist_ok=True)
    for kind in ("profile.pkl", "rewrites.pkl"):
        content = (files / f"{kind}.{USER}").read_bytes()
        # Captures are part of the repository: paths would reveal names of this machine.
        _refuse_foreign_paths(content)
        _write(folder / f"{kind}.gz", content)
    if recording.export:
        lines = _run(
            ["-m", "tinygrad.viz.cli", "--json"], surroundings | {"VIZ": "0", "NO_COLOR": "1"}
        )
        _write(root / f"{name}-export.jsonl.gz", lines)
    shutil.rmtree(NEUTRAL)


def _surroundings(library: Path, files: Path) -> dict[str, str]:
    """Return the environment of tinygrad: no cache of kernels, and both pickles are written."""
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), _CLANG])
    names = {
        "HOME": str(NEUTRAL),
        "PYTHONHOME": str(NEUTRAL / "python"),
        "USER": USER,
        "LOGNAME": USER,
        "PATH": path,
    }
    return names | {
        "PYTHONPATH": str(library),
        "TMPDIR": str(files),
        "CACHELEVEL": "0",
        "VIZ": "-1",
    }


def _run(arguments: list[str], surroundings: dict[str, str]) -> bytes:
    command = [str(Path(sys.executable).resolve()), *arguments]
    done = subprocess.run(  # noqa: S603
        command, cwd=NEUTRAL, env=surroundings, check=True, stdout=subprocess.PIPE
    )
    return done.stdout


def _refuse_foreign_paths(content: bytes) -> None:
    """Raise SystemExit if a capture contains the path of another file of this machine."""
    foreign = [
        path.decode() for path in _SOURCE.findall(content) if not path.startswith(bytes(NEUTRAL))
    ]
    if foreign:
        raise SystemExit(f"the capture names {foreign[0]}")


def _write(path: Path, content: bytes) -> None:
    path.write_bytes(gzip.compress(content, 9, mtime=0))
    sys.stdout.write(f"{path} ({path.stat().st_size} bytes)\n")


def main(root: Path) -> None:
    """Make every capture below `root`."""
    for name, recording in RECORDINGS.items():
        record(name, recording, root)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "tinygrad")
