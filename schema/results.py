"""Frames of plain results: named numbers with unit and direction, and their samples."""

from __future__ import annotations

from schema.spec import LOADED, FrameSpec, columns

MAX_RESULTS = 10_000
"""Maximum number of named numbers of a run."""
MAX_SAMPLES = 1_000_000
"""Maximum number of samples of a run, of all its named numbers together."""
MAX_NAME = 300
"""Maximum characters of a name; long parametrised test names have about 200."""
MAX_UNIT = 40
"""Maximum characters of a unit."""
LESS, MORE = "less", "more"
"""Values of `direction`: less is better, more is better; null if the file does not tell."""

RESULTS = FrameSpec(
    "results",
    "a named number of a file of results",
    LOADED,
    columns(
        "result | int64 | | rank in the file, from 0",
        "name | str | | name of the number; with unit and direction it is unique in a run",
        "value | float64 | `unit` | the number that runs are compared by, see `statistic`",
        "unit | str? | | unit: ns, bytes, ratio or B/s if the file's unit is one of theirs, else the file's; empty: not known",
        "direction | category(less more)? | | less or more is better; null: the file does not tell",
        "statistic | category(value median mean)? | | `value` is the file's only number, or median or mean of the samples",
        "samples | Int64 | | number of samples that the number rests on; null: not known",
        "minimum | float64? | `unit` | smallest sample",
        "median | float64? | `unit` | median of the samples",
        "maximum | float64? | `unit` | largest sample",
        "mean | float64? | `unit` | mean of the samples",
        "deviation | float64? | `unit` | standard deviation of the samples",
        "file_unit | str? | | unit as the file writes it",
    ),
)

RESULT_SAMPLES = FrameSpec(
    "result_samples",
    "a repeated measurement of a named number; rows are sorted by result and sample",
    LOADED,
    columns(
        "result | int64 | | the number in frame `results`",
        "sample | int64 | | rank of the measurement, from 0",
        "value | float64 | unit of the number | measured value",
    ),
)
