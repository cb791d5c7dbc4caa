"""Hand-made frames of profiles: `kernels(run("r_8", 10, 5), ...)` is frame `kernels` as the loader
makes it.
"""

import pandas as pd

from schema.frames import complete

_NULLABLE = ("launch", "program", "operations", "memory_bytes", "moved_bytes", "copied_bytes")
_CATEGORIES = ("track", "name", "colours", "missing")


def run(name="r_8", start=0, duration=10, **more):
    """Build the row of an execution; `more` are further columns of frame `kernels`."""
    return {
        "track": "CPU",
        "name": name,
        "start": start,
        "end": start + duration,
        "duration": duration,
    } | more


def kernels(*runs):
    """Build frame `kernels` from rows of `run`, sorted by track and start, with ranks and run
    numbers.
    """
    rows = pd.DataFrame(list(runs)) if runs else pd.DataFrame(columns=list(run()))
    rows = rows.sort_values(["track", "start"], kind="stable", ignore_index=True)
    defaults = {"copy": False, "batched": False, "missing": "", "colours": "", "kept": True}
    rows = rows.assign(
        **{column: value for column, value in defaults.items() if column not in rows}
    )
    columns = {column: rows[column] for column in rows if column not in _NULLABLE}
    columns |= {column: rows[column].astype("Int64") for column in _NULLABLE if column in rows}
    columns |= {column: rows[column].fillna("").astype("category") for column in _CATEGORIES}
    columns |= {column: rows[column].fillna(False).astype(bool) for column in ("copy", "batched")}
    columns["kernel"] = rows.groupby("track").cumcount()
    frame = complete(
        "kernels",
        columns | {"run": (rows.groupby(["track", "name"]).cumcount() + 1).astype("Int64")},
    )
    return frame.astype({"start": "Int64", "end": "Int64", "duration": "Int64"})


def tracks(*names, kind="device", last=100):
    """Build frame `tracks` with these names, in order."""
    columns = {
        "track": pd.Categorical(names, categories=list(names)),
        "kind": pd.Categorical([kind] * len(names)),
    }
    return complete(
        "tracks", columns | {"order": range(len(names)), "first": 0, "last": last, "entries": 1}
    )


def markers(*places):
    """Build frame `markers` from (name, time)."""
    columns = {
        "name": pd.Series([name for name, _ in places], dtype="str"),
        "start": [at for _, at in places],
    }
    return complete("markers", columns | {"colour": pd.Series(["gray"] * len(places), dtype="str")})
