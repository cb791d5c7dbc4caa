"""Packages with loaders in a folder, laid out as pip installs them: a module and its
entry points.
"""

import textwrap

from schema.plugin_api import LOADERS


def install_plugin(folder, name, source, loaders):
    """Write module `name` with its entry points ({name} -> `attribute`) into a folder of the module path."""
    (folder / f"{name}.py").write_text(textwrap.dedent(source))
    records = folder / f"{name}-1.dist-info"
    records.mkdir()
    (records / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
    points = "".join(f"{point} = {name}:{attribute}\n" for point, attribute in loaders.items())
    (records / "entry_points.txt").write_text(f"[{LOADERS}]\n{points}")
