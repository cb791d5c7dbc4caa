"""Simulate a hundred users of a server for a minute, and measure the server's growth in memory.

`python -m benchmarks.users STORE [--users N] [--seconds S]`; STORE has runs of any kind.
"""

from __future__ import annotations

import argparse
import random
import threading
import time
from pathlib import Path

from benchmarks.pages import list_runs, selections
from benchmarks.report import check, note
from benchmarks.requests import Browser
from benchmarks.serving import running

_PERSON_S = 0.5
"""Budget of processor seconds for a minute of a user."""
_CACHE_MB = 64
"""Setting `cache_mb` while the growth is measured."""
_REQUESTS = 5_000
"""Number of requests over which the growth is measured."""


def minute(
    server: str, runs: list[dict[str, object]], seconds: float, seed: int, errors: list[str]
) -> None:
    """Simulate a user for about `seconds`.

    The user opens the list and a run, selects twice, zooms, and opens the list again. Exceptions
    are added to `errors`.
    """
    chance = random.Random(seed)  # noqa: S311 - no secret
    # Up to two pauses before the first act, and one after each of six acts.
    pause = seconds / 8
    # Users do not begin at the same moment.
    time.sleep(chance.random() * 2 * pause)
    try:
        browser = Browser(server)
        run = chance.choice(runs)
        begin = chance.randrange(1_000)
        queries = selections(run)[:2]
        acts = [
            browser.open_list,
            lambda: browser.open_run(str(run["run_id"])),
            *(lambda query=query: browser.select(query) for query in queries),
            lambda: browser.select(
                f"{queries[-1]}&window={begin}-{begin + 20_000}&span={begin % 7}-{begin % 7 + 9}"
            ),
            browser.open_list,
        ]
        for act in acts:
            act()
            time.sleep(pause * chance.uniform(0.5, 1.3))
        browser.close()
    # A thread's exception would only be printed, and its user would count as one without errors.
    except Exception as error:
        errors.append(f"{type(error).__name__}: {error}")


def load(store: Path, users: int, seconds: float) -> tuple[float, list[str]]:
    """Return the server's processor seconds per user, and the errors that users met."""
    runs = list_runs(store)
    errors: list[str] = []
    with running(store) as server:
        Browser(server.address).open_list()
        # After the first page, whose one-time work is no user's.
        before = server.processor_s()
        people = []
        for seed in range(users):
            arguments = (server.address, runs, seconds, seed, errors)
            people.append(threading.Thread(target=minute, args=arguments))
        for person in people:
            person.start()
        for person in people:
            person.join()
        return (server.processor_s() - before) / users, errors


def growth(store: Path) -> float:
    """Return a server's growth in MiB over thousands of requests for all runs of a store."""
    runs = list_runs(store)
    with running(store, cache_mb=_CACHE_MB) as server:
        browser = Browser(server.address)
        browser.open_list()
        browser.open_run(str(runs[0]["run_id"]))
        # After the first pages, whose one-time work takes memory that stays.
        before = server.memory_mib()
        rank = 0
        while browser.request_count < _REQUESTS:
            # Another search each time, so that no response comes from a cache.
            browser.open_run(str(runs[rank % len(runs)]["run_id"]), f"find={rank}")
            rank += 1
        return server.memory_mib() - before


def main() -> None:
    """Print the measurements with their budgets."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store", type=Path)
    parser.add_argument("--users", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument(
        "--many", type=Path, help="a store of many runs, to see whether memory grows"
    )
    options = parser.parse_args()
    each, errors = load(options.store, options.users, options.seconds)
    for error in sorted(set(errors)):
        note(f"{errors.count(error)} x {error}")
    check(f"{options.users} people for {options.seconds:g} s, what went wrong", len(errors), 0, "")
    check(f"a person's minute among {options.users}, processor", each, _PERSON_S, "s")
    if options.many:
        # The cache may fill up, so that only growth beyond its size shows a leak.
        limit = _CACHE_MB + 100
        check(
            f"memory over {_REQUESTS} requests of {len(list_runs(options.many))} runs, growth",
            growth(options.many),
            limit,
            "MiB",
        )


if __name__ == "__main__":
    main()
