"""The garbage collector of a process of the command line."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
_RUN = """
import atexit, gc, sys
atexit.register(lambda: print(gc.get_freeze_count(), *gc.get_threshold()))
sys.argv[1:] = ["--version"]
from app.cli.start import run
run()
"""


def test_objects_of_imports_are_searched_for_garbage_neither_on_the_way_nor_at_the_end():
    done = subprocess.run(
        [sys.executable, "-c", _RUN],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
        timeout=60,
    )
    frozen, new_objects, *_older = [int(text) for text in done.stdout.splitlines()[-1].split()]
    assert frozen > 10_000
    assert new_objects > 120_000
