"""Members of a baseline for each run that is compared with it."""

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

GATE_VERSION = "4"
"""Version of the rules of the gate.

Change it whenever any verdict about the same runs changes; all verdicts are then computed again.
"""


class BaselineError(ValueError):
    """A baseline is invalid; the message is a sentence for the user."""


MAX_NAME = 100
"""Maximum characters of the name of a baseline or rule."""


def check_baseline_name(name: str) -> None:
    """Raise BaselineError unless a name of a baseline or rule has 1 to MAX_NAME (100) printable
    characters, not only spaces.
    """
    if not name.strip() or len(name) > MAX_NAME or not name.isprintable():
        raise BaselineError(f"a baseline's name must have 1 to {MAX_NAME} printable characters")


def has_dot_part(name: str) -> bool:
    """Whether a part of a name between slashes is `.` or `..`: HTTP clients remove such parts from
    an address.
    """
    return not {".", ".."}.isdisjoint(name.split("/"))


class NoOlderRunError(BaselineError):
    """A rolling baseline has no run before the compared run."""


class Members:
    """The runs of a baseline according to the catalogue at one moment.

    The members of a rolling baseline depend on the compared run: the newest older runs of its key,
    except runs that the gate judged regressed against this baseline, and runs whose rates are
    impossible. `alike` are all runs of its
    key if the caller has read them already.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        baseline: Baseline,
        alike: Sequence[SeriesPosition] | None = None,
    ) -> None:
        self.baseline = baseline
        self.deleted: list[str] = []
        self._regressed: set[str] = set()
        if baseline.last is None:
            position_by_run = places(catalogue, baseline.runs)
            self._alike: Sequence[SeriesPosition] = [
                position_by_run[run_id] for run_id in baseline.runs if run_id in position_by_run
            ]
            self.deleted = [run_id for run_id in baseline.runs if run_id not in position_by_run]
        else:
            self._alike = (
                series(catalogue, likeness(baseline.key or {})) if alike is None else alike
            )
            # A regressed run as a base would make the regression the normal state.
            self._regressed |= Checks(catalogue).regressed_runs(baseline.name)

    def before(self, new: Sequence[SeriesPosition]) -> list[SeriesPosition]:
        """Return the runs that the runs `new` are compared with: all of a fixed baseline in its
        order, of a rolling baseline the last older runs, oldest first (if `new` is empty, the
        newest).

        Raises BaselineError if there is no such run.
        """
        name = self.baseline.name
        if self.baseline.last is None:
            if not self._alike:
                raise BaselineError(f"all runs of baseline {name!r} were deleted")
            return list(self._alike)
        older = self._older(new, self.baseline.last)
        if not older:
            usable = " with possible rates" if any(run.impossible for run in self._alike) else ""
            raise NoOlderRunError(
                f"rolling baseline {name!r} has no run{usable} that is older than the compared run"
            )
        return older

    def now(self) -> list[str]:
        """Return the ids of the runs that the next run will be compared with, in the order of
        `before`; empty if there are none.
        """
        try:
            return [member.run_id for member in self.before(())]
        except BaselineError:
            return []

    def note(self, run_id: str, verdict: str) -> None:
        """Add a verdict that the gate gave after the members were read: a regressed run is no
        longer a member, any other run may be.
        """
        (self._regressed.add if verdict == "regressed" else self._regressed.discard)(run_id)

    def _older(self, new: Sequence[SeriesPosition], last: int) -> list[SeriesPosition]:
        """Return at most `last` runs before the earliest run of `new` (or of all runs if it is
        empty), oldest first; each run once, without the runs of `new`, regressed runs and runs
        with impossible rates.
        """
        # the runs are in order of capture; the compared runs and all later runs are no base
        end = bisect_left(self._alike, min(new)) if new else len(self._alike)
        passed_over = self._regressed | {place.run_id for place in new}
        older: dict[str, SeriesPosition] = {}
        while end and len(older) < last:
            end -= 1
            place = self._alike[end]
            if place.run_id not in passed_over and not place.impossible:
                older.setdefault(place.run_id, place)
        return [*older.values()][::-1]


def content_hash(prefixes: Iterable[str]) -> str:
    """Return a hash (32 hex digits) of the stored versions of base runs and of the versions of
    analysis and gate.

    A verdict stays valid as long as this hash and the stored version of its run are unchanged.
    """
    text = " ".join([ANALYSIS_VERSION, GATE_VERSION, *prefixes])
    return hashlib.sha256(text.encode()).hexdigest()[:32]
