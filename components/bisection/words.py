"""Sentences about a bisection for commands, pages and assistants."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.bisection.result import Bisection
from components.comparison.trend_notes import left_out_text
from components.comparison.trend_words import commit_text, value_text
from components.numbers import count_text, integer, percent, relative_text
from components.verdicts import verdict_words
from schema.command import COMMAND

_MAX_PROBABILITY = 0.999
"""Largest probability that is written as it is: the model is never surer than that."""


def bisection_sentence(bisection: Bisection) -> str:
    """Write the result of a bisection, or the commit to measure next, in a sentence."""
    if bisection.plan.state == "measure":
        return _next_words(bisection)
    return _CULPRITS.get(bisection.plan.state, _end_words)(bisection)


def _proved_words(bisection: Bisection) -> str:
    culprit = commit_text(bisection.culprits[0])
    metric = bisection.metric.label
    return f"Commit {culprit} made {metric} worse{_change(bisection)}, {_sure(bisection)}."


def _range_words(bisection: Bisection) -> str:
    first, last = (commit_text(bisection.culprits[at]) for at in (0, -1))
    return (
        f"One of the {count_text(bisection.plan.remain, 'commit')} {first} to {last} made"
        f" {bisection.metric.label} worse{_change(bisection)}, {_sure(bisection)}:"
        f" the commits before {last} give no result."
    )


def _end_words(bisection: Bisection) -> str:
    """Write why no commit is named."""
    metric = bisection.metric.label
    good, bad = commit_text(bisection.good), commit_text(bisection.bad)
    change, noise = _change(bisection), percent(bisection.plan.noise)
    sentences = {
        "gradual": f"{metric} became worse from {good} to {bad}{change}, but at no single commit:"
        " the change is gradual.",
        "level": f"No commit made {metric} worse: {good} and {bad} do not differ by as much as"
        f" matters{change}, {_sure(bisection)}.",
        "better": f"No commit made {metric} worse: the bad commit {bad} is better than the good"
        f" commit {good}{change}.",
        "undecided": f"It cannot be decided which commit made {metric} worse: the noise of a run"
        f" is {noise}, and further repeats would not help.",
        "unmeasurable": f"The good commit {good} or the bad commit {bad} gives no result: choose"
        " another.",
    }
    return sentences[bisection.plan.state]


_CULPRITS = {"proved": _proved_words, "range": _range_words}
"""Writers of the sentences about a culprit, by state."""


def _next_words(bisection: Bisection) -> str:
    plan = bisection.plan
    commit = commit_text(bisection.next_commit or "")
    runs = next((len(item.values) for item in bisection.measured if item.position == plan.next), 0)
    again = f" again (it has {count_text(runs, 'run')})" if runs else ""
    left = f"{integer(plan.remain)} of {count_text(len(bisection.commits) - 1, 'commit')} may be the culprit"
    return f"Measure commit {commit}{again} next: {left}."


def _sure(bisection: Bisection) -> str:
    confidence = bisection.plan.confidence
    if confidence > _MAX_PROBABILITY:
        return f"with a probability above {percent(_MAX_PROBABILITY)}"
    return f"with a probability of {percent(confidence)}"


def _change(bisection: Bisection) -> str:
    """Write the levels on both sides in brackets; "" if a side has no runs."""
    sides = bisection.sides
    if sides.good is None or sides.bad is None:
        return ""
    levels = (
        f"{value_text(sides.good, bisection.metric)} to {value_text(sides.bad, bisection.metric)}"
    )
    size = "" if sides.relative is None else f", {relative_text(sides.relative)}"
    return f" ({levels}{size})"


def verdict_sentence(bisection: Bisection) -> str:
    """Write the verdict of a comparison of the runs on both sides; "" if a side has no runs."""
    sides = bisection.sides
    if sides.good is None or sides.bad is None:
        return ""
    reason = f": {sides.judged.reason}" if sides.judged.reason else ""
    return f"A comparison of both sides: {verdict_words(sides.judged.verdict)}{reason}."


def effort_sentence(bisection: Bisection) -> str:
    """Write how many commits are measured, with how many runs, and how many are left."""
    counts = [
        f"{count_text(bisection.with_runs, 'commit')} measured with"
        f" {count_text(bisection.runs, 'run')}"
    ]
    if bisection.broken:
        counts.append(f"{integer(bisection.broken)} without a result")
    if bisection.plan.state == "measure":
        further = count_text(bisection.plan.to_measure, "further commit")
        counts.append(f"about {further} to measure")
    return f"{', '.join(counts)}; noise of a run {percent(bisection.plan.noise)}."


def impossible_sentence(bisection: Bisection) -> str:
    """Write how many runs give no result because their number is impossible, and why it is; "" if
    there are none.
    """
    return left_out_text(bisection.impossible, bisection.metric, "run")


def next_commands(bisection: Bisection) -> list[str]:
    """List the commands that measure the next commit, for a terminal; empty if there is none."""
    commit = bisection.next_commit
    # A name from a list may have characters that a shell reads.
    if commit is None or not commit.isalnum():
        return []
    return [f"git checkout {commit}", f"{COMMAND} ingest FILES --set commit={commit}"]


def bisection_lines(bisection: Bisection) -> Iterator[str]:
    """Yield a bisection as lines of text for a terminal."""
    yield bisection_sentence(bisection)
    if verdict := verdict_sentence(bisection):
        yield verdict
    yield effort_sentence(bisection)
    if impossible := impossible_sentence(bisection):
        yield impossible
    for command in next_commands(bisection):
        yield f"  {command}"
    if bisection.next_commit is not None:
        yield f"next: {bisection.next_commit}"
    for culprit in bisection.culprits:
        yield f"culprit: {culprit}"
    yield f"page: /bisect/{bisection.bisection_id}"
