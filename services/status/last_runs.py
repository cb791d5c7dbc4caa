"""The last runs of all keys of a rule, up to now or up to an earlier time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from analysis.comparison.series import SeriesKey
from services.status.key_tail import KeyTail, is_lasting, key_tail
from services.status.rule_verdicts import Judged, count_missing

Tails = Mapping[SeriesKey, KeyTail]
"""The last runs of keys; keys without a run on the branch of the rule are left out."""


@dataclass
class LastRuns:
    """The last runs of all keys that were read, by likeness.

    `final` has the likenesses with a final verdict about each run, `open` other likenesses.
    `missing` maps likenesses of `open` to their numbers of runs without a verdict. `failed` counts
    the runs that could not be compared, `not_read` those of likenesses for which there was no time.
    """

    final: dict[str, Tails] = field(default_factory=dict)
    open: dict[str, Tails] = field(default_factory=dict)
    missing: dict[str, int] = field(default_factory=dict)
    failed: int = 0
    not_read: int = 0

    @property
    def tails(self) -> dict[SeriesKey, KeyTail]:
        """The last runs of each key."""
        joined: dict[SeriesKey, KeyTail] = {}
        for tails in (*self.final.values(), *self.open.values()):
            joined |= tails
        return joined

    @property
    def total_missing(self) -> int:
        """Number of runs without a verdict, including runs that were not read."""
        return self.not_read + sum(self.missing.values())

    def add(self, likeness: str, judged: Judged) -> None:
        """Add the judged runs of the keys of a likeness, of which only the last runs are kept."""
        tails = {key: key_tail(runs) for key, runs in judged.items() if runs}
        if all(map(is_lasting, judged.values())):
            self.final[likeness] = tails
        else:
            self.open[likeness] = tails
            self.missing[likeness] = count_missing(judged)
