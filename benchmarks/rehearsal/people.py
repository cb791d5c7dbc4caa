"""People who look at runs for minutes, as their browsers ask for it, and what they see of what goes wrong."""

from __future__ import annotations

import http.client
import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import quantiles

from benchmarks.requests import Browser

_SELECTIONS = ("iteration=1", "iteration=2", "iteration=2&window=1000-9000", "iteration=3&durations=ecdf")
_SEARCHES = ("hwid=npu3", "search=npu7", "source=aie", "hwid=npu11&search=64")
_AGAIN = frozenset({429, 502, 503, 504})
_AFTER_S = 20.0
"""So long after a restart an act may have met it."""
_PATIENCE_S = 30.0
"""So long somebody reloads a page that does not come."""


@dataclass
class Seen:
    """What people saw: when each act began and how many seconds it took, by its kind, and what went wrong.

    `repeated` requests went through later, `errors` stayed.
    """

    acts: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    repeated: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, kind: str, began: float) -> None:
        """Keep how long an act took that ends now."""
        with self.lock:
            self.acts.setdefault(kind, []).append((began, time.monotonic() - began))

    def latencies(self, restarts: Sequence[float] = ()) -> list[tuple[str, int, float, float, float]]:
        """Return kind, number, median, 95th percentile and longest of each kind of act, in seconds.

        Acts that may have met one of the restarts, or that were under way at one, are left out.
        """
        rows = []
        for kind, acts in sorted(self.acts.items()):
            seconds = [took for began, took in acts if not any(began - _AFTER_S < at < began + took for at in restarts)]
            parts = quantiles(seconds, n=20) if len(seconds) > 1 else (seconds or [0.0]) * 19
            rows.append((kind, len(seconds), parts[9], parts[18], max(seconds, default=0.0)))
        return rows


class Person(Browser):
    """A browser whose requests are sent again where a server went away under them, as a reload does.

    Each `number` has a name and an address of its own: servers and nginx share what there is among them.
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
    return not isinstance(error, RuntimeError) or any(f" answers {status}:" in str(error) for status in _AGAIN)


@contextmanager
def look_around(address: str, runs: Sequence[str], people: int, seconds: float) -> Iterator[Seen]:
    """Let people look at runs for so long, a round of seven acts a minute; give what they see, complete at the end."""
    seen = Seen()
    threads = [
        threading.Thread(target=_look, args=(address, runs, seconds, seed, seen), daemon=True) for seed in range(people)
    ]
    for thread in threads:
        thread.start()
    yield seen
    for thread in threads:
        thread.join()


def _look(address: str, runs: Sequence[str], seconds: float, seed: int, seen: Seen) -> None:
    drawn = random.Random(seed)  # noqa: S311 - no secret
    until = time.monotonic() + seconds
    time.sleep(drawn.random() * min(60, seconds) / 4)
    person: Person | None = None
    while time.monotonic() < until:
        try:
            person = person or Person(address, seen, seed)
            for kind, act in _round(person, runs, drawn):
                begin = time.monotonic()
                act()
                seen.add(kind, begin)
                time.sleep(drawn.uniform(4, 12) * min(1, seconds / 60))
        except Exception as error:
            seen.errors.append(f"{type(error).__name__}: {error!s:.120}")
            person = None
            time.sleep(1)


def _round(person: Person, runs: Sequence[str], drawn: random.Random) -> list[tuple[str, Callable[[], None]]]:
    """Return what somebody does in about a minute."""
    one, two = drawn.choices(runs, k=2)
    picked = drawn.sample(_SELECTIONS, 2)
    return [
        ("list", person.open_list),
        ("filter", lambda: person.filter_list(drawn.choice(_SEARCHES))),
        ("run", lambda: person.open_run(one)),
        *(("selection", lambda query=query: person.select(query)) for query in picked),
        ("comparison", lambda: person.open_comparison(one, two)),
        ("list", person.open_list),
    ]
