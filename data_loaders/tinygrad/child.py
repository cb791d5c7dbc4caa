"""The process that opens tinygrad's captures.

`python -m data_loaders.tinygrad.child FOLDER STRIP LIMITS PROFILE [REWRITES]` limits itself before it reads a byte and
leaves columns in FOLDER (see `answer`). No object of a capture leaves it.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from data_loaders.protocol import LoadError
from data_loaders.reading.files import open_content
from data_loaders.reading.isolated import end_with_starter
from data_loaders.reading.limits import Limits, limit_memory, limit_processor, release_reserve
from data_loaders.reading.pickle_scan import UnsafePickleError
from data_loaders.tinygrad.answer import Reading, write_answer, write_refusal
from data_loaders.tinygrad.run import read_export, read_run
from data_loaders.tinygrad.sniff import MOST_LINE, is_export


def main(arguments: Sequence[str]) -> int:
    """Read a capture and write frames or a refusal; the exit code is 0 for either."""
    folder, strip, limits, *paths = Path(arguments[0]), arguments[1], Limits.of(arguments[2]), *arguments[3:]
    limit_memory(limits)
    try:
        contents = [_content(Path(path)) for path in paths]
        size = sum(map(len, contents))
        limit_processor(limits, size)
        gc.disable()  # a capture has no cycles, and looking for them among its objects doubles the time
        write_answer(folder, _read_capture(contents, strip == "1", limits.graph_nodes), size)
    except MemoryError:
        release_reserve()
        write_refusal(folder, f"it needs more than the {limits.memory_mb} MiB that its reader may use")
    except (LoadError, UnsafePickleError) as error:
        release_reserve()
        write_refusal(folder, str(error))
    return 0


def _content(path: Path) -> bytes:
    with open_content(path) as stream:
        return stream.read()


def _read_capture(contents: list[bytes], strip: bool, graph_nodes: int) -> Reading:
    """Read a capture; what it holds is taken out of the list, so that it is gone once there are objects."""
    if is_export(contents[0][:MOST_LINE]):
        return read_export(contents[0], strip)
    rewrites = contents.pop() if len(contents) > 1 else None
    return read_run(contents.pop(), rewrites, strip, graph_nodes)


if __name__ == "__main__":
    end_with_starter()
    code = main(sys.argv[1:])
    sys.stdout.flush()
    os._exit(code)  # what a capture made is not worth taking apart one by one
