"""A small disk that a test can fill; mounting it needs the right to mount."""

import contextlib
import shutil
import subprocess

import pytest

_FILLER = "filler"
_SIZES = (2**20, 2**12, 1)
"""Bytes of a write while a disk is filled: large ones first, then the rest of the last page."""


@contextlib.contextmanager
def small_disk(folder, size):
    """Context with a disk of `size` bytes mounted on a new folder; skips the test if this process
    may not mount.
    """
    folder.mkdir(parents=True)
    mount = shutil.which("mount")
    if mount is None:
        pytest.skip("there is no command mount")
    command = [mount, "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder]
    mounted = subprocess.run(command, check=False, capture_output=True)
    if mounted.returncode:
        pytest.skip(f"a disk cannot be mounted: {mounted.stderr.decode().strip()}")
    try:
        yield folder
    finally:
        subprocess.run([shutil.which("umount"), "-l", folder], check=True)


def fill(folder):
    """Write files into a folder until its disk is full."""
    with (folder / _FILLER).open("ab", buffering=0) as stream:
        for size in _SIZES:
            with contextlib.suppress(OSError):
                while stream.write(b"x" * size) == size:
                    pass
    assert shutil.disk_usage(folder).free == 0


def empty(folder):
    """Remove the files that `fill` wrote."""
    (folder / _FILLER).unlink(missing_ok=True)
