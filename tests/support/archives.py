"""Archives for tests."""

import io
import tarfile
import zipfile

NAMES_AND_MODES = [
    ("x.tar", "w"),
    ("x.tar.gz", "w:gz"),
    ("x.tgz", "w:gz"),
    ("x.tar.bz2", "w:bz2"),
    ("x.tbz2", "w:bz2"),
    ("x.tar.xz", "w:xz"),
    ("x.txz", "w:xz"),
]
"""Names of tar archives and the modes of `tarfile` that write them."""


def write_tar(path, contents, mode="w:gz", changed_s=0):
    """Write a tar archive; `contents` maps names of members to bytes."""
    with tarfile.open(path, mode) as tar:
        for name, content in contents.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            info.mtime = changed_s
            tar.addfile(info, io.BytesIO(content))
    return path


def write_zip(path, contents):
    """Write a compressed zip archive; `contents` maps names of members to bytes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            archive.writestr(name, content)
    return path
