"""Child process that unpickles PyTorch's memory snapshots.

`python -m data_loaders.torch_snapshot.child FOLDER LIMITS SNAPSHOT` sets limits for itself before
it reads a byte, and writes columns into FOLDER (see `data_loaders.reading.result_folder`).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from data_loaders.reading.child import end_process, write_reading
from data_loaders.reading.isolated import end_with_starter
from data_loaders.reading.limits import Limits
from data_loaders.reading.safe_pickle import unpickle_plain
from data_loaders.torch_snapshot.entries import read_snapshot

if TYPE_CHECKING:
    from data_loaders.reading.result_folder import Reading

_LATE_MODULES_MB = 256
"""Address space in MiB of pandas and pyarrow, which are imported after the file is unpickled."""


def main(arguments: Sequence[str]) -> int:
    """Read a snapshot and write frames or the reason for its refusal into the folder.

    Returns exit code 0 in both cases.
    """
    folder = Path(arguments[0])
    limits = Limits.of(arguments[1])
    paths = [*arguments[2:]]
    write_reading(folder, limits, paths, read_run, _LATE_MODULES_MB)
    return 0


def read_run(contents: list[bytes]) -> Reading:
    """Build the frames of a snapshot, whose bytes are removed from the list, with metadata and
    findings.

    Raises LoadError or UnsafePickleError if it is not a snapshot or no device of it can be read.
    """
    size = len(contents[0])
    # Neither bytes nor objects have a name here, which would keep them in memory.
    snapshot = read_snapshot(unpickle_plain(contents.pop()), size)
    # pandas takes 80 MiB, so it is imported when the objects of the file are gone.
    from data_loaders.torch_snapshot.run import make_reading  # noqa: PLC0415

    return make_reading(snapshot)


if __name__ == "__main__":
    end_with_starter()
    end_process(main(sys.argv[1:]))
