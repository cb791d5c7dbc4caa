"""Run the rehearsal.

`python -m benchmarks.rehearsal [--runs N] [--distinct N] [--people N] [--seconds S]`

PostgreSQL, an object storage, a Dask scheduler with workers, two servers behind nginx and a
receiver of alerts run on this machine; `make services` installs the packages that they need.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks.processor_meter import measure_processor
from benchmarks.rehearsal.incidents import Ingests, ingest_meanwhile, make_trouble
from benchmarks.rehearsal.installation import Installation, install, serve
from benchmarks.rehearsal.outcome import Outcome, check_store
from benchmarks.rehearsal.people import Person, Seen, look_around
from benchmarks.rehearsal.store import fill_store, open_catalogue
from benchmarks.report import check, note
from services.trends.judge_ahead import lacks_results

_GROWTH_MIB = 500
"""Budget of a server's growth in memory."""
_PERSON_MINUTE_S = 0.25
"""Budget of processor seconds for a minute of a user."""
_ACTS_S = {"run": 4.0, "selection": 2.0, "comparison": 5.0}
"""Kind of act -> budget in seconds of its 95th percentile over all acts."""
_PATIENCE_S = 600
"""Seconds in which the servers have to judge all stored runs."""
_OPENED = 40
"""Number of newest runs that users choose from, as a team does."""


def main() -> None:
    """Rehearse and print the results.

    The exit code is 1 if users saw errors, or if a run is lost or incomplete.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--distinct", type=int, default=300)
    parser.add_argument("--people", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=300)
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="tilescope-rehearsal-") as folder,
        install(Path(folder)) as installation,
    ):
        # `check_store` reads the object storage from this process.
        os.environ.update(
            {
                name: installation.environment[name]
                for name in installation.environment
                if "AWS" in name
            }
        )
        sys.exit(_rehearse(installation, options))


def _rehearse(installation: Installation, options: argparse.Namespace) -> int:
    begin = time.monotonic()
    runs = fill_store(installation, options.runs, options.distinct)
    note(
        f"{len(runs):,} runs of {options.distinct} captures stored in {time.monotonic() - begin:.0f} s"
    )
    _set_alert(installation)
    with serve(installation):
        _warm_up(installation, runs)
        _await_verdicts(installation)
        watched = installation.servers[1].resources  # server 0 is killed
        memory = watched.memory_mib()
        opened = runs[:_OPENED]
        with (
            measure_processor(watched) as meter,
            ingest_meanwhile(installation, options.seconds, options.distinct) as ingests,
            look_around(installation.address, opened, options.people, options.seconds) as seen,
        ):
            restarts = make_trouble(installation, options.seconds, note)
        spent = meter.seconds
        growth = watched.memory_mib() - memory
    outcome = check_store(installation, ingests.run_ids)
    _print_seen(installation, seen, restarts, ingests, outcome)
    minutes = options.people * options.seconds / 60
    check("rehearsal, errors that people saw beyond repeated requests", len(seen.errors), 0, "")
    check("rehearsal, runs lost or half there", len(outcome.lost) + len(outcome.half), 0, "")
    check(
        "rehearsal, processor of both servers for a person's minute",
        2 * spent / minutes,
        _PERSON_MINUTE_S,
        "s",
    )
    check("rehearsal, growth of a server's memory", growth, _GROWTH_MIB, "MiB")
    return int(bool(seen.errors or outcome.lost or outcome.half))


def _set_alert(installation: Installation) -> None:
    """Set a rule for the hardware of ingested captures, and an alert for changes of verdicts."""
    for arguments in (
        ("baseline", "rule", "set", "newest", "--last", "5", "--hwid", "npu1"),
        (
            "alert",
            "set",
            "team",
            "--rule",
            "newest",
            "--webhook",
            f"http://{installation.receiver.host}/hook",
        ),
        ("alert", "run"),  # records the present state, so that only changes are sent
    ):
        done = installation.command(*arguments)
        if done.returncode:
            raise RuntimeError(done.stderr)


def _await_verdicts(installation: Installation) -> None:
    """Wait until the servers have judged all stored runs, which a store in use has done before."""
    begin = time.monotonic()
    catalogue = open_catalogue(installation)
    try:
        while lacks_results(catalogue):
            if time.monotonic() > begin + _PATIENCE_S:
                raise TimeoutError("the servers do not judge the stored runs")
            time.sleep(1)
    finally:
        catalogue.close()
    note(f"trends and status of all stored runs: after {time.monotonic() - begin:.0f} s")


def _warm_up(installation: Installation, runs: Sequence[str]) -> None:
    """Open pages often enough that every server has done its one-time work."""
    for _ in range(2 * len(installation.servers)):
        person = Person(installation.address, Seen())
        person.open_list()
        person.open_run(runs[0])


def _print_seen(
    installation: Installation,
    seen: Seen,
    restarts: Sequence[float],
    ingests: Ingests,
    outcome: Outcome,
) -> None:
    """Print latencies, errors and counts."""
    parts: tuple[tuple[str, Sequence[float], int], ...] = (
        ("all acts", (), 0),
        ("away from restarts", restarts, 0),
        # In the first round, all people open pages that no process has drawn.
        ("after the first round", (), 1),
    )
    for which, left_out, first_round in parts:
        for kind, number, middle, high, longest in seen.latencies(left_out, first_round):
            took = f"median {middle:.2f} s, 95 % within {high:.2f} s, longest {longest:.1f} s"
            note(f"{kind}, {which}: {number}, {took}")
    for kind, _, _, high, _ in seen.latencies():
        if kind in _ACTS_S:
            check(f"rehearsal, 95 % of acts of kind {kind}", high, _ACTS_S[kind], "s")
    for what, texts in (
        ("repeated", seen.repeated),
        ("error", seen.errors),
        ("ingest repeated", ingests.repeated),
    ):
        for text, times in Counter(texts).most_common(8):
            note(f"{what}, {times} x {text}")
    storage = installation.storage
    note(f"object storage: {storage.requests} requests, {storage.refused} refused")
    note(
        f"alerts: {len(installation.receiver.got)} messages; ingested meanwhile: {len(ingests.run_ids)} runs"
    )
    note(f"runs at the end: {outcome.runs:,}")
    for text in (*outcome.lost, *outcome.half):
        note(text)


if __name__ == "__main__":
    main()
