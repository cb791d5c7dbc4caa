"""Main function of the process that reads an untrusted file: apply limits, read, write a result."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from data_loaders.protocol import LoadError
from data_loaders.reading.files import open_content
from data_loaders.reading.limits import Limits, limit_memory, limit_processor, release_reserve
from data_loaders.reading.pickle_scan import UnsafePickleError
from data_loaders.reading.refusal import write_refusal

if TYPE_CHECKING:
    from data_loaders.reading.result_folder import Reading


def write_reading(
    folder: Path,
    limits: Limits,
    paths: Sequence[str],
    read: Callable[[list[bytes]], Reading],
    late_modules_mb: int = 0,
) -> None:
    """Limit this process, read the files at `paths`, and write the result or a refusal into the
    folder.

    `read` gets a list of contents; it may remove the bytes from the list to free them once they are
    parsed. LoadError, UnsafePickleError and lack of memory become refusals. `late_modules_mb` is the
    address space in MiB of the modules that `read` imports, which are no part of its limit.
    """
    limit_memory(limits, further_mb=late_modules_mb)
    try:
        contents = [_content(Path(path)) for path in paths]
        size = sum(map(len, contents))
        limit_processor(limits, size)
        gc.disable()  # a capture has no cycles, and looking for them among its objects doubles the time
        reading = read(contents)
        from data_loaders.reading.result_folder import write_result  # noqa: PLC0415 - it imports pandas

        write_result(folder, reading, size)
    except MemoryError:
        release_reserve()
        limit = f"the {limits.memory_mb} MiB available to a reader (setting reader_memory_mb)"
        write_refusal(folder, f"it needs more than {limit}")
    except (LoadError, UnsafePickleError) as error:
        release_reserve()
        write_refusal(folder, str(error))


def end_process(code: int) -> NoReturn:
    """End this process without destructors: freeing millions of objects singly takes long."""
    sys.stdout.flush()
    os._exit(code)


def _content(path: Path) -> bytes:
    with open_content(path) as stream:
        return stream.read()
