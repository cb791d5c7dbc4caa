"""Columns of the list of runs: a record each for the database, the grid, CSV and the command line.

The records are in the order of the grid. A new column needs a record here and a migration that adds
it to table `listing`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType

from schema.headlines import NO_HEADLINE
from schema.metrics import METRICS
from schema.table_columns import Format, TableColumn, number_format

HEADLINE = "headline"
"""Name of the column with the headline of a run, whose kind differs between sources."""
AGAINST = "against"
"""Name of the column with verdicts against baselines; it is shown if there is a baseline."""
GEMM_SIZES = MappingProxyType(
    {
        "M": "rows of the GEMM's output",
        "K": "reduction length of the GEMM",
        "N": "columns of the GEMM's output",
    }
)
"""Size of a GEMM -> its meaning."""
TILE_SIZES = MappingProxyType(
    {
        "m": "rows of one kernel's tile",
        "k": "reduction length of one kernel's tile",
        "n": "columns of one kernel's tile",
    }
)
"""Size of a kernel's tile -> its meaning."""


class Origin(StrEnum):
    """Source of a column's values: the headline, frame `run`, or a rule for this column in the
    code.
    """

    HEADLINE = "headline"
    RUN = "run"
    RULE = "rule"


class Topic(StrEnum):
    """Topic of a column; the command line prints the columns in the order of topics."""

    RUN = "run"
    RATE = "rate"
    KERNELS = "kernels"
    MEMORY = "memory"
    HEALTH = "health"
    FILE = "file"


@dataclass(frozen=True, kw_only=True)
class RunColumn(TableColumn):
    """A column of the list of runs.

    `bit` (0 to 30) is the column's bit in the stored number `valued` of a run, which is set if the
    run has a value for it. A bit never changes and is never reused for another column. It is None
    if nearly every run has a value. If the user has not chosen columns, the columns of lowest
    `rank` that have values are shown, as many as fit; columns with an equal rank are shown
    together. `grows` is the column's weight when the width that is left is distributed. `missing`
    explains a dash better than the text of the topic does. `is_optional`: an empty cell means none
    rather than unknown. `is_printed`: the command line prints the column. `is_listed`: the page and
    the database have the column.
    """

    topic: Topic
    rank: int
    origin: Origin = Origin.RULE
    bit: int | None = None
    grows: int = 0
    missing: str = ""
    is_optional: bool = False
    is_printed: bool = True
    is_listed: bool = True

    @property
    def why_missing(self) -> str:
        """Tooltip of the dash of a run without a value."""
        return self.missing or _WHY_MISSING[self.topic]


_WHY_MISSING: Mapping[Topic, str] = MappingProxyType(
    {
        Topic.RUN: "not known: the file does not say it",
        Topic.RATE: "not known: only captures of a GEMM of known size and grid have it",
        Topic.KERNELS: "not known: only captures and profiles whose files have these times have it",
        Topic.MEMORY: "not known: only runs with a memory map have it, some only with a capacity or placed blocks",
        Topic.HEALTH: "not known",
        Topic.FILE: "not known: neither the file nor the settings of the ingest say it",
    }
)
"""Topic of a column -> tooltip of its dashes."""


def metric_column(
    name: str, label: str, width: int, *, topic: Topic, rank: int, bit: int | None, help: str = ""
) -> RunColumn:
    """Build the column of the list of runs for a headline metric of METRICS, with the unit of the
    metric's record.

    The default of `help` is the label and the formula of the metric. With `bit` None the column is
    only printed, not listed. Raises KeyError if the metric is unknown.
    """
    metric = METRICS[name]
    return RunColumn(
        name,
        label,
        width,
        number_format(metric.unit),
        unit=metric.unit,
        help=help or f"{metric.label}: {metric.formula}",
        topic=topic,
        rank=rank,
        origin=Origin.HEADLINE,
        bit=bit,
        is_listed=bit is not None,
    )


RUN_COLUMNS: tuple[RunColumn, ...] = (
    RunColumn("name", "name", 240, topic=Topic.RUN, rank=0, origin=Origin.RUN),
    RunColumn(
        HEADLINE,
        "headline",
        244,
        help="the number that runs of this kind are compared by, and a detail of it: rate and share of the peak, step "
        "and busy share, peak memory and share of the capacity or gap to the bound; sorted by kind, then by number",
        topic=Topic.RUN,
        rank=15,
        missing=NO_HEADLINE,
        is_printed=False,
    ),
    RunColumn("source", "source", 86, grows=1, topic=Topic.RUN, rank=40, origin=Origin.RUN),
    RunColumn(
        "hwid",
        "hwid",
        80,
        grows=1,
        topic=Topic.RUN,
        rank=50,
        origin=Origin.RUN,
        missing="not known: the file does not name the hardware, and setting hwid is not given",
    ),
    RunColumn(
        "tags",
        "tags",
        66,
        grows=1,
        help="free words, given at ingest or by people",
        topic=Topic.RUN,
        rank=80,
        bit=14,
        is_optional=True,
        is_printed=False,
    ),
    *(
        RunColumn(
            name,
            name,
            52,
            Format.WHOLE,
            help=meaning,
            topic=Topic.RATE,
            rank=100,
            bit=bit,
            is_printed=False,
        )
        for bit, (name, meaning) in enumerate(GEMM_SIZES.items())
    ),
    *(
        RunColumn(
            name,
            name,
            46,
            Format.WHOLE,
            help=meaning,
            topic=Topic.RATE,
            rank=102,
            origin=Origin.RUN,
            bit=bit,
            is_printed=False,
        )
        # Bits 0 to 16 were in use before the tile became a column, and no bit is ever reused.
        for bit, (name, meaning) in enumerate(TILE_SIZES.items(), 17)
    ),
    RunColumn(
        "grid",
        "grid",
        56,
        help="rows x columns of cores that share the work",
        topic=Topic.RATE,
        rank=104,
        bit=20,
    ),
    RunColumn(
        "mac_dtype",
        "dtype",
        62,
        help="data type of the multiply-accumulates",
        topic=Topic.RATE,
        rank=106,
        origin=Origin.RUN,
        bit=21,
        is_printed=False,
    ),
    metric_column(
        "gmacs_mean",
        "GMAC/s",
        76,
        topic=Topic.RATE,
        # The headline of a capture has this number and the utilisation.
        rank=107,
        bit=3,
        help="mean over the complete perf iterations",
    ),
    metric_column(
        "gmacs_best",
        "best",
        62,
        topic=Topic.RATE,
        rank=110,
        bit=4,
        help="best complete perf iteration, GMAC/s",
    ),
    metric_column(
        "utilization",
        "util",
        66,
        topic=Topic.RATE,
        rank=108,
        bit=5,
        help="work over what the peak allows in that time",
    ),
    metric_column("peak_memory", "peak mem", 88, topic=Topic.MEMORY, rank=90, bit=10),
    metric_column("capacity_use", "cap", 72, topic=Topic.MEMORY, rank=130, bit=11),
    metric_column("failed_blocks", "failed", 68, topic=Topic.MEMORY, rank=120, bit=12),
    metric_column("memory_waste", "waste", 84, topic=Topic.MEMORY, rank=170, bit=13),
    RunColumn(
        AGAINST,
        "against baseline",
        194,
        sort=False,
        help="the verdict of the gate against the baseline that was set last of those with the run's key",
        topic=Topic.HEALTH,
        rank=30,
        missing="no baseline has the key of this run",
        is_printed=False,
    ),
    RunColumn(
        "health",
        "health",
        102,
        help="what the reader and the analysis found wrong",
        topic=Topic.HEALTH,
        rank=20,
    ),
    metric_column("kernels", "kernels", 70, topic=Topic.KERNELS, rank=180, bit=6),
    metric_column("median_kernel", "median", 0, topic=Topic.KERNELS, rank=0, bit=None),
    metric_column("lock_stall_share", "lock stall", 0, topic=Topic.KERNELS, rank=0, bit=None),
    metric_column("busy_share", "busy", 74, topic=Topic.KERNELS, rank=150, bit=7),
    metric_column("compute_share", "compute", 80, topic=Topic.KERNELS, rank=152, bit=26),
    metric_column(
        "communication_exposed_share", "exposed comm", 112, topic=Topic.KERNELS, rank=154, bit=27
    ),
    metric_column("idle_share", "idle", 66, topic=Topic.KERNELS, rank=156, bit=28),
    metric_column("kernel_time", "kernel time", 92, topic=Topic.KERNELS, rank=140, bit=8),
    metric_column("step_time", "step", 84, topic=Topic.KERNELS, rank=135, bit=25),
    metric_column("flops_total", "FLOP/s", 122, topic=Topic.KERNELS, rank=160, bit=9),
    replace(
        metric_column(
            "named_numbers",
            "numbers",
            76,
            topic=Topic.RUN,
            rank=175,
            bit=29,
            help="named numbers of a file of results; the headline has the first of them",
        ),
        missing="none: the run has no file of results",
        is_printed=False,
    ),
    RunColumn(
        "branch",
        "branch",
        86,
        grows=1,
        help="branch of the code that was measured, of the newest capture of the run",
        topic=Topic.FILE,
        rank=84,
        origin=Origin.RUN,
        bit=22,
    ),
    RunColumn(
        "commit",
        "commit",
        84,
        help="version of the code that was measured, of the newest capture of the run",
        topic=Topic.FILE,
        rank=82,
        origin=Origin.RUN,
        bit=23,
    ),
    RunColumn(
        "observations",
        "captures",
        76,
        Format.WHOLE,
        help="how often the same content was captured: at other dates, of other commits or branches",
        topic=Topic.FILE,
        rank=86,
        bit=24,
        is_printed=False,
    ),
    RunColumn(
        "file",
        "file",
        90,
        grows=1,
        help="the file it was read from; its tooltip has the run's id",
        topic=Topic.FILE,
        rank=190,
        origin=Origin.RUN,
        bit=15,
        is_printed=False,
    ),
    RunColumn(
        "date",
        "date",
        132,
        Format.DATE,
        help="when it was captured; where that is not known, ingested",
        topic=Topic.FILE,
        rank=10,
        is_printed=False,
    ),
    RunColumn(
        "created_at",
        "ingested",
        132,
        Format.DATE,
        help="when it was ingested, UTC",
        topic=Topic.FILE,
        rank=200,
        bit=16,
    ),
)

LISTED_COLUMNS = tuple(column for column in RUN_COLUMNS if column.is_listed)
"""Columns of the page and the database, without the columns that only the command line prints."""
# `sorted` is stable: within a topic, columns keep the order of the grid.
PRINTED_COLUMNS = tuple(
    sorted(
        (column for column in RUN_COLUMNS if column.is_printed),
        key=lambda column: [*Topic].index(column.topic),
    )
)
"""Columns that the command line prints, in printing order."""
