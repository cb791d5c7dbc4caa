"""The runs that a baseline stands for, for each run that is compared with it."""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections.abc import Iterable, Sequence

from analysis.derive import ANALYSIS_VERSION
from schema.likeness import likeness
from storage.baselines import Baseline
from storage.catalogue import Catalogue
from storage.checks import Checks
from storage.series import SeriesPosition, places, series

GATE_VERSION = "2"
"""Changes with any verdict that the gate gives about the same runs; all are made again then."""


class BaselineError(ValueError):
    """A baseline cannot be as asked; the message is one sentence for a person."""


LONGEST_NAME = 100


def check_baseline_name(name: str) -> None:
    """Raise BaselineError if a baseline or a rule cannot have this name."""
    if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise BaselineError(f"a baseline's name has 1 to {LONGEST_NAME} printable characters")


def has_dot_part(name: str) -> bool:
    """Return whether a part of a name between slashes is `.` or `..`: clients take such parts out of an address."""
    return not {".", ".."}.isdisjoint(name.split("/"))


class NoOlderRunError(BaselineError):
    """A rolling baseline has no run before the one that is to be compared with it."""


class Members:
    """The runs of a baseline as the catalogue has them at one moment.

    Those of a rolling one depend on the run that is compared: the newest of the key that are older, without those
    that the gate called regressed against this baseline. `alike` are all of its key, where they were read before.
    """

    def __init__(self, catalogue: Catalogue, baseline: Baseline, alike: Sequence[SeriesPosition] | None = None) -> None:
        self.baseline = baseline
        self.deleted: list[str] = []
        self._regressed: set[str] = set()
        if baseline.last is None:
            found = places(catalogue, baseline.runs)
            self._alike: Sequence[SeriesPosition] = [found[run_id] for run_id in baseline.runs if run_id in found]
            self.deleted = [run_id for run_id in baseline.runs if run_id not in found]
        else:
            self._alike = series(catalogue, likeness(baseline.key or {})) if alike is None else alike
            self._regressed |= Checks(catalogue).regressed_runs(baseline.name)

    def before(self, new: Sequence[SeriesPosition]) -> list[SeriesPosition]:
        """Return the runs that new ones are compared with, in order; without new ones the newest.

        Raises BaselineError where there is none.
        """
        name = self.baseline.name
        if self.baseline.last is None:
            if not self._alike:
                raise BaselineError(f"all runs of baseline {name!r} were deleted")
            return list(self._alike)
        found = self._older(new, self.baseline.last)
        if not found:
            raise NoOlderRunError(f"rolling baseline {name!r} has no run that is older than what is compared with it")
        return found

    def now(self) -> list[str]:
        """Return the ids of the runs that the next run will be compared with; none where there is none."""
        try:
            return [member.run_id for member in self.before(())]
        except BaselineError:
            return []

    def note(self, run_id: str, verdict: str) -> None:
        """Take in a verdict that the gate gave after this was read."""
        (self._regressed.add if verdict == "regressed" else self._regressed.discard)(run_id)

    def _older(self, new: Sequence[SeriesPosition], last: int) -> list[SeriesPosition]:
        """Return the last runs before the first of the new ones, oldest first, each once and none of the new ones."""
        end = bisect_left(self._alike, min(new)) if new else len(self._alike)
        passed_over = self._regressed | {place.run_id for place in new}
        found: dict[str, SeriesPosition] = {}
        while end and len(found) < last:
            end -= 1
            place = self._alike[end]
            if place.run_id not in passed_over:
                found.setdefault(place.run_id, place)
        return [*found.values()][::-1]


def content_hash(prefixes: Iterable[str]) -> str:
    """Return what a verdict against these runs rests on besides the run it is about, 32 hex digits."""
    text = " ".join([ANALYSIS_VERSION, GATE_VERSION, *prefixes])
    return hashlib.sha256(text.encode()).hexdigest()[:32]
