"""Count of the parts of a snapshot that cannot be read, by device and reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field

from schema.diagnostics import Diagnostic
from schema.plurals import plural

_MAX_FINDINGS = 20


def level_name(device: int) -> str:
    """Return the name of a device as PyTorch writes it."""
    return f"cuda:{device}"


@dataclass
class LeftOut:
    """Counts what is unreadable: (device or None, noun, what became of it) -> count."""

    counts: Counter[tuple[int | None, str, str]] = field(default_factory=Counter)

    def add(self, device: int | None, noun: str, outcome: str, count: int = 1) -> None:
        """Count parts of a device; `outcome` completes the sentence `3 segments ...`."""
        if count:
            self.counts[device, noun, outcome] += count

    def findings(self, empty: Collection[int]) -> list[Diagnostic]:
        """Return a finding per device and reason, the most frequent first; one finding sums up the rest.

        The reasons of `empty` devices are part of a finding of their own.
        """
        ordered = [(key, count) for key, count in self.counts.most_common() if key[0] not in empty]
        findings = [_finding(*key, count) for key, count in ordered[:_MAX_FINDINGS]]
        rest = sum(count for _, count in ordered[_MAX_FINDINGS:])
        if rest:
            text = f"{rest} more parts of the snapshot could not be read as they are written"
            findings.append(Diagnostic("warning", "entries_skipped", text, "", rest))
        return findings

    def count(self, device: int) -> int:
        """Return how many parts of a device cannot be read, at least 1."""
        return max(1, sum(count for (of, _, _), count in self.counts.items() if of == device))

    def words(self, device: int | None) -> str:
        """Return the reasons of a device, or of the parts that belong to no device, as part of a sentence."""
        own = [(noun, outcome, count) for (of, noun, outcome), count in self.counts.most_common() if of == device]
        return "; ".join(f"{plural(count, noun)} {outcome}" for noun, outcome, count in own)


def _finding(device: int | None, noun: str, outcome: str, count: int) -> Diagnostic:
    location = "" if device is None else level_name(device)
    return Diagnostic("warning", "entries_skipped", f"{plural(count, noun)} {outcome}", location, count)
