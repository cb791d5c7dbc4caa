"""Tilescope as others see it: its command, `python -m tilescope`, and what plugins import.

A wheel has the folders of the repository below `_tree`, so that names such as `app` are no modules of the environment
that it is installed in; here they come first on the path of this process. In a checkout they are beside this package.
"""

from __future__ import annotations

import sys
from pathlib import Path

TREE = Path(__file__).parent / "_tree"

if TREE.is_dir():
    sys.path[:] = [str(TREE), *(entry for entry in sys.path if entry != str(TREE))]
