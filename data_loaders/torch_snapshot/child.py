"""Child process that unpickles PyTorch's memory snapshots.

`python -m data_loaders.torch_snapshot.child FOLDER LIMITS SNAPSHOT` sets limits for itself before
it reads a byte, and writes columns into FOLDER (see `data_loaders.reading.answer`).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from data_loaders.reading.child import end_process, write_reading
from data_loaders.reading.isolated import end_with_starter
from data_loaders.reading.limits import Limits
from data_loaders.torch_snapshot.run import read_run


def main(arguments: Sequence[str]) -> int:
    """Read a snapshot and write frames or the reason for its refusal into the folder.

    Returns exit code 0 in both cases.
    """
    folder = Path(arguments[0])
    limits = Limits.of(arguments[1])
    paths = [*arguments[2:]]
    write_reading(folder, limits, paths, lambda contents: read_run(contents.pop()))
    return 0


if __name__ == "__main__":
    end_with_starter()
    end_process(main(sys.argv[1:]))
