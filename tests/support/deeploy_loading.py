"""Deeploy runs as the loader reads them: from a folder, or from one file alone; and what tests look at."""

import pandas as pd

from data_loaders.deeploy.run import DeeployLoader

LOADER = DeeployLoader()
PROBLEM = "input_minimalloc_0123456789abcdef.csv"


def load(folder, settings=None):
    bundle = LOADER.bundle(next(path for path in sorted(folder.iterdir()) if path.is_file()))
    return LOADER.load(bundle.primary, settings or {}, None, bundle.companions)


def alone(tmp_path, name, content, settings=None):
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return LOADER.load(path, settings or {}, name)


def column(frame, name):
    return [None if pd.isna(value) else value for value in frame[name]]


def level(run, name, plan=None):
    blocks = run.frames["allocations"]
    return blocks[
        (blocks["level"] == name) & ((blocks["plan"] == plan) if plan else True)
    ].reset_index(drop=True)
