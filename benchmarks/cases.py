"""Inputs of the benchmarks, made when a case first needs them, and the table of all cases."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import TracebackType

from benchmarks import ingest, large_trace, small_captures
from tests.support.services import Postgres, postgres_in

MANY_CAPTURES = 100
"""Captures of the store that shows whether the memory of a server grows."""
COPIES = 9
"""Copies of each of 1,000,000 runs, which make 10,000,000 runs of them."""


@dataclass(frozen=True)
class Options:
    """Settings of a run of the benchmarks.

    `trace` replaces the generated capture. Without `reference` or `tinygrad` (a Python with
    tinygrad) nothing is compared with them, without `tools` (a Python) with other packages.
    `repeats` is the number of runs of a whole process. `copies` is the number of copies of each of
    1,000,000 runs, see `benchmarks.month_queries`.
    """

    trace: Path | None = None
    reference: Path | None = None
    tinygrad: str | None = None
    tools: str | None = None
    repeats: int = 3
    copies: int = COPIES


class Inputs:
    """Files and stores below a temporary folder; a context manager that deletes them."""

    def __init__(self, options: Options) -> None:
        """Make an empty folder; `options` are those of all cases."""
        self.options = options
        self._exit = ExitStack()
        self.work = Path(self._exit.enter_context(_folder()))

    def __enter__(self) -> Inputs:
        """Return the inputs themselves."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        """Stop PostgreSQL, if a case started it, and delete the folder."""
        self._exit.close()

    @cached_property
    def trace(self) -> Path:
        """Path of the large capture."""
        if self.options.trace:
            return self.options.trace.resolve()
        run_module("benchmarks.large_trace", self.work)
        return large_trace.trace_path(self.work)

    @cached_property
    def reference(self) -> Path | None:
        """Absolute path of the reference script."""
        return self.options.reference.resolve() if self.options.reference else None

    @cached_property
    def ingested(self) -> tuple[Path, float | None]:
        """Store with the large capture, and the wall time of the script in seconds.

        Making it measures ingest against the script. The time is None without a script.
        """
        return ingest.run(self.trace, self.work, self.reference, self.options.repeats)

    @cached_property
    def samples(self) -> Path:
        """Store with the samples."""
        store = self.work / "samples"
        run_module("app", "ingest", "samples", "--data", store)
        return store

    @cached_property
    def many(self) -> Path:
        """Store with `MANY_CAPTURES` small captures."""
        store = self.work / "many"
        folders = small_captures.write(self.work / "captures", MANY_CAPTURES)
        run_module("app", "ingest", *folders, "--data", store)
        return store

    @cached_property
    def postgres(self) -> Postgres:
        """Running PostgreSQL server."""
        folder = Path(self._exit.enter_context(_folder()))
        server: Postgres = self._exit.enter_context(postgres_in(folder))
        return server


@dataclass(frozen=True)
class Case:
    """Benchmark that runs as module `benchmarks.<module>` in a process of its own.

    A process of its own keeps the peaks of memory apart. `arguments` lists its command line from
    the inputs.
    """

    module: str
    arguments: Callable[[Inputs], list[object]] = lambda inputs: []

    def run(self, inputs: Inputs) -> None:
        """Run the benchmark; raises CalledProcessError if it fails."""
        run_module(f"benchmarks.{self.module}", *self.arguments(inputs))


def run_module(module: str, *arguments: object) -> None:
    """Run a module of the project with `python -m`; raises CalledProcessError if it fails."""
    command = [sys.executable, "-m", module, *map(str, arguments)]
    subprocess.run(command, cwd=ingest.ROOT, check=True)


def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="tilescope-benchmark-")


def _option(name: str, value: object) -> list[object]:
    """List an option and its value; empty if the value is None."""
    return [] if value is None else [name, value]


def _server(inputs: Inputs) -> list[object]:
    store, reference_seconds = inputs.ingested
    return [store, *_option("--reference-seconds", reference_seconds)]


def _large_pages(inputs: Inputs) -> list[object]:
    return [inputs.ingested[0], "--large", "1.1 M entries"]


CASES = (
    Case("server", _server),
    Case("pages", _large_pages),
    Case("page", lambda inputs: [inputs.ingested[0], "--repeats", inputs.options.repeats]),
    Case("timeline_hand", lambda inputs: [inputs.ingested[0]]),
    Case("comparisons", lambda inputs: [inputs.ingested[0], inputs.work / "second"]),
    Case("small_captures", lambda inputs: _option("--reference", inputs.reference)),
    Case("pages", lambda inputs: [inputs.samples]),
    Case("sizes", lambda inputs: [inputs.samples]),
    Case("stored_objects", lambda inputs: [inputs.samples]),
    Case("stored_objects", lambda inputs: [inputs.ingested[0]]),
    Case("runs_list"),
    Case("searches"),
    Case("searches", lambda inputs: ["--database", inputs.postgres.new()]),
    Case("status"),
    Case("trends"),
    Case("trends", lambda inputs: ["--database", inputs.postgres.new()]),
    Case("users", lambda inputs: [inputs.samples, "--many", inputs.many]),
    Case("shared_pages", lambda inputs: [inputs.many]),
    Case(
        "month_queries",
        lambda inputs: [
            *("--database", inputs.postgres.new(), inputs.postgres.new()),
            *("--copies", inputs.options.copies),
        ],
    ),
    Case("verdicts"),
    Case("graphs"),
    Case("memory_log"),
    Case("readers"),
    Case("large_entries"),
    Case(
        "growth",
        lambda inputs: [
            *_option("--reference", inputs.reference),
            *_option("--tinygrad", inputs.options.tinygrad),
            *_option("--tools", inputs.options.tools),
        ],
    ),
    Case("memory_views"),
    Case("allocators"),
    Case(
        "profiles",
        lambda inputs: [
            *("--repeats", inputs.options.repeats),
            *_option("--tinygrad", inputs.options.tinygrad),
        ],
    ),
)
"""Benchmarks in the order in which they run."""
