"""Child process that unpickles tinygrad's captures.

`python -m data_loaders.tinygrad.child FOLDER STRIP LIMITS PROFILE [REWRITES]` sets limits for
itself before it reads a byte, and writes columns into FOLDER (see `answer`). No object of a capture
leaves the process.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from data_loaders.reading.child import end_process, write_reading
from data_loaders.reading.isolated import end_with_starter
from data_loaders.reading.limits import Limits
from data_loaders.reading.result_folder import Reading
from data_loaders.tinygrad.run import read_export, read_run
from data_loaders.tinygrad.sniff import MAX_LINE_BYTES, is_export


def main(arguments: Sequence[str]) -> int:
    """Read a capture and write frames or the reason for its refusal into the folder.

    Returns exit code 0 in both cases.
    """
    folder = Path(arguments[0])
    strip = arguments[1] == "1"
    limits = Limits.of(arguments[2])
    paths = [*arguments[3:]]
    write_reading(
        folder, limits, paths, lambda contents: _read_capture(contents, strip, limits.graph_nodes)
    )
    return 0


def _read_capture(contents: list[bytes], strip: bool, graph_nodes: int) -> Reading:
    """Read a capture from its first content (a profile, or an export of JSON lines) and, if given,
    the rewrites in the second.

    Removes the contents from the list, so that their memory is free once they are unpickled.
    """
    if is_export(contents[0][:MAX_LINE_BYTES]):
        return read_export(contents[0], strip)
    rewrites = contents.pop() if len(contents) > 1 else None
    return read_run(contents.pop(), rewrites, strip, graph_nodes)


if __name__ == "__main__":
    end_with_starter()
    end_process(main(sys.argv[1:]))
