"""Users who look at runs for minutes, and the errors and latencies that they see."""

from __future__ import annotations

import http.client
import itertools
import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import quantiles

from benchmarks.requests import Browser

_SELECTIONS = (
    "iteration=1",
    "iteration=2",
    "iteration=2&window=1000-9000",
    "iteration=3&durations=ecdf",
)
_SEARCHES = ("hwid=npu3", "search=npu7", "source=aie", "hwid=npu11&search=64")
_AGAIN = frozenset({429, 502, 503, 504})
"""Status codes after which a request is repeated."""
_AFTER_S = 20.0
"""Seconds after a restart in which it may affect an act."""
_PATIENCE_S = 30.0
"""Seconds for which a user reloads a page that fails."""


@dataclass
class Seen:
    """Acts of all users by kind, with start and duration in seconds and the number of the user's
    round (from 0), and their errors.

    `repeated` requests succeeded later, `errors` did not.
    """

    acts: dict[str, list[tuple[float, float, int]]] = field(default_factory=dict)
    repeated: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, kind: str, began: float, rank: int) -> None:
        """Add an act of round `rank` of a user that ends now."""
        with self.lock:
            self.acts.setdefault(kind, []).append((began, time.monotonic() - began, rank))

    def latencies(
        self, restarts: Sequence[float] = (), first_round: int = 0
    ) -> list[tuple[str, int, float, float, float]]:
        """Return kind, number, median, 95th percentile and maximum in seconds of each kind of act.

        Acts that a restart may have affected, and of rounds before `first_round`, are excluded.
        """
        rows = []
        for kind, acts in sorted(self.acts.items()):
            seconds = [
                took
                for began, took, rank in acts
                if rank >= first_round
                and not any(began - _AFTER_S < at < began + took for at in restarts)
            ]
            parts = quantiles(seconds, n=20) if len(seconds) > 1 else (seconds or [0.0]) * 19
            rows.append((kind, len(seconds), parts[9], parts[18], max(seconds, default=0.0)))
        return rows


class Person(Browser):
    """A browser that repeats requests after a server has failed, as a user reloads a page.

    Each `number` has a name and an address of its own, because servers and nginx limit users and
    addresses.
    """

    def __init__(self, address: str, seen: Seen, number: int = 0) -> None:
        self._seen = seen
        headers = {"Cookie": f"who=person{number}@example.org"}
        super().__init__(address, headers, f"127.1.{number // 250}.{number % 250 + 1}")

    def _send(self, method: str, path: str, body: str | None = None) -> bytes:
        until = time.monotonic() + _PATIENCE_S
        while True:
            try:
                return super()._send(method, path, body)
            except (OSError, http.client.HTTPException, RuntimeError) as error:
                if time.monotonic() > until or not _is_worth_repeating(error):
                    raise
                self._seen.repeated.append(f"{method} {path.partition('?')[0][:40]}: {error!s:.60}")
                self.close()
                time.sleep(0.5)


def _is_worth_repeating(error: Exception) -> bool:
    return not isinstance(error, RuntimeError) or any(
        f" answers {status}:" in str(error) for status in _AGAIN
    )


@contextmanager
def look_around(address: str, runs: Sequence[str], people: int, seconds: float) -> Iterator[Seen]:
    """Let users look at runs for `seconds`, seven acts per minute; yield their log.

    The log is complete after the context ends.
    """
    seen = Seen()
    threads = [
        threading.Thread(target=_look, args=(address, runs, seconds, seed, seen), daemon=True)
        for seed in range(people)
    ]
    for thread in threads:
        thread.start()
    yield seen
    for thread in threads:
        thread.join()


def _look(address: str, runs: Sequence[str], seconds: float, seed: int, seen: Seen) -> None:
    drawn = random.Random(seed)  # noqa: S311 - no secret
    until = time.monotonic() + seconds
    # Users do not begin at the same moment.
    time.sleep(drawn.random() * min(60, seconds) / 4)
    person: Person | None = None
    for rank in itertools.count():
        if time.monotonic() > until:
            break
        try:
            person = person or Person(address, seen, seed)
            for kind, act in _round(person, runs, drawn):
                begin = time.monotonic()
                act()
                seen.add(kind, begin, rank)
                time.sleep(drawn.uniform(4, 12) * min(1, seconds / 60))
        except Exception as error:
            seen.errors.append(f"{type(error).__name__}: {error!s:.120}")
            person = None
            time.sleep(1)


def _round(
    person: Person, runs: Sequence[str], drawn: random.Random
) -> list[tuple[str, Callable[[], None]]]:
    """Return the acts of a user in about a minute."""
    first, second = drawn.choices(runs, k=2)
    picked = drawn.sample(_SELECTIONS, 2)
    return [
        ("list", person.open_list),
        ("filter", lambda: person.filter_list(drawn.choice(_SEARCHES))),
        ("run", lambda: person.open_run(first)),
        *(("selection", lambda query=query: person.select(query)) for query in picked),
        ("comparison", lambda: person.open_comparison(first, second)),
        ("list", person.open_list),
    ]
