"""Start of the command line in a process of its own."""

from __future__ import annotations

import gc

_OBJECTS_PER_COLLECTION = 200_000
"""New objects until the next garbage collection, of which Python's default are 700.

The imports of a command make up to 120,000 objects, of which none is garbage.
"""


def run() -> None:
    """Run the command line and exit with its code.

    The garbage collector is set for a short process: with Python's defaults, collections take a
    fourth of the processor time of `ingest` with a small file.
    """
    # The second number counts collections of the first generation, the third of the second.
    gc.set_threshold(_OBJECTS_PER_COLLECTION, 10, 10)
    from app.cli.main import main
    from schema.command import COMMAND

    try:
        main(prog_name=COMMAND)
    finally:
        # Otherwise the interpreter would search all objects for garbage several times at its end.
        gc.freeze()
