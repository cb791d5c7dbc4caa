"""Tilescope for other packages: its command, `python -m tilescope`, and the API for plugins.

A wheel has the folders of the repository below `_tree`, so that names such as `app` are not modules
of the environment that it is installed in; importing this package puts `_tree` first on the path of
the process. In a checkout these folders are next to this package.
"""

from __future__ import annotations

import sys
from pathlib import Path

TREE = Path(__file__).parent / "_tree"
"""Folder of the other packages in a wheel; it does not exist in a checkout."""

if TREE.is_dir():
    sys.path[:] = [str(TREE), *(entry for entry in sys.path if entry != str(TREE))]
