"""Counters of the parts of a snapshot that cannot be read, by device and reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field

from schema.finding import Diagnostic
from schema.plurals import plural

_MAX_FINDINGS = 20


def level_name(device: int) -> str:
    """Return the name of a device in PyTorch's notation, `cuda:0`."""
    return f"cuda:{device}"


@dataclass
class LeftOut:
    """Counts unreadable parts: (device or `None`, noun, outcome) -> count."""

    counts: Counter[tuple[int | None, str, str]] = field(default_factory=Counter)

    def add(self, device: int | None, noun: str, outcome: str, count: int = 1) -> None:
        """Add `count` unreadable parts of a device to the counts; 0 adds no entry.

        `device` is `None` for parts without a device. `outcome` completes a sentence that begins
        with, for example, `3 segments`.
        """
        if count:
            self.counts[device, noun, outcome] += count

    def findings(self, empty: Collection[int]) -> list[Diagnostic]:
        """Build a finding per device and reason, the most frequent first; at most 20.

        A last finding sums up the rest. Reasons of `empty` devices are skipped, because they are
        part of another finding.
        """
        ordered = [(key, count) for key, count in self.counts.most_common() if key[0] not in empty]
        findings = [_finding(*key, count) for key, count in ordered[:_MAX_FINDINGS]]
        rest = sum(count for _, count in ordered[_MAX_FINDINGS:])
        if rest:
            text = f"{rest} more parts of the snapshot could not be read"
            findings.append(Diagnostic("warning", "entries_skipped", text, "", rest))
        return findings

    def count(self, device: int) -> int:
        """Return the number of unreadable parts of a device, at least 1."""
        return max(1, sum(count for (of, _, _), count in self.counts.items() if of == device))

    def words(self, device: int | None) -> str:
        """Describe the unreadable parts of a device as part of a sentence, `3 segments left out:
        ...`; "" if there are none.

        `device=None` selects the parts without a device.
        """
        own = [
            (noun, outcome, count)
            for (of, noun, outcome), count in self.counts.most_common()
            if of == device
        ]
        return "; ".join(f"{plural(count, noun)} {outcome}" for noun, outcome, count in own)


def _finding(device: int | None, noun: str, outcome: str, count: int) -> Diagnostic:
    location = "" if device is None else level_name(device)
    return Diagnostic(
        "warning", "entries_skipped", f"{plural(count, noun)} {outcome}", location, count
    )
